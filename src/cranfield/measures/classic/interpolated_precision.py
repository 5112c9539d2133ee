"""Measures of the interpolated precision–recall curve: IPrec, IAP and AUPRC."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from cranfield.core import Limits, ParameterError, Share
from cranfield.core.types import Gains, Rows
from cranfield.data import Block
from cranfield.measures.base import Binary, measure, ratio
from cranfield.measures.declared_properties import Example
from cranfield.measures.number_lists import keep_row, read_numbers

Rounding = Literal["exact", "trec_eval-9", "trec_eval-10"]
SMALL = 1e-9  # 0.07 of 100 documents are 7, and a little more in floating point


class Interpolated(Binary):
    """A measure of the best precision that a recall, or a higher one, goes with."""

    family: ClassVar[str] = "binary"

    def curve(self, block: Block) -> Gains:
        """(row, count): the best precision once 0, 1, 2, … relevant documents are found; 0 for more than there are."""
        return block.once(("curve", self.rel, self.k), lambda: self._curve(self.hit(block), block))

    def _curve(self, hit: Gains, block: Block) -> Gains:
        row, column = np.nonzero(hit)
        found = self.found(block)[row, column].astype(np.int64)
        precision = np.zeros((len(hit), hit.shape[1] + 2))
        precision[row, found] = found / block.rank[row, column]
        return np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]


class Leveled(Interpolated):
    """A measure of that curve at levels of recall; trec_eval rounds the number of documents that a level asks for."""

    rounding: Rounding = "exact"

    def at_levels(self, block: Block, levels: Sequence[float]) -> Gains:
        """(row, level): the best precision at any recall from each level up."""
        wanted = block.relevant(self.rel)[:, None] * np.array(levels)
        if self.rounding == "exact":
            wanted = np.ceil(wanted - SMALL)
        else:
            wanted = np.floor(wanted + (0.9 if self.rounding == "trec_eval-9" else 0.5))
        curve = self.curve(block)
        return np.take_along_axis(curve, np.minimum(wanted, curve.shape[1] - 1).astype(np.int64), axis=1)


@measure("IPrec", cite="manning2008")
class IPrec(Leveled):
    """Interpolated precision: the best precision at any recall of ``recall`` or more.

    ``rounding`` says how many relevant documents a recall asks for: as many as reach it ('exact'), that number rounded
    up from a tenth above a whole one ('trec_eval-9'), or the nearest whole number ('trec_eval-10').
    """

    at: ClassVar[str] = "recall"
    formula: ClassVar[str] = "max P@i over all ranks i with R@i ≥ recall"
    example: ClassVar[Example] = Example("IPrec@0.5", (0, 1, 0, 1, 1), "3/5", missed=(1,))
    recall: Share = 0.0

    def value(self, block: Block) -> Rows:
        return self.at_levels(block, [self.recall])[:, 0]


@measure("IAP", cite="manning2008", aliases=("AP11",))
class IAP(Leveled):
    """Interpolated average precision: the mean interpolated precision at 11 levels of recall, 0, 0.1, …, 1.

    With another number of ``points`` the levels are spread as evenly. ``levels='0.2 0.5 0.8'`` names the levels of
    recall instead. ``rounding`` is that of IPrec.
    """

    formula: ClassVar[str] = "1/points · Σ_{i<points} IPrec@(i / (points − 1))"
    example: ClassVar[Example] = Example("IAP", (1, 0, 1), "(6 * 1 + 5 * 2/3) / 11")
    points: Annotated[int, Limits(2, 1001)] = 11
    levels: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels:
            keep_row(self, "levels")
            if self.points != 11:
                hint = f"leave out points={self.points}"
                raise ParameterError("IAP cannot have both points and levels", hint=hint)

    def value(self, block: Block) -> Rows:
        evenly = [i / (self.points - 1) for i in range(self.points)]
        levels = sorted(read_numbers(self.levels).tolist()) if self.levels else evenly
        # From the last level to the first, as trec_eval adds them up.
        return self.at_levels(block, levels[::-1]).cumsum(axis=1)[:, -1] / len(levels)


@measure("AUPRC", cite="manning2008")
class AUPRC(Interpolated):
    """Area under the interpolated precision–recall curve: the mean interpolated precision over all levels of recall."""

    formula: ClassVar[str] = "∫ IPrec@r dr = 1/R · Σ_{j≤R} IPrec@(j / R),  R relevant documents"
    example: ClassVar[Example] = Example("AUPRC", (0, 1, 0, 1, 1), "(3/5 + 3/5 + 3/5) / 4", missed=(1,))

    def value(self, block: Block) -> Rows:
        return ratio(self.curve(block)[:, 1:].cumsum(axis=1)[:, -1], block.relevant(self.rel))
