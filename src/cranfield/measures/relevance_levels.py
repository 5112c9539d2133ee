"""Expand measures to several relevance levels, one copy per minimum grade."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from math import isfinite

from cranfield.core import ParameterError

from .base import Measure

USUAL_LEVEL = 1


def has_level(measure: Measure) -> bool:
    """Whether a measure asks if a document is relevant, and does not name a grade other than the usual one.

    ``NumRet`` counts all documents, ``NumRet(rel=1)`` (num_rel_ret) the relevant ones.
    """
    usual = next((field.default for field in fields(measure) if field.name == "rel"), None)
    return getattr(measure, "rel", None) == (USUAL_LEVEL if usual is None else usual)


def at_levels(measures: Iterable[Measure], levels: Sequence[float]) -> list[Measure]:
    """Every measure once for each level, where it has one; without levels the measures as they are."""
    for level in levels:
        if isinstance(level, bool) or not isfinite(level) or level < 0:
            raise ParameterError(f"{level} is no level of relevance", hint="a level is a grade, from 0 up")
    found: list[Measure] = []
    for measure in measures:
        found += [_at(measure, level) for level in levels] if levels and has_level(measure) else [measure]
    return list(dict.fromkeys(found))


def _at(measure: Measure, level: float) -> Measure:
    try:
        return replace(measure, rel=level)  # type: ignore[call-arg]  # it has this field
    except ParameterError:  # RBP(max_rel=2) is graded: there is nothing to ask
        return measure
