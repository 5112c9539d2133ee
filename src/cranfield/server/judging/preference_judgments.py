"""Pairs of documents shown to assessors, their votes and the strengths estimated from them."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from cranfield.collections import next_pair
from cranfield.server.models import Pair, Pool, Vote
from cranfield.server.site.csv_output import to_csv
from cranfield.server.site.single_flight_cache import kept
from cranfield.server.submissions.intake import Refused
from cranfield.studies import preferences

from . import live_pools
from .judgments import ENDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.models import QuerySet

    from cranfield.core import Study
    from cranfield.server.models import User

MOST = 8  # documents of a topic that are compared: 28 pairs
SIDES = ("left", "right", "same", "unsure")
COLUMNS = ("topic", "a", "b", "worker", "vote", "seconds", "made", "note")
Row = tuple[str, str, str, str, str]  # topic, left, right, who, vote


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Two documents as somebody sees them."""

    topic: str
    left: str
    right: str


@dataclass(frozen=True, kw_only=True)
class Preferred:
    """What somebody says of two documents; ``key`` is made by who sends it, who may send it again."""

    key: str
    shown: Shown
    side: str  # one of SIDES
    note: str = ""
    seconds: float = 0


def documents_of(pool: Pool) -> dict[str, list[str]]:
    """The documents of each topic that are compared: the relevant ones, the best grades first.

    Where nobody has given a grade yet, those that runs rank first. A topic with fewer than two has none.
    """
    found: dict[str, list[str]] = defaultdict(list)
    graded = pool.questions.filter(gold=None, grade__isnull=False)
    relevant = graded.filter(grade__gte=pool.task.rel).order_by("-grade", "id").values_list("topic", "document")
    for topic, document in relevant if graded.exists() else _first(pool):
        if len(found[topic]) < MOST:
            found[topic].append(document)
    return {topic: some for topic, some in sorted(found.items()) if len(some) > 1}


def _first(pool: Pool) -> Iterable[tuple[str, str]]:
    """The documents that runs rank first: candidates stand in the order of their best ranks."""
    candidates = live_pools.candidates_of(pool)
    starts = candidates.starts.tolist()
    for topic, start, end in zip(candidates.topics, starts[:-1], starts[1:], strict=True):
        for place in islice(range(start, end), MOST):
            yield topic, candidates.document[place]


def next_for(pool: Pool, user: User) -> Shown | None:
    """The two documents that somebody is to compare now; None: there are none for them.

    They stay with their topic as long as it has some; then comes the one with fewest votes.
    """
    if pool.state != Pool.OPEN:
        return None
    votes: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    mine: dict[str, list[tuple[str, str]]] = defaultdict(list)
    last = ""
    said = _live(pool).order_by("id").values_list("pair__topic", "pair__one", "pair__two", "choice", "user_id")
    for topic, one, two, choice, who in said:
        if choice is not None:
            votes[topic].append((one, two, choice))
        if who == user.pk:
            mine[topic].append((one, two))
            last = topic
    every = documents_of(pool)

    def turn(topic: str) -> tuple[bool, int, float]:
        return topic != last, len(votes[topic]), _draw(pool, user, topic)

    for topic in sorted(every, key=turn):
        found = next_pair(every[topic], votes[topic], skipped=mine[topic])
        if found is not None:
            one, two = sorted(found)
            Pair.objects.get_or_create(pool=pool, topic=topic, one=one, two=two)
            return shown_to(pool, user, topic, one, two)
    return None


def shown_to(pool: Pool, user: User, topic: str, one: str, other: str) -> Shown:
    """Two documents as somebody sees them: which stands on the left is drawn, for each person, and stays so."""
    one, two = sorted((one, other))
    left, right = (two, one) if _draw(pool, user, topic, one, two) < 0.5 else (one, two)
    return Shown(topic=topic, left=left, right=right)


def _draw(pool: Pool, user: User, *about: str) -> float:
    return random.Random(" ".join([str(pool.seed), pool.key, str(user.pk), *about])).random()


