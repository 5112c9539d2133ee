"""What every answer has: a head of its own, and when it may be asked for again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cranfield.server.models import Task, Try
from cranfield.server.site import rate_limits
from cranfield.server.site.rate_limits import Limit
from cranfield.server.submissions.pages import public_runs
from tests.support.server.api_client import program
from tests.support.server.users_and_tasks import PASSWORD, run_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.server.users_and_tasks import World

PAGES = ["/", "/log-in/", "/tasks/ad-hoc/", "/tasks/ad-hoc/submit/", "/my/runs/", "/my/tokens/", "/my/account/"]
PAGES += ["/my/teams/", "/health", "/api/tasks", "/api/tasks/ad-hoc", "/api/openapi.json", "/nothing", "/log-out/"]


@pytest.mark.parametrize("address", PAGES)
def test_the_head_is_that_of_the_page(world: World, address: str) -> None:
    world.task()
    for name in (None, "alice"):
        client = world.client(name) if name else Client()
        whole, head = client.get(address), client.head(address)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        changing = ("Content-Length", "Content-Security-Policy", "Expires")  # a form's token is new each time
        assert _without(head, changing) == _without(whole, changing)


def _without(answer: Any, names: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in names}


def test_a_head_changes_nothing(world: World) -> None:
    world.task()
    assert world.client("alice").head("/log-out/").status_code == 405
    assert world.client("alice").head("/tasks/ad-hoc/submit/check").status_code == 405


def test_pages_say_when_to_come_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task = world.filled()
    short = timedelta(minutes=10)
    monkeypatch.setattr(rate_limits, "LOG_IN", Limit(what="log-in", most=1, within=short))
    monkeypatch.setattr(public_runs, "COMPARE", Limit(what="compare", most=1, within=short))
    keys = ",".join(task.submissions.values_list("key", flat=True)[:2])
    guess = {"username": "beth", "password": f"not {PASSWORD}"}
    asked: list[Callable[[], Any]] = [
        lambda: Client().post("/log-in/", guess),
        lambda: Client().get(f"/tasks/ad-hoc/compare/?runs={keys}"),
    ]
    for ask in asked:
        first, second = ask(), ask()
        assert (first.status_code, "Retry-After" in first.headers) == (200, False)
        assert second.status_code == 429
        assert 590 < int(second.headers["Retry-After"]) <= 600


def test_a_dry_run_of_a_program_follows_the_rules_of_the_page(world: World) -> None:
    world.task()
    alice = program(world, "alice")
    assert alice.post("tasks/ad-hoc/check", run_text("x")).status == 200
    [counted] = Try.objects.filter(what="check")
    page = world.client("alice")
    page.post("/tasks/ad-hoc/submit/check", {"run": SimpleUploadedFile("x.run", run_text("x").encode())})
    assert list(Try.objects.filter(what="check").values_list("key", flat=True)) == [counted.key] * 2  # one account
    Try.objects.bulk_create(Try(what="check", key=counted.key) for _ in range(58))
    said = alice.post("tasks/ad-hoc/check", run_text("x"))
    said.refused(429, "E-OFTEN")
    assert 3590 < int(said.headers["Retry-After"]) <= 3600
    again = page.post("/tasks/ad-hoc/submit/check", {"run": SimpleUploadedFile("x.run", run_text("x").encode())})
    assert (again.status_code, 3590 < int(again.headers["Retry-After"]) <= 3600) == (429, True)


@pytest.mark.parametrize("name", ["alice", "organiser"])
def test_no_dry_run_where_no_run_is_taken(world: World, name: str) -> None:
    world.task()
    Task.objects.update(state=Task.CLOSED)
    said = program(world, name).post("tasks/ad-hoc/check", run_text("x")).refused(409, "E-CLOSED")
    assert said["error"] == "the task takes no submissions now"
    assert not Try.objects.filter(what="check").exists()  # nothing was looked at
