"""Labels from several places, as one; and votes as labels of pairs."""

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Labels, Votes, join_labels, labels_from_qrels, read_labels, read_qrels, read_votes

Row = tuple[str, str, str, float]


def labels_of(rows: list[Row], **more: list[Any]) -> Labels:
    topic, document, worker, grade = (list(column) for column in zip(*rows, strict=True))
    return read_labels({"topic": topic, "document": document, "worker": worker, "grade": grade, **more})


def told(labels: Labels) -> list[Row]:
    """The rows that labels stand for."""
    answers = labels.answers
    return [
        (labels.topics[labels.topic[item]], labels.document[item], labels.workers[worker], float(labels.grades[choice]))
        for item, worker, choice in zip(
            answers.item.tolist(), answers.worker.tolist(), answers.choice.tolist(), strict=True
        )
    ]


ONE: list[Row] = [("2", "b", "ann", 1), ("1", "a", "ann", 0), ("2", "b", "bob", 0), ("2", "c", "bob", 1)]
OTHER: list[Row] = [("1", "a", "gpt", 3), ("1", "z", "gpt", 0), ("3", "b", "gpt", 1), ("2", "b", "gpt", 0.5)]


def test_every_label_of_every_table_is_there() -> None:
    joined = join_labels([labels_of(ONE), labels_of(OTHER)])
    assert told(joined) == [*ONE, *OTHER]
    assert joined.grades.tolist() == [0, 0.5, 1, 3]
    assert joined.topics == ("2", "1", "3")
    assert joined.workers == ("ann", "bob", "gpt")
    assert len({(topic, document) for topic, document, *_ in told(joined)}) == len(joined.topic) == 5
    assert (joined.answers.items, joined.answers.workers, joined.answers.choices) == (5, 3, 4)
    assert joined.source.kind == "labels"
    assert joined.source.name == "labels + labels"


def test_one_table_stays_what_it_is() -> None:
    one = labels_of(ONE)
    assert join_labels([one]) is one
    with pytest.raises(ParameterError, match="there are no labels to join"):
        join_labels([])


def test_a_worker_of_both_is_one() -> None:
    joined = join_labels([labels_of(ONE), labels_of([("9", "x", "bob", 1)])])
    assert joined.workers == ("ann", "bob")
    assert told(joined)[-1] == ("9", "x", "bob", 1)


def test_machines_stay_machines_and_nobody_is_both() -> None:
    machine = labels_from_qrels({"gpt": {"2": {"b": 1}}}, machines=["gpt"])
    joined = join_labels([labels_of(ONE), machine])
    assert joined.machine.tolist() == [False, False, True]
    with pytest.raises(ParameterError, match="worker bob is a person in one table and a machine in another"):
        join_labels([labels_of(ONE), labels_from_qrels({"bob": {"2": {"b": 1}}}, machines=["bob"])])


def test_times_are_kept_where_all_know_them() -> None:
    timed = labels_of(ONE, time=[4, 3, 2, 1])
    both = join_labels([timed, labels_of(OTHER, time=[9, 8, 7, 6])])
    assert both.time is not None
    assert both.time.tolist() == [4, 3, 2, 1, 9, 8, 7, 6]
    assert join_labels([timed, labels_of(OTHER)]).time is None


def test_what_is_odd_about_each_of_them_is_kept() -> None:
    twice = read_labels({"topic": [1, 1], "document": ["a", "a"], "worker": ["x", "x"], "grade": [1, 1]}, name="one")
    below = read_labels({"topic": [1, 1], "document": ["a", "b"], "worker": ["y", "y"], "grade": [1, -2]}, name="two")
    problems = join_labels([twice, below, below]).source.problems
    assert [(one.file, one.code) for one in problems.kept] == [
        ("one", "W-AGAIN"),
        ("two", "W-NEGATIVE"),
        ("two", "W-NEGATIVE"),
    ]
    assert dict(problems.counts) == {"W-AGAIN": 1, "W-NEGATIVE": 2}


def test_other_tables_give_another_digest() -> None:
    one, other = labels_of(ONE), labels_of(OTHER)
    assert join_labels([one, other]).source.digest == join_labels([labels_of(ONE), labels_of(OTHER)]).source.digest
    assert join_labels([one, other]).source.digest != join_labels([other, one]).source.digest


