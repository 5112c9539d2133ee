"""Zeros, ties and mid-ranks of floats, with a tolerance for rounding errors."""

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix

TINY = 1e-13  # numbers as near as this are the same


def near_zero(values: Matrix) -> Matrix:
    """The same numbers, those that are zero as numbers set to it; NaN stays."""
    return np.where(np.abs(values) <= TINY, 0.0, values)


def quotient(top: NDArray[np.float64], bottom: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """How often the bottom goes into the top: 0 of anything is 0, something of nothing is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(top == 0, 0.0, top / bottom)


def mid_ranks(values: Matrix) -> Matrix:
    """(row, place): the rank of each number in its row, 1 for the smallest, the mean rank where several are equal.

    After sorting, a new group begins where the gap exceeds 1e-13. NaN has no rank, and stays NaN.
    """
    order = np.argsort(values, axis=1, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=1)
    group = _groups(ordered)
    place = np.arange(1.0, values.shape[1] + 1)
    first = np.where(group, place, 0.0)
    first = np.maximum.accumulate(first, axis=1)
    # The last place of a group is one before the first of the next, read from the right.
    after = np.concatenate([group[:, 1:], np.ones((len(values), 1), dtype=bool)], axis=1)
    last = np.where(after, place, np.inf)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(ordered)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def tie_sizes(ranks: Matrix) -> NDArray[np.float64]:
    """(row,): Σ (t³ − t) over the groups of t equal mid-ranks, which every correction for ties needs.

    A number in a group of t adds t² − 1: the sum over its group is t³ − t.
    """
    order = np.sort(ranks, axis=1)
    there = ~np.isnan(order)
    group = _groups(order)
    n = order.shape[1]
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(group, place, 0), axis=1)
    after = np.concatenate([group[:, 1:], np.ones((len(order), 1), dtype=bool)], axis=1)
    last = np.minimum.accumulate(np.where(after, place, n)[:, ::-1], axis=1)[:, ::-1]
    size = (last - first + 1).astype(float)
    return np.where(there, size**2 - 1, 0.0).sum(axis=1)


def _groups(ordered: Matrix) -> NDArray[np.bool_]:
    """(row, place): where a group of equal numbers begins; every NaN is one of its own."""
    begins = np.ones(ordered.shape, dtype=bool)
    begins[:, 1:] = ~(np.diff(ordered, axis=1) <= TINY)
    return begins
