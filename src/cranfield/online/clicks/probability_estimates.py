"""Probabilities estimated from counts, with Beta intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.online.logs.topic_documents import Pairs

Numbers = NDArray[np.float64]
LEVEL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Chances, each with how many sure observations it is worth: what is behind it is a Beta distribution.

    Its mode is the value. An observation of which half can be seen is worth less than one.
    """

    value: Numbers  # (key,)
    worth: Numbers  # (key,): those of the prior too
    prior: float  # what is said of something never seen

    def __len__(self) -> int:
        return len(self.value)

    def at(self, key: NDArray[np.int64]) -> Numbers:
        """The values of some keys; −1, or beyond the last, is a key that was never seen."""
        return np.append(self.value, self.prior)[np.minimum(key, len(self))]

    def interval(self, level: float = LEVEL) -> tuple[Numbers, Numbers]:
        """(key,): the lower and upper end between which the chance lies, but for a chance of ``level``."""
        return self._quantile(_check(level) / 2), self._quantile(1 - level / 2)

    def lower(self, level: float = LEVEL) -> Numbers:
        """(key,): the bound below which the chance lies with a chance of ``level`` alone."""
        return self._quantile(_check(level))

    def _quantile(self, share: float) -> Numbers:
        from scipy.special import betaincinv

        sure = self.worth == np.inf
        worth = np.where(sure, 0.0, self.worth)
        return np.where(sure, self.value, betaincinv(1 + self.value * worth, 1 + (1 - self.value) * worth, share))

    def times(self, other: "Chances") -> "Chances":
        """The product, key by key; its worth follows from both (delta method)."""
        value = self.value * other.value
        spread = other.value**2 * self._variance() + self.value**2 * other._variance()
        return Chances(value, value * (1 - value) / spread, self.prior * other.prior)

    def _variance(self) -> Numbers:
        with np.errstate(divide="ignore"):  # what is worth nothing may be anything
            return self.value * (1 - self.value) / self.worth


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Chances):
    """Chances of one kind with what they were counted from: ``value = (a + num) / (a + b + den)``."""

    num: Numbers  # (key,): how often it happened, or was expected to have
    den: Numbers  # (key,): how often it could have
    keys: Pairs | tuple[str, ...]

    def names(self) -> list[str]:
        """(key,): what each chance is of."""
        return self.keys.names() if isinstance(self.keys, Pairs) else list(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Ratio(Estimate):
    """Clicks over expected clicks, 1 for what is clicked as often as others are there: no chance, it may be above 1."""

    def _quantile(self, share: float) -> Numbers:
        from scipy.special import gammaincinv

        known = self.worth > 0
        found = gammaincinv(1 + self.value * self.worth, share) / np.where(known, self.worth, 1.0)
        return np.where(known, found, np.nan)


def total(key: NDArray[np.int64], number: NDArray[Any], size: int) -> Numbers:
    """(key,): sums of numbers under their keys."""
    found: Any = np.bincount(key, number, minlength=size)
    return found


def weigh(weight: Numbers, number: Numbers) -> float:
    """The sum of weighted numbers; not by BLAS, whose threads wait for each other and change the last digits."""
    return float((weight * number).sum())


def _check(level: float) -> float:
    if not 0 < level < 1:
        raise ParameterError(f"the level {level} is not between 0 and 1", hint="for example 0.05")
    return level
