"""Page on which disputed documents are decided by an assessor who has not judged them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.db.models import Exists, OuterRef, Q
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.judging import judgments
from cranfield.server.models import Judgment, Pool, Question, Turn, User
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.markdown import to_html
from cranfield.server.site.pages.access import number_of, user_of
from cranfield.server.submissions.intake import Refused

from .assessor import MARKS, UNJUDGED, asked_on, for_assessors, said_in

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django.urls import URLPattern

    from cranfield.server.judging.judgments import Said

FORM = require_http_methods(["GET", "HEAD", "POST"])


def open_to(pool: Pool, user: User) -> QuerySet[Question]:
    """Questions on which people differ, or did until somebody decided, and that are not, or were not, for this one.

    Who has judged a document does not decide on it; who has it in hand, or has put it off, is still to judge it and
    sees nothing of what others say.
    """
    here = Judgment.objects.filter(question=OuterRef("pk"), taken_back=None)
    mine = Exists(here.filter(user=user, kind=Judgment.FIRST)) | Exists(
        Turn.objects.filter(question=OuterRef("pk"), user=user)
    )
    differ = Q(disputed=True) | Q(Exists(here.filter(kind=Judgment.LAST)))
    return pool.questions.filter(differ).exclude(mine)


def _wanted(request: HttpRequest, every: QuerySet[Question]) -> Question | None:
    """The document that is asked for by name, else the next one that nobody has decided, from the first after all."""
    topic, document = (request.GET.get(name, "").replace("\0", "") for name in ("topic", "document"))
    if topic or document:
        return every.filter(topic=topic, document=document).first()
    waiting = every.filter(disputed=True).order_by("id")
    return waiting.filter(pk__gt=number_of(request.GET.get("after"))).first() or waiting.first()


def _given(pool: Pool, question: Question, *, named: bool) -> list[dict[str, Any]]:
    """What people say of a document, by grade; who they are is told to organisers alone. Machines have no say."""
    found = question.judgments.filter(taken_back=None).exclude(kind=Judgment.MACHINE).select_related("user")
    meanings = {float(grade): f"{grade} ({meaning})" for grade, meaning in pool.grades}
    rows: list[dict[str, Any]] = []
    for one in sorted(found, key=lambda one: (one.kind == Judgment.LAST, one.grade is None, one.grade or 0, one.pk)):
        person = "One person" if not rows else "Another person"
        who = f"{person}, from a file" if one.kind == Judgment.CROWD else person
        if named:
            who = one.user.shown if one.user else f"{one.worker}, from a file"
        said = "cannot be judged" if one.grade is None else meanings.get(one.grade, f"{one.grade:g}")
        rows.append({"who": who, "said": said, "note": one.note, "decided": one.kind == Judgment.LAST})
    return rows


@FORM
@for_assessors
def decide(request: HttpRequest, pool: Pool) -> HttpResponse:
    """One document after the other on which people differ, with what they say; what holds."""
    user = user_of(request)
    if request.method == "POST":
        return _decided(request, pool, user)
    every = open_to(pool, user) if pool.state == Pool.OPEN else Question.objects.none()
    question = _wanted(request, every)
    by_name = bool(request.GET.get("topic") or request.GET.get("document"))
    named = sees(Viewer.of(request.user), Thing.JUDGMENTS, pool.task)
    shown = {
        "pool": pool,
        "task": pool.task,
        "question": question and asked_on(pool, question),
        "at": question,
        "given": _given(pool, question, named=named) if question else [],
        "left": every.filter(disputed=True).count(),
        "guidelines": to_html(pool.guidelines),
        "over": _over(pool, by_name=by_name),
        "organises": named,
        "key": uuid.uuid4(),
        "unjudged": UNJUDGED,
        "most": MARKS,
    }
    return render(request, "server/decide.html", shown)


def _over(pool: Pool, *, by_name: bool) -> str:
    """What is said where there is nothing to decide."""
    if pool.state == Pool.DRAFT:
        return "Judging has not begun yet."
    if pool.state == Pool.ENDED:
        return "Judging has ended: nothing more is decided."
    if by_name:
        return "This document is not for you to decide: people agree on it, or you are one of those who judge it."
    return "There is nothing for you to decide: people agree, or you are one of those who differ."


def _decided(request: HttpRequest, pool: Pool, user: User) -> HttpResponse:
    try:
        told = said_in(request)
        _check_hands(pool, user, told)
        judgments.decide(pool, user, told)
    except Refused as error:
        messages.error(request, sentences(error))
    else:
        messages.success(request, f"Decided: document {told.document} of topic {told.topic}.")
    return redirect("judge-decide", pool.key)


def _check_hands(pool: Pool, user: User, told: Said) -> None:
    """Refuse somebody who is still to judge the document."""
    mine = Turn.objects.filter(question__pool=pool, user=user)
    if mine.filter(question__topic=told.topic, question__document=told.document).exists():
        raise Refused("you are still to judge this document", hint="somebody else decides", code="E-TURN")


urls: list[URLPattern] = [
    path("judge/<slug:key>/decide/", csp_update({"frame-src": [SELF]})(decide), name="judge-decide"),
]
