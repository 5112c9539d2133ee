"""Jobs that store the current leaderboard as a snapshot and draw its pictures."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, LabelVersion, Picture, Result, Snapshot, Submission, Task
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store

from .board_documents import newest_of
from .board_inputs import gather, gather_again
from .panel_sentences import of_ranking
from .panels import Made, panels_of, pictures_of

if TYPE_CHECKING:
    from cranfield.core import Study

    from .board_inputs import Board, Shown

LATER = timedelta(minutes=1)  # by then the pictures are drawn, or somebody else should draw them
FORM = 1  # of the document; a change that breaks a reader adds one


def ask_for_board(task: Task) -> None:
    """Ask for the board of a task to be made again, in the caller's transaction."""
    job_queue.put("board", task=task, key=f"board {task.pk}", task_id=task.pk)


@job_queue.kind("board")
def board(*, task_id: int) -> None:
    """Make the snapshots that differ from the last ones."""
    task = Task.objects.get(pk=task_id)
    version = ready_version(task)
    if version is None:
        return
    kinds = [Snapshot.PUBLIC]
    scored = Submission.objects.filter(task=task, state=Submission.SCORED)
    hidden = any(run.is_hidden or run.is_anonymous for run in scored)
    if task.private or hidden or task.snapshots.filter(kind=Snapshot.FULL).exists():  # an old one would be out of date
        kinds.append(Snapshot.FULL)  # otherwise organisers see what everybody sees
    for kind in kinds:
        made = Made(gather(task, version, kind))
        snapshot = store(made)
        if snapshot is not None:
            draw_all(snapshot, made)


def ready_version(task: Task) -> LabelVersion | None:
    """The newest labels under which the runs of the board stand: not those under which they are still evaluated."""
    found = None
    for version in task.versions.order_by("-number"):
        found = version
        live = Job.objects.filter(kind="score", state__in=Job.LIVE, about__version=version.pk).values_list(
            "about", flat=True
        )
        asked = [about["submission"] for about in live]
        known = Submission.objects.filter(pk__in=asked, state=Submission.SCORED)  # under earlier labels
        if not known.exclude(results__version=version).exists():
            break
    return found


@job_queue.kind("draw")
def draw(*, snapshot: int) -> None:
    """Draw what is missing: the worker that made the snapshot did not come so far, and newer ones may be there."""
    found = Snapshot.objects.select_related("task", "version").get(pk=snapshot)
    if not found.pictures.exists():
        draw_all(found, Made(gather_again(found)))


def draw_all(snapshot: Snapshot, made: Made) -> None:
    """Keep the pictures of a snapshot: all of them, or none that the next worker would take for all."""
    drawn = list(pictures_of(made))
    with transaction.atomic():
        for panel, content, media in drawn:
            blob = blob_store.put(content)
            Picture.objects.get_or_create(snapshot=snapshot, panel=panel, defaults={"blob": blob, "media": media})


def store(making: Made, why: str = "") -> Snapshot | None:
    """Keep a board as the next snapshot; None where it is the same as the last one."""
    given = making.board
    document = to_document(making)
    content = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()
    with audit_log.acting():
        Task.objects.select_for_update(no_key=True).get(pk=given.task.pk)
        job_queue.confirm()  # an older board must never follow a newer one
        last = newest_of(given.task, given.kind)
        blob = blob_store.put(content)
        if last is not None and last.document_id == blob.digest:
            return None
        made = Snapshot.objects.create(
            task=given.task,
            version=given.version,
            kind=given.kind,
            number=last.number + 1 if last else 1,
            document=blob,
            runs=len(given.runs) + len(given.history),
            why=why or _why(given, last),
        )
        job_queue.put("draw", task=given.task, after=timezone.now() + LATER, snapshot=made.pk)
        audit_log.record(None, "board", task=given.task, kind=given.kind, number=made.number, document=blob.digest)
        return made


