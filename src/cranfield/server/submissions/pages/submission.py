"""Pages to join a task, check a run and submit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.db import transaction
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from cranfield.core import CranfieldError
from cranfield.server.accounts import teams
from cranfield.server.accounts.forms import TakePart
from cranfield.server.accounts.pages import teams as team_pages
from cranfield.server.accounts.pages.account import needs_account, too_often
from cranfield.server.accounts.pages.teams import said
from cranfield.server.accounts.visibility import Viewer
from cranfield.server.boards.pages.board_access import task_for
from cranfield.server.models import Membership, Participant, Task, Team, User
from cranfield.server.site import rate_limits
from cranfield.server.site.pages.access import user_of
from cranfield.server.site.uploads import too_large
from cranfield.server.submissions import intake
from cranfield.server.submissions.forms import Submit, name_from
from cranfield.server.submissions.intake import BadRun, Checked, Left, Refused

from . import own_runs

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@dataclass(frozen=True, kw_only=True)
class Part:
    """What part somebody has in a task."""

    taking: list[Team]  # with these they may submit
    blocked: list[Team]
    left: list[tuple[Team, Left]]
    waiting: list[Team]  # they are in these, which take no part yet
    leads: bool  # one of those, so that they can change it

    @classmethod
    def of(cls, user: User, task: Task) -> Part:
        """By the teams they are in."""
        found = list(
            Participant.objects.filter(task=task, team__people=user).select_related("team").order_by("team__name")
        )
        taking = [one.team for one in found if not one.blocked]
        others = Membership.objects.filter(user=user).exclude(team__in=[one.team for one in found])
        return cls(
            taking=taking,
            blocked=[one.team for one in found if one.blocked],
            left=[(team, intake.left(task, team)) for team in taking],
            waiting=[one.team for one in others.select_related("team").order_by("team__name")],
            leads=others.filter(leader=True).exists(),
        )


def _task(request: HttpRequest, slug: str) -> tuple[Task, User]:
    """The task, if the person may know of it, and the person."""
    return task_for(request, slug), user_of(request)


@needs_account
@require_http_methods(["GET", "POST"])
def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand in a run; if a rule or the file itself is against it, say what and where."""
    task, user = _task(request, slug)
    part = Part.of(user, task)
    if request.method == "GET" or not part.taking:
        return _page(request, task, user, part)
    form = _form(task, part, request.POST, request.FILES)
    if request.META.get("cranfield.too_large"):
        return _page(request, task, user, part, form=_kept(request, task, part), stopped=too_large(), status=413)
    if not form.is_valid():
        return _page(request, task, user, part, form=form, status=422)
    told = {name: value for name, value in form.cleaned_data.items() if name not in ("team", "run")}
    try:
        made = intake.receive(task, form.cleaned_data["team"], user, form.cleaned_data["run"], **told)
    except BadRun as bad:
        again = _kept(request, task, part)
        return _page(request, task, user, part, form=again, checked=bad.checked, tried=True, status=422)
    except Refused as no:
        form.add_error("name" if no.code == "E-NAMES" else None, said(no))
        return _page(request, task, user, Part.of(user, task), form=form, status=422)
    left = intake.left(task, made.team)
    messages.success(request, f"{made.name} is received. {_left_said(left)}")
    return redirect("my-runs")


def _left_said(left: Left) -> str:
    """What is left, as a sentence."""
    if left.now:
        return f"{left.now} more submission{'s are' if left.now > 1 else ' is'} left in these {left.days} days."
    if left.next:
        return f"The next submission is possible from {left.next:%Y-%m-%d %H:%M} UTC."
    return "It was the last submission of your team."


def _form(task: Task, part: Part, *data: Any, **more: Any) -> Submit:
    return Submit(*data, task=task, teams=part.taking, check=reverse("check", args=[task.slug]), **more)


def _kept(request: HttpRequest, task: Task, part: Part) -> Submit:
    """The form with its texts, as it was sent; no browser lets a page fill in the file again."""
    return _form(task, part, initial=request.POST.dict())


def _page(
    request: HttpRequest,
    task: Task,
    user: User,
    part: Part,
    *,
    form: Submit | None = None,
    status: int = 200,
    **told: Any,
) -> HttpResponse:
    told |= {
        "task": task,
        "part": part,
        "form": form or _form(task, part),
        "join": told.get("join") or TakePart(user=user, task=task),
        "now": timezone.now(),
        "any_left": any(left.now for _, left in part.left),
        "can_join": task.state == Task.OPEN and not task.invited_only and not part.taking and not part.blocked,
        "organises": Viewer.of(user).organises(task),
    }
    return render(request, "server/submit.html", told, status=status)


@needs_account
@require_POST
def check(request: HttpRequest, slug: str) -> HttpResponse:
    """A dry run: every problem of the file, with its line; nothing is kept, nothing counts."""
    task, user = _task(request, slug)
    told, status = _look(request, task, user)
    if request.headers.get("HX-Request") == "true":
        return render(request, "server/_checked.html", told)  # always 200: htmx shows nothing else
    part = Part.of(user, task)
    return _page(request, task, user, part, form=_kept(request, task, part), status=status, **told)


def _look(request: HttpRequest, task: Task, user: User) -> tuple[dict[str, Any], int]:
    """What there is to say of a file, and the status to say it with."""
    if request.META.get("cranfield.too_large"):
        return {"stopped": too_large()}, 413
    if task.state != Task.OPEN:
        return {"stopped": Refused("the task takes no submissions now", hint="see its dates", code="E-CLOSED")}, 422
    file = request.FILES.get("run")
    if file is None or not file.size:
        missing = "the file is empty" if file else "there is no file to look at"
        return {"stopped": Refused(missing, hint="choose a run", code="E-EMPTY")}, 422
    taken = rate_limits.take(rate_limits.CHECK, f"account {user.pk}")
    if taken.until is not None:
        return {"wait": too_often(request, taken.until, "checks")}, 429
    try:
        checked: Checked = intake.check(task, file.path, file.name or "run")  # type: ignore[attr-defined]
    except CranfieldError as error:
        return {"stopped": error}, 422
    called = "" if request.POST.get("name") else name_from(file.name or "")
    return {"checked": checked, "file": file.name, "called": called}, 200 if checked.good else 422


@needs_account
@require_http_methods(["GET", "POST"])
def join_task(request: HttpRequest, slug: str) -> HttpResponse:
    """Take part in a task, with a team one leads or a new one."""
    task, user = _task(request, slug)
    if request.method == "GET":
        return redirect("submit", task.slug)
    form = TakePart(request.POST, user=user, task=task)
    if form.is_valid():
        try:
            made = _join(task, user, form)
            messages.success(request, f"{made.name} takes part in {task.title}.")
            return redirect("submit", task.slug)
        except Refused as no:
            form.add_error("new_team" if no.code == "E-NAMES" else None, said(no))
    return _page(request, task, user, Part.of(user, task), join=form, status=422)


def _join(task: Task, user: User, form: TakePart) -> Team:
    with transaction.atomic():  # no team is made for a task that does not take it
        made = form.cleaned_data.get("team") or teams.make_team(user, form.cleaned_data["new_team"])
        teams.take_part(task, made, user)
        return made


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/submit/", submit, name="submit"),
    path("tasks/<slug:slug>/submit/check", check, name="check"),
    path("tasks/<slug:slug>/join", join_task, name="join-task"),
    *team_pages.urls,
    *own_runs.urls,
]
