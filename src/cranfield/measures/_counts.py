"""What was there, what was retrieved, what was judged: numbers to read beside the values."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Grades, Rows
from cranfield.data import Block

from ._base import COUNTED, RATIO, Binary, Claim, Counterexample, Measure, check_grade, measure, ratio


@measure("Judged", cite="buckley2004bpref")
class Judged(Measure):
    """Judged: the share of the first ``k`` documents that were judged; of all retrieved where they are fewer."""

    family: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.judged_only:
            raise ParameterError("Judged cannot leave out what is not judged", hint="write Judged@10")

    @property
    def scale(self) -> Claim:
        return COUNTED

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 0

    def value(self, block: Block) -> Rows:
        depth = block.retrieved if self.k is None else np.minimum(self.k, block.retrieved)
        return ratio(((block.grade >= 0) * self.within(block.rank)).sum(axis=1), depth)


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

    @property
    def worst(self) -> float | None:
        return None

    def value(self, block: Block) -> Rows:
        return np.ones(len(block.row))


@measure("NumRel", cite="trec_eval")
class NumRel(Count, Binary):
    """Relevant documents: how many the judgments hold, retrieved or not."""

    trec: ClassVar[tuple[str, str]] = ("num_rel", "")

    @property
    def worst(self) -> float | None:
        return None

    def value(self, block: Block) -> Rows:
        return block.relevant(self.rel)


@measure("NumRet", cite="trec_eval")
class NumRet(Count):
    """Retrieved documents: how many; with ``rel`` only those that reach that grade."""

    trec: ClassVar[tuple[str, str]] = ("num_ret", "")
    gives_up: ClassVar[tuple[Counterexample, ...]] = (
        # The perfect ranking is shorter than a run that retrieves documents nobody judged.
        Counterexample("ideal-best", before=(1, -1, -1), after=(1,), missed=(), cite="trec_eval"),
    )
    rel: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None:
            check_grade(self, "rel", self.rel)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= (np.inf if self.rel is None else self.rel)

    def value(self, block: Block) -> Rows:
        if self.rel is None:
            retrieved = np.isfinite(block.rank).sum(axis=1) if self.judged_only else block.retrieved
            return np.minimum(retrieved, self.k or np.inf)
        return ((block.grade >= self.rel) * self.within(block.rank)).sum(axis=1).astype(np.float64)
