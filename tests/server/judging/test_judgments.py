"""Judging: who is asked what, what is kept of what they say, what holds in the end."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from cranfield.collections import Judging, find_candidates, parse_strategy, replay
from cranfield.core import CranfieldError, ParameterError
from cranfield.data import Qrels, read_qrels, read_run
from cranfield.server.judging import judgments, live_pools, pool_lifecycle
from cranfield.server.models import Audit, Judgment, Pool, Question, Turn, User
from cranfield.server.site import blob_store
from cranfield.server.submissions.intake import Refused
from cranfield.server.tasks import corpora
from tests.support.server.concurrency import in_threads
from tests.support.server.judging_campaigns import GRADES, RIGHT, begun, judge_all, right, said
from tests.support.server.users_and_tasks import TOPICS, World, arrived

if TYPE_CHECKING:
    from cranfield.server.models import Task


STRATEGIES = ["depth", "mtf", "maxmean", "thompson", "ucb", "epsilon-greedy", "hedge", "nrg", "rrf", "random"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_is_that_of_the_replay(world: World, strategy: str) -> None:
    task = world.received()
    pool = begun(world, task, strategy=strategy, budget=6, seed=11)
    asked = judge_all(pool, world.people["assessor"])
    runs = [read_run(blob_store.path_of(str(run.blob_id)), name=run.key) for run in pool_lifecycle.runs_of(task)]
    candidates = find_candidates(runs, depth=100)
    relevant = candidates.relevant(labels_of(task))
    found = replay(parse_strategy(strategy), candidates, relevant, budget=6, seed=11)
    assert len(asked) == pool_lifecycle.cost(pool).documents == 6 * len(TOPICS)
    for place, topic in enumerate(candidates.topics):
        names = [candidates.document[int(number)] for number in found.order[place].tolist() if number >= 0]
        assert [question.document for question in asked if question.topic == topic] == names
    # One topic after the other: an assessor stays where they are.
    assert len(dict.fromkeys(question.topic for question in asked)) == 1 + sum(
        a.topic != b.topic for a, b in pairwise(asked)
    )


def labels_of(task: Task) -> Qrels:
    version = task.version
    assert version is not None
    return read_qrels(blob_store.path_of(version.qrels_id))


def test_a_strategy_that_reads_is_given_the_texts(world: World) -> None:
    task = world.received()
    lines = [
        f'{{"id": "D{number:02d}", "text": "{"sea ship" if number < 4 else "hill road"}"}}' for number in range(1, 11)
    ]
    corpora.set_corpus(task, arrived("\n".join(lines), "documents.jsonl"), world.people["organiser"])
    world.work()
    pool = begun(world, task, strategy="cal", budget=5)
    asked = judge_all(pool, world.people["assessor"])
    assert len(asked) == 5 * len(TOPICS)
    found = sum(right(question) > 0 for question in asked)
    assert found > 0.9 * sum(grade > 0 for grade in RIGHT.values())  # the words tell them apart


def test_a_process_that_starts_anew_goes_on_alike(world: World) -> None:
    task = world.received()
    one, two = (begun(world, task, strategy="thompson", budget=5, seed=3) for _ in range(2))
    user = world.people["assessor"]
    whole = [(q.topic, q.document) for q in judge_all(one, user)]
    parts: list[tuple[str, str]] = []
    while batch := judge_all(two, user, 7):
        parts += [(q.topic, q.document) for q in batch]
        live_pools._at_hand.clear()
    assert parts == whole
    assert Judging.resume(live_pools.candidates_of(two), live_pools.state_of(two)).state == live_pools.state_of(two)


def test_what_is_sent_twice_is_kept_once(world: World) -> None:
    pool, user = begun(world, world.received()), world.people["assessor"]
    question = judgments.next_for(pool, user)
    assert question is not None
    assert judgments.next_for(pool, user) == question  # a page that is loaded again
    first = judgments.judge(pool, user, said(question, 1, "same"))
    assert judgments.judge(pool, user, said(question, 0, "same")) == first
    assert Judgment.objects.get().grade == 1
    with pytest.raises(Refused, match="you have judged"):
        judgments.judge(pool, user, said(question, 0, "other"))
    assert judgments.next_for(pool, user) != question


def test_undo_gives_the_document_back_and_the_strategy_forgets(world: World) -> None:
    task = world.received()
    pool, plain = (begun(world, task, strategy="nrg", seed=2) for _ in range(2))
    user = world.people["assessor"]
    order = [(q.topic, q.document) for q in judge_all(plain, user, 30)]
    for step in range(30):
        question = judgments.next_for(pool, user)
        assert question is not None
        assert (question.topic, question.document) == order[step]
        if step % 5 == 0:  # a slip of the finger
            judgments.judge(pool, user, said(question, 0 if right(question) else 2))
            assert judgments.take_back(pool, user) == question
            assert judgments.next_for(pool, user) == question
        judgments.judge(pool, user, said(question, right(question)))
    assert Judgment.objects.filter(question__pool=pool, taken_back=None).count() == 30
    assert Judgment.objects.filter(question__pool=pool).count() == 36
    fresh = begun(world, task)
    assert judgments.take_back(fresh, user) is None


def test_undo_after_the_next_one_was_asked_puts_that_off(world: World) -> None:
    pool, user = begun(world, world.received()), world.people["assessor"]
    first = judgments.next_for(pool, user)
    assert first is not None
    judgments.judge(pool, user, said(first, 1))
    second = judgments.next_for(pool, user)
    assert judgments.take_back(pool, user) == first
    assert judgments.next_for(pool, user) == first
    judgments.judge(pool, user, said(first, 0))
    assert Question.objects.get(pk=first.pk).grade == 0
    assert Turn.objects.get(question=second, user=user).state == Turn.LATER


def test_later_comes_at_the_end(world: World) -> None:
    pool, user = begun(world, world.received(), budget=2), world.people["assessor"]
    put_off = judgments.next_for(pool, user)
    assert put_off is not None
    judgments.put_off(pool, user, put_off.topic, put_off.document)
    asked = judge_all(pool, user)
    assert asked[-1] == put_off
    assert len(asked) == 2 * len(TOPICS)


def test_what_cannot_be_judged_teaches_nothing(world: World) -> None:
    pool, user = begun(world, world.received()), world.people["assessor"]
    question = judgments.next_for(pool, user)
    assert question is not None
    judgments.judge(pool, user, said(question, None))
    assert pool.events.get(number=2).grade == -1
    question.refresh_from_db()
    assert (question.given, question.grade, question.disputed) == (1, None, False)


def test_overlap_disagreement_and_the_decision(world: World) -> None:
    task = world.received()
    pool = begun(world, task, overlap=100, judges=2, budget=3)
    one, two, third = world.people["assessor"], world.people["loner"], world.people["organiser"]
    question = judgments.next_for(pool, one)
    assert question is not None
    assert question.wanted == 2
    judgments.judge(pool, one, said(question, 2))
    assert pool.events.filter(kind="told").get().grade == 2  # the strategy does not wait
    question.refresh_from_db()
    assert (question.grade, question.disputed) == (None, False)
    assert judgments.next_for(pool, two) == question  # before anything new
    judgments.judge(pool, two, said(question, 0))
    question.refresh_from_db()
    assert (question.grade, question.disputed, question.given) == (None, True, 2)
    with pytest.raises(Refused, match="somebody else decides"):
        judgments.decide(pool, one, said(question, 2))
    judgments.decide(pool, third, said(question, 1))
    question.refresh_from_db()
    assert (question.grade, question.disputed) == (1, False)
    steps = list(pool.events.order_by("number").values_list("kind", "grade"))
    assert steps[:4] == [("asked", None), ("told", 2), ("back", None), ("told", 1)]
    with pytest.raises(Refused, match="decided"):
        judgments.take_back(pool, two)
    judgments.decide(pool, third, said(question, 2))  # a second thought
    question.refresh_from_db()
    assert question.grade == 2
    agreed = judgments.next_for(pool, one)
    assert agreed is not None
    judgments.judge(pool, one, said(agreed, 1))
    judgments.judge(pool, two, said(judgments.next_for(pool, two) or agreed, 1))
    agreed.refresh_from_db()
    assert (agreed.grade, agreed.disputed) == (1, False)
    with pytest.raises(Refused, match="nothing to decide"):
        judgments.decide(pool, third, said(agreed, 0))


def test_about_as_many_are_judged_twice_as_the_organiser_wants(world: World) -> None:
    pool = begun(world, world.received(), overlap=30, judges=3)
    people = [world.people[name] for name in ("assessor", "loner", "organiser")]
    while sum(len(judge_all(pool, person, 5)) for person in people):
        pass
    often = Counter(pool.questions.values_list("wanted", "given"))
    assert set(often) == {(1, 1), (3, 3)}
    share = often[3, 3] / sum(often.values())
    assert 0.15 < share < 0.45  # of 120, 36 ± 5.0 times three
    assert sum(often.values()) == pool_lifecycle.cost(pool).documents
    assert not Turn.objects.exists()


def test_two_assessors_work_on_different_topics(world: World) -> None:
    pool = begun(world, world.received())
    questions = [judgments.next_for(pool, world.people[name]) for name in ("assessor", "loner")]
    assert len({question.topic for question in questions if question}) == 2


def test_what_somebody_left_is_asked_of_others_after_a_while(world: World) -> None:
    pool = begun(world, world.received(), budget=1)
    one, two = world.people["assessor"], world.people["loner"]
    left = judgments.next_for(pool, one)
    assert left is not None
    assert left not in judge_all(pool, two)
    Turn.objects.update(at=timezone.now() - judgments.PATIENCE - timedelta(seconds=1))
    assert judge_all(pool, two) == [left]
    Turn.objects.all().delete()
    with pytest.raises(Refused, match="somebody else"):
        judgments.judge(pool, one, said(left, 1))


def test_the_trial_comes_first_and_does_not_count(world: World) -> None:
    task = world.received()
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], grades=GRADES, budget=1)
    gold = [(TOPICS[0], "G1", 2.0, "It names the answer."), (TOPICS[1], "G2", 0.0, "")]
    assert pool_lifecycle.set_gold(pool, world.people["organiser"], gold) == 2
    pool_lifecycle.begin(pool, world.people["organiser"])
    user = world.people["assessor"]
    first = [judgments.next_for(pool, user)]
    assert first[0] is not None
    judgments.judge(pool, user, said(first[0], 0))
    asked = judge_all(pool, user)
    assert [(q.document, q.gold) for q in [first[0], *asked[:1]]] == [("G1", 2), ("G2", 0)]
    assert len(asked) == 1 + len(TOPICS)
    assert not pool.events.filter(document__startswith="G").exists()
    assert pool_lifecycle.progress(pool).judged == len(TOPICS)
    with pytest.raises(ParameterError, match="in the pool already"):
        pool_lifecycle.set_gold(pool, world.people["organiser"], [(asked[1].topic, asked[1].document, 1.0, "")])


def test_a_document_of_a_file_or_of_the_trial_is_asked_for_all_the_same(world: World) -> None:
    task = world.received()
    pool, plain = (begun(world, task, strategy="depth", budget=3) for _ in range(2))
    user = world.people["assessor"]
    order = [(q.topic, q.document) for q in judge_all(plain, user)]
    pool.questions.create(topic=order[1][0], document=order[1][1], wanted=0)  # from a file
    pool_lifecycle.set_gold(pool, world.people["organiser"], [(*order[2], 1.0, "")])
    asked = [(q.topic, q.document) for q in judge_all(pool, user)]
    assert sorted(asked) == sorted(order)  # the trial first, then all others, each once
    assert pool.questions.get(topic=order[1][0], document=order[1][1]).wanted == 1


def test_known_labels_are_not_asked_for_again(world: World) -> None:
    task = world.received()
    pool = begun(world, task, known=task.version)
    asked = judge_all(pool, world.people["assessor"])
    assert {question.document for question in asked} == {"D09", "D10"}  # of ten, eight were judged
    assert len(asked) == pool_lifecycle.cost(pool).documents == 2 * len(TOPICS)


def test_what_is_refused(world: World) -> None:
    task, organiser, user = world.received(), world.people["organiser"], world.people["assessor"]
    draft = pool_lifecycle.draw_up(task, organiser)
    assert judgments.next_for(draft, user) is None
    ghost = Question(pool=draft, topic=TOPICS[0], document="D01")
    with pytest.raises(Refused, match="takes no judgments"):
        judgments.judge(draft, user, said(ghost, 1))
    pool_lifecycle.change(draft, organiser, strategy="mtf", guidelines="Read it.")
    pool_lifecycle.begin(draft, organiser)
    with pytest.raises(ParameterError, match="is being judged"):
        pool_lifecycle.begin(draft, organiser)
    with pytest.raises(ParameterError, match="strategy is fixed"):
        pool_lifecycle.change(draft, organiser, strategy="nrg")
    pool_lifecycle.change(draft, organiser, guidelines="Read all of it.")
    with pytest.raises(Refused, match="nobody was asked"):
        judgments.judge(draft, user, said(ghost, 1))
    question = judgments.next_for(draft, user)
    assert question is not None
    with pytest.raises(Refused, match="7 is no grade"):
        judgments.judge(draft, user, said(question, 7))
    pool_lifecycle.end(draft, organiser)
    with pytest.raises(Refused, match="takes no judgments"):
        judgments.judge(draft, user, said(question, 1))
    with pytest.raises(Refused, match="takes no judgments"):
        judgments.take_back(draft, user)
    assert judgments.next_for(draft, user) is None
    acts = list(Audit.objects.order_by("-id").values_list("what", flat=True)[:5])
    assert acts == ["pool ended", "pool changed", "pool begun", "pool changed", "pool"]
    empty = world.task("empty")
    with pytest.raises(ParameterError, match="no run to pool"):
        pool_lifecycle.begin(pool_lifecycle.draw_up(empty, organiser), organiser)


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"strategy": "best"}, "best"),
        ({"grades": [["0", "no"]]}, "no grades"),
        ({"grades": [["1", "yes"], ["0", "no"]]}, "no grades"),
        ({"grades": [["no", "no"], ["1", "yes"]]}, "a grade is a number"),
        ({"grades": [["0", "no"], ["inf", "yes"]]}, "no grades"),
        ({"grades": [["nan", "no"], ["1", "yes"]]}, "no grades"),
        ({"overlap": 101}, "so many people"),
        ({"judges": 0}, "so many people"),
        ({"budget": 0}, "would be empty"),
    ],
)
def test_pools_that_could_not_be_judged(world: World, how: dict[str, object], problem: str) -> None:
    task = world.received()
    with pytest.raises(CranfieldError, match=problem):
        pool_lifecycle.draw_up(task, world.people["organiser"], **how)
    assert not Pool.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_many_assessors_at_once_lose_nothing_and_double_nothing(world: World) -> None:
    task = world.received()
    pool = begun(world, task, overlap=30, judges=2, strategy="thompson", seed=9)
    people = [User.objects.create_user(f"a{number}") for number in range(8)]
    everything = pool_lifecycle.cost(pool)

    sent: list[str] = []

    def work(number: int) -> None:
        user = people[number]
        while (question := judgments.next_for(pool, user)) is not None:
            told = said(question, right(question))
            judgments.judge(pool, user, told)
            judgments.judge(pool, user, told)  # the answer was lost on the way, and it is sent again
            sent.append(told.key)

    assert in_threads(8, work) == []
    kept = list(Judgment.objects.filter(question__pool=pool).values_list("key", flat=True))
    assert sorted(kept) == sorted(sent)
    counts = Counter(pool.questions.values_list("topic", "document"))
    assert set(counts.values()) == {1}
    assert len(counts) == everything.documents
    assert all(question.given >= question.wanted for question in pool.questions.all())
    steps = list(pool.events.order_by("number").values_list("number", flat=True))
    assert steps == list(range(1, len(steps) + 1))
    assert Judging.resume(live_pools.candidates_of(pool), live_pools.state_of(pool)).pending == ()
