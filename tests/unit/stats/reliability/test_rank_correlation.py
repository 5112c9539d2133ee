"""How alike orders are: against scipy, against published numbers, and against definitions taken literally."""

from collections.abc import Sequence
from itertools import groupby, permutations, product
from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.core import ParameterError
from cranfield.measures import rbo as rbo_of_lists
from cranfield.stats import kendall_tau, rbo, tau_ap

# The example and the tests of the R package ircor, by the authors of urbano2017ties.
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
SETS = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8519, 0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2504, 0.2880, 0.297),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.6971, -0.668, -0.7047),
    ),
]

few = st.lists(st.integers(0, 4), min_size=2, max_size=7)
two = st.integers(2, 7).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2))


def test_published_numbers() -> None:
    assert float(kendall_tau(X, Y)) == pytest.approx(0.7777778, abs=5e-8)
    assert float(tau_ap(X, Y)) == pytest.approx(0.7491182, abs=5e-8)
    x, y = np.round(X * 5) / 5, np.round(Y * 5) / 5
    assert float(kendall_tau(x, y)) == 0.75
    assert float(tau_ap(x, y, symmetric=True)) == pytest.approx(0.6269841, abs=5e-8)


@pytest.mark.parametrize(("x", "y", "said"), SETS)
def test_published_ap_correlations(x: list[float], y: list[float], said: tuple[float, ...]) -> None:
    assert float(tau_ap(x, y)) == pytest.approx(said[0], abs=5e-5)
    assert float(tau_ap(x, y, symmetric=True)) == pytest.approx(said[1], abs=5e-5)
    tied = [np.round(side, 1) for side in (x, y)]
    assert float(tau_ap(*tied, symmetric=True)) == pytest.approx(said[2], abs=5e-5)
    assert float(tau_ap(*tied[::-1], symmetric=True)) == pytest.approx(said[2], abs=5e-5)


@given(two)
def test_tau_is_that_of_scipy(scores: tuple[list[int], list[int]]) -> None:
    theirs = stats.kendalltau(*scores).statistic
    ours = float(kendall_tau(*scores))
    assert isnan(theirs) if isnan(ours) else ours == pytest.approx(theirs)


def looped_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """The definition, run by run: of those above it, how many the reference puts above it."""
    runs, shares = range(len(other)), []
    for run in runs:
        above = [better for better in runs if other[better] > other[run]]
        if above:
            shares.append(sum(reference[better] > reference[run] for better in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


@given(two)
def test_ap_correlation_is_its_definition(scores: tuple[list[int], list[int]]) -> None:
    reference, other = scores
    found = float(tau_ap(reference, other))
    if len(set(reference)) == 1 or len(set(other)) == 1:  # there is no order
        assert isnan(found)
        assert isnan(float(tau_ap(reference, other, symmetric=True)))
        return
    there, back = looped_ap(reference, other), looped_ap(other, reference)
    assert found == pytest.approx(there)
    assert float(tau_ap(reference, other, symmetric=True)) == pytest.approx((there + back) / 2)


def test_ap_correlation_weighs_the_top() -> None:
    # Of four runs, the first two exchanged: shares 0, 1, 1 of those above; the last two: 1, 1, 2/3.
    assert float(tau_ap([4, 3, 2, 1], [3, 4, 2, 1])) == pytest.approx(2 / 3 * 2 - 1)
    assert float(tau_ap([4, 3, 2, 1], [4, 3, 1, 2])) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    assert float(kendall_tau([4, 3, 2, 1], [3, 4, 2, 1])) == float(kendall_tau([4, 3, 2, 1], [4, 3, 1, 2]))


def every_order(scores: Sequence[float]) -> list[list[int]]:
    """All orders without ties that the scores allow, the highest first."""
    ranked = sorted(range(len(scores)), key=lambda run: -scores[run])
    ties = [list(tied) for _, tied in groupby(ranked, key=lambda run: scores[run])]
    return [[run for tied in chosen for run in tied] for chosen in product(*(permutations(tied) for tied in ties))]


def looped_rbo(x: Sequence[float], y: Sequence[float], p: float) -> float:
    """RBO^b by the letter: shares of orders, and their cosines."""

    def there(scores: Sequence[float], run: int, depth: int) -> float:
        orders = every_order(scores)
        return sum(run in order[:depth] for order in orders) / len(orders)

    runs, total = range(len(x)), 0.0
    for depth in range(1, len(x) + 1):
        in_x, in_y = ([there(scores, run, depth) for run in runs] for scores in (x, y))
        both = sum(a * b for a, b in zip(in_x, in_y, strict=True))
        cosine = both / sqrt(sum(a * a for a in in_x)) / sqrt(sum(b * b for b in in_y))
        total += (1 - p) * p ** (depth - 1) * cosine
    return total + p ** len(x)  # beyond the last run all agree: Σ (1 − p) p^(d−1) is what is left


@pytest.mark.parametrize("p", [0.5, 0.9])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([3, 2, 1], [3, 2, 1]),
        ([3, 2, 1], [1, 2, 3]),
        ([4, 3, 2, 1], [1, 4, 3, 2]),
        ([2, 2, 1, 0], [2, 1, 1, 0]),
        ([1, 1, 1, 1], [4, 3, 2, 1]),
        ([5, 5, 5, 2, 1], [1, 5, 5, 2, 2]),
        ([7], [7]),
    ],
)
def test_overlap_is_its_definition(x: list[float], y: list[float], p: float) -> None:
    assert float(rbo(x, y, p=p)) == pytest.approx(looped_rbo(x, y, p))


