"""Sample size planning: users and days needed to detect an effect of a given size."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError, Table
from cranfield.stats import LEVEL, check_level

from .arm_assignment import check_weights
from .user_metrics import Metric, check_sums, parse_metrics, read_sums

POWER = 0.8
EFFECTS = (0.01, 0.02, 0.05, 0.1)
COLUMNS = ("measure", "covariate", "value", "deviation", "relative", "difference", "users", "days")


def users_needed(
    difference: ArrayLike,
    variance: ArrayLike,
    *,
    weights: Sequence[float] = (1, 1),
    level: float = LEVEL,
    power: float = POWER,
) -> NDArray[np.float64]:
    """Users of all arms until a difference of means is shown with this chance, by a two-sided test at this level.

    ``variance`` is that of one user, alike in all arms; the first weight is the control's, and the smallest of the
    others says how many users the treatment gets. The normal approximation: (z_{level/2} + z_{power})² σ² (1/share_a +
    1/share_b) / difference².
    """
    difference, variance = np.asarray(difference, dtype=float), np.asarray(variance, dtype=float)
    if not (np.isfinite(difference).all() and difference.all()):
        raise ParameterError("a difference of 0 is never shown", hint="give the smallest difference worth knowing")
    return _spread(level, power) ** 2 * _checked(variance) * _shares(weights) / difference**2


def detectable_difference(
    users: ArrayLike,
    variance: ArrayLike,
    *,
    weights: Sequence[float] = (1, 1),
    level: float = LEVEL,
    power: float = POWER,
) -> NDArray[np.float64]:
    """The smallest difference that so many users of all arms show with this chance: what ``users_needed`` undoes."""
    users = np.asarray(users, dtype=float)
    if not (users > 0).all():
        raise ParameterError("no users show nothing", hint="give how many users there will be, above 0")
    return _spread(level, power) * np.sqrt(_checked(np.asarray(variance, dtype=float)) * _shares(weights) / users)


def plan_table(
    data: Any,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    relative: Sequence[float] = EFFECTS,
    weights: Sequence[float] = (1, 1),
    users_per_day: float | None = None,
    level: float = LEVEL,
    power: float = POWER,
    user: str | None = None,
) -> Table:
    """How many users an effect needs, given how much users of ``data`` differ; with a covariate, with and without it.

    An effect is relative to the mean. Days are whole, and there where ``users_per_day`` new users come in.
    """
    if users_per_day is not None and not users_per_day > 0:
        raise ParameterError(f"{users_per_day} users a day never suffice", hint="give how many new users come a day")
    asked = parse_metrics(metrics)
    sums = read_sums(data, asked, user=user)[""]
    rows = []
    for metric in asked:
        check_sums(metric, sums, "the table")
        value = metric.value(sums)
        if not value:
            raise ParameterError(f"the mean of {metric.name} is 0", hint="nothing is relative to 0: leave it out")
        for covariate in (None, metric.covariate) if metric.covariate else (None,):
            variance = metric.variance(sums, metric.coefficient(sums) if covariate else 0.0)
            for effect in relative:
                users = ceil(users_needed(effect * value, variance, weights=weights, level=level, power=power))
                row = {"measure": metric.name, "covariate": covariate, "value": value, "deviation": variance**0.5}
                days = ceil(users / users_per_day) if users_per_day else None
                rows.append(row | {"relative": effect, "difference": effect * value, "users": users, "days": days})
    caption = f"Users of all arms that show an effect with a chance of {power:g}, level {level:g}"
    return Table.from_rows(rows, COLUMNS, caption=caption)


def _spread(level: float, power: float) -> float:
    """How many standard errors a difference must have."""
    from scipy.special import ndtri

    check_level(level)
    if not level / 2 < power < 1:
        raise ParameterError(f"the power cannot be {power}", hint="a power lies between the level and 1, such as .8")
    return float(ndtri(1 - level / 2) + ndtri(power))


def _shares(weights: Sequence[float]) -> float:
    """1/share of the control + 1/share of the smallest treatment."""
    shares = check_weights(weights)
    if len(shares) < 2 or not shares.all():
        raise ParameterError(f"no two arms have users: {list(weights)}", hint="give a weight above 0 for each arm")
    shares = shares / shares.sum()
    return float(1 / shares[0] + 1 / shares[1:].min())


def _checked(variance: NDArray[np.float64]) -> NDArray[np.float64]:
    if not (np.isfinite(variance).all() and (variance >= 0).all()):
        raise ParameterError("a variance is not a number from 0 up", hint="give that of one user")
    return variance
