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

HIGHEST_EXPONENT = 1000  # 2^grade beyond it is no float64
AXIOMS = frozenset({"swap", "replacement", "ideal-best"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What scale a measure's values have, and who says so.

    ``own`` holds against the order of runs that the measure itself gives, ``top_heavy`` against the order that puts the
    first rank above everything below it (RBTO): a measure that turns no pair of that order round is at least ordinal.
    Interval claims hold within one topic.
    """

    own: Scale
    top_heavy: Scale
    cite: str


ORDINAL = Claim(Scale.ORDINAL, Scale.NOMINAL, "ferrante2021")
INTERVAL = Claim(Scale.INTERVAL, Scale.INTERVAL, "ferrante2021")
COUNTED = Claim(Scale.INTERVAL, Scale.NOMINAL, "ferrante2021")  # how many there are, wherever they stand
RATIO = Claim(Scale.RATIO, Scale.NOMINAL, "ferro2024")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Why a measure gives up an axiom: grades down a ranking that is better by the axiom, and yet has a lower value.

    -1 is an unjudged document; ``missed`` are grades of judged documents that ``before`` does not retrieve.
    """

    axiom: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    missed: tuple[int, ...]
    cite: str


# With unjudged documents taken out, one that is judged, though not relevant, pushes down all that stand below it.
CONDENSED = Counterexample("replacement", before=(-1, 1), after=(0, 1), missed=(0,), cite="sakai2007bpref")


class Measure(Declared, ABC):
    """A number for each ranking. Instances are values: they compare, hash and print as their notation."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = "k"
    family: ClassVar[str] = ""
    direction: ClassVar[Direction] = Direction.HIGHER
    aggregate: ClassVar[str] = "mean"
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
    def worst(self) -> float | None:
        """The value of a topic for which nothing was retrieved; NaN: it has none; None: the judgments alone decide."""
        return 0.0

    @property
    def scale(self) -> Claim:
        """What scale the values have."""
        return ORDINAL

    @property
    def axioms(self) -> frozenset[str]:
        """What can be relied on: a better document moved up or put in never hurts; perfect is best."""
        lost = {example.axiom for example in self.gives_up}
        return AXIOMS - lost - ({CONDENSED.axiom} if self.judged_only else set())

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
        """Whether a document of this grade can make a difference while unjudged ones stay in."""
        return np.full(grade.shape, fill_value=True)

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

    def __post_init__(self) -> None:
        super().__post_init__()
        check_grade(self, "rel", self.rel)

    def gain(self, grade: Grades) -> Gains:
        """1 for a relevant document."""
        return (grade >= self.rel).astype(np.float64)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only relevant documents do."""
        return self.gain(grade) > 0

    def hit(self, block: Block) -> Gains:
        """(row, document): 1 where a relevant document stands above the cut-off."""
        return self.gain(block.grade) * self.within(block.rank)


class Discounted(Measure):
    """A user whose attention falls with rank alone: the value is the sum of gain times discount."""

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that are worth something do."""
        return self.gain(grade) > 0

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

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that may satisfy do."""
        return self.stop(grade) > 0

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


@dataclass(frozen=True, slots=True)
class Unnormalised:
    """The sum that a normalised measure divides by what it is at best."""

    of: Discounted

    def kernel(self, block: Block) -> Rows:
        """Gain times discount, as the family has it."""
        return Discounted.value(self.of, block)

    def gain(self, grade: Grades) -> Gains:
        """As the measure has it."""
        return self.of.gain(grade)

    def counts(self, grade: Grades) -> NDArray[np.bool_]:
        """As the measure has it."""
        return self.of.earns(grade)


def is_grade(number: object, *, least: float = 0) -> bool:
    """Whether it can be a grade, as the type promises and notation does not; below 0 nothing is judged."""
    return isinstance(number, int | float) and not isinstance(number, bool) and least <= number < np.inf


def check_grade(measure: Measure, parameter: str, grade: object, *, least: float = 0) -> None:
    """Refuse a parameter that cannot be a grade."""
    if not is_grade(grade, least=least):
        raise ParameterError(f"{measure.name} cannot have {parameter}={grade!r}", hint=f"a grade from {least} up")


def ratio(part: Rows, whole: Rows) -> Rows:
    """The part as a share of the whole; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


MEASURES: Catalogue[Measure] = Catalogue("measure", see="`cranfield measures` lists them all")
M = TypeVar("M", bound=Measure)


def measure(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[M]], type[M]]:
    """Give a measure class its name and its source, and list it."""
    return MEASURES.declare(name, cite=cite, aliases=aliases)
