"""Topics, power, difference: each from the others, against R, Sakai's tools, simulation and arithmetic."""

from collections.abc import Callable
from itertools import combinations
from math import ceil, comb, gamma, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.anova.noncentral_f import beyond
from cranfield.stats.estimates.power import (
    DESIGNS,
    Design,
    PairedT,
    Range,
    Width,
    achieved_power,
    pilot_variance,
    power_table,
)
from cranfield.stats.pair_tests.base import Pairs

EVERY: list[Design] = [PairedT(), Range(runs=2), Range(runs=10), Range(runs=10, model="two-way"), Width()]
TESTING = [one for one in EVERY if one.tests]

# sakai2018book, Table 6.4, Nagata's linear approximation: for (level, 1 − power), λ = x + y √(m − 1).
PUBLISHED = {
    (0.01, 0.1): (10.439, 5.213),
    (0.01, 0.2): (7.736, 4.551),
    (0.01, 0.3): (6.030, 4.077),
    (0.01, 0.4): (4.733, 3.675),
    (0.01, 0.5): (3.653, 3.302),
    (0.05, 0.1): (7.049, 4.244),
    (0.05, 0.2): (4.860, 3.584),
    (0.05, 0.3): (3.522, 3.112),
    (0.05, 0.4): (2.543, 2.712),
    (0.05, 0.5): (1.765, 2.341),
}


def tool_t(effect: float, level: float, beta: float) -> int:
    """Sakai's samplesizeTTEST2: a normal approximation of the noncentral t, tried from below its closed form."""
    high, low = stats.norm.ppf(1 - level / 2), stats.norm.ppf(beta)
    closed = ((high - low) / effect) ** 2 + high**2 / 2

    def power(n: int) -> float:
        df = n - 1
        w, root = stats.t.ppf(1 - level / 2, df), sqrt(n) * effect
        ends = [(sign * w * (1 - 1 / (4 * df)) - root) / sqrt(1 + w**2 / (2 * df)) for sign in (-1, 1)]
        return float(stats.norm.cdf(ends[0]) + 1 - stats.norm.cdf(ends[1]))

    return next(n for n in range(max(2, int(closed) - 3), 10**6) if power(n) >= 1 - beta)


