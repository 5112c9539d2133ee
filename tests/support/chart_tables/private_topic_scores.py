"""Tables for the chart of the private-topic scores that teams saw."""

from typing import Any

import cranfield as cf

RUNS = {
    "a1": [0.5, 0.5, 0.5, 0.5],
    "b1": [0.9, 0.8, 0.9, 0.8],
    "a2": [0.6, 0.6, 0.6, 0.4],
    "a3": [0.7, 0.6, 0.6, 0.4],
}

ENTRIES = {"run": list(RUNS), "group": ["a", "b", "a", "a"]}


def released(runs: dict[str, Any], **options: Any) -> cf.Table:
    return cf.ladder(runs, decimals=3, **options)["released"]


TABLES = {"released": released(RUNS, entries=ENTRIES)}

SAID = {"released": {"value", "submissions of the team", "a", "b", "line: what the team saw"}}
