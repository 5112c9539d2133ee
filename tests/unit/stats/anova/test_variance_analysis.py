"""Analysis of variance against scipy, R, least squares and the published table; tails too small for a float."""

from math import exp, inf, isnan, log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError, Scale, UnknownName
from cranfield.data import read_scores
from cranfield.stats.anova.variance_analysis import Anova, OneWay, TwoWay, omega_squared, size_of
from cranfield.stats.estimates.distribution_tails import _log_chi2, _log_f, chi2_tail, f_tail
from cranfield.stats.multiple.omnibus_base import OMNIBUS

Matrix = NDArray[np.float64]

# Topics are rows, runs are columns.
FIVE = np.array(
    [
        [0.31, 0.42, 0.28, 0.55],
        [0.10, 0.22, 0.05, 0.19],
        [0.66, 0.71, 0.60, 0.90],
        [0.45, 0.38, 0.41, 0.52],
        [0.05, 0.30, 0.11, 0.12],
    ]
)


def drawn(topics: int = 9, runs: int = 6, seed: int = 4) -> Matrix:
    return np.random.default_rng(seed).beta(1, 3, (topics, runs))


def left_over(values: Matrix, *designs: Matrix) -> float:
    """The sum of squares that least squares leaves, by dummy columns for every value."""
    columns = np.hstack([np.ones((values.size, 1)), *designs])
    fitted = columns @ np.linalg.lstsq(columns, values.ravel())[0]
    return float(np.square(values.ravel() - fitted).sum())


def dummies(values: Matrix) -> tuple[Matrix, Matrix]:
    topics, runs = values.shape
    return np.repeat(np.eye(topics), runs, axis=0), np.tile(np.eye(runs), (topics, 1))


def near(*numbers: float) -> object:
    """To the five digits that R prints."""
    return pytest.approx(numbers, rel=3e-5)


# y <- c(.31,.42,.28,.55, .10,.22,.05,.19, .66,.71,.60,.90, .45,.38,.41,.52, .05,.30,.11,.12)
# topic <- factor(rep(1:5, each=4)); run <- factor(rep(1:4, 5))
# summary(aov(y ~ topic + run)); summary(aov(y ~ run))
def test_two_ways_as_in_r() -> None:
    found = TwoWay().fit(FIVE)
    topic, system, error, total = found.rows
    assert [row.source for row in found.rows] == ["topic", "system", "error", "total"]
    assert [row.df for row in found.rows] == [4, 3, 12, 19]
    assert [topic.ss, topic.ms, topic.statistic, topic.p] == near(0.918080, 0.22952, 39.87030, 7.7272e-07)
    assert [system.ss, system.ms, system.statistic, system.p] == near(0.090895, 0.0302983333, 5.26317, 0.015077)
    assert [error.ss, error.ms, total.ss] == near(0.069080, 0.00575666666667, 0.918080 + 0.090895 + 0.069080)
    assert topic.df2 == system.df2 == 12
    assert all(isnan(x) for row in (error, total) for x in (row.statistic, row.p, row.log10_p, row.effect))


def test_one_way_as_in_r() -> None:
    system, error, _ = OneWay().sources(FIVE)
    assert (system.df, system.df2, error.df) == (3, 16, 16)
    assert system.statistic == pytest.approx(0.49108, abs=5e-6)
    assert system.p == pytest.approx(0.69341, abs=5e-6)
    assert error.ss == pytest.approx(0.98716)


@pytest.mark.parametrize("seed", range(3))
def test_one_way_is_scipys(seed: int) -> None:
    values = drawn(seed=seed)
    peer = stats.f_oneway(*values.T)
    system = OneWay().sources(values)[0]
    assert system.statistic == pytest.approx(peer.statistic)
    assert system.p == pytest.approx(peer.pvalue)
    assert system.log10_p == pytest.approx(np.log10(peer.pvalue))


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_squares_are_those_of_least_squares(seed: int) -> None:
    values = drawn(seed=seed)
    topic, run = dummies(values)
    found = TwoWay().fit(values)
    assert found["error"].ss == pytest.approx(left_over(values, topic, run))
    assert found["system"].ss == pytest.approx(left_over(values, topic) - left_over(values, topic, run))
    assert found["topic"].ss == pytest.approx(left_over(values, run) - left_over(values, topic, run))
    assert found["total"].ss == pytest.approx(left_over(values))


