"""What a measure of sessions is: several rankings that one user asked for, one after the other.

The value of a session is that of its rankings, added up with weights that fall with the position in the session.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Declared, Direction, describe, write

from ._base import Measure
from ._claims import ORDINAL, Claim

Positions = NDArray[np.float64]  # (ranking,): 1 is the first of a session


class SessionMeasure(Declared, ABC):
    """A number for each session."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = "k"
    family: ClassVar[str] = "session"
    direction: ClassVar[Direction] = Direction.HIGHER
    aggregate: ClassVar[str] = "mean"
    formula: ClassVar[str] = ""

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    @property
    @abstractmethod
    def ranking(self) -> Measure:
        """The measure of each ranking."""

    def ranking_at(self, position: int) -> Measure:
        """The same for the ranking at that position, where it is another."""
        del position
        return self.ranking

    @abstractmethod
    def weight(self, position: Positions) -> Positions:
        """What the value of a ranking counts at each position."""

    def __str__(self) -> str:
        return write(describe(self))

    def __repr__(self) -> str:
        return str(self)


SESSION_MEASURES: Catalogue[SessionMeasure] = Catalogue("session measure")
S = TypeVar("S", bound=SessionMeasure)


def session_measure(name: str, *, cite: str) -> Callable[[type[S]], type[S]]:
    """Give a session measure its name and its source, and list it."""
    return SESSION_MEASURES.declare(name, cite=cite)
