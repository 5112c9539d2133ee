"""The assessor's page: who finds it, what it never shows, its forms."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from cranfield.server.judging import assessor_session, judgments, pool_lifecycle
from cranfield.server.models import Judgment, Role, Turn
from tests.support.server.assessment_tasks import in_turn, taken, with_texts
from tests.support.server.judging_campaigns import begun, judge_all, right, said
from tests.support.server.users_and_tasks import DOCUMENTS, World

DATA = {"Accept": "application/json"}


def form_of(answer: Any) -> dict[str, str]:
    """The hidden fields of the page, as a browser without a script sends them."""
    page = answer.content.decode().partition('class="answer"')[2]
    return dict(re.findall(r'type="hidden" name="(key|topic|document)" value="([^"]*)"', page))


def asked(answer: Any) -> list[tuple[str, str]]:
    return [(one["topic"], one["document"]) for one in answer.json()["questions"]]


def test_only_who_judges_finds_it(world: World) -> None:
    pool = begun(world, taken(world))
    question = in_turn(pool, world)
    document = f"document/?{urlencode({'topic': question.topic, 'document': question.document})}"
    with_texts(pool.task, world, **dict.fromkeys(DOCUMENTS, "text"))
    for path in ("", "next", document):
        for name, status in {"assessor": 200, "organiser": 200, "operator": 200, "alice": 404, "loner": 404}.items():
            assert world.client(name).get(f"/judge/{pool.key}/{path}").status_code == status, (path, name)
        assert world.client().get(f"/judge/{pool.key}/{path}").status_code == 302  # to log in
    for path in ("say", "later", "undo"):
        assert world.client("alice").post(f"/judge/{pool.key}/{path}", {"grade": "1"}).status_code == 404
        assert world.client("assessor").get(f"/judge/{pool.key}/{path}").status_code == 405
    assert world.client("assessor").get("/judge/000000000000/").status_code == 404
    assert not Judgment.objects.exists()


def test_the_list_has_what_one_judges(world: World) -> None:
    mine, draft, other = taken(world, "mine"), taken(world, "draft-pool"), taken(world, "other")
    pool = begun(world, mine, budget=2)
    pool_lifecycle.draw_up(draft, world.people["organiser"])
    begun(world, other)
    Role.objects.filter(task=other, user=world.people["assessor"]).delete()
    judge_all(pool, world.people["assessor"], 3)
    page = world.client("assessor").get("/judge/").content.decode()
    assert f"/judge/{pool.key}/" in page
    assert "3 judged by you; 3 of 24 in all" in page  # 12 topics, 2 documents each
    assert "draft-pool" not in page
    assert "The other task" not in page
    assert "nothing for you to judge" in world.client("alice").get("/judge/").content.decode()
    assert '<a href="/judge/"' in world.client("assessor").get("/").content.decode()
    assert '<a href="/judge/"' not in world.client("alice").get("/").content.decode()


def test_a_pool_is_judged_without_a_script(world: World) -> None:
    pool = begun(world, taken(world), budget=2, strategy="depth", guidelines="Grade **what** it says.")
    client, user = world.client("assessor"), world.people["assessor"]
    page = client.get(f"/judge/{pool.key}/")
    assert "<strong>what</strong>" in page.content.decode()
    for grade, meaning in pool.grades:
        assert re.search(rf'value="{grade}"[^>]*><kbd[^>]*>{grade}</kbd> <span>{meaning}<', page.content.decode())
    first = form_of(page)
    sent = first | {"grade": "2", "note": " Clear.\r\nYes. ", "seconds": "1e400"}
    for _ in range(2):  # a double click
        answer = client.post(f"/judge/{pool.key}/say", sent, follow=True)
        assert answer.redirect_chain == [(f"/judge/{pool.key}/", 302)]
    made = Judgment.objects.get()
    assert (made.user, made.grade, made.note, made.seconds) == (user, 2, "Clear.\nYes.", 0)
    assert (made.question.topic, made.question.document, made.key) == (first["topic"], first["document"], first["key"])
    second = form_of(answer)
    assert second["key"] != first["key"]
    assert second["document"] != first["document"]
    client.post(f"/judge/{pool.key}/later", second)
    client.post(f"/judge/{pool.key}/say", form_of(client.get(f"/judge/{pool.key}/")) | {"grade": "none"})
    assert Judgment.objects.order_by("id").last().grade is None  # type: ignore[union-attr]
    undone = client.post(f"/judge/{pool.key}/undo", follow=True)
    assert "Your last judgment is taken back." in undone.content.decode()
    assert Judgment.objects.filter(taken_back=None).get() == made
    rest = 0
    while form_of(page := client.get(f"/judge/{pool.key}/"))["topic"]:
        client.post(f"/judge/{pool.key}/say", last := form_of(page) | {"grade": "0", "seconds": "2.5"})
        rest += 1
    assert rest == 2 * 12 - 1
    assert (last["topic"], last["document"]) == (second["topic"], second["document"])  # what was put off came last
    assert "There is nothing more for you to judge now." in page.content.decode()
    assert "24 judged by you; 24 of 24 in all" in page.content.decode()
    assert Judgment.objects.order_by("id").last().seconds == 2.5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"grade": "7"}, "E-GRADE"),
        ({"grade": "nan"}, "E-GRADE"),
        ({"grade": "much"}, "E-GRADE"),
        ({"grade": ""}, "E-GRADE"),
        ({"key": ""}, "E-TURN"),
        ({"key": "k" * 41}, "E-TURN"),
        ({"key": "k\0k"}, None),  # what no database keeps is left out
        ({"document": "D99"}, "E-TURN"),
        ({"topic": "30\x001", "note": "\0" * 3 + "n" * 2000, "seconds": "-5"}, None),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(world: World, wrong: dict[str, str], code: str | None) -> None:
    pool = begun(world, taken(world))
    client = world.client("assessor")
    sent = form_of(client.get(f"/judge/{pool.key}/")) | {"grade": "1"} | wrong
    if "\0" in wrong.get("topic", ""):
        sent["topic"] = sent["topic"][:2] + "\0" + sent["topic"][2:]
    answer = client.post(f"/judge/{pool.key}/say", sent, headers=DATA)
    assert (answer.status_code, answer.json().get("code")) == ((409, code) if code else (200, None))
    assert Judgment.objects.count() == (code is None)
    assert not Judgment.objects.filter(note__contains="\n").exists()
    for made in Judgment.objects.all():
        assert len(made.note) in (0, 1000)
        assert made.seconds == 0
    if code:
        page = client.post(f"/judge/{pool.key}/say", sent, follow=True)
        assert answer.json()["said"] in page.content.decode().replace("&#x27;", "'")


def test_nobody_judges_when_it_is_over(world: World) -> None:
    pool = begun(world, taken(world))
    client = world.client("assessor")
    sent = form_of(client.get(f"/judge/{pool.key}/")) | {"grade": "1"}
    pool_lifecycle.end(pool, world.people["organiser"])
    for path in ("say", "undo"):
        answer = client.post(f"/judge/{pool.key}/{path}", sent, headers=DATA)
        assert (answer.status_code, answer.json()["code"]) == (409, "E-CLOSED")
    assert "Judging has ended." in client.get(f"/judge/{pool.key}/").content.decode()
    assert client.get(f"/judge/{pool.key}/next").json()["questions"] == []
    draft = pool_lifecycle.draw_up(pool.task, world.people["organiser"])
    assert "Judging has not begun yet." in client.get(f"/judge/{draft.key}/").content.decode()


def test_a_form_from_elsewhere_is_refused(world: World) -> None:
    pool = begun(world, taken(world))
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(world.people["assessor"])
    sent = form_of(strict.get(f"/judge/{pool.key}/")) | {"grade": "1"}
    assert strict.post(f"/judge/{pool.key}/say", sent).status_code == 403
    token = strict.cookies["csrftoken"].value
    assert strict.post(f"/judge/{pool.key}/say", sent, headers={"X-CSRFToken": token}).status_code == 302


def test_the_next_question_comes_ahead_and_stays_the_same(world: World) -> None:
    pool = begun(world, taken(world), strategy="depth", budget=3)
    plain = begun(world, pool.task, strategy="depth", budget=3)
    client, user = world.client("assessor"), world.people["assessor"]
    order = [(one.topic, one.document) for one in judge_all(plain, user)]
    got = client.get(f"/judge/{pool.key}/next")
    for place, (topic, document) in enumerate(order):
        # This strategy asks for the same, whatever is said. The first of a topic comes alone: nobody leaves it for
        # another topic.
        new = place == 0 or order[place - 1][0] != topic
        assert asked(got) == asked(client.get(f"/judge/{pool.key}/next")) == order[place : place + (1 if new else 2)]
        sent = {"key": f"page-{place}", "topic": topic, "document": document, "grade": "0"}
        got = client.post(f"/judge/{pool.key}/say", sent, headers=DATA)
        assert got.json()["progress"] == f"{place + 1} judged by you; {place + 1} of 36 in all"
    assert not Turn.objects.filter(question__pool=pool).exists()
    assert "nothing more" in got.json()["over"]


def test_undo_brings_the_last_back_before_what_was_in_hand(world: World) -> None:
    pool = begun(world, taken(world), strategy="depth")
    client, user = world.client("assessor"), world.people["assessor"]
    judge_all(pool, user, 1)
    first, second = assessor_session.now_and_after(pool, user)
    judgments.judge(pool, user, said(first, 1))
    was = asked(client.get(f"/judge/{pool.key}/next"))
    answer = client.post(f"/judge/{pool.key}/undo", headers=DATA)
    assert asked(answer) == [(first.topic, first.document), (second.topic, second.document)]
    assert form_of(client.get(f"/judge/{pool.key}/"))["document"] == first.document
    judgments.judge(pool, user, said(first, 0))
    assert asked(client.get(f"/judge/{pool.key}/next")) == was
    assert not Turn.objects.filter(state=Turn.LATER).exists()
    for _ in range(2):
        judgments.take_back(pool, user)
    assert client.post(f"/judge/{pool.key}/undo", headers=DATA).json()["said"] == "There is nothing to undo."


def test_later_goes_on_with_the_one_that_is_at_hand(world: World) -> None:
    pool = begun(world, taken(world), budget=4, strategy="depth")
    client, user = world.client("assessor"), world.people["assessor"]
    judge_all(pool, user, 1)
    first, second = assessor_session.now_and_after(pool, user)
    got = client.post(f"/judge/{pool.key}/later", {"topic": first.topic, "document": first.document}, headers=DATA)
    assert asked(got)[0] == (second.topic, second.document)
    order = judge_all(pool, user)
    assert order[-1] == first
    assert len(order) == 4 * 12 - 1


def test_a_strategy_that_learns_is_not_asked_before_the_answer(world: World) -> None:
    user = world.people["assessor"]
    pool = begun(world, taken(world), budget=4, strategy="mtf")
    plain = begun(world, pool.task, budget=4, strategy="mtf")
    order = [(one.topic, one.document) for one in judge_all(plain, user)]
    seen = []
    while questions := assessor_session.now_and_after(pool, user):
        assert len(questions) == 1
        judgments.judge(pool, user, said(questions[0], right(questions[0])))
        seen.append((questions[0].topic, questions[0].document))
    assert seen == order
    later = begun(world, pool.task, budget=4, strategy="mtf")
    first = assessor_session.now_and_after(later, user)[0]
    judgments.put_off(later, user, first.topic, first.document)
    assert first not in assessor_session.now_and_after(later, user)  # it is for the end, not for the next place
    assert judge_all(later, user)[-1] == first


def test_the_trial_tells_what_is_right(world: World) -> None:
    pool = begun(world, taken(world), budget=1)
    pool_lifecycle.set_gold(
        pool, world.people["organiser"], [("301", "G1", 2.0, "It says <so>."), ("301", "G2", 0.0, "")]
    )
    client = world.client("assessor")
    page = client.get(f"/judge/{pool.key}/")
    assert form_of(page)["document"] == "G1"
    assert "Trial: 0 of 2 judged by you" in page.content.decode()
    assert "It says" not in page.content.decode()  # not before the answer
    assert "It says" not in client.get(f"/judge/{pool.key}/next").content.decode()
    got = client.post(f"/judge/{pool.key}/say", form_of(page) | {"grade": "1"}, headers=DATA)
    assert got.json()["told"] == {
        "right": False,
        "said": "Not right: the grade is 2 (highly relevant).",
        "why": "It says <so>.",
    }
    plain = client.post(
        f"/judge/{pool.key}/say", form_of(client.get(f"/judge/{pool.key}/")) | {"grade": "0"}, follow=True
    )
    assert "Right: the grade is 0 (not relevant)." in plain.content.decode()
    assert "0 judged by you; 0 of 12 in all" in plain.content.decode()
    got = client.post(f"/judge/{pool.key}/say", form_of(plain) | {"grade": "0"}, headers=DATA)
    assert got.json()["told"] is None


def test_nothing_is_told_of_runs_teams_or_other_people(world: World) -> None:
    task = taken(world)
    pool = begun(world, task, overlap=100, judges=2, budget=4)
    Role.objects.create(task=task, user=world.people["loner"], role=Role.ASSESSOR)
    other = world.people["loner"]
    with_texts(task, world, **dict.fromkeys(DOCUMENTS, "Plain words."))
    for question in judge_all(pool, other):
        Judgment.objects.filter(question=question, user=other).update(note="the other's note")
    client = world.client("assessor")
    client.get("/judge/")
    runs = list(task.submissions.all())
    never = {"loner", "the other's note", "Alpha", "Beta", "alice", "beth"}
    never |= {run.name for run in runs} | {run.key for run in runs}
    alike = []
    for _ in range(6):
        page = client.get(f"/judge/{pool.key}/")
        sent = form_of(page)
        ahead = client.get(f"/judge/{pool.key}/next")
        frame = client.get(f"/judge/{pool.key}/document/", {"topic": sent["topic"], "document": sent["document"]})
        assert frame.status_code == 200
        got = client.post(f"/judge/{pool.key}/say", sent | {"grade": "1"}, headers=DATA)
        for answer in (page, ahead, frame, got):
            text = answer.content.decode()
            assert not {word for word in never if re.search(rf"\b{re.escape(word)}\b", text)}
        alike.append(re.sub(re.escape(sent["document"]), "", page.content.decode().partition('class="answer"')[2]))
    # Whatever the other said, the buttons are the same.
    assert len({re.sub(r'value="[^"]{12,}"|value="30\d"|value="31\d"', "", one) for one in alike}) == 1
