"""Tables for the charts of robustness checks."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

import cranfield as cf
from cranfield.stats import Agreement


def collections(n: int, *, pooled: bool = True, seed: int = 6) -> cf.Table:
    """Differences on collections of unequal size, and all of them together."""
    draw = np.random.default_rng(seed)
    topics = draw.integers(20, 400, n)
    half = 0.4 / np.sqrt(topics)
    difference = 0.02 + draw.normal(0, half / 2)
    weight = 1 / half**2
    rows = [
        {"a": "bm25", "b": "dense", "measure": "nDCG@10", "collection": f"collection {i + 1}", "topics": int(topics[i])}
        | {"difference": difference[i], "low": difference[i] - half[i], "high": difference[i] + half[i], "p": 0.5}
        | {"weight": weight[i] / weight.sum()}
        for i in range(n)
    ]
    if pooled:
        middle = float((difference * weight).sum() / weight.sum())
        rows.append(
            {**rows[0], "collection": "pooled", "topics": int(topics.sum()), "difference": middle, "weight": 1.0}
        )
        rows[-1] |= {"low": middle - 0.01, "high": middle + 0.01}
    return cf.Table.from_rows(rows, list(rows[0]))


def cost(runs: int, seed: int = 8) -> cf.Table:
    """Runs that are worth the more the more they cost, roughly."""
    draw = np.random.default_rng(seed)
    value = 10 ** draw.uniform(0.5, 3.5, runs)
    mean = 0.2 + 0.07 * np.log10(value) + draw.normal(0, 0.03, runs)
    front = [not any((value <= value[i]) & (mean >= mean[i]) & (np.arange(runs) != i)) for i in range(runs)]
    return cf.Table(
        {
            "run": [f"system-{i + 1}" for i in range(runs)],
            "group": ["g"] * runs,
            "mean": mean,
            "cost": ["latency (ms)"] * runs,
            "value": value,
            "front": front,
        }
    )


def flips(tau: list[float], measure: str = "AP") -> cf.Table:
    shares = [0.05 * i for i in range(len(tau))]
    return cf.Table(
        {
            "measure": [measure] * len(tau),
            "share": shares,
            "draws": [20] * len(tau),
            "tau": tau,
            "low": [t - 0.2 * s for t, s in zip(tau, shares, strict=True)],
            "high": [min(1, t + 0.2 * s) for t, s in zip(tau, shares, strict=True)],
            "tau_ap": tau,
            "first_stays": [1.0] * len(tau),
        }
    )


def sizes(tau: list[float], step: int = 5) -> cf.Table:
    n = len(tau)
    return cf.Table(
        {
            "topics": [step * (i + 1) for i in range(n)],
            "tau": tau,
            "low": [t - 0.3 / (i + 1) for i, t in enumerate(tau)],
            "high": [min(1, t + 0.1 / (i + 1)) for i, t in enumerate(tau)],
            "first_stays": [1.0] * n,
        }
    )


AGREEMENT = {  # craswell2021msmarco, Table 4a: agree, in part, disagree, significant
    ("sign", "mean"): (0.933, 0.03, 0.037, 0.95),
    ("rank-sum", "mean"): (0.921, 0.03, 0.049, 0.797),
    ("signed-rank", "mean"): (0.912, 0.03, 0.058, 0.927),
    ("t", "mean"): (0.917, 0.03, 0.053, 0.798),
    ("sign", "median"): (0.802, 0.161, 0.037, 0.95),
    ("rank-sum", "median"): (0.812, 0.161, 0.027, 0.797),
    ("signed-rank", "median"): (0.807, 0.161, 0.032, 0.927),
}


def agreement(numbers: Mapping[tuple[str, str], tuple[float, ...]] = AGREEMENT) -> cf.Table:
    """Table of agreement, as if every partial agreement were significant in one half."""
    rows = []
    for (test, aggregate), (agree, partial, disagree, significant) in numbers.items():
        separated = significant - partial - disagree
        of_significant = [separated / significant, disagree / significant] if significant else [None, None]
        rows.append(["RR", test, aggregate, agree, partial, disagree, significant, 0, *of_significant, separated])
    columns = ("measure", "test", "aggregate", *Agreement._fields)
    return cf.Table({name: [row[i] for row in rows] for i, name in enumerate(columns)})


def orders(measures: list[str], seed: int = 1) -> cf.Table:
    draw = np.random.default_rng(seed)
    rows = [
        {"measure_a": a, "measure_b": b, "tau": tau, "tau_ap": tau, "rbo": 0.9}
        for (a, b), tau in zip(
            combinations(measures, 2), draw.uniform(0.4, 0.98, len(measures) * (len(measures) - 1) // 2), strict=True
        )
    ]
    return cf.Table.from_rows(rows, ["measure_a", "measure_b", "tau", "tau_ap", "rbo"])


TAU = [0.6, 0.75, 0.83, 0.88, 0.91, 0.94]

MEASURES = ["AP", "nDCG@10", "RR", "P@10"]

TABLES = {
    "forest": collections(5),
    "pareto": cost(20),
    "flips": flips(TAU[::-1]),
    "sizes": sizes(TAU),
    "agreement": agreement(),
    "orders": orders(MEASURES),
}

SAID = {
    "forest": {"collection 1", "pooled", "difference in nDCG@10: dense − bm25"},
    "pareto": {"latency (ms)", "mean"},
    "flips": {"labels flipped", "τ", "τ = .9"},
    "sizes": {"topics", "τ", "τ = .9"},
    "agreement": {"separated", "other agreement", "partial", "disagree", "signed-rank, median"},
    "orders": set(MEASURES),
}
