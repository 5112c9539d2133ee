"""A pool as files: what was asked, the state, the log of all that was said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cranfield.collections import Judging, read_state
from cranfield.data import read_qrels
from cranfield.server.judging import judgments, live_pools, pool_lifecycle
from cranfield.server.models import Judgment, Pair, Vote
from tests.support.server.judging_campaigns import GRADES, begun, judge_all, said
from tests.support.server.users_and_tasks import TOPICS, World

if TYPE_CHECKING:
    from pathlib import Path

BASE = "/organise/ad-hoc/pools/1"


def content(world: World, name: str) -> bytes:
    answer: Any = world.client("organiser").get(f"{BASE}/{name}")
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def log(world: World) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content(world, "log.jsonl").decode().splitlines()]


def test_files_are_for_organisers(world: World) -> None:
    begun(world, world.received())
    for name in ("pool.txt", "state.json", "log.jsonl"):
        for who in ("assessor", "alice", "loner"):
            assert world.client(who).get(f"{BASE}/{name}").status_code == 404
        assert world.client().get(f"{BASE}/{name}").status_code == 302
        assert world.client("operator").get(f"{BASE}/{name}").status_code == 200
        assert world.client("organiser").get(f"/organise/ad-hoc/pools/2/{name}").status_code == 404


def test_the_pool_as_trec_writes_it(world: World, tmp_path: Path) -> None:
    pool = begun(world, world.received(), budget=3)
    assert content(world, "pool.txt") == b""
    asked = judge_all(pool, world.people["assessor"])
    (tmp_path / "pool.txt").write_bytes(content(world, "pool.txt"))
    read = read_qrels(tmp_path / "pool.txt").to_table()
    found = set(zip(read.cells("topic"), read.cells("document"), strict=True))
    assert found == {(one.topic, one.document) for one in asked}
    assert len(read) == len(asked) == 3 * len(TOPICS)
    assert set(read.cells("grade")) == {-1}


def test_the_state_goes_on_elsewhere(world: World, tmp_path: Path) -> None:
    pool = begun(world, world.received(), strategy="thompson", seed=5)
    judge_all(pool, world.people["assessor"], 20)
    (tmp_path / "state.json").write_bytes(content(world, "state.json"))
    state = read_state(tmp_path / "state.json")
    assert (state.strategy, state.seed) == (pool.strategy, 5)
    assert len(state.events) == 40  # asked and told
    on = Judging.resume(live_pools.candidates_of(pool), state)
    last = pool.questions.latest("id").topic
    due = on.next(last) or on.next()
    question = judgments.next_for(pool, world.people["assessor"])
    assert due is not None
    assert question is not None
    assert (question.topic, question.document) == (due.topic, due.document)


def test_the_log_has_everything_that_was_said(world: World) -> None:
    task = world.received()
    pool = pool_lifecycle.draw_up(task, world.people["organiser"], grades=GRADES, overlap=100, judges=2)
    pool_lifecycle.set_gold(pool, world.people["organiser"], [(TOPICS[0], "G1", 2.0, "")])
    pool_lifecycle.begin(pool, world.people["organiser"])
    one, two = world.people["assessor"], world.people["loner"]
    for person in (one, two):
        gold = judgments.next_for(pool, person)
        assert gold is not None
        judgments.judge(pool, person, said(gold, 2))
    first = judgments.next_for(pool, one)
    assert first is not None
    judgments.judge(pool, one, said(first, 0))
    judgments.take_back(pool, one)
    judgments.judge(
        pool, one, judgments.Said(key="k", topic=first.topic, document=first.document, grade=2, note="né", seconds=2.5)
    )
    judgments.judge(pool, two, said(first, None))
    judgments.decide(pool, world.people["organiser"], said(first, 1))
    Judgment.objects.create(
        question=first, worker="gpt", kind=Judgment.MACHINE, key="m", grade=0, about={"prompt": "P", "answer": "A"}
    )
    pair = Pair.objects.create(pool=pool, topic=TOPICS[0], one="D01", two="D02")
    Vote.objects.create(pair=pair, user=one, key="v", choice=-1, swapped=True)
    rows = log(world)
    told = [(row["kind"], row["person"], row.get("grade"), row["taken_back"] is not None) for row in rows]
    assert told == [
        ("first", "assessor", 2, False),
        ("first", "loner", 2, False),
        ("first", "assessor", 0, True),
        ("first", "assessor", 2, False),
        ("first", "loner", None, False),
        ("last", "organiser", 1, False),
        ("machine", "gpt", 0, False),
        ("preference", "assessor", None, False),
    ]
    assert [row["made"] for row in rows] == sorted(row["made"] for row in rows)
    assert [row.get("gold") for row in rows[:3]] == [2, 2, None]
    assert (rows[3]["note"], rows[3]["seconds"], rows[3]["document"]) == ("né", 2.5, first.document)
    assert rows[6]["about"] == {"prompt": "P", "answer": "A"}
    assert (rows[7]["one"], rows[7]["two"], rows[7]["choice"], rows[7]["swapped"]) == ("D01", "D02", -1, True)


def test_the_log_is_sent_while_it_is_read(world: World) -> None:
    pool = begun(world, world.received())
    judge_all(pool, world.people["assessor"])
    answer: Any = world.client("organiser").get(f"{BASE}/log.jsonl")
    assert answer.streaming
    assert sum(1 for _ in answer.streaming_content) == 10 * len(TOPICS)
