"""The datasheet of a collection: what it says, to whom, and what it keeps to itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cranfield.collections import krippendorff
from cranfield.data import read_labels
from cranfield.server.judging import judgments, label_aggregation, pool_lifecycle
from cranfield.server.models import Corpus, Submission, Task
from cranfield.server.tasks import corpora, datasheet_text
from tests.support.server.judging_campaigns import GRADES, RIGHT, begun, campaign, judge_all, right, said
from tests.support.server.users_and_tasks import TOPICS, World, arrived, run_text

ADDRESS = "/tasks/ad-hoc/datasheet"


def sheet(world: World, who: str | None = None, address: str = ADDRESS) -> dict[str, Any]:
    answer = world.client(who).get(f"{address}.json")
    assert answer.status_code == 200
    found: dict[str, Any] = json.loads(answer.content)
    return found


def test_who_reads_it(world: World) -> None:
    task = campaign(world)
    pages = [f"/tasks/campaign/datasheet{ending}" for ending in ("/", ".json", ".md")]
    for page in pages:  # without labels
        assert world.client().get(page).status_code == 404
        assert world.client("alice").get(page).status_code == 404
        assert world.client("organiser").get(page).status_code == 200
    assert b"Datasheet" not in world.client().get("/tasks/campaign/about/").content
    world.hand_in(task, "early")
    pool = begun(world, task, budget=2)
    judge_all(pool, world.people["assessor"])
    label_aggregation.make_version(pool, world.people["organiser"])
    for page in pages:
        assert world.client().get(page).status_code == 200
    for page in ("about", "downloads"):
        assert b"/tasks/campaign/datasheet/" in world.client().get(f"/tasks/campaign/{page}/").content
    Task.objects.update(invited_only=True)
    for page in pages:
        assert world.client().get(page).status_code == 404
        assert world.client("alice").get(page).status_code == 200
    Task.objects.update(state=Task.DRAFT)
    for page in pages:
        assert world.client("alice").get(page).status_code == 404


def test_the_labels_in_numbers(world: World) -> None:
    world.filled()
    told = sheet(world)
    relevant = [sum(RIGHT[topic, f"D{number:02d}"] >= 1 for number in range(1, 9)) for topic in TOPICS]
    assert relevant == [1, 2, 3] * 4
    labels = told["labels"]
    assert (labels["judgments"], labels["relevant"], labels["share"]) == (96, 24, 0.25)
    assert (labels["fewest"], labels["median"], labels["most"], labels["without_relevant"]) == (1, 2, 3, 0)
    grades = {row["grade"]: row["judgments"] for row in labels["grades"]}
    assert grades == {0: 96 - 24, 1: 24 - 12, 2: 12}
    assert told["topics"]["judged"] == 12
    assert told["corpus"] is None
    assert told["pools"] == []
    assert [row["number"] for row in told["versions"]] == [1]
    assert told["cite"]["text"].startswith("The ad-hoc task (")
    assert "/tasks/ad-hoc/" in told["cite"]["bibtex"]


def test_private_topics_are_no_part_of_it_while_the_task_is_open(world: World) -> None:
    task = world.filled(private=4)
    public = TOPICS[:8]
    pool = begun(world, task, budget=4)
    judge_all(pool, world.people["assessor"])
    pool_lifecycle.end(pool, world.people["organiser"])
    told = sheet(world)
    assert told["topics"]["judged"] == 8
    assert told["labels"]["judgments"] == 8 * 8
    assert told["labels"]["relevant"] == sum(RIGHT[place] >= 1 for place in RIGHT if place[0] in public)
    assert (told["pools"][0]["asked"], told["pools"][0]["judgments"]) == (4 * 8, 4 * 8)
    for ending in ("/", ".json", ".md"):
        text = world.client().get(f"{ADDRESS}{ending}").content.decode()
        assert not [topic for topic in TOPICS[8:] if topic in text]
    full = sheet(world, "organiser")
    assert (full["topics"]["judged"], full["pools"][0]["asked"]) == (12, 4 * 12)
    Task.objects.update(state=Task.CLOSED)
    assert sheet(world)["labels"]["judgments"] == 96


def test_hidden_runs_and_names_are_no_part_of_it(world: World) -> None:
    task = world.filled(embargo_days=90, anonymous_days=90)
    later = "2999-01-01"
    Submission.objects.filter(name="poor").update(embargo=later)
    Submission.objects.filter(name="good").update(anonymous=later)
    pool = begun(world, task, budget=3)
    judge_all(pool, world.people["assessor"])
    pool_lifecycle.end(pool, world.people["organiser"])
    for state, named in ((Task.OPEN, False), (Task.CLOSED, True)):
        Task.objects.update(state=state)
        for ending in ("/", ".json", ".md"):
            text = world.client().get(f"{ADDRESS}{ending}").content.decode()
            assert "Beta" not in text  # both of its runs
            assert ("Alpha" in text) == named
            assert "assessor" not in text
            assert not [run.key for run in task.submissions.all() if run.key in text]
        assert sheet(world)["reuse"]["runs"] == 3
        assert "Beta" in json.dumps(sheet(world, "organiser")["bias"])


@pytest.mark.parametrize("who", [None, "alice", "assessor"])
def test_while_the_task_is_open_teams_are_numbers_to_all_but_organisers(world: World, who: str | None) -> None:
    world.filled()
    told, full = sheet(world, who)["bias"], sheet(world, "organiser")["bias"]
    assert {row[0] for row in full["table"]["rows"]} == {"Alpha", "Beta"}
    assert {row[0] for row in told["table"]["rows"]} == {"team 1", "team 2"}
    assert sorted(row[1:] for row in told["table"]["rows"]) == sorted(row[1:] for row in full["table"]["rows"])
    for ending in ("/", ".json", ".md"):
        text = world.client(who).get(f"{ADDRESS}{ending}").content.decode()
        assert not [name for name in ("Alpha", "Beta", "ideal", "fair", "poor") if name in text]
    assert "Names: numbers here until the task is closed" in text
    Task.objects.update(state=Task.CLOSED)
    assert {row[0] for row in sheet(world, who)["bias"]["table"]["rows"]} == {"Alpha", "Beta"}


def test_a_pool_and_how_far_people_agree(world: World) -> None:
    task = campaign(world, measures="nDCG@10")
    for name, shift, team in (("ideal", 0, "Alpha"), ("good", 1, "Beta"), ("fair", 2, "Alpha")):
        world.hand_in(task, name, shift, team=team)
    organiser, one, two = (world.people[name] for name in ("organiser", "assessor", "loner"))
    how: dict[str, Any] = {"grades": GRADES, "overlap": 100, "judges": 2, "budget": 4, "strategy": "mtf", "seed": 9}
    pool = pool_lifecycle.draw_up(task, organiser, **how)
    pool_lifecycle.set_gold(pool, organiser, [(TOPICS[0], "G1", 2.0, ""), (TOPICS[1], "G2", 0.0, "")])
    pool_lifecycle.begin(pool, organiser)
    for person in (one, two):  # right are both of the one, one of the other
        for _ in range(2):
            gold = judgments.next_for(pool, person)
            assert gold is not None
            judgments.judge(pool, person, said(gold, gold.gold if person == one else 0))
    rows: list[tuple[str, str, str, float]] = []
    while (question := judgments.next_for(pool, one)) is not None:
        differ = len(rows) < 8  # on the first four
        for person, grade in ((one, 2.0 if differ else right(question)), (two, 1.0 if differ else right(question))):
            assert judgments.next_for(pool, person) == question
            judgments.judge(pool, person, said(question, grade))
            rows.append((question.topic, question.document, person.username, grade))
    disputed = pool.questions.filter(disputed=True)
    assert disputed.count() == 4
    for each in disputed[:3]:
        judgments.decide(pool, organiser, said(each, 1))
    assert sheet(world, "organiser", "/tasks/campaign/datasheet")["pools"][0]["state"] == "open"
    pool_lifecycle.end(pool, organiser)
    label_aggregation.make_version(pool, organiser)
    world.work()
    told = sheet(world, address="/tasks/campaign/datasheet")["pools"][0]
    assert {name: told[name] for name in ("strategy", "budget", "seed", "depth")} == {
        "strategy": "mtf",
        "budget": 4,
        "seed": 9,
        "depth": 100,
    }
    assert (told["runs"], told["teams"], told["people"], told["judgments"]) == (3, 2, 2, 96)
    assert (told["asked"], told["judged"], told["decided"], told["disputed"]) == (48, 48, 3, 1)
    holds = [*(1 for _ in range(4)), *(right(each) for each in pool.questions.filter(gold=None).order_by("id")[4:])]
    assert told["relevant"] == sum(grade >= 1 for grade in holds)  # decided, and of 2 and 1 the lower
    assert (told["several"], told["several_share"]) == (48, 1)
    assert told["trial"] == {"documents": 2, "judgments": 4, "right": 3, "share": 0.75}
    columns = zip(("topic", "document", "worker", "grade"), zip(*rows, strict=True), strict=True)
    answers = read_labels({name: list(cells) for name, cells in columns})
    agreement = {row[0]: row[1] for row in told["agreement"]["rows"]}
    assert agreement["percent"] == pytest.approx(44 / 48)
    alpha = krippendorff(answers.answers, heights=answers.grades, metric="ordinal")
    assert agreement["Krippendorff α (ordinal)"] == pytest.approx(alpha)
    page = world.client().get("/tasks/campaign/datasheet/").content.decode()
    for words in ("96 by 2 people", "75.0 % of 4 judgments were right", "3 decided, 1 open", "mtf, seed 9"):
        assert words in page
    assert "loner" not in page


def test_pools_that_are_being_judged_are_not_told_of(world: World) -> None:
    task = world.filled()
    pool = begun(world, task)
    judge_all(pool, world.people["assessor"], 5)
    pool_lifecycle.draw_up(task, world.people["organiser"])
    assert sheet(world)["pools"] == []
    assert [one["number"] for one in sheet(world, "organiser")["pools"]] == [1]  # a draft says nothing yet
    pool_lifecycle.end(pool, world.people["organiser"])
    assert [one["number"] for one in sheet(world)["pools"]] == [1]


def test_topics_and_documents(world: World) -> None:
    task = campaign(world)
    told = sheet(world, "organiser", "/tasks/campaign/datasheet")
    assert told["topics"]["texts"] == 12
    assert told["topics"]["words"]["title"] == {"fewest": 2, "median": 2, "most": 2}  # question 301, …
    assert told["labels"] is told["reuse"] is None
    documents = "".join(json.dumps({"id": f"D{number}", "text": "words"}) + "\n" for number in range(7))
    corpora.set_corpus(task, arrived(documents, "documents.jsonl"), world.people["organiser"])
    assert sheet(world, "organiser", "/tasks/campaign/datasheet")["corpus"] is None  # nobody has read it yet
    world.work()
    found = Corpus.objects.get()
    told = sheet(world, "organiser", "/tasks/campaign/datasheet")
    assert told["corpus"] == {"documents": 7, "sha256": found.file_id}


def test_bias_by_team_is_what_its_runs_lose_without_what_it_alone_brought(world: World) -> None:
    task = world.task(measures="P@2")
    handed = (("one", "Alpha", ("D01", "D04")), ("two", "Alpha", ("D01", "D02")), ("right", "Beta", ("D02", "D05")))
    for name, team, documents in handed:
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} {name}"
            for topic in TOPICS
            for rank, document in enumerate(documents, 1)
        ]
        world.hand_in(task, name, team=team, text="\n".join(lines) + "\n")
    world.work()
    told = sheet(world, "organiser")
    assert (told["bias"]["measure"], told["bias"]["runs"], told["bias"]["alone"]) == ("P@2", 3, 0)
    table = told["bias"]["table"]
    rows = {row["group"]: row for row in (dict(zip(table["columns"], each, strict=True)) for each in table["rows"])}
    # D01 is relevant in all 12 topics, D02 in 8, D04 and D05 in none: 20 relevant documents in the pool. Alpha alone
    # has D01, each of its runs loses 1/2 in every topic; both have D02, so Beta alone has nothing that is relevant.
    assert (rows["Alpha"]["runs"], rows["Alpha"]["unique"], rows["Alpha"]["share"]) == (2, 12, 12 / 20)
    assert rows["Alpha"]["difference"] == rows["Alpha"]["largest"] == pytest.approx(-1 / 2)
    assert (rows["Beta"]["unique"], rows["Beta"]["difference"], rows["Beta"]["moved"]) == (0, 0, 0)
    # With everything: two 1/2 + 8/24, one 1/2, right 8/24. Without D01: two and right 8/24, one 0, from rank 2 to 3.
    assert rows["Alpha"]["moved"] == 1
    mean = (2 * -1 / 2 + 0) / 3
    assert told["bias"]["sentence"] == (
        "Of 2 teams, Alpha alone brought in most: 12 relevant documents (60.0%). Where a team's own documents are not "
        f"judged, P@2 of its runs changes by {mean:+.4f} on average, at most by -0.5000 (Alpha)."
    )
    assert told["reuse"]["unjudged"] == {"k": 10, "mean": 0, "most": 0}
    assert told["reuse"]["sentence"].startswith("The order of runs does not hold")
    page = world.client("organiser").get(f"{ADDRESS}/").content.decode()
    for words in ("Bias by team</h2>", "Reuse</h2>", "relevant by it alone", "Of 2 teams, Alpha alone brought in most"):
        assert words in page
    text = world.client("organiser").get(f"{ADDRESS}.md").content.decode()
    assert "| Alpha | 2 | 12 | 0.6000 | -0.5000 | -0.5000 | 1 | " in text


def test_runs_of_one_team_say_nothing_of_bias(world: World) -> None:
    world.hand_in(world.task(), "ideal")
    world.work()
    told = sheet(world)
    assert told["bias"] is None
    assert told["reuse"]["sentence"] == "Of the first 10 documents of run 1, 20% are unjudged."  # D09 and D10


def test_the_file_says_what_the_page_says(world: World) -> None:
    task = world.filled()
    Task.objects.update(title="A | B [x](http://y) <b>", summary="one\n# two")
    told = world.client().get(f"{ADDRESS}.md").content.decode()
    assert told.startswith("# Datasheet: A \\| B \\[x\\](http://y) &lt;b>\n\none # two\n")
    page = world.client().get(f"{ADDRESS}/").content.decode()
    for part in datasheet_text.parts_of(sheet(world)):
        assert f"## {part.title}\n" in told
        assert f">{part.title}</h2>" in page
    assert "- Judgments: 96\n" in told
    assert "| 1 | " in told
    world.hand_in(task, "later", text=run_text("later", 3))  # no labels changed, and no number of theirs
    assert world.client().get(f"{ADDRESS}.md").content.decode() == told
