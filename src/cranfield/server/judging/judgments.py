"""Assign documents to assessors, store their judgments and determine the final grades."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, F, OuterRef, Q
from django.utils import timezone

from cranfield.server.models import Judgment, Pool, Question, Turn
from cranfield.server.submissions.intake import Refused

from . import live_pools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from cranfield.collections import Asked
    from cranfield.server.models import User

    from .live_pools import Live

PATIENCE = timedelta(minutes=30)  # after which others are asked what somebody has in hand
ENDED = "the pool takes no judgments now"


@dataclass(frozen=True, kw_only=True)
class Said:
    """What somebody says of a document; ``key`` is made by who sends it, who may send it again."""

    key: str
    topic: str
    document: str
    grade: float | None  # None: it cannot be judged
    note: str = ""
    seconds: float = 0


def next_for(pool: Pool, user: User) -> Question | None:
    """What somebody is to judge now: what they have in hand, else something new; None: there is nothing for them."""
    if pool.state == Pool.OPEN and (mine := in_hand(pool, user)):
        return mine[0]
    with live_pools.held(pool) as live:
        if live.pool.state != Pool.OPEN:
            return None
        mine = in_hand(pool, user)  # asked for twice at once
        return mine[0] if mine else hand_out(live, user)


def in_hand(pool: Pool, user: User) -> list[Question]:
    """What somebody was asked and has not answered, in the order in which they were asked."""
    turns = Turn.objects.filter(question__pool=pool, user=user, state=Turn.OUT)
    return [turn.question for turn in turns.select_related("question").order_by("id")]


def hand_out(live: Live, user: User, *, ahead: bool = False) -> Question | None:
    """Ask somebody for one more document; None: there is nothing for them.

    First comes the trial, then what others have judged and one more is to judge, then what the strategy asks for, of
    their own topic as long as that has some; at the end what they have put off. ``ahead`` of an answer a strategy that
    learns from it is not asked: the order would be another.
    """
    found = sure(live.pool, user)
    if found is None and not (ahead and live.judging.strategy.adaptive):
        found = _new(live, user) or _waiting(live.pool, user)
        found = found or _put_off_first(live.pool, user)
    if found is not None:
        Turn.objects.create(question=found, user=user)
    return found


def sure(pool: Pool, user: User) -> Question | None:
    """What comes for somebody whatever is answered before it: of the trial, or what others have judged."""
    return _trial(pool, user) or _begun(pool, user)


def _put_off_first(pool: Pool, user: User) -> Question | None:
    """What somebody put off before all else; its turn ends, as it comes after those they have in hand now."""
    later = Turn.objects.filter(question__pool=pool, user=user, state=Turn.LATER)
    turn = later.select_related("question").order_by("at", "id").first()
    if turn is None:
        return None
    turn.delete()
    return turn.question


def judge(pool: Pool, user: User, said: Said) -> Judgment:
    """Keep what somebody says, once, however often it is sent; the strategy learns from the first that is said."""
    with live_pools.held(pool) as live:
        if (known := _sent_before(user, said)) is not None:
            return known
        question = _question(live, said)
        if question is None:
            raise Refused("nobody was asked for this document", hint="go on with the next one", code="E-TURN")
        if _live(question).filter(user=user, kind=Judgment.FIRST).exists():
            raise Refused("you have judged this document", hint="undo it first, or go on", code="E-TURN")
        mine = Turn.objects.filter(question=question, user=user)
        if question.given >= question.wanted and not mine.exists():
            raise Refused("somebody else has judged this document", hint="go on with the next one", code="E-TURN")
        mine.delete()
        return _keep(live, question, user, said, Judgment.FIRST)


def _sent_before(user: User, said: Said) -> Judgment | None:
    return Judgment.objects.filter(user=user, key=said.key).first()


def _question(live: Live, said: Said) -> Question | None:
    """What an answer is about, if the pool takes such answers."""
    _check(live.pool, said)
    return live.pool.questions.filter(topic=said.topic, document=said.document).first()


def _keep(live: Live, question: Question, user: User, said: Said, kind: str) -> Judgment:
    made = Judgment.objects.create(
        question=question,
        user=user,
        key=said.key,
        kind=kind,
        grade=said.grade,
        note=said.note,
        seconds=max(0.0, said.seconds),
    )
    settle(live, question)
    return made


def put_off(pool: Pool, user: User, topic: str, document: str) -> None:
    """Leave a document for the end."""
    with live_pools.held(pool):
        Turn.objects.filter(question__pool=pool, question__topic=topic, question__document=document, user=user).update(
            state=Turn.LATER, at=timezone.now()
        )


def take_back(pool: Pool, user: User) -> Question | None:
    """Unsay what somebody said last; they have that document in hand again. None: there is nothing to unsay."""
    with live_pools.held(pool) as live:
        if live.pool.state != Pool.OPEN:
            raise Refused(ENDED, hint="its organisers have ended it", code="E-CLOSED")
        said = Judgment.objects.filter(question__pool=pool, user=user, kind=Judgment.FIRST, taken_back=None)
        last = said.select_related("question").order_by("-id").first()
        if last is None:
            return None
        if _live(last.question).filter(kind=Judgment.LAST).exists():
            raise Refused("this document has been decided", hint="ask the organisers", code="E-TURN")
        last.taken_back = timezone.now()
        last.save(update_fields=["taken_back"])
        Turn.objects.filter(question__pool=pool, user=user, state=Turn.OUT).update(state=Turn.LATER)
        Turn.objects.update_or_create(
            question=last.question, user=user, defaults={"state": Turn.OUT, "at": timezone.now()}
        )
        settle(live, last.question)
        return last.question


def decide(pool: Pool, user: User, said: Said) -> Judgment:
    """Say what holds where people differ; a later decision takes the place of an earlier one."""
    with live_pools.held(pool) as live:
        if (known := _sent_before(user, said)) is not None:
            return known
        question = _question(live, said)
        if question is None or not (question.disputed or _live(question).filter(kind=Judgment.LAST).exists()):
            raise Refused("there is nothing to decide", hint="nobody differs on this document", code="E-TURN")
        if _live(question).filter(user=user, kind=Judgment.FIRST).exists():
            raise Refused("you have judged this document", hint="somebody else decides", code="E-TURN")
        _live(question).filter(kind=Judgment.LAST).update(taken_back=timezone.now())
        return _keep(live, question, user, said, Judgment.LAST)


def settle(live: Live, question: Question) -> None:
    """Work out what holds of a document, and let the strategy know it."""
    said = list(_live(question).exclude(kind=Judgment.MACHINE).order_by("id"))
    first = [one.grade for one in said if one.kind == Judgment.FIRST]
    last = [one.grade for one in said if one.kind == Judgment.LAST]
    question.given = len(first)
    full, same = len(first) >= question.wanted, len(set(first)) == 1
    question.disputed = full and not same and not last
    holds = last[-1:] or first[:1] * (full and same)
    question.grade = holds[0] if holds else None
    question.save(update_fields=["given", "grade", "disputed"])
    if question.gold is not None:  # the strategy did not ask for it
        return
    before = live.judging.grade_of(question.topic, question.document)
    now = _learnt((last[-1:] or first)[0]) if last or first else None
    if now is None and before is not None:
        live.take_back(question.topic, question.document)
    elif now is not None and now != before:
        live.tell(question.topic, question.document, now)


def _learnt(grade: float | None) -> float:
    return -1.0 if grade is None else grade


def _live(question: Question) -> QuerySet[Judgment]:
    return Judgment.objects.filter(question=question, taken_back=None)


def _check(pool: Pool, said: Said) -> None:
    if pool.state != Pool.OPEN:
        raise Refused(ENDED, hint="its organisers have ended it", code="E-CLOSED")
    grades = [float(grade) for grade, _ in pool.grades]
    if said.grade is not None and said.grade not in grades:
        hint = f"choose one of {', '.join(grade for grade, _ in pool.grades)}"
        raise Refused(f"{said.grade:g} is no grade of this pool", hint=hint, code="E-GRADE")


def _open_to(pool: Pool, user: User) -> QuerySet[Question]:
    """Questions that somebody has neither judged nor at hand."""
    said = Judgment.objects.filter(question=OuterRef("pk"), user=user, taken_back=None)
    mine = Turn.objects.filter(question=OuterRef("pk"), user=user)
    return pool.questions.filter(~Exists(said), ~Exists(mine))


def _trial(pool: Pool, user: User) -> Question | None:
    if not pool.trial:
        return None
    return _open_to(pool, user).filter(gold__isnull=False).order_by("id").first()


def _begun(pool: Pool, user: User) -> Question | None:
    """What others have judged, and one more is to judge."""
    return _waiting(pool, user, given__gt=0) if pool.overlap else None


def _waiting(pool: Pool, user: User, **which: bool | int) -> Question | None:
    """What one more is to judge, and nobody has in hand for that, or has left."""
    fresh = Count("turns", filter=Q(turns__at__gt=timezone.now() - PATIENCE))
    found = _open_to(pool, user).filter(gold=None, given__lt=F("wanted"), **which).annotate(out=fresh)
    return found.filter(given__lt=F("wanted") - F("out")).order_by("id").first()


def _new(live: Live, user: User) -> Question | None:
    """What the strategy asks for, of the topic somebody is at; then of one that nobody is at, or of any."""
    pool = live.pool
    while (asked := _due(live, user)) is not None:
        often = random.Random(f"{pool.seed} {asked.topic} {asked.document}").random() * 100 < pool.overlap
        wanted = pool.judges if often else 1
        found = pool.questions.filter(topic=asked.topic, document=asked.document).first()
        if found is None:
            return pool.questions.create(topic=asked.topic, document=asked.document, wanted=wanted)
        if found.gold is None:  # a file had it before
            found.wanted = wanted
            found.save(update_fields=["wanted"])
            return found
        live.tell(asked.topic, asked.document, found.gold)  # of the trial: its grade is known
    return None


def _due(live: Live, user: User) -> Asked | None:
    if live.pool.shared:
        return live.ask()
    return next((one for topic in _topics(live, user) if (one := live.ask(topic)) is not None), None)


def topic_of(pool: Pool, user: User) -> str | None:
    """The topic somebody is at: that of the document they judged last."""
    said = Judgment.objects.filter(question__pool=pool, user=user, kind=Judgment.FIRST, question__gold=None)
    return said.order_by("-id").values_list("question__topic", flat=True).first()


def _topics(live: Live, user: User) -> Iterator[str]:
    """The topics in the order in which somebody is to be asked for them."""
    topics, last = live.judging.candidates.topics, topic_of(live.pool, user)
    if last in topics:
        yield last
    at = set(Turn.objects.filter(question__pool=live.pool, state=Turn.OUT).values_list("question__topic", flat=True))
    begun = dict(live.pool.questions.filter(gold=None).values_list("topic").annotate(Count("id")))
    others = (topic for topic in topics if topic != last)
    yield from sorted(others, key=lambda topic: (topic in at, begun.get(topic, 0)))
