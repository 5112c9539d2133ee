"""Prediction interval for the difference in another collection, from the confidence distribution of τ²."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Rows

Cells: TypeAlias = NDArray[np.float64]  # (pair, collection)

MIN_COLLECTIONS = 3
GRID = 160  # values of τ² at which its distribution is computed
TAIL = 1e-5  # probability of τ² beyond either end of the grid
NEGLIGIBLE = 1e-4  # τ² relative to the mean variance, below which it counts as 0
BISECTIONS = 50
MAX_CELLS = 2_000_000  # of an array (pair, τ², collection): 16 MB


def prediction_interval(y: Cells, v: Cells, there: NDArray[np.bool_], level: float) -> tuple[Rows, Rows]:
    """Return the ends of the interval for the difference in another collection, NaN for fewer than three collections.

    With τ² at its true value, Q(τ²) = Σ (y − m)² / (v + τ²) has χ² with k − 1 degrees of freedom. So
    P(χ² ≥ Q(t)) is a confidence distribution of τ² (viechtbauer2007). The interval holds the middle of a mixture over
    that distribution, of t with k − 1 degrees of freedom around m(τ²) with variance τ² + 1 / Σ w (after nagashima2019).
    An interval from a single estimate of τ², which is often 0, misses up to 16% instead of 5%.

    Parameters
    ----------
    y, v
        (pair, collection): effects and their variances.
    there
        (pair, collection): which collections count.
    level
        The interval has confidence 1 − level.
    """
    low, high = np.full((2, len(y)), np.nan)
    enough = np.flatnonzero(there.sum(axis=1) >= MIN_COLLECTIONS)
    step = max(1, MAX_CELLS // (GRID * y.shape[1]))
    for start in range(0, len(enough), step):
        part = enough[start : start + step]
        low[part], high[part] = _interval(y[part], v[part], there[part], level)
    return low, high


def _interval(y: Cells, v: Cells, there: NDArray[np.bool_], level: float) -> tuple[Rows, Rows]:
    from scipy.special import chdtrc

    df = there.sum(axis=1)[:, None] - 1
    tau2 = _grid(y, v, there)
    mean, error, q = _at(y, v, there, tau2)
    reached = chdtrc(df, q)  # P(τ² up to each value of the grid)
    reached[:, -1] = 1.0
    mass = np.diff(reached, axis=1, prepend=0.0)
    # A step of the grid is represented by its upper end: the interval is rather too wide than too narrow.
    spread = np.sqrt(tau2 + error)
    return tuple(_quantile(mean, spread, mass, df, chance) for chance in (level / 2, 1 - level / 2))  # type: ignore[return-value]  # two


def _grid(y: Cells, v: Cells, there: NDArray[np.bool_]) -> Cells:
    """Return (pair, GRID): 0, then values of τ² in equal ratios that cover its distribution."""
    from scipy.special import chdtri

    k = there.sum(axis=1)
    centre = (y * there).sum(axis=1) / k
    squares = (np.where(there, y - centre[:, None], 0.0) ** 2).sum(axis=1)
    unit = v.sum(axis=1) / k
    least = np.maximum(NEGLIGIBLE * unit, squares / chdtri(k - 1, TAIL))
    most = np.maximum(squares / chdtri(k - 1, 1 - TAIL), 10 * least)
    ratio = np.where(least > 0, most / np.where(least > 0, least, 1.0), 1.0)
    return np.concatenate(
        [np.zeros((len(y), 1)), least[:, None] * ratio[:, None] ** np.linspace(0, 1, GRID - 1)], axis=1
    )


def _at(y: Cells, v: Cells, there: NDArray[np.bool_], tau2: Cells) -> tuple[Cells, Cells, Cells]:
    """Return (pair, τ²): the pooled mean, its variance, and Q."""
    total = v[:, None, :] + tau2[:, :, None]
    exact = ~(total > 0) & there[:, None, :]
    weight = np.where(there[:, None, :], 1 / np.where(total > 0, total, 1.0), 0.0)
    sums = weight.sum(axis=2)
    mean = (weight * y[:, None, :]).sum(axis=2) / sums
    q = (weight * (y[:, None, :] - mean[:, :, None]) ** 2).sum(axis=2)
    flat = exact.any(axis=2)  # no variance at all: τ² = 0 fits equal effects only
    return mean, np.where(flat, 0.0, 1 / sums), np.where(flat & (q > 0), np.inf, q)


def _quantile(mean: Cells, spread: Cells, mass: Cells, df: NDArray[np.int64], chance: float) -> Rows:
    """Return the quantile of a mixture of t distributions for each pair."""
    from scipy.special import stdtr, stdtrit

    ends = mean + stdtrit(df, chance) * spread
    low, high = ends.min(axis=1), ends.max(axis=1)
    safe = np.where(spread > 0, spread, 1.0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        away = middle[:, None] - mean
        below = (mass * np.where(spread > 0, stdtr(df, away / safe), away >= 0)).sum(axis=1)
        low, high = np.where(below < chance, middle, low), np.where(below < chance, high, middle)
    return (low + high) / 2
