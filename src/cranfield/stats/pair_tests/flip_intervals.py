"""p-values and intervals of the randomisation test from random sign flips."""

from dataclasses import dataclass, replace
from math import floor

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix

from .base import CELLS, Alternative, Asked, Pairs
from .resampling import Flips, PerPair, Shared, in_blocks, in_turn, product, reached

MAX_SUMS = 2**26  # sums (column, draw) that are stored to find an interval: 512 MB
CACHED = 2**17  # sums (pair, draw) that stay in the cache of a processor


def flip_answers(
    pairs: Pairs, drawn: NDArray[np.bool_], draws: int, side: Alternative, asked: Asked
) -> tuple[PerPair, PerPair, PerPair]:
    """Return p, low and high of each pair from its sign flips.

    Pairs that are not ``drawn`` have an exact p of another kind. They get the interval from all flips where there are
    no more of them than ``draws``, and p is NaN. Both ends are NaN where no interval is asked, or where the sums of all
    flips do not fit into memory. ``side`` is "two-sided" or "greater".
    """
    p, low, high = np.full((3, len(pairs)), np.nan)
    topics = len(pairs.values)
    for chosen, flips in (
        (drawn, Flips(topics, draws, asked.seed)),
        (~drawn, Flips.of(topics, draws, asked.seed)),
    ):
        for part in _parts(pairs, np.flatnonzero(chosen), flips):
            some = FlippedPairs.of(replace(pairs, a=pairs.a[part], b=pairs.b[part]), flips, side, asked)
            if asked.intervals and some.shared.columns.shape[1] * flips.number <= MAX_SUMS:
                p[part], low[part], high[part] = some.answers()
            elif drawn[part].all():
                p[part] = some.chances()
    return np.where(drawn, p, np.nan), low, high


def _parts(pairs: Pairs, chosen: NDArray[np.intp], flips: Flips) -> list[NDArray[np.intp]]:
    """Split pairs into parts whose sums fit into memory; complete runs share the sums of runs, and need no parts."""
    if not len(chosen):
        return []
    if pairs.whole:
        return [chosen]
    step = max(1, CELLS // flips.number)
    return [chosen[start : start + step] for start in range(0, len(chosen), step)]


@dataclass(frozen=True, eq=False)
class FlippedPairs:
    """Pairs of runs and the sign flips that exchange the two runs in random topics."""

    pairs: Pairs
    shared: Shared
    flips: Flips
    side: Alternative
    asked: Asked

    @classmethod
    def of(cls, pairs: Pairs, flips: Flips, side: Alternative, asked: Asked) -> "FlippedPairs":
        """Prepare the sums that all flips need."""
        return cls(pairs, Shared.of(pairs), flips, side, asked)

    def chances(self) -> PerPair:
        """Return p of each pair, without storing the sums of all flips."""
        shared, flips, side, observed = self.shared, self.flips, self.side, self.shared.observed()

        def count(block: int) -> NDArray[np.int64]:
            tiles = shared.tiles(shared.sums(flips.block(block)))
            return np.concatenate(
                [reached(tile, observed[part], shared.slack[part], side).sum(axis=1) for part, tile in tiles]
            )

        return flips.chance(np.sum(in_blocks(count, flips.blocks, self.asked), axis=0))

    def answers(self) -> Matrix:
        """Return (p and both ends, pair) from the sums of all flips."""
        shared, flips, observed = self.shared, self.flips, self.shared.observed()
        made = in_blocks(lambda i: shared.sums(flips.block(i)), flips.blocks, self.asked)
        sums = np.concatenate(made, axis=1)
        row, topics, patterns = self._patterns()
        flipped = (topics[:, None] - self._signs(patterns)) / 2  # (pattern, draw): in how many topics
        step = max(1, CACHED // flips.number)
        parts = [slice(start, start + step) for start in range(0, len(self.pairs), step)]

        def answer(i: int) -> Matrix:
            part = parts[i]
            tile, total = shared.tile(sums, part), observed[part]
            p = flips.chance(reached(tile, total, shared.slack[part], self.side).sum(axis=1))
            low, high = self._ends(tile, total[:, None], flipped[row[part]], topics[row[part], None])
            near = shared.slack[part] / 2
            return np.stack([p, *(np.where(np.abs(end) <= near, 0.0, end) for end in (low, high))])

        return np.concatenate(in_turn(answer, len(parts), replace(self.asked, progress=None)), axis=1)

    def _patterns(self) -> tuple[NDArray[np.intp], NDArray[np.int64], Matrix | None]:
        """Return for each pair its pattern of topics, the number of topics of each pattern, and the patterns."""
        values = self.pairs.values
        if self.pairs.whole:
            return np.zeros(len(self.pairs), dtype=np.intp), np.array([len(values)]), None
        valid = ~np.isnan(values)
        both = (valid[:, self.pairs.a] & valid[:, self.pairs.b]).T
        patterns, row = np.unique(both, axis=0, return_inverse=True)
        return row.reshape(-1), patterns.sum(axis=1), np.ascontiguousarray(patterns.T, dtype=float)

    def _signs(self, patterns: Matrix | None) -> Matrix:
        """Return (pattern, draw): the sum of the signs over the topics of each pattern."""
        blocks = map(self.flips.block, range(self.flips.blocks))
        if patterns is None:
            return np.concatenate([block.sum(axis=1, dtype=np.int64) for block in blocks])[None].astype(float)
        return np.concatenate([product(block, patterns).T for block in blocks], axis=1)

    def _ends(self, sums: Matrix, total: Matrix, flipped: Matrix, topics: NDArray[np.int64]) -> tuple[PerPair, PerPair]:
        """Return the ends of the interval, from the mean difference over the flipped topics of each draw.

        After a shift of all differences by θ a flip reaches the observed sum if the mean over its topics is at most θ.
        The two-sided p counts a drawn flip also where its complement reaches, so complements count here too: an end
        lies at 0 or beyond exactly where p does.
        """
        means, empty = _means(total - sums, flipped)
        share = self.asked.level
        if self.side == "two-sided" and self.flips.every:
            share /= 2  # complements are among the flips
        elif self.side == "two-sided":
            others, without = _means(total + sums, topics - flipped)
            means, empty = np.concatenate([means, others], axis=1), np.concatenate([empty, without], axis=1)
        number = self.flips.number + (not self.flips.every)
        k = floor(share * number * (1 + 1e-12)) + self.flips.every  # the observed labelling is one of all flips
        low, high = _outermost(means, empty, k)
        return low, high if self.side == "two-sided" else np.full_like(high, np.nan)


def _means(doubled: Matrix, topics: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    """Return (pair, draw): the mean over the topics of a flip, and whether it has none."""
    empty = np.broadcast_to(topics == 0, doubled.shape)
    doubled /= np.where(topics == 0, 1, 2 * topics)
    return doubled, empty


def _outermost(means: Matrix, empty: NDArray[np.bool_], k: int) -> tuple[PerPair, PerPair]:
    """Return the kth number from below and from above; NaN where it comes from a flip of no topics, or k is 0."""
    if not k:
        return np.full(len(means), np.nan), np.full(len(means), np.nan)
    if not empty.any():
        ordered = np.partition(means, (k - 1, means.shape[1] - k), axis=1)
        return ordered[:, k - 1], ordered[:, -k]
    low, high = (np.partition(np.where(empty, -np.inf, side * means), k - 1, axis=1)[:, k - 1] for side in (1.0, -1.0))
    return np.where(np.isinf(low), np.nan, low), np.where(np.isinf(high), np.nan, -high)
