"""Page that imports past results from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import path

from cranfield.core import CranfieldError
from cranfield.data import ENTRY_COLUMNS
from cranfield.server.models import Submission, Task
from cranfield.server.site import pending_uploads
from cranfield.server.site.pages.access import attempt, for_organisers, user_of
from cranfield.server.tasks.forms import said
from cranfield.server.tasks.history_import import History, columns_of, forget_history, import_history, read_history

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from cranfield.server.site.uploads import Arrived

FIRST = 10  # rows of the preview
PARTS = {"run": "Run", "group": "Team", "date": "Date", "baseline": "Baseline mark", "description": "Description"}


class Upload(forms.Form):
    """The table."""

    table = forms.FileField(
        label="Table",
        help_text="CSV; its first line names the columns, each other line is one run.",
        error_messages={"required": "Choose a table.", "empty": "The table is empty."},
    )


class Columns(forms.Form):
    """Which column holds what."""

    held_table = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, columns: list[str], *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        shown = [(f"c{i}", name or f"(column {i + 1}, without a name)") for i, name in enumerate(columns)]
        self.columns = columns
        self.fields["value"] = forms.ChoiceField(choices=shown, label="Value", help_text="What the board gave the run.")
        for part, label in PARTS.items():
            needed = part in ("run", "date")
            options = [("", "choose a column" if needed else "none"), *shown]
            self.fields[part] = forms.ChoiceField(
                choices=options,
                label=label,
                required=needed,
                error_messages={"required": f"Which column holds the {label.lower()}?"},
            )

    def chosen(self) -> tuple[str, dict[str, str]]:
        """The column of values, and those of the other parts."""
        told = {
            part: self.columns[int(place[1:])]
            for part, place in self.cleaned_data.items()
            if place[:1] == "c" and part != "held_table"
        }
        value = told.pop("value")
        return value, told


def _guess(columns: list[str]) -> dict[str, str]:
    """The columns by their names; the value is the first whose name says so and that nothing else claims."""
    folded = [column.casefold() for column in columns]
    found: dict[str, str] = {}
    for part in PARTS:
        place = next((folded.index(name) for name in ENTRY_COLUMNS[part] if name in folded), None)
        if place is not None:
            found[part] = f"c{place}"
    likely = ("eval", "value", "mrr", "ndcg", "map", "score", "dev")
    found["value"] = next(
        (f"c{i}" for word in likely for i, name in enumerate(folded) if word in name and f"c{i}" not in found.values()),
        "c0",
    )
    return found


@for_organisers
def past(request: HttpRequest, task: Task) -> HttpResponse:
    """Choose a table, say which column holds what, look, import."""
    shown: dict[str, Any] = {"task": task, "here": "import", "upload": Upload()}
    if request.method == "POST":
        if "forget" in request.POST:
            attempt(request, lambda: forget_history(task, user_of(request)), "What was imported is off the board.")
            return redirect("task-import", task.slug)
        answer = _look(request, task, shown)
        if answer is not None:
            return answer
    shown["imported"] = Submission.objects.filter(task=task, blob=None, state=Submission.SCORED).count()
    return render(request, "server/desk_import.html", shown)


def _look(request: HttpRequest, task: Task, shown: dict[str, Any]) -> HttpResponse | None:
    form = shown["upload"] = Upload(request.POST, request.FILES)
    by = user_of(request)
    with pending_uploads.chosen(form, "table", by) as chosen:
        if chosen is None:
            return None
        file = chosen.file
        try:
            columns = columns_of(file.path)
        except CranfieldError as error:
            form.add_error("table", said(error))
            return None
        told = request.POST if chosen.token else _guess(columns) | {"held_table": chosen.hold()}
        shown["columns"] = Columns(columns, told)
        history = _read(shown["columns"], file, task)
        if history is not None and "import" in request.POST and history.rows:
            count = import_history(task, by, history, name=file.name or "")
            messages.success(request, f"{count} rows are on the board; the board is made again.")
            return redirect("task-runs", task.slug)
        shown |= {"history": history, "first": history.rows[:FIRST] if history else []}
        return None


def _read(form: Columns, file: Arrived, task: Task) -> History | None:
    if not form.is_valid():
        return None
    value, columns = form.chosen()
    try:
        return read_history(file.path, value=value, columns=columns, task=task)
    except CranfieldError as error:
        form.add_error(None, said(error))
        return None


urls = [path("organise/<slug:slug>/import/", past, name="task-import")]
