"""Whatever breaks, nothing that was acknowledged is lost: killed processes, a database that is away, a full disk."""

from __future__ import annotations

import http.client
import os
import random
import sqlite3
import subprocess
import threading
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.external_services import postgres_of_its_own
from tests.support.run_size import SIZE
from tests.support.server import home_subprocess
from tests.support.server.live_server import Browser, Running, form, hand_in, is_free, wait_for
from tests.support.server.users_and_tasks import PASSWORD, run_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.once
KILLS, RUNS = (20, 200) if SIZE.name == "full" else (4, 24)


class Poster(threading.Thread):
    """Somebody who hands in runs, one after the other, and tries again when the server is away."""

    def __init__(self, server: Running, token: str, names: list[str]) -> None:
        super().__init__(daemon=True)
        self.server, self.token, self.names = server, token, names
        self.acknowledged: dict[str, str] = {}  # key → name
        self.known = 0  # names that turned out to be there although nobody had acknowledged them
        self.statuses: set[int] = set()
        self.given_up: list[str] = []

    def run(self) -> None:
        for number, name in enumerate(self.names):
            until = time.monotonic() + 120
            while not self._hand_in(name, number):
                if time.monotonic() > until:
                    self.given_up.append(name)
                    break
                time.sleep(0.1)

    def _hand_in(self, name: str, number: int) -> bool:
        try:
            status, said = hand_in(self.server, self.token, name, run_text(name, number % 7))
        except (OSError, http.client.HTTPException, ValueError):  # not even an answer, or half of one
            return False
        self.statuses.add(status)
        if status == 201:
            self.acknowledged[said["key"]] = name
        elif status == 422 and said["code"] == "E-NAMES":
            self.known += 1
        return status in (201, 422)


def come_so_far(posters: list[Poster], runs: float) -> bool:
    """Whether so many runs are handed in, or nobody hands in any more."""
    done = sum(len(one.acknowledged) + one.known for one in posters)
    return done >= runs or not any(one.is_alive() for one in posters)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextmanager
def running(home: Path, **how: Any) -> Iterator[Running]:
    server = Running(home, **how)
    try:
        yield server
    finally:
        server.end()


def is_done(home: Path, runs: int, *, database: str = "") -> dict[str, Any]:
    """Wait until every run is evaluated and on the board; then everything must hold."""
    until = time.monotonic() + 60 + 2 * runs
    while True:
        found: dict[str, Any] = home_subprocess.ask(home, "state_of_all", database=database)
        left = [kind for kind, _ in found["waiting"] if kind not in ("tidy", "draw")]
        if (not left and found["board"] == len(found["runs"])) or time.monotonic() > until:
            break
        time.sleep(1)
    keys = set(found["runs"])
    assert (found["states"], found["failures"]) == ({"scored": len(keys)}, [""]), found["waiting"]
    for what in ("results", "submitted", "evaluated"):
        assert found[what] == dict.fromkeys(keys, 1), what
    assert (found["chain"], left, found["board"]) == ([], [], len(keys))
    assert not [kind for kind in found["jobs"] if kind.endswith("failed")], found["jobs"]
    return found


def test_processes_that_are_killed_lose_nothing(home: Path) -> None:
    tokens = home_subprocess.ask(home, "make_world", 4)  # a token is good for 120 requests
    dice = random.Random(8 if SIZE.name == "small" else None)  # at full size it goes looking
    names = [f"run-{number}" for number in range(RUNS)]
    with running(home) as server:
        server.start()
        posters = [Poster(server, token, names[turn::4]) for turn, token in enumerate(tokens)]
        for poster in posters:
            poster.start()
        targets = (["work", "main", "web", "last web"] * KILLS)[:KILLS]
        for turn, target in enumerate(targets):
            share = RUNS * (turn + dice.random()) / (KILLS + 1)
            wait_for(partial(come_so_far, posters, share), 120, "progress")
            time.sleep(dice.uniform(0, 0.5))
            server.kill(target)
            if target != "work":  # they die together, however that came
                server.is_gone()
                server.start()
        for poster in posters:
            poster.join(200)
            assert not poster.given_up
        found = is_done(home, RUNS)
        assert server.stop() == 0
    acknowledged = {key: name for poster in posters for key, name in poster.acknowledged.items()}
    assert acknowledged.items() <= found["runs"].items()
    assert sorted(found["runs"].values()) == sorted(names)
    assert found["jobs"]["score done"] == RUNS
    assert {status for poster in posters for status in poster.statuses} <= {201, 422}


def test_a_worker_that_is_killed_is_started_again_and_its_job_is_done(home: Path) -> None:
    (token,) = home_subprocess.ask(home, "make_world", 1)
    with running(home, workers=2) as server:
        server.start()
        wait_for(lambda: len(server.processes("work")) == 2, 20, "second worker")
        first = server.processes("work")
        assert hand_in(server, token, "mine", run_text("mine"))[0] == 201
        for number in first:
            os.kill(number, 9)
        wait_for(lambda: len(set(server.processes("work")) - set(first)) == 2, 30, "new workers")  # -9 takes a moment
        wait_for(lambda: not set(first) & set(server.processes("work")), 30, "end of the old ones")
        is_done(home, 1)
        assert server.get("/health")[0] == 200
        assert server.stop() == 0
    assert "worker 1 ended with -9: starting it again" in server.log.read_text()


