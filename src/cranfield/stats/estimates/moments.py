"""Mean, standard deviation, skewness and kurtosis of many rows of numbers at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, TIE, power_of_two, zero_within


@dataclass(frozen=True, eq=False)
class Moments:
    """(row,): how many numbers each row has, their mean, and the mean square of the deviations from it.

    Numbers that are all the same have a spread of exactly 0. A row without numbers has the mean NaN. Deviations are in
    multiples of ``unit``, a power of two, so that their powers neither overflow nor vanish.
    """

    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    second: NDArray[np.float64]  # in unit²
    deviation: Matrix  # (row, column): each number minus the mean, in units; 0 where there is no number
    unit: float

    @classmethod
    def of(cls, rows: Matrix, scale: Matrix | None = None) -> "Moments":
        """Compute the moments of each row, ignoring NaN.

        ``scale`` is that of the numbers if they are differences (see `Pairs.scale`): rounding errors are multiples of
        it. By default it is the size of the numbers themselves.
        """
        there = ~np.isnan(rows)
        n = there.sum(axis=1)
        count = np.where(n, n, np.nan)
        scale = np.where(there, np.abs(rows if scale is None else scale), 0.0)
        mean = np.where(there, rows, 0.0).sum(axis=1) / count
        mean = zero_within(mean, SUM_ERROR * scale.sum(axis=1) / count)
        width = np.max(rows, axis=1, where=there, initial=-np.inf) - np.min(rows, axis=1, where=there, initial=np.inf)
        constant = width <= TIE * scale.max(axis=1, initial=0.0)
        unit = power_of_two(rows)
        deviation = np.where(there & ~constant[:, None], (rows - mean[:, None]) / unit, 0.0)
        return cls(n, mean, np.einsum("rp,rp->r", deviation, deviation) / count, deviation, unit)

    @cached_property
    def sd(self) -> NDArray[np.float64]:
        """(row,): the standard deviation, with n − 1 below; NaN where there is only one number."""
        return self.unit * np.sqrt(self.second * self.n / np.where(self.n > 1, self.n - 1, np.nan))

    @cached_property
    def skew(self) -> NDArray[np.float64]:
        """(row,): m₃ / m₂^(3/2), 0 where all numbers are the same."""
        third = (self.deviation**3).sum(axis=1) / np.maximum(self.n, 1)
        return np.where(self.second == 0, 0.0, third / np.where(self.second, self.second, 1.0) ** 1.5)

    @cached_property
    def kurtosis(self) -> NDArray[np.float64]:
        """(row,): m₄ / m₂² − 3, as far from 0 as the tails are from the normal ones; 0 where all are the same."""
        fourth = (self.deviation**4).sum(axis=1) / np.maximum(self.n, 1)
        return np.where(self.second == 0, 0.0, fourth / np.where(self.second, self.second, 1.0) ** 2 - 3)
