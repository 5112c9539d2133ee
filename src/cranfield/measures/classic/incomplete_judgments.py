"""Measures for incomplete judgments: Bpref, its geometric mean and inferred AP."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Rows
from cranfield.data import NOBODY, Block
from cranfield.measures.base import Binary, measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.ties.tie_groups import by_row, groups_of

SMALL = 1e-5  # added to counts by infAP, as in trec_eval: yilmaz2006infap smooths so that nothing is divided by 0


@measure("Bpref", cite="buckley2004bpref", aliases=("BPref",))
class Bpref(Binary):
    """Binary preference: the share of the judged documents that are not relevant which a relevant one stands above.

    It is the mean over all relevant documents, 0 for one that is missed. Of the others only as many count as there are
    relevant ones, the first in the ranking; unjudged documents are passed over. This is the form of trec_eval 8 and up.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("bpref", "")
    formula: ClassVar[str] = "1/R · Σ_{i relevant} (1 − min(n_i, R) / min(N, R)),  n_i of N judged non-relevant above i"
    example: ClassVar[Example] = Example("Bpref", (1, 0, -1, 1), "((1 - 0/2) + (1 - 1/2)) / 3", missed=(1, 0))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A document that was passed over while nobody had judged it counts against those below it.
        judged = Counterexample(
            "replacement", before=(-1, 1), after=(0, 1), missed=(0,), cite="sakai2007bpref", of=self.name
        )
        return super().gives_up if self.k == 1 else (*super().gives_up, judged)

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 0

    def value(self, block: Block) -> Rows:
        return ratio(self.added(block, lambda: self._right(block), what=("Bpref", self.rel)), block.relevant(self.rel))

    def _right(self, block: Block) -> Gains:
        """(row, document): for each relevant document the share of the others that it stands above."""
        hit, relevant = self.gain(block.grade), block.relevant(self.rel)
        above = block.judged - self.found(block)
        most = np.minimum(block.relevant(0) - relevant, relevant)
        return hit * (1 - ratio(np.minimum(above, relevant[:, None]), most[:, None]))

    def over_ties(self, block: Block) -> Rows | None:
        if self.k is not None:
            return None
        groups = groups_of(block, block.grade >= 0)
        found = np.add.reduceat(self.gain(block.grade)[groups.cells], groups.start)
        beside = groups.count - found.astype(np.int64)
        above = (beside.cumsum() - beside).astype(np.float64)
        above -= above[np.searchsorted(groups.row, groups.row)]
        # Of the others of its score any number stands above a relevant document, each with the same chance.
        which, count = replace(groups, first=above, size=beside + 1).places()
        relevant, row = block.relevant(self.rel), groups.row[which]
        most = np.minimum(block.relevant(0) - relevant, relevant)
        right = 1 - ratio(np.minimum(count, relevant[row]), most[row])
        return ratio(by_row(row, right * (found / (beside + 1))[which], len(relevant)), relevant)


@measure("GMBpref", cite="trec_eval")
class GMBpref(Bpref):
    """Geometric mean binary preference: Bpref, its geometric mean taken over topics, so that bad topics count.

    The value of one topic is its Bpref; one below 0.00001 counts as that in the mean. A geometric mean needs a ratio
    scale, and Bpref does not have one.
    """

    aggregate: ClassVar[str] = "gmean"
    trec: ClassVar[tuple[str, str]] = ("gm_bpref", "")
    formula: ClassVar[str] = "exp(mean of ln max(Bpref, 0.00001))"
    example: ClassVar[Example] = Example("GMBpref", (0, 1), "(1 - 1/2) / 2", missed=(1, 0))


@measure("infAP", cite="yilmaz2006infap")
class InfAP(Binary):
    """Inferred average precision: AP as a random sample of the pool lets one expect it.

    A grade below 0 in the judgments is a document of the pool that was not drawn: it is taken to be as good as the
    judged ones above the same rank. What is not in the judgments at all was not in the pool, and is not relevant.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("infAP", "")
    formula: ClassVar[str] = (
        "1/R · Σ_{i relevant} 1/i · (1 + p_i · (r_i + ε) / (r_i + n_i + 2ε)),  p_i in the pool above i"
    )
    example: ClassVar[Example] = Example(
        "infAP",
        (1, 1, -1, 0, 1),
        "(1 + (1 + 1 * 1.00001/1.00002) / 2 + (1 + 3 * 2.00001/3.00002) / 5) / 4",
        missed=(1,),
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A document of the pool that was not drawn (-2) may be relevant; one that was judged not to be cannot.
        judged = Counterexample("replacement", (-2, 1), after=(0, 1), missed=(0,), cite="yilmaz2006infap", of="infAP")
        # Above a relevant document it counts for half of one, which further down is worth more than a rank.
        above = Counterexample("swap", (-1, -1, -2, 1), (-1, -1, 1, -2), missed=(), cite="yilmaz2006infap", of="infAP")
        lost = [judged] * (self.k != 1) + [above] * ((self.k or 4) > 3 and not self.judged_only)
        return (*super().gives_up, *lost)

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        return grade > NOBODY

    def value(self, block: Block) -> Rows:
        return ratio(self.added(block, lambda: self._precisions(block)), block.relevant(self.rel))

    def _precisions(self, block: Block) -> Gains:
        """(row, document): the precision to be expected where each relevant document is found."""
        hit = self.gain(block.grade)
        found, judged = self.found(block) - 1, block.judged - 1  # above a relevant document
        pooled = judged if self.judged_only else block.pooled - 1
        return np.where(hit > 0, (1 + pooled * (found + SMALL) / (judged + 2 * SMALL)) / block.rank, 0)
