"""Tables of the documents to judge, and the allocation of a judging budget to topics."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.strategies.base import Strategy
from cranfield.core import SEED, Provenance, Table

from .candidates import Candidates
from .judging_session import RECENT, Asked, Judging
from .judging_steps import Walk
from .pool_replay import Progress, Replay, in_blocks
from .pool_state import Share, State

if TYPE_CHECKING:
    from cranfield.data import Corpus, TopicTexts


def plan(
    strategy: Strategy,
    candidates: Candidates,
    grade: NDArray[np.float64] | None = None,
    *,
    rel: float = 1,
    budget: int | None = None,
    first: int = 0,
    seed: int = SEED,
    corpus: "Corpus | None" = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """(topic, step): what to ask for, as many documents of each topic as the budget pays; −1 where none is left.

    ``grade`` (document,) is what is known already, −inf where nothing is: it is told first, and not asked for. Nothing
    is said of what is asked for: all of it may be judged at the same time.
    """
    size = int(np.diff(candidates.starts).max(initial=0))
    steps = size if budget is None else min(size, budget)
    order = np.full((len(candidates.topics), steps), -1)
    for done, block in in_blocks(candidates):
        walk = Walk(strategy, candidates, block.tolist(), first=first, seed=seed, corpus=corpus)
        if grade is not None:
            _tell_known(walk, grade, rel)
        for step in range(steps):
            chosen = walk.next()
            topic = np.flatnonzero(chosen >= 0)
            if not len(topic):
                break
            order[block[topic], step] = walk.whole[topic, chosen[topic]]
            walk.ask(topic, chosen[topic])
        if progress:
            progress(done + len(block), len(order))
    return order


def _tell_known(walk: Walk, grade: NDArray[np.float64], rel: float) -> None:
    """Say what is known, in the order in which a pool grows; a grade below 0 is not asked for, and tells nothing."""
    known = np.where(walk.whole >= 0, grade[walk.whole], -np.inf)
    for document in np.flatnonzero(np.isfinite(known).any(axis=0)).tolist():
        topic = np.flatnonzero(np.isfinite(known[:, document]) & ~walk.asked[:, document])
        which = np.full(len(topic), document)
        walk.ask(topic, which)
        judged = known[topic, document] >= 0
        walk.tell(topic[judged], which[judged], (known[topic[judged], document] >= rel).astype(float))


def leave_judged(order: NDArray[np.int64], grade: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """The same plan (topic, step) without documents that have a grade (document,) already."""
    if grade is None or not len(grade):
        return order
    return np.where((order >= 0) & ~(grade[order] >= 0), order, -1)


def take_turns(order: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """The same plan (topic, step), cut so that all topics together have ``total``: they take turns."""
    spent = even_turns((order >= 0).sum(axis=1), total)
    return np.where(np.arange(order.shape[1]) < spent[:, None], order, -1)


def even_turns(size: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """(topic,): how many of so many documents each topic has when topics take turns until ``total`` is spent."""
    left = min(total, int(size.sum()))
    # As many whole rounds as fit, and then the first topics that have something left.
    after = np.minimum(size[:, None], np.arange(int(size.max(initial=0)) + 1)).sum(axis=0)
    rounds = int(np.searchsorted(after, left, side="right")) - 1
    spent = np.minimum(size, rounds)
    spent[np.flatnonzero(size > rounds)[: left - int(spent.sum())]] += 1
    return spent


def allocate(replay: Replay, total: int, share: Share = "even") -> NDArray[np.int64]:
    """(topic,): how many judgments each topic has when all topics share ``total``: in turn, or to the one that yields.

    A topic yields what its last judgments found, (1 + relevant)/(2 + judged) of the last ten; of equals the one with
    fewer judgments goes on, and a topic that has nothing left passes its turn.
    """
    if share == "even":
        return even_turns((replay.order >= 0).sum(axis=1), total)
    return np.bincount(turns(replay, share)[:total], minlength=len(replay.order))


def turns(replay: Replay, share: Share = "even") -> NDArray[np.int64]:
    """(judgment,): the topics that judgments go to, one after the other, until nothing is left."""
    if share == "even":
        return np.nonzero((replay.order >= 0).T)[1]
    size, found = (replay.order >= 0).sum(axis=1).tolist(), replay.found()
    spent, order = [0] * len(size), []
    queue = [(-0.5, 0, topic) for topic in range(len(size)) if size[topic]]
    heapify(queue)
    while queue:
        _, _, topic = heappop(queue)
        order.append(topic)
        spent[topic] += 1
        n = spent[topic]
        if n < size[topic]:
            recent = min(n, RECENT)
            hits = int(found[topic, n] - found[topic, n - recent])
            heappush(queue, (-(1 + hits) / (2 + recent), n, topic))
    return np.array(order, dtype=np.int64)


def pool_table(candidates: Candidates, order: NDArray[np.int64], *, made_by: Provenance | None = None) -> Table:
    """The documents to be judged, topic by topic: (topic, step) as a plan has them; who puts it first, and where."""
    topic, step = np.nonzero(order >= 0)
    return _told(candidates, order[topic, step], step + 1, made_by)


def asked_table(candidates: Candidates, asked: Sequence[Asked], *, made_by: Provenance | None = None) -> Table:
    """The documents that were asked for, topic by topic in the order of asking."""
    names = zip(candidates.topic.tolist(), candidates.document.to_list(), strict=True)
    place = {(candidates.topics[topic], document): i for i, (topic, document) in enumerate(names)}
    topic = {name: i for i, name in enumerate(candidates.topics)}
    rows = sorted(asked, key=lambda one: (topic[one.topic], one.order))
    which = np.array([place[one.topic, one.document] for one in rows], dtype=np.int64)
    return _told(candidates, which, np.array([one.order for one in rows], dtype=np.int64), made_by)


def documents_table(pool: Table, corpus: "Corpus | None", topics: "TopicTexts | None") -> Table:
    """What an assessor reads: each document of a pool with its text, and what was searched for; empty where unknown."""
    columns: dict[str, Any] = {name: pool.cells(name) for name in ("topic", "document", "order")}
    notes: list[str] = []
    if topics is not None:
        known = {text.topic: text for text in topics.texts}
        asked = [known.get(str(topic)) for topic in columns["topic"]]
        columns["query"] = [None if text is None else text.title for text in asked]
        columns["description"] = [None if text is None else text.description for text in asked]
        columns["narrative"] = [None if text is None else text.narrative for text in asked]
        every = dict.fromkeys(columns["topic"])
        notes += _lost("topic", [topic not in known for topic in every], topics.source.name)
    if corpus is not None:
        place = [corpus.place.get(str(document)) for document in columns["document"]]
        columns["title"] = [None if i is None else corpus.title[i] for i in place]
        columns["text"] = [None if i is None else corpus.text[i] for i in place]
        notes += _lost("document", [i is None for i in place], corpus.source.name)
    return Table(columns, "what to read", notes=tuple(notes))


def _lost(what: str, lost: Sequence[bool], where: str) -> list[str]:
    """A word on what a file of texts lacks."""
    number, every = sum(lost), len(lost)
    are = "is" if number == 1 else "are"
    return [f"{number:,} of {every:,} {what}{'s' * (every != 1)} {are} not in {where}: without text"] * bool(number)


def _told(
    candidates: Candidates, which: NDArray[np.int64], order: NDArray[np.int64], made_by: Provenance | None
) -> Table:
    topics, best = candidates.topics, candidates.best
    # The first place with the best rank.
    there = candidates.rank == best[candidates.of]
    first = np.flatnonzero(there)[np.unique(candidates.of[there], return_index=True)[1]] if len(candidates) else best
    columns: dict[str, Any] = {
        "topic": [topics[place] for place in candidates.topic[which].tolist()],
        "document": candidates.document.take(which).to_list(),
        "order": order,
        "run": [candidates.runs[run] for run in candidates.run[first[which]].tolist()],
        "rank": best[which],
    }
    return Table(columns, "what to judge, in the order of judging", made_by)


def audit_table(candidates: Candidates, state: State, *, corpus: "Corpus | None" = None) -> Table:
    """What was asked for, step by step, with the document that was due: another was asked for by somebody else."""
    found = Judging.audit(candidates, state, corpus=corpus)
    columns: dict[str, Any] = {
        "step": list(range(1, len(found) + 1)),
        "topic": [event.topic for event, _ in found],
        "document": [event.document for event, _ in found],
        "due": [due or None for _, due in found],
        "as_due": [event.document == due for event, due in found],
    }
    return Table(columns, "what was asked for, and what was due")
