"""The assessed run: where each run put every document that somebody named."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.core.types import Cube, Gains, Grades, Ranks, Rows

from ._source import Source

NOBODY = -np.inf  # the grade of a document that nobody judged
CELLS = 1 << 18  # of one block: small enough to stay in the processor's cache


class Kernel(Protocol):
    """Anything that makes one number of every row of a block, such as a measure."""

    def kernel(self, block: "Block", /) -> Rows:
        """One number per row."""

    def gain(self, grade: Grades, /) -> Gains:
        """What a document of this grade is worth: the perfect ranking is sorted by it."""

    def counts(self, grade: Grades, /) -> NDArray[np.bool_]:
        """Whether a document of this grade can make a difference: the others are not shown to the kernel."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of similar length as a rectangle: what a kernel sees.

    Columns are the named documents of a row in rank order. Where a row has no more of them, the rank is infinite, the
    document tied with nothing, and the grade that of a document which nobody judged: such cells earn and count nothing.
    """

    assessed: "Assessed"
    row: NDArray[np.int64]  # (row,): which row of the assessed runs
    rank: Ranks
    grade: Grades
    document: NDArray[np.int64]  # (row, document): which named document; -1 where there is none

    @property
    def topic(self) -> NDArray[np.int64]:
        """Which topic each row is about."""
        return self.row % len(self.assessed.topics)

    @property
    def retrieved(self) -> Rows:
        """How many documents were retrieved in each row, named or not."""
        return self.assessed.retrieved[self.row].astype(np.float64)

    def relevant(self, rel: float) -> Rows:
        """How many documents of each row's topic reach grade ``rel``, retrieved or not."""
        return self.assessed.relevant(rel)[self.topic]

    def at_best(self, measure: Kernel) -> Rows:
        """The value of ``measure`` for the perfect ranking of each row's topic."""
        return self.assessed.at_best(measure)[self.topic]

    @property
    def tie_first(self) -> Ranks:
        """(row, document): the first rank that shares the document's score."""
        return self.assessed.rectangle(self.row, self.assessed.tie_first, self.rank.shape[1], 1)

    @property
    def tie_last(self) -> Ranks:
        """(row, document): the last rank that shares the document's score."""
        return self.assessed.rectangle(self.row, self.assessed.tie_last, self.rank.shape[1], 1)

    @property
    def above(self) -> Ranks:
        """(row, document): the sum of an attribute over everything ranked above, where ``assess`` was asked for it."""
        if self.assessed.above is None:
            raise ParameterError("nothing was summed up over the documents above", hint="assess with sum_above=")
        return self.assessed.rectangle(self.row, self.assessed.above, self.rank.shape[1], 0)

    def judged_only(self) -> "Block":
        """The same rows with unjudged documents taken out, and the ranks closed up."""
        judged = self.grade >= 0
        return replace(self, rank=np.where(judged, judged.cumsum(axis=1), np.inf))


