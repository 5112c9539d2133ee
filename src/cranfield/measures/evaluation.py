"""Compute the values of measures for every run and topic of assessed runs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from cranfield.core import SEED, CranfieldError, ParameterError, Provenance, Ties
from cranfield.data import NEEDED, Assessed, Named, Values, relevance_level
from cranfield.measures.notation.parsing import Written, parse_measures
from cranfield.measures.novelty.relative_gain import Relative
from cranfield.measures.scales.interval_measures import TotalOrder, exact_order, pairs_lost
from cranfield.measures.scales.unjudged_bounds import Scenario, bounds, map_scenario
from cranfield.measures.ties.tied_values import expected, tie_bounds

from .base import Measure

# What people expect to see when they ask for nothing.
DEFAULT = ("AP", "nDCG@10", "RR", "P@10", "R@1000", "Judged@10")

Progress = Callable[[int, int], object]


def measure_all(
    assessed: Assessed,
    measures: Written | Iterable[Written] = DEFAULT,
    *,
    topics: Literal["qrels", "both"] = "qrels",
    ties: Ties | str = Ties.TREC,
    unjudged: Scenario | None = None,
    residual: bool = False,
    seed: int = SEED,
    command: str = "",
    progress: Progress | None = None,
) -> Values:
    """The values of measures for every run and topic.

    With ``topics="qrels"`` every judged topic counts, and one that a run misses has the measure's worst value; with
    ``"both"`` only topics that the run has too, as trec_eval does without ``-c``. ``ties="average"`` takes the mean
    over all orders of tied documents, ``"bounds"`` adds the worst and the best of them; otherwise runs stay as they
    were assessed. ``residual`` adds the bounds that unjudged documents leave open, ``unjudged`` takes them for worst or
    for best.
    """
    if topics not in ("qrels", "both"):
        raise ParameterError(f"topics={topics!r} is not known", hint="choose 'qrels' or 'both'")
    top = float(assessed.grade.max(initial=0))
    wanted = [measure.settled(top) for measure in parse_measures(measures)]
    without = {level: assessed.relevant(level) == 0 for level in set(map(relevance_level, wanted))}
    values = Values(
        runs=assessed.runs,
        topics=assessed.topics,
        measures=tuple(wanted),
        cube=np.empty((len(assessed.runs), len(assessed.topics), 0)),
        counted=np.ones_like(assessed.missing) if topics == "qrels" else ~assessed.missing,
        missing=assessed.missing,
        without_relevant=np.array([without[relevance_level(measure)] for measure in wanted]),
        tags=tuple(source.tag for source in assessed.sources[1:]),
        notes=assessed.notes,
        assessed=assessed,
        made_by=Provenance(
            command=command,
            inputs=tuple(source.as_input() for source in assessed.sources),
            measures=tuple(map(str, wanted)),
            seed=seed if ties in (Ties.AVERAGE, Ties.BOUNDS) else None,
        ),
    )
    if sum([ties in (Ties.AVERAGE, Ties.BOUNDS), unjudged is not None, residual]) > 1:
        hint = "ask for the order of ties, for the residual or for a scenario of the unjudged, one at a time"
        raise ParameterError("one thing that is not known at a time", hint=hint)
    relative = [measure for measure in wanted if isinstance(measure, Relative)]
    beside = [measure for measure in wanted if measure.asks_for]
    for measure in beside:
        if measure.asks_for not in assessed.tables:
            raise ParameterError(f"{measure} needs {measure.asks_for}", hint=NEEDED[measure.asks_for])
    if beside and unjudged is not None:
        hint = "leave out --unjudged, or the measure"
        raise ParameterError(f"nobody knows what {beside[0].asks_for} the unjudged documents have", hint=hint)
    if relative and (ties in (Ties.AVERAGE, Ties.BOUNDS) or unjudged is not None or residual):
        hint = "choose an order of ties, and leave out --residual and --unjudged"
        raise ParameterError(f"{relative[0]} looks at other runs as they are, in one order", hint=hint)
    return _filled(values, assessed, wanted, ties, unjudged, residual=residual, seed=seed, progress=progress)


def as_named(values: Values) -> Values:
    """Values that came with names of measures, as values of the measures that the names stand for.

    A name that stands for none, such as that of a time, stays what it is.
    """
    from cranfield.measures.other.kinds import parse_named

    found: list[Named] = []
    for given in values.measures:
        try:
            measure = parse_named(str(given))
        except CranfieldError:
            found.append(given)
        else:
            found.append(given if measure in found else measure)
    made_by = replace(values.made_by, measures=tuple(map(str, found)))
    return replace(values, measures=tuple(found), made_by=made_by)


def _filled(
    values: Values,
    assessed: Assessed,
    wanted: Sequence[Measure],
    ties: Ties | str,
    unjudged: Scenario | None,
    *,
    residual: bool,
    seed: int,
    progress: Progress | None,
) -> Values:
    """The values themselves, and between what they lie where something is not known."""
    if ties == Ties.AVERAGE:
        cube, _, notes = expected(assessed, wanted, seed=seed)
        return replace(values, cube=cube, notes=(*values.notes, *notes))
    if unjudged is not None:
        taken = {"as_worst": "as not relevant", "as_best": "as of the top grade"}
        cube = map_scenario(assessed, list(wanted), unjudged)
        note = f"unjudged documents are taken {taken[unjudged]}: a scenario, not a bound"
        return replace(values, cube=cube, notes=(*values.notes, note))
    values = _in_order(replace(values, cube=assessed.map(wanted, progress)), assessed, wanted)
    if ties == Ties.BOUNDS:
        low, high, notes = tie_bounds(assessed, wanted, seed=seed)
        what = "in brackets: the worst and the best order of ties"
        return replace(values, low=low, high=high, notes=(*values.notes, what, *notes))
    if residual:
        low, high = (np.stack(ends, axis=2) for ends in zip(*(bounds(assessed, m) for m in wanted), strict=True))
        what = "in brackets: between what the value lies, whatever the unjudged documents are"
        return replace(values, low=low, high=high, notes=(*values.notes, what))
    return values


def _in_order(values: Values, assessed: Assessed, wanted: Sequence[Measure]) -> Values:
    """Exact places for measures whose values are shares of whole numbers too large for floats."""
    if len(assessed.runs) == 1 or not any(isinstance(measure, TotalOrder) for measure in wanted):
        return values
    order, notes = np.full(values.cube.shape, np.nan), []
    for i, measure in enumerate(wanted):
        if isinstance(measure, TotalOrder):
            order[:, :, i] = exact_order(assessed, measure)
            lost = pairs_lost(assessed, measure)
            if lost:
                pairs = "1 pair of runs has" if lost == 1 else f"{lost:,} pairs of runs have"
                notes.append(f"{measure}: {pairs} one value as floats, and not as whole numbers, which decide")
    return replace(values, order=order, notes=(*values.notes, *notes))
