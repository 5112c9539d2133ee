"""Simulated boards of any size, without runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cranfield.server.models import Picture, Snapshot
from cranfield.server.site import blob_store

if TYPE_CHECKING:
    from cranfield.server.models import Task

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"><style>text{fill:red}</style></svg>'


def row(place: int, **other: Any) -> dict[str, Any]:
    """The run in this place of a board, from 1; every third is a tie."""
    value = 0.9 - place / 200
    return {
        "run": f"run-{place:03d}",
        "key": f"{place:012x}",
        "group": f"Team {place % 20}",
        "anonymous_until": None,
        "kind": "manual" if place % 4 == 0 else "automatic",
        "metadata": {"platform": {"software": "Lucene"}} if place % 2 else {},
        "date": f"2026-{1 + place % 12:02d}-{1 + place % 28:02d}",
        "runs": place % 7 + 1,
        "badges": ["baseline"] if place == 9 else [],
        "rank": 1 + place // 3,
        "rank_low": max(1, place - 3),
        "rank_high": place + 3,
        "letters": "abcdefghij"[place // 15] + "bcdefghijk"[place // 15],
        "low": value - 0.04,
        "high": value + 0.04,
        "p_first": 0.5 / place,
        "value": value,
        "difference": 0.895 - value if place == 1 else value - 0.895,
        "p_adjusted": None if place == 1 else max(0.0004, 1 / place),
        "answered": 1 - place / 300,
        "unjudged": place / 400,
        "released": None,
    } | other


def document(task: Task, rows: list[dict[str, Any]], **other: Any) -> dict[str, Any]:
    """A board of these rows, with one panel."""
    table = {"columns": ["run", "rank", "share"], "caption": "ranks over 10 draws", "rows": [["run-001", 1, 0.25]]}
    panel = {"title": "How stable the ranks are", "sentence": "Ranks move.", "picture": True, "table": table}
    return {
        "form": 1,
        "task": {"slug": task.slug, "title": task.title, "measures": "nDCG@10 AP", "measure": "nDCG@10"}
        | {"test": "tukey", "level": 0.05},
        "kind": "public",
        "closed": False,
        "version": 1,
        "topics": {"public": 50, "private": 0},
        "ranked_by": "all",
        "judgments": 1234,
        "rows": rows,
        "panels": {"stability": panel | {"notes": ["a note of the table"]}},
        "sentence": "run-001 is first by mean nDCG@10.",
        "made_by": None,
    } | other


def keep(task: Task, told: dict[str, Any], *, kind: str = Snapshot.PUBLIC) -> Snapshot:
    """The document as the next board of a task, with its pictures."""
    last = task.snapshots.filter(kind=kind).count()
    made = Snapshot.objects.create(
        task=task,
        version=task.versions.get(number=told["version"]),
        kind=kind,
        number=last + 1,
        document=blob_store.put(json.dumps(told, sort_keys=True).encode()),
        runs=len(told["rows"]),
        why="made up",
    )
    for name, panel in told["panels"].items():
        if panel["picture"]:
            Picture.objects.create(snapshot=made, panel=name, blob=blob_store.put(PICTURE), media="image/svg+xml")
    return made
