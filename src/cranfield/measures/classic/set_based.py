"""Measures of the retrieved documents as a set, optionally of the first ``k``, and ranking accuracy."""

from typing import Annotated, ClassVar

import numpy as np

from cranfield.core import Limits, ParameterError
from cranfield.core.types import Rows
from cranfield.data import Block
from cranfield.measures.base import Binary, measure, ratio
from cranfield.measures.declared_properties import COUNTED, Claim, Counterexample, Example

from .recall_based import SHORTER, Beta, harmonic

Weight = Annotated[float, Limits(-1e9, 1e9)]


class Retrieved(Binary):
    """A measure of the set of documents that were retrieved."""

    family: ClassVar[str] = "binary"

    def size(self, block: Block) -> Rows:
        """(row,): how many documents there are in the set."""
        return np.minimum(block.retrieved, self.k or np.inf)

    def found(self, block: Block) -> Rows:
        """(row,): how many of them are relevant."""
        return self.hits(block)


@measure("SetP", cite="trec_eval")
class SetP(Retrieved):
    """Set precision: the share of the retrieved documents that are relevant.

    With ``relative`` it is a share of the best precision that so many documents can have.
    """

    trec: ClassVar[tuple[str, str]] = ("set_P", "")
    formula: ClassVar[str] = "relevant documents retrieved / retrieved"
    example: ClassVar[Example] = Example("SetP", (1, 0, -1, 1), "2/4", missed=(1,))
    linear: ClassVar[bool] = True
    relative: bool = False

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic, for sets of one size
        return COUNTED

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        lost = () if self.relative or self.k == 1 else (SHORTER,)
        return (*super().gives_up, *lost)

    def value(self, block: Block) -> Rows:
        best = block.relevant(self.rel) if self.relative else np.inf
        return ratio(self.found(block), np.minimum(self.size(block), best))


@measure("SetR", cite="trec_eval")
class SetR(Retrieved):
    """Set recall: the share of the relevant documents that were retrieved."""

    trec: ClassVar[tuple[str, str]] = ("set_recall", "")
    formula: ClassVar[str] = "relevant documents retrieved / relevant documents"
    example: ClassVar[Example] = Example("SetR", (1, 0, -1, 1), "2/3", missed=(1,))
    linear: ClassVar[bool] = True

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic; the unit changes with its number of relevant documents
        return COUNTED

    def value(self, block: Block) -> Rows:
        return ratio(self.found(block), block.relevant(self.rel))


@measure("SetF", cite="rijsbergen1979")
class SetF(Retrieved):
    """Set F: the weighted harmonic mean of the precision and the recall of the retrieved documents.

    Recall weighs ``beta`` times as much as precision. (trec_eval and ir_measures ask for the square of that.)
    """

    trec: ClassVar[tuple[str, str]] = ("set_F", "")
    formula: ClassVar[str] = "(1 + β²) · P · R / (β² · P + R)"
    example: ClassVar[Example] = Example("SetF", (1, 0, -1, 1), "2 * 2/4 * 2/3 / (2/4 + 2/3)", missed=(1,))
    linear: ClassVar[bool] = True
    beta: Beta = 1.0

    @property
    def scale(self) -> Claim:  # ferrante2021: within one topic, for sets of one size
        return COUNTED

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return super().gives_up if self.k == 1 else (*super().gives_up, SHORTER)

    def value(self, block: Block) -> Rows:
        found = self.found(block)
        return harmonic(ratio(found, self.size(block)), ratio(found, block.relevant(self.rel)), self.beta)


