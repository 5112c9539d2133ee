"""Order statistics of Walsh averages: the Hodges–Lehmann estimate and the interval of the signed-rank test."""

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]

MAX_LISTED = 150  # distinct differences up to which all Walsh averages are listed
MAX_CANDIDATES = 6_000  # Walsh averages in a bracket that are listed after the bisection
MAX_WIDTH = 2**20  # span of integer differences up to which they are counted in a histogram
MAX_SIZE = 2.0**52  # of such an integer: the sum of two of them is exact


def walsh_order_statistics(difference: Matrix, ranks: Counts) -> Matrix:
    """Return order statistics of the Walsh averages (dᵢ + dⱼ)/2, i ≤ j, of each row.

    Parameters
    ----------
    difference
        (row, topic): the differences; NaN for a topic that does not count.
    ranks
        (row, which): the ranks asked for, 0 for the smallest of the n(n + 1)/2 averages; negative for none.

    Returns
    -------
    (row, which): the averages of these ranks, NaN where the rank is negative.

    Examples
    --------
    >>> walsh_order_statistics(np.array([[1.0, 2.0, 4.0]]), np.array([[0, 5, -1]]))
    array([[ 1.,  4., nan]])
    """
    valid = ~np.isnan(difference)
    present = difference[valid]
    by_row = _of_row
    small = present.size and np.abs(present).max() <= MAX_SIZE and np.ptp(present) <= MAX_WIDTH
    if small and (present == np.rint(present)).all():
        by_row = _of_integers
    statistics = np.full(ranks.shape, np.nan)
    for row, counted in enumerate(valid):
        needed = ranks[row] >= 0
        if needed.any():
            statistics[row, needed] = by_row(difference[row, counted], ranks[row, needed])
    return statistics


def _of_integers(difference: Floats, ranks: Counts) -> Floats:
    """Return order statistics for integers: the histogram of the sums is that of the differences, convolved."""
    integers = difference.astype(np.int64)
    lowest = int(integers.min())
    histogram = np.bincount(integers - lowest)
    width = 2 * len(histogram) - 1
    length = 1 << (width - 1).bit_length()
    sums = np.rint(np.fft.irfft(np.fft.rfft(histogram, length) ** 2, length)[:width]).astype(np.int64)
    sums[::2] += histogram  # each dᵢ with itself; all other pairs were counted twice
    index = np.searchsorted(sums.cumsum(), 2 * ranks, side="right")
    return (index + 2 * lowest) / 2


def _of_row(difference: Floats, ranks: Counts) -> Floats:
    distinct, counts = np.unique(difference, return_counts=True)
    if len(distinct) <= MAX_LISTED:
        i, j = _triangle(len(distinct))
        times = counts[i] * np.where(i == j, counts[i] + 1, 2 * counts[j]) // 2
        return _weighted(distinct[i] + distinct[j], times, ranks) / 2
    search = _Search(distinct, counts)
    return np.array([search.select(int(rank)) for rank in ranks]) / 2


@lru_cache(maxsize=4)
def _triangle(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.triu_indices(n)


def _weighted(values: Floats, times: Counts, ranks: Counts) -> Floats:
    """Return the values of these ranks, if each value is there so many times."""
    order = np.argsort(values)
    return values[order[np.searchsorted(times[order].cumsum(), ranks, side="right")]]


class _Search:
    """Selection among the sums dᵢ + dⱼ, i ≤ j, of many differences without listing all of them."""

    def __init__(self, distinct: Floats, counts: Counts) -> None:
        self.distinct = distinct
        self.counts = counts
        self.before = np.concatenate([[0], counts.cumsum()])
        self.own = counts * (counts + 1) // 2
        topics = int(self.before[-1])
        self.size = topics * (topics + 1) // 2
        # Differences taken at regular steps of their order have nearly the same quantiles of sums.
        step = -(-topics // MAX_LISTED)
        sample = distinct[np.searchsorted(self.before, np.arange(step // 2, topics, step), side="right") - 1]
        i, j = _triangle(len(sample))
        self.sample = np.sort(sample[i] + sample[j])

    def partners(self, bound: float) -> NDArray[np.intp]:
        """Return for each i the first j ≥ i for which the sum exceeds ``bound``."""
        first = np.searchsorted(self.distinct, bound - self.distinct, side="right")
        return np.maximum(first, np.arange(len(first)))

    def count(self, bound: float) -> int:
        """Return how many sums are at most ``bound``."""
        partners = self.partners(bound)
        index = np.arange(len(partners))
        larger = self.before[np.maximum(partners, index + 1)] - self.before[1:]
        return int(self.counts @ larger + self.own[partners > index].sum())

    def select(self, rank: int) -> float:
        """Return the sum of this rank, 0 for the smallest."""
        low, high, below, up_to = self._bracket(rank)
        side = -1.0
        while up_to - below > MAX_CANDIDATES:
            gap = up_to - below
            aim = (rank - below + side * MAX_CANDIDATES / 3) / gap
            # Counts grow nearly in proportion over a short bracket; a step to its middle where they do not.
            guess = low + (high - low) * (aim if 0 < aim < 1 else 0.5)
            if not low < guess < high:
                return high
            counted = self.count(guess)
            if counted > rank:
                high, up_to = guess, counted
            else:
                low, below = guess, counted
            side = 0.0 if up_to - below > gap / 2 else -1.0 if counted > rank else 1.0
        return self._among(low, high, rank - below)

    def _bracket(self, rank: int) -> tuple[float, float, int, int]:
        """Return two bounds around the sum of this rank, the lower one excluded, and how many sums are up to each."""
        expected = rank / self.size * len(self.sample)
        margin = 3 * MAX_LISTED
        low, high = (self.sample[int(np.clip(expected + side, 0, len(self.sample) - 1))] for side in (-margin, margin))
        below, up_to = self.count(low), self.count(high)
        if below > rank:
            low, below = np.nextafter(2 * self.distinct[0], -np.inf), 0
        if up_to <= rank:
            high, up_to = 2 * self.distinct[-1], self.size
        return float(low), float(high), below, up_to

    def _among(self, low: float, high: float, rank: int) -> float:
        """Return the sum of this rank among those above ``low`` and up to ``high``."""
        first, last = self.partners(low), self.partners(high)
        number = last - first
        i = np.repeat(np.arange(len(first)), number)
        j = np.arange(len(i)) - np.repeat(number.cumsum() - number - first, number)
        times = np.where(i == j, self.own[i], self.counts[i] * self.counts[j])
        return float(_weighted(self.distinct[i] + self.distinct[j], times, np.array([rank]))[0])
