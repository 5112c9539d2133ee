"""Tables for the charts of what a run adds to others."""

from datetime import date, timedelta
from typing import Any

import numpy as np

import cranfield as cf

SCATTERS = {"novelty": "nrg", "unique": "unique", "rareness": "rareness", "tasc": "tasc"}


def novelty(runs: int, groups: int = 4, *, name: str = "system-{}", seed: int = 1) -> cf.Table:
    """Runs that add the more the better they are; three of the weak ones add far more than that."""
    draw = np.random.default_rng(seed)
    value = np.sort(draw.beta(5, 4, runs))[::-1]
    nrg = value * draw.uniform(0.3, 0.5, runs)
    nrg[3 * runs // 4 :][:3] *= 1.8
    return cf.Table(
        {
            "run": [name.format(i + 1) for i in range(runs)],
            "group": [f"team{i % groups}" if groups else None for i in range(runs)],
            "date": [None] * runs,
            "measure": ["nDCG@10"] * runs,
            "value": value,
            "nrg": nrg,
            "low": nrg - 0.02,
            "high": nrg + 0.02,
            "unique": 5 * nrg,
            "unique_total": 250 * nrg,
            "tasc": nrg / 2,
            "tasc_mean": nrg / 1.5,
            "rareness": value + nrg,
            "prior": ["best-per-group"] * runs,
            "priors": [groups] * runs,
            "seen_out": [0] * runs,
        }
    )


def chronology(runs: int, *, name: str = "system-{}", days: int = 900) -> cf.Table:
    """Runs that grow better, and add the less the later they come."""
    rows = novelty(runs, name=name).rows()
    rows.sort(key=lambda row: float(str(row["value"])))
    for i, row in enumerate(rows):
        nrg = float(str(row["value"])) / (1 + 6 * i / runs)
        row |= {"nrg": nrg, "low": nrg, "high": nrg, "prior": "chronological", "priors": i}
        row["date"] = date(2020, 1, 1) + timedelta(days=days * i // runs)
    return cf.Table.from_rows(rows, list(rows[0]))


def ensemble(runs: int, *, name: str = "system-{}") -> cf.Table:
    """A fusion that first grows better and then worse."""
    step = np.arange(1, runs + 1)
    names = [name.format(i) for i in step]
    fused = 0.4 + 0.12 * (1 - np.exp(-(step - 1) / 3)) - 0.1 * (step - 1) / runs
    by_value = 0.4 + 0.07 * (1 - np.exp(-(step - 1) / 5)) - 0.05 * (step - 1) / runs
    columns: dict[str, Any] = {"step": step, "run": names, "value": 0.4 / step, "nrg": 0.3 / step, "fused": fused}
    return cf.Table({**columns, "by_value_run": names, "by_value": by_value, "best": [0.4] * runs})


def pool(runs: int, *, name: str = "system-{}") -> cf.Table:
    """Runs that find fewer new documents the later they come."""
    step = np.arange(1, runs + 1)
    names = [name.format(i) for i in step]
    share, by_value = ((1 - np.exp(-rate * step / runs)) / (1 - np.exp(-rate)) for rate in (5, 2))
    columns: dict[str, Any] = {
        "step": step,
        "run": names,
        "new": 100 // step,
        "found": (1000 * share).astype(int),
        "share": share,
    }
    return cf.Table({**columns, "documents": 200 * step, "by_value_run": names, "by_value_share": by_value})


TABLES = {
    **dict.fromkeys(SCATTERS, novelty(22)),
    "chronology": chronology(12),
    "ensemble": ensemble(8),
    "pool-runs": pool(8),
}

SAID = {
    "novelty": {"nDCG@10", "NRG(nDCG@10)", "team0", "team3"},
    "unique": {"nDCG@10", "unique relevant documents per topic", "team3"},
    "rareness": {"nDCG@10", "rareness-based precision", "team3"},
    "tasc": {"nDCG@10", "TaSC(nDCG@10)", "team3"},
    "chronology": {"value", "nDCG@10", "NRG", "first", "system-12, 2020-01"},
    "ensemble": {"value of the fusion", "chosen by NRG", "in order of value", "best single run", "system-8"},
    "pool-runs": {"relevant documents found", "chosen by new documents", "in order of value", "95%", "system-8"},
}
