"""Pair tests with a closed formula: paired t, sign, rank-sum and two one-sided t (equivalence)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Scale
from cranfield.core.catalogue import Limits, Positive
from cranfield.core.types import Matrix
from cranfield.stats.estimates.moments import Moments

from .base import Alternative, Answer, Asked, Pairs, PairTest, check_level, pair_test, tail
from .float_ties import SUM_ERROR, TIE, mid_ranks, quotient, tie_sizes, zero_within

PerPair: TypeAlias = NDArray[np.float64]  # (pair,)

NO_TOPIC = "no topic in which both have a value"


def said(usual: str, *exceptions: tuple[NDArray[np.bool_], str]) -> tuple[str, ...]:
    """The usual note once, or one for each pair where an exception holds for some of them; the first one counts."""
    if not any(holds.any() for holds, _ in exceptions):
        return (usual,)
    return tuple(np.select([holds for holds, _ in exceptions], [text for _, text in exceptions], usual).tolist())


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and standard deviation of the differences of each pair, over the topics in which both have a value."""

    n: NDArray[np.int64]
    mean: PerPair  # NaN without a topic
    deviation: PerPair  # exactly 0 where all differences are equal as numbers; NaN for fewer than two topics

    @classmethod
    def of(cls, pairs: Pairs) -> "Spread":
        """The spread behind every pair."""
        found = [Moments.of(block.difference, block.scale) for block in pairs.blocks()]
        mean, deviation = (np.concatenate([getattr(one, name) for one in found]) for name in ("mean", "sd"))
        return cls(pairs.topics, mean, deviation)

    @property
    def error(self) -> PerPair:
        """The standard error of the mean."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.deviation / np.sqrt(self.n)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Whether every topic has the same difference, and there is more than one."""
        return self.deviation == 0

    @property
    def d_z(self) -> PerPair:
        """Mean over deviation: 0 where the mean is, infinite where all differences are equal otherwise."""
        return quotient(self.mean, self.deviation)

    def interval(self, chance: float) -> tuple[PerPair, PerPair]:
        """The mean of the differences less and plus its error times the ``chance`` quantile of t."""
        from scipy.special import stdtrit

        half = stdtrit(self.n - 1, chance) * self.error
        return self.mean - half, self.mean + half


