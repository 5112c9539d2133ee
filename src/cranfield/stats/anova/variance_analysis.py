"""One-way and two-way analysis of variance of topics and systems, with ω² effect sizes."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Scale, UnknownName
from cranfield.core.types import Matrix
from cranfield.stats.estimates.distribution_tails import f_tail
from cranfield.stats.multiple.omnibus_base import Omnibus, Source, check_whole, omnibus
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest, power_of_two

SIZES = ((0.14, "large"), (0.06, "medium"), (0.01, "small"))  # rutherford2011


@dataclass(frozen=True, eq=False)
class Anova:
    """An analysis of variance: its rows, and what comparisons of runs after it need."""

    rows: tuple[Source, ...]
    means: NDArray[np.float64]  # (run,)
    rmse: float  # root of the mean square of the error that pairs of runs are compared with, in units of the values
    df_error: float  # of that error
    topics: int
    replicates: int = 1
    note: str = ""  # the convention, where there is a choice

    @property
    def mse(self) -> float:
        """Return the mean square of the row error; too large or too small for a float where values are extreme."""
        return self["error"].ms

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.means)

    @property
    def per_run(self) -> int:
        """How many values stand behind the mean of a run."""
        return self.topics * self.replicates

    def __getitem__(self, source: str) -> Source:
        for row in self.rows:
            if row.source == source:
                return row
        hint = f"there are: {', '.join(row.source for row in self.rows)}"
        raise UnknownName(f"the analysis has no row {source!r}", hint=hint)


class Variance(Omnibus):
    """F of the runs: how much their means differ beside what differs for no known reason."""

    requires: ClassVar[Scale] = Scale.INTERVAL
    effect: ClassVar[str] = "ω²: the share of variance, other known sources set aside; below 0 it is shown as 0"

    @abstractmethod
    def fit(self, values: Matrix) -> Anova:
        """The analysis of values (topic, run)."""

    def sources(self, values: Matrix) -> tuple[Source, ...]:
        return self.fit(values).rows


@omnibus("anova", cite="tague1995anova,banks1999blind,ferro2024", aliases=("two-way",))
class TwoWay(Variance):
    """Two-way analysis of variance: a value is a topic's share, plus a run's share, plus error.

    Without replicates nothing can tell an interaction of topic and run from error: it is part of the error.
    """

    assumes: ClassVar[str] = "errors are independent, alike in spread and about normal; topics and runs simply add up"
    use: ClassVar[str] = "to ask whether any of several runs differs from another, before all pairs are compared"
    formula: ClassVar[str] = "F = MS(system) / MS(error), ω² = df (F − 1) / (df (F − 1) + topics × runs)"

    def fit(self, values: Matrix) -> Anova:
        values, unit = scaled_values(check_whole(values))
        topics, runs = values.shape
        mean, topic, run = values.mean(), values.mean(axis=1), values.mean(axis=0)
        tiny = rounding(values)
        parts = {
            "topic": (runs * squares(topic - mean, tiny), topics - 1),
            "system": (topics * squares(run - mean, tiny), runs - 1),
        }
        error = squares(values - topic[:, None] - run + mean, tiny)
        df = (topics - 1) * (runs - 1)
        rows = table(parts, error, df, squares(values - mean, tiny), values.size, unit)
        return Anova(rows, unit * run, unit * sqrt(error / df), df, topics)


@omnibus("one-way", cite="fisher1925")
class OneWay(Variance):
    """One-way analysis of variance: a value is a run's share plus error, topics being part of the error."""

    assumes: ClassVar[str] = "runs were tried on different topics; errors are alike in spread and about normal"
    use: ClassVar[str] = "rarely: where topics are shared, the two-way analysis sees more"
    formula: ClassVar[str] = "F = MS(system) / MS(error)"

    def fit(self, values: Matrix) -> Anova:
        values, unit = scaled_values(check_whole(values))
        topics, runs = values.shape
        mean, run, tiny = values.mean(), values.mean(axis=0), rounding(values)
        error, df = squares(values - run, tiny), runs * (topics - 1)
        parts = {"system": (topics * squares(run - mean, tiny), runs - 1)}
        rows = table(parts, error, df, squares(values - mean, tiny), values.size, unit)
        return Anova(rows, unit * run, unit * sqrt(error / df), df, topics)


def scaled_values(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the values divided by a power of two, so that their squares fit into floats, and that power."""
    unit = power_of_two(values)
    return values / unit, unit


def rounding(values: NDArray[np.float64]) -> float:
    """Return the size up to which a deviation between such values is a rounding error."""
    return SUM_ERROR * largest(values)


def squares(deviations: NDArray[np.float64], tiny: float) -> float:
    """A sum of squares that is exactly 0 where the deviations are rounding errors."""
    return float(np.square(np.where(np.abs(deviations) <= tiny, 0.0, deviations)).sum())


def table(
    parts: dict[str, tuple[float, float]], error: float, df_error: float, total: float, cells: int, unit: float = 1.0
) -> tuple[Source, ...]:
    """Return rows from the sum of squares and the degrees of freedom of each source, with error and total below.

    The sums of squares are in multiples of ``unit``², and come back in those of the values.
    """
    rows = [tested(name, ss, df, error / df_error, df_error, cells) for name, (ss, df) in parts.items()]
    below = Source(source="error", ss=error, df=df_error, ms=error / df_error)
    return in_units((*rows, below, Source(source="total", ss=total, df=cells - 1)), unit)


def in_units(rows: tuple[Source, ...], unit: float) -> tuple[Source, ...]:
    """Return the rows with sums of squares and mean squares multiplied by unit²."""
    return tuple(replace(row, ss=float(row.ss) * unit * unit, ms=float(row.ms) * unit * unit) for row in rows)


def tested(source: str, ss: float, df: float, mse: float, df_error: float, cells: int) -> Source:
    """A row: its mean square against the error's, ω², and ω² in a word.

    Nothing beside nothing is F = 0, so that identical runs have p = 1.
    """
    ms = ss / df
    f = ms / mse if mse > 0 else (inf if ms > 0 else 0.0)
    p, log10_p = f_tail(f, df, df_error)
    omega2 = omega_squared(f, df, cells)
    return Source(
        source=source, ss=ss, df=df, ms=ms, statistic=f, p=p, log10_p=log10_p,
        effect=omega2, size=size_of(omega2), df2=df_error,
    )  # fmt: skip


def omega_squared(f: float, df: float, cells: int) -> float:
    """Partial ω²: ferro2024 eq. 8, after olejnik2003; an estimate below 0 is 0."""
    return 1.0 if f == inf else max(0.0, df * (f - 1) / (df * (f - 1) + cells))


def size_of(omega2: float) -> str:
    """An effect in a word: small from .01, medium from .06, large from .14."""
    return next((word for least, word in SIZES if omega2 >= least), "negligible")
