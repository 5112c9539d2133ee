"""Distributions, corrections and plans, against what base R says of them."""

from math import ceil
from typing import Literal

import numpy as np
import pytest

from cranfield.stats import (
    CORRECTIONS,
    PairedT,
    Range,
    StudentisedRange,
    Width,
)
from cranfield.stats.estimates.distribution_tails import chi2_tail, f_tail
from tests.support.golden.golden_values import golden
from tests.support.golden.r_comparison import FLOOR, PTUKEY, PTUKEY_FEW, agree


def test_the_studentised_range_is_ptukey() -> None:
    for point in golden("r_stats")["studentised"]["chances"]:
        k, df = point["k"], float(point["df"])
        found = StudentisedRange(k, df).sf(point["q"])
        off = PTUKEY[k] if df > 5 else PTUKEY_FEW
        assert found == pytest.approx(max(FLOOR, point["upper"]), rel=0, abs=off), point


def test_its_quantiles_are_where_ptukey_has_them() -> None:
    for point in golden("r_stats")["studentised"]["quantiles"]:
        k, df, level = point["k"], float(point["df"]), point["level"]
        # The chance at R's quantile is off by as much as ptukey is.
        assert StudentisedRange(k, df).sf(point["q"]) == pytest.approx(level, rel=0, abs=PTUKEY[k]), point
        assert StudentisedRange(k, df).isf(level) == pytest.approx(point["q"], rel=PTUKEY[k] / level), point


def test_chances_too_small_for_a_float_have_the_logarithms_of_r() -> None:
    theirs = golden("r_stats")["tails"]
    for row in theirs["f"]:
        assert f_tail(row["f"], row["df"], row["df2"])[1] == pytest.approx(row["log10_p"], rel=1e-11)
    for row in theirs["chi"]:
        assert chi2_tail(row["chi"], row["df"])[1] == pytest.approx(row["log10_p"], rel=1e-11)


@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "bh", "by"])
@pytest.mark.parametrize("vector", ["few", "equal", "holes", "one", "many"])
def test_corrections_are_p_adjust(method: str, vector: str) -> None:
    theirs = golden("r_stats")["corrections"][vector]
    p, expected = (np.array(row, dtype=float) for row in (theirs["p"], theirs["adjusted"][method]))
    found = CORRECTIONS[method]().adjust(p)
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    agree(found, expected)


def test_power_of_t_is_power_t_test() -> None:
    for point in golden("r_stats")["power_t"]["points"]:
        found = PairedT().power(point["n"], difference=point["delta"], variance=1.0, level=point["level"])
        assert found == pytest.approx(point["power"], rel=1e-9), point


@pytest.mark.parametrize(("model", "points"), [("one-way", "points"), ("two-way", "two_way")])
def test_power_of_an_analysis_is_power_anova_test(model: Literal["one-way", "two-way"], points: str) -> None:
    for point in golden("r_stats")["power_f"][points]:
        plan = Range(runs=point["k"], model=model)
        found = plan.power(point["n"], difference=point["d"], variance=1.0, level=point["level"])
        # R's noncentral F stops adding up when terms are below 1e-9.
        assert found == pytest.approx(point["power"], rel=0, abs=1e-9), point


def test_topics_are_the_next_whole_number_from_where_r_reaches_the_power() -> None:
    theirs = golden("r_stats")
    for row in theirs["power_t"]["sizes"]:
        plan = {"difference": row["delta"], "variance": 1.0, "level": row["level"], "power": row["power"]}
        assert PairedT().topics(**plan) == ceil(row["n"]), row
    for row in theirs["power_f"]["sizes"]:
        plan = {"difference": row["d"], "variance": 1.0, "level": row["level"], "power": row["power"]}
        assert Range(runs=row["k"]).topics(**plan) == ceil(row["n"]), row


def test_the_smallest_difference_is_where_power_t_test_has_it() -> None:
    for row in golden("r_stats")["power_t"]["smallest"]:
        found = PairedT().difference(row["n"], variance=1.0, level=row["level"], power=row["power"])
        assert found == pytest.approx(row["delta"], rel=1e-9), row


def test_the_expected_width_of_an_interval_is_its_formula() -> None:
    for row in golden("r_stats")["widths"]:
        assert Width().difference(row["n"], variance=1.0) == pytest.approx(row["width"], rel=1e-9), row
