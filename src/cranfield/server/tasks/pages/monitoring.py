"""Organisers' pages for all runs, the audit log and the leak budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path

from cranfield.server.models import Audit, Result, Submission, Task
from cranfield.server.site.pages.access import for_organisers, user_of
from cranfield.server.submissions.leak_budget import leaks_of
from cranfield.server.tasks.lifecycle import set_baseline

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

MANY = 100  # rows of a page
DIGEST = re.compile(r"[0-9a-f]{64}")


@for_organisers
def runs(request: HttpRequest, task: Task) -> HttpResponse:
    """Every submission with its true name, and which are nearly those of another team; which are to be beaten."""
    if request.method == "POST":
        run = get_object_or_404(Submission, task=task, key=request.POST.get("run", ""))
        set_baseline(run, user_of(request), baseline=request.POST.get("baseline") == "yes")
        return redirect(request.get_full_path())
    found = Submission.objects.filter(task=task).select_related("team", "by").order_by("-received", "-id")
    alike = found.exclude(report=[])
    page = Paginator(found, MANY).get_page(request.GET.get("page"))
    version, measure = task.version, task.measure
    values: dict[int, Result] = {}
    if version is not None:
        values = {one.submission_id: one for one in Result.objects.filter(version=version, submission__in=list(page))}
    rows = []
    for run in page:
        result = values.get(run.pk)
        public, private = (result.public, result.private) if result else ({}, {})
        rows.append({"run": run, "public": public.get(measure, run.stated), "private": private.get(measure)})
    shown = {"task": task, "here": "runs", "page": page, "rows": rows, "alike": alike, "measure": measure}
    return render(request, "server/desk_runs.html", shown)


@for_organisers
def log(request: HttpRequest, task: Task) -> HttpResponse:
    """What was done, the last act first."""
    page = Paginator(Audit.objects.filter(task=task.slug).order_by("-id"), MANY).get_page(request.GET.get("page"))
    acts = list(page)
    keys = [act.about["run"] for act in acts if "run" in act.about]
    names = dict(Submission.objects.filter(task=task, key__in=keys).values_list("key", "name"))
    rows = []
    for act in acts:
        name = names.get(act.about.get("run", ""), "")
        rest = {part: value for part, value in act.about.items() if not name or part not in ("run", "name")}
        rows.append({"act": act, "name": name, "about": _words(rest)})
    return render(request, "server/audit.html", {"task": task, "here": "audit", "page": page, "rows": rows})


def _words(about: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_short(value)}" for name, value in sorted(about.items()) if value not in ("", None, []))


def _short(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name} {one}" for name, one in sorted(value.items())]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    if DIGEST.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= 80 else f"{text[:12]}…" if " " not in text else f"{text[:79]}…"


@for_organisers
def leak(request: HttpRequest, task: Task) -> HttpResponse:
    """How much the numbers on private topics can have told."""
    found = leaks_of(task)
    shown: dict[str, Any] = {"task": task, "here": "leak", "leaks": found, "labels": task.version}
    if found is not None:
        shown["rows"] = [row for row in found.now["leak"].rows() if row["group"] is not None or row["rule"] != "plain"]
        shown["totals"] = [row for row in found.shown["leak"].rows() if row["group"] is None]
        shown["teams"] = [
            row for row in found.shown["leak"].rows() if row["group"] is not None and row["rule"] == "ladder"
        ]
    return render(request, "server/leak.html", shown)


urls = [
    path("organise/<slug:slug>/runs/", runs, name="task-runs"),
    path("organise/<slug:slug>/audit/", log, name="task-audit"),
    path("organise/<slug:slug>/leak/", leak, name="task-leak"),
]
