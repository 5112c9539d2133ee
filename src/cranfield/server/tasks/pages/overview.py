"""Public pages of a task: description, methods and history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.urls import URLPattern, path

from cranfield.measures import parse_measures
from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.pages.board_access import task_for, viewer_of
from cranfield.server.models import Snapshot
from cranfield.stats import parse_tests, private_decimals

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from cranfield.server.models import Task

LATEST = 200  # boards that a page lists


def about(request: HttpRequest, slug: str) -> HttpResponse:
    """What the organisers say of their task."""
    task = task_for(request, slug)
    return render(request, "server/about.html", {"task": task} | _also(request, task))


def methods(request: HttpRequest, slug: str) -> HttpResponse:
    """How the board is made, from the task's own settings."""
    task = task_for(request, slug)
    test = parse_tests(task.test)[0]
    version = task.version
    told = {
        "measures": [_measure(one) for one in parse_measures(task.measures)],
        "test": task.test,
        "test_says": _first(type(test).__doc__),
        "level": f"{task.level:g}",
        "confidence": f"{100 * (1 - task.level):g}",
        "version": version,
        "public": len(version.public_topics) if version else 0,
        "private": len(version.private_topics) if version else 0,
        "by_private": bool(version and task.is_closed and len(version.private_topics) > 1),
        "decimals": private_decimals(len(version.private_topics)) if version and version.private_topics else 0,
    }
    return render(request, "server/methods.html", {"task": task} | told | _also(request, task))


def _measure(measure: Any) -> dict[str, Any]:
    """A measure as its declaration tells it."""
    low, high = measure.range
    return {
        "name": str(measure),
        "says": _first(type(measure).__doc__),
        "formula": measure.formula,
        "range": f"{low:g} to {high:g}" if high != float("inf") else f"{low:g} up",
        "lower": str(measure.direction) == "lower",
    }


def _first(text: str | None) -> str:
    """The definition: the first paragraph of what a declaration says of itself."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())


def history(request: HttpRequest, slug: str) -> HttpResponse:
    """What has happened: boards, versions of the labels, announcements; the newest first."""
    task = task_for(request, slug, Thing.BOARD)
    boards = Snapshot.objects.filter(task=task, kind=Snapshot.PUBLIC).select_related("version").order_by("-number")
    told = {
        "boards": boards[:LATEST],
        "versions": task.versions.order_by("-number"),
        "announcements": task.announcements.order_by("-made"),
    }
    return render(request, "server/history.html", {"task": task} | told | _also(request, task))


def _also(request: HttpRequest, task: Task) -> dict[str, Any]:
    return {"sees_full": sees(viewer_of(request), Thing.FULL_BOARD, task)}


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/about/", about, name="about"),
    path("tasks/<slug:slug>/methods/", methods, name="methods"),
    path("tasks/<slug:slug>/history/", history, name="history"),
]
