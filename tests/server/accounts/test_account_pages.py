"""Getting in: passwords, links, tokens, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import hashers
from django.test import Client
from django.utils import timezone

from cranfield.server.accounts import invitations
from cranfield.server.accounts.forms import NewAccount
from cranfield.server.models import Audit, Submission, Token, Try, User
from cranfield.server.site import rate_limits
from tests.support.server.concurrency import in_threads
from tests.support.server.form_fields import NEW
from tests.support.server.page_requests import is_in
from tests.support.server.users_and_tasks import PASSWORD

if TYPE_CHECKING:
    from pytest_django.fixtures import Settings

    from tests.support.server.users_and_tasks import World


def options(settings: Settings, **changed: Any) -> None:
    settings.OPTIONS = replace(django_settings.OPTIONS, **changed)


def log_in(client: Client, name: str, password: str = PASSWORD, **more: Any) -> Any:
    return client.post("/log-in/", {"username": name, "password": password, **more.pop("form", {})}, **more)


def token_of(answer: Any) -> str:
    """The text of a new token on its page."""
    found = re.search(r'<code id="token">(cf_[\w-]+)</code>', answer.content.decode())
    assert found is not None
    return found[1]


def test_logging_in_starts_a_new_session_and_goes_where_one_wanted(world: World) -> None:
    client = Client()
    session = client.session
    session["seen"] = "before"
    session.save()
    before = str(session.session_key)
    client.cookies[django_settings.SESSION_COOKIE_NAME] = before
    answer = log_in(client, "alice", form={"next": "/my/runs/"})
    assert (answer.status_code, answer["Location"]) == (302, "/my/runs/")
    assert is_in(client)
    assert client.session.session_key != before


@pytest.mark.parametrize("spelled", ["ALICE", "Alice"])
def test_names_of_accounts_may_be_spelled_in_any_case(world: World, spelled: str) -> None:
    client = Client()
    assert log_in(client, spelled).status_code == 302


@pytest.mark.parametrize(
    "onwards",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "http:///evil.example"],
)
def test_nobody_is_sent_to_another_site(world: World, onwards: str) -> None:
    answer = log_in(Client(), "alice", form={"next": onwards})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    shown = Client().get("/log-in/", {"next": onwards}).content.decode()
    assert 'name="next" value="/"' in shown
    assert "evil" not in re.sub(r"<a [^>]*log-in[^>]*>", "", shown)
    logged = world.client("alice").get("/log-in/", {"next": onwards})
    assert (logged.status_code, logged["Location"]) == (302, "/")


def test_a_wrong_password_and_an_unknown_account_get_the_same_answer(world: World) -> None:
    def words(name: str) -> str:
        page = log_in(Client(), name, "something else").content.decode()
        return re.sub(r'value="[^"]*"', "", page)

    assert "The account or the password is wrong." in words("alice")
    assert words("alice") == words("nobody")


def test_an_unknown_account_costs_a_hash_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """About the same time: the work that takes long is done as often."""
    counted: list[str] = []
    hasher = type(hashers.get_hasher())
    encode = hasher.encode

    def counting(self: Any, password: str, salt: str) -> str:
        counted.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(hasher, "encode", counting)
    log_in(Client(), "alice", "wrong one")
    known = len(counted)
    log_in(Client(), "nobody", "wrong one")
    assert known == len(counted) - known == 1


def test_an_account_that_was_switched_off_does_not_get_in(world: World) -> None:
    User.objects.filter(username="alice").update(is_active=False)
    client = Client()
    assert "is wrong" in log_in(client, "alice").content.decode()
    assert not is_in(client)


@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_after_ten_failures_one_waits_whether_the_account_exists_or_not(world: World, name: str) -> None:
    for number in range(10):
        answer = log_in(Client(), name, "guess", REMOTE_ADDR=f"192.0.2.{number}")
        assert answer.status_code == 200
    client = Client()
    answer = log_in(client, name, PASSWORD, REMOTE_ADDR="192.0.2.99")
    assert answer.status_code == 429
    assert "Too many tries. Wait 15 minutes, then try again." in answer.content.decode()
    assert not is_in(client)
    Try.objects.update(at=timezone.now() - timedelta(minutes=15, seconds=1))
    assert log_in(client, name, PASSWORD).status_code == (302 if name == "alice" else 200)


def test_an_address_waits_too_whatever_accounts_it_tries(world: World) -> None:
    for number in range(10):
        log_in(Client(), f"account{number}", "guess", REMOTE_ADDR="192.0.2.7")
    assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.7").status_code == 429
    assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.8").status_code == 302


def test_the_newer_addresses_count_by_their_network(world: World) -> None:
    for number in range(10):
        log_in(Client(), f"account{number}", "guess", REMOTE_ADDR=f"2001:db8:1:2::{number + 1}")
    assert log_in(Client(), "alice", REMOTE_ADDR="2001:db8:1:2:ffff::1").status_code == 429
    assert log_in(Client(), "alice", REMOTE_ADDR="2001:db8:1:3::1").status_code == 302


def test_what_a_visitor_says_of_the_address_counts_only_behind_a_proxy(world: World, settings: Settings) -> None:
    def guess(told: str) -> int:
        return int(log_in(Client(), "alice", "x", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=told).status_code)

    for number in range(10):
        guess(f"198.51.100.{number}")
    assert guess("198.51.100.77") == 429  # ten from one address, whatever was written in the header
    Try.objects.all().delete()
    options(settings, proxied=True)
    for number in range(10):
        name = f"account{number}"
        log_in(Client(), name, "x", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=f"203.0.113.{number}, 198.51.100.5")
    assert guess("1.2.3.4, 198.51.100.5") == 429  # the last one is what the proxy added
    assert guess("198.51.100.5, 1.2.3.4") == 200


def test_a_server_behind_a_socket_has_no_addresses(world: World) -> None:
    assert log_in(Client(), "alice", REMOTE_ADDR="").status_code == 302


def test_a_log_in_that_worked_is_no_failure_and_nothing_says_who_tried(world: World) -> None:
    for _ in range(12):
        assert log_in(Client(), "alice", REMOTE_ADDR="192.0.2.7").status_code == 302
    assert not Try.objects.exists()
    log_in(Client(), "alice", "guess", REMOTE_ADDR="192.0.2.7")
    kept = [f"{row.what} {row.key}" for row in Try.objects.all()]
    assert len(kept) == 2
    assert all(re.fullmatch(r"log-in [0-9a-f]{64}", row) for row in kept)


def test_many_guesses_at_once_are_no_more_than_the_limit(world_of_threads: World) -> None:
    del world_of_threads
    granted: list[bool] = []

    def guess(number: int) -> None:
        del number
        granted.append(rate_limits.take(rate_limits.LOG_IN, "account alice").until is None)

    assert in_threads(30, guess) == []
    assert (len(granted), sum(granted)) == (30, 10)


def test_logging_out_is_a_post(world: World) -> None:
    client = world.client("alice")
    assert client.get("/log-out/").status_code == 405
    assert is_in(client)
    assert client.post("/log-out/").status_code == 302
    assert not is_in(client)


def test_signing_up_is_closed_unless_it_is_opened(world: World, settings: Settings) -> None:
    assert Client().get("/sign-up/").status_code == 404
    assert Client().post("/sign-up/", NEW).status_code == 404
    assert "/sign-up/" not in Client().get("/log-in/").content.decode()
    options(settings, sign_up="open")
    assert "/sign-up/" in Client().get("/log-in/").content.decode()
    client = Client()
    assert client.get("/sign-up/").status_code == 200
    assert client.post("/sign-up/", NEW | {"next": "/my/teams/"})["Location"] == "/my/teams/"
    assert is_in(client)
    made = User.objects.get(username="newton")
    assert (made.name, made.is_superuser, made.is_staff) == ("Nell Newton", False, False)
    assert client.get("/sign-up/").status_code == 302


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"username": "ALICE"}, "This name is taken"),
        ({"username": "a b"}, "Letters, digits and . @ + - _ only."),
        ({"username": "<script>"}, "Letters, digits and . @ + - _ only."),
        ({"username": "a\x00b"}, "Null characters are not allowed"),
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "newton1234", "again": "newton1234", "username": "newton1234"}, "too similar"),
        ({"password": "password123", "again": "password123"}, "too common"),
        ({"again": "something else"}, "This is not the same password."),
        ({"email": "no address"}, "Enter a valid email address"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value),
)
def test_a_bad_account_is_refused_with_words(
    world: World, settings: Settings, changed: dict[str, str], said: str
) -> None:
    options(settings, sign_up="open")
    before = User.objects.count()
    page = Client().post("/sign-up/", NEW | changed)
    assert said in page.content.decode()
    assert User.objects.count() == before
    assert PASSWORD not in page.content.decode()


def test_of_two_who_want_a_name_at_once_one_gets_it(
    world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form found the name free; by the time it is written, it is not."""
    options(settings, sign_up="open")
    monkeypatch.setattr(NewAccount, "clean_username", lambda form: form.cleaned_data["username"])
    page = Client().post("/sign-up/", NEW | {"username": "Alice"}).content.decode()
    assert "there is an account Alice already" in page
    assert User.objects.filter(username__iexact="alice").count() == 1


