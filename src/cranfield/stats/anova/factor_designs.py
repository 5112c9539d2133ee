"""Analysis of variance of nested or crossed factors of runs, such as groups or system components."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.data import Factors
from cranfield.stats.multiple.omnibus_base import Source, check_whole

from .variance_analysis import Anova, in_units, rounding, scaled_values, squares, table, tested

NARROW = 1e-8  # a direction shorter than this is none: indicators differ by whole runs
MIN_DF = 2  # degrees of freedom of the runs within the factors, below which nothing is tested
UNBALANCED = "factors are not balanced: sums of squares are of type II, and do not add up"
ALIASED = "no run tells {} from other terms"
REPEATED = "{} has levels that are within several levels of {}: each counts as another level there"
UNEQUAL = "levels within a factor have unequal numbers of runs: each counts once, through its mean"
POOLED = "interactions of factors are part of the rest of the system: there are too few runs to test them"
PAIRS = "tukey and scheffe compare runs with the two-way error ({:,} degrees of freedom), which includes {}"


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a factor: how many runs have it, and their mean value."""

    factor: str
    level: str
    runs: int
    mean: float


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Differences between runs as orthonormal directions: those that each source adds, and those of all together."""

    runs: dict[str, NDArray[np.float64]]  # (run, df) of each source
    every: NDArray[np.float64]  # (run, df) of all sources
    topic: dict[str, NDArray[np.float64]]  # (run, df) of each factor, for topic × factor
    every_topic: NDArray[np.float64]
    rest: str  # name of the source that holds all other differences between runs
    note: str
    nested: bool = False
    slopes: Mapping[str, NDArray[np.float64]] | None = None  # (run,): of each covariate; times means: its slope

    @property
    def df_rest(self) -> int:
        """Return the degrees of freedom of the runs within the factors."""
        return len(self.every) - 1 - self.every.shape[1]


def factor_anova(
    values: Matrix,
    factors: Factors,
    *,
    nested: bool | None = None,
    interactions: bool = False,
    random_topics: bool = False,
    covariates: Sequence[str] = (),
) -> Anova:
    """Divide the differences between runs among factors of the runs, and test each factor against runs within it.

    A factor is a property of runs, so runs are its unit. Its F divides by the mean square of the runs that the factors
    leave (``system(group)`` or ``rest of system``), which is the analysis of variance of the means of runs. The error
    of single values would make p too small by many orders of magnitude. The runs within the factors, topics and
    topic × factor are tested against the error. ``rmse`` and ``df_error`` are those of the two-way model also where
    topic × factor is separated, because the difference between runs of two levels varies with topic × factor.

    Parameters
    ----------
    values
        (topic, run).
    factors
        The level of each factor for each run.
    nested
        Nested: each factor lies within those before it, and is tested against the next one, the last against its runs.
        The test of a factor against the next one is on the means of the levels of the next one, so that a group of
        many runs counts as much as a group of one. Sums of squares are sequential. Crossed: main effects and
        interactions of two factors, by sums of squares of type II (ferro2017components). By default one factor is
        nested and several are crossed.
    interactions
        Whether topic × factor is separated from the error.
    random_topics
        Whether topics are a sample of all topics, so that the factor must also hold against topic × factor. F divides
        by MS(runs) + MS(topic × factor) − MS(error), with Satterthwaite's degrees of freedom; for one factor only.
    covariates
        Factors whose levels are numbers and which have one slope in place of a mean for each level.
    """
    values, unit = scaled_values(check_whole(values))
    topics, runs = values.shape
    if len(factors.runs) != runs:
        hint = "Factors.of(runs) puts them into the order of the values"
        raise ParameterError(f"there are factors of {len(factors.runs)} runs and values of {runs}", hint=hint)
    design = _design(factors, nested=nested, covariates=covariates)
    if random_topics and len(factors.names) > 1:
        hint = "give a file with one factor, or leave random topics out"
        raise ParameterError("random topics are for one factor of runs", hint=hint)
    interactions = interactions or random_topics
    mean, topic, run = values.mean(), values.mean(axis=1), values.mean(axis=0)
    tiny = rounding(values)
    between, residual = run - mean, values - topic[:, None] - run + mean
    parts = {"topic": (runs * squares(topic - mean, tiny), topics - 1)}
    for name, directions in design.runs.items():
        parts[name] = (topics * squares(directions.T @ between, tiny), directions.shape[1])
    rest = between - design.every @ (design.every.T @ between)
    parts[design.rest] = (topics * squares(rest, tiny), design.df_rest)
    taken = design.every_topic[:, : None if interactions else 0]
    for name, directions in design.topic.items() if interactions else ():
        parts[f"topic×{name}"] = (squares(residual @ directions, tiny), (topics - 1) * directions.shape[1])
    df, df_pairs = (topics - 1) * (runs - 1 - taken.shape[1]), (topics - 1) * (runs - 1)
    error = squares(residual - residual @ taken @ taken.T, tiny)
    rows = table(parts, error, df, squares(values - mean, tiny), values.size)
    rows = _tested_against_runs(rows, design, runs, random_topics=random_topics)
    if design.nested:
        rows = _tested_against_inner_means(rows, factors, between, tiny)
    notes = [_tests(design, random_topics=random_topics), *_slopes(design, unit * run), design.note]
    if interactions:
        notes.append(PAIRS.format(df_pairs, " and ".join(f"topic×{name}" for name in design.topic)))
    note = "; ".join(filter(None, notes))
    rmse = unit * sqrt(squares(residual, tiny) / df_pairs)
    return Anova(in_units(rows, unit), unit * run, rmse, df_pairs, topics, note=note)


def _tested_against_runs(
    rows: tuple[Source, ...], design: Design, runs: int, *, random_topics: bool
) -> tuple[Source, ...]:
    """Return the rows with each factor tested against the runs within it, or the factor nested within it."""
    by_name = {row.source: row for row in rows}
    changed = {}
    for name, below in _denominators(design).items():
        row, mse, df = by_name[name], by_name[below].ms, by_name[below].df
        if random_topics:
            mse, df = _satterthwaite(*(by_name[source] for source in (below, f"topic×{name}", "error")), name=name)
        changed[name] = tested(name, row.ss, row.df, mse, df, runs)
    return tuple(changed.get(row.source, row) for row in rows)


def _tested_against_inner_means(
    rows: tuple[Source, ...], factors: Factors, between: NDArray[np.float64], tiny: float
) -> tuple[Source, ...]:
    """Return the rows of nested factors with each but the last tested on the means of the levels within it.

    The sums of squares stay those of the runs, so that they add up. F is theirs where all levels have as many runs.
    """
    rows_of = {row.source: row for row in rows}
    for i, name in enumerate(_nested_names(factors)[:-1]):
        _, cell = np.unique(_indicators(*factors.levels[: i + 2]), axis=0, return_inverse=True)
        first = np.unique(cell, return_index=True)[1]
        means = np.bincount(cell, between) / np.bincount(cell)
        now = _indicators(*factors.levels[: i + 1])[first]
        every = _added(now)
        added = _added(now, _indicators(*factors.levels[:i])[first]) if i else every
        centred = means - means.mean()
        rest = centred - every @ (every.T @ centred)
        df_rest = len(means) - 1 - every.shape[1]
        row = rows_of[name]
        test = tested(
            name, squares(added.T @ centred, tiny), row.df, squares(rest, tiny) / df_rest, df_rest, len(means)
        )
        rows_of[name] = replace(test, ss=row.ss, ms=row.ms)
    return tuple(rows_of.values())


def _denominators(design: Design) -> dict[str, str]:
    """Return for each factor the source that it is tested against."""
    names = list(design.runs)
    if design.nested:
        return dict(zip(names, [*names[1:], design.rest], strict=True))
    return dict.fromkeys(names, design.rest)


def _satterthwaite(system: Source, meets: Source, error: Source, *, name: str) -> tuple[float, float]:
    """Return MS(runs) + MS(topic × factor) − MS(error) and its approximate degrees of freedom."""
    below = system.ms + meets.ms - error.ms
    if not below > 0:
        hint = "take the topics as fixed: leave random topics out"
        raise ParameterError(f"{name} cannot be tested: its error is estimated as {below:.3g}", hint=hint)
    return below, below**2 / sum(row.ms**2 / row.df for row in (system, meets, error))


def _tests(design: Design, *, random_topics: bool) -> str:
    """Return a sentence that says what each factor is tested against."""
    if random_topics:
        (name,) = design.runs
        return f"{name} is tested against {design.rest} + topic×{name} − error, with Satterthwaite's degrees of freedom"
    pairs = _denominators(design)
    if len(set(pairs.values())) == 1:
        verb = "is" if len(pairs) == 1 else "are"
        return f"{', '.join(pairs)} {verb} tested against {design.rest}: runs are the unit"
    return ", ".join(f"{name} is tested against {below}" for name, below in pairs.items())


def _slopes(design: Design, means: NDArray[np.float64]) -> list[str]:
    with np.errstate(over="ignore"):  # numbers so small that the slope is infinite
        return [f"slope of {name}: {float(weights @ means):.4g}" for name, weights in (design.slopes or {}).items()]


def level_means(values: Matrix, factors: Factors, *, covariates: Sequence[str] = ()) -> tuple[Level, ...]:
    """Return the mean of every level of every factor that is no covariate, over all its runs and topics."""
    means = check_whole(values).mean(axis=0)
    return tuple(
        Level(name, level, int(has.sum()), float(means[has].mean()))
        for name, levels in zip(factors.names, factors.levels, strict=True)
        if name not in covariates
        for level in dict.fromkeys(levels)
        for has in (np.array(levels) == level,)
    )


def _design(factors: Factors, *, nested: bool | None, covariates: Sequence[str]) -> Design:
    """Return the design that is asked for; refuse one that leaves too few runs to test the factors against."""
    unknown = [name for name in covariates if name not in factors.names]
    if unknown:
        raise ParameterError(f"there is no factor {unknown[0]}", hint=f"there are: {', '.join(factors.names)}")
    if nested and covariates:
        hint = "leave the covariate out, or cross the factors"
        raise ParameterError("a covariate cannot be nested", hint=hint)
    one = len(factors.names) == 1 and not covariates
    if nested or (nested is None and one):
        design = _nested(factors)
    else:
        design = _crossed(factors, covariates)
        if design.df_rest < MIN_DF:
            design = _crossed(factors, covariates, pooled=True)
    sizes = {name: directions.shape[1] for name, directions in design.runs.items()} | {design.rest: design.df_rest}
    for name, below in _denominators(design).items():
        if sizes[below] < MIN_DF:
            freedom = f"{sizes[below]} degree{'s' * (sizes[below] != 1)} of freedom"
            hint = f"{MIN_DF} or more are needed: give more runs of each level, or fewer factors or levels"
            hint += "; levels that are numbers can be a covariate"
            raise ParameterError(f"{len(factors.runs)} runs leave {freedom} to test {name} with", hint=hint)
    return design


def _nested(factors: Factors) -> Design:
    """Each factor within those before it; what is left is the system within all of them."""
    added = {}
    before = np.empty((len(factors.runs), 0))
    notes = []
    for i, (name, source) in enumerate(zip(factors.names, _nested_names(factors), strict=True)):
        now = _indicators(*factors.levels[: i + 1])
        added[source] = _main(name, now, before)
        before = now
        notes += [UNEQUAL] * bool(i and np.ptp(now.sum(axis=0)))
        if i and now.shape[1] > len(set(factors.levels[i])):
            notes.append(REPEATED.format(factors.names[i], factors.names[i - 1]))
    every = _added(before)
    note = "; ".join(dict.fromkeys(notes))
    return Design(added, every, added, every, f"system({' '.join(factors.names)})", note, nested=True)


def _nested_names(factors: Factors) -> list[str]:
    """Return the source of each factor, which says what it lies within."""
    outer = [f"({' '.join(factors.names[:i])})" if i else "" for i in range(len(factors.names))]
    return [name + within for name, within in zip(factors.names, outer, strict=True)]


def _crossed(factors: Factors, covariates: Sequence[str], *, pooled: bool = False) -> Design:
    """Return main effects and interactions of two, each adjusted for all terms that it is no part of (type II).

    ``pooled`` leaves interactions to the rest of the system. Covariates have no interactions.
    """
    level = dict(zip(factors.names, factors.levels, strict=True))
    single = {name: _numbers(name, level[name]) if name in covariates else _indicators(level[name]) for name in level}
    crossing = [] if pooled else [pair for pair in combinations(level, 2) if not set(pair) & set(covariates)]
    double = {(a, b): _indicators(level[a], level[b]) for a, b in crossing}
    runs, topic, aliased, slopes = {}, {}, [], {}
    for name, cells in single.items():
        others = [other for key, other in single.items() if key != name]
        topic[name] = _main(name, cells, *others)
        runs[name] = _main(name, cells, *others, *(pair for key, pair in double.items() if name not in key))
        if name in covariates:
            slopes[name] = runs[name][:, 0] / float(runs[name][:, 0] @ np.array(level[name], dtype=float))
    for both, cells in double.items():
        added = _added(cells, *single.values(), *(pair for key, pair in double.items() if key != both))
        if added.shape[1]:
            runs["×".join(both)] = added
        else:
            aliased.append("×".join(both))
    every = _added(np.hstack([*single.values(), *double.values()]))
    notes = [ALIASED.format(", ".join(aliased))] * bool(aliased) + [UNBALANCED] * (not _orthogonal(runs, every))
    notes += [POOLED] * (pooled and len(single) - len(covariates) > 1)
    every_topic = _added(np.hstack(list(single.values())))
    return Design(runs, every, topic, every_topic, "rest of system", "; ".join(notes), slopes=slopes)


def _numbers(name: str, levels: tuple[str, ...]) -> NDArray[np.float64]:
    """Return (run, 1): the numbers of a covariate, standardised. Only Python reads 1_000 as a number."""
    try:
        numbers = np.array([float(level) if level.isascii() and "_" not in level else np.nan for level in levels])
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        hint = "give every run a finite number, or leave it out of the covariates"
        raise ParameterError(f"the levels of covariate {name} are not all numbers", hint=hint)
    centred = (numbers - numbers.mean()) / max(np.ptp(numbers), np.finfo(float).tiny)
    return centred[:, None]


def _indicators(*levels: tuple[str, ...]) -> NDArray[np.float64]:
    """(run, cell): 1 where a run has that combination of levels."""
    cells = list(zip(*levels, strict=True))
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    return np.eye(len(place))[[place[cell] for cell in cells]]


def _main(name: str, cells: NDArray[np.float64], *others: NDArray[np.float64]) -> NDArray[np.float64]:
    """The directions of a factor; refused where it has none of its own."""
    added = _added(cells, *others)
    if not np.ptp(cells, axis=0).any():
        hint = "leave it out, or add runs with another level"
        raise ParameterError(f"all runs have the same level of factor {name}", hint=hint)
    if not added.shape[1]:
        hint = "leave it out; where one factor lies within another, name them from the outside in and nest them"
        raise ParameterError(f"factor {name} tells no runs apart that others do not", hint=hint)
    return added


def _added(cells: NDArray[np.float64], *others: NDArray[np.float64]) -> NDArray[np.float64]:
    """(run, df): orthonormal directions that columns add to the overall mean and to other columns."""
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
