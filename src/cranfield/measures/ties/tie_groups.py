"""Closed-form means over all orders of groups of tied documents (mcsherry2008ties).

An order of ties is a random permutation of each group of documents with one score. Documents that nobody named are in
the groups too, and take up places; the arithmetic only has to know how many places there are.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import NOBODY, Assessed, Block

Counts = NDArray[np.int64]  # (group,)


@dataclass(frozen=True, slots=True)
class Groups:
    """Some documents of a block, score by score in rank order."""

    row: Counts  # which row of the block
    first: Rows  # (group,): the first rank
    size: Counts  # how many ranks share the score, whoever stands there
    count: Counts  # how many of the documents asked for share it
    start: Counts  # where those start among the cells
    cells: tuple[Counts, Counts]  # (document,): row and column of each in the block

    def places(self) -> tuple[Counts, Ranks]:
        """(place,): every rank of every group: which group, and the rank."""
        which = np.repeat(np.arange(len(self.size)), self.size)
        ends = self.size.cumsum()
        return which, np.arange(len(which)) - np.repeat(ends - self.size, self.size) + self.first[which]


def groups_of(block: Block, asked: NDArray[np.bool_], apart: Grades | None = None) -> Groups:
    """The groups that hold documents asked for; with ``apart`` only those of one number there are together."""
    row, column = np.nonzero(asked)
    first, last = block.tie_first[row, column], block.tie_last[row, column]
    by = np.zeros(len(row)) if apart is None else apart[row, column]
    order = np.lexsort((by, first, row))
    row, column = row[order], column[order]
    first, last, by = first[order], last[order], by[order]
    other = (np.diff(row) != 0) | (np.diff(first) != 0) | (by[1:] != by[:-1])
    start = np.flatnonzero(np.concatenate((np.ones(min(len(row), 1), np.bool_), other)))
    size = (last - first).astype(np.int64)[start] + 1
    return Groups(row[start], first[start], size, np.diff(start, append=len(row)), start, (row, column))


def one_by_one(value: Callable[[Block], Rows], block: Block) -> Rows:
    """The mean of a value that is a sum over documents: what each adds, alone, in the mean of its places."""
    groups = groups_of(block, np.isfinite(block.rank), block.grade)
    which, rank = groups.places()
    row = groups.row[which]
    cells = (row, groups.cells[1][groups.start][which])
    alone = Block(
        assessed=block.assessed,
        row=block.row[row],
        rank=rank[:, None],
        grade=block.grade[cells][:, None],
        document=block.document[cells][:, None],
        retrieved=block.retrieved[row],
    )
    nobody = Block(
        assessed=block.assessed,
        row=block.row,
        rank=np.full((len(block.row), 1), np.inf),
        grade=np.full((len(block.row), 1), NOBODY),
        document=np.full((len(block.row), 1), -1),
        retrieved=block.retrieved,
    )
    without = value(nobody)
    adds = (value(alone) - without[row]) * (groups.count / groups.size)[which]
    return without + by_row(row, adds, len(without))


def first_stop(stop: Gains, block: Block, worth: Callable[[Ranks], Weights]) -> Rows:
    """The mean of what the rank is worth at which somebody stops who reads down the ranking.

    ``stop`` is the chance to stop at each document, ``worth`` that of a rank; who never stops gets as far as infinity.
    """
    groups = groups_of(block, stop > 0)
    stops = stop[groups.cells]
    on = np.where(stop > 0, 1 - stop, 1)
    arrives = np.concatenate([np.ones((len(on), 1)), on.cumprod(axis=1)], axis=1)
    begins = arrives[groups.row, groups.cells[1][groups.start]]
    left = arrives[:, -1]
    found = np.where(left > 0, left * worth(np.full(left.shape, np.inf)), 0)
    wide = np.ceil(np.log2(groups.size)).astype(np.int64)
    for width in sorted(set(wide.tolist())):  # groups of similar size together
        some = np.flatnonzero(wide == width)
        begin, size = begins[some, None], groups.size[some, None]
        place = np.arange(1, groups.size[some].max(initial=0) + 1)
        chance = -np.diff(_passes(stops, groups.start[some], groups.count[some], groups.size[some]), axis=1)
        chance = np.where(place <= size, chance, 0) * begin
        rank = groups.first[some, None] - 1 + place
        share = np.where(chance > 0, chance * worth(np.where(chance > 0, rank, np.inf)), 0)
        found += by_row(groups.row[some], share.sum(axis=1), len(found))
    return found


def _passes(stops: Gains, start: Counts, count: Counts, size: Counts) -> Weights:
    """(group, place + 1): the chance to pass the first 0, 1, … places of each group, in the mean of all orders.

    Where nobody can stop, one passes for sure. Another document among t is at one of the first i with chance i/t.
    """
    place = np.arange(size.max(initial=0) + 1)
    passes = (place <= (size - count)[:, None]).astype(np.float64)
    for n in range(int(count.max(initial=0))):
        there = np.flatnonzero(n < count)
        among = place / (size - count + n + 1)[there, None]
        on = 1 - stops[start[there] + n, None]
        before = passes[there]
        after = np.maximum(1 - among, 0) * before
        after[:, 1:] += among[:, 1:] * on * before[:, :-1]
        passes[there] = after
    return passes


def precision_sums(hit: Gains, block: Block, within: Callable[[Ranks], Weights]) -> Rows:
    """The mean of the sum of the precisions at the ranks of relevant documents.

    A pair of them stands in each pair of places of its group with the same chance: with one of ``m`` at the i-th of
    ``n`` places, (m − 1)(i − 1)/(n − 1) others are above it.
    """
    groups = groups_of(block, hit > 0)
    which, rank = groups.places()
    row, count, size = groups.row[which], groups.count[which], groups.size[which]
    above = groups.start[which] - np.searchsorted(groups.cells[0], row)
    beside = (count - 1) * (rank - groups.first[which]) / np.maximum(size - 1, 1)
    adds = count / size * (above + 1 + beside) / rank * within(rank)
    return by_row(row, adds, len(block.row))


def by_row(row: Counts, adds: Rows, rows: int) -> Rows:
    """(row,): what is added to each of so many rows."""
    return np.bincount(row, adds, minlength=rows).astype(np.float64)


def rows_that_matter(assessed: Assessed, kind: NDArray[np.float64]) -> Counts:
    """The rows in which ties have more than one order that can be told apart."""
    start = assessed.groups
    if not len(start):
        return start
    size = (assessed.tie_last - assessed.tie_first)[start] + 1
    of = kind[assessed.document]
    same = np.minimum.reduceat(of, start) == np.maximum.reduceat(of, start)
    whole = np.diff(start, append=len(of)) == size
    rows = assessed.row[start[(size > 1) & ~(same & whole)]]
    return np.flatnonzero(np.bincount(rows, minlength=len(assessed.retrieved)))
