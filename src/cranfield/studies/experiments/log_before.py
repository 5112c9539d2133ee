"""The log of the time before an experiment: check that it ends before it, and report the rows that it lacks."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from cranfield.core import ParameterError
from cranfield.data import Log, read_log
from cranfield.online import ALARM, Check, Gathered, arm_difference_p, log_checks

FIRST_DATE = 631_152_000.0  # 1990, in seconds since 1970: times below are those of a clock without a date
MAX_SHARED = 0.01  # of its pages that may be in the experiment: two logs may count their pages alike by chance


def read_log_before(before: Any, log: Any, columns: Mapping[str, str] | None, ranks_from: int) -> Log:
    """Read the log of the time before an experiment, on the engine of its log; refuse one that is part of it."""
    if not isinstance(log, Log):
        raise ParameterError("a log from before needs a log of the experiment", hint="name covariates by their columns")
    read = read_log(before, columns=columns, ranks_from=ranks_from, engine=log.engine)
    if "arm" in log.known:
        if not {"user", "session"} & log.known:
            log.require("user", why="a log from before")
        _check_ends_before(log.with_arms(), read)
    return read


def log_before_checks(before: Log, gathered: Gathered) -> tuple[Check, ...]:
    """Return the checks of the log before, and whether as many users of each arm are in it.

    What users did before they were assigned cannot depend on their arm.
    """
    checks = [
        replace(
            check,
            check=f"{check.check} of the log before",
            detail=check.detail and f"in the log before the experiment, {check.detail}",
        )
        for check in log_checks(before)
    ]
    return (*checks, _known_users_check(before, gathered))


def log_before_notes(before: Log) -> tuple[str, ...]:
    """Return how many rows of the log before are excluded and why, and how its doubtful cells were read."""
    rows = before.excluded.sentence().removeprefix("rows excluded: ")
    return f"rows excluded of the log before: {rows}", *(f"log before: {note}" for note in before.notes)


def _check_ends_before(log: Log, before: Log) -> None:
    """Refuse a log before that reaches into the experiment by its times, or without comparable times by its pages."""
    if {"time"} <= log.known & before.known:
        experiment, earlier = _span(log), _span(before)
        dated = {experiment[0] >= FIRST_DATE, earlier[0] >= FIRST_DATE}
        if len(dated) == 1 and earlier[1] < experiment[0]:
            return
        if dated == {True} and earlier[1] > experiment[0]:
            first, last, start, end = map(_date, (*earlier, *experiment))
            message = f"{before.source.name}: the log before reaches into the experiment"
            hint = f"it has pages from {first} to {last}, the experiment from {start} to {end} (UTC)"
            raise ParameterError(message, hint=f"{hint}: give only the pages before {start}")
    keys = ["impression", "topic", *(["user"] if "user" in log.known & before.known else [])]
    pages = before.rows.select(keys).distinct()
    shared = pages.semi_join(log.rows.select(keys).distinct(), keys)
    there, common = (int(log.engine.fetch(rows.aggregate(n=rows.count()))["n"][0].as_py()) for rows in (pages, shared))
    if common > MAX_SHARED * there:
        message = f"{before.source.name}: {common:,} of {there:,} pages of the log before are in the experiment too"
        hint = "give only pages from before the experiment; pages of both logs need different impression ids, or times"
        raise ParameterError(message, hint=hint)


def _span(log: Log) -> tuple[float, float]:
    """Return the times of the first and the last page."""
    times = log.rows["time"]
    (found,) = log.engine.fetch(log.rows.aggregate(first=times.min(), last=times.max())).to_pylist()
    return found["first"] or 0.0, found["last"] or 0.0


def _date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M")


def _known_users_check(before: Log, gathered: Gathered) -> Check:
    """Check that the proportion of users without pages in the log before does not differ between the arms."""
    metric = gathered.metrics[0]
    column = metric.covariate_denominator or metric.covariate or ""
    rows = gathered.rows
    counts = {"users": rows.count(), "new": (rows[column] == 0).cast("int64").sum()}
    arms = gathered.users.engine.fetch(rows.group_by("arm").aggregate(**counts).order_by("arm")).to_pylist()
    users, new = ({row["arm"]: float(row[name]) for row in arms} for name in ("users", "new"))
    if arms and users == new:
        message = f"{before.source.name}: no user of the experiment has {metric.name} in the log before"
        raise ParameterError(message, hint="users must have the same names in both logs")
    shares = {arm: new[arm] / count for arm, count in users.items()}
    p = arm_difference_p(new, users) if len(users) > 1 else 1.0
    effect = max(shares.values(), default=0.0) - min(shares.values(), default=0.0)
    detail = ", ".join(f"{share:.1%} of the users of {arm}" for arm, share in shares.items())
    detail = f"{detail} have no {metric.name} in the log before (p = {p:.2g})"
    return Check("users in the log before", p, effect, p >= ALARM, "" if p >= ALARM else detail)
