"""Rank-biased overlap of two rankings, and of two runs by topic."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from math import log1p, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Qrels, Run, assess

from .overlap_with_ties import TIED, TiedOverlap, TiedRanking, rankings_of, tied_overlap


@dataclass(frozen=True, slots=True)
class Overlap:
    """Rank-biased overlap of two rankings, of which only the beginnings are known.

    However they go on, it lies between ``low`` and ``low + residual``; ``extrapolated`` is what it comes to if they go
    on to agree as they do so far (NaN: one of them is empty).
    """

    low: float
    residual: float
    extrapolated: float


def rbo(
    a: Sequence[Any], b: Sequence[Any], *, p: float = 0.9, depth: int | None = None, ties: TiedOverlap | None = None
) -> Overlap:
    """Rank-biased overlap of two rankings: the expected share of documents that are in both (webber2010).

    A reader goes on with probability ``p`` (repro_eval's default is 0.95, ours 0.9), and compares the documents above
    where it ends. ``depth`` cuts both. Where
    ``ties`` says how they are meant, documents that are tied stand in one set (corsi2024): ``w`` takes them for equal,
    as webber2010 does; ``a`` for documents in any order, and is the mean over all orders; ``b`` is ``a`` corrected, so
    that a ranking has 1 with itself. A tie that begins above the cut stays whole.
    """
    _check(p, depth)
    if ties is not None:
        return _tied(TiedRanking.of(a), TiedRanking.of(b), p, depth, ties)
    place = {document: rank for rank, document in enumerate(b, 1)}
    if len(place) < len(b) or len(set(a)) < len(a):
        raise ParameterError("a ranking holds a document twice", hint="give every document once")
    shared = np.array([max(rank, place[document]) for rank, document in enumerate(a, 1) if document in place], int)
    found = _overlap(shared, np.zeros_like(shared), np.array([[len(a)], [len(b)]]), p, depth)
    return Overlap(*(float(column[0]) for column in found))


def _tied(a: TiedRanking, b: TiedRanking, p: float, depth: int | None, ties: TiedOverlap) -> Overlap:
    if ties not in TIED:
        raise ParameterError(f"ties of rankings cannot be {ties!r}", hint=f"choose one of: {', '.join(TIED)}")
    if not a.documents or not b.documents:
        return Overlap(0.0, 1.0, nan)
    return Overlap(*tied_overlap(a.down_to(depth), b.down_to(depth), p, ties))


def overlap_by_topic(
    a: Run, b: Run, *, p: float = 0.9, depth: int | None = None, ties: TiedOverlap | None = None
) -> Table:
    """Rank-biased overlap of two runs, topic by topic; one that a run does not have is empty there.

    Documents of one score stand as they do in the runs, unless ``ties`` says how they are meant, as in :func:`rbo`.
    """
    _check(p, depth)
    topics, length = both_lengths(a, b)
    if ties is None:
        in_a, in_b, topic = shared_ranks(a, b)
        low, residual, extrapolated = _overlap(np.maximum(in_a, in_b), topic, length, p, depth)
    else:
        one, other, none = rankings_of(a), rankings_of(b), TiedRanking.of(())
        found = [_tied(one.get(topic, none), other.get(topic, none), p, depth, ties) for topic in topics]
        low, residual, extrapolated = np.array([astuple(each) for each in found]).T
    columns: dict[str, Any] = {"topic": topics, "low": low, "residual": residual, "extrapolated": extrapolated}
    made_by = Provenance(inputs=(a.source.as_input(), b.source.as_input()))
    return Table(columns, f"rank-biased overlap of {a.name} and {b.name}, p = {p:g}", made_by)


def both_lengths(a: Run, b: Run) -> tuple[list[str], NDArray[np.int64]]:
    """The topics of two runs, and (run, topic) how many documents each has; those of ``a`` come first, as in ``a``."""
    topics = list(dict.fromkeys([*a.topics.to_list(), *b.topics.to_list()]))
    place = {topic: i for i, topic in enumerate(topics)}
    length = np.zeros((2, len(topics)), np.int64)
    for run, lengths in zip((a, b), length, strict=True):
        lengths[[place[topic] for topic in run.topics.to_list()]] = np.diff(run.starts)
    if not (length > 0).all(axis=0).any():
        raise ParameterError(f"{a.name} and {b.name} have no topic in common", hint="compare runs for the same topics")
    return topics, length


def weights(p: float, depth: int) -> NDArray[np.float64]:
    """What one document that is shared from the first rank on adds down to each depth: Σ_{i≤depth} p^(i−1) / i."""
    rank = np.arange(1, depth + 1)
    return np.concatenate(([0.0], (p ** (rank - 1.0) / rank).cumsum()))


def _check(p: float, depth: int | None) -> None:
    if not 0 < p < 1:
        raise ParameterError(f"rank-biased overlap cannot have p={p!r}", hint="p is a number between 0 and 1")
    if depth is not None and depth < 1:
        raise ParameterError(f"rankings cannot be cut at depth {depth!r}", hint="compare at least one document")


def shared_ranks(a: Run, b: Run) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(shared,): the ranks of each shared document in both rankings, and the topic of ``a`` it belongs to."""
    # ``a`` stands for the judgments: its documents are then found in ``b`` by the native reader.
    named = Qrels(a.topics, a.topic, a.document, np.ones(len(a)), a.topics, a.topic, a.source)
    in_order = replace(b, score=-b.rank.astype(np.float64))
    found = assess(named, {"b": in_order})
    rank = np.empty(len(found.grade), np.int64)
    rank[found.named_by[0]] = a.rank
    topic = np.repeat(np.arange(len(found.topics)), np.diff(found.starts))
    return rank[found.document], found.rank.astype(np.int64), topic


def _overlap(
    shared: NDArray[np.int64], topic: NDArray[np.int64], length: NDArray[np.int64], p: float, depth: int | None
) -> tuple[NDArray[np.float64], ...]:
    """(topic,) each: the sums of webber2010, taken document by document instead of depth by depth."""
    length = length if depth is None else np.minimum(length, depth)
    short, long = length.min(axis=0), length.max(axis=0)
    shared, topic = shared[shared <= long[topic]], topic[shared <= long[topic]]
    order = np.lexsort((shared, topic))  # added up in one order, the sums are the same from both sides
    shared, topic = shared[order], topic[order]

    def count(these: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(topic, these, len(short)).astype(np.float64)

    in_long, in_short = count(np.ones(len(topic))), count(shared <= short[topic])
    full = short + long - in_long.astype(np.int64)  # from here on the rankings may agree wholly
    down = weights(p, int(full.max(initial=0)))
    ever = -log1p(-p) / p  # the same sum over all ranks
    seen = count(down[long[topic]] - down[shared - 1])

    def steps(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.float64]:
        return (p ** start.astype(float) - p ** end.astype(float)) / (1 - p)

    low = (1 - p) * (seen + in_long * (ever - down[long]))
    # Each rank beyond the end of a ranking may hold a shared document.
    between = steps(short, long) - short * (down[long] - down[short])
    beyond = 2 * steps(long, full) - (short + long) * (down[full] - down[long])
    rest = p ** full.astype(float) - (1 - p) * in_long * (ever - down[full])
    residual = np.maximum((1 - p) * (between + beyond) + rest, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        agreed = np.where(short > 0, in_short / short, nan)
        extrapolated = (1 - p) * (seen + agreed * between) + ((in_long - in_short) / long + agreed) * p**long
    return low, residual, extrapolated
