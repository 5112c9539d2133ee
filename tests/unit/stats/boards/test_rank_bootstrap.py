"""Ranks under other topics: against every resample there is, counted one by one, and against chance."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import sqrt
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.stats import RankStability, rank_stability
from tests.support.run_size import Size

HALF = Fraction(1, 2)
# Tenths and fifths: many resamples tie two runs or three, and floats would not see it.
TIED = [["1/10", "1/5", "3/10"], ["3/10", "1/5", "1/10"], ["2/5", "2/5", "2/5"], ["0", "1/5", "1/10"]]
TINY_BOARDS = {
    "one topic": [["1/2", "1/3", "1/2"]],
    "two runs": [["1/2", "1/3"], ["1/3", "1/2"], ["1/6", "1/7"]],
    "ties": TIED,
    "all equal": [["1/3", "1/3", "1/3"]] * 3,
    "one run": [["1/2"], ["1/3"]],
    "thirds": [["1/2", "1/3", "1/6", "1/3"], ["1/3", "1/6", "1/2", "1/3"], ["1/6", "1/2", "1/3", "1/3"]],
}


def numbers(board: Sequence[Sequence[str]]) -> Any:
    return np.array([[float(Fraction(cell)) for cell in row] for row in board])


def counted(board: Sequence[Sequence[str]]) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Shares of ranks and of who is above, from all nⁿ resamples in exact arithmetic."""
    rows = [[Fraction(cell) for cell in row] for row in board]
    n, runs = len(rows), range(len(rows[0]))
    share = [[Fraction(0)] * len(runs) for _ in runs]
    above = [[Fraction(0)] * len(runs) for _ in runs]
    for drawn in product(range(n), repeat=n):
        sums = [sum((rows[topic][run] for topic in drawn), Fraction(0)) for run in runs]
        for run in runs:
            better = sum(other > sums[run] for other in sums)
            equal = sum(other == sums[run] for other in sums)
            for rank in range(better, better + equal):
                share[run][rank] += Fraction(1, equal * n**n)
            for other in runs:
                won = Fraction(sums[run] > sums[other]) + HALF * (sums[run] == sums[other])
                above[run][other] += won / n**n
    return share, above


def floats(matrix: Sequence[Sequence[Fraction]]) -> Any:
    return np.array([[float(cell) for cell in row] for row in matrix])


@pytest.mark.parametrize("board", TINY_BOARDS.values(), ids=TINY_BOARDS)
def test_all_resamples_of_few_topics_are_counted(board: list[list[str]]) -> None:
    found = rank_stability(numbers(board))
    share, above = counted(board)
    assert found.exact
    assert (found.draws, found.topics) == (len(board) ** len(board), len(board))
    np.testing.assert_allclose(found.share, floats(share), atol=1e-15)
    np.testing.assert_allclose(found.above, floats(above), atol=1e-15)
    mean = [sum(rank * part for rank, part in enumerate(row, 1)) for row in share]
    np.testing.assert_allclose(found.mean_rank, [float(rank) for rank in mean])
    assert found.p_first.tolist() == found.share[:, 0].tolist()


def test_where_lower_is_better_the_order_is_the_other_way_round() -> None:
    up, down = rank_stability(numbers(TIED)), rank_stability(numbers(TIED), lower_is_better=True)
    np.testing.assert_allclose(down.share, up.share[:, ::-1], atol=1e-15)
    np.testing.assert_allclose(down.above, up.above.T, atol=1e-15)
    assert not np.allclose(down.share, up.share)


@pytest.mark.parametrize(("draws", "exact"), [(34, False), (35, True)])  # of 4 topics there are (7 choose 4) = 35
def test_all_are_counted_where_they_are_no_more_than_the_draws(draws: int, exact: bool) -> None:
    found = rank_stability(numbers(TIED), draws=draws)
    assert found.exact is exact
    assert found.draws == (4**4 if exact else draws)


def simulated(topics: int, runs: int, seed: int = 3) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(topics, 1)) + np.linspace(0, 0.5, runs) + rng.normal(size=(topics, runs))


