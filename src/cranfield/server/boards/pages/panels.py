"""Pages of a leaderboard panel: picture, sentence and table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse

from cranfield.server.accounts.visibility import Thing
from cranfield.server.boards.board_documents import board_of, document_of, newest_for
from cranfield.server.boards.panels import MANY
from cranfield.server.models import Picture, Snapshot
from cranfield.server.site import blob_store
from cranfield.server.site.csv_output import to_csv
from cranfield.server.site.single_flight_cache import kept

from .board_access import snapshot_for, tabs_of, task_for, unchanging, viewer_of

if TYPE_CHECKING:
    from datetime import datetime

    from cranfield.server.boards.board_documents import Document

WAITING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="80" viewBox="0 0 480 80">'
    '<rect width="480" height="80" fill="#fff"/>'
    '<text x="16" y="46" font-family="sans-serif" font-size="16" fill="#555">'
    "This picture is being drawn: look again in some seconds.</text></svg>"
)
# A picture is shown as one, and can do nothing; opened alone, it still is a picture with its own fonts and colours.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def panel(request: HttpRequest, slug: str, number: int, name: str) -> HttpResponse:
    """One panel of a board as it stood."""
    found = snapshot_for(request, slug, number)
    _of(board_of(found.document_id), name)
    digest, made = found.document_id, found.made
    return unchanging(request, found.task, f"{digest}-{name}", lambda: _whole(found.pk, digest, made, name))


@kept(64)
def _whole(key: int, digest: str, made: datetime, name: str) -> str:
    """The page of a panel; digest and time tell a snapshot from another of the same number in another database."""
    del digest, made
    found = Snapshot.objects.select_related("task", "version").get(pk=key)
    document = document_of(found.document_id)
    slug = document["task"]["slug"]
    addresses = {
        "picture": reverse("picture", args=(slug, found.number, name)),
        "csv": reverse("panel-csv", args=(slug, found.number, name)),
        "board_address": reverse("snapshot", args=(slug, found.number)),
    }
    told = {"snapshot": found, "document": document, "slug": slug, "site": settings.OPTIONS.name}
    return render_to_string("server/panel.html", told | _told(found.document_id, name) | addresses)


def _of(document: Document, name: str) -> dict[str, Any]:
    """A panel of a document, if it has it."""
    shown: dict[str, Any] | None = document["panels"].get(name)
    if shown is None:
        raise Http404
    return shown


def _told(digest: str, name: str) -> dict[str, Any]:
    shown = _of(document_of(digest), name)
    tabs = tabs_of(digest)
    at = [one for one, _ in tabs].index(name)
    table = shown["table"]
    rows = table["rows"] if table else []
    columns = table["columns"] if table else []
    number = [any(isinstance(row[i], int | float) for row in rows[:20]) for i in range(len(columns))]
    return {
        "panel": shown | {"name": name},
        "tabs": tabs,
        "before": tabs[at - 1] if at else None,
        "after": tabs[at + 1] if at + 1 < len(tabs) else None,
        "columns": list(zip(columns, number, strict=True)),
        "rows": rows[:MANY],
        "all": len(rows),
        "left": max(0, len(rows) - MANY),
    }


def picture(request: HttpRequest, slug: str, number: int, name: str) -> HttpResponse:
    """The picture of a panel."""
    found = snapshot_for(request, slug, number)
    return _picture(request, found, name)


def _picture(request: HttpRequest, found: Snapshot, name: str) -> HttpResponse:
    if not _of(board_of(found.document_id), name)["picture"]:
        raise Http404
    drawn = Picture.objects.filter(snapshot=found, panel=name).first()
    if drawn is None:  # for some seconds after the numbers are there
        return HttpResponse(WAITING, content_type="image/svg+xml", headers={"Cache-Control": "no-store"})
    answer = unchanging(request, found.task, drawn.blob_id, lambda: blob_store.read(drawn.blob_id), drawn.media)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def panel_csv(request: HttpRequest, slug: str, number: int, name: str) -> HttpResponse:
    """The whole table of a panel."""
    found = snapshot_for(request, slug, number)
    table = _of(document_of(found.document_id), name)["table"]
    if table is None:
        raise Http404
    made = unchanging(
        request,
        found.task,
        f"{found.document_id}-{name}-csv",
        lambda: to_csv(table["columns"], table["rows"]),
        "text/csv; charset=utf-8",
    )
    made.headers["Content-Disposition"] = f'attachment; filename="{found.task.slug}-board-{number}-{name}.csv"'
    return made


def full_panel(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A panel of the board with hidden runs and private topics, for organisers."""
    task, found = _full(request, slug)
    document = document_of(found.document_id)
    told = {"task": task, "document": document, "snapshot": found} | _told(found.document_id, name)
    return render(request, "server/board_full.html", told | {"picture": reverse("full-picture", args=(slug, name))})


def full_picture(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Its picture."""
    answer = _picture(request, _full(request, slug)[1], name)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _full(request: HttpRequest, slug: str) -> tuple[Any, Snapshot]:
    task = task_for(request, slug, Thing.FULL_BOARD)
    found = newest_for(task, viewer_of(request))
    if found is None:
        raise Http404
    return task, found


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/boards/<int:number>/picture/<slug:name>", picture, name="picture"),
    path("tasks/<slug:slug>/boards/<int:number>/<slug:name>.csv", panel_csv, name="panel-csv"),
    path("tasks/<slug:slug>/boards/<int:number>/<slug:name>/", panel, name="panel"),
    path("tasks/<slug:slug>/full/picture/<slug:name>", full_picture, name="full-picture"),
    path("tasks/<slug:slug>/full/<slug:name>/", full_panel, name="full-panel"),
]
