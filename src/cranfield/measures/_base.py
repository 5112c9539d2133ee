"""What a measure is."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Declared, Direction, ParameterError, Scale, describe, write
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Block

AXIOMS = frozenset({"swap", "replacement", "ideal-best"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What scale a measure's values have, and who says so.

    ``own`` holds against the order of runs that the measure itself gives, ``top_heavy`` against the order that puts the
    first rank above everything below it (RBTO). Interval claims hold within one topic.
    """

    own: Scale
    top_heavy: Scale
    cite: str


ORDINAL = Claim(Scale.ORDINAL, Scale.NOMINAL, "ferrante2021")
INTERVAL = Claim(Scale.INTERVAL, Scale.INTERVAL, "ferrante2021")
RATIO = Claim(Scale.RATIO, Scale.NOMINAL, "ferro2024")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Why a measure gives up an axiom: grades down a ranking that is better by the axiom, and yet has a lower value.

    -1 in ``before`` and ``after`` is an unjudged document; ``missed`` are grades of judged documents not retrieved.
    """

    axiom: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    missed: tuple[int, ...]
    cite: str


class Measure(Declared, ABC):
    """A number for each ranking. Instances are values: they compare, hash and print as their notation."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = "k"
    family: ClassVar[str] = ""
    direction: ClassVar[Direction] = Direction.HIGHER
    aggregate: ClassVar[str] = "mean"
    # The value of a topic for which nothing was retrieved; NaN: it has none; None: the judgments alone decide.
    worst: ClassVar[float | None] = 0.0
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    trec: ClassVar[tuple[str, str]] = ("", "")  # what trec_eval calls it, without and with a cut-off
    gives_up: ClassVar[tuple[Counterexample, ...]] = ()

    k: int | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        k: object = self.k  # as it was written: the type is a promise that notation does not keep
        if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
            hint = f"a cut-off is a whole number from 1: {self.name}@10"
            raise ParameterError(f"{self.name} cannot be cut off at {k!r}", hint=hint)

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    @property
    def axioms(self) -> frozenset[str]:
        """What can be relied on: a better document moved up or put in never hurts; perfect is best."""
        lost = {example.axiom for example in self.gives_up}
        if self.judged_only:  # sakai2007bpref: taking unjudged documents out moves everything below them
            lost |= {"swap", "replacement"}
        return AXIOMS - lost

    @abstractmethod
    def value(self, block: Block) -> Rows:
        """One number per row."""

    def kernel(self, block: Block) -> Rows:
        """The value of every row, unjudged documents taken out first where that was asked."""
        return self.value(block.judged_only() if self.judged_only else block)

    def gain(self, grade: Grades) -> Gains:
        """What a document of this grade is worth."""
        return np.maximum(grade, 0.0)

    def counts(self, grade: Grades) -> NDArray[np.bool_]:
        """Whether a document of this grade can make a difference to the value."""
        return np.full(grade.shape, fill_value=True) if self.judged_only else self.earns(grade)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Whether a document of this grade adds to the value: most measures only look at those that do."""
        return self.gain(grade) > 0

    def settled(self, top: float) -> Self:
        """The same measure with everything that depends on the judgments made explicit; ``top`` is their top grade."""
        del top
        return self

    def within(self, rank: Ranks) -> Weights:
        """1 down to the cut-off, 0 below it and where there is no document."""
        return (rank <= (self.k or np.finfo(float).max)).astype(np.float64)

    def __matmul__(self, at: int) -> Self:
        return replace(self, **{self.at: at})  # type: ignore[arg-type]  # the field that ``at`` names

    def __str__(self) -> str:
        return write(describe(self))

    def __repr__(self) -> str:
        return str(self)


class Binary(Measure):
    """A measure that only asks whether a document is relevant: whether it reaches grade ``rel``."""

    rel: int = 1

    def gain(self, grade: Grades) -> Gains:
        """1 for a relevant document."""
        return (grade >= self.rel).astype(np.float64)

    def hit(self, block: Block) -> Gains:
        """(row, document): 1 where a relevant document stands above the cut-off."""
        return self.gain(block.grade) * self.within(block.rank)


class Discounted(Measure):
    """A user whose attention falls with rank alone: the value is the sum of gain times discount."""

    @abstractmethod
    def discount(self, rank: Ranks) -> Weights:
        """How much of the user's attention reaches each rank."""

    def seen(self, rank: Ranks) -> Weights:
        """The user model: the chance that somebody who saw the first document sees this one too."""
        return self.discount(rank) / self.discount(np.ones(1)) * self.within(rank)

    def value(self, block: Block) -> Rows:
        """Gain times discount, down to the cut-off."""
        return (self.gain(block.grade) * self.discount(block.rank) * self.within(block.rank)).sum(axis=1)


class Cascade(Measure):
    """A user who reads down and may stop, satisfied, at every document."""

    @abstractmethod
    def stop(self, grade: Grades) -> Gains:
        """The chance that a document of this grade satisfies."""

    def seen(self, grade: Grades) -> Weights:
        """The user model: the chance of getting as far as each document of a list, given its grades in rank order."""
        stays = 1 - self.stop(grade)
        return np.concatenate([np.ones((len(stays), 1)), stays[:, :-1]], axis=1).cumprod(axis=1)

    def value(self, block: Block) -> Rows:
        """The expected reciprocal of the rank where the user stops."""
        stop = self.stop(block.grade) / block.rank * self.within(block.rank)
        return (stop * self.seen(block.grade)).sum(axis=1)


def ratio(part: Rows, whole: Rows) -> Rows:
    """The part as a share of the whole; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


MEASURES: Catalogue[Measure] = Catalogue("measure", see="`cranfield measures` lists them all")
M = TypeVar("M", bound=Measure)


def measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a measure class its name and its source, and list it."""
    return MEASURES.declare(name, cite=cite, aliases=aliases)
