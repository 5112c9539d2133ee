"""Counts of topics and of retrieved, relevant and non-relevant documents, and judgment coverage."""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, Limits, ParameterError
from cranfield.core.types import Grades, Rows
from cranfield.data import Block
from cranfield.measures.base import Binary, Grade, Measure, measure, ratio
from cranfield.measures.declared_properties import COUNTED, RATIO, Claim, Counterexample, Example


class Looked(Measure):
    """How far the judgments cover a ranking."""

    family: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judged_only:
            raise ParameterError(f"{self.name} cannot leave out what is not judged", hint=f"write {self.name}@10")

    @property
    def scale(self) -> Claim:
        return COUNTED

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 0

    def judged(self, block: Block) -> Rows:
        """(row,): how many of the first ``k`` documents were judged."""
        return ((block.grade >= 0) * self.within(block.rank)).sum(axis=1).astype(np.float64)


@measure("Judged", cite="buckley2004bpref")
class Judged(Looked):
    """Judged: the share of the first ``k`` documents that were judged; of all retrieved where they are fewer."""

    formula: ClassVar[str] = "judged documents in the first k / min(k, retrieved)"
    example: ClassVar[Example] = Example("Judged@10", (1, -1, 0), "2/3")
    linear: ClassVar[bool] = True

    def value(self, block: Block) -> Rows:
        return ratio(self.judged(block), np.minimum(self.k or np.inf, block.retrieved))


@measure("Unjudged", cite="thakur2021beir")
class Unjudged(Looked):
    """Unjudged: the share of the first ``k`` documents that nobody judged; lower is better.

    Where fewer were retrieved it is a share of ``k`` all the same, unlike Judged.
    """

    direction: ClassVar[Direction] = Direction.LOWER
    trec: ClassVar[tuple[str, str]] = ("", "unj_{k}")
    formula: ClassVar[str] = "unjudged documents in the first k / k"
    example: ClassVar[Example] = Example("Unjudged@10", (1, -1, 0), "1/10")
    linear: ClassVar[bool] = True

    def value(self, block: Block) -> Rows:
        size = block.retrieved if self.k is None else np.full(len(block.row), float(self.k))
        return ratio(np.minimum(size, block.retrieved) - self.judged(block), size)


class Count(Measure):
    """How many there are, added up over topics."""

    family: ClassVar[str] = "count"
    aggregate: ClassVar[str] = "sum"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    @property
    def scale(self) -> Claim:
        return RATIO


@measure("NumQ", cite="trec_eval")
class NumQ(Count):
    """Topics: how many were evaluated."""

    trec: ClassVar[tuple[str, str]] = ("num_q", "")
    formula: ClassVar[str] = "1 for every topic, added up"
    example: ClassVar[Example] = Example("NumQ", (1, 0), "1")
    linear: ClassVar[bool] = True

    @property
    def worst(self) -> float | None:
        return None

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return np.zeros(grade.shape, np.bool_)

    def value(self, block: Block) -> Rows:
        return np.ones(len(block.row))


@measure("NumRel", cite="trec_eval")
class NumRel(Count, Binary):
    """Relevant documents: how many the judgments hold, retrieved or not."""

    trec: ClassVar[tuple[str, str]] = ("num_rel", "")
    formula: ClassVar[str] = "documents of grade ≥ rel in the judgments"
    example: ClassVar[Example] = Example("NumRel", (1, 0), "2", missed=(1,))
    linear: ClassVar[bool] = True

    @property
    def worst(self) -> float | None:
        return None

    def value(self, block: Block) -> Rows:
        return block.relevant(self.rel)


@measure("NumRet", cite="trec_eval")
class NumRet(Count):
    """Retrieved documents: how many; with ``rel`` only those that reach that grade."""

    trec: ClassVar[tuple[str, str]] = ("num_ret", "")
    formula: ClassVar[str] = "documents retrieved, or of grade ≥ rel"
    example: ClassVar[Example] = Example("NumRet", (1, -1, 0), "3")
    linear: ClassVar[bool] = True
    rel: Annotated[int | float | None, Limits(0)] = None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # The perfect ranking is shorter than a run that retrieves documents nobody judged.
        long = Counterexample("ideal-best", before=(1, -1, -1), after=(1,), missed=(), cite="trec_eval")
        return (*super().gives_up, long) if self.rel is None and not self.judged_only else super().gives_up

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= (np.inf if self.rel is None else self.rel)

    def value(self, block: Block) -> Rows:
        if self.rel is None:
            return np.minimum(block.retrieved, self.k or np.inf)
        return ((block.grade >= self.rel) * self.within(block.rank)).sum(axis=1).astype(np.float64)


@measure("NumNonRel", cite="trec_eval")
class NumNonRel(Count):
    """Non-relevant documents: how many of the judged ones below grade ``rel`` were retrieved; lower is better."""

    direction: ClassVar[Direction] = Direction.LOWER
    trec: ClassVar[tuple[str, str]] = ("num_nonrel_judged_ret", "")
    formula: ClassVar[str] = "documents of 0 ≤ grade < rel, retrieved"
    example: ClassVar[Example] = Example("NumNonRel", (1, -1, 0, 0), "2", missed=(0,))
    linear: ClassVar[bool] = True
    rel: Grade = 1

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # Nothing counts against a document that nobody judged.
        judged = Counterexample("replacement", before=(-1,), after=(0,), missed=(0,), cite="trec_eval")
        best = Counterexample("ideal-best", before=(-1,), after=(0,), missed=(0,), cite="trec_eval")
        swap = Counterexample("swap", before=(-1, 0), after=(0, -1), missed=(), cite="trec_eval", of="NumNonRel@1")
        return (*super().gives_up, judged, best, *([swap] if self.k else []))

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= self.rel if self.k is None else (grade >= 0) & (grade < self.rel)

    def value(self, block: Block) -> Rows:
        if self.k is None:
            judged = block.assessed.judged_retrieved[block.row]
            return judged - ((block.grade >= self.rel) & np.isfinite(block.rank)).sum(axis=1)
        counted = (block.grade >= 0) & (block.grade < self.rel)
        return (counted * self.within(block.rank)).sum(axis=1)
