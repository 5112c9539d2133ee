"""Pairs of runs with the same difference in every topic, for which t is infinite whatever the number of topics."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Rows
from cranfield.stats.pair_tests.base import Answer, Pairs, PairTest
from cranfield.stats.pair_tests.closed_form import Spread
from cranfield.stats.pair_tests.non_inferiority import NonInferiority


def constant_differences(pairs: Pairs, test: PairTest, answer: Answer) -> NDArray[np.bool_]:
    """Return the pairs (pair,) whose difference is the same in every topic, not 0, and the only source of the error.

    The sign test and the rank-sum test do not estimate an error from the differences. A joint test may take its error
    from other runs.
    """
    spread = Spread.of(pairs.complete() if test.joint else pairs)
    constant = spread.constant & (spread.mean != 0)
    return constant & (np.isinf(answer.statistic) if test.joint else test.interval_of_values)


def bound_constant(answer: Answer, constant: NDArray[np.bool_], topics: NDArray[np.int64], level: float) -> Answer:
    """Return the answer with p no smaller than that of the exact randomisation test where the difference is constant.

    Of the 2ⁿ ways to give signs to n equal differences 2 have a mean as far from 0, so p = 2^(1−n). Tests that estimate
    the error from the differences have p = 0 or nearly so, even with two topics. There is no interval where the bound
    exceeds ``level``.
    """
    if not constant.any():
        return answer
    bound = exact_p(topics)
    open_ended = constant & (bound > level)

    def ends(end: Rows | None) -> Rows | None:
        return None if end is None else np.where(open_ended, np.nan, end)

    def at_least(p: Rows) -> Rows:
        return np.where(constant, np.maximum(p, bound), p)

    adjusted = None if answer.adjusted is None else at_least(answer.adjusted)
    return replace(answer, p=at_least(answer.p), adjusted=adjusted, low=ends(answer.low), high=ends(answer.high))


def bound_non_inferiority(tested: NonInferiority, pairs: Pairs, level: float) -> NonInferiority:
    """Return the one-sided test of a margin with p no smaller than the exact one where the difference is constant."""
    spread = Spread.of(pairs)
    constant, bound = spread.constant & (spread.mean != 0), exact_p(spread.n) / 2
    p = np.where(constant, np.maximum(tested.p, bound), tested.p)
    return tested._replace(p=p, low=np.where(constant & (bound > level), np.nan, tested.low))


def exact_p(units: NDArray[np.int64]) -> Rows:
    """Return the two-sided p of the exact randomisation test for so many equal differences: 2^(1−n)."""
    return np.exp2(1.0 - np.maximum(units, 1))
