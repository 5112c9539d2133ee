"""Base class of measures of sessions, which are series of rankings for one user.

The value of a session is that of its rankings, added up with weights that fall with the position in the session.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue
from cranfield.data import assess_grades
from cranfield.measures.base import Measure

from .base import OtherMeasure

Positions = NDArray[np.float64]  # (ranking,): 1 is the first of a session


@dataclass(frozen=True, slots=True)
class SessionExample:
    """A value worked out by hand: grades down the rankings of one session, and the arithmetic that gives its value."""

    of: str  # the measure, in notation
    rankings: tuple[tuple[float, ...], ...]
    working: str

    def given(self) -> str:
        """The rankings, in the order in which they were asked for."""
        return f"grades {', then '.join(' '.join(map('{:g}'.format, ranking)) for ranking in self.rankings)}"

    def worked(self) -> float:
        """The value of the session."""
        from .sessions import session_values

        places = {str(position): ("1", position) for position in range(1, len(self.rankings) + 1)}
        return float(session_values(assess_grades(self.rankings), places, self.of).cube[0, 0, 0])


class SessionMeasure(OtherMeasure):
    """A number for each session."""

    at: ClassVar[str] = "k"
    family: ClassVar[str] = "session"

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


SESSION_MEASURES: Catalogue[SessionMeasure] = Catalogue("session measure", later=("cranfield.measures.other.sessions",))
S = TypeVar("S", bound=SessionMeasure)


def session_measure(name: str, *, cite: str) -> Callable[[type[S]], type[S]]:
    """Give a session measure its name and its source, and list it."""
    return SESSION_MEASURES.declare(name, cite=cite)
