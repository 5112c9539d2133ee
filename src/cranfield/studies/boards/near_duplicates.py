"""Which runs are identical or nearly identical?"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from cranfield.core import Provenance, Study, Ties
from cranfield.data import Run, RunFile, RunFrame, find_run, find_runs, read_entries, read_run
from cranfield.measures import FIRST, check_overlap, duplicates_sentence, duplicates_table, may_overlap

DEPTH = 1000
MOST = 0.999
P = 0.98


def duplicates(
    runs: Any,
    *,
    groups: Any = None,
    against: str | None = None,
    depth: int = DEPTH,
    p: float = P,
    most: float = MOST,
    ties: Ties | str = Ties.TREC,
    command: str = "",
) -> Study:
    """Pairs of runs that are equal, or overlap by more than ``most``: of different groups, where these are known.

    Equal runs have the same first ``depth`` documents in the same order in every topic, whatever their scores. The
    others are held against each other by rank-biased overlap with ``p``, the mean over topics. ``groups`` say who made
    which run (a dict of run and group, or a table of entries); runs of one group are not compared. ``against`` looks at
    the pairs of one run alone.
    """
    check_overlap(p, most, depth)
    found = [_kept(one, depth, ties) for one in find_runs(runs)]
    first = [_read(one, min(depth, FIRST), ties) for one in found]
    names, known = [one.name for one in found], _groups(groups)
    one = None if against is None else find_run(names, [run.source.name for run in first], against)
    pairs = [
        (i, j)
        for i, j in (combinations(range(len(names)), 2) if one is None else ((one, j) for j in range(len(names))))
        if i != j and (known.get(names[i]) is None or known.get(names[i]) != known.get(names[j]))
    ]
    near = may_overlap(first, pairs, p=p, most=most)
    deep = {i: _read(found[i], depth, ties) for i in sorted({run for pair in near for run in pair})}
    made_by = Provenance(command=command, inputs=tuple(run.source.as_input() for run in first))
    table = duplicates_table(deep, near, p=p, most=most, groups=known, made_by=made_by)
    grouped = any(known.get(name) is not None for name in names)
    verdict = {
        "pairs": len(pairs),
        "alike": len(table),
        "equal": sum(bool(equal) for equal in table.cells("equal")),
        "sentence": duplicates_sentence(table, len(pairs), most=most, grouped=grouped),
    }
    return Study("duplicates", {"pairs": table}, verdict, made_by)


def _kept(run: Run | RunFile | RunFrame, depth: int, ties: Ties | str) -> Run | RunFile | RunFrame:
    """A run that can be read again: what comes from standard input is kept."""
    return read_run(run, depth=depth, ties=ties) if isinstance(run, RunFile) and str(run.path) == "-" else run


def _read(run: Run | RunFile | RunFrame, depth: int, ties: Ties | str) -> Run:
    """The first documents of a run; one that was read is in order."""
    return run.first(depth) if isinstance(run, Run) else read_run(run, depth=depth, ties=ties)


def _groups(groups: Any) -> Mapping[str, str | None]:
    """The group of each run, as a dict of run and group or a table of entries says it."""
    if groups is None:
        return {}
    if isinstance(groups, Mapping) and all(group is None or isinstance(group, str) for group in groups.values()):
        return groups
    return read_entries(groups).groups()
