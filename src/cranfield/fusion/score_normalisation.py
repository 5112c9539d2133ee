"""Normalisation of scores per run and topic, by minimum and maximum or z-score."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Run

Norm: TypeAlias = Literal["min-max", "z-score", "none"]
Scores: TypeAlias = NDArray[np.float64]  # (document,)


def normalised(run: Run, norm: Norm) -> Scores:
    """The scores of a run, on the scale that ``norm`` names."""
    return NORMS[norm](run)


def _min_max(run: Run) -> Scores:
    """From 0 for the lowest score of a topic to 1 for the highest (lee1997); 1 where all are equal.

    The first document of a list then always has 1, also where the list has no second.
    """
    low, high = (_of_each(run, extreme.reduceat) for extreme in (np.minimum, np.maximum))
    width = high - low
    return np.divide(run.score - low, width, out=np.ones(len(run)), where=width != 0)


def _z_score(run: Run) -> Scores:
    """The distance from the topic's mean in standard deviations of its scores (montague2001); 0 where all are equal."""
    score = _min_max(run)  # the same for every unit: squares of tiny or huge scores would be lost
    number = np.repeat(np.diff(run.starts), np.diff(run.starts))
    distance = score - _of_each(run, np.add.reduceat, score) / number
    deviation = np.sqrt(_of_each(run, np.add.reduceat, distance**2) / number)
    return np.divide(distance, deviation, out=np.zeros(len(run)), where=deviation != 0)


def _of_each(run: Run, reduce: Callable[..., Scores], score: Scores | None = None) -> Scores:
    """(document,): what the scores of its topic come to."""
    number = np.diff(run.starts)
    found = reduce(run.score if score is None else score, run.starts[:-1][number > 0])
    return np.repeat(found, number[number > 0])


NORMS: dict[str, Callable[[Run], Scores]] = {"min-max": _min_max, "z-score": _z_score, "none": lambda run: run.score}
