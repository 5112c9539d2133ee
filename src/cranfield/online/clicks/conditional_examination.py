"""Examination parameters of click models by conditional likelihood: unbiased, however few impressions documents have.

A document with attraction α that was shown n_k times where examination is γ_k gets n_k·α·γ_k clicks there in the
mean. Given the number of its clicks, they fall on the k in proportion to n_k·γ_k, whatever α is. The estimator that
maximises this multinomial likelihood is consistent under the mean alone (hausman1984, wooldridge1999); its variance
uses that clicks are binomial.

No γ exceeds that of the first rank. An estimator with this bound is biased, also for parameters below the bound, and
its variance is not normal there. So intervals come from the estimator without the bound, and end at 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .probability_estimates import PRIOR_WEIGHT, Estimate, Numbers, Prior, total, weigh

GAIN = 1e-9  # of the log-likelihood: a Newton step that promises less is not taken
HALVINGS = 40
LONGEST = 3.0  # step on the log scale
ENOUGH_PAIRS = 100  # documents whose spread says how much they differ
LARGEST = 0.999  # examination parameter below the first rank
CORRELATIONS = (0.01, 0.5)  # between clicks on one document, 1 / (a + b + 1): from nearly alike to nearly all or none


@dataclass(frozen=True, slots=True, eq=False)
class ClicksByLook:
    """Counts of cells, each with its document and its examination parameter."""

    pair: NDArray[np.int64]  # (cell,)
    look: NDArray[np.int64]  # (cell,)
    shown: Numbers  # (cell,)
    clicked: Numbers  # (cell,)
    pairs: int
    looks: int


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """Examination parameters relative to the first, which is 1, with the covariance of the unbounded ones."""

    value: Numbers  # (look,): at most 1
    unbounded: Numbers  # (look,)
    covariance: NDArray[np.float64]  # (look, look)
    trace: tuple[float, ...]  # the conditional log-likelihood with the prior, after each step
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class ExaminationEstimate(Estimate):
    """Examination parameters whose intervals are those of the estimator without the bound at 1."""

    unbounded: Numbers  # (key,)
    spread: Numbers  # (key,): the variance of the unbounded parameters

    def _quantile(self, share: float) -> Numbers:
        from scipy.special import gammaincinv

        free = self.spread > 0
        spread = np.where(free, self.spread, 1.0)
        quantile = gammaincinv(self.unbounded**2 / spread, share) * spread / self.unbounded  # of a gamma distribution
        return np.where(free, np.minimum(quantile, 1.0), self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Relative:
    """Prior of an examination parameter relative to the first rank, which may be estimated above 1.

    Its slope near 0, its maximum and its curvature there are those of the Beta prior. But its slope has a limit, so
    that it pulls no parameter away from 1.
    """

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The value of a parameter without data."""
        return self.a / (self.a + self.b)

    @property
    def power(self) -> float:
        """The exponent that gives the curvature of the Beta prior."""
        return (1 + self.a / self.b) ** 2

    def _odds(self, value: Numbers) -> Numbers:
        return self.a / self.b * (value / self.mean) ** self.power

    def log_density(self, value: Numbers) -> float:
        """Return the sum of the log densities, up to a constant."""
        beyond = (self.a + self.b) / self.power * np.log1p(self._odds(value))
        return float((self.a * np.log(value) - beyond).sum())

    def slope(self, value: Numbers) -> Numbers:
        """Return the derivative on the log scale."""
        return self.a - (self.a + self.b) * (1 - 1 / (1 + self._odds(value)))

    def information(self, value: Numbers) -> Numbers:
        """Return minus the second derivative on the log scale."""
        share = 1 / (1 + self._odds(value))
        return (self.a + self.b) * self.power * share * (1 - share)


def conditional_examination(
    data: ClicksByLook, prior: Prior, rounds: int, progress: Callable[[int, int], object] | None = None
) -> Examination:
    """Maximise the conditional likelihood without a bound, and with it where a parameter exceeds 1."""
    relative = Relative(float(np.mean(prior.a)), float(np.mean(prior.b)))
    start = np.full(data.looks, relative.mean)
    start[0] = 1.0
    unbounded, trace, converged = _climb(data, relative, start, np.inf, rounds, progress)
    covariance, value = _covariance(data, unbounded, relative), unbounded
    if (unbounded[1:] > LARGEST).any():
        start = np.append(1.0, np.minimum(unbounded[1:], LARGEST))
        value, trace, bounded = _climb(data, relative, start, LARGEST, rounds, None)
        converged = converged and bounded
    return Examination(value, unbounded, covariance, trace, converged)


