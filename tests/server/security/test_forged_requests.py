"""What people try to do in somebody else's name: forged forms, other people's things, fields nobody asked for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.test import Client
from django.utils import timezone

from cranfield.server.models import (
    Invite,
    Job,
    Membership,
    Participant,
    Role,
    Snapshot,
    Submission,
    Task,
    Team,
    Token,
    User,
)
from tests.support.server.security.crawler import paths_of, routes
from tests.support.server.security.leak_checks import rows
from tests.support.server.security.planted_secrets import MAIN, Planted
from tests.support.server.users_and_tasks import PASSWORD, World, qrels, run_text

BAG = {
    "do": "remove", "act": "remove", "sure": MAIN, "which": "1", "who": "alice", "invite": "1", "token": "1",
    "title": "Taken over", "name": "taken-over", "text": "taken over", "username": "beth", "role": "organiser",
    "as_": "organiser", "uses": "1", "days": "1", "note": "x", "topic": "301", "document": "D01", "grade": "3",
    "measures": "AP", "rel": "1", "test": "t", "level": "0.5", "share": "0", "seed": "1", "limit": "99", "most": "99",
    "embargo_days": "0", "anonymous_days": "0", "team": "1", "new_team": "Another", "description": "taken over",
    "kind": "manual", "link": "https://example.org/", "old": PASSWORD, "password": "another password 12",
    "again": "another password 12", "scope": "organise", "publish": "1", "forget": "1", "url": "https://example.org/x",
    "events": "scored", "make": "1", "email": "x@example.org",
}  # fmt: skip
ACTS = {
    "do": ("describe", "invite", "leave", "void", "remove", "lead", "follow", "about", "revoke"),
    "act": ("person", "team", "invite", "block", "unblock", "remove", "void", "lock", "organise", "operator", "ping"),
}
FORM = "application/x-www-form-urlencoded"
THEIRS = ("alpha", "wombatteam", "numbatteam")
ATTACKERS = ("loner", "beth", "assessor", "rival")
EXTRA = {
    "is_superuser": "on", "is_staff": "on", "is_active": "on", "state": "scored", "stated": "0.99",
    "received": "2001-01-01", "baseline": "on", "exempt": "on", "private": "[]", "released": "0.99", "by": "1",
    "blob": "1", "pk": "1", "id": "1", "key": "000000000000", "slug": "taken", "user": "1", "task": "1",
    "invited": "on", "blocked": "", "leader": "on", "metadata": "{}", "report": "[]", "withdrawn": "",
}  # fmt: skip


def test_no_form_of_another_site_is_taken(db: None, quiet: None) -> None:
    """Every address, posted to with somebody's cookie and without the form's token: refused, and nothing changes."""
    del db, quiet
    planted = Planted.make()
    before = rows()
    for role in ("", "alice", "operator"):
        client = Client(enforce_csrf_checks=True)
        if role:
            client.force_login(planted.world.people[role])
        for route in routes():
            path = paths_of(route, planted)[0]
            for method in ("post", "put", "patch", "delete"):
                answer = (
                    getattr(client, method)(
                        path, {"do": "leave", "act": "remove", "sure": MAIN}, headers={"origin": "https://evil.example"}
                    )
                    if method == "post"
                    else getattr(client, method)(path)
                )
                if route.pattern.startswith("api/"):  # which looks at no cookie
                    assert answer.status_code in (400, 401, 403, 404, 405, 422), (role, method, path)
                else:
                    assert answer.status_code in (403, 405), (role, method, path, answer.status_code)
    assert rows() == before


def vars_of(row: models.Model, names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names.split()}


def guarded(planted: Planted) -> dict[str, list[dict[str, Any]]]:
    """Everything that attackers have no part in."""
    found: dict[str, models.QuerySet[Any]] = {
        "tasks": Task.objects.all(),
        "runs": Submission.objects.filter(team__slug__in=THEIRS),
        "members": Membership.objects.filter(team__slug__in=THEIRS),
        "teams": Team.objects.filter(slug__in=THEIRS),
        "roles": Role.objects.all(),
        "participants": Participant.objects.filter(team__slug__in=THEIRS),
        "people": User.objects.exclude(username__in=ATTACKERS),
        "tokens": Token.objects.exclude(user__username__in=ATTACKERS),
        "invites": Invite.objects.exclude(made_by__username__in=ATTACKERS),
        "their invites": Invite.objects.filter(made_by__username__in=ATTACKERS).filter(
            models.Q(team__slug__in=THEIRS) | models.Q(task__isnull=False) | ~models.Q(role="")
        ),  # to a team of their own they may invite
        "versions": planted.task.versions.all(),
        "hooks": planted.task.webhooks.all() | planted.world.teams["Alpha"].webhooks.all(),
        "boards": Snapshot.objects.all(),
    }
    told = {name: list(rows.order_by("pk").values()) for name, rows in found.items()}
    told["jobs"] = [vars_of(job, "pk state attempts") for job in Job.objects.exclude(kind="board").order_by("pk")]
    rights = " ".join(one.name for one in User._meta.concrete_fields if isinstance(one, models.BooleanField))
    told["rights"] = [vars_of(one, rights) for one in User.objects.order_by("pk")]
    return told


@pytest.mark.once
def test_nobody_changes_what_is_not_theirs(db: None, quiet: None) -> None:
    """Every address, posted to by people who have no part in it, with every act there is."""
    del db, quiet
    planted = Planted.make()
    before = guarded(planted)
    acts = [{name: act} for name, acts in ACTS.items() for act in acts]
    targets = [f"/{MAIN}/", "/teams/alpha", planted.runs["ideal"].key, planted.runs["wombatrun"].key]
    for role in ("", *ATTACKERS):
        client = planted.world.client(role or None)
        for route in routes():
            if route.pattern in ("log-out/", "my/account/", "my/teams/", "organise/new/", "join/<str:text>/"):
                continue  # what is one's own there is one's own to change
            for path in paths_of(route, planted):
                known = not route.gaps or any(one in path for one in targets)
                if path.startswith("/api/") or "/boards/" in path or not known:
                    continue
                for act in [{}] if path.startswith(("/tasks/", "/runs/")) else acts:
                    given = urlencode(BAG | {"which": str(planted.task.pk)} | act)
                    answer = client.post(path, given, content_type=FORM)
                    assert answer.status_code < 500, (role, path, act)
                    if answer.streaming:
                        assert list(answer)  # their own file; reading it closes it
    now = guarded(planted)
    for name, rows_before in before.items():
        assert now[name] == rows_before, name


def test_the_api_changes_nothing_that_is_not_theirs(db: None, quiet: None) -> None:
    del db, quiet
    planted = Planted.make()
    before = rows()
    for role in ("", "loner", "assessor", "rival"):
        for route in routes():
            if not route.pattern.startswith("api/"):
                continue
            for path in paths_of(route, planted):
                if "rival-task" in path:
                    continue
                client = Client(enforce_csrf_checks=True)
                header = {"Authorization": f"Bearer {planted.tokens[role]}"} if role else {}
                for method in ("post", "put", "patch", "delete"):
                    given = {"note": "x", "name": "x", "run": SimpleUploadedFile("x.run", run_text("x").encode()),
                             "qrels": SimpleUploadedFile("q", qrels().encode())}  # fmt: skip
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr("cranfield.server.api.authentication.count", lambda *_: None)
                        answer = (
                            client.post(path, given, headers=header)
                            if method == "post"
                            else getattr(client, method)(path, headers=header)
                        )
                    assert 400 <= answer.status_code < 500, (role, method, path, answer.status_code)
    assert rows() == before


def test_a_token_does_no_more_than_it_says(world: World) -> None:
    task = world.filled()
    run = task.submissions.get(name="ideal")

    def post(person: str, scope: str, path: str) -> int:
        _, text = Token.make(world.people[person], f"{scope}{path}", scope, timezone.now() + timedelta(days=1))
        return Client().post(f"/api/{path}", headers={"Authorization": f"Bearer {text}"}).status_code

    assert post("organiser", Token.READ, "tasks/ad-hoc/close") == 403
    assert post("organiser", Token.SUBMIT, "tasks/ad-hoc/close") == 403
    assert post("alice", Token.READ, f"submissions/{run.key}/withdraw") == 403
    assert post("beth", Token.ORGANISE, f"submissions/{run.key}/withdraw") == 403
    task.refresh_from_db()
    run.refresh_from_db()
    assert (task.state, run.state) == (Task.OPEN, Submission.SCORED)
    assert post("alice", Token.SUBMIT, f"submissions/{run.key}/withdraw") == 200


def test_fields_that_were_not_asked_for_do_not_count(world: World) -> None:
    task = world.task(limit=3)
    alice = world.client("alice")
    run = SimpleUploadedFile("x.run", run_text("x").encode())
    told = {"team": world.teams["Alpha"].pk, "name": "mine", "run": run}
    assert alice.post("/tasks/ad-hoc/submit/", EXTRA | told).status_code == 302
    made = Submission.objects.get()
    assert (made.state, made.baseline, made.stated, made.by) == (
        Submission.RECEIVED,
        False,
        None,
        world.people["alice"],
    )
    assert made.received.date() == timezone.now().date()
    assert (made.team, made.task) == (world.teams["Alpha"], task)
    assert made.key != EXTRA["key"]
    token = Token.make(world.people["alice"], "t", Token.SUBMIT, timezone.now() + timedelta(days=1))[1]
    run = SimpleUploadedFile("y.run", run_text("y", 1).encode())
    answer = Client().post(
        "/api/tasks/ad-hoc/submissions",
        EXTRA | {"name": "second", "run": run},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201
    second = Submission.objects.get(name="second")
    assert (second.state, second.baseline, second.stated) == (Submission.RECEIVED, False, None)
    assert second.received.date() == timezone.now().date()

    assert (
        alice.post(f"/runs/{made.key}/edit", EXTRA | {"description": "new", "name": "renamed", "kind": ""}).status_code
        == 302
    )
    made.refresh_from_db()
    assert (made.description, made.name, made.state, made.baseline, made.stated) == (
        "new",
        "mine",
        "received",
        False,
        None,
    )

    assert (
        alice.post("/my/account/", EXTRA | {"do": "about", "name": "Alice", "email": "a@example.org"}).status_code
        == 302
    )
    person = User.objects.get(username="alice")
    assert (person.name, person.is_superuser, person.is_staff) == ("Alice", False, False)

    alice.post("/my/tokens/", EXTRA | {"name": "x", "scope": "read", "days": "1", "user": world.people["operator"].pk})
    assert Token.objects.get(name="x").user == person
    assert alice.post("/my/teams/", EXTRA | {"name": "New"}).status_code == 302
    assert Team.objects.get(name="New").slug == "new"
    assert not Role.objects.filter(user=person).exists()


def test_a_team_one_is_not_in_cannot_be_submitted_for(world: World) -> None:
    world.task()
    for team in (world.teams["Beta"].pk, 10**12, "x", ""):
        run = SimpleUploadedFile("x.run", run_text("x").encode())
        answer = world.client("alice").post("/tasks/ad-hoc/submit/", {"team": team, "name": "x", "run": run})
        assert answer.status_code == 422, team
    assert not Submission.objects.exists()


def test_who_is_locked_out_is_nobody(world: World) -> None:
    """A session and a token that were good a moment ago are good for nothing."""
    task = world.filled(private=4)
    Submission.objects.filter(name="ideal").update(embargo=timezone.now().date() + timedelta(days=9))
    key = task.submissions.get(name="ideal").key
    token = Token.make(world.people["alice"], "t", Token.SUBMIT, timezone.now() + timedelta(days=1))[1]
    assert world.client("alice").get(f"/runs/{key}/").status_code == 200
    User.objects.filter(username__in=("alice", "operator")).update(is_active=False)
    assert world.client("alice").get(f"/runs/{key}/").status_code == 404
    assert world.client("operator").get("/operate/").status_code == 302  # to log in
    assert Client().get("/api/submissions", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    answer = Client().post("/log-in/", {"username": "alice", "password": PASSWORD})
    assert b"The account or the password is wrong." in answer.content
