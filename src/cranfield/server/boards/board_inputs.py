"""Collect the runs, displayed names and values from which a leaderboard is made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from cranfield.data import Entries, Entry, Source
from cranfield.server.models import Result, Snapshot, Submission
from cranfield.server.site import blob_store
from cranfield.server.submissions.stored_evaluation import evaluate_stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cranfield.data import Values
    from cranfield.server.models import LabelVersion, Task


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A run as a board shows it: its label stands for it in every table, whoever made it."""

    label: str
    team: str | None
    run: Submission
    named: bool

    @property
    def entry(self) -> Entry:
        """What studies are told of it."""
        return Entry(
            self.label,
            self.team,
            self.run.received.date(),
            baseline=self.run.baseline,
            description=self.run.description if self.named else "",
            value=self.run.stated,
        )


@dataclass(frozen=True, kw_only=True)
class Board:
    """What a board is made from."""

    task: Task
    version: LabelVersion
    kind: str
    runs: Sequence[Shown]  # those with a file
    history: Sequence[Shown]  # those of which only a value is stated
    values: Values | None  # over all judged topics; None where no run has a file

    @property
    def entries(self) -> Entries:
        """Who submitted what when."""
        return Entries(tuple(one.entry for one in self.runs), Source("submissions", "", "headers"))

    @property
    def qrels(self) -> Path:
        """The judgments."""
        return blob_store.path_of(self.version.qrels_id)

    @property
    def files(self) -> dict[str, Path]:
        """The runs, by label."""
        return {one.label: blob_store.path_of(str(one.run.blob_id)) for one in self.runs}

    @property
    def tells_all(self) -> bool:
        """Whether private topics may be told: once the task is closed, and to organisers."""
        return self.task.is_closed or self.kind == Snapshot.FULL

    @cached_property
    def seen(self) -> Values | None:
        """The values on all topics that may be told."""
        if self.values is None or self.tells_all or not self.version.private_topics:
            return self.values
        return self.values.only(self.version.public_topics)

    @cached_property
    def ranked(self) -> Values | None:
        """The values it goes by: public topics while it is open, then private ones, to which nobody could tune."""
        if self.values is None or not self.version.private_topics:
            return self.values
        return self.values.only(getattr(self.version, f"{self.ranked_by}_topics"))

    @property
    def ranked_by(self) -> str:
        """Which topics those are."""
        if len(self.version.private_topics) < 2:
            return "public" if self.version.private_topics else "all"
        return "private" if self.task.is_closed else "public"


def runs_on(task: Task, kind: str) -> list[Shown]:
    """The runs of a board, in the order in which they came. Failed and withdrawn ones are never on it."""
    found = (
        Submission.objects.filter(task=task, state=Submission.SCORED).select_related("team").order_by("received", "id")
    )
    shown: list[Shown] = []
    taken = {run.name.casefold() for run in found}  # somebody may have called a run so
    free = (label for number in count(1) if (label := f"anonymous {number}") not in taken)
    for run in found:
        if kind == Snapshot.PUBLIC and run.is_hidden:
            continue
        named = kind == Snapshot.FULL or not run.is_anonymous
        label = run.name if named else next(free)
        shown.append(Shown(label=label, team=run.team.name if named else None, run=run, named=named))
    return shown


def gather(task: Task, version: LabelVersion, kind: str) -> Board:
    """Everything a board needs, evaluated from the runs themselves."""
    return _evaluated(task, version, kind, runs_on(task, kind))


def gather_again(snapshot: Snapshot) -> Board:
    """A board as it stood: the runs, names and rules that its document tells, whatever has changed since."""
    told = json.loads(blob_store.read(snapshot.document_id))
    task, rows = snapshot.task, {row["key"]: row for row in told["rows"]}
    task.state = task.CLOSED if told["closed"] else task.OPEN
    for name in ("measures", "test", "level"):
        setattr(task, name, told["task"][name])
    shown = []
    for run in task.submissions.filter(key__in=rows).select_related("team").order_by("received", "id"):
        row = rows[run.key]
        if run.blob_id:  # the badge of history hides the other one
            run.baseline = "baseline" in row["badges"]
        shown.append(Shown(label=row["run"], team=row["group"], run=run, named=row["group"] is not None))
    return _evaluated(task, snapshot.version, snapshot.kind, shown)


def _evaluated(task: Task, version: LabelVersion, kind: str, shown: Sequence[Shown]) -> Board:
    ready = set(Result.objects.filter(version=version).values_list("submission_id", flat=True))
    runs = [one for one in shown if one.run.blob_id and one.run.pk in ready]
    history = [one for one in shown if not one.run.blob_id]
    files = {one.label: one.run.blob_id for one in runs}
    values = evaluate_stored(version.qrels_id, files, task.measures, scale="ignore") if files else None
    return Board(task=task, version=version, kind=kind, runs=runs, history=history, values=values)
