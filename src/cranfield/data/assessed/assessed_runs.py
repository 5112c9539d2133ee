"""Assessed runs: the rank in every run of each document that the judgments or side tables name."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.core.types import Cube, Rows
from cranfield.data.files.data_source import Source
from cranfield.data.judgments.side_tables import LABELS, NEEDED, SideTable

from .block import NOBODY, Block, Kernel

T = TypeVar("T")

CELLS = 1 << 18  # of one block: small enough to stay in the processor's cache


def _distinct(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every value once, ascending; np.unique would import numpy.ma, for 10 ms."""
    ordered = np.sort(values)
    return np.concatenate((ordered[:1], ordered[1:][ordered[1:] != ordered[:-1]]))


def _among(named: NDArray[np.bool_], document: NDArray[np.int32]) -> NDArray[np.bool_]:
    """(entry,): whether its document is one of those; numpy copies places to 64 bits, so only some at a time."""
    out = np.empty(len(document), np.bool_)
    for start in range(0, len(document), CELLS):
        some = slice(start, start + CELLS)
        named.take(document[some], mode="clip", out=out[some])  # clip: every place is one, which need not be checked
    return out


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
    length: NDArray[np.float64] | None = None  # (named,): how long each is; ``above`` then adds up lengths
    stratum: NDArray[np.int32] | None = None  # (named,): the second column of the judgments; None: one for all
    # (run, run): whose rankings are known already when a run is read; None: nobody's. What is relative asks for it.
    prior: NDArray[np.bool_] | None = None
    # For the qrels and then each side table: which named document each of its rows is.
    named_by: tuple[NDArray[np.int64], ...] = ()
    tables: Mapping[str, SideTable] = field(default_factory=dict)  # what is known beside grades, by its kind
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    # What follows from the judgments alone, for whoever has the same ones.
    _kept: dict[Hashable, object] = field(default_factory=dict, init=False)
    # What follows from the rankings too, for whoever shows these very runs.
    _own: dict[Hashable, object] = field(default_factory=dict, init=False)
    # What this shows a part of, and which entries.
    _whole: "tuple[Assessed, NDArray[np.int64]] | None" = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"Assessed({len(self.runs)} runs, {len(self.topics)} topics, {len(self.rank)} named documents retrieved)"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(run, topic): where a run has nothing for a topic."""
        return (self.retrieved == 0).reshape(len(self.runs), len(self.topics))

    def relevant(self, rel: float) -> Rows:
        """(topic,): how many documents reach grade ``rel``; kept, because every cut-off asks for it."""
        return self.once(
            ("relevant", rel), lambda: np.add.reduceat(self.grade >= rel, self.named[:-1], dtype=np.float64)
        )

    def once(self, what: Hashable, make: Callable[[], T]) -> T:
        """What follows from the judgments alone, made once for all that share them."""
        if what not in self._kept:
            self._kept[what] = make()
        return cast("T", self._kept[what])

    def once_here(self, what: Hashable, make: Callable[[], T]) -> T:
        """What follows from these very rankings, made once for all that show a part of them."""
        if what not in self._own:
            self._own[what] = make()
        return cast("T", self._own[what])

    def after(self, prior: NDArray[np.bool_] | None) -> "Assessed":
        """The same rankings, read by somebody who knows others: (run, run), whose before each; never a run's own."""
        runs = len(self.runs)
        if prior is not None and (prior.shape != (runs, runs) or prior.diagonal().any()):
            raise ParameterError("a prior says of each run which others are known", hint="(run, run), no run its own")
        shown = replace(self, prior=prior)
        object.__setattr__(shown, "_kept", self._kept)
        object.__setattr__(shown, "_whole", self._whole)
        return shown

    def of_runs(self, runs: Sequence[int]) -> "Assessed":
        """Some of the runs, given by their places; nothing is known before them."""
        if list(runs) == list(range(len(self.runs))):  # all of them: a campaign is not copied to be shown
            shown = replace(self, prior=None)
            object.__setattr__(shown, "_kept", self._kept)
            return shown
        topics = len(self.topics)
        rows = (np.asarray(runs, np.int64)[:, None] * topics + np.arange(topics)).reshape(-1)
        length = np.diff(self.starts)[rows]
        starts = np.concatenate(([0], length.cumsum()))
        entry = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], length)
        shown = replace(
            self,
            runs=tuple(self.runs[run] for run in runs),
            starts=starts,
            document=self.document[entry],
            rank=self.rank[entry],
            tie_first=self.tie_first[entry],
            tie_last=self.tie_last[entry],
            retrieved=self.retrieved[rows],
            tied=self.tied[rows],
            above=None if self.above is None else self.above[entry],
            prior=None,
        )
        object.__setattr__(shown, "_kept", self._kept)
        return shown

    def count_first(self, counted: NDArray[np.bool_], depth: int) -> NDArray[np.int64]:
        """Return (row,): how many of the first ``depth`` documents are among those ``counted`` (named,)."""
        first = np.flatnonzero(self.rank <= depth)
        if not counted.all():
            first = first[counted[self.document[first]]]
        return np.diff(np.searchsorted(first, self.starts))

    @cached_property
    def judged(self) -> NDArray[np.int32]:
        """(entry,): how many judged documents of the row stand there or above."""
        return self._down(self.grade >= 0)

    @cached_property
    def pooled(self) -> NDArray[np.int32]:
        """(entry,): how many documents of the judgments stand there or above, with those of grades below 0."""
        return self.judged if (self.grade >= 0).all() else self._down(self.grade > NOBODY)

    def _down(self, counted: NDArray[np.bool_]) -> NDArray[np.int32]:
        """(entry,): how many of the named documents that are counted stand there or above, shown here or not."""
        whole, place = self._whole or (self, np.arange(len(self.document)))
        if counted.all():
            return (place - np.repeat(whole.starts[:-1], np.diff(self.starts)) + 1).astype(np.int32)
        sums = np.concatenate((np.zeros(1, np.int32), counted.astype(np.int32)[whole.document].cumsum(dtype=np.int32)))
        return sums[place + 1] - np.repeat(sums[whole.starts[:-1]], np.diff(self.starts))

    @cached_property
    def judged_retrieved(self) -> NDArray[np.int64]:
        """(row,): how many judged documents were retrieved."""
        if self._whole:
            return self._whole[0].judged_retrieved
        judged = self.grade >= 0
        if judged.all():
            return np.diff(self.starts)
        sums = np.concatenate(([0], judged[self.document].cumsum()))
        return sums[self.starts[1:]] - sums[self.starts[:-1]]

    @property
    def row(self) -> NDArray[np.int64]:
        """(entry,): which row it belongs to."""
        return np.repeat(np.arange(len(self.retrieved)), np.diff(self.starts))

    @property
    def groups(self) -> NDArray[np.int64]:
        """(group,): where the entries of each row and score start."""
        begins = (np.diff(self.row, prepend=-1) != 0) | (np.diff(self.tie_first, prepend=0) != 0)
        return np.flatnonzero(begins)

    def with_grades(self, grade: NDArray[np.float64]) -> "Assessed":
        """The same rankings under other grades of the same documents; what labels said beside them is gone."""
        tables = {kind: table for kind, table in self.tables.items() if kind not in LABELS}
        return replace(self, grade=np.asarray(grade, dtype=np.float64), tables=tables)

    def table(self, kind: str) -> SideTable:
        """What is known of the named documents beside their grades."""
        if kind not in self.tables:
            raise ParameterError(f"nobody said what {kind} the documents have", hint=NEEDED[kind])
        return self.tables[kind]

    def with_table(self, kind: str, table: SideTable) -> "Assessed":
        """The same rankings with something more known of the named documents."""
        return replace(self, tables={**self.tables, kind: table})

    def in_order(self, worth: NDArray[np.float64]) -> "Assessed":
        """One run that ranks the judged documents of every topic by a worth (named,) of their own, highest first."""
        return self._ideal_by(worth)

    @property
    def ideal(self) -> "Assessed":
        """One run that ranks the judged documents of every topic perfectly: by grade, equal ones as they were named."""
        return self.once("ideal", lambda: self._ideal_by(self.grade))

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
            above=self._lengths_above(order, starts),
            prior=None,
        )

    def _lengths_above(self, order: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """(entry,): for rankings of named documents only, the lengths of all that stand above each."""
        if self.length is None:
            return None
        sums = np.concatenate(([0.0], self.length[order].cumsum()))
        return sums[:-1] - np.repeat(sums[starts[:-1]], np.diff(starts))

    def at_best(self, measure: Kernel) -> Rows:
        """(topic,): the value of a measure for the perfect ranking; kept, because many runs ask for it."""
        return self.once(("best", measure), lambda: self._of_perfect(measure))

    def _of_perfect(self, measure: Kernel) -> Rows:
        return self.ideal_for(measure).map([measure])[0, :, 0]

    def ideal_for(self, measure: Kernel) -> "Assessed":
        """The perfect ranking in the eyes of a measure: by what it says that documents are worth."""
        worth = measure.gain(self.grade)
        plain = np.array_equal(worth, np.maximum(self.grade, 0))
        return self.ideal if plain else self._ideal_by(worth)

    def map(self, kernels: Sequence[Kernel], progress: Callable[[int, int], object] | None = None) -> Cube:
        """(run, topic, kernel): every kernel over every row, block by block; ``progress`` hears of rows × kernels."""
        out, done = np.empty((len(self.retrieved), len(kernels))), 0
        levels = self.once("levels", lambda: _distinct(self.grade))
        alike: dict[bytes, list[int]] = {}
        for i, kernel in enumerate(kernels):
            alike.setdefault(kernel.earns(levels).tobytes(), []).append(i)
        for group in alike.values():
            shown = self.only(kernels[group[0]].earns(self.grade), max(kernels[i].reach for i in group))
            for block in shown.blocks():
                for i in group:
                    out[block.row, i] = kernels[i].kernel(block)
                done += len(block.row) * len(group)
                if progress:
                    progress(done, out.size)
        return out.reshape(len(self.runs), len(self.topics), len(kernels))

    def only(self, named: NDArray[np.bool_], reach: float = np.inf) -> "Assessed":
        """The same rankings with some of the named documents only, down to a rank; ranks stay what they are.

        Most documents were judged not relevant, and most measures look away from those.
        """
        if reach < np.inf:
            place = np.flatnonzero(self.rank <= int(reach))
            place = place[named[self.document[place]]]
        elif named.all():
            return self
        else:
            place = np.flatnonzero(_among(named, self.document)) if named.any() else np.zeros(0, np.int64)
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
        whole, before = self._whole or (self, None)
        object.__setattr__(shown, "_whole", (whole, place if before is None else before[place]))
        object.__setattr__(shown, "_kept", self._kept)
        object.__setattr__(shown, "_own", self._own)
        return shown

    def judged_only(self) -> "Assessed":
        """The same rankings with unjudged documents taken out, and ranks and ties closed up."""
        judged = self.only(self.grade >= 0)
        first = judged.groups
        size = np.diff(first, append=len(judged.rank))
        shown = replace(
            judged,
            rank=judged.judged,
            tie_first=np.repeat(judged.judged[first], size),
            tie_last=np.repeat(judged.judged[first + size - 1], size),
            retrieved=self.judged_retrieved.astype(np.int32),
            above=None,
        )
        object.__setattr__(shown, "_kept", self._kept)
        return shown

    def reordered(
        self,
        of: NDArray[np.int64],
        length: NDArray[np.int64],
        entry: NDArray[np.int64],
        rank: NDArray[np.int64],
    ) -> "Assessed":
        """The same documents in other orders: rows of which each is an order of one here.

        ``of`` says of which, ``length`` how many entries it has; these are given one after the other, in rank order,
        by their place here and their new rank.
        """
        ranks = rank.astype(np.int32)
        shown = replace(
            self,
            runs=("order",) * (len(of) // len(self.topics)),
            starts=np.concatenate(([0], length.cumsum())),
            document=self.document[entry],
            rank=ranks,
            tie_first=ranks,
            tie_last=ranks,
            retrieved=self.retrieved[of],
            tied=np.zeros(len(of), np.int32),
            above=None,
            prior=None,
        )
        object.__setattr__(shown, "_kept", self._kept)
        return shown

    def blocks(self, rows: NDArray[np.int64] | None = None) -> Iterator[Block]:
        """All rows, or some, in rectangles of similar width, so that one deep topic does not widen the others."""
        chosen = np.arange(len(self.retrieved)) if rows is None else rows
        length = np.diff(self.starts)[chosen]
        width = np.where(length > 1, 1 << np.ceil(np.log2(np.maximum(length, 1))).astype(int), 1)
        for wide in _distinct(width).tolist():
            alike = chosen[width == wide]
            for part in np.array_split(alike, min(len(alike), max(1, len(alike) * wide // CELLS))):
                yield self._block(part, wide)

    def _block(self, rows: NDArray[np.int64], width: int) -> Block:
        place, there = self._places(rows, width)
        if len(self.rank):
            document = np.where(there, self.document.take(place, mode="clip"), -1).astype(np.int64)
            rank = np.where(there, self.rank.take(place, mode="clip"), np.inf)
        else:
            document, rank = np.full(place.shape, -1), np.full(place.shape, np.inf)
        grade = np.where(there, self.grade.take(document, mode="clip"), NOBODY)
        return Block(self, rows, rank, grade, document, self.retrieved[rows].astype(np.float64))

    def _places(self, rows: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(row, document): where the entries of some rows stand, and whether there is one."""
        place = self.starts[rows, None] + np.arange(width)
        return place, place < self.starts[rows + 1, None]

    def rectangle(
        self, rows: NDArray[np.int64], entries: NDArray[np.generic], width: int, otherwise: float
    ) -> NDArray[np.float64]:
        """(row, document): the entries of some rows, each row filled up to ``width``."""
        if not len(entries):
            return np.full((len(rows), width), otherwise)
        place, there = self._places(rows, width)
        return np.where(there, entries.take(place, mode="clip"), otherwise)
