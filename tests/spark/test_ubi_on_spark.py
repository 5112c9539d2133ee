"""Logs of User Behavior Insights are the same on DuckDB and on Spark."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.data import read_ubi
from tests.support.engine_agreement import columns_of, same
from tests.support.ubi_records import EVENTS, LOGGED, QUERIES, event, query, rows_of, write

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

ASKED = 20_000  # queries
ACTIONS = ("click", "click", "click_through", "view", "add_to_cart", "purchase")


def exported(asked: int, seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Queries with hits, none of them now and then, and events: some twice, some of what was never shown."""
    draw = random.Random(seed)
    queries, events = [], []
    for number in range(asked):
        name, client = f"q{number}", f"c{int(900 * draw.random() ** 3)}"
        hits = [f"d{one}" for one in draw.sample(range(60), draw.choice((0, 3, 5, 5, 10)))]
        queries.append(query(name, hits, text=f"words {int(50 * draw.random() ** 2)}", client=client))
        queries[-1]["timestamp"] = f"2024-05-{1 + number % 28:02d}T{number % 24:02d}:{number % 60:02d}:00Z"
        for ordinal, hit in enumerate(hits, 1):
            for _ in range(draw.choice((0, 0, 0, 0, 1, 1, 2)) if draw.random() < 1 / ordinal else 0):
                target = hit if draw.random() < 0.95 else "gone"
                events.append(event(draw.choice(ACTIONS), name, target, ordinal))
                at = queries[-1]["timestamp"].removesuffix("00Z")
                events[-1]["timestamp"] = f"{at}{draw.randrange(60):02d}Z"  # within the minute of its query
    return queries, events


def test_a_large_export_is_the_same_log_on_spark(tmp_path: Path, spark: SparkSession) -> None:
    queries, events = exported(ASKED, 5)
    assert len(events) > 20_000
    write(tmp_path / "ubi_queries.jsonl", queries)
    write(tmp_path / "ubi_events.jsonl", events)
    mine, other = (read_ubi(tmp_path, engine=engine) for engine in (None, spark))
    found = [columns_of(log, log.rows, "impression", "rank") for log in (mine, other)]
    same(*found)
    assert len(found[1]["rank"]) == sum(max(1, len(one["query_response_hit_ids"])) for one in queries)
    assert sum(found[1]["clicked"]) > 5_000
    assert mine.notes == other.notes
    assert mine.excluded == other.excluded
    assert set(mine.excluded.reasons) == {"event on a document that its query did not show"}
    same(*(columns_of(log, log.impressions(), "impression") for log in (mine, other)))


def test_an_export_is_the_same_log_on_spark(tmp_path: Path, spark: SparkSession) -> None:
    write(tmp_path / "ubi_queries.jsonl", QUERIES)
    write(tmp_path / "ubi_events.jsonl", EVENTS)
    log = read_ubi(tmp_path, engine=spark)
    assert rows_of(log) == LOGGED
    assert log.notes == read_ubi(tmp_path).notes
    wrapped = write(tmp_path / "wrapped.jsonl", [{"_source": row} for row in QUERIES])
    assert rows_of(read_ubi(wrapped, tmp_path / "ubi_events.jsonl", engine=spark)) == LOGGED


@pytest.mark.parametrize("kind", ["impressions", "flat"])
def test_other_exports_are_the_same_log_on_spark(tmp_path: Path, spark: SparkSession, kind: str) -> None:
    """Events that say what was shown, where queries do not; columns with points in their names."""
    import pyarrow as pa

    if kind == "impressions":
        bare = [{name: cell for name, cell in row.items() if name != "query_response_hit_ids"} for row in QUERIES]
        shown = [
            event("impression", row["query_id"], hit, rank)
            for row in QUERIES
            for rank, hit in enumerate(row["query_response_hit_ids"], 1)
        ]
        queries: Any = write(tmp_path / "q.jsonl", bare)
        events: Any = write(tmp_path / "e.jsonl", [*EVENTS, *shown, shown[0]])
    else:
        ids = [str(row["event_attributes"]["object"]["object_id"]) for row in EVENTS]
        flat = {name: [row[name] for row in EVENTS] for name in ("action_name", "query_id", "timestamp")}
        events = pa.table(flat | {"event_attributes.object.object_id": ids})
        queries = pa.Table.from_pylist(QUERIES)
    assert rows_of(read_ubi(queries, events, engine=spark)) == LOGGED
