"""Random sign flips and bootstrap resamples of topics, reproducible for any number of threads."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, gcd
from os import cpu_count
from typing import Literal, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import generator
from cranfield.core.types import Matrix

from .base import Alternative, Asked, Pairs
from .float_ties import SUM_ERROR

T = TypeVar("T")
PerPair: TypeAlias = NDArray[np.float64]  # (pair,)
Weights: TypeAlias = NDArray[np.integer]  # (draw, topic): a sign, or how often a topic was drawn
Exact: TypeAlias = Literal["auto", "always", "never"]

BLOCK = 256  # draws made at once, each block from a stream of its own
TILE = 128  # pairs looked at together: with a block of draws they stay in the cache of a processor
# Topics, draws and columns of one product: 2¹⁸ multiplications, up to which OpenBLAS keeps to one thread. Above that
# its threads wait for ours, which takes ten times as long on a busy machine.
DEEP, BATCH, WIDE = 256, 16, 64


def in_turn(work: Callable[[int], T], pieces: int, asked: Asked) -> list[T]:
    """What ``work`` makes of pieces 0, 1, 2, … on as many threads as are asked for."""
    threads = min(asked.threads or cpu_count() or 1, pieces)
    if threads < 2:
        return _watched(map(work, range(pieces)), pieces, asked)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return _watched(pool.map(work, range(pieces)), pieces, asked)


def in_blocks(work: Callable[[int], T], blocks: int, asked: Asked) -> list[T]:
    """What ``work`` makes of blocks of draws: on threads here, or elsewhere.

    The work must be able to travel: it holds numbers and what draws them, and nothing of whoever asks.
    """
    return asked.elsewhere(work, blocks) if asked.elsewhere else in_turn(work, blocks, asked)


def _watched(made: Iterable[T], pieces: int, asked: Asked) -> list[T]:
    done: list[T] = []
    for one in made:
        done.append(one)
        if asked.progress:
            asked.progress(len(done), pieces)
    return done


@dataclass(frozen=True)
class Draws(ABC):
    """Weights of topics, drawn at random in blocks, or all that there are."""

    topics: int
    number: int  # of draws
    seed: int
    every: bool = False

    @property
    def blocks(self) -> int:
        """In how many blocks the draws come."""
        return -(-self.number // BLOCK)

    @abstractmethod
    def block(self, i: int) -> Weights:
        """(draw, topic): the weights of a block, whichever thread asks for them."""

    def chance(self, reached: NDArray[np.integer]) -> PerPair:
        """How likely it is to reach what was observed, from how many draws do."""
        # phipson2010: the observation is one more draw; count / draws would be too small, and 0 at times
        return reached / self.number if self.every else (reached + 1) / (self.number + 1)


class Flips(Draws):
    """A sign for each topic: 1 leaves the two runs as they are, −1 exchanges them."""

    @classmethod
    def of(cls, topics: int, draws: int, seed: int) -> Self:
        """So many at random, or all 2ⁿ where those are not more."""
        if topics < draws.bit_length():  # 2ⁿ ≤ draws
            return cls(topics, 2**topics, seed, every=True)
        return cls(topics, draws, seed)

    def block(self, i: int) -> Weights:
        draws = min(BLOCK, self.number - i * BLOCK)
        if self.every:
            return all_signs(self.topics, i * BLOCK, draws)
        wide = -(-self.topics // 8)
        drawn = generator(self.seed, "flips", i).bytes(BLOCK * wide)
        packed = np.frombuffer(drawn, dtype=np.uint8).reshape(BLOCK, wide)[:draws]
        signs = np.unpackbits(packed, axis=1, count=self.topics).view(np.int8)
        signs <<= 1
        signs -= 1
        return signs


def all_signs(topics: int, first: int, draws: int) -> Weights:
    """(draw, topic): the binary digits of first, first + 1, … as signs."""
    digits = (np.arange(first, first + draws)[:, None] >> np.arange(topics)) & 1
    return (2 * digits - 1).astype(np.int8)


class Resamples(Draws):
    """How often each topic is there when as many are drawn with replacement."""

    @classmethod
    def all(cls, topics: int) -> Self:
        """All nⁿ, those with the same topics as one."""
        return cls(topics, comb(2 * topics - 1, topics), 0, every=True)

    def block(self, i: int) -> Weights:
        draws = min(BLOCK, self.number - i * BLOCK)
        if self.every:
            return _all_resamples(self.topics)[i * BLOCK : i * BLOCK + draws]
        drawn = generator(self.seed, "resamples", i).integers(0, self.topics, (BLOCK, self.topics))[:draws]
        drawn += self.topics * np.arange(draws)[:, None]
        return np.bincount(drawn.ravel(), minlength=draws * self.topics).reshape(draws, self.topics)

    def times(self) -> NDArray[np.int64] | None:
        """(draw,): how many of the nⁿ resamples have the same topics: n! / Π wᵢ!; None where they were drawn."""
        if not self.every:
            return None
        factorials = np.array([factorial(k) for k in range(self.topics + 1)])
        return factorials[-1] // factorials[_all_resamples(self.topics)].prod(axis=1)


@cache
def _all_resamples(topics: int) -> Weights:
    chosen = np.array(list(combinations_with_replacement(range(topics), topics)))
    return (chosen[:, :, None] == np.arange(topics)).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Shared:
    """Sums over topics of weighted differences, for many pairs from the same draws.

    The weighted sum of a difference is the difference of weighted sums: the work grows with runs, not with pairs.
    """

    columns: Matrix  # (topic, column): the runs, or the differences themselves where those are fewer
    sides: tuple[NDArray[np.intp], NDArray[np.intp]] | None  # a and b as columns
    slack: PerPair  # sums that are no farther apart are equal as numbers

    @classmethod
    def of(cls, pairs: Pairs) -> Self:
        """The sums of these pairs; a topic in which one has no value adds nothing."""
        runs = np.union1d(pairs.a, pairs.b)
        slack = slack_of(pairs)
        if len(runs) < len(pairs) and not np.isnan(pairs.values[:, runs]).any():
            sides = (np.searchsorted(runs, pairs.a), np.searchsorted(runs, pairs.b))
            return cls(np.ascontiguousarray(pairs.values[:, runs]), sides, slack)
        return cls(np.ascontiguousarray(np.nan_to_num(pairs.difference).T), None, slack)

    def sums(self, weights: Weights) -> Matrix:
        """(column, draw): the weighted sum of every column."""
        return np.ascontiguousarray(product(weights, self.columns).T)

    def observed(self) -> PerPair:
        """(pair,): the plain sum of differences."""
        return self.tile(self.columns.sum(axis=0)[:, None], slice(None))[:, 0]

    def tile(self, sums: Matrix, part: slice) -> Matrix:
        """(pair, draw): the sums of differences of some pairs; they may be changed if ``sums`` is not used again."""
        if self.sides is None:
            return sums[part]
        a, b = self.sides
        tile = sums[b[part]]
        tile -= sums[a[part]]
        return tile

    def tiles(self, sums: Matrix) -> Iterator[tuple[slice, Matrix]]:
        """All pairs, a tile at a time."""
        for start in range(0, len(self.slack), TILE):
            part = slice(start, start + TILE)
            yield part, self.tile(sums, part)


def slack_of(pairs: Pairs) -> PerPair:
    """Return for each pair how far sums of the same numbers in another order may differ."""
    size = np.nansum(np.abs(pairs.values), axis=0)
    return SUM_ERROR * (size[pairs.a] + size[pairs.b])


def product(weights: Weights, columns: Matrix) -> Matrix:
    """(draw, column): weights times columns, in parts small enough for one thread."""
    topics, wide = columns.shape
    batch = gcd(len(weights), BATCH)
    out = np.zeros((len(weights) // batch, batch, wide))
    for top in range(0, topics, DEEP):
        part = weights[:, top : top + DEEP].astype(float).reshape(len(out), batch, -1)
        for left in range(0, wide, WIDE):
            out[..., left : left + WIDE] += part @ columns[top : top + DEEP, left : left + WIDE]
    return out.reshape(-1, wide)


def reached(tile: Matrix, observed: PerPair, slack: PerPair, alternative: Alternative) -> NDArray[np.bool_]:
    """(pair, draw): whether a draw is as extreme as what was observed, or equal to it as a number."""
    if alternative == "greater":
        return tile >= (observed - slack)[:, None]
    if alternative == "less":
        return tile <= (observed + slack)[:, None]
    return np.abs(tile) >= (np.abs(observed) - slack)[:, None]