@dataclass(frozen=True, eq=False, repr=False)
class Assessed:
    """Runs met by judgments: the rank of every named document in every (run, topic), and how many were retrieved.

    A row is one run in one topic: row = run × topics + topic. Entries stand row by row in rank order. A grade is a
    look-up, ``grade[document]``: other grades for the same documents need no other reading.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    documents: Strings  # (named,): the documents that somebody named, topic by topic
    named: NDArray[np.int64]  # (topic + 1,): where the named documents of each topic start
    grade: NDArray[np.float64]  # (named,): -inf where nobody judged
    starts: NDArray[np.int64]  # (row + 1,): where the entries of each row start
    document: NDArray[np.int32]  # (entry,): which named document
    rank: NDArray[np.int32]  # (entry,): from 1, unjudged documents counted
    tie_first: NDArray[np.int32]  # (entry,): first and last rank that share the score
    tie_last: NDArray[np.int32]
    retrieved: NDArray[np.int32]  # (row,): 0 where the topic is missing from the run
    tied: NDArray[np.int32]  # (row,): documents that share their score with another
    above: NDArray[np.float64] | None = None  # (entry,): sum of an attribute over all documents ranked above
    # For the qrels and then each side table: which named document each of its rows is.
    named_by: tuple[NDArray[np.int64], ...] = ()
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    _best: dict[Kernel, Rows] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        return f"Assessed({len(self.runs)} runs, {len(self.topics)} topics, {len(self.rank)} named documents retrieved)"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(run, topic): where a run has nothing for a topic."""
        return (self.retrieved == 0).reshape(len(self.runs), len(self.topics))

    def relevant(self, rel: float) -> Rows:
        """(topic,): how many documents reach grade ``rel``."""
        return np.add.reduceat(self.grade >= rel, self.named[:-1], dtype=np.float64)

    def with_grades(self, grade: NDArray[np.float64]) -> "Assessed":
        """The same rankings under other grades of the same documents."""
        return replace(self, grade=np.asarray(grade, dtype=np.float64))

    @cached_property
    def ideal(self) -> "Assessed":
        """One run that ranks the judged documents of every topic perfectly: by grade, equal ones as they were named."""
        return self._ideal_by(self.grade)

    def _ideal_by(self, worth: NDArray[np.float64]) -> "Assessed":
        topic = np.repeat(np.arange(len(self.topics)), np.diff(self.named))
        judged = np.flatnonzero(self.grade >= 0)
        order = judged[np.lexsort((judged, -worth[judged], topic[judged]))]
        counts = np.bincount(topic[judged], minlength=len(self.topics))
        starts = np.concatenate(([0], counts.cumsum()))
        rank = (np.arange(len(order)) - np.repeat(starts[:-1], counts) + 1).astype(np.int32)
        return replace(
            self,
            runs=("ideal",),
            starts=starts,
            document=order.astype(np.int32),
            rank=rank,
            tie_first=rank,
            tie_last=rank,
            retrieved=counts.astype(np.int32),
            tied=np.zeros(len(counts), np.int32),
            above=None,
        )

    def at_best(self, measure: Kernel) -> Rows:
        """(topic,): the value of a measure for the perfect ranking; kept, because many runs ask for it."""
        if measure not in self._best:
            worth = measure.gain(self.grade)
            plain = np.array_equal(worth, np.maximum(self.grade, 0))
            ideal = self.ideal if plain else self._ideal_by(worth)
            self._best[measure] = ideal.map([measure])[0, :, 0]
        return self._best[measure]

    def map(self, kernels: Sequence[Kernel]) -> Cube:
        """(run, topic, kernel): every kernel over every row, block by block."""
        out = np.empty((len(self.retrieved), len(kernels)))
        alike: dict[bytes, list[int]] = {}
        for i, kernel in enumerate(kernels):
            alike.setdefault(np.packbits(kernel.counts(self.grade)).tobytes(), []).append(i)
        for group in alike.values():
            shown = self.only(kernels[group[0]].counts(self.grade))
            for block in shown.blocks():
                for i in group:
                    out[block.row, i] = kernels[i].kernel(block)
        return out.reshape(len(self.runs), len(self.topics), len(kernels))

    def only(self, named: NDArray[np.bool_]) -> "Assessed":
        """The same rankings with some of the named documents only; their ranks stay what they are.

        Most documents were judged not relevant, and most measures look away from those.
        """
        if named.all():
            return self
        place = np.flatnonzero(named[self.document])
        document, rank = self.document[place], self.rank[place]
        tie_first, tie_last = (rank if ties is self.rank else ties[place] for ties in (self.tie_first, self.tie_last))
        shown = replace(
            self,
            starts=np.searchsorted(place, self.starts),
            document=document,
            rank=rank,
            tie_first=tie_first,
            tie_last=tie_last,
            above=None if self.above is None else self.above[place],
        )
        object.__setattr__(shown, "_best", self._best)  # the same grades have the same perfect rankings
        return shown

    def blocks(self) -> Iterator[Block]:
        """All rows in rectangles of similar width, so that one deep topic does not widen the others."""
        length = np.diff(self.starts)
        width = np.where(length > 1, 1 << np.ceil(np.log2(np.maximum(length, 1))).astype(int), 1)
        for wide in sorted(set(width.tolist())):  # np.unique would import numpy.ma, for 10 ms
            rows = np.flatnonzero(width == wide)
            for part in np.array_split(rows, min(len(rows), max(1, len(rows) * wide // CELLS))):
                yield self._block(part, wide)

    def _block(self, rows: NDArray[np.int64], width: int) -> Block:
        document = self.rectangle(rows, self.document, width, -1).astype(np.int64)
        grade = np.where(document >= 0, self.grade[document], NOBODY)
        return Block(self, rows, self.rectangle(rows, self.rank, width, np.inf), grade, document)

    def rectangle(
        self, rows: NDArray[np.int64], entries: NDArray[np.generic], width: int, otherwise: float
    ) -> NDArray[np.float64]:
        """(row, document): the entries of some rows, each row filled up to ``width``."""
        if not len(entries):
            return np.full((len(rows), width), otherwise)
        place = self.starts[rows, None] + np.arange(width)
        there = place < self.starts[rows + 1, None]
        return np.where(there, entries[np.where(there, place, 0)], otherwise)
