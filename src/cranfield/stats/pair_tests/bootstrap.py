"""Paired bootstrap test: resample topics from differences shifted to a mean of 0."""

from dataclasses import dataclass, replace
from math import floor
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Scale
from cranfield.core.catalogue import Limits
from cranfield.core.types import Matrix

from .base import CELLS, Alternative, Answer, Asked, Pairs, PairTest, check_level, pair_test
from .closed_form import NO_TOPIC, Spread, said
from .float_ties import power_of_two
from .resampling import Exact, PerPair, Resamples, Shared, in_blocks, in_turn, product, reached

FEW = 8  # so many topics have 6,435 different resamples, no more than are drawn otherwise
CACHED = 2**17  # cells of a matrix (pair, draw) that stay in the cache of a processor
NO_SPREAD = 1e-12  # relative to the sum of squares: what rounding leaves of a variance of 0
SAME = 1e-10  # relative difference up to which two t are equal


@pair_test("bootstrap", cite="efron1993,sakai2006bootstrap,smucker2007")
class Bootstrap(PairTest):
    """Bootstrap test: draw topics with replacement from differences moved to a mean of 0; is their mean as large?

    ``kind='shift'`` looks at the mean, ``kind='studentised'`` at t, whose spread is that of each resample: closer to
    the level with few topics. ``low`` and ``high`` enclose the mean difference with confidence 1 − level, and exclude 0
    exactly where p ≤ level: they are as far from the mean as the largest resampled deviations (or t) that p does not
    count, and symmetric because p counts both sides together. A one-sided alternative has a one-sided interval, and its
    open end is NaN. Where no p can be so small both ends are NaN. Draws are shared by all pairs. Up to 8 topics have
    all their resamples counted (``exact``); a p of 0, which so few resamples often give, is then shown as the chance of
    a single one, 1/nⁿ.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics are independent, and enough to stand for all topics: 100 or more"
    use: ClassVar[str] = "to compare means of skewed differences over many topics"
    formula: ClassVar[str] = "P(|mean(d*) − mean(d)| ≥ |mean(d)|), d* drawn from d with replacement"
    effect: ClassVar[str] = "d_z"
    interval_of_values: ClassVar[bool] = True

    kind: Literal["shift", "studentised"] = "shift"
    draws: Annotated[int, Limits(1)] = 10_000
    exact: Exact = "auto"

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        check_level(asked.level)
        spread = Spread.of(pairs)
        p, low, high = np.full((3, len(pairs)), np.nan)
        exact = np.zeros(len(pairs), dtype=bool)
        for where, group in pairs.alike():  # resamples are as large as what they stand for
            resamples = self._resamples(len(group.values), asked)
            exact[where] = resamples.every
            drawn = Drawn(group, _part(spread, where), resamples, self.alternative, asked)
            p[where], low[where], high[where] = drawn.shift() if self.kind == "shift" else drawn.studentised()
        alone = spread.n == 1
        no_p = alone & (spread.mean != 0)
        statistic = spread.mean if self.kind == "shift" else _t(spread)
        return Answer(
            n=spread.n,
            statistic=np.where(spread.n == 0, np.nan, statistic),
            p=np.where(no_p, np.nan, p),
            effect=spread.d_z,
            note=said(
                f"{self.kind}, {self.draws:,} draws of topics",
                (spread.n == 0, NO_TOPIC),
                (no_p, "one topic has no spread: there is no p"),
                (exact, f"{self.kind}, exact: all resamples of the topics"),
            ),
            low=np.where(alone | (self.alternative == "less"), np.nan, low),
            high=np.where(alone | (self.alternative == "greater"), np.nan, high),
        )

    def _resamples(self, topics: int, asked: Asked) -> Resamples:
        if self.exact != "never" and topics <= FEW:
            return Resamples.all(topics)
        if self.exact == "always":
            hint = f"up to {FEW} topics it can; exact='auto' draws beyond"
            raise ParameterError(f"bootstrap cannot count all resamples of {topics} topics", hint=hint)
        return Resamples(topics, self.draws, asked.seed)


def _part(spread: Spread, where: NDArray[np.intp] | slice) -> Spread:
    return Spread(spread.n[where], spread.mean[where], spread.deviation[where])


def _t(spread: Spread) -> PerPair:
    """(pair,): d_z √n, infinite where all differences are equal and not 0."""
    return spread.d_z * np.sqrt(spread.n)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What resamples say of pairs that have a value in every topic."""

    pairs: Pairs
    spread: Spread
    resamples: Resamples
    alternative: Alternative
    asked: Asked

    def shift(self) -> Matrix:
        """(p and both ends, pair), from the means of resamples."""
        shared, resamples = Shared.of(self.pairs), self.resamples
        n, observed = resamples.topics, shared.observed()
        made = in_blocks(lambda i: shared.sums(resamples.block(i)), resamples.blocks, self.asked)
        sums = np.concatenate(made, axis=1)
        parts = self._parts(len(self.pairs), CACHED)

        def look(i: int) -> Matrix:
            part = parts[i]
            tile = shared.tile(sums, part)
            moved = tile - observed[part, None]
            p = self._chance(reached(moved, observed[part], shared.slack[part], self.alternative))
            return np.stack([p, *self._ends(moved / n, observed[part] / n, 1.0)])

        return np.concatenate(in_turn(look, len(parts), self.asked), axis=1)

    def studentised(self) -> Matrix:
        """(p and both ends, pair), from the t of resamples."""
        return np.concatenate([self._some(part) for part in self._parts(len(self.pairs), CELLS)], axis=1)

    def _some(self, some: slice) -> Matrix:
        resamples, spread = self.resamples, _part(self.spread, some)
        n = resamples.topics
        difference = replace(self.pairs, a=self.pairs.a[some], b=self.pairs.b[some]).difference
        centred = np.where(spread.constant[:, None], 0.0, difference - spread.mean[:, None])
        centred /= power_of_two(centred)  # t has no unit, and squares must not overflow
        both = np.ascontiguousarray(np.concatenate([centred, centred**2]).T)
        made = in_blocks(lambda i: product(resamples.block(i), both).T, resamples.blocks, self.asked)
        sums, squares = np.split(np.concatenate(made, axis=1), 2)
        observed, slack = _t(spread), NO_SPREAD * np.abs(centred).sum(axis=1)
        parts = self._parts(len(sums), CACHED)

        def look(i: int) -> Matrix:
            part = parts[i]
            t = _resampled_t(sums[part], squares[part], n, slack[part])
            near = np.where(np.isinf(observed[part]), 0.0, SAME * np.abs(observed[part]))
            p = self._chance(reached(t, observed[part], near, self.alternative))
            with np.errstate(invalid="ignore"):  # an infinite t, and no spread
                return np.stack([p, *self._ends(t, spread.mean[part], spread.error[part])])

        return np.concatenate(in_turn(look, len(parts), self.asked), axis=1)

    def _parts(self, pairs: int, cells: int) -> list[slice]:
        """So many pairs in parts whose matrix (pair, draw) has no more cells."""
        step = max(1, cells // self.resamples.number)
        return [slice(start, start + step) for start in range(0, pairs, step)]

    def _chance(self, reached: NDArray[np.bool_]) -> PerPair:
        times = self.resamples.times()
        if times is None:
            return self.resamples.chance(reached.sum(axis=1))
        return np.maximum(np.where(reached, times, 0).sum(axis=1), 1) / times.sum()

    def _ends(self, drawn: Matrix, mean: PerPair, scale: PerPair | float) -> tuple[PerPair, PerPair]:
        """Return the ends of the interval: the mean less and plus the critical value of what was drawn."""
        if self.alternative == "two-sided":
            half = self._critical(np.abs(drawn)) * scale
            return mean - half, mean + half
        if self.alternative == "greater":
            low = mean - self._critical(drawn) * scale
            return low, np.full_like(low, np.nan)
        high = mean + self._critical(-drawn) * scale
        return np.full_like(high, np.nan), high

    def _critical(self, drawn: Matrix) -> PerPair:
        """Return what an observation must exceed for p ≤ level; NaN where the resamples are too few for that."""
        times = self.resamples.times()
        total = self.resamples.number + 1 if times is None else int(times.sum())
        allowed = floor(self.asked.level * total * (1 + 1e-12))
        if not allowed:
            return np.full(len(drawn), np.nan)
        if times is None:  # the observation is one more draw
            return np.partition(drawn, -allowed, axis=1)[:, -allowed]
        order = np.argsort(-drawn, axis=1)
        first = (times[order].cumsum(axis=1) > allowed).argmax(axis=1)[:, None]
        return np.take_along_axis(drawn, np.take_along_axis(order, first, axis=1), axis=1)[:, 0]


def _resampled_t(sums: Matrix, squares: Matrix, n: int, slack: PerPair) -> Matrix:
    """(pair, draw): t of resamples, infinite where one has no spread, and another mean than all topics."""
    around = squares - sums * sums / n
    around = np.where(around > NO_SPREAD * squares, around * (n / max(n - 1, 1)), 0.0)
    moved = np.abs(sums) > slack[:, None]
    with np.errstate(divide="ignore"):
        return np.divide(sums, np.sqrt(around, out=around), out=np.zeros_like(sums), where=moved)
