"""Distances between the values of runs under two sets of labels."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.stats import kendall_tau, tau_ap

Distance: TypeAlias = Literal["rmse", "frobenius", "kl", "tau", "tau_ap"]
Seen: TypeAlias = NDArray[np.float64]  # (run, sheet): values of one measure
PerGroup: TypeAlias = NDArray[np.float64]  # (group,): one number for each worker, or for each worker and topic
BINS = 10
FARTHEST = 2.0  # that two orders can be: τ = −1


@dataclass(frozen=True, eq=False)
class Groups:
    """Sheets that are looked at as one matrix (run, topic), one group after the other."""

    starts: NDArray[np.int64]  # (group,): the first sheet of each
    sheets: int

    @property
    def of(self) -> NDArray[np.int64]:
        """(sheet,): its group."""
        return np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=self.sheets))

    def sums(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """(…, group): what numbers (…, sheet) add up to."""
        return np.add.reduceat(numbers, self.starts, axis=-1)

    def cells(self, a: Seen, b: Seen) -> PerGroup:
        """How many values both have."""
        return self.sums((~np.isnan(a) & ~np.isnan(b)).sum(axis=0).astype(float))


def distances(a: Seen, b: Seen, groups: Groups, distance: Distance) -> PerGroup:
    """How far each group of a is from the same of b; 0 where they have no value in common.

    ``frobenius`` is √Σ(a − b)² over runs and topics, ``rmse`` the root of the mean instead of the sum. ``kl`` is the
    Kullback–Leibler divergence of a from b, both as histograms of ten equal bins between the lowest and the highest
    value of the two, half a value added to each bin. ``tau`` and ``tau_ap`` are 1 − τ of the orders of runs by mean
    value, b being the truth of τ_AP; where one side has all runs equal τ is 0, where both have it is 1.
    """
    if distance in ("frobenius", "rmse"):
        squares = groups.sums(np.nansum((a - b) ** 2, axis=0))
        cells = groups.cells(a, b) if distance == "rmse" else np.ones(len(squares))
        return np.sqrt(squares / np.maximum(cells, 1))
    if distance == "kl":
        return _divergence(a, b, groups)
    means = [_means(side, groups) for side in (a, b)]  # (group, run)
    tau = kendall_tau(*means) if distance == "tau" else tau_ap(means[1], means[0])
    flat = [np.isnan(kendall_tau(side, side)) for side in means]
    return 1 - np.where(flat[0] | flat[1], 1.0 * (flat[0] & flat[1]), tau)


def largest(a: Seen, b: Seen, groups: Groups, distance: Distance, width: float) -> PerGroup:
    """The largest that each distance can be where values lie within a range so wide; infinite: there is no bound."""
    if distance in ("tau", "tau_ap"):
        return np.full(len(groups.starts), FARTHEST)
    if distance == "kl":
        return np.full(len(groups.starts), np.inf)
    return width * (np.sqrt(groups.cells(a, b)) if distance == "frobenius" else np.ones(len(groups.starts)))


def _means(values: Seen, groups: Groups) -> NDArray[np.float64]:
    """(group, run): the mean of the values that are there, 0 where there is none."""
    count = groups.sums((~np.isnan(values)).astype(float))
    return (groups.sums(np.nan_to_num(values)) / np.maximum(count, 1)).T


def _divergence(a: Seen, b: Seen, groups: Groups) -> PerGroup:
    there = ~np.isnan(a) & ~np.isnan(b)
    both = np.stack([a, b])
    low = np.minimum.reduceat(np.where(there, both, np.inf).min(axis=(0, 1)), groups.starts)
    high = np.maximum.reduceat(np.where(there, both, -np.inf).max(axis=(0, 1)), groups.starts)
    low, width = np.where(np.isfinite(low), low, 0.0), np.where(high > low, high - low, 1.0)
    group = np.broadcast_to(groups.of, a.shape)[there]
    shares = []
    for side in both:
        place = np.clip((BINS * (side[there] - low[group]) / width[group]).astype(np.int64), 0, BINS - 1)
        count = np.bincount(group * BINS + place, minlength=len(low) * BINS).reshape(-1, BINS) + 0.5
        shares.append(count / count.sum(axis=1, keepdims=True))
    return (shares[0] * np.log(shares[0] / shares[1])).sum(axis=1)
