"""A team that plays the board and not the task: what it is told of private topics, and what it is not."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from math import floor, log10, sqrt
from random import Random
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone

from cranfield.server.boards.board_inputs import gather
from cranfield.server.boards.panels import Made, pictures_of
from cranfield.server.jobs import job_queue
from cranfield.server.models import Blob, LabelVersion, Result, Snapshot, Submission, Task
from cranfield.server.site import blob_store
from cranfield.server.submissions import evaluation, intake
from cranfield.server.submissions.intake import Refused, left
from cranfield.server.tasks.label_versions import add_version, change_one
from tests.support.server.api_client import program
from tests.support.server.security.crawler import crawl
from tests.support.server.security.leak_checks import numbers
from tests.support.server.security.planted_secrets import Planted, forget, judged
from tests.support.server.users_and_tasks import World, arrived, run_text

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLIC = ["p1", "p2", "p3", "p4"]
SECRET = [f"s{number}" for number in range(1, 121)]  # 120: two decimals
PAGES = ("/", "/tasks/ad-hoc/", "/tasks/ad-hoc/boards/1/", "/tasks/ad-hoc/boards/1/board.json", "/my/runs/")


def mixed(world: World, *, told: bool, count: int = 8) -> tuple[Task, dict[str, dict[str, int]]]:
    """A task with one relevant document in each topic, and runs of one team that put it in random places."""
    task = world.task(measures="RR", limit=100, show_private=told)
    task.versions.all().delete()
    Task.objects.filter(pk=task.pk).update(private=SECRET)
    task.refresh_from_db()
    labels = "".join(f"{topic} 0 D1 1\n{topic} 0 D2 0\n" for topic in PUBLIC + SECRET)
    add_version(task, arrived(labels, "qrels.txt").arriving, world.people["organiser"])
    random = Random(8)
    places: dict[str, dict[str, int]] = {}
    for number in range(count):
        name = f"mixture{number}"
        places[name] = {topic: random.randint(1, 6 - number // 4) for topic in PUBLIC + SECRET}  # better with time
        lines = [
            f"{topic} Q0 {'D1' if rank == place else f'X{rank}'} {rank} {10 - rank} x\n"
            for topic, place in places[name].items()
            for rank in range(1, 7)
        ]
        world.hand_in(task, name, text="".join(lines))
    world.work()
    return task, places


def climbed(places: dict[str, dict[str, int]]) -> dict[str, float]:
    """What the Ladder of Blum and Hardt tells, by plain arithmetic: 1/place is the reciprocal rank."""
    told: dict[str, float] = {}
    best: list[float] | None = None
    shown = 0.0
    for name, place in places.items():
        values = [1 / place[topic] for topic in SECRET]
        count = len(values)
        if best is not None:
            gains = [now - before for now, before in zip(values, best, strict=True)]
            mean = sum(gains) / count
            deviation = sqrt(sum((gain - mean) ** 2 for gain in gains) / (count - 1))
            new = mean > deviation / sqrt(count)
        if best is None or new:
            best, shown = values, round(sum(values) / count, floor(log10(count)))
        told[name] = shown
    return told


def test_a_team_is_told_what_the_ladder_tells_and_nothing_else(world: World) -> None:
    task, places = mixed(world, told=True)
    expected = climbed(places)
    assert len(set(expected.values())) > 1, "no step: choose another seed"
    assert len(set(expected.values())) < len(expected), "a step each time: choose another seed"
    results = {one.submission.name: one for one in Result.objects.select_related("submission")}
    assert {name: result.released for name, result in results.items()} == expected
    document = json.loads(blob_store.read(Snapshot.objects.get(task=task, kind=Snapshot.PUBLIC).document_id))
    assert {row["run"]: row["released"] for row in document["rows"]} == expected
    true = [sum(1 / place[topic] for topic in SECRET) / len(SECRET) for place in places.values()]
    exact = numbers(true, 4)
    for name in (None, "beth", "alice"):
        for path in PAGES:
            body = world.client(name).get(path).content.decode()
            assert not exact.search(body), (name, path)
        for run in Submission.objects.all():
            for path in (f"submissions/{run.key}", f"submissions/{run.key}/values", "tasks/ad-hoc/board"):
                assert not exact.search(program(world, name).get(path).body.decode()), (name, path)
            told = program(world, name).get(f"submissions/{run.key}").told
            assert (told["released"], told["private"]) == (expected[run.name], None)


def test_below_a_thousand_private_topics_nothing_is_told_unless_the_organiser_says_so(world: World) -> None:
    task, places = mixed(world, told=False, count=2)
    document = json.loads(blob_store.read(Snapshot.objects.get(task=task, kind=Snapshot.PUBLIC).document_id))
    assert {row["released"] for row in document["rows"]} == {None}
    for run in Submission.objects.all():
        for name in (None, "alice", "beth"):
            assert program(world, name).get(f"submissions/{run.key}").told["released"] is None
    assert "as far as it is told" not in world.client("alice").get("/my/runs/").content.decode()
    assert len(places) == 2


@pytest.mark.parametrize(
    ("count", "asked", "state", "told"),
    [
        (999, False, Task.OPEN, False),
        (1000, False, Task.OPEN, True),
        (999, True, Task.OPEN, True),
        (0, True, Task.OPEN, False),
        (1000, True, Task.CLOSED, False),  # then the values themselves are
    ],
)
def test_who_tells(count: int, asked: bool, state: str, told: bool) -> None:
    topics = [str(number) for number in range(count)]
    assert Task(private=topics, show_private=asked, state=state).tells_private is told


def plain(body: bytes) -> bytes:
    """An answer without what differs each time it is asked for."""
    body = re.sub(rb'((?:csrfmiddlewaretoken|key)" value=")[^"]+', rb"\1", body)
    return re.sub(rb"<time datetime=[^<]+</time>", b"", body)


@pytest.mark.once
def test_what_runs_do_on_private_topics_changes_no_answer(db: None, quiet: None) -> None:
    """Two servers that differ in private topics alone, in judgments and in runs: the same bytes to everybody."""
    del db, quiet
    planted = Planted.make()
    roles = ("", "loner", "beth", "alice", "wanda", "nina", "assessor")

    def look() -> dict[tuple[str, str], tuple[int, bytes, str | None]]:
        forget()
        return {
            (one.role, one.path): (one.status, plain(one.body), one.headers.get("etag"))
            for one in crawl(planted, roles)
            if not one.path.endswith("/file")  # what they sent themselves
        }

    before = look()
    values = planted.private_values()
    version = planted.task.version
    assert version is not None
    version.qrels = blob_store.put(judged(private=1).encode())
    version.save()
    scored = list(Result.objects.filter(submission__task=planted.task).values_list("submission_id", flat=True))
    for name, run in planted.runs.items():
        Submission.objects.filter(pk=run.pk).update(blob=blob_store.put(planted.texts[name](3).encode()))
    Result.objects.filter(submission__task=planted.task).delete()
    Snapshot.objects.filter(task=planted.task).delete()
    for number in scored:
        evaluation.score(submission=number, version=version.pk)
    job_queue.put("board", task=planted.task, key=f"board {planted.task.pk}", task_id=planted.task.pk)
    tomorrow = timezone.now() + timedelta(days=1)
    planted.task.jobs.filter(kind="score", state="waiting").update(after=tomorrow)
    planted.world.work()
    planted.task.jobs.filter(kind="score", state="waiting").update(after=timezone.now())
    now = planted.private_values()
    assert set(values[0]).isdisjoint(now[0]), "private values did not change"
    after = look()
    assert set(after) == set(before)
    different = sorted(f"{role or 'nobody'} {path}" for role, path in before if before[role, path] != after[role, path])
    assert not different


def test_a_copy_of_another_teams_run_is_reported_to_organisers_alone(world: World) -> None:
    task = world.task()
    world.hand_in(task, "first", 1)
    world.hand_in(task, "copied", 1, team="Beta")  # the tag differs, the order does not
    world.hand_in(task, "own", 5, team="Beta")
    world.work()
    assert [one["name"] for one in Submission.objects.get(name="copied").report] == ["first"]
    assert Submission.objects.get(name="own").report == []
    page = world.client("organiser").get("/organise/ad-hoc/runs/").content.decode()
    assert "Nearly the same as another team" in page
    for name in (None, "alice", "beth", "assessor"):
        key = Submission.objects.get(name="copied").key
        assert world.client(name).get("/organise/ad-hoc/runs/").status_code in (302, 404)
        assert "Nearly" not in world.client(name).get(f"/runs/{key}/").content.decode()
        assert "report" not in program(world, name).get(f"submissions/{key}").told


def test_nothing_gives_an_attempt_back(world: World) -> None:
    """Withdrawn, failed, hidden and anonymous runs count, and so do those of people who are gone."""
    task = world.task(limit=5, embargo_days=9, anonymous_days=9)
    later = timezone.now().date() + timedelta(days=5)
    intake.withdraw(world.hand_in(task, "withdrawn"), world.people["alice"])
    world.hand_in(task, "hidden", 1, embargo=later)
    world.hand_in(task, "unnamed", 2, anonymous=later)
    failed = world.hand_in(task, "failed", 3)
    Submission.objects.filter(pk=failed.pk).update(state=Submission.FAILED)
    world.hand_in(task, "last", 4)
    assert left(task, world.teams["Alpha"]).now == 0
    world.people["alice"].delete()
    assert Submission.objects.filter(team=world.teams["Alpha"]).count() == 5
    assert left(task, world.teams["Alpha"]).now == 0
    with pytest.raises(Refused) as no:
        intake.receive(task, world.teams["Alpha"], world.people["adam"], arrived(run_text("x")), name="more")
    assert no.value.code == "E-LIMIT"
    world.work()
    board = world.client().get("/tasks/ad-hoc/").content.decode()
    assert "last" in board
    assert "Alpha" in board


def test_the_name_of_a_withdrawn_run_is_not_free_again(world: World) -> None:
    """Otherwise a permalink would name two runs."""
    task = world.task()
    intake.withdraw(world.hand_in(task, "mine"), world.people["alice"])
    with pytest.raises(Refused) as no:
        world.hand_in(task, "MINE", 2)
    assert no.value.code == "E-NAMES"


def test_a_dry_run_does_not_say_which_topics_are_private(world: World) -> None:
    """Whoever makes a run knows all topics, and must hear which ones it lacks; the split is not told by that."""
    task = world.task(private=4)
    text = run_text("x", topics=["301"])
    file = arrived(text)
    said = json.dumps(intake.check(task, file.path, "x.run").problems)
    assert "11 of 12 judged topics are missing" in said
    assert "private" not in said
    assert "private" not in program(world, "alice").post("tasks/ad-hoc/check", text).body.decode()


def test_private_values_leave_with_no_message(world: World) -> None:
    """What programs elsewhere are told holds values on public topics alone."""
    from cranfield.server.models import Delivery, Webhook

    task, places = mixed(world, told=False, count=1)
    Delivery.objects.all().delete()
    Webhook.objects.create(url="https://example.org/", team=world.teams["Alpha"], secret="s", events=["scored"])
    Submission.objects.update(state=Submission.RECEIVED)
    Result.objects.all().delete()
    version = task.version
    assert version is not None
    evaluation.score(submission=Submission.objects.get().pk, version=version.pk)
    body = json.loads(Delivery.objects.get().body)
    public = sum(1 / places["mixture0"][topic] for topic in PUBLIC) / len(PUBLIC)
    assert body["run"]["values"] == {"RR": pytest.approx(public)}
    assert Blob.objects.exists()


def test_a_picture_is_the_same_whenever_it_is_drawn(world: World) -> None:
    """Otherwise its bytes would tell how many others were drawn before it, hidden ones too."""
    task = world.filled()
    version = task.version
    assert version is not None
    first, again = (dict(pictures(task, version)) for _ in range(2))
    assert len(first) > 5
    assert first == again
    assert any(b"gradient_0" in content for content in first.values())


def pictures(task: Task, version: LabelVersion) -> Iterator[tuple[str, bytes]]:
    for name, content, _ in pictures_of(Made(gather(task, version, Snapshot.PUBLIC))):
        yield name, content


def test_a_changed_judgment_of_a_private_topic_is_named_to_nobody(world: World) -> None:
    """The note of a version is for everybody; where the organiser writes none, it does not say which topic it was."""
    task = world.filled(private=4)
    secret = task.private[0]
    # As a whole token: random ids of runs and decimals of values may hold its digits.
    named = re.compile(rf"(?<![\w.]){secret}(?![\w.])")
    change_one(task, world.people["organiser"], topic=secret, document="D01", grade=0)
    world.work()
    for name in (None, "alice", "beth"):
        for path in ("/tasks/ad-hoc/", "/tasks/ad-hoc/history/", "/tasks/ad-hoc/boards/1/", "/tasks/ad-hoc/downloads/"):
            assert not named.search(world.client(name).get(path).content.decode()), path
        assert not named.search(program(world, name).get("tasks/ad-hoc/labels").body.decode())
        assert world.client(name).get("/organise/ad-hoc/labels/2/").status_code == 404
    assert named.search(world.client("organiser").get("/tasks/ad-hoc/full/topics/").content.decode())


def test_the_header_of_an_unnamed_run_names_nobody(world: World) -> None:
    """The table of what runs add has a column for their groups: of an unnamed run it stays empty."""
    task = world.task(anonymous_days=30)
    head = "# ir_metadata.start\n# actor:\n#   team: kowari\n# ir_metadata.end"
    later = timezone.now().date() + timedelta(days=9)
    world.hand_in(task, "unnamed", text=run_text("x", 1, header=head), anonymous=later)
    world.hand_in(task, "named", 2, team="Beta")
    world.work()
    snapshot = task.snapshots.get(kind="public")
    document = json.loads(blob_store.read(snapshot.document_id))
    assert "novelty" in document["panels"]
    assert "kowari" not in json.dumps(document)


def test_a_run_called_as_unnamed_runs_are_takes_nobody_s_place(world: World) -> None:
    task = world.task(anonymous_days=30)
    world.hand_in(task, "Anonymous 1", team="Beta", text=run_text("x", 1))
    world.hand_in(task, "mine", 2, anonymous=timezone.now().date() + timedelta(days=9))
    world.work()
    document = json.loads(blob_store.read(task.snapshots.get(kind="public").document_id))
    assert {row["run"]: row["group"] for row in document["rows"]} == {"Anonymous 1": "Beta", "anonymous 2": None}
