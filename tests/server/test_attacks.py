"""What strangers and participants try: scripts in texts, forged forms, other people's things, fields nobody asked."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.test import Client
from django.utils import timezone

from cranfield.server import boards
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
from tests.server.harmless import faults_of
from tests.server.planted import MAIN, Planted, crawl, forget, paths_of, routes
from tests.server.test_crawl import rows
from tests.server.world import PASSWORD, World, qrels, run_text

if TYPE_CHECKING:
    from collections.abc import Iterator


HOSTILE = "=1+1\"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7331*3}}\u202e"
COMPUTED = "21993"  # what a template would make of it
# Columns that hold no words of people: names for machines, states, digests, numbers as text.
MACHINE = {
    "slug", "key", "digest", "password", "state", "measures", "test", "role", "scope", "start", "event", "media",
    "panel", "ranking", "previous", "session_key", "session_data", "codename", "app_label", "model", "worker",
    "username", "url", "secret", "what",
}  # fmt: skip
KIND = {"Snapshot", "Job"}  # whose kind is one of ours


@pytest.fixture
def quiet() -> Iterator[None]:
    """Every refusal is a line of the log, and there are thousands."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def poisoned(db: None, quiet: None) -> Planted:
    """A server in which every text is an attack."""
    del db, quiet
    return poison(Planted.make())


def poison(planted: Planted) -> Planted:
    """Write an attack into every column that holds words, whatever forms would have refused."""
    for model in apps.get_models():
        names = [
            (one.name, one.max_length, one.unique)
            for one in model._meta.concrete_fields
            if isinstance(one, models.CharField | models.TextField)
            and not one.choices
            and one.name not in MACHINE
            and not (one.name == "kind" and model.__name__ in KIND)
            and model.__module__.startswith("cranfield.server")
            and model.__name__ != "Audit"  # a chain in which every change shows
            and not (model.__name__ == "Job" and one.name == "key")
        ]
        for row in model._default_manager.all():
            for name, most, unique in names:
                room = (most or 5000) - len(HOSTILE)
                text = (
                    (f"{row.pk}{HOSTILE}" if unique or name == "name" else HOSTILE) if room > 3 else HOSTILE[5:][:most]
                )
                setattr(row, name, text)
            row.save()
    bad = {"line": 1, "code": HOSTILE, "message": HOSTILE, "hint": HOSTILE, "file": HOSTILE, "severity": "warning"}
    for run in Submission.objects.all():
        run.metadata, run.problems, run.link = {HOSTILE: [HOSTILE]}, [bad], "javascript:alert(1)"
        run.report = [{"run": run.key, "name": HOSTILE, "team": HOSTILE, "rbo": 1.0, "equal": False}]
        run.save()
    Team.objects.update(link="javascript:alert(1)")
    Job.objects.filter(state=Job.WAITING, kind="score").delete()
    boards.board(task_id=planted.task.pk)
    planted.world.work()
    forget()
    return planted


def test_texts_of_people_are_only_ever_read(poisoned: Planted) -> None:
    seen = 0
    for answer in crawl(poisoned, ("", "alice", "organiser", "operator")):
        assert answer.status < 500, (answer.role, answer.path)
        assert not faults_of(answer), (answer.role, answer.path, faults_of(answer))
        if answer.kind == "text/html":
            body = answer.body.decode()
            assert "<script>alert" not in body, (answer.role, answer.path)
            assert "<img src=x" not in body, (answer.role, answer.path)
            assert COMPUTED not in body, (answer.role, answer.path)
            seen += "&lt;script&gt;alert(1)" in body
    assert seen > 100  # the attacks were there


