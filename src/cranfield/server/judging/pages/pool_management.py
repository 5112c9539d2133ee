"""Organisers' pages that create, start, monitor, end and delete pools."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse

from cranfield.core import CranfieldError
from cranfield.server.judging import pool_lifecycle
from cranfield.server.judging.forms import Drawing, Gold, Judged, strategies, told_by
from cranfield.server.models import Judgment, Pool, Role, Task
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.pages.access import Page, attempt, for_organisers, user_of
from cranfield.server.tasks.forms import said
from cranfield.server.tasks.topic_texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.server.models import Submission


def for_pools(page: Page) -> Page:
    """A page for the organisers of a task about one of its pools, which it is given."""

    @wraps(page)
    def guarded(request: HttpRequest, task: Task, number: int) -> HttpResponse:
        pool = Pool.objects.filter(task=task, number=number).select_related("task", "known", "made_by").first()
        if pool is None:
            raise Http404
        return page(request, pool)

    return for_organisers(guarded)


def teams_of(runs: Sequence[Submission]) -> list[dict[str, Any]]:
    """The runs of a pool by team."""
    found: dict[str, list[str]] = {}
    for run in runs:
        found.setdefault(run.team.name, []).append(run.name)
    return [{"team": team, "runs": names} for team, names in sorted(found.items())]


def _cost(form: Drawing, runs: Sequence[Submission]) -> dict[str, Any]:
    """What the pool of a form costs, or why that cannot be told."""
    shown: dict[str, Any] = {"teams": teams_of(runs), "runs": len(runs), "guidelines": form.data.get("guidelines", "")}
    if form.is_valid():
        try:
            pool = form.pool([run.key for run in runs])
            shown["cost"] = pool_lifecycle.cost(pool, minutes=form.cleaned_data["minutes"])
        except CranfieldError as error:
            form.add_error(None, said(error))
    shown["wrong"] = [f"{_label(form, name)}{one}" for name, every in form.errors.items() for one in every]
    return shown


def _label(form: Drawing, name: str) -> str:
    """What stands before an error that is told beside the form."""
    return f"{form[name].label}: " if name in form.fields else ""


@for_organisers
def pools(request: HttpRequest, task: Task) -> HttpResponse:
    """All pools of a task, and a new one."""
    runs = pool_lifecycle.runs_of(task)
    form = Drawing(task, request.POST if request.method == "POST" else None)
    shown: dict[str, Any] = {"task": task, "here": "pools", "form": form, "strategies": strategies()}
    shown["labels"], shown["any_run"] = task.version, bool(runs)
    if request.method == "POST":
        shown |= _cost(form, runs)
        if request.htmx:  # type: ignore[attr-defined]
            return render(request, "server/_pool_cost.html", shown)
        if "make" in request.POST and "cost" in shown:
            made = pool_lifecycle.draw_up(task, user_of(request), **form.how())
            messages.success(request, f"Pool {made.number} is drawn up. Nobody judges before you begin.")
            return redirect(_address(made, form.cleaned_data["minutes"]))
    shown["pools"] = [{"pool": one} | _stand(one) for one in Pool.objects.filter(task=task).order_by("-number")]
    return render(request, "server/pools.html", shown)


def _address(pool: Pool, minutes: float = pool_lifecycle.MINUTES) -> str:
    """Where a pool is, with the minutes somebody reckons with."""
    there = reverse("task-pool", args=[pool.task.slug, pool.number])
    return there if minutes == pool_lifecycle.MINUTES else f"{there}?minutes={minutes:g}"


def _stand(pool: Pool) -> dict[str, Any]:
    """How far a pool has come, or why that cannot be told."""
    try:
        return {"progress": pool_lifecycle.progress(pool)}
    except CranfieldError as error:
        return {"refused": sentences(error)}


def _minutes(request: HttpRequest) -> float:
    """What a judgment takes, as the address says."""
    try:
        told = float(request.GET.get("minutes", ""))
    except ValueError:
        return pool_lifecycle.MINUTES
    return told if 0 < told <= 600 else pool_lifecycle.MINUTES


@for_pools
def pool(request: HttpRequest, now: Pool) -> HttpResponse:
    """One pool: its cost before it is begun, how far it has come then; what may still be changed."""
    minutes = _minutes(request)
    runs = pool_lifecycle.runs_of(now.task)
    shown: dict[str, Any] = {"task": now.task, "here": "pools", "pool": now, "gold": Gold()}
    shown["form"] = _form(now, minutes)
    if request.method == "POST":
        answer = _act(request, now, shown, runs)
        if answer is not None:
            return answer
    there = now.task.submissions.filter(key__in=pool_lifecycle.standing(now)).select_related("team")
    inside = list(there.order_by("received", "id"))
    shown |= {"teams": teams_of(inside), "runs": len(inside), "gone": len(now.runs) - len(inside)}
    shown["later"] = sum(run.key not in now.runs for run in runs)
    if now.state == Pool.DRAFT:
        shown["strategies"] = strategies()
        if "wrong" not in shown:  # nothing was sent that has a cost of its own
            shown["guidelines"] = now.guidelines
            try:
                shown["cost"] = pool_lifecycle.cost(now, minutes=minutes)
            except CranfieldError as error:
                shown["wrong"] = [sentences(error)]
    else:
        shown |= _stand(now)
        if "progress" in shown:
            shown |= _rows(now, shown["progress"])
    shown["assessors"] = Role.objects.filter(task=now.task, role=Role.ASSESSOR).count()
    return render(request, "server/pool.html", shown)


def _form(now: Pool, minutes: float, data: Any = None) -> Drawing | Judged | None:
    """What may be changed of a pool: all of a draft, little of one that is judged, nothing of one that is ended."""
    told = told_by(now) | {"minutes": f"{minutes:g}"}
    if now.state == Pool.DRAFT:
        return Drawing(now.task, data, initial=told)
    return Judged(data, initial=told) if now.state == Pool.OPEN else None


def _act(request: HttpRequest, now: Pool, shown: dict[str, Any], runs: Sequence[Submission]) -> HttpResponse | None:
    """Do what a form of the page asks for; None: the page says what is wrong."""
    act, by = request.POST.get("act", ""), user_of(request)
    there = redirect(_address(now, _minutes(request)))
    if act == "begin":
        attempt(request, lambda: pool_lifecycle.begin(now, by), f"Pool {now.number} is being judged from now on.")
        return there
    if now.state == Pool.ENDED or (now.state == Pool.OPEN and "strategy" in request.POST):
        return _too_late(request, now)
    if act == "runs":
        keys = [run.key for run in runs]
        done = f"The pool is made from {len(keys)} run{'s' * (len(keys) != 1)}."
        attempt(request, lambda: pool_lifecycle.change(now, by, runs=keys), done)
        return there
    if act == "gold":
        return there if _gold(request, now, shown) else None
    form = shown["form"] = _form(now, pool_lifecycle.MINUTES, request.POST)
    assert form is not None
    if isinstance(form, Drawing):
        shown |= _cost(form, [run for run in runs if run.key in now.runs])
        if request.htmx:  # type: ignore[attr-defined]
            return render(request, "server/_pool_cost.html", shown)
        if "cost" not in shown or act != "change":
            return None
        there = redirect(_address(now, form.cleaned_data["minutes"]))
    elif not form.is_valid():
        return None
    told = form.how() if isinstance(form, Drawing) else form.cleaned_data
    attempt(request, lambda: pool_lifecycle.change(now, by, **told), "Saved.")
    return there


def _too_late(request: HttpRequest, now: Pool) -> HttpResponse:
    """Answer a form from before the pool was begun or ended, perhaps by somebody else."""
    said = f"Pool {now.number} {pool_lifecycle.STANDS[now.state]}: nothing was saved."
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "server/_pool_cost.html", {"wrong": [f"{said} Load the page again."]})
    messages.error(request, said)
    return redirect(_address(now))


def _gold(request: HttpRequest, now: Pool, shown: dict[str, Any]) -> bool:
    """Take documents of which the grade is known; False: the form says what is wrong."""
    form = shown["gold"] = Gold(request.POST, request.FILES)
    if not form.is_valid():
        return False
    try:
        many = pool_lifecycle.set_gold(now, user_of(request), form.cleaned_data["gold"])
    except CranfieldError as error:
        form.add_error("gold", said(error))
        return False
    messages.success(request, f"Everybody judges {many} document{'s' * (many != 1)} with a known grade first.")
    return True


def _rows(now: Pool, stand: pool_lifecycle.Progress) -> dict[str, Any]:
    """How far it has come by topic, with what that asks, and by person, with the time one judgment takes."""
    texts = texts_of(now.task)
    return {
        "topics": [row | {"title": texts.get(row["topic"], {}).get("title", "")} for row in stand.topics],
        "people": [row | {"mean": row["seconds"] / row["judgments"]} for row in stand.people],
    }


@for_pools
def end(request: HttpRequest, now: Pool) -> HttpResponse:
    """End it, after a second question."""
    if request.method == "POST":
        done = f"Pool {now.number} is ended. Its judgments can become labels."
        attempt(request, lambda: pool_lifecycle.end(now, user_of(request)), done)
        return redirect("task-pool", now.task.slug, now.number)
    given = Judgment.objects.filter(question__pool=now, taken_back=None, user__isnull=False).count()
    shown = {"task": now.task, "here": "pools", "pool": now, "judgments": given} | _stand(now)
    return render(request, "server/pool_end.html", shown)


@for_pools
def delete(request: HttpRequest, now: Pool) -> HttpResponse:
    """Delete a draft, after a second question."""
    if request.method == "POST":
        done = attempt(request, lambda: pool_lifecycle.delete(now, user_of(request)), f"Pool {now.number} is deleted.")
        return redirect("task-pools", now.task.slug) if done else redirect(_address(now))
    return render(request, "server/pool_delete.html", {"task": now.task, "here": "pools", "pool": now})


urls = [
    path("organise/<slug:slug>/pools/", pools, name="task-pools"),
    path("organise/<slug:slug>/pools/<int:number>/", pool, name="task-pool"),
    path("organise/<slug:slug>/pools/<int:number>/end", end, name="pool-end"),
    path("organise/<slug:slug>/pools/<int:number>/delete", delete, name="pool-delete"),
]
