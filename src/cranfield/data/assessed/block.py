"""Blocks: rows of assessed runs as rectangular arrays, and the protocol of kernels that evaluate them."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Gains, Grades, Ranks, Rows
from cranfield.data.judgments.side_tables import SideTable

if TYPE_CHECKING:
    from .assessed_runs import Assessed

T = TypeVar("T")

NOBODY = -np.inf  # the grade of a document that nobody judged


class Kernel(Protocol):
    """Anything that makes one number of every row of a block, such as a measure."""

    def kernel(self, block: "Block", /) -> Rows:
        """One number per row."""

    def gain(self, grade: Grades, /) -> Gains:
        """What a document of this grade is worth: the perfect ranking is sorted by it."""

    def earns(self, grade: Grades, /) -> NDArray[np.bool_]:
        """Whether a document of this grade can make a difference: the others are not shown to the kernel."""

    @property
    def reach(self) -> float:
        """The last rank that can make a difference: what stands below need not be shown; infinite: there is none."""


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
    retrieved: Rows  # (row,): how many documents were retrieved, named or not
    kept: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def topic(self) -> NDArray[np.int64]:
        """Which topic each row is about."""
        return self.row % len(self.assessed.topics)

    def relevant(self, rel: float) -> Rows:
        """How many documents of each row's topic reach grade ``rel``, retrieved or not."""
        return self.once(("relevant", rel), lambda: self.assessed.relevant(rel)[self.topic])

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

    @property
    def length(self) -> Ranks:
        """(row, document): how long each document is, where ``assess`` was told; 0 where there is none."""
        if self.assessed.length is None:
            raise ParameterError("nobody knows how long the documents are", hint="assess with lengths=")
        return np.where(self.document >= 0, self.assessed.length[self.document], 0)

    def beside(self, kind: str) -> NDArray[np.float64]:
        """(row, document, column): what a side table says of each document; -inf where it says nothing."""
        return self.once(("beside", kind), lambda: self._beside(self.assessed.table(kind)))

    def _beside(self, table: SideTable) -> NDArray[np.float64]:
        there = self.document >= 0
        return np.where(there[..., None], table.value[np.where(there, self.document, 0)], NOBODY)

    @property
    def judged(self) -> Ranks:
        """(row, document): how many judged documents stand there or above, shown or not."""
        return self.once("judged", lambda: self._of_entries(self.assessed.judged))

    @property
    def pooled(self) -> Ranks:
        """(row, document): how many documents of the judgments stand there or above, with those of grades below 0."""
        return self.once("pooled", lambda: self._of_entries(self.assessed.pooled))

    def _of_entries(self, entries: NDArray[np.int32]) -> Ranks:
        return self.assessed.rectangle(self.row, entries, self.rank.shape[1], 0)

    def upto(self, k: float | Rows) -> NDArray[np.int64]:
        """(row,): the columns down to the last document of the first ``k``: where to look into what is cumulated."""
        if isinstance(k, np.ndarray):
            # Looked for from the last: between them there may be some that were taken out.
            within = (self.rank <= k[:, None])[:, ::-1]
            column = within.argmax(axis=1)
            return np.where(within[np.arange(len(within)), column], self.rank.shape[1] - column, 0)
        return self.once(("upto", k), lambda: self.upto(np.full(len(self.row), float(k))))

    def once(self, what: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` makes, made once for the block: the cut-offs of a measure share what is cumulated."""
        if what not in self.kept:
            self.kept[what] = make()
        return cast("T", self.kept[what])

    def judged_only(self) -> "Block":
        """The same rows with unjudged documents taken out, and the ranks closed up."""
        return self.once("judged only", self._closed_up)

    def _closed_up(self) -> "Block":
        rank = np.where(self.grade >= 0, self.judged, np.inf)
        retrieved = self.assessed.judged_retrieved[self.row].astype(np.float64)
        return replace(self, rank=rank, retrieved=retrieved, kept={})
