"""Simulated crowd labels and runs, and reference measures computed with dictionaries."""

from dataclasses import dataclass
from math import log2
from random import Random

import numpy as np

from cranfield.collections import Merged
from cranfield.data import Answers, Labels, Source, Strings

Rows = list[tuple[str, str, str, float]]  # topic, document, worker, grade
Runs = dict[str, dict[str, dict[str, float]]]  # run → topic → document → score
Grades = dict[str, dict[str, float]]  # topic → document → grade


def labels_of(rows: Rows, machines: tuple[str, ...] = (), time: list[float] | None = None) -> Labels:
    """Labels from rows, everything in order of appearance."""
    topics = tuple(dict.fromkeys(topic for topic, _, _, _ in rows))
    items = list(dict.fromkeys((topic, document) for topic, document, _, _ in rows))
    workers = tuple(dict.fromkeys(worker for _, _, worker, _ in rows))
    grades = sorted({grade for *_, grade in rows})
    answers = Answers(
        np.array([items.index((topic, document)) for topic, document, _, _ in rows]),
        np.array([workers.index(worker) for _, _, worker, _ in rows]),
        np.array([grades.index(grade) for *_, grade in rows]),
        len(items),
        len(workers),
        len(grades),
    )
    return Labels(
        topics,
        np.array([topics.index(topic) for topic, _ in items]),
        Strings([document for _, document in items]),
        workers,
        np.array([worker in machines for worker in workers]),
        np.array(grades, dtype=float),
        answers,
        None if time is None else np.array(time, dtype=float),
        Source("labels.csv", "", "labels"),
    )


def by_share(share: list[list[float]] | np.ndarray) -> Merged:
    """Merged labels, of which only the shares matter."""
    nothing = np.zeros(1)
    return Merged(None, np.array(share, dtype=float), nothing, nothing)  # type: ignore[arg-type]


def ranking(run: dict[str, float]) -> list[str]:
    """Documents by score, equal ones by id, descending."""
    return sorted(run, key=lambda document: (run[document], document), reverse=True)


def ap(run: dict[str, float], grades: dict[str, float]) -> float:
    relevant = sum(grade >= 1 for grade in grades.values())
    found, total = 0, 0.0
    for rank, document in enumerate(ranking(run), 1):
        if grades.get(document, -1) >= 1:
            found += 1
            total += found / rank
    return total / relevant if relevant else 0.0


def ndcg(run: dict[str, float], grades: dict[str, float], k: int = 10) -> float:
    gains = [max(grades.get(document, 0), 0) for document in ranking(run)]
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)
    dcg, ideal = (sum(g / log2(rank + 1) for rank, g in enumerate(side[:k], 1)) for side in (gains, best))
    return dcg / ideal if ideal else 0.0


MEASURES = {"AP": ap, "nDCG@10": ndcg}


def mean(runs: Runs, run: str, grades: Grades, measure: str) -> float:
    """Over the topics that have a grade; a topic that the run lacks counts 0."""
    return sum(MEASURES[measure](runs[run].get(topic, {}), grades[topic]) for topic in grades) / len(grades)


def ranks(means: dict[str, float]) -> dict[str, int]:
    return {run: 1 + sum(other > own + 1e-12 for other in means.values()) for run, own in means.items()}


def said_by(rows: Rows, worker: str) -> Grades:
    """What one worker said, the last word where there are several."""
    said: Grades = {}
    for topic, document, who, grade in rows:
        if who == worker:
            said.setdefault(topic, {})[document] = grade
    return said


@dataclass(frozen=True)
class Crowd:
    """Runs, what is true of their documents, and rows of labels by workers of known quality."""

    runs: Runs
    truth: Grades
    rows: Rows


def drawn_crowd(
    seed: int,
    *,
    topics: int = 12,
    runs: int = 6,
    documents: int = 40,
    right: dict[str, float],
    coverage: float = 1.0,
    relevant: float = 0.25,
    guesses: float = 0.5,
) -> Crowd:
    """Workers who are right with a chance of their own, and otherwise guess; a worker of chance 0 labels at random."""
    random = Random(seed)
    names = [f"t{i}" for i in range(topics)]
    truth = {t: {f"{t}d{i}": float(random.random() < relevant) for i in range(documents)} for t in names}
    made: Runs = {}
    for run in range(runs):
        skill = 0.3 + 1.5 * run / runs
        made[f"run{run}"] = {
            t: {document: round(skill * truth[t][document] + random.gauss(0, 1), 3) for document in truth[t]}
            for t in names
        }
    rows: Rows = []
    for worker, chance in right.items():
        for topic in names:
            for document, grade in truth[topic].items():
                if random.random() < coverage:
                    guess = float(random.random() < guesses)
                    rows.append((topic, document, worker, grade if random.random() < chance else guess))
    return Crowd(made, truth, rows)
