"""Recall and related binary measures: R, AP, GMAP, R-precision, Success, F and E."""

from dataclasses import replace
from math import lcm, sqrt
from typing import Annotated, ClassVar

import numpy as np

from cranfield.core import Direction, Limits, Positive
from cranfield.core.types import Gains, Rows
from cranfield.data import Block
from cranfield.measures.base import Binary, measure, ratio
from cranfield.measures.declared_properties import COUNTED, INTERVAL, Claim, Counterexample, Example
from cranfield.measures.ties.tie_groups import first_stop, precision_sums

Beta = Annotated[float, Limits(0, 1e6)]

# The perfect ranking holds every judged document: what leaves out those that are not relevant is more precise.
SHORTER = Counterexample("ideal-best", before=(1,), after=(1, 0), missed=(0,), cite="rijsbergen1979")


@measure("R", cite="rijsbergen1979", aliases=("Recall",))
class R(Binary):
    """Recall: the share of the relevant documents that is found in the first ``k``.

    Where there are more relevant documents than ``k``, ``capped`` divides by ``k``: then 1 can always be reached.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "recall_{k}")
    formula: ClassVar[str] = "relevant documents in the first k / relevant documents"
    example: ClassVar[Example] = Example("R@5", (1, 0, 1, 1, 0, 0, 0, 1), "3/5", missed=(1,))
    linear: ClassVar[bool] = True
    capped: bool = False

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic; the unit changes with its number of relevant documents
        return COUNTED

    def grid(self, length: int, relevant: int) -> int | None:
        return max(1, min(relevant, self.k or relevant) if self.capped else relevant)

    def value(self, block: Block) -> Rows:
        cap = self.k if self.capped else None
        return ratio(self.hits(block), np.minimum(block.relevant(self.rel), cap or np.inf))


@measure("AP", cite="buckley2005", aliases=("MAP",))
class AP(Binary):
    """Average precision: the mean, over all relevant documents, of the precision where each is found; 0 if missed.

    Where there are more relevant documents than ``k``, ``capped`` takes the mean over ``k`` of them only.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("map", "map_cut_{k}")
    formula: ClassVar[str] = "1/R · Σ_{i≤k, i relevant} P@i,  R relevant documents"
    example: ClassVar[Example] = Example("AP", (1, 0, 1, 1), "(1/1 + 2/3 + 3/4) / 4", missed=(1,))
    capped: bool = False

    def grid(self, length: int, relevant: int) -> int | None:
        found = min(relevant, self.k or relevant) if self.capped else relevant
        return max(1, found) * lcm(*range(1, length + 1))

    def value(self, block: Block) -> Rows:
        return self._mean(self.added(block, lambda: self._precisions(block), what=("AP", self.rel)), block)

    def _precisions(self, block: Block) -> Gains:
        """(row, document): the precision where each relevant document is found."""
        return self.gain(block.grade) * self.found(block) / block.rank

    def over_ties(self, block: Block) -> Rows | None:
        return self._mean(precision_sums(self.gain(block.grade), block, self.within), block)

    def _mean(self, found: Rows, block: Block) -> Rows:
        cap = self.k if self.capped else None
        return ratio(found, np.minimum(block.relevant(self.rel), cap or np.inf))


@measure("GMAP", cite="robertson2006gmap")
class GMAP(AP):
    """Geometric mean average precision: AP, its geometric mean taken over topics, so that bad topics count.

    The value of one topic is its AP; one below 0.00001 counts as that in the mean. A geometric mean needs a ratio
    scale, and AP does not have one: it says which topics are bad rather than by how much.
    """

    aggregate: ClassVar[str] = "gmean"
    trec: ClassVar[tuple[str, str]] = ("gm_map", "")
    formula: ClassVar[str] = "exp(mean of ln max(AP, 0.00001))"
    example: ClassVar[Example] = Example("GMAP", (0, 1, 0, 1), "(1/2 + 2/4) / 2")


