"""Page that compares label aggregation methods and creates the next label version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path

from cranfield.core import CranfieldError
from cranfield.server.accounts.visibility import Thing
from cranfield.server.boards.pages.board_access import task_for
from cranfield.server.judging.label_aggregation import HOLDS, make_version, merging_of, preview
from cranfield.server.judging.ranking_sensitivity import compare_ways
from cranfield.server.models import Pool
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.pages.access import for_organisers, user_of
from cranfield.server.tasks.label_versions import check_topics

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from cranfield.server.judging.label_aggregation import Merging, Way
    from cranfield.server.models import LabelVersion, Task

NAMED = 20  # disputed documents that the page names


class MakeLabels(forms.Form):
    """The way to merge, and what everybody may read of it."""

    way = forms.CharField(max_length=60, widget=forms.HiddenInput)
    note = forms.CharField(max_length=300, required=False, help_text="Where they come from: everybody may read it.")


@for_organisers
def pool_labels(request: HttpRequest, task: Task, number: int) -> HttpResponse:
    """The ways side by side, one of them looked at; a button makes the next version."""
    pool = get_object_or_404(Pool.objects.select_related("task", "known"), task=task, number=number)
    form = MakeLabels(request.POST) if request.method == "POST" else None
    if form is not None and form.is_valid():
        try:
            made = make_version(pool, user_of(request), form.cleaned_data["way"], note=form.cleaned_data["note"])
        except CranfieldError as error:
            messages.error(request, sentences(error))
        else:
            messages.success(request, f"Version {made.number} of the labels is in; every run is evaluated under it.")
            if made.number > 1:
                return redirect("label-changes", task.slug, made.number)
            return redirect("task-labels", task.slug)
    merging = merging_of(pool)
    asked = (form.data.get("way", "") if form is not None else request.GET.get("way", "")) or HOLDS
    way = next((one for one in merging.ways if one.name == asked and one.makes), None)
    last = task.version
    shown: dict[str, Any] = {
        "task": task,
        "pool": pool,
        "here": "pools",
        "merging": merging,
        "rows": compare_ways(merging),
        "disputed": merging.settled.disputed[:NAMED],
        "more": len(merging.settled.disputed[NAMED:]),
        "way": way,
        "next": last.number + 1 if last else 1,
        "form": form if form is not None and way is not None else MakeLabels(initial={"way": asked}),
        "made": [one for one in task.versions.order_by("-number") if one.about.get("key") == pool.key],
    }
    if way is not None:
        shown |= _looked(merging, way)
    return render(request, "server/pool_labels.html", shown)


def _looked(merging: Merging, way: Way) -> dict[str, Any]:
    """What the next version would be: its size, what changes, or why it cannot be made."""
    task, labels = merging.pool.task, merging.labels(way)
    topics = list(dict.fromkeys(topic for topic, _ in labels))
    try:
        check_topics(topics, task.private)
    except CranfieldError as error:
        return {"refused": sentences(error)}
    return {"differences": preview(merging, way), "judged": topics, "labels": len(labels)}


def qrels_about(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Where a version of the labels comes from: its own file, as no reader of judgments takes a line of words."""
    task = task_for(request, slug, Thing.PUBLIC_LABELS)
    version: LabelVersion = get_object_or_404(task.versions, number=number)
    told = {
        "task": task.slug,
        "version": version.number,
        "made": version.made.isoformat(),
        "note": version.note,
        "judgments": version.judgments,
        "topics": len(version.judged),
        "from": version.about or None,
    }
    answer = JsonResponse(told, json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-qrels-{number}.json"'
    answer.headers["Cache-Control"] = "private, no-cache"
    return answer


urls: list[URLPattern] = [
    path("tasks/<slug:slug>/downloads/qrels-<int:number>.json", qrels_about, name="qrels-about"),
    path("organise/<slug:slug>/pools/<int:number>/labels/", pool_labels, name="pool-labels"),
]
