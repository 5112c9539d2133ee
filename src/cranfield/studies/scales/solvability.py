"""Differences between values of a measure, and whether they also occur from both ends of its range."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Table
from cranfield.core.types import Rows
from cranfield.measures import Measure, Spacing

from .ranking_text import parting, written

MANY = 2000  # values: of more, only neighbours are looked at
APART = 1e-12  # differences closer than this are one, where nothing tells them apart exactly

Places: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """The different distances between two values, smallest first, and which two have it: those nearest to the top."""

    size: Rows  # in parts of the unit
    high: Places
    low: Places
    steps: Rows  # (value,): the values themselves, lowest first, in parts of the unit
    unit: float  # how many parts make 1
    near: float  # how far apart equal numbers may lie

    @classmethod
    def of(cls, spacing: Spacing) -> "Differences":
        """Told apart exactly where all values are whole multiples of one number."""
        grid = spacing.grid
        near = 0.5 if grid else APART * max(1.0, float(np.abs(spacing.value).max(initial=0)))
        steps = np.rint(spacing.value * grid) if grid else spacing.value
        low, high = _pairs(len(steps))
        size = steps[high] - steps[low]
        order = np.argsort(size, kind="stable")
        begins = np.flatnonzero(np.diff(size[order], prepend=-np.inf) > near)
        # Pairs stand from the top down; of equal differences, rounding may have put any in front.
        first = np.minimum.reduceat(order, begins) if len(order) else order
        return cls(size[first], high[first], low[first], steps, float(grid or 1), near)

    def missing(self, wanted: Rows) -> NDArray[np.bool_]:
        """(difference,): whether no ranking has that value."""
        place = np.searchsorted(self.steps, wanted - self.near).clip(max=len(self.steps) - 1)
        return np.abs(self.steps[place] - wanted) > self.near


def solvability_table(
    measure: Measure, spacing: Spacing, *, most: int = 200, made_by: Provenance | None = None
) -> Table:
    """One row for each difference of two values: can the same be had from the highest value down, and the lowest up?

    Equal steps are only possible where it can (craswell2021msmarco, §4.1, condition iv). ``needs_high`` and
    ``needs_low`` are the values that some ranking would have to have, and none has. The smallest ``most`` differences
    are shown.
    """
    found = Differences.of(spacing)
    ends = found.steps[[-1, 0]] if len(found.steps) else np.zeros(2)
    needs = [ends[0] - found.size, ends[1] + found.size]
    lacks = [found.missing(wanted) for wanted in needs]
    realised = ~(lacks[0] | lacks[1])
    text = _between(spacing, found, most)
    columns: dict[str, Any] = {
        "measure": [str(measure)] * len(text),
        "difference": found.size / found.unit,
        "between": text,
        "high": spacing.value[found.high],
        "low": spacing.value[found.low],
        "needs_high": np.where(lacks[0], needs[0] / found.unit, np.nan),
        "needs_low": np.where(lacks[1], needs[1] / found.unit, np.nan),
        "realised": realised,
    }
    notes = _notes(measure, spacing, realised, most)
    cut = {name: column[:most] for name, column in columns.items()}
    return Table(cut, "differences between values, and whether they can be had from both ends", made_by, notes)


def _pairs(values: int) -> tuple[Places, Places]:
    """(pair,): the lower and the higher of two values, from the top down; of very many values only neighbours."""
    if values > MANY:
        low = np.arange(values - 2, -1, -1)
        return low, low + 1
    high, low = np.triu_indices(values, 1)
    return values - 1 - low, values - 1 - high


def _between(spacing: Spacing, found: Differences, most: int) -> list[str]:
    """(difference,): two rankings that are so far apart, that of the higher value first."""
    sides = [written(spacing.rankings, spacing.example[side[:most]]) for side in (found.high, found.low)]
    return [parting(spacing.rankings).join(pair) for pair in zip(*sides, strict=True)]


def _notes(measure: Measure, spacing: Spacing, realised: NDArray[np.bool_], most: int) -> tuple[str, ...]:
    values, differences = len(spacing.value), len(realised)
    said = [f"{measure}: {int((~realised).sum()):,} of {differences:,} differences cannot be realised"]
    if values > MANY:
        said.append(f"{measure}: {values:,} values are many: only differences of neighbours are looked at")
    if differences > most:
        said.append(f"{measure}: the smallest {most:,} differences are shown")
    return tuple(said)
