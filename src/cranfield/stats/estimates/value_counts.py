"""Counts of equal values per run, from which rank sums of all pairs follow without ranking each pair."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.resampling import product

Counts = NDArray[np.int64]

NEAR = 1 << 18  # cells of a table that a processor keeps near


def code_values(values: Matrix) -> Counts:
    """Return (run, topic): integers in the order of the values (topic, run), equal where the values are equal."""
    cells = values.T.ravel()
    order = np.argsort(cells, kind="stable")
    code = np.empty(len(cells), dtype=np.int64)
    code[order] = np.concatenate([[0], (np.diff(cells[order]) > 0).cumsum()])
    return code.reshape(values.T.shape)


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Values of runs as places among the different values that occur."""

    code: Counts  # (run, topic)
    different: int  # values

    @classmethod
    def of(cls, code: Counts) -> "ValueCounts":
        """Those of codes (run, topic); the codes of values that do not occur are closed up."""
        there = np.bincount(code.ravel()) > 0
        return cls((there.cumsum() - 1)[code], int(there.sum()))

    @property
    def tied(self) -> bool:
        """Whether any value occurs twice."""
        return self.different < self.code.size

    def twice_above(self, rows: NDArray[np.intp]) -> Matrix:
        """(row, run): twice U, how often a value of the run is above one of the row's run; equal counts half."""
        return self._summed(rows, lambda count: 2 * count.cumsum(axis=1) - count)

    def squares(self, rows: NDArray[np.intp]) -> Matrix:
        """(row, run): Σ h² g over values, of which the row's run has h and the run g."""
        return self._summed(rows, np.square)

    def _summed(self, rows: NDArray[np.intp], table: Callable[[Counts], Counts]) -> Matrix:
        """(row, run): a table made from counts (row, value), added up over the values that each run has."""
        runs, topics = self.code.shape
        if self.different <= topics:  # a product over values is less work than a look-up for every cell
            every = self._counted(np.arange(runs)).T.astype(float)
            return product(table(self._counted(rows)), every)
        found = np.empty((len(rows), runs))
        step = max(1, NEAR // self.code.size)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            cells = table(self._counted(rows[part])).take(self.code.ravel(), axis=1)
            found[part] = cells.reshape(-1, runs, topics).sum(axis=2)
        return found

    def _counted(self, rows: NDArray[np.intp]) -> Counts:
        """(row, value): in how many topics the row's run has the value."""
        place = self.code[rows] + self.different * np.arange(len(rows))[:, None]
        return np.bincount(place.ravel(), minlength=len(rows) * self.different).reshape(len(rows), -1)
