"""Who has a part in a task: teams, roles and invites, as its organisers give and take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from cranfield.server.models import Audit, Invite, Participant, Role, Team

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def test_teams_are_added_blocked_and_let_in_again(world: World) -> None:
    task = world.task()
    Participant.objects.filter(team=world.teams["Beta"]).delete()
    client, address = world.client("organiser"), reverse("task-people", args=["ad-hoc"])
    assert "takes part." in client.post(address, {"act": "team", "team": "beta"}, follow=True).content.decode()
    part = Participant.objects.get(task=task, team=world.teams["Beta"])
    assert "takes part already" in client.post(address, {"act": "team", "team": "Beta"}, follow=True).content.decode()
    assert "There is no team" in client.post(address, {"act": "team", "team": "Gamma"}, follow=True).content.decode()
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
    assert "There is no account nobody" in told
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
