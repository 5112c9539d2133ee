"""Current and next document of an assessor, with answers, undo and progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from cranfield.collections import parse_strategy
from cranfield.server.models import Judgment, Pool, Turn
from cranfield.server.site.single_flight_cache import kept

from . import judgments, live_pools, pool_lifecycle

if TYPE_CHECKING:
    from cranfield.server.models import Question, User

    from .judgments import Said
    from .live_pools import Live


def now_and_after(pool: Pool, user: User) -> list[Question]:
    """What somebody is to judge now, and what comes then where no answer changes it."""
    mine = judgments.in_hand(pool, user) if pool.state == Pool.OPEN else []
    if len(mine) > 1 or (mine and not _more(pool, user, mine[0])):  # looked up before the pool is held: most go on here
        return mine[:2]
    with live_pools.held(pool) as live:
        return _filled(live, user)


def _filled(live: Live, user: User) -> list[Question]:
    """What somebody has in hand, and as much more as there is for them, up to two."""
    if live.pool.state != Pool.OPEN:
        return []
    mine = judgments.in_hand(live.pool, user)
    if not mine and (found := judgments.hand_out(live, user)) is not None:
        mine = [found]
        if live.judging.strategy.adaptive and found.gold is None and not found.given:
            return mine  # what is sure comes first: there was none, and the strategy waits for the answer
    if len(mine) == 1 and _more(live.pool, user, mine[0]):
        after = judgments.hand_out(live, user, ahead=True)
        return mine if after is None else [*mine, after]
    return mine[:2]


def _more(pool: Pool, user: User, now: Question) -> bool:
    """Whether there may be something to ask ahead of the answer to what somebody has in hand."""
    if parse_strategy(pool.strategy).adaptive and judgments.sure(pool, user) is None:
        return False
    return _stays(pool, user, now)


def _stays(pool: Pool, user: User, now: Question) -> bool:
    """Whether what comes then is of the topic somebody reads: not before they have judged the first of a new one."""
    return bool(pool.shared or now.gold is not None or now.given) or judgments.topic_of(pool, user) == now.topic


def answer(pool: Pool, user: User, said: Said) -> tuple[Judgment, list[Question]]:
    """Keep what somebody says, and what they are to judge then."""
    with live_pools.held(pool) as live:
        return judgments.judge(pool, user, said), _filled(live, user)


def undo(pool: Pool, user: User) -> Question | None:
    """Unsay what somebody said last. What they have in hand comes right after it; it is not put off."""
    with live_pools.held(pool):
        had = list(Turn.objects.filter(question__pool=pool, user=user, state=Turn.OUT).order_by("id"))
        question = judgments.take_back(pool, user)
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
    asked = Q(question__gold=None)
    counts = said.aggregate(mine=Count("id", filter=asked), tried=Count("id", filter=~asked))
    return Done(judged=pool_lifecycle.settled(pool), documents=_documents(pool.key), trial=pool.trial, **counts)


@kept(64)
def _documents(key: str) -> int:
    """How many documents a pool asks for: fixed once judging has begun."""
    return pool_lifecycle.cost(Pool.objects.select_related("task", "known").get(key=key)).documents
