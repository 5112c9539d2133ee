"""Logs of User Behavior Insights: two exports become one log, on either engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cranfield.core import CranfieldError, InputError
from cranfield.data import read_ubi
from tests.support.ubi_records import EVENTS, LOGGED, QUERIES, event, query, rows_of, write

if TYPE_CHECKING:
    from pathlib import Path

HITS, NOT_SHOWN = "query_response_hit_ids", "event on a document that its query did not show"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Both indices as they are exported."""
    write(tmp_path / "ubi_queries.jsonl", QUERIES)
    write(tmp_path / "ubi_events.jsonl", EVENTS)
    return tmp_path


def test_queries_and_events_become_a_log(folder: Path) -> None:
    log = read_ubi(folder / "ubi_queries.jsonl", folder / "ubi_events.jsonl")
    assert rows_of(log) == LOGGED
    (unused,) = log.notes
    assert "view (1)" in unused
    assert log.excluded.reasons == {"event of an unknown query": 1, NOT_SHOWN: 1}
    assert log.excluded.total == len(LOGGED) + 2
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


def test_actions_that_are_not_used_are_listed(tmp_path: Path) -> None:
    queries = write(tmp_path / "queries.jsonl", [query("q1", ["a", "b"]), query("q2", ["a"])])
    others = [event("item_click", "q1", "b", 2), event("item_click", "q2", "a"), event("hover", "q2", "a")]
    events = write(tmp_path / "events.jsonl", [event("click", "q1", "a"), *others])
    log = read_ubi(queries, events)
    assert [row["clicked"] for row in rows_of(log)] == [True, False, False]
    (note,) = log.notes
    assert "item_click (2), hover (1)" in note
    both = read_ubi(queries, events, clicks=("click", "item_click"))
    assert [row["clicked"] for row in rows_of(both)] == [True, True, True]
    none = write(tmp_path / "none.jsonl", others)
    with pytest.raises(InputError) as caught:
        read_ubi(queries, none)
    assert caught.value.code == "E-CLICKS"
    assert "--clicks" in caught.value.hint
    assert [row["clicked"] for row in rows_of(read_ubi(queries, none, clicks="item_click"))] == [False, True, True]


@pytest.mark.parametrize("first", [0, 1])
def test_the_ordinal_says_which_of_two_equal_documents_was_clicked(tmp_path: Path, first: int) -> None:
    queries = write(tmp_path / "queries.jsonl", [query("q1", ["a", "b", "a"]), query("q2", ["b", "a", "a"])])
    clicked = [event("click", "q1", "a", 2 + first), event("click", "q2", "b", first)]
    log = read_ubi(queries, write(tmp_path / "events.jsonl", clicked), ranks_from=first)
    shown = [(row["impression"], row["rank"]) for row in rows_of(log) if row["clicked"]]
    assert shown == [("q1", 3), ("q2", 1)]
    assert log.notes == ()


def test_without_an_ordinal_the_first_of_two_equal_documents_was_clicked(tmp_path: Path) -> None:
    queries = write(tmp_path / "queries.jsonl", [query("q1", ["b", "a", "a"])])
    log = read_ubi(queries, write(tmp_path / "events.jsonl", [event("click", "q1", "a", 9)]))
    assert [row["rank"] for row in rows_of(log) if row["clicked"]] == [2]
    (note,) = log.notes
    assert note.startswith("1 ")


def test_ordinals_that_start_elsewhere_are_refused_where_they_decide(tmp_path: Path) -> None:
    """The clicks on b and c have the ordinals 2 and 3 from 0, so 1 is the second a, not the first."""
    queries = write(tmp_path / "queries.jsonl", [query("q1", ["a", "a", "b", "c"])])
    clicked = [event("click", "q1", "a", 1), event("click", "q1", "b", 2), event("click", "q1", "c", 3)]
    events = write(tmp_path / "events.jsonl", clicked)
    with pytest.raises(InputError) as caught:
        read_ubi(queries, events)
    assert caught.value.code == "E-RANKS"
    assert "--ranks-from 0" in caught.value.hint
    rows = rows_of(read_ubi(queries, events, ranks_from=0))
    assert [row["rank"] for row in rows if row["clicked"]] == [2, 3, 4]


