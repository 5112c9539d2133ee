"""Known judgments replayed."""

import numpy as np
import pytest

from cranfield.collections import Depth, MaxMean, MoveToFront, Thompson, replay
from tests.support.reference.strategy_definitions import campaign


@pytest.mark.parametrize("budget", [0, 1, 7, 1000])
def test_a_budget_ends_each_topic(budget: int) -> None:
    case = campaign(2)
    whole = replay(MaxMean(), case.candidates, case.relevant)
    part = replay(MaxMean(), case.candidates, case.relevant, budget=budget)
    assert part.order.tolist() == whole.order[:, :budget].tolist()
    assert part.relevant.tolist() == whole.relevant[:, :budget].tolist()


def test_what_was_found_and_judged() -> None:
    case = campaign(4)
    told = replay(Thompson(), case.candidates, case.relevant)
    found = told.found()
    assert found.shape == (len(case.topics), told.order.shape[1] + 1)
    for row, topic in enumerate(case.topics):
        asked = case.names(told.order[row])
        for after in (0, 1, 5, len(asked)):
            assert found[row, after] == len(set(asked[:after]) & case.found[topic])
    assert found[:, -1].tolist() == [len(case.found[topic]) for topic in case.topics]
    for number in ([0] * 4, [3] * 4, [0, 2, 5, 1000]):
        judged = {place for row, n in zip(told.order, number, strict=True) for place in row[:n].tolist() if place >= 0}
        assert set(np.flatnonzero(told.judged(np.array(number))).tolist()) == judged
    assert told.judged(3).tolist() == told.judged(np.array([3] * 4)).tolist()
    assert repr(told) == f"Replay(thompson: {len(case.candidates)} judgments of 4 topics)"


def test_nothing_to_ask() -> None:
    candidates = campaign(0).candidates.without(range(7))
    for strategy in (Depth(), MoveToFront(), MaxMean()):
        told = replay(strategy, candidates, np.zeros(0, dtype=bool))
        assert told.order.shape == (4, 0)
        assert told.found().tolist() == [[0]] * 4
        assert told.judged(5).tolist() == []


def test_progress_goes_up_to_the_number_of_topics() -> None:
    case = campaign(1)
    seen: list[tuple[int, int]] = []
    replay(Depth(), case.candidates, case.relevant, progress=lambda done, all_: seen.append((done, all_)))
    done = [part for part, _ in seen]
    assert done == sorted(done)
    assert done[0] == 0
    assert {all_ for _, all_ in seen} == {4}
    assert max(done) < 4


def test_found_faster_by_looking_at_judgments() -> None:
    # The order of the classes that the papers report, on campaigns of our own: bandits before pools of a depth.
    share: dict[str, float] = {"depth": 0, "maxmean": 0}
    for seed in range(6):
        case = campaign(seed)
        for strategy in (Depth(), MaxMean()):
            share[strategy.name] += replay(strategy, case.candidates, case.relevant, budget=20).relevant.sum()
    assert share["maxmean"] > share["depth"]