@pytest.mark.parametrize("level", [0.01, 0.05])
@pytest.mark.parametrize("beta", [0.1, 0.2, 0.3, 0.4, 0.5])
@pytest.mark.parametrize("effect", [0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
def test_sakais_tool_for_t_gives_the_same_topics(level: float, beta: float, effect: float) -> None:
    # Its approximation asks for one topic too many where a few do: 13 have a power of .70064, and 7 of .60050.
    too_many = (level, beta, effect) in {(0.01, 0.3, 1.0), (0.05, 0.4, 1.0)}
    found = PairedT().topics(difference=effect, variance=1, level=level, power=1 - beta)
    assert found == tool_t(effect, level, beta) - too_many


@pytest.mark.parametrize(("level", "beta"), PUBLISHED)
@pytest.mark.parametrize("runs", [2, 3, 5, 10, 20, 30, 50, 100])
def test_sakais_published_noncentrality_is_near_the_exact_one(level: float, beta: float, runs: int) -> None:
    # With many topics the residual degrees of freedom do not matter, as in the table: λ = n · difference²/2. A line is
    # a good fit for many runs only.
    x, y = PUBLISHED[level, beta]
    difference = Range(runs=runs).difference(10**7, variance=1, level=level, power=1 - beta)
    exact = 10**7 * float(difference) ** 2 / 2
    assert x + y * sqrt(runs - 1) == pytest.approx(exact, rel={2: 0.08, 3: 0.04, 5: 0.01}.get(runs, 0.005))


@pytest.mark.parametrize(("level", "beta"), PUBLISHED)
@pytest.mark.parametrize("runs", [3, 5, 10, 20, 50, 100])
def test_sakais_published_sample_sizes_for_anova_are_near_the_exact_ones(level: float, beta: float, runs: int) -> None:
    # n = 2 λ variance/difference², here 8 λ for a difference of half a standard deviation: 79.4 for 3 runs at .05, .8.
    x, y = PUBLISHED[level, beta]
    exact = Range(runs=runs).topics(difference=0.5, variance=1, level=level, power=1 - beta)
    assert abs(8 * (x + y * sqrt(runs - 1)) - exact) <= 3


@pytest.mark.parametrize(("f", "topics"), [(2.145, 16), (0.578, 56)])
def test_sakais_script_for_anova_gives_the_same_topics(f: float, topics: int) -> None:
    # future.sample.1wayanova(F, m = 2, n = 5) of the scripts of sakai2016power, as run and published in the pilot study
    # of iai-group/sigir2024-transparentCIS. It takes Cohen's f² = (m−1) F / (m(n−1)), and λ = m n f²:
    # difference²/(2 variance) = m f².
    effect = f * 1 / (2 * (5 - 1))
    assert Range(runs=2).topics(difference=sqrt(2 * 2 * effect), variance=1) == topics


@pytest.mark.parametrize("level", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("width", [0.1, 0.2, 0.5, 1.5])
@pytest.mark.parametrize("variance", [0.05, 0.1, 0.5])
def test_sakais_tool_for_intervals_gives_the_same_topics(level: float, width: float, variance: float) -> None:
    # samplesizeCI2: the first n with t Γ((φ+1)/2) / (√(n φ) Γ(φ/2)) ≤ width / (2 √2 σ); Γ overflows beyond n = 343.
    def enough(n: int) -> bool:
        df = n - 1
        left = stats.t.ppf(1 - level / 2, df) / sqrt(n * df) * (gamma((df + 1) / 2) / gamma(df / 2))
        return bool(left <= width / (2 * sqrt(2 * variance)))

    found = Width().topics(difference=width, variance=variance, level=level)
    expected = next((n for n in range(2, 344) if enough(n)), None)
    assert found == expected if expected else found > 343


# R 4.2.2: power.t.test(n=, delta=, sd=sqrt(variance), sig.level=, type="paired", strict=TRUE)$power
@pytest.mark.parametrize(
    ("topics", "difference", "variance", "level", "power"),
    [
        (2, 0.5, 1, 0.05, 0.06194860669),
        (10, 0.1, 0.04, 0.05, 0.2931756065),
        (34, 0.5, 1, 0.05, 0.8077775013),
        (50, 0.05, 0.0272, 0.01, 0.3070310162),
        (200, 0.02, 0.04, 0.2, 0.5551565093),
    ],
)
def test_power_of_t_is_that_of_r(topics: int, difference: float, variance: float, level: float, power: float) -> None:
    found = PairedT().power(topics, difference=difference, variance=variance, level=level)
    assert found == pytest.approx(power, abs=1e-8)


# R 4.2.2: power.t.test(delta=, sd=sqrt(variance), sig.level=, power=, type="paired", strict=TRUE)$n; the last one is a
# t of .953 over 28 topics, found again.
@pytest.mark.parametrize(
    ("difference", "variance", "level", "power", "topics"),
    [
        (0.5, 1, 0.05, 0.8, 33.36712895),
        (0.05, 0.04, 0.05, 0.8, 127.5158305),
        (0.02, 0.0272, 0.01, 0.9, 1015.11804),
        (0.953 / sqrt(28), 1, 0.05, 0.8, 243.9073466),
    ],
)
def test_topics_for_t_are_those_of_r(
    difference: float, variance: float, level: float, power: float, topics: float
) -> None:
    found = PairedT().topics(difference=difference, variance=variance, level=level, power=power)
    assert found == ceil(topics)


# R 4.2.2: power.t.test(n=, sd=sqrt(variance), sig.level=, power=, type="paired", strict=TRUE, tol=1e-12)$delta
@pytest.mark.parametrize(
    ("topics", "variance", "level", "power", "difference"),
    [
        (25, 0.04, 0.05, 0.8, 0.1168053343),
        (50, 0.0272, 0.05, 0.8, 0.0666595684),
        (100, 1, 0.01, 0.95, 0.4293097765),
    ],
)
def test_smallest_difference_for_t_is_that_of_r(
    topics: int, variance: float, level: float, power: float, difference: float
) -> None:
    found = PairedT().difference(topics, variance=variance, level=level, power=power)
    assert found == pytest.approx(difference, abs=1e-8)


# R 4.2.2: power.anova.test(groups=, n=, between.var=difference^2/2/(groups-1), within.var=, sig.level=)$power
@pytest.mark.parametrize(
    ("runs", "topics", "difference", "variance", "level", "power"),
    [
        (2, 20, 0.1, 0.04, 0.05, 0.337939029),
        (3, 79, 0.5, 1, 0.05, 0.8049408198),
        (10, 50, 0.1, 0.04, 0.05, 0.3470537894),
        (50, 100, 0.1, 0.04, 0.01, 0.1347376156),
        (129, 50, 0.2, 0.0401, 0.05, 0.4260442771),
    ],
)
def test_power_of_anova_is_that_of_r(
    runs: int, topics: int, difference: float, variance: float, level: float, power: float
) -> None:
    found = Range(runs=runs).power(topics, difference=difference, variance=variance, level=level)
    assert found == pytest.approx(power, abs=1e-8)


# R 4.2.2: power.anova.test(groups=, between.var=difference^2/2/(groups-1), within.var=, sig.level=, power=)$n
@pytest.mark.parametrize(
    ("runs", "difference", "variance", "level", "power", "topics"),
    [
        (2, 0.1, 0.04, 0.05, 0.8, 63.7656101),
        (3, 0.5, 1, 0.05, 0.8, 78.0847914),
        (10, 0.1, 0.04, 0.05, 0.8, 126.0466403),
        (30, 0.1, 0.04, 0.01, 0.9, 309.6045912),
        (129, 0.05, 0.0401, 0.05, 0.8, 1450.328898),
    ],
)
def test_topics_for_anova_are_those_of_r(
    runs: int, difference: float, variance: float, level: float, power: float, topics: float
) -> None:
    found = Range(runs=runs).topics(difference=difference, variance=variance, level=level, power=power)
    assert found == ceil(topics)


# R 4.2.2: e <- integrate(function(v) sqrt(v/(n-1)) * dchisq(v, n-1), 0, Inf, rel.tol=1e-11)$value
#          2 * qt(1 - level/2, n-1) * sqrt(variance/n) * e
@pytest.mark.parametrize(
    ("topics", "variance", "level", "width"),
    [
        (2, 1, 0.05, 14.33741672),
        (10, 0.05, 0.05, 0.3111705619),
        (33, 0.5, 0.05, 0.4975565768),
        (50, 0.0272, 0.01, 0.1243772134),
    ],
)
def test_expected_width_is_that_of_an_integral_in_r(topics: int, variance: float, level: float, width: float) -> None:
    assert Width().difference(topics, variance=variance, level=level) == pytest.approx(width, rel=1e-8)


def test_expected_width_of_many_topics_is_that_of_the_normal_distribution() -> None:
    normal = 2 * stats.norm.ppf(0.975) / sqrt(10**8)
    assert Width().difference(10**8, variance=1) == pytest.approx(normal, rel=1e-7)


@pytest.mark.parametrize(("above", "below"), [(1, 1), (1, 40), (9, 90), (128, 6272)])
@pytest.mark.parametrize("shift", [0.0, 0.3, 12.0, 700.0])
def test_noncentral_tail_is_that_of_scipy(above: float, below: float, shift: float) -> None:
    critical = stats.f.isf(0.05, above, below)
    found = beyond(np.array(above), np.array(below), np.array(shift), 0.05)
    expected = stats.ncf.sf(critical, above, below, shift) if shift else 0.05
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("shift", [1e6, 1e9, 1e13, 1e16])
def test_noncentral_tail_far_out_is_a_chance_that_can_be_worked_out(shift: float) -> None:
    # Two topics: |t| > c when |X| > c |Y|, with X normal around √shift and Y around 0; far out X is √shift, nearly.
    critical = stats.t.isf(5e-8, 1)
    chance = 2 * stats.norm.cdf(sqrt(shift) / critical) - 1
    assert beyond(np.array(1.0), np.array(1.0), np.array(shift), 1e-7) == pytest.approx(chance, rel=2e-5)


@pytest.mark.parametrize("design", TESTING, ids=str)
def test_the_topics_found_do_and_one_less_does_not(design: Design) -> None:
    for difference in (0.03, 0.1, 0.4):
        n = design.topics(difference=difference, variance=0.05, level=0.05, power=0.8)
        reached = design.power([n - 1, n], difference=difference, variance=0.05)
        assert reached[0] < 0.8 <= reached[1]


@pytest.mark.parametrize("width", [0.05, 0.1, 0.5])
def test_the_topics_found_are_narrow_enough_and_one_less_is_not(width: float) -> None:
    n = Width().topics(difference=width, variance=0.05)
    reached = Width().difference([n - 1, n], variance=0.05)
    assert reached[1] <= width < reached[0]


@pytest.mark.parametrize("design", EVERY, ids=str)
def test_two_topics_are_the_fewest(design: Design) -> None:
    assert design.topics(difference=1000, variance=0.01) == 2


@pytest.mark.parametrize("design", TESTING, ids=str)
def test_power_grows_with_topics_difference_level_and_falls_with_variance(design: Design) -> None:
    n = np.arange(2, 120)
    usual = design.power(n, difference=0.05, variance=0.05)
    assert (np.diff(usual) > 0).all()
    assert (design.power(n, difference=0.06, variance=0.05) > usual).all()
    assert (design.power(n, difference=0.05, variance=0.05, level=0.06) > usual).all()
    assert (design.power(n, difference=0.05, variance=0.06) < usual).all()


@pytest.mark.parametrize("design", EVERY, ids=str)
def test_the_difference_in_reach_shrinks_with_topics(design: Design) -> None:
    assert (np.diff(design.difference(np.arange(2, 120), variance=0.05)) < 0).all()


@pytest.mark.parametrize("design", TESTING, ids=str)
def test_the_difference_in_reach_has_the_power_that_was_asked_for(design: Design) -> None:
    n = np.array([2, 3, 20, 400])
    reach = design.difference(n, variance=0.05, power=0.9)
    found = [float(design.power(k, difference=d, variance=0.05)) for k, d in zip(n, reach.tolist(), strict=True)]
    assert found == pytest.approx([0.9] * 4, abs=1e-12)


def test_what_is_all_but_certain_is_found() -> None:
    for shift in (1e30, 1e300, np.inf):
        assert beyond(np.array([1.0, 9.0]), np.array([1.0, 90.0]), np.array([shift, shift]), 0.05).tolist() == [1, 1]
    assert PairedT().power(2, difference=1e200, variance=1e-200) == 1
    assert np.isfinite(PairedT().difference([2, 50], variance=1, power=1 - 1e-16)).all()


def test_answers_have_the_shape_of_the_topics() -> None:
    assert PairedT().power(20, difference=0.1, variance=0.05).shape == ()
    assert PairedT().power([[20, 30, 40]], difference=0.1, variance=0.05).shape == (1, 3)
    assert PairedT().power([], difference=0.1, variance=0.05).shape == (0,)
    assert np.isnan(Width().power([20, 30], difference=0.1, variance=0.05)).tolist() == [True, True]


def test_two_runs_on_the_same_topics_are_a_paired_t() -> None:
    # The residual of a two-way analysis of two runs is half the variance of their differences.
    n = np.arange(2, 60)
    two = Range(runs=2, model="two-way")
    assert two.power(n, difference=0.1, variance=0.02) == pytest.approx(
        PairedT().power(n, difference=0.1, variance=0.04)
    )


def simulated(reject: Callable[[np.random.Generator], np.ndarray], expected: float, times: int = 20_000) -> None:
    """The share of rejections is within four standard errors of the power."""
    share = reject(np.random.default_rng(11)).mean()
    assert abs(share - expected) < 4 * sqrt(expected * (1 - expected) / times)


def test_simulated_pairs_are_found_as_often_as_the_power_says() -> None:
    def reject(rng: np.random.Generator) -> np.ndarray:
        return np.asarray(stats.ttest_1samp(rng.normal(0.06, 0.1, (20_000, 15)), 0, axis=1).pvalue <= 0.05)

    simulated(reject, float(PairedT().power(15, difference=0.06, variance=0.01)))


MEANS = np.array([-0.06, 0, 0, 0.06])  # the range is .12, the others half-way


def test_simulated_runs_on_topics_of_their_own_are_found_as_often_as_the_power_says() -> None:
    def reject(rng: np.random.Generator) -> np.ndarray:
        values = rng.normal(0, 0.1, (20_000, 12, 4)) + MEANS
        return np.asarray(stats.f_oneway(*values.transpose(2, 1, 0)).pvalue <= 0.05)

    simulated(reject, float(Range(runs=4).power(12, difference=0.12, variance=0.01)))


def test_simulated_runs_on_the_same_topics_are_found_as_often_as_the_power_says() -> None:
    def reject(rng: np.random.Generator) -> np.ndarray:
        values = rng.normal(0, 0.1, (20_000, 12, 4)) + MEANS + rng.normal(0, 0.5, (20_000, 12, 1))
        means = values.mean(axis=1, keepdims=True)
        rest = values - means - values.mean(axis=2, keepdims=True) + values.mean(axis=(1, 2), keepdims=True)
        between = 12 * means.var(axis=(1, 2), ddof=1)
        return stats.f.sf(between / ((rest**2).sum(axis=(1, 2)) / (3 * 11)), 3, 3 * 11) <= 0.05

    simulated(reject, float(Range(runs=4, model="two-way").power(12, difference=0.12, variance=0.01)))


def test_simulated_intervals_are_as_wide_as_expected() -> None:
    deviation = np.random.default_rng(5).normal(0, 0.2, (20_000, 8)).std(axis=1, ddof=1)
    width = 2 * stats.t.ppf(0.975, 7) * deviation / sqrt(8)
    error = width.std() / sqrt(20_000)
    assert abs(width.mean() - float(Width().difference(8, variance=0.04))) < 4 * error


SMALL = np.array([[0.1, 0.3, 0.2], [0.4, 0.4, 0.7], [0.7, 0.2, 0.9]])


def test_variances_of_a_small_pilot_by_hand() -> None:
    # Run variances: .09, .01, .13; differences b−a: .2 0 −.5, c−a: .1 .3 .2, c−b: −.1 .3 .7.
    pairs = [float(np.var(d, ddof=1)) for d in ([0.2, 0, -0.5], [0.1, 0.3, 0.2], [-0.1, 0.3, 0.7])]
    assert pairs == pytest.approx([0.13, 0.01, 0.16])
    assert pilot_variance(SMALL, of="within") == pytest.approx((0.09 + 0.01 + 0.13) / 3)
    assert pilot_variance(SMALL, of="twice-within") == pytest.approx(2 * (0.09 + 0.01 + 0.13) / 3)
    assert pilot_variance(SMALL, of="differences") == pytest.approx((0.13 + 0.01 + 0.16) / 3)
    assert pilot_variance(SMALL, of="residual") == pytest.approx((0.13 + 0.01 + 0.16) / 6)
    assert pilot_variance(SMALL, of="median") == pytest.approx(0.13)
    assert pilot_variance(SMALL, of="largest") == pytest.approx(0.16)


def test_the_mean_variance_of_differences_is_twice_the_residual() -> None:
    values = np.random.default_rng(1).random((9, 6))
    every = [np.var(values[:, b] - values[:, a], ddof=1) for a, b in combinations(range(6), 2)]
    assert len(every) == comb(6, 2)
    assert pilot_variance(values, of="differences") == pytest.approx(np.mean(every))
    assert pilot_variance(values, of="residual") == pytest.approx(np.mean(every) / 2)


def test_pilots_are_pooled_by_degrees_of_freedom() -> None:
    other = np.random.default_rng(2).random((6, 2))
    # 3 runs × 2, and 2 runs × 5 degrees; residuals 2 × 2 and 1 × 5; pairs 2 and 5.
    for of, freedom in (("within", (6, 10)), ("residual", (4, 5)), ("median", (2, 5))):
        one, two = pilot_variance(SMALL, of=of), pilot_variance(other, of=of)  # type: ignore[arg-type]
        pooled = (freedom[0] * one + freedom[1] * two) / sum(freedom)
        assert pilot_variance(SMALL, other, of=of) == pytest.approx(pooled)  # type: ignore[arg-type]


def test_variances_of_trec_8_are_those_of_its_analysis(shared_data: Path) -> None:
    # METHODS: the error of the two-way analysis of 50 topics × 129 runs is 85.3502, and that of a one-way one has the
    # topics' 167.9974 in it too; the file has four decimals.
    values = np.loadtxt(shared_data / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    assert pilot_variance(values, of="residual") == pytest.approx(85.3502 / (49 * 128), rel=1e-4)
    assert pilot_variance(values, of="within") == pytest.approx((85.3502 + 167.9974) / (129 * 49), rel=1e-4)


def scored(differences: np.ndarray) -> Pairs:
    return Pairs.every(np.column_stack([np.zeros(len(differences)), differences]))


def test_achieved_power_is_that_of_r() -> None:
    # R 4.2.2: power.t.test(n=28, delta=.953/sqrt(28), sd=1, type="paired", strict=TRUE)$power is 0.1510342
    shape = np.random.default_rng(3).normal(size=28)
    shape = (shape - shape.mean()) / shape.std(ddof=1)
    assert achieved_power(scored(shape + 0.953 / sqrt(28)))[0] == pytest.approx(0.1510342, abs=1e-7)


def test_achieved_power_where_all_topics_agree() -> None:
    assert achieved_power(scored(np.zeros(5)), level=0.1)[0] == pytest.approx(0.1)
    assert achieved_power(scored(np.full(5, 0.2)))[0] == 1
    assert np.isnan(achieved_power(scored(np.array([0.2])))[0])


def test_achieved_power_counts_the_topics_of_both() -> None:
    values = np.array([[0.1, 0.2, np.nan], [0.3, 0.5, 0.2], [0.2, 0.1, np.nan], [0.4, 0.9, np.nan]])
    found = achieved_power(Pairs.every(values))
    assert found[0] == pytest.approx(achieved_power(Pairs.every(values[:, :2]))[0])
    assert np.isnan(found[1:]).tolist() == [True, True]


def test_a_table_of_power_over_topics() -> None:
    table = power_table(Range(runs=3), [10, 20], variance=0.04, level=0.01, difference=0.1)
    assert list(table.data) == ["design", "topics", "level", "power", "difference", "variance"]
    powers = Range(runs=3).power([10, 20], difference=0.1, variance=0.04, level=0.01)
    assert [row["power"] for row in table.rows()] == powers.tolist()
    assert [row["topics"] for row in table.rows()] == [10, 20]
    assert {(row["design"], row["level"], row["difference"], row["variance"]) for row in table.rows()} == {
        ("anova(runs=3)", 0.01, 0.1, 0.04)
    }


def test_a_table_of_differences_over_topics() -> None:
    table = power_table(PairedT(), 50, variance=0.04, power=0.9)
    (row,) = table.rows()
    assert row["power"] == 0.9
    assert row["difference"] == float(PairedT().difference(50, variance=0.04, power=0.9))
    assert [row["power"] for row in power_table(PairedT(), 50, variance=0.04).rows()] == [0.8]


def test_a_table_of_widths_has_no_power() -> None:
    for table in (power_table(Width(), [50], variance=0.04), power_table(Width(), [50], variance=0.04, difference=0.1)):
        (row,) = table.rows()
        assert row["power"] is None
        assert row["difference"] == float(Width().difference(50, variance=0.04))


def test_designs_are_declared() -> None:
    assert DESIGNS.names() == ["t", "anova", "interval"]
    assert str(Range(runs=10)) == "anova(runs=10)"
    assert [DESIGNS[name]().pilot for name in DESIGNS.names()] == ["differences", "within", "differences"]
    assert Range(model="two-way").pilot == "residual"
    assert len({cls.goal for cls in DESIGNS}) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"power": 0.05}, "a power of 0.05 is not between the level 0.05 and 1"),
        ({"power": 1.0}, "a power of 1 is not between the level 0.05 and 1"),
        ({"level": 0.0}, "a level of 0 is not between 0 and 1"),
        ({"level": 1.0}, "a level of 1 is not between 0 and 1"),
        ({"variance": -0.1}, "a variance of -0.1 is not above 0"),
        ({"variance": 0.0}, "a variance of 0 is not above 0"),
        ({"variance": float("nan")}, "a variance of nan is not above 0"),
        ({"difference": 0.0}, "a difference of 0 is not above 0"),
        ({"difference": float("inf")}, "a difference of inf is not above 0"),
    ],
)
@pytest.mark.parametrize("design", EVERY, ids=str)
def test_a_plan_that_makes_no_sense_is_refused(design: Design, wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError) as refused:
        design.topics(**{"difference": 0.1, "variance": 0.05, **wrong})
    assert refused.value.problem == message
    assert refused.value.hint


