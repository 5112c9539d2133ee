"""Many runs: how often is a difference claimed anywhere among those that are equal?"""

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.stats import (
    BenjaminiHochberg,
    BenjaminiYekutieli,
    Bonferroni,
    Correction,
    Hochberg,
    Holm,
    MaxT,
    Nemenyi,
    PairTest,
    RandomisedTukey,
    RankTukey,
    Scheffe,
    SignedRank,
    Tukey,
)
from tests.support.calibration.error_rates import CLOSE, LEVEL, Check, Rate
from tests.support.calibration.null_distributions import AP, APART, NORMAL, Data, Sets, draw_for, equal, exchange
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import corrected, joint, scaled
from tests.support.run_size import Size

ALL = "Many runs, all equal"
SOME = "Many runs, some of them different"
TOPICS, RUNS = 50, 6
FEW = 199  # draws: p ≤ .05 is exactly as frequent as it says
BETTER, FUSED = "two of six are better", "eight are near fusions of two"
MAX_T, STEP_DOWN = MaxT(draws=FEW), MaxT(draws=FEW, step_down=True)
CORRECTIONS: list[Correction] = [Bonferroni(), Holm(), Hochberg(), BenjaminiHochberg(), BenjaminiYekutieli()]


def all_equal(data: Data, sets: int) -> Sets:
    """Every value could have been any run's."""
    draw = draw_for("all equal", data.name)
    return exchange(draw, data.make(draw, TOPICS, sets, RUNS))


def some_equal(how: str, sets: int) -> tuple[Sets, NDArray[np.bool_]]:
    """Values of runs of which only some are equal, and which pairs these are."""
    draw = draw_for(how)
    if how == BETTER:
        values = AP.make(draw, TOPICS, sets, RUNS)
        values[..., :4] = exchange(draw, values[..., :4])
        values[..., 4:] += (0.3, 0.6)
        return values, equal(RUNS, range(4))
    two = exchange(draw, AP.make(draw, TOPICS, sets, 2))
    fused = two.mean(axis=2, keepdims=True) + 0.01 * np.arange(8) + draw.normal(0, 0.01, (TOPICS, sets, 8))
    return np.concatenate([two, fused], axis=2), equal(10, range(2))


def any_wrong(adjusted: NDArray[np.float64]) -> Rate:
    """How often one claim or more is made of pairs that are equal."""
    return Rate(np.any(adjusted <= LEVEL, axis=1, keepdims=True).T)


@pytest.mark.parametrize(
    ("test", "data"),
    [
        (RandomisedTukey(draws=FEW), AP),
        (Scheffe(), AP),
        (Scheffe(), NORMAL),
        (RankTukey(), AP),
        (RankTukey(), APART),
        (Nemenyi(), AP),
        (Nemenyi(), NORMAL),
    ],
    ids=str,
)
def test_equal_runs_are_seldom_told_apart(test: PairTest, data: Data, judge: Judge, size: Size) -> None:
    rate = any_wrong(joint(test, all_equal(data, scaled(size.draws, 200))))
    judge(ALL, test, data, TOPICS, rate, Check.at_most(LEVEL, rate))


@pytest.mark.parametrize("data", [AP, NORMAL], ids=str)
@pytest.mark.parametrize("test", [Tukey(), MAX_T], ids=str)  # stepping down, max-t begins with the same p
def test_those_that_hold_for_normal_or_symmetric_values_hold_nearly_for_others(
    test: PairTest, data: Data, judge: Judge, size: Size
) -> None:
    rate = any_wrong(joint(test, all_equal(data, scaled(size.draws, 200))))
    check = Check.at_most(LEVEL, rate) if data is NORMAL else Check.at_most(LEVEL, rate, by=CLOSE)
    judge(ALL, test, data, TOPICS, rate, check)


@pytest.mark.parametrize("data", [AP, NORMAL], ids=str)
@pytest.mark.parametrize("correction", CORRECTIONS, ids=str)
def test_so_are_corrected_tests_of_pairs(correction: Correction, data: Data, judge: Judge, size: Size) -> None:
    rate = any_wrong(corrected(correction, all_equal(data, scaled(size.draws, 200))))
    judge(ALL, f"t, {correction}", data, TOPICS, rate, Check.at_most(LEVEL, rate))


def test_a_correction_takes_any_test(judge: Judge, size: Size) -> None:
    rate = any_wrong(corrected(Holm(), all_equal(AP, scaled(size.draws, 100)), SignedRank()))
    judge(ALL, "signed-rank, holm", AP, TOPICS, rate, Check.at_most(LEVEL, rate))


@pytest.mark.parametrize("how", [BETTER, FUSED])
@pytest.mark.parametrize("correction", CORRECTIONS, ids=str)
def test_with_bonferroni_and_holm_some_runs_may_differ(
    correction: Correction, how: str, judge: Judge, size: Size
) -> None:
    values, same = some_equal(how, scaled(size.draws, 200))
    rate = any_wrong(corrected(correction, values)[:, same])
    claimed = isinstance(correction, Bonferroni | Holm)
    judge(SOME, f"t, {correction}", how, TOPICS, rate, Check.at_most(LEVEL, rate) if claimed else None)


@pytest.mark.parametrize("how", [BETTER, FUSED])
@pytest.mark.parametrize("test", [MAX_T, STEP_DOWN, Tukey(), RandomisedTukey(draws=FEW), Nemenyi()], ids=str)
def test_with_max_t_some_runs_may_differ(test: PairTest, how: str, judge: Judge, size: Size) -> None:
    claimed = isinstance(test, MaxT)
    values, same = some_equal(how, scaled(size.draws, 100 if claimed else 50))
    rate = any_wrong(joint(test, values)[:, same])
    judge(SOME, test, how, TOPICS, rate, Check.at_most(LEVEL, rate) if claimed else None)
