"""Base class of fusion methods, and the decorator that registers one."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Declared, describe, write
from cranfield.data import Run


class Fusion(Declared, ABC):
    """A way to make one ranking of several: each run gives something to each of its documents, and that is added up.

    A run that does not have a document gives it nothing.
    """

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    formula: ClassVar[str]  # Σ is over the runs that have the document
    counts: ClassVar[bool] = False  # the sum is multiplied by the number of runs that have the document

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @abstractmethod
    def given(self, run: Run) -> NDArray[np.float64]:
        """(document,): what a run gives to each document that it retrieved."""


FUSIONS: Catalogue[Fusion] = Catalogue("fusion")
F = TypeVar("F", bound=Fusion)


def fusion(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[F]], type[F]]:
    """Give a method of fusion its name and its source, and list it."""
    return FUSIONS.declare(name, cite=cite, aliases=aliases)