def prefer(pool: Pool, user: User, said: Preferred) -> Vote:
    """Keep which of two documents somebody prefers, once, however often it is sent."""
    known = Vote.objects.filter(user=user, key=said.key).first()
    if known is not None:
        return known
    topic, (one, two) = said.shown.topic, sorted((said.shown.left, said.shown.right))
    with transaction.atomic():
        now = _held(pool)
        known = Vote.objects.filter(user=user, key=said.key).first()
        if known is not None:  # sent twice at once
            return known
        if said.side not in SIDES:
            raise Refused(f'"{said.side}" is no preference', hint=f"choose one of {', '.join(SIDES)}", code="E-VOTE")
        pair = Pair.objects.filter(pool=now, topic=topic, one=one, two=two).first()
        if pair is None:
            raise Refused("nobody was asked for these documents", hint="go on with the next two", code="E-TURN")
        if _live(now).filter(pair=pair, user=user).exists():
            raise Refused("you have compared these documents", hint="undo it first, or go on", code="E-TURN")
        return Vote.objects.create(
            pair=pair,
            user=user,
            key=said.key,
            choice=_choice(said),
            swapped=said.shown.left == two,
            note=said.note,
            seconds=max(0.0, said.seconds),
        )


def _choice(said: Preferred) -> int | None:
    """1: the smaller name, −1: the other, 0: neither; None: cannot say."""
    if said.side == "unsure":
        return None
    if said.side == "same":
        return 0
    better, worse = said.shown.left, said.shown.right
    if said.side == "right":
        better, worse = worse, better
    return 1 if better < worse else -1


def take_back(pool: Pool, user: User) -> Shown | None:
    """Unsay what somebody said last, and show it again; None: there is nothing to unsay."""
    with transaction.atomic():
        now = _held(pool)
        last = _live(now).filter(user=user).select_related("pair").order_by("-id").first()
        if last is None:
            return None
        last.taken_back = timezone.now()
        last.save(update_fields=["taken_back"])
        return shown_to(now, user, last.pair.topic, last.pair.one, last.pair.two)


def may_compare(pool: Pool, user: User, shown: Shown) -> bool:
    """Whether somebody may say which of two documents is better: it was asked, and they have not said it yet."""
    one, two = sorted((shown.left, shown.right))
    pair = Pair.objects.filter(pool=pool, topic=shown.topic, one=one, two=two).first()
    return pool.state == Pool.OPEN and pair is not None and not _live(pool).filter(pair=pair, user=user).exists()


def _held(pool: Pool) -> Pool:
    """A pool that takes votes, for oneself: others wait for the end of the transaction."""
    now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
    if now.state != Pool.OPEN:
        raise Refused(ENDED, hint="its organisers have ended it", code="E-CLOSED")
    return now


def _live(pool: Pool) -> QuerySet[Vote]:
    return Vote.objects.filter(pair__pool=pool, taken_back=None)


def counts(pool: Pool, user: User) -> tuple[int, int]:
    """How many votes there are of somebody, and of all."""
    return _live(pool).filter(user=user).count(), _live(pool).count()


def votes_csv(pool: Pool) -> str:
    """All votes as ``cranfield crowd --pairs`` reads them: a stood on the left; nothing where nobody could say."""
    rows = []
    for vote in _live(pool).select_related("pair", "user").order_by("id"):
        topic, left, right, who, said = _row(vote)
        rows.append([topic, left, right, who, said, vote.seconds, vote.made.isoformat(), vote.note])
    return to_csv(COLUMNS, rows)


def _row(vote: Vote) -> Row:
    left, right = (vote.pair.two, vote.pair.one) if vote.swapped else (vote.pair.one, vote.pair.two)
    said = ""
    if vote.choice is not None:
        said = "n" if vote.choice == 0 else "a" if (vote.choice == 1) != vote.swapped else "b"
    return vote.pair.topic, left, right, vote.user.username, said


def study_of(pool: Pool) -> Study | None:
    """How strong each document is by the votes there are; None without a vote."""
    rows = (_row(vote) for vote in _live(pool).exclude(choice=None).select_related("pair", "user").order_by("id"))
    told = tuple(rows)
    return _study(told) if told else None


@kept(8)
def _study(rows: tuple[Row, ...]) -> Study:
    names = ("topic", "a", "b", "worker", "vote")
    return preferences({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})
