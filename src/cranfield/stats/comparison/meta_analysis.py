"""Random-effects meta-analysis of the difference between two systems over several collections."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Rows
from cranfield.stats.pair_tests.base import LEVEL, Pairs, check_level
from cranfield.stats.pair_tests.closed_form import Spread, said
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, quotient, zero_within

from .prediction_interval import prediction_interval

Tau: TypeAlias = Literal["reml", "dl"]
TAUS: tuple[Tau, ...] = ("reml", "dl")
Cells: TypeAlias = NDArray[np.float64]  # (pair, collection)

USUAL = "random effects over collections"
ROUNDS = 200  # of climbing the likelihood; ten will do but where it is flat
CLOSE = 1e-13  # a step as small as this, beside the variances, is the last
COARSE = 1e-6  # of smaller steps the likelihood, whose top is flat, does not tell which way they go
HALVES = 60


@dataclass(frozen=True, eq=False)
class Effects:
    """(pair, collection): the mean of b − a over the topics of each collection, and how well it is known.

    The variance of the mean is s²/n. Where the topics of a collection show no spread (there is one topic, or all have
    the same difference, as identical runs have), s² is ``borrowed``: that of the other collections, pooled. A variance
    of 0 would leave the others no weight, and without the collection a difference that is absent from it would look
    larger than it is. Where no collection shows a spread the variance is 0.
    """

    topics: NDArray[np.int64]
    difference: Cells  # NaN without a topic in which both have a value
    variance: Cells
    borrowed: NDArray[np.bool_]

    @classmethod
    def of(cls, collections: Sequence[Pairs]) -> "Effects":
        """Those of the same pairs in every collection."""
        spreads = [Spread.of(pairs) for pairs in collections]
        n, mean, sd = (np.stack([getattr(one, name) for one in spreads], 1) for name in ("n", "mean", "deviation"))
        own = sd > 0
        freedom = np.where(own, n - 1, 0)
        pooled = quotient((freedom * np.where(own, sd, 0) ** 2).sum(1), np.maximum(freedom.sum(1), 1))
        second = np.where(own, sd**2, pooled[:, None])
        variance = np.where(n > 0, second / np.maximum(n, 1), np.nan)
        return cls(n, mean, variance, ~own & (variance > 0))

    def times(self, unit: float) -> "Effects":
        """Return the effects of values that are ``unit`` times as large; a variance may exceed all floats."""
        with np.errstate(over="ignore", under="ignore"):
            return replace(self, difference=unit * self.difference, variance=unit * (unit * self.variance))


@dataclass(frozen=True, eq=False)
class Pooled:
    """(pair,): what several collections say together; NaN where there is no such number.

    Each collection has a difference of its own, and these vary around one mean with the variance ``tau2``. The interval
    of that mean is Hartung's and Knapp's. The ``predicted`` one is for the difference in another collection, needs
    three of them, and does not depend on the estimate of ``tau2``: see `prediction_interval`.
    """

    collections: NDArray[np.int64]
    difference: Rows
    error: Rows  # the standard error of the difference
    low: Rows
    high: Rows
    p: Rows
    predicted_low: Rows
    predicted_high: Rows
    tau2: Rows
    q: Rows  # Cochran's: differences from their mean, squared, in units of their variances
    df: NDArray[np.int64]
    p_heterogeneity: Rows
    i2: Rows  # the share of what differences vary by that is more than chance
    weight: Cells  # shares in the pooled difference; 0 for a collection that is left out
    fixed: Cells  # the shares if all collections had one true difference
    note: tuple[str, ...]

    def times(self, unit: float) -> "Pooled":
        """Return the summary of values that are ``unit`` times as large; ``tau2`` may exceed all floats."""
        linear = ("difference", "error", "low", "high", "predicted_low", "predicted_high")
        with np.errstate(over="ignore", under="ignore"):
            columns = {name: unit * getattr(self, name) for name in linear}
            return replace(self, tau2=unit * (unit * self.tau2), **columns)


def pool_effects(
    effect: Cells, variance: Cells, *, tau: Tau = "reml", widened: bool = False, level: float = LEVEL
) -> Pooled:
    """A random-effects summary of effects (pair, collection) from their variances.

    ``tau`` is how the variance between collections is estimated: by restricted maximum likelihood, or in one step as
    DerSimonian and Laird do. The interval follows Hartung and Knapp, and Sidik and Jonkman: t with k − 1 degrees of
    freedom, and an error that comes from how the effects lie around their mean. Where they happen to lie close it is
    narrow; ``widened`` keeps its error from falling below the usual one (knapp2003), the careful choice for a few
    collections of very different sizes (rover2015). A collection without an effect or a variance is left out, and one
    whose variance is 0 too, unless none has another.
    """
    check_level(level)
    if tau not in TAUS:
        raise ParameterError(f"tau cannot be {tau!r}", hint=f"choose one of: {', '.join(TAUS)}")
    y, v, there = _counted(np.atleast_2d(effect), np.atleast_2d(variance))
    k = there.sum(axis=1)
    some, flat = k > 1, np.logical_not((v > 0).any(axis=1))  # flat: no collection has a variance
    fixed = _weights(v, np.zeros(len(y)), there)
    q = _q(y, fixed, flat)
    tau2 = np.where(flat, _between(y, there), _dersimonian(q, fixed, k) if tau == "dl" else _reml(y, v, there))
    weight = _weights(v, tau2, there)
    mean = _mean(y, weight)
    # hartung2001 and sidik2002: how far the effects lie from their mean, beside what their variances let expect.
    ratio = _scatter(y, mean, weight) / np.maximum(k - 1, 1)
    ratio = np.where(widened & ~flat, np.maximum(ratio, 1), ratio)
    error = np.sqrt(ratio / np.where(some, weight.sum(axis=1), 1))
    numbers = _ends(k, mean, error, level) | _heterogeneity(k, q)
    numbers |= dict(zip(("predicted_low", "predicted_high"), prediction_interval(y, v, there, level), strict=True))
    numbers |= {"difference": mean, "error": error, "tau2": tau2, "q": q}
    return Pooled(
        collections=k,
        df=np.maximum(k - 1, 0),
        weight=np.where(some[:, None], _shares(weight), np.nan),
        fixed=np.where(some[:, None], _shares(fixed), np.nan),
        note=_notes(some, flat, numbers["high"] - mean, fixed, level),
        **{name: np.where(some, column, np.nan) for name, column in numbers.items()},
    )


def _notes(some: NDArray[np.bool_], flat: NDArray[np.bool_], half: Rows, fixed: Cells, level: float) -> tuple[str, ...]:
    """(pair,): a word on what is unusual, such as an interval narrower than that of one true difference."""
    from scipy.special import ndtri

    usual = -ndtri(level / 2) / np.sqrt(np.where(some, fixed.sum(axis=1), 1))
    notes = said(
        USUAL,
        (~some, "there is only one collection: nothing is summed up"),
        (flat, "no collection shows a spread: all count alike"),
        (half < usual, "narrower than if all had one true difference: the collections lie close"),
    )
    return notes * len(some) if len(notes) == 1 else notes


def _ends(k: NDArray[np.int64], mean: Rows, error: Rows, level: float) -> dict[str, Rows]:
    """Return the interval of the mean, and its p."""
    from scipy.special import stdtr, stdtrit

    df = np.maximum(k - 1, 1)
    half = stdtrit(df, 1 - level / 2) * error
    return {
        "low": mean - half,
        "high": mean + half,
        "p": 2 * stdtr(df, -np.abs(quotient(mean, error))),
    }


def _heterogeneity(k: NDArray[np.int64], q: Rows) -> dict[str, Rows]:
    """The p of Cochran's Q, and I² = (Q − df) / Q (higgins2002)."""
    from scipy.special import chdtrc

    df = np.maximum(k - 1, 1)
    return {"p_heterogeneity": chdtrc(df, q), "i2": np.maximum(0.0, 1 - df / np.maximum(q, df))}


