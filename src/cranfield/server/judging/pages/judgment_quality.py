"""Organisers' pages for judgment quality and the import of crowd labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_GET

from cranfield.charts import to_picture
from cranfield.core import CranfieldError
from cranfield.server.boards.panels import to_plain
from cranfield.server.judging import crowd_import
from cranfield.server.judging.judgment_quality import SHOWN, disputed_of, quality_of
from cranfield.server.judging.label_aggregation import merging_of
from cranfield.server.judging.ranking_sensitivity import compare_ways, say_orders
from cranfield.server.models import Judgment
from cranfield.server.site import pending_uploads
from cranfield.server.site.pages.access import user_of
from cranfield.server.tasks.forms import said

from .pool_management import for_pools

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.urls import URLPattern

    from cranfield.core import Table
    from cranfield.server.models import Pool

ROWS = 400  # of a table on a page
NAMED = 10  # strange topics, documents or grades that are named
WORDS = {  # of tables of crowds, as one reads them here
    "worker": "person",
    "workers": "people",
    "part": "quarter",
    "labels": "judgments",
    "grade": "mean grade",
    "items": "documents",
}


def _shown(table: Table | None) -> dict[str, Any] | None:
    """A table as a page has it."""
    if table is None:
        return None
    told = to_plain(table)
    columns = list(zip(*told["rows"], strict=True)) or [()] * len(told["columns"])
    numbers = [any(isinstance(cell, int | float) for cell in column) for column in columns]
    names = [WORDS.get(name, name) for name in told["columns"]]
    return told | {"columns": list(zip(names, numbers, strict=True)), "rows": told["rows"][:ROWS]}


@require_GET
@for_pools
def quality(request: HttpRequest, pool: Pool) -> HttpResponse:
    """How good the judgments are so far."""
    found = quality_of(pool)
    disputed = disputed_of(pool)
    merging = merging_of(pool)
    shown = {
        "task": pool.task,
        "here": "pools",
        "pool": pool,
        "quality": found,
        "agreement": _shown(found.agreement),
        "course": _shown(found.course),
        "machines": _shown(found.machines),
        "notes": [note for table in (found.agreement, found.workers) if table for note in table.notes],
        "ways": compare_ways(merging) if merging.judgments else [],
        "order": say_orders(merging),
        "judged": pool.questions.filter(gold=None, grade__isnull=False).count(),
        "crowd": crowd_import.of_crowd_alone(pool).count(),
        "disputed": disputed,
        "disputes": pool.questions.filter(disputed=True).count() if len(disputed) == SHOWN else len(disputed),
        "trial": any(one.trial for one in found.people),
    }
    return render(request, "server/pool_quality.html", shown)


@require_GET
@for_pools
def picture(request: HttpRequest, pool: Pool) -> HttpResponse:
    """The people who judge as a chart: how much, and how like the others."""
    del request
    workers = quality_of(pool).workers
    if workers is None:
        raise Http404
    content, media = to_picture(workers, "workers")
    return HttpResponse(content, content_type=media)


class Upload(forms.Form):
    """The file."""

    file = forms.FileField(
        label="Judgments",
        help_text="CSV, TSV or JSON Lines, not packed. A line has a worker, a topic, a document and a label.",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
    )


@for_pools
def import_page(request: HttpRequest, pool: Pool) -> HttpResponse:
    """Choose a file of judgments, look at it, import it."""
    shown: dict[str, Any] = {"task": pool.task, "here": "pools", "pool": pool, "upload": Upload(), "named": NAMED}
    if request.method == "POST":
        answer = _look(request, pool, shown)
        if answer is not None:
            return answer
    crowd = Judgment.objects.filter(question__pool=pool, kind=Judgment.CROWD, taken_back=None)
    shown |= {"imported": crowd.count(), "workers": crowd.values("worker").distinct().count()}
    return render(request, "server/pool_import.html", shown)


def _look(request: HttpRequest, pool: Pool, shown: dict[str, Any]) -> HttpResponse | None:
    form = shown["upload"] = Upload(request.POST, request.FILES)
    by = user_of(request)
    with pending_uploads.chosen(form, "file", by) as chosen:
        if chosen is None:
            return None
        path, name, digest = chosen.file.path, chosen.file.name or "labels", chosen.file.arriving.digest
        try:
            if "import" in request.POST and chosen.token:
                count = crowd_import.import_labels(pool, by, path, name, digest)
                many = "1 judgment is" if count == 1 else f"{count:,} judgments are"
                messages.success(request, f"{many} imported." if count else "Nothing of the file was new.")
                return redirect("pool-quality" if count else "pool-import", pool.task.slug, pool.number)
            looked = crowd_import.look_at(pool, path, name, digest)
            shown |= {"looked": looked, "name": name, "problems": looked.problems, "held": chosen.hold()}
        except CranfieldError as error:
            form.add_error("file", said(error))
        return None


urls: list[URLPattern] = [
    path("organise/<slug:slug>/pools/<int:number>/quality/", quality, name="pool-quality"),
    path("organise/<slug:slug>/pools/<int:number>/quality/picture", picture, name="pool-quality-picture"),
    path("organise/<slug:slug>/pools/<int:number>/import/", import_page, name="pool-import"),
]
