"""Results of fitting a measure to a log, and the estimators that the fits share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError, Table, score_interval
from cranfield.measures.base import Measure

COLUMNS = ("measure", "parameter", "value", "low", "high", "n")
DECIMALS = 4  # of what stands in the notation of a fitted measure

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that a log says, between what it lies, and how many observations say so."""

    parameter: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A measure whose parameters were fitted to a log: its text is one that ``evaluate`` reads."""

    measure: Measure
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.measure)

    @property
    def table(self) -> Table:
        """A row for each parameter: its value in full, between what it lies, and from how many observations."""
        rows = [{"measure": str(self.measure)} | _cells(estimate) for estimate in self.estimates]
        return Table.from_rows(rows, COLUMNS, caption="fitted to the log", notes=self.notes)


def _cells(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in COLUMNS[1:]}


def read_columns(**given: ArrayLike | None) -> list[Numbers]:
    """Columns of a log as numbers: of one length, not empty, finite; where nothing is given, 1 in every row."""
    found = {name: np.asarray(column, np.float64) for name, column in given.items() if column is not None}
    lengths = {column.shape for column in found.values()}
    if len(lengths) != 1 or any(len(shape) != 1 for shape in lengths):
        told = ", ".join(f"{name} {column.shape}" for name, column in found.items())
        raise ParameterError(f"the columns are not of one length: {told}", hint="give one number for every row")
    (length,) = lengths.pop()
    if not length:
        raise ParameterError("the log is empty", hint="a measure is fitted to what users did")
    for name, column in found.items():
        if not np.isfinite(column).all() or (column < 0).any():
            raise ParameterError(f"{name} has a number that is not finite, or below 0", hint="leave out such rows")
    return [found.get(name, np.ones(length)) for name in given]


def need_flags(**columns: Numbers) -> None:
    """Refuse what is neither yes (1) nor no (0)."""
    for name, column in columns.items():
        if not np.isin(column, (0, 1)).all():
            raise ParameterError(f"{name} is neither 0 nor 1 in some row", hint="1 where it happened, 0 where not")


def need_whole(least: int, **columns: Numbers) -> None:
    """Refuse what is no whole number, or too small."""
    for name, column in columns.items():
        if (column < least).any() or (column != np.rint(column)).any():
            raise ParameterError(f"{name} is no whole number from {least} up in some row", hint="ranks start at 1")


def share(parameter: str, part: float, whole: float, level: float) -> Estimate:
    """A share with the interval of Wilson (wilson1927); nothing of nothing is 0, and may be anything."""
    if whole <= 0:
        return Estimate(parameter, 0.0, 0.0, 1.0, 0)
    low, high = score_interval(part, whole, _z(level))
    return Estimate(parameter, float(part / whole), float(low), float(high), round(whole))


def mean(parameter: str, of: Numbers, level: float) -> Estimate:
    """A mean with its normal interval, not below 0."""
    error = of.std(ddof=1) / np.sqrt(len(of)) if len(of) > 1 else np.inf
    middle, half = float(of.mean()), _z(level) * float(error)
    return Estimate(parameter, middle, max(0.0, middle - half), middle + half, len(of))


def half_life(parameter: str, seconds: Numbers, ended: Numbers, level: float) -> Estimate:
    """The time after which half have left, if they do so at one rate; who was only watched so long counts too."""
    stops = float(ended.sum())
    if not stops or not seconds.sum():
        raise ParameterError("nobody left while the log was kept", hint="half_life needs visits that came to an end")
    value, factor = float(np.log(2) * seconds.sum() / stops), float(np.exp(_z(level) / np.sqrt(stops)))
    return Estimate(parameter, value, value / factor, value * factor, round(stops))


def line(parameters: tuple[str, str], x: Numbers, y: Numbers, level: float) -> tuple[Estimate, Estimate]:
    """Slope and start of the line of least squares, neither of them below 0."""
    if len(x) < 3 or np.ptp(x) == 0:
        hint = "give three clicked documents or more, of different lengths"
        raise ParameterError(f"{' and '.join(parameters)} cannot be told apart", hint=hint)
    spread = ((x - x.mean()) ** 2).sum()
    slope = max(0.0, float(((x - x.mean()) * (y - y.mean())).sum() / spread))
    start = float(y.mean() - slope * x.mean())
    if start < 0:
        slope, start = float((x @ y) / (x @ x)), 0.0
    around = np.sqrt(((y - start - slope * x) ** 2).sum() / (len(x) - 2))
    errors = around / np.sqrt(spread), around * np.sqrt(1 / len(x) + x.mean() ** 2 / spread)
    first, second = (
        Estimate(name, value, max(0.0, value - _z(level) * error), value + _z(level) * error, len(x))
        for name, value, error in zip(parameters, (slope, start), map(float, errors), strict=True)
    )
    return first, second


def rounded(estimates: Iterable[Estimate]) -> Sequence[float]:
    """The values as they stand in the notation of a fitted measure."""
    return [round(estimate.value, DECIMALS) for estimate in estimates]


def _z(level: float) -> float:
    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} is not known", hint="choose a level between 0 and 1, such as 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)