def test_overlap_by_hand() -> None:
    # Three runs, the order turned round: agreement 0, 1/2, 1, 1, …; with p = 1/2: 1/4 · 1/2 + 1/4.
    assert float(rbo([3, 2, 1], [1, 2, 3], p=0.5)) == pytest.approx(0.375)
    # All tied beside an order: cosines (1/3) / √(1/3), (2 · 2/3) / √(2 · 3 · 4/9), 1.
    expected = 0.5 * sqrt(1 / 3) + 0.25 * sqrt(2 / 3) + 0.25
    assert float(rbo([1, 1, 1], [3, 2, 1], p=0.5)) == pytest.approx(expected)


@given(st.permutations(range(8)), st.permutations(range(8)), st.sampled_from([0.3, 0.9]))
def test_overlap_without_ties_is_that_of_two_rankings(x: list[int], y: list[int], p: float) -> None:
    lists = [sorted(range(8), key=lambda run, scores=scores: -scores[run]) for scores in (x, y)]  # type: ignore[misc]
    assert float(rbo(x, y, p=p)) == pytest.approx(rbo_of_lists(*lists, p=p).extrapolated)


@given(few)
def test_an_order_agrees_with_itself(scores: list[int]) -> None:
    assert float(rbo(scores, scores)) == pytest.approx(1)
    for coefficient in (kendall_tau, tau_ap):
        found = float(coefficient(scores, scores))
        assert isnan(found) if len(set(scores)) == 1 else found == pytest.approx(1)


@given(st.permutations(range(6)))
def test_an_order_turned_round_disagrees(scores: list[int]) -> None:
    back = [-score for score in scores]
    assert float(kendall_tau(scores, back)) == pytest.approx(-1)
    assert float(tau_ap(scores, back)) == pytest.approx(-1)


@pytest.mark.parametrize("coefficient", [kendall_tau, tau_ap, rbo])
def test_one_order_beside_many(coefficient: Any) -> None:
    rng = np.random.default_rng(2)
    one, many = rng.integers(0, 5, 40), rng.integers(0, 5, (3000, 40))  # more than one part
    alone = [float(coefficient(one, row)) for row in many[:5]]
    found = coefficient(one, many)
    assert found.shape == (3000,)
    np.testing.assert_allclose(found[:5], alone)
    assert float(coefficient(one, many[-1])) == pytest.approx(found[-1])
    turned = [float(coefficient(row, one)) for row in many[:5]]
    np.testing.assert_allclose(coefficient(many, one)[:5], turned)
    np.testing.assert_allclose(coefficient(many, many[::-1])[0], float(coefficient(many[0], many[-1])))
    assert coefficient(one, many[:1]).shape == (1,)
    assert coefficient(one, many[:0]).shape == (0,)
    assert coefficient(one, one).shape == ()


def test_means_that_are_equal_as_decimals_tie() -> None:
    thirds = [1 / 2 - 1 / 3, 1 / 3 - 1 / 6, 0.5]
    assert thirds[0] != thirds[1]
    for scale in (1e-6, 1.0, 1e6):
        scores = [scale * score for score in thirds]
        assert float(kendall_tau(scores, [1, 1, 2])) == 1
        assert float(kendall_tau([1, 2, 3], scores)) == pytest.approx(stats.kendalltau([1, 2, 3], [1, 1, 2]).statistic)


def test_a_single_run_has_no_order() -> None:
    assert isnan(float(kendall_tau([1.0], [2.0])))
    assert isnan(float(tau_ap([1.0], [2.0])))


@pytest.mark.parametrize(
    ("x", "y", "match"),
    [
        ([1, 2], [1, 2, 3], "not of the same runs"),
        ([], [], "not of the same runs"),
        (1.0, [1.0], "not of the same runs"),
        (np.zeros((2, 2, 2)), [1.0, 2.0], "not of the same runs"),
        (np.zeros((2, 3)), np.zeros((4, 3)), "2 orders beside 4"),
        ([1.0, np.nan], [1.0, 2.0], "a run has no score"),
        ([1.0, 2.0], [1.0, np.nan], "a run has no score"),
    ],
)
def test_what_are_no_orders_is_refused(x: Any, y: Any, match: str) -> None:
    for coefficient in (kendall_tau, tau_ap, rbo):
        with pytest.raises(ParameterError, match=match):
            coefficient(x, y)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5])
def test_overlap_needs_a_chance_to_go_on(p: float) -> None:
    with pytest.raises(ParameterError, match="cannot have p"):
        rbo([1, 2], [1, 2], p=p)
