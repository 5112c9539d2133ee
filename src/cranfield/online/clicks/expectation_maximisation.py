"""Expectation maximisation (EM) for click models with hidden variables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from cranfield.core import Limits
from cranfield.online.logs.topic_documents import Pairs

from .base import ClickModel, Progress
from .observed_information import Shared, own_variances, shared_covariance
from .probability_estimates import PRIOR_WEIGHT, Estimate, Numbers, Prior

Values: TypeAlias = Mapping[str, Numbers]  # the chances, by the name of their kind
Keys: TypeAlias = Mapping[str, Pairs | tuple[str, ...]]
Priors: TypeAlias = Mapping[str, Prior]  # by the name of the kind of parameter
LARGEST_LOGIT = 30.0  # further out 1 / (1 + exp(−x)) is exactly 1
STEP = 1e-4  # how far a chance is moved to see how slopes change


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """How often something happened and could have, as far as can be known."""

    num: Numbers  # (key,)
    den: Numbers  # (key,)


class Evidence(ABC):
    """A log as one model sees it."""

    keys: Keys
    impressions: float

    @abstractmethod
    def expect(self, values: Values) -> tuple[float, dict[str, Expected]]:
        """The log-likelihood of the log under some chances, and what is expected given both."""

    @abstractmethod
    def hidden(self, values: Values) -> dict[str, Numbers]:
        """(key,): how far what is expected of documents may be off: sums of p (1 − p) over all that was not seen."""

    def around(self, values: Values, name: str) -> Shared:
        """How fast the likelihood falls where the shared chances of that name are moved, and where they are not 1."""
        free = np.flatnonzero(values[name] < 1)
        own = [other for other in values if other != name]
        columns = []
        for index in free:
            step = np.zeros_like(values[name])
            step[index] = STEP * values[name][index] * (1 - values[name][index])
            up, down = (self.slopes({**values, name: values[name] + sign * step}) for sign in (1, -1))
            columns.append({one: (down[one] - up[one]) / (2 * step[index]) for one in values})
        cross = np.column_stack([np.concatenate([column[one] for one in own]) for column in columns])
        return Shared(np.column_stack([column[name][free] for column in columns]), cross)

    def slopes(self, values: Values) -> dict[str, Numbers]:
        """(key,): how fast the log-likelihood rises with each chance."""
        expected = self.expect(values)[1]
        return {name: (one.num - values[name] * one.den) / _spread(values[name]) for name, one in expected.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """The result of EM: parameter values, their estimates with precision, and the objective after each round."""

    estimates: dict[str, Estimate]
    trace: tuple[float, ...]
    converged: bool
    unseen: Numbers | None = None  # (rank,): the attraction of a document that is not in the log


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """Parameter values with the objective and the expected counts there."""

    values: dict[str, Numbers]
    objective: float
    expected: dict[str, Expected]


class Climbing(ClickModel):
    """A click model that is fitted by EM, accelerated with SQUAREM, until it converges or ``rounds`` are over.

    It has converged when the gain that is still to come is below ``tolerance`` for each impression. The objective is
    the likelihood times the prior and never falls. With ``tolerance=0`` exactly ``rounds`` plain EM rounds are run.

    Without ``a`` and ``b`` the prior of a document counts as two observations at the mean attraction of the ranks
    where it was shown (with ``method='em'`` of all documents), and the prior of the few shared parameters as one
    success and one failure. A fixed prior such as a = b = 1 pulls thousands of rarely shown documents towards one half
    and biases the shared parameters.
    """

    a: Annotated[float | None, Limits(1e-6)] = None
    b: Annotated[float | None, Limits(1e-6)] = None
    rounds: Annotated[int, Limits(1)] = 1000
    tolerance: Annotated[float, Limits(0)] = 1e-9

    @property
    def fixed_prior(self) -> Prior | None:
        """The prior of every parameter where ``a`` or ``b`` is given; the other is 1."""
        return None if self.a is None and self.b is None else self.counting_prior

    @property
    def counting_prior(self) -> Prior:
        """The prior of parameters that are counted, not fitted by EM."""
        return Prior(1.0 if self.a is None else self.a, 1.0 if self.b is None else self.b)

    def priors(self, keys: Keys, means: Mapping[str, float | Numbers], weight: float = PRIOR_WEIGHT) -> Priors:
        """Return the prior of each kind of parameter, given the prior means of those of documents."""
        if self.fixed_prior:
            return dict.fromkeys(keys, self.fixed_prior)
        return {name: Prior.at(means[name], weight) if name in means else Prior() for name in keys}

    def climb(
        self,
        evidence: Evidence,
        priors: Priors,
        progress: Progress | None = None,
        *,
        start: Values | None = None,
        held: Values | None = None,
    ) -> Climbed:
        """Run EM from the prior means or from ``start``; parameters in ``held`` stay as they are."""
        fixed = dict(held or {})
        begin = self.maximise(_no_counts(evidence.keys), priors) if start is None else dict(start)
        state = self.evaluate(evidence, priors, begin | fixed)
        trace: list[float] = []

        def step(values: dict[str, Numbers]) -> Iterate:
            found = self.evaluate(evidence, priors, values | fixed)
            trace.append(found.objective)
            if progress:
                progress(len(trace), self.rounds)
            return found

        converged = False
        while not converged and len(trace) < self.rounds - 1:
            first = step(self.maximise(state.expected, priors))
            if not self.tolerance:
                state = first
                continue
            second = self.maximise(first.expected, priors) | fixed
            leap, factor = _extrapolate(state.values, first.values, second)
            converged = factor * (first.objective - state.objective) <= self.tolerance * evidence.impressions
            if converged or len(trace) >= self.rounds - 1:
                state = first
                break
            ahead = self.evaluate(evidence, priors, leap) if factor > 1 else None
            if ahead and ahead.objective >= first.objective:
                trace.append(ahead.objective)
                state = ahead
            else:
                state = step(second)
        counted = state.expected
        last = step(self.maximise(counted, priors))
        return Climbed(self.estimates(evidence, priors, last, counted), tuple(trace), converged)

    def evaluate(self, evidence: Evidence, priors: Priors, values: dict[str, Numbers]) -> Iterate:
        """Compute the objective and the expected counts at some parameter values."""
        likelihood, expected = evidence.expect(values)
        prior = sum(priors[name].log_density(value) for name, value in values.items())
        return Iterate(values, likelihood + prior, expected)

    def maximise(self, expected: Mapping[str, Expected], priors: Priors) -> dict[str, Numbers]:
        """Return the parameters with the largest posterior density given the expected counts."""
        return {name: priors[name].posterior_mode(one.num, one.den) for name, one in expected.items()}

    def estimates(
        self, evidence: Evidence, priors: Priors, last: Iterate, counted: Mapping[str, Expected]
    ) -> dict[str, Estimate]:
        """Return the parameters with their precision from the observed information."""
        values, own = last.values, own_information(evidence, priors, last)
        joined = np.concatenate(list(own.values()))
        spread, variance = {}, 1 / joined
        for name in values.keys() - own.keys():  # what all documents share: one kind at most
            free = values[name] < 1
            spread[name] = np.zeros(len(free))
            if free.any():
                found, prior = evidence.around(values, name), np.diag(priors[name].information(values[name][free]))
                covariance = shared_covariance(joined, Shared(found.shared + prior, found.cross))
                variance = own_variances(joined, found.cross, covariance)
                spread[name][free] = covariance.diagonal()
        ends = np.cumsum([len(one) for one in own.values()])[:-1]
        spread |= dict(zip(own, np.split(variance, ends), strict=True))
        return {
            name: estimate(values[name], spread[name], priors[name], one, evidence.keys[name])
            for name, one in counted.items()
        }


def own_information(evidence: Evidence, priors: Priors, last: Iterate) -> dict[str, Numbers]:
    """Return the information on each document's parameters, the others given.

    It is that of the complete data less what is hidden (louis1982), and that of the prior.
    """
    found = {}
    for name, hidden in evidence.hidden(last.values).items():
        value, expected = last.values[name], last.expected[name]
        complete = expected.num / value**2 + (expected.den - expected.num) / (1 - value) ** 2
        seen = np.maximum(complete - hidden / _spread(value) ** 2, 0.0)
        found[name] = seen + priors[name].information(value)
    return found


def estimate(
    value: Numbers, variance: Numbers, prior: Prior, counted: Expected, keys: Pairs | tuple[str, ...]
) -> Estimate:
    """Return parameters with the number of direct observations that would give the same variance."""
    known = variance > 0
    worth = np.where(value < 1, np.where(known, _spread(value), 0.0) / np.where(known, variance, 1.0), np.inf)
    return Estimate(value, worth, float(np.mean(prior.mean)), counted.num, counted.den, keys)


def _extrapolate(start: Values, first: Values, second: Values) -> tuple[dict[str, Numbers], float]:
    """Return the SQUAREM extrapolation of two EM steps on the logit scale and its step factor (varadhan2008)."""
    logits = [{name: logit(value) for name, value in values.items()} for values in (start, first, second)]
    change = {name: logits[1][name] - logits[0][name] for name in start}
    bend = {name: logits[2][name] - logits[1][name] - change[name] for name in start}
    size = sum(float((one**2).sum()) for one in bend.values())
    factor = max(1.0, (sum(float((one**2).sum()) for one in change.values()) / size) ** 0.5) if size else 1.0
    ahead = {name: logits[0][name] + 2 * factor * change[name] + factor**2 * bend[name] for name in start}
    held = {name: second[name] == 1 for name in start}
    return {name: np.where(held[name], 1.0, inverse_logit(ahead[name])) for name in start}, factor


def logit(value: Numbers) -> Numbers:
    """Return log(p / (1 − p)), and 0 for parameters held at 1."""
    free = np.where(value < 1, value, 0.5)
    return np.log(free) - np.log1p(-free)


def inverse_logit(number: Numbers) -> Numbers:
    """Return the probability of a logit, strictly between 0 and 1."""
    return 1 / (1 + np.exp(-np.clip(number, -LARGEST_LOGIT, LARGEST_LOGIT)))


def _no_counts(keys: Keys) -> dict[str, Expected]:
    return {name: Expected(np.zeros(len(one)), np.zeros(len(one))) for name, one in keys.items()}


def _spread(value: Numbers) -> Numbers:
    """(key,): the variance of something that happens with a chance; 1 for what is sure."""
    return np.where(value < 1, value * (1 - value), 1.0)