@pytest.mark.parametrize("design", EVERY, ids=str)
@pytest.mark.parametrize("topics", [1, 0, -3, 2.5, float("nan"), float("inf")])
def test_too_few_topics_are_refused(design: Design, topics: float) -> None:
    with pytest.raises(ParameterError, match="is no number of topics to plan with"):
        design.power([10, topics], difference=0.1, variance=0.05)
    with pytest.raises(ParameterError, match="is no number of topics to plan with"):
        design.difference([10, topics], variance=0.05)


@pytest.mark.parametrize("design", EVERY, ids=str)
def test_what_no_experiment_can_find_is_refused(design: Design) -> None:
    with pytest.raises(ParameterError, match="more than 1,000,000,000 topics"):
        design.topics(difference=1e-6, variance=1)


def test_a_variance_needs_a_pilot() -> None:
    with pytest.raises(ParameterError, match="no pilot"):
        pilot_variance(of="within")
    with pytest.raises(ParameterError, match="too few"):
        pilot_variance(SMALL[:1], of="within")
    with pytest.raises(ParameterError, match="no value"):
        pilot_variance(np.where(SMALL == 0.9, np.nan, SMALL), of="within")
    with pytest.raises(ParameterError, match="no variance 'total'") as refused:
        pilot_variance(SMALL, of="total")  # type: ignore[arg-type]
    assert "residual" in refused.value.hint


def test_a_table_answers_one_question() -> None:
    with pytest.raises(ParameterError, match="both a difference and a power"):
        power_table(PairedT(), [50], variance=0.04, difference=0.1, power=0.8)


def test_achieved_power_needs_a_level() -> None:
    with pytest.raises(ParameterError, match="a level of 1"):
        achieved_power(scored(np.array([0.1, 0.2])), level=1)


def test_a_pilot_of_identical_runs_has_no_variance() -> None:
    pilot = np.array([[0.1, 0.1], [0.7, 0.7], [0.4, 0.4]])
    assert pilot_variance(pilot, of="differences") == 0.0
    with pytest.raises(ParameterError, match="a variance of 0 is not above 0"):
        PairedT().topics(difference=0.1, variance=pilot_variance(pilot, of="differences"))
