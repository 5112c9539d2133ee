"""From judgments to labels: every way to merge them, what the page tells of it, the version that is made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scipy.stats import kendalltau

from cranfield.core import VERSION, ParameterError
from cranfield.data import read_qrels
from cranfield.server.judging import judgments, label_aggregation, pool_lifecycle, ranking_sensitivity
from cranfield.server.models import Audit, Judgment, LabelVersion, Pool, Snapshot, Submission
from cranfield.server.site import blob_store
from cranfield.studies import evaluate
from tests.support.server.judging_campaigns import begun, campaign, judge_all, right, said
from tests.support.server.users_and_tasks import TOPICS, World

if TYPE_CHECKING:
    from cranfield.server.models import Question, Task


def labels_in(version: LabelVersion) -> dict[tuple[str, str], float]:
    rows = read_qrels(blob_store.path_of(version.qrels_id)).to_table().rows()
    return {(str(row["topic"]), str(row["document"])): float(str(row["grade"])) for row in rows}


def means_under(task: Task, grades: dict[Question, float]) -> dict[str, float]:
    """What the runs are worth by nDCG@10 if documents have these grades."""
    judged: dict[str, dict[str, int]] = {}
    for one, grade in grades.items():
        judged.setdefault(one.topic, {})[one.document] = int(grade)
    runs = {run.name: blob_store.path_of(str(run.blob_id)) for run in pool_lifecycle.runs_of(task)}
    table = evaluate(judged, runs, "nDCG@10", scale="ignore").summary()
    return {str(row["run"]): float(str(row["value"])) for row in table.rows()}


def with_runs(world: World) -> Task:
    """A campaign with four runs and no labels."""
    task = campaign(world, measures="nDCG@10 AP")
    for name, shift, team in (("ideal", 0, "Alpha"), ("good", 1, "Beta"), ("fair", 2, "Alpha"), ("poor", 5, "Beta")):
        world.hand_in(task, name, shift, team=team)
    return task


def judged_twice(world: World, pool: Pool, grades: dict[str, tuple[float | None, float | None]]) -> list[Question]:
    """Two people judge all; the first documents that come get these grades, by a name for each."""
    one, two = world.people["assessor"], world.people["loner"]
    odd, met = iter(grades.values()), []
    while (question := judgments.next_for(pool, one)) is not None:
        given = next(odd, (right(question), right(question)))
        met.append(question)
        for person, grade in zip((one, two), given, strict=True):
            asked = judgments.next_for(pool, person)
            assert asked == question
            judgments.judge(pool, person, said(question, grade))
    return met


def test_what_holds(world: World) -> None:
    pool = begun(world, with_runs(world), overlap=100, judges=2, budget=4)
    odd: dict[str, tuple[float | None, float | None]]
    odd = {"open": (2, 1), "decided": (0, 2), "dropped": (1, 0), "one of two": (None, 2), "neither": (None, None)}
    met = dict(zip(odd, judged_twice(world, pool, odd), strict=False))
    third = world.people["organiser"]
    judgments.decide(pool, third, said(met["decided"], 1))
    judgments.decide(pool, third, said(met["dropped"], None))
    merging = label_aggregation.merging_of(pool)
    place = {name: (question.topic, question.document) for name, question in met.items()}
    holds = merging.ways[0].grades
    assert holds[place["open"]] == 1  # one vote each: the lower
    assert holds[place["decided"]] == 1  # what nobody of the two said
    assert place["dropped"] not in holds
    assert holds[place["one of two"]] == 2
    assert place["neither"] not in holds
    settled = merging.settled
    every = 4 * len(TOPICS)
    assert (settled.decided, settled.nobody, settled.agreed) == (2, 1, every - 5)
    assert list(settled.disputed) == [place["open"], place["one of two"]]
    assert not settled.unfinished
    assert len(holds) == every - 2
    # All but (None, 2) and (None, None) are two judgments.
    assert (merging.judgments, merging.people) == (2 * every - 3, 2)
    assert [way.name for way in merging.ways] == ["holds", "majority", "dawid-skene", "aware"]
    majority = merging.way("majority").grades
    assert majority[place["decided"]] == 0  # of 0 and 2 the lower: decisions are not asked for
    assert majority[place["dropped"]] == 0


def test_one_judgment_each_leaves_one_way(world: World) -> None:
    pool = begun(world, with_runs(world), budget=3)
    judge_all(pool, world.people["assessor"])
    merging = label_aggregation.merging_of(pool)
    assert [way.name for way in merging.ways] == ["holds"]
    assert merging.settled.agreed == len(merging.ways[0].grades) == 3 * len(TOPICS)
    with pytest.raises(ParameterError, match="not made by majority"):
        label_aggregation.make_version(pool, world.people["organiser"], "majority")


def test_a_document_that_waits_for_the_second_has_the_label_of_the_first(world: World) -> None:
    pool = begun(world, with_runs(world), overlap=100, judges=2)
    question = judgments.next_for(pool, world.people["assessor"])
    assert question is not None
    judgments.judge(pool, world.people["assessor"], said(question, 2))
    merging = label_aggregation.merging_of(pool)
    assert merging.ways[0].grades == {(question.topic, question.document): 2}
    assert list(merging.settled.unfinished) == [(question.topic, question.document)]


def test_the_first_version_evaluates_all_runs_and_says_where_it_comes_from(world: World) -> None:
    task = with_runs(world)
    world.work()
    assert not Snapshot.objects.exists()
    pool = begun(world, task, strategy="mtf", budget=5, seed=7)
    asked = judge_all(pool, world.people["assessor"])
    made = label_aggregation.make_version(pool, world.people["organiser"])
    assert labels_in(made) == {(one.topic, one.document): right(one) for one in asked}
    made.refresh_from_db()
    assert made.about == {
        "pool": 1,
        "key": pool.key,
        "strategy": "mtf",
        "depth": 100,
        "first": 0,
        "budget": 5,
        "shared": False,
        "seed": 7,
        "runs": 4,
        "way": "holds",
        "judgments": 60,
        "people": 1,
        "documents": 60,
        "agreed": 60,
        "decided": 0,
        "disputed": 0,
        "unfinished": 0,
        "crowd_alone": 0,
        "not_judgeable": 0,
        "known": None,
        "state": "open",
        "cranfield": VERSION,
    }
    assert list(Audit.objects.order_by("-id").values_list("what", flat=True)[:2]) == ["labels of pool", "labels"]
    world.work()
    assert set(Submission.objects.values_list("state", flat=True)) == {Submission.SCORED}
    assert b"ideal" in world.client().get("/tasks/campaign/").content
    with pytest.raises(ParameterError, match="say the same"):
        label_aggregation.make_version(pool, world.people["organiser"])


def test_what_was_known_stays_where_the_pool_says_nothing(world: World) -> None:
    task = world.received()
    first = task.version
    assert first is not None
    pool = begun(world, task, known=first)
    asked = judge_all(pool, world.people["assessor"])  # D09 and D10
    made = label_aggregation.make_version(pool, world.people["organiser"])
    assert labels_in(made) == labels_in(first) | {(one.topic, one.document): 0.0 for one in asked}
    assert (made.number, made.judgments) == (2, 10 * len(TOPICS))
    made.refresh_from_db()
    assert made.about["known"] == 1


def test_machines_are_for_comparison_alone(world: World) -> None:
    task = with_runs(world)
    pool = begun(world, task, budget=4)
    asked = judge_all(pool, world.people["assessor"])
    for question in asked:
        Judgment.objects.create(
            question=question, worker="gpt", kind=Judgment.MACHINE, key=f"m{question.pk}", grade=2 - right(question)
        )
    merging = label_aggregation.merging_of(pool)
    assert [(way.name, way.makes) for way in merging.ways] == [("holds", True), ("machine gpt", False)]
    assert merging.judgments == len(asked)
    rows = ranking_sensitivity.compare_ways(merging)
    found = sum(right(question) >= 1 for question in asked)
    assert [row["relevant"] for row in rows] == [found, sum(right(question) <= 1 for question in asked)]
    people = means_under(task, {one: right(one) for one in asked})
    machine = means_under(task, {one: 2 - right(one) for one in asked})
    assert rows[0]["leads"] == max(people, key=people.__getitem__)
    assert rows[1]["leads"] == max(machine, key=machine.__getitem__)
    tau = kendalltau(list(people.values()), [machine[run] for run in people]).statistic
    assert rows[1]["tau"] == pytest.approx(tau)
    with pytest.raises(ParameterError, match="not made by machine gpt"):
        label_aggregation.make_version(pool, world.people["organiser"], "machine gpt")
    made = label_aggregation.make_version(pool, world.people["organiser"])
    assert labels_in(made) == {(one.topic, one.document): right(one) for one in asked}


def test_a_crowd_from_a_file_counts_and_its_machines_do_not(world: World) -> None:
    pool = begun(world, with_runs(world), budget=2)
    asked = judge_all(pool, world.people["assessor"])
    topic = asked[0].topic
    fresh = pool.questions.create(topic=topic, document="D10")
    for worker, grade, kind in (("a", 2, "crowd"), ("b", 0, "crowd"), ("c", 2, "crowd"), ("gpt", 0, "machine")):
        Judgment.objects.create(question=fresh, worker=worker, key=worker, grade=grade, kind=kind)
    merging = label_aggregation.merging_of(pool)
    assert merging.ways[0].grades[topic, "D10"] == 2  # two of three
    assert (list(merging.settled.unfinished), list(merging.settled.crowd)) == ([], [(topic, "D10")])
    assert (merging.judgments, merging.people) == (len(asked) + 3, 4)
    assert [way.name for way in merging.ways] == ["holds", "here", "majority", "dawid-skene", "aware", "machine gpt"]
    assert merging.way("here").grades == {(one.topic, one.document): right(one) for one in asked}
    page = world.client("organiser").get("/organise/campaign/pools/1/labels/").content.decode()
    assert "1 document has a grade only from a crowd, by a file" in page
    made = label_aggregation.make_version(pool, world.people["organiser"], "here")
    assert labels_in(made) == merging.way("here").grades
    assert made.about["crowd_alone"] == 1


def test_ways_that_say_the_same_order_the_runs_alike(world: World) -> None:
    pool = begun(world, with_runs(world), overlap=100, judges=2, budget=6)
    judged_twice(world, pool, {})
    rows = ranking_sensitivity.compare_ways(label_aggregation.merging_of(pool))
    assert [row["way"].name for row in rows] == ["holds", "majority", "dawid-skene", "aware"]
    assert [row["tau"] for row in rows[:3]] == [None, 1, 1]
    assert [row["swaps"] for row in rows[:3]] == [None, 0, 0]
    # Both say the same of every document: whoever weighs how much, the mean of the two is what either says.
    assert rows[3]["tau"] == 1
    assert {row["leads"] for row in rows} == {"ideal"}
    assert [row["labels"] for row in rows] == [6 * len(TOPICS)] * 3 + [None]


def test_what_each_way_does_to_the_order_of_runs(world: World) -> None:
    """Two of three people find in six topics the document of run B, where one of them, and who decides, find that of A.

    The first documents of A, B and C are D01, D02 and D03; P@1 is the share of topics in which that is relevant.
    """
    task = campaign(world, measures="P@1")
    for name, document in (("A", "D01"), ("B", "D02"), ("C", "D03")):
        lines = [f"{topic} Q0 {document} 1 1 {name}" for topic in TOPICS]
        world.hand_in(task, name, team="Beta" if name == "B" else "Alpha", text="\n".join(lines) + "\n")
    both, differ, of_c = TOPICS[:2], TOPICS[2:8], TOPICS[8:9]

    def says(question: Question, found: str) -> float:
        if question.topic in differ:
            return float(question.document == found)
        if question.topic in both:
            return float(question.document in ("D01", "D02"))
        return float(question.topic in of_c and question.document == "D03")

    pool = begun(world, task, overlap=100, judges=3)
    people = {"assessor": "D01", "loner": "D02", "beth": "D02"}
    for name, found in people.items():
        while (question := judgments.next_for(pool, world.people[name])) is not None:
            judgments.judge(pool, world.people[name], said(question, says(question, found)))
    for question in pool.questions.filter(disputed=True):
        judgments.decide(pool, world.people["organiser"], said(question, says(question, "D01")))
    for question in pool.questions.all():
        Judgment.objects.create(
            question=question, worker="gpt", kind=Judgment.MACHINE, key=f"m{question.pk}", grade=says(question, "D01")
        )
    merging = label_aggregation.merging_of(pool)
    rows = {row["way"].name: row for row in ranking_sensitivity.compare_ways(merging)}
    # Decided: A 8/12, B 2/12, C 1/12. By the vote: A 2/12, B 8/12, C 1/12; two of three pairs as before: τ = (2 − 1)/3.
    # AWARE: A (2 + 6w)/12, B (2 + 6(1 − w))/12, where the person who stands alone weighs less than half.
    assert (rows["holds"]["leads"], rows["holds"]["tau"]) == ("A", None)
    for name in ("majority", "dawid-skene", "aware"):
        assert (rows[name]["leads"], rows[name]["swaps"]) == ("B", 1), name
        assert rows[name]["tau"] == pytest.approx(1 / 3), name
    assert (rows["machine gpt"]["leads"], rows["machine gpt"]["swaps"], rows["machine gpt"]["tau"]) == ("A", 0, 1)
    told = ranking_sensitivity.say_orders(merging)
    assert told.startswith("First by P@1 is A under What holds and By machine gpt; B under Majority, ")
    assert "Majority swaps 1 pair of runs against What holds" in told
    page = world.client("organiser").get("/organise/campaign/pools/1/quality/").content.decode()
    for words in ("Majority", "Dawid–Skene", "AWARE", "By machine gpt", ">0.333</td>", told):
        assert words in page


def test_nothing_to_make_labels_of(world: World) -> None:
    pool = begun(world, with_runs(world))
    with pytest.raises(ParameterError, match="nobody has judged"):
        label_aggregation.make_version(pool, world.people["organiser"])
    assert not LabelVersion.objects.exists()
    page = world.client("organiser").get("/organise/campaign/pools/1/labels/")
    assert b"Nobody has judged anything yet" in page.content
    judge_all(pool, world.people["assessor"], 2)  # of one topic
    page = world.client("organiser").get("/organise/campaign/pools/1/labels/")
    assert b"Only one topic is left for the board." in page.content
    assert b"Make version" not in page.content
    world.client("organiser").post("/organise/campaign/pools/1/labels/", {"way": "holds"})
    assert not LabelVersion.objects.exists()


def test_the_page_shows_the_ways_and_makes_the_version(world: World) -> None:
    pool = begun(world, with_runs(world), overlap=100, judges=2, budget=4)
    judged_twice(world, pool, {"open": (2, 1)})
    address = "/organise/campaign/pools/1/labels/"
    for who in ("assessor", "alice", "loner"):
        assert world.client(who).get(address).status_code == 404
    client = world.client("organiser")
    page = client.get(address).content.decode()
    assert "1 disputed" in page
    assert page.count("Look at it") == 2  # majority and Dawid–Skene; what holds is looked at, AWARE makes none
    assert "They are the first of the task" in page
    assert 'value="dawid-skene"' in client.get(f"{address}?way=dawid-skene").content.decode()
    assert "Make version" not in client.get(f"{address}?way=aware").content.decode()
    answer = client.post(address, {"way": "majority", "note": "by vote"})
    assert answer.headers["Location"] == "/organise/campaign/labels/"
    made = LabelVersion.objects.get()
    assert (made.note, made.about["way"], made.about["disputed"]) == ("by vote", "majority", 1)
    judgments.decide(pool, world.people["organiser"], said(pool.questions.get(disputed=True), 2))
    page = client.get(address).content.decode()
    assert "0 added · 0 removed · 1 raised · 0 lowered" in page
    answer = client.post(address, {"way": "holds"})
    assert answer.headers["Location"] == "/organise/campaign/labels/2/"
    assert client.post(address, {"way": "x" * 61}).status_code == 200
    assert LabelVersion.objects.count() == 2


def test_where_labels_come_from_is_a_file_beside_them(world: World) -> None:
    task = with_runs(world)
    pool = begun(world, task, budget=3)
    judge_all(pool, world.people["assessor"])
    label_aggregation.make_version(pool, world.people["organiser"])
    address = "/tasks/campaign/downloads/qrels-1.json"
    assert world.client("alice").get(address).status_code == 404  # the labels are not public
    type(task).objects.update(labels_public=True)
    assert address.encode() in world.client("alice").get("/tasks/campaign/downloads/").content
    answer = world.client("alice").get(address)
    told = json.loads(answer.content)
    assert (told["version"], told["judgments"], told["topics"]) == (1, 36, 12)
    assert (told["from"]["way"], told["from"]["people"], told["from"]["runs"]) == ("holds", 1, 4)
    assert b"assessor" not in answer.content
    assert world.client().get("/tasks/campaign/downloads/qrels-2.json").status_code == 404
