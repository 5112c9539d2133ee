"""Rank-biased overlap of rankings with ties (corsi2024)."""

from collections.abc import Hashable, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass
from math import log1p
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import Run

# w: tied documents share their first rank. a: they may stand in any order, and the overlap is the mean over all orders.
# b: as a, corrected so that a ranking has 1 with itself.
TiedOverlap: TypeAlias = Literal["w", "a", "b"]
TIED: tuple[TiedOverlap, ...] = ("w", "a", "b")

Depths: TypeAlias = NDArray[np.float64]  # (depth,)


@dataclass(frozen=True, slots=True, eq=False)
class TiedRanking:
    """Documents from the top, and the first and the last rank of the tie that each is in; one alone has one rank."""

    documents: tuple[Hashable, ...]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, ranking: Sequence[Any]) -> "TiedRanking":
        """A ranking in which documents that are tied stand in one set."""
        groups = [tuple(one) if isinstance(one, AnySet) else (one,) for one in ranking]
        documents = tuple(document for group in groups for document in group)
        if len(set(documents)) < len(documents):
            raise ParameterError("a ranking holds a document twice", hint="give every document once")
        size = np.array([len(group) for group in groups], np.int64)
        return cls(documents, *_ranks(size))

    @classmethod
    def of_scores(cls, documents: Sequence[str], score: NDArray[np.float64]) -> "TiedRanking":
        """A ranking in which documents of one score are tied; scores fall."""
        start = np.flatnonzero(np.diff(score, prepend=np.inf))
        return cls(tuple(documents), *_ranks(np.diff(start, append=len(score))))

    def down_to(self, depth: int | None) -> "TiedRanking":
        """The ranking down to a depth; a tie that begins above it stays whole."""
        if depth is None:
            return self
        kept = int((self.first <= depth).sum())
        return TiedRanking(self.documents[:kept], self.first[:kept], self.last[:kept])

    def shares(self, depth: int, variant: TiedOverlap) -> NDArray[np.float64]:
        """(document, depth): how far each document is among the first documents."""
        rank = np.arange(1, depth + 1)
        if variant == "w":
            return (rank >= self.first[:, None]).astype(np.float64)
        size = self.last - self.first + 1
        return np.clip((rank - self.first[:, None] + 1) / size[:, None], 0, 1)


def _ranks(size: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    last = np.repeat(size.cumsum(), size)
    return last - np.repeat(size, size) + 1, last


def tied_overlap(a: TiedRanking, b: TiedRanking, p: float, variant: TiedOverlap) -> tuple[float, float, float]:
    """The least overlap, the residual and the extrapolated overlap of two rankings that are not empty."""
    short, long = (a, b) if len(a.documents) < len(b.documents) else (b, a)
    s, end = len(short.documents), len(long.documents)
    in_short, in_long = short.shares(end, variant), long.shares(end, variant)
    place = {document: i for i, document in enumerate(short.documents)}
    met = [(place[document], i) for i, document in enumerate(long.documents) if document in place]
    alone = [i for i, document in enumerate(long.documents) if document not in place]
    mine, theirs = (np.array(side, np.int64) for side in (zip(*met, strict=True) if met else ((), ())))
    shared: Depths = (in_short[mine] * in_long[theirs]).sum(axis=0)
    depth = np.arange(1, end + 1)
    beyond = depth > s  # the short ranking goes on there, nobody knows how, without ties
    whole = _whole(in_short, in_long, depth, beyond, variant)
    agreed = shared[s - 1] / whole[s - 1]
    # Where the short ranking has ended it may hold documents that the long one has.
    others = in_long[alone][:, beyond]
    count = (others > 0).sum(axis=0)
    mean = np.divide(others.sum(axis=0), count, out=np.zeros(len(count)), where=count > 0)
    expected, most = shared.copy(), shared.copy()
    expected[beyond] += (depth[beyond] - s) * agreed * mean
    most[beyond] += np.triu(others[: end - s]).sum(axis=0)
    weight, last = p ** (depth - 1.0), shared[-1]
    full = round(float(end + s - last))  # from here on the rankings may agree wholly
    low = (1 - p) * ((weight * shared / whole).sum() + last * (-log1p(-p) / p - (weight / depth).sum()))
    after = np.arange(end + 1, full + 1)
    rest = ((2 * after - end - s + last) / after * p ** (after - 1.0)).sum() + p**full / (1 - p)
    high = (1 - p) * ((weight * most / whole).sum() + rest)
    extrapolated = (1 - p) * (weight * expected / whole).sum() + (last + (end - s) * agreed) / end * p**end
    return float(low), float(max(high - low, 0)), float(extrapolated)


def _whole(
    short: NDArray[np.float64],
    long: NDArray[np.float64],
    depth: NDArray[np.int64],
    beyond: NDArray[np.bool_],
    variant: TiedOverlap,
) -> Depths:
    """(depth,): what the overlap is a share of."""
    if variant == "a":
        return depth.astype(np.float64)
    if variant == "w":
        return (np.where(beyond, depth, short.sum(axis=0)) + long.sum(axis=0)) / 2
    return np.sqrt(np.where(beyond, depth, (short**2).sum(axis=0)) * (long**2).sum(axis=0))


def rankings_of(run: Run) -> dict[str, TiedRanking]:
    """The rankings of a run, topic by topic, documents of one score tied."""
    documents, found = run.document.to_list(), {}
    for t, topic in enumerate(run.topics.to_list()):
        part = slice(int(run.starts[t]), int(run.starts[t + 1]))
        found[topic] = TiedRanking.of_scores(documents[part], run.score[part])
    return found
