"""Systems compared on several collections: each collection, pooled differences and mean ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table, listed
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.boards.compact_letters import letters
from cranfield.stats.multiple.mean_rank_tests import Nemenyi, mean_ranks
from cranfield.stats.multiple.omnibus_base import Source
from cranfield.stats.multiple.rank_omnibus import Friedman
from cranfield.stats.pair_tests.all_pairs import choose_pairs, finite
from cranfield.stats.pair_tests.base import LEVEL, Answer, Asked, Pairs, check_level
from cranfield.stats.pair_tests.closed_form import T
from cranfield.stats.pair_tests.float_ties import power_of_two

from .meta_analysis import USUAL, Effects, Pooled, Tau, pool_effects

FEW = 10  # collections up to which χ² is rough (demsar2006)


@dataclass(frozen=True, eq=False)
class Across:
    """One measure over all collections: every pair in each, what they say together, and the places of systems."""

    measure: str
    answers: tuple[Answer, ...]  # (collection,): t on every pair
    effects: Effects
    pooled: Pooled
    means: Matrix  # (collection, system): over the topics in which all have a value; NaN where there is none
    friedman: tuple[Source, ...]  # χ², and Iman and Davenport's F; nothing for one collection
    mean_ranks: NDArray[np.float64]  # (system,): 1 is the best
    letters: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Gathered:
    """The same systems on several collections, pair by pair."""

    collections: tuple[str, ...]
    systems: tuple[str, ...]
    a: NDArray[np.intp]  # (pair,): systems
    b: NDArray[np.intp]
    measures: tuple[Across, ...]
    notes: tuple[str, ...]


def gather(
    collections: Sequence[tuple[str, Values]],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    tau: Tau = "reml",
    widened: bool = False,
    asked: Asked,
) -> Gathered:
    """Pairs of systems on every collection: those given, each system beside a baseline, or all.

    Systems that some collection lacks are left out. A difference is b − a, over the topics of both; collections are
    pooled as :func:`pool_effects` does, and ordered by the means of their systems for Friedman's test.
    """
    check_level(asked.level)
    given, notes = _common(collections, [*(name for pair in pairs for name in pair), *filter(None, [baseline])])
    names, values = tuple(name for name, _ in given), [one for _, one in given]
    chosen = choose_pairs(values[0], pairs, baseline)
    measures = tuple(
        _across(measure, values, chosen, tau=tau, widened=widened, asked=asked) for measure in values[0].measures
    )
    a, b = np.array(chosen, dtype=np.intp).T
    gathered = Gathered(names, values[0].runs, a, b, measures, ())
    return replace(gathered, notes=(*notes, *_notes(gathered)))


def _common(
    collections: Sequence[tuple[str, Values]], asked_for: Sequence[str]
) -> tuple[list[tuple[str, Values]], list[str]]:
    """Every collection with the systems and measures of all, in the order of the first; and what was left out."""
    if len(collections) < 2:
        raise ParameterError("there is only one collection", hint="give two collections or more")
    names = [name for name, _ in collections]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"two collections are called {twice}", hint="give every collection a name of its own")
    first = collections[0][1]
    for name, values in collections[1:]:
        if list(map(str, values.measures)) != list(map(str, first.measures)):
            here, there = (listed(list(map(str, one.measures))) for one in (first, values))
            message = f"collection {names[0]} has values of {here}, {name} of {there}"
            raise ParameterError(message, hint="measure the same on every collection")
    systems = [run for run in first.runs if all(run in values.runs for _, values in collections)]
    everywhere = dict.fromkeys(run for _, values in collections for run in values.runs)
    for run in asked_for:
        lacks = [name for name, values in collections if run not in values.runs]
        if run in everywhere and lacks:
            hint = "run it there too, or leave it out"
            raise ParameterError(f"system {run} is missing from collection {listed(lacks)}", hint=hint)
    if len(systems) < 2:
        hint = "name systems alike in every collection; in common there is " + (systems[0] if systems else "none")
        raise ParameterError("collections need two systems in common", hint=hint)
    missing = [run for run in everywhere if run not in systems]
    told = [f"left out, because some collection lacks them: {listed(missing)}"] if missing else []
    return [(name, _only(values, systems)) for name, values in collections], told


def _only(values: Values, systems: Sequence[str]) -> Values:
    """The values of some systems, in their order; what is known of them beyond the values is of no use here."""
    kept = [values.runs.index(run) for run in systems]
    return replace(
        values,
        runs=tuple(systems),
        cube=values.cube[kept],
        counted=values.counted[kept],
        missing=values.missing[kept],
        tags=(),
        low=None,
        high=None,
        order=None,
        curve=None,
        assessed=None,
    )


def _across(
    measure: Any, values: Sequence[Values], chosen: Sequence[tuple[int, int]], *, tau: Tau, widened: bool, asked: Asked
) -> Across:
    matrices = [one.matrix(str(measure)) for one in values]
    pairs = [Pairs.given(matrix, list(chosen)) for matrix in matrices]
    unit = max(power_of_two(matrix) for matrix in matrices)  # squares of the values divided by it fit into floats
    effects = Effects.of([Pairs.given(matrix / unit, list(chosen)) for matrix in matrices])
    pooled = pool_effects(effects.difference, effects.variance, tau=tau, widened=widened, level=asked.level)
    lower = measure.direction is Direction.LOWER
    means = np.stack([_means(matrix) for matrix in matrices])
    friedman, ranks, signs = _placed(means if lower else -means, asked)
    return Across(
        measure=str(measure),
        answers=tuple(T().compare(one, asked) for one in pairs),
        effects=effects.times(unit),
        pooled=pooled.times(unit),
        means=means,
        friedman=friedman,
        mean_ranks=ranks,
        letters=signs,
    )


def _means(matrix: Matrix) -> NDArray[np.float64]:
    """(system,): means over the topics in which all have a value; NaN where there is none."""
    kept = matrix[~np.isnan(matrix).any(axis=1)]
    return kept.mean(axis=0) if len(kept) else np.full(matrix.shape[1], np.nan)


def _placed(costs: Matrix, asked: Asked) -> tuple[tuple[Source, ...], NDArray[np.float64], tuple[str, ...]]:
    """Friedman's test, mean ranks and letters, from numbers (collection, system) of which the smallest is the best."""
    whole = costs[~np.isnan(costs).any(axis=1)]
    systems = costs.shape[1]
    if len(whole) < 2:
        return (), np.full(systems, np.nan), ("",) * systems
    ranks, pairs = mean_ranks(whole), Pairs.every(whole)
    adjusted = Nemenyi().compare(pairs, asked).adjusted
    differ = np.zeros((systems, systems), dtype=bool)
    differ[pairs.a, pairs.b] = False if adjusted is None else adjusted <= asked.level
    return Friedman().sources(whole), ranks, tuple(letters(-ranks, differ))


