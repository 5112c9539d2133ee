"""Links that let people in: for whom, how long, how often."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.accounts import invitations
from cranfield.server.models import Audit, Invite, Membership, Participant, Role, Team, User
from cranfield.server.operations import audit_log
from cranfield.server.submissions.intake import Refused
from tests.support.server.concurrency import in_threads
from tests.support.server.form_fields import NEW
from tests.support.server.page_requests import is_in
from tests.support.server.users_and_tasks import PASSWORD

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def test_links_are_kept_as_digests_and_written_down(world: World) -> None:
    invite, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    assert text not in str(list(Invite.objects.values())) + str(list(Audit.objects.values()))
    assert invitations.find_invite(text) == invite
    assert invitations.find_invite(text[:-1]) is None
    assert invitations.link_of(text) == f"http://127.0.0.1:8000/join/{text}/"
    assert not list(audit_log.broken())


def test_who_may_invite_whom(world: World) -> None:
    task, alpha = world.task(), world.teams["Alpha"]
    other = world.task("other")
    Role.objects.filter(task=other).delete()
    may: dict[str, list[dict[str, Any]]] = {
        "operator": [{}, {"team": alpha}, {"task": task}, {"task": other, "role": "assessor"}, {"role": "operator"}],
        "organiser": [{"task": task}, {"task": task, "role": "organiser"}, {"task": task, "role": "assessor"}],
        "alice": [{"team": alpha}],
    }
    may_not: dict[str, list[dict[str, Any]]] = {
        "organiser": [{}, {"team": alpha}, {"task": other}, {"task": task, "team": alpha}, {"role": "operator"}],
        "alice": [{}, {"task": task}, {"team": world.teams["Beta"]}, {"team": alpha, "task": task}],
        "adam": [{"team": alpha}],
        "assessor": [{"task": task}, {"task": task, "role": "assessor"}],
        "loner": [{}],
    }
    for who, kinds in may.items():
        for kind in kinds:
            assert invitations.make_invite(world.people[who], **kind)[0].good
    for who, kinds in may_not.items():
        for kind in kinds:
            with pytest.raises(Refused) as no:
                invitations.make_invite(world.people[who], **kind)
            assert no.value.code == "E-RIGHT"


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"days": 91}, {"uses": 0}, {"uses": 501}, {"role": "organiser"}, {"role": "king"}], ids=str
)
def test_an_invite_that_makes_no_sense_is_refused(world: World, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        invitations.make_invite(world.people["operator"], **wrong)


def test_operator_is_no_role_in_a_task(world: World) -> None:
    with pytest.raises(ParameterError):
        invitations.make_invite(world.people["operator"], task=world.task(), role="operator")


def test_a_link_makes_an_account_in_the_team_once(world: World) -> None:
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    client = Client()
    page = client.get(f"/join/{text}/")
    assert "Join Alpha" in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]
    assert Invite.objects.get().uses_left == 1  # looking at it uses nothing
    answer = client.post(f"/join/{text}/", NEW)
    assert (answer.status_code, answer["Location"]) == (302, "/teams/alpha/")
    assert is_in(client)
    assert Membership.objects.filter(team=world.teams["Alpha"], user__username="newton", leader=False).exists()
    gone = Client().post(f"/join/{text}/", NEW | {"username": "second"})
    assert gone.status_code == 404
    assert "This link is not good" in gone.content.decode()
    assert not User.objects.filter(username="second").exists()
    assert list(Audit.objects.filter(what="invite used").values_list("who", flat=True)) == ["newton"]


def test_somebody_who_is_logged_in_joins_and_who_is_in_uses_nothing(world: World) -> None:
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    assert "You are logged in as" in world.client("adam").get(f"/join/{text}/").content.decode()
    assert world.client("adam").post(f"/join/{text}/").status_code == 302
    assert Invite.objects.get().uses_left == 1
    assert world.client("loner").post(f"/join/{text}/").status_code == 302
    assert Invite.objects.get().uses_left == 0
    assert Membership.objects.filter(team=world.teams["Alpha"], user=world.people["loner"]).exists()


def test_a_link_for_an_account_is_for_those_who_have_none(world: World) -> None:
    _, text = invitations.make_invite(world.people["operator"])
    client = world.client("alice")
    assert "you have an account already" in client.get(f"/join/{text}/").content.decode()
    client.post(f"/join/{text}/")
    assert Invite.objects.get().uses_left == 1
    newcomer = Client()
    assert newcomer.post(f"/join/{text}/", NEW)["Location"] == "/"
    assert is_in(newcomer)


def test_a_bad_form_uses_no_link(world: World) -> None:
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    page = Client().post(f"/join/{text}/", NEW | {"again": "other"}).content.decode()
    assert "This is not the same password." in page
    assert Invite.objects.get().uses_left == 1


def test_links_end(world: World) -> None:
    invite, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"], uses=3)
    Invite.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert Client().get(f"/join/{text}/").status_code == 404
    Invite.objects.update(expires=timezone.now() + timedelta(days=1))
    assert Client().get(f"/join/{text}/").status_code == 200
    with pytest.raises(Refused):
        invitations.void(invite, world.people["adam"])
    invitations.void(invite, world.people["alice"])
    assert Client().get(f"/join/{text}/").status_code == 404
    assert world.client("loner").get("/join/nonsense/").status_code == 404


def test_a_link_is_worth_what_its_maker_may_do_today(world: World) -> None:
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    Membership.objects.filter(user=world.people["alice"]).update(leader=False)
    assert invitations.find_invite(text) is None
    Membership.objects.filter(user=world.people["alice"]).update(leader=True)
    assert invitations.find_invite(text) is not None
    User.objects.filter(username="alice").update(is_active=False)
    assert invitations.find_invite(text) is None


@pytest.mark.parametrize("role", ["organiser", "assessor"])
def test_a_link_gives_a_role(world: World, role: str) -> None:
    task = world.task(invited_only=True)
    _, text = invitations.make_invite(world.people["organiser"], task=task, role=role)
    assert world.client("loner").get(f"/tasks/{task.slug}/submit/").status_code == 404
    answer = world.client("loner").post(f"/join/{text}/")
    assert answer["Location"] == ("/organise/ad-hoc/" if role == "organiser" else "/judge/")
    assert Role.objects.filter(task=task, user=world.people["loner"], role=role).exists()


def test_a_link_lets_a_new_team_take_part_in_a_task_for_invited_ones(world: World) -> None:
    task = world.task(invited_only=True)
    _, text = invitations.make_invite(world.people["organiser"], task=task, uses=2)
    page = Client().post(f"/join/{text}/", NEW).content.decode()
    assert "Write a name for your team." in page
    assert not User.objects.filter(username="newton").exists()
    client = Client()
    taken = client.post(f"/join/{text}/", NEW | {"new_team": "alpha"}).content.decode()
    assert "There is a team alpha already" in taken
    assert not User.objects.filter(username="newton").exists()  # all of it or nothing
    assert client.post(f"/join/{text}/", NEW | {"new_team": "Newtons"})["Location"] == "/tasks/ad-hoc/submit/"
    team = Team.objects.get(name="Newtons")
    assert Participant.objects.filter(task=task, team=team).exists()
    assert Invite.objects.get().uses_left == 1
    assert client.get("/tasks/ad-hoc/submit/").status_code == 200


def test_a_leader_takes_part_with_a_team_there_is(world: World) -> None:
    task = world.task(invited_only=True)
    Participant.objects.all().delete()
    _, text = invitations.make_invite(world.people["organiser"], task=task)
    page = world.client("alice").get(f"/join/{text}/").content.decode()
    assert "Alpha" in page
    assert "Beta" not in page
    wrong = world.client("alice").post(f"/join/{text}/", {"team": world.teams["Beta"].pk, "new_team": ""})
    assert wrong.status_code == 200
    assert not Participant.objects.exists()
    answer = world.client("alice").post(f"/join/{text}/", {"team": world.teams["Alpha"].pk, "new_team": ""})
    assert answer["Location"] == "/tasks/ad-hoc/submit/"
    assert Participant.objects.get().team == world.teams["Alpha"]


def test_two_at_once_use_a_link_once(world_of_threads: World) -> None:
    world = world_of_threads
    _, text = invitations.make_invite(world.people["alice"], team=world.teams["Alpha"])
    answers: list[int] = []

    def use(number: int) -> None:
        person = NEW | {"username": f"person{number}"}
        answers.append(Client().post(f"/join/{text}/", person).status_code)

    assert in_threads(8, use) == []
    assert len(answers) == 8
    assert answers.count(302) == 1
    assert User.objects.filter(username__startswith="person").count() == 1
    assert Invite.objects.get().uses_left == 0


def test_the_first_account_is_an_operators(db: None) -> None:
    del db
    first = invitations.first_operator_link()
    link = invitations.first_operator_link()
    path = link.removeprefix("http://127.0.0.1:8000")
    assert re.fullmatch(r"/join/[\w-]{43}/", path)
    assert Client().get(first.removeprefix("http://127.0.0.1:8000")).status_code == 404  # only the last one is good
    client = Client()
    assert "Run this server" in client.get(path).content.decode()
    assert client.post(path, NEW)["Location"] == "/operate/"
    person = User.objects.get()
    assert (person.is_superuser, is_in(client)) == (True, True)
    assert invitations.first_operator_link() == ""
    assert Client().get(path).status_code == 404


def test_the_first_link_is_void_once_there_is_an_account(db: None) -> None:
    del db
    link = invitations.first_operator_link()
    User.objects.create_user("somebody", password=PASSWORD)
    assert Client().get(link.removeprefix("http://127.0.0.1:8000")).status_code == 404


def test_an_operator_makes_another_one(world: World) -> None:
    _, text = invitations.make_invite(world.people["operator"], role=invitations.OPERATOR)
    assert world.client("loner").post(f"/join/{text}/")["Location"] == "/operate/"
    assert User.objects.get(username="loner").is_superuser
