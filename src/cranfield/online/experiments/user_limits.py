"""Limit the influence of very active users: cap their values, or exclude them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import ParameterError
from cranfield.data import ExcludedRows, Log
from cranfield.data import fetch as fetch_rows

from .experiment_data import Gathered
from .sample_ratio_checks import ALARM, Check, cross_table_test, p_value
from .user_metrics import check_users

ACTIVE_USERS = "users with more than"  # how the reason for their exclusion begins
MAX_SHARE = 0.01  # of the users that may be excluded for their number of pages


def cap_values(gathered: Gathered, quantile: float) -> Gathered:
    """Winsorise the columns of the metrics: set values above a quantile over the users of all arms to that quantile.

    The cap is the same in every arm. Of a ratio, the numerator and the denominator are capped separately. Flags
    (columns without a value above 1) are not capped.
    """
    if not 0 < quantile < 1:
        raise ParameterError(f"cap cannot be {quantile}", hint="give a quantile between 0 and 1, such as 0.99")
    import ibis

    rows, engine = gathered.rows, gathered.users.engine
    columns = list(dict.fromkeys(column for metric in gathered.metrics for column in metric.columns))
    check_users(rows, columns, arm="arm", user=None)
    statistics: dict[str, Any] = {}
    for i, column in enumerate(columns):
        number: Any = rows[column].cast("float64")
        statistics |= {f"cap_{i}": number.quantile(quantile), f"largest_{i}": number.max()}
    limits = engine.fetch(rows.aggregate(**statistics)).to_pylist()[0]
    caps = {name: limits[f"cap_{i}"] for i, name in enumerate(columns) if (limits[f"largest_{i}"] or 0) > 1}
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
    capped = rows.mutate(**{name: ibis.least(rows[name].cast("float64"), cap) for name, cap in caps.items()})
    changed = replace(gathered.users, rows=engine.keep(capped))
    return replace(gathered, users=changed, notes=(*gathered.notes, *notes))


def exclude_active_users(log: Log, most_pages: int) -> tuple[Log, Check]:
    """Exclude the users with more than ``most_pages`` pages, and compare their proportion between the arms."""
    log.require("user", "arm", why="exclude_users_above")
    if most_pages < 1:
        raise ParameterError(f"exclude_users_above cannot be {most_pages}", hint="give 1 page or more")
    rows = log.rows
    pages = rows.group_by("user").aggregate(pages_=rows["impression"].nunique())
    active = log.engine.keep(pages.filter(pages.pages_ > most_pages).select("user"))
    removed = rows.semi_join(active, "user")
    kept = log.engine.keep(rows.anti_join(active, "user"))
    counts = {"rows": removed.count(), "users": removed["user"].nunique()}
    gone = fetch_rows(removed.group_by("arm").aggregate(**counts)).to_pylist()
    left = fetch_rows(kept.group_by("arm").aggregate(users=kept["user"].nunique())).to_pylist()
    if not left:
        message = f"every user has more than {most_pages} page{'s' * (most_pages != 1)}"
        raise ParameterError(message, hint="give a larger number to exclude_users_above")
    excluded: ExcludedRows = log.excluded.add(
        f"{ACTIVE_USERS} {most_pages:,} pages", {row["arm"]: row["rows"] for row in gone}
    )
    users = [{row["arm"]: row["users"] for row in rows if row["arm"]} for rows in (gone, left)]
    return replace(log, rows=kept, excluded=excluded), _excluded_users_check(*users)


def _excluded_users_check(gone: Mapping[str, int], left: Mapping[str, int]) -> Check:
    """Check that few users are excluded, and that their proportion does not differ between the arms."""
    arms = sorted({*gone, *left})
    cross = np.array([[gone.get(arm, 0), left.get(arm, 0)] for arm in arms], dtype=float)
    share = float(cross[:, 0].sum() / cross.sum())
    p = cross_table_test(cross)[1] if len(arms) > 1 else 1.0
    counted = ", ".join(f"{arm} {gone.get(arm, 0):,} of {gone.get(arm, 0) + left.get(arm, 0):,}" for arm in arms)
    passed = share <= MAX_SHARE and p >= ALARM
    detail = f"{share:.1%} of the users are excluded for their number of pages ({counted}; {p_value(p)})"
    return Check("users excluded", p, share, passed, "" if passed else detail)
