"""Check and import crowd labels from a file."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef

from cranfield.core import InputError, ParameterError
from cranfield.data import read_labels
from cranfield.server.models import Document, Judgment, Pool, Question
from cranfield.server.operations import audit_log
from cranfield.server.submissions.intake import problem_rows

from . import live_pools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from django.db.models import QuerySet

    from cranfield.data import Labels
    from cranfield.server.models import User

ENDINGS = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json")
LARGE = 64 << 20  # bytes
MOST = 500_000  # labels
MANY = 500  # rows that are written at once
LONG = 150  # letters of a worker's name
KEY = 40  # letters
NAMED = "its first line names the columns: worker, topic, document, label"
HINTS = dict.fromkeys(("E-COLUMNS", "E-FIELDS", "E-SWAPPED"), NAMED)  # where there is a page, and no Python


@dataclass(frozen=True, slots=True)
class Label:
    """What a line of the file says."""

    key: str  # of the file and its line: what is imported twice is kept once
    worker: str
    machine: bool
    topic: str
    document: str
    grade: float


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What a file holds, and what of it would be left out."""

    labels: int
    workers: int
    machines: int  # workers that are machines
    new: list[Label]
    known: int  # imported before, or said twice by one worker
    fresh: int  # documents that nobody was asked for
    topics: list[str] = field(default_factory=list)  # that the pool does not have
    documents: list[str] = field(default_factory=list)  # of which nobody knows
    grades: list[float] = field(default_factory=list)  # that the pool does not have
    left_out: int = 0  # labels with one of these
    problems: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def _called(path: str, name: str) -> Iterator[Path]:
    """The file under a name that says what it is."""
    ending = PurePath(name).suffix.lower()
    if ending not in ENDINGS:
        hint = "give a CSV, TSV or JSON Lines file, not packed: worker, topic, document, label"
        raise InputError(f"the name of the file ends in “{ending}”", hint=hint, code="E-FORMAT")
    if Path(path).stat().st_size > LARGE:
        raise InputError(f"the file is larger than {LARGE >> 20} MB", hint="cut it in parts", code="E-LARGE")
    if b"\0" in Path(path).read_bytes():  # a name with one could not be kept
        raise InputError("the file holds a NUL byte", hint="is this a text file, or a packed one?", code="E-NUL")
    named = Path(f"{path}{ending}")
    os.link(path, named)
    try:
        yield named
    finally:
        named.unlink(missing_ok=True)


def _read(path: str, name: str) -> Labels:
    with _called(path, name) as named:
        try:
            labels = read_labels(named, name=PurePath(name).name)
        except InputError as error:
            hint = HINTS.get(error.code or "", error.hint)
            raise InputError(error.problem, hint=hint, code=error.code, line=error.line) from None
    if len(labels) > MOST:
        raise InputError(f"there are {len(labels):,} labels", hint=f"at most {MOST:,} can be taken", code="E-LARGE")
    longest = max(labels.workers, key=len)
    if len(longest) > LONG:
        raise InputError(f"a worker has a name of {len(longest)} letters", hint=f"use up to {LONG}", code="E-LINE")
    return labels


def _labels(labels: Labels, digest: str) -> list[Label]:
    """The labels in the order of time where the file tells it, else of its lines."""
    answers = labels.answers
    machine, documents = labels.machine.tolist(), labels.document.to_list()
    topic, grades = labels.topic.tolist(), labels.grades.tolist()
    columns = zip(answers.item.tolist(), answers.worker.tolist(), answers.choice.tolist(), strict=True)
    found = [
        Label(
            hashlib.sha256(f"{digest} {line}".encode()).hexdigest()[:KEY],
            labels.workers[worker],
            machine[worker],
            labels.topics[topic[item]],
            documents[item],
            grades[choice],
        )
        for line, (item, worker, choice) in enumerate(columns)
    ]
    if labels.time is None:
        return found
    return [found[line] for line in sorted(range(len(found)), key=labels.time.tolist().__getitem__)]


