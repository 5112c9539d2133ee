"""Rank correlation of two orders of runs: Kendall's τ, AP correlation and rank-biased overlap."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.float_ties import SUM_ERROR

Counts: TypeAlias = NDArray[np.integer]
CELLS = 2**22  # bytes of an array (order, run, run) that is made at once


@dataclass(frozen=True, eq=False)
class Places:
    """Where the runs of some orders stand; equal ones share a place."""

    above: Counts  # (order, run): how many runs stand above
    equal: Counts  # (order, run): how many stand in the same place, itself included

    @classmethod
    def of(cls, scores: Matrix, slack: float | Matrix) -> "Places":
        """From scores (order, run), the highest on top; those that are no farther apart than ``slack`` are equal."""
        runs = scores.shape[1]
        order = np.argsort(-scores, axis=1)
        begins = np.ones(scores.shape, dtype=bool)
        begins[:, 1:] = -np.diff(np.take_along_axis(scores, order, axis=1), axis=1) > slack
        kind = np.min_scalar_type(runs)
        place = np.arange(runs, dtype=kind)
        first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
        after = np.where(np.append(begins[:, 1:], np.ones((len(scores), 1), dtype=bool), axis=1), place + 1, runs)
        size = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1] - first
        above, equal = np.empty(scores.shape, dtype=kind), np.empty(scores.shape, dtype=kind)
        np.put_along_axis(above, order, first.astype(kind), axis=1)
        np.put_along_axis(equal, order, size.astype(kind), axis=1)
        return cls(above, equal)

    def part(self, rows: slice) -> "Places":
        """Some of the orders; an order that stands for all is in every part."""
        return self if len(self.above) == 1 else Places(self.above[rows], self.equal[rows])

    def before(self) -> NDArray[np.bool_]:
        """(order, run, run): whether the first run stands above the second."""
        return self.above[:, :, None] < self.above[:, None, :]

    def reached(self) -> NDArray[np.float64]:
        """(order, run, depth): how much of each run is among the first, one of k equal runs in equal parts."""
        depth = np.arange(1.0, self.above.shape[1] + 1)
        above, equal = (each[:, :, None].astype(float) for each in (self.above, self.equal))
        return np.clip((depth - above) / equal, 0.0, 1.0)


def kendall_tau(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Kendall's τ-b of orders by scores: pairs of runs in the same order less pairs the other way round, as a share.

    Runs are the last axis of both; one order stands beside many. Pairs that are equal in one of the orders are in
    neither count, and the share is of √(pairs that differ in x · pairs that differ in y) (kendall1945). NaN where all
    runs of an order are equal.
    """
    return _each(_tau, x, y)


def tau_ap(reference: ArrayLike, other: ArrayLike, *, symmetric: bool = False) -> NDArray[np.float64]:
    """AP correlation of orders by scores: of the runs above each run of the other order, how many belong there.

    τ_AP = 2 / (n − 1) · Σ (share of those above a run that the reference puts above it too) − 1, over the runs below
    the top (yilmaz2008): an error near the top weighs more. ``symmetric`` takes the mean of both directions, where
    neither is the truth. Equal runs as in τ_AP,b (urbano2017ties), of which the plain form is one direction: a run is
    held against those above its tie alone, runs that share the first place against none, and a pair that the reference
    ties is not in its order. NaN where all runs of an order are equal.
    """
    forward = _each(_ap, reference, other)
    return (forward + _each(_ap, other, reference)) / 2 if symmetric else forward


def rbo(x: ArrayLike, y: ArrayLike, *, p: float = 0.9) -> NDArray[np.float64]:
    """Rank-biased overlap of orders by scores: how much the first runs of both are the same, to any depth.

    (1 − p) Σ p^(d−1) · agreement to depth d, extrapolated beyond the last run, where both hold all (webber2010).
    A reader goes on with probability ``p``: of .9, the first ten runs have 86 % of the weight. Equal runs as in RBO^b
    (corsi2024): a run is among the first d with the share of the orders of its tie that put it there, and agreement is
    the cosine of both, so that an order has 1 with itself.
    """
    if not 0 < p < 1:
        raise ParameterError(f"rank-biased overlap cannot have p={p!r}", hint="p is a number between 0 and 1")
    return _each(lambda a, b: _overlap(a, b, p), x, y, bytes_each=8)