def test_an_action_that_no_event_has_is_refused(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_ubi(folder, clicks=("click", "itm_click"))
    assert caught.value.code == "E-CLICKS"
    assert "itm_click" in caught.value.problem
    assert all(name in caught.value.problem for name in ("click (4)", "view (1)", "purchase (1)"))


@pytest.mark.parametrize("inside", ["attributes", "object", "mixed", "index"])
def test_event_attributes_of_every_shape_are_read(folder: Path, tmp_path: Path, inside: str) -> None:
    """JSON in text, as some exports write it; objects of many fields; and the ordinal of version 1.0.0."""
    rows = [dict(row) for row in EVENTS]
    for row in rows:
        about = dict(row["event_attributes"])
        if inside == "attributes":
            row["event_attributes"] = json.dumps(about)
        elif inside == "object":
            row["event_attributes"] = about | {"object": json.dumps(about["object"])}
        elif inside == "index":
            row["event_attributes"] = about | {"position": {"ordinal": {"index": about["position"]["ordinal"]}}}
    if inside == "mixed":
        other = {"action_name": "page_exit", "query_id": "q1", "timestamp": "2024-05-01T12:00:00Z"}
        rows += [other | {"event_attributes": None}, other | {"event_attributes": {"object": {"idle": [], "n": 250}}}]
        rows += [other | {"event_attributes": {"object": {str(n): n}, "position": {}}} for n in range(300)]
    events = write(tmp_path / "other.jsonl", rows)
    assert rows_of(read_ubi(folder / "ubi_queries.jsonl", events)) == LOGGED


def test_hits_may_be_json_in_text(folder: Path, tmp_path: Path) -> None:
    rows = [row | {"query_response_hit_ids": json.dumps(row["query_response_hit_ids"])} for row in QUERIES]
    queries = write(tmp_path / "other.jsonl", rows)
    assert rows_of(read_ubi(queries, folder / "ubi_events.jsonl")) == LOGGED


def test_impressions_tell_what_was_shown_where_some_queries_do_not(tmp_path: Path) -> None:
    """q1 names no hits, but has impressions; q2 has neither, and may have had no results."""
    some = [row | {HITS: None} if row["query_id"] == "q2" else row for row in QUERIES]
    some[0] = {name: cell for name, cell in some[0].items() if name != HITS}
    shown = [event("impression", "q1", hit, rank) for rank, hit in enumerate(QUERIES[0][HITS], 1)]
    log = read_ubi(write(tmp_path / "q.jsonl", some), write(tmp_path / "e.jsonl", [*EVENTS, *shown]))
    assert rows_of(log) == LOGGED
    assert any(note.startswith("1 queries name no hits") for note in log.notes)


def test_events_that_cannot_be_used_are_counted_one_by_one(tmp_path: Path) -> None:
    """Of nine clicks two name no query, two the same document that was not shown, and one no document."""
    queries = write(tmp_path / "q.jsonl", [query("q1", ["a", "b"]), query("q2", ["a"])])
    clicks = [
        event("click", "q1", "a"),
        event("click", "q1", "a"),
        event("click", "q2", "a"),
        event("click", "q9", "a"),
    ]
    clicks += [event("click", "q1", "z"), event("click", "q1", "z"), event("click", "q1", None)]
    clicks += [event("click", "", "a") | {"query_id": none} for none in (None, "")]
    log = read_ubi(queries, write(tmp_path / "e.jsonl", clicks))
    assert [row["clicked"] for row in rows_of(log)] == [True, False, True]
    once = {"event of an unknown query": 1, "event without object_id": 1}
    assert log.excluded.reasons == {NOT_SHOWN: 2, "event without query_id": 2} | once
    assert (log.excluded.rows, log.excluded.total) == (6, 3 + 6)
    assert log.notes == ()


@pytest.mark.parametrize("hits", [None, "a, b"])
def test_queries_of_which_it_is_unknown_what_they_showed_are_excluded(tmp_path: Path, hits: str | None) -> None:
    """q2 has a click, and so had results; q3 has none, but has no hits either for the same reason."""
    rows = [query(name, ["a"]) for name in ("q1", "q2", "q3")]
    rows = [row | {HITS: json.dumps(row[HITS]) if row["query_id"] == "q1" else hits} for row in rows]
    clicks = [event("click", "q1", "a"), event("click", "q2", "a")]
    log = read_ubi(write(tmp_path / "q.jsonl", rows), write(tmp_path / "e.jsonl", clicks))
    assert [row["impression"] for row in rows_of(log)] == ["q1"]
    assert log.excluded.reasons == {f"query {'without' if hits is None else 'with unreadable'} {HITS}": 2, NOT_SHOWN: 1}
    assert log.notes == ()


def test_clicks_on_documents_that_no_query_shows_are_refused(tmp_path: Path) -> None:
    queries = write(tmp_path / "queries.jsonl", [query("q1", ["a", "b"])])
    with pytest.raises(InputError) as caught:
        read_ubi(queries, write(tmp_path / "events.jsonl", [event("click", "q1", "A"), event("click", "q1", "B")]))
    assert caught.value.code == "E-CLICKS"


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
