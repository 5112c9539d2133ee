"""Measures of written answers: how much of what should be said they say, and how far what they cite supports them.

Judges say which nuggets an answer supports and which citations support its sentences; nothing here reads a text.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import (
    Catalogue,
    Declared,
    Direction,
    ParameterError,
    Positive,
    construct,
    describe,
    parse,
    write,
)
from cranfield.data import JudgedAnswers, Nuggets, NuggetWeights, PerAnswer

from ._base import ratio
from ._claims import COUNTED, ORDINAL, RATIO, Claim


class AnswerMeasure(Declared, ABC):
    """A number for each answer, from what judges say of it."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    aggregate: ClassVar[str] = "mean"
    direction: ClassVar[Direction | None] = Direction.HIGHER
    family: ClassVar[str] = "answers"
    needs: ClassVar[str] = "nuggets"  # what it has to know: nuggets, citations, characters or words
    finds: ClassVar[str] = "nugget"  # what a topic must have, or nothing could be found

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    @abstractmethod
    def value(self, answers: JudgedAnswers) -> PerAnswer:
        """(run, topic): the values; NaN for topics that nobody judged for it."""

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """What each nugget counts for."""
        return np.ones(len(nuggets.names))

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__


ANSWER_MEASURES: Catalogue[AnswerMeasure] = Catalogue("measure of answers")
M = TypeVar("M", bound=AnswerMeasure)


def answer_measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a measure of answers its name and its source, and list it."""
    return ANSWER_MEASURES.declare(name, cite=cite, aliases=aliases)


def nuggets_of(answers: JudgedAnswers, measure: AnswerMeasure) -> Nuggets:
    """The nuggets of the topics; refused where there are none."""
    if answers.nuggets is None:
        hint = "give the assignments of nuggets to answers"
        raise ParameterError(f"{measure} needs nuggets", hint=hint)
    return answers.nuggets


def _credit(answers: JudgedAnswers, *, strict: bool) -> NDArray[np.float64]:
    """(run, nugget): the support; where it is strict, only what is full."""
    return (answers.support >= 1).astype(np.float64) if strict else answers.support


class NuggetRecall(AnswerMeasure):
    """The share of the nuggets that an answer supports; partial support counts half, or nothing if it is ``strict``."""

    strict: bool = False

    @property
    def scale(self) -> Claim:
        """Equal steps within a topic: so many nuggets, or halves of them."""
        return COUNTED

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return recall(answers, self, self.worth(nuggets_of(answers, self)), strict=self.strict)


def recall(answers: JudgedAnswers, measure: AnswerMeasure, worth: NuggetWeights, *, strict: bool) -> PerAnswer:
    """(run, topic): what the supported nuggets are worth, divided by what all are; 0 where all are worth nothing."""
    nuggets = nuggets_of(answers, measure)
    got = nuggets.add_up(_credit(answers, strict=strict) * worth)
    return answers.spread(ratio(got, np.broadcast_to(nuggets.add_up(worth), got.shape)), nuggets.topics)


def vital_of(nuggets: Nuggets, measure: AnswerMeasure) -> NuggetWeights:
    """1 for vital nuggets, 0 for others."""
    if nuggets.vital is None:
        hint = "give every nugget an importance, vital or okay; NuggetAll and NuggetWeighted do without"
        raise ParameterError(f"{measure} needs to know which nuggets are vital", hint=hint)
    return nuggets.vital.astype(np.float64)


@answer_measure("NuggetAll", cite="pradeep2024nuggets", aliases=("all_score",))
class NuggetAll(NuggetRecall):
    """The share of all nuggets that an answer supports, partial support counting half; A in the RAG track of TREC."""


@answer_measure("NuggetVital", cite="pradeep2024nuggets,voorhees2003qa", aliases=("vital_score",))
class NuggetVital(NuggetRecall):
    """The share of the vital nuggets that an answer supports, partial support counting half; V in the RAG track.

    With ``strict=True`` it is what the RAG track of 2024 ranked runs by, and the recall of TREC's definition questions.
    """

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

    finds: ClassVar[str] = "nugget with a weight"

    @property
    def scale(self) -> Claim:
        """Weights may be anything: steps are not equal."""
        return ORDINAL

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """As the file says."""
        return nuggets.weight


class OfLength(AnswerMeasure):
    """One that holds the length of an answer against what it says: ``allowance`` characters for each nugget."""

    needs: ClassVar[str] = "characters"
    allowance: Positive = 100.0

    def precision(self, answers: JudgedAnswers) -> PerAnswer:
        """(run, topic): 1 up to the allowance, then what the allowance is of the length (voorhees2003qa)."""
        nuggets = nuggets_of(answers, self)
        found = answers.spread(nuggets.add_up(_credit(answers, strict=True)), nuggets.topics)
        allowed, length = self.allowance * found, length_of(answers, self, "characters")
        share = np.where(length < allowed, 1.0, ratio(allowed, length))
        return np.where(np.isnan(found), np.nan, share)


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


@answer_measure("NuggetPrecision", cite="voorhees2003qa")
class NuggetPrecision(OfLength):
    """Nugget precision: 1 for an answer that is no longer than 100 characters per nugget, below that the share allowed.

    Characters are counted without blanks, nuggets if they are supported in full, vital or not.
    """

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return self.precision(answers)


@answer_measure("NuggetF", cite="voorhees2003qa,lin2006pyramids", aliases=("F_other",))
class NuggetF(OfLength):
    """The F of nugget recall and nugget precision, where recall counts ``beta`` times as much.

    Recall is of vital nuggets that are supported in full, or of weights (``recall='weighted'``, nugget pyramids). The
    definition questions of TREC 2003 had ``beta=5``, the other questions of later years 3.
    """

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


class OfCitations(AnswerMeasure):
    """One of what answers cite; with ``cited='first'`` of the first citation of each sentence alone."""

    needs: ClassVar[str] = "citations"
    strict: bool = False
    cited: Literal["all", "first"] = "all"

    def credit(self, answers: JudgedAnswers) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(citation,) each: which sentence, and how much support."""
        if answers.citations is None:
            raise ParameterError(f"{self} needs citations", hint="give them: topic, run, sentence, document, support")
        sentence, support = answers.citations.sentence, answers.citations.support
        if self.cited == "first":
            sentence, first = np.unique(sentence, return_index=True)
            support = support[first]
        return sentence, (support >= 1).astype(np.float64) if self.strict else support

    def per_answer(self, answers: JudgedAnswers, sentence: NDArray[np.int64], worth: NDArray[np.float64]) -> PerAnswer:
        """(run, topic): the mean of some numbers of sentences; 0 where an answer has none."""
        assert answers.citations is not None  # credit() looked
        sums, counts = (
            answers.citations.add_up(sentence, some, len(answers.runs)) for some in (worth, np.ones(len(worth)))
        )
        return answers.spread(ratio(sums, counts), answers.citations.topics)


