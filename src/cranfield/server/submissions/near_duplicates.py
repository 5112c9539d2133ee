"""Job that finds runs of other teams that are identical or nearly identical to a submission."""

from __future__ import annotations

from typing import Any

from cranfield.server.jobs import job_queue
from cranfield.server.models import Submission
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.studies import duplicates as find_duplicates


@job_queue.kind("duplicates")
def duplicates(*, submission: int) -> None:
    """Hold a run against those of all other teams, and note which are the same or nearly."""
    run = Submission.objects.select_related("task", "team").get(pk=submission)
    others = (
        Submission.objects.filter(
            task=run.task, blob__isnull=False, state__in=(Submission.SCORED, Submission.WITHDRAWN)
        )
        .exclude(team=run.team)
        .exclude(pk=run.pk)
        .select_related("team")
    )
    every = {one.key: one for one in (run, *others)}
    if len(every) < 2 or run.blob_id is None:
        return
    told = find_duplicates(
        {key: blob_store.path_of(str(one.blob_id)) for key, one in every.items()},
        groups={key: one.team.name for key, one in every.items()},
        against=run.key,
    )
    found = []
    for row in told["pairs"].rows():
        other = every[str(row["b"] if row["a"] == run.key else row["a"])]
        whose: dict[str, Any] = {"run": other.key, "name": other.name, "team": other.team.name}
        found.append(whose | {"rbo": row["rbo"], "equal": bool(row["equal"])})
    with audit_log.acting():
        held = Submission.objects.select_for_update(no_key=True).get(pk=submission)
        if held.report != found:
            held.report = found
            held.save(update_fields=["report"])
            if found:
                audit_log.record(None, "alike", task=run.task, run=run.key, others=[one["run"] for one in found])
