"""Check a run file, enforce the task's limits, store the submission, and withdraw it on request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from cranfield.core import CranfieldError, InputError
from cranfield.data import Limits, header_of, read_metadata, run_type
from cranfield.server.accounts.visibility import Viewer
from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.jobs import job_queue
from cranfield.server.models import Participant, Submission, Task, Team, User
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.server.tasks.topic_texts import texts_of
from cranfield.studies import lint

if TYPE_CHECKING:
    from os import PathLike

    from cranfield.data import Problems
    from cranfield.server.site.uploads import Arrived

NAME = re.compile(r"[\w][\w.+@ ()=:,-]{0,99}")


class Refused(CranfieldError):
    """A submission that is not taken, and why; ``code`` says which rule."""

    def __init__(self, problem: str, *, hint: str = "", code: str) -> None:
        super().__init__(problem, hint=hint)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A file that was looked at: what is wrong with it, and what it says of itself."""

    problems: list[dict[str, Any]]  # rows as `cranfield lint` gives them
    metadata: dict[str, Any] = field(default_factory=dict)
    kind: str = ""

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What keeps it from being taken."""
        return [row for row in self.problems if row["severity"] == "error"]

    @property
    def good(self) -> bool:
        """Whether it may be handed in."""
        return not self.errors


def limits() -> Limits:
    """How much a stranger's file may hold."""
    return Limits(bytes=settings.OPTIONS.unpacked_mb << 20)


def check(task: Task, path: str, name: str) -> Checked:
    """Look at a file as ``cranfield lint`` does: the same codes, the same words."""
    version = task.version
    names: dict[str | PathLike[str], str] = {path: PurePath(name).name or "run"}
    if version is not None:
        judged = blob_store.path_of(version.qrels_id)
        told = lint([path], qrels=judged, limits=limits(), names=names)
        own = [row for row in told["problems"].rows() if row["file"] != str(judged)]
    elif texts := texts_of(task):  # nobody has judged yet: runs are what a pool is made from
        own = lint([path], topics=texts, limits=limits(), names=names)["problems"].rows()
    else:
        raise Refused("the task has no judgments yet", hint="wait until it is open", code="E-CLOSED")
    problems = [{**row, "file": PurePath(name).name or "run"} for row in own]
    checked = Checked(problems=problems)
    if not checked.good:
        return checked
    try:
        metadata: dict[str, Any] = _storable(dict(read_metadata(header_of(path, limits()), name=PurePath(name).name)))
    except InputError as error:  # it says that it has ir_metadata, and has something else
        return Checked(problems=[*problems, problem_row(error, PurePath(name).name)])
    return Checked(problems=problems, metadata=metadata, kind=run_type(metadata))


def problem_row(error: InputError, file: str) -> dict[str, Any]:
    """An error as a row of ``cranfield lint``."""
    said = error.problem.removeprefix(f"{file}:{error.line}: ").removeprefix(f"{file}: ")
    told = {"file": file, "line": error.line or 0, "code": error.code or "E-FORMAT", "severity": "error"}
    return told | {"message": said, "hint": error.hint}


def problem_rows(problems: Problems) -> list[dict[str, Any]]:
    """The problems of a file as rows of ``cranfield lint``."""
    names = ("file", "line", "code", "severity", "message", "hint")
    return [{name: getattr(one, name) for name in names} for one in problems.kept]


