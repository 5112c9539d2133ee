"""Resampling tests of all pairs of runs at once: max-t and randomised Tukey."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Scale, generator
from cranfield.core.catalogue import Limits
from cranfield.core.types import Matrix, Rows
from cranfield.stats.pair_tests.base import Answer, Asked, Pairs, PairTest, pair_test
from cranfield.stats.pair_tests.closed_form import Spread
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, power_of_two
from cranfield.stats.pair_tests.resampling import BLOCK, Flips, PerPair, Shared, in_blocks

CELLS = 2**18  # values that are permuted together: they stay in the cache of a processor


class JointDraws(PairTest):
    """Every pair against what the most extreme pair shows when no run is better than another."""

    family: ClassVar[str] = "all pairs"
    requires: ClassVar[Scale] = Scale.INTERVAL
    joint: ClassVar[bool] = True
    effect: ClassVar[str] = "d_z"


@pair_test("max-t", cite="westfall1993,phipson2010", aliases=("maxt",))
class MaxT(JointDraws):
    """Largest t: exchange the runs of all pairs in the same topics at random; how often does any |t| get as large?

    Some runs may truly differ: the chance of one wrong claim or more stays below the level among the others
    (westfall1993). t and not the difference, so that a pair that varies much does not hide the others. ``p`` is that
    of the pair alone, from the same draws. ``step_down`` asks of each pair only whether those that are no more extreme
    get as large, and finds more. All 2ⁿ flips are made where those are no more than the draws. Topics in which some
    run has no value are left out.
    """

    assumes: ClassVar[str] = (
        "topics independent; differences of equal runs spread alike to both sides, or topics are many"
    )
    use: ClassVar[str] = "to compare many runs with each other, or many with one baseline, some of which may differ"
    formula: ClassVar[str] = "P(max over pairs |t*| ≥ |t|), t* with one sign for each topic and all pairs"

    draws: Annotated[int, Limits(1)] = 100_000
    step_down: bool = False

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        whole = pairs.alone().complete()  # the family is the pairs that are asked
        spread = Spread.of(whole)
        shared, scale, order = self._in_order(whole, spread)
        flips = Flips.of(len(whole.values), self.draws, asked.seed)
        aim = shared.observed() * scale
        aim = (np.abs(aim) if self.alternative == "two-sided" else aim) - shared.slack * np.abs(scale)
        made = in_blocks(lambda i: self._look(shared, shared.sums(flips.block(i)), scale, aim), flips.blocks, asked)
        alone, together = (np.sum([one[i] for one in made], axis=0) for i in (0, 1))
        if not self.step_down:
            largest = np.sort(np.concatenate([one[2] for one in made]))
            together = len(largest) - np.searchsorted(largest, aim)
        # No pair is more certain than one that is more extreme.
        adjusted = np.maximum.accumulate(flips.chance(together)[::-1])[::-1]
        back = np.argsort(order)
        how = f"exact: all {flips.number:,} flips" if flips.every else f"{flips.number:,} draws"
        what = f"largest t of {len(pairs):,} pairs" + ", step-down" * self.step_down
        return Answer(
            n=spread.n,
            statistic=np.where(spread.n > 1, spread.d_z * np.sqrt(spread.n), np.nan),
            p=flips.chance(alone)[back],
            effect=spread.d_z,
            note=(f"{what}, {how}{left_out(pairs, whole)}",),
            adjusted=adjusted[back],
        )

    def _in_order(self, pairs: Pairs, spread: Spread) -> tuple[Shared, PerPair, NDArray[np.intp]]:
        """The pairs from the least extreme to the most; what makes of a sum a number with the order of t.

        With Q = Σ d², which flips do not change, and r = Σ ±d / √(nQ), t = r √(n − 1) / √(1 − r²): r has its order.
        """
        n, unit = spread.n, power_of_two(pairs.values)
        squares = np.where(n > 1, (n - 1) * np.nan_to_num(spread.deviation / unit) ** 2, 0.0)
        squares += n * (spread.mean / unit) ** 2
        with np.errstate(divide="ignore"):
            scale = np.where((squares > 0) & (n > 1), 1 / np.sqrt(n * squares) / unit, 0.0)
        if self.alternative == "less":
            scale = -scale
        extreme = spread.mean * scale
        order = np.argsort(np.abs(extreme) if self.alternative == "two-sided" else extreme, kind="stable")
        return Shared.of(Pairs(pairs.values, pairs.a[order], pairs.b[order])), scale[order], order

    def _look(
        self, shared: Shared, sums: Matrix, scale: PerPair, aim: PerPair
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Rows]:
        """(pair,), (pair,), (draw,): how many draws reach a pair alone, and with all below it; the largest of each."""
        alone, together = [], []
        largest = np.full(sums.shape[1], -np.inf)
        for part, tile in shared.tiles(sums):
            tile *= scale[part, None]
            if self.alternative == "two-sided":
                np.abs(tile, out=tile)
            alone.append((tile >= aim[part, None]).sum(axis=1))
            if self.step_down:
                np.maximum(tile[0], largest, out=tile[0])
                np.maximum.accumulate(tile, axis=0, out=tile)
                together.append((tile >= aim[part, None]).sum(axis=1))
                largest = tile[-1].copy()
            else:
                np.maximum(largest, tile.max(axis=0), out=largest)
        # In a single step the largest of all says how many reach a pair, and that is known only after the last block.
        return np.concatenate(alone), np.concatenate(together or alone), largest


@pair_test("randomised-tukey", cite="carterette2012", aliases=("randomized-tukey",))
class RandomisedTukey(JointDraws):
    """Randomised Tukey: permute the values of each topic among all runs; how far apart are the best and worst mean?

    The family is every pair of the runs at hand, also where only some of them are asked for. All draws are made as if
    no run differed from any other (carterette2012), and so is the claim: if all runs are equal, the chance of one wrong
    claim or more is the level; if some differ, nothing is promised about the others, for which ``max-t`` is made.
    Topics in which some run has no value are left out. The order of the runs makes no difference.
    """

    assumes: ClassVar[str] = (
        "if all runs are equal, any of them could have had any value of a topic; topics independent"
    )
    use: ClassVar[str] = "to ask whether any runs of a campaign differ, and which; max-t where some surely do"
    formula: ClassVar[str] = "P(max mean* − min mean* ≥ |mean(b) − mean(a)|), values permuted within topics"

    alternative: Literal["two-sided"] = "two-sided"
    draws: Annotated[int, Limits(1)] = 10_000

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        whole = pairs.complete()
        values = np.sort(whole.values, axis=1)  # so that the order of the runs does not change the draws
        spread = Spread.of(whole)
        pieces = -(-self.draws // BLOCK)
        seed = asked.seed
        made = in_blocks(lambda i: _ranges(values, generator(seed, "permutations", i)), pieces, asked)
        ranges = np.sort(np.concatenate(made)[: self.draws])
        slack = 2 * SUM_ERROR * np.abs(values).max(axis=1).sum()
        count = self.draws - np.searchsorted(ranges, np.abs(spread.mean) * len(values) - slack)
        return Answer(
            n=spread.n,
            statistic=spread.mean,
            p=np.full(len(pairs), np.nan),
            effect=spread.d_z,
            note=(f"range of {values.shape[1]} means, {self.draws:,} draws{left_out(pairs, whole)}",),
            adjusted=(count + 1) / (self.draws + 1),  # phipson2010
        )


def _ranges(values: Matrix, drawn: "np.random.Generator") -> Rows:  # numpy loads it on demand
    """(draw,): the largest sum of a run less the smallest, each topic's values permuted among runs."""
    topics, runs = values.shape
    sums = np.zeros((BLOCK, runs))
    step = max(1, CELLS // (BLOCK * runs))
    for top in range(0, topics, step):
        part = values[top : top + step]
        sums += drawn.permuted(np.broadcast_to(part, (BLOCK, *part.shape)), axis=2).sum(axis=1)
    return sums.max(axis=1) - sums.min(axis=1)


def left_out(pairs: Pairs, whole: Pairs) -> str:
    """How many topics are not looked at, in words; nothing where all are."""
    gone = len(pairs.values) - len(whole.values)
    return f"; without {gone} topic{'s' * (gone != 1)} in which some run has no value" if gone else ""