@pair_test("t", cite="student1908,cohen1988", aliases=("t-test", "student"))
class T(PairTest):
    """Student's paired t: the mean difference, in units of its standard error.

    ``low`` and ``high`` enclose the mean difference with confidence 1 − level; a one-sided alternative has a one-sided
    interval, and its open end is NaN. Where every topic has the same difference, and it is not 0, t is infinite and p
    is 0; one topic has no p.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics are independent, and the mean difference is near to normal: many topics make it so"
    use: ClassVar[str] = "to compare means; the usual first choice from 25 topics up"
    formula: ClassVar[str] = "t = mean(d) / (s(d) / √n), n − 1 degrees of freedom"
    effect: ClassVar[str] = "d_z"
    interval_of_values: ClassVar[bool] = True

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        from scipy.special import stdtr

        spread = Spread.of(pairs)
        n, mean = spread.n, spread.mean
        statistic = quotient(mean, spread.error)
        freedom = (n - 1).astype(float)
        p = tail(stdtr(freedom, statistic), stdtr(freedom, -statistic), self.alternative)
        identical = (mean == 0) & (spread.constant | (n == 1))
        low, high = spread.interval(1 - asked.level / (2 if self.alternative == "two-sided" else 1))
        return Answer(
            n=n,
            statistic=statistic,
            p=np.where(identical, 1.0, p),
            effect=spread.d_z,
            note=said(
                "paired t, n − 1 degrees of freedom",
                (n == 0, NO_TOPIC),
                (identical, "identical in every topic: p is 1"),
                (n == 1, "one topic has no spread: there is no p"),
                (spread.constant, "the same difference in every topic: t is infinite"),
            ),
            low=np.full_like(low, np.nan) if self.alternative == "less" else low,
            high=np.full_like(high, np.nan) if self.alternative == "greater" else high,
        )


def sign_interval(
    wins: NDArray[np.int64],
    losses: NDArray[np.int64],
    topics: NDArray[np.int64],
    level: float,
    alternative: Alternative = "two-sided",
) -> tuple[PerPair, PerPair, PerPair]:
    """Return the estimate (wins − losses) / topics and the ends of its interval, which belong to the sign test.

    With π the chance that a topic that is not equal is a win, the ends are (2π − 1) · (wins + losses) / topics at the
    Clopper–Pearson limits of π. So 0 lies outside where the exact binomial p ≤ level, and inside otherwise.

    Parameters
    ----------
    wins, losses
        The topics in which b has the higher value, and those in which a has.
    topics
        All topics in which both have a value, equal ones included.
    level
        The interval has confidence 1 − level.
    alternative
        With "greater" or "less" the interval is one-sided, and its open end is NaN.

    Returns
    -------
    The estimate, the low end and the high end. Both ends are NaN where no topic is won or lost.

    Examples
    --------
    >>> [float(end.round(3)) for end in sign_interval(np.array(8), np.array(2), np.array(20), 0.05)]
    [0.3, -0.056, 0.475]
    """
    from scipy.special import betaincinv

    check_level(level)
    share = level / (2 if alternative == "two-sided" else 1)
    uneven = wins + losses
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(uneven > 0, uneven / topics, np.nan)
        estimate = np.where(topics > 0, (wins - losses) / topics, np.nan)
    lowest = np.where(wins > 0, betaincinv(np.maximum(wins, 1), losses + 1, share), 0.0)
    highest = np.where(losses > 0, betaincinv(wins + 1, np.maximum(losses, 1), 1 - share), 1.0)
    low = np.where(alternative == "less", np.nan, (2 * lowest - 1) * scale)
    high = np.where(alternative == "greater", np.nan, (2 * highest - 1) * scale)
    return estimate, low, high


@pair_test("sign", cite="conover1999", aliases=("sign-test",))
class Sign(PairTest):
    """Sign test: in how many topics b has the higher value, against a fair coin; topics with equal values are left out.

    ``n`` counts the topics left. Differences up to ``margin`` count as equal, which only interval numbers allow. The
    effect is the share of the topics left in which b has the higher value, one half where none is left. ``estimate``,
    ``low`` and ``high`` are those of :func:`sign_interval`: the proportion of all topics in which b has the higher
    value, less the proportion in which a has.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "topics are independent; nothing of the size of differences"
    use: ClassVar[str] = "for ordinal numbers, or when only the order of the two values in a topic matters"
    formula: ClassVar[str] = "P(X ≥ wins of b), X ~ Binomial(n, 1/2)"
    effect: ClassVar[str] = "share"

    margin: Annotated[float, Limits(0)] = 0.0

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        return Answer.join([self._answer(block, asked.level) for block in pairs.blocks()])

    def _answer(self, block: Pairs, level: float) -> Answer:
        from scipy.special import bdtr

        wins, losses = ((self._sign(block) == side).sum(axis=1) for side in (1, -1))
        n, none = wins + losses, block.topics == 0
        p = tail(bdtr(wins, n, 0.5), bdtr(losses, n, 0.5), self.alternative)  # b wins ≥ w times: a wins ≤ n − w times
        estimate, low, high = sign_interval(wins, losses, block.topics, level, self.alternative)
        ties = f"differences up to {self.margin:g}" if self.margin else "equal topics"
        return Answer(
            n=n,
            statistic=np.where(none, np.nan, wins),
            p=np.where(none, np.nan, p),
            effect=np.where(none, np.nan, np.where(n == 0, 0.5, wins / np.maximum(n, 1))),
            note=said(
                f"exact binomial of the topics in which b has the higher value, without {ties}",
                (none, NO_TOPIC),
                (n == 0, f"no topic is left without {ties}: p is 1"),
            ),
            low=low,
            high=high,
            estimate=estimate,
        )

    def _sign(self, block: Pairs) -> Matrix:
        if not self.margin:
            return block.sign
        beyond = np.abs(block.difference) - self.margin > TIE * np.maximum(block.scale, self.margin)
        return np.where(beyond, np.sign(block.difference), 0.0)


