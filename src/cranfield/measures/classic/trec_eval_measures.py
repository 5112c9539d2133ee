"""Measures that trec_eval prints and that no other family has: yaAP, IdealDCG and RBPResidual."""

from typing import ClassVar

import numpy as np

from cranfield.core import Chance, Direction
from cranfield.core.types import Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Binary, measure
from cranfield.measures.classic.counts import Looked
from cranfield.measures.classic.discounted import DCG
from cranfield.measures.classic.recall_based import AP
from cranfield.measures.declared_properties import ORDINAL, Claim, Counterexample, Example
from cranfield.measures.ties.tie_groups import one_by_one


@measure("yaAP", cite="robertson2012yaap")
class YaAP(Binary):
    """Smoothed average precision: the log-odds of AP with one relevant document found and one missed added to it.

    It ranks the runs of one topic as AP does. A topic that a run misses has −ln(1 + R).
    """

    family: ClassVar[str] = "binary"
    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    trec: ClassVar[tuple[str, str]] = ("yaap", "")
    formula: ClassVar[str] = "ln((1 + s) / (1 + R − s)),  s = R · AP,  R relevant documents"
    example: ClassVar[Example] = Example("yaAP", (1, 0, 1), "log((1 + 5/3) / (1 + 3 - 5/3))", missed=(1,))

    @property
    def worst(self) -> float | None:
        return None

    def value(self, block: Block) -> Rows:
        relevant = block.relevant(self.rel)
        found = AP(rel=self.rel, k=self.k).value(block) * relevant
        return np.log((1 + found) / (1 + relevant - found))


@measure("IdealDCG", cite="jarvelin2002")
class IdealDCG(DCG):
    """DCG of the perfect ranking of the judged documents: the number that nDCG divides by.

    It depends on the judgments alone, and is the same for every run.
    """

    family: ClassVar[str] = "count"
    formula: ClassVar[str] = "DCG@k of the judged documents sorted by gain"
    example: ClassVar[Example] = Example("IdealDCG", (1, 0), "2/log2(2) + 1/log2(3)", missed=(2,))

    @property
    def worst(self) -> float | None:
        return None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return ()

    @property
    def bounded(self) -> bool:  # documents that are judged later may enter the perfect ranking
        return False

    def value(self, block: Block) -> Rows:
        return block.at_best(DCG(k=self.k, gains=self.gains, dcg=self.dcg, b=self.b))


@measure("RBPResidual", cite="moffat2008rbp", aliases=("rbp_resid",))
class RBPResidual(Looked):
    """Residual of rank-biased precision: how much RBP would grow if every unjudged document had full gain.

    Documents below the end of the list count as unjudged. With ``tail=False`` they count only where the list itself
    has an unjudged document, and a topic that the run misses has 0: that is how trec_eval 10 computes rbp_resid.
    """

    direction: ClassVar[Direction] = Direction.LOWER
    formula: ClassVar[str] = "1 − (1 − p) · Σ_{i judged} p^(i−1)"
    example: ClassVar[Example] = Example("RBPResidual", (1, -1, 0), "1 - (1 - 0.8) * (1 + 0.8**2)")
    p: Chance = 0.8
    tail: bool = True

    @property
    def worst(self) -> float | None:
        return self._attention if self.tail else 0.0

    @property
    def scale(self) -> Claim:
        return ORDINAL

    @property
    def _attention(self) -> float:
        """The attention that all ranks down to the cut-off receive."""
        return 1.0 if self.k is None else 1 - self.p**self.k

    def value(self, block: Block) -> Rows:
        return self._residual(self._attention_to_judged(block), block)

    def over_ties(self, block: Block) -> Rows | None:
        return self._residual(one_by_one(self._attention_to_judged, block), block)

    def _attention_to_judged(self, block: Block) -> Rows:
        weight: Weights = (1 - self.p) * self.p ** (block.rank - 1)
        return (weight * (block.grade >= 0) * self.within(block.rank)).sum(axis=1)

    def _residual(self, judged: Rows, block: Block) -> Rows:
        residual = np.maximum(self._attention - judged, 0)  # rounding may leave less than nothing
        if self.tail:
            return residual
        return residual * (block.retrieved > block.assessed.judged_retrieved[block.row])
