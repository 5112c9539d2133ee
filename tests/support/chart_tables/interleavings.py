"""Tables for the charts of interleavings."""

from typing import Any

import cranfield as cf

PAIRS = ("a", "b", "users", "delta", "low", "high", "always_low", "always_high", "p_adjusted")


def preferred(*rows: tuple[Any, ...]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(PAIRS, row, strict=True)) for row in rows], PAIRS, caption="who is preferred")


THREE = preferred(
    ("old", "new", 1200, -0.1, -0.14, -0.06, -0.17, -0.03, 0.0002),
    ("old", "third", 1200, 0.03, 0.01, 0.05, -0.02, 0.08, 0.07),
    ("new", "third", 1200, 0.004, -0.02, 0.03, -0.05, 0.06, 0.8),
)


def curve(methods: dict[tuple[str, str], int], *, error: float = 0.01) -> cf.Table:
    """Power rises with impressions, up to so many at .8."""
    rows = [
        {
            "method": method,
            "measure": measure,
            "difference": -0.1,
            "error": error,
            "better": "new",
            "power": power,
            "impressions": round(need * power / 0.8),
        }
        for (method, measure), need in methods.items()
        for power in (0.2, 0.5, 0.8, 0.95)
    ]
    return cf.Table.from_rows(rows, tuple(rows[0]), caption="impressions")


POWER = curve(
    {("balanced", "wins"): 150, ("team-draft", "wins"): 300, ("A/B", "clicks"): 4000, ("A/B", "clicked"): 9000}
)

TABLES = {"interleaved": THREE, "sensitivity": POWER}

SAID = {
    "interleaved": {
        "new over old",
        "old over third",
        "new over third",
        "Δ: proportion of users that it wins, minus one half",
    },
    "sensitivity": {"impressions", "power", "balanced", "team-draft", "A/B test on clicks", "A/B test on clicked"},
}
