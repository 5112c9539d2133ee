"""Numbers that are equal as decimals: what is zero, which share a rank, how many are tied."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.stats.pair_tests.float_ties import (
    TIE,
    mid_ranks,
    power_of_two,
    quotient,
    subtract,
    tie_sizes,
    zero_within,
)

NAN = float("nan")
EPS = np.finfo(float).eps


def row(*numbers: float) -> NDArray[np.float64]:
    return np.array([numbers])


@pytest.mark.parametrize("factor", [1e-300, 1e-13, 1.0, 1e300])
def test_a_difference_is_zero_relative_to_its_values(factor: float) -> None:
    b, a = factor * np.array([0.1 + 0.2, 1.0, 1.0, NAN]), factor * np.array([0.3, 1 + 6 * EPS, 1 - 16 * EPS, 1.0])
    found = subtract(b, a)
    assert found[:2].tolist() == [0, 0]
    assert found[2] == pytest.approx(factor * 16 * EPS, rel=0.1, abs=0)
    assert np.isnan(found[3])
    assert zero_within(np.array([1.0, -2.0, 3.0]), 2.0).tolist() == [0, 0, 3]


def test_a_power_of_two_makes_squares_safe() -> None:
    for size in (5e-324, 1e-300, 0.3, 1.0, 1e300, 1.7e308):
        unit = power_of_two(np.array([-size, 0.0, NAN]))
        assert np.frexp(unit)[0] == 0.5
        assert 0.5 <= size / unit < 2
    assert power_of_two(np.zeros(3)) == power_of_two(np.array([NAN])) == 1


def test_nothing_goes_into_anything_0_times() -> None:
    found = quotient(np.array([0.0, 0.0, 1.0, -1.0, 3.0]), np.array([0.0, 2.0, 0.0, 0.0, 2.0]))
    assert found.tolist() == [0, 0, np.inf, -np.inf, 1.5]
    assert quotient(np.array([1.0]), 4.0).tolist() == [0.25]


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_scipys(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, (7, 12)) / 10
    np.testing.assert_array_equal(mid_ranks(values), stats.rankdata(values, axis=1))


@pytest.mark.parametrize("factor", [1e-300, 1e-13, 1.0, 1e4, 1e300])
def test_equal_differences_of_decimals_share_a_rank(factor: float) -> None:
    b, a = factor * row(0.5, 0.9, 0.3, 1 / 2, 1 / 3), factor * row(0.3, 0.7, 0.1, 1 / 3, 1 / 6)
    scale = np.maximum(np.abs(a), np.abs(b))
    assert mid_ranks(b - a, scale).tolist() == [[4, 4, 4, 1.5, 1.5]]
    if factor == 1:  # without the scale only equal floats tie
        assert mid_ranks(b - a)[0, :3].tolist() != [4, 4, 4]


def test_the_larger_scale_of_two_neighbours_counts() -> None:
    numbers = row(0.1, 0.1 + TIE / 2)
    assert mid_ranks(numbers, row(0.1, 1.0)).tolist() == mid_ranks(numbers, row(1.0, 0.1)).tolist() == [[1.5, 1.5]]
    assert mid_ranks(numbers, row(0.1, 0.1)).tolist() == [[1, 2]]


def test_a_chain_of_tiny_steps_is_one_group() -> None:
    chain = row(*(1 + i * TIE / 2 for i in range(5)), 2.0)
    assert mid_ranks(chain, np.ones_like(chain)).tolist() == [[3, 3, 3, 3, 3, 6]]
    assert mid_ranks(chain).tolist() == [[1, 2, 3, 4, 5, 6]]


def test_nan_has_no_rank() -> None:
    np.testing.assert_array_equal(mid_ranks(row(0.5, NAN, 0.1, NAN, 0.5)), row(2.5, NAN, 1, NAN, 2.5))
    assert np.isnan(mid_ranks(row(NAN, NAN))).all()
    assert tie_sizes(row(NAN, NAN, 1.0, 1.0)).tolist() == [2**3 - 2]


def test_rows_do_not_see_each_other() -> None:
    assert mid_ranks(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]])).tolist() == [[1, 2], [2, 1], [1.5, 1.5]]


def test_groups_of_ties_are_cubed() -> None:
    three, two = 3**3 - 3, 2**3 - 2
    assert tie_sizes(row(1, 1, 1, 2, 5, 5)).tolist() == [three + two]
    assert tie_sizes(row(1, 2, 3)).tolist() == [0]
    values = np.random.default_rng(2).integers(0, 4, (6, 11)) / 7
    sizes = [sum(count**3 - count for count in np.unique(each, return_counts=True)[1]) for each in values]
    assert tie_sizes(mid_ranks(values)).tolist() == sizes
