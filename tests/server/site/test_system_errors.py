"""What the machine is to blame for gets a clear page wherever it happens; what we are to blame for does not hide."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import IntegrityError, InterfaceError, OperationalError
from django.test import Client

from cranfield.server.boards.pages import leaderboards
from cranfield.server.site import system_errors
from cranfield.server.site.system_errors import machine_fault
from tests.support.server.users_and_tasks import PASSWORD, World, run_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FULL = "The disk of this server is full. Nothing was taken, nothing was lost."
CLOSED = "This server may not write to its folder. Nothing was taken, nothing was lost."
READ_ONLY = "This server may not write to its database. Nothing was taken, nothing was lost."
AWAY = "The database of this server does not answer. Nothing was taken, nothing was lost."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), FULL),
        (OSError(errno.EROFS, "Read-only file system"), CLOSED),
        (PermissionError(errno.EACCES, "Permission denied"), CLOSED),
        (OperationalError("database or disk is full"), FULL),
        (OperationalError('could not extend file "base/5/1": No space left on device'), FULL),
        (OperationalError("attempt to write a readonly database"), READ_ONLY),
        (OperationalError("cannot execute INSERT in a read-only transaction"), READ_ONLY),
        (OperationalError("connection refused"), AWAY),
        (InterfaceError("connection already closed"), AWAY),
        (IntegrityError("UNIQUE constraint failed"), None),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (ValueError("ours"), None),
        (None, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_who_is_to_blame(error: Exception | None, said: str | None) -> None:
    assert machine_fault(error) == said


@pytest.mark.parametrize(("taken", "said"), [(True, FULL), (False, AWAY)])
def test_a_full_disk_is_known_by_the_disk_too(
    taken: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", tmp_path], check=True)
    try:
        (tmp_path / "ballast").write_bytes(bytes((4 << 20) - 8192 if taken else 1))
        here = SimpleNamespace(vendor="sqlite", settings_dict={"NAME": tmp_path / "database.sqlite3"})
        monkeypatch.setattr(system_errors, "connection", here)
        assert machine_fault(OperationalError("disk I/O error")) == said
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def raising(error: Exception) -> Callable[..., Any]:
    def raised(*_: object, **__: object) -> None:
        raise error

    return raised


def visitor() -> Client:
    return Client(raise_request_exception=False)


def test_in_a_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    del world
    monkeypatch.setattr(leaderboards, "visible_tasks", raising(OperationalError("connection refused")))
    answer = visitor().get("/")
    assert answer.status_code == 503
    assert AWAY in answer.content.decode()
    monkeypatch.setattr(leaderboards, "visible_tasks", raising(ValueError("ours, and secret")))
    answer = visitor().get("/")
    assert answer.status_code == 500
    assert "Something went wrong in the server." in answer.content.decode()
    assert "secret" not in answer.content.decode()


def test_after_a_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page was made, and its session cannot be kept: no view is to blame, and none could say so."""
    del world
    client = visitor()
    monkeypatch.setattr(SessionStore, "save", raising(OperationalError("database or disk is full")))
    answer = client.post("/log-in/", {"username": "alice", "password": PASSWORD})
    assert answer.status_code == 503
    assert FULL in answer.content.decode()


def test_while_a_file_comes_in(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from io import BytesIO

    from cranfield.server.site import uploads

    task = world.task()
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.force_login(world.people["alice"])
    page = client.get(f"/tasks/{task.slug}/submit/").content.decode()
    token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    monkeypatch.setattr(uploads, "Incoming", raising(OSError(errno.EROFS, "Read-only file system")))
    file = BytesIO(run_text("mine").encode())
    file.name = "mine.run"
    for sent in (token, "wrong"):  # the file is read before anybody looks at the token
        file.seek(0)
        fields = {"csrfmiddlewaretoken": sent, "name": "mine", "team": "alpha", "run": file}
        answer = client.post(f"/tasks/{task.slug}/submit/", fields)
        assert answer.status_code == 503
        assert CLOSED in answer.content.decode()
    assert not task.submissions.exists()


def test_in_the_api(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from cranfield.server.api import task_routes

    del world
    monkeypatch.setattr(task_routes, "visible_tasks", raising(OperationalError("connection refused")))
    answer = visitor().get("/api/tasks")
    assert answer.status_code == 503
    assert json.loads(answer.content) == {"error": AWAY, "hint": "try again later", "code": "E-SERVER"}
