"""Campaigns: a pool is drawn up with its cost, judged, ended; its judgments become labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.data import read_qrels
from cranfield.pooling import DEPTHS, costs_table, count_asked, parse_strategy

from . import audit, blobs, pools
from .models import Judgment, Pool, Question, Submission, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.core import Table

    from .models import User

MINUTES = 1.0  # that a judgment takes, where nobody says otherwise
CHANGES = {"strategy", "depth", "first", "budget", "shared", "seed", "known", "runs"}  # fixed once documents were asked
FEWEST = 2  # grades
EVERYBODY = 32_000  # people who judge a document of the trial: more than there are


def runs_of(task: Task) -> list[Submission]:
    """The runs that a pool can be made from, evaluated or not."""
    there = (Submission.RECEIVED, Submission.SCORED)
    found = task.submissions.filter(state__in=there, blob__isnull=False).select_related("team")
    return list(found.order_by("received", "id"))


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a pool costs before anybody judges."""

    topics: int
    runs: int
    candidates: int  # documents that may be asked for
    documents: int  # that will be
    judgments: int  # of them, with those that several people judge
    hours: float
    depths: Table  # what pools of usual depths would cost


def cost(pool: Pool, *, minutes: float = MINUTES) -> Cost:
    """What it takes to judge a pool, at so many minutes for a judgment."""
    if not pool.runs:
        raise ParameterError("there is no run to pool", hint="wait for the first runs, or upload one yourself")
    candidates = pools.candidates_of(pool)
    judged = None
    if pool.known is not None:
        judged = candidates.judged(read_qrels(blobs.path_of(pool.known.qrels_id)))
    strategy, depths = parse_strategy(pool.strategy), [*(one for one in DEPTHS if one < pool.depth), pool.depth]
    documents = count_asked(candidates, strategy, budget=pool.budget, shared=pool.shared, judged=judged)
    judgments = round(documents * (1 + pool.overlap / 100 * (pool.judges - 1)))
    return Cost(
        topics=len(candidates.topics),
        runs=len(candidates.runs),
        candidates=len(candidates),
        documents=documents,
        judgments=judgments,
        hours=judgments * minutes / 60,
        depths=costs_table(candidates, depths, judged=judged, minutes=minutes),
    )


def draw_up(task: Task, by: User, **how: Any) -> Pool:
    """A pool of the runs there are, which nobody judges yet."""
    with audit.acting():
        held = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        number = (Pool.objects.filter(task=held).aggregate(last=Max("number"))["last"] or 0) + 1
        keys = [run.key for run in runs_of(held)]
        made = Pool(task=held, number=number, made_by=by, **{"runs": keys} | how)
        check(made)
        made.save()
        audit.record(by, "pool", task=held, pool=number, strategy=made.strategy, runs=len(made.runs))
    return made


def change(pool: Pool, by: User, **how: Any) -> None:
    """Set fields of a pool; how documents are chosen is fixed once judging has begun."""
    with audit.acting():
        now = Pool.objects.select_for_update(no_key=True).get(pk=pool.pk)
        changed = [name for name, value in how.items() if getattr(now, name) != value]
        fixed = sorted(CHANGES.intersection(changed))
        if fixed and now.state != Pool.DRAFT:
            raise ParameterError(f"{fixed[0]} is fixed: judging has begun", hint="draw up another pool")
        for name in changed:
            setattr(now, name, how[name])
        check(now)
        now.save()
        if changed:
            audit.record(by, "pool changed", task=now.task, pool=now.number, changed=changed)
    pool.refresh_from_db()


def check(pool: Pool) -> None:
    """Refuse a pool that could not be judged."""
    pool.strategy = str(parse_strategy(pool.strategy))
    try:
        grades = [float(grade) for grade, _ in pool.grades]
    except (TypeError, ValueError):
        raise ParameterError("a grade is a number", hint="for example: 0 not relevant, 1 relevant") from None
    if len(grades) < FEWEST or grades != sorted(set(grades)) or not 0 <= grades[0] <= grades[-1] < float("inf"):
        hint = "two or more numbers from 0 up, the lowest first, none twice"
        raise ParameterError("these are no grades", hint=hint)
    if pool.overlap > 100 or not 1 <= pool.judges <= 10:
        raise ParameterError("so many people cannot judge a document", hint="a share up to 100 %, 1 to 10 people")
    if pool.budget == 0 or pool.depth < 1:
        raise ParameterError("this pool would be empty", hint="give a budget and a depth of one document or more")


