"""Differences pooled over collections, against what metafor says of the same effects."""

from functools import cache

import numpy as np
import pytest

from cranfield.stats import Pairs
from cranfield.stats.comparison.meta_analysis import Effects, Pooled, Tau, pool_effects
from tests.support.golden import meta_analysis_inputs
from tests.support.golden.golden_values import golden
from tests.support.golden.meta_analysis_inputs import PAIRS, TRIALS, UNIT
from tests.support.golden.r_comparison import Numbers, agree

CASES = ("trials", *meta_analysis_inputs.drawn(), *(f"{a}-{b}" for a, b in PAIRS))


@cache
def effects(case: str) -> tuple[Numbers, Numbers]:
    """(1, collection): effects and variances."""
    if case == "trials":
        a, b, c, d = np.array(TRIALS, dtype=float).T
        # The logarithm of the ratio of two risks.
        return np.log(a / (a + b) / (c / (c + d)))[None], (1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))[None]
    if case in meta_analysis_inputs.drawn():
        y, v = np.array(meta_analysis_inputs.drawn()[case]).T / UNIT
        return y[None], v[None]
    matrices = meta_analysis_inputs.collections().values()
    found = Effects.of([Pairs.given(np.array(rows), list(PAIRS)) for rows in matrices])
    place = [f"{a}-{b}" for a, b in PAIRS].index(case)
    return found.difference[place : place + 1], found.variance[place : place + 1]


@pytest.mark.parametrize("case", CASES)
def test_effects_are_means_with_the_variances_of_means(case: str) -> None:
    for ours, name in zip(effects(case), ("effect", "variance"), strict=True):
        agree(ours[0], golden("r_pooled")[case][name])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tau", ["reml", "dl"])
@pytest.mark.parametrize(("test", "widened"), [("knha", False), ("adhoc", True)])
def test_pooled_differences_are_those_of_metafor(case: str, tau: Tau, test: str, widened: bool) -> None:
    theirs, name = golden("r_pooled")[case], f"{tau} {test}"
    found = pool_effects(*effects(case), tau=tau, widened=widened)
    ours = [found.difference, found.error, found.low, found.high, found.p, found.tau2]
    # metafor stops at a step of 1e-15; what is left of τ² is far below the variances.
    agree(np.concatenate(ours), theirs[name], rel=1e-8, off=1e-12)
    agree(found.weight[0], theirs[f"{name} weight"], rel=1e-8)
    assert found.collections == len(theirs["effect"])
    narrow = pool_effects(*effects(case), tau=tau, widened=widened, level=0.2)
    agree(np.concatenate([narrow.low, narrow.high]), theirs[f"{name} 80 %"], rel=1e-8, off=1e-12)


def heterogeneity(found: Pooled) -> Numbers:
    return np.concatenate([found.q, found.df, found.p_heterogeneity, found.i2])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("tau", ["reml", "dl"])
def test_so_is_what_they_differ_by(case: str, tau: Tau) -> None:
    found = pool_effects(*effects(case), tau=tau)
    agree(heterogeneity(found), golden("r_pooled")[case]["heterogeneity"], off=1e-12)
    agree(found.fixed[0], golden("r_pooled")[case]["fixed"])


def test_pairs_are_pooled_at_once_as_they_are_alone() -> None:
    cases = [f"{a}-{b}" for a, b in PAIRS]
    together = pool_effects(*(np.concatenate(part) for part in zip(*map(effects, cases), strict=True)))
    for place, case in enumerate(cases):
        alone = pool_effects(*effects(case))
        for name in ("difference", "low", "high", "p", "tau2", "q", "weight"):
            np.testing.assert_allclose(getattr(together, name)[place], getattr(alone, name)[0], rtol=1e-12)
