"""Tables for the charts of crowd labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import cranfield as cf

WORKERS = ("worker", "kind", "labels", "accuracy", "low", "high", "spammer", "why")


def workers(rows: Sequence[tuple[Any, ...]]) -> cf.Table:
    """Rows of worker, kind, labels, accuracy, spammer, why; intervals of .1 to either side."""
    full = [
        (name, kind, n, share, max(share - 0.1, 0), min(share + 0.1, 1), bad, why)
        for name, kind, n, share, bad, why in rows
    ]
    made = [dict(zip(WORKERS, row, strict=True)) for row in full]
    return cf.Table.from_rows(made, WORKERS, caption="workers beside labels merged by mace")


FOUR = [
    ("ann", "person", 100, 0.9, False, None),
    ("bob", "person", 60, 0.7, False, None),
    ("spam", "person", 20, 0.4, True, "always 1: others choose otherwise for 12 of 20"),
    ("llm", "machine", 20, 0.8, False, None),
]

AGGREGATIONS = ("method", "items", "tied", "changed", "accuracy", "low", "high", "gold", "likelihood", "rounds")


def aggregations(rows: Mapping[str, tuple[int, float | None]], gold: int = 50) -> cf.Table:
    """Of each method how many of 200 items it changes, and its accuracy; ten items are tied."""
    full = [
        (method, 200, 10, changed, share, share and share - 0.1, share and share + 0.1, gold, None, None)
        for method, (changed, share) in rows.items()
    ]
    return cf.Table.from_rows([dict(zip(AGGREGATIONS, row, strict=True)) for row in full], AGGREGATIONS)


JUDGED = {"mace": (20, 0.7), "majority": (0, 0.66), "glad": (31, 0.72)}

ORDERS = ("method", "run", "measure", "value", "rank", "rank_change")


def orders(ranks: Mapping[str, Sequence[int | None]], measure: str = "AP") -> cf.Table:
    """Ranks of runs a, b, c, … under each method."""
    rows = [
        {"method": method, "run": run, "measure": measure, "value": 0.5, "rank": rank, "rank_change": 0}
        for method, each in ranks.items()
        for run, rank in zip((f"run {i}" for i in range(len(each))), each, strict=True)
    ]
    return cf.Table.from_rows(rows, ORDERS)


THREE = {"mace": (1, 2, 3, 4), "majority": (1, 3, 4, 2), "gold": (2, 1, 3, 4)}

NOISE = ("run", "measure", "value", "low", "high", "rank", "rank_low", "rank_high")


def noise(rows: Sequence[tuple[float, float, float, int | None, int | None]]) -> cf.Table:
    """Value, low, high, and the ranks between which a run lies; the best first."""
    full = [dict(zip(NOISE, (f"run{i}", "AP", *row[:3], i + 1, *row[3:]), strict=True)) for i, row in enumerate(rows)]
    return cf.Table.from_rows(full, NOISE, caption="values when drawn again, 9 draws")


CONFUSION = ("machine", "people", "said", "labels", "share")

# People's 0: 60 of 80 the same; people's 1: 15 of 20; so 75% equal, 20% more, 5% less.
COUNTS = ((60, 20), (5, 15))


def confusion(machines: Mapping[str, Sequence[Sequence[int]]]) -> cf.Table:
    """Items by machine, grade of people, grade of the machine."""
    rows = [
        dict(zip(CONFUSION, (machine, people, said, n, n / sum(row)), strict=True))
        for machine, counts in machines.items()
        for people, row in enumerate(counts)
        for said, n in enumerate(row)
    ]
    return cf.Table.from_rows(rows, CONFUSION)


STOPPING = ("delta", "most", "labels", "per_item", "stopped", "error", "low", "high", "all_error")


def stopping(rows: Sequence[tuple[float, int, float]], every: float | None = 0.1) -> cf.Table:
    """Delta, labels of 100 items, error."""
    full = [(d, 10, n, n / 100, 0.5, e, e - 0.05, e + 0.05, every) for d, n, e in rows]
    made = [dict(zip(STOPPING, row, strict=True)) for row in full]
    return cf.Table.from_rows(made, STOPPING, caption="stopping early among 1,000 labels")


STRENGTHS = ("topic", "document", "strength", "low", "high", "wins", "losses", "ties", "rank")


def strengths(topics: Mapping[str, Sequence[tuple[float | None, float]]]) -> cf.Table:
    """Of each topic the strengths of its documents and how far their intervals reach; the strongest first."""
    rows = [
        (topic, f"{topic}-d{i}", s, s and s - reach, s and s + reach, 1, 1, 0, None if s is None else i + 1)
        for topic, each in topics.items()
        for i, (s, reach) in enumerate(each)
    ]
    return cf.Table.from_rows([dict(zip(STRENGTHS, row, strict=True)) for row in rows], STRENGTHS)


CLEAR, CLOSE = [(1.0, 0.2), (0.2, 0.3), (-1.2, 0.3)], [(1.0, 0.6), (0.2, 0.3), (-1.2, 0.3)]  # .8 > .5, .4 < .5

TABLES = {
    "workers": workers(FOUR),
    "aggregations": aggregations(JUDGED),
    "label-orders": orders(THREE),
    "label-noise": noise([(0.9, 0.8, 0.95, 1, 2), (0.85, 0.8, 0.9, 1, 2), (0.4, 0.3, 0.5, 3, 3)]),
    "machines": confusion({"llm": COUNTS, "big": ((9, 1), (0, 10))}),
    "stopping": stopping([(0.01, 900, 0.1), (0.05, 500, 0.108), (0.2, 200, 0.3)]),
    "strengths": strengths({"t1": CLEAR, "t2": CLOSE, "t3": CLOSE}),
}

SAID = {
    "workers": {"labels of the worker", "equal to the merged labels", "as if without looking", "machine", "spam"},
    "aggregations": {"right on gold items", "changed", "tied", *JUDGED},
    "label-orders": {"run 0 · 1", "2 · run 0", *THREE},
    "label-noise": {"AP", "value", "ranks drawn", "run0", "run2", "1–2"},
    "machines": {"grade by people", "grade by the LLM judge", "llm", "big"},
    "stopping": {"labels asked for", "error", "all labels", "δ .05"},
    "strengths": {"strength", "t1", "t1-d0", "t3-d2"},
}
