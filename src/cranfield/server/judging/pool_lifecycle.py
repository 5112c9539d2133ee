"""Create, start, change, end and delete pools; estimate their cost and report progress."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Sum
from django.utils import timezone

from cranfield.collections import DEPTHS, costs_table, count_asked, parse_strategy
from cranfield.core import ParameterError
from cranfield.data import read_qrels
from cranfield.server.models import Corpus, Judgment, Pool, Question, Submission, Task
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store

from . import crowd_import, live_pools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.collections import Strategy
    from cranfield.core import Table
    from cranfield.server.models import User

MINUTES = 1.0  # that a judgment takes, where nobody says otherwise
FIXED = set("strategy depth first budget shared seed known runs grades".split())  # once it is being judged
STANDS = {Pool.DRAFT: "is a draft", Pool.OPEN: "is being judged", Pool.ENDED: "has ended"}
LONGEST = {"strategy": 200, "topic": 200, "document": 400}  # characters that can be kept
FEWEST = 2  # grades
SAID = Q(given__gt=0, given__gte=F("wanted"), disputed=False)  # by as many as were asked, who agree or were told
EVERYBODY = 32_000  # people who judge a document of the trial: more than there are


def runs_of(task: Task) -> list[Submission]:
    """The runs that a pool can be made from, evaluated or not."""
    there = (Submission.RECEIVED, Submission.SCORED)
    found = task.submissions.filter(state__in=there, blob__isnull=False).select_related("team")
    return list(found.order_by("received", "id"))


def standing(pool: Pool) -> list[str]:
    """The runs of a pool, by key; of a draft those that nobody has withdrawn since."""
    there = {run.key for run in runs_of(pool.task)} if pool.state == Pool.DRAFT else set(pool.runs)
    return [key for key in pool.runs if key in there]


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
    runs = standing(pool)
    if not runs:
        raise ParameterError("there is no run to pool", hint="wait for the first runs, or upload one yourself")
    pool = copy(pool)
    pool.runs = runs
    candidates = live_pools.candidates_of(pool)
    judged = None
    if pool.known is not None:
        judged = candidates.judged(read_qrels(blob_store.path_of(pool.known.qrels_id)))
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
    with audit_log.acting():
        held = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        number = (Pool.objects.filter(task=held).aggregate(last=Max("number"))["last"] or 0) + 1
        keys = [run.key for run in runs_of(held)]
        made = Pool(task=held, number=number, made_by=by, **{"runs": keys} | how)
        check(made)
        made.save()
        audit_log.record(by, "pool", task=held, pool=number, strategy=made.strategy, runs=len(made.runs))
    return made


def _locked(pool: Pool) -> Pool:
    """The pool as it is now, which nobody else changes until the transaction ends."""
    found = Pool.objects.select_for_update(no_key=True).select_related("task").filter(pk=pool.pk).first()
    if found is None:
        raise ParameterError(f"{pool} is gone", hint="somebody has deleted it")
    return found


def change(pool: Pool, by: User, **how: Any) -> None:
    """Set fields of a pool; how documents are chosen is fixed once judging has begun."""
    with audit_log.acting():
        now = _locked(pool)
        if now.state == Pool.ENDED:
            raise ParameterError(f"{now} has ended", hint="draw up another pool")
        changed = [name for name, value in how.items() if getattr(now, name) != value]
        fixed = sorted(FIXED.intersection(changed))
        if fixed and now.state != Pool.DRAFT:
            raise ParameterError(f"{fixed[0]} is fixed: judging has begun", hint="draw up another pool")
        for name in changed:
            setattr(now, name, how[name])
        check(now)
        there = [float(grade) for grade, _ in now.grades]
        odd = now.questions.exclude(gold=None).exclude(gold__in=there).first()
        if odd is not None:
            raise ParameterError(f"a document of the trial has grade {odd.gold:g}", hint="keep that grade")
        now.save()
        if changed:
            audit_log.record(by, "pool changed", task=now.task, pool=now.number, changed=changed)
    pool.refresh_from_db()


def check(pool: Pool) -> None:
    """Refuse a pool that could not be judged."""
    pool.strategy = str(parse_strategy(pool.strategy))
    if len(pool.strategy) > LONGEST["strategy"]:
        hint = f"at most {LONGEST['strategy']} characters can be kept: write shorter numbers"
        raise ParameterError("the parameters of the strategy are too long", hint=hint)
    try:
        grades = [float(grade) for grade, _ in pool.grades]
    except (TypeError, ValueError):
        raise ParameterError("a grade is a number", hint="for example: 0 not relevant, 1 relevant") from None
    if len(grades) < FEWEST or grades != sorted(set(grades)) or not 0 <= grades[0] <= grades[-1] < float("inf"):
        hint = "two or more numbers from 0 up, the lowest first, none twice"
        raise ParameterError("these are no grades", hint=hint)
    if pool.overlap > 100 or not 1 <= pool.judges <= 10:
        raise ParameterError("so many people cannot judge a document", hint="a share up to 100 %, 1 to 10 people")
    if pool.overlap and pool.judges == 1:
        raise ParameterError("one person alone is not several", hint="give two people or more, or a share of 0 %")
    if pool.budget == 0 or pool.depth < 1:
        raise ParameterError("this pool would be empty", hint="give a budget and a depth of one document or more")


def check_texts(task: Task, strategy: Strategy) -> None:
    """Refuse a strategy that reads where there is nothing to read."""
    if not strategy.needs_text:
        return
    if not Corpus.objects.filter(task=task, state=Corpus.READY).exists():
        problem = f"the strategy {strategy.name} reads documents, and there is no corpus that is ready"
        raise ParameterError(problem, hint="upload one under Corpus, or choose another strategy")
    strategy.check_installed()


def begin(pool: Pool, by: User) -> None:
    """Let people judge."""
    with audit_log.acting():
        now = _locked(pool)
        if now.state != Pool.DRAFT:
            raise ParameterError(f"{now} {STANDS[now.state]}", hint="only a draft can be begun")
        check_texts(now.task, parse_strategy(now.strategy))
        now.runs = standing(now)
        _check_names(now)
        price = cost(now)
        if not price.documents:
            raise ParameterError("there is nothing to judge", hint="all documents of the runs are judged")
        now.state, now.begun = Pool.OPEN, timezone.now()
        now.save(update_fields=["state", "begun", "runs"])
        audit_log.record(by, "pool begun", task=now.task, pool=now.number, documents=price.documents)
    pool.refresh_from_db()


def _check_names(pool: Pool) -> None:
    candidates = live_pools.candidates_of(pool)
    names_of = {"topic": candidates.topics, "document": candidates.document.to_list()}
    for field, names in names_of.items():
        most = LONGEST[field]
        odd = next((name for name in names if len(name) > most), None)
        if odd is not None:
            what = f"the name of {field} {odd[:20]}… is longer than {most} characters"
            raise ParameterError(what, hint="give it a shorter one in the runs")


def end(pool: Pool, by: User) -> None:
    """Take no more judgments. What was said stays; another pool can go on from it."""
    with audit_log.acting():
        now = _locked(pool)
        if now.state != Pool.OPEN:
            raise ParameterError(f"{now} {STANDS[now.state]}", hint="only one that is being judged can be ended")
        now.state, now.ended = Pool.ENDED, timezone.now()
        now.save(update_fields=["state", "ended"])
        audit_log.record(by, "pool ended", task=now.task, pool=now.number)
    pool.refresh_from_db()


def delete(pool: Pool, by: User) -> None:
    """Take a draft away, with its trial; a pool that was begun stays."""
    with audit_log.acting():
        now = _locked(pool)
        if now.state != Pool.DRAFT:
            raise ParameterError(f"{now} {STANDS[now.state]}", hint="only a draft can be deleted")
        audit_log.record(by, "pool deleted", task=now.task, pool=now.number, strategy=now.strategy)
        now.delete()


def set_gold(pool: Pool, by: User, rows: Sequence[tuple[str, str, float, str]]) -> int:
    """Documents of which the grade is known, and why it is that: everybody judges them first, and learns from it."""
    with audit_log.acting():
        now = _locked(pool)
        if now.state == Pool.ENDED:
            raise ParameterError(f"{now} has ended", hint="draw up another pool")
        grades = {float(grade) for grade, _ in now.grades}
        topics = set(live_pools.candidates_of(now).topics)
        texts = Corpus.objects.filter(task=now.task, state=Corpus.READY).first()
        for topic, document, grade, why in rows:
            if grade not in grades:
                raise ParameterError(f"{grade:g} is no grade of {now}", hint="give grades of the pool")
            if topic not in topics:
                raise ParameterError(f"no run has topic {topic}", hint="name a topic of the pool")
            if texts is not None and not texts.documents.filter(name=document).exists():
                raise ParameterError(f"document {document} is not in the corpus", hint="nobody could read it")
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
        audit_log.record(by, "pool trial", task=now.task, pool=now.number, documents=now.trial)
    pool.refresh_from_db()
    return pool.trial


def settled(pool: Pool) -> int:
    """Documents of which all is said: by as many as were asked, without a dispute; or known, as those of the trial."""
    said = SAID & Q(gold=None)
    if pool.trial:
        same = pool.events.filter(kind="asked", topic=OuterRef("topic"), document=OuterRef("document"))
        said |= Q(Exists(same), gold__isnull=False)
    return pool.questions.filter(said).count()


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a pool has come."""

    asked: int
    judged: int
    crowd: int  # to which a file alone gives a grade: they count as not judged
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
    """How far a pool has come, by topic and by person; nobody was asked for what a file alone has."""
    asked = pool.questions.filter(gold=None, wanted__gt=0)
    relevant = Q(grade__gte=pool.task.rel)
    counts = asked.aggregate(
        asked=Count("id"),
        disputed=Count("id", filter=Q(disputed=True)),
        begun=Count("id", filter=Q(given__gte=1)),
    )
    topics = (
        asked.values("topic")
        .annotate(asked=Count("id"), judged=Count("id", filter=SAID), relevant=Count("id", filter=relevant))
        .order_by("topic")
    )
    said = Judgment.objects.filter(question__pool=pool, taken_back=None, kind=Judgment.FIRST, question__gold=None)
    people = said.values("user__username").annotate(
        judgments=Count("id"), seconds=Sum("seconds"), last=Max("made"), unsure=Count("id", filter=Q(grade=None))
    )
    return Progress(
        asked=counts["asked"],
        judged=settled(pool),
        crowd=crowd_import.of_crowd_alone(pool).count(),
        disputed=counts["disputed"],
        waiting=counts["asked"] - counts["begun"],
        budget=cost(pool).documents,
        people=[dict(row) for row in people.order_by("-judgments", "user__username")],
        topics=[dict(row) for row in topics],
    )
