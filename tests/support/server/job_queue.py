"""Steps of the job queue: take a job, make it due, let its lease expire."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from cranfield.server.jobs import job_queue
from cranfield.server.models import Job


def only() -> Job:
    return Job.objects.get(kind="errand")


def due_now() -> None:
    Job.objects.filter(state=Job.WAITING).update(after=timezone.now())


def let_the_lease_run_out() -> None:
    Job.objects.filter(state=Job.RUNNING).update(lease=timezone.now() - timedelta(seconds=1))


def take_one(worker: str) -> Job:
    job = job_queue.take(worker)
    assert job is not None
    return job
