"""From a file to a place on the board."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cranfield.server import blobs
from cranfield.server.models import Job, Result, Snapshot, Submission

if TYPE_CHECKING:
    from tests.server.world import World


def test_runs_are_evaluated_and_stand_on_a_board(world: World) -> None:
    task = world.filled()
    assert set(Submission.objects.values_list("state", flat=True)) == {Submission.SCORED}
    assert Result.objects.count() == 4
    assert not Job.objects.exclude(state=Job.DONE).exclude(kind="draw").exists()  # that one waits, and finds it done
    snapshot = Snapshot.objects.get(task=task, kind=Snapshot.PUBLIC)
    document = json.loads(blobs.read(snapshot.document_id))
    assert document["rows"][0]["run"] == "ideal"
    assert document["rows"][0]["value"] == 1  # the ideal order has an nDCG of 1
