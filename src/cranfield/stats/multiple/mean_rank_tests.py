"""Tests of all pairs of mean ranks: Tukey after Kruskal–Wallis, and Nemenyi after Friedman."""

from math import sqrt
from typing import ClassVar, Literal

import numpy as np

from cranfield.core import Scale
from cranfield.core.types import Matrix, Rows
from cranfield.stats.pair_tests.base import Answer, Asked, Pairs, PairTest, pair_test
from cranfield.stats.pair_tests.float_ties import mid_ranks, quotient

from .omnibus_base import check_whole
from .rank_omnibus import pooled_ranks
from .studentised_range import StudentisedRange


class AfterRanks(PairTest):
    """Every difference of mean ranks against the range that mean ranks of equal runs would have.

    The family is every pair of the runs at hand, also where only some of them are asked for. Rank 1 is the smallest
    value. Chances below 1e-10 are given as 1e-10.
    """

    family: ClassVar[str] = "all pairs"
    requires: ClassVar[Scale] = Scale.ORDINAL
    joint: ClassVar[bool] = True
    effect: ClassVar[str] = "difference of mean ranks"

    alternative: Literal["two-sided"] = "two-sided"

    def answer(self, pairs: Pairs, ranks: Rows, error: float, note: str) -> Answer:
        """The answer from the mean rank of each run, and the standard error of one mean rank."""
        difference = ranks[pairs.b] - ranks[pairs.a]
        statistic = quotient(np.abs(difference), error)
        return Answer(
            n=np.full(len(pairs), len(pairs.values)),
            statistic=statistic,
            p=np.full(len(pairs), np.nan),
            effect=difference,
            note=(f"{note}, studentised range of {len(ranks)} runs with ∞ degrees of freedom",),
            adjusted=StudentisedRange(len(ranks)).sf(statistic),
        )


@pair_test("rank-tukey", cite="dunn1964,hochberg1987book,ferro2024", aliases=("kruskal-tukey",))
class RankTukey(AfterRanks):
    """Tukey on mean ranks: all values of all topics put in one order, the mean ranks compared after Kruskal–Wallis.

    Which values belong to the same topic is ignored. These are the numbers of ferro2024 Table 3, and of MATLAB's
    ``multcompare`` after ``kruskalwallis``.
    """

    assumes: ClassVar[str] = "runs were tried on different topics; on the same topics it is cautious, and finds less"
    use: ClassVar[str] = "to compare all runs with each other after Kruskal–Wallis"
    formula: ClassVar[str] = "q = |difference of mean ranks| / √(N(N+1)/12 · (1 − Σ(t³−t)/(N³−N)) / topics)"

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        pairs = pairs.complete()
        ranks, variance = pooled_ranks(check_whole(pairs.values))
        return self.answer(pairs, ranks.mean(axis=0), sqrt(variance / len(ranks)), "mean ranks among all values")


@pair_test("nemenyi", cite="nemenyi1963,demsar2006")
class Nemenyi(AfterRanks):
    """Nemenyi: the values of each topic put in an order of their own, the mean ranks compared after Friedman.

    Ties get mean ranks, and no correction: with many ties it is cautious.
    """

    assumes: ClassVar[str] = "topics are independent; nothing of the size of differences"
    use: ClassVar[str] = "to compare all runs with each other after Friedman"
    formula: ClassVar[str] = "q = |difference of mean ranks| / √(k(k+1) / (12 m)), m topics, k runs"

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        pairs = pairs.complete()
        values = check_whole(pairs.values if pairs.order is None else pairs.order)
        topics, runs = values.shape
        return self.answer(pairs, mean_ranks(values), _error(runs, topics), "mean ranks within topics")


def mean_ranks(values: Matrix) -> Rows:
    """(run,): the mean over topics of a run's rank in the topic, 1 for the smallest value."""
    return mid_ranks(values).mean(axis=0)


def critical_difference(runs: int, topics: int, level: float) -> float:
    """The smallest difference of mean ranks within topics that is significant: demsar2006, Nemenyi's test."""
    return StudentisedRange(runs).isf(level) * _error(runs, topics)


def _error(runs: int, topics: int) -> float:
    """The standard error of the mean of ranks 1 … k, up to what the ranks of a topic have in common."""
    return sqrt(runs * (runs + 1) / (12 * topics))