class Forms(HTMLParser):
    """The forms of a page that change something, with their fields."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []
        self.now: dict[str, Any] | None = None
        self.choice = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.now = {"to": told.get("action", ""), "words": [], "data": {}, "files": []}
            if told.get("method", "get").lower() == "post":
                self.found.append(self.now)
        if self.now is None:
            return
        name = told.get("name", "")
        if tag == "textarea" or (tag == "input" and told.get("type", "text") in ("text", "search", "password")):
            self.now["words"].append(name)
        elif tag == "input" and told.get("type") == "file":
            self.now["files"].append(name)
        elif tag == "input" and told.get("type") in ("hidden", "number", "email", "url", "date", "datetime-local"):
            usual = {"email": "x@example.org", "url": "https://example.org/", "number": "1"}
            self.now["data"][name] = told.get("value") or usual.get(told["type"], "")
        elif tag == "button" and name:
            self.now["data"].setdefault(name, told.get("value", ""))
        elif tag == "select":
            self.choice = name
        elif tag == "option" and self.choice:
            self.now["data"].setdefault(self.choice, told.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.now = None
        if tag == "select":
            self.choice = ""


FILES = {
    "run": run_text(
        "x", header="# ir_metadata.start\n# platform:\n#   software: <script>alert(1)</script>\n# ir_metadata.end"
    ),
    "qrels": qrels() + "<script>alert(1)</script> 0 =D01 1\n",
    "topics": "301\t<script>alert(1)</script>\n",
    "table": "date,run,team,value\n2020-01-01,=1+1,<script>alert(1)</script>,0.5\n",
}
EMPTY = "empty"


@pytest.mark.parametrize(
    "words",
    [
        HOSTILE,
        "\x00",
        "a\x00b",
        "x" * 10_000,
        "javascript:alert(1)",
        "\ud83d\ude00" * 300,
        "../../etc/passwd",
        "",
        "\r\nSet-Cookie: a=b",
    ],
    ids=["script", "nul", "inner-nul", "long", "link", "wide", "path", EMPTY, "header"],
)
def test_every_field_of_every_form_takes_anything_and_stays_harmless(world: World, words: str, quiet: None) -> None:
    """All forms that somebody finds, filled with one text: refused or taken, never a fault, never alive."""
    del quiet
    words = words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    task = world.task(private=4, embargo_days=9, anonymous_days=9)
    world.hand_in(task, "first")
    run = Submission.objects.get()
    filled = 0
    desk = "settings/ labels/ people/ announcements/ webhooks/ import/ close".split()
    mine = "my/account my/tokens my/teams my/webhooks teams/alpha tasks/ad-hoc/submit log-in".split()
    places = {
        "alice": [*(f"/{name}/" for name in mine), f"/runs/{run.key}/edit"],
        "organiser": ["/organise/new/", *(f"/organise/ad-hoc/{name}" for name in desk)],
        "operator": ["/operate/users/", "/operate/jobs/"],
        None: ["/log-in/", "/join/nothing/"],
    }
    for name, paths in places.items():
        client = world.client(name)
        for path in paths:
            reader = Forms()
            reader.feed(client.get(path).content.decode())
            for form in reader.found:
                if not form["words"] and not form["files"]:
                    continue
                told = form["data"] | dict.fromkeys(form["words"], words)
                files = {one: SimpleUploadedFile(words or "x", FILES[one].encode()) for one in form["files"]}
                to = form["to"] if form["to"].startswith("/") else path
                answer = client.post(to, told | files, follow=True)
                assert answer.status_code < 500, (name, to, words[:20])
                filled += 1
                body = answer.content.decode()
                assert "<script>alert" not in body
                assert "Set-Cookie: a" not in "\n".join(answer.headers.values())
    assert filled > 15
    for name in places:
        for path in (
            "/",
            "/tasks/ad-hoc/",
            "/tasks/ad-hoc/about/",
            "/my/runs/",
            "/organise/ad-hoc/audit/",
            "/operate/jobs/",
        ):
            assert world.client(name).get(path).status_code < 500


@pytest.mark.parametrize(
    "what", ["%00", "a%00b", "%ff", "%F0%9F%98%80" * 50, "%2e%2e%2f" * 9, "-1", "9" * 30, "' or 1=1 --"]
)
def test_addresses_take_anything(world: World, what: str, quiet: None) -> None:
    """Whatever stands in an address or behind it, the answer is a page."""
    del quiet
    world.filled()
    fields = "q kind meta sort order run runs page state name next n after limit full task team".split()
    asked = "&".join(f"{field}={what}" for field in fields)
    client = world.client("operator")
    planted_gaps = re.compile(r"<(?:\w+:)?(\w+)>")
    for route in routes():
        for path in {planted_gaps.sub("ad-hoc", route.pattern), planted_gaps.sub(what, route.pattern)}:
            assert client.get(f"/{path}?{asked}").status_code < 500, path
    token = Token.make(world.people["operator"], "t", Token.ORGANISE, timezone.now() + timedelta(days=1))[1]
    for route in routes():
        if route.pattern.startswith("api/"):
            path = planted_gaps.sub("ad-hoc", route.pattern)
            answer = client.get(f"/{path}?{asked}", headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code < 500, path


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


THEIRS = ("alpha", "wombatteam", "numbatteam")
ATTACKERS = ("loner", "beth", "assessor", "rival")


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
                    answer = client.post(path, BAG | {"which": str(planted.task.pk)} | act)
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
                        patch.setattr("cranfield.server.api._auth._count", lambda *_: None)
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


EXTRA = {
    "is_superuser": "on", "is_staff": "on", "is_active": "on", "state": "scored", "stated": "0.99",
    "received": "2001-01-01", "baseline": "on", "exempt": "on", "private": "[]", "released": "0.99", "by": "1",
    "blob": "1", "pk": "1", "id": "1", "key": "000000000000", "slug": "taken", "user": "1", "task": "1",
    "invited": "on", "blocked": "", "leader": "on", "metadata": "{}", "report": "[]", "withdrawn": "", "ranking": "x",
}  # fmt: skip


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
    assert (made.team, made.task, made.ranking) == (world.teams["Alpha"], task, "")
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


def test_a_compared_run_that_went_away_is_no_fault(world: World) -> None:
    """Between a withdrawal and the next board, the old board still names the run."""
    task = world.filled()
    keys = [task.submissions.get(name=name).key for name in ("ideal", "fair")]
    for key in keys:
        world.client("alice").post(f"/runs/{key}/withdraw")
    for asked in (",".join(keys), f"{keys[0]},{task.submissions.get(name='good').key}"):
        answer = world.client("loner").get(f"/tasks/ad-hoc/compare/?runs={asked}")
        assert answer.status_code == 200
        assert b"Choose two to 4 runs of this board." in answer.content


def test_what_is_due_by_date_is_due_at_once(world: World) -> None:
    """A run whose embargo ends is shown by its own page from that day on, whatever the last board said."""
    task = world.task(embargo_days=30)
    later = timezone.now().date() + timedelta(days=5)
    run = world.hand_in(task, "hidden", embargo=later)
    world.work()
    assert world.client("beth").get(f"/runs/{run.key}/").status_code == 404
    Submission.objects.filter(pk=run.pk).update(embargo=timezone.now().date())
    assert world.client("beth").get(f"/runs/{run.key}/").status_code == 200
