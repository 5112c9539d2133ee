"""Jobs that are due by date: close tasks, end embargoes, requeue lost work and clean up."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

from cranfield.server.api import webhooks
from cranfield.server.boards import snapshots
from cranfield.server.judging.llm import judges
from cranfield.server.models import Job, Snapshot, Submission, Task, Try, Worker
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.server.submissions import evaluation, near_duplicates
from cranfield.server.tasks import corpora, label_change_report

from . import job_queue

# These modules declare the other kinds of jobs. A worker imports this module, and so knows all kinds.
DECLARING = (webhooks, snapshots, judges, evaluation, near_duplicates, corpora, label_change_report)
TIDY = "tidy"
EVERY = timedelta(minutes=1)
KEPT = timedelta(days=30)  # jobs that are done
STILL = 3600.0  # seconds without a byte, after which a file on its way in is not coming any more


@job_queue.kind("close")
def close(*, task_id: int, by: str = "the server") -> None:
    """Close a task whose time has come: what was private may now be told."""
    with audit_log.acting():
        task = Task.objects.select_for_update(no_key=True).get(pk=task_id)
        if task.state != Task.OPEN or (by == "the server" and (not task.closes or task.closes > timezone.now())):
            return
        task.state, task.closed = Task.CLOSED, timezone.now()
        task.save(update_fields=["state", "closed"])
        audit_log.record(by, "close", task=task)
        snapshots.ask_for_board(task)
        webhooks.tell("closed", task)


@job_queue.kind(TIDY)
def tidy() -> None:
    """What is done once in a while: close what is due, reveal what is due, find what was left, forget what is over."""
    now = timezone.now()
    for task in Task.objects.filter(state=Task.OPEN, closes__lte=now):
        close(task_id=task.pk)
    for task in Task.objects.all():
        if reveal_is_due(task):
            snapshots.ask_for_board(task)
    rescue()
    Try.objects.filter(at__lt=now - timedelta(days=1)).delete()
    Worker.objects.filter(seen__lt=now - timedelta(days=1)).delete()
    Job.objects.filter(state=Job.DONE, finished__lt=now - KEPT).delete()
    Job.objects.filter(kind=TIDY, state=Job.DONE).delete()
    blob_store.sweep(older=STILL)
    job_queue.put(TIDY, key=TIDY, after=next_tidy())


def ask_to_tidy() -> None:
    """See to it that somebody tidies; all workers ask, and it is done once."""
    if Job.objects.filter(kind=TIDY, state__in=Job.LIVE).exists():
        return
    failed = Job.objects.filter(kind=TIDY, state=Job.FAILED).order_by("-id").values_list("pk", flat=True)
    Job.objects.filter(pk__in=list(failed)[1:]).delete()  # one is enough to know of
    job_queue.put(TIDY, key=TIDY)


def next_tidy() -> datetime:
    """When tidying is due again: in a minute, or just after midnight, when embargoes end."""
    now = timezone.now()
    return min(now + EVERY, _midnight(now.date() + timedelta(days=1)) + timedelta(seconds=5))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def reveal_is_due(task: Task) -> bool:
    """Whether a run may be shown or named since a day that came after the last board, however long ago that was."""
    today = timezone.now().date()
    shown = Submission.objects.filter(task=task, state=Submission.SCORED)
    days = [
        day
        for field in ("embargo", "anonymous")
        for day in shown.filter(**{f"{field}__lte": today}).order_by(f"-{field}").values_list(field, flat=True)[:1]
    ]
    if not days:
        return False
    since = _midnight(max(days))
    made = Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC, made__gte=since)
    # A board that is the same as before leaves no snapshot, only its job.
    tried = Job.objects.filter(kind="board", about__task_id=task.pk, started__gte=since)
    return not (made.exists() or tried.exists())


def rescue() -> int:
    """Ask for every run to be evaluated that is received and has no job; how many there are. There should be none."""
    jobs_of = Job.objects.filter(kind="score", state__in=Job.LIVE).values_list("about", flat=True)
    asked = {about["submission"] for about in jobs_of}
    found = 0
    for run in Submission.objects.filter(state=Submission.RECEIVED, blob__isnull=False).select_related("task"):
        version = run.task.version
        if run.pk in asked or version is None:
            continue
        job_queue.put("score", task=run.task, urgency=5, submission=run.pk, version=version.pk)
        found += 1
    return found
