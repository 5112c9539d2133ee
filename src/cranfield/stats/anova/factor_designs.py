"""Analysis of variance of nested or crossed factors of runs, such as groups or system components."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.data import Factors
from cranfield.stats.multiple.omnibus_base import check_whole

from .variance_analysis import Anova, rounding, squares, table

NARROW = 1e-8  # a direction shorter than this is none: indicators differ by whole runs
UNBALANCED = "factors are not balanced: sums of squares are of type II, and do not add up"
ALIASED = "no run tells {} from other terms"


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a factor: how many runs have it, and their mean value."""

    factor: str
    level: str
    runs: int
    mean: float


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Differences between runs as directions: those that each source adds to others, and those of all together."""

    runs: dict[str, NDArray[np.float64]]  # (run, df) of each source, orthonormal
    every: NDArray[np.float64]  # of all of them
    topic: dict[str, NDArray[np.float64]]  # of each factor, where it meets the topic
    every_topic: NDArray[np.float64]
    rest: str  # what else tells runs apart
    note: str


def factor_anova(values: Matrix, factors: Factors, *, nested: bool | None = None, interactions: bool = False) -> Anova:
    """The differences between runs, divided among factors of theirs.

    Nested: each factor within those before it and systems within the last, by sequential sums of squares. Crossed: main
    effects and interactions of two factors, by sums of squares of type II, and the rest of the system
    (ferro2017components). One factor is nested and several are crossed unless ``nested`` says otherwise.

    Topics, factors and systems are fixed: every F divides by the error of the whole model, and speaks of these runs
    alone. ``interactions`` takes topic × factor out of the error.
    """
    values = check_whole(values)
    topics, runs = values.shape
    if len(factors.runs) != runs:
        hint = "Factors.of(runs) puts them into the order of the values"
        raise ParameterError(f"there are factors of {len(factors.runs)} runs and values of {runs}", hint=hint)
    nested = len(factors.names) == 1 if nested is None else nested
    design = _nested(factors) if nested else _crossed(factors)
    mean, topic, run = values.mean(), values.mean(axis=1), values.mean(axis=0)
    tiny = rounding(values)
    between, residual = run - mean, values - topic[:, None] - run + mean
    parts = {"topic": (runs * squares(topic - mean, tiny), topics - 1)}
    for name, directions in design.runs.items():
        parts[name] = (topics * squares(directions.T @ between, tiny), directions.shape[1])
    if df_rest := runs - 1 - design.every.shape[1]:
        rest = between - design.every @ (design.every.T @ between)
        parts[design.rest] = (topics * squares(rest, tiny), df_rest)
    taken = design.every_topic[:, : None if interactions else 0]
    for name, directions in design.topic.items() if interactions else ():
        parts[f"topic×{name}"] = (squares(residual @ directions, tiny), (topics - 1) * directions.shape[1])
    df = (topics - 1) * (runs - 1 - taken.shape[1])
    if not df:
        hint = "leave the interactions out: the factors tell every run from every other"
        raise ParameterError("topic × factor leaves nothing for the error", hint=hint)
    error = squares(residual - residual @ taken @ taken.T, tiny)
    rows = table(parts, error, df, squares(values - mean, tiny), values.size)
    return Anova(rows, run, error / df, df, topics, note=design.note)


def level_means(values: Matrix, factors: Factors) -> tuple[Level, ...]:
    """The mean of every level of every factor, over all its runs and topics."""
    means = check_whole(values).mean(axis=0)
    return tuple(
        Level(name, level, int(has.sum()), float(means[has].mean()))
        for name, levels in zip(factors.names, factors.levels, strict=True)
        for level in dict.fromkeys(levels)
        for has in (np.array(levels) == level,)
    )


def _nested(factors: Factors) -> Design:
    """Each factor within those before it; what is left is the system within all of them."""
    added = {}
    before = np.empty((len(factors.runs), 0))
    for i, name in enumerate(factors.names):
        within = f"({' '.join(factors.names[:i])})" if i else ""
        now = _indicators(*factors.levels[: i + 1])
        added[name + within] = _main(name, now, before)
        before = now
    every = _added(before)
    return Design(added, every, added, every, f"system({' '.join(factors.names)})", "")


def _crossed(factors: Factors) -> Design:
    """Main effects and interactions of two: each beside all terms that it is no part of (type II)."""
    single = {name: _indicators(level) for name, level in zip(factors.names, factors.levels, strict=True)}
    level = dict(zip(factors.names, factors.levels, strict=True))
    double = {(a, b): _indicators(level[a], level[b]) for a, b in combinations(factors.names, 2)}
    runs, topic, aliased = {}, {}, []
    for name, cells in single.items():
        others = [other for key, other in single.items() if key != name]
        topic[name] = _main(name, cells, *others)
        runs[name] = _main(name, cells, *others, *(pair for key, pair in double.items() if name not in key))
    for both, cells in double.items():
        added = _added(cells, *single.values(), *(pair for key, pair in double.items() if key != both))
        if added.shape[1]:
            runs["×".join(both)] = added
        else:
            aliased.append("×".join(both))
    every = _added(np.hstack([*single.values(), *double.values()]))
    notes = [ALIASED.format(", ".join(aliased))] * bool(aliased) + [UNBALANCED] * (not _orthogonal(runs, every))
    return Design(runs, every, topic, _added(np.hstack(list(single.values()))), "rest of system", "; ".join(notes))


def _indicators(*levels: tuple[str, ...]) -> NDArray[np.float64]:
    """(run, cell): 1 where a run has that combination of levels."""
    cells = list(zip(*levels, strict=True))
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    return np.eye(len(place))[[place[cell] for cell in cells]]


def _main(name: str, cells: NDArray[np.float64], *others: NDArray[np.float64]) -> NDArray[np.float64]:
    """The directions of a factor; refused where it has none of its own."""
    added = _added(cells, *others)
    if not added.shape[1]:
        hint = "leave it out; where one factor lies within another, name them from the outside in and nest them"
        raise ParameterError(f"factor {name} tells no runs apart that others do not", hint=hint)
    return added


def _added(cells: NDArray[np.float64], *others: NDArray[np.float64]) -> NDArray[np.float64]:
    """(run, df): orthonormal directions that indicators add to the overall mean and to other indicators."""
    known = _span(np.hstack([np.ones((len(cells), 1)), *others]))
    return _span(cells - known @ (known.T @ cells))


def _span(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    directions, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    return directions[:, lengths > NARROW]


def _orthogonal(terms: dict[str, NDArray[np.float64]], every: NDArray[np.float64]) -> bool:
    """Whether sums of squares of the terms add up, whatever the values."""
    if sum(directions.shape[1] for directions in terms.values()) < every.shape[1]:
        return False
    together = np.hstack(list(terms.values()))
    return bool(np.abs(together.T @ together - np.eye(together.shape[1])).max() < NARROW)