@pair_test("rank-sum", cite="mannwhitney1947,cliff1993", aliases=("mann-whitney", "ranksum"))
class RankSum(PairTest):
    """Rank-sum test of Wilcoxon, Mann and Whitney: does b's value exceed a's, topics drawn for each by itself?

    The statistic is U of b: over all n² pairs of a topic for a and a topic for b, how often b's value is the higher
    one, equal values counting one half. Which values belong to the same topic is ignored. p comes from the normal
    distribution corrected for ties, with ``continuity`` half a step towards the middle.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "two independent samples of topics; on the same topics it is cautious, and finds less"
    use: ClassVar[str] = "when the runs saw different topics, or to compare whole distributions of ordinal values"
    formula: ClassVar[str] = "z = (U − n²/2 ∓ 1/2) / √(n²/12 · (2n + 1 − Σ(t³ − t) / (2n(2n − 1))))"
    effect: ClassVar[str] = "Cliff's δ"

    continuity: bool = True

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        return Answer.join([self._answer(block) for block in pairs.blocks()])

    def _answer(self, block: Pairs) -> Answer:
        from scipy.special import ndtr

        n, none = block.topics, block.topics == 0
        identical = ~(block.difference != 0).any(axis=1, where=~np.isnan(block.difference))
        ranks = _pooled_ranks(block)
        half = ranks.shape[1] // 2
        u = np.nansum(ranks[:, half:], axis=1) - n * (n + 1) / 2
        away, step = u - n**2 / 2, 0.5 * self.continuity
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.sqrt(n**2 / 12 * (2 * n + 1 - tie_sizes(ranks) / (2 * n * (2 * n - 1))))
            p = tail(ndtr((away + step) / deviation), ndtr((step - away) / deviation), self.alternative)
            effect = 2 * u / n**2 - 1
        return Answer(
            n=n,
            statistic=np.where(none, np.nan, u),
            p=np.where(none, np.nan, np.where(identical, 1.0, p)),
            effect=effect,
            note=said(
                f"U of b, normal corrected for ties, {'with' if self.continuity else 'without'} continuity",
                (none, NO_TOPIC),
                (identical, "identical in every topic: p is 1"),
            ),
        )


def _pooled_ranks(block: Pairs) -> Matrix:
    """(pair, 2 · topic): ranks of the values of a, then of b, among those of both; NaN where one has no value."""
    a, b = block.values[:, block.a].T, block.values[:, block.b].T
    gone = np.isnan(a) | np.isnan(b)
    return mid_ranks(np.concatenate([np.where(gone, np.nan, a), np.where(gone, np.nan, b)], axis=1))


@pair_test("tost", cite="schuirmann1987,sparckjones1974", aliases=("equivalence",))
class Equivalence(PairTest):
    """Two one-sided t tests: is the mean difference closer to 0 than ``margin``? A small p says: equivalent.

    p is the larger one of the two tests against −margin and +margin, and the statistic is its t; ``low`` and ``high``
    enclose the mean difference with confidence 1 − 2 · level, and lie within the margin where p < level.

    What is small enough not to matter is for the user to say. The default of 0.05 is the rule of the field for values
    between 0 and 1: below five points, a difference is not even noticeable (sparckjones1974); for measures with another
    range it means nothing. Identical runs are as equivalent as can be: p is 0 from two topics up.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics are independent, and the mean difference is near to normal: many topics make it so"
    use: ClassVar[str] = "to show that two runs are the same for all purposes: a large p of another test does not"
    formula: ClassVar[str] = "max of P(T ≥ (mean(d) + margin) / (s(d)/√n)) and P(T ≤ (mean(d) − margin) / (s(d)/√n))"
    effect: ClassVar[str] = "d_z"
    equivalence: ClassVar[bool] = True  # a small p speaks for sameness, not for a difference

    margin: Positive = 0.05

    def __post_init__(self) -> None:
        if self.alternative != "two-sided":
            hint = "it always looks at both ends of the margin: leave alternative out"
            raise ParameterError(f"tost cannot have alternative={self.alternative!r}", hint=hint)

    def check(self, level: float) -> None:
        if not 0 < level < 0.5:
            hint = "its interval has confidence 1 − 2 · level: give a level between 0 and 0.5"
            raise ParameterError(f"tost cannot be asked at level {level:g}", hint=hint)

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        from scipy.special import stdtr

        self.check(asked.level)
        spread = Spread.of(pairs)
        # The end nearer to the mean has the larger p; how far the mean lies inside of it counts as positive.
        inside = zero_within(self.margin - np.abs(spread.mean), SUM_ERROR * self.margin)
        ahead = np.where(spread.mean > 0, -1.0, 1.0)
        distance = quotient(inside, spread.error)
        p = np.where(spread.constant & (inside == 0), 1.0, stdtr(spread.n - 1, -distance))
        low, high = spread.interval(1 - asked.level)
        within = f"of a mean difference within ±{self.margin:g}"
        return Answer(
            n=spread.n,
            statistic=np.where(spread.n < 2, np.nan, ahead * distance),
            p=p,
            effect=spread.d_z,
            note=said(
                f"small p is evidence {within}; two one-sided t, n − 1 degrees of freedom",
                (spread.n == 0, NO_TOPIC),
                (spread.n == 1, "one topic has no spread: there is no p"),
                (
                    spread.constant,
                    f"the same difference in every topic: p is 0 within ±{self.margin:g}, and 1 otherwise",
                ),
            ),
            low=low,
            high=high,
        )
