"""MACE: labels estimated by a model in which a worker either knows the answer or responds by habit."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Limits, Positive, generator
from cranfield.data import Answers

from .base import Aggregation, Merged, aggregation, clamp
from .label_posteriors import after, before
from .votes import count_votes, vote_shares

LEAST = 1e-12  # of what a start draws

Cells: TypeAlias = NDArray[np.float64]  # (worker, choice)


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """What expected counts tell of chances that sum to 1."""

    mean: NDArray[np.float64]  # (worker, outcome)
    logs: NDArray[np.float64]  # (worker, outcome): what their logarithms are taken to be
    worth: float = 0.0  # what the prior adds to the objective


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """Where one start ended."""

    know: NDArray[np.float64]  # (worker, 2): knows the answer, does not
    habit: Cells
    share: NDArray[np.float64]  # (item, choice)
    trace: tuple[float, ...]


@aggregation("mace", cite="hovy2013mace")
class MACE(Aggregation):
    """Multi-annotator competence estimation: a worker knows the right choice with probability θ, or answers by habit.

    Who does not know chooses by ξ, a habit of their own, whatever the item. Before anybody answers all choices are
    alike; gold is certain. ``fit='bayes'`` is variational, with Beta(prior, prior) on θ and a Dirichlet distribution
    with ``habit`` for each choice on ξ; ``fit='em'`` adds ``smoothing``, shared over the choices, to expected counts.
    The best of several ``starts`` counts, the first from vote shares, the others drawn. Each ends after ``rounds``, or
    when a round adds less than ``tolerance`` times the objective: the lower bound of the evidence, or the
    log-likelihood with what smoothing adds. It never falls.

    An answer counts by θ, and is right with chance θ + (1 − θ) Σ ξ_c p_c, where p_c is the merged share of a choice
    over all items. With ``bayes``, θ and ξ are means of what is believed of them.
    """

    weighs: ClassVar[str] = "workers count for more the less they seem to answer by habit"

    starts: Annotated[int, Limits(1)] = 10
    rounds: Annotated[int, Limits(1)] = 50
    fit: Literal["bayes", "em"] = "bayes"
    prior: Positive = 0.5
    habit: Positive = 10.0
    smoothing: Positive = 0.01
    tolerance: Annotated[float, Limits(0)] = 1e-9

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        model = Model(self, answers, gold)
        climbed = [
            model.climb(model.first() if start == 0 else model.draw(start, seed)) for start in range(self.starts)
        ]
        best = max(climbed, key=lambda one: one.trace[-1])
        knows, guesses = best.know.T
        said = guesses[:, np.newaxis] * best.habit  # (worker, chosen): by habit
        return Merged(
            self,
            best.share,
            quality=knows + said @ best.share.mean(axis=0),
            weight=knows,
            confusion=knows[:, np.newaxis, np.newaxis] * np.eye(answers.choices) + said[:, np.newaxis],
            trace=best.trace,
            rounds=len(best.trace),
            likelihood=model.look(np.log(best.know), np.log(best.habit))[2],
            starts=tuple(one.trace[-1] for one in climbed),
        )

    def chances(self, counts: NDArray[np.float64], prior: float, choices: int) -> Chances:
        """What expected counts (worker, outcome) tell, by the way of fitting."""
        if self.fit == "em":
            added = self.smoothing / choices
            mean = (counts + added) / (counts + added).sum(axis=1, keepdims=True)
            return Chances(mean, np.log(mean), added * float(np.log(mean).sum()))
        from scipy.special import digamma, gammaln

        known = counts + prior
        total = known.sum(axis=1, keepdims=True)
        logs = digamma(known) - digamma(total)
        # Minus the divergence of the Dirichlet distribution with counts from the one without.
        outcomes = counts.shape[1]
        apart = gammaln(total).sum() - gammaln(known).sum() + (counts * logs).sum()
        start = len(counts) * (gammaln(prior * outcomes) - outcomes * gammaln(prior))
        return Chances(known / total, logs, float(start - apart))


class Model:
    """The answers as MACE sees them: the chance of one depends on its worker, its choice and the truth alone."""

    def __init__(self, method: MACE, answers: Answers, gold: NDArray[np.int64] | None) -> None:
        from scipy.sparse import csr_array

        self.method, self.answers = method, answers
        self.before = before(answers, gold)
        choices = answers.choices
        rows, columns = answers.item * choices + answers.choice, answers.worker * choices + answers.choice
        shape = (answers.items * choices, answers.workers * choices)
        self.by_item: Any = csr_array(
            (np.ones(len(answers)), (rows, columns)), shape=shape
        )  # who answers twice counts twice
        self.by_worker: Any = csr_array(self.by_item.T)
        self.counts: Cells = np.bincount(columns, minlength=shape[1]).reshape(-1, choices).astype(float)
        self.votes = clamp(vote_shares(count_votes(answers)), gold)

    def climb(self, start: tuple[Chances, Chances]) -> Climbed:
        """As far up from a start as the rounds allow."""
        know, habit = start
        share, knew, _ = self.look(know.logs, habit.logs)
        trace: list[float] = []
        for _ in range(self.method.rounds):
            know, habit = self.tell(knew)
            share, knew, likelihood = self.look(know.logs, habit.logs)
            trace.append(likelihood + know.worth + habit.worth)
            if len(trace) > 1 and trace[-1] - trace[-2] <= self.method.tolerance * abs(trace[-1]):
                break
        return Climbed(know.mean, habit.mean, share, tuple(trace))

    def look(self, know: NDArray[np.float64], habit: Cells) -> tuple[NDArray[np.float64], Cells, float]:
        """Shares of choices (item, choice), how many answers were known (worker, choice), the log-likelihood.

        An answer has the chance (1 − θ)ξ whatever is true, and θ more where it is right (hovy2013mace, eq. 1): choices
        of an item differ by the logarithms of 1 + θ/((1 − θ)ξ), which depend on worker and choice alone.
        """
        from scipy.special import expit

        guessed = know[:, 1:] + habit
        odds = know[:, :1] - guessed
        lift = (self.by_item @ np.logaddexp(0.0, odds).ravel()).reshape(self.before.shape)
        share, evidence = after(self.before + lift)
        knew = (self.by_worker @ share.ravel()).reshape(odds.shape) * expit(odds)
        return share, knew, evidence + float((self.counts * guessed).sum())

    def tell(self, knew: Cells) -> tuple[Chances, Chances]:
        """Who knows how often, and who has what habit, given how many answers were known."""
        guessed = np.maximum(self.counts - knew, 0.0)  # rounding may leave less than nothing
        both = np.stack([knew.sum(axis=1), guessed.sum(axis=1)], axis=1)
        method, choices = self.method, self.answers.choices
        return method.chances(both, method.prior, choices), method.chances(guessed, method.habit, choices)

    def first(self) -> tuple[Chances, Chances]:
        """A start from vote shares, and gold: whoever agrees with them knew."""
        return self.tell((self.by_worker @ self.votes.ravel()).reshape(self.counts.shape))

    def draw(self, start: int, seed: int) -> tuple[Chances, Chances]:
        """A start that says nothing."""
        stream = generator(seed, self.method.name, start)
        workers, choices = self.counts.shape
        drawn = [np.maximum(stream.dirichlet(np.ones(outcomes), workers), LEAST) for outcomes in (2, choices)]
        know, habit = (Chances(chances, np.log(chances)) for chances in drawn)
        return know, habit
