"""Measures of cumulated gain, most of them relative to the ideal ranking: CG, nCG, gP, gR, G, RnDCG."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Assessed, Block
from cranfield.measures.base import Binary, Discounted, Measure, Normalised, TopGrade, below_top, measure, ratio, top_of
from cranfield.measures.declared_properties import COUNTED, GRADED, Claim, Counterexample, Example
from cranfield.measures.gains import Gained

from .discounted import DCG


@measure("CG", cite="jarvelin2002")
class CG(Discounted):
    """Cumulated gain: the grades of the first ``k`` documents, added up."""

    family: ClassVar[str] = "graded"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "Σ_{i≤k} grade(i)"
    example: ClassVar[Example] = Example("CG@3", (3, 0, 1, 2), "3 + 0 + 1", missed=(2,))

    @property
    def scale(self) -> Claim:
        return GRADED

    def discount(self, rank: Ranks) -> Weights:
        return np.ones_like(rank)


@measure("NCG", cite="jarvelin2002", aliases=("nCG",))
class NCG(Normalised, CG):
    """Normalised cumulated gain: CG as a share of the CG of the perfect ranking; 0 where nothing is relevant."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    formula: ClassVar[str] = "CG@k / CG@k of the judged documents sorted by grade"
    example: ClassVar[Example] = Example("NCG@3", (3, 0, 1, 2), "(3 + 0 + 1) / (3 + 2 + 2)", missed=(2,))
    linear: ClassVar[bool] = True


@measure("gP", cite="kekalainen2002")
class GP(Discounted):
    """Generalised precision: the grades of the first ``k`` documents as a share of ``k`` documents of the top grade.

    ``max_rel`` is the top of the scale of grades; where it is not given, the top grade of the judgments is taken and
    shown in the name.
    """

    family: ClassVar[str] = "graded"
    formula: ClassVar[str] = "Σ_{i≤k} grade(i) / (k · max_rel)"
    example: ClassVar[Example] = Example("gP(max_rel=3)@5", (3, 0, 1, 2, 0), "(3 + 1 + 2) / (5 * 3)")
    needs_cutoff: ClassVar[bool] = True
    linear: ClassVar[bool] = True
    max_rel: TopGrade = None

    @property
    def scale(self) -> Claim:
        return COUNTED if self.max_rel == 1 else GRADED

    def settled(self, top: float) -> Self:
        settled = self if self.max_rel is not None else replace(self, max_rel=top_of(top))
        settled.gain(np.array([top]))  # refuses grades above max_rel, whether a run retrieves them or not
        return settled

    def gain(self, grade: Grades) -> Gains:
        return np.maximum(grade, 0) / below_top(grade, self, self.max_rel)

    def discount(self, rank: Ranks) -> Weights:
        return np.full_like(rank, 1 / (self.k or 1))

    def value(self, block: Block) -> Rows:  # added up, then divided, as P is
        return CG(k=self.k).value(block) / ((self.k or 1) * below_top(block.grade, self, self.max_rel))


@measure("gR", cite="kekalainen2002")
class GR(Normalised, CG):
    """Generalised recall: the grades of the first ``k`` documents as a share of the grades of all judged documents."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    formula: ClassVar[str] = "Σ_{i≤k} grade(i) / Σ grades of all judged documents"
    example: ClassVar[Example] = Example("gR@3", (3, 0, 1, 2), "(3 + 0 + 1) / (3 + 1 + 2 + 2)", missed=(2,))
    linear: ClassVar[bool] = True

    @property
    def whole(self) -> CG:
        return CG()


class Graded(Measure):
    """A measure in which a document is worth its grade, and its place depends on what else there is."""

    family: ClassVar[str] = "graded"

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that are worth something do."""
        return grade > 0


@dataclass(frozen=True, slots=True)
class Perfect:
    """The perfect ranking of each row's topic, as far down as its documents are worth something."""

    ranking: Assessed
    topic: NDArray[np.int64]  # (row,)

    @classmethod
    def of(cls, block: Block, measure: Gained | None = None) -> "Perfect":
        """The perfect rankings behind a block: by grade, or by what a measure says that a grade is worth."""
        named = block.assessed
        if measure is None or not measure.gains:
            return cls(named.once("perfect", lambda: named.ideal.only(named.grade > 0)), block.topic)

        def ranking() -> Assessed:
            return named.ideal_for(measure).only(measure.gain(named.grade) > 0)

        return cls(named.once(("perfect", measure.gains), ranking), block.topic)

    @property
    def length(self) -> Rows:
        """(row,): how many documents are worth something."""
        return np.diff(self.ranking.starts)[self.topic].astype(np.float64)

    def down_to(self, rank: Ranks, worth: Callable[[Block], Weights]) -> Weights:
        """(row, document): what the perfect documents down to each rank are worth together; below the last, all."""
        starts, sums = self.ranking.starts, self.ranking.once(("down", worth), lambda: self._sums(worth))
        depth = np.minimum(rank, self.length[:, None]).astype(np.int64)
        return np.where(depth > 0, sums[starts[self.topic, None] + depth], 0.0)

    def _sums(self, worth: Callable[[Block], Weights]) -> Rows:
        """(entry + 1,): what the documents down to each entry of a topic are worth together, after a 0."""
        sums = np.zeros(len(self.ranking.rank) + 1)
        for part in self.ranking.blocks():
            there = np.isfinite(part.rank)
            place = (self.ranking.starts[part.row, None] + np.where(there, part.rank, 0)).astype(np.int64)
            sums[place[there]] = worth(part).cumsum(axis=1)[there]
        return sums


def discounted(block: Block) -> Gains:
    """(row, document): what each document adds to DCG."""
    return np.maximum(block.grade, 0) / np.log2(block.rank + 1)


