"""Queries and events of a UBI export, and the log rows that follow from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


Row = dict[str, Any]

NOON = 1714564800  # 2024-05-01T12:00:00Z: 19,844 days and a half after 1970


def query(name: str, hits: list[str], *, client: str = "c1", text: str = "red shoes", second: int = 0) -> Row:
    at = f"2024-05-01T12:00:{second:02d}Z"
    told = {"application": "shop", "query_id": name, "client_id": client, "user_query": text, "timestamp": at}
    return told | {"query_response_hit_ids": hits}


def event(action: str, of: str, document: Any, ordinal: int = 1, second: int = 30) -> Row:
    inside = {"object": {"object_id": document, "object_id_field": "sku"}, "position": {"ordinal": ordinal}}
    told = {"action_name": action, "query_id": of, "client_id": "c1", "session_id": "s1"}
    return told | {"timestamp": f"2024-05-01T12:00:{second:02d}Z", "event_attributes": inside}


QUERIES = [
    query("q1", ["a", "b", "7"]),
    query("q2", [], text="blue shoes", second=10),
    query("q3", ["b"], client="c2", second=20),
]

EVENTS = [
    event("click", "q1", "b", 2, second=31),
    event("click_through", "q1", "b", 2, second=29),  # clicked again: the first time counts
    event("click", "q1", 7, 3, second=40),  # an id written as a number
    event("purchase", "q1", "7", 3, second=50),
    event("view", "q3", "b"),  # neither a click nor a conversion
    event("click", "q3", "z"),  # never shown
    event("click", "q9", "a"),  # of no query
]


def page(name: str, rank: int | None, document: str | None, **more: Any) -> Row:
    """A row of the log."""
    user, text, time = {"q1": ("c1", "red shoes", 0), "q2": ("c1", "blue shoes", 10), "q3": ("c2", "red shoes", 20)}[
        name
    ]
    row = {"impression": name, "topic": text, "rank": rank, "document": document, "clicked": False, "user": user}
    return row | {"time": NOON + time, "click_time": None, "converted": False} | more


LOGGED = [
    page("q1", 1, "a"),
    page("q1", 2, "b", clicked=True, click_time=NOON + 29),
    page("q1", 3, "7", clicked=True, click_time=NOON + 40, converted=True),
    page("q2", None, None),
    page("q3", 1, "b"),
]


def rows_of(log: Any) -> list[Row]:
    rows: list[Row] = log.engine.fetch(log.rows).to_pylist()
    return sorted(rows, key=lambda row: (row["impression"], row["rank"] or 0))


def write(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
