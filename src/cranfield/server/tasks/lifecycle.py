"""Create, publish, change and close tasks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from cranfield.core import ParameterError
from cranfield.data import read_qrels, split_topics
from cranfield.measures import at_levels, parse_measures
from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.jobs import scheduled_jobs
from cranfield.server.models import Role, Submission, Task
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.studies import evaluate

from .label_versions import add_version, check_topics
from .topic_texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.server.models import User
    from cranfield.server.site.blob_store import Incoming

    from .label_versions import Looked

TAKEN = ("new",)  # an address of its own
BETWEEN = re.compile(r"[\s,;]+")


def slug_of(title: str) -> str:
    """The address that a title suggests."""
    return slugify(title)[:60].strip("-")


def check_slug(slug: str) -> None:
    """Refuse an address that another task has."""
    if slug in TAKEN or Task.objects.filter(slug=slug).exists():
        raise ParameterError(f"the address {slug} is taken", hint="choose another one")


def check_measures(text: str, labels: Looked) -> str:
    """Measures in their canonical form, tried on these judgments; refused where they need what is not there."""
    found = parse_measures(text)
    if not found:
        raise ParameterError("there is no measure", hint="give one or more, such as nDCG@10 AP")
    if labels.qrels is not None and labels.good and labels.judgments:
        topic, document = labels.topics[0], labels.qrels.document[0]
        evaluate(labels.qrels, {"a run": {topic: {document: 1.0}}}, found, scale="ignore")
    return " ".join(map(str, found))


def at_level(measures: str, rel: float) -> str:
    """Measures that ask whether a document is relevant, asked from this grade on unless they name their own."""
    return " ".join(map(str, at_levels(parse_measures(measures), (rel,))))


def scales_of(measures: str) -> list[dict[str, str]]:
    """What each measure is, and what its numbers allow."""
    return [
        {"measure": str(one), "scale": str(one.scale.own), "definition": (type(one).__doc__ or "").partition("\n")[0]}
        for one in parse_measures(measures)
    ]


def choose_private(judged: Sequence[str], *, share: float = 0, seed: int = 0, listed: str = "") -> list[str]:
    """The topics that are kept off the board while it is open: those that are listed, or a share drawn by a seed."""
    named = list(dict.fromkeys(word for word in BETWEEN.split(listed) if word))
    if named:
        known = set(judged)
        unknown = [topic for topic in named if topic not in known]
        if unknown:
            raise ParameterError(f"nobody judged topic {unknown[0]}", hint="list topics of the judgments")
        chosen = set(named)
        found = [topic for topic in judged if topic in chosen]
    else:
        found = list(split_topics(judged, share, seed=seed)[1]) if share else []
    check_topics(judged, found)
    return found


def make_task(
    by: User,
    *,
    title: str,
    qrels: Incoming | None = None,
    slug: str = "",
    topics: Incoming | None = None,
    private: Sequence[str] = (),
    publish_now: bool = False,
    name: str = "qrels",
    **rules: Any,
) -> Task:
    """A task with its first labels, of which ``by`` is the organiser. ``rules`` are other fields of a task.

    Without ``qrels`` it is a campaign: there are topics, runs come in, people judge what they find.
    """
    if qrels is None and topics is None:
        raise ParameterError("there are neither judgments nor topics", hint="upload a file of one of them")
    address = slug or slug_of(title)
    check_slug(address)
    with audit_log.acting():
        try:
            with transaction.atomic():
                made = Task.objects.create(
                    slug=address,
                    title=title,
                    private=list(private),
                    topics=topics.keep() if topics is not None else None,
                    **rules,
                )
        except IntegrityError:
            raise ParameterError(f"the address {address} is taken", hint="choose another one") from None
        Role.objects.create(task=made, user=by, role=Role.ORGANISER)
        audit_log.record(by, "new task", task=made, title=title, measures=made.measures, private=len(private))
        if qrels is not None:
            add_version(made, qrels, by, note="the first labels", name=name)
        if publish_now:
            publish(made, by)
    return made


def publish(task: Task, by: User) -> None:
    """Let everybody see a draft, and teams submit."""
    with audit_log.acting():
        now = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        if now.state != Task.DRAFT:
            raise ParameterError(f"the task is {now.get_state_display()} already", hint="nothing was changed")
        if now.version is None and not texts_of(now):
            raise ParameterError("the task has no judgments yet", hint="upload a file of them first")
        now.state = Task.OPEN
        now.save(update_fields=["state"])
        audit_log.record(by, "publish", task=now)
        ask_for_board(now)
    task.state = now.state


def close(task: Task, by: User) -> None:
    """End a task: no more submissions, and what was private may be told. It cannot be opened again."""
    if task.state != Task.OPEN:
        raise ParameterError(f"the task is {task.get_state_display()}", hint="only an open task can be closed")
    scheduled_jobs.close(task_id=task.pk, by=by.username)
    task.refresh_from_db()


def has_runs(task: Task) -> bool:
    """Whether somebody has handed in a run."""
    return Submission.objects.filter(task=task, blob__isnull=False).exists()


def change(task: Task, by: User, told: dict[str, Any]) -> list[str]:
    """Set fields of a task; which ones are other than before.

    The split is fixed once runs are in. Other measures then make a new version of the labels, with the same judgments:
    every run is evaluated again, and what the board said before stays under its address.
    """
    with audit_log.acting():
        now = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        changed = [name for name, value in told.items() if getattr(now, name) != value]
        if not changed:
            return []
        runs = has_runs(now)
        if "private" in changed and (runs or now.state == Task.CLOSED):
            raise ParameterError(
                "the private topics are fixed: runs are in", hint="make another task for another split"
            )
        for name in changed:
            setattr(now, name, told[name])
        now.save(update_fields=changed)
        about = {name: _plain(told[name]) for name in changed if name not in ("about", "private")}
        audit_log.record(by, "settings", task=now, changed=changed, **({"to": about} if about else {}))
        if "measures" in changed and runs:
            _again(now, by)
        else:
            ask_for_board(now)
    task.refresh_from_db()
    return changed


def _again(task: Task, by: User) -> None:
    """The same judgments as a new version, for results are kept once for each version."""
    last = task.version
    assert last is not None
    with blob_store.incoming() as file:
        file.write(blob_store.read(last.qrels_id))
        add_version(task, file, by, note=f"measures: {task.measures}"[:300], name=f"version {last.number}")


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def judged_topics(task: Task) -> list[str]:
    """The topics of the newest labels; before there are any, those of the texts."""
    last = task.version
    return list(last.judged) if last is not None else list(texts_of(task))


def labels_of(task: Task) -> Looked:
    """The newest labels, read."""
    from .label_versions import Looked

    last = task.version
    if last is None:
        return Looked(problems=[], qrels=None)
    return Looked(problems=[], qrels=read_qrels(blob_store.path_of(last.qrels_id), name="qrels"))


def set_baseline(run: Submission, by: User, *, baseline: bool) -> None:
    """Say that a run is one to be beaten, or that it is not; the board shows each run beside the first of them."""
    with audit_log.acting():
        Submission.objects.filter(pk=run.pk).update(baseline=baseline)
        audit_log.record(by, "baseline" if baseline else "no baseline", task=run.task, run=run.key, name=run.name)
        ask_for_board(run.task)
