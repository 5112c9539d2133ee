"""Comparison of two rankings by the rank of the k-th relevant document, at every recall level.

A user of level k is content with k relevant documents, and prefers the ranking where the k-th stands higher. The three
ways differ in which users count: all alike (recall-paired preference), those who want most (lexicographic recall), or
those who want least (lexicographic precision). What is not found stands below everything, alike for both.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Assessed

from .rank_dominance import CELLS, DEPTH, check_depth

Ints = NDArray[np.int64]


class RecallLevels(NamedTuple):
    """Whom users prefer, pair by pair and topic by topic; above 0: b."""

    rpp: NDArray[np.float64]  # (pair, topic): users who prefer b less those who prefer a, as a share of all
    lexirecall: NDArray[np.int8]  # (pair, topic): 1, -1 or 0, by the last level at which the rankings differ
    lexiprecision: NDArray[np.int8]  # (pair, topic): by the first one


def compare_levels(
    assessed: Assessed, pairs: Sequence[tuple[int, int]], *, rel: float = 1, depth: int = DEPTH
) -> RecallLevels:
    """Compare pairs of runs, given by their places, at every level of recall down to a depth.

    Recall-paired preference is that of diaz2022rpp, lexicographic recall of diaz2023lexirecall, lexicographic precision
    of diaz2023lexiprecision. A topic without a relevant document is equal for all.
    """
    check_depth(depth)
    topics = len(assessed.topics)
    runs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    shown = assessed.only(assessed.grade >= rel, depth)
    relevant = np.maximum(assessed.relevant(rel), 1)
    rpp = np.empty((len(runs), topics))
    last, first = (np.empty((len(runs), topics), np.int8) for _ in range(2))
    step = max(1, CELLS // (topics + int(np.diff(shown.starts[::topics]).max(initial=0))))
    for start in range(0, len(runs), step):
        part = slice(start, start + step)
        a, b = ((side[:, None] * topics + np.arange(topics)).reshape(-1) for side in runs[part].T)
        sums, lowest, highest = _levels(shown, a, b)
        rpp[part] = sums.reshape(-1, topics) / relevant
        last[part], first[part] = lowest.reshape(-1, topics), highest.reshape(-1, topics)
    return RecallLevels(rpp, last, first)


def _levels(shown: Assessed, a: Ints, b: Ints) -> tuple[Ints, NDArray[np.int8], NDArray[np.int8]]:
    """(cell,): the sum over levels of who is ahead, 1 being b; who is at the last level that differs, at the first."""
    many = np.diff(shown.starts)
    both = np.minimum(many[a], many[b])
    ends = np.concatenate(([0], both.cumsum()))
    cell = np.repeat(np.arange(len(a)), both)
    k = np.arange(ends[-1]) - ends[cell]
    ranks = [shown.rank[shown.starts[row][cell] + k] for row in (a, b)]
    ahead = np.sign(ranks[0].astype(np.int64) - ranks[1])
    more = many[b] - many[a]  # levels that only one reaches
    sums = np.concatenate(([0], ahead.cumsum()))
    differ = np.flatnonzero(ahead)
    last, first = (np.sign(more).astype(np.int8) for _ in range(2))
    equal = more[cell[differ]] == 0
    last[cell[differ][equal]] = ahead[differ][equal]  # of several the last one stays
    first[cell[differ][::-1]] = ahead[differ][::-1]
    return sums[ends[1:]] - sums[ends[:-1]] + more, last, first
