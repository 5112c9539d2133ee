"""Test whether the same proportion of rows or pages is damaged in each arm of a log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from cranfield.online.experiments.sample_ratio_checks import cross_table_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_EXPECTED = 25  # damaged units of each arm from which on the χ² test holds its level of 0.001


def arm_difference_p(removed: Mapping[str, float], totals: Mapping[str, float], together: float = 1.0) -> float:
    """Return the p-value of the hypothesis that the same proportion is removed from each arm.

    Both numbers are divided by ``together``, how many come together. The test is the χ² test; where an arm expects few,
    it is the smallest p-value of exact binomial tests of each arm's part of all removed, times the number of arms.
    """
    from scipy.stats import binomtest

    some: NDArray[np.float64] = np.array([removed[arm] for arm in totals]) / together
    everything: NDArray[np.float64] = np.array(list(totals.values())) / together
    parts = everything / everything.sum()
    if some.sum() * parts.min() >= MIN_EXPECTED:
        return cross_table_test(np.column_stack([some, everything - some]))[1]
    whole = np.rint(some).astype(int)
    if not whole.sum():
        return 1.0
    exact = [binomtest(int(count), int(whole.sum()), part).pvalue for count, part in zip(whole, parts, strict=True)]
    return float(min(1.0, len(exact) * min(exact)))


def extremes(shares: Mapping[str, float], what: str) -> str:
    """Return the arms with the largest and the smallest proportion, as the subject of a sentence."""
    low, high = (choose(shares, key=lambda arm: shares[arm]) for choose in (min, max))
    return f"{shares[high]:.1%} of the {what} of {high} and {shares[low]:.1%} of those of {low}"
