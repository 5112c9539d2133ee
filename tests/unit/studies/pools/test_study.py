"""What should be judged: pools against sets and loops over dictionaries."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cranfield.collections import STRATEGIES, Event, Judging
from cranfield.core import ParameterError, Study, UnknownName
from cranfield.data import read_corpus
from cranfield.studies import audit_pool, pool, read_candidates
from tests.support.reference.pool_evaluation import Plain, as_dicts, simulated

Rows = list[dict[str, Any]]

# Three runs, two topics: a, b and d are in several.
RUNS = {
    "x": {"1": {"a": 9.0, "b": 8.0, "c": 7.0}, "2": {"p": 9.0, "q": 8.0}},
    "y": {"1": {"b": 9.0, "d": 8.0, "a": 7.0}},
    "z": {"1": {"e": 9.0, "d": 8.0, "b": 7.0}, "2": {"q": 9.0, "r": 8.0, "p": 7.0}},
}
# Rank by rank, run by run, each document once.
GROWN = {"1": ["a", "b", "e", "d", "c"], "2": ["p", "q", "r"]}
HOLDER = {"a": ("x", 1), "b": ("y", 1), "e": ("z", 1), "d": ("y", 2), "c": ("x", 3)}
HOLDER |= {"p": ("x", 1), "q": ("z", 1), "r": ("z", 2)}


def rows_of(study: Study, table: str = "pool") -> Rows:
    return study[table].rows()


def by_topic(study: Study) -> dict[str, list[str]]:
    """The documents of a pool, topic by topic in the order of its rows."""
    found: dict[str, list[str]] = {}
    for row in rows_of(study):
        found.setdefault(row["topic"], []).append(row["document"])
    return found


def first(case: Plain, topic: str, k: int) -> set[str]:
    return {document for ranked in case.rankings.values() for document in ranked.get(topic, [])[:k]}


@pytest.fixture(scope="module")
def case() -> Plain:
    return simulated(3, topics=6)


@pytest.fixture(scope="module")
def runs(case: Plain) -> dict[str, dict[str, dict[str, float]]]:
    return as_dicts(case)


def test_a_pool_by_hand() -> None:
    study = pool(RUNS)
    assert by_topic(study) == GROWN
    assert [row["order"] for row in rows_of(study)] == [1, 2, 3, 4, 5, 1, 2, 3]
    assert {row["document"]: (row["run"], row["rank"]) for row in rows_of(study)} == HOLDER
    assert study.sentence == "depth asks for 8 documents of 2 topics (4.0 on average, 3 to 5 for each)."
    assert study.verdict is not None
    assert (study.verdict["documents"], study.verdict["topics"]) == (8, 2)
    assert (list(study.tables), study.charts) == (["costs", "pool"], ("costs",))


@pytest.mark.parametrize("depth", [1, 2, 3, 7, 15, 40])
def test_depth_pools_are_sets(depth: int, case: Plain, runs: Mapping[str, Any]) -> None:
    study = pool(runs, depth=depth)
    found = by_topic(study)
    topics = {topic for ranked in case.rankings.values() for topic in ranked}
    assert {topic: set(documents) for topic, documents in found.items()} == {
        topic: first(case, topic, depth) for topic in topics
    }
    assert len(rows_of(study)) == sum(map(len, map(set, found.values())))


@pytest.mark.parametrize("depth", [3, 5, 7, 20, 40])
def test_costs_are_counted_to_the_usual_depths_and_that_of_the_pool(
    depth: int, case: Plain, runs: Mapping[str, Any]
) -> None:
    study = pool(runs, depth=depth, judged=case.judgments, minutes=3)
    topics = {topic for ranked in case.rankings.values() for topic in ranked}
    depths = [usual for usual in (5, 10, 20, 50, 100) if usual < depth] + [depth]
    assert [row["depth"] for row in rows_of(study, "costs")] == depths
    for row in rows_of(study, "costs"):
        pools = {topic: first(case, topic, row["depth"]) for topic in topics}
        new = sum(
            case.judgments.get(topic, {}).get(document, -1) < 0
            for topic, documents in pools.items()
            for document in documents
        )
        assert (row["documents"], row["new"]) == (sum(map(len, pools.values())), new)
        assert row["per_topic"] == pytest.approx(row["documents"] / len(topics))
        assert row["largest"] == max(map(len, pools.values()))
        assert row["hours"] == pytest.approx(3 * new / 60)
    assert rows_of(study, "costs")[-1]["new"] == len(rows_of(study))
    assert f"at 3 minutes each, {len(rows_of(study)) * 3 / 60:.1f} h" in study.sentence


def test_costs_of_depths_that_somebody_names(runs: Mapping[str, Any]) -> None:
    study = pool(runs, depth=10, depths=[2, 4, 12])
    assert [row["depth"] for row in rows_of(study, "costs")] == [2, 4]
    assert study["costs"].notes == ("runs are known to depth 10 alone: nothing is said of 12",)


@pytest.mark.parametrize("strategy", [cls.name for cls in STRATEGIES if not cls.needs_text])
def test_every_strategy_fills_its_budget(strategy: str, case: Plain, runs: Mapping[str, Any]) -> None:
    study = pool(runs, strategy=strategy, budget=7, depth=15, seed=4)
    found = by_topic(study)
    for topic, documents in found.items():
        assert len(documents) == len(set(documents)) == min(7, len(first(case, topic, 15)))
        assert set(documents) <= first(case, topic, 15)
    assert study.sentence.startswith(f"{strategy} asks for {sum(map(len, found.values()))} documents of")


def test_the_seed_decides_and_is_told(runs: Mapping[str, Any]) -> None:
    one, same, other = (pool(runs, strategy="thompson", budget=9, seed=seed) for seed in (1, 1, 2))
    assert rows_of(one) == rows_of(same) != rows_of(other)
    assert [study.made_by.seed for study in (one, other) if study.made_by] == [1, 2]


@pytest.mark.parametrize("total", [1, 3, 6, 7, 8, 100])
def test_a_shared_budget_is_dealt_like_cards(total: int) -> None:
    dealt: dict[str, list[str]] = {}
    left = {topic: list(documents) for topic, documents in GROWN.items()}
    while sum(map(len, dealt.values())) < min(total, 8):
        for topic, documents in left.items():
            if documents and sum(map(len, dealt.values())) < total:
                dealt.setdefault(topic, []).append(documents.pop(0))
    assert by_topic(pool(RUNS, budget=total, shared=True)) == dealt


def test_what_is_judged_is_not_asked_for_again() -> None:
    # -1 is what a pool is written with: nobody judged e yet. s is in no run.
    judged = {"1": {"a": 1, "d": 0, "e": -1}, "2": {"q": 2, "s": 1}}
    study = pool(RUNS, judged=judged)
    assert by_topic(study) == {"1": ["b", "e", "c"], "2": ["p", "r"]}
    # To depth 3 there are 8, of which a, d and q are judged.
    (cost,) = [row for row in rows_of(study, "costs") if row["depth"] == 5]
    assert (cost["documents"], cost["new"]) == (8, 5)
    assert study["costs"].notes == ()


def test_judgments_of_something_else() -> None:
    study = pool(RUNS, judged={"1": {"s": 1, "a": -1}, "7": {"b": 1}})
    assert by_topic(study) == GROWN
    assert study["costs"].notes == ("no document of the runs is judged in qrels: do they belong together?",)


def test_nothing_is_left_to_ask_for() -> None:
    every = {topic: dict.fromkeys(documents, 0) for topic, documents in GROWN.items()}
    study = pool(RUNS, judged=every)
    assert (rows_of(study), study.sentence) == ([], "depth asks for nothing: every document is judged.")
    tops = {"1": {"a": 1, "b": 1, "e": 0}, "2": {"p": 0, "q": 0}}
    study = pool(RUNS, strategy="depth(k=1)", judged=tops)
    assert rows_of(study) == []
    assert study.sentence == "depth(k=1) asks for nothing more: all that it may ask for is judged."


@pytest.mark.parametrize("rel", [1, 2])
def test_strategies_learn_from_what_is_judged(rel: float, case: Plain, runs: Mapping[str, Any]) -> None:
    some = {
        topic: {document: grades[document] for document in sorted(grades)[::2]}
        for topic, grades in case.judgments.items()
    }
    study = pool(runs, strategy="maxmean", judged=some, budget=1, depth=15, rel=rel)
    judging = Judging(read_candidates(runs, depth=15), "maxmean", rel=rel)
    for topic, grades in case.judgments.items():  # in the order in which the pool grows
        grown = [
            ranked[topic][rank]
            for rank in range(15)
            for ranked in case.rankings.values()
            if rank < len(ranked.get(topic, []))
        ]
        for document in dict.fromkeys(grown):
            if some[topic].get(document, -1) >= 0:
                judging.tell(topic, document, grades[document])
    for topic, (document,) in by_topic(study).items():
        asked = judging.next(topic)
        assert asked
        assert asked.document == document


def test_the_first_documents_of_every_run_come_first(case: Plain, runs: Mapping[str, Any]) -> None:
    study = pool(runs, strategy="mtf", first=2, depth=15)
    for topic, documents in by_topic(study).items():
        early = first(case, topic, 2)
        assert set(documents[: len(early)]) == early


def test_a_sample_and_what_is_left_of_it(case: Plain, runs: Mapping[str, Any]) -> None:
    strategy = "stratified(depths='3 15',shares='1 .4')"
    study = pool(runs, strategy=strategy, depth=15, judged=case.judgments, seed=2)
    assert list(study.tables) == ["costs", "sample", "pool"]
    drawn: dict[str, set[str]] = {}
    for topic in by_topic(pool(runs, depth=15)):
        rows = [row for row in rows_of(study, "sample") if row["topic"] == topic]
        early, deep = first(case, topic, 3), first(case, topic, 15) - first(case, topic, 3)
        assert {row["document"]: row["stratum"] for row in rows} == dict.fromkeys(early, 1) | dict.fromkeys(deep, 2)
        drawn[topic] = {row["document"] for row in rows if row["sampled"]}
        assert early <= drawn[topic]
        number = max(1, int(0.4 * len(deep) + 0.5))
        assert len(drawn[topic] - early) == number
        chances = {row["stratum"]: row["probability"] for row in rows}
        assert chances == {1: 1, 2: pytest.approx(number / len(deep))}
    left = {
        topic: {document for document in documents if case.judgments.get(topic, {}).get(document, -1) < 0}
        for topic, documents in drawn.items()
    }
    assert {topic: set(documents) for topic, documents in by_topic(study).items()} == {
        topic: documents for topic, documents in left.items() if documents
    }


def test_a_pool_that_is_on_its_way() -> None:
    judging = Judging(read_candidates(RUNS), "depth", budget=3, seed=5)
    judging.ask(2)
    judging.tell("1", "b", 1)
    judging.tell("2", "r", 0)  # known, though nobody asked
    study = pool(RUNS, judging=judging)
    assert [(row["topic"], row["document"], row["order"]) for row in rows_of(study)] == [
        ("1", "a", 1),
        ("2", "p", 1),
        ("2", "q", 2),
    ]
    (cost,) = [row for row in rows_of(study, "costs") if row["depth"] == 5]
    assert (cost["documents"], cost["new"]) == (8, 6)
    assert study.made_by is not None
    assert study.made_by.seed == 5
    for topic, document in (("1", "a"), ("2", "p"), ("2", "q")):
        judging.tell(topic, document, 0)
    judging.ask(5)
    judging.tell("1", "e", 0)
    study = pool(RUNS, judging=judging)
    assert study.sentence == "depth asks for nothing more: all that it may ask for is judged."
    assert rows_of(study) == []


def test_what_there_is_to_read(tmp_path: Path) -> None:
    texts = {"a": "of apples", "b": "of bees", "p": "of pears"}
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\tfruit\n")
    study = pool(RUNS, budget=2, corpus=texts, topics=topics)
    read = [(row["topic"], row["document"], row["query"], row["text"]) for row in rows_of(study, "documents")]
    assert read == [
        ("1", "a", "fruit", "of apples"),
        ("1", "b", "fruit", "of bees"),
        ("2", "p", None, "of pears"),
        ("2", "q", None, None),
    ]
    assert study["documents"].notes == (
        f"1 of 2 topics is not in {topics}: without text",
        "1 of 4 documents is not in corpus: without text",
    )
    assert list(study.tables)[-1] == "documents"
    assert study.made_by is not None
    assert [source.kind for source in study.made_by.inputs][-2:] == ["corpus", "topics"]
    assert "text" not in pool(RUNS, topics=topics)["documents"].columns
    assert "query" not in pool(RUNS, corpus=texts)["documents"].columns


def test_topics_in_several_languages() -> None:
    topics = [{"topic": "1", "language": language, "title": f"in {language}"} for language in ("en", "de")]
    with pytest.raises(ParameterError, match="topics have texts in en and de") as caught:
        pool(RUNS, topics=topics)
    assert caught.value.hint == "name one of them as the language"
    study = pool(RUNS, topics=topics, language="de", budget=1)
    assert study["documents"].cells("query") == ["in de", None]


def test_a_strategy_that_reads() -> None:
    texts = {"a": "green apples", "b": "bees", "c": "red apples", "d": "stones", "e": "wind"}
    study = pool(RUNS, strategy="cal", corpus=texts, judged={"1": {"a": 1, "b": 0}}, budget=1)
    assert by_topic(study)["1"] == ["c"]
    with pytest.raises(ParameterError, match="the strategy cal reads documents"):
        pool(RUNS, strategy="cal")


@pytest.mark.parametrize(
    ("options", "problem", "hint"),
    [
        ({"budget": 0}, "the budget cannot be 0", "pay for one judgment or more"),
        ({"shared": True}, "topics share a budget that nobody gave", "give the judgments of all topics together"),
        ({"first": -2}, "-2 documents of each run cannot come first", "give 0 or more"),
        ({"rel": 0}, "a document cannot be relevant from grade 0 on", "give a number above 0"),
        ({"rel": float("nan")}, "a document cannot be relevant from grade nan on", "give a number above 0"),
        ({"strategy": ""}, "'' holds no strategy", "write a name"),
        ({"depth": 0}, "a run cannot be cut at depth 0", "keep at least one document of each topic"),
        ({"minutes": 0}, "a judgment cannot take 0 minutes", "for example: 2"),
        ({"depths": []}, "a depth is one document or more", "for example: 5, 10, 20"),
        (
            {"strategy": "stratified", "budget": 3, "shared": True},
            "the chances of a sample are known where each topic has a budget of its own",
            "give a budget for each topic, or none",
        ),
        (
            {"strategy": "stratified", "first": 1},
            "the chances of a sample are known where no documents come first",
            "let 0 come first",
        ),
    ],
)
def test_what_is_refused(options: dict[str, Any], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        pool(RUNS, **options)
    assert caught.value.problem == problem
    assert caught.value.hint.startswith(hint)


def test_a_strategy_that_is_none() -> None:
    with pytest.raises(UnknownName, match="there is no strategy named 'nix'"):
        pool(RUNS, strategy="nix")


def test_a_pool_on_its_way_may_share_without_an_end() -> None:
    judging = Judging(read_candidates(RUNS), "depth", shared=True)
    judging.ask(1)
    assert len(rows_of(pool(RUNS, judging=judging, shared=True))) == 2


@pytest.mark.parametrize("given", ["runs", "candidates"])
def test_progress_is_that_of_the_whole(given: str, runs: Mapping[str, Any]) -> None:
    told: list[tuple[int, int]] = []
    read = read_candidates(runs, depth=10) if given == "candidates" else runs
    pool(read, depth=10, strategy="nrg", progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {100}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (100, 100)
    assert ((50, 100) in told) == (given == "runs")


def test_candidates_are_read_once() -> None:
    told: list[tuple[int, int]] = []
    found = read_candidates(RUNS, depth=2, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert read_candidates(found, depth=77) is found
    assert len(read_candidates(RUNS, depth=10**12)) == 8  # all there is


def test_where_it_came_from(case: Plain, runs: Mapping[str, Any]) -> None:
    study = pool(runs, judged=case.judgments, seed=9, command="cranfield pool runs")
    assert study.made_by is not None
    assert [source.kind for source in study.made_by.inputs] == ["run"] * len(runs) + ["qrels"]
    assert (study.made_by.command, study.made_by.seed) == ("cranfield pool runs", 9)
    assert all(study[name].made_by == study.made_by for name in study.tables)


def test_an_audit_names_what_was_not_due(tmp_path: Path) -> None:
    judging = Judging(read_candidates(RUNS), "depth", seed=3)
    judging.ask(2)
    study = audit_pool(RUNS, judging.state)
    assert [(row["step"], row["document"], row["due"], row["as_due"]) for row in rows_of(study, "audit")] == [
        (step, name, name, True) for step, name in enumerate("abpq", 1)
    ]
    assert study.sentence == "4 documents were asked for, each when it was due."
    assert study.made_by is not None
    assert study.made_by.seed == 3
    # Somebody asked for e instead of a: then b was not due either, but a.
    events = (Event("asked", "1", "e"), *judging.state.events[1:])
    changed = replace(judging.state, events=events)
    changed.save(tmp_path / "state.json")
    study = audit_pool(RUNS, tmp_path / "state.json")
    assert [row["due"] for row in rows_of(study, "audit")] == ["a", "a", "p", "q"]
    assert [row["as_due"] for row in rows_of(study, "audit")] == [False, False, True, True]
    assert study.sentence == "4 documents were asked for; 2 of them were not due."
    one = replace(judging.state, events=(Event("asked", "1", "e"),))
    assert audit_pool(RUNS, one).sentence == "1 document was asked for; 1 of them was not due."


def test_an_audit_of_a_strategy_that_reads() -> None:
    texts = {name: f"document {name}" for name in "abcdepqr"}
    judging = Judging(read_candidates(RUNS), "cal", corpus=read_corpus(texts))
    judging.ask(1)
    study = audit_pool(RUNS, judging.state, corpus=texts)
    assert all(row["as_due"] for row in rows_of(study, "audit"))
    assert study.made_by is not None
    assert study.made_by.inputs[-1].kind == "corpus"
    with pytest.raises(ParameterError, match="reads documents"):
        audit_pool(RUNS, judging.state)


def test_no_number_is_nan() -> None:
    def never(word: str) -> object:
        raise AssertionError(word)

    told = json.loads(pool(RUNS, judged={"1": {"a": 1}}).to_json(), parse_constant=never)
    assert set(told["tables"]["pool"][0]) >= {"topic", "document", "order"}
