"""What a worker makes of a partition, without Spark: chunks are whole topics, and their size changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import cranfield as cf
from cranfield.core import Ties
from cranfield.integrations.spark.topic_partitions import Work, whole_topics
from cranfield.integrations.spark.worker_errors import read_fault, write_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = {
    "topic": pa.string(),
    "run": pa.string(),
    "document": pa.string(),
    "number": pa.float64(),
    "place": pa.float64(),
}


def batches(rows: list[tuple[Any, ...]], size: int) -> Iterator[pa.RecordBatch]:
    """Rows as they come, so many at a time, and a batch without any."""
    table = pa.table(
        {name: pa.array(column, KINDS[name]) for name, column in zip(KINDS, zip(*rows, strict=True), strict=True)}
    )
    yield pa.RecordBatch.from_pylist([], table.schema)
    yield from table.to_batches(size)


@pytest.mark.parametrize("most", [1, 4, 7, 100])
@pytest.mark.parametrize("size", [1, 3, 50])
def test_chunks_are_whole_topics(most: int, size: int) -> None:
    lengths = {"a": 3, "b": 1, "c": 12, "d": 2, "e": 2}
    rows = [(topic, None, f"d{i}", 1.0, 0.0) for topic, length in lengths.items() for i in range(length)]
    found = [table["topic"].to_pylist() for table in whole_topics(batches(rows, size), most)]
    assert [topic for chunk in found for topic in chunk] == [row[0] for row in rows]
    assert all(not set(chunk) & set(later) for i, chunk in enumerate(found) for later in found[i + 1 :])
    # No more than what was asked for, one topic and one batch are held.
    assert all(len(chunk) < most + max(lengths.values()) + size for chunk in found)
    assert len(found) > 1 or most == 100


QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"b": 1, "x": -1}}
RUNS = {
    "first": {"1": {"a": 1.0, "b": 2.0, "z": 2.0}, "2": {"y": 1.0}, "3": {"b": 0.5, "a": 0.5}},
    "second": {"2": {"a": 3.0, "b": 2.0}, "9": {"a": 1.0}},
}


def rows() -> list[tuple[Any, ...]]:
    """All of it as a worker sees it: sorted by topic, and judgments in places of their own."""
    judged = [(topic, None, d, float(g), 0.0) for topic, grades in QRELS.items() for d, g in grades.items()]
    judged = [(*row[:4], float(place)) for place, row in enumerate(judged)]
    runs = [(t, run, d, s, None) for run, by in RUNS.items() for t, scores in by.items() for d, s in scores.items()]
    return sorted([*runs, *judged], key=lambda row: row[0])


def work(most: int, **changed: Any) -> Work:
    """The values of a few measures, in chunks of so many rows."""
    measures = tuple(measure.settled(2) for measure in cf.parse_measures("AP nDCG@2 P@2"))
    options: dict[str, Any] = {"single": False, "without_self": False, "gains": False, "prior": None, "seed": 0}
    options |= {"order": Ties.TREC, "reading": Ties.TREC, "name": "qrels", "rows": most}
    return Work(tuple(RUNS), measures, **options | changed)


@pytest.mark.parametrize("most", [1, 5, 100])
def test_values_are_those_of_one_machine_whatever_the_chunks(most: int) -> None:
    mine = cf.evaluate(QRELS, RUNS, "AP nDCG@2 P@2")
    found = [row for batch in work(most)(batches(rows(), 2)) for row in batch.to_pylist()]
    measured = {(row["run"], row["topic"]): row for row in found if row["place"] is not None}
    assert len(measured) == mine.missing.size
    for (run, topic), row in measured.items():
        r, t = mine.runs.index(run), mine.topics.index(topic)
        assert row["value"] == mine.cube[r, t].tolist()
        assert (row["retrieved"] == 0) == mine.missing[r, t]
        assert row["without_relevant"] == mine.without_relevant[:, t].tolist()
    unknown = [(row["run"], row["topic"]) for row in found if row["place"] is None and row["topic"] is not None]
    assert unknown == [("second", "9")]
    assert {topic: row["place"] for (_, topic), row in measured.items()} == {"1": 0, "2": 3, "3": 4}
    # b and z of topic 1 share a score, and stand above the cut; b and a of topic 3 too.
    assert not np.any([row["straddling"] for row in measured.values()])


def test_the_first_fault_ends_a_partition() -> None:
    twice = [*rows(), ("9", "second", "a", 1.0, None)]
    found = [row for batch in work(1)(batches(twice, 2)) for row in batch.to_pylist()]
    assert sum(row["place"] is not None for row in found) == 6  # of the topics before
    error = read_fault(found[-1]["fault"])
    assert isinstance(error, cf.InputError)
    assert str(error).startswith("second: document a stands twice in topic 9\nhint: ")


def test_an_error_travels_as_text() -> None:
    for error in (cf.InputError("x: wrong", hint="mend it", code="E-NULL"), cf.ParameterError("no", hint="yes")):
        again = read_fault(write_fault(error))
        assert type(again) is type(error)
        assert (again.problem, again.hint, getattr(again, "code", None)) == (
            error.problem,
            error.hint,
            getattr(error, "code", None),
        )
