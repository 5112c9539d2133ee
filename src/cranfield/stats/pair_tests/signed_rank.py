"""Wilcoxon's signed-rank test and the exact null distribution of its statistic with ties."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Scale
from cranfield.core.types import Matrix

from .base import Answer, Asked, Pairs, PairTest, pair_test, tail
from .closed_form import NO_TOPIC, PerPair, said
from .float_ties import mid_ranks

EXACT = 50  # topics up to which the distribution is worked out exactly
MOST = 500  # topics up to which one may ask for it: a third of a second for a pair
CELLS = 300_000  # of a matrix (multiset of ranks, sum) at once: what a processor keeps near


@pair_test("signed-rank", cite="wilcoxon1945,pratt1959,kerby2014", aliases=("wilcoxon",))
class SignedRank(PairTest):
    """Wilcoxon's signed-rank test: differences ranked by size; is b ahead in as many ranks as a?

    The statistic is W+, the sum of the ranks where b is ahead; equal sizes share their mean rank. Topics without a
    difference are dropped before ranking, or ranked and then dropped (``zeros="pratt"``); ``n`` counts the topics left.
    p is exact given the ties up to 50 topics, normal with their variance above; ``exact`` asks for one of these, and
    ``continuity`` moves the normal half a rank towards the middle, as R does. The effect is rank-biserial: the share of
    the ranks where b is ahead, less the share where a is.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics are independent, and differences lie symmetrically around their median"
    use: ClassVar[str] = (
        "when a few very large differences should not decide; of skewed differences it does not test the mean"
    )
    formula: ClassVar[str] = "W+ = Σ_{d>0} rank(|d|); every sign a fair coin"
    effect: ClassVar[str] = "rank-biserial"

    zeros: Literal["drop", "pratt"] = "drop"
    exact: Literal["auto", "always", "never"] = "auto"
    continuity: bool = False

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        return Answer.join([self._answer(block) for block in pairs.blocks()])

    def _answer(self, block: Pairs) -> Answer:
        ranks = self._ranks(block.difference)
        n, none = (ranks > 0).sum(axis=1), block.topics == 0
        ahead, whole = (ranks * (block.difference > 0)).sum(axis=1), ranks.sum(axis=1)
        exact = self._exactly(n)
        lower, upper = np.ones(len(n)), np.ones(len(n))
        for chosen, tails in ((exact, exact_tails), (~exact, self._normal_tails)):
            lower[chosen], upper[chosen] = tails(ranks[chosen], ahead[chosen])
        p = tail(lower, upper, self.alternative)
        zeros = "zeros dropped" if self.zeros == "drop" else "zeros ranked, then dropped"
        return Answer(
            n=n,
            statistic=np.where(none, np.nan, ahead),
            p=np.where(none, np.nan, np.where(n == 0, 1.0, p)),
            effect=np.where(none, np.nan, (2 * ahead - whole) / np.maximum(whole, 1.0)),
            note=said(
                f"W+ is the rank sum where b is ahead; {zeros}; normal with the variance of tied ranks, "
                f"{'with' if self.continuity else 'without'} continuity",
                (none, NO_TOPIC),
                (n == 0, "identical in every topic: p is 1"),
                (exact, f"W+ is the rank sum where b is ahead; {zeros}; exact given the ties"),
            ),
        )

    def _ranks(self, difference: Matrix) -> Matrix:
        """(pair, topic): the rank of the size of each difference, 0 where there is none."""
        size = np.abs(difference)
        kept = size if self.zeros == "pratt" else np.where(size > 0, size, np.nan)
        return np.where(size > 0, mid_ranks(kept), 0.0)

    def _exactly(self, n: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(pair,): whether the distribution is worked out exactly."""
        if self.exact == "always" and n.max() > MOST:
            hint = f"it can be up to {MOST} topics; exact='auto' is up to {EXACT}, and normal above"
            raise ParameterError(f"signed-rank cannot be exact over {n.max()} topics", hint=hint)
        return n <= {"auto": EXACT, "always": MOST, "never": -1}[self.exact]

    def _normal_tails(self, ranks: Matrix, ahead: PerPair) -> tuple[PerPair, PerPair]:
        from scipy.special import ndtr

        away, step = ahead - ranks.sum(axis=1) / 2, 0.5 * self.continuity
        # A quarter of the squared mid-ranks: n(n+1)(2n+1)/24 less Σ(t³ − t)/48, and Pratt's term for ranked zeros.
        deviation = np.sqrt((ranks**2).sum(axis=1)) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return ndtr((away + step) / deviation), ndtr((step - away) / deviation)


def exact_tails(ranks: Matrix, ahead: PerPair) -> tuple[PerPair, PerPair]:
    """(pair,): the chances of a rank sum as low and as high as ``ahead`` if every rank is in it or not by a fair coin.

    The ranks may be tied, or have gaps where zeros were; 0 is no rank. Doubled they are whole numbers. The distribution
    is symmetric, so that the shorter tail is enough; pairs with the same ranks share it.
    """
    doubled = np.sort(np.rint(2 * ranks).astype(np.int32), axis=1)
    sums, whole = np.rint(2 * ahead).astype(np.int64), doubled.sum(axis=1)
    short = np.minimum(sums, whole - sums)
    shared, which = np.unique(doubled[:, doubled.any(axis=0)], axis=0, return_inverse=True)
    which = which.reshape(-1)  # numpy 2.0 gives it two axes
    reach = np.zeros(len(shared), dtype=np.int64)
    np.maximum.at(reach, which, short)
    order = np.argsort(reach)  # tails of like length together
    step = max(1, CELLS // (int(reach.max(initial=0)) + 1))
    turn = np.empty_like(order)
    turn[order] = np.arange(len(order))
    within, below = np.ones(len(ranks)), np.zeros(len(ranks))
    for start in range(0, len(order), step):
        rows = order[start : start + step]
        chances = _up_to(shared[rows], int(reach[rows[-1]]))
        pair = np.flatnonzero(turn[which] // step == start // step)
        row = turn[which[pair]] - start
        below[pair], within[pair] = chances[row, short[pair]], chances[row, short[pair] + 1]
    return np.where(sums == short, within, 1 - below), np.where(whole - sums == short, within, 1 - below)


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
