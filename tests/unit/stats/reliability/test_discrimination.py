"""Telling runs apart: shares of pairs by counting, and swaps by trying every split."""

from fractions import Fraction
from itertools import combinations
from math import comb, isnan, nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.pair_tests.base import Asked, Pairs
from cranfield.stats.pair_tests.closed_form import T
from cranfield.stats.reliability.discrimination import SwapRate, discriminative_power, swap_rate

P = [0.2, 0.01, 0.05, 0.8, 0.03]
DIFFERENCE = [0.04, -0.2, 0.1, 0.01, -0.03]


def test_the_share_of_pairs_that_differ() -> None:
    found = discriminative_power(P, DIFFERENCE)
    assert found.p.tolist() == [0.01, 0.03, 0.05, 0.2, 0.8]
    assert (found.pairs, found.significant, found.share) == (5, 3, 0.6)  # p ≤ level: .05 counts
    assert discriminative_power(P, DIFFERENCE, level=0.04).share == 0.4


def test_from_which_difference_on_every_pair_is_significant() -> None:
    # .03 is significant but .04 is not: from .1 on all are.
    assert discriminative_power(P, DIFFERENCE).from_here == 0.1
    assert discriminative_power(P, DIFFERENCE, level=0.9).from_here == 0.01
    assert isnan(discriminative_power([0.5, 0.01], [0.3, 0.2]).from_here)
    assert isnan(discriminative_power([0.5, 0.01], [0.3, -0.3]).from_here)  # of two that differ as much, one is not


def test_numbers_equal_as_decimals_differ_as_much() -> None:
    assert isnan(discriminative_power([0.5, 0.01], [1 / 2 - 1 / 3, 1 / 3 - 1 / 6]).from_here)
    assert isnan(discriminative_power([0.01, 0.5], [1 / 2 - 1 / 3, 1 / 3 - 1 / 6]).from_here)


def test_the_difference_required_is_the_widest_half_interval() -> None:
    assert isnan(discriminative_power(P, DIFFERENCE).needed)
    assert discriminative_power(P, DIFFERENCE, half_width=[0.05, 0.12, 0.1, 0.06, 0.02]).needed == 0.12


def test_the_difference_required_by_t_on_real_pairs() -> None:
    values = np.random.default_rng(8).beta(2, 3, size=(25, 6)) + np.linspace(0, 0.3, 6)
    pairs = Pairs.every(values)
    answer = T().compare(pairs, Asked(level=0.05))
    assert answer.low is not None
    assert answer.high is not None
    found = discriminative_power(answer.p, pairs.mean_difference, half_width=(answer.high - answer.low) / 2)
    # Critical t times the standard error, pair by pair.
    error = [np.std(values[:, b] - values[:, a], ddof=1) / 5 for a, b in combinations(range(6), 2)]
    assert found.needed == pytest.approx(stats.t.ppf(0.975, 24) * max(error))
    assert found.from_here <= found.needed
    assert 0 < found.share < 1


def test_pairs_without_a_p_value_do_not_count() -> None:
    found = discriminative_power([0.01, nan, 0.5], [0.3, nan, 0.1], half_width=[0.2, nan, 0.25])
    assert (found.pairs, found.share, found.from_here, found.needed) == (2, 0.5, 0.3, 0.25)


def test_identical_runs_are_not_told_apart() -> None:
    found = discriminative_power([1.0, 1.0], [0.0, 0.0])
    assert found.share == 0
    assert isnan(found.from_here)


