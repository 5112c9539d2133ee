"""Organisers' pages for announcements and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path

from cranfield.server.api import webhooks
from cranfield.server.models import Announcement, Delivery, Task, Webhook
from cranfield.server.operations import audit_log
from cranfield.server.site.pages.access import attempt, for_organisers, number_of, user_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class Announce(forms.Form):
    """A word to everybody."""

    text = forms.CharField(
        max_length=4000,
        label="Announcement",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Everybody who sees the board reads it at once. Markdown: **bold**, [words](https://…), lists.",
    )


class AddWebhook(forms.Form):
    """An address that is told."""

    url = forms.URLField(
        max_length=500, label="Address", assume_scheme="https", help_text="Such as https://example.org/heard"
    )
    events = forms.MultipleChoiceField(
        choices=Webhook.EVENTS,
        widget=forms.CheckboxSelectMultiple,
        label="Tell it when",
        error_messages={"required": "Choose what it is told of."},
    )


@for_organisers
def announcements(request: HttpRequest, task: Task) -> HttpResponse:
    """All announcements; a new one."""
    form = Announce()
    if request.method == "POST":
        if request.POST.get("act") == "remove":
            _remove(request, task)
            return redirect("task-announcements", task.slug)
        form = Announce(request.POST)
        if form.is_valid():
            with audit_log.acting():
                made = Announcement.objects.create(task=task, text=form.cleaned_data["text"], by=user_of(request))
                audit_log.record(user_of(request), "announce", task=task, number=made.pk)
            messages.success(request, "It stands on the board.")
            return redirect("task-announcements", task.slug)
    rows = task.announcements.order_by("-made").select_related("by")
    return render(
        request, "server/announcements.html", {"task": task, "here": "announcements", "form": form, "rows": rows}
    )


def _remove(request: HttpRequest, task: Task) -> None:
    found = get_object_or_404(Announcement, task=task, pk=number_of(request.POST.get("which")))
    with audit_log.acting():
        audit_log.record(user_of(request), "announcement removed", task=task, number=found.pk, text=found.text[:200])
        found.delete()
    messages.success(request, "It is gone.")


@for_organisers
def hooks(request: HttpRequest, task: Task) -> HttpResponse:
    """The webhooks of a task."""
    form, secret = AddWebhook(), ""
    by = user_of(request)
    if request.method == "POST":
        if request.POST.get("act") == "remove":
            hook = get_object_or_404(Webhook, task=task, pk=number_of(request.POST.get("which")))
            attempt(request, lambda: webhooks.remove(hook, by), "It is told nothing any more.")
            return redirect("task-webhooks", task.slug)
        form = AddWebhook(request.POST)
        if form.is_valid():
            made: list[Webhook] = []
            told = form.cleaned_data
            done = "It is told from now on."
            if attempt(request, lambda: made.append(webhooks.make(told["url"], told["events"], by, task=task)), done):
                form, secret = AddWebhook(), made[0].secret
    rows = list(task.webhooks.order_by("made"))
    words = dict(Webhook.EVENTS)
    for row in rows:
        row.told = [words[name] for name in row.events]  # type: ignore[attr-defined]
        row.last = Delivery.objects.filter(webhook=row).order_by("-made").first()  # type: ignore[attr-defined]
    shown = {"task": task, "here": "webhooks", "form": form, "rows": rows, "secret": secret}
    return render(request, "server/desk_webhooks.html", shown)


urls = [
    path("organise/<slug:slug>/announcements/", announcements, name="task-announcements"),
    path("organise/<slug:slug>/webhooks/", hooks, name="task-webhooks"),
]
