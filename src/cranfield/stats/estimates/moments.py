"""Mean, standard deviation, skewness and kurtosis of many rows of numbers at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.float_ties import TINY, near_zero


@dataclass(frozen=True, eq=False)
class Moments:
    """(row,): how many numbers each row has, their mean, and the means of the powers of what they are off it.

    Numbers that are all the same have a spread of exactly 0. A row without numbers has the mean NaN.
    """

    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    second: NDArray[np.float64]
    off: Matrix  # (row, place): each number less the mean, 0 where there is none

    @classmethod
    def of(cls, rows: Matrix) -> "Moments":
        """Those of rows (row, place); NaN is no number."""
        there = ~np.isnan(rows)
        n = there.sum(axis=1)
        size = np.where(n, n, np.nan)
        mean = near_zero(np.where(there, rows, 0.0).sum(axis=1) / size)
        off = np.where(there, rows - mean[:, None], 0.0)
        second = np.einsum("rp,rp->r", off, off) / size
        return cls(n, mean, np.where(second <= TINY**2, 0.0, second), off)

    @cached_property
    def sd(self) -> NDArray[np.float64]:
        """(row,): the standard deviation, with n − 1 below; NaN where there is only one number."""
        return np.sqrt(self.second * self.n / np.where(self.n > 1, self.n - 1, np.nan))

    @cached_property
    def skew(self) -> NDArray[np.float64]:
        """(row,): m₃ / m₂^(3/2), 0 where all numbers are the same."""
        third = (self.off**3).sum(axis=1) / np.maximum(self.n, 1)
        return np.where(self.second == 0, 0.0, third / np.where(self.second, self.second, 1.0) ** 1.5)

    @cached_property
    def kurtosis(self) -> NDArray[np.float64]:
        """(row,): m₄ / m₂² − 3, as far from 0 as the tails are from the normal ones; 0 where all are the same."""
        fourth = (self.off**4).sum(axis=1) / np.maximum(self.n, 1)
        return np.where(self.second == 0, 0.0, fourth / np.where(self.second, self.second, 1.0) ** 2 - 3)
