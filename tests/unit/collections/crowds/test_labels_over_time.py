"""How labels of workers go on over time: parts, agreement, grades, seconds; and scales that nobody used up."""

from statistics import median
from typing import Any

import numpy as np
import pytest

from cranfield.collections import course_table, gold_scores, on_scale, workers_table
from cranfield.collections.merging.votes import Majority
from cranfield.core import ParameterError
from cranfield.data import read_labels, read_qrels
from tests.support.simulations.crowds import Rows, labels_of


def said(worker: str, grades: list[float]) -> Rows:
    return [("1", f"d{place}", worker, grade) for place, grade in enumerate(grades)]


BOTH = said("ann", [1, 1, 0, 1, 0, 0, 1, 1]) + said("bob", [1, 1, 0, 1, 1, 1, 0, 1])
ALONE: Rows = [("1", "e0", "ann", 1), ("1", "e1", "ann", 1)]


def of(table: Any, worker: str, column: str) -> list[Any]:
    return [row[column] for row in table.rows() if row["worker"] == worker]


def test_each_part_has_its_own_agreement_and_grade() -> None:
    table = course_table(labels_of(BOTH + ALONE))
    assert table.columns == ("worker", "part", "labels", "grade", "agreement")
    # Ann has ten labels: parts of 3, 2, 3 and 2, for place · 4 // 10 is 0 0 0 1 1 2 2 2 3 3.
    assert of(table, "ann", "labels") == [3, 2, 3, 2]
    assert of(table, "ann", "grade") == pytest.approx([2 / 3, 1 / 2, 2 / 3, 1])
    # She differs from Bob on d4, d5 and d6; nobody else labelled what comes last.
    assert of(table, "ann", "agreement") == [1, 1 / 2, 1 / 3, None]
    assert of(table, "bob", "agreement") == [1, 1, 0, 1 / 2]
    assert [row["worker"] for row in table.rows()] == ["ann"] * 4 + ["bob"] * 4


def test_time_goes_before_the_order_of_rows() -> None:
    rows = said("ann", [0, 0, 2, 2])
    assert of(course_table(labels_of(rows, time=[4, 3, 2, 1]), parts=2), "ann", "grade") == [2, 0]
    assert of(course_table(labels_of(rows), parts=2), "ann", "grade") == [0, 2]


def test_the_median_of_what_is_known() -> None:
    generator = np.random.default_rng(4)
    rows = [("1", f"d{i}", f"w{generator.integers(3)}", 1.0) for i in range(60)]
    seconds = [float("nan") if one < 5 else float(one) for one in generator.integers(0, 60, 60)]
    table = course_table(labels_of(rows), seconds=seconds, parts=1)
    for worker in ("w0", "w1", "w2"):
        mine = [time for (_, _, who, _), time in zip(rows, seconds, strict=True) if who == worker and time == time]
        assert of(table, worker, "seconds") == [median(mine)]
    unknown = course_table(labels_of(said("ann", [1, 1])), seconds=[float("nan")] * 2, parts=1)
    assert of(unknown, "ann", "seconds") == [None]


def test_one_part_is_what_the_table_of_workers_says() -> None:
    generator = np.random.default_rng(5)
    rows = [("1", f"d{i}", f"w{w}", float(generator.integers(3))) for i in range(40) for w in range(4)]
    labels = labels_of(rows)
    workers = workers_table(labels, Majority().merge(labels.answers))
    whole = course_table(labels, parts=1)
    assert of(whole, "w2", "agreement") == pytest.approx(of(workers, "w2", "agreement"))


def test_a_worker_with_fewer_labels_than_parts() -> None:
    table = course_table(labels_of(said("ann", [1, 0])))
    assert [(row["part"], row["grade"]) for row in table.rows()] == [(1, 1), (3, 0)]


@pytest.mark.parametrize(("how", "said_so"), [({"seconds": [1.0]}, "seconds of 1"), ({"parts": 0}, "into 0 parts")])
def test_what_does_not_fit_is_refused(how: dict[str, Any], said_so: str) -> None:
    with pytest.raises(ParameterError, match=said_so):
        course_table(labels_of(BOTH), **how)


def test_a_grade_that_nobody_gave_is_wrong_all_the_same() -> None:
    labels = labels_of([("1", "d0", "ann", 0), ("1", "d1", "ann", 1)])
    right = {"1": {"d0": 0, "d1": 2}}  # nobody says 2: without the scale d1 would not count
    wide = on_scale(labels, [0, 1, 2])
    row = gold_scores(wide, wide.gold(read_qrels(right))).rows()[0]
    assert (row["gold"], row["right"]) == (2, 1)
    assert gold_scores(labels, labels.gold(read_qrels(right))).rows()[0]["gold"] == 1
    assert wide.grades[wide.answers.choice].tolist() == labels.grades[labels.answers.choice].tolist()
    with pytest.raises(ParameterError, match="1 was given and is not on the scale"):
        on_scale(labels, [0, 2])


def test_labels_of_columns_keep_their_rows() -> None:
    columns = {"topic": ["1", "1"], "document": ["a", "b"], "worker": ["ann", "ann"], "grade": [2.0, 0.0]}
    table = course_table(read_labels(columns), seconds=[3.0, 5.0], parts=2)
    assert of(table, "ann", "seconds") == [3, 5]
