"""NTCIR measures based on the blended ratio, which combines precision and normalised cumulated gain."""

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits
from cranfield.core.types import Gains, Grades, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import TopGrade, measure, ratio, stays
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.gains import Gained

from .cascade import ERR
from .cumulated_gain import Perfect


class Blended(Gained):
    """A measure made of blended ratios: (C + β · CG) / (rank + β · CG of the perfect ranking).

    C counts the relevant documents down to a rank, CG adds up their gains; relevant is what has a gain. With a large
    ``beta`` gains alone count, with 0 precision alone.
    """

    family: ClassVar[str] = "graded"
    beta: Annotated[float, Limits(0, 1e6)] = 1.0

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return self.gain(grade) > 0

    def hit(self, block: Block) -> Gains:
        """(row, document): 1 for a relevant document."""
        return self.earns(block.grade).astype(np.float64)

    def ratios(self, block: Block) -> Weights:
        """(row, document): the blended ratio at each relevant document, whatever the cut-off; 0 at others."""
        return block.once(("blended", self.beta, self.gains), lambda: self._ratios(block))

    def _ratios(self, block: Block) -> Weights:
        hit, gain = self.hit(block), self.gain(block.grade)
        best = Perfect.of(block, self).down_to(block.rank, self._worth)
        found = hit.cumsum(axis=1) + self.beta * gain.cumsum(axis=1)
        return hit * found / (block.rank + self.beta * best)

    def _worth(self, block: Block) -> Gains:
        return self.gain(block.grade)

    def relevant(self, block: Block) -> Rows:
        """(row,): how many relevant documents there are to be found."""
        return Perfect.of(block, self).length

    def preferred(self, block: Block) -> NDArray[np.bool_]:
        """(row, document): the relevant documents down to the first of the best that the first ``k`` hold."""
        gain = self.gain(block.grade) * self.within(block.rank)
        before = np.maximum.accumulate(gain, axis=1)
        reached = np.pad(before[:, :-1], ((0, 0), (1, 0))) == gain.max(axis=1, keepdims=True, initial=0)
        return (gain > 0) & ~reached


