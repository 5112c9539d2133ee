"""Tables for the charts of measurement scales."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, product
from math import log2
from typing import Any

import cranfield as cf

Number = Fraction | float


def hits(ranking: str) -> list[int]:
    return [int(grade) for grade in ranking]


def average_precision(ranking: str) -> Fraction:
    rel = hits(ranking)
    precisions = [Fraction(sum(rel[: i + 1]), i + 1) for i, hit in enumerate(rel) if hit]
    return sum(precisions, Fraction()) / len(rel)


def reciprocal_rank(ranking: str) -> Fraction:
    return Fraction(1, ranking.index("1") + 1) if "1" in ranking else Fraction()


# As in ferro2024, Fig. 19: as many documents are relevant as a ranking has.
MEASURES: dict[str, Callable[[str], Number]] = {
    "P@4": lambda r: Fraction(sum(hits(r)), len(r)),
    "R@4": lambda r: Fraction(sum(hits(r)), len(r)),
    "AP@4": average_precision,
    "RR@4": reciprocal_rank,
    "RBP(p=0.3)@4": lambda r: sum(Fraction(7, 10) * Fraction(3, 10) ** i * hit for i, hit in enumerate(hits(r))),
    "RBP(p=0.5)@4": lambda r: sum(Fraction(1, 2) ** (i + 1) * hit for i, hit in enumerate(hits(r))),
    "RBP@4": lambda r: sum(Fraction(1, 5) * Fraction(4, 5) ** i * hit for i, hit in enumerate(hits(r))),
    "DCG@4": lambda r: sum(hit / log2(i + 2) for i, hit in enumerate(hits(r))),
}


def rows(measure: str, found: Iterable[tuple[str, Number]]) -> list[dict[str, Any]]:
    """A row for each value, the highest first, with all of its rankings."""
    by_value: dict[Number, list[str]] = {}
    for ranking, value in found:
        by_value.setdefault(value, []).append(ranking)
    values = sorted(by_value)
    gaps = [float(high - low) for low, high in pairwise(values)] + [None]
    return [
        {"measure": measure, "value": float(value), "runs": len(by_value[value]), "gap": gap}
        | {"rankings": " ".join(by_value[value][:8]) + " …" * (len(by_value[value]) > 8)}
        for value, gap in zip(values, gaps, strict=True)
    ][::-1]


def table(rows: list[dict[str, Any]], notes: tuple[str, ...] = (), caption: str = "") -> cf.Table:
    return cf.Table.from_rows(rows, ["measure", "value", "runs", "gap", "rankings"], notes=notes, caption=caption)


def spacing(*measures: str, length: int = 4, caption: str = "") -> cf.Table:
    """The values of measures on all rankings of 0 and 1."""
    rankings = ["".join(ranking) for ranking in product("10", repeat=length)]
    found = [rows(name, ((r, MEASURES[name](r)) for r in rankings)) for name in measures]
    return table([row for each in found for row in each], caption=caption)


def changed(*rows: tuple[str, str, int, int, int, int, int]) -> cf.Table:
    """Rows of from, to, pairs, both, gained, lost, reversed."""
    names = ("from", "to", "pairs", "both", "gained", "lost", "reversed")
    whole: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in rows]
    full = [{**row, "neither": row["pairs"] - row["both"] - row["gained"] - row["lost"]} for row in whole]
    return cf.Table.from_rows(full, [*names[:-1], "neither", "reversed"])


MAPPED = ("AP@10, t", "interval(AP@10), t", 100, 42, 5, 3, 2)

SIGNED = ("AP@10, t", "AP@10, sign", 100, 30, 1, 15, 0)

TABLES = {"spacing": spacing(*MEASURES), "changes": changed(MAPPED, SIGNED)}

SAID = {
    "spacing": {"P@4", "16 values", "steps of .250", "1110 1101", "equal steps", "unequal steps", "2.56"},
    "changes": {"significant both ways", "AP@10, t → AP@10, sign", "1 gained and 15 lost", "pairs of runs"},
}
