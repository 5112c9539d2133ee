"""Chance-corrected agreement of workers: Cohen's κ, Fleiss' κ and Krippendorff's α."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.votes import count_votes
from cranfield.core import ParameterError
from cranfield.data import Answers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Metric: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
CohenWeights: TypeAlias = Literal["none", "linear", "quadratic"]
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")
POWERS: dict[CohenWeights, int] = {"none": 0, "linear": 1, "quadratic": 2}

Draws: TypeAlias = NDArray[np.float64]  # (draw,): one number for each way to draw items again
FEWEST = 2  # labels that an item needs, and items that two workers must share, to agree on anything


def cohen(a: NDArray[np.int64], b: NDArray[np.int64], *, choices: int, weights: CohenWeights = "none") -> float:
    """Cohen's κ of two workers: what they chose for the same items, in the same order.

    A disagreement weighs 1 (``none``), as many as the places between the two choices (``linear``), or that squared
    (``quadratic``). NaN where chance leaves nothing to disagree on: no items, or always one choice of both.
    """
    one, other = (np.asarray(side, dtype=np.int64) for side in (a, b))
    if one.shape != other.shape:
        hint = "give both in the order of the same items"
        raise ParameterError(f"{one.size:,} choices of one worker, {other.size:,} of the other", hint=hint)
    both = np.concatenate((one, other))
    if len(both) and not 0 <= both.min() <= both.max() < choices:
        hint = "choices are places among the grades, from 0"
        raise ParameterError(
            f"there are {choices} choices, and {int(both.max())} or {int(both.min())} is none", hint=hint
        )
    if weights not in POWERS:
        raise ParameterError(f"weights cannot be {weights!r}", hint=f"choose one of: {', '.join(POWERS)}")
    seen = np.bincount(one * choices + other, minlength=choices**2).reshape(choices, choices)
    place = np.arange(choices)
    apart = np.abs(place[:, None] - place)
    cost = (apart > 0) * apart ** POWERS[weights]  # cohen1968; cohen1960 where all weigh 1
    chance = (cost * np.outer(seen.sum(axis=1), seen.sum(axis=0))).sum()
    return float(1 - len(one) * (cost * seen).sum() / chance) if chance else float("nan")


@dataclass(frozen=True, eq=False)
class Patterns:
    """Items by how many labels each choice has: those with the same numbers are alike to Fleiss and Krippendorff.

    Items with fewer than two labels are left out: nobody can agree on them. Statistics take weights (draw, pattern),
    how many items of each pattern there are, so that drawing items again costs next to nothing.
    """

    counts: NDArray[np.float64]  # (pattern, choice)
    items: NDArray[np.int64]  # (pattern,): how many items are like this

    @classmethod
    def of(cls, answers: Answers) -> "Patterns":
        """Those of all items with two labels or more."""
        votes = count_votes(answers)
        counts, items = np.unique(votes[votes.sum(axis=1) >= FEWEST], axis=0, return_counts=True)
        return cls(counts.reshape(-1, answers.choices), items)

    @property
    def observed(self) -> NDArray[np.float64]:
        """(1, pattern): the weights of what was seen."""
        return self.items[None].astype(np.float64)

    @property
    def labels(self) -> NDArray[np.float64]:
        """(pattern,): how many labels an item has."""
        return self.counts.sum(axis=1)

    def redrawn(self, draws: int, random: "np.random.Generator") -> NDArray[np.float64]:
        """(draw, pattern): the weights when as many items are drawn with replacement."""
        total = int(self.items.sum())
        return random.multinomial(total, self.items / total, size=draws).astype(np.float64)

    def percent(self, weights: NDArray[np.float64]) -> Draws:
        """The share of the pairs of labels of an item that are equal, as a mean over items."""
        pairs = self.labels * (self.labels - 1)
        equal = (self.counts * (self.counts - 1)).sum(axis=1) / pairs
        return weights @ equal / weights.sum(axis=1)

    def fleiss(self, weights: NDArray[np.float64]) -> Draws:
        """Fleiss' κ; NaN where all labels are equal."""
        given = weights @ self.counts
        chance = ((given / given.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return _beyond(self.percent(weights), chance)

    def krippendorff(self, weights: NDArray[np.float64], heights: NDArray[np.float64], metric: Metric) -> Draws:
        """Krippendorff's α; NaN where all labels are equal."""
        given = weights @ self.counts  # (draw, choice)
        choices = given.shape[1]
        coincidences = self._coincidences(weights)
        apart = _distance(given, heights, metric).reshape(-1, choices**2)  # (draw or 1, cell)
        observed = (coincidences * apart).sum(axis=1)
        together = (given[:, :, None] * given[:, None, :]).reshape(-1, choices**2)
        expected = (together * apart).sum(axis=1) / (given.sum(axis=1) - 1)
        return 1 - observed / np.where(expected > 0, expected, np.nan)

    def _coincidences(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """(draw, cell): krippendorff2011's o_cd, each pair of different choices within an item over its labels − 1."""
        from scipy.sparse import csr_array

        pattern, choice = np.nonzero(self.counts)
        left, right = within(pattern)
        choices = self.counts.shape[1]
        here = pattern[left]
        times = self.counts[here, choice[left]] * self.counts[here, choice[right]] / (self.labels[here] - 1)
        # Equal labels are at no distance, so the diagonal may stay empty; the other half is the mirror image.
        cell = np.concatenate((choice[left] * choices + choice[right], choice[right] * choices + choice[left]))
        where = (cell, np.concatenate((here, here)))
        matrix = csr_array((np.concatenate((times, times)), where), shape=(choices**2, len(self.counts)))
        return np.asarray(matrix @ weights.T).T


def within(group: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of places that belong to one group, from groups in ascending order: the earlier and the later place."""
    start = np.searchsorted(group, group, side="left")
    earlier = np.arange(len(group)) - start  # (place,): how many of the group stand before it
    later = np.repeat(np.arange(len(group)), earlier)
    step = np.arange(len(later)) - np.repeat(earlier.cumsum() - earlier, earlier)
    return start[later] + step, later


def _beyond(seen: Draws, chance: Draws) -> Draws:
    """The share of what chance leaves open; NaN where it leaves nothing."""
    left = 1 - chance
    return (seen - chance) / np.where(left > 1e-15, left, np.nan)


def _distance(given: NDArray[np.float64], heights: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    """(draw or 1, choice, choice): how far two choices lie apart, squared (krippendorff2011)."""
    if metric == "nominal":
        return 1.0 - np.eye(len(heights))[None]
    # The labels between two choices, half of their own included, are the distance of their mid-ranks.
    at = given.cumsum(axis=1) - given / 2 if metric == "ordinal" else heights[None]
    apart = at[:, :, None] - at[:, None, :]
    if metric == "ratio":
        total = at[:, :, None] + at[:, None, :]
        apart = apart / np.where(total > 0, total, 1.0)
    return apart**2


def fleiss(answers: Answers) -> float:
    """Fleiss' κ: how far labels of an item are equal beyond what their overall shares give.

    Items may differ in their number of labels: each counts the share of its equal pairs once, and chance is from all
    labels of the items that count; with equal numbers this is fleiss1971. Items with fewer than two labels are left
    out. A worker who labelled an item twice counts as two. NaN where all labels are equal, or none meet.
    """
    patterns = Patterns.of(answers)
    return float(patterns.fleiss(patterns.observed)[0]) if len(patterns.items) else float("nan")


def krippendorff(answers: Answers, heights: NDArray[np.float64], metric: Metric = "nominal") -> float:
    """Krippendorff's α: 1 − the disagreement within items over that of all labels, by a distance between grades.

    ``heights`` are the grades (choice,). ``nominal``: different is different; ``ordinal``: by how many labels lie
    between; ``interval``: by the difference of the grades; ``ratio``: by that beside their sum. Items with fewer than
    two labels are left out. A worker who labelled an item twice counts as two. NaN where all labels are equal, or none
    meet: there is nothing to tell agreement from.
    """
    grades = np.asarray(heights, dtype=np.float64)
    if metric not in METRICS:
        raise ParameterError(f"there is no metric {metric!r}", hint=f"choose one of: {', '.join(METRICS)}")
    if grades.shape != (answers.choices,):
        raise ParameterError(f"{grades.size} grades for {answers.choices} choices", hint="give one grade per choice")
    if metric == "ratio" and (grades < 0).any():
        hint = "choose interval, whose zero may lie anywhere"
        raise ParameterError(f"ratio needs grades from 0 up, and {grades.min():g} is one", hint=hint)
    patterns = Patterns.of(answers)
    if not len(patterns.items):
        return float("nan")
    return float(patterns.krippendorff(patterns.observed, grades, metric)[0])


@dataclass(frozen=True, eq=False)
class WorkerPairs:
    """Pairs of workers who share two items or more: one row for every pair of labels that they gave to one item."""

    pair: NDArray[np.int64]  # (row,): which pair of workers
    item: NDArray[np.int64]  # (row,)
    a: NDArray[np.int64]  # (row,): what the one chose
    b: NDArray[np.int64]  # (row,): what the other chose
    pairs: int
    items: int
    choices: int

    @classmethod
    def of(cls, answers: Answers) -> "WorkerPairs":
        """Those of all workers; two labels of one worker are no pair."""
        order = np.lexsort((answers.worker, answers.item))
        item, worker, choice = (column[order] for column in (answers.item, answers.worker, answers.choice))
        left, right = within(item)
        other = worker[left] != worker[right]
        left, right = left[other], right[other]
        key, pair = np.unique(worker[left] * answers.workers + worker[right], return_inverse=True)
        # An item once, however often they labelled it: by the first label of each.
        first = (np.diff(item, prepend=-1) != 0) | (np.diff(worker, prepend=-1) != 0)
        kept = np.bincount(pair[first[left] & first[right]], minlength=len(key)) >= FEWEST
        rows = kept[pair]
        left, right = left[rows], right[rows]
        pair = (kept.cumsum() - 1)[pair[rows]]
        return cls(pair, item[left], choice[left], choice[right], int(kept.sum()), answers.items, answers.choices)

    def __len__(self) -> int:
        return len(self.pair)

    def mean_cohen(self, weights: NDArray[np.float64]) -> Draws:
        """The mean of Cohen's κ over pairs of workers, weighted by what they share; weights are (draw, item).

        Pairs whose κ does not exist, since both gave one label throughout, are left out.
        """
        shared, equal, one, other = (np.asarray(matrix @ weights.T) for matrix in self._sums)
        chance = (one * other).reshape(self.pairs, self.choices, len(weights)).sum(axis=1)  # (pair, draw)
        left = shared**2 - chance
        counts = left > 0.5  # all are whole numbers
        kappa = (shared * equal - chance) / np.where(counts, left, 1.0)
        total = (shared * counts).sum(axis=0)
        return (shared * kappa * counts).sum(axis=0) / np.where(total > 0, total, np.nan)

    @cached_property
    def _sums(self) -> tuple["csr_array", ...]:
        """What adds up weights of items: by pair, by pair where both are equal, by pair and choice of one and other."""
        from scipy.sparse import csr_array

        def added(cell: NDArray[np.int64], cells: int, item: NDArray[np.int64]) -> csr_array:
            return csr_array((np.ones(len(item)), (cell, item)), shape=(cells, self.items))

        same = self.a == self.b
        cells = self.pairs * self.choices
        return (
            added(self.pair, self.pairs, self.item),
            added(self.pair[same], self.pairs, self.item[same]),
            added(self.pair * self.choices + self.a, cells, self.item),
            added(self.pair * self.choices + self.b, cells, self.item),
        )
