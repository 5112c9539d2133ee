"""Construct a declared object, such as a measure, from its parsed expression."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from .catalogue import Catalogue
from .errors import ParameterError
from .notation import Expression

T = TypeVar("T")


def construct(
    catalogue: Catalogue[T],
    expression: Expression,
    *,
    see: str,
    renamed: Mapping[str, str] | None = None,
    inner: Callable[[Expression], T] | None = None,
) -> T:
    """The declaration that an expression names, with its parameters; ``see`` says where it is explained.

    ``inner`` makes what stands inside it, for a declaration ``of`` another.
    """
    cls: Any = catalogue[expression.name]
    at = getattr(cls, "at", "")
    known = {field.name for field in fields(cls)}
    given: dict[str, Any] = {(renamed or {}).get(key, key): value for key, value in expression.parameters}
    if expression.inner and (inner is None or "of" not in known):
        hint = f"write {cls.name}@10" if at in known else f"write {cls.name}"
        raise ParameterError(f"{cls.name} takes no {catalogue.kind} in parentheses", hint=hint)
    if len(expression.inner) > 1:
        raise ParameterError(f"{cls.name} is of one {catalogue.kind}", hint=f"write {cls.name}({expression.inner[0]})")
    if expression.inner and inner is not None:
        given["of"] = inner(expression.inner[0])
    for key in given:
        if key not in known:
            hint = f"it has: {', '.join(sorted(known))}" if known else "it has none"
            raise ParameterError(f"{cls.name} has no parameter {key!r}", hint=hint)
    if expression.at is not None:
        if at not in known:
            raise ParameterError(f"{cls.name} has no @", hint=f"write {cls.name}; see `{see} {cls.name}`")
        given[at] = expression.at
    try:
        made: T = cls(**given)
    except TypeError as error:
        raise ParameterError(f"{cls.name} cannot be made: {error}", hint=f"see `{see} {cls.name}`") from None
    return made
