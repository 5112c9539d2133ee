"""How many nuggets do written answers contain, and do their citations support them?"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from cranfield.core import Policy, Provenance, Scale, Study, weigh
from cranfield.data import JudgedAnswers, Values, read_answers
from cranfield.measures import (
    AnswerMeasure,
    answer_values,
    parse_answer_measures,
    support_table,
    usual_answer_measures,
)


def nuggets(
    assignments: Any = (),
    measures: str | AnswerMeasure | Iterable[str | AnswerMeasure] | None = None,
    *,
    nuggets: Any = None,
    citations: Any = None,
    answers: Any = None,
    topics: Literal["judged", "both"] = "judged",
    scale: Policy = "note",
    command: str = "",
) -> Values:
    """Values of written answers from what judges say of them: nugget recall, support by citations, length.

    ``assignments`` say which answer supports which nugget: a file, a frame, or several, each of one run or of more.
    ``nuggets`` say how important each is, where the assignments do not; ``citations`` how far the documents that a
    sentence cites support it; ``answers`` hold texts or lengths. Every judged topic counts, and an answer that is
    missing is worst; with ``topics="both"`` only answers that are there count. The values are tested, compared and
    ranked as any others are.
    """
    judged = _judged(assignments, nuggets=nuggets, citations=citations, answers=answers)
    wanted = parse_answer_measures(usual_answer_measures(judged) if measures is None else measures)
    met = [("the mean", Scale.INTERVAL, measure) for measure in wanted if measure.family != "count"]
    notes = weigh(met, scale, safe="the median is safe (--aggregate median)")
    return answer_values(judged, wanted, leave_out=topics == "both", notes=notes, command=command)


def support(
    assignments: Any = (),
    *,
    nuggets: Any = None,
    citations: Any = None,
    answers: Any = None,
    topics: Literal["judged", "both"] = "judged",
    only: Sequence[str] | None = None,
    command: str = "",
) -> Study:
    """Which share of nuggets and sentences is supported in full, in part and not at all, run by run.

    The files are those of :func:`nuggets`. The share in full of vital nuggets is ``NuggetVital(strict=True)`` over the
    topics that have such nuggets, that of sentences ``CitationRecall(strict=True)``. ``only`` names topics.
    """
    judged = _judged(assignments, nuggets=nuggets, citations=citations, answers=answers)
    made_by = Provenance(command=command, inputs=judged.inputs)
    table = support_table(judged, leave_out=topics == "both", only=only, made_by=made_by)
    return Study("support", {"support": table}, made_by=made_by, charts=("support",))


def _judged(assignments: Any, **beside: Any) -> JudgedAnswers:
    return assignments if isinstance(assignments, JudgedAnswers) else read_answers(assignments, **beside)
