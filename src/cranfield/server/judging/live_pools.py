"""In-memory state of pools, rebuilt from stored events and locked by one request at a time."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction

from cranfield.collections import Candidates, Judging, State, find_candidates, parse_strategy
from cranfield.collections import Event as Step
from cranfield.data import read_corpus, read_qrels, read_run
from cranfield.server.models import Document, Event, Pool, Submission
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cranfield.collections import Asked, Kind

MOST = 16  # pools whose growth is kept at hand
_at_hand: dict[str, Live] = {}
_mine: ContextVar[Live | None] = ContextVar("mine", default=None)  # the pool that is held here


@dataclass
class Live:
    """A pool that is held: whoever holds it alone may ask and tell."""

    pool: Pool
    judging: Judging
    steps: int  # of the database, that are in it

    def ask(self, topic: str | None = None) -> Asked | None:
        """The document that is due, of a topic or of the one whose turn it is; it counts as asked."""
        asked = self.judging.next(topic)
        if asked is not None:
            self._keep("asked", asked.topic, asked.document)
        return asked

    def tell(self, topic: str, document: str, grade: float) -> None:
        """Say how relevant a document is; below 0: it was not judged. What was said before is taken back."""
        if self.judging.grade_of(topic, document) is not None:
            self.take_back(topic, document)
        self.judging.tell(topic, document, grade)
        self._keep("told", topic, document, grade)

    def take_back(self, topic: str, document: str) -> None:
        """Unsay what was said of a document."""
        self.judging.take_back(topic, document)
        self._keep("back", topic, document)

    def _keep(self, kind: Kind, topic: str, document: str, grade: float | None = None) -> None:
        self.steps += 1
        Event.objects.create(pool=self.pool, number=self.steps, kind=kind, topic=topic, document=document, grade=grade)


@contextmanager
def held(pool: Pool) -> Iterator[Live]:
    """A pool for oneself, in a transaction: others who ask wait for its end, in this process or another.

    Who holds it may ask for it again, and holds it until the first is done; nothing is kept if anything fails.
    """
    mine = _mine.get()
    if mine is not None and mine.pool.pk == pool.pk:
        yield mine
        return
    try:
        with transaction.atomic():
            now = Pool.objects.select_for_update(no_key=True).select_related("task").get(pk=pool.pk)
            live = _at_hand.pop(now.key, None) or Live(now, _begun(now), 0)
            live.pool = now
            _catch_up(live)
            before = _mine.set(live)
            try:
                yield live
            finally:
                _mine.reset(before)
            while len(_at_hand) >= MOST:
                _at_hand.pop(next(iter(_at_hand)), None)
            _at_hand[now.key] = live  # not if it failed: it may have learnt what was not written
    except BaseException:
        _at_hand.pop(pool.key, None)
        raise


def _catch_up(live: Live) -> None:
    """Follow what others have asked and told since."""
    for step in live.pool.events.filter(number__gt=live.steps).order_by("number"):
        live.judging.follow(step_of(step))
        live.steps = step.number


def step_of(event: Event) -> Step:
    """A row of the database as pools know it."""
    kind: Kind = event.kind  # type: ignore[assignment]
    return Step(kind, event.topic, event.document, event.grade)


def _begun(pool: Pool) -> Judging:
    """A pool of which nothing was asked yet, and that knows the labels there were."""
    strategy, candidates = parse_strategy(pool.strategy), candidates_of(pool)
    texts = None
    if strategy.needs_text:
        rows = Document.objects.filter(corpus__task=pool.task).values_list("name", "title", "text")
        texts = read_corpus({name: f"{title}\n{text}" for name, title, text in rows.iterator()})
    found = Judging(
        candidates,
        strategy,
        budget=pool.budget,
        shared=pool.shared,
        first=pool.first,
        rel=pool.task.rel,
        seed=pool.seed,
        corpus=texts,
    )
    if pool.known is not None:
        found.tell_all(read_qrels(blob_store.path_of(pool.known.qrels_id)))
    return found


def candidates_of(pool: Pool) -> Candidates:
    """The documents that may be asked for: the first of its runs, which are called by their keys."""
    runs = Submission.objects.filter(task=pool.task, key__in=pool.runs, blob__isnull=False).order_by("received", "id")
    return _candidates(tuple(runs.values_list("key", "blob_id")), pool.depth)


@kept(4)
def _candidates(runs: Sequence[tuple[str, str]], depth: int) -> Candidates:
    return find_candidates([read_run(blob_store.path_of(digest), name=key) for key, digest in runs], depth=depth)


def state_of(pool: Pool) -> State:
    """All there is to know of a pool, as a value: saved to a file, ``cranfield pool`` goes on from it."""
    judging = _begun(pool)
    for event in pool.events.order_by("number"):
        judging.follow(step_of(event))
    return judging.state
