"""Job that asks an LLM judge for the grades of a pool, separate from the assessors' judgments."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Least, Length
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs import job_queue
from cranfield.server.models import Document, Judgment, Machine, Pool, Question
from cranfield.server.operations import audit_log
from cranfield.server.tasks.topic_texts import texts_of

from .endpoint import NoAnswer, find_endpoint
from .prompts import LONGEST, PLACES, fixed, prompt_for, read_answer, words_of

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from cranfield.server.models import User

TIMES = 6  # failures in a row, after which nobody is asked any more
WAITS = [5.0, 15.0, 60.0, 300.0, 900.0]  # seconds after each of them
SLICE = 20.0  # seconds of asking, after which other work of the queue has its turn
BATCH = 100  # questions of a slice, at most
PROMPT_LONGEST = 20_000
URGENCY = -10  # everything else comes first
STOPPED = "stopped by the organisers"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What would be sent, if a machine were asked."""

    documents: int
    judged: int  # of them, by people
    textless: int  # questions left out: there is no text of the document, or none of the topic
    characters: int  # of all prompts, roughly


def plan(pool: Pool, prompt: str) -> Plan:
    """How much a machine would be sent."""
    found = _askable(pool)
    texts = Document.objects.filter(corpus__task=pool.task, name=OuterRef("document"))
    sizes = texts.annotate(size=Length("title") + Length("text") + 1).values("size")[:1]
    told = found.annotate(sent=Least(Subquery(sizes), LONGEST)).aggregate(
        documents=Count("id"), judged=Count("id", filter=Q(given__gt=0)), characters=Sum("sent")
    )
    whole = pool.questions.filter(gold=None).count()
    topics = found.values_list("topic").annotate(Count("id")).order_by()
    words = sum(count * len(words_of(pool.task, topic)) for topic, count in topics)
    frame = len(PLACES.sub("", fixed(pool, prompt)))
    return Plan(
        documents=told["documents"],
        judged=told["judged"],
        textless=whole - told["documents"],
        characters=(told["characters"] or 0) + words + frame * told["documents"],
    )


def sample(pool: Pool, prompt: str) -> str:
    """What would be asked of the first document; nothing where there is none."""
    first = unasked(machine := Machine(pool=pool, prompt=fixed(pool, prompt))).first()
    return prompt_for(machine, first) if first is not None else ""


def begin(pool: Pool, by: User, *, model: str, prompt: str) -> Machine:
    """Ask a model for all that a pool has asked people; asked again, it is another machine beside the first."""
    there = find_endpoint()
    if model not in there.models:
        raise ParameterError(f"there is no model {model}", hint=f"choose one of: {', '.join(there.models)}")
    missing = [name for name in ("{topic}", "{document}") if name not in prompt]
    if missing:
        raise ParameterError(f"the prompt has no {missing[0]}", hint="the text stands in its place")
    if len(prompt) > PROMPT_LONGEST:
        raise ParameterError("the prompt is too long", hint=f"keep it below {PROMPT_LONGEST:,} characters")
    with audit_log.acting():
        now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
        sent = plan(now, prompt)
        if not sent.documents:
            raise ParameterError("there is nothing to ask", hint="it takes topics and documents with texts, and a pool")
        names = set(now.machines.values_list("name", flat=True))
        number = len(names) + 1
        name = next(n for n in (model, *(f"{model} {i}" for i in range(2, number + 1))) if n not in names)
        made = Machine.objects.create(
            pool=now, name=name, model=model, prompt=fixed(now, prompt).replace("\0", ""), made_by=by
        )
        _put(made)
        audit_log.record(
            by, "machine", task=now.task, pool=now.number, machine=name, host=there.host, documents=sent.documents
        )
    return made


def stop(machine: Machine, by: User) -> None:
    """Ask no more; what was said stays, and it can go on."""
    with audit_log.acting():
        now = Machine.objects.select_for_update().select_related("pool__task").get(pk=machine.pk)
        if now.state not in (Machine.WAITING, Machine.ASKING):
            raise ParameterError(f"{now.name} is not being asked", hint="nothing was changed")
        _set(now, Machine.FAILED, STOPPED)
        audit_log.record(by, "machine stopped", task=now.pool.task, pool=now.pool.number, machine=now.name)


def go_on(machine: Machine, by: User) -> None:
    """Ask for what is not answered yet, after a failure or after the pool has grown."""
    find_endpoint()
    with audit_log.acting():
        now = Machine.objects.select_for_update().select_related("pool__task").get(pk=machine.pk)
        if now.state in (Machine.WAITING, Machine.ASKING):
            raise ParameterError(f"{now.name} is being asked already", hint="nothing was changed")
        left = unasked(now).count()
        if not left:
            raise ParameterError(f"{now.name} has answered everything", hint="nothing was changed")
        _set(now, Machine.WAITING)
        _put(now)
        audit_log.record(
            by, "machine goes on", task=now.pool.task, pool=now.pool.number, machine=now.name, documents=left
        )


