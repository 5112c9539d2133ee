"""Confidence intervals of means and of differences of means: Student's t, percentile bootstrap and BCa."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Limits, Scale, generator
from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.base import Asked, Method, Pairs
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, zero_within

from .moments import Moments

Ends: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]  # low and high

PICKS = 500_000  # topics drawn at once
CELLS = 2_000_000  # of a matrix (pair, draw) that is sorted at once: 16 MB


class Interval(Method):
    """Between what ends a mean lies, but for one case in twenty at a level of .05; NaN where one topic is all."""

    family: ClassVar[str] = "interval"
    requires: ClassVar[Scale] = Scale.INTERVAL
    test: ClassVar[str]  # the pair test next to whose p-value it may stand

    @abstractmethod
    def of(self, pairs: Pairs, asked: Asked) -> Ends:
        """(pair,): low and high of the mean difference. Identical runs have 0 and 0."""

    def around(self, values: Matrix, asked: Asked) -> Ends:
        """(run,): low and high of the mean of each run."""
        nothing = np.zeros((len(values), 1))
        return self.of(Pairs.against(np.hstack([nothing, values]), 0), asked)


INTERVALS: Catalogue[Interval] = Catalogue("interval", see="`cranfield tests` lists them")
I = TypeVar("I", bound=Interval)  # noqa: E741  # as in interval


def interval(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[I]], type[I]]:
    """Give an interval its name and its source, and list it."""
    return INTERVALS.declare(name, cite=cite, aliases=aliases)


@interval("t", cite="student1908", aliases=("student",))
class TInterval(Interval):
    """Student's interval: the mean, as many standard errors up and down as t allows."""

    test: ClassVar[str] = "t"
    assumes: ClassVar[str] = "differences from a normal distribution, or topics enough for their mean to have one"
    use: ClassVar[str] = "by default; it holds no 0 exactly where the t test is significant"
    formula: ClassVar[str] = "mean ± t_{n−1} · sd / √n"

    def of(self, pairs: Pairs, asked: Asked) -> Ends:
        from scipy.special import stdtrit

        low, high = [], []
        for block in pairs.blocks():
            moments = Moments.of(block.difference, block.scale)
            width = stdtrit(np.maximum(moments.n - 1, 1), 1 - asked.level / 2) * moments.sd / np.sqrt(moments.n)
            low.append(moments.mean - width)
            high.append(moments.mean + width)
        return np.concatenate(low), np.concatenate(high)


class Bootstrapped(Interval):
    """An interval read off the means of topics drawn again, with replacement; all pairs share the draws."""

    test: ClassVar[str] = "bootstrap"
    draws: Annotated[int, Limits(1)] = 10_000

    def of(self, pairs: Pairs, asked: Asked) -> Ends:
        low, high = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        for places, part in pairs.alike():
            if len(part.values) < 2:
                continue
            means = resample(np.nan_to_num(part.values), self.draws, seed=asked.seed)
            step = max(1, CELLS // self.draws)
            for start in range(0, len(part), step):
                block = slice(start, start + step)
                drawn = means[part.b[block]] - means[part.a[block]]
                few = replace(part, a=part.a[block], b=part.b[block])
                rounding = SUM_ERROR * few.scale.mean(axis=1)
                ends = self._ends(drawn, Moments.of(few.difference, few.scale), rounding, asked.level)
                low[places[block]], high[places[block]] = (zero_within(end, rounding) for end in ends)
        return low, high

    @abstractmethod
    def _ends(self, drawn: Matrix, seen: Moments, rounding: NDArray[np.float64], level: float) -> Ends:
        """Return the ends from the resampled means (pair, draw), the observed moments, and their rounding error."""


@interval("percentile", cite="efron1993", aliases=("bootstrap",))
class Percentile(Bootstrapped):
    """Percentile interval: between the quantiles of the means of topics drawn again."""

    assumes: ClassVar[str] = "topics drawn at random, and enough of them to stand for all"
    use: ClassVar[str] = "to show what drawing other topics would do; too narrow below 100 topics"
    formula: ClassVar[str] = "[q(α/2), q(1 − α/2)] of the drawn means"

    def _ends(self, drawn: Matrix, seen: Moments, rounding: NDArray[np.float64], level: float) -> Ends:
        low, high = np.quantile(drawn, [level / 2, 1 - level / 2], axis=1)
        return low, high


@interval("bca", cite="efron1987bca,efron1993")
class BCa(Bootstrapped):
    """Bias-corrected and accelerated interval: the quantiles of the drawn means, moved where these lie askew.

    The acceleration comes from leaving out one topic at a time.
    """

    assumes: ClassVar[str] = "topics drawn at random; some transformation makes the mean nearly normal"
    use: ClassVar[str] = (
        "as percentile, where the interval should lean as skewed differences do; too narrow below 100 topics"
    )
    formula: ClassVar[str] = "q(Φ(z₀ + (z₀ + z_α) / (1 − a(z₀ + z_α)))), z₀ = Φ⁻¹(share of drawn means below the mean)"

    def _ends(self, drawn: Matrix, seen: Moments, rounding: NDArray[np.float64], level: float) -> Ends:
        from scipy.special import ndtr, ndtri

        least, most = (seen.mean - rounding)[:, None], (seen.mean + rounding)[:, None]
        below = ((drawn < least).sum(axis=1) + (drawn <= most).sum(axis=1)) / (2 * self.draws)
        # Where every drawn mean lies on one side, half a draw is taken to lie on the other.
        bias = ndtri(np.clip(below, 0.5 / self.draws, 1 - 0.5 / self.draws))
        # efron1993 eq. 14.15, for a mean: leaving out topic i moves it by (x_i − mean) / (n − 1).
        acceleration = seen.skew / (6 * np.sqrt(seen.n))
        drawn.sort(axis=1)
        ends = []
        for quantile in (level / 2, 1 - level / 2):
            shifted = bias + ndtri(quantile)
            room = 1 - acceleration * shifted
            # Beyond a pole of the formula, which only levels far below .0001 reach, there is the outermost draw.
            moved = np.where(room > 0, bias + shifted / np.where(room > 0, room, 1.0), np.sign(shifted) * np.inf)
            ends.append(np.where(seen.second == 0, seen.mean, _quantile(drawn, ndtr(moved))))
        return ends[0], ends[1]


def resample(values: Matrix, draws: int, *, seed: int) -> Matrix:
    """(run, draw): the mean of each run over as many topics as there are, drawn with replacement; one draw for all."""
    topics = len(values)
    step = max(1, PICKS // topics)
    means = np.empty((values.shape[1], draws))
    for block, start in enumerate(range(0, draws, step)):
        rows = min(step, draws - start)
        picked = generator(seed, "interval", block).integers(0, topics, (rows, topics))
        picked += topics * np.arange(rows)[:, None]
        counts = np.bincount(picked.ravel(), minlength=rows * topics).reshape(rows, topics)
        means[:, start : start + rows] = (counts.astype(float) @ values).T / topics
    return means


def _quantile(ordered: Matrix, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """(row,): what lies at a share of the way through each row, between two numbers by straight line."""
    place = share * (ordered.shape[1] - 1)
    before = np.floor(place).astype(np.intp)
    after = np.minimum(before + 1, ordered.shape[1] - 1)
    row = np.arange(len(ordered))
    return ordered[row, before] + (place - before) * (ordered[row, after] - ordered[row, before])
