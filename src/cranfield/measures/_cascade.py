"""Measures whose user stops when satisfied."""

from dataclasses import replace
from math import lcm
from typing import Annotated, ClassVar, Self

import numpy as np

from cranfield.core import Direction, Limits, ParameterError, Scale
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block

from ._base import Binary, Cascade, Claim, Example, TopGrade, below_top, measure, top_of
from ._groups import first_stop


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
    def scale(self) -> Claim:  # ferro2024: documents read, for answered topics
        return Claim(Scale.RATIO, Scale.ORDINAL, "ferro2024")

    def value(self, block: Block) -> Rows:
        return self._length(np.where(self.hit(block) > 0, block.rank, np.inf).min(axis=1))

    def over_ties(self, block: Block) -> Rows | None:  # cooper1968 means this one
        return first_stop(self.gain(block.grade), block, self._length)

    def _length(self, rank: Ranks) -> Rows:
        return np.where(self.within(rank) > 0, rank, np.nan if self.missing is None else self.missing)
