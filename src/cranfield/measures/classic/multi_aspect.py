"""Measures of relevance combined with other aspects, such as understandability and credibility."""

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Direction, ParameterError, Share
from cranfield.core.types import Gains, Grades, Matrix, Rows
from cranfield.data import Assessed, Block
from cranfield.measures.base import Binary, Grade, Measure, TopGrade, measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.derived_measures import Derived

from .discounted import NDCG

# A document of grade 1 has the other label, one of grade 2 has not.
BESIDE = ((1, (1.0,)), (2, (0.0,)))


def without_the_label(cite: str, of: str = "") -> tuple[Counterexample, ...]:
    """The more relevant document is the one that lacks the other label."""
    return (
        Counterexample("swap", (1, 2), (2, 1), (), cite, of=of, beside=BESIDE),
        Counterexample("replacement", (1,), (2,), (2,), cite, of=of, beside=BESIDE),
        Counterexample("ideal-best", (1, 2), (2, 1), (), cite, of=of, beside=BESIDE),
    )


class Labelled(Binary):
    """One in which a relevant document counts as far as another label of it says.

    It counts where its label in ``aspect`` reaches ``level``; with ``top``, by the share of that label. Where only one
    aspect is given, its name does not matter. A document without a label counts for nothing.
    """

    family: ClassVar[str] = "aspects"
    needs: ClassVar[str] = "aspects"
    aspect: str = "understandability"
    level: Grade = 1
    top: TopGrade = None

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        """The label may be that of the less relevant document."""
        return (*super().gives_up, *without_the_label(self.cite, f"{self.name}@1"))

    def counts(self, block: Block) -> Gains:
        """(row, document): how far each document counts: 0 where it is not relevant, or below the cut-off."""
        label = block.beside("aspects")[..., place_of(block.assessed, self, self.aspect)]
        if self.top is None:
            return self.hit(block) * (label >= self.level)
        if label.max(initial=0) > self.top:
            hint = f"the labels go up to {label.max():g}: write top={label.max():g}"
            raise ParameterError(f"{self} meets a label above {self.top:g}", hint=hint)
        return self.hit(block) * np.maximum(label, 0) / self.top


@measure("uRBP", cite="zuccon2016")
class URBP(Labelled):
    """Understandability-biased RBP: RBP in which a relevant document counts as far as readers understand it.

    They do where its label in ``aspect`` reaches ``level``; with ``top`` it counts by the share of that label.
    """

    formula: ClassVar[str] = "(1 − p) · Σ_{i≤k} relevant(i) · understood(i) · p^(i − 1)"
    example: ClassVar[Example] = Example("uRBP", (1, 1, 1), "(1 - 0.8) * (1 + 0.8**2)", beside=((1,), (0,), (2,)))
    p: Chance = 0.8

    @property
    def reach(self) -> float:
        """The cut-off; but where unjudged documents are taken out, nobody knows which rank that was."""
        return np.inf if self.k is None or self.judged_only else self.k

    def value(self, block: Block) -> Rows:
        return (1 - self.p) * (self.counts(block) * self.p ** (block.rank - 1)).sum(axis=1)


@measure("cRBP", cite="goeuriot2020,zuccon2016")
class CRBP(URBP):
    """Credibility-biased RBP: RBP in which a relevant document counts as far as it is credible: uRBP of that label."""

    formula: ClassVar[str] = "(1 − p) · Σ_{i≤k} relevant(i) · credible(i) · p^(i − 1)"
    example: ClassVar[Example] = Example(
        "cRBP(top=2)", (1, 1, 1), "(1 - 0.8) * (1/2 + 0.8**2)", beside=((1,), (0,), (2,))
    )
    aspect: str = "credibility"


@measure("uBpref", cite="palotti2019trectools")
class UBpref(Labelled):
    """Understandability-biased Bpref: Bpref in which a relevant document counts as far as readers understand it."""

    formula: ClassVar[str] = (
        "1/R · Σ_{i relevant} understood(i) · (1 − min(judged not relevant above i, R) / min(R, judged not relevant))"
    )
    example: ClassVar[Example] = Example(
        "uBpref(top=2)", (1, 0, 1), "(1 + (1 - 1/2)/2) / 2", missed=(0,), beside=((2,), (0,), (1,), (0,))
    )

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 0

    def value(self, block: Block) -> Rows:
        relevant = block.relevant(self.rel)
        most = np.minimum(relevant, block.relevant(0) - relevant)[:, None]
        above = block.judged - self.gain(block.grade).cumsum(axis=1)
        right = 1 - ratio(np.minimum(above, relevant[:, None]), np.broadcast_to(most, above.shape))
        return ratio((self.counts(block) * right).sum(axis=1), relevant)


