"""Metrics per user, and their means, variances and covariances by arm."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.core import Direction, ParameterError, need
from cranfield.data import fetch

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from tea_tasting.aggr import Aggregates

LEAST = 2  # users of an arm: with one there is no variance
LARGEST = 1e50  # numbers whose squares can still be summed up and multiplied
ROUNDING = 1e-11  # of the terms that cancel in the variance of a ratio, the share that is rounding error


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of each user, by the columns that hold it; the mean over users is compared.

    With a ``denominator`` it is a ratio, the sum of the one over the sum of the other, such as clicks over impressions.
    A ``covariate`` is a number known before the experiment began, the same measured earlier at best: what it explains
    is taken out of the variance (CUPED). It may have a denominator too.
    """

    name: str
    numerator: str = ""  # empty: the column has the name of the metric
    denominator: str | None = None
    covariate: str | None = None
    covariate_denominator: str | None = None
    direction: Direction = Direction.HIGHER

    def __post_init__(self) -> None:
        object.__setattr__(self, "numerator", self.numerator or self.name)
        object.__setattr__(self, "direction", Direction(self.direction))
        if not self.name:
            raise ParameterError("a metric has no name", hint="write Metric(name, numerator, denominator)")
        if self.covariate_denominator and not self.covariate:
            hint = "give the covariate whose denominator it is"
            raise ParameterError(f"{self.name} has a denominator of no covariate", hint=hint)
        if own := {self.numerator, self.denominator} & {self.covariate, self.covariate_denominator} - {None}:
            column = min(map(str, own))
            hint = f"a covariate was measured before the experiment, such as {column}_before"
            raise ParameterError(f"{self.name} has its own column {column} as a covariate", hint=hint)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once."""
        named = (self.numerator, self.denominator, self.covariate, self.covariate_denominator)
        return tuple(dict.fromkeys(column for column in named if column))

    @property
    def plain(self) -> "Metric":
        """The same without covariate."""
        return Metric(self.name, self.numerator, self.denominator, direction=self.direction)

    def value(self, sums: "Aggregates") -> float:
        """The mean or the ratio of means."""
        return float(sums.mean(self.numerator) / sums.mean(self.denominator))

    def adjusted(self, sums: "Aggregates", total: "Aggregates", coefficient: float) -> float:
        """The value, less what the covariate tells of how this arm differs from all."""
        if not self.covariate or not coefficient:
            return self.value(sums)
        before = [one.mean(self.covariate) / one.mean(self.covariate_denominator) for one in (sums, total)]
        return float(self.value(sums) - coefficient * (before[0] - before[1]))

    def variance(self, sums: "Aggregates", coefficient: float = 0.0) -> float:
        """That of one user; of a ratio by the delta method (deng2018delta), less what a covariate explains."""
        variance = _ratio_variance(sums, self.numerator, self.denominator)
        if not self.covariate or not coefficient:
            return variance
        before = _ratio_variance(sums, self.covariate, self.covariate_denominator)
        both = sums.ratio_cov(self.numerator, self.denominator, self.covariate, self.covariate_denominator)
        return max(0.0, float(variance + coefficient**2 * before - 2 * coefficient * both))

    def coefficient(self, sums: "Aggregates") -> float:
        """How much the metric changes with its covariate, over all arms (deng2013cuped); 0 without one."""
        if not self.covariate:
            return 0.0
        before = _ratio_variance(sums, self.covariate, self.covariate_denominator)
        both = sums.ratio_cov(self.numerator, self.denominator, self.covariate, self.covariate_denominator)
        return float(both / before) if before else 0.0


def _ratio_variance(sums: "Aggregates", numerator: str, denominator: str | None) -> float:
    """Return the variance of a ratio by the delta method, 0 where it is only rounding error.

    The terms cancel where the ratio is the same for every user: what remains may be negative.
    """
    mean = sums.mean(denominator)
    value = sums.mean(numerator) / mean
    terms = (sums.var(numerator) + value**2 * sums.var(denominator)) / mean**2
    variance = float(sums.ratio_var(numerator, denominator))
    return variance if variance > ROUNDING * terms * (denominator is not None) else 0.0


def parse_metrics(metrics: Sequence[str | Metric] | str | Metric) -> tuple[Metric, ...]:
    """The metrics of names or declarations, each once; a name is that of a column."""
    listed = not isinstance(metrics, str | Metric | type) and isinstance(metrics, Iterable)
    several: list[Any] = [*metrics] if listed else [metrics]  # type: ignore[misc]
    for one in several:
        if not isinstance(one, str | Metric):
            name = one.__name__ if isinstance(one, type) else str(one)
            hint = "name a column, or write Metric(name, numerator, denominator)"
            raise ParameterError(f"{name} is not a metric of users", hint=hint)
    found = tuple(Metric(one) if isinstance(one, str) else one for one in several)
    if not found:
        raise ParameterError("no metric is given", hint='for example: Metric("ctr", "clicks", "impressions")')
    if len({metric.name for metric in found}) < len(found):
        raise ParameterError("two metrics have one name", hint="give each a name of its own")
    return found


def user_table(data: Any) -> "ir.Table":
    """Users as a table of the engine: an Ibis table as it is, any frame in an embedded one."""
    ibis = need("ibis", extra="logs")
    if isinstance(data, ibis.Table):
        return data
    if not isinstance(data, Mapping) and not hasattr(data, "__arrow_c_stream__"):
        hint = "give an Ibis table, or a frame with one row for each user"
        raise ParameterError(f"{type(data).__name__} is no table of users", hint=hint)
    import pyarrow as pa

    return ibis.memtable(pa.table(data))


def read_sums(
    data: Any, metrics: Sequence[Metric], *, arm: str | None = None, user: str | None = None
) -> dict[str, "Aggregates"]:
    """Counts, means, variances and covariances of each arm, all that leaves the engine; without arms under ``""``."""
    table = user_table(data)
    check_users(table, list(dict.fromkeys(name for metric in metrics for name in metric.columns)), arm=arm, user=user)
    return {
        str(name): one for name, one in sorted(group_sums(table, metrics, arm).items(), key=lambda one: str(one[0]))
    }


def group_sums(
    table: "ir.Table", metrics: Sequence[Metric], by: str | tuple[str, ...] | None
) -> dict[Any, "Aggregates"]:
    """The sums of each group, by what the column holds, or several columns; of the whole table under ``""``."""
    need("tea_tasting", extra="logs")
    from tea_tasting.aggr import Aggregates

    columns = tuple(dict.fromkeys(column for metric in metrics for column in metric.columns))
    pairs = dict.fromkeys((a, b) for metric in metrics for a in metric.columns for b in metric.columns if a < b)
    number: dict[str, Any] = {column: table[column].cast("float64") for column in columns}
    asked: dict[str, Any] = {"count_": table.count()}
    for i, column in enumerate(columns):
        asked |= {f"mean_{i}": number[column].mean(), f"var_{i}": number[column].var(how="sample")}
    asked |= {f"cov_{i}": number[a].cov(number[b], how="sample") for i, (a, b) in enumerate(pairs)}
    # One user has no variance: engines say nothing there, or NaN. In a sum with others it is worth 0.
    return {
        _key(row, by): Aggregates(
            row["count_"],
            {column: row[f"mean_{i}"] for i, column in enumerate(columns)},
            {column: row[f"var_{i}"] if row["count_"] > 1 else 0.0 for i, column in enumerate(columns)},
            {pair: row[f"cov_{i}"] if row["count_"] > 1 else 0.0 for i, pair in enumerate(pairs)},
        )
        for row in fetch((table.group_by(by) if by else table).aggregate(**asked), repeatable=True).to_pylist()
    }


def _key(row: Mapping[str, Any], by: str | tuple[str, ...] | None) -> Any:
    return tuple(row[name] for name in by) if isinstance(by, tuple) else row[by] if by else ""


def has_denominators(metric: Metric, sums: "Aggregates") -> bool:
    """Return whether no denominator of a metric is 0, so that the metric can be computed."""
    return all(sums.mean(column) > 0 for column in (metric.denominator, metric.covariate_denominator) if column)


def check_sums(metric: Metric, sums: "Aggregates", where: str) -> None:
    """Refuse too few users for a variance, and a denominator that is 0."""
    if sums.count() < LEAST:
        raise ParameterError(f"{where} has fewer than {LEAST} users", hint="wait for more users, or leave it out")
    named = {"its denominator": metric.denominator, "the denominator of its covariate": metric.covariate_denominator}
    for what, column in named.items():
        if column and not sums.mean(column) > 0:
            message = f"{metric.name} cannot be computed in {where}: the mean of {what} is not above 0"
            raise ParameterError(message, hint=f"check the data of {where}, or compare other measures")


def check_users(table: "ir.Table", columns: Sequence[str], *, arm: str | None, user: str | None) -> None:
    """Refuse a table without the columns, with cells that hold no number, or with a user twice."""
    schema = table.schema()
    for column in (*filter(None, (arm, user)), *columns):
        if column not in schema:
            hint = f"there are: {', '.join(schema.names)}"
            raise ParameterError(f"there is no column {column!r}", hint=hint)
    for column in columns:
        if not (schema[column].is_numeric() or schema[column].is_boolean()):
            raise ParameterError(f"{column} holds no numbers but {schema[column]}", hint="a metric needs numbers")
    asked = {f"bad {column}": _bad(table[column]) for column in (*filter(None, (arm, user)), *columns)}
    asked |= {"rows": table.count()} | ({"users": table[user].nunique()} if user else {})
    found = fetch(table.aggregate(**asked)).to_pylist()[0]
    for name, many in found.items():
        if name.startswith("bad ") and many:
            column = name.removeprefix("bad ")
            named = "row" if column == user else "user"
            who = f"1 {named} has" if many == 1 else f"{many:,} {named}s have"
            what = f"no {column}" if column in (arm, user) else f"no number in {column}, or one beyond {LARGEST:g}"
            raise ParameterError(f"{who} {what}", hint=f"fill {column}, or leave these users out in every arm alike")
    if user and found["users"] < found["rows"]:
        _refuse_twice(table, found, arm, user)


def _refuse_twice(table: "ir.Table", found: Mapping[str, int], arm: str | None, user: str) -> None:
    """Refuse users who stand in several rows, and those in several arms before all others."""
    if arm:
        mixed = table.group_by(user).aggregate(arms=table[arm].nunique())
        mixed = mixed.filter(mixed.arms > 1)
        several = fetch(mixed.aggregate(users=mixed.count(), one=mixed[user].min())).to_pylist()[0]
        if several["users"]:
            many = several["users"]
            who = f"user {several['one']} is" if many == 1 else f"{many:,} users are"
            such = "" if many == 1 else f", such as {several['one']}"
            hint = "leave them out in every arm alike, and find out how that came: an arm is for good"
            raise ParameterError(f"{who} in several arms{such}", hint=hint)
    message = f"{found['rows']:,} rows hold {found['users']:,} users"
    raise ParameterError(message, hint="sum up to one row for each user first: users are what was assigned")


def _bad(column: Any) -> Any:
    """How many cells of a column hold nothing, or no finite number."""
    empty = column.isnull()
    if column.type().is_floating():
        empty = empty | column.isnan() | (column.abs() > LARGEST)
    return empty.fill_null(True).cast("int64").sum()
