"""Tables for the charts that count topics run by run."""

from typing import Any

import cranfield as cf


def answers(counts: dict[str, tuple[int, int | None, int]]) -> cf.Table:
    """From the topics each run answers, only unjudged documents could answer, and are unanswered."""
    columns: dict[str, Any] = {"run": list(counts), "topics": [sum(n or 0 for n in found) for found in counts.values()]}
    for i, name in enumerate(("answered", "only_unjudged", "unanswered")):
        columns[name] = [found[i] for found in counts.values()]
    return cf.Table(columns)


def against(counts: dict[str, tuple[int, int, int, float | None]]) -> cf.Table:
    """From the topics each run wins, ties and loses against bm25, and p."""
    columns: dict[str, Any] = {"run": list(counts), "baseline": ["bm25"] * len(counts)}
    for i, name in enumerate(("win", "tie", "loss", "p")):
        columns[name] = [found[i] for found in counts.values()]
    return cf.Table(columns)


SIMPLE = answers({"dense": (48, 0, 2), "bm25": (30, 5, 15)})

BESIDE = against({"dense": (30, 10, 10, 0.0005), "both": (20, 10, 20, 1.0), "random": (1, 0, 49, None)})

TABLES = {"answers": SIMPLE, "against": BESIDE}

SAID = {
    "answers": {"answered", "only unjudged", "unanswered", "topics", "dense", "48", "15"},
    "against": {"won", "tied", "lost", "topics", "dense", "p ≤ .001", "49"},
}
