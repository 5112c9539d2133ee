"""What the API refuses: bad runs, bad fields, tokens, too many requests; always in the same words."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.test import Client

from cranfield.server.api import authentication
from cranfield.server.models import Participant, Submission, Task, Token
from cranfield.server.site import blob_store
from cranfield.server.site.rate_limits import Limit
from tests.support.server.api_client import Program, program
from tests.support.server.users_and_tasks import run_text

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


BAD = "301 Q0 D01 1 9 x\n301 Q0 D02 2 NaN x\n301 Q0 D01 3 7 x\n"


def test_the_same_problems_as_lint(world: World) -> None:
    from cranfield.studies import lint

    world.task()
    alice = program(world, "alice", Token.SUBMIT)
    dry = alice.post("tasks/ad-hoc/check", BAD)
    assert (dry.status, dry.told["good"]) == (200, False)
    place = blob_store.put(BAD.encode())
    alone = lint([blob_store.path_of(place.digest)])["problems"].rows()
    assert {(row["line"], row["code"], row["message"]) for row in alone} <= {
        (row["line"], row["code"], row["message"]) for row in dry.told["problems"]
    }
    said = alice.post("tasks/ad-hoc/submissions", BAD, name="bad").refused(422, "E-FINITE")
    assert said["problems"] == dry.told["problems"]
    assert {row["file"] for row in said["problems"]} == {"sent.run"}
    assert not Submission.objects.exists()
    good = alice.post("tasks/ad-hoc/check", run_text("fine"))
    assert (good.told["good"], Submission.objects.count()) == (True, 0)
    program(world, "loner").post("tasks/ad-hoc/check", BAD).refused(403, "E-TEAM")
    assert program(world, "organiser").post("tasks/ad-hoc/check", run_text("fine")).told["good"] is True


def test_a_task_without_judgments_takes_no_run(world: World) -> None:
    made = Task.objects.create(slug="bare", title="Bare", state=Task.OPEN)
    Participant.objects.create(task=made, team=world.teams["Alpha"])
    program(world, "alice").post("tasks/bare/check", run_text("x")).refused(409, "E-CLOSED")
    told = program(world).get("tasks/bare").told
    assert (told["version"], told["topics"], told["judgments"]) == (None, None, 0)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "E-REQUEST"),  # no name
        ({"name": ""}, "E-REQUEST"),
        ({"name": "a/b"}, "E-NAMES"),
        ({"name": "x\x00"}, "E-REQUEST"),
        ({"name": "x", "link": "javascript:alert(1)"}, "E-REQUEST"),
        ({"name": "x", "description": "\x00"}, "E-REQUEST"),
        ({"name": "x", "description": "y" * 4001}, "E-REQUEST"),
        ({"name": "x", "kind": "y" * 61}, "E-REQUEST"),
        ({"name": "x", "embargo": "soon"}, "E-REQUEST"),
        ({"name": "x", "embargo": "2999-01-01"}, "E-DATE"),
        ({"name": "x", "team": "no such/team"}, "E-REQUEST"),
        ({"name": "taken"}, "E-NAMES"),
    ],
)
def test_fields_that_are_refused(world: World, fields: dict[str, str], code: str) -> None:
    world.hand_in(world.task(), "taken")
    said = program(world, "alice").post("tasks/ad-hoc/submissions", run_text("x"), **fields)
    said.refused(422, code)
    assert Submission.objects.count() == 1


def test_a_form_without_a_file_is_refused(world: World) -> None:
    world.task()
    said = program(world, "alice").post("tasks/ad-hoc/submissions", name="x").refused(422, "E-REQUEST")
    assert said["error"] == "run: field required"


def test_limits_and_dates_are_kept(world: World) -> None:
    world.task(limit=1)
    alice = program(world, "alice")
    assert alice.post("tasks/ad-hoc/submissions", run_text("a"), name="a", embargo="").status == 201
    said = alice.post("tasks/ad-hoc/submissions", run_text("b"), name="b").refused(429, "E-LIMIT")
    assert said["error"] == "your team has used its 1 submissions in 30 days"
    Task.objects.update(state=Task.CLOSED)
    alice.post("tasks/ad-hoc/submissions", run_text("b"), name="b").refused(409, "E-CLOSED")


def test_a_file_beyond_the_cap_is_413(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    world.task()
    monkeypatch.setattr(settings, "OPTIONS", replace(settings.OPTIONS, upload_mb=1))
    alice = program(world, "alice")
    for size in ((1 << 20) + 1, 3 << 20):  # found out while it comes, and known before
        alice.post("tasks/ad-hoc/submissions", b"x" * size, name="big").refused(413, "E-LARGE")
        alice.post("tasks/ad-hoc/check", b"x" * size).refused(413, "E-LARGE")
    assert not list(settings.HOME.incoming.iterdir())


def test_tokens(world: World) -> None:
    world.task()
    Program("cf_nobody").get("tasks").refused(401, "E-TOKEN")
    old = program(world, "alice", days=-1).get("tasks").refused(401, "E-TOKEN")
    assert "expired on" in old["error"]
    good = program(world, "alice", Token.READ)
    assert good.get("submissions").status == 200
    token = Token.objects.get(scope=Token.READ)
    assert token.used is not None
    good.post("tasks/ad-hoc/submissions", run_text("x"), name="x").refused(403, "E-SCOPE")
    said = Client().get("/api/tasks", headers={"Authorization": "Basic YTpi"})
    assert (said.status_code, said.json()["code"], said.headers["WWW-Authenticate"]) == (401, "E-TOKEN", "Bearer")
    type(token.user).objects.filter(pk=token.user_id).update(is_active=False)
    good.get("submissions").refused(401, "E-TOKEN")


def test_cookies_do_not_count(world: World) -> None:
    world.task("drafted", state=Task.DRAFT)
    organiser = world.client("organiser")
    assert organiser.get("/api/tasks").json() == []
    assert organiser.get("/api/submissions").status_code == 401
    assert organiser.post("/api/tasks/drafted/close").status_code == 401
    assert Task.objects.get().state == Task.DRAFT


def test_too_many_requests_are_stopped(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task()
    monkeypatch.setattr(authentication, "PER_TOKEN", Limit(what="api token", most=3, within=timedelta(minutes=10)))
    alice = program(world, "alice")
    for _ in range(3):
        alice.post("tasks/ad-hoc/check", run_text("x"))
    said = alice.post("tasks/ad-hoc/check", run_text("x"))
    said.refused(429, "E-OFTEN")
    assert 590 < int(said.headers["Retry-After"]) <= 600
    assert alice.get("tasks").status == 200  # reading is not counted
    assert program(world, "adam").post("tasks/ad-hoc/check", run_text("x")).status == 200


def test_addresses_are_counted_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task()
    monkeypatch.setattr(authentication, "PER_ADDRESS", Limit(what="api address", most=1, within=timedelta(minutes=10)))
    assert program(world, "alice").post("tasks/ad-hoc/check", run_text("x")).status == 200
    program(world, "adam").post("tasks/ad-hoc/check", run_text("x")).refused(429, "E-OFTEN")


def test_wrong_methods_and_bodies_are_told_in_json(world: World) -> None:
    world.task()
    said = program(world).post("tasks")
    said.refused(405, "E-REQUEST")
    assert said.headers["Allow"] == "GET"
    alice = program(world, "alice")
    kind = "multipart/form-data; boundary=x"
    broken = Client().post("/api/tasks/ad-hoc/check", b"--x\r\nbroken", kind, headers=alice.headers)
    assert (broken.status_code, broken.json()["code"]) == (422, "E-REQUEST")
    other = Client().post("/api/tasks/ad-hoc/check", b"{}", "application/json", headers=alice.headers)
    assert (other.status_code, other.json()["code"]) == (422, "E-REQUEST")


def test_faults_of_the_machine_and_of_ours_are_told_in_json(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    world.task()
    alice = program(world, "alice")

    def fail(error: Exception) -> None:
        def raised(*words: object, **named: object) -> None:
            raise error

        monkeypatch.setattr("cranfield.server.submissions.intake.check", raised)

    fail(OSError(errno.ENOSPC, "No space left on device"))
    said = alice.post("tasks/ad-hoc/check", run_text("x")).refused(503, "E-SERVER")
    assert said["error"].startswith("The disk of this server is full")
    fail(ZeroDivisionError("secret"))
    assert "secret" not in alice.post("tasks/ad-hoc/check", run_text("x")).refused(500, "E-SERVER")["error"]
