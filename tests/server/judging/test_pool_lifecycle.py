"""Campaigns: a task of topics alone, to which runs come before anybody has judged."""

from __future__ import annotations

import pytest

from cranfield.core import ParameterError
from cranfield.server.judging import assessor_session, judgments, pool_lifecycle
from cranfield.server.models import Submission
from cranfield.server.submissions.intake import BadRun
from cranfield.server.tasks import corpora, lifecycle
from tests.support.server.judging_campaigns import campaign
from tests.support.server.users_and_tasks import TOPICS, World, arrived, run_text


def test_runs_come_in_before_there_are_labels(world: World) -> None:
    task = campaign(world)
    run = world.hand_in(task, "early")
    world.work()
    run.refresh_from_db()
    assert run.state == Submission.RECEIVED
    for who, address in (
        (None, "/tasks/campaign/"),
        (None, "/tasks/campaign/about/"),
        (None, "/tasks/campaign/methods/"),
        (None, "/tasks/campaign/history/"),
        (None, "/tasks/campaign/downloads/"),
        ("alice", "/tasks/campaign/submit/"),
        ("alice", "/my/runs/"),
        ("alice", f"/runs/{run.key}/"),
        ("organiser", "/organise/campaign/"),
        ("organiser", "/organise/campaign/runs/"),
        ("organiser", "/organise/campaign/labels/"),
        ("organiser", "/organise/campaign/leak/"),
        ("organiser", "/organise/campaign/settings/"),
        ("organiser", "/tasks/campaign/full/"),
    ):
        assert world.client(who).get(address).status_code == 200, address


def test_a_run_for_other_topics_is_refused_all_the_same(world: World) -> None:
    task = campaign(world)
    with pytest.raises(BadRun, match="no topic of the run is in the task"):
        world.hand_in(task, "other", text=run_text("other", topics=["901", "902"]))
    part = world.hand_in(task, "part", text=run_text("part", topics=TOPICS[:10]))
    assert [row["code"] for row in part.problems] == ["W-MISSING"]
    assert "--topics" not in part.problems[0]["hint"]


def test_the_settings_of_a_campaign_can_be_changed(world: World) -> None:
    task = campaign(world, private=TOPICS[8:])
    page = world.client("organiser").get("/organise/campaign/settings/")
    form = {
        name: ("on" if field.value() is True else field.value())
        for part in page.context["parts"].values()
        for name, field in ((one.html_name, one) for one in part)
        if field.value() is not None and field.value() is not False
    }
    answer = world.client("organiser").post("/organise/campaign/settings/", form | {"title": "Another name"})
    assert answer.status_code == 302, [part.errors for part in answer.context["parts"].values()]
    task.refresh_from_db()
    assert (task.title, task.private) == ("Another name", TOPICS[8:])


def test_a_task_of_nothing_is_none(world: World) -> None:
    with pytest.raises(ParameterError, match="neither judgments nor topics"):
        lifecycle.make_task(world.people["organiser"], title="Nothing")


def test_what_a_pool_costs(world: World) -> None:
    task = campaign(world)
    for shift in (0, 3):
        world.hand_in(task, f"run-{shift}", shift)
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], strategy="depth", depth=4, overlap=50, judges=3)
    price = pool_lifecycle.cost(pool, minutes=2)
    # The first four of D01 … D10 in order, and of the same turned by 3, 6, 9 or 2 (12) places.
    both = [len({*range(4), *((place - 3 * (1 + topic % 4)) % 10 for place in range(4))}) for topic in range(12)]
    assert (price.topics, price.runs, price.documents) == (12, 2, sum(both))
    assert price.judgments == round(sum(both) * (1 + 0.5 * 2))
    assert price.hours == pytest.approx(price.judgments * 2 / 60)
    pool_lifecycle.begin(pool, world.people["organiser"])
    user = world.people["assessor"]
    question = judgments.next_for(pool, user)
    assert question is not None
    told = judgments.Said(key="k", topic=question.topic, document=question.document, grade=1, seconds=7)
    judgments.judge(pool, user, told)
    stand = pool_lifecycle.progress(pool)
    assert (stand.asked, stand.waiting, stand.budget) == (1, 0, sum(both))
    assert [(row["user__username"], row["judgments"], row["seconds"]) for row in stand.people] == [("assessor", 1, 7)]


def test_all_is_judged_once_nothing_is_left_to_say(world: World) -> None:
    """Known documents that the strategy comes to, and those that nobody can judge, do not keep a pool from its end."""
    task, user = campaign(world), world.people["assessor"]
    world.hand_in(task, "one")
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], strategy="depth", depth=1)
    gold = [("301", "D01", 1.0, ""), ("302", "D09", 0.0, "")]  # the first of 301, which is asked for; not of 302
    pool_lifecycle.set_gold(pool, world.people["organiser"], gold)
    pool_lifecycle.begin(pool, world.people["organiser"])
    assert (pool_lifecycle.progress(pool).judged, pool_lifecycle.progress(pool).budget) == (0, 12)
    while (question := judgments.next_for(pool, user)) is not None:
        grade = None if question.topic == "305" else 1.0
        told = judgments.Said(key=f"k{question.pk}", topic=question.topic, document=question.document, grade=grade)
        judgments.judge(pool, user, told)
    stand = pool_lifecycle.progress(pool)
    assert (stand.judged, stand.budget, stand.percent) == (12, 12, 100)
    assert assessor_session.done_by(pool, user).words == "11 judged by you; 12 of 12 in all"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("999", "D01", 1.0, ""), "no run has topic 999"),
        (("301", "D77", 1.0, ""), "document D77 is not in the corpus"),
        (("301", "D01", 7.0, ""), "7 is no grade of pool 1"),
    ],
)
def test_what_cannot_be_a_trial(world: World, row: tuple[str, str, float, str], said: str) -> None:
    task, by = campaign(world), world.people["organiser"]
    world.hand_in(task, "one")
    corpora.set_corpus(task, arrived('{"id": "D01", "text": "a"}\n', "d.jsonl"), by)
    world.work()
    pool = pool_lifecycle.draw_up(task, by)
    with pytest.raises(ParameterError, match=said):
        pool_lifecycle.set_gold(pool, by, [row])
    assert not pool.questions.exists()


def test_a_name_that_is_too_long_to_be_kept_is_told_before_anybody_judges(world: World) -> None:
    task, by = campaign(world), world.people["organiser"]
    world.hand_in(task, "one", text=run_text("one").replace("D01", "D" * 401))
    pool = pool_lifecycle.draw_up(task, by)
    with pytest.raises(ParameterError, match=r"the name of document DDDDDDDDDDDDDDDDDDDD… is longer than 400"):
        pool_lifecycle.begin(pool, by)