def look_at(pool: Pool, path: str, name: str, digest: str) -> Looked:
    """Read a file of labels, and say what of it is new to a pool; nothing is changed."""
    labels = _read(path, name)
    every = _labels(labels, digest)
    topics, documents, grades = _strange(pool, every)
    fit = [one for one in every if one.topic not in topics and one.grade not in grades]
    fit = [one for one in fit if (one.topic, one.document) not in documents]
    asked = set(pool.questions.values_list("topic", "document"))
    said = Judgment.objects.filter(question__pool=pool, user=None, kind__in=(Judgment.CROWD, Judgment.MACHINE))
    keys = set(said.values_list("key", flat=True))
    there = set(said.filter(taken_back=None).values_list("question__topic", "question__document", "worker", "kind"))
    new = []
    for one in fit:
        place = (one.topic, one.document, one.worker, _kind(one))
        if one.key in keys or place in there:
            continue
        there.add(place)
        new.append(one)
    return Looked(
        labels=len(every),
        workers=len(labels.workers),
        machines=sum(labels.machine.tolist()),
        new=new,
        known=len(fit) - len(new),
        fresh=len({(one.topic, one.document) for one in new} - asked),
        topics=sorted(topics),
        documents=sorted(document for _, document in documents),
        grades=sorted(grades),
        left_out=len(every) - len(fit),
        problems=problem_rows(labels.source.problems),
    )


def _kind(one: Label) -> str:
    """A machine is no part of a crowd: it never counts as what people say."""
    return Judgment.MACHINE if one.machine else Judgment.CROWD


def _strange(pool: Pool, every: list[Label]) -> tuple[set[str], set[tuple[str, str]], set[float]]:
    """Topics and grades that the pool does not have; documents in none of its runs, nor in the corpus."""
    candidates = live_pools.candidates_of(pool)
    starts, names = candidates.starts.tolist(), candidates.document.to_list()
    known = {
        (topic, document)
        for place, topic in enumerate(candidates.topics)
        for document in names[starts[place] : starts[place + 1]]
    }
    known |= set(pool.questions.values_list("topic", "document"))
    asked = {*candidates.topics, *(topic for topic, _ in known)}
    topics = {one.topic for one in every} - asked
    other = {(one.topic, one.document) for one in every if one.topic in asked} - known
    wanted = sorted({document for _, document in other})
    there: set[str] = set()
    for start in range(0, len(wanted), MANY):
        some = Document.objects.filter(corpus__task=pool.task, name__in=wanted[start : start + MANY])
        there |= set(some.values_list("name", flat=True))
    grades = {one.grade for one in every} - {float(grade) for grade, _ in pool.grades}
    return topics, {(topic, document) for topic, document in other if document not in there}, grades


def import_labels(pool: Pool, by: User, path: str, name: str, digest: str) -> int:
    """Keep the labels of a file that are new; how many. Nobody is asked for a document because a file has it."""
    with audit_log.acting():
        now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
        if now.state != Pool.OPEN:
            hint = "begin it first" if now.state == Pool.DRAFT else "its organisers have ended it"
            raise ParameterError("the pool takes no judgments now", hint=hint)
        looked = look_at(now, path, name, digest)
        if not looked.new:
            return 0
        questions = _questions(now, looked.new)
        about = {"file": PurePath(name).name}
        made = [
            Judgment(
                question_id=questions[one.topic, one.document],
                worker=one.worker,
                key=one.key,
                kind=_kind(one),
                grade=one.grade,
                about=about if one.machine else {},
            )
            for one in looked.new
        ]
        Judgment.objects.bulk_create(made, batch_size=MANY)
        audit_log.record(
            by,
            "judgments imported",
            task=now.task,
            pool=now.number,
            file=about["file"],
            digest=digest,
            judgments=len(made),
        )
    return len(made)


def _questions(pool: Pool, new: list[Label]) -> dict[tuple[str, str], int]:
    """The questions of the labels by topic and document; who judges here is asked for none of those that are made."""
    items = dict.fromkeys((one.topic, one.document) for one in new)
    there = set(pool.questions.values_list("topic", "document"))
    missing = [
        Question(pool=pool, topic=topic, document=document, wanted=0)
        for topic, document in items
        if (topic, document) not in there
    ]
    Question.objects.bulk_create(missing, batch_size=MANY)
    found = pool.questions.values_list("topic", "document", "pk")
    return {(topic, document): pk for topic, document, pk in found}


def of_crowd_alone(pool: Pool) -> QuerySet[Question]:
    """Documents to which a file alone gives a grade: nobody here did, and nobody decided."""
    said = Judgment.objects.filter(question=OuterRef("pk"), taken_back=None)
    graded = said.filter(grade__isnull=False)
    here = Exists(graded.filter(kind=Judgment.FIRST)) | Exists(said.filter(kind=Judgment.LAST))
    return pool.questions.filter(Exists(graded.filter(kind=Judgment.CROWD)), gold=None).exclude(here)
