"""Wilcoxon's signed-rank test, its Hodges–Lehmann interval, and the exact null distribution with ties."""

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Scale
from cranfield.core.types import Matrix

from .base import Answer, Asked, Pairs, PairTest, check_level, pair_test, tail
from .closed_form import NO_TOPIC, PerPair, said
from .float_ties import TIE, mid_ranks, zero_within
from .walsh_averages import walsh_order_statistics

EXACT = 50  # topics up to which the distribution is worked out exactly
MOST = 500  # topics up to which one may ask for it: a third of a second for a pair
CELLS = 300_000  # of a matrix (multiset of ranks, sum) at once: what a processor keeps near


@pair_test("signed-rank", cite="wilcoxon1945,pratt1959,conover1999,kerby2014", aliases=("wilcoxon",))
class SignedRank(PairTest):
    """Wilcoxon's signed-rank test of the differences, with the Hodges–Lehmann estimate and interval.

    The statistic is W+, the sum of the ranks where b has the higher value; equal sizes share their mean rank. Topics
    without a difference are dropped before ranking, or ranked and then dropped (``zeros="pratt"``); ``n`` counts the
    topics left. p is exact given the ties up to 50 topics, normal with their variance above; ``exact`` asks for one of
    these, and ``continuity`` moves the normal half a rank towards the middle, as R does. The effect is rank-biserial:
    the share of the ranks where b has the higher value, less the share where a has.

    ``estimate`` is the median of the Walsh averages (dᵢ + dⱼ)/2, i ≤ j, of the differences that are ranked: without
    zeros by default, with them for ``zeros="pratt"``. ``low`` and ``high`` are the Walsh averages at which W+ of the
    shifted differences passes the critical value of the test: 0 lies outside where p ≤ level, and inside otherwise.
    With tied differences an end can be 0 itself where p ≤ level. A one-sided alternative has a one-sided interval, and
    its open end is NaN. Where no W+ is significant at the level, because there are too few topics, there is no finite
    interval and both ends are NaN.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics are independent, and differences lie symmetrically around their median"
    use: ClassVar[str] = (
        "when a few very large differences should not decide; of skewed differences it does not test the mean"
    )
    formula: ClassVar[str] = "W+ = Σ_{d>0} rank(|d|); every sign a fair coin"
    effect: ClassVar[str] = "rank-biserial"
    interval_of_values: ClassVar[bool] = True

    zeros: Literal["drop", "pratt"] = "drop"
    exact: Literal["auto", "always", "never"] = "auto"
    continuity: bool = False

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        check_level(asked.level)
        share = asked.level / (2 if self.alternative == "two-sided" else 1) if asked.intervals else 0.0
        return Answer.join([self._answer(block, share) for block in pairs.blocks()])

    def _answer(self, block: Pairs, share: float) -> Answer:
        ranks = self._ranks(block)
        n, none = (ranks > 0).sum(axis=1), block.topics == 0
        ahead, whole = (ranks * (block.difference > 0)).sum(axis=1), ranks.sum(axis=1)
        exact = self._exactly(n)
        lower, upper, critical = np.ones(len(n)), np.ones(len(n)), np.full(len(n), -1.0)
        for chosen, tails in ((exact, exact_tails), (~exact, self._normal_tails)):
            lower[chosen], upper[chosen], critical[chosen] = tails(ranks[chosen], ahead[chosen], share)
        interval = self._interval(block, ranks, critical) if share else (None, None, None)
        estimate, low, high = interval
        zeros = "zeros dropped" if self.zeros == "drop" else "zeros ranked, then dropped"
        continuity = f"{'with' if self.continuity else 'without'} continuity"
        rank_sum = f"W+ is the rank sum where b has the higher value; {zeros}; "
        too_few = "; too few topics for a finite interval" if share else ""
        return Answer(
            n=n,
            statistic=np.where(none, np.nan, ahead),
            p=np.where(none, np.nan, np.where(n == 0, 1.0, tail(lower, upper, self.alternative))),
            effect=np.where(none, np.nan, (2 * ahead - whole) / np.maximum(whole, 1.0)),
            note=said(
                f"{rank_sum}normal with the variance of tied ranks, {continuity}",
                (none, NO_TOPIC),
                (n == 0, "identical in every topic: p is 1"),
                (exact & (critical < 0), f"{rank_sum}exact given the ties{too_few}"),
                (exact, f"{rank_sum}exact given the ties"),
                (critical < 0, f"{rank_sum}normal with the variance of tied ranks, {continuity}{too_few}"),
            ),
            low=low,
            high=high,
            estimate=estimate,
        )

    def _interval(self, block: Pairs, ranks: Matrix, critical: PerPair) -> tuple[PerPair, PerPair, PerPair]:
        """Return the Hodges–Lehmann estimate and the ends of its interval from the critical values of W+.

        The number of Walsh averages above 0, half of those at 0 included, is W+; ranked zeros add half of the averages
        among them. So c averages lie beyond each end of the interval if c is the largest W+ that is significant.
        """
        difference, rounding = block.difference, TIE * np.nan_to_num(block.scale).max(axis=1, initial=0.0)
        there = (ranks > 0) | ((difference == 0) & (self.zeros == "pratt"))
        m, zeros = there.sum(axis=1), (there & (difference == 0)).sum(axis=1)
        last = m * (m + 1) // 2 - 1
        beyond = np.where(critical < 0, -1, np.floor(critical + zeros * (zeros + 1) / 4)).astype(np.int64)
        wanted = np.stack([beyond, np.where(beyond < 0, -1, last - beyond), last // 2, (last + 1) // 2], axis=1)
        wanted[(ranks == 0).all(axis=1)] = -1
        averages = walsh_order_statistics(np.where(there, difference, np.nan), wanted)
        same = (difference == 0).any(axis=1) & (ranks == 0).all(axis=1)
        # dᵢ + dⱼ of two tied differences with opposite signs is 0 here too.
        low, high, estimate = (
            np.where(same, 0.0, zero_within(2 * average, rounding) / 2)
            for average in (averages[:, 0], averages[:, 1], averages[:, 2:].mean(axis=1))
        )
        none = np.full(len(m), np.nan)
        return estimate, none if self.alternative == "less" else low, none if self.alternative == "greater" else high

    def _ranks(self, block: Pairs) -> Matrix:
        """(pair, topic): the rank of the size of each difference, 0 where there is none."""
        size = np.abs(block.difference)
        ranked = size if self.zeros == "pratt" else np.where(size > 0, size, np.nan)
        return np.where(size > 0, mid_ranks(ranked, block.scale), 0.0)

    def _exactly(self, n: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(pair,): whether the distribution is worked out exactly."""
        if self.exact == "always" and n.max() > MOST:
            hint = f"it can be up to {MOST} topics; exact='auto' is up to {EXACT}, and normal above"
            raise ParameterError(f"signed-rank cannot be exact over {n.max()} topics", hint=hint)
        return n <= {"auto": EXACT, "always": MOST, "never": -1}[self.exact]

    def _normal_tails(self, ranks: Matrix, ahead: PerPair, share: float) -> tuple[PerPair, PerPair, PerPair]:
        """Return both tails of the normal distribution, and the largest W+ whose lower tail is at most ``share``."""
        from scipy.special import ndtr, ndtri

        middle, step = ranks.sum(axis=1) / 2, 0.5 * self.continuity
        # A quarter of the squared mid-ranks: n(n+1)(2n+1)/24 less Σ(t³ − t)/48, and Pratt's term for ranked zeros.
        deviation = np.sqrt((ranks**2).sum(axis=1)) / 2

        def lower(sums: PerPair) -> PerPair:
            with np.errstate(invalid="ignore", divide="ignore"):
                return ndtr((sums - middle + step) / deviation)

        if not share:
            return lower(ahead), lower(2 * middle - ahead), np.full(len(ahead), -1.0)
        nearest = np.floor(2 * (middle - step + ndtri(share) * deviation)) / 2  # rank sums are multiples of one half
        # The same comparison as that of p decides, so that rounding cannot separate the two.
        fits = [lower(nearest + 0.5) <= share, lower(nearest) <= share]
        critical = np.select(fits, [nearest + 0.5, nearest], nearest - 0.5)
        return lower(ahead), lower(2 * middle - ahead), np.where(critical < 0, -1.0, critical)


