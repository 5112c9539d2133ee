"""State-of-the-art history of a leaderboard, with a test of each step (craswell2021msmarco)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from math import isnan
from typing import Any

import numpy as np

from cranfield.core import Direction, ParameterError, Table
from cranfield.data import Entries, Entry, Values
from cranfield.stats.multiple.corrections import Holm
from cranfield.stats.pair_tests.all_pairs import places
from cranfield.stats.pair_tests.base import Asked, Pairs, PairTest, check_level
from cranfield.stats.pair_tests.closed_form import T
from cranfield.stats.pair_tests.float_ties import SUM_ERROR

SOTA = tuple("run group date mean step previous p p_adjusted significant level significant_live".split())
UNTESTED = "steps are not tested: means alone have no topics to test on"
NO_DATES = "no run has a date: the order of the table counts as time"


@dataclass(frozen=True, slots=True)
class Step:
    """A run that became the state of the art, the run that it took the place of, and the runs it was chosen from."""

    run: str
    previous: str | None  # None: there was no run and no baseline before
    submitted: tuple[str, ...]  # every run up to that date, without baselines


@dataclass(frozen=True, slots=True)
class History:
    """Entries by date, then by their order in the table, and the steps of the state of the art."""

    entries: tuple[Entry, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]


def history(entries: Entries, means: Mapping[str, float], *, lower_is_better: bool = False) -> History:
    """Walk through the days of a board.

    A step is the best run of a day that is strictly above every run and every baseline before it, and above the
    baselines of that day; of equal runs, the first in the table. So the state of the art starts with the first run
    above the baselines there were (craswell2021msmarco §1), and a baseline that comes later only raises the bar. This
    rule gives all 37 trophies that were set by hand on the two boards of MS MARCO, in whatever order their tables are.
    A baseline without a date was there from the start; a run without one is no part of time. Where no run has a date,
    the order of the table is time.
    """
    valued = {run: float(mean) for run, mean in means.items() if not isnan(mean)}
    known = [*entries, *(Entry(run) for run in means if run not in entries)]
    known = [entry for entry in known if entry.run in valued]
    days, undated, notes = _days(known)
    good = {run: -mean if lower_is_better else mean for run, mean in valued.items()}
    return History((*(entry for day in days for entry in day), *undated), tuple(_steps(days, good)), notes)


def _days(known: Sequence[Entry]) -> tuple[list[list[Entry]], list[Entry], tuple[str, ...]]:
    """The entries of each day in turn, and those that have none."""
    dated = sorted((entry for entry in known if entry.date), key=_day)  # stable: the order of the table stays
    undated = [entry for entry in known if not entry.date]
    early = [entry for entry in undated if entry.baseline]
    late = [entry for entry in undated if not entry.baseline]
    if not any(not entry.baseline for entry in dated):
        return [early + dated, *([entry] for entry in late)], [], (NO_DATES,) if late else ()
    days = [early] * bool(early) + [list(day) for _, day in groupby(dated, key=_day)]
    count = f"{len(late)} run{'s have' if len(late) > 1 else ' has'} no date"
    return days, late, (f"{count}: not in the history of the state of the art",) if late else ()


def _day(entry: Entry) -> date:
    return entry.date or date.min


def _steps(days: Sequence[Sequence[Entry]], good: Mapping[str, float]) -> Iterator[Step]:
    """The steps, given how good each run is."""
    holder: str | None = None
    submitted: list[str] = []
    for day in days:
        baselines = [entry.run for entry in day if entry.baseline]
        runs = [entry.run for entry in day if not entry.baseline]
        submitted += runs
        for group in (baselines, runs):
            best = max(group, key=good.__getitem__, default=None)  # of equal ones the first
            if best is None or (holder is not None and good[best] - good[holder] <= SUM_ERROR * abs(good[holder])):
                continue
            if group is runs:
                yield Step(best, holder, tuple(submitted))
            holder = best


def history_table(
    entries: Entries, means: Mapping[str, float], *, lower_is_better: bool = False, made_by: Any = None
) -> Table:
    """One row for each run, by date: its mean, and whether it was a baseline, a state of the art, or just a run."""
    walked = history(entries, means, lower_is_better=lower_is_better)
    steps = {step.run for step in walked.steps}
    rows = [
        {
            "run": entry.run,
            "group": entry.group,
            "date": entry.date,
            "mean": float(means[entry.run]),
            "kind": "baseline" if entry.baseline else "sota" if entry.run in steps else "run",
        }
        for entry in walked.entries
    ]
    columns = ("run", "group", "date", "mean", "kind")
    return Table.from_rows(rows, columns, caption="runs over time", made_by=made_by, notes=walked.notes)


def sota_table(
    values: Values | None,
    measure: object,
    entries: Entries,
    *,
    test: PairTest | None = None,
    asked: Asked | None = None,
    means: Mapping[str, float] | None = None,
    lower_is_better: bool = False,
    made_by: Any = None,
) -> Table:
    """One row for each step of the state of the art, tested against the run it took the place of.

    The winner of a step was chosen for being the best: where many runs come at once, its own p is far too small. In
    hindsight, the family of a step are the tests of all runs submitted up to its date against the run to be beaten, and
    ``p_adjusted`` is Holm's in this family. For a single step, the chance to call a run better than the one to be
    beaten when none of those submitted differs from it is at most the level, whichever was picked and however they
    depend on each other. It is no promise for a whole history, and it needs the number of submissions, which is known
    only afterwards. A live board decides step by step: it spends level / (t (t + 1)), the column ``level``, on the raw
    p of its t-th step. These sum to the level over any number of steps, but do not pay for submissions that failed in
    between. A step is significant only in its own direction: a test by ranks may favour the run with the smaller mean.

    ``step`` is the mean less that of ``previous``, the topics of both are tested. Without ``values``, ``means`` give
    the steps, and nothing can be tested.
    """
    asked = asked or Asked()
    check_level(asked.level)
    test = test or T()
    if test.joint or test.equivalence:
        raise ParameterError(f"{test} cannot test a step", hint="choose a test of pairs for a difference, such as t")
    if values is not None:
        place = values.index(measure)
        means = dict(zip(values.runs, values.aggregate()[:, place].tolist(), strict=True))
        lower_is_better = values.measures[place].direction is Direction.LOWER
    if means is None:
        raise ParameterError("there are neither values nor means", hint="give one of them")
    walked = history(entries, means, lower_is_better=lower_is_better)
    rows = []
    for t, step in enumerate(walked.steps, start=1):
        spent = asked.level / (t * (t + 1))
        row = _row(entries.of(step.run), means, step) | {"level": spent}
        if values is not None and step.previous is not None:
            p, adjusted, ahead = _tested(values, measure, step, test, asked, lower_is_better=lower_is_better)
            row |= {"p": p, "p_adjusted": adjusted}
            if not isnan(p):
                row |= {"significant": ahead and adjusted <= asked.level, "significant_live": ahead and p <= spent}
        rows.append(row)
        if asked.progress:
            asked.progress(t, len(walked.steps))
    tested = f"{test}, Holm over all runs submitted up to each step" if values is not None else "not tested"
    notes = (*walked.notes, *([UNTESTED] if values is None and rows else []))
    return Table.from_rows(rows, SOTA, caption=f"steps of the state of the art; {tested}", made_by=made_by, notes=notes)


def _row(entry: Entry, means: Mapping[str, float], step: Step) -> dict[str, Any]:
    mean = float(means[step.run])
    told: dict[str, Any] = dict.fromkeys(SOTA)
    told |= {"run": step.run, "group": entry.group, "date": entry.date, "mean": mean, "previous": step.previous}
    if step.previous is not None:
        told["step"] = mean - float(means[step.previous])
    return told


def _tested(
    values: Values, measure: object, step: Step, test: PairTest, asked: Asked, *, lower_is_better: bool
) -> tuple[float, float, bool]:
    """The p of a step alone and in its family, and whether the test, too, sees the new run ahead."""
    quiet = replace(asked, intervals=False, progress=None)
    family = [run for run in step.submitted if run != step.previous]
    before = values.run_index(str(step.previous))
    matrix = values.matrix(measure)
    chosen = [(before, values.run_index(run)) for run in family]
    pairs = Pairs.given(matrix, chosen, places(values, measure, matrix))
    p = test.compare(pairs, quiet).p
    this = family.index(step.run)
    own = replace(pairs, a=pairs.a[[this]], b=pairs.b[[this]])
    ahead = replace(test, alternative="less" if lower_is_better else "greater").compare(own, quiet).p
    return float(p[this]), float(Holm().adjust(p)[this]), bool(ahead[0] <= 0.5)


def sota_sentence(table: Table) -> str:
    """Return the number of steps of the state of the art, its last run, and how many steps are significant."""
    rows = table.rows()
    if not rows:
        return "No run is above the baselines."
    first, last = rows[0], rows[-1]
    count = "1 step" if len(rows) == 1 else f"{len(rows):,} steps"
    when = f" from {first['date']} to {last['date']}" if first["date"] and first is not last else ""
    sentence = (
        f"The state of the art changed in {count}{when}, the last one to {last['run']} (mean {last['mean']:.4g})."
    )
    tested = [row for row in rows if row["significant"] is not None]
    if not tested:
        return f"{sentence} No step could be tested."
    sure, live = (sum(bool(row[name]) for row in tested) for name in ("significant", "significant_live"))
    how = table.caption.partition("; ")[2]
    if len(tested) == 1:
        return f"{sentence} The step that could be tested is {'' if sure else 'not '}significant ({how})."
    counts = f"{sure:,} of {len(tested):,} tested steps are significant ({how})"
    return f"{sentence} {counts}, and {live:,} at the stricter levels of a live leaderboard."


def groups_table(
    entries: Entries, means: Mapping[str, float], *, lower_is_better: bool = False, made_by: Any = None
) -> Table:
    """One row for each group, the busiest first: its runs, from when to when, its best, and its busiest month.

    Baselines are no submissions. ``per_month`` is the largest number of runs in one month of the calendar: boards limit
    that, to keep groups from trying until they are lucky (craswell2021msmarco §3.3).
    """
    there = [entries.of(run) for run in means]
    of: dict[str, list[Entry]] = {}
    for entry in (*(e for e in entries if e.run in means), *(e for e in there if e.run not in entries)):
        if entry.group is not None and not entry.baseline:
            of.setdefault(entry.group, []).append(entry)
    rows = [_group(group, members, means, lower_is_better=lower_is_better) for group, members in of.items()]
    rows.sort(key=lambda row: -row["runs"])
    columns = ("group", "runs", "first", "last", "best_run", "best", "per_month")
    alone = sum(entry.group is None and not entry.baseline for entry in there)
    notes = (f"{alone} run{'s have' if alone > 1 else ' has'} no group",) if alone else ()
    return Table.from_rows(rows, columns, caption="runs of each group", made_by=made_by, notes=notes)


def _group(
    group: str, members: Sequence[Entry], means: Mapping[str, float], *, lower_is_better: bool
) -> dict[str, Any]:
    days = sorted(entry.date for entry in members if entry.date)
    months = np.unique([day.year * 12 + day.month for day in days], return_counts=True)[1]
    valued = [entry.run for entry in members if not isnan(means[entry.run])]
    best = max(valued, key=lambda run: means[run] * (-1 if lower_is_better else 1), default=None)
    return {
        "group": group,
        "runs": len(members),
        "first": days[0] if days else None,
        "last": days[-1] if days else None,
        "best_run": best,
        "best": None if best is None else float(means[best]),
        "per_month": int(months.max()) if len(months) else None,
    }