def _notes(found: Gathered) -> list[str]:
    """What the numbers do not say themselves, once for all pairs."""
    told = []
    for one in found.measures:
        borrowed = _where(found, one.effects.borrowed.any(axis=0))
        if borrowed:
            why = "where topics show no spread, the weight comes from the spread in other collections"
            told.append(f"{one.measure}: {why} ({listed(borrowed)})")
        rest = [note for note in dict.fromkeys(one.pooled.note) if note != USUAL]
        counts = [f" ({one.pooled.note.count(note)} of {len(found.a)} pairs)" * (len(found.a) > 1) for note in rest]
        told += [f"{one.measure}: {note}{count}" for note, count in zip(rest, counts, strict=True)]
        empty = _where(found, np.isnan(one.means).any(axis=1))
        if empty:
            why = f"no topic has values of all systems in {listed(empty)}"
            told.append(f"{one.measure}: {why}, which Friedman's test leaves out")
        if one.friedman and len(one.means) - len(empty) <= FEW:
            f = one.friedman[1]
            what = f"Iman and Davenport's F has p = {f.p:.3g}"
            if f.statistic == np.inf:
                what = f"all collections have one order of the systems, and the exact chance of that is p = {f.p:.3g}"
            told.append(f"{one.measure}: χ² is rough for so few collections; {what}")
        constant = _where(found, np.stack([np.isinf(answer.statistic) for answer in one.answers]).any(axis=1))
        if constant:
            told.append(f"{one.measure}: the same difference in every topic of {listed(constant)}: t is infinite there")
    return told