def exact_tails(ranks: Matrix, ahead: PerPair, share: float = 0.0) -> tuple[PerPair, PerPair, PerPair]:
    """Return the chances of a rank sum as low and as high as ``ahead`` if a fair coin decides for every rank.

    The third array is the largest sum whose lower tail is at most ``share``, −1 where there is none. It is computed
    only where ``share`` is not 0. The ranks may be tied, or have gaps where zeros were; 0 is no rank. Doubled ranks are
    integers. The distribution is symmetric, so the shorter tail is enough; pairs with the same ranks share it.
    """
    doubled = np.sort(np.rint(2 * ranks).astype(np.int32), axis=1)
    sums, whole = np.rint(2 * ahead).astype(np.int64), doubled.sum(axis=1)
    short = np.minimum(sums, whole - sums)
    within, below, critical = np.ones(len(ranks)), np.zeros(len(ranks)), np.full(len(ranks), -1.0)
    reach = short if not share else whole // 2 if share < 0.5 else whole
    for pair, row, chances in _distributions(doubled, reach):
        below[pair], within[pair] = chances[row, short[pair]], chances[row, short[pair] + 1]
        if share:
            critical[pair] = ((chances[:, 1:] <= share).sum(axis=1) / 2 - 0.5)[row]
    critical = np.where(critical < 0, -1.0, critical)
    return np.where(sums == short, within, 1 - below), np.where(whole - sums == short, within, 1 - below), critical


