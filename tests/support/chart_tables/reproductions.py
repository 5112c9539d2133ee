"""Tables for the charts of reproduced runs."""

import cranfield as cf

BY_DEPTH = ("original", "run", "depth", "tau", "low", "high", "rbo", "rbo_low", "rbo_high")

COLUMNS = ("original", "run", "measure", "statistic", "value", "low", "high", "p")


def rankings(*rows: tuple[object, ...]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(BY_DEPTH, row, strict=True)) for row in rows], BY_DEPTH)


def statistics(*rows: tuple[object, ...]) -> cf.Table:
    return cf.Table.from_rows([dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS)


DEPTHS = rankings(
    ("theirs", "mine", 5, 0.9, 0.8, 1.0, 0.75, 0.7, 0.8), ("theirs", "mine", 100, 0.5, 0.25, 0.75, 0.6, 0.5, 0.7)
)

PAIRS = statistics(
    ("theirs", "mine", "AP", "rmse", 0.1, None, None, None),
    ("theirs", "mine", "AP", "effect-ratio", 0.75, 0.5, 1.0, None),
    ("theirs", "mine", "AP", "delta-ri", 0.125, 0.1, 0.2, None),
    ("theirs", "mine", "P@10", "effect-ratio", -0.5, None, None, None),
    ("theirs", "mine", "P@10", "delta-ri", 0.5, 0.25, 0.75, None),
)

TABLES = {"rankings-by-depth": DEPTHS, "effect-ratio": PAIRS}

SAID = {
    "rankings-by-depth": {"documents compared", "Kendall's τ union", "rank-biased overlap"},
    "effect-ratio": {"effect ratio", "ΔRI", "AP", "P@10"},
}
