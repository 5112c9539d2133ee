"""The pages on which people say which of two documents is better."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from cranfield.server.judging import pool_lifecycle, preference_judgments
from cranfield.server.models import Pair, Vote
from cranfield.server.tasks import corpora
from cranfield.server.templatetags import formatting
from tests.support.server.preference_votes import judged, vote_all
from tests.support.server.users_and_tasks import DOCUMENTS, World, arrived

if TYPE_CHECKING:
    from cranfield.server.models import Pool


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of the form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in found if name != "csrfmiddlewaretoken"}


def look(world: World, pool: Pool, name: str = "assessor", query: str = "") -> str:
    answer = world.client(name).get(reverse("judge-pairs", args=[pool.key]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def say(world: World, pool: Pool, fields: dict[str, str], name: str = "assessor") -> str:
    """Send the form, and follow to the page that comes next."""
    answer = world.client(name).post(reverse("pair-say", args=[pool.key]), fields, follow=True)
    assert answer.redirect_chain == [(reverse("judge-pairs", args=[pool.key]), 302)]
    return answer.content.decode()


def test_somebody_compares_all_there_is_with_plain_forms(world: World) -> None:
    pool = judged(world)
    page = look(world, pool)
    seen = set()
    while fields := fields_of(page):
        seen.add((fields["topic"], *sorted((fields["left"], fields["right"]))))
        assert f"topic {fields['topic']}" in page
        page = say(world, pool, fields | {"side": "left", "seconds": "4.5", "note": "clear"})
    assert len(seen) == 16  # four topics with one pair, four with three
    assert Vote.objects.filter(seconds=4.5, note="clear", user=world.people["assessor"]).count() == 16
    assert "no two documents for you" in page
    assert "You have compared 16 pairs; all together 16." in page


def test_sent_again_it_is_kept_once_and_undo_shows_the_two_again(world: World) -> None:
    pool = judged(world)
    first, reloaded = (fields_of(look(world, pool)) for _ in range(2))
    assert {**reloaded, "key": ""} == {**first, "key": ""}  # the same two, under another key
    say(world, pool, first | {"side": "right"})
    page = say(world, pool, first | {"side": "left"})  # back, and pressed again
    assert Vote.objects.count() == 1
    assert 'class="message error' not in page
    page = say(world, pool, first | {"key": "another", "side": "left"})
    assert "You have compared these documents" in page
    answer = world.client("assessor").post(reverse("pair-undo", args=[pool.key]), follow=True)
    again = fields_of(answer.content.decode())
    assert {name: again[name] for name in ("topic", "left", "right")} == {
        name: first[name] for name in ("topic", "left", "right")
    }
    assert again["key"] != first["key"]
    say(world, pool, again | {"side": "same"})
    assert Vote.objects.get(taken_back=None).choice == 0
    world.client("assessor").post(reverse("pair-undo", args=[pool.key]))
    answer = world.client("assessor").post(reverse("pair-undo", args=[pool.key]), follow=True)
    assert "There is nothing to undo." in answer.content.decode()


@pytest.mark.parametrize(
    "wrong",
    [{"side": ""}, {"side": "up"}, {"key": ""}, {"key": "k" * 41}, {"topic": "\0"}, {"seconds": "nan"}, {"left": ""}],
    ids=str,
)
def test_a_form_that_is_not_whole_keeps_nothing(world: World, wrong: dict[str, str]) -> None:
    pool = judged(world)
    fields = fields_of(look(world, pool)) | {"side": "left"} | wrong
    assert "Nothing was kept" in say(world, pool, fields)
    assert not Vote.objects.exists()


def test_documents_stand_in_frames_where_nothing_runs(world: World) -> None:
    pool = judged(world)
    assert look(world, pool).count("The text of this document is not here.") == 2
    lines = [json.dumps({"id": name, "text": f"text of <b>{name}</b>"}) for name in DOCUMENTS]
    corpora.set_corpus(pool.task, arrived("\n".join(lines), "documents.jsonl"), world.people["organiser"])
    world.work()
    answer = world.client("assessor").get(reverse("judge-pairs", args=[pool.key]))
    assert "frame-src 'self'" in answer.headers["Content-Security-Policy"]
    page = answer.content.decode()
    frames = re.findall(r'<iframe sandbox="([^"]*)"[^>]* src="([^"]+)"', page)
    assert [rights for rights, _ in frames] == ["allow-same-origin"] * 2
    fields = fields_of(page)
    for name, (_, address) in zip((fields["left"], fields["right"]), frames, strict=True):
        inside = world.client("assessor").get(unescape(address))
        assert f"text of &lt;b&gt;{name}&lt;/b&gt;" in inside.content.decode()


def test_who_may_not_judge_finds_nothing(world: World) -> None:
    pool = judged(world)
    fields = fields_of(look(world, pool)) | {"side": "left"}
    for name in ("alice", "loner"):
        for where in ("judge-pairs", "pair-results", "pair-votes"):
            assert world.client(name).get(reverse(where, args=[pool.key])).status_code == 404
        for where in ("pair-say", "pair-undo"):
            assert world.client(name).post(reverse(where, args=[pool.key]), fields).status_code == 404
    for where in ("judge-pairs", "pair-results", "pair-votes"):
        answer = world.client().get(reverse(where, args=[pool.key]))
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, reverse("log-in"))
        assert world.client("assessor").get(reverse(where, args=["nothing"])).status_code == 404
    for where in ("pair-results", "pair-votes"):  # what others said is not for assessors
        assert world.client("assessor").get(reverse(where, args=[pool.key])).status_code == 404
    assert reverse("pair-results", args=[pool.key]) not in look(world, pool)
    for where in ("pair-say", "pair-undo"):
        assert world.client("assessor").get(reverse(where, args=[pool.key])).status_code == 405
    assert not Vote.objects.exists()


def test_organisers_read_strengths_and_take_the_votes(world: World) -> None:
    pool = judged(world)
    address = reverse("pair-results", args=[pool.key])
    assert address in look(world, pool, "organiser")
    assert "Nobody has compared two documents yet." in world.client("organiser").get(address).content.decode()
    for name in ("assessor", "organiser"):
        vote_all(pool, world.people[name])
    page = world.client("organiser").get(address).content.decode()
    study = preference_judgments.study_of(pool)
    assert study is not None
    assert study.verdict is not None
    assert formatting.told(study.verdict["sentence"]) in unescape(page)
    assert page.count('<th scope="row">') == len(study["strengths"]) == 4 * 2 + 4 * 3
    best = study["strengths"].rows()[0]
    assert f"{best['strength']:+.2f}".replace("-", "−") in page
    answer = world.client("organiser").get(reverse("pair-votes", args=[pool.key]))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == Vote.objects.count()
    for row in rows:  # everybody prefers the smaller name
        assert row["vote"] == ("a" if row["a"] < row["b"] else "b")
    assert {(row["topic"], *sorted((row["a"], row["b"]))) for row in rows} == set(
        Pair.objects.values_list("topic", "one", "two")
    )


def test_a_pool_that_has_not_begun_or_has_ended_says_so(world: World) -> None:
    pool = judged(world)
    fields = fields_of(look(world, pool)) | {"side": "left"}
    say(world, pool, fields)
    pool_lifecycle.end(pool, world.people["organiser"])
    assert "Judging has ended." in look(world, pool)
    assert "The pool takes no judgments now" in say(world, pool, fields | {"key": "late"})
    answer = world.client("assessor").post(reverse("pair-undo", args=[pool.key]), follow=True)
    assert "The pool takes no judgments now" in answer.content.decode()
    assert Vote.objects.filter(taken_back=None).count() == 1
    draft = pool_lifecycle.draw_up(pool.task, world.people["organiser"])
    assert "Judging has not begun yet." in look(world, draft)