def test_the_processes_end_together_when_asked_and_workers_stand_behind(home: Path) -> None:
    home_subprocess.ask(home, "make_world", 0)
    with running(home) as server:
        server.start()
        assert len(server.processes()) == 3  # one that accepts, one that answers, one that works
        assert not is_free(server.port)
        own = os.getpriority(os.PRIO_PROCESS, 0)
        niceness = {
            what: {os.getpriority(os.PRIO_PROCESS, one) for one in server.processes(what)} for what in ("web", "work")
        }
        assert niceness == {"web": {own}, "work": {min(own + 10, 19)}}  # who answers goes first
        assert server.stop() == 0


def test_postgresql_that_restarts_in_the_middle(home: Path) -> None:
    runs = 60 if SIZE.name == "full" else 12
    names = [f"run-{number}" for number in range(runs)]
    with postgres_of_its_own() as postgres:
        url = postgres.url()
        (token,) = home_subprocess.ask(home, "make_world", 1, database=url)
        with running(home, database=url) as server:
            server.start()
            worker, web = server.processes("work"), server.processes("web")
            poster = Poster(server, token, names)
            poster.start()
            for share in (runs // 4, runs // 2):
                wait_for(partial(come_so_far, [poster], share), 60, "progress")
                postgres.stop()
                for path in ("/", "/tasks/ad-hoc/", "/health"):
                    status, text = server.get(path)
                    assert status == 503, path
                    assert "The database of this server does not answer." in text
                    assert "Nothing was taken, nothing was lost." in text
                status, text = server.get("/api/tasks")
                assert status == 503
                assert '"code": "E-SERVER"' in text
                time.sleep(1)
                postgres.start()
                assert server.get("/tasks/ad-hoc/")[0] == 200
            poster.join(120)
            assert not poster.given_up
            found = is_done(home, runs, database=url)
            assert poster.acknowledged.items() <= found["runs"].items()
            assert len(found["runs"]) == runs
            assert (server.processes("work"), server.processes("web")) == (worker, web), "nobody had to be restarted"
            assert server.stop() == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill_up(folder: Path) -> Path:
    """A file that takes all that is left of a disk."""
    path = folder / "ballast"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    return path


def handed_in_by_form(browser: Browser, token: str, name: str) -> tuple[int, str]:
    fields = {"csrfmiddlewaretoken": token, "name": name, "team": "alpha"}
    body, kind = form(fields, name, run_text(name, 1) * 1)
    return browser.ask("POST", "/tasks/ad-hoc/submit/", body, Content_Type=kind)


def test_a_full_disk_gives_a_clear_page_and_no_broken_state(small_disk: Path) -> None:
    home = small_disk / "home"
    (token,) = home_subprocess.ask(home, "make_world", 1)
    with running(home) as server:
        server.start()
        browser = Browser(server)
        status, _ = browser.post("/log-in/", "/log-in/", username="alice", password=PASSWORD)
        assert status == 302
        csrf = browser.token("/tasks/ad-hoc/submit/")
        status, said = hand_in(server, token, "before", run_text("before", 2))
        assert status == 201
        ballast = fill_up(small_disk)
        for turn in range(3):
            status, page = handed_in_by_form(browser, csrf, f"form-{turn}")
            assert status == 503
            assert "The disk of this server is full. Nothing was taken, nothing was lost." in page
            assert "<h1>" in page
            status, said = hand_in(server, token, f"program-{turn}", run_text("x", turn))
            assert (status, said["code"]) == (503, "E-SERVER")
            assert said["error"] == "The disk of this server is full. Nothing was taken, nothing was lost."
        assert server.get("/")[0] == 200, "what is there can be read"
        time.sleep(2 * 3)  # the worker meets the full disk, too
        assert list((home / "incoming").iterdir()) == []
        ballast.unlink()
        status, said = hand_in(server, token, "after", run_text("after", 3))
        assert status == 201, said
        found = is_done(home, 2)
        assert sorted(found["runs"].values()) == ["after", "before"]
        assert server.stop() == 0
    with sqlite3.connect(home / "database.sqlite3") as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
    database.close()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder that nobody may write to, not even root."""
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_folder_that_may_not_be_written_gives_a_clear_page(home: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a folder")
    (token,) = home_subprocess.ask(home, "make_world", 1)
    with running(home) as server:
        server.start()
        assert hand_in(server, token, "before", run_text("before", 2))[0] == 201
        is_done(home, 1)
        for folder in (home, home / "blobs", home / "incoming"):
            with read_only(folder):
                status, said = hand_in(server, token, "now", run_text("now", 1))
                assert status == 503, said
                assert "may not write" in said["error"]
                assert server.get("/")[0] == 200, "what is there can be read"
        assert hand_in(server, token, "after", run_text("after", 3))[0] == 201
        found = is_done(home, 2)
        assert sorted(found["runs"].values()) == ["after", "before"]
        assert list((home / "incoming").iterdir()) == []
        assert server.stop() == 0


def test_a_server_does_not_start_where_it_may_not_write(home: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a folder")
    home_subprocess.ask(home, "make_world", 0)
    with read_only(home):
        done = home_subprocess.cranfield("serve", "--home", "home", "--port", "1024", cwd=home.parent)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 2
