"""Satisfaction measures of a log: as reported by users, and predicted for all sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cranfield.core import SEED, ParameterError, Table

from .online_measures import OnlineMeasure, Unit, online_measure
from .satisfaction_model import Calibration, LabelledSessions, Satisfaction, SatisfactionModel

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from cranfield.data import Log

DIGITS = 6  # of a weight in notation
FAR = 700.0  # log-odds: beyond them a chance is 0 or 1 anyway
TOLD = ("learnt_from", "users", "satisfied", "brier", "log_loss", "auc", "ece", "slope", "learned")
FEATURES = {  # what each is made of, in a row for each session
    "impressions": "pages of the session",
    "clicks": "clicked documents",
    "abandoned": "pages with results and no click",
    "reformulated": "pages after which something else was asked for",
    "reciprocal_rank": "the sum over pages of 1 / rank of the first click",
    "log_seconds": "ln(1 + seconds from the first page to the last sign)",
    "read": "documents that were read for 30 seconds or longer",
    "log_dwell": "ln(1 + seconds on documents)",
}
OF_DWELL = ("read", "log_dwell")


@online_measure("said_satisfied", cite="hassan2010")
class SaidSatisfied(OnlineMeasure):
    """The share of sessions whose users say that they were satisfied, of those who say so or not.

    A session whose pages have several answers is one of a satisfied user if all of them say so.
    """

    unit: ClassVar[Unit] = "session"
    needs: ClassVar[tuple[str, ...]] = ("time", "satisfaction")

    def of_pages(self, pages: "Expression") -> dict[str, Any]:
        return {"satisfaction": pages["satisfaction"].min()}

    def amount(self, units: "Expression") -> Any:
        return units["satisfaction"].fill_null(0)

    def counts(self, units: "Expression") -> Any:
        return units["satisfaction"].notnull().cast("int64")


@online_measure("satisfaction", cite="hassan2010")
class LearnedSatisfaction(OnlineMeasure):
    """The chance that the user of a session was satisfied, learned from the sessions whose users say so or not.

    Logistic regression on what happened in a session. ``weights`` are log-odds for one unit of each feature and
    ``base`` those without any; where none are given, they are learned from the log that is asked.
    """

    unit: ClassVar[Unit] = "session"
    learned: ClassVar[bool] = True
    base: float = 0.0
    weights: str = ""

    def __post_init__(self) -> None:
        """Refuse weights that are no numbers of known features."""
        for name, weight in self.weight.items():
            if name not in FEATURES or not np.isfinite(weight):
                hint = f"write weights='clicks=0.5 read=1.2'; features: {', '.join(FEATURES)}"
                raise ParameterError(f"satisfaction cannot have weights={self.weights!r}", hint=hint)

    @property
    def weight(self) -> dict[str, float]:
        """By feature."""
        parts = [part.partition("=") for part in self.weights.split()]
        try:
            return {name: float(number) for name, _, number in parts}
        except ValueError:
            return {self.weights: np.nan}

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # hangs on what it knows already
        dwell = ("dwell",) if set(OF_DWELL) & set(self.weight) else ()
        return ("time", *(dwell if self.weights else ("satisfaction",)))

    def fitted(self, log: "Log") -> "LearnedSatisfaction":
        return self if self.weights else learn_satisfaction(log).measure

    def of_pages(self, pages: "Expression") -> dict[str, Any]:
        found: dict[str, Any] = {
            "abandoned": ((pages["shown"] > 0) & (pages["clicks"] == 0)).cast("int64").sum(),
            "reformulated": pages["reformulated"].sum(),
            "reciprocal_rank": (1.0 / pages["first_rank"].cast("float64")).sum().fill_null(0.0),
        }
        if "dwell" in pages.columns:
            found["dwell"] = pages["dwell"].sum().fill_null(0.0)
        if "satisfaction" in pages.columns:
            found["satisfaction"] = pages["satisfaction"].min()
        return found

    def amount(self, units: "Expression") -> Any:
        odds: Any = self.base
        for name, weight in self.weight.items():
            odds = features_of(units)[name] * weight + odds
        return 1.0 / (1.0 + (-odds.clip(-FAR, FAR)).exp())


def features_of(sessions: "Expression") -> dict[str, Any]:
    """The features that a table of sessions has, each a column of numbers."""
    plain = ("impressions", "clicks", "abandoned", "reformulated", "reciprocal_rank")
    found: dict[str, Any] = {name: sessions[name].cast("float64") for name in plain}
    found["log_seconds"] = (1.0 + sessions["ended"] - sessions["began"]).ln()
    if "dwell" in sessions.columns:
        found |= {"read": sessions["satisfied"].cast("float64"), "log_dwell": (1.0 + sessions["dwell"]).ln()}
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """A measure of satisfaction that was learned from a log, and how far its chances can be believed."""

    measure: LearnedSatisfaction
    calibration: Calibration
    users: int

    def table(self) -> Table:
        """One row: from how many sessions it was learned, and how good its chances are for users it had not seen."""
        found = self.calibration
        sizes = (len(found.satisfied), self.users, float(found.satisfied.mean()))
        scores = (found.brier, found.log_loss, found.auc, found.ece(), found.slope)
        note = (
            f"a change in satisfaction shows at about {found.slope:.0%} of its size: sessions are not told apart fully"
        )
        caption = "Satisfaction: how far its chances can be believed, for users who were not seen"
        row = dict(zip(TOLD, (*sizes, *scores, str(self.measure)), strict=True))
        return Table.from_rows([row], TOLD, caption=caption, notes=(note,))


def learn_satisfaction(log: "Log", model: SatisfactionModel | None = None, *, seed: int = SEED) -> Learnt:
    """A measure of satisfaction from the sessions of a log whose users say whether they were satisfied."""
    from .log_units import units_of

    log.require("satisfaction", why="learning satisfaction")
    units = units_of(log, [LearnedSatisfaction()])
    sessions: Any = units.session
    features = features_of(sessions)
    owner = "user" if "user" in sessions.columns else "session"
    labelled = sessions.mutate(**{f"feature_{name}": one for name, one in features.items()})
    labelled = labelled.filter(labelled["satisfaction"].notnull()).order_by("session")
    names = tuple(features)
    found = log.fetch(labelled.select("satisfaction", owner, *(f"feature_{name}" for name in names)))
    if not len(found["satisfaction"]):
        hint = "the column satisfaction needs answers of some users: yes or no"
        raise ParameterError(f"no user of {log.source.name} says whether she was satisfied", hint=hint)
    table = np.column_stack([np.asarray(found[f"feature_{name}"], dtype=float) for name in names])
    known = LabelledSessions(table, np.asarray(found["satisfaction"]) > 0, np.asarray(found[owner]), names)
    chosen = model or SatisfactionModel()
    calibration = chosen.check(known, seed=seed)
    return Learnt(_written(chosen.fit(known)), calibration, len(np.unique(known.user)))


def learn_all(log: "Log", measures: Sequence[OnlineMeasure]) -> tuple[list[OnlineMeasure], Learnt | None]:
    """The measures, those of satisfaction with what they learn from the log, and what that was."""
    if not any(isinstance(one, LearnedSatisfaction) and not one.weights for one in measures):
        return list(measures), None
    learnt = learn_satisfaction(log)
    bare = LearnedSatisfaction()
    return [learnt.measure if one == bare else one for one in measures], learnt


def _written(model: Satisfaction) -> LearnedSatisfaction:
    """The model as a measure in notation."""
    weights = " ".join(f"{name}={weight:.{DIGITS}g}" for name, weight in zip(model.names, model.weight, strict=True))
    return LearnedSatisfaction(base=float(f"{model.base:.{DIGITS}g}"), weights=weights)
