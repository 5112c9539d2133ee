"""Which tasks somebody finds, and who finds nothing there."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from cranfield.server.models import Membership, Participant, Snapshot, Task
from tests.support.server.page_requests import text_of
from tests.support.server.simulated_boards import document, keep, row

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


INSIDE = (  # of a task
    "",
    "methods/",
    "history/",
    "downloads/",
    "boards/1/",
    "boards/1/stability/",
    "boards/1/stability.csv",
    "boards/1/picture/stability",
    "boards/1/board.csv",
    "boards/1/board.json",
)


@pytest.mark.parametrize("address", ["", "boards/1/", "boards/1/stability/", "boards/1/picture/stability", "about/"])
def test_a_draft_is_seen_by_its_organisers_alone(world: World, address: str) -> None:
    task = world.task(state=Task.DRAFT)
    keep(task, document(task, [row(1)]))
    for name in (None, "alice", "assessor"):
        assert world.client(name).get(f"/tasks/ad-hoc/{address}").status_code == 404
    assert world.client("organiser").get(f"/tasks/ad-hoc/{address}").status_code == 200


@pytest.mark.parametrize("address", INSIDE)
def test_a_task_for_invited_teams_is_not_there_for_others(world: World, address: str) -> None:
    task = world.task(invited_only=True)
    keep(task, document(task, [row(1)]))
    Participant.objects.filter(team=world.teams["Beta"]).delete()
    for name in (None, "beth", "loner"):
        answer = world.client(name).get(f"/tasks/ad-hoc/{address}")
        assert answer.status_code == 404
        assert "ETag" not in answer.headers
    etag = '"' + str(Snapshot.objects.get().document_id) + '"'
    hidden = world.client("beth").get("/tasks/ad-hoc/boards/1/", headers={"If-None-Match": etag})
    assert hidden.status_code == 404
    shown = world.client("alice").get(f"/tasks/ad-hoc/{address}")
    assert shown.status_code == 200
    assert "public" not in shown.headers.get("Cache-Control", "")
    assert "run-001" not in text_of(world.client(), "/")
    Membership.objects.filter(user=world.people["alice"]).delete()
    assert world.client("alice").get(f"/tasks/ad-hoc/{address}").status_code == 404


def test_the_list_of_tasks(world: World) -> None:
    page = text_of(world.client(), "/")
    assert "There is no task yet" in page
    first = world.task("first", title="First task", summary="Find it", closes=timezone.now() + timedelta(days=3))
    keep(first, document(first, [row(1, rank=1, letters="ab"), row(2, rank=1), row(3, rank=3)]))
    world.task("second", title="A draft", state=Task.DRAFT)
    world.task("third", title="Earlier task", state=Task.CLOSED)
    page = text_of(world.client(), "/")
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert "First task open until" in words
    assert "Find it Runs 3 Teams 2 Ranked by nDCG@10" in words
    assert "First by mean run-001 (0.8950) not significantly different from 1 other run" in words
    assert page.index("First task") < page.index("Earlier task")
    assert "A draft" not in page
    assert "A draft" in text_of(world.client("organiser"), "/")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"opens": timedelta(days=2)}, "opens"),
        ({"closes": timedelta(days=-2)}, "no more runs"),
        ({"closes": timedelta(days=2)}, "open"),
        ({"state": Task.CLOSED}, "closed"),
        ({"invited_only": True}, "invited teams only"),
    ],
    ids=["later", "over", "open", "closed", "invited"],
)
def test_a_board_says_whether_runs_are_taken(world: World, rules: dict[str, Any], said: str) -> None:
    times = {name: timezone.now() + value for name, value in rules.items() if isinstance(value, timedelta)}
    task = world.task(**(rules | times))
    badges = re.findall(r'<span class="badge[^"]*">([^<]*)</span>', text_of(world.client("alice"), "/tasks/ad-hoc/"))
    assert said in badges
    assert task.opens_later == (said == "opens")
