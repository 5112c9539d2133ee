"""The power of the paired t-test, computed from the noncentral t distribution."""

import numpy as np
from scipy import stats


def power_of_t(topics: int, difference: float, variance: float, level: float = 0.05) -> float:
    """From the noncentral t distribution, both tails."""
    shift = np.sqrt(topics / variance) * difference
    limit = stats.t.isf(level / 2, topics - 1)
    return float(stats.nct.sf(limit, topics - 1, shift) + stats.nct.cdf(-limit, topics - 1, shift))
