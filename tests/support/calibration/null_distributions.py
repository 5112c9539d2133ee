"""Simulated values of equal runs, and differences whose mean is 0."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from cranfield.core import SEED, generator
from cranfield.stats import Pairs

Draw: TypeAlias = np.random.Generator
Sets: TypeAlias = NDArray[np.float64]  # (topic, set, run): a set is one simulated campaign


@dataclass(frozen=True)
class Data:
    """Values that look like something: a name, and how (topic, set, run) of them are drawn."""

    name: str
    make: Callable[[Draw, int, int, int], Sets]

    def __str__(self) -> str:
        return self.name


def draw_for(*words: str | int) -> Draw:
    """Random numbers that depend on these words alone."""
    return generator(SEED, "calibration", *words)


def evaluated(draw: Draw, topics: int, sets: int, runs: int) -> Sets:
    """Values between 0 and 1 as AP and nDCG have them, runs a little better from the first to the last.

    As in TREC-8 and Web 2011 half of the variance is topic, values and differences are skewed, their tails are heavy,
    and some values are 0: here one in eight, there one in forty and one in four.
    """
    topic = draw.normal(-1.5, 1.0, (topics, sets, 1))
    value = expit(topic + np.linspace(-0.4, 0.4, runs) + 0.6 * draw.standard_t(3, (topics, sets, runs)))
    return np.where(draw.random(value.shape) < np.exp(-20 * value), 0.0, value)


def normal(draw: Draw, topics: int, sets: int, runs: int) -> Sets:
    """Topic plus error, both normal: what an analysis of variance takes values for."""
    return draw.normal(size=(topics, sets, 1)) + draw.normal(size=(topics, sets, runs))


def without_topics(draw: Draw, topics: int, sets: int, runs: int) -> Sets:
    """Skewed values of runs that were tried on different topics."""
    return draw.beta(1, 3, (topics, sets, runs)).round(4)


def in_steps(steps: int) -> Callable[[Draw, int, int, int], Sets]:
    """The same, rounded to so many steps between 0 and 1: with 10 of them many values tie."""
    return lambda draw, topics, sets, runs: np.rint(evaluated(draw, topics, sets, runs) * steps) / steps


AP = Data("like AP", in_steps(10_000))
P10 = Data("like P@10", in_steps(10))
NORMAL = Data("normal", normal)
APART = Data("no topic effect", without_topics)


def real(folder: Path, name: str) -> Data:
    """Values of a real campaign: each set has two of its runs, taken at random, on all its topics."""
    values = np.loadtxt(folder / "score-matrices" / f"{name}.csv", delimiter=",", skiprows=1)

    def make(draw: Draw, topics: int, sets: int, runs: int) -> Sets:
        assert topics == len(values)
        first, step = draw.integers(values.shape[1], size=sets), draw.integers(1, values.shape[1], size=sets)
        assert runs == 2
        return values[:, np.stack([first, (first + step) % values.shape[1]], axis=1)]

    return Data(name, make)


def exchange(draw: Draw, values: Sets) -> Sets:
    """The values of each topic in another order: whoever the runs were, now they are equal."""
    return draw.permuted(values, axis=2)


def all_pairs(values: Sets) -> Pairs:
    """Every pair of runs within a set, set after set; no set has a topic in common with another."""
    topics, sets, runs = values.shape
    inside = np.array(list(combinations(range(runs), 2)))
    return chosen(values.reshape(topics, -1), (np.arange(sets)[:, None, None] * runs + inside).reshape(-1, 2))


def chosen(values: NDArray[np.float64], pairs: NDArray[np.intp]) -> Pairs:
    """Pairs of columns, given as (pair, 2)."""
    return Pairs(values, pairs[:, 0], pairs[:, 1])


def exchanged_pairs(data: Data, topics: int, sets: int, batch: int) -> Pairs:
    """Pairs of runs whose values were exchanged in each topic by a fair coin."""
    draw = draw_for("exchange", data.name, topics, batch)
    return all_pairs(exchange(draw, data.make(draw, topics, sets, 2)))


def skewed_pairs(shape: str, topics: int, sets: int, batch: int) -> Pairs:
    """Pairs whose differences have the mean 0, and another median: most are a little below, a few far above."""
    draw = draw_for("skewed", shape, topics, batch)
    if shape == "exponential":
        differences = draw.exponential(size=(topics, sets)) - 1  # median ln 2 − 1 = −.31, skew 2
    else:
        differences = draw.lognormal(size=(topics, sets)) - np.exp(0.5)  # median 1 − √e = −.65, skew 6.2
    return Pairs.against(np.hstack([np.zeros((topics, 1)), differences]), 0)


def equal(runs: int, which: Sequence[int]) -> NDArray[np.bool_]:
    """(pair,): whether both runs of a pair are among the equal ones."""
    return np.array([a in which and b in which for a, b in combinations(range(runs), 2)])
