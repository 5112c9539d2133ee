"""Citation precision and recall: support of the sentences of written answers by cited documents."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import JudgedAnswers, PerAnswer
from cranfield.measures.base import ratio

from .base import AnswerExample, AnswerMeasure, answer_measure

CITED = ((0.5, 1.0), (0.5,), ())  # by three sentences of the answer of the examples


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

    formula: ClassVar[str] = "Σ support(citation) / number of citations"
    example: ClassVar[AnswerExample] = AnswerExample("CitationPrecision", "(1/2 + 1 + 1/2) / 3", cited=CITED)

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        return self.per_answer(answers, *self.credit(answers))


@answer_measure("CitationRecall", cite="thakur2025support", aliases=("weighted_recall",))
class CitationRecall(OfCitations):
    """The support of sentences in the mean: each has that of the best of its citations, and 0 if it has none."""

    formula: ClassVar[str] = "Σ max support(citations of a sentence) / number of sentences"
    example: ClassVar[AnswerExample] = AnswerExample("CitationRecall", "(1 + 1/2 + 0) / 3", cited=CITED)

    def value(self, answers: JudgedAnswers) -> PerAnswer:
        sentence, support = self.credit(answers)
        best = np.zeros(0 if answers.citations is None else len(answers.citations.run))
        np.maximum.at(best, sentence, support)
        return self.per_answer(answers, np.arange(len(best)), best)
