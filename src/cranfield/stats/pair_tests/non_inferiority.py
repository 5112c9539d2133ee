"""Non-inferiority tests: run b is worse than run a by less than a margin, if it is worse at all."""

from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from cranfield.core import ParameterError
from cranfield.stats.comparison.topic_outcomes import Outcomes, difference_interval, score_of_difference

from .base import Pairs
from .closed_form import PerPair, Spread
from .float_ties import SUM_ERROR, quotient, zero_within


class NonInferiority(NamedTuple):
    """(pair,): one-sided test of a margin.

    ``difference`` is b − a. ``low`` is how much *better* b is at least, with confidence 1 − level.
    """

    difference: PerPair
    low: PerPair
    p: PerPair


def check_margin(facet: str, margin: float) -> None:
    """Refuse a margin that is not a positive number, or not a proportion where the facet is one."""
    if not (isfinite(margin) and margin > 0):
        hint = "a margin is a number above 0: how much worse would not matter"
        raise ParameterError(f"the margin of {facet} cannot be {margin:g}", hint=hint)
    if facet == "answered" and margin >= 1:
        hint = "a share of the topics, such as .01 for one in a hundred"
        raise ParameterError(f"the margin of answered cannot be {margin:g}", hint=hint)


def answered_non_inferiority(first: Pairs, margin: float, level: float) -> NonInferiority:
    """Test the proportions of topics answered by Tango's score (tango1998)."""
    from scipy.special import ndtr

    outcomes = Outcomes.of(first)
    # tango1998: his test of equivalence is the score of a difference of −margin.
    p: PerPair = np.asarray(ndtr(-score_of_difference(outcomes, np.full(len(first), -margin))), dtype=float)
    low, _ = difference_interval(outcomes, level=2 * level)
    return NonInferiority(outcomes.difference, low, p)


def mean_non_inferiority(pairs: Pairs, margin: float, level: float, *, lower_is_better: bool = False) -> NonInferiority:
    """Test the means over the topics of both runs by t."""
    from scipy.special import stdtr

    spread = Spread.of(replace(pairs, a=pairs.b, b=pairs.a) if lower_is_better else pairs)
    inside = zero_within(spread.mean + margin, SUM_ERROR * margin)
    p: PerPair = np.asarray(stdtr(spread.n - 1, -quotient(inside, spread.error)), dtype=float)
    # Where every topic has the same difference there is no chance left: it lies inside of the margin, or it does not.
    p = np.where(spread.constant & (inside == 0), 1.0, p)
    return NonInferiority(pairs.mean_difference, spread.interval(1 - level)[0], p)
