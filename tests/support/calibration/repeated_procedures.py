"""Tests, intervals and corrections applied to many simulations of equal runs."""

from collections.abc import Callable
from itertools import combinations
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.stats import Asked, Correction, Interval, Method, Omnibus, Pairs, PairTest, T
from tests.support.calibration.null_distributions import Sets, all_pairs

BATCHES = 20  # each with a seed of its own: within one, all pairs share the draws
DRAWS = 999  # of a test: with these, p ≤ .05 and p ≤ .01 are exactly as frequent as they say

Make: TypeAlias = Callable[[int, int], Pairs]  # how many pairs, and in which batch


def scaled(draws: int, each: int) -> int:
    """How many simulations, for a size of the tests: errors shrink with the root of their number, and time is dear."""
    return round(each * sqrt(draws))


def p_values(test: PairTest, make: Make, simulations: int) -> NDArray[np.float64]:
    """(batch, simulation): what a test of pairs says; a single batch where nothing is drawn, and so nothing shared."""
    each = simulations // BATCHES
    found = [test.compare(make(each, batch), Asked(seed=batch, threads=1)).p for batch in range(BATCHES)]
    return np.stack(found) if shares_draws(test) else np.concatenate(found)[None]


def misses(interval: Interval, make: Make, simulations: int) -> NDArray[np.bool_]:
    """(batch, simulation): whether an interval leaves out the true mean, which is 0."""
    found = []
    for batch in range(BATCHES):
        low, high = interval.of(make(simulations // BATCHES, batch), Asked(seed=batch, threads=1))
        found.append((low > 0) | (high < 0))
    return np.stack(found) if shares_draws(interval) else np.concatenate(found)[None]


def shares_draws(method: Method) -> bool:
    """Whether all pairs of a call share what is drawn."""
    return hasattr(method, "draws") and getattr(method, "exact", "") != "always"


def joint(test: PairTest, values: Sets) -> NDArray[np.float64]:
    """(set, pair): what a procedure for all pairs at once says; every set has draws of its own."""
    runs = values.shape[2]
    a, b = np.array(list(combinations(range(runs), 2))).T
    found = []
    for i in range(values.shape[1]):
        answer = test.compare(Pairs(np.ascontiguousarray(values[:, i]), a, b), Asked(seed=i, threads=1))
        assert answer.adjusted is not None
        found.append(answer.adjusted)
    return np.stack(found)


def corrected(correction: Correction, values: Sets, test: PairTest | None = None) -> NDArray[np.float64]:
    """(set, pair): the p-values of t, or of another test, corrected over the pairs of a set."""
    p = (test or T()).compare(all_pairs(values), Asked(threads=1)).p
    return np.stack([correction.adjust(family) for family in p.reshape(values.shape[1], -1)])


def omnibus(analysis: Omnibus, values: Sets) -> dict[str, NDArray[np.float64]]:
    """(set,): p of each row of an analysis."""
    found = [analysis.sources(np.ascontiguousarray(values[:, i])) for i in range(values.shape[1])]
    return {rows[0].source: np.array([row.p for row in rows]) for rows in zip(*found, strict=True)}
