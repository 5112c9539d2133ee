"""C/W/L measures, the expected gain per inspected document: INSQ, INST, SDCG and NERR variants.

How far users get (V, ``seen``) changes only where a document earns something: between two such documents it follows a
formula, and the looks of a whole stretch of ranks are a difference of two sums. Kernels are therefore shown the earning
documents alone. Without a cut-off the list goes on for ever; cwl_eval stops at rank 1000, so that its INST is
``INST@1000``.
"""

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Limits, ParameterError, Positive, Scale
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Grade, Reader, TopGrade, below_top, measure, stays, top_of
from cranfield.measures.declared_properties import ORDINAL, Claim, Example

FAR = 2.0**52  # a rank that nobody reaches

TOP_HEAVY = Claim(Scale.ORDINAL, Scale.ORDINAL, "ferrante2021")


class Graded(Reader):
    """A user to whom a document is worth its grade as a share of the scale from ``min_rel`` to ``max_rel``."""

    min_rel: Grade = 0
    max_rel: TopGrade = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_rel is not None and self.min_rel >= self.max_rel:
            hint = "a document of grade min_rel is worth 0, one of max_rel 1: min_rel is the smaller one"
            raise ParameterError(f"{self.name} cannot have min_rel={self.min_rel}, max_rel={self.max_rel}", hint=hint)

    @property
    def is_binary(self) -> bool:
        """Whether a document is worth 0 or 1; a scale that is not settled yet is taken for such a one."""
        return self.max_rel is None or self.max_rel - self.min_rel <= 1

    def settled(self, top: float) -> Self:
        wanted = self if self.max_rel is not None else replace(self, max_rel=max(top_of(top), int(self.min_rel) + 1))
        wanted.gain(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return wanted

    def gain(self, grade: Grades) -> Gains:
        top = below_top(grade, self, self.max_rel)
        return np.maximum(grade - self.min_rel, 0) / (top - self.min_rel)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade > self.min_rel

    @property
    def end(self) -> float:
        """The last rank."""
        return self.k or np.inf

    def earned(self, block: Block) -> Gains:
        """(row, document): the gains down to the cut-off."""
        return self.gain(block.grade) * self.within(block.rank)

    def stops(self, block: Block) -> Ranks:
        """(row, document + 2): where stretches of ranks end: before the list, at each document, at the cut-off."""
        inside = np.minimum(places(block), self.end)
        return np.concatenate([np.zeros((len(inside), 1)), inside, np.full((len(inside), 1), self.end)], axis=1)


class Fading(Graded):
    """A user whose attention falls with rank alone."""

    linear: ClassVar[bool] = True

    @abstractmethod
    def attention(self, rank: Ranks) -> Weights:
        """How many users look at a rank while nothing makes them leave; 1 at the first."""

    @abstractmethod
    def looks(self, rank: Ranks) -> Weights:
        """The sum of the attention that goes to all ranks down to this one."""

    @property
    def bounded(self) -> bool:
        return not self.judged_only

    def seen(self, block: Block) -> Weights:
        return self.attention(block.rank) * self.within(block.rank)

    def depth(self, block: Block) -> Rows:
        return np.full(len(block.row), self.looks(np.array([self.end]))[0])


class Satisfied(Fading):
    """A user whose attention falls with rank, and who leaves, satisfied, in the measure of a document's gain."""

    @property
    def bounded(self) -> bool:
        return False

    @property
    def scale(self) -> Claim:  # of relevant documents that all satisfy, the first alone decides
        return TOP_HEAVY if self.is_binary else ORDINAL

    def seen(self, block: Block) -> Weights:
        return super().seen(block) * stays(self.earned(block))

    def depth(self, block: Block) -> Rows:
        left = np.concatenate([np.ones((len(block.row), 1)), (1 - self.earned(block)).cumprod(axis=1)], axis=1)
        return (left * np.diff(self.looks(self.stops(block)), axis=1)).sum(axis=1)


@measure("INSQ", cite="moffat2012models")
class INSQ(Fading):
    """Inverse squares: a user who hopes for ``T`` documents, and goes on the more likely the further down the list.

    The chance to go on after rank i is ((i + 2T - 1) / (i + 2T))², whatever is seen.
    """

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = (2T / (i − 1 + 2T))²"
    example: ClassVar[Example] = Example("INSQ@3", (0, 1, 1), "((2/3)**2 + (2/4)**2) / (1 + (2/3)**2 + (2/4)**2)")
    T: Positive = 1.0

    def attention(self, rank: Ranks) -> Weights:
        return _squares(rank, self.T)

    def looks(self, rank: Ranks) -> Weights:
        return _sum_of_squares(rank, self.T)


@measure("INST", cite="moffat2017inst")
class INST(Graded):
    """INST: a user who hopes for ``T`` documents, and leaves the sooner the nearer that hope is to fulfilment.

    The chance to go on after rank i is ((i + T + R - 1) / (i + T + R))², where R is what is still hoped for: ``T`` less
    the gains of the ranks down to i. Half a document is the least that can be hoped for.
    """

    formula: ClassVar[str] = (
        "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i+1) = V(i) · ((i + 2T − G − 1) / (i + 2T − G))², G gained"
    )
    example: ClassVar[Example] = Example("INST@2", (1, 0), "1 / (1 + (1/2)**2)")
    T: Annotated[float, Limits(0.5)] = 1.0

    @property
    def bounded(self) -> bool:
        return not self.judged_only

    def _steps(self, block: Block) -> tuple[Gains, Weights]:
        """(row, document + 1): what is hoped for after each document, before the list in the first column.

        And V(i) · (i − 1 + hope)², which is constant from one document to the next.
        """
        hope = 2 * self.T - np.concatenate([np.zeros((len(block.row), 1)), self.earned(block).cumsum(axis=1)], axis=1)
        rank = places(block)
        change = ((rank - 1 + hope[:, 1:]) / (rank - 1 + hope[:, :-1])) ** 2
        start = np.full((len(block.row), 1), (2 * self.T) ** 2)
        return hope, np.concatenate([start, change], axis=1).cumprod(axis=1)

    def seen(self, block: Block) -> Weights:
        hope, level = self._steps(block)
        return level[:, :-1] / (places(block) - 1 + hope[:, :-1]) ** 2 * self.within(block.rank)

    def depth(self, block: Block) -> Rows:
        hope, level = self._steps(block)
        stops = self.stops(block)
        return (level * (trigamma(stops[:, :-1] + hope) - trigamma(stops[:, 1:] + hope))).sum(axis=1)


@measure("SDCG", cite="moffat2013users")
class SDCG(Fading):
    """Scaled DCG: the attention of DCG, 1 / log2(rank + 1), with weights that add up to 1 over the first ``k``."""

    formula: ClassVar[str] = "Σ_{i≤k} gain(i) / log2(i + 1)  /  Σ_{i≤k} 1 / log2(i + 1)"
    example: ClassVar[Example] = Example("SDCG@3", (0, 1, 0), "1/log2(3) / (1/log2(2) + 1/log2(3) + 1/log2(4))")
    needs_cutoff: ClassVar[bool] = True

    def attention(self, rank: Ranks) -> Weights:
        return 1 / np.log2(rank + 1)

    def looks(self, rank: Ranks) -> Weights:
        down = self.attention(np.arange(1, rank.max(initial=1) + 1)).cumsum()
        return np.concatenate([[0], down])[rank.astype(np.int64)]


@measure("NERR8", cite="azzopardi2021err")
class NERR8(Satisfied):
    """Not (but nearly) ERR, equation 8: a user who reads down to rank ``k``, unless satisfied before.

    A document satisfies with a probability that is its gain.
    """

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = Π_{j<i} (1 − gain(j)) down to k"
    example: ClassVar[Example] = Example("NERR8(max_rel=2)@3", (1, 2), "(1/2 + 1 * 1/2) / (1 + 1/2)")
    needs_cutoff: ClassVar[bool] = True

    def attention(self, rank: Ranks) -> Weights:
        return np.ones_like(rank)

    def looks(self, rank: Ranks) -> Weights:
        return rank


@measure("NERR9", cite="azzopardi2021err")
class NERR9(Satisfied):
    """Not (but nearly) ERR, equation 9: as NERR8, and of those who are not satisfied 1 in i + 1 leaves after rank i."""

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = 1/i · Π_{j<i} (1 − gain(j)) down to k"
    example: ClassVar[Example] = Example("NERR9(max_rel=2)@3", (1, 2), "(1/2 + 1 * 1/2 * 1/2) / (1 + 1/2 * 1/2)")
    needs_cutoff: ClassVar[bool] = True

    def attention(self, rank: Ranks) -> Weights:
        return 1 / rank

    def looks(self, rank: Ranks) -> Weights:
        return harmonic(rank)


@measure("NERR10", cite="azzopardi2021err")
class NERR10(Satisfied):
    """Not (but nearly) ERR, equation 10: a user who leaves satisfied, or goes on with probability ``p`` as in RBP."""

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = p^(i−1) · Π_{j<i} (1 − gain(j))"
    example: ClassVar[Example] = Example("NERR10(max_rel=2)", (1, 2), "(1/2 + 1 * 0.9/2) / (1 + 0.9/2)")
    p: Chance = 0.9

    def attention(self, rank: Ranks) -> Weights:
        return self.p ** (rank - 1)

    def looks(self, rank: Ranks) -> Weights:
        return (1 - self.p**rank) / (1 - self.p)


@measure("NERR11", cite="azzopardi2021err")
class NERR11(Satisfied):
    """Not (but nearly) ERR, equation 11: a user who leaves satisfied, or goes on as in INSQ with a hope of ``T``."""

    formula: ClassVar[str] = "Σ_i gain(i) · V(i) / Σ_i V(i),  V(i) = (2T / (i − 1 + 2T))² · Π_{j<i} (1 − gain(j))"
    example: ClassVar[Example] = Example(
        "NERR11(max_rel=2)", (1, 2), "(1/2 + 1 * (2/3)**2 * 1/2) / (1 + (2/3)**2 * 1/2)"
    )
    T: Positive = 1.0

    def attention(self, rank: Ranks) -> Weights:
        return _squares(rank, self.T)

    def looks(self, rank: Ranks) -> Weights:
        return _sum_of_squares(rank, self.T)


def places(block: Block) -> Ranks:
    """(row, document): ranks that never fall: a document that was taken out stands where the next one does."""
    return np.minimum(np.minimum.accumulate(block.rank[:, ::-1], axis=1)[:, ::-1], FAR)


def _squares(rank: Ranks, hope: float) -> Weights:
    return (2 * hope / (rank - 1 + 2 * hope)) ** 2


def _sum_of_squares(rank: Ranks, hope: float) -> Weights:
    """The sum of ``_squares`` over all ranks down to this one."""
    return (2 * hope) ** 2 * (trigamma(np.array(2 * hope)) - trigamma(rank + 2 * hope))


SHIFT = 8  # from x + 8 on, the terms below are exact to the last bit


def trigamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of 1 / (x + j)² over all j from 0 up; the difference of two is the sum of a stretch."""
    y = x + SHIFT
    z = 1 / y**2
    # Euler and Maclaurin: the numerators are Bernoulli's numbers.
    tail = z * (1 / 6 + z * (-1 / 30 + z * (1 / 42 + z * (-1 / 30 + z * (5 / 66 + z * (-691 / 2730 + z * 7 / 6))))))
    start = sum(1 / (x + j) ** 2 for j in range(SHIFT))
    return start + z / 2 + (1 + tail) / y


def harmonic(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of 1 / i for i from 1 to n."""
    y = n + 1 + SHIFT
    z = 1 / y**2
    tail = z * (1 / 12 + z * (-1 / 120 + z * (1 / 252 + z * (-1 / 240 + z * (1 / 132 + z * (-691 / 32760 + z / 12))))))
    return np.euler_gamma + np.log(y) - 1 / (2 * y) - tail - sum(1 / (n + j) for j in range(1, SHIFT + 1))