def _distributions(
    doubled: NDArray[np.int32], reach: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Matrix]]:
    """Yield pairs, the row of each in a matrix, and this matrix (row, sum): the chance of less than 0, 1, … .

    Each pair has the chances up to its ``reach``.
    """
    shared, which = np.unique(doubled[:, doubled.any(axis=0)], axis=0, return_inverse=True)
    which = which.reshape(-1)  # numpy 2.0 gives it two axes
    farthest = np.zeros(len(shared), dtype=np.int64)
    np.maximum.at(farthest, which, reach)
    order = np.argsort(farthest)  # tails of like length together
    step = max(1, CELLS // (int(farthest.max(initial=0)) + 1))
    turn = np.empty_like(order)
    turn[order] = np.arange(len(order))
    for start in range(0, len(order), step):
        rows = order[start : start + step]
        pair = np.flatnonzero(turn[which] // step == start // step)
        yield pair, turn[which[pair]] - start, _up_to(shared[rows], int(farthest[rows[-1]]))


def _up_to(ranks: NDArray[np.int32], reach: int) -> Matrix:
    """(row, sum): the chance that the ranks drawn by a fair coin add up to less than 0, 1, … reach + 1.

    One rank after the other, ascending: half of what stood at a sum stays there, half moves up by the rank. All is a
    multiple of 2^−n, so that up to 52 ranks not one bit is rounded.
    """
    moves = np.minimum(ranks, reach + 1)  # what moves beyond is not asked for
    edge = int(moves.max(initial=0))  # zeros to the left, from where nothing comes
    chance = np.zeros((len(ranks), edge + reach + 1))
    chance[:, edge] = 1.0
    place = np.arange(chance.size).reshape(chance.shape)[:, edge:]
    highest = np.minimum(moves.cumsum(axis=1).max(axis=0), reach)
    for rank in range(ranks.shape[1]):
        reached = slice(edge, edge + int(highest[rank]) + 1)
        chance[:, reached] += chance.take(place[:, : int(highest[rank]) + 1] - moves[:, rank, None])
        chance[:, reached] /= 2
    below = np.zeros((len(ranks), reach + 2))
    np.cumsum(chance[:, edge:], axis=1, out=below[:, 1:])
    return below
