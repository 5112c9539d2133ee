"""Overall evaluation criterion (OEC): a weighted sum of standardised measures per user."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Table

Columns: TypeAlias = Mapping[str, NDArray[np.float64]]  # by measure: (user,), NaN where a user has no value
Missing: TypeAlias = Literal["mean", "drop"]

MOST = 5  # measures beyond which nobody can say what moved (kohavi2020)
READS = "an OEC reads: 0.5*ctr + 0.3*session_success - 0.2*time_to_first_click"
TERM = re.compile(
    r"""\s*+ (?P<sign>[+\-−])?+ \s*+
        (?: (?P<weight>(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+) \s*+ [*·×] \s*+ )?+
        (?P<name>[^\W\d]\w*+) \s*+""",
    re.VERBOSE,
)
COLUMNS = ("measure", "weight", "control", "treatment", "standardised", "contribution")


@dataclass(frozen=True, slots=True)
class Standard:
    """By what a measure is standardised: values are told as so many ``sd`` above the ``mean``."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        if not (isfinite(self.mean) and isfinite(self.sd) and self.sd > 0):
            hint = "the mean is a number, and sd is one above 0; leave out a measure that is the same for all users"
            raise ParameterError(f"nothing is standardised by mean {self.mean} and sd {self.sd}", hint=hint)


def standards_of(control: Columns) -> dict[str, Standard]:
    """The mean and the standard deviation of each measure over the users of the control arm who have a value."""
    found = {}
    for name, column in control.items():
        known = np.asarray(column, dtype=float)
        known = known[~np.isnan(known)]
        if len(known) < 2 or not np.isfinite(known).all() or np.ptp(known) == 0:
            hint = "give a scale of your own, or leave it out"
            raise ParameterError(f"{name} does not vary over the users of the control arm", hint=hint)
        found[name.casefold()] = Standard(float(known.mean()), float(known.std(ddof=1)))
    return found


@dataclass(frozen=True)
class OEC:
    """Overall evaluation criterion: Σ weight · (value − mean) / sd over a few measures, for each user.

    More is better: a measure of which less is better has a weight below 0. Being one number of each user, it is tested
    as any other measure.
    """

    weights: tuple[tuple[str, float], ...]  # by measure

    def __post_init__(self) -> None:
        folded = tuple((name.casefold(), float(weight)) for name, weight in self.weights)
        names = [name for name, _ in folded]
        if not names:
            raise ParameterError("an OEC has one measure or more", hint=READS)
        for name, weight in folded:
            if names.count(name) > 1:
                raise ParameterError(f"{name} stands twice in the OEC", hint="give each measure one weight")
            if not isfinite(weight) or not weight:
                raise ParameterError(f"{name} cannot have the weight {weight}", hint="a weight is a number, not 0")
        object.__setattr__(self, "weights", folded)

    @classmethod
    def parse(cls, text: str) -> "OEC":
        """From what people write: ``0.5*ctr + 0.3*session_success - 0.2*time_to_first_click``."""
        found: list[tuple[str, float]] = []
        place = 0
        while place < len(text) or not found:
            term = TERM.match(text, place)
            if term is None or (found and not term["sign"]):
                wrong = text[place:].strip() or text
                raise ParameterError(f"{wrong[:60]!r} cannot be read as part of an OEC", hint=READS)
            side = -1.0 if term["sign"] in {"-", "−"} else 1.0
            found.append((term["name"], side * float(term["weight"] or 1)))
            place = term.end()
        return cls(tuple(found))

    @classmethod
    def equal(cls, names: Sequence[str], directions: Mapping[str, Direction]) -> "OEC":
        """Measures that weigh the same, each on its good side."""
        return cls(tuple((name, _side(directions.get(name)) / len(names)) for name in names))

    def __str__(self) -> str:
        first, *others = [(name, repr(abs(weight)), weight < 0) for name, weight in self.weights]
        start = f"{'-' * first[2]}{first[1]}*{first[0]}"
        return start + "".join(f" {'-' if below else '+'} {weight}*{name}" for name, weight, below in others)

    @property
    def names(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(name for name, _ in self.weights)

    def contributions(
        self, columns: Columns, standards: Mapping[str, Standard], *, missing: Missing = "mean"
    ) -> NDArray[np.float64]:
        """(user, measure): what each measure adds.

        A user without a value of a measure adds nothing, as if it were the mean, so that every user of an experiment
        stays in it; ``missing='drop'`` leaves NaN there.
        """
        if missing not in get_args(Missing):
            hint = f"choose one of: {', '.join(get_args(Missing))}"
            raise ParameterError(f"missing values are not treated by {missing!r}", hint=hint)
        given = {name: np.asarray(_named(name, columns, "are no values"), dtype=float) for name in self.names}
        if any(column.ndim != 1 for column in given.values()) or len(set(map(len, given.values()))) > 1:
            raise ParameterError("the measures are not of the same users", hint="give one value for each user")
        for name, column in given.items():
            if np.isinf(column).any():
                raise ParameterError(f"{name} is infinite for some user", hint="give NaN where a user has no value")
        scales = [_named(name, standards, "is no scale") for name in self.names]
        weight = np.array([weight / scale.sd for (_, weight), scale in zip(self.weights, scales, strict=True)])
        added = (np.column_stack(list(given.values())) - [scale.mean for scale in scales]) * weight
        return np.nan_to_num(added) if missing == "mean" else added

    def values(
        self, columns: Columns, standards: Mapping[str, Standard], *, missing: Missing = "mean"
    ) -> NDArray[np.float64]:
        """(user,): the criterion."""
        return self.contributions(columns, standards, missing=missing).sum(axis=1)

    def notes(self, directions: Mapping[str, Direction] | None = None) -> tuple[str, ...]:
        """What has to be said of it: too many measures, or weights on the bad side."""
        said = []
        if len(self.names) > MOST:
            many = f"an OEC of {len(self.names)} measures"
            said.append(f"{many}: beyond {MOST} it is hard to say what moved it (kohavi2020)")
        for name, weight in self.weights:
            better = (directions or {}).get(name)
            if better is not None and weight * _side(better) < 0:
                side = "above" if weight > 0 else "below"
                said.append(f"of {name} {better} is better, and its weight is {side} 0: is that meant?")
        return tuple(said)


def _side(direction: Direction | None) -> float:
    return -1.0 if direction is Direction.LOWER else 1.0


def _named(name: str, given: Mapping[str, Any], what: str) -> Any:
    """What stands under a name, whatever its case."""
    known = {key.casefold(): key for key in given}
    if name in known:
        return given[known[name]]
    near = get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known) or 'none'}"
    raise ParameterError(f"there {what} of {name}", hint=hint)


