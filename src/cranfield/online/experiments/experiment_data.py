"""The users of an experiment and their measures, from a table of users or an event log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from cranfield.core import Direction, Input, ParameterError
from cranfield.data import ExcludedRows, Log, Users, exclude_rows
from cranfield.online.behaviour.log_satisfaction import Learnt, learn_all
from cranfield.online.behaviour.log_units import values_by_user
from cranfield.online.behaviour.online_measures import OnlineMeasure, parse_online

from .sample_ratio_checks import Check
from .user_metrics import Metric, parse_metrics

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

USUAL = ("ctr", "clicks", "click_reciprocal_rank")  # of a log
CONTROLS = ("control", "baseline", "old", "a", "0")  # arms that are the control where nobody says which
MIXED = 0.01  # the share of users seen in several arms from which on an experiment is not to be trusted
DAY = 24 * 3600


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Users on an engine, what is measured of each, and what is known of them already."""

    users: Users
    metrics: tuple[Metric, ...]
    inputs: tuple[Input, ...]
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    dated: bool = False  # days are numbers since 1970
    learnt: Learnt | None = None  # what a measure of satisfaction is learned from
    unit: str = "user"  # what a row stands for: session or impression in a log without users

    @property
    def rows(self) -> "Expression":
        """A row for each user."""
        return self.users.rows

    @property
    def user(self) -> str | None:
        """The column of names, where users have one."""
        return "user" if "user" in self.users.known else None

    def day(self, found: Any) -> Any:
        """A day as people write it."""
        return date(1970, 1, 1) + timedelta(days=int(found)) if self.dated else _whole(found)

    def arms(self) -> dict[str, int]:
        """How many users each arm has, by its name; refused where there are none."""
        rows = self.rows.filter(self.rows["arm"].notnull())
        counted = rows.group_by("arm").aggregate(users=rows.count()).order_by("arm")
        found = {row["arm"]: row["users"] for row in self.users.engine.fetch(counted).to_pylist()}
        if not found:
            raise ParameterError(f"{self.users.source.name}: no user is in an arm", hint="is it the right file?")
        return found


def gather(
    data: Log | Users,
    measures: Any = None,
    *,
    covariates: Mapping[str, str] | None = None,
    before: Log | None = None,
    lower: Sequence[str] = (),
) -> Gathered:
    """Users and their measures.

    Of users the measures are columns, all that hold numbers where none is named; ``covariates`` says which column, or
    ratio of two (``clicks_before/impressions_before``), was measured before the experiment, ``lower`` of which measures
    less is better. Of a log they are online measures, and ``before`` is the log of the time before the experiment.
    """
    if isinstance(data, Users):
        if before is not None:
            hint = "name the columns of that time as covariates"
            raise ParameterError("a log from before needs a log of the experiment", hint=hint)
        return _of_users(data, measures, dict(covariates or {}), lower)
    if covariates or lower:
        hint = "a log of the time before gives covariates; online measures know their good side"
        raise ParameterError("a log has no columns for covariates or directions", hint=hint)
    return _of_log(data, measures, before)


def choose_control(arms: Mapping[str, int], control: str | None, weights: Mapping[str, float] | None) -> str:
    """The arm that the others are compared with: the one named, one called so, the first of the weights, or by name."""
    if control is not None:
        if control not in arms:
            raise ParameterError(f"no user is in an arm {control!r}", hint=f"there are: {', '.join(arms)}")
        return control
    folded = {arm.casefold(): arm for arm in reversed(list(arms))}
    named = [folded[word] for word in CONTROLS if word in folded]
    planned = [arm for arm, weight in (weights or {}).items() if arm in arms and weight > 0]
    return [*named, *planned, *arms][0]


def parse_ratio(name: str, text: str) -> Metric:
    """A measure from what people write: ``clicks/impressions``, or a column alone."""
    return Metric(name, *_columns(name, text))


def _of_users(users: Users, measures: Any, covariates: dict[str, str], lower: Sequence[str]) -> Gathered:
    before = {name: _columns(name, text) for name, text in covariates.items()}
    taken = {column for pair in before.values() for column in pair if column}
    asked = [name for name in users.numbers if name not in taken] if measures is None else measures
    if measures is None and not asked:
        raise ParameterError(f"{users.source.name}: no column holds numbers", hint="add what was measured of each user")
    found = parse_metrics(asked)
    for column in (column for metric in found for column in metric.columns if column in users.words):
        hint = f"{users.words[column]}: mend them, or leave these users out in every arm alike"
        raise ParameterError(f"{users.source.name}: {column} holds words", hint=hint)
    names = [metric.name for metric in found]
    for name in (*before, *lower):
        if name not in names:
            raise ParameterError(f"there is no measure {name!r}", hint=f"there are: {', '.join(names)}")
    users = replace(users, rows=users.rows.filter(users.rows["arm"].notnull()))
    mixed = {name: told for name, told in users.words.items() if measures is None and " of " in told}
    left = tuple(f"{name} is not compared: {told}" for name, told in mixed.items())
    return Gathered(users, tuple(_told(metric, before, lower) for metric in found), (users.source,), notes=left)


