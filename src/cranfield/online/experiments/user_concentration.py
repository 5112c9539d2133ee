"""Find few users that dominate an arm, such as bots; cap the values of users, or exclude very active ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core import ParameterError
from cranfield.data import ExcludedRows, Log
from cranfield.data import fetch as fetch_rows

from .experiment_data import Gathered
from .sample_ratio_checks import ALARM, Check, cross_table_test, p_value
from .user_metrics import Metric, check_users, group_sums

if TYPE_CHECKING:
    from tea_tasting.aggr import Aggregates

MOST_USERS = 5  # that are called few
NEXT_USERS = 50  # below them, from whom the tail of the arm is estimated; at most a quarter of its users
LEAST_NEXT = 20
LEVEL_OF_GAPS = 0.01
MIN_RATIO = 2.0  # of the least of them to the next user
MIN_CHANGE = 1.0  # of the arm's value without them, in standard errors
MAX_NAMED = 3
MAX_EXCLUDED = 0.01  # of the users


@dataclass(frozen=True, slots=True)
class FewUsers:
    """Users of an arm who hold far more of a column than the next user, and change the value of a metric."""

    metric: str
    column: str
    arm: str
    users: tuple[str, ...]
    arm_users: int
    share: float  # of the sum of the column in the arm
    change: float  # of the metric without them, in standard errors
    p: float

    @property
    def sentence(self) -> str:
        """Return who holds how much of what."""
        more = ", ..." if len(self.users) > MAX_NAMED else ""
        named = f" ({', '.join(self.users[:MAX_NAMED])}{more})" if any(self.users) else ""
        users = f"{len(self.users)} of {self.arm_users:,} users of {self.arm}{named}"
        changed = f"without them {self.metric} changes by {self.change:.2g} standard errors"
        column = f"{'the ' * self.column.startswith('denominator of')}{self.column}"
        verb = "holds" if len(self.users) == 1 else "hold"
        return f"{users} {verb} {self.share:.0%} of {column}, and {changed}: cap or exclude them"


def concentration_check(gathered: Gathered, arms: Sequence[str]) -> Check:
    """Check that no few users dominate an arm.

    Logs are heavy-tailed: some users have many times the pages of others, and that is no fault. Up to five users are
    reported where three things hold. They have twice the value of the next user or more. The gap is larger than
    the tail of the arm explains, by the F test of log-spacings (pisarenko2012): with order statistics x(1) ≥ x(2) ≥ …
    of a Pareto tail, i·ln(x(i)/x(i+1)) are independent exponentials (lighter tails have smaller gaps at the top), so
    that the gap over the mean of those below it has an F distribution; at a level of 0.01, Bonferroni over the
    numbers of users, columns and arms. And without them the value of the metric changes by one standard error or more.
    Flags (no value above 1) are not checked: no user can hold much of them.
    """
    columns = [(metric, column) for metric in gathered.metrics for column in _columns(metric)]
    names = dict.fromkeys(column for _, column in columns)
    tops = {(arm, name): _top_users(gathered, arm, name) for arm in arms for name in names}
    tops = {key: top for key, top in tops.items() if len(top) >= MOST_USERS + LEAST_NEXT and top[0]["size_"] > 1}
    sums = group_sums(gathered.rows, gathered.metrics, "arm")
    tests = MOST_USERS * len(tops)
    few: list[FewUsers] = []
    for metric, column in columns:
        for arm in arms:
            few += _dominating(metric, column, arm, tops.get((arm, column), ()), sums[arm], tests)
    if not few:
        return Check("concentration of users", nan, 0.0, passed=True)
    worst = max(few, key=lambda one: (one.change, one.share))
    return Check("concentration of users", worst.p, worst.share, passed=False, detail=worst.sentence)


def _columns(metric: Metric) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column for column in (metric.numerator, metric.denominator) if column))


def _top_users(gathered: Gathered, arm: str, column: str) -> list[dict[str, Any]]:
    """Return the users of an arm with the largest values of a column, the largest first."""
    rows = gathered.rows.filter(gathered.rows["arm"] == arm)
    named = sorted({name for metric in gathered.metrics for name in _columns(metric)})
    order = [gathered.user] if gathered.user else []
    import ibis

    size: Any = rows[column].cast("float64").abs()
    rows = rows.mutate(size_=size).order_by([ibis.desc("size_"), *order]).limit(MOST_USERS + NEXT_USERS + 1)
    chosen = {"size_": rows["size_"], **{name: rows[name].cast("float64") for name in named}}
    if gathered.user:
        chosen["user"] = rows[gathered.user]
    top = gathered.users.engine.fetch(rows.select(**chosen)).to_pylist()
    return [row for row in top if row["size_"]]


def _dominating(
    metric: Metric, column: str, arm: str, top: Sequence[Mapping[str, Any]], sums: "Aggregates", tests: int
) -> list[FewUsers]:
    if not top:
        return []
    sizes = np.array([row["size_"] for row in top[: max(sums.count() // 4, MOST_USERS + LEAST_NEXT)]])
    spacings = np.arange(1, len(sizes)) * np.log(sizes[:-1] / sizes[1:])
    total = abs(sums.mean(column)) * sums.count()
    few = []
    half = 0.5 if (sizes % 1 == 0).all() else 0.0  # whole numbers stand for what rounds to them
    for count in range(1, MOST_USERS + 1):
        ratio = (sizes[count - 1] - half) / (sizes[count] + half)
        p = min(1.0, tests * _gap_p(count * log(ratio), spacings[count:]))
        if ratio < MIN_RATIO or p >= LEVEL_OF_GAPS:
            continue
        change = _change(metric, sums, top[:count])
        if change >= MIN_CHANGE:
            users = tuple(str(row.get("user") or "") for row in top[:count])
            share = sizes[:count].sum() / total if total else inf
            few.append(FewUsers(metric.name, column, arm, users, sums.count(), share, change, p))
    return few[-1:]


def _gap_p(gap: float, below: np.ndarray[Any, Any]) -> float:
    """Return P(F ≥ gap / mean(below)) with 2 and 2·len(below) degrees of freedom."""
    mean = float(below.mean())
    if gap <= 0:
        return 1.0
    return float((1 + gap / (mean * len(below))) ** -len(below)) if mean > 0 else 0.0


def _change(metric: Metric, sums: "Aggregates", users: Sequence[Mapping[str, Any]]) -> float:
    """Return by how many standard errors the value of an arm changes without some users; the error is without them."""
    n, left = sums.count(), sums.count() - len(users)
    y, x = (np.array([float(row[name]) if name else 1.0 for row in users]) for name in _pair(metric))
    means = [n * sums.mean(name) for name in _pair(metric)]
    total_y, total_x = means[0] - y.sum(), means[1] - x.sum()
    if left < 2 or total_x <= 0:
        return inf
    value = total_y / total_x
    # Squared residuals of all users around the new value, less those of the removed ones.
    mean_y, mean_x = (sums.mean(name) for name in _pair(metric))
    residual = mean_y - value * mean_x
    numerator, denominator = _pair(metric)
    spread = sums.var(numerator) + value**2 * sums.var(denominator)
    spread -= 2 * value * sums.cov(numerator, denominator)
    squares = (n - 1) * spread + n * residual**2 - ((y - value * x) ** 2).sum()
    error = sqrt(max(squares, 0.0) * left / (left - 1)) / total_x
    change = abs(metric.value(sums) - value)
    return change / error if error else inf * (change > 0) if change else 0.0


def _pair(metric: Metric) -> tuple[str, str | None]:
    return metric.numerator, metric.denominator


def cap_values(gathered: Gathered, quantile: float) -> Gathered:
    """Winsorise the columns of the metrics: values above a quantile over the users of all arms are set to it.

    The cap is the same in every arm. Flags (no value above 1) are not capped.
    """
    if not 0 < quantile < 1:
        raise ParameterError(f"cap cannot be {quantile}", hint="give a quantile between 0 and 1, such as 0.99")
    rows, engine = gathered.rows, gathered.users.engine
    columns = list(dict.fromkeys(column for metric in gathered.metrics for column in metric.columns))
    check_users(rows, columns, arm="arm", user=None)
    asked: dict[str, Any] = {}
    for i, column in enumerate(columns):
        number: Any = rows[column].cast("float64")
        asked |= {f"cap_{i}": number.quantile(quantile), f"most_{i}": number.max()}
    found = engine.fetch(rows.aggregate(**asked)).to_pylist()[0]
    caps = {name: found[f"cap_{i}"] for i, name in enumerate(columns) if (found[f"most_{i}"] or 0) > 1}
    for column, cap in caps.items():
        if cap <= 0:
            message = f"the quantile {quantile:g} of {column} is {cap:g}: a cap there would remove all values"
            raise ParameterError(message, hint="give a larger quantile")
    above = {f"above_{i}": (rows[name] > cap).cast("int64").sum() for i, (name, cap) in enumerate(caps.items())}
    counts = engine.fetch(rows.group_by("arm").aggregate(**above).order_by("arm")).to_pylist() if caps else []
    notes = [
        f"{name} is capped at {cap:g}, the quantile {quantile:g} over all arms, for "
        + ", ".join(f"{row[f'above_{i}'] or 0:,} users of {row['arm']}" for row in counts)
        for i, (name, cap) in enumerate(caps.items())
    ]
    import ibis

    capped = rows.mutate(**{name: ibis.least(rows[name].cast("float64"), cap) for name, cap in caps.items()})
    changed = replace(gathered.users, rows=engine.keep(capped))
    return replace(gathered, users=changed, notes=(*gathered.notes, *notes))


def exclude_active_users(log: Log, most_pages: int) -> tuple[Log, Check]:
    """Exclude the users with more than so many pages; the rule is the same in every arm, and a check compares them."""
    log.require("user", "arm", why="exclude_users_above")
    if most_pages < 1:
        raise ParameterError(f"exclude_users_above cannot be {most_pages}", hint="give 1 page or more")
    rows = log.rows
    pages = rows.group_by("user").aggregate(pages_=rows["impression"].nunique())
    active = log.engine.keep(pages.filter(pages.pages_ > most_pages).select("user"))
    removed = rows.semi_join(active, "user")
    kept = log.engine.keep(rows.anti_join(active, "user"))
    counts = {"rows": removed.count(), "users": removed["user"].nunique()}
    found = fetch_rows(removed.group_by("arm").aggregate(**counts)).to_pylist()
    left = fetch_rows(kept.group_by("arm").aggregate(users=kept["user"].nunique())).to_pylist()
    if not left:
        message = f"every user has more than {most_pages} page{'s' * (most_pages != 1)}"
        raise ParameterError(message, hint="give a larger number to exclude_users_above")
    excluded: ExcludedRows = log.excluded.add(
        f"users with more than {most_pages:,} pages", {row["arm"]: row["rows"] for row in found}
    )
    gone = {row["arm"]: row["users"] for row in found if row["arm"]}
    users = {row["arm"]: row["users"] for row in left if row["arm"]}
    return replace(log, rows=kept, excluded=excluded), _excluded_users_check(gone, users)


def _excluded_users_check(gone: Mapping[str, int], left: Mapping[str, int]) -> Check:
    """Check the share of excluded users, and that it does not differ between the arms."""
    arms = sorted({*gone, *left})
    cross = np.array([[gone.get(arm, 0), left.get(arm, 0)] for arm in arms], dtype=float)
    share = float(cross[:, 0].sum() / cross.sum())
    p = cross_table_test(cross)[1] if len(arms) > 1 else 1.0
    counted = ", ".join(
        f"{arm} {int(many):,} of {int(sum(row)):,}" for arm, row, many in zip(arms, cross, cross[:, 0], strict=True)
    )
    passed = share <= MAX_EXCLUDED and p >= ALARM
    detail = f"{share:.1%} of the users are excluded for their number of pages ({counted}; {p_value(p)})"
    return Check("users excluded", p, share, passed, "" if passed else detail)
