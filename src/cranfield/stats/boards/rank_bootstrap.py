"""Stability of ranks over bootstrap resamples of the topics (craswell2021msmarco §3.1)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import comb
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError
from cranfield.core.types import Matrix, Rows
from cranfield.stats.multiple.omnibus_base import complete_topics
from cranfield.stats.pair_tests.base import LEVEL, Asked, Progress, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR
from cranfield.stats.pair_tests.resampling import BLOCK, Resamples, in_turn, product
from cranfield.stats.reliability.rank_correlation import CELLS, Places

DRAWS = 10_000
FULL = 255  # so many draws are counted in one byte
ROUNDING = 1e-12  # what sums of shares may lack of a quantile


@dataclass(frozen=True, eq=False)
class RankStability:
    """Ranks of the runs over bootstrap resamples of the topics.

    A tie's mass is split equally over the ranks it spans: rows and columns of ``share`` sum to 1. A run is tied with
    itself: it is above itself in half the draws.
    """

    share: NDArray[np.float64]  # (run, rank): of the draws; the first column is rank 1
    above: NDArray[np.float64]  # (run, run): of the draws, in which the first is above the second; a tie is half a draw
    mean_rank: Rows  # (run,)
    draws: int  # of topic sets
    exact: bool  # whether they are all nⁿ there are
    topics: int  # in which every run has a value

    @property
    def p_first(self) -> Rows:
        """(run,): how often a run is first."""
        return self.share[:, 0]

    @property
    def resamples(self) -> str:
        """Return the resamples in words, such as "10,000 bootstrap resamples of the topics"."""
        if not self.exact:
            return f"{self.draws:,} bootstrap resample{'s' * (self.draws != 1)} of the topics"
        return (
            f"all {self.draws:,} resamples of {self.topics:,} topics" if self.topics > 1 else "the resample of 1 topic"
        )

    def interval(self, level: float = LEVEL) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(run,): the smallest and the largest rank, from the quantile level/2 of the ranks to 1 − level/2.

        On either side no more than half the level of the draws is cut off.
        """
        check_level(level)
        ends = []
        for share in (self.share, self.share[:, ::-1]):
            ends.append((share.cumsum(axis=1) >= level / 2 - ROUNDING).argmax(axis=1))
        return ends[0] + 1, self.share.shape[1] - ends[1]


def rank_stability(
    values: Matrix,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    lower_is_better: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RankStability:
    """Draw as many topics as there are, with replacement, and rank the runs by their mean; many times.

    Topics in which some run has no value are left out. Where there are no more different resamples than ``draws``, all
    are counted, each as often as it occurs among the nⁿ. The answer is the same on one thread or many.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or not values.size:
        shape = " × ".join(map(str, values.shape))
        raise ParameterError(f"values of shape {shape} cannot be ranked", hint="give a matrix: topics × runs")
    if draws < 1:
        raise ParameterError(f"{draws} draws are too few", hint="give 1 or more; 10,000 tell shares to a percent")
    whole, _ = complete_topics(values)
    topics, runs = whole.shape
    resamples = Resamples.all(topics) if _few(topics, draws) else Resamples(topics, draws, seed)
    good = np.ascontiguousarray(-whole if lower_is_better else whole)
    slack = SUM_ERROR * topics * float(np.abs(whole).max())  # sums of the same numbers in another order
    times, tally = resamples.times(), Tally(runs)

    def look(i: int) -> None:
        places = Places.of(product(resamples.block(i), good), slack)
        tally.add(places, None if times is None else times[i * BLOCK : (i + 1) * BLOCK])

    in_turn(look, resamples.blocks, Asked(seed=seed, threads=threads, progress=progress))
    number = resamples.number if times is None else int(times.sum())
    share = tally.mass() / number
    above = 0.5 + (tally.above - tally.above.T) / (2 * number)
    mean_rank = share @ np.arange(1.0, runs + 1)
    return RankStability(share, above, mean_rank, draws=number, exact=resamples.every, topics=topics)


def _few(topics: int, draws: int) -> bool:
    """Whether there are no more different resamples than draws; n of n topics have 2ⁿ⁻¹ at least."""
    return topics <= draws.bit_length() and comb(2 * topics - 1, topics) <= draws


@dataclass(eq=False)
class Tally:
    """Counts of ranks over blocks of draws, in whole numbers: whichever thread is first, the sums are the same."""

    runs: int
    first: dict[int, Matrix] = field(default_factory=dict)  # ties of so many: (run, runs above), how often
    above: Matrix = field(init=False)  # (run, run): how often the first is above the second
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.above = np.zeros((self.runs, self.runs))

    def add(self, places: Places, times: NDArray[np.int64] | None) -> None:
        """Count a block of draws, each as often as ``times`` says, or once."""
        first = dict(_first(places, times))
        above = _before(places, times)
        with self.lock:
            self.above += above
            for size, counts in first.items():
                self.first[size] = self.first.get(size, 0.0) + counts

    def mass(self) -> Matrix:
        """(run, rank): how often a run has a rank; one of k equal runs has each of their ranks a k-th time."""
        mass = np.zeros((self.runs, self.runs))
        for size in sorted(self.first):
            spanned = self.first[size].cumsum(axis=1)
            spanned[:, size:] -= spanned[:, :-size].copy()
            mass += spanned / size
        return mass


def _first(places: Places, times: NDArray[np.int64] | None) -> Iterator[tuple[int, Matrix]]:
    """For each size of ties, (run, runs above): how often a run is in such a tie below so many."""
    runs = places.above.shape[1]
    cell = places.above + runs * np.arange(runs)
    weight = None if times is None else np.repeat(times, runs).reshape(cell.shape)
    for size in np.flatnonzero(np.bincount(places.equal.ravel())).tolist():
        tied = places.equal == size
        counts = np.bincount(cell[tied], None if weight is None else weight[tied], runs * runs)
        yield size, counts.reshape(runs, runs).astype(float)


def _before(places: Places, times: NDArray[np.int64] | None) -> Matrix:
    """(run, run): how often the first is above the second."""
    draws, runs = places.above.shape
    step = max(1, min(FULL, CELLS // runs**2))
    counts = np.zeros((runs, runs))
    for start in range(0, draws, step):
        part = slice(start, start + step)
        before = places.part(part).before()
        if times is None:
            counts += np.add.reduce(before.view(np.uint8), axis=0, dtype=np.uint8)
        else:
            counts += np.einsum("dab,d->ab", before, times[part])
    return counts
