"""Pages on which participants follow, edit and withdraw the runs of their teams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from cranfield.data import run_type
from cranfield.server.accounts.pages.account import needs_account
from cranfield.server.accounts.pages.teams import said
from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, Submission, User
from cranfield.server.submissions import intake
from cranfield.server.submissions.edits import edit
from cranfield.server.submissions.evaluation import job_of
from cranfield.server.submissions.forms import Edit
from cranfield.server.submissions.intake import Refused

A_PAGE = 50


@dataclass(frozen=True, kw_only=True)
class Row:
    """A run as its team sees it."""

    run: Submission
    place: int = 0
    """How many jobs are done before it, and one; 0: it is not in the queue."""
    running: bool = False
    again: str = ""
    """Why it is tried again."""
    value: float | None = None
    private: float | None = None
    released: bool = False
    """Whether ``private`` is what the Ladder tells, and not the value itself."""

    @property
    def waits(self) -> bool:
        """Whether there is more to come."""
        return self.run.state == Submission.RECEIVED

    @property
    def changeable(self) -> bool:
        """Whether it may be edited or withdrawn."""
        return self.run.state != Submission.WITHDRAWN

    @classmethod
    def of(cls, run: Submission, viewer: Viewer) -> Row:
        """With what the viewer may know of it."""
        if run.state == Submission.RECEIVED:
            return cls(run=run, **_queue(run))
        result = run.result
        if result is None:
            return cls(run=run)
        measure = run.task.measure
        value = result.public.get(measure)
        if sees(viewer, Thing.PRIVATE_VALUES, run):
            return cls(run=run, value=value, private=result.private.get(measure))
        if sees(viewer, Thing.RELEASED, run):
            return cls(run=run, value=value, private=result.released, released=True)
        return cls(run=run, value=value)


def _queue(run: Submission) -> dict[str, Any]:
    """Where its job is: running, or at which place of those that wait."""
    job = job_of(run)
    if job is None:
        return {}
    if job.state == Job.RUNNING:
        return {"running": True}
    return {"place": job_queue.place_of(job), "again": job.error.partition("\n")[0] if job.attempts else ""}


def own_run(request: HttpRequest, key: str) -> tuple[Submission, User]:
    """A run of a team the person is in; organisers may withdraw runs of their tasks, too."""
    viewer = Viewer.of(request.user)
    run = Submission.objects.select_related("task", "team", "by").filter(key=key).first()
    if run is None or viewer.user is None or not sees(viewer, Thing.RUN_STATE, run):
        raise Http404
    return run, viewer.user


@never_cache
@needs_account
@require_GET
def my_runs(request: HttpRequest) -> HttpResponse:
    """The runs of one's teams, the newest first."""
    viewer = Viewer.of(request.user)
    found = Submission.objects.filter(team__in=viewer.teams).select_related("task", "team", "by")
    page = Paginator(found.order_by("-received", "-id"), A_PAGE).get_page(request.GET.get("page"))
    seen = [run for run in page if sees(viewer, Thing.RUN_STATE, run)]
    limits = []
    for task, team in dict.fromkeys((run.task, run.team) for run in seen):
        if task.is_open:
            limits.append((task, team, intake.left(task, team)))
    told = {"rows": [Row.of(run, viewer) for run in seen], "page": page, "limits": limits, "teams": bool(viewer.teams)}
    return render(request, "server/my_runs.html", told)


@never_cache
@needs_account
@require_GET
def state(request: HttpRequest, key: str) -> HttpResponse:
    """One row of that table, asked for again until the run is evaluated or failed."""
    run, user = own_run(request, key)
    return render(request, "server/_state.html", {"row": Row.of(run, Viewer.of(user))})


@needs_account
@require_http_methods(["GET", "POST"])
def withdraw(request: HttpRequest, key: str) -> HttpResponse:
    """Take a run off the board, after a question."""
    run, user = own_run(request, key)
    mine = run.team_id in Viewer.of(user).teams
    if request.method == "POST":
        try:
            intake.withdraw(run, user)
            messages.success(request, f"{run.name} is withdrawn.")
        except Refused as no:
            messages.error(request, said(no))
        return redirect("my-runs") if mine else redirect("task-runs", run.task.slug)
    told = {"run": run, "task": run.task, "mine": mine, "may": intake.may_withdraw(run, user)}
    return render(request, "server/withdraw.html", told)


@needs_account
@require_http_methods(["GET", "POST"])
def edit_run(request: HttpRequest, key: str) -> HttpResponse:
    """Change what is said of a run, or show or name it earlier."""
    run, user = own_run(request, key)
    if run.team_id not in Viewer.of(user).teams:  # what is said of a run is its team's
        raise Http404
    form = Edit(request.POST if request.method == "POST" else None, run=run)
    if form.is_valid():
        try:
            told = form.cleaned_data
            changed = edit(run, user, **told | {"kind": told["kind"] or run_type(run.metadata)})
            messages.success(request, f"{run.name} is changed." if changed else "Nothing was changed.")
            return redirect("my-runs")
        except Refused as no:
            form.add_error(None, said(no))
    return render(request, "server/edit_run.html", {"run": run, "task": run.task, "form": form})


urls: list[URLPattern] = [
    path("my/runs/", my_runs, name="my-runs"),
    path("runs/<slug:key>/state", state, name="run-state"),
    path("runs/<slug:key>/withdraw", withdraw, name="withdraw"),
    path("runs/<slug:key>/edit", edit_run, name="edit-run"),
]
