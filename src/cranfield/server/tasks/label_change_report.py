"""Job that reports how a new label version changed the leaderboard."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from cranfield.charts import to_picture
from cranfield.core import CranfieldError
from cranfield.data import Entries, Source
from cranfield.server.boards.board_inputs import runs_on
from cranfield.server.boards.panels import to_plain
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, LabelVersion, Result, Snapshot
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.server.submissions.stored_evaluation import evaluate_stored
from cranfield.studies import relabel as compare_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.core import Study
    from cranfield.server.boards.board_inputs import Shown

FORM = 1  # of the document
PAUSE = timedelta(seconds=1)


@job_queue.kind("relabel")
def relabel(*, old: int, new: int) -> None:
    """Hold the board under new labels against the one before, once every run has been evaluated under them."""
    before, after = (LabelVersion.objects.select_related("task").get(pk=one) for one in (old, new))
    if after.changes_id is not None:
        return
    if _is_scoring(after):
        job_queue.put("relabel", task=after.task, after=timezone.now() + PAUSE, old=old, new=new)
        return
    document: dict[str, Any] = {"form": FORM, "before": before.number, "after": after.number}
    document |= {kind: _told(before, after, kind) for kind in (Snapshot.FULL, Snapshot.PUBLIC)}
    content = json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()
    with audit_log.acting():
        held = LabelVersion.objects.select_for_update(no_key=True).get(pk=new)
        if held.changes_id is None:
            held.changes = blob_store.put(content)
            held.save(update_fields=["changes"])
            audit_log.record(None, "labels compared", task=after.task, before=before.number, after=after.number)


def _is_scoring(version: LabelVersion) -> bool:
    """Whether runs are still being evaluated under it; one that cannot be is not waited for."""
    return Job.objects.filter(kind="score", about__version=version.pk, state__in=Job.LIVE).exists()


def _told(before: LabelVersion, after: LabelVersion, kind: str) -> dict[str, Any]:
    """What changed, as plain values: with all names, or with those that everybody may read."""
    ready = set(Result.objects.filter(version=after).values_list("submission_id", flat=True))
    runs = [one for one in runs_on(after.task, kind) if one.run.blob_id and one.run.pk in ready]
    if not runs:
        return {"sentence": "No run had been evaluated when the labels changed.", "tables": {}, "picture": None}
    try:
        study = _study(before, after, runs)
    except CranfieldError as error:  # no topic in common, for one
        return {"sentence": error.problem, "tables": {}, "picture": None}
    content, media = to_picture(study, "moved")
    return {
        "sentence": study.sentence,
        "tables": {name: to_plain(table) | {"notes": list(table.notes)} for name, table in study.tables.items()},
        "keys": {one.label: one.run.key for one in runs},
        "picture": {"digest": blob_store.put(content).digest, "media": media},
    }


def _study(before: LabelVersion, after: LabelVersion, runs: Sequence[Shown]) -> Study:
    task = after.task
    files = {one.label: one.run.blob_id for one in runs}
    values = [evaluate_stored(one.qrels_id, files, task.measures, scale="ignore") for one in (before, after)]
    entries = Entries(tuple(one.entry for one in runs), Source("submissions", "", "headers"))
    return compare_labels(*values, entries=entries, test=task.test, level=task.level, scale="ignore")


def changes_of(version: LabelVersion, kind: str) -> dict[str, Any] | None:
    """What is known of the changes; None while it is being worked out, and for the first version."""
    if version.changes_id is None:
        return None
    document: dict[str, Any] = json.loads(blob_store.read(version.changes_id))
    found: dict[str, Any] = document[kind]
    return found | {"before": document["before"], "after": document["after"]}
