"""Online measures that a log has the columns to compute."""

from typing import TYPE_CHECKING

from cranfield.core import ParameterError, UnknownName

from .evaluation_criterion import FRAMEWORKS, Framework
from .online_measures import ONLINE_MEASURES, OnlineMeasure

if TYPE_CHECKING:
    from cranfield.data import Log


def answers(log: "Log", measure: OnlineMeasure) -> bool:
    """Whether a log has the columns that a measure needs; how long documents were read may follow from other times."""
    known = log.known
    timed = {"time", "click_time"} <= known and bool({"user", "session"} & known)
    return known >= set(measure.needs) - ({"dwell"} if timed else set())


def answerable(log: "Log") -> list[OnlineMeasure]:
    """All measures of the catalogue that a log can answer, and that need not be learned first."""
    return [measure for measure in (cls() for cls in ONLINE_MEASURES) if not measure.learned and answers(log, measure)]


def answerable_of(framework: str | Framework, log: "Log") -> tuple[list[OnlineMeasure], list[str]]:
    """The measures of a framework (HEART, …) that a log can answer, and the names of those that it cannot."""
    if isinstance(framework, str):
        found = next((one for name, one in FRAMEWORKS.items() if name.casefold() == framework.casefold()), None)
        if found is None:
            raise UnknownName(f"there is no set of measures {framework!r}", hint=f"choose: {', '.join(FRAMEWORKS)}")
        framework = found
    measures, left = [], []
    for name in framework.measures:
        measure = ONLINE_MEASURES[name]() if name in ONLINE_MEASURES else None
        if measure is not None and answers(log, measure):
            measures.append(measure)
        else:
            left.append(name)
    if not measures:
        hint = f"they are: {', '.join(framework.measures)}"
        raise ParameterError(f"{log.source.name} answers no measure of {framework.name}", hint=hint)
    return measures, left
