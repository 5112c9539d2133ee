"""The desk of an organiser: every page, every act, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse

from cranfield.server.models import (
    Announcement,
    Audit,
    Invite,
    Job,
    Participant,
    Role,
    Snapshot,
    Submission,
    Task,
    Team,
    Webhook,
)
from tests.server.world import PASSWORD, TOPICS, run_text

if TYPE_CHECKING:
    from tests.server.world import World

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
    assert "only an open task can be closed" in told


def rules(task: Task, **changed: object) -> dict[str, object]:
    """What the form of settings sends if nothing is touched, and what is changed."""
    names = "title summary about measures rel test level limit days most embargo_days anonymous_days".split()
    told: dict[str, object] = {name: getattr(task, name) for name in names}
    return told | {"share": 0, "listed": " ".join(task.private)} | changed


def test_settings_change_what_may_be_changed(world: World) -> None:
    task = world.task(private=4)
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    client.post(address, rules(task, title="Another name", limit=3, opens="2026-01-02T03:04", invited_only="on"))
    task.refresh_from_db()
    assert (task.title, task.limit, task.invited_only) == ("Another name", 3, True)
    assert task.opens is not None
    assert task.opens.isoformat() == "2026-01-02T03:04:00+00:00"
    assert task.private == TOPICS[-4:]
    act = Audit.objects.get(what="settings")
    assert sorted(act.about["changed"]) == ["invited_only", "limit", "opens", "title"]
    client.post(address, rules(task, opens="2026-01-02T03:04", invited_only="on"))
    assert Audit.objects.filter(what="settings").count() == 1  # nothing was changed, so nothing is written down


def test_the_split_may_change_until_runs_are_in(world: World) -> None:
    task = world.task(private=4)
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    client.post(address, rules(task, listed="301 302, 303"))
    task.refresh_from_db()
    assert task.private == ["301", "302", "303"]
    client.post(address, rules(task, listed="", share=50, seed=7))
    task.refresh_from_db()
    assert len(task.private) == 6
    told = client.post(address, rules(task, listed="999")).content.decode()
    assert "nobody judged topic 999" in told
    told = client.post(address, rules(task, listed=" ".join(TOPICS))).content.decode()
    assert "every topic would be private" in told
    before = list(task.private)
    world.hand_in(task, "first")
    page = client.get(address).content.decode()
    assert 'name="share"' not in page
    assert 'name="listed"' not in page
    client.post(address, rules(task, listed="301"))
    task.refresh_from_db()
    assert task.private == before


def test_other_measures_make_a_new_version_once_runs_are_in(world: World) -> None:
    task = world.filled()
    client, address = world.client("organiser"), reverse("task-settings", args=["ad-hoc"])
    told = client.post(address, rules(task, measures="P@5")).content.decode()
    assert "every run is evaluated again" in told
    task.refresh_from_db()
    assert task.measures == "nDCG@10 AP"
    client.post(address, rules(task, measures="p_5 map", again="on"))
    task.refresh_from_db()
    assert task.measures == "P@5 AP"
    version = task.version
    assert version is not None
    assert version.number == 2
    assert version.results.count() == 0
    world.work()
    assert version.results.count() == 4
    ideal = version.results.get(submission__name="ideal")
    # Topics 301 … 312 have 1, 2, 3, 1, 2, 3, … relevant documents, all found first: the mean of (1 + 2 + 3) / 3 / 5.
    assert ideal.public["P@5"] == pytest.approx(2 / 5)
    old = Snapshot.objects.filter(task=task).order_by("number").first()
    assert old is not None
    assert old.version.number == 1


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("measures", "nDCH@10", "there is no measure named"),
        ("measures", "", "required"),
        ("test", "guess", "there is no test named"),
        ("test", "t sign", "Give one test"),
        ("level", "2", "less than or equal to"),
        ("closes", "2020-01-01T00:00", "must close after it opens"),
        ("limit", "-1", "greater than or equal to"),
    ],
)
def test_settings_that_make_no_sense_are_refused(world: World, field: str, value: str, said: str) -> None:
    task = world.task()
    answer = world.client("organiser").post(
        reverse("task-settings", args=["ad-hoc"]), rules(task, opens="2021-01-01T00:00", **{field: value})
    )
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert not Audit.objects.filter(what="settings").exists()


def test_teams_are_added_blocked_and_let_in_again(world: World) -> None:
    task = world.task()
    Participant.objects.filter(team=world.teams["Beta"]).delete()
    client, address = world.client("organiser"), reverse("task-people", args=["ad-hoc"])
    assert "takes part." in client.post(address, {"act": "team", "team": "beta"}, follow=True).content.decode()
    part = Participant.objects.get(task=task, team=world.teams["Beta"])
    assert "takes part already" in client.post(address, {"act": "team", "team": "Beta"}, follow=True).content.decode()
    assert "there is no team" in client.post(address, {"act": "team", "team": "Gamma"}, follow=True).content.decode()
    assert "required" in client.post(address, {"act": "team", "team": ""}).content.decode()
    client.post(address, {"act": "block", "which": part.pk})
    part.refresh_from_db()
    assert part.blocked
    assert "blocked" in client.get(address).content.decode()
    client.post(address, {"act": "unblock", "which": part.pk})
    part.refresh_from_db()
    assert not part.blocked
    other = world.task("other")
    theirs = Participant.objects.get(task=other, team=world.teams["Beta"])
    assert client.post(address, {"act": "block", "which": theirs.pk}).status_code == 404  # of another task
    for wrong in ("", "x", "²", "9" * 40):
        assert client.post(address, {"act": "block", "which": wrong}).status_code == 404
    assert list(Audit.objects.filter(what__startswith="team ").values_list("what", flat=True)) == [
        "team added", "team blocked", "team unblocked"
    ]  # fmt: skip


def test_nobody_is_added_with_a_second_team(world: World) -> None:
    world.task()
    second = Team.objects.create(name="Alpha two", slug="alpha-two")
    second.people.add(world.people["alice"])
    address = reverse("task-people", args=["ad-hoc"])
    told = world.client("organiser").post(address, {"act": "team", "team": "Alpha two"}, follow=True).content.decode()
    assert "another team" in told
    assert not Participant.objects.filter(team=second).exists()


def test_roles_are_given_and_taken_but_one_organiser_stays(world: World) -> None:
    task = world.task()
    client, address = world.client("organiser"), reverse("task-people", args=["ad-hoc"])
    client.post(address, {"act": "person", "username": "LONER", "role": "organiser"})
    assert world.client("loner").get(reverse("task-desk", args=["ad-hoc"])).status_code == 200
    told = client.post(
        address, {"act": "person", "username": "nobody", "role": "assessor"}, follow=True
    ).content.decode()
    assert "there is no account nobody" in told
    assert client.post(address, {"act": "person", "username": "beth", "role": "king"}).status_code == 200
    assert not Role.objects.filter(user=world.people["beth"]).exists()
    mine = Role.objects.get(task=task, user=world.people["organiser"])
    client.post(address, {"act": "remove", "which": mine.pk})
    assert client.get(address).status_code == 404
    last = Role.objects.get(task=task, user=world.people["loner"])
    told = world.client("loner").post(address, {"act": "remove", "which": last.pk}, follow=True).content.decode()
    assert "the last organiser" in told
    assert Role.objects.filter(pk=last.pk).exists()


def test_an_invite_link_is_shown_once_and_can_be_taken_back(world: World) -> None:
    world.task(invited_only=True)
    client, address = world.client("organiser"), reverse("task-people", args=["ad-hoc"])
    told = client.post(
        address, {"act": "invite", "as_": "assessor", "uses": 2, "days": 3, "note": "for Zoë"}, follow=True
    )
    text = told.content.decode()
    assert "/join/" in text
    link = text.split("/join/")[1].split("/")[0]
    made = Invite.objects.get()
    assert (made.role, made.uses_left, made.note) == ("assessor", 2, "for Zoë")
    assert link not in client.get(address).content.decode()
    assert world.client().get(f"/join/{link}/").status_code == 200
    client.post(address, {"act": "void", "which": made.pk})
    assert world.client().get(f"/join/{link}/").status_code != 200
    assert (
        "less than or equal"
        in client.post(address, {"act": "invite", "as_": "team", "uses": 9999, "days": 3}).content.decode()
    )


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
    from cranfield.server import audit

    task = world.task()
    for number in range(150):
        audit.record(world.people["organiser"], "counted", task=task, number=number, text="x" * 200)
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
