"""Webhooks: a real receiver on this machine hears what it may hear, signed, and again if it was not there."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.api import webhooks
from cranfield.server.models import Audit, Delivery, Job, Membership, Webhook
from tests.support.server.webhook_receiver import Receiver, listening

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.server.users_and_tasks import World

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "use-the-api.md"
NOW = timedelta(0)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with listening() as found:
        yield found


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator allows addresses of this machine."""
    monkeypatch.setattr(settings, "OPTIONS", replace(settings.OPTIONS, local_webhooks=True))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between two tries."""
    monkeypatch.setattr(webhooks, "WAITS", [NOW] * 5)


def hook(world: World, url: str, **whose: Any) -> Webhook:
    whose = whose or {"team": world.teams["Alpha"]}
    return webhooks.make(url, ["scored", "closed"], world.people["alice"], **whose)


def docs_verify() -> Any:
    """The function that the documentation gives to receivers."""
    block = next(part.split("```")[0] for part in PAGE.read_text().split("```python\n")[1:] if "def is_ours" in part)
    namespace: dict[str, Any] = {}
    exec(block, namespace)
    return namespace["is_ours"]


@pytest.mark.usefixtures("local")
def test_a_team_is_told_of_its_run_and_of_nothing_else(world: World, receiver: Receiver) -> None:
    made = hook(world, f"{receiver.url}heard?as=alpha")
    task = world.task(private=4)
    mine = world.hand_in(task, "mine", 1)
    world.hand_in(task, "theirs", 2, team="Beta")
    world.work()
    [(path, headers, body)] = receiver.heard
    told = json.loads(body)
    assert path == "/heard?as=alpha"
    assert headers["X-Cranfield-Event"] == told["event"] == "scored"
    assert headers["Content-Type"] == "application/json"
    assert (told["run"]["key"], told["run"]["name"], told["run"]["state"]) == (mine.key, "mine", "scored")
    assert told["task"]["slug"] == "ad-hoc"
    assert told["run"]["values"] == mine.results.get().public
    assert mine.results.get().private
    assert not [value for value in mine.results.get().private.values() if str(value) in body.decode()]
    assert set(told) == {"event", "at", "task", "run"}
    assert set(told["run"]) == {"key", "name", "state", "url", "values", "version"}
    sent = Delivery.objects.get()
    assert headers["X-Cranfield-Delivery"] == str(sent.pk)
    assert (sent.webhook, sent.attempts, sent.answer) == (made, 1, "answered 200")
    assert sent.delivered is not None


@pytest.mark.usefixtures("local")
def test_the_signature_can_be_checked(world: World, receiver: Receiver) -> None:
    made = hook(world, receiver.url)
    world.hand_in(world.task(), "mine")
    world.work()
    [(_, headers, body)] = receiver.heard
    stamp, seal = (part.partition("=")[2] for part in headers["X-Cranfield-Signature"].split(","))
    assert abs(int(stamp) - time.time()) < 60
    assert seal == hmac.new(made.secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    is_ours = docs_verify()
    signed = headers["X-Cranfield-Signature"]
    assert is_ours(made.secret, body, signed)
    assert not is_ours("another secret", body, signed)
    assert not is_ours(made.secret, body + b" ", signed)
    old = f"t={int(stamp) - 3600},v1={seal}"
    assert not is_ours(made.secret, body, old)


def test_the_signature_is_that_of_openssl() -> None:
    # printf '1700000000.{"event": "ping"}' | openssl dgst -sha256 -hmac secret
    import subprocess

    said = subprocess.run(
        ["openssl", "dgst", "-sha256", "-hmac", "secret"],
        input=b'1700000000.{"event": "ping"}',
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert webhooks.signature("secret", '{"event": "ping"}', 1_700_000_000) == f"t=1700000000,v1={said.split()[-1]}"


@pytest.mark.usefixtures("local")
def test_the_end_of_a_task_is_told_to_everybody_in_it(world: World, receiver: Receiver) -> None:
    from cranfield.server.jobs.scheduled_jobs import close

    task = world.task()
    other = world.task("other")
    hook(world, f"{receiver.url}alpha")
    hook(world, f"{receiver.url}task", task=task)
    hook(world, f"{receiver.url}other", task=other)
    only_runs = webhooks.make(f"{receiver.url}runs", ["scored"], world.people["beth"], team=world.teams["Beta"])
    close(task_id=task.pk, by="organiser")
    world.work()
    assert sorted(path for path, _, _ in receiver.heard) == ["/alpha", "/task"]
    assert {json.loads(body)["task"]["state"] for _, _, body in receiver.heard} == {"closed"}
    assert not only_runs.deliveries.exists()


@pytest.mark.usefixtures("local", "at_once")
def test_a_message_is_tried_six_times(world: World) -> None:
    with listening(500) as receiver:
        hook(world, receiver.url)
        world.hand_in(world.task(), "mine")
        world.work()
    sent = Delivery.objects.get()
    assert len(receiver.heard) == webhooks.TIMES == 6
    assert (sent.attempts, sent.answer, sent.delivered) == (6, "answered 500", None)
    assert not Job.objects.filter(kind="deliver").exclude(state=Job.DONE).exists()
    signatures = {headers["X-Cranfield-Signature"] for _, headers, _ in receiver.heard}
    assert len({body for _, _, body in receiver.heard}) == 1
    assert all(one.startswith("t=") for one in signatures)


@pytest.mark.usefixtures("local")
def test_the_pauses_become_longer(world: World) -> None:
    with listening(503) as receiver:
        sent = webhooks.send(hook(world, receiver.url), webhooks.PING)
        for number, pause in enumerate((10, 60, 600, 3600, 21_600), 1):
            webhooks.deliver(delivery=sent.pk)
            waiting = Job.objects.get(key=f"deliver {sent.pk} {number + 1}")
            assert (waiting.after - timezone.now()).total_seconds() == pytest.approx(pause, abs=5)
        receiver.answer = 204
        webhooks.deliver(delivery=sent.pk)
        sent.refresh_from_db()
        assert (sent.attempts, sent.answer) == (6, "answered 204")
        assert sent.delivered is not None
        webhooks.deliver(delivery=sent.pk)  # a second worker with the same job
    assert len(receiver.heard) == 6


@pytest.mark.usefixtures("local")
def test_nobody_is_followed_elsewhere(world: World) -> None:
    with listening(307) as receiver:
        webhooks.send(hook(world, receiver.url), webhooks.PING)
        world.work()
    assert [path for path, _, _ in receiver.heard] == ["/"]
    assert Delivery.objects.get().answer == "answered 307"


def test_without_the_operator_s_word_nothing_goes_to_this_machine(world: World, receiver: Receiver) -> None:
    port = receiver.url.rpartition(":")[2]
    for name in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "127.1"):
        sent = webhooks.send(hook(world, f"http://{name}:{port}"), webhooks.PING)
        webhooks.deliver(delivery=sent.pk)
        sent.refresh_from_db()
        assert sent.delivered is None
        assert sent.answer.startswith("the address lies in a private network")
        Webhook.objects.all().delete()
    assert receiver.heard == []


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "https://", "https://me:pw@example.org/", "x" * 600]
)
def test_addresses_that_cannot_be_told(world: World, url: str) -> None:
    with pytest.raises(ParameterError, match="no address for messages"):
        hook(world, url)


def test_a_webhook_needs_known_events_and_there_are_not_many(world: World) -> None:
    for events in ([], ["scored", "leaked"]):
        with pytest.raises(ParameterError, match="something to be told of"):
            webhooks.make("https://example.org/", events, world.people["alice"], team=world.teams["Alpha"])
    for number in range(5):
        hook(world, f"https://example.org/{number}")
    with pytest.raises(ParameterError, match="5 webhooks already"):
        hook(world, "https://example.org/6")
    hook(world, "https://example.org/6", team=world.teams["Beta"])


def test_messages_of_a_webhook_that_is_gone_are_forgotten(world: World) -> None:
    made = hook(world, "https://example.org/")
    sent = webhooks.send(made, webhooks.PING)
    webhooks.remove(made, world.people["alice"])
    webhooks.deliver(delivery=sent.pk)
    assert [row.what for row in Audit.objects.order_by("id")] == ["webhook", "webhook removed"]
    assert made.secret not in str(list(Audit.objects.values()))


def test_the_page_of_webhooks(world: World) -> None:
    alice = world.client("alice")
    assert "None yet" in alice.get("/my/webhooks/").content.decode()
    team = world.teams["Alpha"].pk
    given = {"team": team, "url": "https://example.org/heard", "events": ["scored"]}
    shown = alice.post("/my/webhooks/", given).content.decode()
    made = Webhook.objects.get()
    assert made.secret in shown
    assert made.secret not in alice.get("/my/webhooks/").content.decode()
    assert "https://example.org/heard" in alice.get("/my/webhooks/").content.decode()
    assert alice.post("/my/webhooks/", {"act": "ping", "which": made.pk}).status_code == 302
    assert Delivery.objects.get().event == "ping"
    assert "on its way" in alice.get("/my/webhooks/").content.decode()
    assert (
        "no address for messages"
        in alice.post("/my/webhooks/", {**given, "url": "ftp://example.org/"}).content.decode()
    )
    assert alice.post("/my/webhooks/", {"act": "remove", "which": made.pk}).status_code == 302
    assert not Webhook.objects.exists()


def test_webhooks_are_for_leaders_of_the_team(world: World) -> None:
    made = hook(world, "https://example.org/heard")
    given = {"team": world.teams["Alpha"].pk, "url": "https://example.org/x", "events": ["scored"]}
    for name in ("beth", "loner", "organiser", "adam"):
        client = world.client(name)
        for act in ("remove", "ping"):
            assert client.post("/my/webhooks/", {"act": act, "which": made.pk}).status_code == 404
        client.post("/my/webhooks/", given)
        seen = "https://example.org/heard" in client.get("/my/webhooks/").content.decode()
        assert seen is (name == "adam")  # who is in the team, but does not lead it, may look
    assert client.post("/my/webhooks/", {"act": "ping", "which": "x"}).status_code == 404
    assert Webhook.objects.count() == 1
    assert Membership.objects.get(user=world.people["adam"]).leader is False
    assert Client().get("/my/webhooks/").status_code == 302
    assert Client(enforce_csrf_checks=True).post("/my/webhooks/", given).status_code == 403