def _at_least_1(ideal: Block) -> Gains:
    return np.maximum(ideal.grade, 1)


@measure("G", cite="trec_eval")
class G(Graded):
    """Normalised gain: each grade counts less the more was to be gained down to there than was; trec_eval's G.

    To be gained down to a rank are the grades of the perfect ranking, and at least 1 for every document.
    """

    trec: ClassVar[tuple[str, str]] = ("G", "")
    formula: ClassVar[str] = (
        "Σ_{i≤k} grade(i) / log2(2 + Σ_{j≤i} (max(1, ideal(j)) − grade(j))) / Σ grades of all judged documents"
    )
    example: ClassVar[Example] = Example(
        "G", (0, 3, 1), "(3/log2(2 + 5 - 3) + 1/log2(2 + 6 - 4)) / (3 + 2 + 1)", missed=(2,)
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # What is gained early makes up for what was missed above: the same 2 counts more where it stands before the 3.
        early = Counterexample("swap", before=(1, 2, 3), after=(1, 3, 2), missed=(), cite="trec_eval")
        return super().gives_up if self.k in (1, 2) else (*super().gives_up, early)

    def value(self, block: Block) -> Rows:
        perfect = Perfect.of(block)

        def worth() -> Weights:
            gain = self.gain(block.grade)
            best = perfect.down_to(block.rank, _at_least_1)
            best += np.maximum(block.rank - perfect.length[:, None], 0)
            return gain / np.log2(2 + best - gain.cumsum(axis=1))

        return ratio(self.added(block, worth), block.at_best(CG()))


@measure("binG", cite="trec_eval")
class BinG(Binary):
    """Binary gain: the mean, over all relevant documents, of a worth that falls with those above that are not.

    With n documents above that are not relevant it is 1 / log2(2 + n). This is trec_eval's binG.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("binG", "")
    formula: ClassVar[str] = "1/R · Σ_{i≤k, i relevant} 1 / log2(2 + documents above i that are not relevant)"
    example: ClassVar[Example] = Example("binG", (1, 0, 1, 1), "(1/log2(2) + 1/log2(3) + 1/log2(3)) / 4", missed=(1,))

    def value(self, block: Block) -> Rows:
        def worth() -> Weights:
            return self.gain(block.grade) / np.log2(2 + block.rank - self.found(block))

        return ratio(self.added(block, worth), block.relevant(self.rel))


@measure("RnDCG", cite="trec_eval")
class RNDCG(Graded):
    """nDCG where it means the most: the mean of its values at the ranks where the perfect ranking changes its grade.

    With 5 documents of grade 3 and 10 of grade 1 these are ranks 5 and 15; the end of the ranking is one more if it
    holds at least two documents beyond. This is trec_eval's Rndcg.
    """

    trec: ClassVar[tuple[str, str]] = ("Rndcg", "")
    formula: ClassVar[str] = "mean of nDCG@n over n = documents of grade ≥ g, g > 0 in the judgments; and at the end"
    example: ClassVar[Example] = Example("RnDCG", (1, 3), "(1/3 + (1 + 3/log2(3)) / (3 + 1/log2(3))) / 2")
    linear: ClassVar[bool] = True

    def value(self, block: Block) -> Rows:
        perfect = Perfect.of(block)
        last = np.full((len(block.row), 1), np.inf)

        def worth() -> Weights:  # a document counts at all points from its rank on
            points = perfect.down_to(last, _points) - perfect.down_to(block.rank - 1, _points)
            return discounted(block) * points

        end = np.minimum(block.retrieved, self.k or np.inf) > perfect.length + 1
        whole = ratio(DCG(k=self.k).value(block), block.at_best(DCG()))
        points = perfect.down_to(last, _last_of_grade)[:, 0]
        return ratio(self.added(block, worth) + end * whole, points + end)


def _last_of_grade(ideal: Block) -> Weights:
    """1 for every document after which the grade falls."""
    grade = np.maximum(ideal.grade, 0)
    return (grade != np.pad(grade[:, 1:], ((0, 0), (0, 1)))).astype(np.float64)


def _points(ideal: Block) -> Weights:
    """What one unit of DCG adds to the nDCG of each point."""
    return ratio(_last_of_grade(ideal), discounted(ideal).cumsum(axis=1))


@measure("nDCGrel", cite="trec_eval")
class NDCGRel(Graded):
    """nDCG where documents are found: the mean, over all relevant ones, of nDCG at the rank of each.

    One that was not found counts with nDCG at the end of the ranking. This is trec_eval's ndcg_rel.
    """

    trec: ClassVar[tuple[str, str]] = ("ndcg_rel", "")
    formula: ClassVar[str] = "1/R · (Σ_{i≤k, grade(i)>0} nDCG@i + documents not found · DCG@k / DCG at best)"
    example: ClassVar[Example] = Example(
        "nDCGrel", (0, 2), "(2/log2(3) / (2 + 1/log2(3)) + 2/log2(3) / (2 + 1/log2(3))) / 2", missed=(1,)
    )

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # What is found early, when little was, counts with the nDCG of that rank instead of that of the end.
        early = Counterexample("replacement", before=(0, 0, 3), after=(0, 1, 3), missed=(1,), cite="trec_eval")
        return super().gives_up if self.k == 1 else (*super().gives_up, early)

    def value(self, block: Block) -> Rows:
        perfect = Perfect.of(block)

        def worth() -> Weights:
            return ratio((block.grade > 0) * discounted(block).cumsum(axis=1), perfect.down_to(block.rank, discounted))

        found = self.added(block, lambda: (block.grade > 0).astype(np.float64), what="worth something")
        end = ratio(DCG(k=self.k).value(block), block.at_best(DCG()))
        return ratio(self.added(block, worth) + (perfect.length - found) * end, perfect.length)
