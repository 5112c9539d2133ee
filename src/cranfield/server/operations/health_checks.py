"""Health of a server for its operator: jobs, workers, disk space and backups."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs.job_queue import LEASE
from cranfield.server.models import Blob, Job, Submission, Worker

from . import audit_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.server.models import User

OLD = timedelta(minutes=5)  # a job that has waited longer means that nobody works
FULL = 0.95  # of a disk


@dataclass(frozen=True, kw_only=True)
class Condition:
    """The state of everything that can fail."""

    waiting: int
    oldest: timedelta | None  # how long the first job that is due has waited
    workers: Sequence[Worker]
    working: int  # seen within a lease
    failed: int
    disk_free: int
    disk_size: int
    blobs: int
    backup: datetime | None
    database: str

    @property
    def warnings(self) -> list[str]:
        """What an operator should do something about."""
        found = []
        if not self.working:
            found.append("No worker has been seen for half a minute: runs are received, but not evaluated.")
        if self.oldest is not None and self.oldest > OLD:
            found.append(f"A job has waited for {_long(self.oldest)}: more workers would help.")
        if self.failed:
            found.append(f"{self.failed} job{'s' * (self.failed > 1)} failed: see why, mend it, then try again.")
        if self.disk_free < (1 - FULL) * self.disk_size:
            found.append("The disk is nearly full: no run can be received when it is.")
        days = settings.OPTIONS.backup_days
        if self.backup is None:
            found.append("There is no backup yet: cranfield backup makes one while the server runs.")
        elif timezone.now() - self.backup > timedelta(days=days):
            found.append(f"The last backup is older than {days} days: cranfield backup makes one.")
        return found

    @property
    def waited(self) -> str:
        """How long the first job has waited, in words."""
        return _long(self.oldest) if self.oldest is not None else "nothing waits"


def _long(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{seconds // size} {word}{'s' * (seconds // size != 1)}"
    return f"{seconds} second{'s' * (seconds != 1)}"


def condition() -> Condition:
    """Look at everything."""
    now = timezone.now()
    due = Job.objects.filter(state=Job.WAITING, after__lte=now).order_by("after")
    first = due.first()
    disk = shutil.disk_usage(settings.HOME.folder)
    workers = list(Worker.objects.order_by("-seen"))
    for one in workers:
        one.gone = now - one.seen > LEASE  # type: ignore[attr-defined]
    return Condition(
        waiting=due.count(),
        oldest=now - first.after if first else None,
        workers=workers,
        working=sum(now - one.seen <= LEASE for one in workers),
        failed=Job.objects.filter(state=Job.FAILED).count(),
        disk_free=disk.free,
        disk_size=disk.total,
        blobs=Blob.objects.count(),
        backup=last_backup(),
        database={"postgresql": "PostgreSQL", "sqlite": "SQLite"}[connection.vendor],
    )


def last_backup() -> datetime | None:
    """When the newest file in the folder of backups was written."""
    folder = settings.HOME.backups
    whole = [path for path in folder.glob("[!.]*") if path.is_file()]  # one that is being written has a dot
    found = [path.stat().st_mtime for path in whole]
    return datetime.fromtimestamp(max(found), tz=UTC) if found else None


def retry(job: Job, by: User) -> None:
    """Let a failed job be tried again, from the start."""
    with audit_log.acting():
        held = Job.objects.select_for_update().get(pk=job.pk)
        if held.state != Job.FAILED:
            raise ParameterError("the job has not failed", hint="nothing was changed")
        if Job.objects.filter(key=held.key, state=Job.WAITING).exists():
            held.delete()  # the same is waiting anyway
        else:
            held.state, held.attempts, held.error, held.after = Job.WAITING, 0, "", timezone.now()
            held.finished = None
            held.save(update_fields=["state", "attempts", "error", "after", "finished"])
        if held.kind == "score":  # it is being looked at again: no reason to call it failed
            Submission.objects.filter(pk=held.about["submission"], state=Submission.FAILED).update(
                state=Submission.RECEIVED, failure=""
            )
        audit_log.record(by, "retry", task=held.task, job=held.kind, key=held.key)
