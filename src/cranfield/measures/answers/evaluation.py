"""Compute the values of measures of written answers for every run and topic."""

from collections.abc import Iterable

import numpy as np

from cranfield.core import ParameterError, Provenance
from cranfield.data import JudgedAnswers, Values

from .base import AnswerMeasure, parse_answer_measure

OF_NUGGETS = ("NuggetVital(strict=True)", "NuggetVital", "NuggetAll(strict=True)", "NuggetAll")
WITHOUT_VITAL = ("NuggetWeighted(strict=True)", "NuggetWeighted", "NuggetAll(strict=True)", "NuggetAll")
OF_CITATIONS = ("CitationPrecision", "CitationRecall")


def usual_answer_measures(answers: JudgedAnswers) -> tuple[str, ...]:
    """What one would ask of answers first, as far as judges say enough."""
    found: tuple[str, ...] = ()
    if answers.nuggets is not None:
        found += WITHOUT_VITAL if answers.nuggets.vital is None else OF_NUGGETS
    found += OF_CITATIONS if answers.citations is not None else ()
    known = answers.words is not None and not (answers.there & np.isnan(answers.words)).any()
    return (*found, "AnswerLength") if known else found


def parse_answer_measures(measures: str | AnswerMeasure | Iterable[str | AnswerMeasure]) -> tuple[AnswerMeasure, ...]:
    """Measures of answers, in a text with blanks between them or one by one."""
    asked = [measures] if isinstance(measures, str | AnswerMeasure) else list(measures)
    words = [word for one in asked for word in (_apart(one) if isinstance(one, str) else [one])]
    found = tuple(dict.fromkeys(map(parse_answer_measure, words)))
    if not found:
        raise ParameterError("no measure is asked for", hint="for example: NuggetVital NuggetAll")
    return found


def _apart(text: str) -> list[str]:
    """The words of a text; blanks within brackets keep a word together."""
    words, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter.isspace() and depth <= 0:
            words.append("")
        else:
            words[-1] += letter
    return [word for word in words if word]


def answer_values(
    answers: JudgedAnswers,
    measures: tuple[AnswerMeasure, ...],
    *,
    leave_out: bool = False,
    notes: tuple[str, ...] = (),
    command: str = "",
) -> Values:
    """Values of answers, run by topic; an answer that is missing is worst, or left out.

    Where a topic has nothing that could be found, such as no vital nugget, the value is 0, as in nuggetizer.
    """
    cube = np.stack([measure.value(answers) for measure in measures], axis=2)
    missing = ~answers.there
    counted = answers.there.copy() if leave_out else np.ones(missing.shape, np.bool_)
    without = np.zeros((len(measures), len(answers.topics)), np.bool_)
    for m, measure in enumerate(measures):
        if answers.nuggets is not None and measure.needs in ("nuggets", "characters"):
            empty = answers.nuggets.add_up(measure.worth(answers.nuggets)) <= 0
            without[m] = np.isin(answers.topics, np.array(answers.nuggets.topics)[empty])
    return Values(
        runs=answers.runs,
        topics=answers.topics,
        measures=measures,
        cube=cube,
        counted=counted,
        missing=missing,
        without_relevant=without,
        notes=(*notes, *answers.notes, *_unjudged(answers, measures, cube)),
        made_by=Provenance(command=command, inputs=answers.inputs, measures=tuple(map(str, measures))),
    )


def _unjudged(
    answers: JudgedAnswers,
    measures: tuple[AnswerMeasure, ...],
    cube: np.ndarray[tuple[int, int, int], np.dtype[np.float64]],
) -> list[str]:
    """A word where not every topic is judged for every measure."""
    judged = (~np.isnan(cube)).any(axis=0).sum(axis=0).tolist()
    few = {str(measure): number for measure, number in zip(measures, judged, strict=True)}
    if min(judged) == len(answers.topics):
        return []
    told = ", ".join(f"{name} {number}" for name, number in few.items() if number < len(answers.topics))
    return [f"not every one of {len(answers.topics)} topics is judged for every measure ({told}): means are of those"]