@measure("Q", cite="sakai2007bpref,sakai2011", aliases=("Qmeasure",))
class Q(Blended):
    """Q-measure: the mean, over all relevant documents, of the blended ratio where each is found; 0 if missed.

    It is AP with grades: with ``beta=0`` it is AP itself. Where there are more relevant documents than ``k``, the mean
    is taken over ``k`` of them, so that 1 can be reached.
    """

    formula: ClassVar[str] = "1/min(R, k) · Σ_{i≤k, i relevant} (C(i) + β·CG(i)) / (i + β·CG(i) of the perfect ranking)"
    example: ClassVar[Example] = Example("Q", (1, 0, 3), "((1 + 1)/(1 + 3) + (2 + 4)/(3 + 6)) / 3", missed=(2,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A poor document counts with what was gained down to it: more below a good one than above.
        over = Counterexample("swap", before=(0, 0, 3, 1), after=(0, 1, 3, 0), missed=(2,), cite="sakai2007bpref")
        return super().gives_up if self.beta == 0 or self.k in (1, 2) else (*super().gives_up, over)

    def value(self, block: Block) -> Rows:
        found = self.added(block, lambda: self.ratios(block))
        return ratio(found, np.minimum(self.relevant(block), self.k or np.inf))


@measure("O", cite="sakai2007one", aliases=("Omeasure",))
class O(Blended):  # noqa: E742  # its name
    """O-measure: the blended ratio at the first relevant document; for somebody who wants one, and a good one."""

    formula: ClassVar[str] = "(1 + β·gain(i)) / (i + β·CG(i) of the perfect ranking),  i the first relevant rank"
    example: ClassVar[Example] = Example("O", (0, 1, 3), "(1 + 1) / (2 + 5)", missed=(2,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # A poor document in front of a good one is now what the user reads.
        poor = Counterexample("replacement", before=(0, 3), after=(1, 3), missed=(1,), cite="sakai2007one")
        return super().gives_up if self.k == 1 else (*super().gives_up, poor)

    def value(self, block: Block) -> Rows:
        hit = self.hit(block) * self.within(block.rank)
        return (self.ratios(block) * hit * (hit.cumsum(axis=1) == 1)).sum(axis=1)


# The user stops at the best document, and so before others that would have made up for what is missing above.
SOONER = (
    Counterexample("swap", before=(0, 0, 1, 2), after=(0, 0, 2, 1), missed=(3,), cite="sakai2007one"),
    Counterexample("replacement", before=(0, 0, 2, 3), after=(0, 0, 3, 3), missed=(3,), cite="sakai2007one"),
)


@measure("Pmeasure", cite="sakai2007one")
class PMeasure(Blended):
    """P-measure: the blended ratio at the preferred rank, where the first of the best documents retrieved stands."""

    formula: ClassVar[str] = "(C(p) + β·CG(p)) / (p + β·CG(p) of the perfect ranking),  p the preferred rank"
    example: ClassVar[Example] = Example("Pmeasure", (1, 0, 2, 2), "(2 + 3) / (3 + 7)", missed=(3,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return super().gives_up if self.k == 1 else (*super().gives_up, *SOONER)

    def value(self, block: Block) -> Rows:
        wanted = self.preferred(block)
        last = wanted & (wanted.cumsum(axis=1) == wanted.sum(axis=1, keepdims=True))
        return (self.ratios(block) * last).sum(axis=1)


@measure("PPlus", cite="sakai2007one", aliases=("Pplus",))
class PPlus(Blended):
    """P-plus: the mean blended ratio over the relevant documents down to the preferred rank, that of the P-measure."""

    formula: ClassVar[str] = "1/C(p) · Σ_{i≤p, i relevant} (C(i) + β·CG(i)) / (i + β·CG(i) of the perfect ranking)"
    example: ClassVar[Example] = Example("PPlus", (1, 0, 2, 2), "((1 + 1)/(1 + 3) + (2 + 3)/(3 + 7)) / 2", missed=(3,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return super().gives_up if self.k == 1 else (*super().gives_up, *SOONER)

    def value(self, block: Block) -> Rows:
        wanted = self.preferred(block)
        return ratio((self.ratios(block) * wanted).sum(axis=1), wanted.sum(axis=1).astype(np.float64))


@measure("NCU", cite="sakai2008users")
class NCU(Blended):
    """Normalised cumulative utility: the mean blended ratio over users who stop at relevant documents.

    Without ``gamma`` they stop at a document in the measure of its gain, found or not (graded-uniform); with it, the
    n-th relevant document that is found keeps ``gamma`` to the power of n - 1 of them (rank-biased). ``beta=0`` takes
    precision as the utility.
    """

    formula: ClassVar[str] = "Σ_{i≤k, i relevant} s(i) · (C(i) + β·CG(i)) / (i + β·CG(i) of the perfect ranking)"
    example: ClassVar[Example] = Example(
        "NCU(beta=0.0,gamma=0.5)", (0, 3, 1), "(1 * 1/2 + 0.5 * 2/3) / (1 + 0.5 + 0.25)", missed=(1,)
    )
    gamma: Annotated[float | None, Limits(0, 1)] = None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # More users stop where less was gained; or most at the first, however poor it is.
        sooner = Counterexample("swap", (0, 0, 1, 2), (0, 0, 2, 1), missed=(3,), cite=self.cite, of="NCU")
        poor = Counterexample("replacement", (0, 3), (1, 3), missed=(1,), cite=self.cite, of="NCU(gamma=0.1)")
        return super().gives_up if self.k == 1 else (*super().gives_up, sooner if self.gamma is None else poor)

    def value(self, block: Block) -> Rows:
        mean = self.added(block, lambda: self.ratios(block) * self.stops(block))
        return np.minimum(mean, 1)  # sums of floats may exceed 1

    def stops(self, block: Block) -> Weights:
        """(row, document): the share of all users who stop at each relevant document."""
        perfect = Perfect.of(block, self)
        if self.gamma is None:
            whole = perfect.down_to(np.full((len(block.row), 1), np.inf), self._worth)
            return ratio(self.gain(block.grade), np.broadcast_to(whole, block.grade.shape))
        users = self.gamma ** np.arange(max(1, int(perfect.length.max(initial=0))))
        whole = users.cumsum()[np.maximum(perfect.length, 1).astype(int) - 1]
        return self.gamma ** np.maximum(self.hit(block).cumsum(axis=1) - 1, 0) / whole[:, None]


@measure("EBR", cite="sakai2019diversity")
class EBR(Blended):
    """Expected blended ratio: that where a user stops who is satisfied as in ERR.

    ``max_rel`` is the top of the scale of grades; where it is not given, the top grade of the judgments is taken and
    shown in the name.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} R(i) · Π_{j<i} (1 − R(j)) · (C(i) + β·CG(i)) / (i + β·CG(i) of the perfect ranking)"
    )
    example: ClassVar[Example] = Example(
        "EBR(max_rel=2)", (1, 2), "1/4 * (1 + 1)/(1 + 2) + 3/4 * (1 - 1/4) * (2 + 3)/(2 + 3)"
    )
    max_rel: TopGrade = None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Whoever is satisfied sooner does not see what would have made up for what is missing above.
        swapped = Counterexample("swap", (0, 0, 1, 2), (0, 0, 2, 1), missed=(3,), cite=self.cite, of="EBR")
        replaced = Counterexample("replacement", (0, 0, 1, 3), (0, 0, 3, 3), missed=(3,), cite=self.cite, of="EBR")
        return super().gives_up if self.k == 1 else (*super().gives_up, swapped, replaced)

    def settled(self, top: float) -> Self:
        return replace(self, max_rel=ERR(max_rel=self.max_rel).settled(top).max_rel)

    def value(self, block: Block) -> Rows:
        stop = ERR(max_rel=self.max_rel).stop(block.grade) * self.within(block.rank)
        return (stop * stays(stop) * self.ratios(block)).sum(axis=1)
