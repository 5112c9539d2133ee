"""Logs of User Behavior Insights are the same on DuckDB and on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.data import read_ubi
from tests.unit.data.test_ubi import EVENTS, LOGGED, QUERIES, rows_of, write

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_an_export_is_the_same_log_on_spark(tmp_path: Path, spark: SparkSession) -> None:
    write(tmp_path / "ubi_queries.jsonl", QUERIES)
    write(tmp_path / "ubi_events.jsonl", EVENTS)
    log = read_ubi(tmp_path, engine=spark)
    assert rows_of(log) == LOGGED
    assert log.dropped.notes == read_ubi(tmp_path).dropped.notes
    wrapped = write(tmp_path / "wrapped.jsonl", [{"_source": row} for row in QUERIES])
    assert rows_of(read_ubi(wrapped, tmp_path / "ubi_events.jsonl", engine=spark)) == LOGGED
