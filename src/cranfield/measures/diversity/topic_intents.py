"""Base classes of intent-aware measures, and the probabilities of the subtopics of a topic."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Rows
from cranfield.data import Assessed, Block
from cranfield.measures.base import Binary, Measure
from cranfield.measures.declared_properties import Counterexample

SOMETHING = np.nextafter(0, 1)  # the smallest grade that is worth anything

Intents = NDArray[np.float64]  # (topic, subtopic) or (row, subtopic): how likely each is what is meant
Hits = NDArray[np.float64]  # (row, document, subtopic): 1 where a document is relevant to a subtopic


class IntentAware(Measure):
    """A measure of a topic by which people mean several things: documents are judged for each of its subtopics.

    A subtopic to which nothing is relevant counts for nothing; the others count as the weights of intents say, scaled
    to 1, or alike.
    """

    family: ClassVar[str] = "diversity"
    needs: ClassVar[str] = "subtopics"
    shown: ClassVar[str] = ""  # with what the counterexamples are shown, where the example does not show it

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        """The higher grade may be in one subtopic, and another document about all of them."""
        return (*super().gives_up, *unlike(self.cite.partition(",")[0], self.shown))

    @property
    def reach(self) -> float:
        """The cut-off; but where unjudged documents are taken out, nobody knows which rank that was."""
        return np.inf if self.k is None or self.judged_only else self.k


class BinaryIntents(IntentAware, Binary):
    """One that only asks whether a document is relevant to a subtopic: whether it reaches grade ``rel`` there."""

    def found(self, block: Block) -> Hits:
        """(row, document, subtopic): where a document is relevant."""
        return block.once(("found", self.rel), lambda: (block.beside("subtopics") >= self.rel).astype(np.float64))

    def intents(self, block: Block) -> Intents:
        """(row, subtopic): how likely each is meant."""
        return intents(block.assessed, self.rel)[block.topic]


def relevant_to(assessed: Assessed, rel: float) -> Intents:
    """(topic, subtopic): how many documents are relevant to each subtopic, retrieved or not."""

    def count() -> Intents:
        hit = assessed.table("subtopics").value >= rel
        return np.add.reduceat(hit, assessed.named[:-1], axis=0, dtype=np.float64)

    return assessed.once(("relevant to", rel), count)


def intents(assessed: Assessed, rel: float) -> Intents:
    """(topic, subtopic): how likely each is meant, among those to which something is relevant; 1 in all."""

    def share() -> Intents:
        weight = assessed.table("subtopics").weight * (relevant_to(assessed, rel) > 0)
        total = weight.sum(axis=1, keepdims=True)
        return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)

    return assessed.once(("intents", rel), share)


def topic_of_named(assessed: Assessed) -> NDArray[np.int64]:
    """(named,): the topic of each named document."""
    return assessed.once("topic of named", lambda: np.repeat(np.arange(len(assessed.topics)), np.diff(assessed.named)))


def best_dcg(assessed: Assessed, worth: NDArray[np.float64], k: int | None) -> Rows:
    """(topic,): DCG@k of the named documents sorted by what each is worth."""
    topic = topic_of_named(assessed)
    order = np.lexsort((-worth, topic))
    place = np.arange(len(order)) - assessed.named[topic]
    earned = np.where(place < (k or np.inf), worth[order] / np.log2(place + 2), 0)
    return np.bincount(topic, earned, minlength=len(assessed.topics)).astype(np.float64)


def unlike(cite: str, of: str) -> Sequence[Counterexample]:
    """Two documents: one of grade 1 in all of three subtopics, one of grade 2 in the first alone."""
    beside = ((1, (1.0, 1.0, 1.0)), (2, (2.0, 0.0, 0.0)))
    pairs = (("swap", (1, 2), (2, 1), ()), ("replacement", (1,), (2,), (2,)), ("ideal-best", (1, 2), (2, 1), ()))
    return [Counterexample(axiom, b, a, missed, cite, of=of, beside=beside) for axiom, b, a, missed in pairs]
