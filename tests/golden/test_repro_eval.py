"""Runs that were made again, beside repro_eval."""

import numpy as np
import pytest

from cranfield.measures import rbo, tau_union
from cranfield.stats import Asked
from cranfield.stats.comparison.reproducibility import improvements, replicated, reproduced
from tests.support.golden.golden_values import golden
from tests.support.golden.reproduction_inputs import P, made_again, scores

EXACT = 1e-12
RANKINGS = [(name, int(depth)) for name, depths in golden("repro_eval")["rankings"].items() for depth in depths]


@pytest.mark.parametrize(("name", "depth"), RANKINGS)
def test_the_order_of_the_union_is_that_of_repro_eval(name: str, depth: int) -> None:
    theirs = golden("repro_eval")["rankings"][name][str(depth)]["tau"]
    assert tau_union(*made_again()[name], depth=depth) == pytest.approx(theirs, abs=EXACT)


@pytest.mark.parametrize(("name", "depth"), RANKINGS)
def test_the_overlap_is_that_of_repro_eval(name: str, depth: int) -> None:
    original, run = made_again()[name]
    shared = len(set(original[:depth]) & set(run[:depth])) / depth
    seen = rbo(original, run, p=P, depth=depth).extrapolated - P**depth * shared  # without what is extrapolated
    theirs = golden("repro_eval")["rankings"][name][str(depth)]["rbo"]
    assert seen / (1 - P**depth) == pytest.approx(theirs, abs=EXACT)


@pytest.mark.parametrize("name", golden("repro_eval")["scores"])
def test_values_and_improvements_are_those_of_repro_eval(name: str) -> None:
    theirs = golden("repro_eval")["scores"][name]
    base, advanced, new_base, new_advanced = map(np.array, scores()[name])
    asked, paired = Asked(), len(base) == len(new_base)
    before, after = np.column_stack([base, advanced]), np.column_stack([new_base, new_advanced])
    told = {one.statistic: one for one in improvements(before, after, paired=paired, asked=asked, draws=200)}
    for statistic in ("effect-ratio", "delta-ri"):
        assert told[statistic].value == pytest.approx(theirs[statistic], abs=EXACT)
        assert told[statistic].low < told[statistic].value < told[statistic].high
    (apart,) = replicated(advanced, new_advanced, asked=asked)
    assert apart.p == pytest.approx(theirs["p welch"], rel=1e-9)
    assert apart.value == pytest.approx(new_advanced.mean() - advanced.mean(), abs=EXACT)
    if paired:
        difference, rmse = reproduced(advanced, new_advanced, asked=asked, draws=200)
        assert difference.p == pytest.approx(theirs["p paired"], rel=1e-9)
        assert rmse.value == pytest.approx(theirs["rmse"], abs=EXACT)
        assert rmse.low < rmse.value < rmse.high
