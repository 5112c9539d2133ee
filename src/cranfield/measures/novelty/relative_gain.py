"""Measures of the gain of a run relative to other rankings: NRG, Unique, TaSC and RareP.

Whose rankings are known before each run is part of the assessed runs (``Assessed.after``); where nothing is, each of
these is the measure that it extends.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, Limits, ParameterError
from cranfield.core.types import Rows
from cranfield.data import Assessed, Block
from cranfield.measures.base import MEASURES, Binary, Browsing, Measure, measure, ratio
from cranfield.measures.classic.discounted import NDCG, P
from cranfield.measures.declared_properties import COUNTED, ORDINAL, RATIO, Claim, Example
from cranfield.measures.derived_measures import Derived

from .residual_gain import Left, Shares, columns, known, of_rows


class Relative(Measure):
    """A measure of a run among others."""

    family: ClassVar[str] = "relative"


@measure("NRG", cite="bigdeli2024", aliases=("NormalizedResidualGain",))
class NRG(Derived, Relative):
    """Normalised residual gain: a measure for somebody who has read other rankings, and gains nothing twice.

    A document that stands at rank i of such a ranking is known as far as the measure's own user gets to see rank i;
    what is left of its gain is what nobody's ranking has shown. Any measure with a user who reads down the ranking has
    it: nDCG, DCG, RBP, P, RR, ERR, INST, and others. Its axioms hold where nothing is known before: otherwise a better
    document that everybody has shown may be worth less than another.
    """

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)  # up to 1 where that of the measure inside is
    formula: ClassVar[str] = "1/N · Σ_{i≤k} gain(i) · Π_j (1 − seen(rank of it in R_j)) · seen(i),  R_j known before"
    example: ClassVar[Example] = Example("NRG(nDCG@10)", (0, 1), "1/log2(3) / (1 + 1/log2(3))", missed=(1,))
    of: Measure = NDCG()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.of, Browsing) or self.of.family == "count":  # counts define no ranking
            classes = (cls for cls in MEASURES if issubclass(cls, Browsing) and cls.family != "count")
            known = ", ".join(sorted((cls.name for cls in classes), key=str.casefold))
            message = f"{self.of} has no NRG: it has no user who reads down a ranking, rank by rank"
            raise ParameterError(message, hint=f"these have one: {known}")

    @property
    def base(self) -> Browsing:
        """The measure inside, which has a user."""
        return self.of  # type: ignore[return-value]  # __post_init__ refuses others

    def left(self, assessed: Assessed) -> Left:
        """What is left of the gains after what is known before each run."""
        return assessed.once_here(("left", self.of), lambda: Left.after(assessed, self.base))

    def value(self, block: Block) -> Rows:
        assessed, whole = block.assessed, self.base.whole
        left = self.left(assessed)
        residual = self.base.residual(block, left.of(block))
        if whole is None:
            return residual
        best = assessed.once_here(("best left", self.of), lambda: left.at_best(assessed, whole))
        return ratio(residual, best[left.reader[block.row // len(assessed.topics)], block.topic])


def seen_out(assessed: Assessed, of: Measure) -> NDArray[np.bool_]:
    """(run, topic): where whatever a run can find is known already, for certain."""
    measure = NRG(of=of).settled(float(assessed.grade.max(initial=0)))
    return measure.left(assessed).out(assessed, measure.of)


@measure("Unique", cite="bigdeli2024")
class Unique(Binary, Relative):
    """Unique contributions: how many relevant documents of the first ``k`` are in the first ``k`` of no known ranking.

    It is what a run adds to a pool of depth ``k``.
    """

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "relevant documents in the first k that no known ranking has in its first k"
    example: ClassVar[Example] = Example("Unique@3", (1, 0, 1, 1), "2")
    needs_cutoff: ClassVar[bool] = True

    @property
    def scale(self) -> Claim:  # a number of documents
        return RATIO

    def value(self, block: Block) -> Rows:
        left = NRG(of=P(k=self.k, rel=self.rel, judged_only=self.judged_only)).left(block.assessed)
        return (self.hit(block) * left.of(block)).sum(axis=1)


@measure("TaSC", cite="arabzadeh2023tasc")
class TaSC(Derived, Relative):
    """Subspace coverage: a value, counted by how far the known rankings are from a perfect one in the same topic.

    ``by='max'`` takes the best of them, ``by='mean'`` their mean.
    """

    formula: ClassVar[str] = "value · (1 − best value of the known rankings)"
    example: ClassVar[Example] = Example("TaSC(nDCG@10)", (0, 1), "1/log2(3) / (1 + 1/log2(3))", missed=(1,))
    of: Measure = NDCG()
    by: Literal["max", "mean"] = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of.range != (0.0, 1.0) or self.of.direction is Direction.LOWER:
            low, high = (f"{end:g}".replace("inf", "∞") for end in self.of.range)
            message = f"{self.of} has no TaSC: its values lie between {low} and {high}"
            raise ParameterError(message, hint="choose a measure from 0 to 1, such as nDCG@10")

    def value(self, block: Block) -> Rows:
        own = self.of.value(block)
        if block.assessed.prior is None:
            return own
        known = block.assessed.once_here(("known", self.of, self.by), lambda: self._known(block.assessed))
        return own * (1 - known[block.row // len(block.assessed.topics), block.topic])

    def _known(self, assessed: Assessed) -> NDArray[np.float64]:
        """(run, topic): how good the known rankings are; 0 where there is none."""
        values, prior = assessed.map([self.of])[:, :, 0], assessed.prior
        assert prior is not None
        if self.by == "mean":
            return prior @ values / np.maximum(prior.sum(axis=1, keepdims=True), 1)
        return np.stack([values[of].max(axis=0, initial=0) for of in prior])


@measure("RareP", cite="turkmen2023")
class RareP(Binary, Relative):
    """Rareness-based precision: precision in which a relevant document counts more the fewer runs retrieve it.

    One that no known ranking has in its first ``k`` counts nearly 1 + ``alpha``, one that all have 1.
    """

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "1/k · Σ_{i≤k} relevant(i) · (1 + alpha · (1 − runs with it in their first k / runs))"
    example: ClassVar[Example] = Example("RareP@3", (1, 0, 1, 1), "2/3")
    needs_cutoff: ClassVar[bool] = True
    alpha: Annotated[float, Limits(0)] = 1.0

    @property
    def scale(self) -> Claim:  # turkmen2023 gives no reason for equal steps; a count where nothing else is known
        return COUNTED if self.alpha == 0 else ORDINAL

    def value(self, block: Block) -> Rows:
        rare = block.assessed.once_here(("rare", replace(self, alpha=0)), lambda: self._rare(block.assessed))
        everybody, column = np.arange(len(rare)), columns(block.assessed, self)[1]
        share = of_rows(rare, everybody, column, block)
        return (self.hit(block) * (1 + self.alpha * share)).sum(axis=1) / (self.k or 1)

    def _rare(self, assessed: Assessed) -> Shares:
        """(run, column): the share of the run and the known ones that do not have a document in their first ``k``."""
        held = known(assessed, P(k=self.k, rel=self.rel, judged_only=self.judged_only))
        if assessed.prior is None:
            return np.zeros_like(held)
        # The document counts for the run itself: only there is the share asked for.
        return 1 - (1 + assessed.prior @ held) / (1 + assessed.prior.sum(axis=1, keepdims=True))


def rareness_across(assessed: Assessed, of: RareP, held: Mapping[str, int]) -> NDArray[np.float64]:
    """(run, topic): rareness-based precision as the script of bigdeli2024 has it.

    ``held`` says how often a document is in the first ``k`` of a run, over all runs and over all topics, whatever the
    topic: one that several topics share counts as if that many more runs had it.
    """
    names = assessed.documents.take(np.flatnonzero(of.earns(assessed.grade))).to_list()
    rare = np.array([1 - held.get(name, 0) / len(assessed.runs) for name in names])[None, :]
    column = columns(assessed, of)[1]
    out = np.zeros(len(assessed.retrieved))
    for block in assessed.only(of.earns(assessed.grade)).blocks():
        there = block.document >= 0
        share = np.where(there, rare[0, column[np.where(there, block.document, 0)]] if len(names) else 0, 0)
        out[block.row] = (of.hit(block) * (1 + of.alpha * share)).sum(axis=1) / (of.k or 1)
    return out.reshape(assessed.missing.shape)
