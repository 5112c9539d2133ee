"""One run, some runs side by side, one topic: pages for everybody."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from cranfield.core import CranfieldError, ParameterError
from cranfield.data import flatten_metadata
from cranfield.server import blobs
from cranfield.server.comparing import MOST, compare_runs
from cranfield.server.models import Result, Submission, Task
from cranfield.server.scoring import values_of
from cranfield.server.standing import newest
from cranfield.server.topic_texts import text_of
from cranfield.server.tries import Limit, address_of, take
from cranfield.server.visibility import Thing, Viewer, sees, sees_team

if TYPE_CHECKING:
    from cranfield.server.standing import Document

COMPARE = Limit(what="compare", most=120, within=timedelta(hours=1))


def find_task(request: HttpRequest, slug: str) -> tuple[Viewer, Task]:
    """The task of that name, if the viewer may know of it."""
    viewer = Viewer.of(request.user)
    task = get_object_or_404(Task, slug=slug)
    if not sees(viewer, Thing.TASK, task):
        raise Http404
    return viewer, task


def find_run(request: HttpRequest, key: str) -> tuple[Viewer, Submission]:
    """The run with that key, if the viewer may know of it."""
    viewer = Viewer.of(request.user)
    run = get_object_or_404(Submission.objects.select_related("task", "team", "blob", "by"), key=key)
    if not sees(viewer, Thing.RUN, run):
        raise Http404
    return viewer, run


def called(viewer: Viewer, run: Submission, document: Document | None = None) -> str:
    """The name under which the viewer knows a run."""
    if sees(viewer, Thing.RUN_NAME, run):
        return run.name
    row = next((row for row in document["rows"] if row["key"] == run.key), None) if document else None
    return row["run"] if row else "anonymous"


def run_card(request: HttpRequest, key: str) -> HttpResponse:
    """Everything about one run that the viewer may see."""
    viewer, run = find_run(request, key)
    named = sees(viewer, Thing.RUN_NAME, run)
    shown = newest(run.task, viewer)
    row = next((row for row in shown.document["rows"] if row["key"] == key), None) if shown else None
    result = _result(run)
    return render(
        request,
        "server/run.html",
        {
            "task": run.task,
            "run": run,
            "name": called(viewer, run, shown.document if shown else None),
            "named": named,
            "knows_team": named and sees_team(viewer, run.team),
            "own": sees(viewer, Thing.RUN_STATE, run),
            "may_download": run.blob_id and sees(viewer, Thing.RUN_FILE, run),
            "row": row,
            "snapshot": shown.snapshot if shown else None,
            "metadata": flatten_metadata(run.metadata) if named else [],
            "values": _values(viewer, run, result),
            "topics": _topics(viewer, run, result),
            "version": result.version if result else None,
        },
    )


def _result(run: Submission) -> Result | None:
    """The values under the newest labels under which there are any."""
    return run.results.select_related("version").order_by("-version__number").first()


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
        blobs.path_of(run.blob_id).open("rb"),
        as_attachment=True,
        filename=name or f"{run.key}.run",
        content_type="application/octet-stream",
    )


def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Two to four runs: outcomes before averages, then a verdict."""
    viewer, task = find_task(request, slug)
    shown = newest(task, viewer)
    choices = [row for row in shown.document["rows"] if row["rank"] is not None] if shown else []
    asked = request.GET.getlist("run") or [key for key in request.GET.get("runs", "").split(",") if key]
    known = {row["key"]: row["run"] for row in choices}
    keys = [key for key in dict.fromkeys(asked) if key in known]
    told: dict[str, Any] = {}
    if asked and not 2 <= len(keys) <= MOST:
        told["problem"] = f"Choose two to {MOST} runs of this board."
    elif keys and shown is not None:
        if not take(COMPARE, address_of(request)).granted:
            return render(
                request,
                "server/fault.html",
                {"said": "That was a lot of comparisons.", "hint": "Wait a little."},
                status=429,
            )
        found = {run.key: run for run in Submission.objects.filter(task=task, key__in=keys, blob__isnull=False)}
        runs = [(known[key], found[key]) for key in keys if key in found and sees(viewer, Thing.RUN, found[key])]
        try:
            if len(runs) < 2:  # one was withdrawn after this board
                raise ParameterError(f"Choose two to {MOST} runs of this board.")
            told["compared"] = compare_runs(
                runs, shown.snapshot.version, private=sees(viewer, Thing.PRIVATE_VALUES, task)
            )
        except CranfieldError as error:
            told["problem"] = error.problem
    return render(
        request, "server/compare.html", {"task": task, "choices": choices, "keys": keys, "most": MOST, **told}
    )


def topic_page(request: HttpRequest, slug: str, topic: str) -> HttpResponse:
    """What a topic asks, and how every run does on it."""
    viewer, task = find_task(request, slug)
    shown = newest(task, viewer)
    version = shown.snapshot.version if shown else task.version
    if version is None or topic not in version.judged:
        raise Http404
    if topic in version.private_topics and not sees(viewer, Thing.PRIVATE_TOPICS, task):
        raise Http404
    panel = shown.document["panels"].get("topics") if shown else None
    rows: list[dict[str, Any]] = []
    if panel and panel["table"]:
        every = [dict(zip(panel["table"]["columns"], row, strict=True)) for row in panel["table"]["rows"]]
        rows = sorted(
            (row for row in every if row["topic"] == topic),
            key=lambda row: (row["value"] is None, -(row["value"] or 0)),
        )
    keys = {row["run"]: row["key"] for row in shown.document["rows"]} if shown else {}
    for row in rows:
        row["key"] = keys.get(row["run"])
    seen = version.judged if sees(viewer, Thing.PRIVATE_TOPICS, task) else version.public_topics
    place = seen.index(topic)
    return render(
        request,
        "server/topic.html",
        {
            "task": task,
            "topic": topic,
            "text": text_of(task, topic),
            "rows": rows,
            "before": seen[place - 1] if place else None,
            "after": seen[place + 1] if place + 1 < len(seen) else None,
            "private": topic in version.private_topics,
        },
    )


urls: list[URLPattern] = [
    path("runs/<slug:key>/", run_card, name="run"),
    path("runs/<slug:key>/file", run_file, name="run-file"),
    path("tasks/<slug:slug>/compare/", compare_page, name="compare"),
    path("tasks/<slug:slug>/topics/<path:topic>/", topic_page, name="topic"),
]
