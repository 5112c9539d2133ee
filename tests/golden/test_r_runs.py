"""Analyses of all runs and what comes after them, against what base R says of the same numbers."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pytest

from cranfield.stats import (
    Answer,
    Asked,
    Components,
    Friedman,
    KruskalWallis,
    Nemenyi,
    OneWay,
    RankTukey,
    Replicates,
    Scheffe,
    Source,
    TInterval,
    Tukey,
    TwoWay,
    assumptions,
    components,
    critical_difference,
    mean_ranks,
    replicated_anova,
    replicated_components,
)
from cranfield.stats.multiple.rank_omnibus import pooled_ranks
from tests.support.golden import statistics_inputs
from tests.support.golden.golden_values import golden
from tests.support.golden.r_comparison import (
    FLOOR,
    MATRICES,
    PTUKEY,
    Numbers,
    agree,
    agree_rows,
    asked_of,
    by_pair,
    compared,
    ends,
    of_runs,
    values_of,
)

TWO_WAY = {"topic": "topic", "run": "system", "Residuals": "error"}


@pytest.mark.parametrize("name", MATRICES)
def test_analyses_of_variance_are_aov(name: str) -> None:
    agree_rows(TwoWay().fit(values_of(name)), of_runs(name)["two_way"], TWO_WAY)
    agree_rows(OneWay().fit(values_of(name)), of_runs(name)["one_way"], TWO_WAY)


@pytest.mark.parametrize("name", MATRICES)
def test_variance_components_come_from_expected_mean_squares(name: str) -> None:
    agree_components(components(values_of(name)), of_runs(name)["components"])


def agree_components(ours: Components, theirs: Mapping[str, float]) -> None:
    names = {"run": "system", "topic x run": "topic×system"}
    for source, estimate in theirs.items():
        assert ours[names.get(source, source)].estimate == pytest.approx(estimate, rel=1e-9)


# Our names of sources, by R's.
NAMES = TWO_WAY | {
    "replicate": "replicate", "topic x run": "topic×system", "topic x replicate": "topic×replicate",
    "run x replicate": "system×replicate",
}  # fmt: skip


def cube() -> Numbers:
    """(replicate, topic, run)."""
    flat = np.array(statistics_inputs.replicated())
    return flat.reshape(len(flat), -1, statistics_inputs.REPLICATES).transpose(2, 0, 1)


@pytest.mark.parametrize("replicates", ["repeated", "factor", "interacting"])
def test_replicates_are_aov(replicates: Replicates) -> None:
    agree_rows(replicated_anova(cube(), replicates=replicates), golden("r_stats")["replicated"][replicates], NAMES)


def test_variance_components_of_replicates_come_from_expected_mean_squares() -> None:
    agree_components(replicated_components(cube()), golden("r_stats")["replicated"]["components"])


def chances(answer: Answer) -> Numbers:
    """(pair,): those of a procedure that looks at all pairs at once."""
    assert answer.adjusted is not None
    assert np.isnan(answer.p).all()
    return answer.adjusted


def agree_source(ours: Source, theirs: Mapping[str, float], *, effect: str) -> None:
    found = (ours.statistic, ours.df, ours.p, ours.log10_p, ours.effect)
    expected = tuple(theirs[column] for column in ("statistic", "df", "p", "log10_p", effect))
    assert found == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(
    ("error", "level", "form"),
    [("two-way", 0.05, "two-way"), ("two-way", 0.01, "two-way, 1 %"), ("one-way", 0.05, "one-way")],
)
def test_tukey_is_tukeyhsd(name: str, error: Literal["one-way", "two-way"], level: float, form: str) -> None:
    theirs, runs = of_runs(name)["tukey"][form], values_of(name).shape[1]
    known = Tukey(error=error, df="inf")
    for test, p, width in ((Tukey(error=error), "p", "half_width"), (known, "p_inf", "half_width_inf")):
        answer = compared(test, name, level)
        agree(answer.statistic, by_pair(theirs["pairs"], name, "q"))
        # Chances below the floor are given as the floor.
        agree(chances(answer), np.maximum(by_pair(theirs["pairs"], name, p), FLOOR), rel=0, off=PTUKEY[runs])
        found = test.half_width(test.fit(values_of(name)), level)
        assert found == pytest.approx(theirs[width], rel=10 * PTUKEY[runs])
    agree(asked_of(name).mean_difference, by_pair(theirs["pairs"], name, "difference"), off=1e-12)
    answer = compared(Tukey(error=error), name, level)
    for end, ours in ends(answer).items():
        agree(ours, by_pair(theirs["pairs"], name, end), rel=0, off=1e-8)  # qtukey stops before the last digit


@pytest.mark.parametrize("name", MATRICES)
def test_scheffe_is_its_formula(name: str) -> None:
    answer, theirs = compared(Scheffe(), name), of_runs(name)["scheffe"]
    agree(asked_of(name).mean_difference, by_pair(theirs, name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs, name, "f"), off=1e-12)
    agree(chances(answer), by_pair(theirs, name, "p"))
    for end, ours in ends(answer).items():
        agree(ours, by_pair(theirs, name, end))


@pytest.mark.parametrize("name", MATRICES)
def test_kruskal_wallis_and_tukey_on_its_mean_ranks_are_those_of_r(name: str) -> None:
    theirs, runs = of_runs(name)["kruskal"], values_of(name).shape[1]
    (found,) = KruskalWallis().sources(values_of(name))
    agree_source(found, theirs, effect="epsilon2")
    agree(pooled_ranks(values_of(name))[0].mean(axis=0), theirs["mean_ranks"])
    answer = compared(RankTukey(), name)
    agree(answer.effect, by_pair(theirs["tukey"], name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs["tukey"], name, "q"), off=1e-12)
    agree(chances(answer), by_pair(theirs["tukey"], name, "p"), rel=0, off=PTUKEY[runs])


@pytest.mark.parametrize("name", MATRICES)
def test_friedman_and_nemenyi_are_those_of_r(name: str) -> None:
    theirs, (topics, runs) = of_runs(name)["friedman"], values_of(name).shape
    chi, f = Friedman().sources(values_of(name))
    agree_source(chi, theirs, effect="w")
    agree_source(
        f, theirs["iman_davenport"] | {"statistic": theirs["iman_davenport"]["f"], "w": theirs["w"]}, effect="w"
    )
    assert f.df2 == theirs["iman_davenport"]["df_error"]
    agree(mean_ranks(values_of(name)), theirs["mean_ranks"])
    answer = compared(Nemenyi(), name)
    agree(answer.effect, by_pair(theirs["nemenyi"], name, "difference"), off=1e-12)
    agree(answer.statistic, by_pair(theirs["nemenyi"], name, "q"), off=1e-12)
    expected = np.maximum(by_pair(theirs["nemenyi"], name, "p"), FLOOR)
    agree(chances(answer), expected, rel=0, off=PTUKEY[runs])
    limit = critical_difference(runs, topics, 0.05)
    assert limit == pytest.approx(theirs["critical_difference"], rel=10 * PTUKEY[runs])


@pytest.mark.parametrize("name", MATRICES)
def test_intervals_of_means_are_those_of_r(name: str) -> None:
    low, high = TInterval().around(values_of(name), Asked())
    agree(np.stack([values_of(name).mean(axis=0), low, high], axis=1), of_runs(name)["means"])


@pytest.mark.parametrize("name", MATRICES)
def test_errors_are_described_as_r_does(name: str) -> None:
    theirs = of_runs(name)["errors"]
    found = {finding.check: finding for finding in assumptions(values_of(name))}
    spread = found["largest by smallest variance"]
    assert found["skew of the errors"].value == pytest.approx(theirs["skew"], rel=1e-9)
    assert found["kurtosis of the errors"].value == pytest.approx(theirs["kurtosis"], rel=1e-9)
    assert (spread.value, spread.p) == pytest.approx((theirs["ratio"], theirs["brown_forsythe"]), rel=1e-9)
