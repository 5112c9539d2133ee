"""Tables of workers and of machines in words."""

from typing import Any

import pytest

from cranfield.collections import Majority, machine_votes_sentence, workers_sentence, workers_table
from cranfield.core import Table
from cranfield.data import read_labels

BLIND = "no better than chance: equal 3 of 10, chance gives 3"
AGAINST = "against the others: equal 1 of 10, chance gives 5"


def workers(*rows: tuple[str, int, bool, str | None]) -> Table:
    return Table.from_rows(
        [dict(zip(("worker", "labels", "spammer", "why"), row, strict=True)) for row in rows],
        ("worker", "labels", "spammer", "why"),
    )


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("ann", 10, False, None), ("bob", 10, False, "accuracy falls from 1.00 to 0.20")], ""),
        (
            [("ann", 30, False, None), ("bob", 10, True, BLIND)],
            "bob (1 worker, 25.0% of the labels) answers as if without looking.",
        ),
        (
            [("ann", 6, False, None), ("bob", 1, True, BLIND), ("cat", 1, True, f"{BLIND}; accuracy rises")],
            "bob, cat (2 workers, 25.0% of the labels) answer as if without looking.",
        ),
        (
            [("ann", 2, True, AGAINST), *((f"w{i}", 2, True, BLIND) for i in range(4))],
            "w0, w1, w2 and 1 more (4 workers, 80.0% of the labels) answer as if without looking. "
            "ann (1 worker, 20.0% of the labels) answers against the others.",
        ),
    ],
)
def test_who_does_not_look(rows: list[tuple[str, int, bool, str | None]], sentence: str) -> None:
    assert workers_sentence(workers(*rows)) == sentence
    assert workers_sentence(workers(*rows), what="votes") == sentence.replace("of the labels", "of the votes")


def test_who_says_the_opposite_is_not_said_not_to_look() -> None:
    # Three people agree on 40 documents, half of them relevant; the fourth turns every grade round.
    rows = [
        ("1", f"d{i}", worker, (i % 2) if worker != "contrary" else 1 - i % 2)
        for i in range(40)
        for worker in ("ann", "bob", "cat", "contrary")
    ]
    columns = dict(zip(("topic", "document", "worker", "grade"), zip(*rows, strict=True), strict=True))
    labels = read_labels({name: list(column) for name, column in columns.items()})
    told = workers_sentence(workers_table(labels, Majority().merge(labels.answers)))
    assert told == "contrary (1 worker, 25.0% of the labels) answers against the others."


def machines(*rows: tuple[str, int, float | None, float | None]) -> Table:
    names = ("machine", "items", "equal", "kappa")
    return Table.from_rows([dict(zip(names, row, strict=True)) for row in rows], names)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], ""),
        ([("gpt", 0, None, None)], "gpt voted on nothing that people did."),
        ([("gpt", 1, 1.0, None)], "gpt votes as people together do on 100.0% of 1 pair."),
        (
            [("gpt", 1200, 0.25, -0.5), ("other", 4, 0.5, 0.125)],
            "gpt votes as people together do on 25.0% of 1,200 pairs (κ -0.50). "
            "other votes as people together do on 50.0% of 4 pairs (κ 0.12).",
        ),
    ],
)
def test_machines_that_vote(rows: list[Any], sentence: str) -> None:
    assert machine_votes_sentence(machines(*rows)) == sentence
