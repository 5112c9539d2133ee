"""Session DCG and session RBP, and the values of session measures for every run and session."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Expression, Limits, ParameterError, construct, parse
from cranfield.data import Assessed, Values
from cranfield.measures.base import Cutoff, Grade, Measure, TopGrade
from cranfield.measures.classic.discounted import DCG, RBP
from cranfield.measures.evaluation import measure_all
from cranfield.measures.notation.parsing import parse_measure

from .session_base import SESSION_MEASURES as SESSION_MEASURES
from .session_base import Positions, SessionExample, session_measure
from .session_base import SessionMeasure as SessionMeasure
from .session_markov import MarkovSession as MarkovSession


@session_measure("sDCG", cite="jarvelin2008")
class SessionDCG(SessionMeasure):
    """Session DCG: the DCG of every ranking, worth less the more were asked for before.

    ``discount='one-plus-log'`` divides by 1 + log(j) at position j, as published; ``'shifted-log'`` by
    log(j + bq - 1), as the code of nsDCG does; both to the base ``bq``. DCG is that of ``of``.
    """

    formula: ClassVar[str] = "Σ_j DCG(j) / (1 + log_bq j),  or / log_bq(j + bq − 1)"
    example: ClassVar[SessionExample] = SessionExample(
        "sDCG(DCG)", ((1, 0), (0, 1)), "1 + (1 / log2(3)) / (1 + log(2, 4))"
    )
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    of: Measure = DCG()
    bq: Annotated[float, Limits(1, open=True)] = 4.0
    discount: Literal["one-plus-log", "shifted-log"] = "one-plus-log"

    def __post_init__(self) -> None:
        """Refuse what is no DCG."""
        if type(self.of) is not DCG:
            raise ParameterError(f"sDCG is of DCG, not of {self.of}", hint="write sDCG(DCG@10)")

    @property
    def ranking(self) -> Measure:
        return self.of

    def weight(self, position: Positions) -> Positions:
        if self.discount == "one-plus-log":
            return 1 / (1 + np.log(position) / np.log(self.bq))
        return np.log(self.bq) / np.log(position + self.bq - 1)


@session_measure("sRBP", cite="lipani2019")
class SessionRBP(SessionMeasure):
    """Session RBP: a user who goes on with probability ``p``: down the ranking with ``b`` of that, or to the next one.

    With ``b`` = 1 nobody ever asks again, and it is the RBP of the first ranking.
    """

    formula: ClassVar[str] = "(1 − p) · Σ_j ((p − b·p) / (1 − b·p))^(j−1) · Σ_i gain(j, i) · (b·p)^(i−1)"
    example: ClassVar[SessionExample] = SessionExample("sRBP", ((1, 0), (0, 1)), "0.2 * (1 + 0.4 / 0.6 * 0.4)")
    p: Chance = 0.8
    b: Annotated[float, Limits(0.001, 1)] = 0.5
    rel: Grade = 1
    max_rel: TopGrade = None
    k: Cutoff = None

    @property
    def ranking(self) -> Measure:
        """RBP of somebody who leaves the ranking, whether for the next one or for good."""
        return RBP(p=self.b * self.p, rel=self.rel, max_rel=self.max_rel, k=self.k)

    def weight(self, position: Positions) -> Positions:
        asks_again = (self.p - self.b * self.p) / (1 - self.b * self.p)
        return (1 - asks_again) * asks_again ** (position - 1)


def parse_session_measure(text: str | SessionMeasure) -> SessionMeasure:
    """The session measure that a notation stands for: ``sDCG(DCG@10)``, ``sRBP(b=0.9)``, ``MsM(q=0.1)@5``."""
    if isinstance(text, SessionMeasure):
        return text
    inner = cast("Callable[[Expression], SessionMeasure]", _inside)
    return construct(SESSION_MEASURES, parse(text), see="cranfield measures", inner=inner)


def _inside(expression: Expression) -> Measure:
    """The measure of a ranking that stands in the parentheses of one of sessions."""
    return parse_measure(str(expression))


def session_values(
    assessed: Assessed,
    sessions: Mapping[str, tuple[str, int]],
    measures: str | SessionMeasure | Iterable[str | SessionMeasure] = "sRBP",
) -> Values:
    """The values of measures for every run and session: what tests and tables of topics do, they do for sessions too.

    ``sessions`` says of every topic to which session it belongs, and at which position from 1. One that nobody judged
    is no topic here, takes up its position, and adds nothing.
    """
    several = [measures] if isinstance(measures, str | SessionMeasure) else measures
    wanted = [parse_session_measure(one) for one in several]
    names, which, position = _placed(assessed.topics, sessions)
    asked = [[measure.ranking_at(int(place)).settled(_top(assessed)) for place in position] for measure in wanted]
    values = measure_all(assessed, dict.fromkeys(one for row in asked for one in row))
    cube = np.zeros((len(values.runs), len(names), len(wanted)))
    for i, measure in enumerate(wanted):
        found = values.cube[:, np.arange(len(position)), [values.index(one) for one in asked[i]]]
        np.add.at(cube[:, :, i].T, which, (found * measure.weight(position)).T)
    lacking = [_all_of(missing, which, len(names)) for missing in (values.missing, values.without_relevant)]
    return replace(
        values,
        topics=names,
        measures=tuple(wanted),
        cube=cube,
        counted=np.ones(cube.shape[:2], np.bool_),
        missing=lacking[0],
        without_relevant=lacking[1],
        made_by=replace(values.made_by, measures=tuple(map(str, wanted))),
        assessed=None,
    )


def _top(assessed: Assessed) -> float:
    return float(assessed.grade.max(initial=0))


def _placed(
    topics: tuple[str, ...], sessions: Mapping[str, tuple[str, int]]
) -> tuple[tuple[str, ...], NDArray[np.int64], Positions]:
    """The sessions by name, and of every topic which it belongs to and where."""
    strange = [topic for topic in topics if topic not in sessions]
    if strange:
        hint = "give the session and the position of every topic that was judged"
        raise ParameterError(f"topic {strange[0]} is in no session", hint=hint)
    places = [sessions[topic] for topic in topics]
    if len(set(places)) < len(places):
        twice = next(place for place in places if places.count(place) > 1)
        raise ParameterError(f"two topics are at position {twice[1]} of session {twice[0]}", hint="give each its own")
    if any(position < 1 or position != int(position) for _, position in places):
        raise ParameterError("a position is no whole number from 1 up", hint="the first ranking of a session is at 1")
    names = tuple(dict.fromkeys(session for session, _ in places))
    which = np.array([names.index(session) for session, _ in places], dtype=np.int64)
    return names, which, np.array([position for _, position in places], dtype=np.float64)


def _all_of(lacks: NDArray[np.bool_], which: NDArray[np.int64], sessions: int) -> NDArray[np.bool_]:
    """(…, session): whether it holds for every topic of a session."""
    has = np.zeros((lacks.shape[0], sessions), np.bool_)
    np.logical_or.at(has.T, which, ~lacks.T)
    return ~has