def test_p_values_that_are_none_are_refused() -> None:
    with pytest.raises(ParameterError, match="differ in shape"):
        discriminative_power([0.1], [0.1, 0.2])
    with pytest.raises(ParameterError, match="differ in shape"):
        discriminative_power([0.1], [0.1], half_width=[0.1, 0.2])
    with pytest.raises(ParameterError, match="differ in shape"):
        discriminative_power([[0.1]], [[0.1]])
    with pytest.raises(ParameterError, match="not between 0 and 1"):
        discriminative_power([2.1], [0.1])
    with pytest.raises(ParameterError, match="not between 0 and 1"):
        discriminative_power([-0.1], [0.1])
    with pytest.raises(ParameterError, match="no pair with a p-value"):
        discriminative_power([nan], [0.1])
    with pytest.raises(ParameterError, match="no pair with a p-value"):
        discriminative_power([], [])


def tried(counts: list[list[int]], size: int, width: Fraction, bins: int) -> list[list[int]]:
    """Pairs, swaps and ties of the counts/20, by trying every ordered pair of disjoint sets, exactly."""
    tally = [[0] * bins for _ in range(3)]
    topics = range(len(counts))
    for one in combinations(topics, size):
        for other in combinations([topic for topic in topics if topic not in one], size):
            for a, b in combinations(range(len(counts[0])), 2):
                seen, said = (
                    Fraction(sum(counts[t][b] - counts[t][a] for t in chosen), 20 * size) for chosen in (one, other)
                )
                place = min(int(abs(seen) / width), bins - 1)
                tally[0][place] += 1
                tally[1][place] += seen * said < 0
                tally[2][place] += seen * said == 0
    return tally


@pytest.mark.parametrize(("topics", "size"), [(6, 3), (7, 3), (6, 2), (5, 1), (2, 1)])
def test_every_split_is_tried_where_there_are_few(topics: int, size: int) -> None:
    counts = np.random.default_rng(topics).integers(0, 5, (topics, 4))
    found = swap_rate(counts / 20, topics=size, width=0.05, bins=4)
    assert found.exact
    assert found.splits == comb(topics, size) * comb(topics - size, size) / 2
    expected = tried(counts.tolist(), size, Fraction(1, 20), 4)
    assert [found.pairs.tolist(), found.swaps.tolist(), found.ties.tolist()] == expected
    assert min(map(sum, expected)) > 0 or topics == 2
    assert found.topics == size


def test_half_of_the_topics_is_the_default() -> None:
    values = np.random.default_rng(0).random((7, 3))
    assert swap_rate(values).topics == 3


def test_drawn_splits_are_near_all_of_them() -> None:
    values = np.random.default_rng(4).beta(2, 3, size=(12, 5)) + np.linspace(0, 0.2, 5)
    exact = swap_rate(values, bins=6, width=0.05, draws=462)  # 12 choose 6, halved
    drawn = swap_rate(values, bins=6, width=0.05, draws=461)
    assert (exact.exact, drawn.exact) == (True, False)
    assert (exact.splits, drawn.splits) == (462, 461)
    assert drawn.pairs.sum() == 461 * 2 * comb(5, 2)
    # One split gives each pair twice, and pairs hang together: as few as one independent pair a split is assumed.
    filled = exact.pairs > 200
    error = np.sqrt(exact.rate * (1 - exact.rate) / (exact.pairs / (2 * comb(5, 2))))
    assert filled.sum() >= 4
    assert (np.abs(drawn.rate - exact.rate)[filled] <= 4 * error[filled]).all()


def test_splits_depend_on_the_seed_alone() -> None:
    values = np.random.default_rng(6).random((40, 6))
    one, again, other = (swap_rate(values, draws=100, seed=seed) for seed in (1, 1, 2))
    assert one.pairs.tolist() == again.pairs.tolist()
    assert one.swaps.tolist() == again.swaps.tolist()
    assert one.pairs.tolist() != other.pairs.tolist()


def test_more_runs_and_more_draws_keep_the_splits() -> None:
    # Runs 0 and 1 beside others that never differ: only the first bin, where nothing is swapped, gets more.
    values = np.random.default_rng(6).random((40, 2))
    same = np.column_stack([values, values[:, :1]])
    two, three = swap_rate(values, draws=100), swap_rate(same, draws=100)
    assert three.swaps.tolist() == (2 * two.swaps).tolist()
    assert three.ties[0] == two.ties[0] + 200
    assert (swap_rate(values, draws=164).pairs >= two.pairs).all()


