"""Table of a comparison: whether run b is worse than run a by less than a margin."""

from collections.abc import Container, Mapping, Sequence

import numpy as np

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats import (
    Asked,
    Pairs,
    answered_non_inferiority,
    bound_non_inferiority,
    check_margin,
    mean_non_inferiority,
    places,
)

from .outcome_tables import by_pair, named, throughout

FACET_MARGINS = ("answered", "ranking")


def harm_table(
    first: Pairs | None,
    runs: Sequence[str],
    *,
    margins: Mapping[str, float],
    values: Values | None,
    chosen: Sequence[tuple[int, int]],
    asked: Asked,
    nothing_relevant: Container[str] = (),
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and margin: is b worse than a by less than that, if it is worse at all?

    ``answered`` is a proportion of topics, tested by Tango's score; ``ranking`` is in ranks, tested by t where both
    answer; any other margin is one of a measure, tested by t. Each test is one-sided. ``difference`` is b − a; ``low``
    is how much *better* b is at least, in what the facet calls better: it is no lower than −margin where no harm is
    shown. Equal runs show nothing in the facets ``nothing_relevant``, for which no topic has a relevant document.
    """
    if not margins:
        raise ParameterError("no margin is given", hint="for example: answered=.01")
    if not 0 < asked.level < 0.5:
        hint = "a one-sided bound needs a level between 0 and 0.5"
        raise ParameterError(f"harm cannot be asked at level {asked.level:g}", hint=hint)
    parts = []
    for facet, margin in margins.items():
        name, pairs, lower = _facet(facet, first, values, chosen)
        check_margin(name, margin)
        tested = (
            answered_non_inferiority(pairs, margin, asked.level)
            if name == "answered"
            else mean_non_inferiority(pairs, margin, asked.level, lower_is_better=lower)
        )
        if name != "answered":
            tested = bound_non_inferiority(tested, pairs, asked.level)
        if name in nothing_relevant:
            low, p = (np.where(tested.difference == 0, np.nan, column) for column in (tested.low, tested.p))
            tested = tested._replace(low=low, p=p)
        columns = {"facet": throughout(pairs, name), "margin": np.full(len(pairs), float(margin))}
        parts.append(named(pairs, runs) | columns | tested._asdict() | {"shown": tested.p <= asked.level})
    note = f"low: b is better by at least this, with confidence {1 - asked.level:g}; of ranks, fewer are better"
    return Table(by_pair(parts), f"harm within a margin, at level {asked.level:g}", made_by, (note,))


def _facet(
    facet: str, first: Pairs | None, values: Values | None, chosen: Sequence[tuple[int, int]]
) -> tuple[str, Pairs, bool]:
    """Return the name of a facet, its numbers, and whether lower ones are better."""
    if facet in FACET_MARGINS and first is not None:
        return facet, first, facet == "ranking"
    known = ", ".join([*(FACET_MARGINS if first else ()), *map(str, values.measures if values else ())])
    hint = f"there are: {known or 'none'}"
    try:
        index = values.index(facet) if values else None
    except ParameterError:
        index = None
    if values is None or index is None:
        raise ParameterError(f"there is nothing called {facet!r} to have a margin", hint=hint)
    measure = values.measures[index]
    matrix = values.matrix(measure)
    pairs = Pairs.given(matrix, list(chosen), places(values, measure, matrix))
    return str(measure), pairs, measure.direction is Direction.LOWER
