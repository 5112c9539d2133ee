"""Intervals against scipy, exact enumeration and arithmetic; draws that are shared and repeat; degenerate cases."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.estimates import confidence_intervals
from cranfield.stats.estimates.confidence_intervals import (
    INTERVALS,
    BCa,
    Bootstrapped,
    Interval,
    Percentile,
    TInterval,
    resample,
)
from cranfield.stats.pair_tests.base import Asked, Pairs

NAN = float("nan")
EXACT = 1e-12
EVERY: list[Interval] = [TInterval(), Percentile(draws=500), BCa(draws=500)]
DRAWN: list[type[Bootstrapped]] = [Percentile, BCa]
bootstrap: Any = stats.bootstrap  # its stubs know neither np.mean nor draws that are given


def matrix(topics: int = 20, runs: int = 4, *, gaps: bool = False) -> NDArray[np.float64]:
    """Skewed values; with gaps, some are missing."""
    drawn = np.random.default_rng(5)
    made = drawn.beta(0.6, 2.0, (topics, runs)) + 0.03 * np.arange(runs)
    if gaps:
        made[2, 0] = made[7, 0] = made[7, 3] = NAN
    return made


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_t_is_scipys(gaps: bool, level: float) -> None:
    values = matrix(gaps=gaps)
    pairs = Pairs.every(values)
    low, high = TInterval().of(pairs, Asked(level=level))
    for i in range(len(pairs)):
        difference = values[:, pairs.b[i]] - values[:, pairs.a[i]]
        peer = stats.ttest_1samp(difference, 0, nan_policy="omit").confidence_interval(1 - level)
        assert (low[i], high[i]) == pytest.approx((peer.low, peer.high), abs=EXACT)


def test_around_is_the_interval_of_the_mean_of_each_run() -> None:
    values = matrix(gaps=True)
    low, high = TInterval().around(values, Asked())
    for run in range(values.shape[1]):
        peer = stats.ttest_1samp(values[:, run], 0, nan_policy="omit").confidence_interval(0.95)
        assert (low[run], high[run]) == pytest.approx((peer.low, peer.high), abs=EXACT)


@pytest.mark.parametrize(("interval", "method"), [(Percentile, "percentile"), (BCa, "BCa")])
@pytest.mark.parametrize("level", [0.05, 0.3])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_same_draws_give_scipys_ends(interval: type[Bootstrapped], method: str, level: float, gaps: bool) -> None:
    values = matrix(gaps=gaps)
    pairs = Pairs.every(values)
    low, high = interval(draws=999).of(pairs, Asked(level=level, seed=3))
    for i in range(len(pairs)):
        both = values[:, [pairs.a[i], pairs.b[i]]]
        both = both[~np.isnan(both).any(axis=1)]
        means = resample(both, 999, seed=3)
        drawn = SimpleNamespace(bootstrap_distribution=means[1] - means[0])
        difference = (both[:, 1] - both[:, 0],)
        options = {"n_resamples": 0, "bootstrap_result": drawn, "confidence_level": 1 - level, "method": method}
        peer = bootstrap(difference, np.mean, **options).confidence_interval
        assert (low[i], high[i]) == pytest.approx((peer.low, peer.high), abs=1e-10)


@pytest.mark.parametrize(("interval", "method"), [(Percentile, "percentile"), (BCa, "BCa")])
def test_other_draws_give_nearly_scipys_ends(interval: type[Bootstrapped], method: str) -> None:
    values = matrix(runs=1)
    found = interval().around(values, Asked())
    peer = bootstrap((values[:, 0],), np.mean, n_resamples=20_000, method=method, rng=1).confidence_interval
    # The quantile .025 of 10,000 draws is off by √(.025 · .975 / 10,000) / density: a hundredth of the width, about.
    width = peer.high - peer.low
    assert found[0][0] == pytest.approx(peer.low, abs=0.05 * width)
    assert found[1][0] == pytest.approx(peer.high, abs=0.05 * width)


@pytest.mark.parametrize("level", [0.02, 0.2, 0.6])
def test_percentile_is_that_of_all_ways_to_draw(level: float) -> None:
    row = [0.0, 0.0, 0.0, 1.0]
    every = [np.mean(drawn) for drawn in product(row, repeat=4)]  # 4⁴ = 256 ways, alike likely
    found = Percentile(draws=20_000).around(np.array(row)[:, None], Asked(level=level))
    for share, end in zip((level / 2, 1 - level / 2), found, strict=True):
        # The share lies inside of a group of equal means, more than four standard errors from its ends.
        around = {float(np.quantile(every, share + off)) for off in (-0.005, 0, 0.005)}
        assert around == {float(end[0])}


def test_draws_are_with_replacement_and_shared_by_runs() -> None:
    means = resample(np.array([[0.0, 0.0], [1.0, 2.0]]), 4000, seed=0)
    assert means[1] == pytest.approx(2 * means[0], abs=EXACT)
    # Of two topics, both draws are the first, one is each, both are the second: 1/4, 1/2, 1/4; four standard errors.
    for mean, chance in ((0.0, 0.25), (0.5, 0.5), (1.0, 0.25)):
        assert (means[0] == mean).mean() == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 4000))


@pytest.mark.parametrize("interval", DRAWN)
def test_draws_repeat_with_the_seed_and_change_with_it(interval: type[Bootstrapped]) -> None:
    pairs = Pairs.every(matrix())
    first, again, threads = (interval(draws=200).of(pairs, Asked(seed=7, threads=n)) for n in (None, 1, 2))
    other = interval(draws=200).of(pairs, Asked(seed=8))
    assert np.array_equal(first, again)
    assert np.array_equal(first, threads)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("interval", DRAWN)
def test_a_pair_has_the_same_interval_among_others_and_alone(interval: type[Bootstrapped]) -> None:
    values = matrix()
    low, high = interval(draws=300).of(Pairs.every(values), Asked())
    alone = interval(draws=300).of(Pairs.every(values[:, :2]), Asked())
    assert (low[0], high[0]) == pytest.approx((alone[0][0], alone[1][0]), abs=EXACT)


@pytest.mark.parametrize("interval", DRAWN)
def test_blocks_of_pairs_change_nothing(interval: type[Bootstrapped], monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = Pairs.every(matrix())
    whole = interval(draws=300).of(pairs, Asked())
    monkeypatch.setattr(confidence_intervals, "CELLS", 600)
    parts = interval(draws=300).of(pairs, Asked())
    assert np.array_equal(whole, parts)


def test_draws_come_in_blocks_with_streams_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    values = matrix()
    monkeypatch.setattr(confidence_intervals, "PICKS", 100 * len(values))
    means = resample(values, 250, seed=1)
    assert np.array_equal(means[:, :100], resample(values, 100, seed=1))  # the first block is the same
    assert not np.array_equal(means[:, :100], means[:, 100:200])
    assert np.isfinite(means[:, 200:]).all()


@pytest.mark.parametrize("interval", EVERY, ids=str)
def test_identical_runs_and_steady_differences_have_no_width(interval: Interval) -> None:
    first = np.random.default_rng(2).random(12)
    pairs = Pairs.every(np.column_stack([first, first, first + 0.1]))
    low, high = interval.of(pairs, Asked())
    assert (low[0], high[0]) == (0.0, 0.0)
    assert low[1:] == pytest.approx(0.1, abs=EXACT)
    assert high[1:] == pytest.approx(0.1, abs=EXACT)


@pytest.mark.parametrize("interval", EVERY, ids=str)
def test_one_topic_or_none_says_nothing(interval: Interval) -> None:
    gaps = np.array([[0.1, NAN, 0.3, NAN], [0.2, 0.3, 0.5, NAN]])
    low, high = interval.of(Pairs.every(gaps), Asked())
    there = [False, True, False, False, False, False]  # only the first and the third run share two topics
    assert (~np.isnan(low)).tolist() == there
    assert (~np.isnan(high)).tolist() == there
    single = interval.around(np.array([[0.4]]), Asked())
    assert np.isnan(single).all()


def test_bca_leans_to_the_long_tail() -> None:
    values = np.array([0.0] * 15 + [0.1, 0.2, 0.3, 0.5, 1.0])[:, None]
    plain, moved = (interval(draws=2000).around(values, Asked()) for interval in DRAWN)
    assert moved[0][0] > plain[0][0]
    assert moved[1][0] > plain[1][0]


def test_bca_stands_draws_on_one_side_only() -> None:
    # One draw lies below the mean or above it, never around it; its bias would be infinite.
    low, high = BCa(draws=1).around(matrix(runs=1), Asked())
    assert low[0] == high[0]
    assert np.isfinite(low[0])


def test_bca_beyond_its_pole_is_the_outermost_draw() -> None:
    # Skew of one value in 200 is √198: a = 14 / (6 · √200) = .17, and z at a level of 1e-12 is 7.1: 1 − a·z < 0.
    values = np.zeros((200, 1))
    values[0] = 1.0
    low, high = BCa(draws=100).around(values, Asked(level=1e-12))
    means = resample(values, 100, seed=0)[0]
    assert high[0] == means.max()
    assert means.min() <= low[0] <= means.mean()


def test_draws_are_at_least_one() -> None:
    with pytest.raises(ParameterError, match="draws=0"):
        Percentile(draws=0)


def test_names() -> None:
    assert INTERVALS.names() == ["t", "percentile", "bca"]
    assert INTERVALS["BCa"] is BCa
    assert str(Percentile(draws=100)) == "percentile(draws=100)"
