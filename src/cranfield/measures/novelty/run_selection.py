"""Greedy selection of runs: at every step the run that adds most to the selected ones."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Assessed
from cranfield.measures.base import Measure
from cranfield.measures.classic.discounted import P
from cranfield.measures.notation.parsing import parse_measure

from .relative_gain import NRG, Unique
from .residual_gain import known


class Step(NamedTuple):
    """A run that is taken, and what it adds to those before it."""

    run: int
    added: float


def choose(
    assessed: Assessed,
    measure: str | Measure,
    *,
    steps: int,
    topics: Sequence[int] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Step]:
    """Runs by what they add: first the best by the measure, then always the one with the highest mean of its NRG.

    What is known before a run are the runs taken so far. Of equals the first is taken.
    """
    return _greedily(assessed, NRG(of=parse_measure(measure)), np.mean, steps, topics, progress)


def rank_by_value(assessed: Assessed, measure: str | Measure, *, topics: Sequence[int] | None = None) -> list[Step]:
    """All runs by the mean of the measure, the best first, of equals the first."""
    wanted = parse_measure(measure).settled(float(assessed.grade.max(initial=0)))
    counted = slice(None) if topics is None else list(topics)
    mean = assessed.after(None).map([wanted])[:, counted, 0].mean(axis=1)
    return [Step(int(run), float(mean[run])) for run in np.argsort(-mean, kind="stable")]


def choose_pool(
    assessed: Assessed,
    *,
    depth: int,
    rel: float = 1,
    steps: int,
    topics: Sequence[int] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Step]:
    """Runs by how many relevant documents of their first ``depth`` nobody taken before has in those."""
    return _greedily(assessed, Unique(k=depth, rel=rel), np.sum, steps, topics, progress)


def found_by(
    assessed: Assessed, order: Sequence[int], *, depth: int, rel: float = 1, topics: Sequence[int] | None = None
) -> list[int]:
    """How many different relevant documents the first run, the first two, … have in their first ``depth``."""
    precision = P(k=depth, rel=rel)
    held = known(assessed, precision)[list(order)]
    if topics is not None:
        topic = np.repeat(np.arange(len(assessed.topics)), np.diff(assessed.named))
        held = held[:, np.isin(topic[precision.earns(assessed.grade)], topics)]
    return [int(n) for n in np.maximum.accumulate(held, axis=0).sum(axis=1)]


def _greedily(
    assessed: Assessed,
    measure: Measure,
    over: Callable[..., NDArray[np.float64]],
    steps: int,
    topics: Sequence[int] | None,
    progress: Callable[[int, int], object] | None,
) -> list[Step]:
    runs = len(assessed.runs)
    wanted = measure.settled(float(assessed.grade.max(initial=0)))
    counted = slice(None) if topics is None else list(topics)
    taken: list[Step] = []
    for step in range(min(steps, runs)):
        prior = np.zeros((runs, runs), np.bool_)
        prior[:, [one.run for one in taken]] = True
        np.fill_diagonal(prior, val=False)
        added = over(assessed.after(prior).map([wanted])[:, counted, 0], axis=1)
        added[[one.run for one in taken]] = -np.inf
        best = int(np.argmax(added))
        taken.append(Step(best, float(added[best])))
        if progress:
            progress(step + 1, min(steps, runs))
    return taken
