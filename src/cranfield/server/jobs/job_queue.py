"""Job queue in the database: leases, retries and recovery from workers that die."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import Error, IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from cranfield.core import CranfieldError
from cranfield.server.models import Job, Worker
from cranfield.server.site.system_errors import machine_fault

if TYPE_CHECKING:
    from datetime import datetime

    from cranfield.server.models import Task

LEASE = timedelta(seconds=float(os.environ.get("CRANFIELD_LEASE") or 30))
BEAT = LEASE.total_seconds() / 6  # seconds between two signs of life
MOST = 3  # times that a job may fail
DEATHS = 6  # times that it is begun at all: a worker may die without the job being to blame
AWAY = LEASE / 3  # how long a job waits when the machine is to blame, which never counts
ANY = -(2**15)  # below every urgency
LOOK = 60.0  # seconds between two looks at whether tidying is asked for
log = logging.getLogger(__name__)

Work = Callable[..., None]
KINDS: dict[str, Work] = {}
FAILED: dict[str, Work] = {}
_in_hand: ContextVar[Job | None] = ContextVar("_in_hand", default=None)


class Lost(CranfieldError):
    """The job in hand has been taken over by another worker: whatever was not written yet is not to be written."""


def kind(name: str) -> Callable[[Work], Work]:
    """Say which function does jobs of this kind.

    It is told what the job is about, by name, and may be called again: what it writes, it writes in one transaction
    that does nothing the second time.
    """

    def listed(work: Work) -> Work:
        KINDS[name] = work
        return work

    return listed


def if_failed(name: str) -> Callable[[Work], Work]:
    """Say what is done when a job of this kind is given up, in the same transaction."""

    def listed(work: Work) -> Work:
        FAILED[name] = work
        return work

    return listed


def put(
    name: str, *, task: Task | None = None, after: datetime | None = None, urgency: int = 0, key: str = "", **about: Any
) -> None:
    """Ask for work, in the caller's transaction. Where the same is waiting already, nothing is added."""
    asked = key or " ".join([name, *(f"{k}={v}" for k, v in sorted(about.items()))])
    with transaction.atomic():
        while True:
            try:
                with transaction.atomic():
                    Job.objects.create(
                        kind=name, about=about, key=asked, task=task, urgency=urgency, after=after or timezone.now()
                    )
            except IntegrityError:
                # Held until the caller's transaction ends, so that nobody does it before there is what it is about.
                same = Job.objects.select_for_update().filter(key=asked, state=Job.WAITING).first()
                if same is None:  # taken at this very moment
                    continue
                if after is None and same.after > timezone.now():  # what waits for later is wanted now
                    Job.objects.filter(pk=same.pk).update(after=timezone.now())
            return


def take(worker: str, *, least: int = ANY) -> Job | None:
    """The next job that is due and at least so urgent, leased; of a worker whose lease has run out, too.

    Of two jobs with the same key the second waits until the first is over: it is there because something changed.
    """
    now = timezone.now()
    with transaction.atomic():
        skip = connection.features.has_select_for_update_skip_locked
        rows = Job.objects.select_for_update(skip_locked=True) if skip else Job.objects.all()
        busy = Exists(Job.objects.filter(state=Job.RUNNING, key=OuterRef("key")))
        due = rows.filter(~busy, state=Job.WAITING, after__lte=now, urgency__gte=least).order_by(
            "-urgency", "after", "id"
        )
        lost = rows.filter(state=Job.RUNNING, lease__lt=now).order_by("id")
        while (job := lost.first() or due.first()) is not None:
            if job.attempts >= DEATHS:
                _fail(job, f"its worker died {job.attempts} times")
                continue
            job.state, job.worker, job.lease = Job.RUNNING, worker, now + LEASE
            job.attempts, job.started = job.attempts + 1, now
            job.save(update_fields=["state", "worker", "lease", "attempts", "started"])
            return job
        return None


def place_of(job: Job) -> int:
    """Its place in the queue: 0 while it is being done, 1 if it is the next that is taken."""
    if job.state == Job.RUNNING:
        return 0
    same = Q(urgency=job.urgency)
    ahead = Q(urgency__gt=job.urgency) | (same & Q(after__lt=job.after)) | (same & Q(after=job.after, id__lt=job.pk))
    return 1 + Job.objects.filter(ahead, state=Job.WAITING).count()


def _held(job: Job) -> Job | None:
    """The row of a job, locked, if it still is this worker's at this attempt."""
    rows = Job.objects.select_for_update()
    return rows.filter(pk=job.pk, state=Job.RUNNING, worker=job.worker, attempts=job.attempts).first()


