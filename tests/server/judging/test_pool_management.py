"""Pools as organisers meet them: what one costs, a draft, its beginning, its progress, its end."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from cranfield.server.judging import pool_lifecycle
from cranfield.server.models import Audit, Pool, Task
from tests.support.server.judging_campaigns import campaign
from tests.support.server.pool_forms import (
    BOTH,
    HTMX,
    ONE,
    PAGE,
    acts_of,
    drawn,
    judge_one,
    page_of,
    post,
    told,
    with_runs,
)
from tests.support.server.users_and_tasks import TOPICS, World, qrels


@pytest.fixture
def task(world: World) -> Task:
    return with_runs(world)


def test_pools_are_for_organisers_alone(world: World, task: Task) -> None:
    drawn(world)
    assert reverse("task-pools", args=[task.slug]) == PAGE
    for address in (PAGE, ONE, f"{ONE}end", f"{ONE}delete"):
        assert world.client("organiser").get(address).status_code == 200
        assert world.client().get(address).status_code == 302
        for who in ("alice", "assessor", "loner"):
            assert world.client(who).get(address).status_code == 404
            assert world.client(who).post(address, told(make="1", act="begin")).status_code == 404
    world.task("other")
    for address in (f"{PAGE}2/", "/organise/other/pools/1/", "/organise/other/pools/1/delete"):
        assert world.client("organiser").get(address).status_code == 404
    assert [(pool.number, pool.state) for pool in Pool.objects.all()] == [(1, Pool.DRAFT)]


def test_the_cost_is_live_and_changes_nothing(world: World, task: Task) -> None:
    text = post(world, PAGE, told(overlap=50, judges=3, minutes=2), headers=HTMX)
    assert "<html" not in text
    documents = sum(BOTH)  # as in test_campaigns
    judgments = documents * 2  # half of them by three people: (1 + 0.5 · 2) times
    assert f"<strong>{documents}</strong> documents, <strong>{judgments}</strong> judgments" in text
    assert f"about <strong>{judgments * 2 / 60:.1f} hours</strong>" in text
    assert "2 runs of 2 teams" in text
    assert "Alpha: run-0" in text
    assert "Beta: run-3" in text
    table = post(world, PAGE, told(depth=10, minutes=2), headers=HTMX)
    rows = [[cell.rpartition(">")[2] for cell in row.split("</td>")[:6]] for row in table.split("<tr><td")[1:]]
    five = [len({*range(5), *((place - 3 * (1 + topic % 4)) % 10 for place in range(5))}) for topic in range(12)]
    # Depth, documents, to judge, mean and most of a topic, hours at two minutes; at ten both runs hold the same ten.
    assert rows == [
        ["5", f"{sum(five)}", f"{sum(five)}", f"{sum(five) / 12:.1f}", f"{max(five)}", f"{sum(five) * 2 / 60:.1f}"],
        ["10", "120", "120", "10.0", "10", "4.0"],
    ]
    shared = post(world, PAGE, told(budget=5, shared="all"), headers=HTMX)
    assert "<strong>5</strong> documents" in shared
    each = post(world, PAGE, told(budget=5), headers=HTMX)
    assert f"<strong>{sum(min(5, one) for one in BOTH)}</strong> documents" in each
    assert not Pool.objects.exists()
    del task


def test_guidelines_are_shown_as_they_will_be_read(world: World, task: Task) -> None:
    text = post(world, PAGE, told(guidelines="**Only** <script>"), headers=HTMX)
    assert "<strong>Only</strong> &lt;script&gt;" in text
    drawn(world, guidelines="**Only** this")
    assert "<strong>Only</strong> this" in page_of(world, ONE)
    del task


def test_without_script_the_cost_is_a_button(world: World, task: Task) -> None:
    text = post(world, PAGE, told(look="1"))
    assert f"<strong>{sum(BOTH)}</strong> documents" in text
    assert not Pool.objects.exists()
    del task


def test_without_runs_there_is_nothing_to_pool(world: World) -> None:
    campaign(world)
    assert "No run is in yet, so there is nothing to pool." in page_of(world, PAGE)
    assert "There is no run to pool." in post(world, PAGE, told(make="1"), headers=HTMX)
    assert not Pool.objects.exists()


def test_a_pool_is_drawn_up_as_the_form_says(world: World, task: Task) -> None:
    sent = told(make="1", budget=9, shared="all", first=1, overlap=20, judges=3, guidelines="Read *all*.", minutes=3)
    text = post(world, PAGE, sent)
    assert "Pool 1 is drawn up. Nobody judges before you begin." in text
    pool = Pool.objects.get()
    assert (pool.strategy, pool.depth, pool.budget, pool.shared, pool.first, pool.seed) == ("depth", 4, 9, True, 1, 7)
    assert pool.grades == [["0", "not relevant"], ["1", "relevant"], ["2", "highly relevant"]]
    assert (pool.overlap, pool.judges, pool.guidelines, pool.known) == (20, 3, "Read *all*.", None)
    assert pool.runs == [run.key for run in pool_lifecycle.runs_of(task)]
    assert pool.made_by == world.people["organiser"]
    # 9 documents, a fifth of them by three people: round(9 · 1.4) = 13 judgments of three minutes each.
    assert f"<strong>13</strong> judgments, about <strong>{13 * 3 / 60:.1f} hour" in text
    assert acts_of(task) == ["pool"]
    listed = page_of(world, PAGE)
    assert "draft</span>" in listed
    assert "0 of 9" in listed


def test_labels_that_are_there_need_not_be_judged_again(world: World) -> None:
    world.received()
    address = "/organise/ad-hoc/pools/"
    assert "Leave out what is judged already" in world.client("organiser").get(address).content.decode()
    # The four runs hold the same ten documents of each topic; eight of them are judged.
    new = post(world, address, told(depth=10, known="on"), headers=HTMX)
    assert f"<strong>{12 * 2}</strong> documents" in new
    every = post(world, address, told(depth=10), headers=HTMX)
    assert f"<strong>{12 * 10}</strong> documents" in every
    post(world, address, told(depth=10, known="on", make="1"))
    pool = Pool.objects.get()
    assert pool.known is not None
    assert pool.known.number == 1
    assert "version 1 of the labels" in world.client("organiser").get(f"{address}1/").content.decode()
    post(world, f"{address}1/", told(depth=10, act="change"))
    pool.refresh_from_db()
    assert pool.known is None
    assert len(qrels().splitlines()) == 12 * 8
    assert len(TOPICS) == 12


def test_a_draft_can_be_changed_and_takes_later_runs(world: World, task: Task) -> None:
    pool = drawn(world)
    text = page_of(world, ONE)
    assert 'value="depth" selected' in text
    assert "highly relevant</textarea>" in text
    live = post(world, ONE, told(budget=5, shared="all"), headers=HTMX)
    assert "<strong>5</strong> documents" in live
    assert "Saved." in post(world, ONE, told(act="change", strategy="mtf", depth=3, minutes=2))
    pool.refresh_from_db()
    assert (pool.strategy, pool.depth) == ("mtf", 3)
    wrong = post(world, ONE, told(act="change", grades="3 x"))
    assert "These are no grades." in wrong
    assert "Nothing was saved" in wrong
    assert "</strong> documents" not in wrong  # there is no such pool, so it costs nothing
    looked = post(world, ONE, told(look="1", budget=2))
    assert f"<strong>{12 * 2}</strong> documents" in looked
    pool.refresh_from_db()
    assert pool.budget is None
    world.hand_in(task, "late", 5)
    assert "Take in 1 run more" in page_of(world, ONE)
    assert "The pool is made from 3 runs." in post(world, ONE, {"act": "runs"})
    pool.refresh_from_db()
    assert len(pool.runs) == 3
    assert acts_of(task) == ["pool", "pool changed", "pool changed"]


def test_it_is_begun_followed_and_ended(world: World, task: Task) -> None:
    pool = drawn(world)
    assert "Pool 1 is being judged from now on." in post(world, ONE, {"act": "begin"})
    assert "Pool 1 is being judged. Only a draft can be begun." in post(world, ONE, {"act": "begin"})
    text = page_of(world, ONE)
    assert "Nobody has judged yet." in text
    pool.refresh_from_db()
    asked = [judge_one(pool, world, grade, seconds) for grade, seconds in ((1, 4), (0, 6), (None, 2))]
    text = page_of(world, ONE)
    # That one cannot be judged is an answer, too: nobody is asked for it again.
    assert f"3 of {sum(BOTH)} documents judged: {100 * 3 // sum(BOTH)}&nbsp;%." in text
    row = text.split('<th scope="row">assessor</th>')[1].split("</tr>")[0]
    cells = [cell.rpartition(">")[2] for cell in row.split("</td>")[:3]]
    assert cells == ["3", "1", "4.0"]  # judgments, could not, (4 + 6 + 2) / 3 seconds
    assert {question.topic for question in asked} == {TOPICS[0]}
    row = text.split(f"<td>{TOPICS[0]}")[1].split("</tr>")[0]
    assert f"question {TOPICS[0]}" in row
    assert [cell.rpartition(">")[2] for cell in row.split("</td>")[1:4]] == ["3", "3", "1"]
    assert "Alpha" not in text  # names of teams are no matter of who judges
    assert "1 assessor and the organisers may judge." in text
    sure = page_of(world, f"{ONE}end")
    assert "End pool 1?" in sure
    assert "The 3 judgments that people gave stay," in sure
    pool.refresh_from_db()
    assert pool.state == Pool.OPEN
    assert "Pool 1 is ended." in post(world, f"{ONE}end", {})
    pool.refresh_from_db()
    assert pool.state == Pool.ENDED
    assert "Nothing to end" in page_of(world, f"{ONE}end")
    assert "Pool 1 has ended. Only one that is being judged can be ended." in post(world, f"{ONE}end", {})
    assert acts_of(task) == ["pool", "pool begun", "pool ended"]


def judged_by(**changed: Any) -> dict[str, Any]:
    """What the form of a pool that is being judged sends."""
    return {"act": "change", "guidelines": "", "overlap": 0, "judges": 2} | changed


def test_once_begun_guidelines_and_overlap_alone_can_change(world: World, task: Task) -> None:
    pool = drawn(world)
    post(world, ONE, {"act": "begin"})
    assert "less than or equal to 100" in post(world, ONE, judged_by(overlap=200))
    assert "Saved." in post(world, ONE, judged_by(guidelines="# New", overlap=30, judges=3))
    pool.refresh_from_db()
    assert (pool.strategy, pool.guidelines, pool.overlap, pool.judges) == ("depth", "# New", 30, 3)
    assert "One person alone is not several." in post(world, ONE, judged_by(overlap=30, judges=1))
    world.hand_in(task, "late", 5)
    assert "Runs is fixed: judging has begun" in post(world, ONE, {"act": "runs"})
    assert "1 run came later. Another pool can take it in." in page_of(world, ONE)
    post(world, f"{ONE}end", {})
    text = post(world, ONE, judged_by(guidelines="too late"))
    pool.refresh_from_db()
    assert (pool.guidelines, pool.judges) == ("# New", 3)
    assert "Pool 1 has ended: nothing was saved." in text
    assert "Guidelines and overlap" not in text


def gold(text: str | bytes) -> dict[str, Any]:
    content = text.encode() if isinstance(text, str) else text
    return {"act": "gold", "gold": SimpleUploadedFile("gold.tsv", content)}


def test_a_trial_comes_from_a_file(world: World, task: Task) -> None:
    pool = drawn(world)
    text = post(world, ONE, gold("301\tG1\t2\tsays it all\n\n301\tG2\t0\n302\tG1\t1\ta\tb\n"))
    assert "Everybody judges 3 documents with a known grade first." in text
    pool.refresh_from_db()
    assert pool.trial == 3
    found = {(one.topic, one.document): (one.gold, one.why) for one in pool.questions.all()}
    assert found == {("301", "G1"): (2, "says it all"), ("301", "G2"): (0, ""), ("302", "G1"): (1, "a\tb")}
    post(world, ONE, {"act": "begin"})
    assert judge_one(pool, world, 2).document == "G1"
    assert "pool trial" in Audit.objects.filter(task=task.slug).values_list("what", flat=True)
    post(world, f"{ONE}end", {})
    assert "Pool 1 has ended: nothing was saved." in post(world, ONE, gold("301\tG9\t2\tlate\n"))
    assert pool.questions.count() == 3


@pytest.mark.parametrize(("text", "said"), [
    ("301\tG1\n", "Line 1 of gold.tsv has too few columns. Each line: topic, document, grade, why"),
    ("301\tG1\t1\n301 G2 1\n", "Line 2 of gold.tsv has too few columns."),
    ("301\tG1\tmuch\twhy\n", "Line 1 of gold.tsv: “much” is no grade."),
    ("301\tG1\t5\twhy\n", "5 is no grade of pool 1. Give grades of the pool."),
    ("301\tG1\t1\n301\tG1\t2\n", "Line 2 of gold.tsv: document G1 of topic 301 is there twice."),
    ("\n \n", "The file gold.tsv holds no document."),
    (b"\xff\xfe\x00", "The file gold.tsv is no text in UTF-8."),
    ("", "The file is empty."),
])  # fmt: skip
def test_a_trial_that_cannot_be_used_is_refused_with_its_line(
    world: World, task: Task, text: str | bytes, said: str
) -> None:
    pool = drawn(world)
    assert said in post(world, ONE, gold(text))
    assert "Choose a file." in post(world, ONE, {"act": "gold"})
    assert not pool.questions.exists()
    del task


def test_the_desk_of_a_campaign_says_what_comes_next(world: World, task: Task) -> None:
    desk = world.client("organiser").get("/organise/campaign/").content.decode()
    assert "2 runs are in." in desk
    assert "Draw up a pool" in desk
    drawn(world)
    desk = world.client("organiser").get("/organise/campaign/").content.decode()
    assert "Pool 1</a> (draft)" in desk
    assert "begin a pool" in desk
    post(world, ONE, {"act": "begin"})
    desk = world.client("organiser").get("/organise/campaign/").content.decode()
    assert "judging has begun, and more can join" in desk
    assert "begin a pool" not in desk
    world.received()
    assert "A campaign" not in world.client("organiser").get("/organise/ad-hoc/").content.decode()
    del task
