"""Measures of the length of written answers: nugget precision, nugget F and answer length."""

from typing import ClassVar, Literal

import numpy as np

from cranfield.core import Direction, ParameterError, Positive
from cranfield.data import JudgedAnswers, Nuggets, NuggetWeights, PerAnswer
from cranfield.measures.base import ratio
from cranfield.measures.declared_properties import RATIO, Claim

from .base import AnswerExample, AnswerMeasure, answer_measure, nuggets_of
from .nugget_recall import SUPPORTED, credit, recall, vital_of


def length_of(answers: JudgedAnswers, measure: AnswerMeasure, unit: str) -> PerAnswer:
    """(run, topic): the lengths of answers, 0 where there is no answer; refused where one is not known."""
    lengths = answers.characters if unit == "characters" else answers.words
    unknown = answers.there if lengths is None else answers.there & np.isnan(lengths)
    if lengths is None or unknown.any():
        hint = f"give a column answer_text or {unit} with the assignments, or a file of answers that has it"
        run, topic = (int(place[0]) for place in np.nonzero(unknown))
        known = f"{measure} needs the length of answers, and that of {answers.runs[run]} to topic "
        raise ParameterError(f"{known}{answers.topics[topic]} is not known", hint=hint)
    return np.nan_to_num(lengths)


class OfLength(AnswerMeasure):
    """One that holds the length of an answer against what it says: ``allowance`` characters for each nugget."""

    needs: ClassVar[str] = "characters"
    allowance: Positive = 100.0

    def precision(self, answers: JudgedAnswers) -> PerAnswer:
        """(run, topic): 1 up to the allowance, then what the allowance is of the length (voorhees2003qa)."""
        nuggets = nuggets_of(answers, self)
        found = answers.spread(nuggets.add_up(credit(answers, strict=True)), nuggets.topics)
        allowed, length = self.allowance * found, length_of(answers, self, "characters")
        share = np.where(length < allowed, 1.0, ratio(allowed, length))
        return np.where(np.isnan(found), np.nan, share)


@answer_measure("NuggetPrecision", cite="voorhees2003qa")
class NuggetPrecision(OfLength):
    """Nugget precision: 1 for an answer that is no longer than 100 characters per nugget, below that the share allowed.

    Characters are counted without blanks, nuggets if they are supported in full, vital or not.
    """

    formula: ClassVar[str] = "min(1, allowance · nuggets supported / length)"
    example: ClassVar[AnswerExample] = AnswerExample(
        "NuggetPrecision", "100 * 2 / 250", nuggets=SUPPORTED, length=(250, "characters")
    )

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return self.precision(answers)


@answer_measure("NuggetF", cite="voorhees2003qa,lin2006pyramids", aliases=("F_other",))
class NuggetF(OfLength):
    """The F of nugget recall and nugget precision, where recall counts ``beta`` times as much.

    Recall is of vital nuggets that are supported in full, or of weights (``recall='weighted'``, nugget pyramids). The
    definition questions of TREC 2003 had ``beta=5``, the other questions of later years 3.
    """

    formula: ClassVar[str] = "(beta² + 1) · precision · recall / (beta² · precision + recall)"
    example: ClassVar[AnswerExample] = AnswerExample(
        "NuggetF", "(9 + 1) * (200/250) * (1/2) / (9 * (200/250) + 1/2)", nuggets=SUPPORTED, length=(250, "characters")
    )
    finds: ClassVar[str] = "vital nugget"
    beta: Positive = 3.0
    recall: Literal["vital", "weighted"] = "vital"

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """What recall counts."""
        return vital_of(nuggets, self) if self.recall == "vital" else nuggets.weight

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        found = recall(answers, self, self.worth(nuggets_of(answers, self)), strict=True)
        precise, square = self.precision(answers), self.beta**2
        both = ratio((square + 1) * precise * found, square * precise + found)
        return np.where(np.isnan(found), np.nan, both)


@answer_measure("AnswerLength", cite="voorhees2003qa")
class AnswerLength(AnswerMeasure):
    """How long an answer is: its words, or its characters without blanks; 0 where there is none."""

    formula: ClassVar[str] = "number of words, or of characters"
    example: ClassVar[AnswerExample] = AnswerExample("AnswerLength", "40", nuggets=SUPPORTED, length=(40, "words"))
    direction: ClassVar[Direction | None] = None
    family: ClassVar[str] = "count"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    needs: ClassVar[str] = "words"
    unit: Literal["words", "characters"] = "words"

    @property
    def scale(self) -> Claim:
        """Twice as many words are twice as many."""
        return RATIO

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return length_of(answers, self, self.unit)
