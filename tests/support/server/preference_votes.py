"""Preference votes between pairs of documents of a pool."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from cranfield.server.judging import preference_judgments
from cranfield.server.judging.preference_judgments import Preferred, Shown
from cranfield.server.models import Pool, Question
from tests.support.server.judging_campaigns import RIGHT, begun

if TYPE_CHECKING:
    from cranfield.server.models import User
    from tests.support.server.users_and_tasks import World


KEYS = count()


def preferred(shown: Shown, side: str, key: str = "") -> Preferred:
    return Preferred(key=key or f"vote-{next(KEYS)}", shown=shown, side=side, seconds=2.5)


def earlier(shown: Shown) -> str:
    """Somebody who prefers the smaller name."""
    return "left" if shown.left < shown.right else "right"


def vote_all(pool: Pool, user: User, most: int = 10**6) -> list[Shown]:
    seen: list[Shown] = []
    while len(seen) < most and (shown := preference_judgments.next_for(pool, user)) is not None:
        preference_judgments.prefer(pool, user, preferred(shown, earlier(shown)))
        seen.append(shown)
    return seen


def judged(world: World) -> Pool:
    """A pool of which all holds that the labels say: in topic i documents D01 … D0(1 + i mod 3) are relevant."""
    pool = begun(world, world.received())
    Question.objects.bulk_create(
        Question(pool=pool, topic=topic, document=document, given=1, grade=grade)
        for (topic, document), grade in RIGHT.items()
    )
    return pool
