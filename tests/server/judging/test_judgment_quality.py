"""The quality of a pool: agreement from what was said, people who stand out, trial, time; for organisers alone."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from cranfield.server.judging import judgments, pool_lifecycle
from cranfield.server.judging.judgment_quality import quality_of
from cranfield.server.models import Judgment, Pool
from tests.support.server.judging_campaigns import TWO, answer_all, assessors, said, shared

if TYPE_CHECKING:
    from cranfield.server.models import Question
    from tests.support.server.users_and_tasks import World

PAGE = "/organise/ad-hoc/pools/1/quality/"


def statistic(pool: Pool, name: str) -> dict[str, Any]:
    table = quality_of(pool).agreement
    assert table is not None
    return next(row for row in table.rows() if row["statistic"] == name)


def test_agreement_is_that_of_what_was_said(world: World) -> None:
    task, pool = shared(world)
    one, other = assessors(world, task, "assessor", "loner")
    place: dict[tuple[str, str], int] = {}

    def first(question: Question) -> float:
        place[question.topic, question.document] = len(place)
        return float(place[question.topic, question.document] < 12)  # the first 12 are relevant

    def second(question: Question) -> float:
        at = place[question.topic, question.document]
        return float(at < 12 and at >= 4) if at < 22 else 1.0  # differs on the first 4 and the last 2

    assert answer_all(pool, one, first) == answer_all(pool, other, second) == 24
    # Of 24 documents: both say 1 of 8, both 0 of 10, the first alone 1 of 4, the second alone of 2.
    equal, ones = 18 / 24, (12 / 24, 10 / 24)
    chance = ones[0] * ones[1] + (1 - ones[0]) * (1 - ones[1])
    assert statistic(pool, "percent")["value"] == pytest.approx(equal)
    assert statistic(pool, "Cohen κ (mean over pairs)")["value"] == pytest.approx((equal - chance) / (1 - chance))
    # Fleiss and Krippendorff see 48 labels, 22 of them 1.
    by_share = (22 / 48) ** 2 + (26 / 48) ** 2
    assert statistic(pool, "Fleiss κ")["value"] == pytest.approx((equal - by_share) / (1 - by_share))
    expected = 2 * 22 * 26 / (48 * 47)
    alpha = 1 - (6 / 24) / expected
    row = statistic(pool, "Krippendorff α (nominal)")
    assert row["value"] == pytest.approx(alpha)
    assert row["low"] < alpha < row["high"]
    assert (row["items"], row["workers"]) == (24, 2)
    found = quality_of(pool)
    assert found.shared == 24
    assert f"is {alpha:.2f} (" in found.sentences[0]
    assert "on 24 documents that two or more people judged: that is low" in found.sentences[0]
    assert {person.agreement for person in found.people} == {equal}
    text = world.client("organiser").get(PAGE).content.decode()
    assert "Krippendorff α (nominal)" in text
    assert "People differ on 6 documents and nobody has decided yet." in text
    assert text.count("/decide/?topic=") == 6


def test_three_grades_have_an_order(world: World) -> None:
    task, pool = shared(world, grades=[*TWO, ["2", "highly relevant"]])
    for user in assessors(world, task, "assessor", "loner"):
        answer_all(pool, user, lambda question: float(int(question.topic) % 3))
    assert statistic(pool, "Krippendorff α (ordinal)")["value"] == 1
    assert statistic(pool, "Krippendorff α (interval)")["value"] == 1
    assert "Krippendorff α (ordinal) is 1.00" in quality_of(pool).sentences[0]
    assert "that is firm" in quality_of(pool).sentences[0]


def test_people_with_their_time_and_what_they_could_not_judge(world: World) -> None:
    task, pool = shared(world)
    one, other = assessors(world, task, "assessor", "loner")
    answer_all(pool, one, lambda question: 1.0 if int(question.topic) % 2 else 0.0, seconds=10)
    answer_all(pool, other, lambda question: None if question.topic == "301" else 0.0, seconds=100)
    people = {person.name: person for person in quality_of(pool).people}
    assert {name: (one.judgments, one.unsure) for name, one in people.items()} == {
        "assessor": (24, 0),
        "loner": (24, 2),
    }
    assert people["assessor"].seconds == median(range(10, 34))
    assert people["loner"].agreement == 12 / 22  # six topics of odd number less that one, and six of even number
    assert people["assessor"].trial == 0
    course = quality_of(pool).course
    assert course is not None
    mine = [row for row in course.rows() if row["worker"] == "assessor"]
    assert [(row["part"], row["labels"]) for row in mine] == [(1, 6), (2, 6), (3, 6), (4, 6)]
    assert [row["seconds"] for row in mine] == [median(range(start, start + 6)) for start in (10, 16, 22, 28)]


def test_the_trial_is_told_and_is_no_part_of_agreement(world: World) -> None:
    task, pool = shared(world)
    gold = [("301", "G1", 1.0, ""), ("302", "G2", 1.0, ""), ("303", "G3", 0.0, "")]
    pool_lifecycle.set_gold(pool, world.people["organiser"], gold)
    for user in assessors(world, task, "assessor", "loner"):
        answer_all(pool, user, lambda question: 0.0)  # right on G3 alone; nobody ever says 1
    found = quality_of(pool)
    assert {person.name: (person.right, person.trial) for person in found.people} == {
        "assessor": (1, 3),
        "loner": (1, 3),
    }
    assert found.shared == 24
    assert found.sentences[0] == "All judgments of 24 documents that two or more people judged are equal."
    text = world.client("organiser").get(PAGE).content.decode()
    assert text.count("1 of 3 right") == 2


def test_who_does_not_look_is_named(world: World) -> None:
    """Four people who agree, and one who says 1 and 0 in turn."""
    _, pool = shared(world, budget=None, overlap=0)
    places = [(str(301 + place % 12), f"D{1 + place // 12:02d}") for place in range(100)]
    questions = [pool.questions.create(topic=topic, document=document, wanted=0) for topic, document in places]
    rows = [
        Judgment(question=question, worker=f"w{number}", key=f"k{number}-{place}", kind=Judgment.CROWD, grade=grade)
        for place, question in enumerate(questions)
        for number, grade in enumerate([*[float(place % 3 == 0)] * 4, float(place % 2)])
    ]
    Judgment.objects.bulk_create(rows)
    found = quality_of(pool)
    assert [person.name for person in found.people if person.spammer] == ["w4"]
    assert any("w4 (1 worker" in sentence and "as if without looking" in sentence for sentence in found.sentences)
    text = world.client("organiser").get(PAGE).content.decode()
    assert text.count('badge-warn">as if without looking') == 1
    answer = world.client("organiser").get(PAGE + "picture")
    assert answer["Content-Type"].startswith("image/svg+xml")
    assert "w4" in answer.content.decode()


def test_machines_stand_apart(world: World) -> None:
    task, pool = shared(world)
    for user in assessors(world, task, "assessor", "loner"):
        answer_all(pool, user, lambda question: float(int(question.topic) % 2))
    before = statistic(pool, "Fleiss κ")
    for place, question in enumerate(pool.questions.order_by("id")):
        Judgment.objects.create(
            question=question,
            worker="assessor",  # a machine may be called as it likes
            key=f"machine-{place}",
            kind=Judgment.MACHINE,
            grade=float(int(question.topic) % 2) if place < 18 else 1.0 - int(question.topic) % 2,
        )
    found = quality_of(pool)
    assert statistic(pool, "Fleiss κ") == before
    assert [person.name for person in found.people] == ["assessor", "loner"]
    assert found.machines is not None
    row = found.machines.rows()[0]
    assert (row["machine"], row["items"], row["equal"]) == ("assessor (machine)", 24, 18 / 24)
    assert "assessor (machine)" in world.client("organiser").get(PAGE).content.decode()


def test_a_pool_of_one_person_says_so(world: World) -> None:
    task, pool = shared(world, overlap=0)
    page = world.client("organiser")
    assert "Nobody has judged anything yet" in page.get(PAGE).content.decode()
    assert page.get(PAGE + "picture").status_code == 404
    (one,) = assessors(world, task, "assessor")
    answer_all(pool, one, lambda _: 1.0)
    text = page.get(PAGE).content.decode()
    assert "no document was judged by two people" in text
    assert "Nobody differs on a document" in text
    question = pool.questions.first()
    assert question is not None
    judgments.take_back(pool, one)
    assert quality_of(pool).judgments == 23  # what is taken back does not count
    judgments.judge(pool, one, said(judgments.next_for(pool, one) or question, None))
    assert quality_of(pool).people[0].unsure == 1


def test_the_pages_are_for_organisers(world: World) -> None:
    task, pool = shared(world)
    (one,) = assessors(world, task, "assessor")
    answer_all(pool, one, lambda _: 1.0)
    for address in (PAGE, PAGE + "picture", "/organise/ad-hoc/pools/1/import/"):
        assert world.client().get(address).status_code == 302
        for name in ("assessor", "alice", "loner"):
            assert world.client(name).get(address).status_code == 404, (name, address)
    seen = [world.client(name).get(PAGE).context["quality"] for name in ("organiser", "operator")]
    assert seen[0] is seen[1]  # what is kept of one is the same for the other …
    assert seen[0].people[0].name == "assessor"
    for address in (PAGE, PAGE + "picture"):  # … and for nobody else
        assert world.client("assessor").get(address).status_code == 404
    assert world.client("organiser").get("/organise/ad-hoc/pools/2/quality/").status_code == 404
    assert world.client("organiser").post(PAGE).status_code == 405


def test_what_people_write_is_text(world: World) -> None:
    _, pool = shared(world)
    question = pool.questions.create(topic="301", document="<b>D</b>", wanted=2, given=2, disputed=True)
    Judgment.objects.create(question=question, worker="<script>x", key="a", kind=Judgment.CROWD, grade=0)
    text = world.client("organiser").get(PAGE).content.decode()
    assert "<script>x" not in text
    assert "<b>D" not in text
    assert "&lt;script&gt;x" in text
