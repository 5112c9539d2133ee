"""One difference from several collections: by hand, by brute force, in odd cases, and how often the interval holds."""

from math import exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from cranfield.core import ParameterError
from cranfield.stats import Pairs
from cranfield.stats.comparison.meta_analysis import TAUS, Effects, Pooled, pool_effects
from tests.support.run_size import Size

Numbers = NDArray[np.float64]
NARROW = "narrower than if all had one true difference: the collections lie close"


def drawn(pairs: int, k: int, *, between: float, seed: int) -> tuple[Numbers, Numbers]:
    """(pair, collection): effects around .01 and their variances."""
    random = np.random.default_rng(seed)
    variance = random.uniform(1e-4, 9e-4, (pairs, k))
    return random.normal(0.01, np.sqrt(variance + between**2)), variance


def of_first(found: Pooled, *names: str) -> tuple[float, ...]:
    """What is said of the first pair."""
    return tuple(getattr(found, name)[0].item() for name in names)


def test_two_collections_by_hand() -> None:
    # Effects 0 and .04, both with variance .0001: mean .02, sum of squares .0008.
    for tau in TAUS:
        found = pool_effects(np.array([0, 0.04]), np.array([1e-4, 1e-4]), tau=tau)
        assert found.difference == pytest.approx(0.02)
        # Their own variance is .0008; of it .0001 is chance.
        assert found.tau2 == pytest.approx(0.0007)
        # The error of a mean of two: √(.0008 / 2); t with one degree of freedom has tan(.475 π).
        assert found.error == pytest.approx(0.02)
        half = 0.02 * np.tan(0.475 * np.pi)
        assert of_first(found, "low", "high") == pytest.approx((0.02 - half, 0.02 + half))
        # t = 1: a quarter of Cauchy's distribution lies above 1.
        assert found.p == pytest.approx(0.5)
        # Q = .0008 / .0001, of which 1 is expected; χ² with one degree of freedom is z².
        assert of_first(found, "q", "df", "i2") == pytest.approx((8, 1, 7 / 8))
        assert found.p_heterogeneity == pytest.approx(2 * stats.norm.sf(sqrt(8)))
        assert np.isnan([found.predicted_low, found.predicted_high]).all()
        np.testing.assert_allclose([found.weight, found.fixed], 0.5)


def test_the_published_trials_of_a_vaccine() -> None:
    # viechtbauer2010 §3: effects and variances to four decimals; REML's τ² .3132, mean −.7145, Q 152.233.
    y = [-0.8893, -1.5854, -1.3481, -1.4416, -0.2175, -0.7861, -1.6209, 0.0120, -0.4694, -1.3713, -0.3394, 0.4459]
    v = [0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124, 0.5325]
    found = pool_effects(np.array([*y, -0.0173]), np.array([*v, 0.0714]))
    assert found.tau2 == pytest.approx(0.3132, abs=2e-4)
    assert found.difference == pytest.approx(-0.7145, abs=1e-4)
    assert found.q == pytest.approx(152.233, abs=0.5)  # the smallest variances have two digits


def restricted(tau2: float, y: Numbers, v: Numbers) -> float:
    """Less twice the logarithm of the restricted likelihood, by plain loops."""
    weights = [1 / (each + tau2) for each in v]
    mean = sum(w * each for w, each in zip(weights, y, strict=True)) / sum(weights)
    squares = sum(w * (each - mean) ** 2 for w, each in zip(weights, y, strict=True))
    return squares - sum(map(log, weights)) + log(sum(weights))


