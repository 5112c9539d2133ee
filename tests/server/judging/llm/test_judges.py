"""Machines as judges: what a model is asked, what is kept of its answers, and that it never counts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs import job_queue
from cranfield.server.judging import judgments
from cranfield.server.judging.llm import judges
from cranfield.server.judging.llm.prompts import PROMPT, object_in, prompt_for
from cranfield.server.models import Audit, Job, Judgment, Machine, Pool
from tests.support.server.job_queue import due_now, let_the_lease_run_out
from tests.support.server.judging_campaigns import right, said
from tests.support.server.llm_endpoint import USAGE, StandIn, completion, error, graded
from tests.support.server.llm_judging import KEY, PAGE, item, pooled, seen, set_up, spoken, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.server.users_and_tasks import World


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with set_up(monkeypatch) as found:
        yield found


def test_every_question_is_asked_once_in_the_words_of_the_pool(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=6, judged=5)
    questions = list(pool.questions.order_by("id"))
    machine = start(world, pool)
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    # What nobody has judged yet was the first that the pool asked for, and is the last that the machine is asked for.
    assert questions[0].given == 0
    order = [*questions[1:], questions[0]]
    assert [item(prompt) for prompt in model.prompts] == [(q.topic, q.document) for q in order]
    for words in ("0: off the point\n1: to the point", "How people were told to judge:\nRead it all.", "one of 0, 1,"):
        assert all(words in prompt for prompt in model.prompts)
    path, headers, body = model.heard[0]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (body["model"], body["temperature"], body["messages"][0]["role"]) == ("standin", 0, "user")
    kept = spoken(machine)
    assert [one.question for one in kept] == order
    assert {(one.kind, one.user, one.worker, one.grade, one.note) for one in kept} == {
        (Judgment.MACHINE, None, "standin", 1.0, "It says so.")
    }
    assert len({one.key for one in kept}) == 6
    about = kept[0].about
    assert set(about) == {"model", "answer", "seconds", "tokens", "prompt"}
    assert (about["model"], about["tokens"]) == ("standin-2026-11", USAGE)
    assert json.loads(about["answer"]) == {"grade": 1, "why": "It says so."}
    assert 0 <= about["seconds"] < 10
    assert len({one.about["prompt"] for one in kept}) == 6
    assert Audit.objects.filter(what="machine").get().about == {
        "pool": 1, "machine": "standin", "host": "127.0.0.1", "documents": 6,
    }  # fmt: skip


def test_what_a_machine_says_never_counts(world: World, model: StandIn) -> None:
    model.says = lambda _: graded(0)
    pool = pooled(world, asked=6, judged=5, overlap=100, judges=2)
    start(world, pool)

    def state() -> tuple[list[tuple[object, ...]], int]:
        fields = ("id", "given", "grade", "disputed", "wanted")
        return list(pool.questions.order_by("id").values_list(*fields)), pool.events.count()

    before = state()
    world.work()
    assert len(model.heard) == 6
    assert state() == before
    # People go on: the machine, which said 0 of all, makes no dispute and fills no place.
    mine = judgments.next_for(pool, world.people["organiser"])
    assert mine is not None
    assert (mine.given, mine.wanted) == (1, 2)
    first = Judgment.objects.get(question=mine, kind=Judgment.FIRST).grade
    judgments.judge(pool, world.people["organiser"], said(mine, first))
    mine.refresh_from_db()
    assert (mine.given, mine.grade, mine.disputed) == (2, first, False)
    other = judgments.next_for(pool, world.people["organiser"])
    assert other is not None
    judgments.judge(pool, world.people["organiser"], said(other, 1 - min(right(other), 1)))
    other.refresh_from_db()
    assert (other.grade, other.disputed) == (None, True)


@pytest.mark.parametrize(
    ("text", "grade", "reads"),
    [
        ('{"grade": 1, "why": "x"}', 1.0, True),
        ('```json\n{"why": "braces {here}", "grade": 0}\n```', 0.0, True),
        ('I think {of it}. {"grade": "1"}', 1.0, True),
        ('{"grade": null, "why": "no text"}', None, True),
        ('{"grade": 7}', None, False),
        ('{"grade": true}', None, False),
        ('{"grade": NaN}', None, False),
        ('{"grade": ' + "9" * 400 + "}", None, False),
        ("1", None, False),
        ("relevant", None, False),
        ('{"grade": ', None, False),
        ("[" * 5000, None, False),
        ("nul \0 and \ud800", None, False),
        (None, None, False),
    ],
)
def test_answers_are_read_or_kept_as_they_are(
    world: World, model: StandIn, text: str | None, grade: float | None, reads: bool
) -> None:
    model.says = lambda _: completion(text)
    machine = start(world, pooled(world, asked=1, judged=1))
    world.work()
    [one] = spoken(machine)
    assert (one.grade, "problem" not in one.about) == (grade, reads)
    kept = (text or "").replace("\0", "").replace("\ud800", "?")
    assert one.about["answer"] == kept[:4000]
    assert seen(machine) == (Machine.DONE, "")


def test_why_is_kept_without_what_no_database_takes(world: World, model: StandIn) -> None:
    model.says = lambda _: completion('{"grade": 1, "why": "a\\u0000b\\ud800' + "c" * 2000 + '"}')
    machine = start(world, pooled(world, asked=1, judged=1))
    world.work()
    assert spoken(machine)[0].note == "ab?" + "c" * 997


def test_the_endpoint_says_how_long_to_wait(world: World, model: StandIn) -> None:
    model.script = [graded(1), error(429, "slow down", Retry_After="40")]
    machine = start(world, pooled(world))
    world.work()
    assert len(model.heard) == 2
    assert seen(machine) == (Machine.ASKING, "the endpoint answered 429: slow down; it is asked again in 40 seconds")
    waits = Job.objects.get(kind="machine", state=Job.WAITING)
    assert 30 < (waits.after - timezone.now()).total_seconds() <= 40  # more than the 5 of a first failure
    assert waits.about["failures"] == 1
    due_now()
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    assert len(spoken(machine)) == 6
    assert len(model.heard) == 7


def test_trouble_is_told_until_there_is_an_answer(
    world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges, "BATCH", 1)
    model.script = [error(503, "busy")]
    machine = start(world, pooled(world))
    world.work()
    trouble = "the endpoint answered 503: busy; it is asked again in 5 seconds"
    assert seen(machine) == (Machine.ASKING, trouble)
    assert trouble in world.client("organiser").get(PAGE).content.decode()
    due_now()
    job = job_queue.take("one")
    assert job is not None
    job_queue.do(job)
    assert (len(spoken(machine)), seen(machine)) == (1, (Machine.ASKING, ""))


def test_waits_grow_and_end_after_six_failures(world: World, model: StandIn) -> None:
    model.says = lambda _: error(500, "the model is away")
    machine = start(world, pooled(world))
    waits = []
    while machine.state != Machine.FAILED:
        world.work()
        machine.refresh_from_db()
        waits += [(job.after - timezone.now()).total_seconds() for job in Job.objects.filter(state=Job.WAITING)]
        due_now()
    assert waits == [pytest.approx(seconds, abs=4) for seconds in (5, 15, 60, 300, 900)]
    assert len(model.heard) == 6
    assert seen(machine) == (Machine.FAILED, "the endpoint answered 500: the model is away")
    assert spoken(machine) == []
    model.says = lambda _: graded(1)
    judges.go_on(machine, world.people["organiser"])
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    assert len(spoken(machine)) == 6
    with pytest.raises(ParameterError, match="answered everything"):
        judges.go_on(machine, world.people["organiser"])


def test_an_answer_resets_the_count_of_failures(world: World, model: StandIn) -> None:
    model.script = [one for _ in range(5) for one in (error(503, "busy"), error(429, "busy"), graded(0))]
    machine = start(world, pooled(world))
    for _ in range(11):
        world.work()
        due_now()
    assert seen(machine) == (Machine.DONE, "")
    assert len(model.heard) == 5 * 3 + 1  # ten failures, never more than two in a row


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (error(401, "Incorrect API key provided"), "the endpoint answered 401: Incorrect API key provided"),
        (error(404, "no such model"), "the endpoint answered 404: no such model"),
        (error(400, "temperature must be 1"), "the endpoint answered 400: temperature must be 1"),
        (
            error(302, "", Location="http://127.0.0.1:1/"),
            "the endpoint answered 302: a redirect, which is not followed",
        ),
    ],
)
def test_what_cannot_get_better_ends_at_once(world: World, model: StandIn, reply: Any, problem: str) -> None:
    model.says = lambda _: reply
    machine = start(world, pooled(world))
    world.work()
    assert len(model.heard) == 1
    assert seen(machine) == (Machine.FAILED, problem)
    assert problem in world.client("organiser").get(PAGE).content.decode()


def test_one_document_that_is_refused_is_left_out(world: World, model: StandIn) -> None:
    model.script = [graded(1), error(400, "too long"), graded(1)]
    machine = start(world, pooled(world))
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    kept = spoken(machine)
    assert [one.grade for one in kept] == [1, None, 1, 1, 1, 1]
    assert kept[1].about["problem"] == "the endpoint answered 400: too long"
    assert len(model.heard) == 6


def test_a_worker_that_dies_is_followed_by_one_that_goes_on(
    world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = pooled(world)
    machine = start(world, pool)

    def ask(*words: Any) -> Any:
        if len(model.heard) == 3:
            raise SystemExit
        return prompt_for(*words)

    with monkeypatch.context() as patch:
        patch.setattr(judges, "prompt_for", ask)
        with pytest.raises(SystemExit):
            world.work()
    assert seen(machine) == (Machine.ASKING, "")
    assert len(spoken(machine)) == 3
    assert world.work() == 0  # the lease still runs
    let_the_lease_run_out()
    world.work()
    assert seen(machine) == (Machine.DONE, "")
    assert len(spoken(machine)) == 6
    assert len(model.heard) == len({item(prompt) for prompt in model.prompts}) == 6


def test_an_answer_that_was_lost_is_asked_for_again_and_kept_once(
    world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = start(world, pooled(world))

    def die(*_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(judges, "_keep", die)
        with pytest.raises(SystemExit):
            world.work()
    let_the_lease_run_out()
    world.work()
    assert len(model.heard) == 7
    assert len({one.question_id for one in spoken(machine)}) == len(spoken(machine)) == 6


def test_a_worker_that_was_given_up_writes_nothing(world: World, model: StandIn) -> None:
    machine = start(world, pooled(world))

    def taken_over(*words: Any) -> str:
        Job.objects.filter(kind="machine", state=Job.RUNNING).update(worker="another")
        return prompt_for(*words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judges, "prompt_for", taken_over)
        world.work()
    assert (len(model.heard), spoken(machine)) == (1, [])
    let_the_lease_run_out()
    world.work()
    assert len(spoken(machine)) == 6


def test_other_work_has_its_turn(world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "BATCH", 2)
    machine = start(world, pooled(world))
    assert world.work() == 4  # 2 + 2 + 2 questions, and the look that finds none left
    assert seen(machine) == (Machine.DONE, "")
    assert len(model.heard) == 6


def test_the_pool_grows_and_the_machine_is_asked_for_the_rest(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=6, judged=2)
    machine = start(world, pool)
    world.work()
    assert len(spoken(machine)) == 3  # two judged, one in hand
    question = judgments.next_for(pool, world.people["assessor"])
    assert question is not None
    judges.go_on(machine, world.people["organiser"])
    world.work()
    assert [one.question for one in spoken(machine)][-1] == question
    assert len(model.heard) == 4


def test_the_same_model_again_is_another_machine(world: World, model: StandIn) -> None:
    pool = pooled(world)
    start(world, pool)
    again = start(world, pool, PROMPT.replace("First think", "Think"))
    third = start(world, pool, name="other")
    assert [again.name, third.name] == ["standin 2", "other"]
    world.work()
    assert [len(spoken(one)) for one in pool.machines.all()] == [6, 6, 6]
    assert len(model.heard) == 18


def test_what_is_refused(world: World, model: StandIn) -> None:
    pool = pooled(world)
    for name, prompt, problem in (
        ("unknown", PROMPT, "no model unknown"),
        ("standin", PROMPT.replace("{document}", ""), "no {document}"),
        ("standin", PROMPT.replace("{topic}", ""), "no {topic}"),
        ("standin", PROMPT + "x" * 20_000, "too long"),
    ):
        with pytest.raises(ParameterError, match=re.escape(problem)):
            start(world, pool, prompt, name)
    pool.task.corpus.delete()
    with pytest.raises(ParameterError, match="nothing to ask"):
        start(world, Pool.objects.get(pk=pool.pk))
    assert not Machine.objects.exists()
    assert model.heard == []


def test_a_model_that_is_offered_no_more_is_not_asked(
    world: World, model: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = start(world, pooled(world))
    monkeypatch.setattr(settings, "OPTIONS", replace(settings.OPTIONS, machine_models=["other"]))
    world.work()
    assert seen(machine) == (Machine.FAILED, "the operator no longer offers standin")
    assert model.heard == []


def test_a_document_cannot_stand_for_the_topic(world: World, model: StandIn) -> None:
    pool = pooled(world, asked=1, judged=1)
    pool.task.corpus.documents.update(text="Its text is {topic} and {document}.")
    start(world, pool)
    world.work()
    assert model.prompts[0].count("Its text is {topic} and {document}.") == 1
    assert object_in("") == {}
