"""Find the few users, such as bots, who dominate an arm of an experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.data import Log, Users
from cranfield.online.behaviour.online_measures import OnlineMeasure

from .experiment_data import Gathered
from .sample_ratio_checks import Check
from .user_metrics import Metric, group_sums

if TYPE_CHECKING:
    from tea_tasting.aggr import Aggregates

MIN_DOMINANT_USERS = 5  # up to this many users are checked in every arm, and up to 2% of the users of a large one
MAX_DOMINANT_USERS = 50
MAX_DOMINANT_SHARE = 0.02
MAX_TAIL_USERS = 50  # users below the dominant ones from whom the tail is estimated; at most a quarter of the arm
MIN_TAIL_USERS = 20
LEVEL_OF_GAPS = 0.01
MIN_RATIO = 2.0  # of the smallest value of a dominant user to the value of the next user
MIN_CHANGE = 1.0  # standard errors by which the metric of the arm changes without the dominant users
MAX_USERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class DominantUsers:
    """Users of an arm with far larger values of a column than the next user, who change the value of a metric."""

    metric: str
    column: str
    arm: str
    users: tuple[str, ...]
    arm_users: int
    share: float  # of the sum of the column in the arm
    change: float  # of the metric without these users, in standard errors
    p: float

    @property
    def detail(self) -> str:
        """Return a clause that names the users, their proportion of the column and the change of the metric."""
        more = ", ..." if len(self.users) > MAX_USERS_NAMED else ""
        names = f" ({', '.join(self.users[:MAX_USERS_NAMED])}{more})" if any(self.users) else ""
        users = f"{len(self.users)} of {self.arm_users:,} users{f' of {self.arm}' * bool(self.arm)}{names}"
        verb = "holds" if len(self.users) == 1 else "hold"
        column = f"{'the ' * self.column.startswith('denominator of')}{self.column}"
        change = f"without them {self.metric} changes by {self.change:.2g} standard errors"
        return f"{users} {verb} {self.share:.0%} of {column}, and {change}"


def concentration_check(gathered: Gathered, arms: Sequence[str], *, advice: str = "cap or exclude them") -> Check:
    """Check that no arm is dominated by a few users: up to five, and up to 2% of the users of an arm.

    Logs are heavy-tailed: some users have many times the pages of others, and that is no fault. A group of users is
    reported only where all of these conditions hold:

    1. Each of them has at least twice the value of the next user.
    2. The gap to the next user is larger than the tail of the arm explains, by the F test of log-spacings
       (pisarenko2012). For values x(1) ≥ x(2) ≥ … of a Pareto tail, i·ln(x(i)/x(i+1)) are independent exponentials,
       so the ratio of one to the mean of those below it has an F distribution. Lighter tails have smaller gaps. The
       level is 0.01, corrected by Bonferroni over the columns, the arms and the numbers of users. Of these, k has the
       share 1 / (k (k + 1)) of the level: the shares of all numbers add up to 1, and small groups have the most.
    3. Without them, the value of the metric changes by one standard error or more.

    Flags (columns without a value above 1) are not checked, because no user can have a large value.
    """
    sums = group_sums(gathered.rows, gathered.metrics, "arm")
    columns = dict.fromkeys(column for metric in gathered.metrics for column in _columns(metric))
    largest = {(arm, column): _largest_users(gathered, arm, column) for arm in arms for column in columns}
    checked = {
        key: users
        for key, users in largest.items()
        if len(users) >= _most_dominant(sums[key[0]]) + MIN_TAIL_USERS and users[0]["size_"] > 1
    }
    dominant = [
        users
        for (arm, column), rows in checked.items()
        for metric in gathered.metrics
        if column in _columns(metric) and (users := _dominant_users(metric, column, arm, rows, sums[arm], len(checked)))
    ]
    if not dominant:
        return Check("concentration of users", nan, 0.0, passed=True)
    worst = max(dominant, key=lambda users: (users.change, users.share))
    return Check("concentration of users", worst.p, worst.share, passed=False, detail=f"{worst.detail}: {advice}")


def _most_dominant(sums: "Aggregates") -> int:
    """Return how many users of an arm may dominate it."""
    return min(MAX_DOMINANT_USERS, max(MIN_DOMINANT_USERS, int(MAX_DOMINANT_SHARE * sums.count())))


def log_concentration_checks(
    log: Log, users: Any, named: Sequence[tuple[OnlineMeasure, str, str]]
) -> tuple[Check, ...]:
    """Check that no arm of a log, or the log where it has none, is dominated by a few users.

    ``users`` and ``named`` come from ``values_by_user``. Nothing is checked in a log without users.
    """
    import ibis

    if "user" not in users.columns:
        return ()
    cells: dict[str, Any] = {"user": users["user"], "arm": users["arm"] if "arm" in users.columns else ibis.literal("")}
    metrics = []
    for measure, amount, counted in named:
        name, pages = str(measure), f"denominator of {measure}"
        cells |= {name: users[amount].fill_null(0.0), pages: users[counted].fill_null(0.0)}
        metrics.append(Metric(name, name, pages))
    rows = log.engine.keep(users.select(**cells))
    numbers = tuple(name for metric in metrics for name in metric.columns)
    gathered = Gathered(Users(rows, log.engine, log.source, numbers, log.excluded), tuple(metrics), (log.source,))
    return (concentration_check(gathered, list(gathered.arms()), advice="exclude them"),)


def _columns(metric: Metric) -> tuple[str, ...]:
    return (metric.numerator, metric.denominator) if metric.denominator else (metric.numerator,)


def _largest_users(gathered: Gathered, arm: str, column: str) -> list[dict[str, Any]]:
    """Return the users of an arm with the largest absolute values of a column (``size_``) in descending order."""
    import ibis

    rows = gathered.rows.filter(gathered.rows["arm"] == arm)
    size: Any = rows[column].cast("float64").abs()
    order = [ibis.desc("size_"), *([gathered.user] if gathered.user else [])]
    rows = rows.mutate(size_=size).order_by(order).limit(MAX_DOMINANT_USERS + MAX_TAIL_USERS + 1)
    names = sorted({name for metric in gathered.metrics for name in _columns(metric)})
    cells = {"size_": rows["size_"], **{name: rows[name].cast("float64") for name in names}}
    if gathered.user:
        cells["user"] = rows[gathered.user]
    return [row for row in gathered.users.engine.fetch(rows.select(**cells)).to_pylist() if row["size_"]]


def _dominant_users(
    metric: Metric, column: str, arm: str, largest: Sequence[dict[str, Any]], sums: "Aggregates", tests: int
) -> DominantUsers | None:
    """Return the largest group of dominant users among the largest users of an arm, None where there is none."""
    most = _most_dominant(sums)
    length = min(most + MAX_TAIL_USERS + 1, max(sums.count() // 4, most + MIN_TAIL_USERS))
    sizes = np.array([row["size_"] for row in largest])[:length]
    total = abs(sums.mean(column)) * sums.count()
    rounding = 0.5 if (sizes % 1 == 0).all() else 0.0  # a whole number may stand for any value that rounds to it
    below = np.append(sizes[1:-1], sizes[-1] - rounding)  # a tail that starts at 3 may start at 2.5
    spacings = np.arange(1, len(sizes)) * np.log(sizes[:-1] / below)
    for count in range(most, 0, -1):
        ratio = (sizes[count - 1] - rounding) / (sizes[count] + rounding)
        p = min(1.0, tests * count * (count + 1) * _gap_p(count * log(ratio), spacings[count:]))
        if ratio < MIN_RATIO or p >= LEVEL_OF_GAPS:
            continue
        change = _change_without(metric, sums, largest[:count])
        if change >= MIN_CHANGE:
            users = tuple(str(row.get("user") or "") for row in largest[:count])
            share = sizes[:count].sum() / total if total else inf
            return DominantUsers(metric.name, column, arm, users, sums.count(), share, change, p)
    return None


def _gap_p(gap: float, below: np.ndarray[Any, Any]) -> float:
    """Return P(F ≥ gap / mean(below)) with 2 and 2·len(below) degrees of freedom."""
    mean = float(below.mean())
    if gap <= 0:
        return 1.0
    return float((1 + gap / (mean * len(below))) ** -len(below)) if mean > 0 else 0.0


def _change_without(metric: Metric, sums: "Aggregates", users: Sequence[dict[str, Any]]) -> float:
    """Return by how many standard errors the value of an arm changes without some of its users.

    The standard error is that of the remaining users: the delta method on their residuals y − value·x.
    """
    numerator, denominator = metric.numerator, metric.denominator
    n, remaining = sums.count(), sums.count() - len(users)
    mean_y, mean_x = sums.mean(numerator), sums.mean(denominator)
    y = np.array([row[numerator] for row in users])
    x = np.array([row[denominator] if denominator else 1.0 for row in users])
    total_x = n * mean_x - x.sum()
    if remaining < 2 or total_x <= 0:
        return inf
    value = (n * mean_y - y.sum()) / total_x
    change = abs(metric.value(sums) - value)
    variance = sums.var(numerator) + value**2 * sums.var(denominator) - 2 * value * sums.cov(numerator, denominator)
    squares = (n - 1) * variance + n * (mean_y - value * mean_x) ** 2 - ((y - value * x) ** 2).sum()
    error = sqrt(max(squares, 0.0) * remaining / (remaining - 1)) / total_x
    if error:
        return float(change / error)
    return inf if change else 0.0
