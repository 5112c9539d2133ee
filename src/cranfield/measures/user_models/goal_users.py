"""C/W/L measures of users with a goal for the total gain or the rate of gain: BPM and IFT."""

from typing import ClassVar

import numpy as np

from cranfield.core import Positive
from cranfield.core.types import Gains, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import measure
from cranfield.measures.declared_properties import ORDINAL, Claim, Counterexample, Example

from .cwl_users import TOP_HEAVY, Graded

DEEPEST = 1000  # where a list ends whose looks cannot be summed up in one formula; as in cwl_eval
NOBODY_LEFT = 1e-16  # fewer users than this are none
ENOUGH = 1e-9  # ten gains of a tenth are 1, though their floats add up to less


@measure("BPM", cite="zhang2017bejeweled")
class BPM(Graded):
    """Bejeweled player model: a user who reads until the gains reach ``T``, or for ``k`` documents at most.

    This is the static form, in which neither changes on the way.
    """

    formula: ClassVar[str] = "gains of the first s / s,  s the first rank where they reach T, or k"
    example: ClassVar[Example] = Example("BPM(T=2)@5", (1, 0, 1, 1), "2/3")
    needs_cutoff: ClassVar[bool] = True
    T: Positive = 1.0

    @property
    def scale(self) -> Claim:  # where one relevant document is enough, the first alone decides
        return TOP_HEAVY if self.is_binary and self.T <= 1 else ORDINAL

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Half a document, and then one more where half would do: 1.5 in four looks are more than 1 in three.
        replaced = Counterexample("replacement", (1, 0, 0, 2), (1, 0, 1, 2), (1,), self.cite, of="BPM@5")
        swapped = Counterexample("swap", (0, 0, 1, 2), (0, 0, 2, 1), (), self.cite, of="BPM@5")
        return super().gives_up if self.k == 1 else (*super().gives_up, replaced, swapped)

    def depth(self, block: Block) -> Rows:
        fulfilled = self.earned(block).cumsum(axis=1) >= self.T * (1 - ENOUGH)
        return np.where(fulfilled, block.rank, np.inf).min(axis=1, initial=self.end)

    def seen(self, block: Block) -> Weights:
        return (block.rank <= self.depth(block)[:, None]).astype(np.float64)


@measure("IFT", cite="azzopardi2018ift")
class IFT(Graded):
    """Information foraging: a user who leaves when enough was found, or when too little is found for every look.

    Enough is about ``T`` (``b1``, ``R1``: how sharply), too little less than ``A`` a document (``b2``, ``R2``). A list
    without a cut-off ends at rank 1000.
    """

    formula: ClassVar[str] = (
        "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i+1) = V(i) · (1 − 1/(1 + b1·e^((T−G)·R1))) / (1 + b2·e^((A−G/i)·R2))"
    )
    example: ClassVar[Example] = Example(
        "IFT@2", (1, 0), "1 / (1 + (1 - 1/(1 + 0.9*exp((2 - 1)*1))) / (1 + 0.9*exp((0.2 - 1/1)*10)))"
    )
    T: Positive = 2.0
    b1: Positive = 0.9
    R1: Positive = 1.0
    A: Positive = 0.2
    b2: Positive = 0.9
    R2: Positive = 10.0

    @property
    def scale(self) -> Claim:
        # So set, the user leaves so soon that no pair of binary rankings is turned round; set otherwise, some are.
        usual = (self.T, self.b1, self.R1, self.A, self.b2, self.R2) == (2.0, 0.9, 1.0, 0.2, 0.9, 10.0)
        return TOP_HEAVY if usual and self.is_binary else ORDINAL

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Who finds more goes on for longer, to look at what is worth less.
        goes_on, patient = "IFT(A=0.9,R1=5,R2=50,T=5)", "IFT(A=0.9,R2=50,T=20,b2=0.1)"
        replaced = Counterexample("replacement", (2, 1, 0, 0), (2, 2, 0, 0), (2,), self.cite, of=goes_on)
        swapped = Counterexample("swap", (2, 2, 1, 2), (2, 2, 2, 1), (), self.cite, of=patient)
        best = Counterexample("ideal-best", (2, 2, 1, 2), (2, 2, 2, 1), (), self.cite, of=patient)
        return super().gives_up if self.k == 1 else (*super().gives_up, replaced, swapped, best)

    def goes_on(self, gained: Gains, rank: int) -> Weights:
        """The chance to go on after a rank, for what was gained down to it."""
        goal = 1 / (1 + _exp((gained - self.T) * self.R1) / self.b1)
        return goal / (1 + self.b2 * _exp((self.A - gained / rank) * self.R2))

    def seen(self, block: Block) -> Weights:
        return self._walk(block)[0]

    def depth(self, block: Block) -> Rows:
        return self._walk(block)[1]

    def _walk(self, block: Block) -> tuple[Weights, Rows]:
        return block.once(("walk", self), lambda: self._walked(block))

    def _walked(self, block: Block) -> tuple[Weights, Rows]:
        """Rank by rank, all rows at once: ``seen`` and ``depth``."""
        last = self.k or DEEPEST
        row, column = np.nonzero(block.rank <= last)
        order = np.argsort(block.rank[row, column], kind="stable")
        row, column = row[order], column[order]
        ends = np.searchsorted(block.rank[row, column], np.arange(last + 1), side="right")
        gain = self.gain(block.grade)
        seen, depth = np.zeros(block.rank.shape), np.zeros(len(block.row))
        users, gained = np.ones(len(block.row)), np.zeros(len(block.row))
        for rank in range(1, last + 1):
            here = slice(ends[rank - 1], ends[rank])  # the documents of this rank, one of a row at most
            seen[row[here], column[here]] = users[row[here]]
            gained[row[here]] += gain[row[here], column[here]]
            depth += users
            users = users * self.goes_on(gained, rank)
            users[users < NOBODY_LEFT] = 0
            if not users.any():
                break
        return seen, depth


def _exp(power: Gains) -> Gains:
    return np.exp(np.clip(power, -700, 700))  # beyond it is no float64
