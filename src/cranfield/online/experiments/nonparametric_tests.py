"""Nonparametric comparison of arms: Mann–Whitney test and bootstrap of the difference.

Both look at every value of a user, not at sums: what leaves the engine is each distinct value of an arm with the number
of its users, which for counts are few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, Table, generator
from cranfield.data import fetch
from cranfield.stats import LEVEL, check_level

from .user_metrics import Metric, check_users, parse_metrics, user_table

DRAWS = 2000
CELLS = 4_000_000  # (draw, value) made at once
COLUMNS = (
    *("measure", "control", "treatment", "test", "users", "left_out"),
    *("difference", "low", "high", "effect", "p", "note"),
)
NOTE = "every user is read"


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """The distinct values of an arm's users, and how many have each."""

    numerator: NDArray[np.float64]  # (value,)
    denominator: NDArray[np.float64]  # (value,): ones where the metric is a mean
    users: NDArray[np.int64]  # (value,)

    @property
    def size(self) -> int:
        """How many users there are."""
        return int(self.users.sum())

    @property
    def known(self) -> "ValueCounts":
        """Those users that have something in the denominator, and so a value of their own."""
        kept = self.denominator > 0
        return ValueCounts(self.numerator[kept], self.denominator[kept], self.users[kept])


def read_values(data: Any, metric: Metric, *, arm: str = "arm", user: str | None = None) -> dict[str, ValueCounts]:
    """The values of each arm's users in one metric; its covariate plays no part."""
    table = user_table(data)
    asked = metric.plain.columns
    check_users(table, asked, arm=arm, user=user)
    counted = fetch(table.group_by([arm, *asked]).aggregate(many_=table.count()).order_by([arm, *asked]))
    columns = [counted[name].to_numpy(zero_copy_only=False).astype(float) for name in asked]
    arms = np.array([str(name) for name in counted[arm].to_pylist()])
    numerator, denominator = columns[0], columns[-1] if metric.denominator else np.ones(len(arms))
    users = counted["many_"].to_numpy().astype(np.int64)
    return {
        str(name): ValueCounts(numerator[arms == name], denominator[arms == name], users[arms == name])
        for name in np.unique(arms)
    }


def mann_whitney(control: ValueCounts, treatment: ValueCounts) -> tuple[float, float]:
    """Cliff's δ, how much likelier the treatment's user is ahead than behind, and the p-value (mann1947).

    The normal approximation, corrected for ties and for continuity; of a ratio each user's own counts, users alike.
    """
    from scipy.special import ndtr

    a, b = control.known, treatment.known
    values, place = np.unique(
        np.concatenate((a.numerator / a.denominator, b.numerator / b.denominator)), return_inverse=True
    )
    of_a = np.bincount(place[: len(a.users)], a.users, len(values))
    of_b = np.bincount(place[len(a.users) :], b.users, len(values))
    pairs, total = float(a.size) * b.size, float(a.size + b.size)
    ahead = float((of_b * (of_a.cumsum() - of_a / 2)).sum())
    ties = of_a + of_b
    variance = pairs / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
    effect = 2 * ahead / pairs - 1
    if variance <= 0:
        return effect, 1.0
    return effect, float(min(1.0, 2 * ndtr(-(abs(ahead - pairs / 2) - 0.5) / np.sqrt(variance))))


def bootstrap_difference(
    control: ValueCounts, treatment: ValueCounts, *, draws: int = DRAWS, level: float = LEVEL, seed: int = SEED
) -> tuple[float, float, float, float]:
    """The difference of means or ratios, its percentile interval, and its p-value: users of both arms drawn again."""
    check_level(level)
    if draws < 1:
        raise ParameterError(f"there are {draws} draws", hint="draw once or more; 2,000 is usual")
    difference = float(_value(treatment, treatment.users) - _value(control, control.users))
    drawn = _drawn(treatment, draws, seed, "treatment") - _drawn(control, draws, seed, "control")
    low, high = np.quantile(drawn, [level / 2, 1 - level / 2])
    beyond = min((drawn <= 0).sum(), (drawn >= 0).sum())
    return difference, float(low), float(high), float(min(1.0, 2 * (beyond + 1) / (draws + 1)))


def ranked_table(
    data: Any,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    control: str,
    treatments: Sequence[str] | None = None,
    arm: str = "arm",
    user: str | None = None,
    draws: int = DRAWS,
    level: float = LEVEL,
    seed: int = SEED,
) -> Table:
    """Both for each treatment and metric; the effect is Cliff's δ, the difference that of means or ratios."""
    rows = []
    for metric in parse_metrics(metrics):
        values = read_values(data, metric, arm=arm, user=user)
        for other in [name for name in values if name != control] if treatments is None else treatments:
            if control not in values or other not in values:
                missing = other if control in values else control
                raise ParameterError(f"no user is in an arm {missing!r}", hint=f"there are: {', '.join(values)}")
            a, b = values[control], values[other]
            about = {"measure": metric.name, "control": control, "treatment": other, "note": NOTE}
            empty = dict.fromkeys(("difference", "low", "high", "effect", "p"))
            effect, p = mann_whitney(a, b)
            users = a.known.size + b.known.size
            left = a.size + b.size - users
            rows.append(about | empty | {"test": "mann-whitney", "users": users, "left_out": left})
            rows[-1] |= {"effect": effect, "p": p}
            found = bootstrap_difference(a, b, draws=draws, level=level, seed=seed)
            rows.append(about | empty | {"test": "bootstrap", "users": a.size + b.size, "left_out": 0})
            rows[-1] |= dict(zip(("difference", "low", "high", "p"), found, strict=True))
    return Table.from_rows(rows, COLUMNS, caption=f"Arms compared without a normal shape, {draws:,} draws, seed {seed}")


def _value(values: ValueCounts, users: NDArray[np.int64]) -> NDArray[np.float64]:
    """The ratio of sums over users, of whom there are so many with each value."""
    return (users @ values.numerator) / (users @ values.denominator)


def _drawn(values: ValueCounts, draws: int, seed: int, side: str) -> NDArray[np.float64]:
    """(draw,): the value of as many users drawn with replacement: how many have each value is what is drawn."""
    block = max(1, CELLS // len(values.users))
    parts = []
    for start in range(0, draws, block):
        random = generator(seed, "bootstrap", side, start)
        many = random.multinomial(values.size, values.users / values.size, min(block, draws - start))
        parts.append(_value(values, many))
    return np.concatenate(parts)
