"""Leaderboard tables of simulated values, and a reference Holm correction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import Direction, Table
from cranfield.data import Values, read_scores
from cranfield.data.values.value_cube import Given
from cranfield.stats import (
    Asked,
    Holm,
    RankStability,
    T,
    TInterval,
    board_tables,
    rank_stability,
)


def made(matrix: Any, names: Sequence[str] = "", direction: Direction | None = None) -> Values:
    """Values of runs named a, b, c, … over topics."""
    matrix = np.asarray(matrix, dtype=float)
    runs = names or [chr(ord("a") + run) for run in range(matrix.shape[1])]
    found = read_scores({run: np.nan_to_num(column).tolist() for run, column in zip(runs, matrix.T, strict=True)})
    return replace(found, measures=(Given("M", direction=direction),), counted=~np.isnan(matrix).T)


def boards(values: Values, stability: RankStability | None = None, **options: Any) -> dict[str, Table]:
    lower = values.measures[0].direction is Direction.LOWER
    stable = stability or rank_stability(values.matrix(), draws=500, lower_is_better=lower)
    how: dict[str, Any] = {"test": T(), "correction": Holm(), "interval": TInterval(), "asked": Asked()}
    return board_tables(values, "M", stable, **(how | options))


def simulated(topics: int = 40, runs: int = 7, seed: int = 4) -> Any:
    rng = np.random.default_rng(seed)
    worth = rng.permutation(np.linspace(0, 1.2, runs))
    return rng.normal(size=(topics, 1)) + worth + rng.normal(size=(topics, runs))


def holm(p: list[float]) -> list[float]:
    """The smallest times N, the next times N − 1, and none below the one before."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, least = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        least = max(least, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = least
    return adjusted
