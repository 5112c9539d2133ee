"""Pages that list the user's teams and show one team."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cranfield.server.accounts import invitations, teams
from cranfield.server.accounts.forms import InviteToTeam, TeamForm
from cranfield.server.accounts.visibility import Thing, Viewer, sees, sees_team
from cranfield.server.models import Invite, Membership, Task, Team, User
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.pages.access import number_of
from cranfield.server.submissions.intake import Refused


@login_required
@require_http_methods(["GET", "POST"])
def my_teams(request: HttpRequest) -> HttpResponse:
    """The teams one is in, and a new one."""
    user = cast("User", request.user)
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        told = form.cleaned_data
        try:
            made = teams.make_team(user, told["name"], about=told["about"], link=told["link"])
            messages.success(request, f"{made.name} is made. Invite the others with a link.")
            return redirect("team", made.slug)
        except Refused as no:
            form.add_error("name", said(no))
    mine = Membership.objects.filter(user=user).select_related("team").order_by("team__name")
    rows = [
        {"membership": one, "people": one.team.people.count(), "tasks": _tasks(one.team, Viewer.of(user))}
        for one in mine
    ]
    return render(request, "server/teams.html", {"rows": rows, "form": form})


def said(no: Refused) -> str:
    """A refusal as a sentence or two for a page."""
    return sentences(no)


def _tasks(team: Team, viewer: Viewer) -> list[Task]:
    return [task for task in team.tasks.order_by("title") if sees(viewer, Thing.TASK, task)]


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """A team, for its people: who is in it, links for others, what it takes part in."""
    found = Team.objects.filter(slug=slug).first()
    viewer = Viewer.of(request.user)
    if found is None or viewer.user is None or not sees_team(viewer, found):
        raise Http404
    if request.method == "POST":
        return _act(request, found, viewer.user)
    return _page(request, found, viewer.user)


def _page(
    request: HttpRequest,
    found: Team,
    user: User,
    *,
    about: TeamForm | None = None,
    invite: InviteToTeam | None = None,
    link: str = "",
) -> HttpResponse:
    leader = user.is_superuser or teams.leads(user, found)
    told = {
        "team": found,
        "leader": leader,
        "mine": Membership.objects.filter(team=found, user=user).first(),
        "members": Membership.objects.filter(team=found).select_related("user").order_by("-leader", "made"),
        "tasks": _tasks(found, Viewer.of(user)),
        "about": about or TeamForm(initial={"name": found.name, "about": found.about, "link": found.link}),
        "invite": invite or InviteToTeam(),
        "invites": Invite.objects.filter(team=found, uses_left__gt=0, expires__gt=timezone.now()).order_by("expires"),
        "link": link,
    }
    return render(request, "server/team.html", told)


def _act(request: HttpRequest, found: Team, user: User) -> HttpResponse:
    """What was asked for; every right is looked at where it is done."""
    what = request.POST.get("do", "")
    try:
        if what == "describe":
            return _describe(request, found, user)
        if what == "invite":
            return _invite(request, found, user)
        done = _change(request, found, user, what)
    except Refused as no:
        messages.error(request, said(no))
        return redirect("team", found.slug)
    messages.success(request, done)
    return redirect("my-teams") if what == "leave" else redirect("team", found.slug)


def _describe(request: HttpRequest, found: Team, user: User) -> HttpResponse:
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _page(request, found, user, about=form)
    told = form.cleaned_data
    teams.describe(found, user, name=told["name"], about=told["about"], link=told["link"])
    messages.success(request, "The team is changed.")
    return redirect("team", found.slug)


def _invite(request: HttpRequest, found: Team, user: User) -> HttpResponse:
    """A link, shown on the answer itself and never again."""
    form = InviteToTeam(request.POST)
    if not form.is_valid():
        return _page(request, found, user, invite=form)
    _, text = invitations.make_invite(user, team=found, days=form.cleaned_data["days"], uses=form.cleaned_data["uses"])
    return _page(request, found, user, link=request.build_absolute_uri(invitations.path_of(text)))


def _change(request: HttpRequest, found: Team, user: User, what: str) -> str:
    if what == "leave":
        teams.leave(found, user)
        return f"You have left {found.name}."
    if what == "void":
        invite = Invite.objects.filter(team=found, pk=number_of(request.POST.get("invite"))).first()
        if invite is None:
            raise Http404
        invitations.void(invite, user)
        return "The link is void."
    member = User.objects.filter(username=request.POST.get("who", ""), teams=found).first()
    if member is None:
        raise Http404
    if what == "remove":
        teams.leave(found, member, by=user)
        return f"{member.shown} is out of the team."
    if what in ("lead", "follow"):
        teams.set_leader(found, member, leader=what == "lead", by=user)
        return f"{member.shown} leads the team." if what == "lead" else f"{member.shown} leads no longer."
    raise Http404


urls: list[URLPattern] = [
    path("my/teams/", my_teams, name="my-teams"),
    path("teams/<slug:slug>/", team, name="team"),
]
