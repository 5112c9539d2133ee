"""Pages that show two documents side by side, collect votes and report the results."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from csp.constants import SELF
from csp.decorators import csp_update
from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from cranfield.core import CranfieldError, Verdict
from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.pages.board_access import viewer_of
from cranfield.server.judging import preference_judgments
from cranfield.server.judging.preference_judgments import Preferred, Shown
from cranfield.server.models import Pool
from cranfield.server.site.error_sentences import sentences
from cranfield.server.site.pages.access import logged_in, user_of
from cranfield.server.tasks import corpora
from cranfield.server.tasks.topic_texts import text_of

if TYPE_CHECKING:
    from django.http import HttpRequest

LONGEST = 86_400.0  # seconds: a page that was open overnight


class Say(forms.Form):
    """What the buttons send."""

    key = forms.CharField(max_length=40)
    topic = forms.CharField(max_length=200, strip=False)
    left = forms.CharField(max_length=400, strip=False)
    right = forms.CharField(max_length=400, strip=False)
    side = forms.ChoiceField(choices=[(side, side) for side in preference_judgments.SIDES])
    note = forms.CharField(max_length=1000, required=False)
    seconds = forms.FloatField(min_value=0, max_value=LONGEST, required=False)

    def told(self) -> Preferred:
        """It as a value."""
        told = self.cleaned_data
        shown = Shown(topic=told["topic"], left=told["left"], right=told["right"])
        return Preferred(
            key=told["key"], shown=shown, side=told["side"], note=told["note"], seconds=told["seconds"] or 0.0
        )


def _pool_for(request: HttpRequest, key: str, thing: Thing) -> Pool:
    """A pool the viewer may see so much of; what they may not see is not there."""
    pool = get_object_or_404(Pool.objects.select_related("task"), key=key)
    if not sees(viewer_of(request), thing, pool.task):
        raise Http404
    return pool


@logged_in
def judge_pairs(request: HttpRequest, key: str) -> HttpResponse:
    """The next two documents; or the two that were asked for, as long as nothing was said of them."""
    pool, user = _pool_for(request, key, Thing.QUESTIONS), user_of(request)
    asked = [request.GET.get(name, "") for name in ("topic", "one", "other")]
    shown = preference_judgments.shown_to(pool, user, *asked) if all(asked) else None
    if shown is None or not preference_judgments.may_compare(pool, user, shown):
        shown = preference_judgments.next_for(pool, user)
    mine, every = preference_judgments.counts(pool, user)
    told: dict[str, Any] = {"task": pool.task, "pool": pool, "shown": shown, "mine": mine, "every": every}
    told["organises"] = sees(viewer_of(request), Thing.JUDGMENTS, pool.task)
    if shown is not None:
        told["text"] = text_of(pool.task, shown.topic)
        told["key"] = secrets.token_hex(8)
        told["sides"] = [
            (side, document, corpora.document_of(pool.task, document) is not None)
            for side, document in (("left", shown.left), ("right", shown.right))
        ]
    return render(request, "server/judge_pairs.html", told)


@logged_in
@require_POST
def pair_say(request: HttpRequest, key: str) -> HttpResponse:
    """Keep a vote, and go on."""
    pool = _pool_for(request, key, Thing.QUESTIONS)
    form = Say(request.POST)
    if form.is_valid():
        try:
            preference_judgments.prefer(pool, user_of(request), form.told())
        except CranfieldError as error:
            messages.error(request, sentences(error))
    else:
        messages.error(request, "Nothing was kept: the form was not whole. Choose again.")
    return redirect("judge-pairs", key)


@logged_in
@require_POST
def pair_undo(request: HttpRequest, key: str) -> HttpResponse:
    """Take the last vote back, and show its two documents again."""
    pool = _pool_for(request, key, Thing.QUESTIONS)
    try:
        again = preference_judgments.take_back(pool, user_of(request))
    except CranfieldError as error:
        messages.error(request, sentences(error))
        return redirect("judge-pairs", key)
    if again is None:
        messages.info(request, "There is nothing to undo.")
        return redirect("judge-pairs", key)
    asked = {"topic": again.topic, "one": again.left, "other": again.right}
    return redirect(f"{reverse('judge-pairs', args=[key])}?{urlencode(asked)}")


@logged_in
def pair_results(request: HttpRequest, key: str) -> HttpResponse:
    """How strong each document is by the votes there are."""
    pool = _pool_for(request, key, Thing.JUDGMENTS)
    study = preference_judgments.study_of(pool)
    told: dict[str, Any] = {"task": pool.task, "pool": pool, "here": "pools"}
    if study is not None:
        table = study["strengths"]
        verdict = study.verdict or Verdict()
        notes = [note.partition(": --table")[0] for note in table.notes]  # there is no option on a page
        rows = sorted(table.rows(), key=lambda row: str(row["topic"]))
        told |= {"sentence": verdict["sentence"], "caption": table.caption, "rows": rows, "notes": notes}
    return render(request, "server/pair_results.html", told)


@logged_in
def pair_votes(request: HttpRequest, key: str) -> HttpResponse:
    """All votes as a table."""
    pool = _pool_for(request, key, Thing.JUDGMENTS)
    answer = HttpResponse(preference_judgments.votes_csv(pool), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{pool.task.slug}-pool-{pool.number}-votes.csv"'
    return answer


urls: list[URLPattern] = [
    path("judge/<slug:key>/pairs/", csp_update({"frame-src": [SELF]})(judge_pairs), name="judge-pairs"),
    path("judge/<slug:key>/pairs/say", pair_say, name="pair-say"),
    path("judge/<slug:key>/pairs/undo", pair_undo, name="pair-undo"),
    path("judge/<slug:key>/pairs/results/", pair_results, name="pair-results"),
    path("judge/<slug:key>/pairs/votes.csv", pair_votes, name="pair-votes"),
]
