"""Checks of the assumptions of tests and of analyses of variance, such as skew and equal variances."""

from dataclasses import dataclass
from math import nan

import numpy as np

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.stats.estimates.moments import Moments
from cranfield.stats.pair_tests.base import LEVEL, Pairs
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, TIE, largest, power_of_two, zero_within

STUDIED = 25  # topics: from here on, urbano2019errors found t and randomisation to keep their level
# cochran1977: a 95 % interval of the mean is wrong in at most 6 % of samples where n > 25 · skew².
COCHRAN = 25
# blanca2017: up to here, F kept within 2.5 % and 7.5 % at a level of 5 %, for as few as 5 values in a group.
SKEW, KURTOSIS = 2.0, 6.0
LARGE = 20  # topics: from here on, ferro2024 §4.2.5 takes F to hold whatever the distribution is
# bradley1978, the liberal criterion: a test is robust while its true level is at most half as much again as its level.
TOLERABLE = 1.5
RARE = 0.05  # of the pairs: fewer than these may break a rule by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One assumption: what was found, whether it matters here, and why."""

    check: str
    value: float
    p: float = nan
    matters: bool
    why: str


def assumptions(values: Matrix, *, level: float = LEVEL) -> tuple[Finding, ...]:
    """What tests and analyses assume of values (topic, run), question by question.

    Topics in which a run has no value are left out.
    """
    values = np.asarray(values, dtype=float)
    whole = values[~np.isnan(values).any(axis=1)]
    if len(whole) < 2 or whole.shape[1] < 2:
        message = f"{len(whole)} topics with values of {whole.shape[1]} runs tell nothing of how they spread"
        raise ParameterError(message, hint="give two topics and two runs or more, with a value for each")
    scaled = whole / power_of_two(whole)
    pairs = Pairs.every(scaled)
    errors = scaled - scaled.mean(axis=0) - scaled.mean(axis=1, keepdims=True) + scaled.mean()
    errors = zero_within(errors, SUM_ERROR)
    shape = Moments.of(errors.reshape(1, -1))
    return (
        _topics(len(whole), len(values) - len(whole)),
        _differences(pairs),
        _tails("skew of the errors", float(shape.skew[0]), SKEW, len(whole)),
        _tails("kurtosis of the errors", float(shape.kurtosis[0]), KURTOSIS, len(whole)),
        _spreads(errors, pairs, level),
        _ties(pairs),
        _ends(whole),
    )


def _topics(topics: int, left_out: int) -> Finding:
    few = topics < STUDIED
    if few:
        why = f"the study of t on retrieval data looked at no fewer than {STUDIED} topics (urbano2019errors)"
    else:
        why = f"from {STUDIED} topics up, t and randomisation keep their level on retrieval data (urbano2019errors)"
    gaps = f"; {left_out} without a value for every run are left out" if left_out else ""
    return Finding(check="topics", value=topics, matters=few, why=why + gaps)


def _differences(pairs: Pairs) -> Finding:
    """Cochran's rule for the mean difference of each pair; the skew told is one that few pairs exceed."""
    skew = np.abs(np.concatenate([Moments.of(block.difference, block.scale).skew for block in pairs.blocks()]))
    broken = int((len(pairs.values) <= COCHRAN * skew**2).sum())
    rule = f"topics > {COCHRAN} · skew² (cochran1977)"
    share = broken / len(pairs)
    if not broken:
        why = f"{rule} holds for every pair: t and its interval are safe"
    elif share <= RARE:
        why = f"{rule} fails for {broken:,} of {len(pairs):,} pairs, too few to matter"
    elif len(pairs.values) < STUDIED:
        why = f"{rule} fails for {broken:,} of {len(pairs):,} pairs: t and its interval may be off; sign asks less"
    else:
        why = (
            f"{rule} fails for {broken:,} of {len(pairs):,} pairs: the t test stands it from {STUDIED} topics up "
            "(urbano2019errors), but its interval misses more often on one side than on the other"
        )
    value = float(np.quantile(skew, 1 - RARE))
    return Finding(check="skew of the differences", value=value, matters=share > RARE, why=why)