def test_runs_that_never_differ_are_never_swapped() -> None:
    values = np.tile(np.random.default_rng(3).random((9, 1)), (1, 3))
    found = swap_rate(values)
    assert found.swaps.sum() == 0
    assert found.ties.sum() == found.pairs.sum() == found.pairs[0]
    assert found.difference() == 0


def test_runs_that_always_differ_by_the_same_are_never_swapped() -> None:
    base = np.random.default_rng(3).random((9, 1))
    found = swap_rate(base + np.array([0, 0.07]))
    assert found.pairs[7] == found.pairs.sum()  # .07/.01 is 7, whatever floats say
    assert found.rate[7] == 0
    assert np.isnan(found.rate[6])
    assert found.difference() == pytest.approx(0.07)


def test_chance_swaps_every_other_time() -> None:
    # Two runs that do not differ, and sets that are a hundredth of the topics: they know nothing of each other.
    values = np.random.default_rng(9).random((2000, 2))
    found = swap_rate(values - values.mean(axis=0), topics=20, draws=400, width=1, bins=1)
    assert abs(found.rate[0] - 0.5) < 4 * sqrt(0.25 / 400)


def binned(pairs: list[int], swaps: list[int]) -> SwapRate:
    none = np.zeros(len(pairs), dtype=np.int64)
    return SwapRate(np.arange(len(pairs)) / 10, np.array(pairs), np.array(swaps), none, topics=5, splits=9, exact=True)


def test_the_smallest_difference_that_is_rarely_swapped() -> None:
    assert binned([100, 100, 100, 100], [30, 6, 5, 0]).difference() == pytest.approx(0.2)
    assert binned([100, 100, 100, 100], [30, 6, 5, 0]).difference(0.01) == pytest.approx(0.3)
    assert binned([100, 100, 100, 100], [30, 3, 8, 0]).difference() == pytest.approx(0.3)  # once more above it
    assert binned([100, 0, 100, 0], [30, 0, 5, 0]).difference() == pytest.approx(0.2)  # empty bins say nothing
    assert isnan(binned([100, 0], [30, 0]).difference())
    assert binned([100, 100], [1, 0]).difference() == 0


def test_trec_8_needs_larger_differences_with_fewer_topics(shared_data: Path) -> None:
    # voorhees2002: the rate falls with the difference and with the number of topics.
    values = np.loadtxt(shared_data / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    small, large = (swap_rate(values, topics=size, draws=64) for size in (10, 25))
    for found in (small, large):
        assert (np.diff(found.rate) < 0.01).all()
    assert (large.rate[1:12] < small.rate[1:12]).all()
    assert large.difference() < small.difference()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"topics": 4}, "two sets of 4 topics cannot be made of 7"),
        ({"topics": 0}, "two sets of 0 topics cannot be made of 7"),
        ({"width": 0}, "bins of width 0 hold nothing"),
        ({"width": nan}, "bins of width nan hold nothing"),
        ({"bins": 0}, "0 bins are too few"),
        ({"draws": 0}, "0 draws are too few"),
    ],
)
def test_splits_that_cannot_be_made_are_refused(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        swap_rate(np.random.default_rng(0).random((7, 3)), **settings)
    assert refused.value.problem == message
    assert refused.value.hint


def test_values_that_lack_something_are_refused() -> None:
    values = np.random.default_rng(0).random((7, 3))
    with pytest.raises(ParameterError, match="too few"):
        swap_rate(values[:1])
    with pytest.raises(ParameterError, match="too few"):
        swap_rate(values[:, :1])
    values[2, 1] = nan
    with pytest.raises(ParameterError, match="no value"):
        swap_rate(values)
