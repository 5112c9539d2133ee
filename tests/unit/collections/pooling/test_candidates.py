"""What may be judged, against set arithmetic on lists."""

from pathlib import Path

import numpy as np
import pytest

from cranfield.collections import Candidates, find_candidates
from cranfield.core import ParameterError
from cranfield.data import read_qrels, read_run
from tests.support.reference.strategy_definitions import Rankings, campaign, grown, pool, ranks


def by_topic(candidates: Candidates) -> dict[str, list[str]]:
    documents = candidates.document.to_list()
    bounds = zip(candidates.starts[:-1], candidates.starts[1:], strict=True)
    return {topic: documents[a:b] for topic, (a, b) in zip(candidates.topics, bounds, strict=True)}


def places(candidates: Candidates) -> list[dict[int, int]]:
    """For each document run → rank, in the order that they have there."""
    bounds = zip(candidates.held[:-1], candidates.held[1:], strict=True)
    return [dict(zip(candidates.run[a:b].tolist(), candidates.rank[a:b].tolist(), strict=True)) for a, b in bounds]


def expected_places(rankings: dict[str, Rankings], documents: dict[str, list[str]]) -> list[dict[int, int]]:
    return [ranks(rankings[topic], document) for topic, there in documents.items() for document in there]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("depth", [1, 7, 20, 30])
def test_documents_stand_in_the_order_in_which_a_pool_grows(seed: int, depth: int) -> None:
    case = campaign(seed, depth)
    candidates = case.candidates
    assert candidates.depth == depth
    assert candidates.runs == tuple(run.name for run in case.runs)
    assert candidates.topics == tuple(case.rankings)
    documents = by_topic(candidates)
    assert documents == {topic: grown(rankings) for topic, rankings in case.rankings.items()}
    assert places(candidates) == expected_places(case.rankings, documents)
    assert [list(there) for there in places(candidates)] == [sorted(there) for there in places(candidates)]
    assert candidates.best.tolist() == [min(there.values()) for there in places(candidates)]
    number = [len(there) for there in documents.values()]
    assert candidates.topic.tolist() == [topic for topic, size in enumerate(number) for _ in range(size)]
    assert candidates.of.tolist() == [d for d, there in enumerate(places(candidates)) for _ in there]
    assert repr(candidates) == f"Candidates({sum(number)} documents of 7 runs to depth {depth})"
    assert len(candidates) == sum(number)


@pytest.mark.parametrize("seed", range(3))
def test_some_of_the_documents(seed: int) -> None:
    case = campaign(seed)
    kept = np.random.default_rng(seed).random(len(case.candidates)) < 0.4
    some = case.candidates.only(kept)
    names = [
        (case.topics[topic], document)
        for topic, document, stays in zip(
            case.candidates.topic, case.candidates.document.to_list(), kept.tolist(), strict=True
        )
        if stays
    ]
    documents = {topic: [document for t, document in names if t == topic] for topic in case.topics}
    assert by_topic(some) == documents
    assert places(some) == expected_places(case.rankings, documents)  # ranks stay as they were
    assert some.topics == case.topics
    assert some.best.tolist() == [min(there.values()) for there in places(some)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("left_out", [[0], [1, 3, 4], [6, 2], []])
def test_without_some_runs(seed: int, left_out: list[int]) -> None:
    case = campaign(seed)
    others = case.candidates.without(left_out)
    rankings = {
        topic: [[] if run in left_out else ranking for run, ranking in enumerate(there)]
        for topic, there in case.rankings.items()
    }
    documents = {topic: grown(there) for topic, there in rankings.items()}
    assert by_topic(others) == documents  # the pool grows in another order without them
    assert places(others) == expected_places(rankings, documents)
    assert (others.runs, others.topics, others.depth) == (case.candidates.runs, case.topics, 20)


def test_nothing_left() -> None:
    candidates = campaign(0).candidates
    for nothing in (
        candidates.only(np.zeros(len(candidates), dtype=bool)),
        candidates.without(range(7)),
        candidates.without(range(7)).without([0]),
    ):
        assert len(nothing) == len(nothing.best) == len(nothing.topic) == len(nothing.of) == len(nothing.run) == 0
        assert nothing.topics == candidates.topics
        assert nothing.starts.tolist() == [0] * (len(candidates.topics) + 1)
        assert nothing.held.tolist() == [0]


def test_grades() -> None:
    runs = [read_run({"1": {"a": 2, "b": 1}, "2": {"a": 1}}, name="x"), read_run({"2": {"c": 3, "b": 2}}, name="y")]
    candidates = find_candidates(runs)
    assert by_topic(candidates) == {"1": ["a", "b"], "2": ["a", "c", "b"]}
    qrels = read_qrels({"2": {"a": 2, "b": -1, "z": 1}, "1": {"b": 0}, "9": {"a": 1}})
    assert candidates.grades(qrels).tolist() == [-np.inf, 0, 2, -np.inf, -1]


def test_what_was_judged() -> None:
    runs = [read_run({"1": {"a": 2, "b": 1}, "2": {"a": 1}}, name="x"), read_run({"2": {"c": 3, "b": 2}}, name="y")]
    candidates = find_candidates(runs)
    qrels = read_qrels({"2": {"a": 2, "b": -1, "c": 0, "z": 1}})
    assert by_topic(candidates.judged_by(qrels)) == {"1": [], "2": ["a", "c"]}
    assert by_topic(candidates.judged_by(qrels, skip=False)) == {"1": [], "2": ["a", "c", "b"]}
    assert candidates.relevant(qrels).tolist() == [False, False, True, False, False]
    assert candidates.relevant(qrels, 3).tolist() == [False] * 5
    with pytest.raises(ParameterError, match="no document that a run has among its first 100 was judged") as caught:
        candidates.judged_by(read_qrels({"2": {"b": -1, "z": 1}}))
    assert caught.value.hint.startswith("the runs have topics such as 1")


def test_the_toy_pool(shared_data: Path) -> None:
    folder = shared_data / "small-collections" / "pool-toy"
    lines = {name: (folder / f"input.{name}").read_text().split("\n") for name in "ABCDE"}
    rows = {name: [line.split() for line in there if line] for name, there in lines.items()}
    rankings = {
        topic: [[row[2] for row in rows[name] if row[0] == topic] for name in "ABCDE"] for topic in ("1", "2", "3")
    }
    judged: dict[str, set[str]] = {}
    for line in (folder / "qrels").read_text().splitlines():
        judged.setdefault(line.split()[0], set()).add(line.split()[2])
    runs = [read_run(folder / f"input.{name}") for name in "ABCDE"]
    for k in range(1, 11):
        found = {topic: set(there) for topic, there in by_topic(find_candidates(runs, depth=k)).items()}
        assert found == {topic: pool(there, k) for topic, there in rankings.items()}
        if k == 3:  # its judgments are the pool of depth 3, and one document more
            assert (found["2"], found["3"]) == (judged["2"], judged["3"])
            assert judged["1"] - found["1"] == {"dd04"}
            assert found["1"] < judged["1"]
    assert [len(by_topic(find_candidates(runs))[topic]) for topic in "123"] == [40, 38, 36]


def test_what_cannot_be_pooled() -> None:
    with pytest.raises(ParameterError, match="there is no run to pool") as caught:
        find_candidates([])
    assert caught.value.hint == "give at least one"
    with pytest.raises(ParameterError, match="runs cannot be pooled to depth 0"):
        find_candidates(campaign(0).runs, depth=0)
