"""Hypothesis strategies for topics and rankings, and the assessed runs built from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cranfield.data import (
    Assessed,
    Attributes,
    SideTable,
    assess,
    read_aspects,
    read_attributes,
    read_intents,
    read_qrels,
)

NOT_JUDGED, SPAM = -1, -2  # not in the qrels; in the qrels with a grade below 0, which counts as unjudged too
TOP = 3
GRADES = (NOT_JUDGED, SPAM, 0, 0, 1, 1, 2, TOP)

Ranking = tuple[int, ...]  # documents from the top, each a place in the grades of its topic


@dataclass(frozen=True)
class Topic:
    """The grade of every document there is, and some rankings of them."""

    grades: tuple[int, ...]
    rankings: tuple[Ranking, ...]

    def down(self, ranking: Ranking) -> tuple[int, ...]:
        """The grades down a ranking."""
        return tuple(self.grades[document] for document in ranking)


@st.composite
def topics(draw: st.DrawFn, *, rankings: int = 1, documents: int = 9, least: int = 0, missed: int = 0) -> Topic:
    """A topic with unjudged documents, grades below 0, relevant documents that nobody retrieved, empty rankings.

    ``least`` documents are in every ranking, ``missed`` documents in none that is as long as it may be.
    """
    grades = tuple(draw(st.lists(st.sampled_from(GRADES), min_size=max(1, least + missed), max_size=documents)))
    order = st.permutations(range(len(grades)))
    depth = st.integers(least, len(grades) - missed)
    return Topic(grades, tuple(tuple(draw(order)[: draw(depth)]) for _ in range(rankings)))


def assess_topics(*given: Topic, beside: bool = True) -> Assessed:
    """One run for each ranking; the first topics are the given ones, t0, t1, …, a last one makes every run a run.

    Where nothing is known ``beside`` grades, much less is made up.
    """
    qrels = {f"t{i}": _judged(topic.grades) for i, topic in enumerate(given)} | {"last": {"d0": 1}}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for r in range(max(len(topic.rankings) for topic in given)):
        runs[f"run{r}"] = {
            f"t{i}": _scores(topic.rankings[r])
            for i, topic in enumerate(given)
            if r < len(topic.rankings) and topic.rankings[r]
        }
        runs[f"run{r}"]["last"] = {"d0": 1.0}
    return assess_beside(qrels, runs) if beside else assess(qrels, runs)


def assess_beside(qrels: Mapping[str, Mapping[str, int]], runs: Any) -> Assessed:
    """Runs with everything known beside grades that some measure needs.

    A document has its grade in one of three subtopics, and less or nothing in others, by its name and grade alone;
    which subtopics of a topic are meant more often hangs on its judgments.
    """
    rows = [
        (topic, subtopic, document, lower)
        for topic, judged in qrels.items()
        for document, grade in judged.items()
        for subtopic, lower in in_subtopics(document, grade).items()
    ]
    names = ("topic", "subtopic", "document", "grade")
    judgments = read_qrels(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), subtopics=True)
    meant = [
        (topic, subtopic, Random(f"{subtopic} {sorted(judged.items())}").choice([0, 1, 1, 3]))
        for topic, judged in qrels.items()
        for subtopic in "abc"
    ]
    weights = dict(zip(("topic", "subtopic", "weight"), map(list, zip(*meant, strict=True)), strict=True))
    labels = {
        name: {
            topic: {
                document: Random(f"{name} {document} {grade}").choice([-1, 0, 1, 2]) for document, grade in of.items()
            }
            for topic, of in qrels.items()
        }
        for name in ("understandability", "credibility")
    }
    return assess(judgments, runs, beside=[read_intents(weights), groups(), read_aspects(labels)])


@cache
def groups() -> Attributes:
    """The groups of documents, by their names: most are in one of three, some in two, of some nothing is known."""
    rows = []
    for i in range(200):
        rng = Random(f"group {i}")
        chosen = rng.choice(["a", "a", "b", "b", "c", "ab", "bc", ""])
        rows += [(f"d{i}", group, rng.choice([1.0, 2.0])) for group in chosen]
    return read_attributes(dict(zip(("document", "group", "share"), map(list, zip(*rows, strict=True)), strict=True)))


@cache
def in_subtopics(document: str, grade: int) -> dict[str, int]:
    """The grade of a document in the subtopics that it was judged for."""
    rng = Random(f"{document} {grade}")
    first, *others = rng.sample("abc", 3)
    return {first: grade} | {other: rng.randint(0, grade) for other in others if grade >= 0 and rng.random() < 0.6}


def assess_grades(
    *rankings: Sequence[int],
    missed: Sequence[int] = (),
    lengths: Sequence[tuple[int, float]] = (),
    kind: str = "",
    beside: Sequence[tuple[int, Sequence[float]]] = (),
) -> Assessed:
    """Rankings of one topic, given as grades from the top; what ``missed`` says of the first is judged too.

    ``lengths`` says how many words documents of a grade have; others have 500 then. ``beside`` is what a side table of
    that ``kind`` says of documents of a grade.
    """
    named = [_named(ranking) for ranking in rankings]
    judged = _named([*rankings[0], *missed])
    qrels = {document: grade for document, grade in judged.items() if grade != NOT_JUDGED} or {"nothing": 0}
    for ranking in named[1:]:
        strange = {document for document, grade in ranking.items() if grade != NOT_JUDGED} - set(qrels)
        assert not strange, f"a ranking holds documents that were not judged before: {strange}"
    runs = {
        f"run{r}": {"t0": {document: -float(i) for i, document in enumerate(ranking)}, "last": {"d0": 1.0}}
        for r, ranking in enumerate(named)
    }
    long = dict(lengths)
    words = {document: long.get(grade, 500.0) for document, grade in judged.items()} if lengths else None
    assessed = assess({"t0": qrels, "last": {"d0": 1}}, runs, lengths=words)
    if not beside:
        return assessed
    known, columns = dict(beside), len(beside[0][1])
    rows = [known.get(int(grade), [0.0] * columns) if grade >= 0 else [-np.inf] * columns for grade in assessed.grade]
    weight = np.full((2, columns), 1 / columns)
    return assessed.with_table(kind, SideTable(tuple("abc"[:columns]), np.array(rows), weight))


def _judged(grades: Sequence[int]) -> dict[str, int]:
    judged = {f"d{i}": grade for i, grade in enumerate(grades) if grade != NOT_JUDGED}
    return judged or {"nobody": 0}  # a topic has at least one judgment


def _scores(ranking: Ranking) -> dict[str, float]:
    return {f"d{document}": -float(rank) for rank, document in enumerate(ranking)}


def _named(grades: Sequence[int]) -> dict[str, int]:
    """A document for each grade: the second of grade 1 is always the same one."""
    seen: dict[int, int] = {}
    named = {}
    for grade in grades:
        seen[grade] = seen.get(grade, 0) + 1
        named[f"grade {grade}, number {seen[grade]}"] = grade
    return named
