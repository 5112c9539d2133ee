"""Pages that list label versions, add a new one and show what it changed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.cache import patch_cache_control

from cranfield.core import CranfieldError
from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.pages.board_access import task_for, viewer_of
from cranfield.server.models import LabelVersion, Result, Snapshot, Submission, Task
from cranfield.server.site import blob_store, pending_uploads
from cranfield.server.site.pages.access import for_organisers, user_of
from cranfield.server.site.uploads import Arrived
from cranfield.server.tasks.forms import said
from cranfield.server.tasks.label_change_report import changes_of
from cranfield.server.tasks.label_versions import add_version, change_one, check_topics, differences, look_at


class NewLabels(forms.Form):
    """Changed judgments as a whole file."""

    qrels = forms.FileField(
        label="Judgments",
        required=False,
        help_text="A TREC qrels file with all judgments, packed or not. You see what would change before it counts.",
        error_messages={"empty": "The file is empty."},
    )
    held_qrels = forms.CharField(required=False, widget=forms.HiddenInput)
    note = forms.CharField(max_length=300, required=False, help_text="What changed, and why: everybody may read it.")

    def as_needed(self) -> NewLabels:
        """The same, saying that a file is needed; one that is held stands for it."""
        self.fields["qrels"].required = True
        return self


class OneLabel(forms.Form):
    """One judgment."""

    topic = forms.CharField(max_length=200)
    document = forms.CharField(max_length=500)
    grade = forms.IntegerField(min_value=-1, max_value=127, help_text="−1 takes the judgment away.")
    why = forms.CharField(max_length=300, required=False, label="Note")


@for_organisers
def labels(request: HttpRequest, task: Task) -> HttpResponse:
    """All versions; a new one from a file, or with one judgment changed."""
    shown: dict[str, Any] = {"whole": NewLabels().as_needed(), "one": OneLabel()}
    if request.method == "POST":
        answer = _change(request, task, shown) if "topic" in request.POST else _upload(request, task, shown)
        if answer is not None:
            return answer
    versions = list(task.versions.order_by("-number").select_related("made_by"))
    runs = Submission.objects.filter(task=task, blob__isnull=False).count()
    for version in versions:
        version.ready = Result.objects.filter(version=version).count()  # type: ignore[attr-defined]
    shown |= {"task": task, "here": "labels", "versions": versions, "runs": runs}
    return render(request, "server/labels.html", shown)


def _change(request: HttpRequest, task: Task, shown: dict[str, Any]) -> HttpResponse | None:
    form = shown["one"] = OneLabel(request.POST)
    if not form.is_valid():
        return None
    told = form.cleaned_data
    try:
        made = change_one(
            task,
            user_of(request),
            topic=told["topic"].strip(),
            document=told["document"].strip(),
            grade=told["grade"],
            note=told["why"],
        )
    except CranfieldError as error:
        form.add_error(None, said(error))
        return None
    return _done(request, task, made)


def _upload(request: HttpRequest, task: Task, shown: dict[str, Any]) -> HttpResponse | None:
    form = shown["whole"] = NewLabels(request.POST, request.FILES)
    good = form.is_valid()
    form.as_needed()
    if not good:  # a note that is too long, for one
        return None
    came, token = request.FILES.get("qrels"), str(form.cleaned_data.get("held_qrels") or "")
    by = user_of(request)
    file = came if isinstance(came, Arrived) else pending_uploads.held(token, by) if token else None
    if file is None:
        form.add_error(
            "qrels", "Choose a file of judgments." if not token else "The file is no longer here: choose it again."
        )
        return None
    try:
        looked = look_at(file.path, file.name or "qrels")
        shown["problems"] = looked.problems
        last = task.version
        if not looked.good:
            return None
        try:
            check_topics(looked.topics, task.private)
            if "make" in request.POST and came is None:
                made = add_version(task, file.arriving, by, note=form.cleaned_data["note"], name=file.name or "qrels")
                return _done(request, task, made)
            if last is not None:
                shown["differences"] = differences(last, looked)
        except CranfieldError as error:
            form.add_error("qrels", said(error))
            return None
        shown |= {"looked": looked, "name": file.name, "next": last.number + 1 if last else 1}
        again = {
            "held_qrels": token if came is None else pending_uploads.hold(file, by),
            "note": form.cleaned_data["note"],
        }
        shown["confirm"] = NewLabels(initial=again)
        return None
    finally:
        file.close()


def _done(request: HttpRequest, task: Task, made: LabelVersion) -> HttpResponse:
    messages.success(request, f"Version {made.number} of the labels is in; every run is evaluated again.")
    return redirect("label-changes", task.slug, made.number)


def _seen(request: HttpRequest, slug: str, number: int) -> tuple[Task, LabelVersion, str]:
    """The version, if its changes may be seen: by organisers, and by everybody once the task is closed."""
    task = task_for(request, slug, Thing.PRIVATE_VALUES)
    version = get_object_or_404(LabelVersion, task=task, number=number)
    return task, version, Snapshot.FULL if sees(viewer_of(request), Thing.FULL_BOARD, task) else Snapshot.PUBLIC


def label_changes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What a version did to the board."""
    task, version, kind = _seen(request, slug, number)
    told = changes_of(version, kind)
    runs = Submission.objects.filter(task=task, blob__isnull=False).exclude(state=Submission.FAILED).count()
    shown: dict[str, Any] = {"task": task, "here": "labels", "labels": version, "told": told, "runs": runs}
    shown["mine"] = sees(viewer_of(request), Thing.LOG, task)
    shown["ready"] = Result.objects.filter(version=version).count()
    shown["before"] = LabelVersion.objects.filter(task=task, number=number - 1).first()
    if told is not None:
        tables = told["tables"]
        shown["moved"] = _moved(tables, told)
        shown["judgments"] = dict(tables["judgments"]["rows"]) if "judgments" in tables else None
        shown["order"] = _rows(tables["order"])[0] if "order" in tables else None
        shown["pairs"] = _rows(tables["changed"])[0] if tables.get("changed", {}).get("rows") else None
        shown["notes"] = [note for table in tables.values() for note in table["notes"]]
    if shown["before"] is not None and sees(viewer_of(request), Thing.ALL_LABELS, task):
        looked = look_at(str(blob_store.path_of(version.qrels_id)), "qrels")
        shown["differences"] = differences(shown["before"], looked)
    template = "server/_label_changes.html" if request.htmx else "server/label_changes.html"  # type: ignore[attr-defined]
    answer = render(request, template, shown)
    patch_cache_control(answer, private=True, no_cache=True)
    return answer


def _rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def _moved(tables: dict[str, Any], told: dict[str, Any]) -> list[dict[str, Any]]:
    """The runs, each with the address of its card."""
    keys = told.get("keys", {})
    found = _rows(tables["moved"]) if "moved" in tables else []
    return [row | {"url": reverse("run", args=[keys[row["run"]]])} for row in found]


def label_picture(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The picture of what moved."""
    _, version, kind = _seen(request, slug, number)
    told = changes_of(version, kind)
    if told is None or told["picture"] is None:
        raise Http404
    answer = HttpResponse(blob_store.read(told["picture"]["digest"]), content_type=told["picture"]["media"])
    patch_cache_control(answer, private=True, no_cache=True)
    return answer


urls = [
    path("organise/<slug:slug>/labels/", labels, name="task-labels"),
    path("organise/<slug:slug>/labels/<int:number>/", label_changes, name="label-changes"),
    path("organise/<slug:slug>/labels/<int:number>/picture", label_picture, name="label-picture"),
]