def test_draws_agree_with_all_resamples(size: Size) -> None:
    values = simulated(6, 5)
    exact = rank_stability(values, draws=1000)  # (11 choose 6) = 462 of them
    drawn = rank_stability(values, draws=461, seed=1)
    assert exact.exact
    assert not drawn.exact
    number = max(size.draws, 461)
    # Many seeds of 461 draws are one long sequence of draws.
    seeds = range(-(-number // 461))
    parts = [rank_stability(values, draws=461, seed=seed) for seed in seeds]
    for name in ("share", "above"):
        truth = getattr(exact, name)
        mean = np.mean([getattr(part, name) for part in parts], axis=0)
        error = np.sqrt(truth * (1 - truth) / (461 * len(parts)))
        assert (np.abs(mean - truth) <= 5 * error + 1e-12).all()  # 1 in 1.7 million, for each of 50 numbers


def test_every_rank_is_taken_and_every_run_has_one() -> None:
    rounded = np.round(simulated(30, 12), 1)  # full of ties
    for values in (simulated(30, 12), rounded, np.zeros((30, 12))):
        found = rank_stability(values, draws=700)
        np.testing.assert_allclose(found.share.sum(axis=0), 1)
        np.testing.assert_allclose(found.share.sum(axis=1), 1)
        np.testing.assert_allclose(found.above + found.above.T, 1)
        np.testing.assert_allclose(np.diag(found.above), 0.5)
        # A run's rank is 1, and 1 more for every run above it.
        np.testing.assert_allclose(found.mean_rank, 0.5 + found.above.sum(axis=0))


def test_equal_runs_share_their_ranks_equally() -> None:
    base = simulated(40, 3)
    found = rank_stability(base[:, [0, 1, 1, 1, 2]], draws=500)
    np.testing.assert_array_equal(found.share[1], found.share[2])
    np.testing.assert_array_equal(found.share[1], found.share[3])
    assert found.above[1, 2] == found.above[3, 1] == 0.5


def test_sums_that_are_equal_as_decimals_tie() -> None:
    # .1 + .2 and .3 + 0 differ as floats; so do their sums over resamples.
    values = np.tile([[0.1, 0.3], [0.2, 0.0]], (20, 1))
    found = rank_stability(values, draws=2000)
    tied = rank_stability(values * 1000, draws=2000)  # whole numbers: floats are exact
    np.testing.assert_array_equal(found.share, tied.share)
    np.testing.assert_array_equal(found.above, tied.above)
    large = rank_stability(values * 3e8, draws=2000)  # what is equal depends on the size of the values
    np.testing.assert_array_equal(large.share, found.share)


@pytest.mark.parametrize("topics", [8, 25])
def test_the_answer_is_the_same_on_one_thread_or_two(topics: int) -> None:
    values = np.round(simulated(topics, 9), 1)
    one, two, again = (rank_stability(values, threads=threads) for threads in (1, 2, 2))
    for name in ("share", "above", "mean_rank"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        np.testing.assert_array_equal(getattr(two, name), getattr(again, name))


def test_the_seed_decides() -> None:
    values = simulated(25, 6)
    assert (rank_stability(values, seed=1).share != rank_stability(values, seed=2).share).any()


def test_a_run_that_is_best_in_every_topic_is_always_first() -> None:
    values = simulated(60, 8)
    values[:, 3] = values.max(axis=1) + 0.01
    found = rank_stability(values, draws=3000)
    assert found.p_first[3] == 1
    assert found.mean_rank[3] == 1
    assert found.p_first.sum() == 1
    low, high = found.interval(0.05)
    assert (low[3], high[3]) == (1, 1)
    assert (found.above[3][[run for run in range(8) if run != 3]] == 1).all()


def test_close_runs_swap_as_often_as_the_normal_curve_says() -> None:
    # Differences with mean d and deviation s over n topics: the mean of a resample is above 0 with chance Φ(d√n / s).
    n, rng = 400, np.random.default_rng(5)
    difference = rng.normal(size=n)
    difference = (difference - difference.mean()) / difference.std()
    base = rng.normal(size=n)
    for z, chance in ((0.0, 0.5), (0.604, 0.727), (1.353, 0.912)):  # the shares of craswell2021msmarco Tables 1 and 2
        found = rank_stability(np.stack([base, base + difference + z / sqrt(n)], axis=1))
        error = sqrt(chance * (1 - chance) / 10_000)
        assert found.p_first[1] == pytest.approx(chance, abs=5 * error + 0.005)  # skewness: about 1/(6√n)
        assert found.above[1, 0] == pytest.approx(found.p_first[1])


def test_where_few_topics_tell_runs_apart_ranks_spread() -> None:
    # As on a public board of many topics beside a private one of few.
    values = simulated(600, 20)
    values[:, 0] -= 0.6  # a baseline, ten standard errors (√2 / √600) below the others
    many, few = rank_stability(values, draws=1000), rank_stability(values[:45], draws=1000)
    widths = [high - low for low, high in (many.interval(), few.interval())]
    assert widths[0].mean() < 0.6 * widths[1].mean()
    assert many.share[0, -1] == 1  # as the baseline of craswell2021msmarco §3.1, last in all of 1,000 draws
    assert few.share[0, -1] < 1


def board_of(shares: Sequence[float]) -> RankStability:
    """Of a first run with these shares; the others do not matter."""
    share = np.zeros((len(shares), len(shares)))
    share[0] = shares
    share[1:, 0] = 1
    return RankStability(share, share, share[0], draws=1000, exact=False, topics=10)


@pytest.mark.parametrize(
    ("shares", "level", "ends"),
    [
        ([0.727, 0.254, 0.019, 0, 0], 0.05, (1, 2)),  # the first run of craswell2021msmarco Table 1
        ([0.727, 0.254, 0.019, 0, 0], 0.03, (1, 3)),
        ([0, 0, 1, 0], 0.05, (3, 3)),
        ([0.025, 0.95, 0.025], 0.05, (1, 3)),  # just as much as may be cut off is not
        ([0.024, 0.952, 0.024], 0.05, (2, 2)),
        ([0.01, 0.02, 0.94, 0.02, 0.01], 0.05, (2, 4)),
        ([0.1] * 10, 0.2, (1, 10)),  # ten times .1 is less than 1 in floats
    ],
)
def test_the_interval_of_ranks(shares: list[float], level: float, ends: tuple[int, int]) -> None:
    low, high = board_of(shares).interval(level)
    assert (low[0], high[0]) == ends


def test_the_interval_holds_what_the_level_asks() -> None:
    found = rank_stability(simulated(30, 15), draws=1000)
    for level in (0.01, 0.05, 0.5):
        low, high = found.interval(level)
        inside = [found.share[run, low[run] - 1 : high[run]].sum() for run in range(15)]
        assert min(inside) >= 1 - level - 1e-9
        mirrored = RankStability(found.share[:, ::-1], found.above, found.mean_rank, draws=1000, exact=False, topics=30)
        back = mirrored.interval(level)
        np.testing.assert_array_equal(16 - back[1], low)
        np.testing.assert_array_equal(16 - back[0], high)


def test_topics_without_a_value_are_left_out() -> None:
    values = simulated(12, 4)
    holed = np.insert(values, [3, 7], np.nan, axis=0)
    holed[3, 0] = 9.0
    found, whole = rank_stability(holed), rank_stability(values)
    assert found.topics == 12
    np.testing.assert_array_equal(found.share, whole.share)


def test_many_runs_and_progress() -> None:
    seen: list[tuple[int, int]] = []
    values = simulated(30, 300)  # ranks need more than a byte
    found = rank_stability(values, draws=600, progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (3, 3)
    assert all(a[0] < b[0] for a, b in pairwise(seen))
    np.testing.assert_allclose(found.share.sum(axis=0), 1)
    np.testing.assert_allclose(found.mean_rank, 0.5 + found.above.sum(axis=0))


@pytest.mark.parametrize(
    ("values", "options", "match"),
    [
        (np.zeros(3), {}, "shape 3 cannot be ranked"),
        (np.zeros((0, 3)), {}, "0 × 3 cannot be ranked"),
        (np.zeros((3, 0)), {}, "3 × 0 cannot be ranked"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), {}, "no topic in which every run has a value"),
        (np.zeros((3, 2)), {"draws": 0}, "0 draws are too few"),
        (np.zeros((30, 2)), {"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_ranked_is_refused(values: Any, options: dict[str, int], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        rank_stability(values, **options)  # type: ignore[arg-type]  # as people may give them


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="level"):
        rank_stability(np.zeros((3, 2))).interval(0)
