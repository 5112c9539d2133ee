"""Logs of User Behavior Insights: two exports become one log, on either engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield.core import CranfieldError
from cranfield.data import read_ubi
from tests.support.ubi_records import EVENTS, LOGGED, QUERIES, event, rows_of, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both indices as they are exported."""
    write(tmp_path / "ubi_queries.jsonl", QUERIES)
    write(tmp_path / "ubi_events.jsonl", EVENTS)
    return tmp_path


def test_queries_and_events_become_a_log(folder: Path) -> None:
    log = read_ubi(folder / "ubi_queries.jsonl", folder / "ubi_events.jsonl")
    assert rows_of(log) == LOGGED
    assert log.dropped.notes == ("2 clicks or conversions are of documents that their query did not show",)
    assert rows_of(read_ubi(folder)) == LOGGED
    assert log.source.kind == "log"
    assert log.source.name.endswith("ubi_events.jsonl")
    assert log.source.digest == read_ubi(folder).source.digest


def test_exports_in_any_form_are_the_same_log(folder: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    wrapped = [[{"_index": "ubi", "_source": row} for row in rows] for rows in (QUERIES, EVENTS)]
    paths = [write(tmp_path / f"wrapped-{place}.jsonl", rows) for place, rows in enumerate(wrapped)]
    assert rows_of(read_ubi(*paths)) == LOGGED
    ids = [str(row["event_attributes"]["object"]["object_id"]) for row in EVENTS]
    flat = {name: [row[name] for row in EVENTS] for name in ("action_name", "query_id", "timestamp")}
    events = pa.table(flat | {"event_attributes.object.object_id": ids})
    pq.write_table(events, tmp_path / "flat.parquet")
    assert rows_of(read_ubi(folder / "ubi_queries.jsonl", tmp_path / "flat.parquet")) == LOGGED
    assert rows_of(read_ubi(pa.Table.from_pylist(QUERIES), events)) == LOGGED


def test_other_actions_can_be_clicks(folder: Path) -> None:
    rows = rows_of(read_ubi(folder, clicks=("view",), conversions=()))
    assert [row["clicked"] for row in rows] == [False, False, False, False, True]
    assert not any(row["converted"] for row in rows)


def test_impressions_tell_what_was_shown_where_queries_do_not(tmp_path: Path) -> None:
    bare = [{name: cell for name, cell in row.items() if name != "query_response_hit_ids"} for row in QUERIES]
    shown = [
        event("impression", row["query_id"], hit, rank)
        for row in QUERIES
        for rank, hit in enumerate(row["query_response_hit_ids"], 1)
    ]
    queries, events = write(tmp_path / "q.jsonl", bare), write(tmp_path / "e.jsonl", [*EVENTS, *shown, shown[0]])
    assert rows_of(read_ubi(queries, events)) == LOGGED


def test_what_is_no_export_is_refused(folder: Path, tmp_path: Path) -> None:
    queries, events = folder / "ubi_queries.jsonl", folder / "ubi_events.jsonl"
    with pytest.raises(CranfieldError, match="no folder with an export of UBI"):
        read_ubi(queries)
    with pytest.raises(CranfieldError, match="there is no field action_name") as caught:
        read_ubi(queries, queries)
    assert "query_response_hit_ids" in caught.value.hint
    with pytest.raises(CranfieldError, match="there is no field user_query"):
        read_ubi(events, events)
    with pytest.raises(CranfieldError, match=r"there is no field event_attributes\.object\.object_id"):
        read_ubi(queries, write(tmp_path / "bare.jsonl", [{"action_name": "click", "query_id": "q1", "timestamp": 1}]))
    with pytest.raises(CranfieldError, match="there is no such file"):
        read_ubi(queries, tmp_path / "nothing.jsonl")
    events.rename(tmp_path / "other.jsonl")
    with pytest.raises(CranfieldError, match="has not one file with events in its name"):
        read_ubi(folder)
