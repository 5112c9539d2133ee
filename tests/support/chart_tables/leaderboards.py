"""Tables for the charts of a leaderboard."""

import numpy as np

import cranfield as cf


def names(runs: int) -> list[str]:
    return [f"system-{i + 1}" for i in range(runs)]


def stability(runs: int, spread: float = 1.5, seed: int = 3) -> cf.Table:
    """How often runs take ranks when noise is added to their means."""
    noise = np.random.default_rng(seed).normal(0, spread, (2000, runs))
    ranks = (np.arange(runs) + noise).argsort(axis=1).argsort(axis=1)
    rows = [
        {"run": name, "rank": rank + 1, "share": share}
        for i, name in enumerate(names(runs))
        for rank, share in enumerate(np.bincount(ranks[:, i], minlength=runs) / 2000)
        if share
    ]
    return cf.Table.from_rows(rows, ["run", "rank", "share"])


def ranks(runs: int, *, letters: bool = True) -> cf.Table:
    """A board whose neighbours cannot be told apart."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    means = np.linspace(0.45, 0.12, runs)
    groups = [i * 8 // runs for i in range(runs)]
    return cf.Table(
        {
            "run": names(runs),
            "group": [f"team{i % 5}" for i in range(runs)],
            "mean": means,
            "low": means - 0.03,
            "high": means + 0.03,
            "rank": [1 + g for g in groups],
            "rank_low": [max(1, i) for i in range(runs)],
            "rank_high": [min(runs, i + 2 + i // 10) for i in range(runs)],
            "rank_mean": [i + 1.0 for i in range(runs)],
            "p_first": [0.7**i * 0.3 for i in range(runs)],
            "letters": [alphabet[g : g + 1 + (i % 3 == 0)] if letters else None for i, g in enumerate(groups)],
        },
        "board",
    )


def facets(runs: int, seed: int = 5) -> cf.Table:
    """Runs that trade answered topics for ranks."""
    draw = np.random.default_rng(seed)
    answered = draw.beta(9, 2, runs)
    esl = 2 + 9 * answered + draw.gamma(2, 2, runs)
    return cf.Table(
        {
            "run": names(runs),
            "group": ["g"] * runs,
            "rank": list(range(1, runs + 1)),
            "answered": answered,
            "esl": esl,
            "rr": 1 / esl,
            "better": [0] * runs,
            "worse": [0] * runs,
        }
    )


def condition_ranks(runs: int, conditions: int = 4, seed: int = 9) -> cf.Table:
    """Ranks that are the less sure the later the condition."""
    draw = np.random.default_rng(seed)
    rows = []
    for c in range(conditions):
        shift = draw.normal(0, 1.2 * c, runs)
        noise = draw.normal(0, 0.4 + 0.05 * runs * c, (1000, runs))
        placed = (np.arange(runs) + shift + noise).argsort(axis=1).argsort(axis=1)
        condition = (
            "public, RR",
            "public, nDCG@10",
            "private, RR",
            "private, nDCG@10",
            "private TREC, RR",
            "private TREC, nDCG@10",
        )[c]
        rows += [
            {"condition": condition, "run": name, "rank": rank + 1, "share": share}
            for i, name in enumerate(names(runs))
            for rank, share in enumerate(np.bincount(placed[:, i], minlength=runs) / 1000)
            if share
        ]
    return cf.Table.from_rows(rows, ["condition", "run", "rank", "share"])


def moves(runs: int, seed: int = 4) -> cf.Table:
    """Ranks of which some change."""
    draw = np.random.default_rng(seed)
    private = (np.arange(runs) + draw.normal(0, 0.12 * runs, runs)).argsort().argsort() + 1
    public = np.arange(runs) + 1
    return cf.Table(
        {
            "run": names(runs),
            "group": ["g"] * runs,
            "public_rank": public,
            "private_rank": private,
            "move": public - private,
            "public": 1.0 / public,
            "private": 1.0 / private,
        }
    )


TABLES = {
    "stability": stability(8),
    "board": ranks(12),
    "facets": facets(20),
    "public-private": condition_ranks(12),
    "moves": moves(20),
}

SAID = {
    "stability": {"rank", "system-1", "system-8"},
    "board": {"mean", "letters", "ranks", "system-12", "1–2"},
    "facets": {"proportion of topics answered", "mean rank of the first relevant document"},
    "public-private": {"public, RR", "private, nDCG@10", "rank", "system-1", "system-12"},
    "moves": {"public", "private", "system-1 · 1"},
}
