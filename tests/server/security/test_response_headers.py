"""What every answer says of itself, and what browsers are told to keep and to send."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.test import Client, override_settings

from tests.support.server.page_requests import policy_of
from tests.support.server.users_and_tasks import PASSWORD

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server.users_and_tasks import World

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
PAGES = (
    "/",
    "/tasks/ad-hoc/",
    "/tasks/ad-hoc/boards/1/",
    "/tasks/ad-hoc/boards/1/stability/",
    "/tasks/ad-hoc/compare/",
    "/log-in/",
    "/join/nothing/",
    "/nothing",  # an error is a page too
    "/tasks/nothing/",
    "/api/docs",
)


def test_every_page_has_the_strict_policy(world: World) -> None:
    world.filled()
    for name in (None, "alice", "organiser", "operator"):
        for path in (*PAGES, "/my/runs/", "/organise/", "/operate/"):
            answer = world.client(name).get(path)
            if answer.headers["Content-Type"].startswith("text/html"):
                assert policy_of(answer.headers["Content-Security-Policy"]) == POLICY, path
                assert answer.headers["X-Frame-Options"] == "DENY", path
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            assert answer.headers["Referrer-Policy"] == "same-origin", path
            assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin", path


def test_refusals_have_it_too(world: World) -> None:
    world.filled()
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    refused = strict.post("/log-in/", {"username": "alice"})
    assert refused.status_code == 403
    assert policy_of(refused.headers["Content-Security-Policy"]) == POLICY
    assert b"did not come from this site" in refused.content
    elsewhere = strict.get("/", headers={"host": "evil.example"})
    assert elsewhere.status_code == 400
    assert policy_of(elsewhere.headers["Content-Security-Policy"]) == POLICY
    assert elsewhere.headers["X-Frame-Options"] == "DENY"
    assert b"evil.example" not in elsewhere.content


def test_a_picture_that_is_opened_alone_can_do_nothing(world: World) -> None:
    world.filled()
    for path in ("/tasks/ad-hoc/boards/1/picture/stability", "/tasks/ad-hoc/full/picture/stability"):
        answer = world.client("organiser").get(path)
        assert answer.headers["Content-Type"] == "image/svg+xml"
        told = policy_of(answer.headers["Content-Security-Policy"])
        assert told == {"default-src 'none'", "style-src 'unsafe-inline'", "sandbox"}
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_files_of_people_are_never_shown_as_pages(world: World) -> None:
    task = world.filled(labels_public=True)
    run = task.submissions.get(name="ideal")
    for path in (f"/runs/{run.key}/file", "/tasks/ad-hoc/downloads/qrels-1.txt", "/tasks/ad-hoc/boards/1/board.csv"):
        answer = world.client("alice").get(path)
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert not answer.headers["Content-Type"].startswith("text/html")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert b"".join(answer)  # to the end, which closes it


def test_what_is_for_one_person_is_kept_by_nobody_on_the_way(world: World) -> None:
    world.filled(private=4)
    for name, paths in {
        "alice": ("/my/runs/", "/my/tokens/", "/my/account/", "/teams/alpha/"),
        "organiser": (
            "/organise/",
            "/organise/ad-hoc/",
            "/organise/ad-hoc/runs/",
            "/tasks/ad-hoc/full/picture/stability",
        ),
        "operator": ("/operate/", "/operate/users/", "/operate/jobs/"),
    }.items():
        for path in paths:
            answer = world.client(name).get(path)
            assert answer.status_code == 200, path
            assert "public" not in answer.headers["Cache-Control"], path
            assert {"no-store", "no-cache"} & {one.strip() for one in answer.headers["Cache-Control"].split(",")}, path
    for path in ("/", "/tasks/ad-hoc/", "/tasks/ad-hoc/full/"):  # whose bytes depend on who asks
        answer = world.client("organiser").get(path)
        assert "public" not in answer.headers.get("Cache-Control", ""), path
        assert "cookie" in answer.headers["Vary"].lower(), path
    kept = world.client("organiser").get("/tasks/ad-hoc/boards/1/")
    assert "public" in kept.headers["Cache-Control"]
    assert "Set-Cookie" not in kept.headers
    assert not kept.cookies


def test_a_board_by_invitation_is_kept_by_its_reader_alone(world: World) -> None:
    world.filled(invited_only=True)
    for path in (
        "/tasks/ad-hoc/boards/1/",
        "/tasks/ad-hoc/boards/1/board.json",
        "/tasks/ad-hoc/boards/1/picture/stability",
    ):
        assert "private" in world.client("alice").get(path).headers["Cache-Control"]


def test_cookies(world: World) -> None:
    client = Client()
    assert client.post("/log-in/", {"username": "alice", "password": PASSWORD}).status_code == 302
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert client.cookies["csrftoken"]["samesite"] == "Lax"
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True):
        client = Client()
        client.post("/log-in/", {"username": "alice", "password": PASSWORD})
        assert client.cookies[settings.SESSION_COOKIE_NAME]["secure"]
        assert client.cookies["csrftoken"]["secure"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_with_tls_makes_cookies_for_tls_alone(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "cranfield.toml").write_text(f'url = "{scheme}://boards.example.org"\n')
    asked = "SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS, s.ALLOWED_HOSTS, s.DEBUG"
    told = subprocess.run(
        [sys.executable, "-c", f"import cranfield.server.settings as s; print(s.{asked})"],
        env=os.environ | {"CRANFIELD_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    hosts = "['127.0.0.1', 'localhost', '[::1]', 'boards.example.org']"
    year = 365 * 24 * 3600
    assert told == (f"True True {year} {hosts} False" if scheme == "https" else f"False False 0 {hosts} False")


def test_a_session_that_was_known_before_is_not_the_one_after(world: World) -> None:
    client = Client()
    session = client.session
    session["mark"] = "known to an attacker"
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    client.post("/log-in/", {"username": "alice", "password": PASSWORD})
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != session.session_key
    old = Client()
    old.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    assert old.get("/my/runs/").status_code == 302  # to log in
    known = str(client.cookies[settings.SESSION_COOKIE_NAME].value)
    client.post("/log-out/")
    gone = Client()
    gone.cookies[settings.SESSION_COOKIE_NAME] = known
    assert gone.get("/my/runs/").status_code == 302


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example/",
        "http:evil.example",
        "javascript:alert(1)",
        "/\\evil.example/",
        "\\\\evil.example",
        "https://testserver@evil.example/",
        " //evil.example",
        "/\t/evil.example",
        "data:text/html,x",
    ],
)
def test_nobody_is_sent_elsewhere_after_logging_in(world: World, wanted: str) -> None:
    for client in (Client(), world.client("beth")):
        page = client.get("/log-in/", {"next": wanted})
        if page.status_code == 200:
            assert b"evil" not in page.content.partition(b"<main")[2]
        else:
            assert page.headers["Location"] == "/"
    answer = Client().post("/log-in/", {"username": "alice", "password": PASSWORD, "next": wanted})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_who_is_wanted_after_logging_in_is(world: World) -> None:
    answer = Client().post("/log-in/", {"username": "alice", "password": PASSWORD, "next": "/my/runs/?page=1"})
    assert answer.headers["Location"] == "/my/runs/?page=1"


def test_a_wrong_host_is_in_no_link(world: World) -> None:
    client = world.client("alice")
    told = {"do": "invite", "days": 3, "uses": 1}
    assert client.post("/teams/alpha/", told, headers={"host": "evil.example"}).status_code == 400
    good = client.post("/teams/alpha/", told, headers={"x-forwarded-host": "evil.example"})
    assert good.status_code == 200
    assert b"evil.example" not in good.content
    assert b"/join/" in good.content


def test_log_in_guessing_ends_soon_and_says_nothing(world: World) -> None:
    client = Client()
    said = set()
    statuses: list[int] = []
    for _ in range(12):
        pages = []
        for name in ("alice", "no-such-person"):
            answer = client.post(
                "/log-in/", {"username": name, "password": "wrong"}, REMOTE_ADDR=f"192.0.2.{len(statuses) % 250}"
            )
            statuses.append(answer.status_code)
            body = answer.content.decode().replace(name, "")
            pages.append(
                body.partition("<main")[2].partition("csrfmiddlewaretoken")[0] + body.rpartition("errors")[2][:200]
            )
        said.add(pages[0] == pages[1])
    assert said == {True}  # known and unknown accounts get one answer
    assert statuses == [200] * 20 + [429] * 4  # ten each, from wherever they come
    right = client.post("/log-in/", {"username": "alice", "password": PASSWORD}, REMOTE_ADDR="192.0.2.251")
    assert right.status_code == 429  # not even the right one now


def test_a_name_that_is_not_the_servers_is_refused_in_words(world: World) -> None:
    with override_settings(ALLOWED_HOSTS=["boards.example.org"]):
        page = world.client().get("/", headers={"host": "elsewhere.example.org"})
        told = world.client().get("/api/tasks", headers={"host": "elsewhere.example.org"})
    assert page.status_code == 400
    assert "does not answer to that name" in page.content.decode()
    assert (told.status_code, told.json()["code"]) == (400, "E-REQUEST")


def test_names_that_scanners_try_do_not_fill_the_log(tmp_path: Path) -> None:
    script = """
import sys
from cranfield.server.site.django_setup import start
start(sys.argv[1])
from django.test import Client, override_settings
with override_settings(ALLOWED_HOSTS=["boards.example.org"]):
    print(Client().get("/", headers={"host": "elsewhere.example.org"}).status_code)
"""
    home = str(tmp_path / "home")
    done = subprocess.run([sys.executable, "-c", script, home], capture_output=True, text=True, check=True)
    assert done.stdout == "400\n"
    assert "Traceback" not in done.stderr
