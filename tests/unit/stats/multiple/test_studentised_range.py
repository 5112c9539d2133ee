"""The studentised range, beside t, scipy, printed tables and an inequality."""

from itertools import pairwise
from math import comb, inf, nan, pi, sqrt

import numpy as np
import pytest
from scipy.special import erfc, ndtr, stdtr
from scipy.stats import studentized_range

from cranfield.core import ParameterError
from cranfield.stats.multiple.studentised_range import FLOOR, StudentisedRange

EVERYWHERE = np.exp(np.linspace(-6, 25, 4001))


@pytest.mark.parametrize("df", [1, 2, 5, 30, 6272, 1e6, 1e7])
def test_of_two_means_it_is_t(df: float) -> None:
    """|a − b| is √2 times a t: the exact answer at every q, down to the floor."""
    expected = 2 * stdtr(df, -EVERYWHERE / sqrt(2))
    found = StudentisedRange(2, df).sf(EVERYWHERE)
    assert found == pytest.approx(np.maximum(expected, FLOOR), rel=1e-11)


def test_of_two_means_with_a_known_error_it_is_normal() -> None:
    expected = erfc(EVERYWHERE / 2)
    assert StudentisedRange(2).sf(EVERYWHERE) == pytest.approx(np.maximum(expected, FLOOR), rel=1e-11)


@pytest.mark.parametrize("k", [3, 10, 129, 500])
@pytest.mark.parametrize("df", [1, 4, 60, 6272, inf])
def test_it_is_that_of_scipy(k: int, df: float) -> None:
    q = np.array([2.0, 4.0, 6.0, 9.0])
    # scipy subtracts from 1, with an error of 1e-10 for many degrees of freedom
    assert StudentisedRange(k, df).sf(q) == pytest.approx(studentized_range.sf(q, k, df), abs=2e-10)


@pytest.mark.parametrize(
    ("k", "df", "level", "q"),
    [  # printed in every table of it
        (3, 10, 0.05, 3.877),
        (5, 20, 0.05, 4.232),
        (10, 60, 0.05, 4.646),
        (3, 10, 0.01, 5.270),
        (2, inf, 0.05, 2.772),
        (10, inf, 0.05, 4.474),
        (20, inf, 0.01, 5.645),
    ],
)
def test_critical_ranges_of_printed_tables(k: int, df: float, level: float, q: float) -> None:
    assert StudentisedRange(k, df).isf(level) == pytest.approx(q, abs=6e-4)


@pytest.mark.parametrize("k", [3, 10, 129])
def test_far_out_it_lies_between_the_bounds_of_bonferroni(k: int) -> None:
    """Any pair is so far apart: at most the sum over pairs, at least that less the sum over two pairs at once."""
    q = np.array([7.0, 8.0, 9.0])
    one = erfc(q / 2)
    x, step = np.linspace(-12, 12, 2001, retstep=True)
    away = ndtr(x[:, None] - q) + ndtr(-x[:, None] - q)  # of a second number, given the first one
    shared = step * (np.exp(-(x[:, None] ** 2) / 2) / sqrt(2 * pi) * away**2).sum(axis=0)
    most = comb(k, 2) * one
    least = most - 3 * comb(k, 3) * shared - 3 * comb(k, 4) * one**2
    found = StudentisedRange(k).sf(q)
    assert (found < most).all()
    assert (found >= least * (1 - 1e-11)).all()
    assert least[2] > 0.95 * most[2]  # the bounds are near


@pytest.mark.parametrize(("k", "df"), [(2, 1), (3, 2), (10, 50), (129, 6272), (129, inf), (5000, 1e5)])
def test_it_falls_from_1_to_the_floor(k: int, df: float) -> None:
    reference = StudentisedRange(k, df)
    found = reference.sf(np.concatenate([[-1.0, 0.0], EVERYWHERE, [inf]]))
    assert found[:2].tolist() == [1, 1]
    assert found[-1] == FLOOR
    assert np.diff(found).max() <= 1e-13
    assert reference.log10_sf(EVERYWHERE) == pytest.approx(np.log10(reference.sf(EVERYWHERE)), abs=1e-13)


@pytest.mark.parametrize(("k", "df"), [(2, 1), (3, 2), (10, 50), (129, 6272), (500, inf)])
@pytest.mark.parametrize("level", [0.99, 0.5, 0.05, 1e-5, FLOOR])
def test_the_critical_range_has_the_chance_asked_for(k: int, df: float, level: float) -> None:
    reference = StudentisedRange(k, df)
    assert reference.sf(reference.isf(level)) == pytest.approx(level, rel=1e-9)


def test_with_the_degrees_of_freedom_the_tail_goes_to_that_of_a_known_error() -> None:
    tails = [float(StudentisedRange(129, df).sf(6.0)) for df in (10, 100, 1e4, 1e6, 9e7, 2e8, inf)]
    assert all(more >= less for more, less in pairwise(tails))
    assert tails[-3] == pytest.approx(tails[-1], rel=1e-6)
    assert tails[-2] == tails[-1]


def test_it_keeps_the_shape_of_what_is_asked() -> None:
    assert StudentisedRange(5, 20).sf(3.0).shape == ()
    assert StudentisedRange(5, 20).sf(np.ones((2, 3))).shape == (2, 3)


@pytest.mark.parametrize(("k", "df"), [(1, 5), (0, inf), (3, 0.5), (3, 0), (3, nan)])
def test_no_such_range(k: int, df: float) -> None:
    with pytest.raises(ParameterError, match=r"a range of|degrees of freedom"):
        StudentisedRange(k, df)


@pytest.mark.parametrize("level", [0.0, 1e-11, 1.0, nan])
def test_no_such_level(level: float) -> None:
    with pytest.raises(ParameterError, match="no critical range"):
        StudentisedRange(3, 5).isf(level)
