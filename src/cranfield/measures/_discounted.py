"""Measures whose user loses attention with rank alone."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np

from cranfield.core import ParameterError, Scale
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block

from ._base import (
    COUNTED,
    HIGHEST_EXPONENT,
    INTERVAL,
    ORDINAL,
    Binary,
    Claim,
    Discounted,
    Unnormalised,
    check_grade,
    is_grade,
    measure,
    ratio,
)


@measure("P", cite="rijsbergen1979", aliases=("Precision",))
class P(Binary, Discounted):
    """Precision: the share of the first ``k`` documents that are relevant."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "P_{k}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is None:
            raise ParameterError("P needs a cut-off", hint="write P@10")

    @property
    def scale(self) -> Claim:  # ferrante2021: its values are equally spaced
        return COUNTED

    def discount(self, rank: Ranks) -> Weights:
        return np.full_like(rank, 1 / (self.k or 1))

    def value(self, block: Block) -> Rows:  # counted, then divided: three fifths added up are .6000000000000001
        return self.hit(block).sum(axis=1) / (self.k or 1)


@measure("RBP", cite="moffat2008rbp")
class RBP(Discounted):
    """Rank-biased precision: a user who steps on with probability ``p``, whatever is seen.

    A document is worth 1 if it reaches grade ``rel``; with ``max_rel`` it is worth its grade as a share of that.
    """

    family: ClassVar[str] = "user model"
    p: float = 0.8
    rel: int = 1
    max_rel: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError(f"RBP cannot have p={self.p}", hint="p is the chance to step on: between 0 and 1")
        check_grade(self, "rel", self.rel)
        if self.max_rel is not None:
            check_grade(self, "max_rel", self.max_rel, least=1)
            if self.rel != 1:
                hint = f"rel={self.rel} is for documents worth 0 or 1, max_rel={self.max_rel} for shares of a grade"
                raise ParameterError("RBP cannot have both rel and max_rel", hint=hint)

    @property
    def scale(self) -> Claim:
        # ferrante2021: equal steps only when p = G/(G+1), G the smallest step of gain: 1 if binary, else 1/max_rel
        even = 1 / ((self.max_rel or 1) + 1)
        if self.p == even:
            return INTERVAL
        return Claim(Scale.ORDINAL, Scale.ORDINAL, "ferrante2021") if self.p < even else ORDINAL

    def settled(self, top: float) -> Self:
        self.gain(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return self

    def gain(self, grade: Grades) -> Gains:
        if self.max_rel is None:
            return (grade >= self.rel).astype(np.float64)
        return _share(grade, self.max_rel, str(self))

    def discount(self, rank: Ranks) -> Weights:
        return (1 - self.p) * self.p ** (rank - 1)


def _share(grade: Grades, top: int, what: str) -> Gains:
    if grade.max(initial=0) > top:
        hint = f"the judgments go up to {grade.max():g}: write max_rel={grade.max():g}"
        raise ParameterError(f"{what} meets a grade above {top}", hint=hint)
    return np.maximum(grade, 0) / top


@measure("DCG", cite="jarvelin2002")
class DCG(Discounted):
    """Discounted cumulated gain: gains divided by log2(rank + 1).

    ``dcg='exp-log2'`` takes 2^grade - 1 as gain, ``gains`` any mapping of grades; with ``b`` the discount is that of
    the original paper, 1 down to rank ``b`` and the logarithm to that base below.
    """

    family: ClassVar[str] = "graded"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    dcg: Literal["log2", "exp-log2"] = "log2"
    b: float | None = None
    gains: Mapping[int, float] | tuple[tuple[int, float], ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dcg not in ("log2", "exp-log2"):
            raise ParameterError(f"{self.name} has no dcg={self.dcg!r}", hint="choose 'log2' or 'exp-log2'")
        if self.b is not None and self.b <= 1:
            raise ParameterError(f"{self.name} cannot have b={self.b}", hint="a base of logarithms above 1, such as 2")
        if self.gains is not None:
            object.__setattr__(self, "gains", self._mapped(self.gains))

    def _mapped(self, gains: object) -> tuple[tuple[int, float], ...] | None:
        """Pairs of grade and gain, sorted; what is worth its grade need not be said."""
        pairs = tuple(gains.items()) if isinstance(gains, Mapping) else gains
        if not isinstance(pairs, tuple) or not all(is_grade(grade) and is_grade(gain) for grade, gain in pairs):
            hint = "a gain from 0 up for each grade from 0 up, as in gains={1:1,2:5}; below 0 nothing is judged"
            raise ParameterError(f"{self.name} cannot have gains={gains!r}", hint=hint)
        return tuple(sorted((grade, gain) for grade, gain in pairs if grade != gain)) or None

    def gain(self, grade: Grades) -> Gains:
        gain = np.maximum(grade, 0.0)
        for of, worth in dict(self.gains or ()).items():
            gain = np.where(grade == of, float(worth), gain)
        if self.dcg == "exp-log2":
            if gain.max(initial=0) > HIGHEST_EXPONENT:
                raise ParameterError(f"2^{gain.max():g} is too large a gain", hint="use gains={grade: gain, …}")
            gain = np.exp2(gain) - 1
        return gain

    def discount(self, rank: Ranks) -> Weights:
        if self.b is None:
            return 1 / np.log2(rank + 1)
        return 1 / np.maximum(1, np.log(rank) / np.log(self.b))


@measure("nDCG", cite="jarvelin2002", aliases=("NDCG",))
class NDCG(DCG):
    """DCG as a share of the DCG of the perfect ranking; 0 where nothing is relevant."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    trec: ClassVar[tuple[str, str]] = ("ndcg", "ndcg_cut_{k}")

    def value(self, block: Block) -> Rows:
        return ratio(super().value(block), block.at_best(Unnormalised(self)))
