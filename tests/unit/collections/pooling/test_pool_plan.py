"""Pools as tables, and budgets that topics share."""

import json
from pathlib import Path

import numpy as np
import pytest

from cranfield.collections import (
    STRATEGIES,
    Judging,
    allocate,
    documents_table,
    leave_judged,
    parse_strategies,
    parse_strategy,
    plan,
    pool_suffix,
    pool_table,
    replay,
    take_turns,
    write_pool,
)
from cranfield.core import Table
from cranfield.data import read_corpus, read_qrels, read_topics
from tests.support.reference.strategy_definitions import Case, campaign

EVERY = [cls() for cls in STRATEGIES]


@pytest.fixture(scope="module")
def made() -> Case:
    return campaign(1)


@pytest.mark.parametrize("strategy", EVERY, ids=str)
def test_a_plan_asks_as_a_pool_without_answers_would(strategy: object, made: Case) -> None:
    wanted = parse_strategy(strategy)  # type: ignore[arg-type]
    order = plan(wanted, made.candidates, budget=6, seed=4, corpus=made.corpus)
    judging = Judging(made.candidates, wanted, budget=6, seed=4, corpus=made.corpus)
    judging.ask(6)
    for place, topic in enumerate(made.topics):
        assert made.names(order[place]) == [one.document for one in judging.pending if one.topic == topic]


def test_what_is_known_is_told_and_not_asked_for(made: Case) -> None:
    grade = np.full(len(made.candidates), -np.inf)
    grade[::3] = made.relevant[::3]
    grade[3] = -1  # not judged, and not to be asked for
    order = plan(parse_strategy("maxmean"), made.candidates, grade, seed=2)
    asked = {int(which) for which in order[order >= 0]}
    assert asked == set(range(len(made.candidates))) - set(range(0, len(made.candidates), 3))
    judging = Judging(made.candidates, "maxmean", seed=2)
    names, of = made.candidates.document.to_list(), made.candidates.topic.tolist()
    for place, number in enumerate(grade.tolist()):
        if np.isfinite(number):
            judging.tell(made.topics[of[place]], names[place], number)
    for place, topic in enumerate(made.topics):
        one = judging.next(topic)
        assert one
        assert one.document == made.names(order[place])[0]


def test_depth_pools_are_sets_of_first_documents(made: Case) -> None:
    for k in (1, 3, 20):
        table = pool_table(made.candidates, plan(parse_strategy(f"depth(k={k})"), made.candidates))
        for topic in made.topics:
            expected = {document for ranking in made.rankings[topic] for document in ranking[:k]}
            rows = [row for row in table.rows() if row["topic"] == topic]
            assert {str(row["document"]) for row in rows} == expected
            assert [row["order"] for row in rows] == list(range(1, len(rows) + 1))


def test_topics_take_turns(made: Case) -> None:
    order = plan(parse_strategy("depth"), made.candidates)
    size = (order >= 0).sum(axis=1)
    for total in (1, 5, int(size.sum()) - 1, int(size.sum()) + 10):
        cut = take_turns(order, total)
        # One after the other, as people would deal cards.
        dealt, left = [0] * len(size), total
        while left and any(dealt[t] < size[t] for t in range(len(size))):
            for t in range(len(size)):
                if left and dealt[t] < size[t]:
                    dealt[t], left = dealt[t] + 1, left - 1
        assert (cut >= 0).sum(axis=1).tolist() == dealt


@pytest.mark.parametrize("share", ["even", "yield"])
@pytest.mark.parametrize("total", [1, 20, 90])
def test_shared_budgets_are_spent_as_a_pool_spends_them(share: str, total: int, made: Case) -> None:
    found = replay(parse_strategy("maxmean"), made.candidates, made.relevant, seed=5)
    judging = Judging(made.candidates, "maxmean", budget=total, shared=True, share=share, seed=5)  # type: ignore[arg-type]
    spent = dict.fromkeys(made.topics, 0)
    while (one := judging.next()) is not None:
        judging.tell(one.topic, one.document, float(one.document in made.found[one.topic]))
        spent[one.topic] += 1
    assert allocate(found, total, share).tolist() == list(spent.values())  # type: ignore[arg-type]
    assert sum(spent.values()) == total


def test_what_assessors_read(made: Case) -> None:
    table = pool_table(made.candidates, plan(parse_strategy("depth"), made.candidates, budget=1))
    first = [str(row["document"]) for row in table.rows()]
    corpus = read_corpus({first[0]: "what it says", "another": "nothing"})
    told = documents_table(table, corpus, None)
    assert told.cells("text") == ["what it says"] + [None] * (len(first) - 1)
    assert told.notes == (f"{len(first) - 1} of {len(first)} documents are not in corpus: without text",)


def test_what_was_searched_for(made: Case, tmp_path: Path) -> None:
    table = pool_table(made.candidates, plan(parse_strategy("depth"), made.candidates, budget=1))
    file = tmp_path / "topics.tsv"
    file.write_text(f"{made.topics[1]}\tblack bears\n")
    told = documents_table(table, None, read_topics(file))
    assert told.cells("query") == [None, "black bears", None, None]
    assert "text" not in told.columns


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.qrels", ".qrels"), ("a.TREC.gz", ".trec"), ("a.jsonl.xz", ".jsonl"), ("a.tsv", ""), ("a", ""), ("a.gz", "")],
)
def test_the_name_says_how_a_pool_is_written(name: str, suffix: str) -> None:
    assert pool_suffix(name) == suffix


def test_a_pool_as_judgments_that_nobody_made(tmp_path: Path) -> None:
    pool = Table({"topic": ["1", "2"], "document": ["a", "ü"], "order": [1, 1]}, "")
    for name in ("pool.qrels", "pool.qrels.gz"):
        write_pool(pool, tmp_path / name, ".qrels")
        assert read_qrels(tmp_path / name).to_table().rows() == [
            {"topic": "1", "document": "a", "grade": -1},
            {"topic": "2", "document": "ü", "grade": -1},
        ]
    write_pool(pool, tmp_path / "pool.jsonl", ".jsonl")
    assert [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text("utf-8").splitlines()] == pool.rows()


def test_documents_that_have_a_grade_are_left_out() -> None:
    order = np.array([[2, 0, 1], [3, -1, -1]])
    grade = np.array([1.0, -np.inf, 0.0, -1.0])
    assert leave_judged(order, grade).tolist() == [[-1, -1, 1], [3, -1, -1]]
    assert leave_judged(order, None).tolist() == order.tolist()


def test_names_of_strategies() -> None:
    assert [str(one) for one in parse_strategies("depth(k=3) mm-ns, nrg")] == ["depth(k=3)", "maxmean-ns", "nrg"]
    every = parse_strategies("all")
    assert {cls.name for cls in STRATEGIES} - {str(one) for one in every} == {"cal", "stratified"}
    assert {str(one) for one in parse_strategies(["all"], text=True)} - {str(one) for one in every} == {"cal"}
    assert parse_strategies([every[0], every[0]]) == [every[0]]