def test_one_address_signs_up_ten_times_an_hour(world: World, settings: Settings) -> None:
    options(settings, sign_up="open")
    for number in range(10):
        assert Client().post("/sign-up/", NEW | {"username": f"person{number}"}).status_code == 302
    answer = Client().post("/sign-up/", NEW)
    assert answer.status_code == 429
    assert "Too many new accounts" in answer.content.decode()


def test_name_and_address_may_change_and_nothing_else(world: World) -> None:
    client = world.client("alice")
    told = {"do": "about", "name": "<b>Alice</b>", "email": "a@example.org", "is_superuser": "on", "username": "root"}
    assert client.post("/my/account/", told).status_code == 302
    alice = User.objects.get(pk=world.people["alice"].pk)
    assert (alice.username, alice.name, alice.is_superuser) == ("alice", "<b>Alice</b>", False)
    page = client.get("/my/account/").content.decode()
    assert "<b>Alice" not in page
    assert "&lt;b&gt;Alice" in page
    assert "E-mail" in page
    assert 'class="errorlist"' in client.post("/my/account/", {"do": "about", "email": "x"}).content.decode()


def test_a_new_password_ends_all_other_sessions_and_on_wish_all_tokens(world: World) -> None:
    here, there = Client(), Client()
    here.force_login(world.people["alice"])
    there.force_login(world.people["alice"])
    Token.make(world.people["alice"], "laptop", Token.READ, timezone.now() + timedelta(days=1))
    told = {"do": "password", "old": PASSWORD, "password": "four words in a row", "again": "four words in a row"}
    assert "This is not your password." in here.post("/my/account/", told | {"old": "x"}).content.decode()
    assert here.post("/my/account/", told).status_code == 302
    assert Token.objects.count() == 1
    assert here.get("/my/account/").status_code == 200
    assert there.get("/my/account/").status_code == 302
    again = {"do": "password", "old": "four words in a row", "password": PASSWORD, "again": PASSWORD, "revoke": "on"}
    assert here.post("/my/account/", again).status_code == 302
    assert not Token.objects.exists()
    assert list(Audit.objects.filter(what="password changed").values_list("about", flat=True)) == [
        {"tokens_revoked": 0},
        {"tokens_revoked": 1},
    ]
    assert PASSWORD not in str(list(Audit.objects.values_list("about", flat=True)))


