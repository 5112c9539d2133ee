"""Non-inferiority tests: run b is worse than run a by less than a margin, if it is worse at all."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats.comparison.topic_outcomes import (
    Outcomes,
    by_pair,
    difference_interval,
    named,
    score_of_difference,
    throughout,
)

from .all_pairs import places
from .base import Asked, Pairs
from .closed_form import Spread
from .float_ties import near_zero, quotient

OF_RANKS = ("answered", "ranking")


def harm_table(
    first: Pairs | None,
    runs: Sequence[str],
    *,
    margins: Mapping[str, float],
    values: Values | None,
    chosen: Sequence[tuple[int, int]],
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and margin: is b worse than a by less than that, if it is worse at all?

    ``answered`` is a share of topics, tested by Tango's score; ``ranking`` is in ranks, tested by t where both answer;
    any other margin is one of a measure, tested by t. Each test is one-sided. ``difference`` is b − a; ``low`` is how
    much *better* b is at least, in what the facet calls better: it is no lower than −margin where no harm is shown.
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
        found = (
            _of_shares(pairs, margin, asked.level)
            if name == "answered"
            else _of_means(pairs, margin, asked.level, lower=lower)
        )
        told = {"facet": throughout(pairs, name), "margin": np.full(len(pairs), float(margin))}
        parts.append(named(pairs, runs) | told | found | {"shown": found["p"] <= asked.level})
    note = f"low: b is better by at least this, with confidence {1 - asked.level:g}; of ranks, fewer are better"
    return Table(by_pair(parts), f"harm within a margin, at level {asked.level:g}", made_by, (note,))


def _facet(
    facet: str, first: Pairs | None, values: Values | None, chosen: Sequence[tuple[int, int]]
) -> tuple[str, Pairs, bool]:
    """The name of a facet, its numbers, and whether lower ones are better."""
    if facet in OF_RANKS and first is not None:
        return facet, first, facet == "ranking"
    known = ", ".join([*(OF_RANKS if first else ()), *map(str, values.measures if values else ())])
    hint = f"there are: {known or 'none'}"
    try:
        place = values.index(facet) if values else None
    except ParameterError:
        place = None
    if values is None or place is None:
        raise ParameterError(f"there is nothing called {facet!r} to have a margin", hint=hint)
    measure = values.measures[place]
    matrix = values.matrix(measure)
    pairs = Pairs.given(matrix, list(chosen), places(values, measure, matrix))
    return str(measure), pairs, measure.direction is Direction.LOWER


def check_margin(facet: str, margin: float) -> None:
    """Refuse a margin that is not a positive number, or not a proportion where the facet is one."""
    if not (isfinite(margin) and margin > 0):
        hint = "a margin is a number above 0: how much worse would not matter"
        raise ParameterError(f"the margin of {facet} cannot be {margin:g}", hint=hint)
    if facet == "answered" and margin >= 1:
        hint = "a share of the topics, such as .01 for one in a hundred"
        raise ParameterError(f"the margin of answered cannot be {margin:g}", hint=hint)


def _of_shares(first: Pairs, margin: float, level: float) -> dict[str, Any]:
    """(pair,): of the shares of topics answered."""
    from scipy.special import ndtr

    outcomes = Outcomes.of(first)
    # tango1998: his test of equivalence is the score of a difference of −margin.
    p = ndtr(-score_of_difference(outcomes, np.full(len(first), -margin)))
    low, _ = difference_interval(outcomes, level=2 * level)
    return {"difference": outcomes.difference, "low": low, "p": p}


def _of_means(pairs: Pairs, margin: float, level: float, *, lower: bool) -> dict[str, Any]:
    """(pair,): of means, over the topics of both."""
    from scipy.special import stdtr

    spread = Spread.of(replace(pairs, a=pairs.b, b=pairs.a) if lower else pairs)
    inside = near_zero(spread.mean + margin)
    p = stdtr(spread.n - 1, -quotient(inside, spread.error))
    # Where every topic has the same difference there is no chance left: it lies inside of the margin, or it does not.
    p = np.where(spread.constant & (inside == 0), 1.0, p)
    return {"difference": pairs.mean_difference, "low": spread.interval(1 - level)[0], "p": p}