def _tails(check: str, value: float, most: float, topics: int) -> Finding:
    """A shape of the two-way errors, against what F is known to stand."""
    far = abs(value) > most
    matters = far and topics < LARGE
    if not far:
        why = f"up to {most:g} F keeps its level from 5 topics up (blanca2017)"
    elif matters:
        why = f"beyond {most:g} F is known to hold from {LARGE} topics up only (ferro2024): look at Friedman too"
    else:
        why = f"beyond {most:g}, but with {LARGE} topics or more F holds all the same (ferro2024, carterette2012)"
    return Finding(check=check, value=value, matters=matters, why=why)


def _spreads(errors: Matrix, pairs: Pairs, level: float) -> Finding:
    """Brown and Forsythe's test of equal spread, and what one common error does to single pairs."""
    variance = Moments.of(errors.T).sd ** 2
    ratio = _times(float(variance.max()), float(variance.min()))
    p = _brown_forsythe(errors)
    worst = _true_level(pairs, level)
    matters = p <= level and worst > TOLERABLE * level
    if not p <= level:  # NaN too
        why = "the errors of the runs spread alike, as far as these topics tell"
    elif matters:
        why = (
            f"F stands it with equal numbers of topics (ferro2024), but under one common error one pair in "
            f"{round(1 / RARE)} is tested at {worst:.2g} or more instead of {level:g}: t or max-t has an error for each"
        )
    else:
        why = f"the errors spread unevenly, but under one common error hardly a pair is tested above {worst:.2g}"
    return Finding(check="largest by smallest variance", value=ratio, p=p, matters=matters, why=why)


def _true_level(pairs: Pairs, level: float) -> float:
    """The level at which pairs are really tested under one common error: that which few pairs exceed."""
    from scipy.special import ndtr, ndtri

    variance = np.concatenate([Moments.of(block.difference, block.scale).sd ** 2 for block in pairs.blocks()])
    common = float(variance.mean())  # twice the error of the two-way analysis
    if common == 0:
        return level
    # An error too small by the root of the ratio makes a difference look that much larger.
    true = 2 * ndtr(ndtri(level / 2) / np.sqrt(np.maximum(variance / common, SUM_ERROR)))
    return float(np.quantile(true, 1 - RARE))


def _brown_forsythe(errors: Matrix) -> float:
    """The p of the one-way analysis of how far errors lie from their run's median; NaN if all as far (brown1974)."""
    from scipy.special import fdtrc

    topics, runs = errors.shape
    off = np.abs(errors - np.median(errors, axis=0))
    between = topics * float(((off.mean(axis=0) - off.mean()) ** 2).sum()) / (runs - 1)
    within = float(((off - off.mean(axis=0)) ** 2).sum()) / (runs * (topics - 1))
    if between <= SUM_ERROR**2:
        return 1.0
    if within <= SUM_ERROR**2:  # as in every matrix of two topics
        return nan
    return float(fdtrc(runs - 1, runs * (topics - 1), between / within))


def _times(most: float, least: float) -> float:
    """How many times the least the most is: 1 where both are 0."""
    if least > 0:
        return most / least
    return 1.0 if most == 0 else float("inf")


def _ties(pairs: Pairs) -> Finding:
    ties = sum(int((block.difference == 0).sum()) for block in pairs.blocks())
    share = ties / (len(pairs) * len(pairs.values))
    many = share >= 0.5
    if many:
        why = "half of the differences or more are 0: sign and signed-rank speak of the rest only, the median of none"
    elif share:
        why = "sign and signed-rank leave these out and name the topics that are left; t and randomisation keep them"
    else:
        why = "no two runs have the same value in a topic"
    return Finding(check="share of ties", value=share, matters=many, why=why)


def _ends(values: Matrix) -> Finding:
    """How many values lie at 0 or 1; what that does shows in skew and variances, so that it never matters by itself."""
    ends = (values == 0) | (np.abs(values - 1) <= TIE)
    low, high = float(values.min()), float(values.max())
    why = f"values from {low:.3g} to {high:.3g}: "
    if low < -SUM_ERROR * largest(values) or high > 1 + SUM_ERROR:
        why += "they go beyond 0 and 1, and transforms of shares are not for them"
    else:
        why += "bounds make errors skewed and uneven, which F stands well (carterette2012); see above"
    return Finding(check="share at 0 or 1", value=float(ends.mean()), matters=False, why=why)
