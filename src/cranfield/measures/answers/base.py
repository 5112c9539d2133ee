"""Base class of measures of written answers, their worked examples and their notation.

Judges say which nuggets an answer supports and which citations support its sentences; nothing here reads a text.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from cranfield.core import Catalogue, ParameterError, construct, parse
from cranfield.data import JudgedAnswers, Nuggets, NuggetWeights, PerAnswer, read_answers
from cranfield.measures.other.base import OtherMeasure


@dataclass(frozen=True, slots=True)
class AnswerExample:
    """A value worked out by hand: what judges say of one answer, and the arithmetic that gives its value."""

    of: str  # the measure, in notation
    working: str
    nuggets: tuple[tuple[str, float], ...] = ()  # the importance of each, and how far the answer supports it
    cited: tuple[tuple[float, ...], ...] = ()  # for each sentence how far each of its citations supports it
    length: tuple[int, str] | None = None  # how many words, or characters

    def given(self) -> str:
        """What judges say, in words."""
        nuggets = ", ".join(f"{importance} {support:g}" for importance, support in self.nuggets)
        cited = " / ".join(" ".join(map("{:g}".format, one)) or "none" for one in self.cited)
        told = {"nuggets ": nuggets, "citations of sentences ": cited}
        length = ["{} {}".format(*self.length)] if self.length else []
        return "; ".join([*(f"{what}{words}" for what, words in told.items() if words), *length])

    def worked(self) -> float:
        """The value of the answer."""
        return float(parse_answer_measure(self.of).value(self._judged())[0, 0])

    def _judged(self) -> JudgedAnswers:
        assigned = [(str(n), *nugget) for n, nugget in enumerate(self.nuggets)]
        cited = [
            (str(sentence), None if support is None else str(place), support)
            for sentence, supports in enumerate(self.cited)
            for place, support in enumerate(supports or (None,))
        ]
        return read_answers(
            [_rows(assigned, "nugget", "importance", "support")] if assigned else (),
            citations=_rows(cited, "sentence", "document", "support") if cited else None,
            answers=_rows([self.length[:1]], self.length[1]) if self.length else None,
        )


def _rows(rows: Sequence[tuple[Any, ...]], *names: str) -> dict[str, list[Any]]:
    """Rows of one answer, as columns."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return {"topic": ["1"] * len(rows), "run": ["run"] * len(rows), **columns}


class AnswerMeasure(OtherMeasure):
    """A number for each answer, from what judges say of it."""

    family: ClassVar[str] = "answers"
    needs: ClassVar[str] = "nuggets"  # or citations, characters, words
    finds: ClassVar[str] = "nugget"  # what a topic must have, or nothing could be found

    @abstractmethod
    def value(self, answers: JudgedAnswers) -> PerAnswer:
        """(run, topic): the values; NaN for topics that nobody judged for it."""

    def worth(self, nuggets: Nuggets) -> NuggetWeights:
        """What each nugget counts for."""
        return np.ones(len(nuggets.names))


LATER = tuple(f"cranfield.measures.answers.{module}" for module in ("nugget_recall", "lengths", "citations"))
ANSWER_MEASURES: Catalogue[AnswerMeasure] = Catalogue("measure of answers", later=LATER)
M = TypeVar("M", bound=AnswerMeasure)

# What nuggetizer calls them.
NUGGETIZER = {
    "strict_all_score": "NuggetAll(strict=True)",
    "strict_vital_score": "NuggetVital(strict=True)",
    "strict_weighted_score": "NuggetWeighted(strict=True)",
}


def answer_measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a measure of answers its name and its source, and list it."""
    return ANSWER_MEASURES.declare(name, cite=cite, aliases=aliases)


def parse_answer_measure(text: str | AnswerMeasure) -> AnswerMeasure:
    """``NuggetVital(strict=True)``, or what nuggetizer calls it: ``strict_vital_score``."""
    if isinstance(text, AnswerMeasure):
        return text
    return construct(ANSWER_MEASURES, parse(NUGGETIZER.get(text.casefold(), text)), see="cranfield measures")


def nuggets_of(answers: JudgedAnswers, measure: AnswerMeasure) -> Nuggets:
    """The nuggets of the topics; refused where there are none."""
    if answers.nuggets is None:
        hint = "give the assignments of nuggets to answers"
        raise ParameterError(f"{measure} needs nuggets", hint=hint)
    return answers.nuggets
