"""Wilson score interval for proportions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def score_interval(part: Any, whole: Any, z: float) -> tuple[Floats, Floats]:
    """Wilson's interval of shares (wilson1927), ``z`` standard errors up and down; NaN of nothing.

    Its ends are exact where all are counted or none; floats alone would miss them by a bit.
    """
    n = np.where(np.asarray(whole) > 0, whole, np.nan)
    share, z2 = part / n, z**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * share * (1 - share) / n + (z2 / (2 * n)) ** 2) / (1 + z2 / n)
    return np.where(part == 0, 0.0 * share, middle - half), np.where(part == whole, share, middle + half)