@answer_measure("CitationPrecision", cite="thakur2025support", aliases=("weighted_precision",))
class CitationPrecision(OfCitations):
    """The support of citations in the mean: 1 where a document supports its sentence, half where it does in part.

    An answer that cites nothing has 0.
    """

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return self.per_answer(answers, *self.credit(answers))


@answer_measure("CitationRecall", cite="thakur2025support", aliases=("weighted_recall",))
class CitationRecall(OfCitations):
    """The support of sentences in the mean: each has that of the best of its citations, and 0 if it has none."""

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        sentence, support = self.credit(answers)
        best = np.zeros(0 if answers.citations is None else len(answers.citations.run))
        np.maximum.at(best, sentence, support)
        return self.per_answer(answers, np.arange(len(best)), best)


@answer_measure("AnswerLength", cite="voorhees2003qa")
class AnswerLength(AnswerMeasure):
    """How long an answer is: its words, or its characters without blanks; 0 where there is none."""

    direction: ClassVar[Direction | None] = None
    family: ClassVar[str] = "count"
    needs: ClassVar[str] = "words"
    unit: Literal["words", "characters"] = "words"

    @property
    def scale(self) -> Claim:
        """Twice as many words are twice as many."""
        return RATIO

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return length_of(answers, self, self.unit)


def parse_answer_measure(text: str | AnswerMeasure) -> AnswerMeasure:
    """``NuggetVital(strict=True)``, or what nuggetizer calls it: ``strict_vital_score``."""
    if isinstance(text, AnswerMeasure):
        return text
    plain = text.removeprefix("strict_")
    if plain != text and plain in ("all_score", "vital_score", "weighted_score"):
        return ANSWER_MEASURES[plain](strict=True)
    return construct(ANSWER_MEASURES, parse(text), see="cranfield nuggets --help")
