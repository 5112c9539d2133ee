"""The desk of an organiser: every page, every act, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse

from cranfield.server.models import Announcement, Audit, Job, Role, Snapshot, Submission, Task, Webhook
from tests.support.server.users_and_tasks import PASSWORD, run_text

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

PAGES = (
    "task-desk task-settings task-labels task-people task-announcements task-audit task-leak task-runs task-import "
    "task-webhooks close-task"
).split()


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_for_organisers_and_operators_alone(world: World, name: str) -> None:
    task = world.filled(private=4)
    address = reverse(name, args=[task.slug])
    for who in ("organiser", "operator"):
        answer = world.client(who).get(address)
        assert answer.status_code == 200
        assert task.title in answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
    for who in ("alice", "beth", "assessor", "loner"):
        assert world.client(who).get(address).status_code == 404
        assert world.client(who).post(address, {"title": "taken over"}).status_code == 404
    nobody = world.client().get(address)
    assert nobody.status_code == 302
    assert nobody["Location"].startswith(reverse("log-in"))
    nowhere = reverse(name, args=["there-is-none"])  # somebody without an account learns nothing of what there is
    assert world.client().get(nowhere)["Location"].startswith(reverse("log-in"))
    assert world.client("organiser").get(nowhere).status_code == 404


def test_the_list_shows_what_is_theirs(world: World) -> None:
    world.task("mine")
    Task.objects.create(slug="other", title="Somebody else's")
    told = world.client("organiser").get(reverse("organise")).content.decode()
    assert "The mine task" in told
    assert "Somebody else" not in told
    assert reverse("new-task") not in told
    assert "Somebody else" in world.client("operator").get(reverse("organise")).content.decode()
    alone = world.client("loner").get(reverse("organise")).content.decode()
    assert "You organise none yet" in alone
    assert world.client().get(reverse("organise")).status_code == 302


def test_open_tasks_come_first_and_history_is_no_run(world: World) -> None:
    task = world.filled("open")
    world.task("over", state=Task.CLOSED)
    world.task("draft", state=Task.DRAFT)
    past = {"stated": 0.3, "state": Submission.SCORED, "team": world.teams["Alpha"]}
    Submission.objects.create(task=task, name="past", **past)
    told = world.client("organiser").get(reverse("organise")).content.decode()
    assert told.index("The open task") < told.index("The draft task") < told.index("The over task")
    assert "4 runs evaluated · 2 teams" in told
    assert "you need a word of the operator" in told
    desk = world.client("organiser").get(reverse("task-desk", args=["open"])).content.decode()
    assert f'<a href="{reverse("task-runs", args=["open"])}">4</a>' in desk
    assert f'<a href="{reverse("task-import", args=["open"])}">1</a> value from elsewhere' in desk


def test_what_was_saved_is_told_in_words(world: World) -> None:
    task = world.task()
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    sent = {"title": task.title, "measures": task.measures, "rel": 1, "test": "tukey", "level": 0.05, "share": 50}
    sent |= {"limit": 10, "days": 30, "most": 100, "embargo_days": 0, "anonymous_days": 9, "labels_public": "on"}
    told = client.post(address, sent, follow=True).content.decode()
    assert "Saved: Days a team may be unnamed; Judgments may be downloaded; private topics." in told
    act = client.get(reverse("task-audit", args=["ad-hoc"])).content.decode()
    assert "to anonymous_days 9, labels_public True" in act
    for closes in ("2020-01-01T12:00", "2019-01-01T12:00"):  # a slip would close it at once, for ever
        refused = client.post(address, sent | {"closes": closes}).content.decode()
        assert "Nothing was saved" in refused
        assert "This time is over" in refused
    Task.objects.update(closes="2020-01-01T12:00:30Z", state=Task.CLOSED)  # what is over may stay so
    answer = client.post(address, sent | {"closes": "2020-01-01T12:00", "title": "Another"}, follow=True)
    assert "Saved: Title" in answer.content.decode()


def test_the_log_names_runs_and_shortens_digests(world: World) -> None:
    task = world.filled()
    run = Submission.objects.get(name="fair")
    text = world.client("organiser").get(reverse("task-audit", args=[task.slug])).content.decode()
    assert f'<a href="/runs/{run.key}/">fair</a>, digest {str(run.blob_id)[:12]}…, team alpha' in text
    assert f'<a href="/runs/{run.key}/">fair</a>, version 1<' in text
    assert str(run.blob_id) not in text


def test_a_draft_is_published_once(world: World) -> None:
    task = world.task(state=Task.DRAFT)
    client = world.client("organiser")
    assert world.client("alice").get(reverse("board", args=[task.slug])).status_code == 404
    assert client.get(reverse("publish-task", args=[task.slug])).status_code == 405
    assert client.post(reverse("publish-task", args=[task.slug])).status_code == 302
    task.refresh_from_db()
    assert task.state == Task.OPEN
    assert world.client("alice").get(reverse("board", args=[task.slug])).status_code == 200
    again = client.post(reverse("publish-task", args=[task.slug]), follow=True)
    assert "already" in again.content.decode()
    assert Audit.objects.filter(what="publish").count() == 1


def test_without_judgments_nothing_is_published(world: World) -> None:
    task = Task.objects.create(slug="bare", title="Bare", state=Task.DRAFT)
    Role.objects.create(task=task, user=world.people["organiser"], role=Role.ORGANISER)
    told = world.client("organiser").post(reverse("publish-task", args=["bare"]), follow=True).content.decode()
    assert "no judgments yet" in told
    task.refresh_from_db()
    assert task.state == Task.DRAFT


def test_closing_asks_twice(world: World) -> None:
    task = world.filled(private=4)
    client, address = world.client("organiser"), reverse("close-task", args=["ad-hoc"])
    assert "cannot be undone" in client.get(address).content.decode()
    client.post(address, {"sure": "yes"})
    task.refresh_from_db()
    assert task.state == Task.OPEN
    client.post(address, {"sure": "ad-hoc"})
    task.refresh_from_db()
    assert task.state == Task.CLOSED
    assert task.closed is not None
    assert Audit.objects.get(what="close").who == "organiser"
    world.work()
    assert Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).count() == 2  # one while open, one over all topics
    told = client.post(address, {"sure": "ad-hoc"}, follow=True).content.decode()
    assert "Only an open task can be closed." in told
    over = client.get(address).content.decode()
    assert "Nothing to close" in over
    assert "cannot be undone" not in over


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({}, "as it is. This"),
        ({"labels_public": True}, "All judgments can be downloaded then."),
        ({"runs_public": True}, "Runs can be downloaded then."),
        ({"labels_public": True, "runs_public": True}, "Judgments and runs can be downloaded then."),
    ],
)
def test_before_closing_an_organiser_is_told_what_everybody_gets(
    world: World, rules: dict[str, Any], said: str
) -> None:
    world.task(**rules)
    assert said in world.client("organiser").get(reverse("close-task", args=["ad-hoc"])).content.decode()


def test_announcements_stand_on_the_board(world: World) -> None:
    world.filled()
    client, address = world.client("organiser"), reverse("task-announcements", args=["ad-hoc"])
    client.post(address, {"text": "The deadline is **Monday** <script>alert(1)</script>"})
    board = world.client().get(reverse("board", args=["ad-hoc"])).content.decode()
    assert "<strong>Monday</strong>" in board
    assert "<script>alert" not in board
    assert "required" in client.post(address, {"text": " "}).content.decode()
    made = Announcement.objects.get()
    client.post(address, {"act": "remove", "which": made.pk})
    assert not Announcement.objects.exists()
    assert Audit.objects.filter(what__startswith="announce").count() == 2
    assert client.post(address, {"act": "remove", "which": made.pk}).status_code == 404


def test_webhooks_are_added_and_removed(world: World) -> None:
    world.task()
    client, address = world.client("organiser"), reverse("task-webhooks", args=["ad-hoc"])
    told = client.post(address, {"url": "https://example.org/heard", "events": ["scored", "closed"]}).content.decode()
    made = Webhook.objects.get()
    assert made.secret in told
    assert made.secret not in client.get(address).content.decode()
    assert made.events == ["scored", "closed"]
    assert "required" in client.post(address, {"url": "https://example.org/", "events": []}).content.decode()
    assert "valid URL" in client.post(address, {"url": "javascript:alert(1)", "events": ["scored"]}).content.decode()
    told = client.post(address, {"url": "ftp://example.org/x", "events": ["scored"]}).content.decode()
    assert Webhook.objects.count() == 1
    client.post(address, {"act": "remove", "which": made.pk})
    assert not Webhook.objects.exists()


def test_all_runs_are_shown_with_their_names(world: World) -> None:
    task = world.task(private=4, embargo_days=30, anonymous_days=30)
    from datetime import timedelta

    from django.utils import timezone

    later = timezone.now().date() + timedelta(days=10)
    world.hand_in(task, "secret-run", embargo=later)
    world.hand_in(task, "shy-run", 1, team="Beta", anonymous=later)
    world.work()
    told = world.client("organiser").get(reverse("task-runs", args=["ad-hoc"])).content.decode()
    assert "secret-run" in told
    assert "shy-run" in told
    assert told.count("until") == 2


def test_a_copy_of_another_teams_run_is_reported_to_organisers_alone(world: World) -> None:
    task = world.task()
    first = world.hand_in(task, "original", 1)
    world.work()
    second = world.hand_in(task, "copy", 1, team="Beta", text=run_text("another-tag", 1))
    world.work()
    own = world.hand_in(task, "again", 1)  # their own: nothing to report
    other = world.hand_in(task, "different", 5, team="Beta")
    world.work()
    for run in (first, second, own, other):
        run.refresh_from_db()
    assert first.report == []
    assert [(row["run"], row["equal"]) for row in second.report] == [(first.key, True)]
    assert [row["run"] for row in own.report] == [second.key]  # the copy is the other team's, and came first
    assert other.report == []
    page = reverse("task-runs", args=["ad-hoc"])
    told = world.client("organiser").get(page).content.decode()
    assert "Nearly the same" in told
    assert "1 nearly the same" not in told
    desk = world.client("organiser").get(reverse("task-desk", args=["ad-hoc"])).content.decode()
    assert "nearly the same as another team" in desk
    for who in ("alice", "beth", None):
        for address in (reverse("run", args=[second.key]), reverse("board", args=["ad-hoc"])):
            assert "early the same" not in world.client(who).get(address).content.decode()
    assert Audit.objects.filter(what="alike", task="ad-hoc").count() == 2


def test_the_log_has_pages(world: World) -> None:
    from cranfield.server.operations import audit_log

    task = world.task()
    for number in range(150):
        audit_log.record(world.people["organiser"], "counted", task=task, number=number, text="x" * 200)
    client, address = world.client("organiser"), reverse("task-audit", args=["ad-hoc"])
    first, second = client.get(address).content.decode(), client.get(address, {"page": 2}).content.decode()
    assert "number 149" in first
    assert "number 5," in second
    assert "number 149" not in second
    assert "page 2 of 2" in second
    assert client.get(address, {"page": "x"}).status_code == 200
    assert "x" * 100 not in first


def test_the_leak_page_says_what_was_told(world: World) -> None:
    task = world.task("plain")
    client = world.client("organiser")
    assert "No topic is private" in client.get(reverse("task-leak", args=["plain"])).content.decode()
    task = world.task(private=6)
    page = reverse("task-leak", args=["ad-hoc"])
    assert "Nothing has leaked" in client.get(page).content.decode()
    world.hand_in(task, "ideal")
    world.hand_in(task, "worse", 3)
    world.hand_in(task, "good", 1, team="Beta")
    world.work()
    told = client.get(page).content.decode()
    assert "Nothing was told about 6 private topics to 3 submissions of 2 teams" in told
    assert "Under the Ladder at 0 decimals" in told  # floor(log10 6) = 0
    Task.objects.filter(pk=task.pk).update(show_private=True)
    told = client.get(page).content.decode()
    assert "Nothing was told" not in told
    assert "One value on private topics is told" in told
    # With 0 decimals there are two answers, 0 and 1. Beta: one submission, one of 2 numbers: 1 bit. Alpha: two
    # submissions, no change: log2(2) + log2(C(1, 0)) + log2(C(2, 1)) = 2 bits.
    import re

    rows = re.findall(r"<tr><td>(Alpha|Beta)</td>(.*?)</tr>", told)
    cells = {team: re.findall(r'class="number">([^<]*)<', row) for team, row in rows}
    assert cells["Alpha"] == ["2", "0", "2.0", "2"]
    assert cells["Beta"] == ["1", "0", "1.0", "1"]


def test_forms_need_their_token(world: World) -> None:
    world.task()
    strict = Client(enforce_csrf_checks=True)
    assert strict.login(username="organiser", password=PASSWORD)
    for name in ("task-settings", "task-people", "task-announcements", "publish-task", "close-task", "task-import"):
        assert strict.post(reverse(name, args=["ad-hoc"]), {"sure": "ad-hoc", "text": "x"}).status_code == 403
    assert not Announcement.objects.exists()


def test_the_desk_counts(world: World) -> None:
    task = world.filled()
    Submission.objects.filter(name="poor").update(state=Submission.FAILED, failure="it broke")
    Submission.objects.filter(name="fair").update(state=Submission.WITHDRAWN)
    Job.objects.create(kind="board", key="k", task=task, state=Job.FAILED)
    told = world.client("organiser").get(reverse("task-desk", args=["ad-hoc"])).content.decode()
    for words in ("Evaluated", "Failed", "Withdrawn", "1 failed", "it broke", "Open: teams can submit"):
        assert words in told
