"""Probabilities estimated from counts, with Beta intervals."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.online.logs.topic_documents import Pairs

Numbers = NDArray[np.float64]
LEVEL = 0.05
SMALLEST = 1e-9  # chance that is drawn
PRIOR_WEIGHT = 2.0  # observations that a prior counts as where the log does not determine it


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """A prior that counts as ``a`` successes and ``b`` failures: Beta(a, b), one for all parameters or one for each."""

    a: float | Numbers = 1.0
    b: float | Numbers = 1.0

    @classmethod
    def at(cls, mean: float | Numbers, weight: float = PRIOR_WEIGHT) -> "Prior":
        """Return a prior with a given mean that counts as so many observations."""
        return cls(weight * mean, weight * (1 - mean))

    def ordered(self, order: NDArray[np.int64]) -> "Prior":
        """Return the prior of parameters in another order."""
        a, b = (one[order] if isinstance(one, np.ndarray) else one for one in (self.a, self.b))
        return Prior(a, b)

    @property
    def mean(self) -> float | Numbers:
        """The proportion of successes, which is the value of a parameter without data."""
        return self.a / (self.a + self.b)

    def posterior_mode(self, num: Numbers, den: Numbers) -> Numbers:
        """Return (a + num) / (a + b + den)."""
        return (self.a + num) / (self.a + self.b + den)

    def log_density(self, value: Numbers) -> float:
        """Return the sum of the log densities, up to a constant; parameters held at 1 have none."""
        free = np.where(value < 1, value, 0.5)
        return float(np.where(value < 1, self.a * np.log(free) + self.b * np.log1p(-free), 0.0).sum())

    def information(self, value: Numbers) -> Numbers:
        """Return minus the second derivative of the log density."""
        return self.a / value**2 + self.b / (1 - value) ** 2


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Probabilities, each with the number of direct observations that it is worth, the prior's included.

    Its distribution is Beta(value·worth, (1 − value)·worth), whose mean is the value. An impression whose examination
    is uncertain is worth less than one observation.
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
        low, high = self._quantile(_check(level) / 2), self._quantile(1 - level / 2)
        return np.minimum(low, self.value), np.maximum(high, self.value)  # a mean may lie outside of both tails

    def lower(self, level: float = LEVEL) -> Numbers:
        """(key,): the bound below which the chance lies with a chance of ``level`` alone."""
        return self._quantile(_check(level))

    def _quantile(self, share: float) -> Numbers:
        from scipy.special import betaincinv

        known = (self.worth > 0) & (self.worth < np.inf)
        value, worth = np.where(known, self.value, 0.5), np.where(known, self.worth, 1.0)
        unknown = np.where(self.worth > 0, self.value, share)  # without any observation: uniform
        return np.where(known, betaincinv(value * worth, (1 - value) * worth, share), unknown)

    def times(self, other: "Chances") -> "Chances":
        """The product, key by key; its worth follows from both (delta method)."""
        value = self.value * other.value
        spread = other.value**2 * self.variance() + self.value**2 * other.variance()
        return Chances(value, value * (1 - value) / spread, self.prior * other.prior)

    def variance(self) -> Numbers:
        """Return the variance (key,) of each probability."""
        with np.errstate(divide="ignore"):  # what is worth nothing may be anything
            return self.value * (1 - self.value) / self.worth


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Chances):
    """Chances of one kind with what they were counted from: ``value = (a + num) / (a + b + den)``."""

    num: Numbers  # (key,): how often it happened, or was expected to have
    den: Numbers  # (key,): how often it could have
    keys: Pairs | tuple[str, ...]

    def draw(self, stream: np.random.Generator) -> "Estimate":
        """Return the same parameters with values drawn from their distributions, uniform where nothing is observed."""
        known = self.worth > 0
        a, b = (np.where(known, share * self.worth, 1.0) for share in (self.value, 1 - self.value))
        value = stream.beta(np.maximum(a, SMALLEST), np.maximum(b, SMALLEST))
        return replace(self, value=np.clip(value, SMALLEST, 1 - SMALLEST))

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
