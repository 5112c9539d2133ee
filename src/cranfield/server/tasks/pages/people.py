"""Page that manages the organisers, assessors, teams and invitations of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path

from cranfield.server.accounts import invitations, roles
from cranfield.server.models import Invite, Participant, Role, Task
from cranfield.server.site.pages.access import attempt, for_organisers, number_of, user_of
from cranfield.server.submissions.intake import left

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class AddPerson(forms.Form):
    """Somebody with an account gets a part."""

    username = forms.CharField(max_length=150, label="Account", help_text="The name they log in with.")
    role = forms.ChoiceField(
        choices=Role.ROLES, help_text="An organiser may do all that you may; an assessor judges documents of its pools."
    )


class AddTeam(forms.Form):
    """A team takes part."""

    team = forms.CharField(max_length=100, help_text="The name of a team that is on this server already.")


class MakeInvite(forms.Form):
    """A link for somebody who is not here yet."""

    as_ = forms.ChoiceField(
        label="For", choices=[("team", "a team that takes part"), *((role, f"an {role}") for role, _ in Role.ROLES)]
    )
    uses = forms.IntegerField(initial=1, min_value=1, max_value=invitations.MOST, label="How many may use it")
    days = forms.IntegerField(initial=14, min_value=1, max_value=invitations.LONGEST, label="Good for so many days")
    note = forms.CharField(max_length=200, required=False, help_text="Whom it is for; only organisers read it.")


@for_organisers
def members(request: HttpRequest, task: Task) -> HttpResponse:
    """Everybody with a part in the task."""
    shown = {"person": AddPerson(), "team": AddTeam(), "invite": MakeInvite()}
    if request.method == "POST" and _act(request, task, shown):
        return redirect("task-people", task.slug)
    taking_part = list(task.participant_set.select_related("team").order_by("team__name"))
    for part in taking_part:
        part.left = left(task, part.team)  # type: ignore[attr-defined]
        part.people = list(part.team.people.order_by("username"))  # type: ignore[attr-defined]
    invites = [one for one in Invite.objects.filter(task=task).select_related("team", "made_by") if one.good]
    roles = Role.objects.filter(task=task).select_related("user").order_by("role", "user__username")
    told = {"task": task, "here": "people", "roles": roles, "taking_part": taking_part, "invites": invites}
    return render(request, "server/people.html", shown | told)


def _act(request: HttpRequest, task: Task, shown: dict[str, forms.Form]) -> bool:
    """Do what was asked; whether the page is to be opened again."""
    by, post, what = user_of(request), request.POST, request.POST.get("act", "")
    if what == "person":
        form = shown["person"] = AddPerson(post)
        if not form.is_valid():
            return False
        name, role = form.cleaned_data["username"], form.cleaned_data["role"]
        attempt(request, lambda: roles.add_role(task, roles.find_user(name), role, by), f"{name} is {role} now.")
    elif what == "team":
        joining = shown["team"] = AddTeam(post)
        if not joining.is_valid():
            return False
        name = joining.cleaned_data["team"]
        attempt(request, lambda: roles.add_team(task, name, by), f"{name} takes part.")
    elif what == "invite":
        return _invite(request, task, shown)
    elif what in ("block", "unblock"):
        part = get_object_or_404(Participant, task=task, pk=number_of(post.get("which")))
        done = f"{part.team.name} {'may not submit any more' if what == 'block' else 'may submit again'}."
        attempt(request, lambda: roles.set_blocked(part, by, blocked=what == "block"), done)
    elif what == "remove":
        role_ = get_object_or_404(Role, task=task, pk=number_of(post.get("which")))
        done = f"{role_.user.shown} is no {role_.role} any more."
        attempt(request, lambda: roles.remove_role(role_, by), done)
    elif what == "void":
        invite = get_object_or_404(Invite, task=task, pk=number_of(post.get("which")))
        attempt(request, lambda: invitations.void(invite, by), "The link is good for nothing now.")
    return True


def _invite(request: HttpRequest, task: Task, shown: dict[str, forms.Form]) -> bool:
    form = shown["invite"] = MakeInvite(request.POST)
    if not form.is_valid():
        return False
    told, by = form.cleaned_data, user_of(request)
    role = "" if told["as_"] == "team" else told["as_"]
    _, text = invitations.make_invite(by, task=task, role=role, days=told["days"], uses=told["uses"], note=told["note"])
    link = request.build_absolute_uri(invitations.path_of(text))
    messages.success(request, f"Send this link; it is shown only now: {link}")
    return True


urls = [path("organise/<slug:slug>/people/", members, name="task-people")]
