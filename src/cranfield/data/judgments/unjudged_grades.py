"""Assign an assumed grade to the unjudged documents of a run."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.assessed.assessed_runs import Assessed

from .strata import moved_strata

Integers = NDArray[np.int64]


def with_unjudged_as(
    assessed: Assessed, grade: float, *, run: int, topics: slice = slice(None), depth: int | None = None
) -> Assessed:
    """One run in which every unjudged document of the first ``depth`` was judged, with the same ``grade``.

    They are named documents of their topics then: perfect rankings and counts of relevant documents know them too.
    Which of the documents of equal score are unjudged is not kept, so that nothing is tied any more.
    """
    if assessed.above is not None:
        hint = "assess without lengths= and sum_above="
        raise ParameterError("nobody knows the lengths of the unjudged documents, one by one", hint=hint)
    first, last, _ = topics.indices(len(assessed.topics))
    rows = np.arange(first, last) + run * len(assessed.topics)
    part = slice(int(assessed.starts[rows[0]]), int(assessed.starts[rows[-1] + 1]))
    row = np.repeat(np.arange(len(rows)), np.diff(assessed.starts[rows[0] : rows[-1] + 2]))
    rank = assessed.rank[part].astype(np.int64)
    filled = np.minimum(assessed.retrieved[rows], np.iinfo(np.int32).max if depth is None else depth).astype(np.int64)
    new_row, new_rank = _empty_ranks(row, rank, filled)
    # The named documents of each topic, and behind them its new ones.
    named = assessed.named[first : last + 1] - assessed.named[first]
    added = np.concatenate(([0], np.bincount(new_row, minlength=len(rows)).cumsum()))
    old = np.arange(named[-1]) + np.repeat(added[:-1], np.diff(named))
    new = np.arange(len(new_row)) + named[new_row + 1]
    grades = np.full(len(old) + len(new), grade)
    grades[old] = assessed.grade[assessed.named[first] : assessed.named[last]]
    document = old[assessed.document[part] - assessed.named[first]]
    grades[document[(rank <= filled[row]) & (grades[document] < 0)]] = grade
    was = np.full(len(grades), -1)
    was[old] = np.arange(assessed.named[first], assessed.named[last])
    every_row, every_rank = np.concatenate([row, new_row]), np.concatenate([rank, new_rank]).astype(np.int32)
    order = np.lexsort((every_rank, every_row))
    return replace(
        assessed,
        runs=(assessed.runs[run],),
        topics=assessed.topics[first:last],
        documents=_named(assessed, slice(first, last), old, new, new_rank),
        named=named + added,
        grade=grades,
        starts=np.concatenate(([0], np.bincount(every_row, minlength=len(rows)).cumsum())),
        document=np.concatenate([document, new])[order].astype(np.int32),
        rank=every_rank[order],
        tie_first=every_rank[order],
        tie_last=every_rank[order],
        retrieved=assessed.retrieved[rows],
        tied=np.zeros(len(rows), np.int32),
        stratum=moved_strata(assessed, was),
        named_by=(),
        tables={},  # nobody knows what the new documents are beside their grade
        prior=None,
    )


def _empty_ranks(row: Integers, rank: Integers, filled: Integers) -> tuple[Integers, Integers]:
    """The (row, rank) pairs that hold no named document, down to where each row is ``filled``."""
    offset = np.concatenate(([0], filled.cumsum()))
    empty = np.ones(int(offset[-1]), dtype=bool)
    inside = rank <= filled[row]
    empty[offset[row[inside]] + rank[inside] - 1] = False
    place = np.flatnonzero(empty)
    new_row = np.searchsorted(offset, place, side="right") - 1
    return new_row, place - offset[new_row] + 1


def _named(assessed: Assessed, topics: slice, old: Integers, new: Integers, rank: Integers) -> Strings:
    """The documents by their names; a new one is called by its rank."""
    known = assessed.documents.take(np.arange(assessed.named[topics.start], assessed.named[topics.stop])).to_list()
    names = Strings([*known, *(f"unjudged, rank {at}" for at in range(1, rank.max(initial=0) + 1))])
    which = np.empty(len(old) + len(new), np.int64)
    which[old], which[new] = np.arange(len(old)), len(old) + rank - 1
    return names.take(which)
