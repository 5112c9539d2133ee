"""Bootstrap analysis of variance, without the assumption of normal errors (voorhees2017sharding)."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, generator
from cranfield.core.types import Cube, Matrix, Rows
from cranfield.stats.pair_tests.base import CELLS, Answer, Asked, Pairs
from cranfield.stats.pair_tests.float_ties import quotient
from cranfield.stats.pair_tests.resampling import in_turn

from .replicated_designs import check_cube
from .variance_analysis import rounding, scaled_values

DRAWS = 10_000
BLOCK = 1_000_000  # values that are drawn at once


@dataclass(frozen=True, eq=False)
class BootstrapAnova:
    """Means of runs with intervals, the test of all runs together, and that of every pair."""

    means: Rows  # (run,)
    low: Rows
    high: Rows
    statistic: float  # F of the runs
    p: float
    pairs: Pairs
    answer: Answer  # its effect is the difference in units of √MS(error)


@dataclass(frozen=True, eq=False)
class Model:
    """Topic + system, or with ``cells`` topic + system + topic × system."""

    shape: tuple[int, ...]  # (replicate, topic, run)
    cells: bool

    @property
    def df(self) -> int:
        """The degrees of freedom of the error."""
        times, topics, runs = self.shape
        return (times - 1) * topics * runs if self.cells else times * topics * runs - topics - runs + 1

    def residuals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (…, replicate, topic, run) without what the model expects."""
        cell = values.mean(axis=-3, keepdims=True)
        if self.cells:
            return values - cell
        topic, run = cell.mean(axis=-1, keepdims=True), cell.mean(axis=-2, keepdims=True)
        return values - topic - run + run.mean(axis=-1, keepdims=True)

    def f(self, values: NDArray[np.float64], tiny: float) -> Rows:
        """(draw,): F of the runs in values (draw, replicate, topic, run); equal runs without error have 0."""
        run = values.mean(axis=(1, 2))
        run = np.where(np.abs(between := run - run.mean(axis=1, keepdims=True)) <= tiny, 0.0, between)
        left = self.residuals(values)
        left[np.abs(left) <= tiny] = 0.0
        above = self.shape[0] * self.shape[1] * np.square(run).sum(axis=1) / (self.shape[2] - 1)
        below = np.square(left).sum(axis=(1, 2, 3)) / self.df
        return np.divide(above, below, out=np.where(above > 0, np.inf, 0.0), where=below > 0)


def bootstrap_anova(
    cube: Cube,
    *,
    interaction: bool = True,
    draws: int = DRAWS,
    asked: Asked | None = None,
    pair_level: float | None = None,
) -> BootstrapAnova:
    """The analysis of values (replicate, topic, run) without a normal distribution (voorhees2017sharding).

    The model is topic + system, and with several replicates topic × system unless ``interaction`` is off. Its residuals
    are pooled, and scaled by √(values / degrees of freedom) because they are smaller than the errors. Each draw adds as
    many of them, with replacement, to what the model expects. Intervals hold the middle of the drawn means, and of
    their differences. p counts the draws that stray as far as what was seen or farther: for F those around equal runs.
    The p-values of pairs are not corrected; the source corrects them after Benjamini and Hochberg. ``pair_level`` is
    the level of the intervals of pairs, that of ``asked`` by default.
    """
    asked = asked or Asked()
    if draws < 1:
        raise ParameterError(f"there cannot be {draws} draws", hint="give a whole number from 1 up, such as 10000")
    cube, unit = scaled_values(check_cube(cube, fewest=1))
    model, tiny = Model(cube.shape, cells=interaction and len(cube) > 1), rounding(cube)
    left = model.residuals(cube)
    mse = float(np.square(np.where(np.abs(left) <= tiny, 0.0, left)).sum() / model.df)
    pool = left.ravel() * sqrt(cube.size / model.df) * (mse > 0)
    step = max(1, BLOCK // cube.size)

    def drawn(block: int) -> tuple[Matrix, Rows]:
        size = (min(step, draws - block * step), *cube.shape)
        errors = pool[generator(asked.seed, "bootstrap-anova", block).integers(0, len(pool), size)]
        return errors.mean(axis=(1, 2)), model.f(errors, tiny)

    found = in_turn(drawn, -(-draws // step), asked)
    strays = np.concatenate([strays for strays, _ in found])  # (draw, run)
    means = cube.mean(axis=(0, 1))
    seen = float(model.f(cube[None], tiny)[0])
    reached = sum(int((f >= seen * (1 - tiny)).sum()) for _, f in found)
    low, high = np.quantile(means + strays, [asked.level / 2, 1 - asked.level / 2], axis=0)
    answer = _compared(Pairs.every(cube.mean(axis=0)), strays, mse, model, pair_level or asked.level, unit)
    p, pairs = (reached + 1) / (draws + 1), Pairs.every(unit * cube.mean(axis=0))
    return BootstrapAnova(unit * means, unit * low, unit * high, seen, p, pairs, answer)


def _compared(pairs: Pairs, strays: Matrix, mse: float, model: Model, level: float, unit: float) -> Answer:
    """Compare every pair: the interval of the drawn differences, times ``unit``, and how many are as far from 0."""
    difference, draws = pairs.mean_difference, len(strays)
    tiny = rounding(pairs.values)
    reached, ends = [], []
    for block in pairs.blocks(CELLS // max(1, draws) * len(pairs.values)):
        drawn = strays[:, block.b] - strays[:, block.a]
        reached.append((np.abs(drawn) >= np.abs(block.mean_difference) - tiny).sum(axis=0))
        ends.append(np.quantile(drawn, [level / 2, 1 - level / 2], axis=0))
    low, high = difference + np.concatenate(ends, axis=1)
    what = "topic × system told from error" if model.cells else "topic × system part of the error"
    return Answer(
        n=pairs.topics,
        statistic=quotient(difference, sqrt(2 * mse / (model.shape[0] * model.shape[1]))),
        p=(np.concatenate(reached) + 1) / (draws + 1),
        effect=quotient(difference, sqrt(mse)),
        note=(f"residual bootstrap, {draws:,} draws, {what}",),
        low=unit * low,
        high=unit * high,
    )
