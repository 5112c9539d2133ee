"""Tables for the charts of two runs topic by topic."""

import numpy as np

import cranfield as cf

WORDS = ("neither", "only_a", "only_b", "both")


def outcomes(counts: dict[tuple[str, str], tuple[int, int, int, int]]) -> cf.Table:
    """The outcomes of pairs from the topics that neither, only a, only b and both answer."""
    rows = [
        {"a": a, "b": b, "outcome": word, "topics": n, "share": n / sum(found), "low": None, "high": None}
        for (a, b), found in counts.items()
        for word, n in zip(WORDS, found, strict=True)
    ]
    return cf.Table.from_rows(rows, ["a", "b", "outcome", "topics", "share", "low", "high"])


def dominance(levels: dict[str, tuple[int, int, int, int]], pair: tuple[str, str] = ("bm25", "dense")) -> cf.Table:
    """Dominance of one pair from the topics on which a is ahead, both are equal, it depends, b is ahead."""
    rows = [
        {"a": pair[0], "b": pair[1], "level": level, "outcome": word, "topics": n, "share": n / sum(found)}
        for level, found in levels.items()
        for word, n in zip(("a", "equal", "incomparable", "b"), found, strict=True)
    ]
    return cf.Table.from_rows(rows, ["a", "b", "level", "outcome", "topics", "share"])


def topics(n: int, pairs: int = 1, measure: str = "nDCG@10", seed: int = 7) -> cf.Table:
    """Ranks and values of pairs of runs; some topics are not answered."""
    draw = np.random.default_rng(seed)
    columns = "a b topic outcome rank_a rank_b measure value_a value_b difference dominance".split()
    rows = []
    for pair in range(pairs):
        first, second = draw.geometric(0.06, n), draw.geometric(0.05, n)
        for i in range(n):
            x, y = (int(rank) if rank <= 100 and draw.random() > 0.12 else None for rank in (first[i], second[i]))
            a, b = (1 / rank if rank else 0.0 for rank in (x, y))
            word = {(True, True): "both", (True, False): "only_a", (False, True): "only_b"}.get(
                (bool(x), bool(y)), "neither"
            )
            rows.append(("bm25", f"dense{pair}", str(301 + i), word, x, y, measure, a, b, b - a, "incomparable"))
    return cf.Table({name: [row[i] for row in rows] for i, name in enumerate(columns)}, "topics")


LIN = outcomes({("R1", "R2"): (116, 521, 927, 4229)})  # lin2021, Table 2

TABLES = {
    "outcomes": LIN,
    "dominance": dominance({"all": (10, 5, 20, 15), "1": (12, 8, 12, 18)}),
    "topic-differences": topics(50),
    "rank-pairs": topics(50),
}

SAID = {
    "outcomes": {"only R1", "both", "neither", "only R2", "proportion of topics"},
    "dominance": {"bm25 dominates", "incomparable", "all grades", "grade ≥ 1"},
    "topic-differences": {"topics", "nDCG@10: dense0 − bm25"},
    "rank-pairs": {"rank in bm25", "rank in dense0", "none"},
}