def test_the_old_password_cannot_be_guessed_from_a_session_that_was_left_open(world: World) -> None:
    client = world.client("alice")
    told = {"do": "password", "password": "four words in a row", "again": "four words in a row"}
    for number in range(10):
        client.post("/my/account/", told | {"old": f"guess {number}"})
    assert "Too many tries" in client.post("/my/account/", told | {"old": PASSWORD}).content.decode()
    assert User.objects.get(username="alice").check_password(PASSWORD)


@pytest.mark.parametrize("page", ["/my/account/", "/my/tokens/", "/my/teams/", "/my/runs/", "/teams/alpha/"])
def test_what_is_ones_own_asks_for_a_log_in(world: World, page: str) -> None:
    answer = Client().get(page)
    assert (answer.status_code, answer["Location"]) == (302, f"/log-in/?next={page}")


def test_a_token_is_shown_once_and_kept_as_a_digest(world: World) -> None:
    client = world.client("alice")
    assert "None yet" in client.get("/my/tokens/").content.decode()
    answer = client.post("/my/tokens/", {"name": "laptop", "scope": "submit", "days": 90})
    text = token_of(answer)
    assert "no-store" in answer.headers["Cache-Control"]
    token = Token.objects.get()
    assert token.digest != text
    assert text not in str(list(Token.objects.values())) + str(list(Audit.objects.values()))
    assert timedelta(days=89) < token.expires - timezone.now() <= timedelta(days=90)
    again = client.get("/my/tokens/").content.decode()
    assert text not in again
    assert "laptop" in again
    assert "never" in again
    second = client.post("/my/tokens/", {"name": "Laptop", "scope": "submit", "days": 90})
    assert "You have a token of this name." in second.content.decode()
    assert Token.objects.count() == 1


