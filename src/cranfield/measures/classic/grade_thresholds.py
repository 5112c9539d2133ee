"""Graded average precision: AP for users with different grade thresholds for relevance."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Rows
from cranfield.data import Block
from cranfield.measures.base import measure, ratio
from cranfield.measures.declared_properties import Example
from cranfield.measures.gains import Gained
from cranfield.measures.ties.tie_groups import precision_sums

from .cumulated_gain import Perfect


@measure("GAP", cite="robertson2010gap")
class GAP(Gained):
    """Graded average precision: AP in the eyes of users who differ in the grade from which on documents are relevant.

    The share of users to whom a grade is the first relevant one is the step of gain up to it: with linear gains all
    shares are equal. The precisions that each of them sees are added up, and divided by what a perfect ranking has.
    """

    family: ClassVar[str] = "graded"
    formula: ClassVar[str] = "Σ_{i≤k} 1/i · Σ_{j≤i} min(gain(j), gain(i)) / Σ gains of all judged documents"
    example: ClassVar[Example] = Example("GAP", (1, 0, 3), "(1/1 + (1 + 3)/3) / (1 + 3 + 2)", missed=(2,))

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return self.gain(grade) > 0

    def value(self, block: Block) -> Rows:
        return self._share(self.added(block, lambda: self._precisions(block)), block)

    def over_ties(self, block: Block) -> Rows | None:
        found = np.zeros(len(block.row))
        for step, hit in self._users(block):
            found += step * precision_sums(hit, block, self.within)
        return self._share(found, block)

    def _precisions(self, block: Block) -> Gains:
        """(row, document): what users see where each document is found."""
        seen = np.zeros(block.rank.shape)
        for step, hit in self._users(block):
            seen += step * hit * hit.cumsum(axis=1)
        return seen / block.rank

    def _users(self, block: Block) -> Iterator[tuple[float, Gains]]:
        """For each step of gain how high it is, and (row, document) which documents reach it."""
        gain, below = self.gain(block.grade), 0.0
        for level in sorted(set(gain[gain > 0].tolist())):
            yield level - below, (gain >= level).astype(np.float64)
            below = level

    def _share(self, found: Rows, block: Block) -> Rows:
        last = np.full((len(block.row), 1), np.inf)
        return ratio(found, Perfect.of(block, self).down_to(last, self._worth)[:, 0])

    def _worth(self, block: Block) -> Gains:
        return self.gain(block.grade)
