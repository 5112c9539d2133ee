"""Examination parameters of click models by conditional likelihood: unbiased, however few impressions documents have.

A document with attraction α that was shown n_k times where examination is γ_k gets n_k·α·γ_k clicks there in the
mean. Given the number of its clicks, they fall on the k in proportion to n_k·γ_k, whatever α is. The estimator that
maximises this multinomial likelihood is consistent under the mean alone (hausman1984, wooldridge1999); its variance
uses that clicks are binomial.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .probability_estimates import PRIOR_WEIGHT, Numbers, Prior, total, weigh

GAIN = 1e-9  # of the log-likelihood: a Newton step that promises less is not taken
HALVINGS = 40
ENOUGH_PAIRS = 100  # documents whose spread says how much they differ
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
    """Examination parameters relative to the first, which is 1, with their covariance."""

    value: Numbers  # (look,)
    covariance: NDArray[np.float64]  # (look, look)
    trace: tuple[float, ...]  # the conditional log-likelihood with the prior, after each step
    converged: bool


def conditional_examination(
    data: ClicksByLook, prior: Prior, rounds: int, progress: Callable[[int, int], object] | None = None
) -> Examination:
    """Maximise the conditional likelihood by Newton's method on the log scale, where it is concave."""
    clicks = total(data.pair, data.clicked, data.pairs)
    by_look = total(data.look, data.clicked, data.looks)
    value = np.full(data.looks, prior.mean)
    value[0] = 1.0
    trace: list[float] = []
    objective, converged = _objective(data, clicks, by_look, value, prior), False
    while not converged and len(trace) < rounds:
        slope, fall = _derivatives(data, clicks, by_look, value, prior)
        step = np.append(0.0, np.linalg.solve(fall[1:, 1:], slope[1:]))
        converged = bool(slope @ step / 2 <= GAIN)
        if not converged:
            value, objective = _search(data, clicks, by_look, value, prior, step, objective)
        trace.append(objective)
        if progress:
            progress(len(trace), rounds)
    _, fall = _derivatives(data, clicks, by_look, value, prior)
    return Examination(value, _covariance(data, value, prior, fall), tuple(trace), converged)


def _objective(data: ClicksByLook, clicks: Numbers, by_look: Numbers, value: Numbers, prior: Prior) -> float:
    exposure = total(data.pair, data.shown * value[data.look], data.pairs)
    there = clicks > 0
    return weigh(by_look, np.log(value)) - weigh(clicks[there], np.log(exposure[there])) + prior.log_density(value)


def _search(
    data: ClicksByLook,
    clicks: Numbers,
    by_look: Numbers,
    value: Numbers,
    prior: Prior,
    step: Numbers,
    objective: float,
) -> tuple[Numbers, float]:
    """Return the first point on the Newton step, halved if needed, that is a probability and no worse."""
    for halving in range(HALVINGS):
        ahead = value * np.exp(step / 2**halving)
        if (ahead[1:] < 1).all():
            found = _objective(data, clicks, by_look, ahead, prior)
            if found >= objective:
                return ahead, found
    return value, objective


def _shares(data: ClicksByLook, value: Numbers) -> Any:
    """Return the proportion (pair, look) of each document's exposure under each parameter."""
    from scipy.sparse import csr_array

    exposure = data.shown * value[data.look]
    sums = total(data.pair, exposure, data.pairs)
    return csr_array((exposure / sums[data.pair], (data.pair, data.look)), shape=(data.pairs, data.looks))


def _derivatives(
    data: ClicksByLook, clicks: Numbers, by_look: Numbers, value: Numbers, prior: Prior
) -> tuple[Numbers, NDArray[np.float64]]:
    """Return the gradient and minus the Hessian on the log scale."""
    from scipy.sparse import csr_array

    share = _shares(data, value)
    expected = share.T @ clicks
    odds = value[1:] / (1 - value[1:])
    slope = by_look - expected
    slope[1:] += prior.a - prior.b * odds
    fall = np.diag(expected) - (share.T @ csr_array(share.multiply(clicks[:, np.newaxis]))).toarray()
    fall[1:, 1:] += np.diag(prior.b * odds / (1 - value[1:]))
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


def _covariance(data: ClicksByLook, value: Numbers, prior: Prior, fall: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sandwich covariance of the parameters, with the binomial variance of the clicks inside."""
    from scipy.sparse import csr_array

    share, gamma = _shares(data, value), value[data.look]
    clicks, exposure, twice = _moments(data, value)
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
    priors = np.diag(prior.b * value[1:] / (1 - value[1:]) ** 2)
    inside[1:, 1:] += priors / data.looks
    bread = np.linalg.inv(fall[1:, 1:] - priors * (1 - 1 / data.looks))
    covariance = np.zeros((data.looks, data.looks))
    covariance[1:, 1:] = bread @ inside[1:, 1:] @ bread * np.outer(value[1:], value[1:])
    return covariance