@pytest.mark.parametrize(("days", "said"), [(0, "greater than or equal to 1"), (366, "less than or equal to 365")])
def test_tokens_are_good_for_a_year_at_most(world: World, days: int, said: str) -> None:
    page = world.client("alice").post("/my/tokens/", {"name": "laptop", "scope": "submit", "days": days})
    assert said in page.content.decode()
    assert not Token.objects.exists()


def test_tokens_have_known_scopes_and_are_not_too_many(world: World) -> None:
    client = world.client("alice")
    page = client.post("/my/tokens/", {"name": "laptop", "scope": "everything", "days": 9}).content.decode()
    assert "is not one of the available choices" in page
    for number in range(20):
        Token.make(world.people["alice"], f"token {number}", Token.READ, timezone.now() + timedelta(days=1))
    page = client.post("/my/tokens/", {"name": "laptop", "scope": "read", "days": 9}).content.decode()
    assert "You have 20 tokens. Revoke one first." in page


def test_a_token_is_revoked_by_its_owner_alone(world: World) -> None:
    token, _ = Token.make(world.people["alice"], "laptop", Token.READ, timezone.now() - timedelta(days=1))
    assert "expired" in world.client("alice").get("/my/tokens/").content.decode()
    told = {"do": "revoke", "token": token.pk}
    assert world.client("beth").post("/my/tokens/", told).status_code == 404
    assert world.client("alice").post("/my/tokens/", {"do": "revoke", "token": "x"}).status_code == 404
    assert Token.objects.exists()
    assert world.client("alice").post("/my/tokens/", told).status_code == 302
    assert not Token.objects.exists()
    assert Audit.objects.filter(what="token revoked").count() == 1


def test_every_form_carries_its_token(world: World) -> None:
    """Without it nothing is done, on any page that changes something."""
    task = world.task()
    run = world.hand_in(task, "first")
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    pages = [
        "/log-in/",
        "/log-out/",
        f"/join/{text}/",
        "/my/account/",
        "/my/tokens/",
        "/my/teams/",
        "/teams/alpha/",
        "/tasks/ad-hoc/submit/",
        "/tasks/ad-hoc/submit/check",
        "/tasks/ad-hoc/join",
        f"/runs/{run.key}/withdraw",
        f"/runs/{run.key}/edit",
    ]
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(world.people["alice"])
    before = Audit.objects.count()
    for page in pages:
        answer = strict.post(page, {"do": "leave", "name": "x", "username": "alice", "password": PASSWORD})
        assert answer.status_code == 403, page
        assert "did not come from this site" in answer.content.decode()
    assert Audit.objects.count() == before
    run.refresh_from_db()
    assert run.state == Submission.RECEIVED
    shown = strict.get("/my/account/").content.decode()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown)
    assert found is not None
    told = {"csrfmiddlewaretoken": found[1], "do": "about", "name": "A", "email": ""}
    assert strict.post("/my/account/", told).status_code == 302
