"""Online outcomes of runs, from a log whose arms are the runs, paired with their offline values."""

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core import Direction, ParameterError, Table
from cranfield.data import Outcomes, Values
from cranfield.online.behaviour.log_units import sums_of, values_by_user
from cranfield.online.behaviour.online_measures import parse_online
from cranfield.online.experiments.user_concentration import log_concentration_checks
from cranfield.online.logs.trust_checks import doubts, log_checks
from cranfield.stats import LEVEL

from .offline_agreement import Bridge, Offline

if TYPE_CHECKING:
    from cranfield.data import Log

POINTS = ("measure", "run", "offline", "online", "online_low", "online_high")


def online_outcomes(log: "Log", measure: Any) -> Outcomes:
    """What users of each arm did, with its standard error over users; the arms are runs.

    A user who was in several arms counts in each of them.
    """
    asked = parse_online(measure)
    if len(asked) != 1:
        raise ParameterError(f"{len(asked)} online measures are no one outcome", hint="give one: ctr")
    log.require("arm", why="an outcome for each run")
    log = log.with_arms()
    users, named = values_by_user(log, asked, by_arm=True)
    users = log.engine.keep(users)
    sums, _, _ = sums_of(log, users, named, by_arm=True)
    runs = [arm for arm, value in zip(sums.arms, sums.value[:, 0], strict=True) if arm and value == value]
    place = [sums.arms.index(run) for run in runs]
    errors = sums.error[place, 0]
    known = bool(np.isfinite(errors).all())  # of one user nobody knows it
    return Outcomes(
        str(asked[0]),
        dict(zip(runs, sums.value[place, 0].tolist(), strict=True)),
        dict(zip(runs, errors.tolist(), strict=True)) if known else None,
        log.source,
        lower=asked[0].direction is Direction.LOWER,
        excluded=log.excluded,
        notes=log.notes,
        doubts=doubts((*log_checks(log), *log_concentration_checks(log, users, named))),
    )


def bridge_points(values: Values, outcomes: Outcomes, found: Bridge, *, level: float = LEVEL) -> Table:
    """A row for each measure and run: the mean over topics offline, and what users did, with its ends."""
    means = Offline.of(values).only(list(found.runs)).means  # (measure, run), more being better
    reach = NormalDist().inv_cdf(1 - level / 2)
    rows = []
    for measure, line in zip(values.measures, means.tolist(), strict=True):
        side = -1 if measure.direction is Direction.LOWER else 1
        for run, mean in zip(found.runs, line, strict=True):
            value, half = outcomes.values[run], reach * (outcomes.errors or {}).get(run, np.nan)
            row = {"measure": str(measure), "run": run, "offline": side * mean, "online": value}
            rows.append(row | {"online_low": value - half, "online_high": value + half})
    return Table.from_rows(rows, POINTS, caption=f"{outcomes.name} beside what measures say")
