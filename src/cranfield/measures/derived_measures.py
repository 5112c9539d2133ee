"""Base class of measures that are derived from another measure."""

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Gains, Grades, Ranks, Weights

from .base import Measure
from .declared_properties import ORDINAL, Claim, Counterexample


class Derived(Measure):
    """A measure made from another, ``of``, whose cut-off and treatment of the unjudged are its own."""

    implied: ClassVar[tuple[str, ...]] = ("k", "judged_only")
    of: Measure

    def __post_init__(self) -> None:
        """What is said outside the parentheses is meant for the measure inside."""
        if self.k is not None and self.of.k is not None and self.k != self.of.k:
            hint = f"write {self.name}({self.of})"
            raise ParameterError(f"{self.name} has two cut-offs, {self.of.k} and {self.k}", hint=hint)
        inside = replace(self.of, k=self.of.k or self.k, judged_only=self.of.judged_only or self.judged_only)
        for name, value in (("of", inside), ("k", inside.k), ("judged_only", inside.judged_only)):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> Claim:
        """No more than an order, as far as anybody knows."""
        return ORDINAL

    @property
    def asks_for(self) -> str:
        """As the measure inside."""
        return self.of.asks_for

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        """As the measure inside, to whoever knows nothing else."""
        return self.of.gives_up

    def __matmul__(self, at: float) -> Self:
        return replace(self, of=self.of @ at, k=None)

    def settled(self, top: float) -> Self:
        """With the measure inside settled."""
        return replace(self, of=self.of.settled(top))

    def gain(self, grade: Grades) -> Gains:
        """As the measure inside has it."""
        return self.of.gain(grade)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """As the measure inside has it."""
        return self.of.earns(grade)

    @property
    def reach(self) -> float:
        """As the measure inside has it."""
        return self.of.reach

    def placed(self, grade: Grades) -> NDArray[np.bool_]:
        """As the measure inside has it."""
        return self.of.placed(grade)

    def within(self, rank: Ranks) -> Weights:
        """As the measure inside has it."""
        return self.of.within(rank)
