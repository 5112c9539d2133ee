"""Versions of the labels: looked at, made, compared."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, LabelVersion, Result, Snapshot, Task
from cranfield.server.site import blob_store
from cranfield.server.tasks import lifecycle
from cranfield.server.tasks.label_change_report import relabel
from cranfield.server.tasks.label_versions import add_version
from tests.support.server.users_and_tasks import TOPICS, arrived, qrels

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World

PAGE = "/organise/ad-hoc/labels/"
# Topic 301 has one relevant document, D01; now it is D08, which only the worst run has high.
CHANGED = {("301", "D01"): 0, ("301", "D08"): 2, ("302", "D01"): 3}


def a_file(text: str) -> dict[str, Any]:
    return {"qrels": SimpleUploadedFile("new.qrels", text.encode()), "note": "assessor B looked again"}


def token_of(text: str) -> str:
    return text.split('name="held_qrels" value="')[1].split('"')[0]


def test_a_file_is_looked_at_before_it_counts(world: World) -> None:
    world.filled()
    client = world.client("organiser")
    more = qrels(CHANGED).replace("312 0 D08 0\n", "") + "301 0 D99 1\n"
    text = client.post(PAGE, a_file(more)).content.decode()
    # Raised: D08 of 301 from 0 to 2 and D01 of 302 from 2 to 3; lowered: D01 of 301; the rest of 96 but one stays.
    assert "1 added · 1 removed · 2 raised · 1 lowered · 92 as before" in text
    assert "D99" in text
    assert LabelVersion.objects.count() == 1
    answer = client.post(PAGE, {"held_qrels": token_of(text), "note": "assessor B looked again", "make": "1"})
    assert answer["Location"] == PAGE + "2/"
    made = LabelVersion.objects.get(number=2)
    assert blob_store.read(made.qrels_id).decode() == more
    assert made.note == "assessor B looked again"
    assert made.made_by == world.people["organiser"]


def test_a_new_version_evaluates_everything_again_and_says_what_moved(world: World) -> None:
    task = world.filled()
    first = Snapshot.objects.get(task=task)
    before = blob_store.read(first.document_id)
    client = world.client("organiser")
    page = client.post(PAGE, {"topic": "301", "document": "D01", "grade": 0, "why": ""})
    assert page["Location"] == PAGE + "2/"
    waiting = client.get(PAGE + "2/").content.decode()
    assert "0 of 4 runs evaluated" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    world.work()
    assert Result.objects.filter(version__number=2).count() == 4
    assert not Job.objects.filter(kind__in=("score", "relabel", "board")).exclude(state=Job.DONE).exists()
    text = client.get(PAGE + "2/").content.decode()
    assert "0 added, 0 removed, 0 raised, 1 lowered, 95 as before" in text
    assert "hx-trigger" not in text.split('id="changes"')[1]
    assert "one judgment was changed" in text
    # The ideal run: 1 in every topic before; now topic 301 has nothing relevant, so (12 − 1) / 12.
    assert "1.0000" in text
    assert f"{11 / 12:.4f}" in text
    assert f"−{1 / 12:.4f}" in text
    picture = client.get(PAGE + "2/picture")
    assert picture["Content-Type"] == "image/svg+xml"
    assert blob_store.read(first.document_id) == before  # the permalink of version 1 stays as it was
    assert Snapshot.objects.get(task=task, number=2).version.number == 2
    fragment = client.get(PAGE + "2/", headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div id="changes"')


def test_the_first_version_has_no_changes(world: World) -> None:
    world.filled()
    text = world.client("organiser").get(PAGE + "1/").content.decode()
    assert "nothing came before them" in text
    assert world.client("organiser").get(PAGE + "1/picture").status_code == 404
    assert world.client("organiser").get(PAGE + "7/").status_code == 404


def test_everybody_sees_the_changes_once_the_task_is_closed(world: World) -> None:
    task = world.task(private=4, embargo_days=400, anonymous_days=400)
    later = timezone.now().date() + timedelta(days=300)
    world.hand_in(task, "ideal")
    world.hand_in(task, "hidden-run", 1, embargo=later)
    world.hand_in(task, "shy-run", 2, team="Beta", anonymous=later)
    world.work()
    client = world.client("organiser")
    client.post(PAGE, {"topic": "301", "document": "D02", "grade": 2, "why": ""})
    world.work()
    for who in ("alice", "beth", "assessor", "loner", None):
        assert world.client(who).get(PAGE + "2/").status_code == 404
        assert world.client(who).get(PAGE + "2/picture").status_code == 404
    lifecycle.close(task, world.people["organiser"])
    for who in ("alice", "loner", None):
        text = world.client(who).get(PAGE + "2/").content.decode()
        assert "ideal" in text
        assert "anonymous 1" in text
        for secret in ("hidden-run", "shy-run", "Beta", "D02</td>", PAGE + '"'):
            assert secret not in text
        picture = world.client(who).get(PAGE + "2/picture").content.decode()
        assert "hidden-run" not in picture
        assert "shy-run" not in picture
    text = client.get(PAGE + "2/").content.decode()
    assert "hidden-run" in text
    assert "shy-run" in text
    assert "D02" in text
    Task.objects.filter(pk=task.pk).update(labels_public=True)
    assert "D02" in world.client().get(PAGE + "2/").content.decode()
    Task.objects.filter(pk=task.pk).update(invited_only=True)
    assert world.client("loner").get(PAGE + "2/").status_code == 404
    assert world.client("alice").get(PAGE + "2/").status_code == 200


def test_the_comparison_waits_for_runs_that_are_not_evaluated(world: World) -> None:
    task = world.filled()
    lifecycle.change(task, world.people["organiser"], {"measures": "AP"})
    old, new = (LabelVersion.objects.get(number=number) for number in (1, 2))
    Job.objects.filter(kind="relabel").delete()
    relabel(old=old.pk, new=new.pk)  # four runs are not evaluated yet
    new.refresh_from_db()
    assert new.changes_id is None
    again = Job.objects.get(kind="relabel")
    assert again.state == Job.WAITING
    assert timedelta(0) < again.after - timezone.now() <= timedelta(seconds=1)
    Job.objects.filter(pk=again.pk).update(after=timezone.now())
    world.work()
    new.refresh_from_db()
    assert new.changes_id is not None
    kept = new.changes_id
    relabel(old=old.pk, new=new.pk)  # a second time changes nothing
    new.refresh_from_db()
    assert new.changes_id == kept


def test_a_run_that_cannot_be_evaluated_does_not_hold_up_the_others(world: World) -> None:
    world.filled()
    client = world.client("organiser")
    client.post(PAGE, {"topic": "301", "document": "D01", "grade": 1, "why": ""})
    version = LabelVersion.objects.get(number=2)
    Job.objects.filter(kind="score", state=Job.WAITING).first().delete()  # type: ignore[union-attr]
    world.work()
    version.refresh_from_db()
    assert version.changes_id is not None
    assert len(json.loads(blob_store.read(version.changes_id))["full"]["tables"]["moved"]["rows"]) == 3


def test_without_runs_there_is_nothing_to_move(world: World) -> None:
    world.task()
    client = world.client("organiser")
    client.post(PAGE, {"topic": "301", "document": "D09", "grade": 1, "why": ""})
    world.work()
    text = client.get(PAGE + "2/").content.decode()
    assert "No run had been evaluated" in text
    assert client.get(PAGE + "2/picture").status_code == 404
    page = client.get(PAGE).content.decode()
    assert "one judgment was changed" in page


def test_labels_of_other_topics_say_so(world: World) -> None:
    world.filled()
    client = world.client("organiser")
    other = "".join(f"9{topic} 0 D01 1\n" for topic in TOPICS)
    text = client.post(PAGE, a_file(other)).content.decode()
    assert "New topics, public: 9301" in text
    assert "Topics that go: 301" in text
    client.post(PAGE, {"held_qrels": token_of(text), "note": "", "make": "1"})
    world.work()
    assert client.get(PAGE + "2/").status_code == 200


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"topic": "301", "document": "D01", "grade": 2}, "has that grade"),
        ({"topic": "999", "document": "D01", "grade": 2}, "There is no topic 999"),
        ({"topic": "301", "document": "nope", "grade": -1}, "Nobody judged document nope in topic 301."),
        ({"topic": "301", "document": "D 1", "grade": 2}, "cannot be called"),
        ({"topic": "301", "document": "", "grade": 2}, "required"),
        ({"topic": "301", "document": "D01", "grade": "x"}, "whole number"),
        ({"topic": "301", "document": "D01", "grade": -2}, "greater than or equal to"),
        ({}, "Choose a file of judgments"),
        ({"held_qrels": "forged"}, "no longer here"),
    ],
)
def test_what_changes_nothing_makes_no_version(world: World, sent: dict[str, Any], said: str) -> None:
    world.task()
    answer = world.client("organiser").post(PAGE, sent)
    assert said in answer.content.decode()
    assert LabelVersion.objects.count() == 1


def test_judgments_of_private_topics_alone_are_refused(world: World) -> None:
    """There could be no board: the job that makes it would fail, and the old one would stand for ever."""
    task = world.filled(private=4)
    private = "".join(f"{line}\n" for line in qrels().splitlines() if line.split()[0] in task.private)
    text = world.client("organiser").post(PAGE, a_file(private)).content.decode()
    assert "No topic is left for the board. It needs two or more that are not private." in text
    assert "Make version" not in text
    with pytest.raises(ParameterError, match="no topic is left for the board"):
        add_version(task, arrived(private, "q").arriving, world.people["organiser"])
    assert LabelVersion.objects.count() == 1
    one = private + "301 0 D01 1\n"
    with pytest.raises(ParameterError, match="only one topic is left for the board"):
        add_version(task, arrived(one, "q").arriving, world.people["organiser"])
    two = one + "302 0 D01 1\n"
    add_version(task, arrived(two, "q").arriving, world.people["organiser"])
    world.work()
    assert not Job.objects.filter(state=Job.FAILED).exists()
    assert Snapshot.objects.filter(kind=Snapshot.PUBLIC, version__number=2).exists()


def test_a_bad_file_is_told_with_its_codes(world: World) -> None:
    world.task()
    text = world.client("organiser").post(PAGE, a_file("301 0 D01 1\n301 0 D01 2\n302 0 D02\n")).content.decode()
    assert "E-CONFLICT" in text
    assert "E-FIELDS" in text
    assert "Make version" not in text
    assert LabelVersion.objects.count() == 1


def test_minus_one_takes_a_judgment_away(world: World) -> None:
    world.task()
    world.client("organiser").post(PAGE, {"topic": "301", "document": "D01", "grade": -1, "why": "withdrawn"})
    made = LabelVersion.objects.get(number=2)
    assert "301 0 D01 -1" in blob_store.read(made.qrels_id).decode()
    assert made.note == "withdrawn"


def test_a_job_that_asks_again_is_a_kind_of_work() -> None:
    from cranfield.server.jobs import scheduled_jobs  # noqa: F401

    assert {"relabel", "duplicates", "close", "score", "board"} <= set(job_queue.KINDS)
