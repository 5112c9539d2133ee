"""Significance and winner of each pair of runs in each half of the topics."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Matrix
from cranfield.stats.estimates.moments import Moments
from cranfield.stats.pair_tests.all_pairs import Aggregate
from cranfield.stats.pair_tests.base import CELLS, Asked, Pairs, PairTest, Progress, tail
from cranfield.stats.pair_tests.closed_form import RankSum, Sign, Spread, T
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, power_of_two, quotient, zero_within
from cranfield.stats.pair_tests.resampling import in_turn, product
from cranfield.stats.pair_tests.signed_rank import SignedRank
from cranfield.stats.pair_tests.split_half_rank_tests import (
    Members,
    Significant,
    rank_sum_in_halves,
    signed_rank_in_halves,
)

Winners: TypeAlias = NDArray[np.int8]  # (pair, half): 1 where b is ahead, −1 where a is, 0 where they are equal
Way: TypeAlias = Callable[[Any, Pairs, Members, Asked], Significant]

TOGETHER = 64  # pairs, or halves, looked at together
CLOSE = 1e-6  # of the mean square: a variance as small as that has lost digits as a difference of two sums
GRAIN = 1000  # steps of progress in a part of the work


def significant_in_halves(test: PairTest, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    """(pair, half): whether p over the topics of the half in which both runs have a value is at most the level.

    Pairs without such a topic, or without a p-value, are not significant.
    """
    way = _way(test)
    if way is None:
        return _by_itself(test, pairs, inside, asked)
    found = np.zeros((len(pairs), len(inside)), dtype=bool)
    parts = list(_alike(pairs))
    for i, (places, kept, part) in enumerate(parts):
        found[places] = way(test, part, inside[:, kept], part_of(asked, i, len(parts)))
    return found


def _way(test: PairTest) -> Way | None:
    """How a test is worked out for all halves at once, if that is known."""
    if type(test) is Sign and not test.margin:
        return _sign
    if type(test) is T:
        return _t
    if type(test) is RankSum:
        return rank_sum_in_halves
    if type(test) is SignedRank and (test.zeros, test.exact) == ("drop", "auto"):
        return signed_rank_in_halves
    return None


def _by_itself(test: PairTest, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    """One half after the other, as the test compares pairs."""
    alone = replace(asked, intervals=False, threads=1, progress=None)

    def of_half(i: int) -> Significant:
        order = None if pairs.order is None else pairs.order[inside[i]]
        half = replace(pairs, values=pairs.values[inside[i]], order=order)
        return test.compare(half, alone).p <= asked.level

    return np.stack(in_turn(of_half, len(inside), asked), axis=1)


def _alike(pairs: Pairs) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_], Pairs]]:
    """Those pairs that have the same topics: their places among all, these topics, and the pairs over them alone.

    Pairs without a common topic are in none.
    """
    if pairs.whole:
        yield np.arange(len(pairs)), np.ones(len(pairs.values), dtype=bool), pairs.alone()
        return
    there = ~np.isnan(pairs.values)
    patterns, which = np.unique((there[:, pairs.a] & there[:, pairs.b]).T, axis=0, return_inverse=True)
    for number, kept in enumerate(patterns):
        if not kept.any():
            continue
        places = np.flatnonzero(which.ravel() == number)
        part = replace(pairs, a=pairs.a[places], b=pairs.b[places]).alone()
        order = None if part.order is None else part.order[kept]
        yield places, kept, replace(part, values=part.values[kept], order=order)


def part_of(asked: Asked, i: int, parts: int) -> Asked:
    """The same for one of several parts of the work: its progress is a share of the whole."""
    watch = asked.progress
    if watch is None:
        return asked
    return replace(asked, progress=_shared(watch, i, parts))


def _shared(watch: Progress, i: int, parts: int) -> Progress:
    return lambda done, total: watch(i * GRAIN + GRAIN * done // total, parts * GRAIN)


def _in_blocks(pairs: Pairs, asked: Asked, of_block: Callable[[Pairs], Significant]) -> Significant:
    blocks = list(pairs.blocks(TOGETHER * len(pairs.values)))
    return np.concatenate(in_turn(lambda i: of_block(blocks[i]), len(blocks), asked))


def _summed(inside: Members, columns: Matrix) -> Matrix:
    """(pair, half): the columns (pair, topic) added up over the topics of each half."""
    return product(inside.view(np.uint8), np.ascontiguousarray(columns.T)).T


def _sign(test: Sign, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    from scipy.special import bdtr

    def of_block(block: Pairs) -> Significant:
        wins, losses = (_summed(inside, (block.sign == side).astype(float)) for side in (1, -1))
        most = len(block.values) + 1
        counts, which = np.unique((wins * most + losses).astype(np.int64), return_inverse=True)
        b, a = (counts // most).astype(float), (counts % most).astype(float)
        n = (a + b).astype(np.int64)
        p = tail(bdtr(b, n, 0.5), bdtr(a, n, 0.5), test.alternative)
        return (p <= asked.level)[which.reshape(wins.shape)]

    return _in_blocks(pairs, asked, of_block)


def _t(test: T, pairs: Pairs, inside: Members, asked: Asked) -> Significant:
    from scipy.special import stdtr

    def of_block(block: Pairs) -> Significant:
        spread = _spread(block, inside)
        statistic, freedom = quotient(spread.mean, spread.error), (spread.n - 1).astype(float)
        p = tail(stdtr(freedom, statistic), stdtr(freedom, -statistic), test.alternative)
        identical = (spread.mean == 0) & (spread.constant | (spread.n == 1))
        return ~identical & (p <= asked.level)

    return _in_blocks(pairs, asked, of_block)


def _spread(pairs: Pairs, inside: Members) -> Spread:
    """Return (pair, half): mean and standard deviation of the differences in each half, in a unit of any size."""
    unit = power_of_two(pairs.values)
    difference, scale = pairs.difference / unit, pairs.scale / unit
    n = inside.sum(axis=1)
    size = np.where(n, n, np.nan)
    mean, square = _summed(inside, difference) / size, _summed(inside, difference**2) / size
    second = square - mean**2
    pair, half = np.nonzero(second < CLOSE * square)
    step = max(1, CELLS // len(inside[0]))
    for start in range(0, len(pair), step):
        part = pair[start : start + step], half[start : start + step]
        anew = Moments.of(np.where(inside[part[1]], difference[part[0]], np.nan), scale[part[0]])
        mean[part], second[part] = anew.mean, anew.second * anew.unit**2
    deviation = np.sqrt(second * n / np.where(n > 1, n - 1, np.nan))
    mean = zero_within(mean, SUM_ERROR * scale.mean(axis=1)[:, None])
    return Spread(np.broadcast_to(n, mean.shape), mean, deviation)


def winners_in_halves(pairs: Pairs, inside: Members, aggregate: Aggregate) -> Winners:
    """(pair, half): whose mean or median over the topics of both is higher; without such a topic, neither's."""
    ahead = np.zeros((len(pairs), len(inside)), dtype=np.int8)
    for places, kept, part in _alike(pairs):
        some = np.flatnonzero(inside[:, kept].any(axis=1))
        means = _means if aggregate == "mean" else _medians
        size = np.abs(part.values).mean(axis=0)
        rounding = SUM_ERROR * np.maximum(size[part.a], size[part.b])
        for start in range(0, len(some), TOGETHER):
            halves = some[start : start + TOGETHER]
            of_run = means(part.values, inside[np.ix_(halves, kept)])  # (half, run)
            difference = zero_within(of_run[:, part.b] - of_run[:, part.a], rounding)
            ahead[np.ix_(places, halves)] = np.sign(difference).T
    return ahead


def _means(values: Matrix, inside: Members) -> Matrix:
    return product(inside.view(np.uint8), values) / inside.sum(axis=1)[:, None]


def _medians(values: Matrix, inside: Members) -> Matrix:
    return np.stack([np.median(values[half], axis=0) for half in inside])
