"""Tables for the charts of online experiments."""

from datetime import date, timedelta
from typing import Any

import cranfield as cf

SAID = {
    "effects": {"change relative to old", "ctr", "bought"},
    "looks": {"day", "ctr: new − old"},
    "sample-ratio": {"proportion of users − configured, in percentage points", "old", "new"},
}


def effects(*outcomes: str, treatments: tuple[str, ...] = ("new",)) -> cf.Table:
    """Measures that change by 1, 2, … percent; the control has a value of 0.5."""
    made = []
    for treatment in treatments:
        for i, (outcome, measure) in enumerate(zip(outcomes, ("ctr", "bought", "wait"), strict=False), 1):
            row: dict[str, Any] = {"measure": measure, "control": "old", "treatment": treatment, "relative": i / 100}
            row |= {"relative_low": (i - 0.5) / 100, "relative_high": (i + 0.5) / 100, "outcome": outcome}
            row |= {"p_adjusted": 0.01 * i if outcome != "unclear" else 0.5, "value_control": 0.5}
            made.append(row | {"always_low": 0.5 * (i - 1) / 100, "always_high": 0.5 * (i + 1) / 100})
    return cf.Table.from_rows(made, list(made[0]), caption="What changes")


def looks(days: list[Any], *, shown_from: int = 99, measures: tuple[str, ...] = ("ctr",)) -> cf.Table:
    """An effect of 0.2 whose intervals grow narrower; from a day on the wide one has no 0 in it."""
    made = []
    for measure in measures:
        for i, day in enumerate(days):
            half = 0.1 if i >= shown_from else 0.3 + 1 / (i + 1)
            row: dict[str, Any] = {"measure": measure, "control": "old", "treatment": "new", "day": day}
            row |= {"users": 100 * (i + 1), "difference": 0.2, "low": 0.2 - half / 2, "high": 0.2 + half / 2}
            made.append(row | {"always_low": 0.2 - half, "always_high": 0.2 + half})
    return cf.Table.from_rows(made, list(made[0]), caption="What was known")


def arms(users: dict[str, int], expected: tuple[float, ...]) -> cf.Table:
    total = sum(users.values())
    shares = [many / total for many in users.values()]
    return cf.Table({"arm": list(users), "users": list(users.values()), "share": shares, "expected": list(expected)})


DATES = [date(2024, 3, 1) + timedelta(days=i) for i in range(6)]

TABLES = {
    "effects": effects("better", "unclear"),
    "looks": looks(DATES),
    "sample-ratio": arms({"old": 5000, "new": 5100}, (0.5, 0.5)),
}
