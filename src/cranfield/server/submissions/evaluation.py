"""Job that evaluates a submission once for each label version."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.data import read_scores
from cranfield.measures import parse_measure
from cranfield.server.api import webhooks
from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.jobs import job_queue
from cranfield.server.models import Job, LabelVersion, Result, Submission
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.studies import ladder

from .stored_evaluation import evaluate_stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.data import Values


@job_queue.kind("score")
def score(*, submission: int, version: int) -> None:
    """Evaluate a run under a version of the labels. Doing it again changes nothing."""
    run = Submission.objects.select_related("task", "team", "blob").get(pk=submission)
    labels = LabelVersion.objects.select_related("task").get(pk=version)
    if run.blob_id is None or Result.objects.filter(submission=run, version=labels).exists():
        return
    values = evaluate_stored(labels.qrels_id, {run.name: run.blob_id}, run.task.measures, scale="ignore")
    document = _document(values)
    public = values.only(labels.public_topics) if labels.public_topics else None
    private = values.only(labels.private_topics) if labels.private_topics else None
    with audit_log.acting():
        now = Submission.objects.select_for_update(no_key=True).get(pk=submission)
        _, new = Result.objects.get_or_create(
            submission=now,
            version=labels,
            defaults={
                "values": blob_store.put(json.dumps(document, allow_nan=False).encode()),
                "public": _means(public),
                "private": _means(private),
            },
        )
        if now.state in (Submission.RECEIVED, Submission.FAILED):
            now.state, now.failure = Submission.SCORED, ""
            now.save(update_fields=["state", "failure"])
            audit_log.record(None, "evaluated", task=now.task, run=now.key, version=labels.number)
            webhooks.tell("scored", now.task, team=now.team, run=now)
            job_queue.put("duplicates", task=now.task, urgency=-5, submission=now.pk)
        if new:
            release(now.team_id, labels)
            ask_for_board(now.task)


def job_of(run: Submission) -> Job | None:
    """The job that evaluates a run, while it is in the queue; the first, where new labels ask for another."""
    return Job.objects.filter(kind="score", about__submission=run.pk, state__in=Job.LIVE).order_by("id").first()


@job_queue.if_failed("score")
def give_up(*, submission: int, version: int, error: str) -> None:
    """Say why a run could not be evaluated: no run stays without a reason."""
    del version
    run = Submission.objects.select_related("task").get(pk=submission)
    if run.state == Submission.RECEIVED:
        run.state, run.failure = Submission.FAILED, error.partition("\n")[0][:400]
        run.save(update_fields=["state", "failure"])
        audit_log.record(None, "failed", task=run.task, run=run.key, why=run.failure)


def _document(values: Values) -> dict[str, Any]:
    """Every value of one run: measure → topic → value."""
    found: dict[str, dict[str, Any]] = {}
    for row in values.per_topic().rows():
        found.setdefault(str(row["measure"]), {})[str(row["topic"])] = row["value"]
    return found


def _means(values: Values | None) -> dict[str, Any]:
    if values is None:
        return {}
    return {str(row["measure"]): row["value"] for row in values.summary().rows() if row["value"] is not None}


def values_of(result: Result) -> dict[str, dict[str, float]]:
    """Every value of a result: measure → topic → value."""
    found: dict[str, dict[str, float]] = json.loads(blob_store.read(result.values_id))
    return found


def release(team: int, version: LabelVersion) -> None:
    """What the Ladder tells a team of its private values, for all its runs in the order in which they came."""
    topics = version.private_topics
    if len(topics) < 2:
        return
    results = list(
        Result.objects.filter(version=version, submission__team=team)
        .select_related("submission")
        .order_by("submission__received", "submission__id")
    )
    if not results:
        return
    for row in ladder(ranking_values(results, topics))["released"].rows():
        Result.objects.filter(version=version, submission__key=row["run"]).update(released=row["released"])


def ranking_values(results: Sequence[Result], topics: Sequence[str]) -> Values:
    """What runs reach on some topics by the measure that ranks, which is the first; they are named by their keys."""
    found = [next(iter(values_of(result).items())) for result in results]
    table = {"topic": list(topics)} | {
        result.submission.key: [values[topic] for topic in topics]
        for result, (_, values) in zip(results, found, strict=True)
    }
    return replace(read_scores(table), measures=(parse_measure(found[0][0]),))


def rescore(version: LabelVersion) -> int:
    """Ask for every run of a task to be evaluated under a version; how many there are."""
    runs = list(Submission.objects.filter(task=version.task, blob__isnull=False).values_list("pk", flat=True))
    for run in runs:
        job_queue.put("score", task=version.task, submission=run, version=version.pk)
    if not runs:
        ask_for_board(version.task)
    return len(runs)
