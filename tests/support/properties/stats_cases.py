"""Every test, analysis and correction of the catalogues, with its defaults and with each setting changed."""

from dataclasses import fields, replace
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

from cranfield.core import Catalogue, ParameterError
from cranfield.stats import TESTS, PairTest, adapt

DRAWS = 60  # few enough for a test, and some tests still draw

NUMBERS: dict[str, tuple[float, ...]] = {"margin": (0.05, 0.15)}  # what else numbers are set to


def cases(catalogue: Catalogue[Any]) -> list[Any]:
    """Every declaration: as it is, and with each of its settings changed."""
    found: dict[Any, None] = {}
    for cls in catalogue:
        plain = adapt(cls(), draws=DRAWS)
        found[plain] = None
        for field in fields(cls):
            for setting in (*words(field.type), *NUMBERS.get(field.name, ())):
                try:
                    found[replace(plain, **{field.name: setting})] = None
                except ParameterError:  # a test says itself what it cannot be: tost has no alternative
                    continue
    return list(found)


def words(annotation: Any) -> tuple[Any, ...]:
    """What a parameter of that type may be, where that can be listed."""
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if bare is bool:
        return (True, False)
    parts = get_args(bare) if isinstance(bare, UnionType) else (bare,)
    return tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))


CASES: list[PairTest] = cases(TESTS)
