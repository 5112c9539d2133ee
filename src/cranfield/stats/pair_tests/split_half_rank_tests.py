"""Vectorised rank-sum and signed-rank tests of all pairs of runs in many halves of the topics.

Values are sorted once, for all halves together; within a half only counts are needed. Ties of differences are decided
over all topics, too: a chain of differences that tie with their neighbours is one group even if a half lacks a link.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.estimates.value_counts import NEAR, Counts, ValueCounts, code_values

from .base import Asked, Pairs, tail
from .closed_form import RankSum
from .float_ties import group_starts
from .resampling import in_turn
from .signed_rank import EXACT, SignedRank, exact_tails

Members: TypeAlias = NDArray[np.bool_]  # (half, topic): whether the topic is in it
Significant: TypeAlias = NDArray[np.bool_]  # (pair, half): whether p is at most the level

COLUMNS = 8192  # differences looked at together
LONG = 30_000  # columns from which on twice their squares do not fit into 32 bits
PATTERNS = 8192  # of ties worked out together
BITS = 12  # twice the largest sum of up to 50 ranks, 2,550, fits


def rank_sum_in_halves(test: RankSum, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    """The rank-sum test in every half; every run has a value in every topic."""
    alone = pairs.alone()
    code = code_values(alone.values)

    def of_half(i: int) -> Significant:
        return _rank_sum(test, code[:, inside[i]], alone) <= asked.level

    return np.stack(in_turn(of_half, len(inside), asked), axis=1)


def _rank_sum(test: RankSum, code: Counts, pairs: Pairs) -> NDArray[np.float64]:
    """(pair,): p of the runs whose values (run, topic) are coded."""
    from scipy.special import ndtr

    n, a, b = code.shape[1], pairs.a, pairs.b
    if not n:
        return np.full(len(pairs), np.nan)
    counts, runs = ValueCounts.of(code), np.arange(len(code))
    away, step = counts.twice_above(runs)[a, b] / 2 - n**2 / 2, 0.5 * test.continuity
    # Σ(t³ − t) over groups of t = h_a + h_b equal values: the cubes of sums, expanded.
    squares = counts.squares(runs) if counts.tied else n * np.eye(len(code))
    cubes = np.diagonal(squares)
    ties = cubes[a] + cubes[b] + 3 * (squares[a, b] + squares[b, a]) - 2 * n
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(n**2 / 12 * (2 * n + 1 - ties / (2 * n * (2 * n - 1))))
        p = tail(ndtr((away + step) / deviation), ndtr((step - away) / deviation), test.alternative)
    even = np.flatnonzero(away == 0)
    p[even[(code[a[even]] == code[b[even]]).all(axis=1)]] = 1.0  # identical in every topic
    return p


def signed_rank_in_halves(test: SignedRank, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    """The signed-rank test in every half, zeros dropped; every run has a value in every topic."""
    blocks = list(pairs.blocks(COLUMNS))
    found = in_turn(lambda i: _signed_rank(test, blocks[i], inside, asked.level), len(blocks), asked)
    significant, pattern = (np.concatenate([part[which] for part in found]) for which in (0, 1))
    exact = pattern > 0
    if exact.any():
        codes, which = np.unique(pattern[exact], return_inverse=True)
        significant[exact] = _exact(test, codes, asked)[which]
    return significant.astype(bool)


def _signed_rank(
    test: SignedRank, pairs: Pairs, inside: Members, level: float
) -> tuple[NDArray[np.bool_], NDArray[np.uint64]]:
    """(pair, half): whether p is at most the level by the normal distribution; a code of what is left to be exact."""
    from scipy.special import ndtr

    ordered = Ordered.of(pairs)
    most = max(1, NEAR // max(1, len(ordered.topic)))
    found = [ordered.ranks(inside[start : start + most]) for start in range(0, len(inside), most)]
    n, twice, ties, code = (np.concatenate([getattr(part, name) for part in found]).T for name in Ranks.__slots__)
    away, step = twice / 2 - n * (n + 1) / 4, 0.5 * test.continuity
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(n * (n + 1.0) * (2 * n + 1) / 6 - ties / 12) / 2
        p = tail(ndtr((away + step) / deviation), ndtr((step - away) / deviation), test.alternative)
    return (n > EXACT) & (p <= level), code


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """(half, pair): how many differences there are, twice the ranks of those where b is ahead, Σ(t³ − t) over ties.

    ``code`` holds the ties and the ranks where they are few enough to be exact, else 0.
    """

    n: Counts
    twice: Counts
    ties: Counts
    code: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Ordered:
    """The differences of some pairs, those of 0 left out, from the smallest size up: a column each, pair after pair."""

    topic: NDArray[np.intp]  # (column,)
    ahead: NDArray[np.bool_]  # (column,): whether b is ahead
    group: NDArray[np.intp]  # (group + 1,): the column at which each group of equal sizes begins, and the end
    pair: NDArray[np.intp]  # (pair + 1,): the group at which each pair begins, and the end

    @classmethod
    def of(cls, pairs: Pairs) -> "Ordered":
        """Sort the differences of each pair."""
        size = np.where(pairs.difference == 0, np.inf, np.abs(pairs.difference))
        order = np.argsort(size, axis=1)
        size, signed, scale = (
            np.take_along_axis(rows, order, axis=1) for rows in (size, pairs.difference, pairs.scale)
        )
        kept = np.isfinite(size)
        group = np.append(np.flatnonzero(group_starts(size, scale)[kept]), kept.sum())
        ends = np.concatenate([[0], kept.sum(axis=1).cumsum()])
        return cls(order[kept], signed[kept] > 0, group, np.searchsorted(group, ends))

    def ranks(self, inside: Members) -> Ranks:
        """The ranks within each half: equal sizes share the mean of those they have together."""
        there = inside.take(self.topic, axis=1)
        reached, won = _running(there), there & self.ahead
        tied = np.flatnonzero(np.diff(self.group) > 1)
        if tied.size:
            reached, won = reached[:, self.group], np.diff(_running(won)[:, self.group], axis=1)
        n = np.diff(reached[:, self.pair], axis=1)
        before, after = reached[:, :-1], reached[:, 1:]
        if len(self.pair) > 2:  # other pairs have counted before
            others = np.repeat(reached[:, self.pair[:-1]], np.diff(self.pair), axis=1)
            before, after = before - others, after - others
        twice = _sums(won * (before + after + 1), self.pair)
        bounds = np.searchsorted(tied, self.pair)
        above, alike = before[:, tied], (after[:, tied] - before[:, tied]).astype(np.int64)
        few = (n > 0) & (n <= EXACT)
        code = np.zeros(n.shape, dtype=np.uint64)
        if few.any():
            code[few] = _coded_ties(n, twice, _sums(_later(alike, above), bounds))[few]
        return Ranks(n, twice, _sums(alike**3 - alike, bounds), code)


def _running(counted: NDArray[np.bool_]) -> NDArray[np.integer]:
    """(half, column + 1): how many are counted before each column, and in all."""
    total = np.zeros((len(counted), counted.shape[1] + 1), dtype=np.int32 if counted.shape[1] < LONG else np.int64)
    np.cumsum(counted, axis=1, out=total[:, 1:])
    return total


def _sums(columns: NDArray[Any], bounds: NDArray[np.intp]) -> NDArray[Any]:
    """(half, pair): the columns of each pair added up; a pair may have none."""
    if len(bounds) == 2:
        return columns.sum(axis=1, keepdims=True, dtype=columns.dtype)
    total = np.zeros((len(columns), columns.shape[1] + 1), dtype=columns.dtype)
    np.cumsum(columns, axis=1, out=total[:, 1:])
    return np.diff(total[:, bounds], axis=1)


def _later(alike: Counts, above: NDArray[np.integer]) -> NDArray[np.uint64]:
    """A bit for every place of a group but its first: the group begins where so many smaller sizes are ``above``."""
    one = np.uint64(1)
    size = np.clip(alike, 1, EXACT).astype(np.uint64)
    return ((one << size) - (one << one)) << np.clip(above, 0, EXACT).astype(np.uint64)


def _coded_ties(n: Counts, twice: Counts, later: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for each pattern of ties and sum of ranks.

    From the lowest bit up, a bit is set for each place at which a group of equal sizes begins, and one behind the last.
    Below stands twice the sum.
    """
    places = (np.uint64(2) << np.clip(n, 0, EXACT).astype(np.uint64)) - np.uint64(1)
    return ((places - later) << np.uint64(BITS)) | twice.astype(np.uint64)


