"""Public pages of a run, of compared runs and of a topic."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from cranfield.core import CranfieldError, ParameterError
from cranfield.data import flatten_metadata
from cranfield.server.accounts.visibility import Thing, Viewer, sees, sees_team
from cranfield.server.boards.board_documents import board_of, document_of, newest_for
from cranfield.server.boards.pages.board_access import task_for, viewer_of
from cranfield.server.models import Submission
from cranfield.server.site import blob_store
from cranfield.server.site.rate_limits import Limit, address_of, have_to_wait, take
from cranfield.server.submissions.evaluation import values_of
from cranfield.server.submissions.intake import may_withdraw
from cranfield.server.submissions.run_comparison import MOST, compare_runs
from cranfield.server.tasks.topic_texts import text_of

if TYPE_CHECKING:
    from cranfield.server.models import Result, Snapshot

CHOOSE = f"Choose 2 to {MOST} runs of this board."
COMPARE = Limit(what="compare", most=120, within=timedelta(hours=1))


def find_run(request: HttpRequest, key: str) -> tuple[Viewer, Submission]:
    """The run with that key, if the viewer may know of it."""
    viewer = viewer_of(request)
    run = get_object_or_404(Submission.objects.select_related("task", "team", "blob", "by"), key=key)
    if not sees(viewer, Thing.RUN, run):
        raise Http404
    return viewer, run


def _rows(snapshot: Snapshot | None) -> list[dict[str, Any]]:
    """The runs of a board; none where there is no board."""
    return board_of(snapshot.document_id)["rows"] if snapshot else []


def run_card(request: HttpRequest, key: str) -> HttpResponse:
    """Everything about one run that the viewer may see."""
    viewer, run = find_run(request, key)
    named, own = sees(viewer, Thing.RUN_NAME, run), sees(viewer, Thing.RUN_STATE, run)
    snapshot = newest_for(run.task, viewer)
    row = next((row for row in _rows(snapshot) if row["key"] == key), None)
    result = run.result
    return render(
        request,
        "server/run.html",
        {
            "task": run.task,
            "run": run,
            "name": run.name if named else row["run"] if row else "anonymous",
            "named": named,
            "knows_team": named and sees_team(viewer, run.team),
            "own": own,
            "mine": run.team_id in viewer.teams,
            "may_withdraw": own and viewer.user is not None and may_withdraw(run, viewer.user),
            "may_download": run.blob_id and sees(viewer, Thing.RUN_FILE, run),
            "row": row,
            "ranked": sum(one["rank"] is not None for one in _rows(snapshot)),
            "metadata": flatten_metadata(run.metadata) if named else [],
            "values": _values(viewer, run, result),
            "topics": _topics(viewer, run, result),
            "version": result.version if result else None,
        },
    )


def _values(viewer: Viewer, run: Submission, result: Result | None) -> list[dict[str, Any]]:
    """Means by measure: of public topics, and of private ones where they may be seen."""
    if result is None:
        return []
    private = sees(viewer, Thing.PRIVATE_VALUES, run)
    return [
        {"measure": measure, "public": value, "private": result.private.get(measure) if private else None}
        for measure, value in result.public.items()
    ]


def _topics(viewer: Viewer, run: Submission, result: Result | None) -> list[dict[str, Any]]:
    """Values of the ranking measure by topic, the worst first: those are the ones to look at."""
    if result is None:
        return []
    hidden = set() if sees(viewer, Thing.PRIVATE_VALUES, run) else set(result.version.private_topics)
    first = next(iter(values_of(result).values()), {})
    rows = [{"topic": topic, "value": value} for topic, value in first.items() if topic not in hidden]
    return sorted(rows, key=lambda row: (row["value"] is not None, row["value"]))


def run_file(request: HttpRequest, key: str) -> HttpResponse | FileResponse:
    """The run as it came."""
    viewer, run = find_run(request, key)
    if not run.blob_id or not sees(viewer, Thing.RUN_FILE, run):
        raise Http404
    name = run.file_name if run.file_name.isprintable() else ""
    return FileResponse(
        blob_store.path_of(run.blob_id).open("rb"),
        as_attachment=True,
        filename=name or f"{run.key}.run",
        content_type="application/octet-stream",
    )


def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a comparison of two to four runs: the verdict, the evidence, then outcomes and other tests."""
    viewer, task = viewer_of(request), task_for(request, slug)
    snapshot = newest_for(task, viewer)
    choices = [row for row in _rows(snapshot) if row["rank"] is not None]
    asked = request.GET.getlist("run") or [key for key in request.GET.get("runs", "").split(",") if key]
    known = {row["key"]: row["run"] for row in choices}
    keys = [key for key in dict.fromkeys(asked) if key in known]
    told: dict[str, Any] = {}
    if len(asked) > 1 and not 2 <= len(keys) <= MOST:
        told["problem"] = CHOOSE
    elif len(keys) > 1 and snapshot is not None:
        taken = take(COMPARE, address_of(request))
        if taken.until is not None:
            have_to_wait(request, taken.until)
            return render(
                request,
                "server/fault.html",
                {"said": "That was a lot of comparisons.", "hint": "Wait a little, then try again.", "status": 429},
                status=429,
            )
        found = {run.key: run for run in Submission.objects.filter(task=task, key__in=keys, blob__isnull=False)}
        runs = [(known[key], found[key]) for key in keys if key in found and sees(viewer, Thing.RUN, found[key])]
        try:
            if len(runs) < 2:  # one was withdrawn after this board
                raise ParameterError(CHOOSE)
            private = sees(viewer, Thing.PRIVATE_VALUES, task)
            told["compared"] = compare_runs(runs, snapshot.version, private=private)
        except CranfieldError as error:
            told["problem"] = error.problem
    return render(
        request, "server/compare.html", {"task": task, "choices": choices, "keys": keys, "most": MOST, **told}
    )


def topic_page(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """What a topic asks, and how every run does on it."""
    viewer, task = viewer_of(request), task_for(request, slug)
    snapshot = newest_for(task, viewer)
    version = snapshot.version if snapshot else task.version
    if version is None or topic not in version.judged:
        raise Http404
    if topic in version.private_topics and not sees(viewer, Thing.PRIVATE_TOPICS, task):
        raise Http404
    seen = version.judged if sees(viewer, Thing.PRIVATE_TOPICS, task) else version.public_topics
    place = seen.index(topic)
    return render(
        request,
        "server/topic.html",
        {
            "task": task,
            "topic": topic,
            "text": text_of(task, topic),
            "rows": _values_of_topic(snapshot, topic) if snapshot else [],
            "before": seen[place - 1] if place else None,
            "after": seen[place + 1] if place + 1 < len(seen) else None,
            "private": topic in version.private_topics,
        },
    )


def _values_of_topic(snapshot: Snapshot, topic: str) -> list[dict[str, Any]]:
    """How every run of a board does on a topic, the best first."""
    document = document_of(snapshot.document_id)
    table = document["panels"].get("topics", {}).get("table") or {"columns": [], "rows": []}
    every = (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
    keys = {row["run"]: row["key"] for row in document["rows"]}
    rows = [row | {"key": keys.get(row["run"])} for row in every if row["topic"] == topic]
    return sorted(rows, key=lambda row: (row["value"] is None, -(row["value"] or 0)))


urls: list[URLPattern] = [
    path("runs/<slug:key>/", run_card, name="run"),
    path("runs/<slug:key>/file", run_file, name="run-file"),
    path("tasks/<slug:slug>/compare/", compare_page, name="compare"),
    path("tasks/<slug:slug>/topics/<path:topic>/", topic_page, name="topic"),
]
