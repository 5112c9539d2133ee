"""Labels of some workers, and what other judgments say of the labelled documents; all of it again by loops."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.data import read_labels, read_qrels, read_votes
from tests.support.label_files import told

ROWS = [
    ("t1", "d1", "ann", 1.0),
    ("t1", "d2", "bob", 0.0),
    ("t2", "d1", "ann", 2.0),
    ("t1", "d1", "bob", 2.0),
    ("t2", "d3", "cyd", 0.5),
    ("t1", "d1", "ann", 1.0),
]


def frame(rows: list[tuple[str, str, str, float]], **more: list[Any]) -> dict[str, list[Any]]:
    columns = zip(*rows, strict=True)
    return {**dict(zip(("topic", "document", "worker", "grade"), map(list, columns), strict=True)), **more}


def test_rows_become_numbers_and_come_back() -> None:
    labels = read_labels(frame(ROWS))
    assert told(labels) == ROWS
    assert labels.topics == ("t1", "t2")
    assert labels.workers == ("ann", "bob", "cyd")
    assert labels.grades.tolist() == [0, 0.5, 1, 2]
    assert (labels.answers.items, labels.answers.workers, labels.answers.choices) == (4, 3, 4)
    assert len(labels) == len(labels.answers) == 6
    assert labels.time is None
    assert labels.machine.tolist() == [False] * 3
    assert repr(labels) == "Labels('labels': 6 of 4 items by 3 workers)"


def test_some_workers_take_their_items_with_them() -> None:
    labels = read_labels(frame(ROWS, time=[10, 20, 30, 40, 50, 60]), machines=["cyd"])
    kept = labels.of_workers(np.array([False, True, True]))
    assert told(kept) == [row for row in ROWS if row[2] != "ann"]
    assert kept.time is not None
    assert kept.time.tolist() == [20, 40, 50]
    assert kept.workers == ("bob", "cyd")
    assert kept.machine.tolist() == [False, True]
    assert kept.grades.tolist() == [0, 0.5, 1, 2]  # grade 1 was given by ann alone, and stays
    assert kept.answers.items == len(kept.topic) == len(kept.document) == 3  # d1 of t2 had no other label
    assert kept.answers.workers == 2
    nobody = labels.of_workers(np.zeros(3, dtype=bool))
    assert (len(nobody), nobody.answers.items, nobody.workers) == (0, 0, ())


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, str, str, float]]:
    row = st.tuples(
        st.sampled_from("tuv"), st.sampled_from("defg"), st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0, 3.0])
    )
    return draw(st.lists(row, min_size=1, max_size=25))


@given(tables(), st.sets(st.sampled_from("abc")))
def test_leaving_workers_out_is_reading_fewer_rows(rows: list[tuple[str, str, str, float]], out: set[str]) -> None:
    labels = read_labels(frame(rows))
    assert told(labels) == rows
    kept = labels.of_workers(np.array([worker not in out for worker in labels.workers]))
    left = [row for row in rows if row[2] not in out]
    assert told(kept) == left
    assert kept.answers.items == len({row[:2] for row in left})
    assert kept.workers == tuple(dict.fromkeys(row[2] for row in rows if row[2] not in out))


@given(tables(), st.integers(0, 2**32), st.sampled_from([None, -1.0, 0.0, 1.0, 2.0]))
def test_gold_is_looked_up_pair_by_pair(rows: list[tuple[str, str, str, float]], seed: int, rel: float | None) -> None:
    draw = random.Random(seed)
    pairs = [(topic, document) for topic in "xtuv" for document in "dgfz"]
    judged = {pair: draw.choice([-1, 0, 0.5, 1, 2, 3]) for pair in pairs if draw.random() < 0.6} or {("x", "z"): 1}
    topics, documents = zip(*judged, strict=True)
    qrels = read_qrels({"topic": topics, "document": documents, "grade": list(judged.values())}, gains=True)
    labels = read_labels(frame(rows))
    found = labels.gold(qrels, rel=rel)
    assert len(found) == labels.answers.items
    for item in range(labels.answers.items):
        grade = judged.get((labels.topics[labels.topic[item]], labels.document[item]), -1)
        expected = -1
        if grade >= 0 and rel is not None:
            expected = len(labels.grades) - 1 if grade >= rel else 0
        elif grade >= 0 and grade in labels.grades.tolist():
            expected = labels.grades.tolist().index(grade)
        assert found[item] == expected


def test_gold_of_another_collection_says_nothing() -> None:
    qrels = read_qrels({"t9": {"d1": 1}, "t1": {"d9": 1}})
    assert read_labels(frame(ROWS)).gold(qrels).tolist() == [-1] * 4
    assert read_labels(frame(ROWS)).gold(qrels, rel=1).tolist() == [-1] * 4


def test_votes_say_how_many_they_are() -> None:
    votes = read_votes({"topic": [1, 1], "a": ["x", "y"], "b": ["y", "x"], "worker": ["w", "v"], "vote": ["a", "n"]})
    assert len(votes) == 2
    assert repr(votes) == "Votes('votes': 2 on 1 pairs by 2 workers)"


@pytest.mark.parametrize("kept", [[True, True, True], [True, False, True]])
def test_the_source_stays(kept: list[bool]) -> None:
    labels = read_labels(frame(ROWS), name="crowd.tsv")
    assert labels.of_workers(np.array(kept)).source is labels.source
    assert labels.source.name == "crowd.tsv"
