"""What is due by date, and what was left behind: closing, revealing, rescuing, forgetting."""

from __future__ import annotations

import os
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from cranfield.server.jobs import job_queue, scheduled_jobs
from cranfield.server.models import Audit, Job, Result, Snapshot, Submission, Task, Try, Worker
from tests.support.server.concurrency import in_threads

if TYPE_CHECKING:
    from pathlib import Path

    from django.conf import LazySettings

    from tests.support.server.users_and_tasks import World


@pytest.mark.django_db(transaction=True)
def test_workers_see_to_it_that_somebody_tidies_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "LOOK", 0.05)
    stop = threading.Event()

    def work(_: int) -> None:
        job_queue.work(stop=stop, idle=0.02)

    timer = threading.Timer(2, stop.set)
    timer.start()
    assert in_threads(3, work) == []
    timer.join()
    (waiting,) = Job.objects.filter(kind="tidy", state=Job.WAITING)
    assert not Job.objects.filter(kind="tidy").exclude(pk=waiting.pk).exclude(state=Job.DONE).exists()
    assert timedelta(0) < waiting.after - timezone.now() <= scheduled_jobs.EVERY
    assert Worker.objects.get().name.endswith(f"-{os.getpid()}")


@pytest.mark.django_db
def test_tidying_that_fails_is_asked_for_again() -> None:
    for _ in range(3):
        job_queue.put("tidy", key="tidy")
        Job.objects.filter(state=Job.WAITING).update(state=Job.FAILED)
    scheduled_jobs.ask_to_tidy()
    scheduled_jobs.ask_to_tidy()
    assert sorted(Job.objects.values_list("state", flat=True)) == [Job.FAILED, Job.WAITING]


def tidy_up() -> None:
    """Tidy as a worker does, then do what follows from it."""
    job_queue.put("tidy", key="tidy")
    job_queue.work(once=True)


def test_a_task_is_closed_when_its_time_has_come(world: World) -> None:
    now = timezone.now()
    tasks = [world.task(slug, private=4, closes=now + timedelta(days=1)) for slug in ("past", "future")]
    world.hand_in(tasks[0], "mine")
    world.work()
    Task.objects.filter(slug="past").update(closes=now - timedelta(seconds=1))
    tidy_up()
    tidy_up()
    assert dict(Task.objects.values_list("slug", "state")) == {"past": Task.CLOSED, "future": Task.OPEN}
    assert Audit.objects.filter(what="close", task="past", who="the server").count() == 1
    last = Snapshot.objects.filter(task=tasks[0], kind=Snapshot.PUBLIC).order_by("number").last()
    assert last is not None
    assert last.why == "the task was closed"


def test_closing_asks_again_whether_the_time_has_come(world: World) -> None:
    task = world.task()
    for closes in (None, timezone.now() + timedelta(days=1)):
        Task.objects.update(closes=closes)
        scheduled_jobs.close(task_id=task.pk)
        task.refresh_from_db()
        assert task.state == Task.OPEN
    scheduled_jobs.close(task_id=task.pk, by="organiser")  # who need not wait
    task.refresh_from_db()
    assert task.state == Task.CLOSED


@pytest.mark.parametrize("field", ["embargo", "anonymous"])
def test_a_run_is_revealed_on_its_day_however_long_nobody_looked(world: World, field: str) -> None:
    task = world.filled(embargo_days=30, anonymous_days=30)
    until: Any = timezone.now().date() + timedelta(days=20)
    run = world.hand_in(task, "secret", 3, **{field: until})
    world.work()
    number = Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).count()
    tidy_up()
    assert Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).count() == number
    # Ten days ago was the day, and the last board was made before it.
    Submission.objects.filter(pk=run.pk).update(**{field: timezone.now().date() - timedelta(days=10)})
    Snapshot.objects.update(made=timezone.now() - timedelta(days=20))
    Job.objects.update(started=timezone.now() - timedelta(days=20))
    tidy_up()
    last = Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).order_by("number").last()
    assert last is not None
    assert last.number == number + 1
    assert "secret" in last.why
    # From then on nothing is due, and no board is made in vain.
    boards = Job.objects.filter(kind="board").count()
    tidy_up()
    assert Job.objects.filter(kind="board").count() == boards


def test_a_reveal_that_changes_nothing_is_not_tried_for_ever(world: World) -> None:
    task = world.filled()
    Submission.objects.filter(name="poor").update(embargo=timezone.now().date() - timedelta(days=1))
    long_ago = timezone.now() - timedelta(days=5)
    Snapshot.objects.update(made=long_ago)
    Job.objects.update(started=long_ago)
    assert scheduled_jobs.reveal_is_due(task)
    tidy_up()
    assert not scheduled_jobs.reveal_is_due(task)


def test_a_run_that_was_handed_in_never_stays_without_a_job(world: World) -> None:
    task = world.task()
    left, asked = world.hand_in(task, "left"), world.hand_in(task, "asked", 1)
    draft = Task.objects.create(slug="bare", title="No labels")
    Submission.objects.create(task=draft, team=world.teams["Alpha"], name="early", blob=left.blob)
    Job.objects.filter(about__submission=left.pk).delete()
    assert scheduled_jobs.rescue() == 1
    assert scheduled_jobs.rescue() == 0
    Job.objects.filter(about__submission=left.pk).update(state=Job.FAILED)  # given up, and nobody was told
    tidy_up()
    states = dict(Submission.objects.values_list("name", "state"))
    assert states == {"left": Submission.SCORED, "asked": Submission.SCORED, "early": Submission.RECEIVED}
    assert Result.objects.filter(submission=asked).count() == 1


def test_what_is_over_is_forgotten(world: World, settings: LazySettings) -> None:
    del world
    now = timezone.now()
    old, new = now - timedelta(days=40), now - timedelta(minutes=2)
    for at in (old, new):
        one = Try.objects.create(what="log-in", key="")
        Try.objects.filter(pk=one.pk).update(at=at)
        Worker.objects.create(name=str(at), seen=at)
        Job.objects.create(kind="board", key=str(at), state=Job.DONE, finished=at)
        Job.objects.create(kind="board", key=str(at), state=Job.FAILED, finished=at)
        path: Path = settings.HOME.incoming / f"{at.timestamp()}"
        path.write_text("half a run")
        os.utime(path, (at.timestamp(), at.timestamp()))
    scheduled_jobs.tidy()
    assert Try.objects.get().at == new
    assert Worker.objects.get().name == str(new)
    assert Job.objects.get(state=Job.DONE).finished == new
    assert Job.objects.filter(state=Job.FAILED).count() == 2, "what failed stays until somebody has seen it"
    assert [path.name for path in settings.HOME.incoming.iterdir()] == [f"{new.timestamp()}"]


def test_tidying_is_due_after_a_minute_or_at_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    for now, then in (
        (datetime(2026, 3, 1, 12, 0, tzinfo=UTC), datetime(2026, 3, 1, 12, 1, tzinfo=UTC)),
        (datetime(2026, 3, 1, 23, 59, 30, tzinfo=UTC), datetime(2026, 3, 2, 0, 0, 5, tzinfo=UTC)),
    ):
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        assert scheduled_jobs.next_tidy() == then