def confirm() -> None:
    """Make sure, in the transaction that writes, that the job in hand has not been taken over meanwhile."""
    job = _in_hand.get()
    if job is not None and _held(job) is None:
        raise Lost(str(job))


def _fail(job: Job, error: str) -> None:
    job.state, job.error, job.finished, job.lease = Job.FAILED, error[:4000], timezone.now(), None
    job.save(update_fields=["state", "error", "finished", "lease"])
    after_failure = FAILED.get(job.kind)
    if after_failure:
        try:
            with transaction.atomic():
                after_failure(error=error, **job.about)
        except Exception:  # a job that cannot even be given up must not stand in the way of all others
            log.exception("job %s was given up, and nobody could be told", job)


def do(job: Job) -> None:
    """Do a job that is leased. An error of the input is final; any other is tried again, later."""
    token = _in_hand.set(job)
    try:
        KINDS[job.kind](**job.about)
    except Lost:
        log.warning("job %s was taken over by another worker", job)
    except CranfieldError as error:
        with transaction.atomic():
            if _held(job) is not None:
                _fail(job, f"{error.problem}\n{error.hint}".strip())
    except Exception as error:
        log.exception("job %s failed", job)
        _leave(job, error)
    else:
        mine = Job.objects.filter(pk=job.pk, state=Job.RUNNING, worker=job.worker, attempts=job.attempts)
        mine.update(state=Job.DONE, finished=timezone.now(), lease=None, error="")
    finally:
        _in_hand.reset(token)


def _leave(job: Job, error: Exception) -> None:
    """Let a job be tried again later, or give it up. What the machine is to blame for is tried for ever."""
    blameless = machine_fault(error) is not None
    if not connection.in_atomic_block:
        connection.close()  # it may be the connection that is broken
    text = f"{type(error).__name__}: {error}"
    with transaction.atomic():
        if _held(job) is None:
            return
        if job.attempts >= MOST and not blameless:
            _fail(job, text)
            return
        wait = AWAY if blameless else timedelta(seconds=2**job.attempts)
        try:
            with transaction.atomic():
                Job.objects.filter(pk=job.pk).update(
                    state=Job.WAITING,
                    lease=None,
                    after=timezone.now() + wait,
                    attempts=job.attempts - blameless,
                    error=text[:4000],
                )
        except IntegrityError:  # the same is waiting anyway
            Job.objects.filter(pk=job.pk).delete()


class Heart(threading.Thread):
    """Signs of life of a worker: renews its lease while it works, and says that it is there."""

    def __init__(self, worker: str) -> None:
        super().__init__(daemon=True)
        self.worker, self.stopped = worker, threading.Event()
        self.job: Job | None = None  # the one in hand

    def run(self) -> None:
        """Beat until stopped."""
        while not self.stopped.wait(BEAT):
            try:
                self.beat()
            except Error:  # the database is away for a moment
                log.warning("no sign of life could be written")
                connection.close()
        connection.close()

    def beat(self) -> None:
        """One sign of life."""
        now, job = timezone.now(), self.job
        if job is not None:
            mine = Job.objects.filter(pk=job.pk, worker=self.worker, attempts=job.attempts, state=Job.RUNNING)
            mine.update(lease=now + LEASE)
        doing = str(job)[:120] if job else ""
        Worker.objects.update_or_create(name=self.worker, defaults={"seen": now, "doing": doing})


def work(*, once: bool = False, least: int = ANY, idle: float = 0.5, stop: threading.Event | None = None) -> int:
    """Do jobs, only those at least so urgent, until told to stop (or, ``once``, until there is none); how many."""
    from .scheduled_jobs import ask_to_tidy  # and with it all kinds of work

    stop, done, look = stop or threading.Event(), 0, 0.0
    heart = Heart(f"{socket.gethostname()}-{os.getpid()}")
    if once:
        heart.beat()
    if not connection.in_atomic_block:  # inside a transaction nobody else can see what is done, or take it over
        heart.start()
    try:
        while not stop.is_set():
            try:
                if not once and time.monotonic() >= look:
                    look = time.monotonic() + LOOK
                    heart.beat()
                    ask_to_tidy()
                heart.job = take(heart.worker, least=least)
                if heart.job is not None:
                    do(heart.job)
                    done += 1
                    continue
            except Error:
                log.warning("the database is away; waiting", exc_info=True)
                connection.close()
            finally:
                heart.job = None  # a lease is renewed only while somebody works
            if once:
                break
            stop.wait(idle)
    finally:
        heart.stopped.set()
        if heart.is_alive():
            heart.join(2)
    return done
