"""The distribution of the studentised range."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Rows

FLOOR: Final = 1e-10  # smaller chances are given as this one, and shown as < 1e-10

NEIGHBOURS = 8  # through which a polynomial runs
NOTHING = 40.0  # e^−40 adds nothing to a float
FAR = log(20.0)  # a million normal numbers span more with a chance of 1e-33
ENDLESS = 1e8  # degrees of freedom that are as good as ∞


@dataclass(frozen=True, slots=True)
class StudentisedRange:
    """The range of ``k`` independent normal numbers, divided by an estimate of their standard deviation.

    The estimate has ``df`` degrees of freedom; with ∞ it is the standard deviation itself.
    """

    k: int
    df: float = inf

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ParameterError(f"a range of {self.k} numbers", hint="it takes two or more")
        if not self.df >= 1:
            raise ParameterError(f"a standard deviation with {self.df:g} degrees of freedom", hint="it takes 1 or more")

    def sf(self, q: float | Rows) -> Rows:
        """The chance of a studentised range of ``q`` or more, never below ``FLOOR``."""
        q = np.asarray(q, dtype=float)
        with np.errstate(divide="ignore"):
            log_sf = self._table(np.log(np.maximum(q, 0.0)))
        return np.where(q > 0, np.clip(np.exp(log_sf), FLOOR, 1.0), 1.0)

    def log10_sf(self, q: float | Rows) -> Rows:
        """Its decimal logarithm."""
        return np.log10(self.sf(q))

    def isf(self, level: float) -> float:
        """The ``q`` that is reached or passed with the chance ``level``."""
        if not FLOOR <= level < 1:
            raise ParameterError(f"there is no critical range for a level of {level:g}", hint="give 1e-10 to 1")
        table = self._table
        # The first entry below the level ends the step in which q lies; each look divides the step by a thousand.
        end = max(1, int(np.argmax(table.even < log(level))))
        low, high = table.start + table.step * np.array([end - 1, end])
        for _ in range(4):
            steps = np.linspace(low, high, 1001)
            passed = np.clip(np.searchsorted(-table(steps), -log(level)), 1, 1000)
            low, high = steps[passed - 1], steps[passed]
        return float(np.exp(high))

    @property
    def _table(self) -> "Smooth":
        return _studentised(self.k, self.df if self.df < ENDLESS else inf)


@dataclass(frozen=True, eq=False)
class Smooth:
    """A smooth function known at equal steps: between them a polynomial through the nearest eight, level beyond."""

    even: Rows  # its values at start, start + step, …
    start: float
    step: float

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """(order, place): the values, their differences, the differences of these, and so on."""
        table = np.zeros((NEIGHBOURS, len(self.even)))
        table[0] = self.even
        for order in range(1, NEIGHBOURS):
            table[order, :-order] = np.diff(table[order - 1, : len(self.even) - order + 1])
        return table

    def __call__(self, x: Rows) -> Rows:
        """Newton's form of the polynomial."""
        last = len(self.even) - 1
        place = np.clip((x - self.start) / self.step, 0.0, last)
        first = np.clip(place.astype(np.intp) - NEIGHBOURS // 2 + 1, 0, last - NEIGHBOURS + 1)
        found, factor = np.zeros_like(place), np.ones_like(place)
        for order in range(NEIGHBOURS):
            found += factor * self.differences[order, first]
            factor *= (place - first - order) / (order + 1)
        return found


@lru_cache(maxsize=64)
def _range(k: int) -> Smooth:
    """The log of the chance that k normal numbers span r or more, over log r.

    Given the largest number z, the others lie below it with Φ(z) and all within r with Φ(z) − Φ(z − r), each:

        P(range ≥ r) = ∫ k φ(z) Φ(z)^(k−1) (1 − (1 − Φ(z − r)/Φ(z))^(k−1)) dz

    Nothing cancels, so the far tail is as exact as the rest; and the sum over an even grid converges like e^(−c/step).
    """
    from scipy.special import ndtr, ndtri

    step = min(0.02, 0.045 / log(k))  # most of the change happens within 1/ln k
    # Below the first entry all k lie within r with a chance of about √k (r/√2π)^(k−1) < e^−40.
    start = log(sqrt(2 * np.pi)) - (NOTHING + 0.5 * log(k)) / (k - 1)
    r = np.exp(start + step * np.arange((FAR - start) // step + NEIGHBOURS))
    dz = 0.35 / sqrt(2 * log(k))  # the largest of k varies by about 1/√(2 ln k)
    z = np.arange(float(ndtri(np.exp(-NOTHING / (k - 1)))), np.exp(FAR) / 2 + sqrt(2 * NOTHING), dz)[:, None]
    below = ndtr(z)
    weight = dz * k / sqrt(2 * np.pi) * np.exp(-(z**2) / 2) * below ** (k - 1)
    with np.errstate(divide="ignore"):  # where r is so small that z − r = z, all is outside
        outside = -np.expm1((k - 1) * np.log1p(-ndtr(z - r) / below))
    return Smooth(np.log(np.minimum((weight * outside).sum(axis=0), 1.0)), start, step)


@lru_cache(maxsize=64)
def _studentised(k: int, df: float) -> Smooth:
    """The log of the chance that the studentised range is q or more, over log q.

    With s the estimate over the true standard deviation, P(q) = E P(range ≥ q s): in log q a convolution with the
    density of log s, which is proportional to e^(df (u − e^(2u)/2)); again a sum over an even grid.
    """
    known = _range(k)
    if df == inf:
        return known
    # The density varies by 1/√(2 df), and the tail of the range by 1/r: the steps are shorter than either.
    parts = int(np.ceil(known.step * sqrt(2 * df + 200) / 0.7))
    step = known.step / parts
    u = step * np.arange(-np.ceil((1.5 * NOTHING / df + 0.5) / step), np.ceil(2.5 / step))
    exponent = df * (u - np.expm1(2 * u) / 2)
    kept = exponent > -1.5 * NOTHING
    u, density = u[kept], np.exp(exponent[kept])
    density /= density.sum()
    # At the end neither so small an s nor so long a range has a chance above a hundredth of the floor.
    tiny = FLOOR / 100
    small, long = np.argmax(density.cumsum() > tiny), np.argmax(known.even < log(tiny))
    start = known.start - u[-1]
    count = int((known.start + known.step * long - u[small] - start) / known.step) + NEIGHBOURS
    spans = np.exp(known(start + u[0] + step * np.arange(count * parts + len(u))))
    found = np.convolve(spans, density[::-1], "valid")[: count * parts : parts]
    return Smooth(np.log(np.minimum(found, 1.0)), start, known.step)
