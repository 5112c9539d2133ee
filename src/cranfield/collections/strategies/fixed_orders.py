"""Strategies whose order does not depend on judgments: depth-k, take-N, RRF and RBP."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Limits

from .base import Ordered, strategy

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


@strategy("depth", cite="sparckjones1975pool,harman1993trec")
class Depth(Ordered):
    """Depth-k pool: the first k documents of every run, rank by rank; all that the runs have where k is not given."""

    asks: ClassVar[str] = "the best rank of any run, then the first run"
    means: ClassVar[dict[str, str]] = {"k": "the last rank of a run that is judged; None: its last one"}

    k: Annotated[int | None, Limits(1)] = None

    def order(self, walk: "Walk") -> NDArray[np.float64]:
        worth = np.zeros(walk.asked.shape)
        worth[walk.row, walk.document] = -walk.best
        return worth if self.k is None else np.where(worth < -self.k, -np.inf, worth)


@strategy("take", cite="lipani2021fixedcost")
class Take(Ordered):
    """Take-N pool: documents by their best rank, at one rank by how many runs have them there.

    With a budget of N it is the pool of the greatest depth that N documents pay for, and part of the next rank.
    """

    asks: ClassVar[str] = "the best rank of any run, then the number of runs"

    def order(self, walk: "Walk") -> NDArray[np.float64]:
        there = walk.rank == walk.best[walk.of]
        worth = np.zeros(walk.asked.shape)
        share = np.add.reduceat(there.astype(float), walk.held[:-1]) / (len(walk.candidates.runs) + 1)
        worth[walk.row, walk.document] = share - walk.best
        return worth


@strategy("rrf", cite="lipani2021fixedcost,cormack2009rrf")
class RRFTake(Ordered):
    """Documents by reciprocal rank fusion of the runs: early in many of them first."""

    asks: ClassVar[str] = "the highest Σ 1/(k + rank)"
    means: ClassVar[dict[str, str]] = {"k": "the smaller, the more the first ranks count"}

    k: Annotated[int | float, Limits(0)] = 60

    def order(self, walk: "Walk") -> NDArray[np.float64]:
        return walk.spread(walk.total(1 / (self.k + walk.rank)))


@strategy("rbp", cite="moffat2007strategic")
class RBPTake(Ordered):
    """Documents by their weight in rank-biased precision, added up over the runs: what changes values most first.

    It is the first of three methods (A); the others look at judgments too.
    """

    asks: ClassVar[str] = "the highest Σ p^(rank − 1)"
    means: ClassVar[dict[str, str]] = {"p": "the smaller, the more the first ranks count"}

    p: Chance = 0.8

    def order(self, walk: "Walk") -> NDArray[np.float64]:
        return walk.spread(walk.total((1 - self.p) * self.p ** (walk.rank - 1.0)))
