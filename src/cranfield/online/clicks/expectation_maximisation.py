"""Expectation maximisation (EM) for click models with hidden variables."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from cranfield.core import Limits
from cranfield.online.logs.topic_documents import Pairs

from .base import Progress, Smoothed
from .observed_information import Shared, variances
from .probability_estimates import Estimate, Numbers

Values: TypeAlias = Mapping[str, Numbers]  # the chances, by the name of their kind
Keys: TypeAlias = Mapping[str, Pairs | tuple[str, ...]]
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
    """Where rounds ended."""

    values: Values
    estimates: dict[str, Estimate]
    trace: tuple[float, ...]
    converged: bool


class Climbing(Smoothed):
    """A click model that is learnt in rounds, until one adds less than ``tolerance`` for each impression.

    What is maximised is the likelihood times the prior. It never falls.
    """

    rounds: Annotated[int, Limits(1)] = 50
    tolerance: Annotated[float, Limits(0)] = 1e-6

    def climb(self, evidence: Evidence, progress: Progress | None) -> Climbed:
        """Rounds from the prior on."""
        start = {name: Expected(np.zeros(len(keys)), np.zeros(len(keys))) for name, keys in evidence.keys.items()}
        expected = evidence.expect(self.maximise(start))[1]
        trace: list[float] = []
        while True:
            counted = expected
            values = self.maximise(counted)
            likelihood, expected = evidence.expect(values)
            trace.append(likelihood + self.log_prior(values))
            if progress:
                progress(len(trace), self.rounds)
            settled = len(trace) > 1 and trace[-1] - trace[-2] <= self.tolerance * evidence.impressions
            if settled or len(trace) == self.rounds:
                return Climbed(values, self.estimates(evidence, values, counted, expected), tuple(trace), settled)

    def maximise(self, expected: Mapping[str, Expected]) -> dict[str, Numbers]:
        """The likeliest chances."""
        return {name: (self.a + one.num) / (self.a + self.b + one.den) for name, one in expected.items()}

    def log_prior(self, values: Values) -> float:
        """The logarithm of the prior's density, up to a constant; what is held at 1 has none."""
        free = [value[value < 1] for value in values.values()]
        return float(sum(self.a * np.log(value).sum() + self.b * np.log1p(-value).sum() for value in free))

    def estimates(
        self, evidence: Evidence, values: Values, counted: Mapping[str, Expected], expected: Mapping[str, Expected]
    ) -> dict[str, Estimate]:
        """The chances with what they are worth, by the information in what was seen."""
        hidden = evidence.hidden(values)
        own = np.concatenate([self.information(values[name], expected[name], off) for name, off in hidden.items()])
        spread, variance = {}, 1 / own
        for name in values.keys() - hidden.keys():  # what all documents share: one kind at most
            free = values[name] < 1
            spread[name] = np.zeros(len(free))
            if free.any():
                found, prior = evidence.around(values, name), np.diag(self.prior_information(values[name][free]))
                variance, spread[name][free] = variances(own, Shared(found.shared + prior, found.cross))
        places = np.cumsum([len(values[name]) for name in hidden])[:-1]
        spread |= dict(zip(hidden, np.split(variance, places), strict=True))
        return {
            name: Estimate(
                values[name], _worth(values[name], spread[name]), self.prior, one.num, one.den, evidence.keys[name]
            )
            for name, one in counted.items()
        }

    def information(self, value: Numbers, expected: Expected, hidden: Numbers) -> Numbers:
        """(key,): that on each chance, the others given: of all that happened, less what is hidden (louis1982)."""
        all_of_it = expected.num / value**2 + (expected.den - expected.num) / (1 - value) ** 2
        return np.maximum(all_of_it - hidden / _spread(value) ** 2, 0.0) + self.prior_information(value)

    def prior_information(self, value: Numbers) -> Numbers:
        """(key,): that of the prior."""
        return self.a / value**2 + self.b / (1 - value) ** 2


def _spread(value: Numbers) -> Numbers:
    """(key,): the variance of something that happens with a chance; 1 for what is sure."""
    return np.where(value < 1, value * (1 - value), 1.0)


def _worth(value: Numbers, variance: Numbers) -> Numbers:
    """(key,): how many sure observations have such a variance."""
    known = variance > 0
    return np.where(value < 1, np.where(known, _spread(value), 0.0) / np.where(known, variance, 1.0), np.inf)