@measure("SetAP", cite="trec_eval")
class SetAP(Retrieved):
    """Set average precision: the precision of the retrieved documents times their recall."""

    trec: ClassVar[tuple[str, str]] = ("set_map", "")
    formula: ClassVar[str] = "relevant documents retrieved² / (retrieved · relevant documents)"
    example: ClassVar[Example] = Example("SetAP", (1, 0, -1, 1), "2/4 * 2/3", missed=(1,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        return super().gives_up if self.k == 1 else (*super().gives_up, SHORTER)

    def value(self, block: Block) -> Rows:
        return ratio(self.found(block) ** 2, self.size(block) * block.relevant(self.rel))

    def over_ties(self, block: Block) -> Rows | None:
        return self.value(block) if self.k is None else None  # a set has no order


@measure("Utility", cite="lewis1995utility")
class Utility(Retrieved):
    """Utility: relevant documents that were retrieved, less the others that were, each kind with its weight.

    ``a`` and ``b`` weigh the documents that were retrieved, relevant and not; ``c`` and ``d`` those that were not.
    ``d`` asks how many there are in all: ``collection``, the -N of trec_eval.
    """

    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    trec: ClassVar[tuple[str, str]] = ("utility", "")
    formula: ClassVar[str] = "a · relevant + b · not relevant + c · relevant, missed + d · not relevant, missed"
    example: ClassVar[Example] = Example("Utility(b=-0.5)", (1, 0, -1, 1), "2 - 0.5 * 2", missed=(1,))
    linear: ClassVar[bool] = True
    a: Weight = 1.0
    b: Weight = -1.0
    c: Weight = 0.0
    d: Weight = 0.0
    collection: Annotated[int | None, Limits(1)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d and self.collection is None:
            hint = f"say how many documents there are: Utility(d={self.d},collection=1000000)"
            raise ParameterError("Utility does not know how many documents were not retrieved", hint=hint)
        if self.a - self.c < self.b - self.d:
            hint = "a - c is what retrieving a relevant document changes, b - d what another one does"
            raise ParameterError("Utility cannot prefer documents that are not relevant", hint=hint)

    @property
    def worst(self) -> float | None:
        return None if self.c or self.d else 0.0

    @property
    def scale(self) -> Claim:  # ferrante2021: a count, for sets of one size
        return COUNTED

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        # The perfect ranking holds every judged document and no other: too many if they cost, too few if they pay.
        lost: tuple[Counterexample, ...] = ()
        if self.b < self.d:
            lost = (Counterexample("ideal-best", before=(), after=(0,), missed=(0,), cite=self.cite),)
        elif self.b > self.d and not self.judged_only:
            lost = (Counterexample("ideal-best", (-1,), after=(), missed=(), cite=self.cite, of="Utility(b=0.5)"),)
        return (*super().gives_up, *lost)

    def value(self, block: Block) -> Rows:
        found, size, relevant = self.found(block), self.size(block), block.relevant(self.rel)
        missed = (self.collection or 0) + found - size - relevant
        return self.a * found + self.b * (size - found) + self.c * (relevant - found) + self.d * missed


@measure("Accuracy", cite="macavaney2022irmeasures")
class Accuracy(Retrieved):
    """Accuracy: how often a relevant document stands above one that is not, among those retrieved.

    What was not retrieved does not count, and unjudged documents count as not relevant: a number to watch while a
    model learns, not one to compare systems by. 1 if all that was retrieved is relevant, 0 if nothing is.
    """

    formula: ClassVar[str] = "pairs of a relevant document and another in the right order / all such pairs"
    example: ClassVar[Example] = Example("Accuracy", (1, 0, -1, 1), "(2 + 0) / (2 * 2)", missed=(1,))

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        lost: tuple[Counterexample, ...] = ()
        if self.k is None or self.k > 2:
            lost = (Counterexample("replacement", before=(1, 0, 0), after=(1, 0, 1), missed=(1,), cite=self.cite),)
        if self.k is not None and self.k > 2:
            before, after = (1, 0, 0, 1), (1, 0, 1, 0)
            lost += (Counterexample("swap", before, after, missed=(), cite=self.cite, of="Accuracy@3"),)
        return (*super().gives_up, *lost)

    def value(self, block: Block) -> Rows:
        hit, found = self.hit(block), self.found(block)
        wrong = np.where(hit > 0, block.rank - hit.cumsum(axis=1), 0).sum(axis=1)
        return (found > 0) * (1 - ratio(wrong, found * (self.size(block) - found)))
