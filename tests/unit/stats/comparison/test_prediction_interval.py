"""The prediction interval over collections, against draws from its definition."""

import numpy as np
import pytest
from scipy import optimize, stats

from cranfield.stats.comparison.prediction_interval import prediction_interval

Y = np.array([0.02, 0.11, -0.03, 0.07, 0.05, 0.16])
V = np.array([0.001, 0.003, 0.002, 0.0015, 0.004, 0.0025])


def interval(y: object, v: object, level: float = 0.05) -> tuple[float, float]:
    effects, variances = np.atleast_2d(np.asarray(y, dtype=float)), np.atleast_2d(np.asarray(v, dtype=float))
    low, high = prediction_interval(effects, variances, np.ones(effects.shape, dtype=bool), level)
    return float(low[0]), float(high[0])


def drawn(y: np.ndarray, v: np.ndarray, draws: int) -> np.ndarray:
    """Draw χ², solve Q(τ²) = χ² for τ², and draw a new difference given τ²."""
    random, k = np.random.default_rng(4), len(y)

    def pooled(tau2: float) -> tuple[float, float, float]:
        w = 1 / (v + tau2)
        mean = float(w @ y / w.sum())
        return mean, 1 / float(w.sum()), float(w @ (y - mean) ** 2)

    found = []
    for aim in random.chisquare(k - 1, draws):
        tau2 = optimize.brentq(lambda t, aim=aim: pooled(t)[2] - aim, 0, 1e6) if pooled(0.0)[2] > aim else 0.0
        mean, variance, _ = pooled(tau2)
        found.append(mean + np.sqrt(tau2 + variance) * random.standard_t(k - 1))
    return np.array(found)


@pytest.mark.parametrize(("spread", "collections"), [(1.0, 6), (3.0, 6), (1.0, 3), (0.2, 5)])
def test_the_ends_are_quantiles_of_its_definition(spread: float, collections: int) -> None:
    y, v = spread * Y[:collections], V[:collections]
    sample = drawn(y, v, 20_000)
    low, high = interval(y, v, level=0.2)
    for end, chance in ((low, 0.1), (high, 0.9)):
        assert (sample < end).mean() == pytest.approx(chance, abs=0.012)  # 4 standard errors, and the grid


def test_effects_without_variances_are_a_sample_of_normal_numbers() -> None:
    low, high = interval([0.1, 0.2, 0.6], [0, 0, 0])
    assert low < 0.1 < 0.6 < high
    assert (low + high) / 2 == pytest.approx(0.3)
    assert interval([0.2, 0.2, 0.2], [0, 0, 0]) == pytest.approx((0.2, 0.2), abs=1e-12)


def test_two_collections_predict_nothing() -> None:
    assert np.isnan(interval([0.1, 0.3], [0.01, 0.02])).all()


def test_no_heterogeneity_leaves_the_error_of_the_mean() -> None:
    # Effects closer than their variances let expect: τ² is 0 with near certainty.
    y, v = np.full(8, 0.1), np.full(8, 0.01)
    half = stats.t(7).isf(0.025) * np.sqrt(0.01 / 8)
    assert interval(y, v) == pytest.approx((0.1 - half, 0.1 + half), rel=1e-3)


def test_pairs_do_not_depend_on_each_other() -> None:
    there = np.array([[True] * 6, [True] * 4 + [False] * 2])
    y, v = np.stack([Y, Y * there[1]]), np.stack([V, V * there[1]])
    low, high = prediction_interval(y, v, there, 0.05)
    assert (low[0], high[0]) == pytest.approx(interval(Y, V))
    assert (low[1], high[1]) == pytest.approx(interval(Y[:4], V[:4]))
