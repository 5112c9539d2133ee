"""Topics with the largest differences between two runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats import OUTCOMES, Pairs, mid_ranks, places

MOST = 10  # movers either way
ROWS = 100_000  # of a table of topics; a longer one would make JSON of several gigabytes


def moving_tables(
    first: Pairs,
    runs: Sequence[str],
    values: Values,
    chosen: Sequence[tuple[int, int]],
    *,
    topics: Sequence[str],
    dominance: Sequence[Sequence[str]] | None = None,
    rows: int = ROWS,
    made_by: Provenance | None = None,
) -> dict[str, Table]:
    """Return the topics with the largest differences of every pair, and all topics where these are few."""
    step = max(1, rows // max(1, len(topics)))
    parts, all_topics = [], Table({})
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        all_topics = topics_table(
            replace(first, a=first.a[part], b=first.b[part]),
            runs,
            values,
            chosen[part],
            topics=topics,
            dominance=None if dominance is None else np.array(dominance[part], dtype=object),
            ends=None if len(first) <= step else MOST,
            made_by=made_by,
        )
        parts.append(movers_table(all_topics))
    if len(parts) == 1:
        return {"movers": parts[0], "topics": all_topics}
    columns = {name: [cell for one in parts for cell in one.column(name)] for name in parts[0].columns}
    note = f"{len(first):,} pairs of {len(topics):,} topics are too many to list: only the largest differences are here"
    return {"movers": replace(parts[0], data=columns, notes=(note,))}


def topics_table(
    first: Pairs,
    runs: Sequence[str],
    values: Values,
    chosen: Sequence[tuple[int, int]],
    *,
    topics: Sequence[str],
    dominance: NDArray[Any] | None = None,
    ends: int | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and topic, the largest difference of the first measure at the top of each pair.

    ``rank_a`` and ``rank_b`` are those of the first relevant documents, nothing where a run has none; ``dominance``
    holds (pair, topic) the run that dominates, in words. With ``ends``, only this number of topics at the top and at
    the bottom of each pair have a row.
    """
    measure = values.measures[0]
    matrix = values.matrix(measure)
    pairs = Pairs.given(matrix, list(chosen), places(values, measure, matrix))
    # Equal differences stay in the order of the topics; NaN is last.
    order = np.argsort(mid_ranks(-pairs.difference, pairs.scale), axis=1, kind="stable")
    known = pairs.topics[:, None]
    if ends is not None and (known >= 2 * ends).all():
        kept = np.concatenate([np.arange(ends)[None] + 0 * known, known - ends + np.arange(ends)], axis=1)
        order = np.take_along_axis(order, kept, axis=1)
    names = np.array(runs, dtype=object)

    def ordered(cells: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(np.broadcast_to(cells, pairs.difference.shape), order, axis=1).reshape(-1)

    sides = [first.values[:, side].T for side in (first.a, first.b)]
    answered_a, answered_b = (~np.isnan(side) for side in sides)
    outcomes = answered_a + 2 * answered_b
    columns = {
        "a": ordered(names[pairs.a][:, None]),
        "b": ordered(names[pairs.b][:, None]),
        "topic": ordered(np.array(topics, dtype=object)),
        "outcome": np.array(OUTCOMES, dtype=object)[ordered(outcomes)],
        "rank_a": _whole(ordered(sides[0])),
        "rank_b": _whole(ordered(sides[1])),
        "measure": np.full(order.size, str(measure), dtype=object),
        "value_a": ordered(matrix[:, pairs.a].T),
        "value_b": ordered(matrix[:, pairs.b].T),
        "difference": ordered(pairs.difference),
        "dominance": ordered(
            np.array(None, dtype=object) if dominance is None else np.asarray(dominance, dtype=object)
        ),
    }
    return Table(columns, "topics", made_by)


def movers_table(table: Table, *, most: int = MOST) -> Table:
    """Of each pair the topics with the ``most`` largest differences either way, out of a table of all topics.

    Topics without a difference are never among them.
    """
    if most < 1:
        raise ParameterError(f"there cannot be {most} movers", hint="ask for one or more")
    difference = np.asarray(table.column("difference"), dtype=float)
    rose, fell = difference > 0, difference < 0
    a, b = (np.array(table.column(side), dtype=object) for side in ("a", "b"))
    pair = np.cumsum(np.append(False, (a[1:] != a[:-1]) | (b[1:] != b[:-1])))[: len(table)]
    from_below = _above(fell[::-1], pair.max(initial=0) - pair[::-1])[::-1]
    kept = np.flatnonzero((rose & (_above(rose, pair) < most)) | (fell & (from_below < most)))
    columns = {name: [table.column(name)[row] for row in kept] for name in table.columns}
    return Table(columns, "topics that decide", table.made_by)


def _above(moved: NDArray[np.bool_], pair: NDArray[np.int64]) -> NDArray[np.int64]:
    """(row,): how many that moved stand above in the same pair; pairs are numbered from the top."""
    before: NDArray[np.int64] = np.cumsum(moved) - moved
    return before - before[np.searchsorted(pair, pair)]


def _whole(ranks: NDArray[np.float64]) -> NDArray[Any]:
    """Ranks as whole numbers, nothing where there is none; as they are where averaged ties give fractions."""
    there = ~np.isnan(ranks)
    if (ranks[there] % 1).any():
        return ranks
    whole = np.full(ranks.shape, None, dtype=object)
    whole[there] = ranks[there].astype(np.int64)
    return whole