def _storable(value: Any) -> Any:
    """What both databases and every page can hold: YAML may spell half of a surrogate pair, or NUL."""
    if isinstance(value, Mapping):
        return {_storable(key): _storable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(one) for one in value]
    return value.encode("utf-8", "replace").decode().replace("\0", "?") if isinstance(value, str) else value


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a team may still hand in."""

    now: int
    """Submissions that are left today."""
    of: int
    days: int
    next: datetime | None
    """When there is one more, where none is left."""
    total: int
    """Submissions so far."""
    most: int


def left(task: Task, team: Team) -> Left:
    """How many submissions a team has left, by what it handed in within the window. Withdrawn ones count."""
    since = timezone.now() - timedelta(days=task.days)
    made = Submission.objects.filter(task=task, team=team, blob__isnull=False)
    recent = list(made.filter(received__gt=since).order_by("received").values_list("received", flat=True))
    total = made.count()
    now = max(0, min(task.limit - len(recent), task.most - total))
    coming = None
    if not now and total < task.most and recent and task.limit:
        coming = recent[max(0, len(recent) - task.limit)] + timedelta(days=task.days)
    return Left(now=now, of=task.limit, days=task.days, next=coming, total=total, most=task.most)


def receive(
    task: Task,
    team: Team,
    by: User,
    file: Arrived,
    *,
    name: str,
    description: str = "",
    kind: str = "",
    link: str = "",
    embargo: date | None = None,
    anonymous: date | None = None,
    baseline: bool = False,
    exempt: bool = False,
) -> Submission:
    """Take a run. When this returns, its bytes and its row are on the disk; whatever dies after that, it is scored.

    Raises :class:`Refused` where a rule is against it, and :class:`BadRun` where the file is.
    """
    if not NAME.fullmatch(name):
        raise Refused(
            f"the run cannot be called {name!r}",
            hint="letters, digits and . _ - + @ ( ) = : , up to 100",
            code="E-NAMES",
        )
    _check_dates(task, embargo, anonymous)
    checked = check(task, file.path, file.name or "run")
    if not checked.good:
        raise BadRun(checked)
    with audit_log.acting():
        fresh = _check_rules(task, team, exempt=exempt)
        blob = file.arriving.keep()
        try:
            with transaction.atomic():
                made = Submission.objects.create(
                    task=fresh,
                    team=team,
                    by=by,
                    name=name,
                    blob=blob,
                    file_name=PurePath(file.name or "").name[:200],
                    description=description,
                    kind=kind or checked.kind,
                    link=link,
                    metadata=checked.metadata,
                    embargo=embargo,
                    anonymous=anonymous,
                    baseline=baseline,
                    problems=checked.problems,
                )
        except IntegrityError:
            raise Refused(f"there is a run called {name} already", hint="choose another name", code="E-NAMES") from None
        if (version := fresh.version) is not None:  # else it waits for the first labels
            job_queue.put("score", task=fresh, urgency=5, submission=made.pk, version=version.pk)
        audit_log.record(by, "submit", task=fresh, run=made.key, name=name, team=team.slug, digest=blob.digest)
    return made


def _check_rules(task: Task, team: Team, *, exempt: bool) -> Task:
    """The task as it is now, if the team may hand in a run; locked, so that many at once are not more than the limit.

    For who is ``exempt``, neither dates nor limits count.
    """
    part = Participant.objects.select_for_update(no_key=True).filter(task=task, team=team).first()
    fresh = Task.objects.get(pk=task.pk)
    if part is None or part.blocked:
        raise Refused("your team takes no part in this task", hint="ask its organisers", code="E-TEAM")
    if exempt:
        return fresh
    if not fresh.is_open:
        raise Refused("the task takes no submissions now", hint="see its dates", code="E-CLOSED")
    allowed = left(fresh, team)
    if not allowed.now:
        when = "no more are possible"
        if allowed.next:
            when = f"the next one is possible from {allowed.next:%Y-%m-%d %H:%M} UTC"
        said = f"your team has used its {allowed.of} submissions in {allowed.days} days"
        raise Refused(said, hint=f"{when}; a dry run uses none", code="E-LIMIT")
    return fresh


class BadRun(CranfieldError):
    """A file with errors: they are told with their lines, and nothing was taken."""

    def __init__(self, checked: Checked) -> None:
        first = checked.errors[0]
        super().__init__(first["message"], hint=first["hint"])
        self.checked = checked


def _check_dates(task: Task, embargo: date | None, anonymous: date | None) -> None:
    today = timezone.now().date()
    for what, day, most in (("hidden", embargo, task.embargo_days), ("anonymous", anonymous, task.anonymous_days)):
        if day is None:
            continue
        if not today < day <= today + timedelta(days=most):
            hint = f"choose a day after today, at most {most} days away" if most else "this task does not allow it"
            raise Refused(f"a run cannot be {what} until {day}", hint=hint, code="E-DATE")


def may_withdraw(run: Submission, by: User) -> bool:
    """Whether they may take the run off the board: its team while the task is open, its organisers at any time."""
    return not run.task.is_closed or Viewer.of(by).organises(run.task)


def withdraw(run: Submission, by: User) -> None:
    """Take a run off the board. It still counts against the limit, and its row stays.

    A team cannot take back a run that did badly on the private topics: once the task is closed, its board stands.
    """
    with audit_log.acting():
        now = Submission.objects.select_for_update(no_key=True).get(pk=run.pk)
        if now.state == Submission.WITHDRAWN:
            return
        if not may_withdraw(now, by):
            raise Refused("the task is closed, and its board stands", hint="ask its organisers", code="E-CLOSED")
        now.state, now.withdrawn = Submission.WITHDRAWN, timezone.now()
        now.save(update_fields=["state", "withdrawn"])
        audit_log.record(by, "withdraw", task=now.task, run=now.key, name=now.name)
        ask_for_board(now.task)
