"""Import past results from a table as leaderboard rows that have a value but no run."""

from __future__ import annotations

import csv
import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.core import InputError
from cranfield.data import read_entries
from cranfield.server.accounts.teams import slug_for
from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.models import Submission, Task, Team
from cranfield.server.operations import audit_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cranfield.server.models import User

LONG = 100  # letters of a name
MOST = 5000  # rows
LARGE = 16 << 20  # bytes
HINTS = {"E-NULL": "choose another column", "E-EMPTY": "each line below the first is a run"}  # where there is a page
NOBODY = "unknown"  # the team of a row that names none


@dataclass(frozen=True, kw_only=True)
class Row:
    """A submission of the past: who, when, and what its board gave it."""

    name: str
    team: str
    date: date
    value: float
    description: str = ""
    baseline: bool = False


@dataclass(frozen=True, kw_only=True)
class History:
    """What a table holds, and what of it is left out."""

    rows: list[Row]
    undated: int = 0
    without_value: int = 0
    known: int = 0  # their names are on the board already


@contextmanager
def _as_csv(path: str) -> Iterator[Path]:
    """The file under a name that says what it is."""
    named = Path(f"{path}.csv")
    os.link(path, named)
    try:
        yield named
    finally:
        named.unlink(missing_ok=True)


def columns_of(path: str) -> list[str]:
    """The columns of a table, as its first line names them."""
    if Path(path).stat().st_size > LARGE:
        raise InputError(f"the table is larger than {LARGE >> 20} MB", hint="keep the columns you need", code="E-LARGE")
    if b"\0" in Path(path).read_bytes():  # a name with one could not be kept
        hint = "is this a text file, or a packed one?"
        raise InputError("the table holds a NUL byte", hint=hint, code="E-NUL")
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        found = [cell.strip() for cell in next(csv.reader([file.readline(1 << 16)]), [])]
    if len(found) < 2:
        hint = "its first line names the columns: name, team, date, value"
        raise InputError("this is no table with commas between its columns", hint=hint, code="E-COLUMNS")
    return found


def read_history(path: str, *, value: str, columns: Mapping[str, str], task: Task | None = None) -> History:
    """The rows of a table; ``columns`` say which of them holds the run, the team (group), the date, the baseline."""
    with _as_csv(path) as named:
        try:
            entries = read_entries(named, columns=columns, value=value, repeated="number")
        except InputError as error:
            where = f"{named}:{error.line}: " if error.line else f"{named}: "
            said = error.problem.removeprefix(where).replace(str(named), "the table")
            said = f"line {error.line} of the table: {said}" if error.line else said
            hint = HINTS.get(error.code or "", error.hint)
            raise InputError(said, hint=hint, code=error.code, line=error.line) from None
    if len(entries) > MOST:
        raise InputError(f"the table has {len(entries):,} rows", hint=f"at most {MOST:,} can be taken", code="E-LARGE")
    taken = _taken(task) if task is not None else set()
    rows, seen, known = [], set[str](), 0
    for entry in entries:
        if entry.date is None or entry.value is None:
            continue
        name = _new(_clip(entry.run), seen)
        if name.casefold() in taken:
            known += 1
            continue
        rows.append(
            Row(
                name=name,
                team=_clip(entry.group or NOBODY),
                date=entry.date,
                value=entry.value,
                description=entry.description[:4000],
                baseline=entry.baseline,
            )
        )
    undated = sum(entry.date is None for entry in entries)
    without = sum(entry.value is None and entry.date is not None for entry in entries)
    return History(rows=rows, undated=undated, without_value=without, known=known)


def _taken(task: Task) -> set[str]:
    """The names that no row may have: history that was taken off the board may come again, perhaps mended."""
    there = Submission.objects.filter(task=task).exclude(blob=None, state=Submission.WITHDRAWN)
    return {name.casefold() for name in there.values_list("name", flat=True)}


def _clip(text: str) -> str:
    return text if len(text) <= LONG else text[: LONG - 1].rstrip() + "…"


def _new(name: str, seen: set[str]) -> str:
    """The name, or one like it that is not there yet in any case of letters."""
    found, number = name, 2
    while found.casefold() in seen:
        ending = f" ({number})"
        found, number = name[: LONG - len(ending)] + ending, number + 1
    seen.add(found.casefold())
    return found


def import_history(task: Task, by: User, history: History, *, name: str = "") -> int:
    """Put history on the board of a task; how many rows. Teams that are not known are made, without people."""
    with audit_log.acting():
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        taken = _taken(task)  # by now
        rows = [row for row in history.rows if row.name.casefold() not in taken]
        off = {run.name.casefold(): run.pk for run in task.submissions.filter(blob=None, state=Submission.WITHDRAWN)}
        teams = {team.name.casefold(): team for team in Team.objects.all()}
        for row in rows:
            if row.team.casefold() not in teams:
                teams[row.team.casefold()] = Team.objects.create(name=row.team, slug=slug_for(row.team))
            told = {"team": teams[row.team.casefold()], "by": by, "name": row.name, "state": Submission.SCORED}
            told |= {"received": datetime.combine(row.date, time(), tzinfo=UTC), "description": row.description}
            told |= {"baseline": row.baseline, "stated": row.value}
            again = off.get(row.name.casefold())
            if again is None:
                Submission.objects.create(task=task, **told)
            else:
                Submission.objects.filter(pk=again).update(**told)
        audit_log.record(by, "import", task=task, rows=len(rows), file=name[:200])
        ask_for_board(task)
    return len(rows)


def forget_history(task: Task, by: User) -> int:
    """Take everything that was imported off the board; how many rows. They stay in the database, withdrawn."""
    with audit_log.acting():
        rows = Submission.objects.filter(task=task, blob__isnull=True, state=Submission.SCORED)
        count = rows.update(state=Submission.WITHDRAWN)
        if count:
            audit_log.record(by, "import withdrawn", task=task, rows=count)
            ask_for_board(task)
    return count
