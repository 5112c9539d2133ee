"""Interim analyses of an experiment at the end of each day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError, Table
from cranfield.stats import LEVEL

from .arm_effects import ArmEffect, compare_arms
from .sample_ratio_checks import sequential_ratio_p
from .sequential_tests import PLANNED
from .user_metrics import LEAST, Metric, check_users, group_sums, has_denominators, parse_metrics, user_table

if TYPE_CHECKING:
    from tea_tasting.aggr import Aggregates

COLUMNS = (
    *("measure", "control", "treatment", "day", "users", "difference", "low", "high", "p"),
    *("always_low", "always_high", "always_p", "ratio_p"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """What is known at the end of a day; the p-values for many looks are the smallest so far."""

    day: Any
    effect: ArmEffect
    ratio_p: float  # of the sample ratio


def looks_at(
    data: Any,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    control: str,
    treatment: str,
    day: str = "day",
    arm: str = "arm",
    user: str | None = None,
    weights: tuple[float, float] = (1, 1),
    level: float = LEVEL,
    planned: float = PLANNED,
) -> tuple[Look, ...]:
    """What each metric shows at the end of each day, of all users who came by then; ``day`` is that of their coming.

    Sums of days add up, so that each user is counted once. Excluded are the days before both arms have two users, and
    of each metric the days before it can be computed in both, such as the dwell time before the first click.
    """
    asked = parse_metrics(metrics)
    table = user_table(data)
    check_users(table, (), arm=day, user=None)
    check_users(table, list(dict.fromkeys(name for one in asked for name in one.columns)), arm=arm, user=user)
    named = table.mutate(arm_=table[arm].cast("string"))
    sums = group_sums(named.filter(named["arm_"].isin((control, treatment))), asked, ("arm_", day))
    of_day = [{when: one for (name, when), one in sums.items() if name == side} for side in (control, treatment)]
    if not all(of_day):
        raise ParameterError(f"no user is in {control if not of_day[0] else treatment}", hint=f"name arms of {arm}")
    days = sorted({*of_day[0], *of_day[1]})
    a, b = (_so_far(sums, days) for sums in of_day)
    ratios = sequential_ratio_p(
        [[one.count() if one else 0 for one in both] for both in zip(a, b, strict=True)], weights
    )
    found: list[Look] = []
    for metric in asked:
        least = 1.0
        for when, one, other, ratio in zip(days, a, b, ratios, strict=True):
            if (
                one
                and other
                and min(one.count(), other.count()) >= LEAST
                and all(has_denominators(metric, sums) for sums in (one, other))
            ):
                arms = {control: one, treatment: other}
                effect = compare_arms(metric, arms, control, treatment, level=level, planned=planned)
                least = min(least, effect.always_p)
                found.append(Look(when, replace(effect, always_p=least), float(ratio)))
    return tuple(found)


def looks_table(looks: Sequence[Look]) -> Table:
    """One row for each metric and day."""
    rows = []
    for look in looks:
        row = {name: getattr(look.effect, name) for name in COLUMNS if name not in ("measure", "day", "ratio_p")}
        rows.append({"measure": look.effect.metric.name, "day": look.day, "ratio_p": look.ratio_p, **row})
    return Table.from_rows(rows, COLUMNS, caption="What was known at the end of each day")


def _so_far(sums: Mapping[Any, "Aggregates"], days: Sequence[Any]) -> list["Aggregates | None"]:
    """(day,): the sums of all days up to it; None before the first."""
    found: list[Aggregates | None] = []
    for day in days:
        last, new = found[-1] if found else None, sums.get(day)
        found.append(last + new if last and new else new or last)
    return found
