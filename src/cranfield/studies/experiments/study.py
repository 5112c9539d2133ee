"""Is a treatment better than the control in a randomised experiment with users?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import nan
from typing import Any, Literal

from cranfield.core import SEED, ParameterError, Provenance, Study, Table
from cranfield.data import ExcludedRows, Log, Users, read_experiment
from cranfield.online import (
    ACTIVE_USERS,
    OEC,
    PLANNED,
    Assignment,
    Check,
    Gathered,
    aa_test,
    analyse_experiment,
    arm_names_check,
    assignment_table,
    cap_values,
    choose_control,
    concentration_check,
    exclude_active_users,
    excluded_rows_checks,
    experiment_sentence,
    experiment_tables,
    gather,
    log_checks,
    looks_at,
    looks_table,
    pages_per_user_notes,
    plan_table,
    ranked_table,
    treatment_outcomes,
    user_table_checks,
    with_oec,
)
from cranfield.stats import LEVEL, check_level

from .log_before import log_before_checks, log_before_notes, read_log_before

POWER = 0.8
DRAWS = 2000
CRITERION = "OEC"

Progress = Callable[[int, int], object]


def ab(
    data: Any,
    measures: Any = None,
    *,
    control: str | None = None,
    weights: Mapping[str, float] | None = None,
    covariates: Mapping[str, str] | None = None,
    before: Any = None,
    lower: Sequence[str] = (),
    oec: str | OEC | None = None,
    cap: float | None = None,
    exclude_users_above: int | None = None,
    looks: Literal["once", "many"] = "once",
    level: float = LEVEL,
    planned: float = PLANNED,
    correct: str = "holm",
    ranked: bool = False,
    draws: int = DRAWS,
    aa: int = 0,
    how: str | Assignment = "md5",
    relative: Sequence[float] = (),
    power: float = POWER,
    users_per_day: float | None = None,
    columns: Mapping[str, str] | None = None,
    ranks_from: int = 1,
    engine: Any = None,
    seed: int = SEED,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """What each treatment changes beside the control, and whether the experiment can be believed.

    ``data`` is a table with one row for each user, an arm and numbers, or a log of events, of which online measures are
    taken by user. ``weights`` say what share of the users each arm was configured to have. ``covariates`` (columns) or
    ``before`` (a log) tell of the time before the experiment, and take out what they explain. ``oec`` adds a weighted
    sum of measures, which then decides. With ``looks="many"`` the verdict may be read on any day; where the day on
    which users came is known, ``looks`` tells what was known at the end of each.

    The measure ``satisfaction`` is learned from the sessions of the log whose users say whether they were satisfied;
    ``satisfaction`` and ``reliability`` then tell how far it can be believed.

    ``cap`` limits the values of users to this quantile over all arms (0.99), and ``exclude_users_above`` excludes the
    users of a log with more pages. A check names up to five users who dominate an arm. ``ranks_from`` is 0 where the
    log counts ranks from 0.

    ``ranked`` compares without a normal shape; ``aa`` shares the same users out so many times with nothing changed;
    ``relative`` asks how many users would show such effects, and how many days they take.
    """
    check_level(level)
    step = _Steps(progress, 3 + bool(oec) + bool(aa) + ranked + bool(relative))
    read = read_experiment(data, columns=columns, ranks_from=ranks_from, engine=engine)
    earlier = None if before is None else read_log_before(before, read, columns, ranks_from)
    checks: list[Check] = []
    if exclude_users_above is not None:
        read, check = exclude_active_users(_log_of(read), exclude_users_above)
        checks.append(check)
    gathered = gather(read, measures, covariates=covariates, before=earlier, lower=lower)
    checks = [*_data_checks(read, gathered.users.excluded), *checks]
    gathered = gathered if cap is None else cap_values(gathered, cap)
    step()
    with _exclusions_in_hint(gathered.users.excluded):
        arms = gathered.arms()
        chosen = choose_control(arms, control, weights)
        shares = _shares(arms, chosen, weights)
        others = [arm for arm in shares if arm != chosen and arm in arms and shares[arm] > 0]
        tables: dict[str, Table] = {}
        asked = gathered
        if oec is not None:
            asked, tables["oec"] = with_oec(gathered, oec, chosen, others)
            step()
        checks += gathered.checks if earlier is None else (*gathered.checks, *log_before_checks(earlier, gathered))
        if aa:
            tried = aa_test(gathered.rows, gathered.metrics, user=_user(gathered), salts=aa, how=how, level=level)
            checks += tried.checks
            tables["aa"] = tried.table()
            step()
        found = analyse_experiment(
            asked.rows,
            asked.metrics,
            control=chosen,
            arm="arm",
            user=asked.user,
            weights=shares,
            level=level,
            planned=planned,
            correct=correct,
            looks=looks,
            checks=checks,
            unit=gathered.unit,
        )
        compared = [chosen, *others]
        of_table = user_table_checks(gathered, compared) if isinstance(read, Users) else ()
        found = replace(found, checks=(*found.checks, *of_table, concentration_check(gathered, compared)))
        step()
    if relative:
        given: Any = {"relative": relative, "weights": [shares[arm] for arm in (chosen, *others)]}
        given |= {"users_per_day": users_per_day, "level": level, "power": power}
        tables["plan"] = plan_table(gathered.rows, gathered.metrics, **given)
        step()
    if ranked:
        given = {"control": chosen, "treatments": others, "draws": draws, "level": level, "seed": seed}
        tables["ranked"] = ranked_table(asked.rows, asked.metrics, **given)
        step()
    if gathered.learnt is not None:
        tables |= {"satisfaction": gathered.learnt.table(), "reliability": gathered.learnt.calibration.reliability()}
    if "day" in asked.users.known:
        tables["looks"] = _looks(asked, chosen, others, shares, level=level, planned=planned)
    step()
    parts = experiment_tables(found)
    notes = (*gathered.users.notes, *gathered.notes, *(log_before_notes(earlier) if earlier is not None else ()))
    notes += pages_per_user_notes(read) if isinstance(read, Log) else ()
    parts["arms"] = replace(parts["arms"], notes=(*notes, *_chosen(control, chosen)))
    ends = ("low", "high") if looks == "once" else ("always_low", "always_high")  # those of p_adjusted
    effects = replace(parts["effects"], ends={"difference": ends})
    tables = {"arms": parts["arms"], "checks": parts["checks"], **tables, "effects": effects}
    names = tuple(metric.name for metric in asked.metrics)
    made_by = Provenance(command=command, inputs=gathered.inputs, measures=names, seed=seed)
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    outcomes = treatment_outcomes(found, CRITERION if oec is not None else None)
    verdict = {"control": chosen, "trusted": found.trusted, "treatments": outcomes}
    verdict |= gathered.users.excluded.as_verdict()
    verdict["sentence"] = experiment_sentence(found)
    return Study("ab", tables, verdict, made_by, charts=_charts(tables, gathered.unit))


def assign_users(
    users: Sequence[str],
    experiment: str,
    *,
    weights: Mapping[str, float] | None = None,
    how: str | Assignment = "md5",
    stored: Table | None = None,
    command: str = "",
) -> Study:
    """Who is in which arm of an experiment; users of the ``stored`` table keep theirs."""
    shares = {"control": 1.0, "treatment": 1.0} if weights is None else dict(weights)
    given: Any = {"how": how, "arms": list(shares), "stored": stored}
    made_by = Provenance(command=command)
    table = replace(assignment_table(users, experiment, list(shares.values()), **given), made_by=made_by)
    return Study("assignment", {"assignment": table}, None, made_by)


class _Steps:
    """How far the work has come."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self) -> None:
        """One more part is done."""
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)