def oec_table(
    oec: OEC, control: Columns, treatment: Columns, *, directions: Mapping[str, Direction] | None = None
) -> Table:
    """One row for each measure: its means in both arms, their difference, and what that adds to the criterion."""
    standards = standards_of({name: _named(name, control, "are no values") for name in oec.names})
    added = [oec.contributions(columns, standards).mean(axis=0) for columns in (control, treatment)]
    rows = []
    for (name, weight), moved in zip(oec.weights, added[1] - added[0], strict=True):
        means = [_mean(_named(name, columns, "are no values")) for columns in (control, treatment)]
        row = (name, weight, *means, (means[1] - means[0]) / standards[name].sd, float(moved))
        rows.append(dict(zip(COLUMNS, row, strict=True)))
    return Table.from_rows(rows, COLUMNS, caption=f"OEC {oec}", notes=oec.notes(directions))


def _mean(column: NDArray[np.float64]) -> float:
    """Over the users who have a value; NaN where nobody has."""
    known = ~np.isnan(column)
    return float(column[known].mean()) if known.any() else np.nan


@dataclass(frozen=True, slots=True)
class Framework:
    """A ready-made set of measures: what each letter stands for, and which measures of a search log speak of it.

    A letter without measures asks for something that such a log does not hold.
    """

    name: str
    cite: str
    letters: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """All measures, each once."""
        return tuple(dict.fromkeys(name for _, names in self.letters for name in names))


_RETENTION = ("return_within_7_days", "sessions_per_user", "absence_time")
FRAMEWORKS: Mapping[str, Framework] = MappingProxyType(
    {
        framework.name: framework
        for framework in (
            Framework(
                "HEART",
                "rodden2010",
                (
                    ("happiness", ("satisfaction",)),
                    ("engagement", ("queries_per_session", "clicks_per_impression", "dwell")),
                    ("adoption", ()),
                    ("retention", _RETENTION),
                    ("task success", ("session_success", "time_to_first_click", "abandonment", "reformulation")),
                ),
            ),
            Framework(
                "PULSE",
                "rodden2010",
                (
                    ("page views", ("queries_per_session",)),
                    ("uptime", ()),
                    ("latency", ()),
                    ("seven-day active users", ("return_within_7_days",)),
                    ("earnings", ("revenue",)),
                ),
            ),
            Framework(
                "AARRR",
                "mcclure2007",
                (
                    ("acquisition", ()),
                    ("activation", ("session_success", "satisfied_clicks")),
                    ("retention", _RETENTION),
                    ("referral", ()),
                    ("revenue", ("conversion", "revenue")),
                ),
            ),
        )
    }
)