@pytest.mark.parametrize("between", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("k", [2, 3, 6, 15])
def test_reml_is_on_top_of_the_likelihood(k: int, between: float) -> None:
    y, v = drawn(20, k, between=between, seed=k)
    found = pool_effects(y, v).tau2
    grid = [0.0, *(exp(step / 10) for step in range(-140, -10))]
    for pair in range(len(y)):
        least = min(restricted(tau2, y[pair], v[pair]) for tau2 in grid)
        assert restricted(found[pair], y[pair], v[pair]) <= least + 1e-9
        nearby = optimize.minimize_scalar(
            restricted, (0, found[pair] + 1e-4), args=(y[pair], v[pair]), bounds=(0, 1), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        assert found[pair] == pytest.approx(nearby.x, abs=2e-7)


@pytest.mark.parametrize("k", [2, 4, 9])
def test_one_step_and_the_interval_by_plain_loops(k: int) -> None:
    y, v = drawn(8, k, between=0.02, seed=10 + k)
    found = pool_effects(y, v, tau="dl", level=0.1)
    for pair in range(len(y)):
        w = [1 / each for each in v[pair]]
        mean = sum(a * b for a, b in zip(w, y[pair], strict=True)) / sum(w)
        q = sum(a * (b - mean) ** 2 for a, b in zip(w, y[pair], strict=True))
        tau2 = max(0.0, (q - (k - 1)) / (sum(w) - sum(a * a for a in w) / sum(w)))
        w = [1 / (each + tau2) for each in v[pair]]
        mean = sum(a * b for a, b in zip(w, y[pair], strict=True)) / sum(w)
        error = sqrt(sum(a * (b - mean) ** 2 for a, b in zip(w, y[pair], strict=True)) / (k - 1) / sum(w))
        t = stats.t(k - 1)
        expected = [tau2, q, mean, error, mean - t.isf(0.05) * error, mean + t.isf(0.05) * error]
        ours = [found.tau2, found.q, found.difference, found.error, found.low, found.high]
        np.testing.assert_allclose([one[pair] for one in ours], expected, rtol=1e-10, atol=1e-15)
        assert found.p[pair] == pytest.approx(2 * t.sf(abs(mean) / error))
        assert found.i2[pair] == pytest.approx(max(0, (q - (k - 1)) / q))
        np.testing.assert_allclose(found.weight[pair], np.array(w) / sum(w))


def test_effects_are_paired_means() -> None:
    first, second = np.array([[0.1, 0.3, 0.2], [0.2, 0.2, 0.4], [0.6, 0.9, 0.5]]), np.array([[0.5, 0.6, 0.1]] * 2)
    second[1, 1], second[1, 2] = 0.9, 0.5
    found = Effects.of([Pairs.every(first), Pairs.every(second)])
    for pair, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for where, values in enumerate([first, second]):
            difference = values[:, b] - values[:, a]
            assert found.topics[pair, where] == len(values)
            assert found.difference[pair, where] == pytest.approx(difference.mean())
            assert found.variance[pair, where] == pytest.approx(difference.var(ddof=1) / len(values))
    assert not found.borrowed.any()


def test_a_collection_without_spread_borrows_that_of_the_others() -> None:
    a = np.zeros(4)
    collections = [
        np.stack([a, [0.1, 0.3, 0.1, 0.3]], 1),  # squares add up to 4 · .01, three degrees of freedom
        np.stack([a[:2], [0.0, 0.2]], 1),  # 2 · .01, one degree of freedom
        np.stack([a, a], 1),  # identical runs
        np.stack([a[:1], [0.2]], 1),  # one topic
        np.stack([a[:3], [0.1, 0.1, 0.1]], 1),  # the same difference everywhere
        np.full((2, 2), np.nan),
    ]
    found = Effects.of([Pairs.every(values) for values in collections])
    pooled = (0.04 + 0.02) / (3 + 1)
    own = [0.04 / 3 / 4, 0.02 / 1 / 2]
    np.testing.assert_allclose(found.variance[0], [*own, pooled / 4, pooled, pooled / 3, np.nan])
    np.testing.assert_allclose(found.difference[0], [0.2, 0.1, 0, 0.2, 0.1, np.nan])
    assert found.borrowed.tolist() == [[False, False, True, True, True, False]]
    assert found.topics.tolist() == [[4, 2, 4, 1, 3, 0]]
    together = pool_effects(found.difference, found.variance)
    assert of_first(together, "collections", "df") == (5, 4)
    assert together.weight[0, 5] == 0
    assert together.weight.sum() == pytest.approx(1)


def test_runs_that_are_identical_everywhere_differ_by_nothing() -> None:
    values = np.linspace(0, 1, 5)[:, None].repeat(2, 1)
    found = Effects.of([Pairs.every(values), Pairs.every(values[:3]), Pairs.every(values[:1])])
    together = pool_effects(found.difference, found.variance)
    zeros = ("difference", "error", "low", "high", "predicted_low", "predicted_high", "tau2", "q", "i2")
    assert {name: getattr(together, name).tolist() for name in zeros} == {name: [0.0] for name in zeros}
    assert of_first(together, "p", "p_heterogeneity") == (1, 1)
    np.testing.assert_allclose(together.weight, 1 / 3)
    assert together.note == ("no collection shows a spread: all count alike",)


def test_collections_without_any_spread_are_a_sample_of_differences() -> None:
    y = np.array([[0.1, 0.2, 0.6], [0.2, 0.2, 0.2]])
    found = pool_effects(y, np.zeros((2, 3)))
    student = stats.ttest_1samp(y[0], 0)
    low, high = student.confidence_interval()
    assert (found.p[0], found.low[0], found.high[0]) == pytest.approx((student.pvalue, low, high))
    assert found.tau2[0] == pytest.approx(y[0].var(ddof=1))
    # What differs without any chance differs for sure; what is the same everywhere is known for sure.
    assert (found.q[0], found.p_heterogeneity[0], found.i2[0]) == (np.inf, 0, 1)
    assert (found.difference[1], found.low[1], found.high[1]) == pytest.approx((0.2, 0.2, 0.2))
    assert (found.p[1], found.q[1], found.i2[1], found.tau2[1]) == (0, 0, 0, 0)
    widened = pool_effects(y, np.zeros((2, 3)), widened=True)
    np.testing.assert_array_equal(widened.low, found.low)


def test_effects_that_are_all_equal_do_not_vary() -> None:
    y, v = np.full((1, 3), 0.012), np.array([[1e-4, 4e-4, 2.5e-4]])
    found = pool_effects(y, v)
    assert of_first(found, "tau2", "q", "i2", "p_heterogeneity") == (0, 0, 0, 1)
    assert of_first(found, "low", "high") == pytest.approx((0.012, 0.012))
    assert found.note == (NARROW,)
    widened = pool_effects(y, v, widened=True)
    assert widened.error == pytest.approx(1 / sqrt((1 / v).sum()))
    assert widened.note == ("random effects over collections",)


def test_one_collection_has_no_summary() -> None:
    for effect, variance in (([0.1], [0.01]), ([0.1, np.nan], [0.01, np.nan]), ([0.1, 0.2], [0.01, 0.0])):
        found = pool_effects(np.array(effect), np.array(variance))
        assert of_first(found, "collections", "df") == (1, 0)
        numbers = ("difference", "low", "high", "p", "predicted_low", "tau2", "q", "p_heterogeneity", "i2", "weight")
        for name in numbers:
            assert np.isnan(getattr(found, name)).all(), name
        assert found.note == ("there is only one collection: nothing is summed up",)
    nothing = pool_effects(np.array([np.nan, 0.1]), np.array([0.1, np.nan]), tau="dl")
    assert nothing.collections == 0
    assert np.isnan(nothing.difference).all()


def test_each_pair_has_its_own_note() -> None:
    y = np.array([[0.0, 0.04, 0.1], [0.1, np.nan, np.nan], [0.012, 0.012, 0.012]])
    found = pool_effects(y, np.full((3, 3), 1e-4))
    only = "there is only one collection: nothing is summed up"
    assert found.note == ("random effects over collections", only, NARROW)


def test_units_do_not_matter() -> None:
    y, v = drawn(30, 5, between=0.02, seed=3)
    small, large = pool_effects(y, v), pool_effects(100 * y, 10_000 * v)
    for name, power in (("difference", 1), ("low", 1), ("tau2", 2), ("p", 0), ("q", 0), ("i2", 0), ("weight", 0)):
        np.testing.assert_allclose(getattr(large, name), 100**power * getattr(small, name), rtol=1e-9, atol=1e-12)


def test_refusals() -> None:
    y, v = np.array([0.1, 0.2]), np.array([0.1, 0.1])
    with pytest.raises(ParameterError, match="tau cannot be 'ml'\nhint: choose one of: reml, dl"):
        pool_effects(y, v, tau="ml")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the level cannot be 0"):
        pool_effects(y, v, level=0)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_interval_holds_the_truth_as_often_as_it_says(k: int, size: Size) -> None:
    # Variances are equal and differences do not vary: the weights are equal, and the interval is Student's.
    random = np.random.default_rng(k)
    n = 10 * size.draws
    found = pool_effects(random.normal(0.01, 0.02, (n, k)), np.full((n, k), 0.02**2))
    held = int(((found.low <= 0.01) & (found.high >= 0.01)).sum())
    low, high = stats.binom(n, 0.95).ppf([1e-4, 1 - 1e-4])
    assert low <= held <= high


def test_so_it_nearly_does_from_topics(size: Size) -> None:
    # Collections of 25 to 200 topics, spread estimated: where precision varies it holds a little less (rover2015).
    random, n, sizes = np.random.default_rng(7), size.draws, (25, 50, 50, 100, 200)
    effects = [random.normal(0.01, 0.2, (topics, n)) for topics in sizes]
    found = Effects.of([Pairs.against(np.hstack([np.zeros((len(e), 1)), e]), 0) for e in effects])
    for widened, least, most in ((False, 0.93, 0.96), (True, 0.95, 1.0)):
        together = pool_effects(found.difference, found.variance, widened=widened)
        held = int(((together.low <= 0.01) & (together.high >= 0.01)).sum())
        assert stats.binom(n, least).ppf(1e-4) <= held <= stats.binom(n, most).ppf(1 - 1e-4)
