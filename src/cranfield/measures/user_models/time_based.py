"""Measures that discount by reading time or text length instead of rank: TBG and U-measure.

How many words a document has comes from ``assess(…, lengths=…)``. Where that was not said, every document has
``words`` of them: 500, about the mean of TREC-8's ad hoc documents (voorhees1999trec8).
"""

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits, Positive, Share
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Binary, Browsing, TopGrade, below_top, measure, top_of
from cranfield.measures.declared_properties import Counterexample, Example

Amount = Annotated[float, Limits(0)]


class Timed(Browsing):
    """A user whose attention falls with everything that was read above: the value is the sum of gains that are seen."""

    family: ClassVar[str] = "user model"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    words: Amount = 500.0

    @abstractmethod
    def cost(self, block: Block) -> Weights:
        """(row, document): what it takes to look at each named document, in expectation."""

    @abstractmethod
    def decay(self, block: Block) -> Weights:
        """(row, document): how much of the gain of each named document reaches the user."""

    def value(self, block: Block) -> Rows:
        return (self.gain(block.grade) * self.decay(block) * self.within(block.rank)).sum(axis=1)

    def residual(self, block: Block, left: Weights) -> Rows:
        return (self.gain(block.grade) * left * self.decay(block) * self.within(block.rank)).sum(axis=1)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        # Judged documents that are worth nothing take time, and nothing else tells how much the unjudged ones took.
        return (self.gain(grade) > 0) | (self.judged_only & (grade >= 0))

    def length(self, block: Block) -> Weights:
        """(row, document): how many words each document has."""
        return np.full(block.rank.shape, self.words) if block.assessed.length is None else block.length

    def above(self, block: Block) -> tuple[Ranks, Weights]:
        """(row, document): how many documents stand above, and how many words they have."""
        there = np.isfinite(block.rank)
        documents = np.where(there, block.rank, 1) - 1
        if block.assessed.length is None:
            return documents, documents * self.words
        return documents, before(there * block.length) if self.judged_only else block.above


@measure("TBG", cite="smucker2012tbg")
class TBG(Timed, Binary):
    """Time-biased gain: how many relevant documents a user saves, of whom half have left after ``half_life`` seconds.

    A summary takes ``summary`` seconds. It is clicked with the probability ``click_relevant`` or ``click_other``; a
    document then takes ``opening`` seconds and ``reading`` for each of its words, and if it is relevant it is saved
    with the probability ``save``. Without lengths every document has ``words`` of them.
    """

    formula: ClassVar[str] = (
        "Σ_i click_relevant · save · 2^(−t(i) / half_life),  "
        "t(i) = Σ_{j<i} summary + click(j) · (reading · words(j) + opening)"
    )
    example: ClassVar[Example] = Example("TBG", (0, 1), "0.64 * 0.77 * 2**(-(4.4 + 0.39*(0.018*500 + 7.8)) / 224)")
    half_life: Positive = 224.0
    summary: Amount = 4.4
    reading: Amount = 0.018
    opening: Amount = 7.8
    click_relevant: Share = 0.64
    click_other: Share = 0.39
    save: Share = 0.77

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A relevant document that is long puts off all that come after it.
        long = Counterexample("replacement", (0, 1, 1), (2, 1, 1), (2,), self.cite, lengths=((2, 100_000.0),))
        return super().gives_up if (self.k or 3) < 3 else (*super().gives_up, long)

    def gain(self, grade: Grades) -> Gains:
        return super().gain(grade) * self.click_relevant * self.save

    def cost(self, block: Block) -> Weights:
        click = np.where(block.grade >= self.rel, self.click_relevant, self.click_other)
        return self.summary + click * self._open(self.length(block))

    def _open(self, words: Weights) -> Weights:
        """What a clicked document takes."""
        return self.reading * words + self.opening

    def decay(self, block: Block) -> Weights:
        documents, words = self.above(block)
        as_if_not_relevant = self.summary * documents + self.click_other * (
            self.reading * words + self.opening * documents
        )
        relevant = (block.grade >= self.rel) & np.isfinite(block.rank)
        more = (self.click_relevant - self.click_other) * before(relevant * self._open(self.length(block)))
        return np.exp2(-(as_if_not_relevant + more) / self.half_life)

    def seen(self, block: Block) -> Weights:
        return self.decay(block) * self.within(block.rank)


@measure("U", cite="sakai2013u", aliases=("UMeasure",))
class U(Timed):
    """U-measure: what is found in the text that a user reads, worth less with every character of the first ``L``.

    The text holds a ``snippet`` for each rank and, after that of a relevant document, the share ``read`` of its
    characters: ``letters`` for a word with its space. A document counts where its text ends, with a gain of
    (2^grade - 1) / 2^max. Without lengths every document has ``words`` of them.
    """

    formula: ClassVar[str] = (
        "Σ_i gain(i) · max(0, 1 − pos(i) / L),  pos(i) = i · snippet + Σ_{j≤i, j relevant} read · letters · words(j)"
    )
    example: ClassVar[Example] = Example("U", (0, 1), "1/2 * (1 - (2*200 + 0.2*6*500) / 132000)")
    L: Positive = 132000.0
    snippet: Amount = 200.0
    read: Share = 0.2
    letters: Positive = 6.0
    max_rel: TopGrade = None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A document that is worth little takes as long to read as one that is worth much, and puts it off.
        put_off = Counterexample("replacement", (0, 3), (1, 3), (1,), self.cite, of="U(L=2000)")
        # A long one that moves up is not read to its end either, and puts off what was read before.
        long = Counterexample("swap", (1, 2), (2, 1), (), self.cite, of="U", lengths=((2, 1_000_000.0),))
        return super().gives_up if self.k == 1 else (*super().gives_up, put_off, long)

    def settled(self, top: float) -> Self:
        settled = self if self.max_rel is not None else replace(self, max_rel=top_of(top))
        settled.gain(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return settled

    def gain(self, grade: Grades) -> Gains:
        return (np.exp2(np.maximum(grade, 0)) - 1) / 2.0 ** below_top(grade, self, self.max_rel)

    def cost(self, block: Block) -> Weights:
        return self.snippet + self._text(block)

    def _text(self, block: Block) -> Weights:
        """(row, document): how many characters of each document are read."""
        relevant = (block.grade > 0) & np.isfinite(block.rank)
        return relevant * self.length(block) * self.letters * self.read

    def decay(self, block: Block) -> Weights:
        position = self.snippet * block.rank + self._text(block).cumsum(axis=1)
        return np.maximum(0, 1 - position / self.L)

    def seen(self, block: Block) -> Weights:
        first = self.snippet + (self._text(block) * (block.rank == 1)).sum(axis=1, keepdims=True)
        start = np.maximum(0, 1 - first / self.L)
        left = self.decay(block) * self.within(block.rank)
        return np.divide(left, start, out=np.zeros(left.shape), where=start > 0)


def before(amounts: Weights) -> Weights:
    """(row, document): the sum of what stands to the left."""
    return amounts.cumsum(axis=1) - amounts