def _data_checks(read: Log | Users, excluded: ExcludedRows) -> tuple[Check, ...]:
    """Check the rows of a log or a table of users; users excluded by choice have a separate check."""
    excluded = replace(excluded, counts=tuple(one for one in excluded.counts if not one[0].startswith(ACTIVE_USERS)))
    if isinstance(read, Users):
        return (*excluded_rows_checks(excluded), arm_names_check(excluded.arm_totals))
    return log_checks(replace(read.with_arms(), excluded=excluded))


@contextmanager
def _exclusions_in_hint(excluded: ExcludedRows) -> Iterator[None]:
    """Add the excluded rows to the hint of an error: an arm or a measure may be missing because of them."""
    try:
        yield
    except ParameterError as error:
        if excluded.rows:
            error.hint = "; ".join(filter(None, (excluded.sentence(), error.hint)))
        raise


def _log_of(read: Log | Users) -> Log:
    if isinstance(read, Users):
        hint = "remove such users from the table, or cap their values"
        raise ParameterError("exclude_users_above counts pages: a table of users has none", hint=hint)
    return read


def _shares(arms: Mapping[str, int], control: str, weights: Mapping[str, float] | None) -> dict[str, float]:
    """What each arm was to have, the control's first; without weights all as much."""
    if weights is None:
        return {control: 1.0, **dict.fromkeys(arms, 1.0)}
    unknown = [arm for arm in weights if arm not in arms]
    if unknown and len(unknown) == len(weights):
        raise ParameterError(f"no user is in an arm {unknown[0]!r}", hint=f"there are: {', '.join(arms)}")
    if not weights.get(control):
        raise ParameterError(
            f"the control {control} has no weight", hint="give it one above 0, or name another control"
        )
    return {control: weights[control], **dict.fromkeys(arms, 0.0), **weights}


def _user(gathered: Gathered) -> str:
    if gathered.user is None:
        raise ParameterError("an A/A test shares out users by name", hint="say which column holds them: user=NAME")
    return gathered.user


def _looks(
    gathered: Gathered, control: str, others: Sequence[str], shares: Mapping[str, float], **settings: Any
) -> Table:
    """What was known at the end of each day, by treatment and measure."""
    found = [
        look
        for other in others
        for look in looks_at(
            gathered.rows,
            gathered.metrics,
            control=control,
            treatment=other,
            weights=(shares[control], shares[other]),
            **settings,
        )
    ]
    looks = [replace(look, day=gathered.day(look.day)) for look in found]
    return looks_table(looks if gathered.unit == "user" else [replace(look, ratio_p=nan) for look in looks])


def _chosen(asked: str | None, control: str) -> tuple[str, ...]:
    return () if asked is not None else (f"the control is {control}; --control names another",)


def _charts(tables: Mapping[str, Table], unit: str) -> tuple[str, ...]:
    several = "looks" in tables and len(set(tables["looks"].cells("day"))) > 1
    return ("effects", *(["sample-ratio"] if unit == "user" else []), *(["looks"] if several else []))
