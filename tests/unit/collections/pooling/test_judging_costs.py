"""What pools cost, against sets of documents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.collections import Judging, costs_table, count_asked, parse_strategy
from cranfield.core import ParameterError, Provenance
from tests.support.reference.pool_evaluation import Plain, covid, simulated


def check(case: Plain, depths: list[int], minutes: float) -> None:
    judged = case.candidates.grades(case.qrels) >= 0
    rows: list[dict[str, Any]] = costs_table(case.candidates, depths, judged=judged, minutes=minutes).rows()
    topics = {topic for ranked in case.rankings.values() for topic in ranked}
    for row, depth in zip(rows, depths, strict=True):
        pool = {
            topic: {document for ranked in case.rankings.values() for document in ranked.get(topic, [])[:depth]}
            for topic in topics
        }
        free = sum(case.judgments[topic].get(document, -1) < 0 for topic in pool for document in pool[topic])
        assert row == {
            "depth": depth,
            "documents": sum(map(len, pool.values())),
            "new": free,
            "per_topic": pytest.approx(sum(map(len, pool.values())) / len(topics)),
            "largest": max(map(len, pool.values())),
            "hours": pytest.approx(free * minutes / 60),
        }


@pytest.mark.parametrize("seed", range(3))
def test_costs_by_sets(seed: int) -> None:
    check(simulated(seed), [1, 3, 10, 15], 1.5)


@pytest.mark.shared
def test_costs_of_a_real_campaign(shared_data: Path) -> None:
    check(covid(shared_data / "trec-covid"), [5, 20, 100], 2)


def test_without_judgments_everything_is_new_and_without_minutes_nothing_is_said_of_hours() -> None:
    case = simulated(0)
    made_by = Provenance(command="here")
    table = costs_table(case.candidates, [5], made_by=made_by)
    assert table.cells("new") == table.cells("documents")
    assert table.cells("hours") == [None]
    assert table.made_by == made_by
    assert table.caption == "what a pool of 9 runs and 12 topics costs"
    assert costs_table(case.candidates, [5], minutes=1).caption.endswith("costs, at 1 minute for a judgment")


def test_depths_beyond_that_of_the_candidates_are_left_out() -> None:
    table = costs_table(simulated(0).candidates)
    assert table.cells("depth") == [5, 10]
    assert table.notes == ("runs are known to depth 15 alone: nothing is said of 20, 50, 100",)
    assert costs_table(simulated(0).candidates, [15]).notes == ()


def test_topics_without_a_document_count() -> None:
    case = simulated(0)
    kept = case.candidates.only(case.candidates.topic == 2)
    row: dict[str, Any] = costs_table(kept, [15]).rows()[0]
    assert row["per_topic"] == pytest.approx(row["documents"] / 12)
    assert row["largest"] == row["documents"]
    nothing = case.candidates.only(np.zeros(len(case.candidates), dtype=bool))
    assert list(costs_table(nothing, [15], minutes=2).rows()[0].values()) == [15, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("depths", "options", "said"),
    [
        ([], {}, "a depth is one document or more"),
        ([0], {}, "a depth is one document or more"),
        ([20, 50], {}, "runs are known to depth 15 alone"),
        ([5], {"minutes": 0}, "a judgment cannot take 0 minutes"),
        ([5], {"minutes": float("nan")}, "a judgment cannot take nan minutes"),
    ],
)
def test_what_is_refused(depths: list[int], options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        costs_table(simulated(0).candidates, depths, **options)


@pytest.mark.parametrize("strategy", ["nrg", "depth(k=3)", "take", "stratified"])
@pytest.mark.parametrize(("budget", "shared"), [(None, False), (4, False), (10_000, False), (30, True), (10_000, True)])
@pytest.mark.parametrize("known", [False, True])
def test_as_many_are_counted_as_are_asked_for(strategy: str, budget: int | None, shared: bool, known: bool) -> None:
    case = simulated(1)
    judging = Judging(case.candidates, strategy, budget=budget, shared=shared)
    if known:
        judging.tell_all(case.qrels)
    asked = 0
    while judging.next() is not None:
        asked += 1
    judged = case.candidates.judged(case.qrels) if known else None
    counted = count_asked(case.candidates, parse_strategy(strategy), budget=budget, shared=shared, judged=judged)
    assert counted == asked