def _counted(effect: Cells, variance: Cells) -> tuple[Cells, Cells, NDArray[np.bool_]]:
    """Effects and variances, 0 where a collection does not count, and which do."""
    known = ~np.isnan(effect) & (variance >= 0)
    spread = known & (variance > 0)
    there = np.where(spread.any(axis=1, keepdims=True), spread, known)
    return np.where(there, effect, 0.0), np.where(there, variance, 0.0), there


def _weights(v: Cells, tau2: Rows, there: NDArray[np.bool_]) -> Cells:
    """1 / (variance + τ²); alike where both are 0 for all."""
    total = v + tau2[:, None]
    return np.where(there, 1 / np.where(total > 0, total, 1.0), 0.0)


def _shares(weight: Cells) -> Cells:
    return weight / np.maximum(weight.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _mean(y: Cells, weight: Cells) -> Rows:
    shares = _shares(weight)
    return zero_within((shares * y).sum(axis=1), SUM_ERROR * (shares * np.abs(y)).sum(axis=1))


def _scatter(y: Cells, mean: Rows, weight: Cells) -> Rows:
    return (weight * zero_within(y - mean[:, None], SUM_ERROR * np.abs(y)) ** 2).sum(axis=1)


def _q(y: Cells, fixed: Cells, flat: NDArray[np.bool_]) -> Rows:
    """Cochran's Q; infinite where no collection has a variance and yet they differ."""
    found = _scatter(y, _mean(y, fixed), fixed)
    return np.where(flat & (found > 0), np.inf, found)


def _between(y: Cells, there: NDArray[np.bool_]) -> Rows:
    """The variance of the effects themselves."""
    weight = there.astype(float)
    return _scatter(y, _mean(y, weight), weight) / np.maximum(weight.sum(axis=1) - 1, 1)


def _dersimonian(q: Rows, fixed: Cells, k: NDArray[np.int64]) -> Rows:
    """dersimonian1986: what Q has beyond its degrees of freedom; not below 0."""
    total = fixed.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = total - (fixed**2).sum(axis=1) / total
        return np.where(k > 1, np.maximum(0.0, (q - (k - 1)) / scale), 0.0)


def _reml(y: Cells, v: Cells, there: NDArray[np.bool_]) -> Rows:
    """The τ² that restricted maximum likelihood chooses (viechtbauer2005); not below 0."""
    k = there.sum(axis=1)
    unit = v.sum(axis=1) / np.maximum(k, 1)
    tau2 = np.maximum(0.0, _between(y, there) - unit)
    left = np.flatnonzero((k > 1) & (unit > 0))
    for _ in range(ROUNDS):
        if not len(left):
            break
        new = _uphill(y[left], v[left], there[left], tau2[left])
        last = np.abs(new - tau2[left]) <= CLOSE * (new + unit[left])
        tau2[left] = new
        left = left[~last]
    return tau2


def _uphill(y: Cells, v: Cells, there: NDArray[np.bool_], tau2: Rows) -> Rows:
    """One step of Newton's, or of Fisher's scoring where the likelihood bends the other way.

    It is cut in halves until the likelihood does not fall, but for steps so small that floats cannot tell.
    """
    weight = _weights(v, tau2, there)
    total, squares, cubes = (power.sum(axis=1) for power in (weight, weight**2, weight**3))
    mean = _mean(y, weight)
    # With P = diag(w) − ww′/Σw the score is y′PPy − tr P; less its slope is 2 y′PPPy − tr PP, and expected tr PP.
    score = _scatter(y, mean, weight**2) - (total - squares / total)
    expected = squares - 2 * cubes / total + (squares / total) ** 2
    pulls = (weight**2 * (y - mean[:, None])).sum(axis=1)
    seen = 2 * (_scatter(y, mean, weight**3) - pulls**2 / total) - expected
    new = np.maximum(0.0, tau2 + score / np.where(seen > 0, seen, expected))
    here = _likelihood(y, v, there, tau2)
    for _ in range(HALVES):
        large = np.abs(new - tau2) > COARSE * (new + tau2)
        worse = large & (_likelihood(y, v, there, new) < here)
        if not worse.any():
            break
        new = np.where(worse, (tau2 + new) / 2, new)
    return new


def _likelihood(y: Cells, v: Cells, there: NDArray[np.bool_], tau2: Rows) -> Rows:
    """Twice the logarithm of the restricted likelihood, up to a constant."""
    weight = _weights(v, tau2, there)
    logs = np.where(there, np.log(np.where(there, weight, 1.0)), 0.0).sum(axis=1)
    return logs - np.log(weight.sum(axis=1)) - _scatter(y, _mean(y, weight), weight)
