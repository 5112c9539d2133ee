"""Checks of a table of users: columns with one value in a whole arm, and rows that are repeated."""

from collections.abc import Sequence
from math import gcd, nan
from typing import Any

from .experiment_data import Gathered
from .sample_ratio_checks import Check

MIN_EXPECTED = 100  # users with another value that an arm would have at the rate of the others
MIN_DISTINCT_ROWS = 30  # by chance each of them occurs an even number of times in 1 of 2^30 tables
MAX_ROWS = 20_000_000  # in larger tables repeated rows are not searched


def user_table_checks(gathered: Gathered, arms: Sequence[str]) -> tuple[Check, ...]:
    """Check the values of every arm and, where users have no names, that rows are not repeated."""
    checks = [_values_check(gathered, arms)]
    if gathered.user is None and gathered.users.excluded.total <= MAX_ROWS:
        checks.append(_repeated_rows_check(gathered))
    return tuple(checks)


def _values_check(gathered: Gathered, arms: Sequence[str]) -> Check:
    """Check that no column has one value in an arm where the other arms promise many users with others.

    Such a column was lost, filled or never measured in that arm, and its difference says nothing about the arms.
    """
    columns = list(dict.fromkeys(column for metric in gathered.metrics for column in metric.columns))
    rows = gathered.rows.filter(gathered.rows["arm"].isin(list(arms)))
    number: dict[str, Any] = {column: rows[column].cast("float64") for column in columns}
    ends: dict[str, Any] = {f"low_{i}": number[column].min() for i, column in enumerate(columns)}
    ends |= {f"high_{i}": number[column].max() for i, column in enumerate(columns)}
    extremes = _by_arm(gathered, rows, ends | {"users": rows.count()})
    same = [
        (arm, column, cells[f"low_{i}"])
        for arm, cells in extremes.items()
        for i, column in enumerate(columns)
        if cells[f"low_{i}"] == cells[f"high_{i}"] and cells["users"] >= MIN_EXPECTED
    ]
    if not same:
        return Check("values of every arm", nan, 0.0, passed=True)
    different = {
        f"other_{i}": (number[column] != value).cast("int64").sum() for i, (_, column, value) in enumerate(same)
    }
    others = _by_arm(gathered, rows, different)
    details, effect = [], 0.0
    for i, (arm, column, value) in enumerate(same):
        users = sum(cells["users"] for other, cells in extremes.items() if other != arm)
        share = sum(cells[f"other_{i}"] for cells in others.values()) / max(1, users)
        if share * extremes[arm]["users"] >= MIN_EXPECTED:
            effect = max(effect, share)
            all_users = f"all {extremes[arm]['users']:,} users of {arm}"
            details.append(f"{column} is {value:g} for {all_users}, but not for {share:.1%} of those of the other arms")
    return Check("values of every arm", nan, effect, not details, "; ".join(details))


def _by_arm(gathered: Gathered, rows: Any, cells: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = gathered.users.engine.fetch(rows.group_by("arm").aggregate(**cells).order_by("arm"))
    return {row["arm"]: row for row in found.to_pylist()}


def _repeated_rows_check(gathered: Gathered) -> Check:
    """Check that no arm has every row twice, or another number of times above 1 or multiples of it."""
    rows = gathered.rows
    counted = rows.group_by(list(rows.columns)).aggregate(repeats_=rows.count())
    numbers = counted.group_by(["arm", "repeats_"]).aggregate(rows_=counted.count())
    repeats, distinct = dict[str, int](), dict[str, int]()
    for row in gathered.users.engine.fetch(numbers).to_pylist():
        repeats[row["arm"]] = gcd(repeats.get(row["arm"], 0), row["repeats_"])
        distinct[row["arm"]] = distinct.get(row["arm"], 0) + row["rows_"]
    repeated = [arm for arm, times in repeats.items() if times > 1 and distinct[arm] >= MIN_DISTINCT_ROWS]
    if not repeated:
        return Check("repeated rows", nan, 0.0, passed=True)
    arm = min(repeated)
    what = f"every row of {arm} occurs {repeats[arm]} times or a multiple of that: users seem to be repeated"
    return Check("repeated rows", nan, 1 - 1 / repeats[arm], passed=False, detail=what)
