"""Measures with a discount that depends on the rank alone: P, RBP, DCG and nDCG."""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

import numpy as np

from cranfield.core import Chance, Limits, ParameterError, Scale
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import (
    HIGHEST_EXPONENT,
    Binary,
    Discounted,
    Grade,
    Normalised,
    TopGrade,
    below_top,
    measure,
)
from cranfield.measures.declared_properties import COUNTED, GRADED, INTERVAL, ORDINAL, Claim, Example
from cranfield.measures.gains import Gained

LONG_RUN = 2000  # ranks after which no weight of RBP changes the sum of those before, unless p is close to 1


@measure("P", cite="rijsbergen1979", aliases=("Precision",))
class P(Binary, Discounted):
    """Precision: the share of the first ``k`` documents that are relevant."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "P_{k}")
    formula: ClassVar[str] = "relevant documents in the first k / k"
    example: ClassVar[Example] = Example("P@5", (1, 0, 1, 1, 0, 0, 0, 1), "3/5")
    needs_cutoff: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    @property
    def scale(self) -> Claim:  # ferrante2021: its values are equally spaced
        return COUNTED

    @property
    def bounded(self) -> bool:
        return not self.judged_only

    def grid(self, length: int, relevant: int) -> int | None:
        return self.k

    def discount(self, rank: Ranks) -> Weights:
        return np.full_like(rank, 1 / (self.k or 1))

    def value(self, block: Block) -> Rows:  # counted, then divided: three fifths added up are .6000000000000001
        return self.hits(block) / (self.k or 1)


@measure("RBP", cite="moffat2008rbp")
class RBP(Discounted):
    """Rank-biased precision: a user who steps on with probability ``p``, whatever is seen.

    A document is worth 1 if it reaches grade ``rel``; with ``max_rel`` it is worth its grade as a share of that, with
    ``by_topic`` its grade as a share of the top grade of its topic, as trec_eval 10 computes it.
    """

    family: ClassVar[str] = "user model"
    formula: ClassVar[str] = "(1 − p) · Σ_i gain(i) · p^(i−1)"
    example: ClassVar[Example] = Example("RBP", (1, 0, 1), "(1 - 0.8) * (1 + 0.8**2)")
    p: Chance = 0.8
    rel: Grade = 1
    max_rel: TopGrade = None
    by_topic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_rel is not None and self.rel != 1:
            hint = f"rel={self.rel} is for documents worth 0 or 1, max_rel={self.max_rel} for shares of a grade"
            raise ParameterError("RBP cannot have both rel and max_rel", hint=hint)
        if self.by_topic and (self.max_rel is not None or self.rel != 1):
            hint = "by_topic=True takes the top grade of each topic: leave out rel and max_rel"
            raise ParameterError("RBP cannot have by_topic with rel or max_rel", hint=hint)

    @property
    def scale(self) -> Claim:
        if self.by_topic:  # the unit changes with the topic
            return ORDINAL
        # ferrante2021: equal steps only when p = G/(G+1), G the smallest step of gain: 1 if binary, else 1/max_rel
        even = 1 / ((self.max_rel or 1) + 1)
        if self.p == even:
            return INTERVAL if (self.max_rel or 1) == 1 else replace(INTERVAL, condition=GRADED.condition)
        return Claim(Scale.ORDINAL, Scale.ORDINAL, "ferrante2021") if self.p < even else ORDINAL

    @property
    def bounded(self) -> bool:
        return not self.judged_only and not self.by_topic

    def settled(self, top: float) -> Self:
        self.gain(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return self

    def gain(self, grade: Grades) -> Gains:
        if self.by_topic:  # ``value`` divides by the top grade, which a grade alone does not tell
            return np.maximum(grade, 0)
        if self.max_rel is None:
            return (grade >= self.rel).astype(np.float64)
        return np.maximum(grade, 0) / below_top(grade, self, self.max_rel)

    def discount(self, rank: Ranks) -> Weights:
        return (1 - self.p) * self.p ** (rank - 1)

    def value(self, block: Block) -> Rows:
        # The weights of all ranks add up to 1, but as floats to more for some p: 1.0000000000000004 for .2. Division
        # by that sum leaves values below it in their order, which a limit of 1 alone would not.
        total = max(1.0, float(np.cumsum(self.discount(np.arange(1.0, LONG_RUN + 1)))[-1]))
        return np.minimum(super().value(block) / (self._unit(block) * total), 1)

    def over_ties(self, block: Block) -> Rows | None:
        mean = super().over_ties(block)
        return None if mean is None else np.minimum(mean, 1)

    def residual(self, block: Block, left: Weights) -> Rows:
        return np.minimum(super().residual(block, left) / self._unit(block), 1)

    def _unit(self, block: Block) -> Rows | float:
        """Return the gain of a document that is worth 1."""
        if not self.by_topic:
            return 1.0
        judged = block.assessed
        top = judged.once("top grade of topics", lambda: np.maximum.reduceat(judged.grade, judged.named[:-1]))
        return np.maximum(top[block.topic], 1)


@measure("DCG", cite="jarvelin2002")
class DCG(Gained, Discounted):
    """Discounted cumulated gain: gains divided by log2(rank + 1).

    ``dcg='exp-log2'`` takes 2^grade - 1 as gain, ``gains`` any mapping of grades; with ``b`` the discount is that of
    the original paper, 1 down to rank ``b`` and the logarithm to that base below.
    """

    family: ClassVar[str] = "graded"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "Σ_{i≤k} gain(i) / log2(i + 1)"
    example: ClassVar[Example] = Example("DCG@10", (3, 0, 1), "3/log2(2) + 1/log2(4)", missed=(2,))
    dcg: Literal["log2", "exp-log2"] = "log2"
    b: Annotated[float | None, Limits(1, open=True)] = None

    @property
    def bounded(self) -> bool:
        return self.k is not None and not self.judged_only

    def gain(self, grade: Grades) -> Gains:
        gain = Gained.gain(self, grade)
        if self.dcg == "exp-log2":
            if gain.max(initial=0) > HIGHEST_EXPONENT:
                raise ParameterError(f"2^{gain.max():g} is too large a gain", hint="use gains={grade: gain, …}")
            gain = np.exp2(gain) - 1
        return gain

    def discount(self, rank: Ranks) -> Weights:
        if self.b is None:
            return 1 / np.log2(rank + 1)
        return 1 / np.maximum(1, np.log(rank) / np.log(self.b))


@measure("nDCG", cite="jarvelin2002", aliases=("NDCG", "MSnDCG"))
class NDCG(Normalised, DCG):
    """DCG as a share of the DCG of the perfect ranking; 0 where nothing is relevant."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    trec: ClassVar[tuple[str, str]] = ("ndcg", "ndcg_cut_{k}")
    formula: ClassVar[str] = "DCG@k / DCG@k of the judged documents sorted by gain"
    example: ClassVar[Example] = Example(
        "nDCG@10", (3, 0, 1), "(3/log2(2) + 1/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))", missed=(2,)
    )
    linear: ClassVar[bool] = True

    @property
    def bounded(self) -> bool:  # what the perfect ranking is worth moves with what is judged
        return False
