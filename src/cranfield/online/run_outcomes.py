"""Online outcomes of runs, from a log whose arms are the runs, paired with their offline values."""

from collections.abc import Sequence
from math import nan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core import Direction, ParameterError, Table, listed
from cranfield.data import ExcludedRows, Outcomes, Values
from cranfield.online.behaviour.log_units import sums_of, values_by_user
from cranfield.online.behaviour.online_measures import parse_online
from cranfield.online.experiments.sample_ratio_checks import Check
from cranfield.online.experiments.user_concentration import log_concentration_checks
from cranfield.online.logs.trust_checks import doubts, excluded_rows_checks, log_checks
from cranfield.stats import LEVEL

from .offline_agreement import Bridge, Offline

if TYPE_CHECKING:
    from cranfield.data import Log

POINTS = ("measure", "run", "offline", "online", "online_low", "online_high")
MAX_NAMED = 3  # arms in a sentence


def online_outcomes(log: "Log", measure: Any, runs: Sequence[str] | None = None) -> Outcomes:
    """Return what users of each arm did, with its standard error over users; the arms are runs.

    A user who was in several arms counts in each of them. Rows of arms that are not among ``runs`` count as excluded.
    """
    asked = parse_online(measure)
    if len(asked) != 1:
        raise ParameterError(f"{len(asked)} online measures are no one outcome", hint="give one: ctr")
    log.require("arm", why="an outcome for each run")
    log = log.with_arms()
    users, named = values_by_user(log, asked, by_arm=True)
    users = log.engine.keep(users)
    sums, _, owner = sums_of(log, users, named, by_arm=True)
    arms = [arm for arm, value in zip(sums.arms, sums.value[:, 0], strict=True) if arm and value == value]
    place = [sums.arms.index(arm) for arm in arms]
    errors = sums.error[place, 0]
    used = [runs is None or arm in runs for arm in arms]
    known = bool(np.isfinite(errors[used]).all())  # the error of one user is not known
    excluded = log.excluded if runs is None else without_other_arms(log.excluded, runs)
    checks = (*_log_checks(log, excluded, runs), *log_concentration_checks(log, users, named))
    notes = log.notes
    if not known:
        single = [arm for arm, at, of_run in zip(arms, place, used, strict=True) if of_run and sums.users[at] < 2]
        who = f": one {owner} in {_some(single)}" if single else ""
        notes += (f"standard errors are not known, and outcomes count as exact{who}",)
        checks += (_several_users_check(log, single),) if owner == "user" else ()
    return Outcomes(
        str(asked[0]),
        dict(zip(arms, sums.value[place, 0].tolist(), strict=True)),
        dict(zip(arms, errors.tolist(), strict=True)) if known else None,
        log.source,
        lower=asked[0].direction is Direction.LOWER,
        excluded=excluded,
        notes=notes,
        doubts=doubts(checks),
    )


def _log_checks(log: "Log", excluded: ExcludedRows, runs: Sequence[str] | None) -> tuple[Check, ...]:
    """Return the checks of the log, of rows excluded with those of other arms, and of the names of its arms."""
    share, *_ = excluded_rows_checks(excluded)
    checks = (share, *(check for check in log_checks(log) if check.check != share.check))
    return checks if runs is None else (*checks, _spelling_check(log.excluded, runs))


def without_other_arms(excluded: ExcludedRows, runs: Sequence[str]) -> ExcludedRows:
    """Return the same where the rows of arms that are none of these runs are excluded too."""
    rest: dict[str | None, int] = {arm: n for arm, n in excluded.arm_totals.items() if arm not in set(runs)}
    for _, arm, rows in excluded.counts:
        if arm in rest:
            rest[arm] -= rows
    return excluded.add("its arm is no run", rest)


def _spelling_check(excluded: ExcludedRows, runs: Sequence[str]) -> Check:
    """Check that no arm that is no run differs only by case or blanks from a run without an arm."""
    totals = excluded.arm_totals
    lacking = {"".join(run.casefold().split()): run for run in runs if run not in totals}
    alike = {arm: lacking.get("".join(arm.casefold().split()), "") for arm in totals if arm not in set(runs)}
    pairs = [f"{arm!r} from the run {run!r}" for arm, run in sorted(alike.items()) if run]
    share = sum(totals[arm] for arm, run in alike.items() if run) / max(1, sum(totals.values()))
    detail = f"names of arms differ only by case or blanks from those of runs ({_some(pairs)})" if pairs else ""
    return Check("names of runs", nan, share, not pairs, detail)


def _several_users_check(log: "Log", single: Sequence[str]) -> Check:
    """Check that no arm with one user has several pages, as where all users have the same name."""
    pages = log.documents.group_by("arm").aggregate(pages=log.documents["impression"].nunique())
    pages_of = {row["arm"]: row["pages"] for row in log.engine.fetch(pages).to_pylist()}
    arms = [arm for arm in single if pages_of.get(arm, 0) > 1]
    detail = f"all pages of {_some(arms)} have the same user, so that standard errors are not known" if arms else ""
    return Check("users of every arm", nan, len(arms) / max(1, len(pages_of)), not arms, detail)


def _some(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return listed([*names[:MAX_NAMED], *more])


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
