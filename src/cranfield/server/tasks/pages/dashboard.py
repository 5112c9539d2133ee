"""Organisers' dashboard of a task: status, settings, publishing and closing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST

from cranfield.core import CranfieldError
from cranfield.server.accounts.roles import may_organise
from cranfield.server.models import Job, Pool, Role, Submission, Task
from cranfield.server.site.pages.access import attempt, for_organisers, logged_in, user_of
from cranfield.server.tasks import lifecycle
from cranfield.server.tasks.forms import Measured, Named, Parts, Rules, Split, said

from .wizard import FIELDS

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@logged_in
def organise(request: HttpRequest) -> HttpResponse:
    """The tasks that are theirs."""
    user = user_of(request)
    found = Task.objects.all() if user.is_superuser else Task.objects.filter(role__user=user, role__role=Role.ORGANISER)
    evaluated = Q(submissions__state=Submission.SCORED, submissions__blob__isnull=False)
    scored = Count("submissions", filter=evaluated, distinct=True)
    rows = found.annotate(runs=scored, taking_part=Count("participant", distinct=True))
    in_order = rows.order_by("-state", "-made")  # open, draft, closed
    return render(request, "server/organise.html", {"tasks": in_order, "may": may_organise(user)})


@for_organisers
def desk(request: HttpRequest, task: Task) -> HttpResponse:
    """How the task stands, and the way to everything else."""
    runs = Submission.objects.filter(task=task, blob__isnull=False)
    counts = {state: runs.filter(state=state).count() for state, _ in Submission.STATES}
    counts["history"] = Submission.objects.filter(task=task, blob=None, state=Submission.SCORED).count()
    waiting = Job.objects.filter(task=task, state__in=Job.LIVE).count()
    failed = Job.objects.filter(task=task, state=Job.FAILED).count()
    shown = {
        "task": task,
        "here": "desk",
        "counts": counts,
        "waiting": waiting,
        "failed": failed,
        "labels": task.version,
        "judging": task.pools.filter(state=Pool.OPEN).exists(),
        "alike": runs.exclude(report=[]).count(),
        "teams": task.participant_set.count(),
        "last": runs.order_by("-received").select_related("team")[:5],
    }
    return render(request, "server/desk.html", shown)


class NamedAgain(Named):
    """What a task is called; its address stays, for links are out."""

    slug = None  # type: ignore[assignment]


class MeasuredAgain(Measured):
    """Other measures make a new version, and need a word of the organiser."""

    again = forms.BooleanField(
        required=False,
        label="Evaluate every run again if the measures change",
        help_text="Runs are in: other measures make a new version of the labels. Earlier boards stay as they are.",
    )


class FixedSplit(forms.Form):
    """What may still be chosen of the private topics once runs are in."""

    show_private = Split.base_fields["show_private"]


@for_organisers
def settings(request: HttpRequest, task: Task) -> HttpResponse:
    """Change what may still be changed."""
    runs = lifecycle.has_runs(task)
    kinds: dict[str, type[forms.Form]] = {
        "named": NamedAgain,
        "measured": MeasuredAgain if runs else Measured,
        "split": FixedSplit if runs or task.is_closed else Split,
        "rules": Rules,
    }
    now = {name: getattr(task, name) for name in ("title", *FIELDS)} | {"listed": " ".join(task.private)}
    now["rel"] = f"{task.rel:g}"
    parts = Parts(kinds, request.POST if request.method == "POST" else None, initial=now)
    cast("Measured", parts["measured"]).labels = lifecycle.labels_of(task)
    if request.method == "POST" and parts.is_valid() and _save(request, task, parts, runs=runs):
        return redirect("task-settings", task.slug)
    shown = {"task": task, "here": "settings", "parts": parts.forms, "runs": runs, "wrong": request.method == "POST"}
    return render(request, "server/desk_settings.html", shown)


def _save(request: HttpRequest, task: Task, parts: Parts, *, runs: bool) -> bool:
    told = parts.told
    wanted: dict[str, Any] = {name: told[name] for name in ("title", *FIELDS)}
    if runs and wanted["measures"] != task.measures and not told.get("again"):
        parts["measured"].add_error("again", "Say yes here to change the measures: every run is evaluated again.")
        return False
    try:
        if isinstance(parts["split"], Split):
            wanted["private"] = parts["split"].private(lifecycle.judged_topics(task))
        changed = lifecycle.change(task, user_of(request), wanted)
    except CranfieldError as error:
        parts["split"].add_error(None, said(error))
        return False
    labels = {name: str(form[name].label) for form in parts.forms.values() for name in form.fields}
    done = "; ".join(labels.get(name, "private topics") for name in changed)
    messages.success(request, f"Saved: {done}." if changed else "Nothing was changed.")
    return True


@require_POST
@for_organisers
def publish(request: HttpRequest, task: Task) -> HttpResponse:
    """Let everybody see it."""
    attempt(request, lambda: lifecycle.publish(task, user_of(request)), f"{task.title} is published.")
    return redirect("task-desk", task.slug)


@for_organisers
def close(request: HttpRequest, task: Task) -> HttpResponse:
    """End it, after a second question."""
    if request.method != "POST":
        waiting = task.submissions.filter(state=Submission.RECEIVED).count()
        return render(request, "server/desk_close.html", {"task": task, "here": "desk", "waiting": waiting})
    if request.POST.get("sure") != task.slug:
        messages.error(request, "Nothing was closed: write the address of the task to confirm.")
        return redirect("close-task", task.slug)
    said = f"{task.title} is closed. The board is made again, with private topics."
    attempt(request, lambda: lifecycle.close(task, user_of(request)), said)
    return redirect("task-desk", task.slug)


urls = [
    path("organise/", organise, name="organise"),
    path("organise/<slug:slug>/", desk, name="task-desk"),
    path("organise/<slug:slug>/settings/", settings, name="task-settings"),
    path("organise/<slug:slug>/publish", publish, name="publish-task"),
    path("organise/<slug:slug>/close", close, name="close-task"),
]
