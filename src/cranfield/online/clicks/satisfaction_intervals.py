"""Intervals of satisfaction parameters from their likelihood.

A user without a further click was satisfied, or continued and clicked nothing else. The likelihood of a satisfaction
parameter is therefore skewed, and often largest at 0. A Beta distribution with the same variance excludes small true
values too often.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .last_click_tails import Browsed, Going, quiet_below
from .probability_estimates import Estimate, Numbers, Prior, total

POINTS = 64  # at which a likelihood is computed
REACH = 6.0  # standard errors on both sides of the estimate
LEAST_INFORMATION = 0.05  # proportion that the error of the attraction of other documents leaves at least
JEFFREYS = Prior(0.5, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class LastClicks:
    """Last clicks with documents below, each with the probability that a user who continues clicks none of those."""

    key: NDArray[np.int64]  # (tail,): the document clicked last
    count: Numbers  # (tail,)
    quiet: Numbers  # (tail,)
    passed: Numbers  # (key,): clicks with a click below
    going: Going

    def log_likelihood(self, value: Numbers) -> Numbers:
        """Return the log-likelihood (key,) of satisfaction parameters, all others as estimated."""
        on = value * self.going.content + (1 - value) * self.going.click
        ended = self.count * np.log1p(-on[self.key] * (1 - self.quiet))
        return self.passed * np.log(on) + total(self.key, ended, len(value))

    def information(self, value: Numbers) -> Numbers:
        """Return minus the second derivative (key,) of the log-likelihood."""
        slope = self.going.content - self.going.click
        on = value * slope + self.going.click
        ended = self.count * ((1 - self.quiet) * slope / (1 - on[self.key] * (1 - self.quiet))) ** 2
        return self.passed * (slope / on) ** 2 + total(self.key, ended, len(value))


@dataclass(frozen=True, slots=True, eq=False)
class SatisfactionEstimate(Estimate):
    """Satisfaction parameters whose intervals combine their likelihood with a prior."""

    last_clicks: LastClicks
    interval_prior: Prior
    information: Numbers  # (key,): proportion left where all other parameters are estimated, not known

    def _quantile(self, share: float) -> Numbers:
        # On the scale of t, with value = sin²(πt/2), Beta(1/2, 1/2) is uniform.
        centre, reach = 2 / np.pi * np.arcsin(np.sqrt(self.value)), REACH / (np.pi * np.sqrt(self.worth))
        low, high = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)
        width = (high - low) / POINTS
        logs = np.empty((POINTS, len(self)))
        for point in range(POINTS):
            value = np.sin(np.pi / 2 * (low + (point + 0.5) * width)) ** 2
            prior = (self.interval_prior.a - 0.5) * np.log(value) + (self.interval_prior.b - 0.5) * np.log1p(-value)
            logs[point] = self.information * self.last_clicks.log_likelihood(value) + prior
        mass = np.exp(logs - logs.max(axis=0))
        below = np.cumsum(mass, axis=0)
        target = share * below[-1]
        cell = np.minimum((below < target).sum(axis=0), POINTS - 1)
        key = np.arange(len(self))
        inside = 1 - (below[cell, key] - target) / mass[cell, key]
        return np.sin(np.pi / 2 * (low + (cell + inside) * width)) ** 2


def with_likelihood(
    estimates: Mapping[str, Estimate],
    browsed: Browsed,
    going: Going,
    prior: Prior,
    interval_prior: Prior = JEFFREYS,
) -> SatisfactionEstimate:
    """Return satisfaction parameters with intervals that allow for the error of all other parameters.

    The variance of the estimates has the error of the parameters that all documents share. That of the attraction of
    the documents below is added. ``prior`` is that of the estimates, ``interval_prior`` that of the intervals.
    """
    satisfaction, attraction = estimates["satisfaction"], estimates["attraction"]
    last_clicks, cross = _last_clicks(browsed, going, len(attraction))
    own = 1 / (last_clicks.information(satisfaction.value) + prior.information(satisfaction.value))
    lost = own * (cross.power(2) @ attraction.variance())  # the Schur complement, in proportion
    variance = own / np.maximum(1 - lost, LEAST_INFORMATION) + np.maximum(satisfaction.variance() - own, 0.0)
    values = {field.name: getattr(satisfaction, field.name) for field in fields(Estimate)}
    values["worth"] = satisfaction.value * (1 - satisfaction.value) / variance
    return SatisfactionEstimate(
        **values, last_clicks=last_clicks, interval_prior=interval_prior, information=own / variance
    )


def _last_clicks(browsed: Browsed, going: Going, pairs: int) -> tuple[LastClicks, Any]:
    """Return the last clicks, and second derivatives (key, pair) by satisfaction and by the attraction below."""
    from scipy.sparse import csr_array

    size, slope = (len(browsed.passed), pairs), going.content - going.click
    cross: Any = csr_array(size)
    parts = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))]
    for tails in browsed.tails:
        if tails.clicked and len(tails.below):
            quiet, falls = quiet_below(tails, going)
            whole = 1 - going.on[tails.key] * (1 - quiet)
            second = (tails.count * slope / whole**2 * falls).ravel()
            keys = np.broadcast_to(tails.key, falls.shape).ravel()
            cross += csr_array((second, (keys, tails.below.ravel())), shape=size)
            parts.append((tails.key, tails.count, quiet))
    key, count, quiet = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return LastClicks(key, count, quiet, browsed.passed, going), cross
