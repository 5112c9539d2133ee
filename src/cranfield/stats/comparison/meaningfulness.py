"""Robustness of the order of two means under strictly increasing transformations of the values."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.base import CELLS, Pairs
from cranfield.stats.pair_tests.float_ties import TIE, subtract, zero_within

PerPair: TypeAlias = NDArray[np.float64]  # (pair,)
Signs: TypeAlias = NDArray[np.int64]  # (pair,): whose mean is the larger one; 1 is b's, -1 is a's

MARGIN = 10 * TIE  # least reversed difference of means, relative to the largest value
DIGITS = 15  # decimal numbers of so many digits come back from floats as they were


class Rescalings(NamedTuple):
    """(pair,): whether the order of two means survives rescaling, and a rescaling that reverses it.

    ``larger`` is the run with the larger mean, ``common`` and ``own`` the run that is ahead after the rescaling: 1 is
    b, −1 is a, and 0 means that no rescaling of that kind reverses the order.
    """

    topics: NDArray[np.int64]  # in which both runs have a value
    larger: Signs
    common: Signs  # one transformation for all topics: ``lift`` is added to values above ``threshold``
    threshold: PerPair
    lift: PerPair
    own: Signs  # one transformation for each topic: the values of ``topic`` are multiplied by ``factor``
    topic: NDArray[np.int64]
    factor: PerPair  # NaN where the topic must outweigh all others


def find_rescalings(pairs: Pairs) -> Rescalings:
    """Return for every pair what strictly increasing transformations of its values can do to the order of its means.

    On an ordinal scale any numbers in the same order say the same, so that such a transformation changes nothing.
    """
    parts = []
    for block in pairs.blocks(CELLS // 8):
        sides = (block.values[:, side].T for side in (block.a, block.b))
        a, b = (np.where(np.isnan(block.difference), np.nan, side) for side in sides)
        threshold, lift, common = flip_common(a, b)
        topic, factor, own = flip_topic(a, b, block.sign)
        larger = np.sign(mean_difference(a, b)).astype(np.int64)
        parts.append((_topics(a, b), larger, common, threshold, lift, own, topic, factor))
    return Rescalings(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def flip_common(a: Matrix, b: Matrix) -> tuple[PerPair, PerPair, Signs]:
    """One transformation for all topics that turns means round: lift all values above a threshold; (pair, topic) in.

    The larger mean, b's say, stays larger under all of them if and only if b's values stochastically dominate a's:
    above no threshold are there fewer topics of b than of a. Where there are, a large enough lift of what lies above
    puts a ahead. Returns threshold, lift, and whose mean is larger then; NaN, NaN and 0 where nothing turns the order.
    """
    pooled = np.concatenate([a, b], axis=1)
    order = np.argsort(pooled, axis=1, kind="stable")  # NaN last
    ordered = np.take_along_axis(pooled, order, axis=1)
    side = np.where(np.isnan(ordered), 0, np.where(order < a.shape[1], 1, -1))
    gap = np.diff(ordered, axis=1)
    more = np.where(
        gap > TIE * np.maximum(np.abs(ordered[:, 1:]), np.abs(ordered[:, :-1])), side.cumsum(axis=1)[:, :-1], 0
    )  # topics of b above each gap, less those of a
    mean = mean_difference(a, b)
    either = np.where(more.max(axis=1) > 0, 1, np.sign(more.min(axis=1)))
    toward = np.where(mean == 0, either, -np.sign(mean)).astype(np.int64)
    gain = more * toward[:, None]
    most = gain.max(axis=1)
    toward = np.where(most > 0, toward, 0)
    widest = np.where(gain == most[:, None], gap, 0.0).argmax(axis=1)
    threshold = _between(*(np.take_along_axis(ordered, (widest + i)[:, None], axis=1)[:, 0] for i in (0, 1)))
    threshold = np.where(toward == 0, np.nan, threshold)
    lift = _enough((np.abs(mean) + MARGIN * _size(a, b)) * _topics(a, b) / np.maximum(most, 1))
    lift = np.where(toward == 0, np.nan, np.where(mean == 0, 1.0, lift))
    while (short := _not_yet(lifted(a, threshold, lift), lifted(b, threshold, lift), toward)).any():
        lift[short] *= 2  # among large values a small lift is lost
    return threshold, lift, toward


def flip_topic(a: Matrix, b: Matrix, sign: Matrix | None = None) -> tuple[NDArray[np.int64], PerPair, Signs]:
    """A transformation for each topic that turns means round: multiply the values of one topic; (pair, topic) in.

    The larger mean stays larger under all of them if and only if the run is at least the other in every topic, and
    ahead in one. ``sign`` says who is ahead where floats cannot tell. Returns the topic that speaks most for the other,
    the factor (NaN where none can be named), and whose mean is larger then; 0 where nothing turns the order round.
    """
    apart, largest = np.nan_to_num(subtract(b, a)), _size(a, b)
    ahead = np.sign(apart) if sign is None else np.nan_to_num(sign)
    size = np.abs(apart) + np.where(ahead == 0, 0.0, TIE * largest[:, None])
    mean = mean_difference(a, b)
    either = np.take_along_axis(ahead, size.argmax(axis=1)[:, None], axis=1)[:, 0]
    toward = np.where(mean == 0, either, -np.sign(mean)).astype(np.int64)
    gain = np.where(ahead == toward[:, None], size, 0.0)
    topic = gain.argmax(axis=1)
    toward = np.where(gain.max(axis=1) > 0, toward, 0)
    most = np.where(toward == 0, 0.0, np.take_along_axis(np.abs(apart), topic[:, None], axis=1)[:, 0])
    known = most > 0
    factor = _enough(1 + (np.abs(mean) + MARGIN * largest) * _topics(a, b) / np.where(known, most, 1.0))
    factor = np.where(known, np.where(mean == 0, 2.0, factor), np.nan)
    wanted = np.where(known, toward, 0)
    while (short := _not_yet(stretched(a, topic, factor), stretched(b, topic, factor), wanted)).any():
        factor[short] *= 2
    return topic, factor, toward


def lifted(values: Matrix, threshold: PerPair, lift: PerPair) -> Matrix:
    """(pair, topic): the values, those above the threshold lifted."""
    return values + np.where(values > threshold[:, None], lift[:, None], 0.0)


def stretched(values: Matrix, topic: NDArray[np.int64], factor: PerPair) -> Matrix:
    """(pair, topic): the values, those of one topic multiplied."""
    return np.where(np.arange(values.shape[1]) == topic[:, None], values * factor[:, None], values)


def mean_difference(a: Matrix, b: Matrix) -> PerPair:
    """(pair,): the mean of b less that of a over the topics of both, 0 where there is none."""
    both = ~np.isnan(a) & ~np.isnan(b)
    # Sorted, so that the same values have the same sum.
    sums = [np.sort(np.where(both, side, 0.0), axis=1).sum(axis=1) for side in (a, b)]
    topics = np.maximum(both.sum(axis=1), 1)
    return zero_within((sums[1] - sums[0]) / topics, TIE * _size(a, b))


def _size(a: Matrix, b: Matrix) -> PerPair:
    """Return the largest absolute value of each pair over the topics of both; 0 where there is none."""
    return np.nan_to_num(np.abs(a) + np.abs(b)).max(axis=1, initial=0.0)


def _topics(a: Matrix, b: Matrix) -> NDArray[np.int64]:
    """(pair,): in how many topics both have a value."""
    return (~np.isnan(a) & ~np.isnan(b)).sum(axis=1)


def _not_yet(a: Matrix, b: Matrix, toward: Signs) -> NDArray[np.bool_]:
    """(pair,): whether the larger mean is not where it should be."""
    return (toward != 0) & (np.sign(mean_difference(a, b)) != toward)


def _between(low: PerPair, high: PerPair) -> PerPair:
    """A number from the lower one on, and below the higher one, with as few digits as will do."""
    middle = low + (high - low) / 2
    found = low
    for digits in range(DIGITS, 0, -1):
        near = _rounded(middle, digits, np.rint)
        found = np.where((low < near) & (near < high), near, found)
    return found


def _enough(least: PerPair) -> PerPair:
    """The least number of two digits that is as large."""
    return _rounded(least, 2, np.ceil)


def _rounded(numbers: PerPair, digits: int, way: Any) -> PerPair:
    """Numbers of so many significant digits: quotients and products of whole numbers, which print as they are meant."""
    with np.errstate(all="ignore"):  # powers of ten that no float holds: such numbers stay as they are
        size = np.where(numbers == 0, 0.0, np.floor(np.log10(np.abs(numbers))))
        unit = 10.0 ** np.abs(shift := digits - 1 - size)
        rounded = np.where(shift > 0, way(numbers * unit) / unit, way(numbers / unit) * unit)
    return np.where(np.isfinite(rounded), rounded, numbers)