def _where(found: Gathered, holds: Any) -> list[str]:
    """The collections of which it holds."""
    return [name for name, one in zip(found.collections, holds.tolist(), strict=True) if one]


def collection_tables(
    collections: Sequence[tuple[str, Values]],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    tau: Tau = "reml",
    widened: bool = False,
    level: float = LEVEL,
    made_by: Provenance | None = None,
) -> dict[str, Table]:
    """Systems on several collections: every pair in each, pooled, and the order of systems over all.

    ``collections`` are names with values, ``pairs`` those of systems: the ones given, each system beside a
    ``baseline``, or all. ``weight`` is the share of a collection in the pooled difference.
    """
    found = gather(collections, pairs=pairs, baseline=baseline, tau=tau, widened=widened, asked=Asked(level=level))
    count = f"{len(found.collections)} collections"
    return {
        "collections": _glued([_each(found, one) for one in found.measures], "each collection", made_by, found.notes),
        "pooled": _glued([_together(found, one) for one in found.measures], f"{count} together", made_by),
        "friedman": _glued([_friedman(one) for one in found.measures], "systems over collections (Friedman)", made_by),
        "placed": _glued(
            [_places(found, one) for one in found.measures],
            "mean ranks over collections; systems that share a letter do not differ (Nemenyi)",
            made_by,
        ),
    }


def _each(found: Gathered, one: Across) -> dict[str, Any]:
    """(pair, collection), row by row: the collections of the first pair, then those of the second."""
    names, pairs, k = np.array(found.systems, dtype=object), len(found.a), len(found.collections)
    p, low, high = (np.stack([getattr(answer, name) for answer in one.answers], 1) for name in ("p", "low", "high"))
    cells = {"topics": one.effects.topics, "difference": one.effects.difference, "low": finite(low)}
    cells |= {"high": finite(high), "p": p, "weight": one.pooled.weight}
    return (
        {"a": names[found.a].repeat(k), "b": names[found.b].repeat(k), "measure": [one.measure] * (pairs * k)}
        | {"collection": list(found.collections) * pairs}
        | {name: column.ravel() for name, column in cells.items()}
    )


def _together(found: Gathered, one: Across) -> dict[str, Any]:
    names = np.array(found.systems, dtype=object)
    numbers = ("difference", "low", "high", "p", "predicted_low", "predicted_high", "tau2", "q")
    return (
        {"a": names[found.a], "b": names[found.b], "measure": [one.measure] * len(found.a)}
        | {"collections": one.pooled.collections}
        | {name: finite(getattr(one.pooled, name)) for name in numbers}
        | {"df": one.pooled.df, "p_heterogeneity": one.pooled.p_heterogeneity, "i2": one.pooled.i2}
    )


def _friedman(one: Across) -> dict[str, Any]:
    test = one.friedman[0] if one.friedman else Source(source="system")
    whole = int((~np.isnan(one.means).any(axis=1)).sum())
    return {"measure": [one.measure], "systems": [one.means.shape[1]], "collections": [whole]} | {
        name: [number]
        for name, number in {"statistic": test.statistic, "df": test.df, "p": test.p, "w": test.effect}.items()
    }


def _places(found: Gathered, one: Across) -> dict[str, Any]:
    order = np.argsort(one.mean_ranks, kind="stable")
    return {
        "measure": [one.measure] * len(order),
        "run": np.array(found.systems, dtype=object)[order],
        "mean_rank": one.mean_ranks[order],
        "letters": np.array(one.letters, dtype=object)[order],
    }


def _glued(
    parts: Sequence[dict[str, Any]], caption: str, made_by: Provenance | None, notes: tuple[str, ...] = ()
) -> Table:
    columns = {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}
    return Table(columns, caption, made_by, notes)


def bonferroni_width(df: int, pairs: int, level: float = LEVEL) -> float:
    """Return how many times wider the interval of t is at level / pairs than at the level."""
    from scipy.special import stdtrit

    narrow, wide = (stdtrit(max(df, 1), 1 - each / 2) for each in (level, level / pairs))
    return float(wide / narrow)
