"""GLAD: labels estimated from the ability of workers and the difficulty of items."""

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Limits
from cranfield.data import Answers

from .base import Aggregation, Merged, aggregation
from .label_posteriors import after, before

CENTRE = 1.0  # mean of the normal priors on α and log β, whose deviation is 1 (whitehill2009glad, §3)
FAR = 20.0  # no log β counts beyond: exp(20) times any ability is certainty
SWEEPS = 2  # over abilities and difficulties, in one round
HALVINGS = 10  # of a step that leads down


@aggregation("glad", cite="whitehill2009glad")
class GLAD(Aggregation):
    """Labels, abilities, difficulties: a worker of ability α is right about an item with chance 1/(1 + exp(−αβ)).

    β, from 0 (nobody can tell) up, is how easy the item is; a worker with α below 0 tends to be wrong. Who is wrong
    takes any of the other choices alike. Before anybody answers all choices are alike; gold is certain; α and log β are
    normal with mean 1 and deviation 1. By turns, shares of choices follow from abilities and difficulties, and steps
    along the gradient lead to those that fit the shares better: at most ``rounds`` times, or until a round adds less
    than ``tolerance`` times the objective, which is the log-likelihood with the priors and never falls.

    The chance that a worker is right is the mean over the worker's answers; an answer counts by α, or by nothing where
    α is below 0.
    """

    weighs: ClassVar[str] = "workers who are right count for more, most of all about items that are hard for others"

    rounds: Annotated[int, Limits(1)] = 100
    tolerance: Annotated[float, Limits(0)] = 1e-9

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        model = Model(answers, gold)
        at = np.full(answers.workers + answers.items, CENTRE)
        share, likelihood = model.look(at)
        trace: list[float] = []
        for _ in range(self.rounds):
            at = model.climb(at, share)
            share, likelihood = model.look(at)
            trace.append(likelihood + model.prior(at))
            if len(trace) > 1 and trace[-1] - trace[-2] <= self.tolerance * abs(trace[-1]):
                break
        return Merged(
            self,
            share,
            quality=model.quality(at),
            weight=np.maximum(at[: answers.workers], 0.0),
            trace=tuple(trace),
            rounds=len(trace),
            likelihood=likelihood,
        )


class Part(NamedTuple):
    """The abilities of workers, or the difficulties of items, among all parameters."""

    place: slice
    owner: NDArray[np.int64]  # (answer,): whose it is


class Model:
    """The answers, and what abilities and difficulties make of them: one vector ``at`` holds all α, then all log β."""

    def __init__(self, answers: Answers, gold: NDArray[np.int64] | None) -> None:
        self.answers = answers
        self.before = before(answers, gold)
        self.place = answers.item * answers.choices + answers.choice
        self.others = float(np.log(max(answers.choices - 1, 1)))  # choices that are wrong, alike
        workers = answers.workers
        self.abilities = Part(slice(0, workers), answers.worker)
        self.difficulties = Part(slice(workers, workers + answers.items), answers.item)

    def ease(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(answer,): β of its item."""
        return np.exp(np.clip(at[self.difficulties.place], -FAR, FAR))[self.answers.item]

    def reach(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(answer,): αβ, the log-odds that it is right."""
        return at[self.answers.worker] * self.ease(at)

    def look(self, at: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """(item, choice): how likely each choice is (whitehill2009glad, §3.1); and the log-likelihood."""
        reach = self.reach(at)
        lift = np.bincount(self.place, reach + self.others, self.before.size).reshape(self.before.shape)
        share, evidence = after(self.before + lift)
        return share, evidence - float((np.logaddexp(0.0, reach) + self.others).sum())

    def prior(self, at: NDArray[np.float64]) -> float:
        """What the priors add to the log-likelihood."""
        return -0.5 * float(((at - CENTRE) ** 2).sum() + len(at) * np.log(2 * np.pi))

    def quality(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """(worker,): the chance to be right, over the worker's answers; without any, about an item as expected."""
        from scipy.special import expit

        workers = self.answers.workers
        number = np.bincount(self.answers.worker, minlength=workers)
        right = np.bincount(self.answers.worker, expit(self.reach(at)), workers)
        return np.where(number > 0, right / np.maximum(number, 1), expit(at[:workers] * np.exp(CENTRE)))

    def climb(self, at: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Abilities, then difficulties, that fit the shares better: given the others, each is on its own."""
        right = share.ravel()[self.place]  # (answer,): how likely
        for _ in range(SWEEPS):
            at = self._step(at, right, self.abilities)
            at = self._step(at, right, self.difficulties)
        return at

    def _step(self, at: NDArray[np.float64], right: NDArray[np.float64], part: Part) -> NDArray[np.float64]:
        """A step along the gradient for each owner, shortened until what the owner can expect does not fall."""
        slope, curve = self.gradient(at, right, part)
        now = self.expected(at, right, part)
        step = np.zeros_like(at)
        step[part.place] = slope / curve
        for left in reversed(range(HALVINGS)):
            worse = self.expected(at + step, right, part) < now
            step[part.place] *= np.where(worse, 0.5 if left else 0.0, 1.0)
            if not worse.any():
                break
        return at + step

    def expected(self, at: NDArray[np.float64], right: NDArray[np.float64], part: Part) -> NDArray[np.float64]:
        """(owner,): the expected log-likelihood of the owner's answers, with the prior, but for constants."""
        reach, own = self.reach(at), at[part.place]
        each = right * reach - np.logaddexp(0.0, reach)  # log σ(x) = x + log(1 − σ(x))
        return np.bincount(part.owner, each, len(own)) - 0.5 * (own - CENTRE) ** 2

    def gradient(
        self, at: NDArray[np.float64], right: NDArray[np.float64], part: Part
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(owner,): the slope of what is expected (whitehill2009glad, §3.2), and its curvature (Fisher's, positive)."""
        from scipy.special import expit

        reach, own = self.reach(at), at[part.place]
        sure = expit(reach)
        rise = self.ease(at) if part is self.abilities else reach  # of αβ with α, or with log β
        slope = np.bincount(part.owner, (right - sure) * rise, len(own)) - (own - CENTRE)
        bend = np.bincount(part.owner, sure * (1 - sure) * rise**2, len(own))
        return slope, np.add(bend, 1.0)
