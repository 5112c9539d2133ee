"""Page that creates a task from uploaded files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from cranfield.core import CranfieldError, InputError
from cranfield.data import read_topics
from cranfield.server.accounts.roles import may_organise
from cranfield.server.site import pending_uploads
from cranfield.server.site.pages.access import logged_in, user_of
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions.intake import problem_row, problem_rows
from cranfield.server.tasks import lifecycle
from cranfield.server.tasks.forms import Measured, Named, Parts, Rules, Split, said
from cranfield.server.tasks.label_versions import Looked, look_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django import forms

KINDS: dict[str, type[forms.Form]] = {"named": Named, "measured": Measured, "split": Split, "rules": Rules}
FIELDS = "summary about measures rel test level show_private limit days most embargo_days anonymous_days".split()
FIELDS += "opens closes invited_only labels_public runs_public".split()


class Sent:
    """The files of a request: those that come with it, or those that were held since the last one."""

    def __init__(self, request: HttpRequest, *, hold: bool) -> None:
        self.by, self.tokens, self.files = user_of(request), dict[str, str](), dict[str, Arrived]()
        self.lost = False  # whether judgments were sent earlier that are not here: then it is no campaign
        for name in ("qrels", "topics"):
            came = request.FILES.get(name)
            token = request.POST.get(f"held_{name}", "")
            file = cast("Arrived", came) if came else pending_uploads.held(token, self.by) if token else None
            self.lost = self.lost or (name == "qrels" and bool(token) and file is None)
            if file is not None:
                self.files[name] = file
                if hold:
                    self.tokens[name] = token if not came and token else pending_uploads.hold(file, self.by)

    def drop(self) -> None:
        """Forget what was not kept; what is held stays."""
        for file in self.files.values():
            file.close()

    def looked(self) -> Looked | None:
        """The judgments, looked at; None where there are none."""
        file = self.files.get("qrels")
        return look_at(file.path, file.name or "qrels") if file else None

    def texts(self) -> tuple[int, list[dict[str, Any]], list[str]]:
        """How many topics have a text, what is wrong with the file, and which topics it names."""
        file = self.files.get("topics")
        if file is None:
            return 0, [], []
        name = file.name or "topics"
        try:
            found = read_topics(file.path, name=name)
        except InputError as error:
            return 0, [problem_row(error, name)], []
        return len(found.topics), problem_rows(found.source.problems), list(found.topics)


def _seen(parts: Parts, sent: Sent) -> dict[str, Any]:
    """Everything the preview says."""
    looked = sent.looked()
    cast("Measured", parts["measured"]).labels = looked
    parts.is_valid()
    count, wrong, texts = sent.texts()
    stops = [row for row in wrong if row["severity"] == "error"]
    if looked is not None and not looked.good:  # what cannot be used is not kept: it would stand in the way
        sent.tokens.pop("qrels", None)
    if stops:
        sent.tokens.pop("topics", None)
    told = parts.told
    seen: dict[str, Any] = {"looked": looked, "texts": count, "held": sent.tokens, "told": told, "stops": stops}
    seen["names"] = {name: file.name for name, file in sent.files.items()}
    seen["scales"] = lifecycle.scales_of(told["measures"]) if "measures" in told else []
    seen["refused"] = sent.lost or (looked is not None and not looked.good)
    seen["problems"] = (looked.problems if looked else []) + wrong
    if looked is not None and looked.good:
        seen["grades"], seen["relevant"] = looked.grades(), looked.relevant(told.get("rel", 1))
        known = {topic.lstrip("0") for topic in texts}
        seen["textless"] = [topic for topic in looked.topics if topic.lstrip("0") not in known] if texts else []
        seen |= _split(cast("Split", parts["split"]), looked.topics, judged=True)
    elif looked is None and texts and not stops and not sent.lost:
        seen["campaign"] = True
        seen |= _split(cast("Split", parts["split"]), texts, judged=False)
    return seen


def _split(split: Split, topics: Sequence[str], *, judged: bool) -> dict[str, Any]:
    """Which topics are private, and how many are not; nothing where that makes no sense, which the form then says."""
    try:
        private = split.private(topics, judged=judged) if split.is_valid() else None
    except CranfieldError as error:
        split.add_error(None, said(error))
        return {}
    return {"private": private, "public": len(topics) - len(private or ())}


@logged_in
def new_task(request: HttpRequest) -> HttpResponse:
    """The screen; what it is told makes a task when nothing is wrong with it."""
    if not may_organise(user_of(request)):
        raise Http404
    if request.method != "POST":
        return render(request, "server/new_task.html", {"parts": Parts(KINDS).forms})
    live = bool(request.htmx)  # type: ignore[attr-defined]
    parts, sent = Parts(KINDS, request.POST), Sent(request, hold=not live)  # while it is live, the browser has them
    try:
        seen = _seen(parts, sent)
        if live:
            return render(request, "server/_task_preview.html", seen | {"errors": _errors(parts)})
        look = "look" in request.POST
        good = parts.is_valid() and seen.get("private") is not None and not seen["stops"]
        if not look and good:
            return _make(request, parts, sent, seen)
        if not look:
            seen["missing"] = _missing(seen)
        return render(request, "server/new_task.html", {"parts": parts.forms, "again": True} | seen)
    finally:
        sent.drop()


def _missing(seen: dict[str, Any]) -> str:
    """Why there is no task yet, in a sentence: on a phone, what is wrong stands far below."""
    looked, names = seen["looked"], seen["names"]
    if looked is None and seen["refused"]:
        return "Choose a file of judgments again: the last one is not here. For a campaign without one, begin anew."
    if looked is None and not names.get("topics"):
        return "Choose a file of judgments, or one of topics alone for a campaign."
    if looked is not None and not looked.good:
        return f"{names['qrels']} cannot be used: see what is wrong with it."
    if seen["stops"]:
        return f"{names['topics']} cannot be used: see what is wrong with it{', or leave it out' if looked else ''}."
    return "There is no task yet: some fields below say what is wrong."


def _errors(parts: Parts) -> list[str]:
    """What is wrong with what was filled in; empty fields are not blamed while somebody is still writing."""
    found = []
    for form in parts.forms.values():
        for name, errors in form.errors.items():
            if name == "__all__" or form.data.get(name):
                found += [str(error) for error in errors]
    return found


def _make(request: HttpRequest, parts: Parts, sent: Sent, seen: dict[str, Any]) -> HttpResponse:
    told = parts.told
    qrels, topics = sent.files.get("qrels"), sent.files.get("topics")
    try:
        made = lifecycle.make_task(
            sent.by,
            title=told["title"],
            slug=told["slug"],
            qrels=qrels.arriving if qrels else None,
            topics=topics.arriving if topics else None,
            private=seen["private"],
            publish_now="publish" in request.POST,
            name=(qrels.name if qrels else None) or "qrels",
            **{name: told[name] for name in FIELDS},
        )
    except CranfieldError as error:  # somebody was quicker with the address
        parts["named"].add_error("slug", said(error))
        seen["missing"] = _missing(seen)
        return render(request, "server/new_task.html", {"parts": parts.forms, "again": True} | seen)
    state = "published: teams can join and submit" if made.state == made.OPEN else "kept as a draft: only you see it"
    messages.success(request, f"{made.title} is {state}.")
    return redirect("task-desk", made.slug)


urls = [path("organise/new/", new_task, name="new-task")]
