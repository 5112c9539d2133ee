"""Votes beside plain counting."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import Binomial, Majority, Weighted
from cranfield.collections.merging.votes import vote_shares
from cranfield.data import Answers


def answers(rows: list[tuple[int, int, int]], *, choices: int = 2, items: int = 0, workers: int = 0) -> Answers:
    """Rows of item, worker and choice."""
    item, worker, choice = np.array(rows).T
    return Answers(item, worker, choice, items or int(item.max()) + 1, workers or int(worker.max()) + 1, choices)


def drawn(seed: int, choices: int) -> Answers:
    """Some answers; a worker may answer twice for one item, and every item has one at least."""
    stream = np.random.default_rng(seed)
    item = np.concatenate([np.arange(20), stream.integers(0, 20, 60)])
    return Answers(item, stream.integers(0, 7, len(item)), stream.integers(0, choices, len(item)), 20, 7, choices)


def counted(given: Answers, weight: NDArray[np.float64] | None = None) -> list[dict[int, float]]:
    """What each item's choices weigh, by a loop."""
    votes: list[dict[int, float]] = [{} for _ in range(given.items)]
    for item, worker, choice in zip(given.item.tolist(), given.worker.tolist(), given.choice.tolist(), strict=True):
        votes[item][choice] = votes[item].get(choice, 0) + (1 if weight is None else weight[worker])
    return votes


def agreed(given: Answers, choice: list[int]) -> list[float]:
    """How often each worker says the choice, by a loop."""
    right, all_of = Counter[int](), Counter[int]()
    for item, worker, said in zip(given.item.tolist(), given.worker.tolist(), given.choice.tolist(), strict=True):
        all_of[worker] += 1
        right[worker] += said == choice[item]
    return [right[worker] / all_of[worker] for worker in range(given.workers)]


@pytest.mark.parametrize("choices", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_majority_is_what_a_loop_counts(seed: int, choices: int) -> None:
    given = drawn(seed, choices)
    for ties, prefer in (("highest", 1), ("lowest", -1)):
        merged = Majority(ties=ties).merge(given)  # type: ignore[arg-type]
        votes = counted(given)
        best = [max((count, prefer * choice, choice) for choice, count in of.items())[2] for of in votes]
        assert merged.choice.tolist() == best
        assert merged.share.sum(axis=1).tolist() == pytest.approx([1.0] * given.items)
        for share, of in zip(merged.share.tolist(), votes, strict=True):
            assert share == pytest.approx([of.get(choice, 0) / sum(of.values()) for choice in range(choices)])
        assert merged.tied.tolist() == [list(of.values()).count(max(of.values())) > 1 for of in votes]
        assert merged.quality.tolist() == pytest.approx(agreed(given, best))
        assert merged.weight.tolist() == [1.0] * given.workers


def test_who_answers_twice_has_two_votes() -> None:
    # Item 0: worker 0 says 1 twice, workers 1 and 2 say 0 and 1.
    merged = Majority().merge(answers([(0, 0, 1), (0, 0, 1), (0, 1, 0), (0, 2, 1)]))
    assert merged.share.tolist() == [[0.25, 0.75]]
    assert merged.quality.tolist() == [1.0, 0.0, 1.0]


def test_ties_by_what_is_frequent() -> None:
    # Item 0 is tied; over all items the shares of choice 0 are 1/2, 1 and 1, so 0 is the more frequent.
    given = answers([(0, 0, 0), (0, 1, 1), (1, 0, 0), (2, 1, 0)])
    assert Majority(ties="prior").merge(given).choice.tolist() == [0, 0, 0]
    assert Majority().merge(given).choice.tolist() == [1, 0, 0]


def test_nobody_said_anything() -> None:
    # Item 1 has no answer, worker 2 gave none.
    given = answers([(0, 0, 1), (0, 1, 1)], choices=3, items=2, workers=3)
    merged = Majority().merge(given)
    assert merged.share.tolist() == [[0, 1, 0], [1 / 3, 1 / 3, 1 / 3]]
    assert merged.tied.tolist() == [False, True]
    assert merged.quality[:2].tolist() == [1.0, 1.0]
    assert np.isnan(merged.quality[2])
    assert Weighted().merge(given).weight.tolist() == [1.0, 1.0, 0.0]


def test_gold_outvotes() -> None:
    given = answers([(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 1)])
    for method in (Majority(), Weighted(), Binomial()):
        merged = method.merge(given, gold=np.array([1, -1]))
        assert merged.share[0].tolist() == [0.0, 1.0]
        assert merged.choice.tolist() == [1, 1]
        assert merged.quality.tolist() == [0.5, 0.0, 1.0]


@pytest.mark.parametrize("seed", range(5))
def test_weighted_votes_are_what_a_loop_counts(seed: int) -> None:
    given = drawn(seed, 3)
    choice = Majority().merge(given).choice.tolist()
    weight = np.array(agreed(given, choice))
    merged = Weighted().merge(given)
    assert merged.weight.tolist() == pytest.approx(weight.tolist())
    for share, of in zip(merged.share.tolist(), counted(given, weight), strict=True):
        total = sum(of.values())
        assert share == pytest.approx([of.get(choice, 0) / total for choice in range(3)])
    # Twice: the weights are agreements with what the first round merged.
    again = Weighted(rounds=2).merge(given)
    assert again.weight.tolist() == pytest.approx(agreed(given, merged.choice.tolist()))


def test_more_rounds_end_when_nothing_changes() -> None:
    given = drawn(1, 2)
    merged = Weighted(rounds=50).merge(given)
    assert merged.rounds < 50
    # One more round leaves every choice as it is.
    assert Weighted(rounds=merged.rounds + 1).merge(given).choice.tolist() == merged.choice.tolist()


def test_workers_who_never_agree_weigh_nothing() -> None:
    # Worker 2 is outvoted on items 0 and 1, and alone on item 2, where gold says something else.
    given = answers([(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 0), (1, 1, 0), (1, 2, 1), (2, 2, 1)])
    merged = Weighted().merge(given, gold=np.array([-1, -1, 0]))
    assert merged.weight.tolist() == [1.0, 1.0, 0.0]
    assert merged.share.tolist() == [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("choices", [2, 4])
@pytest.mark.parametrize(("a", "b"), [(0.0, 0.0), (1.0, 1.0), (0.5, 2.0)])
def test_binomial_is_the_mean_height(choices: int, a: float, b: float) -> None:
    given = drawn(3, choices)
    grades = np.array([1.0, 2.0, 3.0, 7.0])[-choices:]
    low, high = grades[0], grades[-1]
    found = Binomial(a=a, b=b).merge(given).point(grades)
    for item in range(given.items):
        heights = [(grades[choice] - low) / (high - low) for choice in given.choice[given.item == item]]
        amount = (sum(heights) + a) / (len(heights) + a + b)
        assert found[item] == pytest.approx(low + amount * (high - low))


def test_binomial_of_two_grades_is_the_share_of_votes() -> None:
    given = answers([(0, 0, 1), (0, 1, 1), (0, 2, 0), (1, 0, 0)])
    assert Binomial().merge(given).point(np.array([0.0, 1.0])).tolist() == pytest.approx([2 / 3, 0.0])


def test_shares_of_one_choice() -> None:
    assert vote_shares(np.array([[3.0], [0.0]])).tolist() == [[1.0], [1.0]]