def _told(metric: Metric, before: Mapping[str, tuple[str, str | None]], lower: Sequence[str]) -> Metric:
    if metric.name in before:
        column, denominator = before[metric.name]
        metric = replace(metric, covariate=column, covariate_denominator=denominator)
    return replace(metric, direction=Direction.LOWER) if metric.name in lower else metric


def _columns(name: str, text: str) -> tuple[str, str | None]:
    above, sign, below = (part.strip() for part in text.partition("/"))
    if not above or (sign and not below):
        hint = "write a column, or two as clicks/impressions"
        raise ParameterError(f"{text!r} cannot be read as columns of {name}", hint=hint)
    return above, below or None


def _of_log(log: Log, measures: Any, before: Log | None) -> Gathered:
    """A row for each user, sessions or impressions where the log knows none; who was in several arms is left out."""
    log.require("arm", why="an experiment")
    log = log.with_arms()
    asked = parse_online(USUAL if measures is None else measures)
    fitted, learnt = learn_all(log, asked)
    rows, named = values_by_user(log, fitted)
    rows = log.engine.keep(rows, repeatable=True)
    owner = next(name for name in ("user", "session", "impression") if name in rows.columns)
    kept = rows.filter((rows["arms_"] == 1).fill_null(False))
    made: dict[str, Any] = {"user": kept[owner], "arm": kept["arm"]} | _filled(kept, named)
    if "came_" in rows.columns:
        made["day"] = (kept["came_"] / DAY).floor().cast("int64")
    users = kept.select(**made)
    if before is not None:
        users = _joined(users, before, [measure for measure, *_ in named], owner)
    users = log.engine.keep(users, repeatable=True)
    check, notes, excluded = _several(log, rows, owner)
    metrics = tuple(
        _metric(str(measure), one, before=before is not None) for measure, one in zip(asked, named, strict=True)
    )
    numbers = tuple(column for metric in metrics for column in metric.columns)
    inputs = (log.source, *([before.source] if before is not None else []))
    of_users = Users(users, log.engine, log.source, numbers, excluded, notes=log.notes)
    return Gathered(of_users, metrics, inputs, (check,), notes, "day" in made, learnt, owner)


def _filled(rows: "Expression", named: Sequence[tuple[OnlineMeasure, str, str]], start: str = "") -> dict[str, Any]:
    """Return the sums of each user, named after the measure; 0 where there was nothing to count."""
    return {
        f"{start}{name}": rows[column].fill_null(0.0)
        for measure, *pair in named
        for name, column in zip(_sums_of(measure), pair, strict=True)
    }


def _sums_of(measure: OnlineMeasure) -> tuple[str, str]:
    """Return the names of a measure's columns: its sum, and the denominator."""
    return str(measure), f"denominator of {measure}"


def _joined(users: "Expression", before: Log, measures: Sequence[OnlineMeasure], owner: str) -> "Expression":
    """The users with what the same measures had come to before; 0 of 0 for who is new."""
    before.require(owner, why="a log from before")
    earlier, named = values_by_user(before, measures)
    there = earlier.select(earlier_=earlier[owner], **_filled(earlier, named, "before_"))
    both = users.left_join(there, users["user"] == there["earlier_"]).drop("earlier_")
    return both.mutate(**{name: both[name].fill_null(0.0) for name in both.columns if name.startswith("before_")})


def _metric(name: str, one: tuple[OnlineMeasure, str, str], *, before: bool) -> Metric:
    measure, *_ = one
    amount, counted = _sums_of(measure)
    metric = Metric(name, amount, counted, direction=measure.direction)
    if not before:
        return metric
    return replace(metric, covariate=f"before_{amount}", covariate_denominator=f"before_{counted}")


def _several(log: Log, rows: "Expression", owner: str) -> tuple[Check, tuple[str, ...], ExcludedRows]:
    """Check that users stayed in their arm, and count the rows of those who are excluded because they did not."""
    mixed = rows.filter(rows["arms_"] > 1).select(owner)
    found = log.engine.fetch(rows.aggregate(seen=rows.count(), mixed=(rows["arms_"] > 1).cast("int64").sum()))
    seen, several = (int(found[name][0].as_py() or 0) for name in ("seen", "mixed"))
    share = several / max(1, seen)
    notes = [
        f"the log knows no users: {owner}s are taken to be independent",
        "without users it cannot be checked whether the arms have the configured shares of the users",
    ] * (owner != "user")
    passed = share < MIXED
    detail = f"{share:.1%} of the {owner}s were seen in several arms"
    check = Check("one arm each", float("nan"), share, passed, "" if passed else detail)
    if not several:
        return check, tuple(notes), log.excluded
    reason = f"{owner} in several arms"
    return check, tuple(notes), exclude_rows(log.engine, log.excluded, _rows_of(log, mixed, owner), reason)


def _rows_of(log: Log, owners: "Expression", owner: str) -> "Expression":
    """Return the rows of some users, sessions or impressions; sessions are those of ``log.impressions``."""
    if owner != "session":
        return log.rows.semi_join(owners, owner)
    pages = log.impressions().semi_join(owners, "session").select("impression")
    return log.rows.semi_join(pages, "impression")


def _whole(found: Any) -> Any:
    """A number without its point where it is whole."""
    return int(found) if isinstance(found, float) and found.is_integer() else found
