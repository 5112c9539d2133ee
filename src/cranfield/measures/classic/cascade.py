"""Cascade measures, in which the user stops at a satisfying document: RR, ERR, nERR, iRBU and ESL."""

from dataclasses import replace
from math import lcm
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Direction, Limits, ParameterError, Scale
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Binary, Cascade, Measure, TopGrade, below_top, measure, ratio, top_of
from cranfield.measures.declared_properties import Claim, Example
from cranfield.measures.ties.tie_groups import first_stop


@measure("RR", cite="voorhees1999qa", aliases=("MRR",))
class RR(Binary, Cascade):
    """Reciprocal rank: one divided by the rank of the first relevant document, 0 if there is none."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("recip_rank", "")
    formula: ClassVar[str] = "1 / rank of the first relevant document"
    example: ClassVar[Example] = Example("RR", (0, 0, 1, 1), "1/3")

    @property
    def scale(self) -> Claim:  # ferrante2021: 1, 1/2, 1/3 are not equally spaced
        return Claim(Scale.ORDINAL, Scale.ORDINAL, "ferrante2021")

    @property
    def bounded(self) -> bool:
        return not self.judged_only

    def grid(self, length: int, relevant: int) -> int | None:
        return lcm(*range(1, length + 1))

    def stop(self, grade: Grades) -> Gains:
        return self.gain(grade)

    # bigdeli2024: whoever has read a ranking knows a document the less the further down it stands, and of several
    # relevant documents the one that is worth most now is the answer. The paper has one relevant document a topic.
    def known(self, block: Block) -> Weights:
        return self.within(block.rank) / block.rank

    def residual(self, block: Block, left: Weights) -> Rows:
        return (self.gain(block.grade) * left * self.known(block)).max(axis=1, initial=0)


@measure("ERR", cite="chapelle2009err")
class ERR(Cascade):
    """Expected reciprocal rank: a document of grade g satisfies with probability (2^g - 1) / 2^max.

    ``max_rel`` is the top of the scale of grades; where it is not given, the top grade of the judgments is taken and
    shown in the name.
    """

    family: ClassVar[str] = "user model"
    formula: ClassVar[str] = "Σ_{i≤k} 1/i · R(i) · Π_{j<i} (1 − R(j)),  R = (2^grade − 1) / 2^max_rel"
    example: ClassVar[Example] = Example("ERR(max_rel=2)@10", (1, 2), "1/4 + 1/2 * 3/4 * (1 - 1/4)")
    max_rel: TopGrade = None

    @property
    def bounded(self) -> bool:
        return not self.judged_only

    def settled(self, top: float) -> Self:
        settled = self if self.max_rel is not None else replace(self, max_rel=top_of(top))
        settled.stop(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return settled

    def stop(self, grade: Grades) -> Gains:
        return (np.exp2(np.maximum(grade, 0)) - 1) / 2.0 ** below_top(grade, self, self.max_rel)


@measure("iRBU", cite="sakai2019diversity")
class IRBU(ERR):
    """Rank-biased utility of one intent: as ERR, but a user who stops at rank r has lost ``p`` for every rank.

    It is what rank-biased utility makes of a topic with one intent, without what looking costs.
    """

    formula: ClassVar[str] = "Σ_{i≤k} p^i · R(i) · Π_{j<i} (1 − R(j)),  R = (2^grade − 1) / 2^max_rel"
    example: ClassVar[Example] = Example("iRBU(max_rel=2)@10", (1, 2), "0.99 * 1/4 + 0.99**2 * 3/4 * (1 - 1/4)")
    p: Chance = 0.99

    def effort(self, rank: Ranks) -> Weights:
        return self.p**rank


@measure("nERR", cite="sakai2011")
class NERR(Measure):
    """Normalised expected reciprocal rank: ERR as a share of that of the perfect ranking; 0 where nothing is relevant.

    ``max_rel`` is the top of the scale of grades; where it is not given, the top grade of the judgments is taken and
    shown in the name.
    """

    family: ClassVar[str] = "user model"
    formula: ClassVar[str] = "ERR@k / ERR@k of the judged documents sorted by grade"
    example: ClassVar[Example] = Example(
        "nERR(max_rel=2)@10", (1, 2), "(1/4 + 1/2 * 3/4 * 3/4) / (3/4 + 1/2 * 1/4 * 1/4)"
    )
    max_rel: TopGrade = None

    @property
    def share_of(self) -> ERR:
        """What the perfect ranking has the most of."""
        return ERR(k=self.k, max_rel=self.max_rel)

    def settled(self, top: float) -> Self:
        return replace(self, max_rel=self.share_of.settled(top).max_rel)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade > 0

    def value(self, block: Block) -> Rows:
        return ratio(self.share_of.value(block), block.at_best(self.share_of))

    def over_ties(self, block: Block) -> Rows | None:
        found = self.share_of.over_ties(block)
        return None if found is None else ratio(found, block.at_best(self.share_of))


@measure("ESL", cite="cooper1968", aliases=("MeanRank",))
class ESL(Binary):
    """Expected search length: the rank of the first relevant document; lower is better.

    A topic without one in the first ``k`` has no value and is left out, unless ``missing`` says what it counts.
    """

    family: ClassVar[str] = "binary"
    direction: ClassVar[Direction] = Direction.LOWER
    range: ClassVar[tuple[float, float]] = (1.0, np.inf)
    formula: ClassVar[str] = "rank of the first relevant document"
    example: ClassVar[Example] = Example("ESL", (0, -1, 1, 1), "3")
    missing: Annotated[int | float | None, Limits(1)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.missing is not None and (self.k is None or self.missing <= self.k):
            k = self.k or 10
            hint = f"what is not found must count more than what is found last: ESL(missing={k + 1})@{k}"
            raise ParameterError(f"ESL cannot have missing={self.missing!r} at cut-off {self.k}", hint=hint)

    @property
    def worst(self) -> float | None:
        return np.nan if self.missing is None else self.missing

    @property
    def scale(self) -> Claim:  # lin2021: documents read, for answered topics
        return Claim(Scale.RATIO, Scale.ORDINAL, "lin2021")

    def value(self, block: Block) -> Rows:
        return self._length(np.where(self.hit(block) > 0, block.rank, np.inf).min(axis=1))

    def over_ties(self, block: Block) -> Rows | None:  # cooper1968 means this one
        return first_stop(self.gain(block.grade), block, self._length)

    def _length(self, rank: Ranks) -> Rows:
        return np.where(self.within(rank) > 0, rank, np.nan if self.missing is None else self.missing)
