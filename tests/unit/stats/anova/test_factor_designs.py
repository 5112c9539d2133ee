"""Analysis of variance of groups and components, against R and against least squares on dummy columns."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import InputError, ParameterError
from cranfield.data import Factors, read_factors
from cranfield.stats.anova.factor_designs import Level, factor_anova, level_means
from cranfield.stats.anova.variance_analysis import Anova, TwoWay

Matrix = NDArray[np.float64]

FIVE = np.array(
    [
        [0.31, 0.42, 0.28, 0.55],
        [0.10, 0.22, 0.05, 0.19],
        [0.66, 0.71, 0.60, 0.90],
        [0.45, 0.38, 0.41, 0.52],
        [0.05, 0.30, 0.11, 0.12],
    ]
)
SEVEN = np.array(
    [
        [0.31, 0.42, 0.28, 0.55, 0.36, 0.49, 0.20],
        [0.10, 0.22, 0.05, 0.19, 0.15, 0.33, 0.08],
        [0.66, 0.71, 0.60, 0.90, 0.52, 0.80, 0.61],
    ]
)


def factors(**levels: str) -> Factors:
    """One letter for each run."""
    runs = [f"r{i}" for i in range(len(next(iter(levels.values()))))]
    return read_factors({"run": runs, **{name: list(letters) for name, letters in levels.items()}})


def rows(found: Anova) -> dict[str, tuple[float, float]]:
    return {row.source: (row.df, row.ss) for row in found.rows}


def one_hot(*letters: str) -> Matrix:
    cells = list(zip(*letters, strict=True))
    return np.array([[cell == other for other in sorted(set(cells))] for cell in cells], dtype=float)


def left_over(values: Matrix, *designs: tuple[Matrix, Matrix]) -> tuple[float, int]:
    """What least squares leaves, and how many columns it used: each design is (by topic, by run)."""
    columns = np.hstack([np.kron(by_topic, by_run) for by_topic, by_run in designs])
    fit, _, rank, _ = np.linalg.lstsq(columns, values.ravel())
    return float(np.square(values.ravel() - columns @ fit).sum()), int(rank)


def between(values: Matrix, without: list[tuple[Matrix, Matrix]], term: tuple[Matrix, Matrix]) -> tuple[int, float]:
    (before, few), (after, many) = left_over(values, *without), left_over(values, *without, term)
    return many - few, before - after


# y, topic and run as in test_anova.py; group <- factor(c("a","a","b","b")[run])
# summary(aov(y ~ topic + group + group:run)); m <- tapply(y, run, mean); summary(aov(m ~ group[1:4]))
def test_systems_within_groups_as_in_r() -> None:
    found = factor_anova(FIVE, factors(group="aabb"))
    assert [(row.source, row.df) for row in found.rows] == [
        *(("topic", 4), ("group", 1), ("system(group)", 2), ("error", 12), ("total", 19))
    ]
    assert [row.ss for row in found.rows[:4]] == pytest.approx([0.918080, 0.000845, 0.090050, 0.069080])
    # The group is tested against systems: F = (.000845 / 1) / (.090050 / 2).
    assert [row.statistic for row in found.rows[:3]] == pytest.approx([39.87030, 0.0187674, 7.82137], rel=3e-5)
    assert [found["topic"].p, found["system(group)"].p] == pytest.approx([7.7272e-07, 0.0066927], rel=3e-5)
    assert found["group"].p == pytest.approx(stats.f_oneway(*np.split(FIVE.mean(axis=0), 2)).pvalue, rel=1e-9)
    assert found["group"].df2 == 2
    assert found.note == "group is tested against system(group): runs are the unit"


# g2 <- factor(c("a","a","a","b")[run]); summary(aov(y ~ topic + g2 + g2:run + topic:g2))
def test_groups_of_different_size_and_topics_that_suit_one_of_them_as_in_r() -> None:
    found = factor_anova(FIVE, factors(group="aaab"), interactions=True)
    assert [(row.source, row.df) for row in found.rows[:5]] == [
        *(("topic", 4), ("group", 1), ("system(group)", 2), ("topic×group", 4), ("error", 8))
    ]
    expected = [0.91808, 0.0534016666667, 0.0374933333333, 0.03784, 0.03124]
    assert [row.ss for row in found.rows[:5]] == pytest.approx(expected)
    # The group: (.0534016667 / 1) / (.0374933333 / 2).
    assert [row.statistic for row in found.rows[:4]] == pytest.approx([58.77593, 2.848595, 4.80068, 2.42254], rel=3e-5)
    assert (found.mse, found["error"].df) == pytest.approx((0.003905, 8))
    # Pairs of runs are compared with the error of y ~ topic + run: (.03784 + .03124) / (4 + 8).
    assert (found.rmse**2, found.df_error) == pytest.approx((0.0690800 / 12, 12))


def test_seven_runs_are_too_few_to_test_an_interaction_of_components() -> None:
    # Three stemmers and two models leave one run within their cells: the interaction joins it.
    found = factor_anova(SEVEN, factors(stem="nnppkkn", model="blblblb"))
    df = {row.source: row.df for row in found.rows}
    assert df == {"topic": 2, "stem": 2, "model": 1, "rest of system": 3, "error": 12, "total": 20}
    assert found["stem"].df2 == found["model"].df2 == 3
    assert "too few runs to test them" in found.note
    assert "not balanced" in found.note


# y <- c(.31,.42,.28,.55,.36,.49,.20, .10,.22,.05,.19,.15,.33,.08, .66,.71,.60,.90,.52,.80,.61)
# topic <- factor(rep(1:3, each=7)); run <- rep(1:7, 3); r <- factor(run)
# stem <- factor(c("n","n","p","p","k","k","n")[run]); model <- factor(c("b","l","b","l","b","l","b")[run])
# fit <- function(...) deviance(lm(...))
# both <- fit(y~topic+r+topic:model+topic:stem)
# c(fit(y~topic+r+topic:model) - both, fit(y~topic+r+topic:stem) - both, both)
def test_topics_that_suit_a_component_as_in_r() -> None:
    found = factor_anova(SEVEN, factors(stem="nnppkkn", model="blblblb"), interactions=True)
    taken = [found[source] for source in ("topic×stem", "topic×model", "error")]
    assert [row.df for row in taken] == [4, 2, 6]
    assert [row.ss for row in taken] == pytest.approx([0.0265077777778, 0.00272444444444, 0.0151866666667])
    assert found["stem"].ss == pytest.approx(0.00750222222222)  # the runs are where they were


def test_a_whole_grid_adds_up() -> None:
    grid = list(product("xyz", "bl", "st"))
    values = np.random.default_rng(3).random((6, len(grid)))
    given = factors(**{name: "".join(letters) for name, letters in zip("abc", zip(*grid, strict=True), strict=True)})
    found = factor_anova(values, given)
    assert [row.source for row in found.rows] == "topic,a,b,c,a×b,a×c,b×c,rest of system,error,total".split(",")
    assert [row.df for row in found.rows] == [5, 2, 1, 1, 2, 2, 1, 2, 55, 71]
    assert sum(row.ss for row in found.rows[:-1]) == pytest.approx(found["total"].ss)
    assert "not balanced" not in found.note
    whole = TwoWay().fit(values)
    assert sum(row.ss for row in found.rows[1:-2]) == pytest.approx(whole["system"].ss)
    assert found.mse == pytest.approx(whole.mse)


@pytest.mark.parametrize("seed", range(4))
def test_least_squares_says_the_same_of_three_factors(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    values = drawn.random((4, 14))
    a, b, c = ("".join(drawn.choice(list(letters), 14)) for letters in ("xyz", "bl", "st"))
    found = rows(factor_anova(values, factors(a=a, b=b, c=c), nested=False))
    every, flat = np.eye(4), np.ones((4, 1))
    topic = (every, np.ones((14, 1)))
    term = {
        "a": one_hot(a), "b": one_hot(b), "c": one_hot(c),
        "a×b": one_hot(a, b), "a×c": one_hot(a, c), "b×c": one_hot(b, c),
    }  # fmt: skip
    for name, cells in term.items():
        beside = [(flat, other) for key, other in term.items() if not set(name) <= set(key)]
        df, ss = between(values, [topic, *beside], (flat, cells))
        assert found.get(name, (0, 0)) == pytest.approx((df, ss))
    full = [topic, *((flat, cells) for cells in term.values())]
    df, ss = between(values, full, (flat, np.eye(14)))
    assert found.get("rest of system", (0, 0)) == pytest.approx((df, ss))


def test_factors_within_factors() -> None:
    values = np.random.default_rng(8).random((5, 8))
    country, group = "ffffuuuu", "aabbcccd"
    found = rows(factor_anova(values, factors(country=country, group=group), nested=True, interactions=True))
    every, flat = np.eye(5), np.ones((5, 1))
    topic = (every, np.ones((8, 1)))
    outer, inner, run = (flat, one_hot(country)), (flat, one_hot(country, group)), (flat, np.eye(8))
    assert found["country"] == pytest.approx(between(values, [topic], outer))
    assert found["group(country)"] == pytest.approx(between(values, [topic, outer], inner))
    assert found["system(country group)"] == pytest.approx(between(values, [topic, inner], run))
    by_outer, by_inner = (every, one_hot(country)), (every, one_hot(country, group))
    assert found["topic×country"] == pytest.approx(between(values, [topic, run], by_outer))
    assert found["topic×group(country)"] == pytest.approx(between(values, [topic, run, by_outer], by_inner))
    error, used = left_over(values, topic, run, by_inner)
    assert found["error"] == pytest.approx((40 - used, error))
    assert sum(ss for _, ss in found.values()) == pytest.approx(2 * found["total"][1])


def test_a_team_with_runs_of_two_kinds_counts_once_in_each() -> None:
    # Team b has automatic (a) and manual (m) runs; of each kind there are three teams, u and v have one kind only.
    values = np.random.default_rng(4).random((5, 8))
    kind, team = "aaaammmm", "bbtubbvw"
    found = factor_anova(values, factors(kind=kind, team=team), nested=True)
    assert "team has levels that are within several levels of kind" in found.note
    means = [values[:, runs].mean() for runs in ([0, 1], [2], [3], [4, 5], [6], [7])]
    assert found["kind"].p == pytest.approx(stats.f_oneway(means[:3], means[3:]).pvalue)
    apart = factor_anova(values, factors(kind=kind, team="bbtuccvw"), nested=True)
    assert apart["kind"].p == found["kind"].p
    assert "several levels" not in apart.note


def test_one_factor_is_the_same_crossed_and_nested() -> None:
    nested, crossed = (factor_anova(FIVE, factors(group="abba"), nested=nested) for nested in (True, False))
    assert [row.ss for row in nested.rows] == pytest.approx([row.ss for row in crossed.rows])
    assert crossed.rows[2].source == "rest of system"


def test_a_combination_that_was_not_run() -> None:
    found = factor_anova(np.hstack([SEVEN, SEVEN[:, :2]])[:, :8], factors(stem="nnppnnpp", model="blbbblbb"))
    assert "no run tells stem×model from other terms" in found.note


@pytest.mark.parametrize(("group", "df"), [("abcd", 0), ("aabc", 1)])
def test_too_few_runs_within_the_groups_are_refused(group: str, df: int) -> None:
    with pytest.raises(ParameterError, match=f"4 runs leave {df} degrees? of freedom to test group with"):
        factor_anova(FIVE, factors(group=group))


def test_a_single_group_within_each_country_is_refused() -> None:
    with pytest.raises(ParameterError, match="leave 1 degree of freedom to test country with"):
        factor_anova(SEVEN, factors(country="fffuuuu", group="aabcccc"), nested=True)


def test_an_error_that_is_not_positive_is_refused() -> None:
    # Runs within a group are alike on average and so are groups within a topic, but single values differ.
    drawn = np.random.default_rng(5).random((6, 2, 3))
    drawn -= drawn.mean(axis=0) + drawn.mean(axis=2, keepdims=True) - drawn.mean(axis=(0, 2))[:, None]
    values = drawn.reshape(6, 6) + np.repeat([0.3, 0.5], 3)
    with pytest.raises(ParameterError, match="group cannot be tested: its error is estimated as -"):
        factor_anova(values, factors(group="aaabbb"), random_topics=True)


def test_random_topics_are_for_one_factor() -> None:
    given = factors(stem="nnppkkn", model="blblblb")
    with pytest.raises(ParameterError, match="random topics are for one factor"):
        factor_anova(SEVEN, given, random_topics=True)


def test_covariates_are_numbers_of_factors_that_are_not_nested() -> None:
    given = factors(size="1234567", kind="aabbbaa")
    with pytest.raises(ParameterError, match="no factor colour"):
        factor_anova(SEVEN, given, covariates=["colour"])
    with pytest.raises(ParameterError, match="the levels of covariate kind are not all numbers"):
        factor_anova(SEVEN, given, covariates=["kind"])
    with pytest.raises(ParameterError, match="a covariate cannot be nested"):
        factor_anova(SEVEN, given, covariates=["size"], nested=True)
    with pytest.raises(ParameterError, match="all runs have the same level of factor size"):
        factor_anova(SEVEN, factors(size="3333333", kind="aabbbaa"), covariates=["size"])


@pytest.mark.parametrize("odd", ["1_000", "٣", "1,000", "nan", "inf"])
def test_a_covariate_is_written_in_plain_digits(odd: str) -> None:
    given = read_factors({"run": [f"r{i}" for i in range(7)], "size": ["1", "2e1", "+3", "-4", "5.5", "6", odd]})
    with pytest.raises(ParameterError, match="the levels of covariate size are not all numbers"):
        factor_anova(SEVEN, given, covariates=["size"])


def test_identical_runs_have_no_group() -> None:
    same = np.repeat(np.array([[0.1], [0.7], [1 / 3]]), 4, axis=1)
    found = factor_anova(same, factors(group="aabb"))
    assert [(found[source].ss, found[source].p) for source in ("group", "system(group)")] == [(0, 1), (0, 1)]


def test_a_factor_that_tells_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="factor a tells no runs apart that others do not") as caught:
        factor_anova(FIVE, factors(a="xxyy", b="sstt"))
    assert "nest them" in caught.value.hint


@pytest.mark.parametrize(
    ("levels", "options"),
    [({"a": "xxxx"}, {}), ({"a": "xxxx", "b": "sstt"}, {"nested": True}), ({"a": "3333"}, {"covariates": ["a"]})],
)
def test_a_factor_with_one_level_is_refused(levels: dict[str, str], options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="all runs have the same level of factor a"):
        factor_anova(FIVE, factors(**levels), **options)


def test_a_factor_within_another_is_refused_where_it_is_crossed() -> None:
    given = factors(country="fffuuuu", group="aabccdd")
    with pytest.raises(ParameterError, match="factor country tells no runs apart"):
        factor_anova(SEVEN, given)
    assert factor_anova(SEVEN, given, nested=True)["country"].df == 1


def test_factors_of_other_runs_are_refused() -> None:
    with pytest.raises(ParameterError, match="factors of 3 runs and values of 4"):
        factor_anova(FIVE, factors(group="aab"))
    given = factors(group="aab")
    assert given.of(["r2", "r0"]).levels == (("b", "a"),)
    with pytest.raises(InputError, match="no row for run r3, r9"):
        given.of(["r0", "r3", "r9"])


def test_means_of_levels() -> None:
    given = factors(group="aabb", stem="xyyy")
    found = level_means(FIVE, given)
    means = FIVE.mean(axis=0)
    assert [(level.factor, level.level, level.runs) for level in found] == [
        *(("group", "a", 2), ("group", "b", 2), ("stem", "x", 1), ("stem", "y", 3))
    ]
    assert isinstance(found[0], Level)
    assert found[0].mean == pytest.approx(means[:2].mean())
    assert found[3].mean == pytest.approx(means[1:].mean())
