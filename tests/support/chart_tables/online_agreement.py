"""Tables for the charts that compare online results with measures, and policies with a log."""

from typing import Any

import cranfield as cf

RUNS = ("x", "y", "z")

POINTS = ("measure", "run", "offline", "online", "online_low", "online_high")


def points(measures: dict[str, list[float]], *, half: float | None = 0.1, caption: str = "ctr beside it") -> cf.Table:
    """Runs with the outcomes .2, .4 and .6."""
    rows = [
        (measure, run, offline, online, *(None if half is None else online + side * half for side in (-1, 1)))
        for measure, several in measures.items()
        for run, offline, online in zip(RUNS, several, (0.2, 0.4, 0.6), strict=True)
    ]
    return cf.Table.from_rows([dict(zip(POINTS, row, strict=True)) for row in rows], POINTS, caption=caption)


TWO = points({"AP": [0.1, 0.2, 0.3], "ESL": [1.0, 5.0, 3.0]})

COLUMNS = ("policy", "estimator", "difference", "low", "high", "p_adjusted", "logged")


def policies(rows: list[tuple[Any, ...]]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(COLUMNS, (*row, 0.2), strict=True)) for row in rows], COLUMNS)


FOUR = policies(
    [
        ("old", "snips", -0.1, -0.2, 0.1, 0.3),
        ("old", "ips", -0.2, -0.3, 0.0, 0.1),
        ("new", "snips", 0.05, 0.01, 0.09, 0.028),
        ("new", "ips", 0.04, 0.0, 0.08, 0.1),
    ]
)

TABLES = {"bridge": TWO, "policies": FOUR}

SAID = {
    "bridge": {"AP", "ESL, less is better", "ctr"},
    "policies": {"more than the log earned, for each impression", "new", "old", "snips", "ips"},
}
