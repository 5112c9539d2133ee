"""Browsing behaviour on a result page: probability of examination and of a click at each rank."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .probability_estimates import Chances

Matrix: TypeAlias = NDArray[np.float64]  # (page, rank)
Column: TypeAlias = NDArray[np.float64]  # (page,)
Clicks: TypeAlias = NDArray[np.bool_]  # (page,)


class Browsing(ABC):
    """Users before some result pages, rank by rank; what they did above is one number for each page."""

    attraction: Matrix
    start: ClassVar[float] = 0.0  # the state above the first rank

    @abstractmethod
    def chance(self, rank: int, state: Column) -> Column:
        """(page,): of a click at a rank (from 0)."""

    @abstractmethod
    def move(self, rank: int, state: Column, clicked: Clicks) -> Column:
        """(page,): what is known below a rank."""

    @abstractmethod
    def examined(self) -> Matrix:
        """(page, rank): the chance that a document is examined, whatever is clicked."""

    @abstractmethod
    def marginal(self) -> Matrix:
        """(page, rank): the chance of a click, whatever else is clicked."""

    def walk(self, click: Callable[[int, Column], Clicks]) -> Matrix:
        """(page, rank): the chance of a click, given the clicks above, which ``click`` makes or tells."""
        pages, depth = self.attraction.shape
        state, found = np.full(pages, self.start), np.empty((pages, depth))
        for rank in range(depth):
            found[:, rank] = self.chance(rank, state)
            state = self.move(rank, state, click(rank, found[:, rank]))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Apart(Browsing):
    """Every rank is examined or not, whatever happens elsewhere."""

    attraction: Matrix
    examination: Matrix

    def chance(self, rank: int, state: Column) -> Column:
        return np.minimum(self.attraction[:, rank] * self.examination[:, rank], 1.0)

    def move(self, rank: int, state: Column, clicked: Clicks) -> Column:
        return state

    def examined(self) -> Matrix:
        return self.examination

    def marginal(self) -> Matrix:
        return np.minimum(self.attraction * self.examination, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cascade(Browsing):
    """Users go from the top to where they stop: the state is the chance that a rank is examined."""

    start: ClassVar[float] = 1.0

    attraction: Matrix
    after_skip: float  # the chance of going on
    after_click: Matrix

    def chance(self, rank: int, state: Column) -> Column:
        return state * self.attraction[:, rank]

    def move(self, rank: int, state: Column, clicked: Clicks) -> Column:
        attraction = self.attraction[:, rank]
        passed = state * (1 - attraction) * self.after_skip / (1 - state * attraction)
        return np.where(clicked, self.after_click[:, rank], passed)

    def examined(self) -> Matrix:
        on = (1 - self.attraction) * self.after_skip + self.attraction * self.after_click
        return np.multiply.accumulate(np.hstack([np.ones((len(on), 1)), on[:, :-1]]), axis=1)

    def marginal(self) -> Matrix:
        return self.attraction * self.examined()


@dataclass(frozen=True, slots=True, eq=False)
class AfterClick(Browsing):
    """A rank is examined with a chance that depends on the last click above: the state is its rank, 0 for none."""

    attraction: Matrix
    examination: Chances

    def gamma(self, rank: int, previous: NDArray[np.int64]) -> Column:
        """The chance that a rank (from 0) is examined."""
        return self.examination.at(browsed_key(np.int64(rank + 1), previous))

    def chance(self, rank: int, state: Column) -> Column:
        return self.attraction[:, rank] * self.gamma(rank, state.astype(np.int64))

    def move(self, rank: int, state: Column, clicked: Clicks) -> Column:
        return np.where(clicked, np.float64(rank + 1), state)

    def examined(self) -> Matrix:
        found = np.empty_like(self.attraction)
        last = np.zeros((self.attraction.shape[0], self.attraction.shape[1] + 1))  # (page, rank): of the last click
        last[:, 0] = 1
        for rank in range(found.shape[1]):
            gamma = self.gamma(rank, np.arange(rank + 1))
            found[:, rank] = last[:, : rank + 1] @ gamma
            last[:, : rank + 1] *= 1 - self.attraction[:, rank, np.newaxis] * gamma
            last[:, rank + 1] = self.attraction[:, rank] * found[:, rank]
        return found

    def marginal(self) -> Matrix:
        return self.attraction * self.examined()


def browsed_key(rank: NDArray[np.int64] | np.int64, previous: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which chance of examination belongs to a rank and the last click above: (1, 0), (2, 0), (2, 1), (3, 0), …"""
    return rank * (rank - 1) // 2 + previous