def _why(given: Board, last: Snapshot | None) -> str:
    """What made this board another one."""
    if last is None:
        return "the first board"
    if last.version_id != given.version.pk:
        return f"labels, version {given.version.number}"
    before = {row["run"] for row in json.loads(blob_store.read(last.document_id))["rows"]}
    now = {one.label for one in (*given.runs, *given.history)}
    came, gone = sorted(now - before), sorted(before - now)
    parts = [f"new: {', '.join(came[:3])}{' …' * (len(came) > 3)}"] * bool(came)
    parts += [f"gone: {', '.join(gone[:3])}{' …' * (len(gone) > 3)}"] * bool(gone)
    return ("; ".join(parts) or ("the task was closed" if given.task.is_closed else "rules or names"))[:200]


def to_document(making: Made) -> dict[str, Any]:
    """The board as plain values: what its pages, its downloads and the API show, and nothing that may not be shown.

    There is no clock time in it, so an equal board is an equal document.
    """
    given = making.board
    task, version = given.task, given.version
    panels, ranking = panels_of(making)
    tries = Submission.objects.filter(task=task, state__in=(Submission.SCORED, Submission.WITHDRAWN))
    counts = Counter(tries.values_list("team_id", flat=True))  # to withdraw a run does not undo the try
    return {
        "form": FORM,
        "task": {"slug": task.slug, "title": task.title, "measures": task.measures}
        | {"measure": task.measure, "test": task.test, "level": task.level},
        "kind": given.kind,
        "closed": task.is_closed,
        "version": version.number,
        "topics": {"public": len(version.public_topics), "private": len(version.private_topics)},
        "ranked_by": given.ranked_by,
        "judgments": version.judgments,
        "rows": rows_of(given, ranking, counts),
        "panels": panels,
        "sentence": of_ranking(ranking) if ranking is not None else "No run has been evaluated yet.",
        "made_by": _made_by(ranking),
    }


def _made_by(ranking: Study | None) -> dict[str, Any] | None:
    """How it was made; the files are left out, whose hashes would tell an unnamed run or private labels again."""
    if ranking is None or ranking.made_by is None:
        return None
    return {name: value for name, value in ranking.made_by.as_dict().items() if name != "inputs"}


def rows_of(given: Board, ranking: Study | None, counts: Counter[int]) -> list[dict[str, Any]]:
    """The rows of the board, best first; history, of which only a value is stated, behind."""
    shown = {one.label: one for one in (*given.runs, *given.history)}
    rows: list[dict[str, Any]] = []
    tables = ranking.tables if ranking is not None else {}
    behind = {row["run"]: row for row in tables["behind"].rows()} if "behind" in tables else {}
    answers = {row["run"]: row for row in tables["answers"].rows()} if "answers" in tables else {}
    for row in tables["ranks"].rows() if "ranks" in tables else []:
        one = shown[str(row["run"])]
        apart, told = behind.get(row["run"], {}), answers.get(row["run"], {})
        rows.append(
            _facts(one, counts)
            | {name: row[name] for name in ("rank", "rank_low", "rank_high", "letters", "low", "high", "p_first")}
            | {
                "value": row["mean"],
                "difference": apart.get("difference"),
                "p_adjusted": apart.get("p_adjusted"),
                "answered": told.get("share"),
                "unjudged": told.get("unjudged"),
                "released": _released(given, one),
            }
        )
    rest = sorted(given.history, key=lambda one: -(one.run.stated or 0))
    empty = ("rank", "rank_low", "rank_high", "letters", "low", "high", "p_first", "difference", "p_adjusted")
    rows += [
        _facts(one, counts)
        | dict.fromkeys((*empty, "answered", "unjudged", "released"))
        | {"value": one.run.stated, "badges": ["history"]}
        for one in rest
    ]
    return rows


def _facts(one: Shown, counts: Counter[int]) -> dict[str, Any]:
    run = one.run
    badges = ["baseline"] * run.baseline + ["hidden"] * run.is_hidden
    return {
        "run": one.label,
        "key": run.key,
        "group": one.team,
        "anonymous_until": run.anonymous.isoformat() if run.anonymous and not one.named else None,
        "kind": run.kind if one.named else "",
        "metadata": run.metadata if one.named else {},
        "date": run.received.date().isoformat(),
        "runs": counts[run.team_id] if one.named else None,
        "badges": badges,
    }


def _released(given: Board, one: Shown) -> float | None:
    """The one value on private topics that is told while the task is open."""
    if not given.task.tells_private:
        return None
    found = Result.objects.filter(submission=one.run, version=given.version).values_list("released", flat=True).first()
    return found
