"""Topics answered by neither, one or both of two runs, and tests of these outcomes (lin2021)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import score_interval
from cranfield.stats.pair_tests.base import LEVEL, Pairs, tail
from cranfield.stats.pair_tests.closed_form import PerPair

HALVINGS = 60  # of the range from −1 to 1: what is left is less than a float can tell
OUTCOMES = ("neither", "only_a", "only_b", "both")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """(pair,): in how many topics neither run answers, a alone, b alone, and both.

    A topic is answered where there is a rank of the first relevant document: it is NaN where none was found.
    """

    topics: int  # all of them
    neither: NDArray[np.int64]
    only_a: NDArray[np.int64]
    only_b: NDArray[np.int64]
    both: NDArray[np.int64]

    @classmethod
    def of(cls, first: Pairs) -> "Outcomes":
        """Those of each pair."""
        answered = (~np.isnan(first.values)).sum(axis=0)  # (run,)
        a, b, both, topics = answered[first.a], answered[first.b], first.topics, len(first.values)
        return cls(topics, topics - a - b + both, a - both, b - both, both)

    @property
    def difference(self) -> PerPair:
        """(pair,): the share of topics answered by b, less that of a; NaN without topics."""
        return (self.only_b - self.only_a) / (self.topics or np.nan)


def binomial_p(a_counts: NDArray[Any], b_counts: NDArray[Any]) -> NDArray[np.float64]:
    """How likely a fair coin divides as unevenly as a against b, either way: exact; 1 where there is nothing."""
    from scipy.special import bdtr

    a, b = np.asarray(a_counts, dtype=np.int64), np.asarray(b_counts, dtype=np.int64)
    lower, upper = (np.asarray(bdtr(side, a + b, 0.5), dtype=float) for side in (b, a))
    return tail(lower, upper, "two-sided")


def share_interval(
    counts: NDArray[Any], topics: int | NDArray[np.int64], *, level: float = LEVEL
) -> tuple[PerPair, PerPair]:
    """Wilson's score interval of a share of all topics, or of as many as each has; NaN without topics."""
    from scipy.special import ndtri

    return score_interval(counts, topics, ndtri(1 - level / 2))


def score_of_difference(outcomes: Outcomes, difference: PerPair) -> PerPair:
    """Tango's z: how far the seen difference of paired shares lies above a supposed one, in standard errors.

    These are the ones that the supposed difference has, with the share of topics of a alone that is likeliest then.
    """
    only_a, only_b, n = outcomes.only_a, outcomes.only_b, outcomes.topics or np.nan
    # tango1998: the larger root of 2n q² + (…) q − only_a · δ(1 − δ) = 0.
    linear = (2 * n - only_b + only_a) * difference - only_a - only_b
    free = only_a * difference * (1 - difference)
    q = (np.sqrt(np.maximum(linear**2 + 8 * n * free, 0.0)) - linear) / (4 * n)
    above = only_b - only_a - n * difference
    variance = np.maximum(n * (2 * q + difference * (1 - difference)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / np.sqrt(variance))


def difference_interval(outcomes: Outcomes, *, level: float = LEVEL) -> tuple[PerPair, PerPair]:
    """Tango's score interval of the difference of paired shares, b − a; NaN without topics."""
    from scipy.special import ndtri

    z = float(ndtri(1 - level / 2))
    seen, ends = outcomes.difference, []
    for side in (-1.0, 1.0):  # z falls as the supposed difference grows: it is halved between what is seen and ±1
        inside, outside = seen, np.full(len(seen), side)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            within = np.abs(score_of_difference(outcomes, middle)) <= z
            inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        ends.append(np.where(seen == side, side, inside))
    return ends[0], ends[1]


def means_of_both(pairs: Pairs) -> tuple[PerPair, PerPair]:
    """(pair,): the means of a and of b over the topics in which both have a value; NaN where there is none."""
    n = np.where(pairs.topics > 0, pairs.topics, np.nan)
    sums: list[list[PerPair]] = [[], []]
    for block in pairs.blocks():
        sides = block.values[:, block.a], block.values[:, block.b]
        gone = np.isnan(sides[0]) | np.isnan(sides[1])
        for side, found in zip(sides, sums, strict=True):
            found.append(np.where(gone, 0.0, side).sum(axis=0))
    return np.concatenate(sums[0]) / n, np.concatenate(sums[1]) / n
