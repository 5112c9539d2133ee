"""Teams: who is in them, who leads them, and that nobody has two in one task."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.utils import timezone

from cranfield.server.accounts import invitations, teams
from cranfield.server.models import Audit, Invite, Job, Membership, Participant, Submission, Task, Team
from cranfield.server.submissions.intake import Refused
from tests.support.server.concurrency import in_threads

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def refused(code: str, *needles: str) -> pytest.RaisesExc[Refused]:
    """A refusal with this code and these words."""
    return pytest.RaisesExc(
        Refused, check=lambda no: no.code == code and all(needle in f"{no.problem} {no.hint}" for needle in needles)
    )


def test_a_team_is_made_and_led_by_who_made_it(world: World) -> None:
    client = world.client("loner")
    assert "Runs are handed in by teams" in client.get("/my/teams/").content.decode()
    answer = client.post("/my/teams/", {"name": "  Lone   Wolves ", "about": "we", "link": "example.org"})
    team = Team.objects.get(name="Lone Wolves")
    assert answer["Location"] == "/teams/lone-wolves/"
    assert team.link == "https://example.org"
    assert Membership.objects.get(team=team).leader
    page = client.get(answer["Location"]).content.decode()
    assert "Lone Wolves is made. Invite the others with a link." in page
    assert "Lone Wolves" in client.get("/my/teams/").content.decode()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"name": ""}, "Write a name."),
        ({"name": "aLPHA"}, "There is a team aLPHA already."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"name": "New", "link": "javascript:alert(1)"}, "Enter a valid URL"),
    ],
    ids=["none", "taken", "long", "link"],
)
def test_a_bad_team_is_refused(world: World, told: dict[str, str], said: str) -> None:
    page = world.client("loner").post("/my/teams/", told).content.decode()
    assert said in page
    assert Team.objects.count() == 2


def test_teams_whose_names_addresses_do_not_know_get_another_address(world: World) -> None:
    team = teams.make_team(world.people["loner"], "研究室")
    assert team.slug == "team"
    again = teams.make_team(world.people["loner"], "Al-pha ")
    assert again.slug == "al-pha"
    third = teams.make_team(world.people["loner"], "Alpha!")
    assert third.slug == "alpha-2"
    with refused("E-NAMES"):
        teams.make_team(world.people["loner"], "  ")


def test_of_two_teams_that_want_a_name_at_once_one_gets_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teams, "_free", lambda name, but=None: None)  # it was free when it was looked up
    with refused("E-NAMES"):
        teams.make_team(world.people["loner"], "Alpha")
    with refused("E-NAMES"):
        teams.describe(world.teams["Beta"], world.people["beth"], name="Alpha", about="", link="")
    assert Team.objects.count() == 2


def test_one_person_leads_twenty_teams_at_most(world: World) -> None:
    for number in range(20):
        teams.make_team(world.people["loner"], f"Team {number}")
    with refused("E-LIMIT", "20"):
        teams.make_team(world.people["loner"], "Team 20")


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("alice", 200),
        ("adam", 200),
        ("operator", 200),
        ("organiser", 200),
        ("beth", 404),
        ("assessor", 404),
        ("loner", 404),
    ],
)
def test_a_team_is_seen_by_its_people_and_its_organisers(world: World, who: str, status: int) -> None:
    world.task()
    assert world.client(who).get("/teams/alpha/").status_code == status
    assert world.client(who).get("/teams/none/").status_code == 404


def test_a_team_names_only_tasks_that_its_viewer_may_know_of(world: World) -> None:
    world.task("secret", title="The secret task")
    Task.objects.filter(slug="secret").update(state=Task.DRAFT)
    assert "The secret task" not in world.client("alice").get("/teams/alpha/").content.decode()
    assert "The secret task" not in world.client("alice").get("/my/teams/").content.decode()
    assert "The secret task" in world.client("operator").get("/teams/alpha/").content.decode()


def test_a_leader_describes_the_team_and_boards_follow(world: World) -> None:
    task = world.filled()
    told = {"do": "describe", "name": "Alpha & <i>Omega</i>", "about": "**we** <script>", "link": ""}
    assert world.client("adam").post("/teams/alpha/", told).status_code == 302
    assert Team.objects.filter(name="Alpha").exists()  # a member may not
    page = world.client("adam").get("/teams/alpha/").content.decode()
    assert "You do not lead Alpha. Ask one of its leaders." in page
    assert world.client("alice").post("/teams/alpha/", told).status_code == 302
    page = world.client("alice").get("/teams/alpha/").content.decode()
    assert "Alpha &amp; &lt;i&gt;Omega" in page
    assert "<script>" not in page.replace("<script src", "")
    assert Job.objects.filter(kind="board", state=Job.WAITING, about__task_id=task.pk).exists()
    Job.objects.all().delete()
    world.client("alice").post("/teams/alpha/", told | {"about": "else"})
    assert not Job.objects.exists()  # no board names what a team says of itself
    taken = world.client("alice").post("/teams/alpha/", told | {"name": "BETA"}, follow=True).content.decode()
    assert "There is a team BETA already." in taken
    assert "Write a name." in world.client("alice").post("/teams/alpha/", told | {"name": ""}).content.decode()


def test_a_link_is_shown_once_and_may_be_taken_back(world: World) -> None:
    client = world.client("alice")
    page = client.post("/teams/alpha/", {"do": "invite", "uses": 3, "days": 7}).content.decode()
    found = re.search(r'<code id="link">http://testserver(/join/[\w-]+/)</code>', page)
    assert found is not None
    assert found[1] not in client.get("/teams/alpha/").content.decode()
    invite = Invite.objects.get()
    assert (invite.uses_left, invite.team) == (3, world.teams["Alpha"])
    assert timedelta(days=6) < invite.expires - timezone.now() <= timedelta(days=7)
    assert Client().get(found[1]).status_code == 200
    void = {"do": "void", "invite": invite.pk}
    assert world.client("beth").post("/teams/beta/", void).status_code == 404  # another team's
    world.client("adam").post("/teams/alpha/", void)
    assert Client().get(found[1]).status_code == 200  # a member may not
    assert client.post("/teams/alpha/", void).status_code == 302
    assert Client().get(found[1]).status_code == 404
    assert (
        "greater than or equal to 1"
        in client.post("/teams/alpha/", {"do": "invite", "uses": 0, "days": 7}).content.decode()
    )
    world.client("adam").post("/teams/alpha/", {"do": "invite", "uses": 1, "days": 7})
    assert Invite.objects.count() == 1


def test_leaders_remove_and_members_leave(world: World) -> None:
    client = world.client("adam")
    client.post("/teams/alpha/", {"do": "remove", "who": "alice"})
    assert Membership.objects.filter(team__slug="alpha").count() == 2  # only leaders remove
    assert world.client("alice").post("/teams/alpha/", {"do": "remove", "who": "beth"}).status_code == 404
    assert world.client("alice").post("/teams/alpha/", {"do": "remove", "who": "adam"}).status_code == 302
    assert client.get("/teams/alpha/").status_code == 404
    Membership.objects.create(team=world.teams["Alpha"], user=world.people["adam"])
    assert client.post("/teams/alpha/", {"do": "leave"})["Location"] == "/my/teams/"
    assert list(Audit.objects.values_list("who", "what", "about__account")) == [
        ("alice", "removed", "adam"),
        ("adam", "left", "adam"),
    ]
    assert world.client("alice").post("/teams/alpha/", {"do": "dance", "who": "alice"}).status_code == 404


def test_the_last_leader_stays(world: World) -> None:
    client = world.client("alice")
    page = client.post("/teams/alpha/", {"do": "leave"}, follow=True).content.decode()
    assert "Alice is the last leader of Alpha. Let somebody else lead it first." in page.replace("alice", "Alice")
    with refused("E-LEADER"):
        teams.set_leader(world.teams["Alpha"], world.people["alice"], leader=False, by=world.people["alice"])
    assert client.post("/teams/alpha/", {"do": "lead", "who": "adam"}).status_code == 302
    assert client.post("/teams/alpha/", {"do": "leave"}).status_code == 302
    assert list(Membership.objects.filter(team__slug="alpha").values_list("user__username", "leader")) == [
        ("adam", True)
    ]
    with refused("E-TEAM", "is not in Alpha"):
        teams.leave(world.teams["Alpha"], world.people["alice"])


def test_a_leader_steps_down_where_there_is_another(world: World) -> None:
    world.client("alice").post("/teams/alpha/", {"do": "lead", "who": "adam"})
    world.client("adam").post("/teams/alpha/", {"do": "follow", "who": "alice"})
    assert set(Membership.objects.filter(team__slug="alpha").values_list("user__username", "leader")) == {
        ("adam", True),
        ("alice", False),
    }


def test_of_two_leaders_who_leave_at_once_one_stays(world_of_threads: World) -> None:
    world = world_of_threads
    Membership.objects.update(leader=True)

    def leave(number: int) -> None:
        teams.leave(world.teams["Alpha"], world.people[["alice", "adam"][number]])

    (no,) = in_threads(2, leave)
    assert isinstance(no, Refused)
    assert no.code == "E-LEADER"
    assert Membership.objects.filter(team__slug="alpha", leader=True).count() == 1


def test_taking_part_with_a_new_team_or_one_that_one_leads(world: World) -> None:
    task = world.task()
    page = world.client("loner").get("/tasks/ad-hoc/submit/").content.decode()
    assert "Take part" in page
    assert 'type="file"' not in page
    bad = world.client("loner").post("/tasks/ad-hoc/join", {"new_team": ""})
    assert bad.status_code == 422
    assert "Write a name for your team." in bad.content.decode()
    taken = world.client("loner").post("/tasks/ad-hoc/join", {"new_team": "Alpha"})
    assert "There is a team Alpha already." in taken.content.decode()
    assert world.client("loner").post("/tasks/ad-hoc/join", {"new_team": "Wolves"}).status_code == 302
    assert Participant.objects.filter(task=task, team__name="Wolves").exists()
    assert 'type="file"' in world.client("loner").get("/tasks/ad-hoc/submit/").content.decode()
    other = world.task("other")
    Participant.objects.filter(task=other).delete()
    assert world.client("alice").post("/tasks/other/join", {"team": world.teams["Alpha"].pk}).status_code == 302
    nothing = world.client("beth").post("/tasks/other/join", {"team": "", "new_team": " "})
    assert "Choose a team, or write a name for a new one." in nothing.content.decode()
    assert world.client("beth").get("/tasks/other/join")["Location"] == "/tasks/other/submit/"


def test_the_team_one_leads_is_chosen_already_and_a_name_that_is_written_counts_more(world: World) -> None:
    task, alpha = world.task(), world.teams["Alpha"]
    Participant.objects.all().delete()
    page = world.client("alice").get("/tasks/ad-hoc/submit/").content.decode()
    assert f'<option value="{alpha.pk}" selected>Alpha</option>' in page
    told = {"team": alpha.pk, "new_team": "Alpha Two"}
    assert world.client("alice").post("/tasks/ad-hoc/join", told).status_code == 302
    assert [one.team.name for one in Participant.objects.filter(task=task)] == ["Alpha Two"]


def test_a_member_asks_a_leader(world: World) -> None:
    task = world.task()
    Participant.objects.all().delete()
    page = world.client("adam").get("/tasks/ad-hoc/submit/").content.decode()
    assert "You are in Alpha: ask a leader to take part" in page
    assert world.client("adam").post("/tasks/ad-hoc/join", {"team": world.teams["Alpha"].pk}).status_code == 422
    with refused("E-RIGHT"):
        teams.take_part(task, world.teams["Alpha"], world.people["adam"])
    assert not Participant.objects.exists()


def test_no_team_is_made_for_a_task_that_does_not_take_it(world: World) -> None:
    world.task("closed", state=Task.CLOSED)
    answer = world.client("loner").post("/tasks/closed/join", {"new_team": "Wolves"})
    assert answer.status_code == 422
    assert not Team.objects.filter(name="Wolves").exists()
    draft = world.task("draft", state=Task.DRAFT)
    with refused("E-CLOSED"):
        teams.take_part(draft, teams.make_team(world.people["loner"], "Wolves"), world.people["loner"])
    closed = world.task("invited", invited_only=True)
    with refused("E-TEAM", "invited"):
        teams.take_part(closed, Team.objects.get(name="Wolves"), world.people["loner"])
    assert world.client("loner").post("/tasks/invited/join", {"new_team": "Others"}).status_code == 404


def test_one_person_is_in_one_team_of_a_task(world: World) -> None:
    """Otherwise the limit of a team is no limit: teams are made quickly."""
    task = world.task()
    with refused("E-TEAM", "with another team already"):
        teams.take_part(task, teams.make_team(world.people["alice"], "Alpha Two"), world.people["alice"])
    world.client("alice").post("/tasks/ad-hoc/join", {"new_team": "Alpha Three"})
    assert not Team.objects.filter(name="Alpha Three").exists()
    _, text = invitations.make_invite(world.people["beth"], team=world.teams["Beta"])
    page = world.client("adam").post(f"/join/{text}/").content.decode()
    assert "takes part in The ad-hoc task with another team already" in page
    assert not Membership.objects.filter(team=world.teams["Beta"], user=world.people["adam"]).exists()
    assert Invite.objects.get().uses_left == 1


def test_who_has_submitted_for_one_team_does_not_start_again_in_another(world: World) -> None:
    task = world.task(days=30)
    world.hand_in(task, "first")
    Membership.objects.filter(user=world.people["adam"]).update(leader=True)
    teams.leave(world.teams["Alpha"], world.people["alice"])
    mine = teams.make_team(world.people["alice"], "Alone")
    with refused("E-TEAM", "for another team", "30 days"):
        teams.take_part(task, mine, world.people["alice"])
    Submission.objects.update(received=timezone.now() - timedelta(days=31))
    assert teams.take_part(task, mine, world.people["alice"])
    assert not teams.take_part(task, mine, world.people["alice"])  # it does already
