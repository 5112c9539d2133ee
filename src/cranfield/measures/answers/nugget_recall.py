"""Nugget recall: proportion of the nuggets of a topic that a written answer supports."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import JudgedAnswers, Nuggets, NuggetWeights, PerAnswer
from cranfield.measures.base import ratio
from cranfield.measures.declared_properties import COUNTED, ORDINAL, Claim

from .base import AnswerExample, AnswerMeasure, answer_measure, nuggets_of

SUPPORTED = (("vital", 1.0), ("vital", 0.5), ("okay", 1.0), ("okay", 0.0))  # by the answer of the examples


def credit(answers: JudgedAnswers, *, strict: bool) -> NDArray[np.float64]:
    """(run, nugget): the support; where it is strict, only what is full."""
    return (answers.support >= 1).astype(np.float64) if strict else answers.support


def recall(answers: JudgedAnswers, measure: AnswerMeasure, worth: NuggetWeights, *, strict: bool) -> PerAnswer:
    """(run, topic): what the supported nuggets are worth, divided by what all are; 0 where all are worth nothing."""
    nuggets = nuggets_of(answers, measure)
    got = nuggets.add_up(credit(answers, strict=strict) * worth)
    return answers.spread(ratio(got, np.broadcast_to(nuggets.add_up(worth), got.shape)), nuggets.topics)


def vital_of(nuggets: Nuggets, measure: AnswerMeasure) -> NuggetWeights:
    """1 for vital nuggets, 0 for others."""
    if nuggets.vital is None:
        hint = "give every nugget an importance, vital or okay; NuggetAll and NuggetWeighted do without"
        raise ParameterError(f"{measure} needs to know which nuggets are vital", hint=hint)
    return nuggets.vital.astype(np.float64)


class NuggetRecall(AnswerMeasure):
    """The share of the nuggets that an answer supports; partial support counts half, or nothing if it is ``strict``."""

    strict: bool = False

    @property
    def scale(self) -> Claim:
        """Equal steps within a topic: so many nuggets, or halves of them."""
        return COUNTED

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return recall(answers, self, self.worth(nuggets_of(answers, self)), strict=self.strict)


@answer_measure("NuggetAll", cite="pradeep2024nuggets", aliases=("all_score",))
class NuggetAll(NuggetRecall):
    """The share of all nuggets that an answer supports, partial support counting half; A in the RAG track of TREC."""

    formula: ClassVar[str] = "Σ support(nugget) / number of nuggets"
    example: ClassVar[AnswerExample] = AnswerExample("NuggetAll", "(1 + 1/2 + 1 + 0) / 4", nuggets=SUPPORTED)


@answer_measure("NuggetVital", cite="pradeep2024nuggets,voorhees2003qa", aliases=("vital_score",))
class NuggetVital(NuggetRecall):
    """The share of the vital nuggets that an answer supports, partial support counting half; V in the RAG track.

    With ``strict=True`` it is what the RAG track of 2024 ranked runs by, and the recall of TREC's definition questions.
    """

    formula: ClassVar[str] = "Σ_vital support(nugget) / number of vital nuggets"
    example: ClassVar[AnswerExample] = AnswerExample("NuggetVital", "(1 + 1/2) / 2", nuggets=SUPPORTED)
    finds: ClassVar[str] = "vital nugget"

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """Vital ones alone."""
        return vital_of(nuggets, self)


@answer_measure("NuggetWeighted", cite="pradeep2024nuggets,lin2006pyramids", aliases=("weighted_score",))
class NuggetWeighted(NuggetRecall):
    """The weight of the nuggets that an answer supports, divided by that of all: okay ones weigh half a vital one.

    Weights of the file take the place of these. Where they are shares of judges who call a nugget vital, this is the
    recall of nugget pyramids.
    """

    formula: ClassVar[str] = "Σ weight(nugget) · support(nugget) / Σ weight(nugget)"
    example: ClassVar[AnswerExample] = AnswerExample(
        "NuggetWeighted", "(1 + 1/2 + 1/2 * 1 + 0) / (1 + 1 + 1/2 + 1/2)", nuggets=SUPPORTED
    )
    finds: ClassVar[str] = "nugget with a weight"

    @property
    def scale(self) -> Claim:
        """Weights may be anything: steps are not equal."""
        return ORDINAL

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """As the file says."""
        return nuggets.weight
