"""What somebody has in hand: the question now, and the one after it, so that their page need not wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import F

from . import campaigns, judging, pools
from .kept import kept
from .models import Judgment, Pool, Turn

if TYPE_CHECKING:
    from .models import Question, User


def now_and_after(pool: Pool, user: User) -> list[Question]:
    """What somebody is to judge now, and what comes then where no answer changes it."""
    now = judging.next_for(pool, user)
    if now is None:
        return []
    mine = Turn.objects.filter(question__pool=pool, user=user, state=Turn.OUT).exclude(question=now)
    known = mine.select_related("question").order_by("id").first()
    after = known.question if known is not None else _ask_ahead(pool, user, now) if _stays(pool, user, now) else None
    return [now] if after is None else [now, after]


def _stays(pool: Pool, user: User, now: Question) -> bool:
    """Whether what comes then is of the topic somebody reads: not before they have judged the first of a new one."""
    if pool.shared or now.gold is not None or now.given:
        return True
    said = Judgment.objects.filter(question__pool=pool, user=user, kind=Judgment.FIRST, question__gold=None)
    last = said.order_by("-id").values_list("question__topic", flat=True).first()
    return last == now.topic


def _ask_ahead(pool: Pool, user: User, now: Question) -> Question | None:
    """One more question in hand: for a moment the first is put off, and what comes then is what would come then."""
    later = Turn.objects.filter(question__pool=pool, user=user, state=Turn.LATER)
    with pools.held(pool) as live:
        if live.judging.strategy.adaptive and later.exists():
            return None  # nothing new is asked for, and what was put off is for the end
        this = Turn.objects.filter(question=now, user=user, state=Turn.OUT)
        if not this.update(state=Turn.LATER):
            return None  # judged meanwhile, from another page
        found = judging.next_for(pool, user, ahead=True)
        Turn.objects.filter(question=now, user=user).update(state=Turn.OUT)
    return None if found == now else found


def undo(pool: Pool, user: User) -> Question | None:
    """Unsay what somebody said last. What they have in hand comes right after it; it is not put off."""
    with pools.held(pool):
        had = list(Turn.objects.filter(question__pool=pool, user=user, state=Turn.OUT).order_by("id"))
        question = judging.take_back(pool, user)
        if question is not None:
            for turn in had:  # made anew: turns come in the order in which they were made
                turn.delete()
                Turn.objects.create(question_id=turn.question_id, user=user, at=turn.at)
    return question


@dataclass(frozen=True, kw_only=True)
class Done:
    """How far somebody has come, and all together."""

    mine: int
    judged: int
    documents: int
    tried: int
    trial: int

    @property
    def words(self) -> str:
        """It in words; first of the trial, as long as that lasts."""
        if self.tried < self.trial:
            return f"Trial: {self.tried} of {self.trial} judged by you"
        return f"{self.mine:,} judged by you; {self.judged:,} of {self.documents:,} in all"


def done_by(pool: Pool, user: User) -> Done:
    """How much somebody has judged of a pool, and how much of it is judged at all."""
    said = Judgment.objects.filter(question__pool=pool, user=user, kind=Judgment.FIRST, taken_back=None)
    return Done(
        mine=said.filter(question__gold=None).count(),
        judged=pool.questions.filter(gold=None, given__gte=F("wanted")).count(),
        documents=_documents(pool.key),
        tried=said.filter(question__gold__isnull=False).count(),
        trial=pool.trial,
    )


@kept(64)
def _documents(key: str) -> int:
    """How many documents a pool asks for: fixed once judging has begun."""
    return campaigns.cost(Pool.objects.select_related("task", "known").get(key=key)).documents
