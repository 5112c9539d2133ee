"""Analysis of variance with replicates, which separates the topic × system interaction from error."""

from itertools import combinations
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np

from cranfield.core import ParameterError
from cranfield.core.types import Cube

from .variance_analysis import Anova, rounding, scaled_values, squares, table

# Replicates as mere repetitions, as a source of their own, or as one that meets topics and systems.
Replicates: TypeAlias = Literal["repeated", "factor", "interacting"]
AXES = ("replicate", "topic", "system")
ORDER = ("topic", "system", "replicate", "topic×system", "topic×replicate", "system×replicate")
ROWS: dict[Replicates, tuple[str, ...]] = {
    "repeated": ("topic", "system", "topic×system"),
    "factor": ("topic", "system", "replicate", "topic×system"),
    "interacting": ORDER,
}


def replicated_anova(cube: Cube, *, replicates: Replicates = "repeated") -> Anova:
    """The analysis of values (replicate, topic, run): topic, system, topic × system, and the error within them.

    ``repeated`` takes replicates for repetitions under the same conditions, as for seeds or variants of a query;
    ``factor`` gives them a row, as for shards that are harder or easier; ``interacting`` also topic × replicate and
    system × replicate, so that only topic × system × replicate is error. These are the models MD3, MD4 and MD6 of
    ferro2019shards, which faggioli2021 compares. Every source is fixed, and every F divides by the error.
    """
    if replicates not in ROWS:
        hint = f"there are: {', '.join(ROWS)}"
        raise ParameterError(f"replicates cannot be {replicates!r}", hint=hint)
    cube, unit = scaled_values(check_cube(cube))
    tiny = rounding(cube)
    size = dict(zip(AXES, cube.shape, strict=True))
    effect = _effects(cube)
    parts: dict[str, tuple[float, float]] = {}
    for name in ROWS[replicates]:
        of = name.split("×")
        repeats = cube.size / np.prod([size[axis] for axis in of])
        parts[name] = (repeats * squares(effect[name], tiny), int(np.prod([size[axis] - 1 for axis in of])))
    mean = cube.mean()
    explained = mean + sum(effect[name] for name in parts)
    df = cube.size - 1 - sum(df for _, df in parts.values())
    error = squares(cube - explained, tiny)
    rows = table(parts, error, df, squares(cube - mean, tiny), cube.size, unit)
    means = unit * cube.mean(axis=(0, 1))
    return Anova(rows, means, unit * sqrt(error / df), df, size["topic"], size["replicate"])


def check_cube(cube: Cube, *, fewest: int = 2) -> Cube:
    """Values (replicate, topic, run), refused unless there are enough of each and none is missing."""
    cube = np.asarray(cube, dtype=float)
    if cube.ndim != 3 or cube.shape[0] < fewest or min(cube.shape[1:]) < 2:
        shape = " × ".join(map(str, cube.shape))
        hint = "give two replicates, two topics and two runs or more"
        raise ParameterError(f"values of shape {shape} are too few to analyse", hint=hint)
    if np.isnan(cube).any():
        places = zip(("replicate", "topic", "run"), np.argwhere(np.isnan(cube))[0], strict=True)
        where = ", ".join(f"{axis} {place}" for axis, place in places)
        hint = "every topic needs every replicate of every run: fill it in, or leave the topic out"
        raise ParameterError(f"there is no value at {where} (from 0)", hint=hint)
    return cube


def _effects(cube: Cube) -> dict[str, Cube]:
    """What each axis, and each two of them, add to the mean; shaped so that they can be added up."""
    mean = cube.mean()
    axes = dict(zip(AXES, range(3), strict=True))
    others = {axis: tuple(place for name, place in axes.items() if name != axis) for axis in AXES}
    effect = {axis: cube.mean(axis=others[axis], keepdims=True) - mean for axis in AXES}
    for a, b in combinations(("topic", "system", "replicate"), 2):
        third = next(place for name, place in axes.items() if name not in (a, b))
        effect[f"{a}×{b}"] = cube.mean(axis=third, keepdims=True) - mean - effect[a] - effect[b]
    return effect
