"""Pools that grow one judgment at a time."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cranfield.collections import (
    STRATEGIES,
    Asked,
    Event,
    Judging,
    State,
    asked_table,
    audit_table,
    find_candidates,
    parse_strategy,
    read_state,
    replay,
)
from cranfield.core import InputError, ParameterError, UnknownName
from cranfield.data import read_qrels
from tests.support.reference.strategy_definitions import Case, campaign

EVERY = [cls() for cls in STRATEGIES]


def judge(judging: Judging, case: Case, most: int = 10**6) -> list[Asked]:
    """Answer what is asked by what is known."""
    asked: list[Asked] = []
    while len(asked) < most and (one := judging.next()) is not None:
        judging.tell(one.topic, one.document, grade_of(one, case))
        asked.append(one)
    return asked


def grade_of(one: Asked, case: Case) -> float:
    return float(one.document in case.found[one.topic])


@pytest.mark.parametrize("strategy", EVERY, ids=str)
def test_one_document_at_a_time_is_the_replay(strategy: object, made: Case) -> None:
    case = made
    judging = Judging(case.candidates, strategy, budget=15, seed=7, corpus=case.corpus)  # type: ignore[arg-type]
    asked = judge(judging, case)
    found = replay(parse_strategy(strategy), case.candidates, case.relevant, budget=15, seed=7, corpus=case.corpus)  # type: ignore[arg-type]
    for place, topic in enumerate(case.topics):
        mine = [one for one in asked if one.topic == topic]
        assert [one.document for one in mine] == case.names(found.order[place])
        assert [one.order for one in mine] == list(range(1, len(mine) + 1))
    assert len(asked) > 3 * 15


@pytest.fixture(scope="module")
def made() -> Case:
    return campaign(2)


@pytest.mark.parametrize("strategy", ["thompson", "mtf", "nrg", "epsilon-greedy", "depth(k=5)"])
@pytest.mark.parametrize("after", [0, 1, 17])
def test_a_state_is_all_there_is_to_know(strategy: str, after: int, made: Case, tmp_path: Path) -> None:
    whole = Judging(made.candidates, strategy, budget=12, first=2, seed=3)
    every = judge(whole, made)
    part = Judging(made.candidates, strategy, budget=12, first=2, seed=3)
    before = judge(part, made, after)
    part.state.save(tmp_path / "state.json")
    state = read_state(tmp_path / "state.json")
    assert state == part.state
    again = Judging.resume(made.candidates, state)
    assert again.state == state
    assert before + judge(again, made) == every
    assert again.state == whole.state


@pytest.mark.parametrize("strategy", EVERY, ids=str)
def test_a_grade_that_is_taken_back_at_once_was_never_said(strategy: object, made: Case, tmp_path: Path) -> None:
    whole = Judging(made.candidates, strategy, budget=12, seed=3, corpus=made.corpus)  # type: ignore[arg-type]
    every = judge(whole, made)
    slip = Judging(made.candidates, strategy, budget=12, seed=3, corpus=made.corpus)  # type: ignore[arg-type]
    before = judge(slip, made, 9)
    wrong = slip.next()
    assert wrong is not None
    slip.tell(wrong.topic, wrong.document, 1 - grade_of(wrong, made))
    slip.take_back(wrong.topic, wrong.document)
    assert slip.grade_of(wrong.topic, wrong.document) is None
    assert slip.pending == (wrong,)
    slip.tell(wrong.topic, wrong.document, grade_of(wrong, made))
    slip.state.save(tmp_path / "state.json")
    again = Judging.resume(made.candidates, read_state(tmp_path / "state.json"), corpus=made.corpus)
    assert [*before, wrong, *judge(slip, made)] == every
    assert judge(again, made) == every[10:]
    assert again.state == slip.state


@pytest.mark.parametrize("strategy", ["thompson", "nrg", "mtf"])
def test_who_follows_the_same_events_chooses_alike(strategy: str, made: Case) -> None:
    leads, follows = (Judging(made.candidates, strategy, seed=5) for _ in range(2))
    for turn in range(60):
        asked = leads.next()
        assert asked is not None
        follows.follow(leads.state.events[-1])
        leads.tell(asked.topic, asked.document, grade_of(asked, made))
        follows.follow(leads.state.events[-1])
        if turn % 7 == 0:
            leads.take_back(asked.topic, asked.document)
            follows.follow(leads.state.events[-1])
    assert follows.state == leads.state
    assert follows.next() == leads.next()


def test_documents_that_are_out_come_back_in_any_order(made: Case) -> None:
    judging = Judging(made.candidates, "maxmean", seed=1)
    topic = made.topics[0]
    out = [judging.next(topic) for _ in range(4)]
    assert len({one.document for one in out if one}) == 4  # nobody is asked twice
    assert judging.pending == tuple(out)
    for one in reversed(out):
        assert one
        judging.tell(one.topic, one.document, 1)
    assert judging.pending == ()
    told = [event.document for event in judging.state.events if event.kind == "told"]
    assert told == [one.document for one in reversed(out) if one]
    assert Judging.resume(made.candidates, judging.state).next(topic) == judging.next(topic)


def test_what_is_known_is_learnt_and_not_asked_for_and_costs_nothing(made: Case) -> None:
    topic = made.topics[0]
    known = made.rankings[topic][0][3:5]
    judging = Judging(made.candidates, "maxmean", budget=3, seed=1)
    for document in known:
        judging.tell(topic, document, 1)
    asked = []
    while one := judging.next(topic):
        judging.tell(one.topic, one.document, 0)
        asked.append(one.document)
    assert len(asked) == 3
    assert not set(asked) & set(known)
    kinds = [event.kind for event in judging.state.events]
    assert kinds == ["known", "known", *["asked", "told"] * 3]


def test_judgments_of_a_file_answer_what_was_asked(made: Case) -> None:
    judging = Judging(made.candidates, "mtf", seed=1)
    assert judging.ask(2) == 2 * len(made.topics)
    one, *others = judging.pending
    grades = {one.topic: {one.document: 1, "somebody else's": 1}}
    assert judging.tell_all(read_qrels(grades)) == 1
    assert judging.tell_all(read_qrels(grades)) == 0
    assert judging.pending == tuple(others)


def test_a_grade_below_0_is_no_judgment(made: Case) -> None:
    topic = made.topics[0]
    judging, other = (Judging(made.candidates, "maxmean", seed=1) for _ in range(2))
    first = judging.next(topic)
    assert first
    assert other.next(topic) == first
    judging.tell(topic, first.document, -1)
    # The one who was told nothing and the one who was told −1 go on alike.
    assert judging.next(topic) == other.next(topic)
    assert len(judging.pending) == 1


def test_topics_take_turns_or_the_one_that_yields_goes_on(made: Case) -> None:
    total = 10
    even = judge(Judging(made.candidates, "depth", budget=total, shared=True), made)
    assert len(even) == total
    counts = [sum(one.topic == topic for one in even) for topic in made.topics]
    assert max(counts) - min(counts) <= 1
    # A topic in which everything is relevant keeps its turn: of the others one judgment each, which finds nothing.
    judging = Judging(made.candidates, "depth", budget=total, shared=True, share="yield")
    seen: list[str] = []
    while (one := judging.next()) is not None:
        judging.tell(one.topic, one.document, float(one.topic == made.topics[1]))
        seen.append(one.topic)
    assert len(seen) == total
    assert [seen.count(topic) for topic in made.topics] == [
        1 if t == 0 else total - 1 if t == 1 else 0 for t in range(4)
    ]


def test_first_documents_of_every_run_come_first(made: Case) -> None:
    topic = made.topics[0]
    judging = Judging(made.candidates, "maxmean", first=2, seed=1)
    early = {document for ranking in made.rankings[topic] for document in ranking[:2]}
    asked = [judging.next(topic) for _ in early]
    assert {one.document for one in asked if one} == early


def test_an_audit_finds_what_was_not_due(made: Case) -> None:
    judging = Judging(made.candidates, "mtf", budget=5, seed=1)
    judge(judging, made)
    state = judging.state
    assert all(audit_table(made.candidates, state).cells("as_due"))
    place = next(i for i, event in enumerate(state.events) if event.kind == "asked" and i > 0)
    first = state.events[place]
    topic = made.topics.index(first.topic)
    others = [made.candidates.document[i] for i in range(*made.candidates.starts[topic : topic + 2].tolist())]
    asked = {event.document for event in state.events if event.topic == first.topic}
    smuggled = next(name for name in others if name not in asked)
    changed = [replace(event, document=smuggled) if event.document == first.document and event.topic == first.topic
               else event for event in state.events]  # fmt: skip
    told = audit_table(made.candidates, replace(state, events=tuple(changed)))
    wrong = [row for row in told.rows() if not row["as_due"]]
    assert wrong[0]["document"] == smuggled
    assert wrong[0]["due"] == first.document


def test_what_is_pending_is_a_table(made: Case) -> None:
    judging = Judging(made.candidates, "depth")
    judging.ask(2)
    table = asked_table(made.candidates, judging.pending)
    assert len(table) == 2 * len(made.topics)
    for row in table.rows():
        ranks = [ranking.index(str(row["document"])) + 1 for ranking in made.rankings[str(row["topic"])]
                 if row["document"] in ranking]  # fmt: skip
        assert row["rank"] == min(ranks)
    assert table.cells("order") == [1, 2] * len(made.topics)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"budget": 0}, "the budget cannot be 0"),
        ({"first": -1}, "-1 documents of each run cannot come first"),
        ({"share": "luck"}, "topics cannot share a budget by 'luck'"),
    ],
)
def test_what_is_refused(settings: dict[str, object], problem: str, made: Case) -> None:
    with pytest.raises(ParameterError, match="^" + problem.replace("'", ".")):
        Judging(made.candidates, **settings)  # type: ignore[arg-type]


def test_a_strategy_that_is_none(made: Case) -> None:
    with pytest.raises(UnknownName, match="there is no strategy named 'best'"):
        Judging(made.candidates, "best")


def test_what_cannot_be_told(made: Case) -> None:
    judging, topic = Judging(made.candidates, "depth"), made.topics[0]
    one = judging.next(topic)
    assert one
    judging.tell(topic, one.document, 1)
    for document, grade, problem in [
        (one.document, 1, "was judged already"),
        ("nobody's", 1, "document nobody's is no candidate"),
        ("nobody's", float("nan"), "the grade cannot be nan"),
    ]:
        with pytest.raises(ParameterError, match=problem):
            judging.tell(topic, document, grade)
    with pytest.raises(ParameterError, match="no run has topic 999"):
        judging.next("999")


def test_a_pool_goes_on_with_the_runs_it_was_begun_with(made: Case) -> None:
    state = Judging(made.candidates, "depth").state
    fewer = find_candidates(made.runs[1:], depth=made.candidates.depth)
    with pytest.raises(ParameterError, match="is not what it was when the pool was begun"):
        Judging.resume(fewer, state)
    deeper = find_candidates(made.runs, depth=made.candidates.depth + 1)
    with pytest.raises(ParameterError, match="the depth is not what it was"):
        Judging.resume(deeper, state)
    turned = find_candidates(made.runs[::-1], depth=made.candidates.depth)
    with pytest.raises(ParameterError, match="the order of the runs is not what it was"):
        Judging.resume(turned, state)
    other = find_candidates(made.runs, depth=made.candidates.depth, ties="input")
    with pytest.raises(ParameterError, match="the order of ties is not what it was"):
        Judging.resume(other, state)
    stranger = replace(state, events=(Event("asked", made.topics[0], "nobody's"),))
    with pytest.raises(ParameterError, match="document nobody's is no candidate"):
        Judging.resume(made.candidates, stranger)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "this is not JSON"),
        ("[]", "this is not the state of a pool"),
        ('{"format": 2}', "this is not the state of a pool"),
        ('{"format": 1}', "strategy is missing"),
        ("EVENTS", "is no event"),
        ("RUNS", "unpack"),
    ],
)
def test_files_that_are_no_state(text: str, problem: str, made: Case, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    Judging(made.candidates, "depth").state.save(path)
    found = json.loads(path.read_text())
    if text == "EVENTS":
        text = json.dumps(found | {"events": [["asked", "1", "d", 3]]})
    elif text == "RUNS":
        text = json.dumps(found | {"runs": ["a"]})
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_state(path)
    with pytest.raises(InputError, match="there is no such file"):
        read_state(tmp_path / "none.json")


def test_a_state_is_a_frozen_value(made: Case) -> None:
    one, other = Judging(made.candidates, "depth").state, Judging(made.candidates, "depth").state
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one, State)
    with pytest.raises(AttributeError):
        one.seed = 3  # type: ignore[misc]
    assert np.isfinite(one.rel)
