"""Intervals and p-values for every look: GrowthBook's published fixtures, arithmetic, and what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from cranfield.core import ParameterError
from cranfield.online import always_valid_p, confidence_sequence, mixture_p

means = st.floats(-3, 3)
errors = st.floats(0.01, 10)
counts = st.integers(1, 10**7)
levels = st.sampled_from([0.2, 0.1, 0.05, 0.01])
plans = st.integers(10, 10**6)


def relative(sum_a: float, square_a: float, n_a: int, sum_b: float, square_b: float, n_b: int) -> tuple[float, float]:
    """A relative difference and its standard error by the delta method, from sums and sums of squares."""
    mean_a, mean_b = sum_a / n_a, sum_b / n_b
    variance_a = (square_a - sum_a**2 / n_a) / (n_a - 1)
    variance_b = (square_b - sum_b**2 / n_b) / (n_b - 1)
    squared = variance_b / n_b / mean_a**2 + variance_a / n_a * mean_b**2 / mean_a**4
    return mean_b / mean_a - 1, float(np.sqrt(squared))


def test_growthbook_publishes_the_interval_of_a_mean() -> None:
    # growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py: test_sequential_test_runs.
    lift, error = relative(1396.87, 52377.9767, 3000, 2422.7, 134698.29, 3461)
    n = 3000 + 3461
    assert error == pytest.approx(0.33341, abs=5e-6)
    low, high = confidence_sequence(lift, error * np.sqrt(n), n, planned=1000)
    assert_allclose(np.array([lift, low, high]), [0.50336, -0.55844, 1.56516], atol=5e-6)
    assert always_valid_p(lift, error * np.sqrt(n), n, planned=1000) == 1


def test_growthbook_publishes_the_interval_of_a_proportion() -> None:
    # The same file: test_sequential_test_runs_prop; the variance of a proportion is p (1 − p).
    mean_a, mean_b, n_a, n_b = 1396 / 3000, 2422 / 3461, 3000, 3461
    variance_a, variance_b = mean_a * (1 - mean_a), mean_b * (1 - mean_b)
    error = np.sqrt(variance_b / n_b / mean_a**2 + variance_a / n_a * mean_b**2 / mean_a**4)
    assert error == pytest.approx(0.03386, abs=5e-6)
    low, high = confidence_sequence(mean_b / mean_a - 1, error * np.sqrt(n_a + n_b), n_a + n_b, planned=5000)
    assert_allclose([low, high], [0.40098, 0.60675], atol=5e-6)
    assert always_valid_p(mean_b / mean_a - 1, error * np.sqrt(n_a + n_b), n_a + n_b, planned=5000) < 5e-6


@given(mean=means, error=errors, n=counts, level=levels, planned=plans)
def test_zero_is_left_out_exactly_where_the_p_value_is_at_most_the_level(
    mean: float, error: float, n: int, level: float, planned: int
) -> None:
    low, high = confidence_sequence(mean, error, n, level=level, planned=planned)
    p = always_valid_p(mean, error, n, level=level, planned=planned)
    assert low < mean < high
    assert 0 <= p <= 1
    if abs(p - level) > 1e-9:
        assert (p < level) == (low > 0 or high < 0)


@given(error=errors, n=counts, level=levels, planned=plans)
def test_it_is_wider_than_an_interval_for_one_look(error: float, n: int, level: float, planned: int) -> None:
    from scipy.stats import norm

    low, high = confidence_sequence(0.0, error, n, level=level, planned=planned)
    assert (high - low) / 2 > norm.isf(level / 2) * error / np.sqrt(n)


@pytest.mark.parametrize("planned", [100, 5000])
def test_it_is_tightest_in_standard_errors_near_the_planned_number(planned: int) -> None:
    n = np.arange(1, 20 * planned)
    _, high = confidence_sequence(0.0, 1.0, n, planned=planned)
    # ρ² solves the optimum up to a term of second order (waudbysmith2024): the width there is within a thousandth.
    widths = high * np.sqrt(n)
    assert widths[planned - 1] == pytest.approx(widths.min(), rel=1e-3)
    assert n[widths.argmin()] == pytest.approx(planned, rel=0.1)


def test_looks_are_answered_at_once() -> None:
    mean, n = np.array([[0.1], [0.2]]), np.array([10, 100, 1000])
    low, high = confidence_sequence(mean, 1.0, n, planned=100)
    alone = [[confidence_sequence(one, 1.0, count, planned=100) for count in n] for one in (0.1, 0.2)]
    assert_allclose(np.stack((low, high), axis=-1), alone)
    assert always_valid_p(mean, 1.0, n, planned=100).shape == (2, 3)


def test_without_deviation_nothing_is_shown() -> None:
    low, high = confidence_sequence(1.0, 0.0, 3)
    assert low == -np.inf
    assert high == np.inf
    assert always_valid_p(1.0, 0.0, 3) == 1
    assert_allclose(mixture_p([5.0, 0.0], [0.0, 1.0], tau=1), [1, 1])


def test_the_mixture_ratio_by_hand() -> None:
    # V = 1, τ = 1: Λ = √(1/2) exp(δ²/4); δ = 4 gives .7071 · e⁴, δ = 2 afterwards does not take it back.
    shown = 1 / (np.sqrt(0.5) * np.exp(4))
    assert_allclose(mixture_p([0.0, 4.0, 2.0], 1.0, tau=1), [1, shown, shown])
    assert mixture_p(4.0, 1.0, tau=1) == pytest.approx(shown)


def test_the_mixture_ratio_is_the_mean_of_the_likelihood_ratio_over_effects() -> None:
    from scipy.integrate import quad
    from scipy.stats import norm

    difference, variance, tau = 0.7, 0.09, 0.4
    ratio, _ = quad(
        lambda effect: (
            norm.pdf(difference, effect, np.sqrt(variance))
            / norm.pdf(difference, 0, np.sqrt(variance))
            * norm.pdf(effect, 0, tau)
        ),
        -8,
        8,
    )
    assert mixture_p(difference, variance, tau=tau) == pytest.approx(min(1, 1 / ratio), rel=1e-8)


@given(st.lists(st.tuples(means, errors), min_size=1, max_size=20), errors)
def test_mixture_p_values_never_rise(looks: list[tuple[float, float]], tau: float) -> None:
    difference, variance = np.array(looks).T
    p = mixture_p(difference, variance, tau=tau)
    assert (np.diff(p) <= 0).all()
    assert ((p >= 0) & (p <= 1)).all()


@pytest.mark.parametrize(
    "asked",
    [
        {"n": 0},
        {"n": -1},
        {"n": np.nan},
        {"mean": np.nan},
        {"error": np.inf},
        {"error": -1.0},
        {"level": 0.0},
        {"level": 1.0},
        {"planned": 0},
        {"planned": np.inf},
    ],
    ids=str,
)
def test_what_is_no_look_is_refused(asked: dict[str, float]) -> None:
    given = {"mean": 0.1, "error": 1.0, "n": 10, "level": 0.05, "planned": 100} | asked
    for function in (confidence_sequence, always_valid_p):
        with pytest.raises(ParameterError):
            function(given["mean"], given["error"], given["n"], level=given["level"], planned=given["planned"])


@pytest.mark.parametrize(("difference", "variance", "tau"), [(0, 1, 0), (0, 1, np.nan), (np.nan, 1, 1), (0, -1, 1)])
def test_what_is_no_stream_is_refused(difference: float, variance: float, tau: float) -> None:
    with pytest.raises(ParameterError):
        mixture_p(difference, variance, tau=tau)
