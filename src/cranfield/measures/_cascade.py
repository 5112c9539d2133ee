"""Measures whose user stops when satisfied."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from cranfield.core import Direction, ParameterError, Scale
from cranfield.core.types import Gains, Grades, Rows
from cranfield.data import Block

from ._base import HIGHEST_EXPONENT, Binary, Cascade, Claim, check_grade, measure


@measure("RR", cite="voorhees1999qa", aliases=("MRR",))
class RR(Binary, Cascade):
    """Reciprocal rank: one divided by the rank of the first relevant document, 0 if there is none."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("recip_rank", "")

    @property
    def scale(self) -> Claim:  # ferrante2021: 1, 1/2, 1/3 are not equally spaced
        return Claim(Scale.ORDINAL, Scale.ORDINAL, "ferrante2021")

    def stop(self, grade: Grades) -> Gains:
        return self.gain(grade)


@measure("ERR", cite="chapelle2009err")
class ERR(Cascade):
    """Expected reciprocal rank: a document of grade g satisfies with probability (2^g - 1) / 2^max.

    ``max_rel`` is the top of the scale of grades; where it is not given, the top grade of the judgments is taken and
    shown in the name.
    """

    family: ClassVar[str] = "user model"
    max_rel: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_rel is not None:
            check_grade(self, "max_rel", self.max_rel, least=1)
            if self.max_rel > HIGHEST_EXPONENT:
                raise ParameterError(
                    f"2^{self.max_rel} is no number to divide by", hint="map the grades to fewer first"
                )

    def settled(self, top: float) -> Self:
        settled = self if self.max_rel is not None else replace(self, max_rel=max(1, int(np.ceil(top))))
        settled.stop(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return settled

    def stop(self, grade: Grades) -> Gains:
        if self.max_rel is None:
            raise ParameterError("ERR needs the top grade", hint="write ERR(max_rel=2), or evaluate it with judgments")
        if grade.max(initial=0) > self.max_rel:
            hint = f"the judgments go up to {grade.max():g}: write max_rel={grade.max():g}"
            raise ParameterError(f"{self} meets a grade above {self.max_rel}", hint=hint)
        return (np.exp2(np.maximum(grade, 0)) - 1) / 2.0**self.max_rel


@measure("ESL", cite="cooper1968", aliases=("MeanRank",))
class ESL(Binary):
    """Expected search length: the rank of the first relevant document; lower is better.

    A topic without one in the first ``k`` has no value and is left out, unless ``missing`` says what it counts.
    """

    family: ClassVar[str] = "binary"
    direction: ClassVar[Direction] = Direction.LOWER
    range: ClassVar[tuple[float, float]] = (1.0, np.inf)
    missing: float | None = None

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
        first = np.where(self.hit(block) > 0, block.rank, np.inf).min(axis=1)
        return np.where(np.isfinite(first), first, np.nan if self.missing is None else self.missing)
