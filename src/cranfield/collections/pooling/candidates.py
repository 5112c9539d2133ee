"""Candidate documents for a pool: the top documents of each run, with their ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Ties, listed
from cranfield.data import Qrels, Run, Source, Strings, find_grades, name_documents

DEPTH = 100


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """The documents that runs put among their first ``depth``: each of them once for its topic, with who has it where.

    Documents stand by topic, then by their best rank, then by the first run that has them there: the order in which a
    pool grows with its depth. What is known of one document stands together, its runs in their order.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    document: Strings  # (document,)
    starts: NDArray[np.int64]  # (topic + 1,): where the documents of each topic start
    held: NDArray[np.int64]  # (document + 1,): where its places start
    run: NDArray[np.int32]  # (place,): a run that has the document
    rank: NDArray[np.int32]  # (place,): its rank there
    depth: int
    sources: tuple[Source, ...]
    ties: str = Ties.TREC  # by which documents of one score were put in order

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"Candidates({len(self)} documents of {len(self.runs)} runs to depth {self.depth})"

    @property
    def topic(self) -> NDArray[np.int64]:
        """(document,): which topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    @property
    def of(self) -> NDArray[np.int64]:
        """(place,): which document."""
        return np.repeat(np.arange(len(self)), np.diff(self.held))

    @property
    def best(self) -> NDArray[np.int32]:
        """(document,): the best rank that a run gives it."""
        if not len(self):
            return np.zeros(0, np.int32)
        return np.minimum.reduceat(self.rank, self.held[:-1])

    def only(self, kept: NDArray[np.bool_]) -> "Candidates":
        """Some of the documents (document,); ranks stay as they are, and so do topics that have none left."""
        topic, places = self.topic, np.repeat(kept, np.diff(self.held))
        return replace(
            self,
            document=self.document.take(np.flatnonzero(kept)),
            starts=_starts(topic[kept], len(self.topics)),
            held=np.concatenate(([0], np.cumsum(np.diff(self.held)[kept]))),
            run=self.run[places],
            rank=self.rank[places],
        )

    def without(self, runs: Sequence[int]) -> "Candidates":
        """What the other runs have; their numbers and names stay."""
        stays = ~np.isin(self.run, np.asarray(runs, dtype=self.run.dtype))
        of = self.of[stays]
        kept = np.zeros(len(self), dtype=bool)
        kept[of] = True
        left = replace(
            self,
            document=self.document.take(np.flatnonzero(kept)),
            starts=_starts(self.topic[kept], len(self.topics)),
            held=np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(self))[kept]))),
            run=self.run[stays],
            rank=self.rank[stays],
        )
        return _ordered(left)

    def filled(self) -> "Candidates":
        """The same without topics that have no document."""
        there = np.diff(self.starts) > 0
        topics = tuple(topic for topic, kept in zip(self.topics, there.tolist(), strict=True) if kept)
        return replace(self, topics=topics, starts=np.append(self.starts[:-1][there], self.starts[-1]))

    def grades(self, qrels: Qrels) -> NDArray[np.float64]:
        """(document,): the grade that judgments give each, −inf where they give none."""
        return find_grades(qrels, self.topics, self.topic, self.document)

    def judged(self, qrels: Qrels) -> NDArray[np.bool_]:
        """(document,): whether it was judged; a grade below 0 is no judgment."""
        return self.grades(qrels) >= 0

    def judgments(self, qrels: Qrels) -> NDArray[np.float64]:
        """(document,): the grade of each that was judged, −inf elsewhere: a grade below 0 is no judgment."""
        grade = self.grades(qrels)
        return np.where(grade >= 0, grade, -np.inf)

    def judged_by(self, qrels: Qrels, *, skip: bool = True) -> "Candidates":
        """The candidates of judged topics, and, unless ``skip`` is off, those documents alone that were judged."""
        judged = self.judged(qrels)
        known = np.bincount(self.topic[judged], minlength=len(self.topics)) > 0
        kept = judged if skip else known[self.topic]
        if not kept.any():
            hint = f"the runs have topics such as {listed(list(self.topics[:3]))}: do they belong together?"
            raise ParameterError(f"no document that a run has among its first {self.depth} was judged", hint=hint)
        return self.only(kept)

    def relevant(self, qrels: Qrels, rel: float = 1) -> NDArray[np.bool_]:
        """(document,): whether judgments give it the grade ``rel`` or more."""
        return self.grades(qrels) >= rel


def find_candidates(runs: Sequence[Run], *, depth: int = DEPTH, ties: Ties | str = Ties.TREC) -> Candidates:
    """The first ``depth`` documents of every run; ``ties`` is the order of ties in which runs were read."""
    if not runs:
        raise ParameterError("there is no run to pool", hint="give at least one")
    if depth < 1:
        raise ParameterError(f"runs cannot be pooled to depth {depth}", hint="take at least one document of each topic")
    cut = [run.first(depth) for run in runs]
    named = name_documents(cut)
    number = np.array([len(run) for run in cut])
    document = np.concatenate(named.rows)
    run = np.repeat(np.arange(len(cut), dtype=np.int32), number)
    rank = np.concatenate([one.rank for one in cut]).astype(np.int32)
    order = np.lexsort((run, document))
    found = Candidates(
        runs=tuple(one.name for one in cut),
        topics=tuple(named.topics.to_list()),
        document=named.document,
        starts=_starts(named.topic, len(named.topics)),
        held=np.concatenate(([0], np.cumsum(np.bincount(document, minlength=len(named))))),
        run=run[order],
        rank=rank[order],
        depth=depth,
        sources=tuple(one.source for one in cut),
        ties=str(ties),
    )
    return _ordered(found)


def _ordered(found: Candidates) -> Candidates:
    """The same, documents in the order in which a pool grows."""
    if not len(found):
        return found
    best = found.best
    first = np.minimum.reduceat(np.where(found.rank == best[found.of], found.run, len(found.runs)), found.held[:-1])
    order = np.lexsort((first, best, found.topic))
    number = np.diff(found.held)[order]
    held = np.concatenate(([0], np.cumsum(number)))
    places = np.repeat(found.held[:-1][order] - held[:-1], number) + np.arange(held[-1])
    return replace(
        found, document=found.document.take(order), held=held, run=found.run[places], rank=found.rank[places]
    )


def _starts(topic: NDArray[np.int64], topics: int) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.bincount(topic, minlength=topics))))
