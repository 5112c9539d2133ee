"""Compute the overall evaluation criterion of each user on the database engine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.core import Direction, ParameterError, Table
from cranfield.online.experiments.experiment_data import Gathered
from cranfield.online.experiments.user_metrics import Metric, check_users

from .evaluation_criterion import COLUMNS, OEC, Standard

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

NAME = "OEC"  # of the measure
COLUMN = "oec_"


def with_oec(gathered: Gathered, oec: str | OEC, control: str, treatments: Sequence[str]) -> tuple[Gathered, Table]:
    """The users with one more measure, the criterion; and a row for what each measure adds to it in each treatment.

    A measure is standardised by the users of the control who have a value; who has none counts as the mean.
    """
    asked = OEC.parse(oec) if isinstance(oec, str) else oec
    by_name = {metric.name.casefold(): metric for metric in gathered.metrics}
    missing = [name for name in asked.names if name not in by_name]
    if missing or NAME.casefold() in by_name:
        hint = f"the OEC adds up measures of the experiment: {', '.join(by_name)}"
        what = f"there is no measure {missing[0]}" if missing else "a measure is called OEC already"
        raise ParameterError(what, hint=hint)
    metrics = [by_name[name] for name in asked.names]
    check_users(
        gathered.rows, sorted({column for one in metrics for column in one.plain.columns}), arm="arm", user=None
    )
    values = gathered.rows.mutate(**{f"value_{i}": _value(gathered.rows, one) for i, one in enumerate(metrics)})
    standards = _standards(gathered, values, asked, control)
    added = {
        f"added_{i}": ((values[f"value_{i}"] - scale.mean) * (weight / scale.sd)).fill_null(0.0)
        for i, ((_, weight), scale) in enumerate(zip(asked.weights, standards, strict=True))
    }
    parts = values.mutate(**added)
    total: Any = sum((parts[name] for name in added), start=0.0)
    users = parts.mutate(**{COLUMN: total}).drop(*(f"value_{i}" for i in range(len(metrics))), *added)
    table = _table(gathered, parts, asked, standards, control, treatments)
    changed = replace(gathered.users, rows=users)
    return replace(gathered, users=changed, metrics=(*gathered.metrics, Metric(NAME, COLUMN))), table


def _value(rows: "Expression", metric: Metric) -> Any:
    """What each user has of it; nothing where the denominator is 0."""
    above: Any = rows[metric.numerator].cast("float64")
    if metric.denominator is None:
        return above
    below: Any = rows[metric.denominator].cast("float64")
    return (below > 0).ifelse(above / below.nullif(0.0), None)


def _standards(gathered: Gathered, values: "Expression", oec: OEC, control: str) -> list[Standard]:
    of_control = values.filter(values["arm"] == control)
    asked: dict[str, Any] = {}
    for i in range(len(oec.names)):
        value: Any = of_control[f"value_{i}"]
        asked |= {f"mean_{i}": value.mean(), f"sd_{i}": value.std(how="sample")}
    found = gathered.users.engine.fetch(of_control.aggregate(**asked)).to_pylist()[0]
    for i, name in enumerate(oec.names):
        if not (found[f"sd_{i}"] or 0) > 0:
            raise ParameterError(f"{name} does not vary over the users of {control}", hint="leave it out of the OEC")
    return [Standard(found[f"mean_{i}"], found[f"sd_{i}"]) for i in range(len(oec.names))]


def _table(
    gathered: Gathered,
    parts: "Expression",
    oec: OEC,
    standards: Sequence[Standard],
    control: str,
    treatments: Sequence[str],
) -> Table:
    asked = {f"{what}_{i}": parts[f"{what}_{i}"].mean() for what in ("value", "added") for i in range(len(standards))}
    found = gathered.users.engine.fetch(parts.group_by("arm").aggregate(**asked)).to_pylist()
    means: Mapping[str, Any] = {row["arm"]: row for row in found}
    rows = []
    for arm in treatments:
        for i, ((name, weight), scale) in enumerate(zip(oec.weights, standards, strict=True)):
            a, b = (means[one][f"value_{i}"] for one in (control, arm))
            moved = means[arm][f"added_{i}"] - means[control][f"added_{i}"]
            apart = None if b is None else (b - a) / scale.sd
            rows.append({"arm": arm} | dict(zip(COLUMNS, (name, weight, a, b, apart, moved), strict=True)))
    directions: dict[str, Direction] = {one.name.casefold(): one.direction for one in gathered.metrics}
    return Table.from_rows(rows, ("arm", *COLUMNS), caption=f"{NAME} {oec}", notes=oec.notes(directions))
