"""Tables for the chart of answers and their support."""

from typing import Any

import cranfield as cf

Shares = tuple[float, float, float, float | None]


def support(shares: dict[tuple[str, str], Shares], number: int = 40) -> cf.Table:
    """From what things of a kind come to in a run: in full, in part, not, and without a citation."""
    columns: dict[str, Any] = {"of": [of for of, _ in shares], "run": [run for _, run in shares]}
    for i, name in enumerate(("full", "partial", "none", "uncited")):
        columns[name] = [found[i] for found in shares.values()]
    return cf.Table({**columns, "number": [number] * len(shares), "topics": [8] * len(shares)})


SIMPLE = support(
    {
        ("vital nuggets", "long"): (0.5, 0.25, 0.25, None),
        ("vital nuggets", "short"): (0.5, 0.0, 0.5, None),
        ("okay nuggets", "short"): (0.75, 0.25, 0.0, None),
        ("okay nuggets", "long"): (0.01, 0.0, 0.99, None),
        ("sentences", "short"): (0.9, 0.0, 0.0, 0.1),
        ("sentences", "long"): (0.25, 0.25, 0.25, 0.25),
    }
)

TABLES = {"support": SIMPLE}

SAID = {
    "support": {"in full", "in part", "not", "cites nothing", "proportion", "long", "40 vital nuggets", "40 sentences"}
}
