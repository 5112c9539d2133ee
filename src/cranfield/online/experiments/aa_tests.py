"""A/A tests: assign the same users to arms many times and check the false positive rate.

Where p-values are not spread evenly, the metric, its variance or the assignment is at fault, and no A/B test with them
can be believed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Table
from cranfield.data import fetch
from cranfield.stats import LEVEL, check_level, share_interval

from .arm_assignment import Assignment, assign, check_weights, parse_assignment
from .sample_ratio_checks import ALARM, Check, sample_ratio
from .user_metrics import Metric, check_users, parse_metrics, user_table

SALTS = 200
CELLS = 4_000_000  # (salt, user) made at once
COLUMNS = ("measure", "salts", "share", "low", "high", "p_share", "p_uniform", "passed")


@dataclass(frozen=True, slots=True, eq=False)
class AATest:
    """What a test says of users that were shared out many times with nothing changed."""

    metrics: tuple[str, ...]
    how: Assignment
    p: NDArray[np.float64]  # (salt, metric)
    ratio_p: NDArray[np.float64]  # (salt,): of the sample ratio
    level: float

    def table(self) -> Table:
        """For each metric, and for the sample ratio, how often it is significant, and whether p-values are uniform.

        ``share`` is of p-values at most the level, between ``low`` and ``high`` (Wilson); the p-values of both checks
        are those of the share (binomial) and of the spread (Kolmogorov–Smirnov).
        """
        rows = [self._row(name, p) for name, p in zip(self.metrics, self.p.T, strict=True)]
        rows.append(self._row("sample ratio", self.ratio_p, spread=False))  # counts of users make p-values of steps
        return Table.from_rows(rows, COLUMNS, caption=f"Nothing changed, shared out again by {self.how}")

    @property
    def checks(self) -> tuple[Check, ...]:
        """One for each metric: the p-value is that of the spread, the effect how far the share is from the level."""
        rows: list[dict[str, Any]] = self.table().rows()[:-1]
        return tuple(
            Check(f"A/A of {row['measure']}", row["p_uniform"], row["share"] - self.level, row["passed"])
            for row in rows
        )

    def _row(self, name: str, p: NDArray[np.float64], *, spread: bool = True) -> dict[str, object]:
        from scipy.stats import binomtest, kstest

        found, salts = int((p <= self.level).sum()), len(p)
        low, high = share_interval(np.array(found), salts)
        of_share = float(binomtest(found, salts, self.level).pvalue)
        uniform = float(kstest(p, "uniform").pvalue) if spread else None
        row = {"measure": name, "salts": salts, "share": found / salts, "low": float(low), "high": float(high)}
        passed = min(of_share, 1.0 if uniform is None else uniform) >= ALARM
        return row | {"p_share": of_share, "p_uniform": uniform, "passed": passed}


def aa_test(
    data: Any,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    user: str,
    weights: Sequence[float] = (1, 1),
    how: str | Assignment = "md5",
    salts: int = SALTS,
    experiment: str = "A/A",
    level: float = LEVEL,
) -> AATest:
    """Share the same users out ``salts`` times, as experiments ``A/A 1``, ``A/A 2`` and so on, and test each time.

    Every user is read once; their values stay as they are, so that each time takes sums of products alone. Covariates
    play no part.
    """
    check_level(level)
    shares = check_weights(weights)
    if len(shares) != 2 or not shares.all():
        raise ParameterError(f"A/A has two arms, not {list(weights)}", hint="give two weights above 0, such as 1, 1")
    if salts < 1:
        raise ParameterError(f"{salts} salts tell nothing", hint="share out once or more; 200 is usual")
    method, asked = parse_assignment(how), parse_metrics(metrics)
    names, numerator, denominator = read_users(data, asked, user=user)
    arms = (assign(names, f"{experiment} {salt}", weights, how=method) for salt in range(1, salts + 1))
    block = max(1, CELLS // len(names))
    p, ratio_p = [], []
    while rows := list(islice(arms, block)):
        treated = np.array(rows, dtype=float)
        p.append(resampled_p(treated, numerator, denominator))
        many = treated.sum(axis=1)
        ratio_p += [sample_ratio([len(names) - one, one], weights).p for one in many]
    return AATest(tuple(metric.name for metric in asked), method, np.concatenate(p), np.array(ratio_p), level)


def read_users(
    data: Any, metrics: Sequence[Metric], *, user: str
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Names of users, and (user, metric) the numerators and denominators; ones where the metric is a mean."""
    table = user_table(data)
    plain = [metric.plain for metric in metrics]
    columns = list(dict.fromkeys(column for metric in plain for column in metric.columns))
    check_users(table, columns, arm=None, user=user)
    read = fetch(table.select(user, *columns).order_by(user))
    values = {name: read[name].to_numpy(zero_copy_only=False).astype(float) for name in columns}
    ones = np.ones(len(read))
    numerator = np.stack([values[metric.numerator] for metric in plain], axis=1)
    denominator = np.stack([values[one.denominator] if one.denominator else ones for one in plain], axis=1)
    return [str(name) for name in read[user].to_pylist()], numerator, denominator


def resampled_p(
    treated: NDArray[np.float64], numerator: NDArray[np.float64], denominator: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(salt, metric): p-values of Welch's test on the delta method; ``treated`` is (salt, user), 1 in the treatment.

    Sums of the control are those of all users without those of the treatment: one product for all salts.
    """
    from scipy.special import stdtr

    middle = numerator.mean(axis=0), denominator.mean(axis=0)
    if not (middle[1] > 0).all():
        raise ParameterError("the mean of a denominator is not above 0", hint="a denominator counts what users have")
    y, x = numerator - middle[0], denominator - middle[1]  # sums of squares about the mean lose no digits
    moments = (y, x, y * y, x * x, x * y)
    whole = np.stack([moment.sum(axis=0) for moment in moments])[:, np.newaxis]
    sums = np.stack([treated @ moment for moment in moments])  # (moment, salt, metric)
    users = treated.sum(axis=1)[:, np.newaxis]
    if not (users > 1).all() or not (len(y) - users > 1).all():
        raise ParameterError(f"{len(y)} users are too few to be shared out", hint="give some hundred users or more")
    a, error_a = _ratio_of(whole - sums, len(y) - users, middle)
    b, error_b = _ratio_of(sums, users, middle)
    both = error_a + error_b
    if not both.all():
        raise ParameterError("the users of an arm do not differ", hint="leave out a metric that never varies")
    df = both**2 / (error_a**2 / (len(y) - users - 1) + error_b**2 / (users - 1))
    return 2 * stdtr(df, -np.abs(b - a) / np.sqrt(both))


def _ratio_of(
    sums: NDArray[np.float64], users: NDArray[np.float64], middle: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ratio of means of an arm and its squared standard error, from sums about the middle (deng2018delta)."""
    y, x, yy, xx, xy = sums
    mean_y, mean_x = y / users + middle[0], x / users + middle[1]
    ratio = mean_y / mean_x
    squares = (yy - y * y / users) - 2 * ratio * (xy - x * y / users) + ratio**2 * (xx - x * x / users)
    return ratio, np.maximum(0.0, squares) / (users - 1) / mean_x**2 / users