def test_what_comparisons_need() -> None:
    found = TwoWay().fit(FIVE)
    assert found.means.tolist() == pytest.approx([1.57 / 5, 2.03 / 5, 1.45 / 5, 2.28 / 5])
    assert (found.topics, found.runs, found.replicates, found.per_run, found.df_error) == (5, 4, 1, 5, 12)
    assert found.mse == found["error"].ms
    assert OneWay().fit(FIVE).mse == pytest.approx(0.0616975)


# ferro2024 table 1: MAP of 129 runs of TREC-8 on 50 topics. The file has four decimals, so the fourth digit differs.
def test_the_table_published_for_trec_8(shared_data: Path) -> None:
    values = read_scores(shared_data / "score-matrices" / "adhoc8_ap.csv").matrix()
    found = TwoWay().fit(values)
    assert values.shape == (50, 129)
    topic, system, error = found["topic"], found["system"], found["error"]
    assert (topic.df, system.df, error.df, found["total"].df) == (49, 128, 6272, 6449)
    assert [row.ss for row in (topic, system, error)] == pytest.approx([167.9974, 60.0299, 85.3502], abs=6e-4)
    assert [row.ms for row in (topic, system, error)] == pytest.approx([3.4285, 0.4690, 0.0136], abs=6e-5)
    assert [topic.statistic, system.statistic] == pytest.approx([251.9463, 34.4635], abs=6e-4)
    assert [topic.effect, system.effect] == pytest.approx([0.6559, 0.3991], abs=6e-5)
    assert (topic.size, system.size) == ("large", "large")
    # The paper prints 0 for both p. In R, pf(251.9463, 49, 6272, lower.tail=FALSE, log.p=TRUE) / log(10), and so on.
    assert (topic.p, system.p) == (0, 0)
    assert topic.log10_p == pytest.approx(-3285.5246601992 / log(10), abs=0.01)
    assert system.log10_p == pytest.approx(-1419.0709859844 / log(10), abs=0.01)


# options(digits=17); pf(251.9463, 49, 6272, lower.tail=FALSE, log.p=TRUE), and so on
@pytest.mark.parametrize(
    ("f", "df", "df2", "natural"),
    [
        (251.9463, 49, 6272, -3285.5246601992308),
        (34.4635, 128, 6272, -1419.0709859844114),
        (1000, 2, 1e6, -999.00133133652787),
        (5000, 1, 700, -737.43576543563586),
        (1e60, 3, 12, -819.53697204875323),
        (400, 5, 3000, -756.92497596654778),
    ],
)
def test_the_logarithm_of_a_tail_of_f_is_rs(f: float, df: float, df2: float, natural: float) -> None:
    p, log10_p = f_tail(f, df, df2)
    assert p == pytest.approx(exp(natural), rel=1e-6)  # 0, or the smallest that floats hold
    assert log10_p == pytest.approx(natural / log(10), rel=1e-11)


# pchisq(2000, 1, lower.tail=FALSE, log.p=TRUE), and so on
@pytest.mark.parametrize(
    ("chi2", "df", "natural"),
    [
        (2000, 1, -1004.0267419589519),
        (3000, 128, -1240.2335549758252),
        (5000, 49, -2369.3159726407885),
        (1e5, 2, -50000),
        (1500, 10, -726.6924205661536),
    ],
)
def test_so_is_that_of_a_tail_of_chi2(chi2: float, df: float, natural: float) -> None:
    p, log10_p = chi2_tail(chi2, df)
    assert p == pytest.approx(exp(natural), rel=1e-6)
    assert log10_p == pytest.approx(natural / log(10), rel=1e-12)


