"""Measures that need to know how much was there to be found."""

from typing import ClassVar

from cranfield.core.types import Rows
from cranfield.data import Block

from ._base import COUNTED, INTERVAL, Binary, Claim, measure, ratio


@measure("R", cite="rijsbergen1979", aliases=("Recall",))
class R(Binary):
    """Recall: the share of the relevant documents that is found in the first ``k``."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "recall_{k}")

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic; the unit changes with its number of relevant documents
        return COUNTED

    def value(self, block: Block) -> Rows:
        return ratio(self.hit(block).sum(axis=1), block.relevant(self.rel))


@measure("AP", cite="buckley2005", aliases=("MAP",))
class AP(Binary):
    """Average precision: the mean, over all relevant documents, of the precision where each is found; 0 if missed."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("map", "map_cut_{k}")

    def value(self, block: Block) -> Rows:
        hit = self.hit(block)
        # Added up from the top, as trec_eval does: numpy's sum goes in pairs, and a last bit can turn a fourth decimal.
        found = (hit * hit.cumsum(axis=1) / block.rank).cumsum(axis=1)[:, -1]
        return ratio(found, block.relevant(self.rel))


@measure("Rprec", cite="buckley2005", aliases=("RPrec",))
class Rprec(Binary):
    """R-precision: the precision at the rank that equals the number of relevant documents."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("Rprec", "")

    def value(self, block: Block) -> Rows:
        relevant = block.relevant(self.rel)
        return ratio((self.hit(block) * (block.rank <= relevant[:, None])).sum(axis=1), relevant)


@measure("Success", cite="craswell2004web")
class Success(Binary):
    """Success: whether there is any relevant document in the first ``k``."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "success_{k}")

    @property
    def scale(self) -> Claim:  # ferrante2021: two values are equally spaced
        return INTERVAL

    def value(self, block: Block) -> Rows:
        return self.hit(block).max(axis=1)