def _each(
    kernel: Callable[[Places, Places], Matrix], x: ArrayLike, y: ArrayLike, bytes_each: int = 1
) -> NDArray[np.float64]:
    """(order,): what the kernel says of each order beside each, in parts that fit into memory."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    _check(a, b)
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    one, other = (np.atleast_2d(scores) for scores in (a, b))
    many, runs = max(len(one), len(other)), a.shape[-1]
    # Means of the same numbers in another order differ in their last bits, beside their size.
    places = [Places.of(scores, SUM_ERROR * np.abs(scores).max(axis=1, keepdims=True)) for scores in (one, other)]
    step = max(1, CELLS // (bytes_each * runs**2))
    parts = [slice(start, start + step) for start in range(0, many, step)]
    found = [kernel(*(each.part(rows) for each in places)) for rows in parts]
    return np.concatenate([*found, np.empty(0)]).reshape(shape)


def _check(a: Matrix, b: Matrix) -> None:
    hint = "give one score per run: (run,), or (order, run) for many orders"
    if not 1 <= a.ndim <= 2 or not 1 <= b.ndim <= 2 or a.shape[-1] != b.shape[-1] or not a.shape[-1]:
        raise ParameterError(f"orders of shape {a.shape} and {b.shape} are not of the same runs", hint=hint)
    if a.ndim == b.ndim == 2 and len(a) != len(b) and 1 not in {len(a), len(b)}:
        raise ParameterError(f"{len(a)} orders beside {len(b)}", hint="give as many of both, or one beside many")
    if np.isnan(a).any() or np.isnan(b).any():
        raise ParameterError("a run has no score", hint="leave out runs without a score: an order has a place for each")


def _tau(x: Places, y: Places) -> Matrix:
    runs = x.above.shape[1]
    same = _above_in_both(x, y).sum(axis=1, dtype=float)
    # A place in both orders is one number: pairs of it are equal in both.
    both = Places.of(runs * x.above.astype(float) + y.above, 0.5)
    in_x, in_y, in_both = (_pairs_equal(each) for each in (x, y, both))
    pairs = runs * (runs - 1) / 2
    turned = pairs - in_x - in_y + in_both - same
    return _divided(same - turned, np.sqrt((pairs - in_x) * (pairs - in_y)))


def _ap(reference: Places, other: Places) -> Matrix:
    share = _divided(_above_in_both(reference, other).astype(float), other.above, nothing=0.0)
    below = (other.above > 0).sum(axis=1) * (reference.above > 0).any(axis=1)  # 0: there is no order to agree with
    return 2 * _divided(share.sum(axis=1), below) - 1


def _above_in_both(x: Places, y: Places) -> Counts:
    """(order, run): how many runs stand above it in both orders; in a small type, as there are many."""
    both = x.before() & y.before()
    return np.add.reduce(both.view(np.uint8), axis=1, dtype=x.above.dtype)


def _pairs_equal(places: Places) -> Matrix:
    """(order,): how many pairs of runs share a place."""
    return (places.equal.sum(axis=1, dtype=float) - places.equal.shape[1]) / 2


def _overlap(x: Places, y: Places, p: float) -> Matrix:
    in_x, in_y = x.reached(), y.reached()
    length = np.sqrt((in_x**2).sum(axis=1) * (in_y**2).sum(axis=1))
    agreement = (in_x * in_y).sum(axis=1) / length  # (order, depth); at the last depth both hold every run
    depth = np.arange(agreement.shape[1])
    return (1 - p) * (agreement * p**depth).sum(axis=1) + p ** agreement.shape[1]


def _divided(top: Matrix, bottom: Matrix | Counts, nothing: float = np.nan) -> Matrix:
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    return np.divide(top, bottom, out=np.full(shape, nothing), where=bottom > 0)