def _exact(test: SignedRank, codes: NDArray[np.uint64], asked: Asked) -> NDArray[np.bool_]:
    """(code,): whether the exact p is at most the level; the codes ascend."""
    patterns, start = np.unique(codes >> np.uint64(BITS), return_index=True)
    start = np.append(start, len(codes))

    def of_patterns(i: int) -> NDArray[np.bool_]:
        first, last = i * PATTERNS, min((i + 1) * PATTERNS, len(patterns))
        ranks = _unpacked(patterns[first:last])
        which = np.repeat(np.arange(last - first), np.diff(start[first : last + 1]))
        twice = (codes[start[first] : start[last]] & np.uint64((1 << BITS) - 1)).astype(np.int64)
        return _in_tail(test, ranks, which, twice, asked.level)

    quiet = replace(asked, progress=None)
    return np.concatenate(in_turn(of_patterns, -(-len(patterns) // PATTERNS), quiet))


def _unpacked(patterns: NDArray[np.uint64]) -> Matrix:
    """(pattern, place): the ranks of a pattern of ties, 0 behind the last."""
    bits = np.unpackbits(patterns.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    bits = bits[:, : EXACT + 1].astype(bool)
    last = EXACT - bits[:, ::-1].argmax(axis=1)  # the bit behind the last rank
    place = np.arange(EXACT + 1)
    first = np.maximum.accumulate(np.where(bits, place, 0), axis=1)[:, :-1]
    after = np.where(bits, place, EXACT + 1)[:, :0:-1]
    ends = np.minimum.accumulate(after, axis=1)[:, ::-1]  # where the next group begins
    return np.where(place[:-1] < last[:, None], (first + ends + 1) / 2, 0.0)


def _in_tail(
    test: SignedRank, ranks: Matrix, which: NDArray[np.intp], twice: Counts, level: float
) -> NDArray[np.bool_]:
    """(sum,): whether p of twice a sum of the ranks of a pattern is at most the level.

    One exact chance for each pattern, where the normal distribution expects the tail to end, decides most of its sums;
    the others are asked one by one.
    """
    from scipy.special import ndtri

    whole = np.rint(2 * ranks.sum(axis=1)).astype(np.int64)
    sums = {"two-sided": np.minimum(twice, whole[which] - twice), "less": twice, "greater": whole[which] - twice}
    low = sums[test.alternative]  # the tail is the lower one now
    bound = level / 2 if test.alternative == "two-sided" else level
    end = np.rint(whole / 2 + ndtri(bound) * np.sqrt((ranks**2).sum(axis=1))).astype(np.int64)
    end = np.clip(end, 0, whole)
    within, upper, _ = exact_tails(ranks, end / 2)
    inside = ((low <= end[which]) & (within <= bound)[which]) | ((low < end[which]) & (1 - upper <= bound)[which])
    outside = ((low >= end[which]) & (within > bound)[which]) | ((low >= end[which] - 1) & (1 - upper > bound)[which])
    open_ = np.flatnonzero(~inside & ~outside)
    if open_.size:
        inside[open_] = exact_tails(ranks[which[open_]], low[open_] / 2)[0] <= bound
    return inside
