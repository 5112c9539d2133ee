"""Every test and analysis gives the same answer in any unit: all values times a constant, from 1e-300 to 1e300."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.data import Values, read_factors, read_scores
from cranfield.stats import EFFECTS, TESTS, TRANSFORMS, Asked, Pairs, pilot_variance
from cranfield.stats.anova.assumption_checks import assumptions
from cranfield.stats.anova.bootstrap import bootstrap_anova
from cranfield.stats.anova.factor_designs import factor_anova
from cranfield.stats.anova.replicated_designs import replicated_anova
from cranfield.stats.anova.variance_analysis import Anova, OneWay, TwoWay
from cranfield.stats.anova.variance_components import components
from cranfield.stats.comparison.meaningfulness import find_rescalings
from cranfield.stats.comparison.several_collections import collection_tables
from cranfield.stats.estimates.confidence_intervals import INTERVALS
from cranfield.stats.estimates.risk import georisk, urisk
from cranfield.stats.multiple.omnibus_base import OMNIBUS
from cranfield.stats.pair_tests.bayesian import BELIEFS
from cranfield.stats.pair_tests.closed_form import Sign, T
from cranfield.stats.private_topics.overfitting import Welch
from cranfield.stats.reliability.discrimination import swap_rate
from cranfield.stats.reliability.split_half_counts import significant_in_halves, winners_in_halves

A, B = [0.2, 0.3, 0.1, 0.4, 0.25], [0.4, 0.5, 0.6, 0.7, 0.35]
POWERS = (2.0**-996, 2.0**-43, 2.0**40, 2.0**996)  # exact: every digit of every answer stays
DECIMAL = (1e-300, 1e-13, 1e-12, 1e-3, 1e4, 1e10, 1e300)  # each value is rounded once
FACTORS = POWERS + DECIMAL
ASKED = Asked(threads=1)


def decimals(topics: int = 13, runs: int = 5) -> Matrix:
    """Return values with three decimals and many ties of values, differences and signs."""
    drawn = np.random.default_rng(20).integers(0, 20, (topics, runs)) / 20 + np.arange(runs) / 50
    drawn[3] = 0.125  # all runs alike in one topic
    drawn[:, 4] = drawn[:, 0]  # two runs alike in all topics
    return drawn


def close(factor: float) -> float:
    return 0.0 if factor in POWERS else 1e-9


def assert_same(found: Any, expected: Any, factor: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=close(factor), atol=0, equal_nan=True)


def scaled(parameters: dict[str, float], factor: float) -> dict[str, float]:
    """Return margins in the unit of the values."""
    return {name: value * factor for name, value in parameters.items()}


MARGINS: dict[str, dict[str, float]] = {"tost": {"margin": 0.3}, "bayes-signed-rank": {"rope": 0.05}}
DRAWN = {"draws": 400}


def declared(kind: Any, factor: float) -> Any:
    parameters: dict[str, Any] = scaled(MARGINS.get(kind.name, {}), factor)
    return kind(**parameters, **(DRAWN if hasattr(kind, "draws") else {}))


@pytest.mark.parametrize("factor", FACTORS)
def test_the_case_of_the_issue(factor: float) -> None:
    pairs = Pairs.every(factor * np.array([A, B]).T)
    expected = scipy_stats.ttest_rel(B, A).pvalue
    assert expected == pytest.approx(0.0186, abs=5e-5)
    assert T().compare(pairs, ASKED).p[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("topics", [5, 13, 61])
@pytest.mark.parametrize("kind", list(TESTS), ids=lambda kind: kind.name)
def test_pair_tests(kind: Any, topics: int, factor: float) -> None:
    values = decimals(topics)
    found, expected = (declared(kind, unit).compare(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
    for name in ("n", "p", "adjusted", "effect"):
        if getattr(expected, name) is not None:
            assert_same(getattr(found, name), getattr(expected, name), factor)
    if kind.interval_of_values:
        for end, other in ((found.low, expected.low), (found.high, expected.high)):
            np.testing.assert_allclose(end / factor, other, rtol=close(factor), atol=close(factor), equal_nan=True)


@pytest.mark.parametrize("factor", [*FACTORS, 8e18, 9.3e18])
@pytest.mark.parametrize("kind", list(TESTS), ids=lambda kind: kind.name)
def test_pair_tests_of_zeros_and_ones(kind: Any, factor: float) -> None:
    values = np.array([[0.0, 1.0]] * 6)
    found, expected = (declared(kind, unit).compare(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
    assert_same(found.p, expected.p, factor)
    if kind.interval_of_values:
        assert_same(found.low / factor, expected.low, 0.0)
        assert_same(found.high / factor, expected.high, 0.0)


@pytest.mark.parametrize("factor", FACTORS)
def test_pair_tests_over_topics_of_their_own(factor: float) -> None:
    values = decimals()
    values[2, 1] = values[5, 2] = np.nan
    for kind in TESTS:
        found, expected = (declared(kind, unit).compare(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
        assert_same(found.p, expected.p, factor)


@pytest.mark.parametrize("factor", FACTORS)
def test_sign_with_a_margin(factor: float) -> None:
    values = decimals()
    found, expected = (Sign(margin=0.05 * unit).compare(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
    assert_same(found.statistic, expected.statistic, factor)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("kind", list(EFFECTS), ids=lambda kind: kind.name)
def test_effect_sizes(kind: type, factor: float) -> None:
    values = decimals()
    assert_same(kind().size(Pairs.every(factor * values)), kind().size(Pairs.every(values)), factor)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("kind", list(BELIEFS), ids=lambda kind: kind.name)
def test_bayesian_tests(kind: type, factor: float) -> None:
    values = decimals()
    found, expected = (declared(kind, unit).compare(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
    assert_same(np.array(found), np.array(expected), factor)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("kind", list(INTERVALS), ids=lambda kind: kind.name)
def test_intervals(kind: type, factor: float) -> None:
    values = decimals()
    found, expected = (declared(kind, 1.0).of(Pairs.every(unit * values), ASKED) for unit in (factor, 1.0))
    for end, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(end / factor, other, rtol=close(factor), atol=close(factor))


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("test", ["t", "sign", "rank-sum", "signed-rank", "randomisation"])
def test_halves_of_the_topics(test: str, factor: float) -> None:
    values = decimals(61)
    inside = np.random.default_rng(1).permuted(np.tile(np.arange(61) < 31, (9, 1)), axis=1)
    one = declared(TESTS[test], 1.0)
    asked = replace(ASKED, level=0.2)
    found, expected = (significant_in_halves(one, Pairs.every(unit * values), inside, asked) for unit in (factor, 1.0))
    np.testing.assert_array_equal(found, expected)
    assert 0 < expected.mean() < 1
    for aggregate in ("mean", "median"):
        ahead, before = (winners_in_halves(Pairs.every(unit * values), inside, aggregate) for unit in (factor, 1.0))
        np.testing.assert_array_equal(ahead, before)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("kind", list(OMNIBUS), ids=lambda kind: kind.name)
def test_omnibus_tests(kind: type, factor: float) -> None:
    values = decimals()
    for row, other in zip(kind().sources(factor * values), kind().sources(values), strict=True):
        assert_same(
            [row.statistic, row.p, row.effect, row.df], [other.statistic, other.p, other.effect, other.df], factor
        )


def cube(unit: float) -> NDArray[np.float64]:
    return unit * np.stack([decimals(), decimals()[::-1], decimals() ** 2])


KINDS = read_factors({"run": list("uvwxyz"), "kind": list("pppqqq")})
ANALYSES: dict[str, Callable[[float], Anova]] = {
    "two-way": lambda unit: TwoWay().fit(unit * decimals()),
    "one-way": lambda unit: OneWay().fit(unit * decimals()),
    "replicated": lambda unit: replicated_anova(cube(unit)),
    "factors": lambda unit: factor_anova(unit * decimals(runs=6), KINDS),
}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)
def test_analyses_of_variance(analysis: Callable[[float], Anova], factor: float) -> None:
    found, expected = analysis(factor), analysis(1.0)
    for row, other in zip(found.rows, expected.rows, strict=True):
        assert_same([row.statistic, row.p, row.effect], [other.statistic, other.p, other.effect], factor)
    assert_same(found.rmse / factor, expected.rmse, factor)
    assert_same(found.means / factor, expected.means, factor)


@pytest.mark.parametrize("factor", FACTORS)
def test_bootstrap_anova(factor: float) -> None:
    found, expected = (bootstrap_anova(cube(unit), draws=200, asked=ASKED) for unit in (factor, 1.0))
    assert_same([found.statistic, found.p], [expected.statistic, expected.p], factor)
    assert_same(found.answer.p, expected.answer.p, factor)
    assert_same(found.low / factor, expected.low, factor)


@pytest.mark.parametrize("factor", FACTORS)
def test_variance_components_assumptions_and_swaps(factor: float) -> None:
    values = decimals()
    found, expected = (components(unit * values) for unit in (factor, 1.0))
    assert_same([part.share for part in found.parts], [part.share for part in expected.parts], factor)
    for name in ("relative", "absolute"):
        one, other = getattr(found, name), getattr(expected, name)
        assert_same([one.value, one.low, one.high], [other.value, other.low, other.high], factor)
    for one, other in zip(
        assumptions(factor * values)[:-1], assumptions(values)[:-1], strict=True
    ):  # 0 and 1 are units
        assert one.matters == other.matters
        assert_same([one.value, one.p], [other.value, other.p], factor)
    swaps, before = (swap_rate(unit * values, width=0.01 * unit, draws=50) for unit in (factor, 1.0))
    np.testing.assert_array_equal(swaps.swaps, before.swaps)
    np.testing.assert_array_equal(swaps.ties, before.ties)


@pytest.mark.parametrize("factor", FACTORS)
def test_risk_and_overfitting(factor: float) -> None:
    values = decimals()
    (_, found), (_, expected) = (urisk(unit * values[:, 1], unit * values[:, 0], 2.0) for unit in (factor, 1.0))
    assert_same(found, expected, factor)
    welch, before = (Welch.of(unit * values.T[:2], unit * values.T[2:4], 0.05) for unit in (factor, 1.0))
    assert_same(welch.p, before.p, factor)


def scores(values: Matrix) -> Values:
    return read_scores({f"r{run}": column.tolist() for run, column in enumerate(values.T)})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", FACTORS)
def test_several_collections(factor: float) -> None:
    random = np.random.default_rng(8)
    given = [(name, random.random((n, 3)) + np.array([0.0, 0.1, 0.3])) for name, n in (("A", 15), ("B", 17), ("C", 18))]
    scaled_up, expected = (
        collection_tables([(name, scores(unit * values)) for name, values in given])["pooled"] for unit in (factor, 1.0)
    )
    for column in ("p", "q", "p_heterogeneity", "i2"):
        assert_same(scaled_up.cells(column), expected.cells(column), factor)
    for column in ("difference", "low", "high", "predicted_low", "predicted_high"):
        assert_same(np.array(scaled_up.cells(column)) / factor, expected.cells(column), factor)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", ["z-score", "webber", "sakai", "urbano"])
def test_ranks_of_standardised_values(name: str, factor: float) -> None:
    # In topics with one value above 0 the others have the same z-score: they tie with those of other such topics.
    values = np.zeros((9, 4))
    values[np.arange(9), np.arange(9) % 4] = [0.31, 0.07, 0.9, 0.43, 0.11, 0.77, 0.29, 0.53, 0.19]
    transform = TRANSFORMS[name]()
    scaled_up, expected = (transform.apply(unit * values) for unit in (factor, 1.0))
    assert len(np.unique(scaled_up)) == len(np.unique(expected)) == 2
    row, other = (OMNIBUS["kruskal-wallis"]().sources(each)[0] for each in (scaled_up, expected))
    assert (row.statistic, row.p) == (other.statistic, other.p)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", FACTORS)
def test_risk_and_meaning_without_overflow(factor: float) -> None:
    values = decimals()
    (z, geo), (expected, _) = (georisk(unit * values, 2.0) for unit in (factor, 1.0))
    np.testing.assert_allclose(z / np.sqrt(factor), expected, rtol=1e-9, atol=1e-9)  # dincer2016: in roots of values
    assert np.isfinite(geo).all()
    rescaled, plain = (find_rescalings(Pairs.every(unit * values)) for unit in (factor, 1.0))
    for name in ("larger", "common", "own"):
        np.testing.assert_array_equal(getattr(rescaled, name), getattr(plain, name))
    np.testing.assert_allclose(rescaled.threshold / factor, plain.threshold, rtol=0.1)  # as few digits as will do


@pytest.mark.parametrize(("factor", "known"), [(1e-300, False), (1e-160, False), (1e-150, True), (1e150, True)])
def test_a_variance_that_no_float_holds_is_refused(factor: float, known: bool) -> None:
    values = decimals()
    if known:
        variance = pilot_variance(factor * values, of="within") / factor**2
        assert variance == pytest.approx(pilot_variance(values, of="within"))
    else:
        with pytest.raises(ParameterError, match="too small or too large for a number"):
            pilot_variance(factor * values, of="within")
