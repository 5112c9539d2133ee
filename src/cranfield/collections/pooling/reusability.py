"""Reusability of a collection: unique relevant documents per group, and unjudged documents per run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import NOBODY, Assessed, Entries
from cranfield.measures import Measure
from cranfield.stats import good_values, kendall_tau, ranks_of

from .candidates import Candidates
from .partial_judgments import Groups, JudgedRuns, count_unjudged, sums_of

REUSE = ("group", "runs", "unique", "share", "difference", "largest", "moved", "tau")
FIRST = (5, 10, 20, 50, 100)


def reuse_table(
    candidates: Candidates,
    assessed: Assessed,
    groups: Groups,
    *,
    measure: str | Measure = "AP",
    rel: float = 1,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each group: what it alone brought into the pool, and what its runs lose where nobody judged that.

    ``unique`` relevant documents are in the pool by this group's runs alone, a ``share`` of all that the pool holds.
    All judgments of documents that it alone has there are taken away (zobel1998): ``difference`` is the mean change of
    its runs' values, ``largest`` the one farthest from 0, ``moved`` the most ranks that one of its runs goes up or
    down, and ``tau`` holds the order of all runs against that under all judgments. Who has most comes first.
    """
    if len(groups) < 2:
        raise ParameterError("nobody is left when a group is left out", hint="give runs of two groups or more")
    runs = JudgedRuns.by(measure, assessed)
    place, alone = runs.places(candidates), _alone(candidates, assessed.runs, groups)
    relevant = runs.grades(candidates) >= rel
    good, value = good_values(runs.whole), sums_of(runs.whole)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(groups.names):
        grade = assessed.grade.copy()
        grade[place[(alone == number) & (place >= 0)]] = NOBODY
        without, members = runs.values(grade), groups.runs(number)
        change = (sums_of(without) - value)[members]
        moved = np.abs(ranks_of(good_values(without)) - ranks_of(good))[members]
        unique = int((relevant & (alone == number)).sum())
        known = not np.isnan([good, good_values(without)]).any()
        rows.append(
            {
                "group": name,
                "runs": len(members),
                "unique": unique,
                "share": unique / int(relevant.sum()) if relevant.any() else None,
                "difference": float(change.mean()),
                "largest": float(change[np.abs(np.nan_to_num(change)).argmax()]),
                "moved": int(moved.max()) if known else None,
                "tau": float(kendall_tau(good_values(without), good)) if known else None,
            }
        )
    rows.sort(key=lambda row: -row["unique"])
    what = f"the pool to depth {candidates.depth} without what one group alone brought into it"
    return Table.from_rows(rows, REUSE, caption=f"{runs.measure} under {what}", made_by=made_by)


def unjudged_table(
    assessed: Assessed,
    *,
    first: Sequence[int] = FIRST,
    topics: NDArray[np.int64] | None = None,
    entries: Entries | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each run and cut-off k: how many of its first k documents nobody judged, over all judged topics.

    ``share`` is of the documents that the run has there. ``topics`` are the places of those that count, if not all do.
    """
    if not len(first) or min(first) < 1:
        raise ParameterError("a cut-off is one document or more", hint="for example: 5, 10, 20")
    found = np.array([count_unjudged(assessed, assessed.grade, k, topics) for k in first])  # (cut-off, 2, run)
    free, seen = (found[:, i].T.reshape(-1) for i in (0, 1))
    group = [entries.of(run).group if entries else None for run in assessed.runs]
    columns: dict[str, Any] = {
        "run": [run for run in assessed.runs for _ in first],
        "group": [name for name in group for _ in first],
        "k": list(first) * len(assessed.runs),
        "unjudged": free,
        "share": np.divide(free, seen, out=np.full(len(seen), np.nan), where=seen > 0),
    }
    return Table(columns, "documents that nobody judged among the first k", made_by)


def _alone(candidates: Candidates, runs: Sequence[str], groups: Groups) -> NDArray[np.int64]:
    """(document,): the group that alone has it, −1 where several do, or a run of which nobody knows."""
    if not len(candidates):
        return np.zeros(0, np.int64)
    known = dict(zip(runs, groups.of, strict=True))
    strangers = len(groups) + np.arange(len(candidates.runs))  # runs that are not measured: each of them by itself
    group = np.array([known.get(run, strangers[i]) for i, run in enumerate(candidates.runs)])[candidates.run]
    lowest, highest = (least.reduceat(group, candidates.held[:-1]) for least in (np.minimum, np.maximum))
    return np.where((lowest == highest) & (lowest < len(groups)), lowest, -1)
