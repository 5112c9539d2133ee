"""Fusion methods: RRF, CombSUM, CombMNZ and ISR."""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits
from cranfield.data import Run

from .base import Fusion, fusion
from .score_normalisation import Norm, normalised


@fusion("rrf", cite="cormack2009rrf")
class RRF(Fusion):
    """Reciprocal rank fusion: the sum of 1/(k + rank) over the runs that have the document; scores do not count."""

    formula: ClassVar[str] = "Σ 1/(k + rank)"

    k: Annotated[int | float, Limits(0)] = 60

    def given(self, run: Run) -> NDArray[np.float64]:
        return 1 / (self.k + run.rank)


@fusion("combsum", cite="fox1994,lee1997,montague2001")
class CombSUM(Fusion):
    """CombSUM: the sum of the scores that runs gave to the document.

    Scores are normalised first, for each run and topic by itself, over the documents that are fused. ``min-max`` is
    (score − lowest)/(highest − lowest), and 1 where all scores are equal; ``z-score`` is (score − mean)/standard
    deviation of just these scores, and 0 where all are equal; ``none`` takes scores as they are.
    """

    formula: ClassVar[str] = "Σ normalised score"

    norm: Norm = "min-max"

    def given(self, run: Run) -> NDArray[np.float64]:
        return normalised(run, self.norm)


@fusion("combmnz", cite="fox1994,lee1997,montague2001")
class CombMNZ(CombSUM):
    """CombMNZ: CombSUM times the number of runs that have the document.

    Where a sum is below 0, as half of all z-scores are, having more runs lowers it further.
    """

    formula: ClassVar[str] = "Σ normalised score × runs with the document"
    counts: ClassVar[bool] = True


@fusion("isr", cite="mourao2014isr")
class ISR(Fusion):
    """Inverse square rank: the sum of 1/rank² over the runs that have the document, times their number."""

    formula: ClassVar[str] = "Σ 1/rank² × runs with the document"
    counts: ClassVar[bool] = True

    def given(self, run: Run) -> NDArray[np.float64]:
        return 1 / run.rank.astype(float) ** 2
