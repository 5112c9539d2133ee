"""Tables for the charts of pools."""

from collections.abc import Mapping, Sequence
from typing import Any

import cranfield as cf
from cranfield.charts.chart_text import FIXED


def recall(lines: Mapping[str, Sequence[float]], step: int = 100, total: int = 1_000) -> cf.Table:
    """Shares of the relevant documents after 0, 100, 200, … judgments."""
    rows = [
        {"strategy": name, "judgments": i * step, "relevant": round(share * total), "recall": share}
        for name, shares in lines.items()
        for i, share in enumerate(shares)
    ]
    return cf.Table.from_rows(rows, ("strategy", "judgments", "relevant", "recall"), caption="found")


def order(lines: Mapping[str, Sequence[tuple[float | None, float | None]]], budgets: Sequence[int]) -> cf.Table:
    """For each strategy τ and the share of significant pairs kept, budget by budget."""
    rows = [
        {"strategy": name, "judgments": 30 * budget, "per_topic": budget, "tau": tau, "kept": kept}
        for name, cells in lines.items()
        for budget, (tau, kept) in zip(budgets, cells, strict=False)
    ]
    return cf.Table.from_rows(rows, ("strategy", "judgments", "per_topic", "tau", "kept"))


def bias(lines: Mapping[str, Sequence[float]], judgments: Sequence[int] = (300, 800, 2_000), **more: Any) -> cf.Table:
    """For each strategy mean differences, budget by budget; their size is the same without its sign."""
    rows = [
        {"strategy": name, "judgments": n, "difference": x, "absolute": abs(x), "largest": 2 * x, "moved": 1.25}
        | {"unjudged": 0.5, **more}
        for name, cells in lines.items()
        for n, x in zip(judgments, cells, strict=False)
    ]
    columns = ("strategy", "judgments", "difference", "absolute", "largest", "moved", "unjudged")
    return cf.Table.from_rows(rows, columns, caption="what a run's AP loses")


def reuse(groups: Mapping[str, tuple[int, float, float]], total: int = 1_000, **more: Any) -> cf.Table:
    """For each group its unique documents, the mean change of its runs, and the largest."""
    rows = [
        {"group": name, "runs": 2, "unique": unique, "share": unique / total, "difference": mean, "largest": largest}
        | {"moved": 2, "tau": 0.97, **more}
        for name, (unique, mean, largest) in groups.items()
    ]
    columns = ("group", "runs", "unique", "share", "difference", "largest", "moved", "tau")
    return cf.Table.from_rows(rows, columns, caption="AP under the pool")


def unjudged(runs: Mapping[str, Sequence[float | None]], cuts: Sequence[int] = (5, 10, 20)) -> cf.Table:
    """For each run the share that is unjudged, cut-off by cut-off."""
    rows = [
        {"run": name, "group": None, "k": k, "unjudged": 0, "share": share}
        for name, shares in runs.items()
        for k, share in zip(cuts, shares, strict=True)
    ]
    return cf.Table.from_rows(rows, ("run", "group", "k", "unjudged", "share"))


def costs(rows: Sequence[tuple[int, int, int]], minutes: float | None = None, topics: int = 10) -> cf.Table:
    """Depth, documents, and how many of them are new."""
    full: list[dict[str, Any]] = [
        {"depth": depth, "documents": documents, "new": new, "per_topic": documents / topics, "largest": documents}
        | {"hours": None if minutes is None else new * minutes / 60}
        for depth, documents, new in rows
    ]
    return cf.Table.from_rows(full, ("depth", "documents", "new", "per_topic", "largest", "hours"), caption="a pool")


STRATEGIES = {
    "random": [0.0, 0.2, 0.4, 0.7, 1.0],
    "depth": [0.0, 0.3, 0.5, 0.8, 1.0],
    "nrg": [0.0, 0.4, 0.7, 0.9, 1.0],
    "maxmean": [0.0, 0.45, 0.7, 0.9, 1.0],
    "hedge(b=.9)": [0.0, 0.5, 0.75, 0.9, 1.0],
    "ucb": [0.0, 0.35, 0.6, 0.85, 1.0],
}

BUDGETS = (5, 20, 80)

ORDERS: dict[str, list[tuple[float | None, float | None]]] = {
    "random": [(0.7, 0.2), (0.8, 0.5), (1.0, 1.0)],
    "depth": [(0.3, 0.1), (0.85, 0.6), (1.0, 1.0)],
    "nrg": [(0.8, 0.3), (0.95, 0.8), (1.0, 1.0)],
    "maxmean": [(0.75, 0.3), (0.9, 0.9), (1.0, 1.0)],
}

BIASES = {"depth": [-0.08, -0.05, -0.02], "nrg": [-0.06, -0.03, -0.01], "random": [-0.05, -0.04, 0.005]}

GROUPS = {"aurora": (120, -0.02, -0.03), "basalt": (30, -0.005, -0.04), "cedar": (0, 0.0, 0.0)}

SHARES: dict[str, list[float | None]] = {"bm25": [0.0, 0.1, 0.3], "dense": [0.5, 0.7, 0.9], "both": [0.2, 0.3, 0.4]}

DEPTHS = ((5, 100, 20), (10, 180, 60), (100, 1_500, 900))

TABLES = {
    "recall": recall(STRATEGIES),
    "pool-order": order(ORDERS, BUDGETS),
    "pool-bias": bias(BIASES),
    "reuse": reuse(GROUPS),
    "unjudged": unjudged(SHARES),
    "costs": costs(DEPTHS, 2),
}

SAID = {
    "recall": {
        "judgments",
        "relevant documents found",
        "with 100 judgments",
        "hedge(b=.9) 50%",
        "depth 30%",
    },
    "pool-order": {"τ", "judgments per topic", "significant pairs kept", "nrg .95", "maxmean 90%", "τ = .9"},
    "pool-bias": {"mean difference", "size", "ranks", "nrg", ".030", "1.2", "800 judgments"},
    "reuse": {"unique relevant documents", "change of the value", "ranks", "aurora", "120"},
    "unjudged": {"first documents of a run", "dense", "70%", "10"},
    "costs": {"documents", "depth 5", f"20 new of 100, 0.7{FIXED}h", "new", "judged already"},
}
