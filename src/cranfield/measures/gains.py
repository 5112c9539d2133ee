"""Base class of measures with a configurable mapping from grade to gain."""

from collections.abc import Mapping

import numpy as np

from cranfield.core import ParameterError
from cranfield.core.types import Gains, Grades

from .base import Measure


class Gained(Measure):
    """A measure in which a document is worth its grade, or what ``gains`` says of that grade."""

    gains: Mapping[int, float] | tuple[tuple[int, float], ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is not None:
            object.__setattr__(self, "gains", self._mapped(self.gains))

    def _mapped(self, gains: object) -> tuple[tuple[int, float], ...] | None:
        """Pairs of grade and gain, sorted; what is worth its grade need not be said."""
        pairs = tuple(gains.items()) if isinstance(gains, Mapping) else gains
        if not isinstance(pairs, tuple) or not all(_is_worth(number) for pair in pairs for number in pair):
            hint = "a gain from 0 up for each grade from 0 up, as in gains={1:1,2:5}; below 0 nothing is judged"
            raise ParameterError(f"{self.name} cannot have gains={gains!r}", hint=hint)
        return tuple(sorted((grade, gain) for grade, gain in pairs if grade != gain)) or None

    def gain(self, grade: Grades) -> Gains:
        """The grade, or what it is mapped to."""
        gain = np.maximum(grade, 0.0)
        for of, worth in dict(self.gains or ()).items():
            gain = np.where(grade == of, float(worth), gain)
        return gain


def _is_worth(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < np.inf