@pytest.mark.parametrize("seed", range(5))
def test_items_of_the_first_table_keep_their_order(seed: int) -> None:
    # So that what is merged from them alone fits the joined ones.
    random = Random(seed)
    rows = [(str(random.randrange(6)), f"d{random.randrange(9)}", "w", float(random.randrange(3))) for _ in range(40)]
    more = [(str(random.randrange(8)), f"d{random.randrange(12)}", "m", 1.0) for _ in range(40)]
    first = labels_of(rows)
    joined = join_labels([first, labels_of(more)])
    mine = np.unique(joined.answers.item[joined.answers.worker == 0])
    assert [(joined.topics[joined.topic[item]], joined.document[item]) for item in mine.tolist()] == [
        (first.topics[topic], document)
        for topic, document in zip(first.topic.tolist(), first.document.to_list(), strict=True)
    ]


def test_grades_that_nobody_gave_are_no_choices() -> None:
    joined = join_labels([labels_of(ONE), labels_of(OTHER)])
    people = joined.of_workers(np.array([True, True, False]))
    assert people.grades.tolist() == [0, 0.5, 1, 3]
    given = people.given()
    assert given.grades.tolist() == [0, 1]
    assert given.answers.choices == 2
    assert told(given) == told(people) == ONE
    assert given.gold(read_qrels({"2": {"b": 1, "c": 3}, "1": {"a": 0}})).tolist() == [1, -1, 0]


VOTES = [
    # topic, a, b, worker, vote: p1 and p2 are compared both ways round
    ("t", "p1", "p2", "ann", "a"),
    ("t", "p2", "p1", "bob", "a"),
    ("t", "p3", "p1", "ann", "n"),
    ("t", "p3", "p2", "gpt", "b"),
    ("u", "p2", "p1", "bob", "b"),
    ("u", "p2", "p1", "gpt", "n"),
]


def votes_of(rows: Sequence[tuple[str, ...]], **options: Any) -> Votes:
    columns = zip(*rows, strict=True)
    return read_votes(
        {name: list(column) for name, column in zip(("topic", "a", "b", "worker", "vote"), columns, strict=True)},
        **options,
    )


def preferred(labels: Labels) -> set[tuple[str, frozenset[str], str, str]]:
    """Topic, pair, worker, and which document the worker prefers."""
    found = set()
    for topic, pair, worker, grade in told(labels):
        former, latter = pair.split(" | ")
        found.add((topic, frozenset((former, latter)), worker, (former, "neither", latter)[int(grade)]))
    return found


def meant(rows: Sequence[tuple[str, ...]]) -> set[tuple[str, frozenset[str], str, str]]:
    return {
        (topic, frozenset((a, b)), worker, {"a": a, "b": b, "n": "neither"}[vote]) for topic, a, b, worker, vote in rows
    }


def test_votes_are_labels_of_pairs() -> None:
    votes = votes_of(VOTES, machines=["gpt"])
    labels = votes.as_labels()
    assert preferred(labels) == meant(VOTES)
    assert labels.grades.tolist() == [0, 1, 2]
    assert labels.machine.tolist() == [False, False, True]
    assert labels.topic is votes.topic
    assert (labels.time, labels.source) == (None, votes.source)
    assert labels.answers.choices == 3


def test_votes_of_some_workers() -> None:
    votes = votes_of(VOTES, machines=["gpt"])
    people = votes.of_workers(~votes.machine)
    assert preferred(people.as_labels()) == meant([row for row in VOTES if row[3] != "gpt"])
    assert people.workers == ("ann", "bob")
    assert people.machine.tolist() == [False, False]
    assert len(people.topic) == 3  # nobody of them compared p3 and p2
    assert people.documents is votes.documents
    machine = votes.of_workers(votes.machine)
    assert preferred(machine.as_labels()) == meant([row for row in VOTES if row[3] == "gpt"])
    # A pair is turned round, or not, whoever voted on it.
    assert pairs_of(people) | pairs_of(machine) == pairs_of(votes)


def pairs_of(votes: Votes) -> set[tuple[str, str]]:
    labels = votes.as_labels()
    return {(labels.topics[t], pair) for t, pair in zip(labels.topic.tolist(), labels.document.to_list(), strict=True)}


@pytest.mark.parametrize("documents", [4, 5, 8, 9])
def test_the_order_of_documents_in_the_file_makes_no_side_the_better(documents: int) -> None:
    # The better ones are listed first, and everybody votes for them.
    rows = [("t", f"d{i}", f"d{j}", "ann", "a") for i, j in combinations(range(documents), 2)]
    labels = votes_of(rows).as_labels()
    former = sum(grade == 0 for *_, grade in told(labels))
    pairs = documents * (documents - 1) // 2
    assert abs(former - pairs / 2) <= documents / 4 + 0.5  # i + j is even for half of the pairs, but for what is odd
    assert preferred(labels) == meant(rows)
