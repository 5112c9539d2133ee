"""Operators' pages: server health, users and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path

from cranfield.server.accounts import invitations, roles
from cranfield.server.models import Audit, Invite, Job, LabelVersion, Snapshot, Submission, Task, User
from cranfield.server.site.pages.access import attempt, for_operators, number_of, user_of

from .health_checks import condition, retry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from django.http import HttpRequest, HttpResponse

MANY = 100  # rows of a page
WORDS = {
    "score": "evaluate a run",
    "board": "make the board",
    "draw": "draw pictures",
    "relabel": "compare labels",
    "duplicates": "look for runs that are alike",
    "deliver": "send a message",
    "close": "close the task",
    "corpus": "read documents",
    "machine": "ask a machine",
    "tidy": "tidy up",
}


@for_operators
def operate(request: HttpRequest) -> HttpResponse:
    """How the server stands."""
    counts = {
        "tasks": Task.objects.count(),
        "users": User.objects.filter(is_active=True).count(),
        "acts": Audit.objects.count(),
    }
    failed = Job.objects.filter(state=Job.FAILED).select_related("task").order_by("-finished")[:10]
    shown = {"state": condition(), "here": "health", "home": settings.HOME.folder, "counts": counts}
    shown["failed"] = _in_words(failed)
    template = "server/_condition.html" if request.htmx else "server/operate.html"  # type: ignore[attr-defined]
    return render(request, template, shown)


class MakeAccount(forms.Form):
    """A link to an account."""

    role = forms.ChoiceField(
        label="For", choices=[("", "an account"), (invitations.OPERATOR, "an operator")], required=False
    )
    uses = forms.IntegerField(initial=1, min_value=1, max_value=invitations.MOST, label="How many may use it")
    days = forms.IntegerField(initial=14, min_value=1, max_value=invitations.LONGEST, label="Good for so many days")
    note = forms.CharField(max_length=200, required=False, help_text="Whom it is for; only operators read it.")


@for_operators
def users(request: HttpRequest) -> HttpResponse:
    """Everybody with an account, and what they may do."""
    form = MakeAccount()
    if request.method == "POST":
        if request.POST.get("act") == "invite":
            form = MakeAccount(request.POST)
            if form.is_valid():
                told = form.cleaned_data
                _, text = invitations.make_invite(user_of(request), **told)
                link = request.build_absolute_uri(invitations.path_of(text))
                messages.success(request, f"Send this link; it is shown only now: {link}")
                return redirect("users")
        else:
            _act(request)
            return redirect(request.get_full_path())
    sought = request.GET.get("name", "").replace("\0", "").strip()
    found = User.objects.annotate(organises=Count("role", filter=Q(role__role="organiser"))).order_by("username")
    if sought:
        found = found.filter(Q(username__icontains=sought) | Q(name__icontains=sought) | Q(email__icontains=sought))
    page = Paginator(found.prefetch_related("teams"), MANY).get_page(request.GET.get("page"))
    let = set(roles.organising().values_list("pk", flat=True))
    invites = [one for one in Invite.objects.filter(task=None, team=None).select_related("made_by") if one.good]
    shown = {"page": page, "let": let, "form": form, "here": "users", "sought": sought, "invites": invites}
    return render(request, "server/users.html", shown)


def _act(request: HttpRequest) -> None:
    by, post, what = user_of(request), request.POST, request.POST.get("act", "")
    if what == "void":
        invite = get_object_or_404(Invite, pk=number_of(post.get("which")), task=None, team=None)
        attempt(request, lambda: invitations.void(invite, by), "The link is good for nothing now.")
        return
    user = get_object_or_404(User, pk=number_of(post.get("which")))
    if what == "password":
        link = request.build_absolute_uri(roles.password_path(user, by))
        messages.success(request, f"Send this link to {user.shown}; it sets a new password, once: {link}")
        return
    acts: dict[str, tuple[Callable[[], None], str]] = {
        "lock": (lambda: roles.set_active(user, by, active=False), "cannot log in any more"),
        "open": (lambda: roles.set_active(user, by, active=True), "can log in again"),
        "organise": (lambda: roles.set_may_organise(user, by, may=True), "may make tasks"),
        "not-organise": (lambda: roles.set_may_organise(user, by, may=False), "may not make tasks any more"),
        "operator": (lambda: roles.set_operator(user, by, operator=True), "is an operator"),
        "not-operator": (lambda: roles.set_operator(user, by, operator=False), "is no operator any more"),
    }
    if what in acts:
        attempt(request, acts[what][0], f"{user.shown} {acts[what][1]}.")


@for_operators
def jobs(request: HttpRequest) -> HttpResponse:
    """What is being done, what waits, what failed."""
    if request.method == "POST":
        job = get_object_or_404(Job, pk=number_of(request.POST.get("which")))
        attempt(request, lambda: retry(job, user_of(request)), "The job is tried again.")
        return redirect(request.get_full_path())
    state = request.GET.get("state", "")
    found = Job.objects.select_related("task").order_by("-id")
    if state in dict(Job.STATES):
        found = found.filter(state=state)
    counts = {name: Job.objects.filter(state=name).count() for name, _ in Job.STATES}
    page = Paginator(found, MANY).get_page(request.GET.get("page"))
    shown = {"page": page, "jobs": _in_words(page), "counts": counts, "state": state, "here": "jobs"}
    return render(request, "server/jobs.html", shown)


def _in_words(found: Iterable[Job]) -> list[Job]:
    """The jobs, each with what it does and to what, by the names that people know."""
    listed = list(found)

    def named(part: str) -> list[int]:
        return [job.about[part] for job in listed if part in job.about]

    versions = LabelVersion.objects.in_bulk([*named("version"), *named("new")])
    snapshots = Snapshot.objects.in_bulk(named("snapshot"))
    runs = Submission.objects.in_bulk(named("submission"))
    for job in listed:
        about, parts = job.about, []
        if run := runs.get(about.get("submission", 0)):
            parts.append(run.name)
        if version := versions.get(about.get("version", about.get("new", 0))):
            parts.append(f"labels, version {version.number}")
        if snapshot := snapshots.get(about.get("snapshot", 0)):
            parts.append(f"{'full board' if snapshot.kind == Snapshot.FULL else 'board'} {snapshot.number}")
        job.words, job.of = WORDS.get(job.kind, job.kind), "; ".join(parts)  # type: ignore[attr-defined]
    return listed


urls: list[URLPattern] = [
    path("operate/", operate, name="operate"),
    path("operate/users/", users, name="users"),
    path("operate/jobs/", jobs, name="jobs"),
]
