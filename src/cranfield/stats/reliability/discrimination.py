"""Discriminative power and swap rate of a measure."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.core.types import Matrix, Rows
from cranfield.stats.multiple.omnibus_base import check_whole
from cranfield.stats.pair_tests.base import CELLS, LEVEL
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest, zero_within

DRAWS = 1000
SPLITS = 64  # drawn from one stream: the same splits however many runs there are


@dataclass(frozen=True, eq=False)
class Discrimination:
    """The discriminative power of a measure: how many pairs of runs a test tells apart (sakai2006bootstrap).

    Sakai's curve is ``p``, the sorted p-values: of two measures the one whose curve lies lower tells more pairs apart.
    """

    level: float
    p: Rows  # (pair,): from the smallest up
    significant: int
    from_here: float  # every pair that differs by so much or more is significant; NaN where the largest is not
    needed: float  # for any pair: the largest of the differences that would just be significant; NaN where not known

    @property
    def pairs(self) -> int:
        """How many pairs were tested."""
        return len(self.p)

    @property
    def share(self) -> float:
        """The pairs that differ significantly, as a share of all."""
        return self.significant / len(self.p)


def discriminative_power(
    p: ArrayLike, difference: ArrayLike, *, level: float = LEVEL, half_width: ArrayLike | None = None
) -> Discrimination:
    """What the p-values and differences of all pairs, by whatever test, say of the measure.

    Those of a joint test, such as the randomised Tukey test (sakai2012intents), are the ones it corrected.
    ``half_width`` is that of each pair's interval at the level: a difference beyond it would be significant, and the
    largest of them is the difference that sakai2006bootstrap calls required.
    """
    chance, size = np.asarray(p, dtype=float), np.abs(np.asarray(difference, dtype=float))
    half = np.full(chance.shape, np.nan) if half_width is None else np.asarray(half_width, dtype=float)
    if chance.ndim != 1 or not chance.shape == size.shape == half.shape:
        shapes = ", ".join(str(array.shape) for array in (chance, size, half))
        raise ParameterError(
            f"p-values, differences and widths differ in shape: {shapes}", hint="give one of each for a pair"
        )
    if ((chance < 0) | (chance > 1)).any():
        raise ParameterError("a p-value is not between 0 and 1", hint="give p-values, not statistics")
    there = ~np.isnan(chance)
    if not there.any():
        raise ParameterError("there is no pair with a p-value", hint="give two runs or more, and two topics or more")
    chance, size, half = chance[there], size[there], half[there]
    found = chance <= level
    missed = size[~found].max(initial=-1.0)
    beyond = size[size > missed + SUM_ERROR * abs(missed)]
    return Discrimination(
        level=level,
        p=np.sort(chance),
        significant=int(found.sum()),
        from_here=float(beyond.min()) if beyond.size else float("nan"),
        needed=float(half.max()),
    )


@dataclass(frozen=True, eq=False)
class SwapRate:
    """How often two sets of topics disagree on which of two runs is better, by how far apart the runs seemed to be.

    The last bin holds all larger differences. Runs that are equal on one of the sets are not swapped.
    """

    start: Rows  # (bin,): the smallest difference in it
    pairs: NDArray[np.int64]  # (bin,): pairs of runs, over all splits
    swaps: NDArray[np.int64]  # (bin,): of them ordered the other way round by the other set
    ties: NDArray[np.int64]  # (bin,): of them equal on one of the sets
    topics: int  # in each set
    splits: int
    exact: bool  # whether they are all splits there are

    @property
    def rate(self) -> Rows:
        """(bin,): the share of pairs that are swapped; NaN where no pair differs by so much."""
        return np.where(self.pairs > 0, self.swaps / np.maximum(self.pairs, 1), np.nan)

    def difference(self, rate: float = 0.05) -> float:
        """The smallest difference from which on no bin is swapped more often; NaN where there is none."""
        worse = np.flatnonzero(self.rate > rate)
        after = worse[-1] + 1 if worse.size else 0
        there = self.start[after:][self.pairs[after:] > 0]
        return float(there[0]) if there.size else float("nan")


def swap_rate(
    values: Matrix,
    *,
    topics: int | None = None,
    width: float = 0.01,
    bins: int = 21,
    draws: int = DRAWS,
    seed: int = SEED,
) -> SwapRate:
    """Split the topics in two at random, many times, and count how often the halves disagree on a pair of runs.

    buckley2000, voorhees2002: one set says how far apart two runs are, another of the same size without common topics
    says whether it was so. ``topics`` is the size of both, half of all where it is not given; 21 bins of a hundredth
    are theirs. Each split is read both ways. Where there are no more splits than ``draws``, all of them are taken.
    """
    values = check_whole(values)
    n = len(values)
    size = n // 2 if topics is None else topics
    _check(n, size, width, bins, draws)
    a, b = np.triu_indices(values.shape[1], 1)
    exact = comb(n, size) * comb(n - size, size) <= 2 * draws
    tally = np.zeros((3, bins), dtype=np.int64)
    rounding = SUM_ERROR * largest(values)
    splits = 0
    for first, second in _every(n, size) if exact else _drawn(n, size, draws, seed):
        halves = first @ values / size, second @ values / size
        splits += len(first)
        step = max(1, CELLS // len(first))
        for begin in range(0, len(a), step):
            part = slice(begin, begin + step)
            one, other = (zero_within(means[:, b[part]] - means[:, a[part]], rounding) for means in halves)
            for seen, checked in ((one, other), (other, one)):
                tally += _counted((np.abs(seen) + rounding) / width, np.sign(seen) * np.sign(checked), bins)
    start = np.arange(bins, dtype=float) * width
    return SwapRate(start, tally[0], tally[1], tally[2], topics=size, splits=splits, exact=exact)


def _counted(widths: Matrix, agreement: Matrix, bins: int) -> NDArray[np.int64]:
    """Count (pairs, swaps, ties) in each bin, from differences in bin widths and 1, 0 or −1 for each."""
    column = np.minimum(widths, bins - 1).astype(np.intp)
    kinds = (column, column[agreement < 0], column[agreement == 0])
    return np.stack([np.bincount(kind.ravel(), minlength=bins) for kind in kinds])


def _drawn(n: int, size: int, draws: int, seed: int) -> Iterator[tuple[Matrix, Matrix]]:
    """Blocks of random splits: which topics (split, topic) are in the first set, and which in the second."""
    for block, start in enumerate(range(0, draws, SPLITS)):
        shuffled = np.tile(np.arange(n), (SPLITS, 1))
        order = generator(seed, "swap", block).permuted(shuffled, axis=1)[: draws - start]
        yield _members(order[:, :size], n), _members(order[:, size : 2 * size], n)


def _every(n: int, size: int) -> Iterator[tuple[Matrix, Matrix]]:
    """The same for every split there is; which of the two sets comes first does not matter."""
    found = []
    for both in combinations(range(n), 2 * size):
        for rest in combinations(both[1:], size - 1):
            first = (both[0], *rest)
            found.append((first, tuple(topic for topic in both if topic not in first)))
    for start in range(0, len(found), SPLITS):
        one, other = np.array(found[start : start + SPLITS]).transpose(1, 0, 2)
        yield _members(one, n), _members(other, n)


def _members(chosen: NDArray[np.intp], n: int) -> Matrix:
    """(split, topic): 1 for those chosen, 0 for the others."""
    members = np.zeros((len(chosen), n))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    return members


def _check(n: int, size: int, width: float, bins: int, draws: int) -> None:
    if not 1 <= size <= n // 2:
        hint = f"{n} topics have two sets of 1 to {n // 2} without common topics"
        raise ParameterError(f"two sets of {size} topics cannot be made of {n}", hint=hint)
    if not width > 0:
        raise ParameterError(f"bins of width {width:g} hold nothing", hint="give a width above 0, such as 0.01")
    for name, number in (("bins", bins), ("draws", draws)):
        if number < 1:
            raise ParameterError(f"{number} {name} are too few", hint="give 1 or more")
