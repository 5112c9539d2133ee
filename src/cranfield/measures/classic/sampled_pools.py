"""Measures for stratified samples of a pool, as in TREC's sample_eval.pl: xinfAP and infNDCG.

The second column of the judgments names the stratum. A grade below 0 is a document of the pool that was not drawn;
what is not in the judgments was not in the pool, and is not relevant.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Rows, Weights
from cranfield.data import NOBODY, Block, Strata, strata_of
from cranfield.measures.base import Binary, Measure, measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example

from .incomplete_judgments import SMALL

DEEPEST = 1000  # ranks of a run at TREC: below nothing counts, and no run can hold more relevant documents


class Sampled(Measure):
    """A measure that asks how many documents of each stratum stand in the ranking, and how many of those were drawn.

    What its axioms say holds of one stratum: where there are several, a document of one of which less was drawn weighs
    more than others, whatever its grade.
    """

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    @property
    def cut(self) -> int:
        """The last rank that counts."""
        return min(self.k or DEEPEST, DEEPEST)

    @property
    def reach(self) -> float:
        return np.inf if self.judged_only else self.cut

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade > NOBODY


@measure("xinfAP", cite="yilmaz2008xinfap")
class XInfAP(Sampled, Binary):
    """Extended inferred average precision: AP as a stratified sample of the pool lets one expect it.

    Above each relevant document every stratum is taken to be as good there as those of it that were drawn; and each
    document stands for as many as its stratum has for one that was drawn. Only 1000 ranks count, and no more than 1000
    relevant documents, as in the script of NIST. The second column of the judgments names the stratum, a grade below 0
    is a document that was not drawn.
    """

    family: ClassVar[str] = "binary"
    formula: ClassVar[str] = (
        "1/min(R, 1000) · Σ_{i relevant} w_i · 1/i · (1 + Σ_s p_s · (r_s + ε) / (r_s + n_s + 3ε)),  R = Σ w,  "
        "w = documents of the stratum / drawn,  p_s of stratum s in the pool above i"
    )
    example: ClassVar[Example] = Example(
        "xinfAP",
        (1, 1, -1, 0, 1),
        "(1 + (1 + 1 * 1.00001/1.00003) / 2 + (1 + 3 * 2.00001/3.00003) / 5) / 4",
        missed=(1,),
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A document of the pool that was not drawn (-2) may be relevant; one that was judged not to be cannot.
        judged = Counterexample("replacement", (-2, 1), after=(0, 1), missed=(0,), cite=self.cite, of="xinfAP")
        # Above a relevant document it counts as much as what was drawn there, which may be worth more than a rank.
        above = Counterexample("swap", (1, -1, -2, 1), (1, -1, 1, -2), missed=(), cite=self.cite, of="xinfAP")
        lost = [judged] * (self.cut > 1) + [above] * (self.cut > 3 and not self.judged_only)
        return (*super().gives_up, *lost)

    def value(self, block: Block) -> Rows:
        strata = strata_of(block.assessed)
        relevant = block.assessed.once(
            ("estimate", self.rel), lambda: strata.estimate(block.assessed.grade >= self.rel)
        )
        most = np.minimum(relevant, DEEPEST)[block.topic]
        deepest = np.full(len(block.row), float(DEEPEST))
        return ratio(self.added(block, lambda: self._precisions(block, strata), cut=deepest), most)

    def _precisions(self, block: Block, strata: Strata) -> Gains:
        """(row, document): the precision to be expected at each relevant document, for all that it stands for."""
        hit = self.gain(block.grade)
        weight = np.where(hit > 0, strata.weight[block.document], 0)
        return weight * (1 + self._above(block, strata)) / block.rank

    def _above(self, block: Block, strata: Strata) -> Weights:
        """(row, document): how many relevant documents are to be expected above each.

        Of all strata a document changes its own alone: what it adds there is added up down the ranking.
        """
        there = (block.grade > NOBODY) & np.isfinite(block.rank)
        if block.assessed.stratum is None:  # one for all: nothing has to be put in order
            pooled, judged, found = (
                (counted & there).cumsum(axis=1) for counted in (there, block.grade >= 0, block.grade >= self.rel)
            )
            expected = pooled * (found + SMALL) / (judged + 3 * SMALL)
            return np.roll(np.where(np.arange(expected.shape[1]) < expected.shape[1] - 1, expected, 0), 1, axis=1)
        stratum = np.where(there, strata.of[block.document], -1)
        order = np.argsort(stratum, axis=1, kind="stable")
        begins = np.diff(np.take_along_axis(stratum, order, axis=1), axis=1, prepend=-2) != 0
        pooled, judged, found = (
            _running(np.take_along_axis(counted & there, order, axis=1), begins)
            for counted in (there, block.grade >= 0, block.grade >= self.rel)
        )
        expected = pooled * (found + SMALL) / (judged + 3 * SMALL)  # 3 as in the script: it is 2 in infAP
        added = np.empty(expected.shape)
        np.put_along_axis(added, order, expected - np.where(begins, 0, np.roll(expected, 1, axis=1)), axis=1)
        return added.cumsum(axis=1) - added


def _running(counted: NDArray[np.bool_], begins: NDArray[np.bool_]) -> Weights:
    """(row, document): how many were counted so far, from each place where something begins anew."""
    so_far = counted.cumsum(axis=1)
    return so_far - np.maximum.accumulate(np.where(begins, so_far - counted, 0), axis=1)


@measure("infNDCG", cite="yilmaz2008xinfap")
class InfNDCG(Sampled):
    """Inferred nDCG: DCG and that of the perfect ranking, as a stratified sample of the pool lets one expect them.

    Each document of the ranking stands for as many as the ranking has of its stratum for one that was drawn; and of
    each grade there are as many documents as those that were drawn stand for, to the nearest whole number. The gain is
    the grade. Only 1000 ranks count, as in the script of NIST. By chance a value may lie above 1.
    """

    family: ClassVar[str] = "graded"
    formula: ClassVar[str] = (
        "Σ_{i≤k} v_i · grade(i) / log2(i + 1) over the DCG of as many documents of each grade as are to be expected,  "
        "v = documents of the stratum in the first k / drawn of those,  k = 1000 at most"
    )
    example: ClassVar[Example] = Example(
        "infNDCG", (3, 0, 1), "(3/log2(2) + 1/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))", missed=(2,)
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Where one of two was drawn, it stands for both; where both were drawn, each stands for itself.
        judged = Counterexample("replacement", (-2, 1), after=(0, 1), missed=(0,), cite=self.cite, of="infNDCG")
        crossing = Counterexample("swap", (1, -2, 0), after=(1, 0, -2), missed=(), cite=self.cite, of="infNDCG@2")
        perfect = Counterexample("ideal-best", (1, -2), after=(1,), missed=(), cite=self.cite, of="infNDCG")
        lost = () if self.cut == 1 or self.judged_only else (judged, crossing, perfect)
        return (*super().gives_up, *lost)

    def value(self, block: Block) -> Rows:
        strata, inside = strata_of(block.assessed), (block.grade > NOBODY) & (block.rank <= self.cut)
        stratum = np.where(inside, strata.number[block.document], 0)
        every = stratum.max(initial=0) + 1
        cell = stratum + np.arange(len(stratum))[:, None] * every
        pooled, judged = (
            np.bincount(cell[counted], minlength=len(stratum) * every).astype(np.float64)
            for counted in (inside, inside & (block.grade >= 0))
        )
        stands_for = ratio(pooled, judged)[cell]
        gains = np.where(inside, stands_for * self.gain(block.grade) / np.log2(block.rank + 1), 0)
        ideal = block.assessed.once(("infNDCG", self.cut), lambda: self._ideal(block, strata))
        return ratio(gains.cumsum(axis=1)[:, -1], ideal[block.topic])

    def _ideal(self, block: Block, strata: Strata) -> Rows:
        """(topic,): the DCG of the perfect ranking of as many documents of each grade as are to be expected."""
        grade = block.assessed.grade
        best_first = sorted(set(grade[grade > 0].tolist()), reverse=True)
        number = np.array([strata.estimate(grade == each) for each in best_first]).reshape(-1, strata.topics)
        ends = np.minimum(np.floor(number + 0.5).cumsum(axis=0), self.cut).astype(np.int64)
        discounts = np.concatenate(([0.0], (1 / np.log2(np.arange(2, self.cut + 2))).cumsum()))
        return (np.array(best_first)[:, None] * np.diff(discounts[ends], axis=0, prepend=0)).sum(axis=0)