@measure("Rprec", cite="buckley2005", aliases=("RPrec",))
class Rprec(Binary):
    """R-precision: the precision at the rank that equals the number of relevant documents.

    ``times`` moves that rank: 2.0 goes down twice as far. What is no whole number is rounded up, as trec_eval does it:
    0.9 are added, and the decimals left away.
    """

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("Rprec", "")
    formula: ClassVar[str] = "relevant documents in the first c / c,  c = times · R"
    example: ClassVar[Example] = Example("Rprec", (1, 0, 1, 1), "2/3")
    linear: ClassVar[bool] = True
    times: Positive = 1.0

    def value(self, block: Block) -> Rows:
        cut = np.floor(self.times * block.relevant(self.rel) + 0.9)
        return ratio(self.hits(block, cut=cut), cut)


@measure("Success", cite="craswell2004web")
class Success(Binary):
    """Success: whether there is any relevant document in the first ``k``."""

    family: ClassVar[str] = "binary"
    trec: ClassVar[tuple[str, str]] = ("", "success_{k}")
    formula: ClassVar[str] = "1 if any of the first k is relevant, else 0"
    example: ClassVar[Example] = Example("Success@3", (0, 0, 1), "1")

    @property
    def scale(self) -> Claim:  # ferrante2021: two values are equally spaced
        return INTERVAL

    def grid(self, length: int, relevant: int) -> int | None:
        return 1

    def value(self, block: Block) -> Rows:
        return (self.hits(block) > 0).astype(np.float64)

    def over_ties(self, block: Block) -> Rows | None:
        return first_stop(self.gain(block.grade), block, self.within)


@measure("F", cite="rijsbergen1979")
class F(Binary):
    """F: the weighted harmonic mean of the precision and the recall of the first ``k``, without ``k`` of all retrieved.

    Recall weighs ``beta`` times as much as precision. (trec_eval and ir_measures ask for the square of that.)
    """

    family: ClassVar[str] = "binary"
    formula: ClassVar[str] = "(1 + β²) · P · R / (β² · P + R)"
    example: ClassVar[Example] = Example(
        "F(beta=2.0)@4", (1, 0, 1), "(1 + 2**2) * 2/4 * 2/3 / (2**2 * 2/4 + 2/3)", missed=(1,)
    )
    linear: ClassVar[bool] = True
    beta: Beta = 1.0

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic, for lists of one length
        return COUNTED

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return (*super().gives_up, replace(SHORTER, of=self.name)) if self.k is None else super().gives_up

    def value(self, block: Block) -> Rows:
        found = self.hits(block)
        size = block.retrieved if self.k is None else np.full(found.shape, float(self.k))
        return harmonic(ratio(found, size), ratio(found, block.relevant(self.rel)), self.beta)


def harmonic(precision: Rows, recall: Rows, beta: float) -> Rows:
    """The harmonic mean of both, with recall ``beta`` times as heavy; 0 where both are 0."""
    square = beta_squared(beta)
    return ratio((square + 1) * precision * recall, square * precision + recall)


def beta_squared(beta: float) -> float:
    """Return β². Where β is the root of a short decimal, return that decimal: √2 · √2 is 2.0000000000000004."""
    short = round(beta * beta, 9)
    return short if sqrt(short) == beta else beta * beta


@measure("E", cite="rijsbergen1979")
class E(F):
    """E: what the weighted harmonic mean of precision and recall lacks to 1; lower is better.

    Recall weighs ``beta`` times as much as precision.
    """

    direction: ClassVar[Direction] = Direction.LOWER
    formula: ClassVar[str] = "1 − (1 + β²) · P · R / (β² · P + R)"
    example: ClassVar[Example] = Example("E@4", (1, 0, 1), "1 - 2 * 2/4 * 2/3 / (2/4 + 2/3)", missed=(1,))
    linear: ClassVar[bool] = True

    @property
    def worst(self) -> float | None:
        return 1.0

    def value(self, block: Block) -> Rows:
        return 1 - super().value(block)
