"""Base class and result of methods that merge the labels of several workers."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Catalogue, Declared, ParameterError, describe, write
from cranfield.data import Answers

Rule: TypeAlias = Literal["lowest", "highest", "prior"]
Point: TypeAlias = Literal["likeliest", "median", "mean"]
POINTS: tuple[Point, ...] = ("likeliest", "median", "mean")
SAME = 1e-9  # shares this close are equal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Merged:
    """What workers say together."""

    method: "Aggregation"
    share: NDArray[np.float64]  # (item, choice): how likely each choice is; rows sum to 1
    quality: NDArray[np.float64]  # (worker,): the chance that a worker is right, as the method sees it
    weight: NDArray[np.float64]  # (worker,): how much an answer of a worker counts
    confusion: NDArray[np.float64] | None = None  # (worker, true choice, chosen): rows sum to 1
    trace: tuple[float, ...] = ()  # what is maximised, after each round of the best start
    rounds: int = 0
    ties: Rule = "highest"
    likelihood: float | None = None  # logarithm, at the end; None: the last of the trace, if there is any
    starts: tuple[float, ...] = ()  # what each start came to

    def __repr__(self) -> str:
        return f"Merged({self.method}: {len(self.share)} items)"

    @property
    def choice(self) -> NDArray[np.int64]:
        """(item,): the likeliest choice; of equals the lowest, the highest, or that which is chosen most overall."""
        best = self.share >= self.share.max(axis=1, keepdims=True) - SAME
        order = np.arange(self.share.shape[1])
        if self.ties == "prior":
            order = np.argsort(np.argsort(self.share.mean(axis=0), kind="stable"), kind="stable")
        preferred = -order if self.ties == "lowest" else order
        return np.where(best, preferred, -len(order)).argmax(axis=1)

    @property
    def tied(self) -> NDArray[np.bool_]:
        """(item,): whether several choices are as likely."""
        return (self.share >= self.share.max(axis=1, keepdims=True) - SAME).sum(axis=1) > 1

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(item,): how likely the choice is."""
        return self.share.max(axis=1)

    def point(self, grades: NDArray[np.float64], by: Point | None = None) -> NDArray[np.float64]:
        """(item,): one grade for each item: the likeliest, the median (the lower of two), or the mean.

        Where nothing is said, it is what the method means: the mean for ``binomial``, the likeliest for the others.
        """
        by = by or self.method.point
        if by not in POINTS:
            raise ParameterError(f"labels are not merged by {by!r}", hint=f"choose one of: {', '.join(POINTS)}")
        if by == "mean":
            return self.share @ grades
        if by == "median":
            return grades[(self.share.cumsum(axis=1) >= 0.5 - SAME).argmax(axis=1)]
        return grades[self.choice]

    def place(self, grades: NDArray[np.float64], by: Point | None = None) -> NDArray[np.int64]:
        """(item,): the choice whose grade is nearest to the one grade of the item, the higher of two."""
        away = np.abs(self.point(grades, by)[:, np.newaxis] - grades)
        near = away <= away.min(axis=1, keepdims=True) + SAME
        return len(grades) - 1 - near[:, ::-1].argmax(axis=1)


class Aggregation(Declared, ABC):
    """A way to make one label of several."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    weighs: ClassVar[str]  # in a few words: whose answers count for more
    point: ClassVar[Point] = "likeliest"  # what of the choices becomes the grade, unless something else is asked for

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @abstractmethod
    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        """What the workers say together; ``gold`` is (item,): the choice that is known to be right, −1: not known."""


def clamp(share: NDArray[np.float64], gold: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """(item, choice): the shares, all or nothing where the right choice is known."""
    if gold is None:
        return share
    if gold.shape != share.shape[:1] or (gold >= share.shape[1]).any():
        message = f"gold does not fit {share.shape[0]} items of {share.shape[1]} choices"
        raise ParameterError(message, hint="give the right choice of every item, -1 where it is not known")
    return np.where(gold[:, np.newaxis] < 0, share, np.arange(share.shape[1]) == gold[:, np.newaxis])


AGGREGATIONS: Catalogue[Aggregation] = Catalogue("aggregation")
A = TypeVar("A", bound=Aggregation)


def aggregation(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[A]], type[A]]:
    """Give a method of merging its name and its source, and list it."""
    return AGGREGATIONS.declare(name, cite=cite, aliases=aliases)
