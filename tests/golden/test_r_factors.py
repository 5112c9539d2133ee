"""Factors of runs against base R: linear models of the means of runs."""

import numpy as np
import pytest

from cranfield.data import Factors, read_factors
from cranfield.stats.anova.factor_designs import factor_anova
from cranfield.stats.anova.variance_analysis import Anova
from tests.support.golden.factor_inputs import LABELS, VALUES
from tests.support.golden.golden_values import golden

MATRIX = np.array(VALUES)


def factors(*names: str, runs: int = 12) -> Factors:
    levels = {name: list(LABELS[name][:runs]) for name in names}
    return read_factors({"run": [str(run) for run in range(runs)], **levels})


def agree(found: Anova, case: str, names: dict[str, str]) -> None:
    """Compare both degrees of freedom, F and p."""
    for theirs, ours in names.items():
        row = found[ours]
        assert [row.df, row.df2, row.statistic, row.p] == pytest.approx(golden("r_factors")[case][theirs], rel=1e-8)


def test_one_factor_is_the_analysis_of_run_means() -> None:
    agree(factor_anova(MATRIX, factors("kind")), "one", {"kind": "kind"})


def test_topic_by_factor_leaves_the_test_of_the_factor_as_it_is() -> None:
    agree(factor_anova(MATRIX, factors("kind"), interactions=True), "one", {"kind": "kind"})


def test_random_topics_have_satterthwaites_degrees_of_freedom() -> None:
    found = factor_anova(MATRIX, factors("kind"), random_topics=True)
    names = {"kind": "kind", "topic": "topic", "topic:kind": "topic×kind", "kind:run": "system(kind)"}
    agree(found, "random", names)


@pytest.mark.parametrize("other", ["model", "index"])
def test_crossed_factors_have_sums_of_squares_of_type_two(other: str) -> None:
    found = factor_anova(MATRIX, factors("stemmer", other))
    agree(found, other, {"stemmer": "stemmer", other: other, "both": f"stemmer×{other}"})
    assert ("not balanced" in found.note) == (other == "index")


def test_a_grid_with_one_run_in_each_cell_is_tested_against_the_interaction() -> None:
    found = factor_anova(MATRIX[:, :6], factors("stemmer", "model", runs=6))
    agree(found, "grid", {"stemmer": "stemmer", "model": "model"})
    assert [row.source for row in found.rows] == ["topic", "stemmer", "model", "rest of system", "error", "total"]


def test_an_outer_factor_is_tested_against_the_one_within_it() -> None:
    found = factor_anova(MATRIX, factors("country", "group"), nested=True)
    agree(found, "nested", {"country": "country", "group": "group(country)"})


def test_teams_with_unequal_numbers_of_runs_count_once_each() -> None:
    found = factor_anova(MATRIX, factors("country", "team"), nested=True)
    agree(found, "unequal", {"country": "country", "team": "team(country)"})
    assert "each counts once" in found.note
    assert "each counts once" not in factor_anova(MATRIX, factors("country", "group"), nested=True).note


@pytest.mark.parametrize(("case", "names"), [("covariate", ("size",)), ("both", ("kind", "size"))])
def test_covariates_have_a_slope(case: str, names: tuple[str, ...]) -> None:
    found = factor_anova(MATRIX, factors(*names), covariates=["size"])
    agree(found, case, {name: name for name in names})
    (slope,) = golden("r_factors")[case]["slope"]
    assert f"slope of size: {slope:.4g}" in found.note


def test_numbers_as_levels_are_not_a_slope() -> None:
    assert len(set(LABELS["size"])) == 10
    assert factor_anova(MATRIX, factors("size"))["size"].df == 9
