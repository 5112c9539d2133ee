"""Stability of the public API: stable by default, experimental where marked."""

from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")
MARK = "__stability__"


class Stability(StrEnum):
    """What a public thing promises: a stable one changes with a major version alone, an experimental one with any."""

    STABLE = "stable"
    EXPERIMENTAL = "experimental"


EXPERIMENTAL = "Experimental: names, options and numbers may change with any version."


def experimental(thing: T) -> T:
    """Mark a function or a class as experimental; it is documented as such, and so is the command of its name."""
    setattr(thing, MARK, Stability.EXPERIMENTAL)
    return thing


def stability(thing: Any) -> Stability:
    """What a function, a class, or an instance of one promises; a subclass promises for itself."""
    own = thing if isinstance(thing, type) or not hasattr(type(thing), MARK) else type(thing)
    found: Stability = vars(own).get(MARK, Stability.STABLE) if hasattr(own, "__dict__") else Stability.STABLE
    return found
