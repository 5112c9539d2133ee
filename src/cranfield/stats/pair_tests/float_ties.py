"""Zeros, ties and mid-ranks of floats, by rules that do not depend on the unit of the values.

Values are compared bit for bit. A difference d = b − a of two values has the scale max(|a|, |b|): its rounding error is
a few units in the last place of that scale, not of d. All rules are relative, so that multiplying every value by a
constant changes no zero and no tie.
"""

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix

EPS = float(np.finfo(float).eps)
TIE = 8 * EPS  # gap between two differences, relative to their scale, up to which they are equal
SUM_ERROR = 1e-13  # rounding error of a sum or mean, relative to the size of its terms


def zero_within(values: Matrix, error: Matrix | float) -> Matrix:
    """Return the values with those whose size is at most ``error`` set to 0. NaN stays NaN."""
    return np.where(np.abs(values) <= error, 0.0, values)


def subtract(b: Matrix, a: Matrix) -> Matrix:
    """Return b − a, exactly 0 where it is a rounding error of values of this size."""
    return zero_within(b - a, TIE * np.maximum(np.abs(a), np.abs(b)))


def largest(values: NDArray[np.float64]) -> float:
    """Return the largest absolute value that is not NaN; 0 for none."""
    return float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))


def power_of_two(values: NDArray[np.float64]) -> float:
    """Return the power of two next above the largest absolute value; 1 where that is 0 or infinite.

    Dividing by it is exact, and keeps squares and fourth powers of the values from overflow and underflow.

    Examples
    --------
    >>> power_of_two(np.array([0.3, -5.0, np.nan]))
    8.0
    """
    size = largest(values)
    return float(np.ldexp(1.0, min(int(np.frexp(size)[1]), 1023))) if 0 < size < np.inf else 1.0


def quotient(top: NDArray[np.float64], bottom: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return top / bottom: 0 where the top is 0, infinite where only the bottom is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(top == 0, 0.0, top / bottom)


def mid_ranks(values: Matrix, scale: Matrix | None = None) -> Matrix:
    """Return the rank of each number in its row, 1 for the smallest, the mean rank where several are equal.

    Parameters
    ----------
    values
        (row, column): the numbers. NaN has no rank and stays NaN.
    scale
        (row, column): the scale of each number where the numbers are differences. Neighbours in the order of a row tie
        if their gap is at most 8 eps times the larger scale of the two. Without it only equal floats tie.

    Examples
    --------
    >>> mid_ranks(np.array([[0.5, 0.1, 0.5]]))
    array([[2.5, 1. , 2.5]])
    """
    order = np.argsort(values, axis=1, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=1)
    begins = group_starts(ordered, None if scale is None else np.take_along_axis(scale, order, axis=1))
    rank = np.arange(1.0, values.shape[1] + 1)
    first = np.maximum.accumulate(np.where(begins, rank, 0.0), axis=1)
    ends = np.concatenate([begins[:, 1:], np.ones((len(values), 1), dtype=bool)], axis=1)
    last = np.minimum.accumulate(np.where(ends, rank, np.inf)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(ordered)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def tie_sizes(ranks: Matrix) -> NDArray[np.float64]:
    """Return Σ (t³ − t) over the groups of t equal mid-ranks of each row, which every correction for ties needs.

    A number in a group of t adds t² − 1, so that its group adds t³ − t.
    """
    ordered = np.sort(ranks, axis=1)
    begins = group_starts(ordered)
    n = ordered.shape[1]
    column = np.arange(n)
    first = np.maximum.accumulate(np.where(begins, column, 0), axis=1)
    ends = np.concatenate([begins[:, 1:], np.ones((len(ordered), 1), dtype=bool)], axis=1)
    last = np.minimum.accumulate(np.where(ends, column, n)[:, ::-1], axis=1)[:, ::-1]
    size = (last - first + 1).astype(float)
    return np.where(np.isnan(ordered), 0.0, size**2 - 1).sum(axis=1)


def group_starts(ordered: Matrix, scale: Matrix | None = None) -> NDArray[np.bool_]:
    """Return where a group of equal numbers starts in each sorted row; every NaN is a separate group."""
    starts = np.ones(ordered.shape, dtype=bool)
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        gap = np.diff(ordered, axis=1)
    starts[:, 1:] = ~(gap <= (0.0 if scale is None else TIE * np.maximum(scale[:, 1:], scale[:, :-1])))
    return starts