def _put(machine: Machine, *, failures: int = 0, wait: float = 0) -> None:
    after = timezone.now() + timedelta(seconds=wait) if wait else None
    about = {"machine": machine.pk, "failures": failures}
    job_queue.put("machine", task=machine.pool.task, key=f"machine {machine.pk}", urgency=URGENCY, after=after, **about)


def _set(machine: Machine, state: str, failure: str = "") -> None:
    machine.state, machine.failure = state, failure[:400]
    machine.save(update_fields=["state", "failure"])


def _tell(machine: Machine, trouble: str) -> None:
    """Say what keeps a machine from answering, as long as it is asked."""
    Machine.objects.filter(pk=machine.pk, state=Machine.ASKING).update(failure=trouble[:400])


def _askable(pool: Pool) -> QuerySet[Question]:
    """What the pool has asked people, but for what has no text; the trial is theirs."""
    there = Document.objects.filter(corpus__task=pool.task, name=OuterRef("document"))
    topics = [topic for topic in texts_of(pool.task) if words_of(pool.task, topic)]
    return pool.questions.filter(Exists(there), gold=None, topic__in=topics)


def unasked(machine: Machine) -> QuerySet[Question]:
    """What a machine has not answered yet; what people have judged comes first, for it can be compared."""
    said = Judgment.objects.filter(question=OuterRef("pk"), worker=machine.name, kind=Judgment.MACHINE, taken_back=None)
    judged = Case(When(given__gt=0, then=0), default=1, output_field=IntegerField())
    return _askable(machine.pool).filter(~Exists(said)).order_by(judged, "id")


@job_queue.kind("machine")
def ask(*, machine: int, failures: int = 0) -> None:
    """Ask on where it was left, for a slice of time. What is kept is not asked for again."""
    there = find_endpoint()
    found = _asking(machine)
    if found is None:
        return
    if found.model not in there.models:
        raise ParameterError(f"the operator no longer offers {found.model}", hint="choose another model")
    until = time.monotonic() + SLICE
    batch = list(unasked(found)[:BATCH])
    for question in batch:
        if time.monotonic() > until or _asking(machine) is None:
            break
        prompt = prompt_for(found, question)
        try:
            answer = there.ask(found.model, prompt)
        except NoAnswer as error:
            failures += 1
            # Without any answer before, it is not the document that is wrong.
            skips = error.this and said_by(found).exclude(about__answer="").exists()
            if failures >= TIMES or not (error.again or skips):
                raise
            if not skips:
                wait = max(WAITS[failures - 1], error.wait)
                with transaction.atomic():
                    job_queue.confirm()
                    _tell(found, f"{error.problem}; it is asked again in {wait:g} seconds")
                    _put(found, failures=failures, wait=wait)
                return
            about = {"model": found.model, "answer": "", "problem": error.problem}
            _keep(found, question, prompt, about)
        else:
            if failures:
                _tell(found, "")
            failures = 0
            _keep(found, question, prompt, *read_answer(found.pool, answer))
    with transaction.atomic():
        job_queue.confirm()
        now = _asking(machine)
        if now is not None and batch:
            _put(now, failures=failures)
        elif now is not None:
            _set(now, Machine.DONE)


@job_queue.if_failed("machine")
def give_up(*, machine: int, error: str, failures: int = 0) -> None:
    """Say why nobody is asked any more."""
    del failures
    said = error.partition("\n")[0][:400]
    Machine.objects.filter(pk=machine, state__in=(Machine.WAITING, Machine.ASKING)).update(
        state=Machine.FAILED, failure=said
    )


def _asking(machine: int) -> Machine | None:
    """The machine, as long as it is to be asked."""
    live = Machine.objects.filter(pk=machine, state__in=(Machine.WAITING, Machine.ASKING))
    live.update(state=Machine.ASKING)
    return live.select_related("pool__task").first()


def said_by(machine: Machine) -> QuerySet[Judgment]:
    """What a machine has said."""
    return Judgment.objects.filter(
        question__pool=machine.pool, worker=machine.name, kind=Judgment.MACHINE, taken_back=None
    )


def _keep(
    machine: Machine, question: Question, prompt: str, about: dict[str, Any], grade: float | None = None, why: str = ""
) -> None:
    """Write down what was said, unless another worker has taken over: it asks for the same."""
    with transaction.atomic():
        job_queue.confirm()
        Judgment.objects.create(
            question=question,
            user=None,
            worker=machine.name,
            key=f"machine {machine.pk} {question.pk}",
            kind=Judgment.MACHINE,
            grade=grade,
            note=why,
            seconds=about.get("seconds", 0),
            about=about | {"prompt": hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()},
        )