def begin(pool: Pool, by: User) -> None:
    """Let people judge."""
    with audit.acting():
        now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
        if now.state != Pool.DRAFT:
            raise ParameterError(f"{now} is {now.get_state_display()} already", hint="nothing was changed")
        price = cost(now)
        if not price.documents:
            raise ParameterError("there is nothing to judge", hint="all documents of the runs are judged")
        now.state, now.begun = Pool.OPEN, timezone.now()
        now.save(update_fields=["state", "begun"])
        audit.record(by, "pool begun", task=now.task, pool=now.number, documents=price.documents)
    pool.refresh_from_db()


def end(pool: Pool, by: User) -> None:
    """Take no more judgments. What was said stays; another pool can go on from it."""
    with audit.acting():
        now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
        if now.state != Pool.OPEN:
            raise ParameterError(f"{now} is {now.get_state_display()}", hint="only one that is judged can be ended")
        now.state, now.ended = Pool.ENDED, timezone.now()
        now.save(update_fields=["state", "ended"])
        audit.record(by, "pool ended", task=now.task, pool=now.number)
    pool.refresh_from_db()


def set_gold(pool: Pool, by: User, rows: Sequence[tuple[str, str, float, str]]) -> int:
    """Documents of which the grade is known, and why it is that: everybody judges them first, and learns from it."""
    with audit.acting():
        now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
        if now.state == Pool.ENDED:
            raise ParameterError(f"{now} is ended", hint="draw up another pool")
        grades = {float(grade) for grade, _ in now.grades}
        for topic, document, grade, why in rows:
            if grade not in grades:
                raise ParameterError(f"{grade:g} is no grade of {now}", hint="give grades of the pool")
            asked = now.questions.filter(topic=topic, document=document, gold=None).exists()
            if asked:
                raise ParameterError(
                    f"document {document} of topic {topic} is in the pool already", hint="choose one that is not"
                )
            Question.objects.update_or_create(
                pool=now,
                topic=topic,
                document=document,
                defaults={"gold": grade, "why": why[:1000], "wanted": EVERYBODY},
            )
        now.trial = now.questions.filter(gold__isnull=False).count()
        now.save(update_fields=["trial"])
        audit.record(by, "pool trial", task=now.task, pool=now.number, documents=now.trial)
    pool.refresh_from_db()
    return pool.trial


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a pool has come."""

    asked: int
    judged: int  # of which something holds
    disputed: int
    waiting: int  # that somebody has still to judge
    budget: int
    people: list[dict[str, Any]]
    topics: list[dict[str, Any]]

    @property
    def percent(self) -> int:
        """How much of what can be asked is judged."""
        return 100 * self.judged // self.budget if self.budget else 0


def progress(pool: Pool) -> Progress:
    """How far a pool has come, by topic and by person."""
    asked = pool.questions.filter(gold=None)
    done, relevant = Q(given__gte=1), Q(grade__gte=pool.task.rel)
    counts = asked.aggregate(
        asked=Count("id"),
        judged=Count("id", filter=Q(grade__isnull=False)),
        disputed=Count("id", filter=Q(disputed=True)),
        begun=Count("id", filter=done),
    )
    topics = (
        asked.values("topic")
        .annotate(asked=Count("id"), judged=Count("id", filter=done), relevant=Count("id", filter=relevant))
        .order_by("topic")
    )
    said = Judgment.objects.filter(question__pool=pool, taken_back=None, kind=Judgment.FIRST, question__gold=None)
    people = said.values("user__username").annotate(
        judgments=Count("id"), seconds=Sum("seconds"), last=Max("made"), unsure=Count("id", filter=Q(grade=None))
    )
    return Progress(
        asked=counts["asked"],
        judged=counts["judged"],
        disputed=counts["disputed"],
        waiting=counts["asked"] - counts["begun"],
        budget=cost(pool).documents,
        people=[dict(row) for row in people.order_by("-judgments", "user__username")],
        topics=[dict(row) for row in topics],
    )
