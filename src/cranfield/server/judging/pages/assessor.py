"""Assessor's pages: the list of pools, and one document at a time with its grade buttons."""

from __future__ import annotations

import math
import re
import uuid
from functools import wraps
from typing import TYPE_CHECKING, Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_GET, require_POST

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.judging import assessor_session, document_html, judgments
from cranfield.server.judging.judgments import Said
from cranfield.server.models import Judgment, Pool, Question, User
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.markdown import to_html
from cranfield.server.site.pages.access import logged_in, user_of
from cranfield.server.submissions.intake import Refused
from cranfield.server.tasks import corpora
from cranfield.server.tasks.topic_texts import text_of

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.urls import URLPattern

    from cranfield.server.site.pages.access import Page

KEY = re.compile(r"[\w-]{1,40}", re.ASCII)
DAY = 86_400.0  # seconds; nobody looks longer
MARKS = 1000  # characters of a note
UNJUDGED = "none"  # what the button says that means: it cannot be judged
# Nothing of a document is a tag, and if it were: no script, no picture, no form, no way out of its frame.
POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)


def for_assessors(page: Page) -> Page:
    """A page for who judges a pool, which it is given; others find nothing there."""

    @wraps(page)
    def guarded(request: HttpRequest, key: str, *args: Any, **named: Any) -> HttpResponse:
        pool = Pool.objects.select_related("task__corpus").filter(key=key).first()
        if pool is None or not sees(Viewer.of(request.user), Thing.QUESTIONS, pool.task):
            raise Http404
        return page(request, pool, *args, **named)

    return logged_in(guarded)


@require_GET
@logged_in
def judge_list(request: HttpRequest) -> HttpResponse:
    """The pools that somebody may judge."""
    user, viewer = user_of(request), Viewer.of(request.user)
    begun = Pool.objects.exclude(state=Pool.DRAFT).select_related("task").order_by("-state", "-begun")  # open, ended
    rows = [
        {"pool": pool, "done": assessor_session.done_by(pool, user)}
        for pool in begun
        if sees(viewer, Thing.QUESTIONS, pool.task)
    ]
    return render(request, "server/judge_list.html", {"rows": rows})


@require_GET
@for_assessors
def judge(request: HttpRequest, pool: Pool) -> HttpResponse:
    """The document that is due, and the buttons to judge it."""
    user = user_of(request)
    question = judgments.next_for(pool, user)
    shown = {
        "pool": pool,
        "task": pool.task,
        "question": question and asked_on(pool, question),
        "grades": [
            {"grade": grade, "meaning": meaning, "key": key}
            for (grade, meaning), key in zip(pool.grades, _keys(pool), strict=True)
        ],
        "guidelines": to_html(pool.guidelines),
        "progress": _progress(pool, user),
        "over": _over(pool),
        "key": uuid.uuid4(),
        "unjudged": UNJUDGED,
        "most": MARKS,
    }
    return render(request, "server/judge.html", shown)


def _keys(pool: Pool) -> list[str]:
    """The keys of the grades: the grades themselves where each is one digit, else their places."""
    grades = [str(grade) for grade, _ in pool.grades]
    if all(len(grade) == 1 for grade in grades):
        return grades
    return [str(place) if place < 10 else "" for place in range(len(grades))]


def asked_on(pool: Pool, question: Question) -> dict[str, Any]:
    """A question as its page shows it: of the trial only that it is one."""
    corpus = getattr(pool.task, "corpus", None)
    return {
        "topic": question.topic,
        "document": question.document,
        "trial": question.gold is not None,
        "text": text_of(pool.task, question.topic),
        "found": corpus is not None and corpus.documents.filter(name=question.document).exists(),
        "corpus": corpus,
    }


def _progress(pool: Pool, user: User) -> str:
    return assessor_session.done_by(pool, user).words if pool.state != Pool.DRAFT else ""


def _over(pool: Pool) -> str:
    """What is said where nothing is asked."""
    if pool.state == Pool.DRAFT:
        return "Judging has not begun yet."
    if pool.state == Pool.ENDED:
        return "Judging has ended. Thank you."
    return "There is nothing more for you to judge now. Thank you."


