"""Simulated error rates, the rates that a procedure claims, and the deviation that a check detects."""

from dataclasses import dataclass
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

LEVEL = 0.05
CLOSE = 0.01  # how near to its level a procedure is that holds it only nearly
# And one that draws topics again. At .01 BCa with 100 topics, whose rate is .0599 at full size, fails the small one by
# chance (.0612).
FAIR = 0.015
ERRORS = 3  # standard errors by which chance may carry a rate above the level
POWER = 0.9


@dataclass(frozen=True, eq=False)
class Rate:
    """How often a claim was wrong in simulations: (batch, simulation); batches are independent of each other.

    Within a batch all pairs share the draws of a test, and so a little of its luck: a single row says that they do not.
    """

    wrong: NDArray[np.bool_]

    @property
    def simulations(self) -> int:
        """How many there were."""
        return self.wrong.size

    @property
    def value(self) -> float:
        """The share of them in which the claim was wrong."""
        return float(self.wrong.mean())

    def error(self, level: float) -> float:
        """The standard error of the share, as if the truth were the level; what batches show, where that is more."""
        alone = sqrt(level * (1 - level) / self.simulations)
        batches = self.wrong.mean(axis=1)
        return max(alone, float(batches.std(ddof=1)) / sqrt(len(batches))) if len(batches) > 1 else alone

    def independent(self, level: float) -> int:
        """How many simulations that share nothing would say as much."""
        return round(level * (1 - level) / self.error(level) ** 2)


@dataclass(frozen=True, kw_only=True)
class Check:
    """The band in which a rate must lie, and the true rates for which it would not with a chance of 90 %."""

    simulations: int  # that share nothing
    lowest: float = 0.0
    highest: float = 1.0

    @classmethod
    def at_most(cls, level: float, rate: Rate, by: float | None = None) -> "Check":
        """No more than the level, give or take three standard errors; or nearly so, no more than ``by`` above it."""
        above = ERRORS * rate.error(level) if by is None else by
        return cls(simulations=rate.independent(level), highest=level + above)

    @classmethod
    def near(cls, level: float, rate: Rate, by: float = CLOSE) -> "Check":
        """No farther from the level than ``by``, chance included."""
        return cls(simulations=rate.independent(level), lowest=level - by, highest=level + by)

    def passes(self, rate: Rate) -> bool:
        """Whether the rate lies in the band."""
        return self.lowest - 1e-12 <= rate.value <= self.highest + 1e-12

    @property
    def most(self) -> int:
        """The largest number of wrong claims that passes."""
        return floor(self.simulations * self.highest + 1e-9)

    @property
    def least(self) -> int:
        """The smallest number of wrong claims that passes."""
        return ceil(self.simulations * self.lowest - 1e-9)

    @property
    def caught_above(self) -> float:
        """The smallest true rate above the band with P(more than ``most``) = .9; 1 where nothing is too much."""
        # A binomial exceeds c with the chance I_r(c + 1, n − c) of the beta distribution.
        return float(betaincinv(self.most + 1, self.simulations - self.most, POWER)) if self.highest < 1 else 1.0

    @property
    def caught_below(self) -> float:
        """The largest true rate below the band with P(fewer than ``least``) = .9; 0 where nothing is too little."""
        if not self.lowest:
            return 0.0
        return float(betaincinv(self.least, self.simulations - self.least + 1, 1 - POWER))

    @property
    def band(self) -> str:
        """The band in words."""
        return f"{self.lowest:.4f} to {self.highest:.4f}" if self.lowest else f"≤ {self.highest:.4f}"

    @property
    def caught(self) -> str:
        """What would be noticed, in words."""
        return f"< {self.caught_below:.4f}, > {self.caught_above:.4f}" if self.lowest else f"> {self.caught_above:.4f}"
