"""cranfield demo --serve: a server with filled boards and accounts that are ready."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cranfield.server.judging import pool_lifecycle
from cranfield.server.models import LabelVersion, Result, Snapshot, Submission, Task, User
from cranfield.server.operations import demo_tasks
from cranfield.server.tasks import corpora
from tests.support.server.home_subprocess import cranfield, environment
from tests.support.server.live_server import Browser, Running, free_port, is_free, wait_for


@pytest.mark.django_db
def test_what_a_demo_holds() -> None:
    steps: list[tuple[int, int]] = []
    accounts = demo_tasks.fill(runs=12, topics=12, progress=lambda *step: steps.append(step))
    assert [one.name for one in accounts] == ["operator", "organiser", "participant", "assessor"]
    assert len({one.password for one in accounts}) == 4
    assert steps == [(number, 18) for number in range(1, 19)]
    assert list(User.objects.filter(may_organise=True).values_list("username", flat=True)) == ["organiser"]
    assert demo_tasks.settle() == 2  # a board for each task
    tasks = {task.slug: task for task in Task.objects.all()}
    assert {slug: task.state for slug, task in tasks.items()} == {
        "ad-hoc-2024": Task.CLOSED,
        "ad-hoc-2025": Task.OPEN,
        "judging-2026": Task.OPEN,
    }
    runs = Submission.objects.filter(task=tasks["ad-hoc-2025"])
    assert runs.filter(embargo__isnull=False).count() == 1
    assert runs.filter(state=Submission.WITHDRAWN).count() == 1
    assert runs.filter(stated__isnull=False).count() == len(demo_tasks.PAST)
    assert Submission.objects.exclude(metadata={}).exclude(kind="").count() == 4 + 2  # every third of 12 and of 6
    assert Submission.objects.filter(baseline=True).exists()
    waiting = Submission.objects.filter(state__in=(Submission.RECEIVED, Submission.FAILED))
    assert set(waiting.values_list("task__slug", "state")) == {("judging-2026", Submission.RECEIVED)}
    days = runs.filter(blob__isnull=False).order_by("received").values_list("received", flat=True)
    assert len({day.date() for day in days}) > 3  # steps over time
    versions = LabelVersion.objects.filter(task=tasks["ad-hoc-2025"])
    assert [one.number for one in versions.order_by("number")] == [1, 2]
    assert versions[0].judgments == versions[1].judgments
    from cranfield.server.jobs import job_queue

    job_queue.work(once=True)
    assert Result.objects.filter(version__number=2).count() == 6
    pool = tasks["judging-2026"].pools.get()
    stand = pool_lifecycle.progress(pool)
    assert sum(row["judgments"] for row in stand.people) == 120
    assert (len(stand.people), stand.budget) == (2, 8 * 30)
    first = pool.questions.order_by("id")[0]
    text = corpora.document_of(pool.task, first.document)
    assert text is not None
    assert len(text.text) > 100
    assert LabelVersion.objects.get(number=2).changes is not None
    assert Snapshot.objects.filter(version__number=2, kind=Snapshot.PUBLIC).count() == 1


@pytest.mark.once
def test_a_demo_is_there_to_be_looked_at_and_leaves_nothing(tmp_path: Path) -> None:
    port = free_port()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = ["demo", "--serve", "--port", str(port)]
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        running = subprocess.Popen(
            [sys.executable, "-c", "from cranfield.cli import run; run()", *words],
            env=environment(TMPDIR=str(scratch)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    try:
        said = tmp_path / "out"
        wait_for(lambda: "participant" in said.read_text() or running.poll() is not None, 120, "accounts")
        assert running.poll() is None, (tmp_path / "err").read_text()
        lines = said.read_text().splitlines()
        assert lines[0] == f"http://127.0.0.1:{port}"
        (home,) = scratch.glob("cranfield-demo-*")
        server = Running(home, port=port)
        for path in ("/", "/tasks/ad-hoc-2024/", "/tasks/ad-hoc-2025/", "/tasks/ad-hoc-2025/history/"):
            status, page = server.get(path)
            assert status == 200, path
            assert "Ad hoc search 2025" in page or path.endswith("2024/")
        assert page.count("/boards/1/") >= 1
        assert "Anonymous until" in server.get("/tasks/ad-hoc-2025/")[1]
        for name, password in re.findall(r"^(\w+) +password (\S+)$", said.read_text(), re.MULTILINE):
            browser = Browser(server)
            assert browser.post("/log-in/", "/log-in/", username=name, password=password)[0] == 302
            assert browser.ask("GET", "/my/account/")[0] == 200
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
        assert list(scratch.iterdir()) == []
        assert is_free(port)
        assert server.processes() == []
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()


def test_a_demo_that_cannot_be_served(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cranfield("demo", "--serve", "--port", str(port), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: nobody can listen on port {port}")
    (tmp_path / "mine").write_text("")
    done = cranfield("demo", "--serve", "--folder", ".", cwd=tmp_path)
    assert done.stderr == "error: the folder . is not empty\nhint: name a new folder\n"
    assert not list(Path(tempfile.gettempdir()).glob("cranfield-demo-*/mine"))
