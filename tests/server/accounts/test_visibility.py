"""The one function that decides: a table of everybody, everything, and every state, written out by hand."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from cranfield.server.accounts.visibility import Thing, Viewer, sees, sees_team, visible_tasks
from cranfield.server.models import Participant, Role, Submission, Task

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

EVERYBODY = {"", "loner", "beth", "alice", "assessor", "organiser", "operator"}
DESK = {"organiser", "operator"}
OWN = {"alice"} | DESK
PART = {"alice", "assessor"} | DESK  # in a task by invitation, to which only team Alpha came
OF_A_TASK = {
    Thing.TASK, Thing.BOARD, Thing.FULL_BOARD, Thing.PRIVATE_VALUES, Thing.PRIVATE_TOPICS, Thing.PUBLIC_LABELS,
    Thing.ALL_LABELS, Thing.LOG, Thing.QUESTIONS, Thing.JUDGMENTS,
}  # fmt: skip
OF_A_RUN = {
    Thing.RUN, Thing.RUN_NAME, Thing.RUN_FILE, Thing.RUN_STATE, Thing.RELEASED, Thing.PRIVATE_VALUES,
}  # fmt: skip


def viewer(world: World, name: str) -> Viewer:
    return Viewer.of(world.people[name] if name else AnonymousUser())


def who_sees(world: World, thing: Thing, of: Task | Submission) -> set[str]:
    return {name for name in EVERYBODY if sees(viewer(world, name), thing, of)}


def test_everything_has_its_row_here() -> None:
    assert set(Thing) == OF_A_TASK | OF_A_RUN


@pytest.mark.parametrize("state", [Task.DRAFT, Task.OPEN, Task.CLOSED])
@pytest.mark.parametrize("invited", [False, True])
@pytest.mark.parametrize("labels", [False, True])
def test_tasks(world: World, state: str, invited: bool, labels: bool) -> None:
    task = world.task(private=4, state=state, invited_only=invited, labels_public=labels)
    Participant.objects.filter(task=task, team=world.teams["Beta"]).delete()
    known = DESK if state == Task.DRAFT else PART if invited else EVERYBODY
    late = known if state == Task.CLOSED else DESK
    expected = {
        Thing.TASK: known,
        Thing.BOARD: known,
        Thing.FULL_BOARD: DESK,
        Thing.LOG: DESK,
        Thing.PRIVATE_VALUES: late,
        Thing.PRIVATE_TOPICS: late,
        Thing.PUBLIC_LABELS: known if labels else DESK,
        Thing.ALL_LABELS: late if labels else DESK,
        Thing.QUESTIONS: {"assessor"} | DESK,  # a draft is judged, too
        Thing.JUDGMENTS: DESK,
    }
    assert set(expected) == OF_A_TASK
    for thing, people in expected.items():
        assert who_sees(world, thing, task) == people, thing
    listed = {name for name in EVERYBODY if task in visible_tasks(viewer(world, name))}
    assert listed == known  # the list and the function never differ


STATES = [state for state, _ in Submission.STATES]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("day", ["", "embargo", "anonymous", "past"])
def test_runs(world: World, state: str, day: str) -> None:
    """A run of team Alpha in tasks of every kind."""
    today = timezone.now().date()
    tomorrow = {day: today + timedelta(days=1)} if day in ("embargo", "anonymous") else {}
    dates = {"embargo": today, "anonymous": today} if day == "past" else tomorrow
    kinds = product((Task.DRAFT, Task.OPEN, Task.CLOSED), (False, True), (False, True), (False, True))
    for count, (task_state, invited, told, files) in enumerate(kinds):
        task = world.task(
            f"task-{count}", private=4, state=task_state, invited_only=invited, show_private=told, runs_public=files
        )
        Participant.objects.filter(task=task, team=world.teams["Beta"]).delete()
        run = Submission.objects.create(task=task, team=world.teams["Alpha"], name="run", state=state, **dates)
        known = DESK if task_state == Task.DRAFT else PART if invited else EVERYBODY
        own = known & OWN
        shown = known if state == Submission.SCORED and day != "embargo" else own
        named = own if day == "anonymous" else shown
        closed = task_state == Task.CLOSED
        expected = {
            Thing.RUN: shown,
            Thing.RUN_NAME: named,
            Thing.RUN_STATE: own,
            Thing.RUN_FILE: named if closed and files else own,
            Thing.RELEASED: (shown if told and not closed else set()) | DESK,
            Thing.PRIVATE_VALUES: (shown if closed else set()) | DESK,
        }
        assert set(expected) == OF_A_RUN
        for thing, people in expected.items():
            assert who_sees(world, thing, run) == people | DESK, (thing, task_state, invited, told, files)


def test_an_organiser_of_another_task_is_nobody_here(world: World) -> None:
    task, other = world.task(private=4, invited_only=True), world.task("other")
    loner = world.people["loner"]
    Role.objects.create(task=other, user=loner, role=Role.ORGANISER)
    assert not any(sees(Viewer.of(loner), thing, task) for thing in OF_A_TASK)
    assert all(sees(Viewer.of(loner), thing, other) for thing in OF_A_TASK)
    assert sees_team(Viewer.of(loner), world.teams["Alpha"])  # which came to the task of theirs
    Participant.objects.filter(task=other).delete()
    assert not sees_team(Viewer.of(loner), world.teams["Alpha"])


def test_only_who_has_something_to_organise_is_shown_the_way_there(world: World) -> None:
    world.task(state=Task.OPEN)
    way = b'href="/organise/"'
    assert {name for name in EVERYBODY if way in world.client(name or None).get("/").content} == DESK


def test_teams(world: World) -> None:
    world.task()
    alpha = world.teams["Alpha"]
    assert {name for name in EVERYBODY if sees_team(viewer(world, name), alpha)} == OWN


def test_who_is_locked_out_or_gone_sees_what_everybody_sees(world: World) -> None:
    task = world.task(private=4)
    operator = world.people["operator"]
    operator.is_active = False
    assert Viewer.of(operator) == Viewer(None)
    assert not sees(Viewer.of(operator), Thing.LOG, task)
    assert Viewer.of(None) == Viewer(None)


def test_who_leaves_a_team_sees_no_more_of_its_runs(world: World) -> None:
    task = world.task()
    run = Submission.objects.create(task=task, team=world.teams["Alpha"], name="run")
    assert sees(viewer(world, "adam"), Thing.RUN_STATE, run)
    world.people["adam"].membership_set.all().delete()
    assert not sees(viewer(world, "adam"), Thing.RUN, run)


def test_a_task_whose_date_has_passed_tells_nothing_until_it_is_closed(world: World) -> None:
    """Somebody's clock is no reason to tell: the worker closes it, and only then the private values are out."""
    task = world.task(private=4, closes=timezone.now() - timedelta(hours=1))
    assert not sees(viewer(world, "alice"), Thing.PRIVATE_VALUES, task)
