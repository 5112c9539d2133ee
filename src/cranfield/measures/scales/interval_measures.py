"""Measures that are interval scales by construction: rank-based and set-based total orders."""

from abc import abstractmethod
from dataclasses import replace
from itertools import accumulate, repeat
from math import comb
from operator import mul
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits, ParameterError
from cranfield.core.types import Grades, Rows
from cranfield.data import Assessed, Block
from cranfield.measures.base import HIGHEST_EXPONENT, Measure, below_top, measure, top_of
from cranfield.measures.declared_properties import COUNTED, INTERVAL, Claim, Example

LONGEST = 10_000  # a ranking of so many documents is a number of thousands of digits

Exact = NDArray[np.object_]  # (row,) or (run, topic): whole numbers of any size


class TotalOrder(Measure):
    """The place of a ranking among all rankings of ``k`` documents, divided by that of the best.

    A ranking that is shorter, and a document that nobody judged, count as grade 0. The whole numbers themselves, from
    ``exact``, decide which of two rankings is better: as floats those of long rankings may be equal.
    """

    family: ClassVar[str] = "interval"
    needs_cutoff: ClassVar[bool] = True
    k: Annotated[int | None, Limits(1, LONGEST)] = None
    max_rel: Annotated[int | None, Limits(1, HIGHEST_EXPONENT)] = None

    def settled(self, top: float) -> Self:
        """The top of the scale of grades is that of the judgments, where nobody says it."""
        settled = self if self.max_rel is not None else replace(self, max_rel=top_of(top))
        settled.earns(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return settled

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only relevant documents do; grades that are no whole numbers are refused."""
        earns = grade > 0
        parts = grade[earns & (np.floor(grade) != grade)]
        if len(parts):
            hint = "give every document a whole grade, from 0 up"
            raise ParameterError(f"{self.name} counts by whole grades, and one is {parts[0]:g}", hint=hint)
        below_top(grade, self, self.max_rel)
        return earns

    @property
    def length(self) -> int:
        """How long the rankings are."""
        return self.k or 0

    @property
    def top(self) -> int:
        """The top grade, once it is known."""
        return int(below_top(np.zeros(1), self, self.max_rel))

    def there(self, block: Block) -> NDArray[np.bool_]:
        """(row, document): where a relevant document stands above the cut-off."""
        return self.earns(block.grade) & (block.rank <= self.length)

    @abstractmethod
    def exact(self, block: Block) -> Exact:
        """(row,): how many rankings stand below, by the order of the measure."""

    @property
    @abstractmethod
    def most(self) -> int:
        """How many rankings stand below the best."""

    def value(self, block: Block) -> Rows:
        """The exact number as a share of the highest: Python divides whole numbers without an error but the last."""
        return (self.exact(block) / self.most).astype(np.float64)


@measure("RBTO", cite="ferrante2019")
class RBTO(TotalOrder):
    """Rank-based total order: the grades read as the digits of a number, the first rank above everything below it."""

    formula: ClassVar[str] = "Σ_{i≤k} grade(i) · (max_rel + 1)^(k−i) / ((max_rel + 1)^k − 1)"
    example: ClassVar[Example] = Example("RBTO(max_rel=1)@4", (1, 0, 1), "(8 + 2) / (16 - 1)")
    linear: ClassVar[bool] = True

    @property
    def scale(self) -> Claim:  # ferrante2019: it is made to be the interval scale of that order
        return INTERVAL

    @property
    def most(self) -> int:
        return (self.top + 1) ** self.length - 1

    def exact(self, block: Block) -> Exact:
        there = self.there(block)
        power = np.array([*accumulate(repeat(self.top + 1, self.length - 1), mul, initial=1)], dtype=object)
        place = (self.length - block.rank[there]).astype(np.int64)
        return _added(block.grade[there].astype(np.int64).astype(object) * power[place], there)


@measure("SBTO", cite="ferrante2019")
class SBTO(TotalOrder):
    """Set-based total order: the place of the grades of the first ``k`` documents, wherever they stand among them.

    Of two rankings the one with more documents of the top grade is better; then the one with more of the next. Where
    documents are relevant or not, it is precision.
    """

    formula: ClassVar[str] = "Σ_{i≤k} C(g_i + k − i, k − i + 1) / (C(k + max_rel, k) − 1),  g the grades, highest first"
    example: ClassVar[Example] = Example("SBTO(max_rel=2)@3", (0, 1, 2), "(comb(4, 3) + comb(2, 2)) / (comb(5, 3) - 1)")

    @property
    def scale(self) -> Claim:  # ferrante2019: it is made to be the interval scale of that order
        return COUNTED

    @property
    def most(self) -> int:
        return comb(self.length + self.top, self.top) - 1

    def exact(self, block: Block) -> Exact:
        grade = -np.sort(-np.where(self.there(block), block.grade, 0)).astype(np.int64)
        there = grade > 0
        left = (self.length - np.arange(grade.shape[1])) * there  # ranks from here to the cut-off
        return _added(np.frompyfunc(comb, 2, 1)((grade + left - 1)[there], left[there]), there)


def _added(number: Exact, there: NDArray[np.bool_]) -> Exact:
    """(row,): the numbers of the cells that are there, added up row by row."""
    counts = there.sum(axis=1)
    some = counts > 0
    out = np.zeros(len(there), dtype=object)
    if some.any():
        out[some] = np.add.reduceat(number, (counts.cumsum() - counts)[some])
    return out


def exact_order(assessed: Assessed, measure: TotalOrder) -> NDArray[np.int64]:
    """(run, topic): the place of each run among the runs of a topic, 0 for the lowest, equal ones alike.

    Rank tests take these: they are equal where the whole numbers are, and only there.
    """
    return _dense(_exact(assessed, measure))


def pairs_lost(assessed: Assessed, measure: TotalOrder) -> int:
    """How many pairs of runs in a topic have the same value as floats, though their whole numbers differ."""
    measure = measure.settled(float(assessed.grade.max(initial=0)))
    exact = _exact(assessed, measure)
    return _ties(_dense(exact / measure.most)) - _ties(_dense(exact))


def _exact(assessed: Assessed, measure: TotalOrder) -> Exact:
    measure = measure.settled(float(assessed.grade.max(initial=0)))
    out = np.zeros(len(assessed.retrieved), dtype=object)
    for block in assessed.only(measure.earns(assessed.grade)).blocks():
        out[block.row] = measure.exact(block.judged_only() if measure.judged_only else block)
    return out.reshape(assessed.missing.shape)


def _dense(number: Exact) -> NDArray[np.int64]:
    """(run, topic): the ranks of the numbers of each topic, equal ones alike, from 0."""
    order = np.argsort(number, axis=0, kind="stable")
    upward = np.take_along_axis(number, order, axis=0)
    steps = np.zeros(number.shape, np.int64)
    steps[1:] = upward[1:] != upward[:-1]
    out = np.empty_like(steps)
    np.put_along_axis(out, order, steps.cumsum(axis=0), axis=0)
    return out


def _ties(rank: NDArray[np.int64]) -> int:
    """How many pairs of runs share a rank, over all topics."""
    runs, topics = rank.shape
    counts = np.bincount((rank + np.arange(topics) * runs).reshape(-1))
    return int((counts * (counts - 1) // 2).sum())
