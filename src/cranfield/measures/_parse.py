"""From what people write to measures."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from cranfield.core import Expression, ParameterError, parse, parse_many

from ._base import MEASURES, Measure
from ._counts import NumRet

# Names that stand for a measure with parameters, and parameters that go by another name elsewhere.
SHORT: dict[str, Measure] = {"numrelret": NumRet(rel=1)}
PARAMETERS = {"cutoff": "k"}


def parse_measure(text: str | Measure) -> Measure:
    """The measure that a notation such as ``nDCG(dcg='exp-log2')@10`` stands for."""
    return text if isinstance(text, Measure) else _measure(parse(text))


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of one or many texts; a text may hold several: ``"AP nDCG@10"``."""
    found: list[Measure] = []
    for text in [texts] if isinstance(texts, str | Measure) else texts:
        found += [text] if isinstance(text, Measure) else [_measure(expression) for expression in parse_many(text)]
    if not found:
        raise ParameterError("no measure is given", hint="for example: AP nDCG@10")
    return list(dict.fromkeys(found))


def _measure(expression: Expression) -> Measure:
    short = SHORT.get(expression.name.casefold())
    if short is not None and not expression.parameters:
        return short if expression.at is None else short @ expression.at  # type: ignore[operator]  # checked there
    cls = MEASURES[expression.name]
    known = {field.name for field in fields(cls)}
    given: dict[str, Any] = {PARAMETERS.get(key, key): value for key, value in expression.parameters}
    if expression.inner:
        raise ParameterError(f"{cls.name} takes no measure in parentheses", hint=f"write {cls.name}@10")
    for key in given:
        if key not in known:
            hint = f"it has: {', '.join(sorted(known))}"
            raise ParameterError(f"{cls.name} has no parameter {key!r}", hint=hint)
        default = getattr(cls, key, None)
        if not _fits(given[key], default):
            hint = f"its default is {default!r}"
            raise ParameterError(f"{cls.name} cannot have {key}={given[key]!r}", hint=hint)
    if expression.at is not None:
        given[cls.at] = expression.at
    try:
        return cls(**given)
    except TypeError as error:
        raise ParameterError(
            f"{cls.name} cannot be made: {error}", hint=f"see `cranfield measures {cls.name}`"
        ) from None


def _fits(value: object, default: object) -> bool:
    """Whether a value is of the kind that the default is; where there is none, the measure looks itself."""
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and (default is None or isinstance(default, bool))
    if isinstance(default, int | float):
        return isinstance(value, int | float)
    return not isinstance(default, str) or isinstance(value, str)
