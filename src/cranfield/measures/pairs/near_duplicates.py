"""Pairs of runs that are equal, or that exceed a limit on rank-biased overlap."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Run, name_documents

from .rank_overlap import _overlap

FIRST = 10  # documents that are looked at before whole rankings are
CELLS = 2**22  # of an array (run, topic, rank, rank) that is made at once
NEAR = 1e-9
COLUMNS = ("a", "b", "group_a", "group_b", "equal", "rbo", "topics")
Pairs = Sequence[tuple[int, int]]


def check_overlap(p: float, most: float, depth: int) -> None:
    """Refuse what no overlap of runs can be held against."""
    if not 0 < p < 1:
        raise ParameterError(f"rank-biased overlap cannot have p={p!r}", hint="p is a number between 0 and 1")
    if not 0 < most <= 1:
        raise ParameterError(f"an overlap cannot exceed {most!r}", hint="most is a number above 0, at most 1")
    if depth < 1:
        raise ParameterError(f"rankings cannot be cut at depth {depth!r}", hint="compare at least one document")


def may_overlap(first: Sequence[Run], pairs: Pairs, *, p: float, most: float) -> list[tuple[int, int]]:
    """The pairs of runs whose overlap may exceed ``most``, as far as their first documents tell.

    Down to a depth that both rankings have, what they do not share is lost for good: (1 − p) Σ p^(d−1) (1 − agreement
    to d), however they go on. None that exceeds ``most`` is left out.
    """
    if not pairs:
        return []
    depth = max((int(np.diff(run.starts).max(initial=0)) for run in first), default=0)
    ids, length = _first(first, depth)
    rank = np.arange(1, depth + 1)
    down = (p ** (rank - 1.0) / rank)[::-1].cumsum()[::-1]  # what a document adds that is shared from a rank on
    weight = down[np.maximum.outer(rank, rank) - 1]  # (rank, rank)
    whole = (1 - p**depth) / (1 - p)
    found: list[tuple[int, int]] = []
    step = max(1, CELLS // max(1, ids[0].size * depth))
    for a, others in _beside(pairs).items():
        for start in range(0, len(others), step):
            b = np.array(others[start : start + step])
            same = (ids[a][None, :, :, None] == ids[b][:, :, None, :]) & (ids[a] >= 0)[None, :, :, None]
            shared = np.tensordot(same, weight, axes=2)  # (run, topic)
            both, either = np.minimum(length[a], length[b]), np.maximum(length[a], length[b])
            lost = np.where(both >= depth, (1 - p) * (whole - shared), np.where(both > 0, 0.0, 1.0))
            topics = (either > 0).sum(axis=1)
            upper = 1 - np.where(either > 0, lost, 0.0).sum(axis=1) / np.maximum(topics, 1)
            found += [(a, other) for other, near in zip(b.tolist(), upper > most - NEAR, strict=True) if near]
    return found


def duplicates_table(
    runs: Mapping[int, Run],
    pairs: Pairs,
    *,
    p: float,
    most: float,
    groups: Mapping[str, str | None] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each of the pairs that are ``equal`` or overlap by more than ``most``, the most alike first.

    Equal runs have the same documents in the same order in every topic, whatever their scores. ``rbo`` is the mean
    rank-biased overlap (webber2010), extrapolated, over the ``topics`` that either has; a topic that only one has
    counts 0.
    """
    rows = [] if not pairs else _alike(runs, pairs, p=p, most=most, groups=groups or {})
    rows.sort(key=lambda row: (not row["equal"], -row["rbo"]))
    caption = f"runs that are equal or overlap by more than {most:g} (RBO, p = {p:g})"
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by)


def _alike(
    runs: Mapping[int, Run], pairs: Pairs, *, p: float, most: float, groups: Mapping[str, str | None]
) -> list[dict[str, Any]]:
    """A row for each pair that is equal, or overlaps enough."""
    named = name_documents(list(runs.values()))
    order, rank, length = {}, {}, {}
    for (run, one), number in zip(runs.items(), named.rows, strict=True):
        topic = named.topic[number]
        length[run] = np.bincount(topic, minlength=len(named.topics))
        sort = np.lexsort((one.rank, topic))
        order[run], rank[run] = number[sort], one.rank[sort]
    rows: list[dict[str, Any]] = []
    for a, others in _beside(pairs).items():
        where = np.zeros(len(named), np.int64)
        where[order[a]] = rank[a]
        for b in others:
            lengths = np.stack([length[a], length[b]])
            there = lengths.max(axis=0) > 0
            equal = np.array_equal(order[a], order[b])
            overlap = 1.0 if equal else _mean(where[order[b]], rank[b], named.topic[order[b]], lengths, p, there)
            if equal or overlap > most:
                first, second = runs[a].name, runs[b].name
                told = {"a": first, "b": second, "group_a": groups.get(first), "group_b": groups.get(second)}
                rows.append(told | {"equal": equal, "rbo": overlap, "topics": int(there.sum())})
    return rows


def duplicates_sentence(table: Table, pairs: int, *, most: float, grouped: bool) -> str:
    """How many pairs of runs are alike, and who."""
    whose = " of different groups" if grouped else ""
    rows: list[dict[str, Any]] = table.rows()
    if not rows:
        return f"None of {pairs:,} pair{'s' * (pairs != 1)} of runs{whose} is equal or overlaps by more than {most:g}."
    equal = sum(row["equal"] for row in rows)
    near = len(rows) - equal
    told = [f"{equal:,} {'are' if equal != 1 else 'is'} equal"] * (equal > 0)
    told += [f"{near:,} overlap{'s' * (near == 1)} by more than {most:g}"] * (near > 0)
    top = rows[0]
    alike = f"most alike are {top['a']} and {top['b']}"
    return f"Of {pairs:,} pair{'s' * (pairs != 1)} of runs{whose}, {' and '.join(told)}; {alike}."


def _beside(pairs: Pairs) -> dict[int, list[int]]:
    """The others that each run is compared with."""
    found: dict[int, list[int]] = {}
    for a, b in pairs:
        found.setdefault(a, []).append(b)
    return found


def _first(runs: Sequence[Run], depth: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(run, topic, rank): the first documents as numbers, −1 where there is none; (run, topic): how many there are."""
    named = name_documents(runs)
    ids = np.full((len(runs), len(named.topics), depth), -1)
    for mine, run, number in zip(ids, runs, named.rows, strict=True):
        mine[named.topic[number], run.rank - 1] = number
    return ids, (ids >= 0).sum(axis=2)


def _mean(
    where: NDArray[np.int64],
    rank: NDArray[np.int64],
    topic: NDArray[np.int64],
    lengths: NDArray[np.int64],
    p: float,
    there: NDArray[np.bool_],
) -> float:
    """The mean overlap of a ranking with one that has its documents at ``where``; 0 is nowhere."""
    both = where > 0
    _, _, found = _overlap(np.maximum(where, rank)[both], topic[both], lengths, p, None)
    return float(np.nan_to_num(found[there]).mean())
