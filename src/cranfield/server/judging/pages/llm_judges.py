"""Organisers' page that starts LLM judges, shows their progress and compares them with assessors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.db.models import Count, F, Q
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path

from cranfield.core import CranfieldError, ParameterError
from cranfield.server.judging.llm import judges
from cranfield.server.judging.llm.agreement import beside_people
from cranfield.server.judging.llm.endpoint import find_endpoint
from cranfield.server.judging.llm.prompts import LONGEST, PROMPT
from cranfield.server.models import Judgment, Machine, Pool
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.pages.access import attempt, for_organisers, number_of, user_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from cranfield.server.judging.llm.endpoint import Endpoint
    from cranfield.server.models import Task

SHOWN = 20  # documents of which machine and people differ; answers that could not be read


class AskMachine(forms.Form):
    """Which model, in which words, and that texts may leave this server."""

    model = forms.ChoiceField()
    prompt = forms.CharField(
        max_length=judges.PROMPT_LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20}),
        help_text="{grades}, {choices}, {guidelines}, {topic} and {document} stand for what the pool and the task say.",
    )
    agree = forms.BooleanField(
        label="These texts may be sent", error_messages={"required": "Nothing is sent without your consent."}
    )

    def offering(self, models: tuple[str, ...]) -> AskMachine:
        """The same, with the models there are."""
        self.fields["model"].choices = [(name, name) for name in models]  # type: ignore[attr-defined]
        return self


@for_organisers
def pool_machines(request: HttpRequest, task: Task, number: int) -> HttpResponse:
    """The machines of a pool; a new one."""
    pool = get_object_or_404(Pool.objects.select_related("task"), task=task, number=number)
    shown: dict[str, Any] = {"task": task, "pool": pool, "here": "pools", "longest": LONGEST}
    form = AskMachine(initial={"prompt": PROMPT})
    if request.method == "POST" and request.POST.get("act") in ("stop", "go on"):
        return _act(request, pool)
    try:
        there = find_endpoint()
    except ParameterError as error:
        shown["missing"] = sentences(error)
        if request.method == "POST":
            return redirect("pool-machines", task.slug, number)
    else:
        if request.method == "POST":
            form = AskMachine(request.POST)
            if _asked(request, pool, form, there):
                return redirect("pool-machines", task.slug, number)
        shown |= _offer(pool, form.offering(there.models), there)
    rows = [_row(machine) for machine in pool.machines.order_by("id")]
    shown |= {"rows": rows, "live": any(row["live"] for row in rows)}
    if rows and not request.htmx:  # type: ignore[attr-defined]  # which asks how far they have come, again and again
        shown |= {"beside": beside_people(pool), "differ": _differ(pool), "unread": _unread(pool)}
    return render(request, "server/pool_machines.html", shown)


def _offer(pool: Pool, form: AskMachine, there: Endpoint) -> dict[str, Any]:
    """What can be asked, and what would be sent."""
    prompt = str(form["prompt"].value() or "")
    return {
        "form": form,
        "host": there.host,
        "plan": judges.plan(pool, prompt),
        "sample": judges.sample(pool, prompt),
    }


def _asked(request: HttpRequest, pool: Pool, form: AskMachine, there: Endpoint) -> bool:
    if not form.offering(there.models).is_valid():
        return False
    told = form.cleaned_data
    prompt = told["prompt"].replace("\r\n", "\n")  # as browsers send it
    try:
        made = judges.begin(pool, user_of(request), model=told["model"], prompt=prompt)
    except CranfieldError as error:
        form.add_error(None, sentences(error))
        return False
    messages.success(request, f"{made.name} is being asked; the answers come in below.")
    return True


def _act(request: HttpRequest, pool: Pool) -> HttpResponse:
    """Stop asking a machine, or go on."""
    machine = get_object_or_404(Machine, pool=pool, pk=number_of(request.POST.get("which")))
    by = user_of(request)
    if request.POST["act"] == "stop":
        attempt(request, lambda: judges.stop(machine, by), f"{machine.name} is asked no more.")
    else:
        attempt(request, lambda: judges.go_on(machine, by), f"{machine.name} is asked for the rest.")
    return redirect("pool-machines", pool.task.slug, pool.number)


def _row(machine: Machine) -> dict[str, Any]:
    """How far a machine has come."""
    said = judges.said_by(machine).aggregate(answered=Count("id"), without=Count("id", filter=Q(grade=None)))
    live = machine.state in (Machine.WAITING, Machine.ASKING)
    return {"machine": machine, "live": live, "left": judges.unasked(machine).count()} | said


def _differ(pool: Pool) -> list[Judgment]:
    """Where machines differ from what holds, the widest first."""
    found = Judgment.objects.filter(
        question__pool=pool, question__gold=None, kind=Judgment.MACHINE, taken_back=None, grade__isnull=False
    )
    apart = found.filter(question__grade__isnull=False).exclude(grade=F("question__grade")).select_related("question")
    return sorted(apart, key=lambda one: -abs((one.grade or 0) - (one.question.grade or 0)))[:SHOWN]


def _unread(pool: Pool) -> list[Judgment]:
    """Answers without a grade."""
    found = Judgment.objects.filter(question__pool=pool, kind=Judgment.MACHINE, taken_back=None, grade=None)
    return list(found.select_related("question").order_by("-id")[:SHOWN])


urls: list[URLPattern] = [
    path("organise/<slug:slug>/pools/<int:number>/machines/", pool_machines, name="pool-machines"),
]
