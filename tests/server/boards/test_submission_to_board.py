"""From a file to a place on the board."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from cranfield.server.accounts.visibility import Viewer
from cranfield.server.boards import board_documents
from cranfield.server.jobs import scheduled_jobs
from cranfield.server.models import Job, Result, Snapshot, Submission, Task
from cranfield.server.site import blob_store

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


def test_runs_are_evaluated_and_stand_on_a_board(world: World) -> None:
    task = world.filled()
    assert set(Submission.objects.values_list("state", flat=True)) == {Submission.SCORED}
    assert Result.objects.count() == 4
    assert not Job.objects.exclude(state=Job.DONE).exclude(kind="draw").exists()  # that one waits, and finds it done
    snapshot = Snapshot.objects.get(task=task, kind=Snapshot.PUBLIC)
    document = json.loads(blob_store.read(snapshot.document_id))
    assert document["rows"][0]["run"] == "ideal"
    assert document["rows"][0]["value"] == 1  # the ideal order has an nDCG of 1


def test_organisers_never_see_an_older_board_than_everybody(world: World) -> None:
    task = world.filled(private=4, embargo_days=30)
    late = timezone.now().date() + timedelta(days=9)
    world.hand_in(task, "late", 3, embargo=late)
    world.work()
    assert {"late"} == runs_of(task, Snapshot.FULL) - runs_of(task, Snapshot.PUBLIC)
    Submission.objects.update(embargo=None)
    scheduled_jobs.close(task_id=task.pk, by="organiser")
    world.work()
    for kind in (Snapshot.PUBLIC, Snapshot.FULL):
        document = newest(task, kind)
        assert (document["closed"], document["ranked_by"]) == (True, "private")
        assert "late" in runs_of(task, kind)
    shown = board_documents.newest_for(Task.objects.get(pk=task.pk), Viewer.of(world.people["organiser"]))
    assert shown is not None
    assert shown.kind == Snapshot.FULL
    assert board_documents.document_of(shown.document_id)["closed"]


def newest(task: Task, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        blob_store.read(task.snapshots.filter(kind=kind).order_by("-number")[0].document_id)
    )
    return found


def runs_of(task: Task, kind: str) -> set[str]:
    return {row["run"] for row in newest(task, kind)["rows"]}
