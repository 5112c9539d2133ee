"""Deciding where people differ: by somebody else, with what was said and without names, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.models import Judgment, Pool, Question, Turn
from tests.support.server.judging_campaigns import answer_all, assessors, differing, said, shared

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def page_of(world: World, pool: Pool, name: str, query: str = "") -> str:
    answer = world.client(name).get(f"/judge/{pool.key}/decide/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def decide(world: World, pool: Pool, name: str, question: Question, grade: str = "1", key: str = "k1") -> str:
    sent = {"key": key, "topic": question.topic, "document": question.document, "grade": grade, "note": "clearly"}
    answer = world.client(name).post(f"/judge/{pool.key}/decide/", sent, follow=True)
    assert answer.redirect_chain == [(f"/judge/{pool.key}/decide/", 302)]
    return answer.content.decode()


def test_one_after_the_other_until_nothing_is_left(world: World) -> None:
    pool = differing(world)
    waiting = list(pool.questions.filter(disputed=True).order_by("id"))
    assert len(waiting) == 4
    for place, question in enumerate(waiting):
        text = page_of(world, pool, "beth")
        assert f"People differ on {4 - place} document" in text
        assert f'name="document" value="{question.document}"' in text
        assert f'name="topic" value="{question.topic}"' in text
        text = decide(world, pool, "beth", question, "1" if place else "0", f"k{place}")
        assert f"Decided: document {question.document} of topic {question.topic}." in text
        question.refresh_from_db()
        assert (question.disputed, question.grade) == (False, float(bool(place)))
    assert "There is nothing for you to decide" in page_of(world, pool, "beth")
    last = Judgment.objects.filter(kind=Judgment.LAST)
    assert {(one.user and one.user.username, one.note) for one in last} == {("beth", "clearly")}
    assert "Nobody differs on a document, or all is decided." in (
        world.client("organiser").get("/organise/ad-hoc/pools/1/quality/").content.decode()
    )


def test_assessors_read_what_was_said_and_not_by_whom(world: World) -> None:
    pool = differing(world, guidelines="Read **all** of it.")
    text = page_of(world, pool, "beth")
    assert "One person" in text
    assert "Another person" in text
    assert "0 (not relevant)" in text
    assert "1 (relevant)" in text
    assert "<strong>all</strong>" in text
    assert "<td>assessor" not in text
    assert "<td>loner" not in text
    told = page_of(world, pool, "organiser")
    assert "<td>assessor" in told
    assert "<td>loner" in told
    assert "One person" not in told


def test_machines_have_no_say_and_files_are_named_as_such(world: World) -> None:
    pool = differing(world)
    question = pool.questions.filter(disputed=True).order_by("id").first()
    assert question is not None
    for kind, worker, note in ((Judgment.MACHINE, "gpt", "of the machine"), (Judgment.CROWD, "w17", "of the file")):
        Judgment.objects.create(question=question, worker=worker, key=worker, kind=kind, grade=1, note=note)
    text = page_of(world, pool, "beth")
    assert "of the machine" not in text
    assert "gpt" not in text
    assert "of the file" in text
    assert "Another person, from a file" in text
    assert "w17" not in text
    assert "w17, from a file" in page_of(world, pool, "organiser")


def test_nobody_sees_what_others_say_of_what_is_theirs_to_judge(world: World) -> None:
    """The notes of others stand on no page of somebody who has judged the document, or is still to judge it."""
    task, pool = shared(world)
    one, other, third = assessors(world, task, "assessor", "loner", "beth")
    answer_all(pool, one, lambda _: 0.0)
    addresses = ["", *(f"?topic={q.topic}&document={q.document}" for q in pool.questions.all()[:4])]
    for name in ("loner", "beth", "assessor"):  # one person has judged, a second is to
        for query in addresses:
            assert "note of assessor" not in page_of(world, pool, name, query), (name, query)
    held = judgments.next_for(pool, third)  # in hand, while another is quicker
    assert held is not None
    Turn.objects.filter(user=third).update(at="2020-01-01T00:00:00Z")  # so long ago that others are asked, too
    answer_all(pool, other, lambda _: 1.0)
    held.refresh_from_db()
    assert held.disputed
    query = f"?topic={held.topic}&document={held.document}"
    for state in (Turn.OUT, Turn.LATER):
        Turn.objects.filter(user=third).update(state=state)
        text = page_of(world, pool, "beth", query)
        assert "note of" not in text
        assert "This document is not for you to decide" in text
        assert "You are still to judge this document." in decide(world, pool, "beth", held)
    assert not Judgment.objects.filter(kind=Judgment.LAST).exists()
    for name in ("assessor", "loner"):  # who has judged decides nothing, and reads nothing of the others
        for again in ["", query]:
            assert "note of" not in page_of(world, pool, name, again)
        assert "You have judged this document." in decide(world, pool, name, held)
    judgments.judge(pool, third, said(held, 1))
    assert "note of" not in page_of(world, pool, "beth", query)


def test_another_one_first(world: World) -> None:
    pool = differing(world)
    waiting = list(pool.questions.filter(disputed=True).order_by("id"))
    text = page_of(world, pool, "beth")
    for question in [*waiting[1:], waiting[0]]:
        after = text.split("?after=")[1].split('"')[0]
        text = page_of(world, pool, "beth", f"?after={after}")
        assert f'name="document" value="{question.document}"' in text
        assert f'name="topic" value="{question.topic}"' in text
    assert "What holds" in page_of(world, pool, "beth", "?after=no-number")


def test_a_decision_can_be_changed_by_another(world: World) -> None:
    pool = differing(world)
    question = pool.questions.filter(disputed=True).first()
    assert question is not None
    decide(world, pool, "beth", question, "0")
    query = f"?topic={question.topic}&document={question.document}"
    text = page_of(world, pool, "organiser", query)
    assert '<td>beth <span class="badge">decided</span></td>' in text
    decide(world, pool, "organiser", question, "1", "k2")
    decide(world, pool, "organiser", question, "0", "k2")  # sent again: it was kept
    question.refresh_from_db()
    assert question.grade == 1
    assert question.judgments.filter(kind=Judgment.LAST, taken_back=None).count() == 1


def test_what_is_no_answer_is_refused(world: World) -> None:
    pool = differing(world)
    question = pool.questions.filter(disputed=True).first()
    agreed = pool.questions.filter(disputed=False).first()
    assert question is not None
    assert agreed is not None
    assert "7 is no grade of this pool." in decide(world, pool, "beth", question, "7")
    assert "is no grade of this pool" in decide(world, pool, "beth", question, "good")
    assert "without its key" in decide(world, pool, "beth", question, key="?")
    assert "There is nothing to decide." in decide(world, pool, "beth", agreed)
    assert "Decided" in decide(world, pool, "beth", question, "none", "k9")  # nobody can judge it
    question.refresh_from_db()
    assert (question.disputed, question.grade) == (False, None)
    pool_lifecycle.end(pool, world.people["organiser"])
    assert "Judging has ended: nothing more is decided." in page_of(world, pool, "beth")
    assert "note of" not in page_of(world, pool, "beth")


@pytest.mark.parametrize(("sent", "kept"), [("12.5", 12.5), ("", 0), ("-3", 0), ("nan", 0), ("1e9", 86400)])
def test_the_time_a_decision_took_is_kept(world: World, sent: str, kept: float) -> None:
    pool = differing(world)
    assert '<input type="hidden" name="seconds">' in page_of(world, pool, "beth")
    question = pool.questions.filter(disputed=True).first()
    assert question is not None
    told = {"key": "k1", "topic": question.topic, "document": question.document, "grade": "1", "seconds": sent}
    world.client("beth").post(f"/judge/{pool.key}/decide/", told)
    assert Judgment.objects.get(kind=Judgment.LAST).seconds == kept


@pytest.mark.parametrize("name", ["alice", "adam"])
def test_others_find_nothing(world: World, name: str) -> None:
    pool = differing(world)
    address = f"/judge/{pool.key}/decide/"
    assert world.client(name).get(address).status_code == 404
    assert world.client(name).post(address, {"grade": "1"}).status_code == 404
    assert world.client().get(address)["Location"].startswith("/log-in/")
    assert world.client("beth").get("/judge/0123456789ab/decide/").status_code == 404


def test_the_document_may_stand_in_a_frame_of_the_page(world: World) -> None:
    pool = differing(world)
    answer = world.client("beth").get(f"/judge/{pool.key}/decide/")
    assert "frame-src 'self'" in answer["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
