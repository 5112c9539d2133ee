"""Kendall's τ union: rank correlation of two rankings with different documents (breuer2020)."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Run

from .rank_overlap import both_lengths, shared_ranks


def tau_union(a: Sequence[Hashable], b: Sequence[Hashable], *, depth: int | None = None) -> float:
    """Kendall's τ union of two rankings, as far down as both go; NaN where that is less than two documents.

    The documents of the first ranking, and below them those that only the second has, are numbered; τ says how far the
    second goes down in the order of these numbers. 1 does not mean that the documents are the same: those that took
    the place of others at the end cost nothing.
    """
    _check(depth)
    if len(set(a)) < len(a) or len(set(b)) < len(b):
        raise ParameterError("a ranking holds a document twice", hint="give every document once")
    length = min(len(a), len(b), depth or len(a))
    place = {document: rank for rank, document in enumerate(a[:length], 1)}
    ranks = [(place[document], rank) for rank, document in enumerate(b[:length], 1) if document in place]
    in_a, in_b = np.array(ranks, np.int64).reshape(-1, 2).T
    return float(_tau(in_a, in_b, np.zeros_like(in_a), np.array([length]))[0])


def union_by_topic(a: Run, b: Run, *, depth: int | None = None) -> Table:
    """Kendall's τ union of two runs, topic by topic; one that a run does not have has none."""
    _check(depth)
    topics, lengths = both_lengths(a, b)
    length = np.minimum(lengths.min(axis=0), depth or lengths.max())
    tau = _tau(*shared_ranks(a, b), length)
    columns: dict[str, Any] = {"topic": topics, "documents": length, "tau": tau}
    made_by = Provenance(inputs=(a.source.as_input(), b.source.as_input()))
    return Table(columns, f"Kendall's τ union of {a.name} and {b.name}", made_by)


def _check(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise ParameterError(f"rankings cannot be cut at depth {depth!r}", hint="compare at least one document")


def _tau(
    in_a: NDArray[np.int64], in_b: NDArray[np.int64], topic: NDArray[np.int64], length: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(topic,): from the ranks of shared documents, for rankings cut at ``length``."""
    inside = (in_a <= length[topic]) & (in_b <= length[topic])
    starts = np.concatenate(([0], length.cumsum()))
    of = np.repeat(np.arange(len(length)), length)
    number = np.zeros(starts[-1], np.int64)  # of each document of b in the union; 0: only b has it
    number[starts[topic[inside]] + in_b[inside] - 1] = in_a[inside]
    new = (number == 0).cumsum()
    number = np.where(number == 0, length[of] + new, number)  # they only ever grow, so they need not start at 1
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = 1 - 4 * _inversions(number, of, starts) / (length * (length - 1.0))
    return np.where(length > 1, tau, np.nan)


def _inversions(number: NDArray[np.int64], topic: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(topic,): how many pairs of numbers stand the wrong way round.

    Halves of growing stretches are sorted together: what comes from the second before one of the first is wrong.
    """
    place = np.arange(len(number)) - starts[topic]
    found = np.zeros(len(starts) - 1)
    half = 1
    while half <= place.max(initial=0):
        stretch = place // (2 * half)
        order = np.lexsort((number, stretch, topic))
        second = (place[order] // half) % 2
        before = second.cumsum() - second
        begins = np.flatnonzero(np.diff(topic[order], prepend=-1) | np.diff(stretch[order], prepend=-1))
        before -= np.repeat(before[begins], np.diff(begins, append=len(order)))
        found += np.bincount(topic[order], before * (second == 0), len(found))
        half *= 2
    return found
