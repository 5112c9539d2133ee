"""Pages that list the tasks and show current, earlier and full leaderboards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Count, OuterRef, Q, Subquery
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import URLPattern, path
from django.utils.safestring import mark_safe

from cranfield.server.accounts.roles import may_organise
from cranfield.server.accounts.visibility import Thing, sees, visible_tasks
from cranfield.server.boards.board_documents import Asked, board_of, newest_for, newest_of
from cranfield.server.models import Snapshot, Task
from cranfield.server.site.single_flight_cache import kept
from cranfield.server.tasks.pages import data_downloads, overview

from . import panels
from .board_access import snapshot_for, table_of, tabs_of, task_for, unchanging, viewer_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse


def tasks(request: HttpRequest) -> HttpResponse:
    """Every task the viewer may know of, open ones first."""
    viewer = viewer_of(request)
    last = Snapshot.objects.filter(task=OuterRef("pk"), kind=Snapshot.PUBLIC).order_by("-number").values("document_id")
    found = visible_tasks(viewer).annotate(
        takes_part=Count("participant", filter=Q(participant__blocked=False), distinct=True),
        board=Subquery(last[:1]),
    )
    order = {Task.OPEN: 0, Task.DRAFT: 1, Task.CLOSED: 2}
    cards = [_card(task) for task in sorted(found, key=lambda task: (order[task.state], task.title.casefold()))]
    return render(request, "server/tasks.html", {"cards": cards, "can_organise": may_organise(viewer.user)})


def _card(task: Any) -> dict[str, Any]:
    """What a list tells of a task: nothing that is not on its board."""
    document = board_of(task.board) if task.board else None
    rows = document["rows"] if document else []
    leaders = [row for row in rows if row["rank"] == 1]
    return {
        "task": task,
        "runs": sum(row["rank"] is not None for row in rows),
        "teams": task.takes_part,
        "leader": leaders[0] if leaders else None,
        "equal": len(leaders) - 1,
        "measure": task.measure,
    }


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """The board as it stands now."""
    task = task_for(request, slug, Thing.BOARD)
    found = newest_of(task)
    told = {
        "task": task,
        "announcements": task.announcements.order_by("-made")[:3],
        "sees_full": sees(viewer_of(request), Thing.FULL_BOARD, task),
    }
    if found is None or not board_of(found.document_id)["rows"]:
        return render(request, "server/board_empty.html", told)
    return render(request, "server/board.html", _told(found, Asked.of(request.GET)) | told)


def snapshot(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A board as it stood: the same bytes for everybody and for ever."""
    found = snapshot_for(request, slug, number)
    asked = Asked.of(request.GET)
    return unchanging(
        request, found.task, found.document_id, lambda: _whole(found.pk, found.document_id, found.made, asked)
    )


@kept(64)
def _whole(key: int, digest: str, made: datetime, asked: Asked) -> str:
    """The page of a snapshot, which knows neither a clock nor who reads it."""
    del digest, made  # they tell a snapshot from another of the same number in another database
    found = Snapshot.objects.select_related("task", "version").get(pk=key)
    return render_to_string("server/board_then.html", _told(found, asked) | {"site": settings.OPTIONS.name})


def full_board(request: HttpRequest, slug: str) -> HttpResponse:
    """The board with hidden runs and names, for organisers."""
    task = task_for(request, slug, Thing.FULL_BOARD)
    found = newest_for(task, viewer_of(request))
    if found is None:
        return render(request, "server/board_empty.html", {"task": task, "announcements": []})
    asked = Asked.of(request.GET)
    return render(request, "server/board_full.html", _told(found, asked) | {"task": task})


def _told(found: Snapshot, asked: Asked) -> dict[str, Any]:
    document = board_of(found.document_id)
    return {
        "snapshot": found,
        "document": document,
        "table": mark_safe(table_of(found.document_id, asked)),  # rendered from our own template
        "tabs": tabs_of(found.document_id),
        "slug": document["task"]["slug"],
    }


urls: list[URLPattern] = [
    path("", tasks, name="tasks"),
    path("tasks/<slug:slug>/", board, name="board"),
    path("tasks/<slug:slug>/full/", full_board, name="full-board"),
    path("tasks/<slug:slug>/boards/<int:number>/", snapshot, name="snapshot"),
    *data_downloads.urls,
    *overview.urls,
    *panels.urls,
]
