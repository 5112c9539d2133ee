"""Dominance between two rankings: at least as many relevant documents at every rank."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.data import Assessed

DEPTH = 1000
CELLS = 1 << 18  # pairs of documents that are looked at together
ALL = "all"  # the level that takes every grade into account
B_AHEAD, A_AHEAD, EQUAL, INCOMPARABLE = 1, -1, 0, 2

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Dominance(NamedTuple):  # a dataclass would cost every `import cranfield` half a millisecond
    """Who has at least as many relevant documents at every rank, pair by pair and topic by topic.

    The first level takes all grades jointly, each of the others asks only for documents of that grade or above.
    """

    levels: tuple[str, ...]
    outcome: NDArray[np.int8]  # (pair, level, topic): 1 b dominates, -1 a dominates, 0 equal, 2 incomparable


def dominate(
    assessed: Assessed,
    pairs: Sequence[tuple[int, int]],
    *,
    depth: int = DEPTH,
    progress: Callable[[int, int], object] | None = None,
) -> Dominance:
    """Compare pairs of runs, given by their places, by the relevant documents they have at every rank down to a depth.

    B is at least A when for every rank n and grade g it has at least as many documents of grade g or above in its first
    n: what swapping a better document up and replacing one by a better one lead to (ferrante2019). Unjudged documents
    and grades up to 0 count for nothing; a topic that is missing from a run is an empty ranking.
    """
    check_depth(depth)
    topics = len(assessed.topics)
    runs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    shown = assessed.only(assessed.grade > 0)
    grades = sorted(set(shown.grade[shown.grade > 0].tolist()))
    levels = [shown.only(shown.grade >= grade) for grade in grades]
    counts = [_counts(level, depth) for level in levels]
    outcome = np.empty((len(runs), 1 + len(grades), topics), np.int8)
    step = max(1, CELLS // (topics + int(np.diff(shown.starts[::topics]).max(initial=0))))
    for start in range(0, len(runs), step):
        part = slice(start, start + step)
        a, b = ((side[:, None] * topics + np.arange(topics)).reshape(-1) for side in runs[part].T)
        jointly = np.zeros((2, len(a)), np.bool_)
        for i, (level, many) in enumerate(zip(levels, counts, strict=True), 1):
            ahead = _ahead(level, many, a, b)
            outcome[part, i] = _outcome(ahead).reshape(-1, topics)
            jointly |= ahead
        outcome[part, 0] = _outcome(jointly).reshape(-1, topics)
        if progress:
            progress(min(start + step, len(runs)), len(runs))
    return Dominance((ALL, *map(_text, grades)), outcome)


def first_ranks(assessed: Assessed, *, rel: float = 1, depth: int | None = None) -> Matrix:
    """(topic, run): the rank of the first document of grade ``rel`` or above; NaN where there is none to the depth."""
    check_depth(depth)
    shown = assessed.only(assessed.grade >= rel)
    begin, end = shown.starts[:-1], shown.starts[1:]
    rank = np.full(len(begin), np.nan)
    rank[begin < end] = shown.rank[begin[begin < end]]
    if depth is not None:
        rank[rank > depth] = np.nan
    return rank.reshape(len(assessed.runs), len(assessed.topics)).T


def check_depth(depth: int | None) -> None:
    """Refuse a depth at which there is no document."""
    if depth is not None and depth < 1:
        raise ParameterError(f"the depth cannot be {depth}", hint="rankings are looked at from rank 1 down: 1 or more")


def _counts(assessed: Assessed, depth: int) -> Ints:
    """(row,): how many of the documents shown stand in the first ranks, down to the depth."""
    down = np.concatenate(([0], (assessed.rank <= depth).cumsum()))
    return down[assessed.starts[1:]] - down[assessed.starts[:-1]]


def _ahead(assessed: Assessed, many: Ints, a: Ints, b: Ints) -> Flags:
    """(side, cell): whether row a, and whether row b, has more of the documents shown than the other at some rank.

    A row has more at some rank n exactly when, for some k, its k-th document stands above the k-th of the other, or the
    other has no k-th. If it has k down to n and the other fewer, its k-th stands at n or above, the other's below. And
    if its k-th stands at n and the other's below, it has k down to n and the other fewer.
    """
    both = np.minimum(many[a], many[b])
    ends = np.concatenate(([0], both.cumsum()))
    k = np.arange(ends[-1]) - np.repeat(ends[:-1], both)
    first, second = (assessed.rank[np.repeat(assessed.starts[row], both) + k] for row in (a, b))
    above = np.zeros((2, len(k) + 1), np.int64)
    np.cumsum([first < second, second < first], axis=1, out=above[:, 1:])
    more = np.array([many[a] > many[b], many[b] > many[a]])
    return more | (above[:, ends[1:]] > above[:, ends[:-1]])


def _outcome(ahead: Flags) -> NDArray[np.int8]:
    """(cell,): from whether a, and whether b, is ahead somewhere."""
    a, b = ahead
    return np.select([a & b, b, a], [INCOMPARABLE, B_AHEAD, A_AHEAD], EQUAL).astype(np.int8)


def _text(grade: float) -> str:
    return repr(grade).removesuffix(".0")
