"""Workers: they show that they live, keep what they do, and end in order."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

import cranfield.server
from cranfield.server.jobs import job_queue, processes
from cranfield.server.jobs.processes import stopping
from cranfield.server.models import Job, Worker
from tests.support.server import home_subprocess
from tests.support.server.concurrency import wait_for, worker
from tests.support.server.live_server import free_port


@pytest.mark.django_db(transaction=True)
def test_the_heart_keeps_a_lease_alive_while_the_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "LEASE", timedelta(seconds=0.6))
    monkeypatch.setattr(job_queue, "BEAT", 0.1)
    begun, go_on = threading.Event(), threading.Event()

    @job_queue.kind("long")
    def long() -> None:
        begun.set()
        go_on.wait(10)

    job_queue.put("long")
    thread = worker(once=True)
    thread.start()
    begun.wait(10)
    time.sleep(1.5)  # more than two leases
    assert job_queue.take("another") is None
    seen = Worker.objects.get()
    assert seen.doing == "long"
    assert timezone.now() - seen.seen < timedelta(seconds=1)
    go_on.set()
    thread.join(10)
    del job_queue.KINDS["long"]
    job = Job.objects.get()
    assert (job.state, job.attempts, job.worker) == (Job.DONE, 1, seen.name)


@pytest.mark.django_db(transaction=True)
def test_the_heart_does_not_keep_what_nobody_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database goes away when a job is to be noted as done: its lease must run out, and it is done again."""
    monkeypatch.setattr(job_queue, "LEASE", timedelta(seconds=0.5))
    monkeypatch.setattr(job_queue, "BEAT", 0.05)
    done = job_queue.do
    failed: list[int] = []

    def away(job: Job) -> None:
        if not failed:
            failed.append(job.pk)
            raise OperationalError("the connection is closed")
        done(job)

    monkeypatch.setattr(job_queue, "do", away)
    job_queue.KINDS["nothing"] = lambda: None
    job_queue.put("nothing")
    stop = threading.Event()
    thread = worker(stop=stop, idle=0.05)
    thread.start()
    wait_for(lambda: Job.objects.filter(kind="nothing", state=Job.DONE).exists())
    stop.set()
    thread.join(10)
    del job_queue.KINDS["nothing"]
    assert Job.objects.get(kind="nothing").attempts == 2


@pytest.mark.django_db(transaction=True)
def test_the_heart_beats_on_when_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "BEAT", 0.02)
    heart = job_queue.Heart("one")
    beat, beats = heart.beat, []

    def sometimes() -> None:
        beats.append(1)
        if len(beats) < 3:
            raise InterfaceError("connection already closed")
        beat()

    monkeypatch.setattr(heart, "beat", sometimes)
    heart.start()
    wait_for(lambda: Worker.objects.exists())
    heart.stopped.set()
    heart.join(5)
    assert Worker.objects.get().name == "one"


def test_a_worker_ends_after_the_job_in_hand() -> None:
    """Asked once it sets the event; afterwards signals do what they did before."""
    asked = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(one) for one in asked]
    for one in asked:
        with stopping() as stop:
            assert not stop.is_set()
            signal.raise_signal(one)
            assert stop.wait(5)
    assert [signal.getsignal(one) for one in asked] == before


@pytest.mark.parametrize(
    ("program", "patience", "said"),
    [
        ("import time; time.sleep(60)", 1.0, "the web process gave no answer in 1 s"),
        ("exit(7)", 60.0, "the web process ended with 7"),
    ],
)
def test_a_server_that_never_answers_says_so(
    program: str, patience: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would end without a word otherwise, and whoever started it would not know why."""

    def child(*_: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", program], start_new_session=True)

    monkeypatch.setattr(processes, "_child", child)
    monkeypatch.setattr(processes, "PATIENCE", patience)
    how = processes.Serving(home=str(settings.HOME.folder), port=free_port())
    heard: list[str] = []
    code = processes._watch(how, threading.Event(), say=heard.append, ready=lambda: heard.append("ready"))
    assert (code, heard) == (1, [said])


def test_a_worker_knows_every_kind_of_work() -> None:
    """In a process of its own: whatever the tests have imported does not count."""
    folder = Path(cranfield.server.__file__).parent
    asked = {
        kind for file in folder.rglob("*.py") for kind in re.findall(r'@job_queue.kind\("(\w+)"\)', file.read_text())
    }
    known = home_subprocess.ask(settings.HOME.folder, "kinds_of_work")
    assert len(asked) > 8
    assert set(known) == asked | {"tidy"}