@pytest.mark.parametrize(("f", "df", "df2"), [(3, 4, 30), (12, 1, 9), (2.5, 128, 6272), (60, 9, 400)])
def test_fractions_and_scipy_meet_where_both_hold(f: float, df: int, df2: int) -> None:
    assert _log_f(f, df, df2) == pytest.approx(stats.f.logsf(f, df, df2), rel=1e-10)
    assert f_tail(f, df, df2)[0] == pytest.approx(stats.f.sf(f, df, df2), rel=1e-10)
    assert _log_chi2(f * df, df) == pytest.approx(stats.chi2.logsf(f * df, df), rel=1e-10)
    assert chi2_tail(f * df, df)[0] == pytest.approx(stats.chi2.sf(f * df, df), rel=1e-10)


def test_ends_of_the_tails() -> None:
    assert f_tail(0, 3, 4) == chi2_tail(0, 3) == (1, 0)
    assert f_tail(inf, 3, 4) == chi2_tail(inf, 3) == (0, -inf)


@pytest.mark.parametrize("cls", [TwoWay, OneWay])
@pytest.mark.parametrize("scale", [1, 1e7])
def test_identical_runs_are_not_different(cls: type[TwoWay | OneWay], scale: float) -> None:
    same = np.repeat(np.array([[0.1], [0.7], [1 / 3]]) * scale, 4, axis=1)
    system = cls().fit(same)["system"]
    assert (system.ss, system.statistic, system.p, system.log10_p, system.effect) == (0, 0, 1, 0, 0)
    assert system.size == "negligible"


def test_values_without_error_are_certain() -> None:
    # 0.1 + 0.2 and the like: every residual is a rounding error.
    sums = np.array([[0.1], [0.2], [0.7]]) + np.array([0.0, 0.1, 0.3, 0.6])
    found = TwoWay().fit(sums)
    assert found.mse == 0
    for source in ("topic", "system"):
        row = found[source]
        assert (row.statistic, row.p, row.log10_p, row.effect, row.size) == (inf, 0, -inf, 1, "large")
    assert all(row.p == 1 for row in TwoWay().sources(np.full((3, 3), 0.4)) if not isnan(row.p))


def test_omega_squared_by_hand() -> None:
    # F = 3 with 2 degrees of freedom, 20 values: 2 · 2 / (2 · 2 + 20)
    assert omega_squared(3, 2, 20) == pytest.approx(4 / 24)
    assert omega_squared(0.5, 2, 20) == 0  # −1 / 19
    assert [size_of(x) for x in (0, 0.0099, 0.01, 0.0599, 0.06, 0.1399, 0.14, 1)] == [
        *("negligible", "negligible", "small", "small", "medium", "medium", "large", "large")
    ]


def test_topics_that_get_harder_leave_the_systems_alone() -> None:
    values = drawn()
    harder = values + np.linspace(-2, 2, len(values))[:, None]
    before, after = TwoWay().fit(values), TwoWay().fit(harder)
    assert after["system"].statistic == pytest.approx(before["system"].statistic)
    assert after["topic"].statistic > before["topic"].statistic
    assert OneWay().fit(harder)["system"].statistic < OneWay().fit(values)["system"].statistic
    assert TwoWay().fit(7 * values)["system"].p == pytest.approx(before["system"].p)


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (0, 3), (4,)])
def test_too_few_values_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="too few to analyse") as caught:
        TwoWay().fit(np.zeros(shape))
    assert caught.value.hint == "give two topics and two runs or more"


@pytest.mark.parametrize("cls", [TwoWay, OneWay])
def test_missing_values_are_refused(cls: type[TwoWay | OneWay]) -> None:
    values = drawn()
    values[3, 2] = np.nan
    with pytest.raises(ParameterError, match=r"run 2 \(from 0\) has no value in topic 3"):
        cls().fit(values)


def test_the_catalogue_knows_them() -> None:
    assert OMNIBUS["two-way"] is OMNIBUS["anova"] is TwoWay
    assert OMNIBUS["one-way"] is OneWay
    assert str(TwoWay()) == "anova"
    assert TwoWay.requires is OneWay.requires is Scale.INTERVAL
    assert TwoWay.family == OneWay.family == "omnibus"


def test_a_row_that_is_not_there() -> None:
    found: Anova = OneWay().fit(FIVE)
    with pytest.raises(UnknownName, match="no row 'topic'") as caught:
        found["topic"]
    assert caught.value.hint == "there are: system, error, total"