def _wants_data(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _going_on(request: HttpRequest, pool: Pool, mine: list[Question] | None = None, **more: Any) -> JsonResponse:
    """What a page needs to go on: the question now, the one after it, how far one is."""
    user = user_of(request)
    asked = [asked_on(pool, one) for one in (assessor_session.now_and_after(pool, user) if mine is None else mine)]
    questions = [
        {
            "topic": one["topic"],
            "document": one["document"],
            "html": render_to_string("server/_question.html", {"pool": pool, "question": one}),
        }
        for one in asked
    ]
    return JsonResponse({"questions": questions, "progress": _progress(pool, user), "over": _over(pool)} | more)


@require_GET
@for_assessors
def judge_next(request: HttpRequest, pool: Pool) -> HttpResponse:
    """What is due now and then, for the script of the page."""
    return _going_on(request, pool)


def _refused(request: HttpRequest, pool: Pool, error: Refused) -> HttpResponse:
    if _wants_data(request):
        return JsonResponse({"said": sentences(error), "code": error.code}, status=409)
    messages.error(request, sentences(error))
    return redirect("judge", pool.key)


@require_POST
@for_assessors
def judge_say(request: HttpRequest, pool: Pool) -> HttpResponse:
    """Keep what somebody says; of the trial they learn whether it was right."""
    try:
        made, then = assessor_session.answer(pool, user_of(request), said_in(request))
    except Refused as error:
        return _refused(request, pool, error)
    told = _told(pool, made)
    if _wants_data(request):
        return _going_on(request, pool, then, told=told)
    if told:
        words = " ".join(filter(None, [told["said"], told["why"]]))
        (messages.success if told["right"] else messages.warning)(request, words)
    return redirect("judge", pool.key)


def said_in(request: HttpRequest) -> Said:
    """What a form says, whoever wrote it."""
    sent = {name: str(value).replace("\0", "") for name, value in request.POST.items()}
    if not KEY.fullmatch(sent.get("key", "")):
        raise Refused("the answer came without its key", hint="load the page again", code="E-TURN")
    grade = sent.get("grade", "")
    try:
        number = None if grade == UNJUDGED else float(grade)
    except ValueError:
        raise Refused(
            f"“{grade[:20]}” is no grade of this pool", hint="press one of its buttons", code="E-GRADE"
        ) from None
    return Said(
        key=sent["key"],
        topic=sent.get("topic", ""),
        document=sent.get("document", ""),
        grade=number,
        note=sent.get("note", "").replace("\r\n", "\n").strip()[:MARKS],
        seconds=_seconds(sent.get("seconds", "")),
    )


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return min(max(found, 0.0), DAY) if math.isfinite(found) else 0.0


def _told(pool: Pool, made: Judgment) -> dict[str, Any] | None:
    """Whether an answer of the trial was right, and why; nothing of other questions."""
    question = made.question
    if question.gold is None:
        return None
    right = made.grade == question.gold
    known = next((f"{grade} ({meaning})" for grade, meaning in pool.grades if float(grade) == question.gold), "")
    said = f"Right: the grade is {known}." if right else f"Not right: the grade is {known}."
    return {"right": right, "said": said, "why": question.why}


@require_POST
@for_assessors
def judge_later(request: HttpRequest, pool: Pool) -> HttpResponse:
    """Leave a document for the end."""
    topic, document = (request.POST.get(name, "").replace("\0", "") for name in ("topic", "document"))
    judgments.put_off(pool, user_of(request), topic, document)
    return _going_on(request, pool) if _wants_data(request) else redirect("judge", pool.key)


@require_POST
@for_assessors
def judge_undo(request: HttpRequest, pool: Pool) -> HttpResponse:
    """Unsay what somebody said last, and show that document again."""
    try:
        question = assessor_session.undo(pool, user_of(request))
    except Refused as error:
        return _refused(request, pool, error)
    said = "There is nothing to undo." if question is None else "Your last judgment is taken back."
    if _wants_data(request):
        return _going_on(request, pool, said=said)
    messages.info(request, said)
    return redirect("judge", pool.key)


@require_GET
@for_assessors
def judge_document(request: HttpRequest, pool: Pool) -> HttpResponse:
    """A document alone, for its frame: text, and nothing that could act."""
    topic, name = (request.GET.get(part, "").replace("\0", "") for part in ("topic", "document"))
    asked = pool.questions.filter(topic=topic, document=name)
    either = pool.pairs.filter(Q(one=name) | Q(two=name), topic=topic)
    found = corpora.document_of(pool.task, name)
    if found is None or not (asked.exists() or either.exists()):
        raise Http404
    terms = document_html.terms_of(text_of(pool.task, topic))
    shown = {
        "name": name,
        "title": document_html.marked(found.title, terms),
        "paragraphs": document_html.paragraphs(found.text, terms),
        "language": document_html.language_of(f"{found.title} {found.text[:4000]}"),
        "most": document_html.MOST if len(found.text) > document_html.MOST else 0,
    }
    answer = render(request, "server/document.html", shown)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


urls: list[URLPattern] = [
    path("judge/", judge_list, name="judge-list"),
    path("judge/<slug:key>/", csp_update({"frame-src": [SELF]})(judge), name="judge"),
    path("judge/<slug:key>/next", judge_next, name="judge-next"),
    path("judge/<slug:key>/say", judge_say, name="judge-say"),
    path("judge/<slug:key>/later", judge_later, name="judge-later"),
    path("judge/<slug:key>/undo", judge_undo, name="judge-undo"),
    path("judge/<slug:key>/document/", judge_document, name="judge-document"),
]
