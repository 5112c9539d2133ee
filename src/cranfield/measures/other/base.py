"""Base class of measures of written answers, preferences and sessions."""

from abc import ABC
from typing import ClassVar, Protocol

from cranfield.core import CranfieldError, Declared, Direction, describe, write
from cranfield.measures.declared_properties import ORDINAL, Claim


class OtherExample(Protocol):
    """A value worked out by hand: what is given, and the arithmetic that gives the value."""

    @property
    def of(self) -> str:
        """The measure, in notation."""

    @property
    def working(self) -> str:
        """The arithmetic."""

    def given(self) -> str:
        """What the value is of, in words."""

    def worked(self) -> float:
        """The value."""


class OtherMeasure(Declared, ABC):
    """A number for something else than one judged ranking."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    family: ClassVar[str] = ""
    direction: ClassVar[Direction | None] = Direction.HIGHER
    aggregate: ClassVar[str] = "mean"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    formula: ClassVar[str] = ""
    example: ClassVar[OtherExample | None] = None
    needs: ClassVar[str] = ""  # what has to be known

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    def goes_by(self, text: str, top: float | None = None) -> bool:
        """Whether a text stands for it, in whichever way it is written."""
        from .kinds import parse_named  # which reads all of them, and so needs this module

        del top
        try:
            return parse_named(text) == self
        except CranfieldError:
            return False

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__
