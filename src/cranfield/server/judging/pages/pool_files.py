"""Downloads of a pool: documents in TREC format, resumable state and judgment log."""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path

from cranfield.collections import TREC, write_pool
from cranfield.core import Table
from cranfield.server.judging import live_pools
from cranfield.server.models import Judgment, Pool, Vote
from cranfield.server.site import blob_store
from cranfield.server.site.pages.access import for_organisers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from cranfield.server.models import Task

MANY = 2000  # rows that are read at once


@for_organisers
def pool_file(request: HttpRequest, task: Task, number: int) -> HttpResponse:
    """The documents that were asked for, as TREC writes a pool: topic, 0, document, and −1 for no grade."""
    del request
    pool = _pool(task, number)
    asked = pool.questions.filter(gold=None).order_by("topic", "id").values_list("topic", "document")
    topics, documents = zip(*asked, strict=True) if asked else ((), ())
    with blob_store.incoming() as file:
        file.end()
        write_pool(Table({"topic": topics, "document": documents}), file.path, TREC[0])
        return _named(HttpResponse(file.path.read_bytes(), content_type="text/plain; charset=utf-8"), pool, ".txt")


@for_organisers
def pool_state(request: HttpRequest, task: Task, number: int) -> HttpResponse:
    """All that was asked and told, from which ``cranfield pool`` goes on with the same runs."""
    del request
    pool = _pool(task, number)
    with blob_store.incoming() as file:
        file.end()
        live_pools.state_of(pool).save(file.path)
        return _named(HttpResponse(file.path.read_bytes(), content_type="application/json"), pool, "-state.json")


@for_organisers
def pool_log(request: HttpRequest, task: Task, number: int) -> HttpResponse:
    """Everything that anybody said, in order, a line of JSON for each; what was taken back too."""
    del request
    pool = _pool(task, number)
    lines: Any = StreamingHttpResponse(log_of(pool), content_type="application/x-ndjson")
    return _named(lines, pool, "-log.jsonl")


def log_of(pool: Pool) -> Iterator[str]:
    """Judgments and preferences by the time at which they were made, one line each."""
    told = heapq.merge(_judgments(pool), _votes(pool), key=lambda one: one[0])
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for _, row in told)


def _judgments(pool: Pool) -> Iterator[tuple[datetime, dict[str, Any]]]:
    names = ("kind", "grade", "note", "seconds", "about")
    found = Judgment.objects.filter(question__pool=pool).order_by("made", "id")
    where = {"topic": F("question__topic"), "document": F("question__document"), "gold": F("question__gold")}
    rows: Any = found.values("made", "taken_back", "worker", *names, person=F("user__username"), **where)
    for row in rows.iterator(MANY):
        head = {"made": _moment(row["made"]), "kind": row["kind"], "topic": row["topic"], "document": row["document"]}
        told = {"person": row["person"] or row["worker"], "grade": row["grade"]}
        told |= {name: row[name] for name in ("note", "seconds", "gold", "about")}
        yield row["made"], head | told | {"taken_back": _moment(row["taken_back"])}


def _votes(pool: Pool) -> Iterator[tuple[datetime, dict[str, Any]]]:
    found = Vote.objects.filter(pair__pool=pool).order_by("made", "id")
    pair = {"topic": F("pair__topic"), "one": F("pair__one"), "two": F("pair__two"), "person": F("user__username")}
    rows: Any = found.values("made", "taken_back", "choice", "swapped", "note", "seconds", **pair)
    for row in rows.iterator(MANY):
        head = {"made": _moment(row["made"]), "kind": "preference"}
        told = {name: row[name] for name in ("topic", "one", "two", "person", "choice", "swapped", "note", "seconds")}
        yield row["made"], head | told | {"taken_back": _moment(row["taken_back"])}


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _pool(task: Task, number: int) -> Pool:
    found: Pool = get_object_or_404(Pool.objects.select_related("task", "known"), task=task, number=number)
    return found


def _named(answer: HttpResponse, pool: Pool, ending: str) -> HttpResponse:
    answer.headers["Content-Disposition"] = f'attachment; filename="{pool.task.slug}-pool-{pool.number}{ending}"'
    return answer


urls: list[URLPattern] = [
    path("organise/<slug:slug>/pools/<int:number>/pool.txt", pool_file, name="pool-file"),
    path("organise/<slug:slug>/pools/<int:number>/state.json", pool_state, name="pool-state"),
    path("organise/<slug:slug>/pools/<int:number>/log.jsonl", pool_log, name="pool-log"),
]
