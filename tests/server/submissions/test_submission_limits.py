"""How many runs a team may hand in: never more than that, however it is tried."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from cranfield.server.models import Audit, Job, Participant, Submission, Task
from cranfield.server.submissions import intake
from cranfield.server.submissions.intake import Refused, left
from tests.support.server.concurrency import in_threads
from tests.support.server.users_and_tasks import run_text

if TYPE_CHECKING:
    from datetime import datetime

    from tests.support.server.users_and_tasks import World


def at(run: Submission, *, days: float) -> datetime:
    """Say that a run came so many days ago."""
    moment = timezone.now() - timedelta(days=days)
    Submission.objects.filter(pk=run.pk).update(received=moment)
    return moment


def refused(world: World, task: Task, name: str = "more") -> Refused:
    with pytest.raises(Refused) as no:
        world.hand_in(task, name)
    return no.value


def test_fifty_posts_at_once_store_exactly_two(world_of_threads: World) -> None:
    world = world_of_threads
    task = world.task(limit=2)
    people = [world.people["alice"], world.people["adam"]]
    clients = [Client() for _ in range(50)]
    for number, client in enumerate(clients):
        client.force_login(people[number % 2])
    answers: list[int] = []
    text = run_text("x").encode()

    def post(number: int) -> None:
        told = {"team": world.teams["Alpha"].pk, "name": f"run{number}", "run": SimpleUploadedFile("x.run", text)}
        answers.append(clients[number].post("/tasks/ad-hoc/submit/", told).status_code)

    assert in_threads(50, post) == []
    assert sorted(answers) == [302] * 2 + [422] * 48
    assert Submission.objects.filter(task=task).count() == 2
    assert Audit.objects.filter(what="submit").count() == 2
    assert Job.objects.filter(kind="score").count() == 2


def test_the_window_slides(world: World) -> None:
    task = world.task(limit=2, days=30)
    first, second = world.hand_in(task, "first"), world.hand_in(task, "second", 1)
    moment = at(first, days=29.9)
    at(second, days=10)
    found = left(task, world.teams["Alpha"])
    assert (found.now, found.of, found.days, found.total) == (0, 2, 30, 2)
    assert found.next == moment + timedelta(days=30)
    no = refused(world, task)
    assert no.code == "E-LIMIT"
    assert f"{found.next:%Y-%m-%d %H:%M} UTC" in no.hint
    page = world.client("alice").get("/tasks/ad-hoc/submit/").content.decode()
    assert f"{found.next:%Y-%m-%d %H:%M} UTC" in page
    assert re.search(r"<button[^>]*disabled>Submit</button>", page)
    mine = world.client("alice").get("/my/runs/").content.decode()
    assert f"{found.next:%Y-%m-%d %H:%M} UTC" in mine
    at(first, days=30.1)
    assert left(task, world.teams["Alpha"]).now == 1
    world.hand_in(task, "third", 2)
    assert left(task, world.teams["Alpha"]).now == 0


def test_where_a_limit_was_lowered_the_next_one_is_when_enough_are_old(world: World) -> None:
    task = world.task(limit=4, days=30)
    moments = []
    for number in range(4):
        moments.append(at(world.hand_in(task, f"run{number}"), days=20 - number))
    Task.objects.update(limit=2)
    task.refresh_from_db()
    # of 20, 19, 18 and 17 days ago, the first three must be out for one of two to be free
    assert left(task, world.teams["Alpha"]).next == moments[2] + timedelta(days=30)


def test_withdrawn_and_failed_ones_count(world: World) -> None:
    task = world.task(limit=2)
    first, second = world.hand_in(task, "first"), world.hand_in(task, "second", 1)
    intake.withdraw(first, world.people["alice"])
    Submission.objects.filter(pk=second.pk).update(state=Submission.FAILED)
    assert refused(world, task).code == "E-LIMIT"


def test_history_without_a_run_counts_nothing(world: World) -> None:
    task = world.task(limit=1)
    Submission.objects.create(task=task, team=world.teams["Alpha"], name="old", stated=0.3)
    assert left(task, world.teams["Alpha"]).now == 1


def test_all_that_a_team_may_ever_hand_in(world: World) -> None:
    task = world.task(limit=2, most=2, days=1)
    for name in ("first", "second"):
        at(world.hand_in(task, name), days=5)
    found = left(task, world.teams["Alpha"])
    assert (found.now, found.next, found.total, found.most) == (0, None, 2, 2)
    no = refused(world, task)
    assert (no.code, "no more are possible" in no.hint) == ("E-LIMIT", True)
    assert "Your team has used all 2" in world.client("alice").get("/tasks/ad-hoc/submit/").content.decode()
    assert "all 2 used" in world.client("alice").get("/my/runs/").content.decode()


def test_the_last_one_is_called_so(world: World) -> None:
    world.task(limit=1, most=1)
    told = {"team": world.teams["Alpha"].pk, "name": "x", "run": SimpleUploadedFile("x.run", run_text("x").encode())}
    page = world.client("alice").post("/tasks/ad-hoc/submit/", told, follow=True).content.decode()
    assert "It was the last submission of your team." in page


def test_a_limit_of_nothing_takes_nothing(world: World) -> None:
    task = world.task(limit=0)
    assert left(task, world.teams["Alpha"]).next is None
    assert refused(world, task).code == "E-LIMIT"


def test_each_team_and_each_task_has_its_own(world: World) -> None:
    task, other = world.task(limit=1), world.task("other", limit=1)
    world.hand_in(task, "first")
    world.hand_in(task, "second", team="Beta")
    world.hand_in(other, "first")
    assert refused(world, task).code == "E-LIMIT"


def test_a_bad_run_uses_nothing(world: World) -> None:
    task = world.task(limit=1)
    with pytest.raises(intake.BadRun):
        world.hand_in(task, "bad", text="301 Q0 D01 1 NaN bad\n")
    assert left(task, world.teams["Alpha"]).now == 1


def test_a_blocked_team_is_told_so_and_hands_in_nothing(world: World) -> None:
    task = world.task()
    Participant.objects.filter(team=world.teams["Alpha"]).update(blocked=True)
    assert refused(world, task).code == "E-TEAM"
    page = world.client("alice").get("/tasks/ad-hoc/submit/").content.decode()
    assert "Alpha is blocked in this task." in page
    told = {"team": world.teams["Alpha"].pk, "name": "x", "run": SimpleUploadedFile("x.run", run_text("x").encode())}
    assert "is blocked" in world.client("alice").post("/tasks/ad-hoc/submit/", told).content.decode()
    world.client("alice").post("/tasks/ad-hoc/join", {"new_team": "Alpha again"})  # nor under another name
    assert not Submission.objects.exists()
    assert not Participant.objects.filter(team__name="Alpha again").exists()


def test_a_team_without_a_part_hands_in_nothing(world: World) -> None:
    task = world.task()
    Participant.objects.filter(team=world.teams["Alpha"]).delete()
    assert refused(world, task).code == "E-TEAM"


@pytest.mark.parametrize("when", ["before", "after", "closed"])
def test_nothing_comes_in_outside_the_time_of_a_task(world: World, when: str) -> None:
    task = world.task()
    hour = timedelta(hours=1)
    changes: dict[str, dict[str, Any]] = {
        "before": {"opens": timezone.now() + hour},
        "after": {"closes": timezone.now() - hour},
        "closed": {"state": Task.CLOSED},
    }
    Task.objects.update(**changes[when])  # after the page was opened: the row in the database decides
    assert refused(world, task).code == "E-CLOSED"