def place_of(assessed: Assessed, measure: Measure, aspect: str) -> int:
    """Which column of the side table an aspect is; the only one has any name."""
    columns = assessed.table("aspects").columns
    if len(columns) > 1 and aspect not in columns:
        hint = f"there are: {', '.join(columns)}"
        raise ParameterError(f"{measure}: no labels are named {aspect!r}", hint=hint)
    return columns.index(aspect) if aspect in columns else 0


class Several(Derived):
    """A measure of relevance and of every aspect, each taken for the grades, made one number."""

    family: ClassVar[str] = "aspects"
    needs: ClassVar[str] = "aspects"
    of: Measure = NDCG()
    weight: Share = 0.5  # of relevance; the aspects share what is left

    def __post_init__(self) -> None:
        """Refuse measures whose values cannot be put together."""
        super().__post_init__()
        if self.of.asks_for or self.of.range != (0.0, 1.0) or self.of.direction is Direction.LOWER:
            hint = "choose a measure of grades from 0 to 1, such as nDCG@10"
            raise ParameterError(f"{self.of} cannot be put together over aspects", hint=hint)

    @property
    def asks_for(self) -> str:
        """Its own."""
        return self.needs

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return (*self.of.gives_up, *without_the_label(self.cite))

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """All may: one that is not relevant may be credible."""
        return np.full(grade.shape, fill_value=True)

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        return self.earns(grade)

    @property
    def reach(self) -> float:
        """Every rank: the rankings are looked at again for each aspect."""
        return np.inf

    @abstractmethod
    def together(self, values: Matrix, weight: Rows) -> Rows:
        """One number of the values (row, label), by their weights (label,), which add up to 1."""

    def value(self, block: Block) -> Rows:
        named = block.assessed
        each = named.once_here(("by aspect", self.of), lambda: self._each(named))[block.row]
        aspects = each.shape[1] - 1
        return self.together(each, np.array([self.weight, *[(1 - self.weight) / aspects] * aspects]))

    def _each(self, assessed: Assessed) -> Matrix:
        """(row, label): the value under relevance and under every aspect."""
        labels = [assessed.grade, *assessed.table("aspects").value.T]
        found = [
            assessed.with_grades(label).map([self.of.settled(float(label.max(initial=0)))]).reshape(-1)
            for label in labels
        ]
        return np.stack(found, axis=1)

    def settled(self, top: float) -> Self:
        """As it is: each aspect has a top grade of its own."""
        del top
        return self


@measure("CAM", cite="lioma2017")
class CAM(Several):
    """Convex aggregating measure: the mean of a measure over relevance and aspects; ``weight`` is that of relevance."""

    formula: ClassVar[str] = "weight · value of relevance + (1 − weight) · mean value of the aspects"
    example: ClassVar[Example] = Example("CAM(nDCG@2)", (1, 0), "(1 + 1/log2(3)) / 2", beside=((0,), (1,)))

    def together(self, values: Matrix, weight: Rows) -> Rows:
        return (values * weight).sum(axis=1)


@measure("MM", cite="palotti2018")
class MM(Several):
    """Multidimensional measure: the harmonic mean of a measure over relevance and aspects; 0 where one of them is 0."""

    formula: ClassVar[str] = (
        "1 / (weight / value of relevance + Σ_aspects (1 − weight) / aspects / value of the aspect)"
    )
    example: ClassVar[Example] = Example("MM(nDCG@2)", (1, 0), "2 / (1 + log2(3))", beside=((0,), (1,)))

    def together(self, values: Matrix, weight: Rows) -> Rows:
        counted = values[:, weight > 0]
        whole = (weight[weight > 0] / np.where(counted > 0, counted, 1)).sum(axis=1)
        return np.where((counted > 0).all(axis=1), 1 / whole, 0.0)
