"""Pools in two tabs: what was begun, ended, deleted or withdrawn in the other one; drafts that are deleted."""

from __future__ import annotations

import json

import pytest

from cranfield.core import ParameterError
from cranfield.server.judging import pool_lifecycle
from cranfield.server.models import Audit, Corpus, Pool, Question, Submission, Task
from cranfield.server.submissions import intake
from cranfield.server.tasks import corpora
from tests.support.server.pool_forms import (
    BOTH,
    HTMX,
    ONE,
    PAGE,
    acts_of,
    drawn,
    judge_one,
    page_of,
    post,
    told,
    with_runs,
)
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived


@pytest.fixture
def task(world: World) -> Task:
    return with_runs(world)


def test_a_draft_is_deleted_after_a_second_question(world: World, task: Task) -> None:
    pool = drawn(world, guidelines="Read.")
    pool_lifecycle.set_gold(pool, world.people["organiser"], [("301", "G1", 2.0, "")])
    assert f'href="{ONE}delete"' in page_of(world, ONE)
    sure = page_of(world, f"{ONE}delete")
    assert "Delete pool 1?" in sure
    assert "its trial of 1 document" in sure
    assert Pool.objects.exists()  # to ask changes nothing
    assert "Pool 1 is deleted." in post(world, f"{ONE}delete", {})
    assert not Pool.objects.exists()
    assert not Question.objects.exists()
    assert world.client("organiser").post(f"{ONE}delete").status_code == 404  # once more
    last = Audit.objects.latest("pk")
    assert (last.what, last.who, last.about) == ("pool deleted", "organiser", {"pool": 1, "strategy": "depth"})
    assert acts_of(task) == ["pool", "pool trial", "pool deleted"]


def test_a_pool_that_was_begun_is_not_deleted(world: World, task: Task) -> None:
    pool = drawn(world)
    for act, stands in (("begin", "is being judged"), ("end", "has ended")):
        post(world, ONE if act == "begin" else f"{ONE}end", {"act": act})
        assert f'href="{ONE}delete"' not in page_of(world, ONE)
        text = page_of(world, f"{ONE}delete")
        assert "Nothing to delete" in text
        assert f"The pool {stands}" in text
        assert f"Pool 1 {stands}. Only a draft can be deleted." in post(world, f"{ONE}delete", {})
    pool.refresh_from_db()
    assert pool.state == Pool.ENDED
    assert acts_of(task) == ["pool", "pool begun", "pool ended"]


def test_what_is_done_to_a_pool_that_was_just_deleted_is_refused(world: World, task: Task) -> None:
    pool, by = drawn(world), world.people["organiser"]
    pool_lifecycle.delete(Pool.objects.get(), by)
    for act in (pool_lifecycle.begin, pool_lifecycle.end, pool_lifecycle.delete, pool_lifecycle.change):
        with pytest.raises(ParameterError, match="pool 1 is gone"):
            act(pool, by)
    del task


def test_a_page_from_before_it_was_begun_saves_nothing(world: World, task: Task) -> None:
    pool = drawn(world)
    pool_lifecycle.begin(pool, world.people["organiser"])  # in another tab
    stale = told(strategy="mtf", guidelines="New", overlap=30)
    live = post(world, ONE, stale, headers=HTMX)
    assert "<html" not in live
    assert "Pool 1 is being judged: nothing was saved. Load the page again." in live
    for act in ({"act": "change"}, {"look": "1"}):
        assert "Pool 1 is being judged: nothing was saved." in post(world, ONE, stale | act)
    pool.refresh_from_db()
    assert (pool.strategy, pool.guidelines, pool.overlap) == ("depth", "", 0)
    assert acts_of(task) == ["pool", "pool begun"]


def test_grades_stay_once_people_judge_and_while_the_trial_has_them(world: World, task: Task) -> None:
    pool, by = drawn(world), world.people["organiser"]
    pool_lifecycle.set_gold(pool, by, [("301", "G1", 2.0, "")])
    two = "0 not relevant\n1 relevant"
    assert "A document of the trial has grade 2. Keep that grade." in post(world, ONE, told(act="change", grades=two))
    assert "Saved." in post(world, ONE, told(act="change", grades=f"{two}\n2 highly\n3 perfectly"))
    pool_lifecycle.begin(pool, by)
    with pytest.raises(ParameterError, match="grades is fixed: judging has begun"):
        pool_lifecycle.change(pool, by, grades=[["0", "no"], ["2", "yes"]])
    pool.refresh_from_db()
    assert [grade for grade, _ in pool.grades] == ["0", "1", "2", "3"]
    del task


def test_a_run_that_was_withdrawn_has_no_part_in_a_draft(world: World, task: Task) -> None:
    pool, by = drawn(world), world.people["organiser"]
    intake.withdraw(Submission.objects.get(name="run-3"), by)
    text = page_of(world, ONE)
    assert "1 of 1 team" in text
    assert "1 run was withdrawn since, and has no part in it." in text
    assert f"<strong>{12 * 4}</strong> documents" in text  # the first four of one run
    assert f"0 of {12 * 4}" in page_of(world, PAGE)
    post(world, ONE, {"act": "begin"})
    pool.refresh_from_db()
    assert pool.runs == [Submission.objects.get(name="run-0").key]
    intake.withdraw(Submission.objects.get(name="run-0"), by)
    text = page_of(world, ONE)  # what is being judged stays as it was begun
    assert "1 of 1 team" in text
    assert "withdrawn since" not in text
    assert judge_one(pool, world, 1).document == "D01"


def test_without_any_run_left_a_draft_cannot_be_begun(world: World, task: Task) -> None:
    pool = drawn(world)
    for run in Submission.objects.all():
        intake.withdraw(run, world.people["organiser"])
    for text in (page_of(world, PAGE), page_of(world, ONE), post(world, ONE, {"act": "begin"})):
        assert "There is no run to pool." in text
    pool.refresh_from_db()
    assert pool.state == Pool.DRAFT
    del task


def test_a_strategy_that_reads_is_not_begun_without_its_corpus(world: World, task: Task) -> None:
    lines = "".join(json.dumps({"docno": name, "text": f"the text of {name}"}) + "\n" for name in DOCUMENTS)
    corpora.set_corpus(task, arrived(lines, "docs.jsonl"), world.people["organiser"])
    world.work()
    pool = drawn(world, strategy="cal")
    Corpus.objects.update(state=Corpus.WAITING)  # as when a backup came back, and nobody has read it yet
    assert "The strategy cal reads documents, and there is no corpus that is ready." in post(
        world, ONE, {"act": "begin"}
    )
    pool.refresh_from_db()
    assert pool.state == Pool.DRAFT


def test_two_pools_of_a_task_stand_by_themselves(world: World, task: Task) -> None:
    one, two = drawn(world), drawn(world, depth=2, strategy="mtf")
    post(world, ONE, {"act": "begin"})
    assert "Pool 2 is being judged from now on." in post(world, f"{PAGE}2/", {"act": "begin"})
    one.refresh_from_db()
    judge_one(one, world, 1)
    assert f"1 of {sum(BOTH)} documents judged" in page_of(world, ONE)
    assert "0 of " in page_of(world, f"{PAGE}2/")
    post(world, f"{ONE}end", {})
    two.refresh_from_db()
    assert two.state == Pool.OPEN
    assert acts_of(task) == ["pool", "pool", "pool begun", "pool begun", "pool ended"]
