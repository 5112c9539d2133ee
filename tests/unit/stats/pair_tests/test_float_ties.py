"""Numbers that are equal as decimals: what is zero, which share a rank, how many are tied."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.stats.pair_tests.float_ties import TINY, mid_ranks, near_zero, quotient, tie_sizes

NAN = float("nan")


def row(*numbers: float) -> NDArray[np.float64]:
    return np.array([numbers])


def test_what_is_zero_as_a_number() -> None:
    sixth = (1 / 2 - 1 / 3) - (1 / 3 - 1 / 6)
    assert sixth != 0
    assert near_zero(np.array([sixth, 0.1 + 0.2 - 0.3, -TINY, 2 * TINY, -1.0])).tolist() == [0, 0, 0, 2 * TINY, -1]
    assert np.isnan(near_zero(np.array([NAN]))).all()


def test_nothing_goes_into_anything_0_times() -> None:
    found = quotient(np.array([0.0, 0.0, 1.0, -1.0, 3.0]), np.array([0.0, 2.0, 0.0, 0.0, 2.0]))
    assert found.tolist() == [0, 0, np.inf, -np.inf, 1.5]
    assert quotient(np.array([1.0]), 4.0).tolist() == [0.25]


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_scipys(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, (7, 12)) / 10
    np.testing.assert_array_equal(mid_ranks(values), stats.rankdata(values, axis=1))


def test_equal_decimals_share_a_rank() -> None:
    assert mid_ranks(row(0.3 - 0.1, 0.2, 0.1)).tolist() == [[2.5, 2.5, 1]]
    assert mid_ranks(row(1 / 2 - 1 / 3, 1 / 3 - 1 / 6, 1 / 6)).tolist() == [[2, 2, 2]]
    assert mid_ranks(row(0.0, 2 * TINY)).tolist() == [[1, 2]]


def test_a_chain_of_tiny_steps_is_one_group() -> None:
    chain = row(*(i * TINY * 0.9 for i in range(5)), 1.0)
    assert mid_ranks(chain).tolist() == [[3, 3, 3, 3, 3, 6]]


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
