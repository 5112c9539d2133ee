"""Compatibility: rank-biased overlap of a ranking with the most similar ideal ranking."""

from math import ceil, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance
from cranfield.core.types import Ranks, Rows
from cranfield.data import Assessed, Block
from cranfield.measures.base import measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.pairs.rank_overlap import weights

from .cumulated_gain import Graded, Perfect

FAINT = 40  # what the ranks below e^-40 add is lost in the last bit


@measure("Compat", cite="clarke2021")
class Compat(Graded):
    """Compatibility: rank-biased overlap with the perfect ranking that is most like the ranking itself.

    Perfect is every ranking of the relevant documents by grade. The overlap is taken down to depth ``k``; without it,
    to the end of the ranking or of the perfect one, whichever is longer. ``normalize`` divides by the overlap that is
    possible.
    """

    formula: ClassVar[str] = "RBO(ranking, nearest ideal) / RBO(ideal, ideal),  RBO ∝ Σ_{d≤k} p^(d−1) · shared(d) / d"
    example: ClassVar[Example] = Example("Compat(p=0.5)@2", (0, 1), "(1/2 * 1/2) / (1 + 1/2 * 1/2)")
    p: Chance = 0.95
    normalize: bool = True

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A longer ranking is followed further down, where nothing is left to be shared.
        longer = Counterexample(
            "ideal-best", before=(1,), after=(1, 0), missed=(0,), cite="clarke2021", of="Compat(normalize=False)"
        )
        return super().gives_up if self.normalize or self.k else (*super().gives_up, longer)

    def value(self, block: Block) -> Rows:
        relevant = Perfect.of(block).length.astype(np.int64)
        depth = np.maximum(block.retrieved, relevant) if self.k is None else np.full(len(relevant), float(self.k))
        down = weights(self.p, int(min(depth.max(initial=0), ceil(-FAINT / log(self.p)))))

        def upto(rank: NDArray[np.generic]) -> NDArray[np.float64]:
            return down[np.minimum(rank, len(down) - 1).astype(np.int64)]

        from_here = np.minimum(_shared_from(block) - 1, depth[:, None])
        overlap = (upto(depth)[:, None] - upto(from_here)).cumsum(axis=1)[:, -1]
        both = np.minimum(relevant, depth)
        looks = (1 - self.p ** np.stack([both, depth])) / (1 - self.p)
        best = looks[0] + relevant * (upto(depth) - upto(both))
        return np.minimum(ratio(overlap, best if self.normalize else looks[1]), 1)  # sums of floats may exceed 1


def _shared_from(block: Block) -> Ranks:
    """(row, document): the depth from which a document is in the ranking and in the perfect one most like it."""
    order = np.argsort(-block.grade, axis=1, kind="stable")  # equal grades in the order of the ranking
    grade, rank, document = (np.take_along_axis(of, order, axis=1) for of in (block.grade, block.rank, block.document))
    column = np.arange(grade.shape[1])
    falls = np.pad(grade[:, 1:] != grade[:, :-1], ((0, 0), (1, 0)))
    above = column - np.maximum.accumulate(np.where(falls, column, 0), axis=1)
    first = block.once("first of grade", lambda: _first_of_grade(block.assessed))
    return np.where(grade > 0, np.maximum(rank, first[document] + above), np.inf)


def _first_of_grade(assessed: Assessed) -> NDArray[np.float64]:
    """(named,): the rank at which the documents of the same grade begin in the perfect ranking."""
    ideal = assessed.ideal
    grade = ideal.grade[ideal.document]
    begins = np.ones(len(grade), np.bool_)
    begins[1:] = (grade[1:] != grade[:-1]) | (ideal.rank[1:] == 1)
    first = np.zeros(len(assessed.grade))
    first[ideal.document] = ideal.rank[np.maximum.accumulate(np.where(begins, np.arange(len(grade)), 0))]
    return first
