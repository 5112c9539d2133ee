"""What strangers and participants write: scripts in texts, anything in forms and addresses."""

from __future__ import annotations

import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from cranfield.server.models import Submission, Token
from tests.support.server.security.active_content import faults_of
from tests.support.server.security.crawler import crawl, routes
from tests.support.server.security.hostile_content import HOSTILE, poison
from tests.support.server.security.planted_secrets import Planted
from tests.support.server.users_and_tasks import World, qrels, run_text

COMPUTED = "21993"  # what a template would make of it


@pytest.fixture
def poisoned(db: None, quiet: None) -> Planted:
    """A server in which every text is an attack."""
    del db, quiet
    return poison(Planted.make())


@pytest.mark.once
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


def test_a_compared_run_that_went_away_is_no_fault(world: World) -> None:
    """Between a withdrawal and the next board, the old board still names the run."""
    task = world.filled()
    keys = [task.submissions.get(name=name).key for name in ("ideal", "fair")]
    for key in keys:
        world.client("alice").post(f"/runs/{key}/withdraw")
    for asked in (",".join(keys), f"{keys[0]},{task.submissions.get(name='good').key}"):
        answer = world.client("loner").get(f"/tasks/ad-hoc/compare/?runs={asked}")
        assert answer.status_code == 200
        assert b"Choose 2 to 4 runs of this board." in answer.content


def test_what_is_due_by_date_is_due_at_once(world: World) -> None:
    """A run whose embargo ends is shown by its own page from that day on, whatever the last board said."""
    task = world.task(embargo_days=30)
    later = timezone.now().date() + timedelta(days=5)
    run = world.hand_in(task, "hidden", embargo=later)
    world.work()
    assert world.client("beth").get(f"/runs/{run.key}/").status_code == 404
    Submission.objects.filter(pk=run.pk).update(embargo=timezone.now().date())
    assert world.client("beth").get(f"/runs/{run.key}/").status_code == 200