def _climb(
    data: ClicksByLook,
    prior: Relative,
    value: Numbers,
    largest: float,
    rounds: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[Numbers, tuple[float, ...], bool]:
    """Maximise by Newton's method on the log scale, where the likelihood is concave; with objectives and convergence.

    Parameters at the bound stay there while the likelihood rises beyond it.
    """
    clicks = total(data.pair, data.clicked, data.pairs)
    by_look = total(data.look, data.clicked, data.looks)
    trace: list[float] = []
    objective, converged = _objective(data, clicks, by_look, value, prior), False
    while not converged and len(trace) < rounds:
        slope, fall = _derivatives(data, clicks, by_look, value, prior)
        free = np.flatnonzero((value < largest) | (slope < 0))
        free = free[free > 0]
        step = np.zeros_like(value)
        step[free] = np.linalg.solve(fall[np.ix_(free, free)], slope[free])
        converged = bool(slope @ step / 2 <= GAIN)
        if not converged:
            before = objective
            value, objective = _search(data, clicks, by_look, value, prior, step, objective, largest)
            converged = objective - before <= GAIN
        trace.append(objective)
        if progress:
            progress(len(trace), rounds)
    return value, tuple(trace), converged


def _objective(data: ClicksByLook, clicks: Numbers, by_look: Numbers, value: Numbers, prior: Relative) -> float:
    exposure = total(data.pair, data.shown * value[data.look], data.pairs)
    there = clicks > 0
    return weigh(by_look, np.log(value)) - weigh(clicks[there], np.log(exposure[there])) + prior.log_density(value[1:])


def _search(
    data: ClicksByLook,
    clicks: Numbers,
    by_look: Numbers,
    value: Numbers,
    prior: Relative,
    step: Numbers,
    objective: float,
    largest: float,
) -> tuple[Numbers, float]:
    """Return the first point on the Newton step, halved if needed, that is no worse."""
    for halving in range(HALVINGS):
        new_value = value * np.exp(np.clip(step / 2**halving, -LONGEST, LONGEST))
        new_value[1:] = np.minimum(new_value[1:], largest)
        new_objective = _objective(data, clicks, by_look, new_value, prior)
        if new_objective >= objective:
            return new_value, new_objective
    return value, objective


def _shares(data: ClicksByLook, value: Numbers) -> Any:
    """Return the proportion (pair, look) of each document's exposure under each parameter."""
    from scipy.sparse import csr_array

    exposure = data.shown * value[data.look]
    sums = total(data.pair, exposure, data.pairs)
    return csr_array((exposure / sums[data.pair], (data.pair, data.look)), shape=(data.pairs, data.looks))


def _derivatives(
    data: ClicksByLook, clicks: Numbers, by_look: Numbers, value: Numbers, prior: Relative
) -> tuple[Numbers, NDArray[np.float64]]:
    """Return the gradient and minus the Hessian on the log scale."""
    from scipy.sparse import csr_array

    share = _shares(data, value)
    expected = share.T @ clicks
    slope = by_look - expected
    slope[1:] += prior.slope(value[1:])
    fall = np.diag(expected) - (share.T @ csr_array(share.multiply(clicks[:, np.newaxis]))).toarray()
    fall[1:, 1:] += np.diag(prior.information(value[1:]))
    return slope, fall


def prior_weight(data: ClicksByLook, value: Numbers, means: Numbers) -> float:
    """Return how many observations the mean attraction of documents is worth for each of them.

    This is the weight a + b of the Beta distribution of α around the ``means`` (pair,), from the second moment: a
    document has C clicks with E[C(C − 1)] = E[α²]·T, where T are its pairs of impressions, each times its γ.
    """
    clicks, exposure, pairs_of_impressions = _moments(data, value)
    shown = np.flatnonzero(exposure > 0)
    each = pairs_of_impressions[shown] / exposure[shown]  # so that frequent documents do not decide alone
    excess = (clicks * (clicks - 1))[shown] / exposure[shown] - each * means[shown] ** 2
    most = float((each * means[shown] * (1 - means[shown])).sum())
    if most <= 0 or len(shown) < ENOUGH_PAIRS:
        return PRIOR_WEIGHT
    return float(1 / np.clip(excess.sum() / most, *CORRELATIONS) - 1)


def _moments(data: ClicksByLook, value: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the clicks (pair,) of each document, its exposure, and its pairs of impressions times their γ."""
    gamma = value[data.look]
    exposure = total(data.pair, data.shown * gamma, data.pairs)
    once = total(data.pair, data.shown * gamma**2, data.pairs)
    return total(data.pair, data.clicked, data.pairs), exposure, np.maximum(exposure**2 - once, 0.0)


def _covariance(data: ClicksByLook, value: Numbers, prior: Relative) -> NDArray[np.float64]:
    """Return the sandwich covariance of the parameters, with the binomial variance of the clicks inside."""
    from scipy.sparse import csr_array

    share, gamma = _shares(data, value), value[data.look]
    clicks, exposure, twice = _moments(data, value)
    _, fall = _derivatives(data, clicks, total(data.look, data.clicked, data.looks), value, prior)
    alpha = np.divide(clicks, exposure, out=np.zeros_like(clicks), where=exposure > 0)
    square = np.divide(clicks * (clicks - 1), twice, out=np.zeros_like(clicks), where=twice > 1e-9 * exposure**2)
    square = np.minimum(square, alpha)  # both have no bias but for this bound
    each = data.shown * gamma * (alpha[data.pair] - square[data.pair] * gamma)
    spread = csr_array((each, (data.pair, data.look)), shape=share.shape)
    crossed = (share.T @ spread).toarray()
    sums = total(data.pair, each, data.pairs)
    inside = np.diag(total(data.look, each, data.looks)) - crossed - crossed.T
    inside += (share.T @ csr_array(share.multiply(sums[:, np.newaxis]))).toarray()
    # All priors together count as the data of one: else many of them determine the scale of ranks that share no
    # document with the first.
    priors = np.diag(prior.information(value[1:]))
    inside[1:, 1:] += priors / data.looks
    bread = np.linalg.inv(fall[1:, 1:] - priors * (1 - 1 / data.looks))
    covariance = np.zeros((data.looks, data.looks))
    covariance[1:, 1:] = bread @ inside[1:, 1:] @ bread * np.outer(value[1:], value[1:])
    return covariance
