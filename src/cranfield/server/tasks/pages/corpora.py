"""Page that uploads, searches and shows the documents of a task."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.html import format_html, format_html_join

from cranfield.collections import DEPTH
from cranfield.core import CranfieldError, InputError
from cranfield.data import knows_datasets
from cranfield.server.judging import live_pools, pool_lifecycle
from cranfield.server.models import Corpus, Document, Pool, Task
from cranfield.server.site.pages.access import for_organisers, user_of
from cranfield.server.site.single_flight_cache import kept
from cranfield.server.site.uploads import Arrived, too_large
from cranfield.server.submissions.intake import problem_row
from cranfield.server.tasks import corpora
from cranfield.server.tasks.forms import said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString

AT_ONCE = 500  # names that are looked up together: databases take no endless list
BEFORE, LONG = 80, 300  # letters of a snippet, before its first word and in all
FEW = 5  # documents without a text that are named


class Upload(forms.Form):
    """The file of documents, or the id of a dataset."""

    corpus = forms.FileField(
        label="A file of documents",
        required=False,
        help_text="JSON Lines, Parquet, TSV, CSV or TREC, packed or not. Each document has a name and a text, and a "
        "title if you like; the ending of the file says what it is.",
        error_messages={"required": "Choose a file of documents.", "empty": "The file is empty."},
    )
    dataset = forms.CharField(
        label="Or a dataset",
        required=False,
        max_length=180,
        help_text="What ir_datasets calls it, for example beir/scifact. The server fetches it from where it is "
        "published, and reads it.",
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not knows_datasets():
            del self.fields["dataset"]
            self.fields["corpus"].required = True

    def clean(self) -> dict[str, Any]:
        """One of the two."""
        told = self.cleaned_data
        if "corpus" in told and bool(told["corpus"]) == bool(told.get("dataset")):
            self.add_error("corpus", "Choose a file of documents, or name a dataset: one of the two.")
        return told


@for_organisers
def corpus(request: HttpRequest, task: Task) -> HttpResponse:
    """How the corpus stands; another file; a search; one document."""
    shown: dict[str, Any] = {"task": task, "here": "corpus", "upload": Upload()}
    if request.method == "POST" and _take(request, task, shown):
        return redirect("task-corpus", task.slug)
    there = Corpus.objects.filter(task=task).select_related("made_by", "file").first()
    words, name = request.GET.get("q", "").strip()[:400], request.GET.get("document", "")
    shown |= {"corpus": there, "words": words, "most": corpora.FOUND}
    if there is not None and there.state == Corpus.WAITING:
        shown["read"] = Document.objects.filter(corpus=there).count()
    if there is not None and there.state == Corpus.READY:
        shown["covered"] = _covered(task, there)
    if words:
        shown["found"] = [(one, marked(one.text, words)) for one in corpora.search(task, words)]
    if name:
        shown["document"] = corpora.document_of(task, name)
        if shown["document"] is None:
            raise Http404
    return render(request, "server/corpus.html", shown)


def _take(request: HttpRequest, task: Task, shown: dict[str, Any]) -> bool:
    """Keep what came; False: the page says what is wrong with it."""
    form = shown["upload"] = Upload(request.POST, request.FILES)
    if request.META.get("cranfield.too_large"):
        form.errors.clear()
        form.add_error("corpus", said(too_large()))
        return False
    if not form.is_valid():
        return False
    file, dataset = form.cleaned_data["corpus"], form.cleaned_data.get("dataset", "")
    field, name = ("corpus", file.name or "") if file else ("dataset", dataset)
    try:
        if file:
            assert isinstance(file, Arrived)
            corpora.set_corpus(task, file, user_of(request))
        else:
            corpora.set_dataset(task, dataset, user_of(request))
    except CranfieldError as error:
        form.add_error(field, f"{name} cannot be used: nothing was changed.")
        if isinstance(error, InputError):
            shown["problems"] = [problem_row(error, name)]
        else:
            form.add_error(field, said(error))
        return False
    messages.success(request, f"{name} is {'here, and is ' * bool(file)}being read.")
    return True


def marked(text: str, words: str) -> SafeString:
    """The part of a text around the first of some words, all of them marked."""
    wanted = "|".join(re.escape(word) for word in corpora.WORD.findall(words))
    found = re.compile(wanted if corpora.UNSPACED.search(words) else rf"\b(?:{wanted})\b", re.IGNORECASE)
    first = found.search(text) if wanted else None
    start = max(0, first.start() - BEFORE) if first else 0
    start, end = _whole(text, start, start + LONG)
    part = text[start:end]
    pieces, at = [], 0
    for hit in found.finditer(part) if wanted else ():
        pieces.append((part[at : hit.start()], hit.group()))
        at = hit.end()
    return format_html(
        "{}{}{}{}",
        "… " if start else "",
        format_html_join("", "{}<mark>{}</mark>", pieces),
        part[at:],
        " …" if end < len(text) else "",
    )


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a part begins and ends that cuts no word, as long as there are blanks nearby."""
    if start and not text[start - 1].isspace():
        start = text.find(" ", start, start + BEFORE) + 1 or start
    if end < len(text) and not text[end].isspace():
        end = max(text.rfind(" ", end - BEFORE, end), 0) or end
    return start, end


def _covered(task: Task, there: Corpus) -> dict[str, Any] | None:
    """How many documents that a pool may ask for have a text; None: there is no run."""
    runs = pool_lifecycle.runs_of(task)
    if not runs:
        return None
    candidates, known, missing = _count(there.pk, str(there.made), task.pk, tuple(run.key for run in runs))
    return {"runs": len(runs), "depth": DEPTH, "candidates": candidates, "known": known, "missing": missing}


@kept(8)
def _count(pk: int, made: str, task: int, runs: Sequence[str]) -> tuple[int, int, list[str]]:
    """Candidates, those with a text, and some without one; the moment is there for what is kept: numbers come again."""
    del made
    pool = Pool(task_id=task, runs=list(runs), depth=DEPTH)
    names = list(dict.fromkeys(live_pools.candidates_of(pool).document.to_list()))
    known: set[str] = set()
    for start in range(0, len(names), AT_ONCE):
        some = Document.objects.filter(corpus_id=pk, name__in=names[start : start + AT_ONCE])
        known.update(some.values_list("name", flat=True))
    return len(names), len(known), [name for name in names if name not in known][:FEW]


urls = [path("organise/<slug:slug>/corpus/", corpus, name="task-corpus")]
