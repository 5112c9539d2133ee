"""Page on which users manage the webhooks of their teams."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cranfield.core import CranfieldError
from cranfield.server.accounts.visibility import Viewer
from cranfield.server.api import webhooks
from cranfield.server.models import Delivery, Membership, Team, User, Webhook
from cranfield.server.site.pages.access import number_of, user_of

SHOWN = 10  # messages of each webhook


class AddWebhook(forms.Form):
    """An address that is told."""

    team = forms.ModelChoiceField(Team.objects.none(), empty_label=None, help_text="Whose runs it is told of.")
    url = forms.URLField(
        max_length=500, label="Address", assume_scheme="https", help_text="A program of yours that takes POST requests."
    )
    events = forms.MultipleChoiceField(
        choices=Webhook.EVENTS, widget=forms.CheckboxSelectMultiple, label="Tell it when"
    )


def _led(person: User) -> list[int]:
    """The teams of a person who may say where messages of theirs go."""
    return list(Membership.objects.filter(user=person, leader=True).values_list("team_id", flat=True))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def my_webhooks(request: HttpRequest) -> HttpResponse:
    """The webhooks of one's teams, and what became of their messages; a new one."""
    person = user_of(request)
    form, secret = _form(person), ""
    if request.method == "POST":
        if request.POST.get("act") in ("remove", "ping"):
            return _act(request, person)
        form = _form(person, request)
        if form.is_valid():
            told = form.cleaned_data
            try:
                made = webhooks.make(told["url"], told["events"], person, team=told["team"])
            except CranfieldError as error:
                form.add_error("url", f"{error.problem}: {error.hint}")
            else:
                form, secret = _form(person), made.secret
    recent = Prefetch("deliveries", Delivery.objects.order_by("-made", "-id"))
    rows = Webhook.objects.filter(team__in=Viewer.of(person).teams).select_related("team").prefetch_related(recent)
    words = dict(Webhook.EVENTS)
    shown = [
        (row, [words[name] for name in row.events], list(row.deliveries.all())[:SHOWN])
        for row in rows.order_by("made", "id")
    ]
    about = {"form": form, "rows": shown, "secret": secret, "led": set(_led(person)), "times": webhooks.TIMES}
    return render(request, "server/my_webhooks.html", about)


def _form(person: User, request: HttpRequest | None = None) -> AddWebhook:
    form = AddWebhook(request.POST) if request else AddWebhook()
    form.fields["team"].queryset = Team.objects.filter(pk__in=_led(person)).order_by("name")  # type: ignore[attr-defined]
    return form


def _act(request: HttpRequest, person: User) -> HttpResponse:
    """Remove a webhook, or send it a message to try it."""
    hook = Webhook.objects.filter(pk=number_of(request.POST.get("which")), team__in=_led(person)).first()
    if hook is None:
        raise Http404
    if request.POST["act"] == "remove":
        webhooks.remove(hook, person)
        messages.success(request, "It is told nothing any more.")
    else:
        webhooks.send(hook, webhooks.PING)
        messages.success(request, "A message is on its way: look again in a moment.")
    return redirect("my-webhooks")


urls = [path("my/webhooks/", my_webhooks, name="my-webhooks")]
