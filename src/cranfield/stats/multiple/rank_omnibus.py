"""Omnibus tests on ranks: Kruskal–Wallis and Friedman."""

from math import inf, lgamma, log
from typing import ClassVar

import numpy as np

from cranfield.core import Scale
from cranfield.core.types import Matrix
from cranfield.stats.estimates.distribution_tails import chi2_tail, f_tail
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, mid_ranks, tie_sizes

from .omnibus_base import Omnibus, Source, check_whole, omnibus


@omnibus("kruskal-wallis", cite="kruskal1952,tomczak2014", aliases=("kruskal", "kw"))
class KruskalWallis(Omnibus):
    """Kruskal–Wallis: do the mean ranks of runs differ, all values of all topics put in one order?

    Which values belong to the same topic is ignored, so where topics differ much it finds little. H is corrected for
    ties, and compared with χ².
    """

    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "runs were tried on different topics; on the same topics it is cautious, and finds less"
    use: ClassVar[str] = (
        "for ordinal numbers whose order means the same in every topic; Friedman where topics are shared"
    )
    formula: ClassVar[str] = "H = 12/(N(N+1)) · Σ n (mean rank − (N+1)/2)² / (1 − Σ(t³−t)/(N³−N)), N = topics × runs"
    effect: ClassVar[str] = "ε²: H / (N − 1), the share of the variance of ranks"

    def sources(self, values: Matrix) -> tuple[Source, ...]:
        values = check_whole(values)
        topics, runs = values.shape
        ranks, variance = pooled_ranks(values)
        n = values.size
        spread = topics * ((ranks.mean(axis=0) - (n + 1) / 2) ** 2).sum()
        h = float(spread / variance) if variance else 0.0
        p, log10_p = chi2_tail(h, runs - 1)
        return (Source(source="system", df=runs - 1, statistic=h, p=p, log10_p=log10_p, effect=h / (n - 1)),)


@omnibus("friedman", cite="friedman1937,iman1980,kendall1939")
class Friedman(Omnibus):
    """Friedman: do the mean ranks of runs differ, the values of each topic put in an order of their own?

    χ² is corrected for ties. Iman and Davenport's F, the second row, asks the same and is less cautious: χ² finds too
    little where topics and runs are few. Where all topics have one order F is infinite, and its p is the exact chance
    of that: one order of k runs in n topics has the chance (k!)^(1−n) where no runs are equal.
    """

    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "topics are independent; nothing of the size of differences"
    use: ClassVar[str] = "for ordinal numbers of runs on the same topics, before Nemenyi compares all pairs"
    formula: ClassVar[str] = (
        "χ² = 12 Σ (rank sum − m(k+1)/2)² / (m k (k+1) − Σ(t³−t)/(k−1)), F = (m−1) χ² / (m(k−1) − χ²), m topics, k runs"
    )
    effect: ClassVar[str] = "Kendall's W: χ² / (m (k − 1)), from 0 for no agreement of topics to 1 for one order in all"

    def sources(self, values: Matrix) -> tuple[Source, ...]:
        values = check_whole(values)
        topics, runs = values.shape
        ranks = mid_ranks(values)
        spread = 12 * ((ranks.sum(axis=0) - topics * (runs + 1) / 2) ** 2).sum()
        scale = topics * runs * (runs + 1) - tie_sizes(ranks).sum() / (runs - 1)
        # Where every topic has all runs equal both are 0, and so is W; where all topics have one order, W is exactly 1.
        w = float(spread / scale) / (topics * (runs - 1)) if scale > 0 else 0.0
        w = 1.0 if w > 1 - SUM_ERROR else w
        chi2, df2 = w * topics * (runs - 1), (runs - 1) * (topics - 1)
        f = (topics - 1) * w / (1 - w) if w < 1 else inf
        tail = f_tail(f, runs - 1, df2) if f < inf else agreement_tail(ranks)
        rows = ("system", chi2, chi2_tail(chi2, runs - 1)), ("system (Iman–Davenport)", f, tail)
        return tuple(
            Source(source=source, df=runs - 1, statistic=statistic, p=p, log10_p=log10_p, effect=w, df2=below)
            for (source, statistic, (p, log10_p)), below in zip(rows, (np.nan, df2), strict=True)
        )


def agreement_tail(ranks: Matrix) -> tuple[float, float]:
    """Return the chance that all topics have the same ranks (topic, run) if every order is as likely, and its log10."""
    topics, runs = ranks.shape
    _, ties = np.unique(ranks[0], return_counts=True)
    orders = lgamma(runs + 1) - sum(lgamma(int(size) + 1) for size in ties)  # k! / Π t!, for groups of t equal runs
    log10_p = (1 - topics) * orders / log(10)
    return 10.0**log10_p, log10_p


def pooled_ranks(values: Matrix) -> tuple[Matrix, float]:
    """(topic, run): the rank of each value among all, 1 for the smallest; and the variance of ranks, ties corrected.

    The variance divides by N − 1, and is N(N+1)/12 where no two values are equal.
    """
    ranks = mid_ranks(values.reshape(1, -1))
    n = values.size
    variance = (n * (n + 1) - tie_sizes(ranks)[0] / (n - 1)) / 12
    return ranks.reshape(values.shape), max(0.0, float(variance))
