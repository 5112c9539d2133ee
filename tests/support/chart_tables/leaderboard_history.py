"""Tables for the chart of a leaderboard over time."""

from datetime import date, timedelta

import numpy as np

import cranfield as cf


def history(runs: int, *, tested: bool = False, seed: int = 2) -> cf.Table:
    """Runs that grow better; the first two are baselines."""
    draw = np.random.default_rng(seed)
    means = 0.3 + 0.12 * (1 - np.exp(-np.arange(runs) / runs * 3)) + draw.normal(0, 0.02, runs)
    best = max(means[:2])
    rows = []
    for i in range(runs):
        kind = "baseline" if i < 2 else "sota" if means[i] > best else "run"
        best = max(best, means[i])
        day = date(2020, 8, 1) + timedelta(days=round(540 * i / runs))
        rows.append({"run": f"system {i + 1}", "group": "g", "date": day, "mean": float(means[i]), "kind": kind})
        if tested:
            rows[-1]["significant"] = bool(i % 2) if kind == "sota" else None
    return cf.Table.from_rows(rows, list(rows[0]))


TABLES = {"sota": history(60, tested=True)}
