"""Downloads of a task: leaderboards, judgments and topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.board_documents import board_of, newest_of
from cranfield.server.boards.pages.board_access import snapshot_for, task_for, unchanging, viewer_of
from cranfield.server.site import blob_store
from cranfield.server.site.csv_output import board_to_csv
from cranfield.server.tasks.label_versions import to_trec

if TYPE_CHECKING:
    from cranfield.server.models import LabelVersion


def downloads(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything of a task that the viewer may take."""
    task = task_for(request, slug)
    viewer = viewer_of(request)
    labels = []
    if sees(viewer, Thing.PUBLIC_LABELS, task):
        labels = list(task.versions.order_by("-number"))
    told = {
        "task": task,
        "snapshot": newest_of(task) if sees(viewer, Thing.BOARD, task) else None,
        "labels": labels,
        "all_labels": sees(viewer, Thing.ALL_LABELS, task) or not task.private,
        "sees_full": sees(viewer, Thing.FULL_BOARD, task),
    }
    return render(request, "server/downloads.html", told)


def board_csv(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A board as it stood, for a spreadsheet."""
    found = snapshot_for(request, slug, number)

    def make() -> str:
        return board_to_csv(board_of(found.document_id)["rows"])

    answer = unchanging(request, found.task, f"{found.document_id}-csv", make, "text/csv; charset=utf-8")
    return _named(answer, f"{slug}-board-{number}.csv")


def board_json(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A board as it stood, for a program: the document itself."""
    found = snapshot_for(request, slug, number)
    digest = found.document_id
    answer = unchanging(request, found.task, digest, lambda: blob_store.read(digest), "application/json")
    return _named(answer, f"{slug}-board-{number}.json")


def qrels(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Judgments, in the format of TREC: of public topics, and of all where that may be told."""
    task = task_for(request, slug, Thing.PUBLIC_LABELS)
    version: LabelVersion = get_object_or_404(task.versions, number=number)
    whole = sees(viewer_of(request), Thing.ALL_LABELS, task)
    text = to_trec(version, version.judged if whole else version.public_topics)
    return _named(_text(text), f"{slug}-qrels-{number}.txt")


def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts of all topics: a run needs them, and they do not say which of them are private."""
    task = task_for(request, slug)
    if task.topics_id is None:
        raise Http404
    answer = HttpResponse(blob_store.read(str(task.topics_id)), content_type="application/octet-stream")
    return _named(answer, f"{slug}-topics.txt")


def _text(content: str) -> HttpResponse:
    answer = HttpResponse(content, content_type="text/plain; charset=utf-8")
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


def _named(answer: HttpResponse, name: str) -> HttpResponse:
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/downloads/", downloads, name="downloads"),
    path("tasks/<slug:slug>/downloads/qrels-<int:number>.txt", qrels, name="qrels"),
    path("tasks/<slug:slug>/downloads/topics", topics, name="topics-file"),
    path("tasks/<slug:slug>/boards/<int:number>/board.csv", board_csv, name="snapshot-csv"),
    path("tasks/<slug:slug>/boards/<int:number>/board.json", board_json, name="snapshot-json"),
]
