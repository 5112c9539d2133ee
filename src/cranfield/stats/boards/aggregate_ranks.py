"""Ranks of runs by their aggregate value, with ties and the direction of the measure."""

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction
from cranfield.data import Values

NEAR = 1e-12  # means as near as this, beside the largest, are equal numbers that were added up in different order


def good_values(values: Values, i: int = 0) -> NDArray[np.float64]:
    """(run,): what one of the measures sums up to, more being better."""
    sums = values.aggregate()[:, i]
    return -sums if values.measures[i].direction is Direction.LOWER else sums


def ranks_of(good: NDArray[np.float64]) -> NDArray[np.float64]:
    """(run,): one more than the number of better runs; NaN where a run has no value."""
    slack = NEAR * np.nan_to_num(np.abs(good)).max(initial=0.0)
    ordered = np.sort(good[~np.isnan(good)])
    rank = len(ordered) - np.searchsorted(ordered, good + slack, side="right") + 1.0
    return np.where(np.isnan(good), np.nan, rank)
