"""Find the tasks and snapshots a viewer may see; render board tables and cacheable responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.boards.board_documents import BY_NAME, Asked, Bars, board_of, columns_of, kinds_of
from cranfield.server.boards.panels import PANELS
from cranfield.server.models import Snapshot, Task
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

YEAR = 31_536_000  # seconds


def viewer_of(request: HttpRequest) -> Viewer:
    """Who looks, looked up once for a request."""
    known: Viewer | None = getattr(request, "viewer", None)
    if known is None:
        known = Viewer.of(request.user)
        request.viewer = known  # type: ignore[attr-defined]
    return known


def task_for(request: HttpRequest, slug: str, thing: Thing = Thing.TASK) -> Task:
    """A task the viewer may see so much of; what they may not see is not there."""
    task = get_object_or_404(Task, slug=slug)
    if not sees(viewer_of(request), thing, task):
        raise Http404
    return task


def snapshot_for(request: HttpRequest, slug: str, number: int) -> Snapshot:
    """A board as it stood. Whoever it may be shown to, it is looked up without asking who it is where anybody may."""
    found = get_object_or_404(
        Snapshot.objects.select_related("task", "version"), task__slug=slug, kind=Snapshot.PUBLIC, number=number
    )
    if not sees(Viewer(None), Thing.BOARD, found.task) and not sees(viewer_of(request), Thing.BOARD, found.task):
        raise Http404
    return found


def unchanging(
    request: HttpRequest,
    task: Task,
    digest: str,
    make: Callable[[], str | bytes],
    media: str = "text/html; charset=utf-8",
) -> HttpResponse:
    """An answer that stays the same for ever: browsers keep it, and anybody on the way may, if anybody may see it."""
    etag = quote_etag(digest)
    answer = get_conditional_response(request, etag=etag) or HttpResponse(make(), content_type=media)
    who = "public" if sees(Viewer(None), Thing.BOARD, task) else "private"
    answer.headers["Cache-Control"] = f"{who}, max-age={YEAR}, immutable"
    answer.headers["ETag"] = etag
    return answer


@kept(64)
def table_of(digest: str, asked: Asked) -> str:
    """The table of a board, made once for each thing that is asked of it."""
    document = board_of(digest)
    bars = Bars.of(document)
    rows = asked.rows(document)
    shown = [row | {"bar": {name: bars.place(row[name]) for name in ("low", "high", "value")}} for row in rows]
    told: dict[str, Any] = {
        "document": document,
        "asked": asked,
        "columns": [
            {"column": column, "query": asked.sorted_by(column.name), "sort": _aria(asked, column.name)}
            for column in columns_of(document)
        ],
        "names": {column.name for column in columns_of(document)},
        "rows": [row for row in shown if row["rank"] is not None],
        "history": [row for row in shown if row["rank"] is None],
        "all": sum(row["rank"] is not None for row in document["rows"]),
        "turned": asked.order != BY_NAME[asked.sort].first,
        "measure": document["task"]["measure"],
        "topics": document["topics"]["private" if document["ranked_by"] == "private" else "public"],
        "confidence": f"{100 * (1 - document['task']['level']):g}",
        "kinds": kinds_of(document),
        "with_meta": any(row["metadata"] for row in document["rows"]),
    }
    return render_to_string("server/_table.html", told)


def _aria(asked: Asked, column: str) -> str:
    if asked.sort != column:
        return ""
    return "ascending" if asked.order == "up" else "descending"


def tabs_of(digest: str) -> list[tuple[str, str]]:
    """The panels of a board in their order: name, and title in a word."""
    shown = board_of(digest)["panels"]
    return [(panel.name, panel.tab) for panel in PANELS if panel.name in shown]
