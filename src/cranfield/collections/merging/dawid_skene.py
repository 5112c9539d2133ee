"""Dawid–Skene and one-coin models: true labels and worker errors estimated together by EM."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Limits, generator
from cranfield.data import Answers

from .base import Aggregation, Merged, aggregation, clamp
from .votes import count_votes, vote_shares

NOISE = 0.5  # how much of a further start is drawn; the rest is vote shares, which keep choices in their places


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Answers as a table of counts, items × (worker, choice), and its transpose: both steps of a round are products."""

    by_item: Any  # (item, worker × choice): sparse
    by_worker: Any  # (worker × choice, item): sparse
    possible: NDArray[np.bool_]  # (choice, item): false where gold says something else
    workers: int

    @classmethod
    def of(cls, answers: Answers, gold: NDArray[np.int64] | None) -> "Counted":
        """Those of some answers; who answers twice for one item is counted twice."""
        from scipy.sparse import csr_array

        said = answers.worker * answers.choices + answers.choice
        shape = (answers.items, answers.workers * answers.choices)
        by_item = csr_array((np.ones(len(answers)), (answers.item, said)), shape=shape)
        possible = clamp(np.ones((answers.items, answers.choices)), gold) > 0
        return cls(by_item, by_item.T.tocsr(), np.ascontiguousarray(possible.T), answers.workers)

    def chosen(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """(worker, true choice, chosen): how many answers are expected there, given how likely each choice is."""
        choices = share.shape[1]
        return (self.by_worker @ share).reshape(self.workers, choices, choices).transpose(0, 2, 1)

    def weigh(self, prior: NDArray[np.float64], confusion: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """(item, choice): how likely each choice is, and the log-likelihood of answers (dawid1979, eq. 2.5, 2.7)."""
        with np.errstate(divide="ignore"):  # a chance of 0 is a logarithm of −∞, and meant
            rows = np.log(confusion).transpose(0, 2, 1).reshape(-1, len(prior))
            # (choice, item): over many items numpy is faster along the first axis
            joint = np.ascontiguousarray((self.by_item @ rows).T) + np.log(prior)[:, np.newaxis]
        joint[~self.possible] = -np.inf
        largest = joint.max(axis=0)
        share = np.exp(joint - largest)
        total = share.sum(axis=0)
        return np.ascontiguousarray((share / total).T), float((np.log(total) + largest).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Where one start ended."""

    share: NDArray[np.float64]  # (item, choice)
    prior: NDArray[np.float64]  # (choice,)
    confusion: NDArray[np.float64]  # (worker, true choice, chosen)
    likelihood: float
    trace: tuple[float, ...]


@aggregation("dawid-skene", cite="dawid1979", aliases=("ds",))
class DawidSkene(Aggregation):
    """Dawid–Skene: each worker has a chance of saying l where j is true, for all j and l; the likeliest truth is found.

    EM goes from vote shares by turns: how frequent each choice is and how each worker errs, given how likely the
    choices of each item are; and these again, given the former. It ends when a round adds less than ``tolerance`` times
    the objective, or after so many ``rounds``. The objective is the log-likelihood and, with smoothing, what that adds;
    it never falls. Gold stays what it is, and teaches how workers err.

    ``smoothing`` adds that many answers to every cell of a worker's table and to every choice. 0 is the method of 1979:
    who never said l where j is true rules j out by saying l, even with two labels given. A hundredth of an answer lets
    nothing be impossible and leaves the rest as it was; much more makes guessers of workers with few labels.

    Choices keep their meaning through the start alone: with their names exchanged everything is as likely. Further
    ``starts`` are half vote shares, half drawn, and one replaces the first only where it ends higher.
    """

    weighs: ClassVar[str] = "workers whose answers tell more of the truth count for more, each for each choice"

    smoothing: Annotated[float, Limits(0)] = 0.01
    starts: Annotated[int, Limits(1)] = 1
    rounds: Annotated[int, Limits(1)] = 1000
    tolerance: Annotated[float, Limits(0)] = 1e-9

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        counted = Counted.of(answers, gold)
        shares = vote_shares(count_votes(answers))
        best = self.climb(counted, clamp(shares, gold))
        ended = [best.trace[-1]]
        for start in range(1, self.starts):
            drawn = generator(seed, self.name, start).dirichlet(np.ones(answers.choices), answers.items)
            found = self.climb(counted, clamp((1 - NOISE) * shares + NOISE * drawn, gold))
            ended.append(found.trace[-1])
            if found.trace[-1] > best.trace[-1] + self.tolerance * abs(best.trace[-1]):
                best = found
        return Merged(
            self,
            best.share,
            quality=np.einsum("kjj,j->k", best.confusion, best.prior),
            weight=information(best.prior, best.confusion),
            confusion=best.confusion,
            trace=best.trace,
            rounds=len(best.trace),
            likelihood=best.likelihood,
            starts=tuple(ended),
        )

    def climb(self, counted: Counted, share: NDArray[np.float64]) -> Fitted:
        """EM from one start."""
        trace: list[float] = []
        while True:
            prior = self.expect(share)
            confusion = self.err(counted.chosen(share))
            share, likelihood = counted.weigh(prior, confusion)
            trace.append(likelihood + self.added(prior, confusion))
            settled = len(trace) > 1 and trace[-1] - trace[-2] <= self.tolerance * abs(trace[-1])
            if settled or len(trace) == self.rounds:
                return Fitted(share, prior, confusion, likelihood, tuple(trace))

    def expect(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """(choice,): how frequent each choice is (dawid1979, eq. 2.4)."""
        prior = share.sum(axis=0) + self.smoothing
        return prior / prior.sum()

    def err(self, chosen: NDArray[np.float64]) -> NDArray[np.float64]:
        """(worker, true choice, chosen): the chances that make such counts likeliest (dawid1979, eq. 2.3).

        Where a worker never met a true choice, all answers are as likely.
        """
        counts = chosen + self.smoothing
        total = counts.sum(axis=2, keepdims=True)
        return np.where(total > 0, counts, 1.0) / np.where(total > 0, total, counts.shape[2])

    def added(self, prior: NDArray[np.float64], confusion: NDArray[np.float64]) -> float:
        """What smoothing adds to the log-likelihood: the logarithm of a Dirichlet density, up to a constant."""
        if not self.smoothing:
            return 0.0
        return self.smoothing * float(np.log(prior).sum() + np.log(confusion).sum())


@aggregation("one-coin", cite="zhang2016,dawid1979")
class OneCoin(DawidSkene):
    """One-coin model: each worker has one chance of being right; who is not says any other choice, all as likely.

    Dawid–Skene with one number for each worker, so that few answers go further; whoever is right less often than by
    chance speaks against what they say. ``smoothing`` adds that many answers for each choice, of which one is right.

    Choices are taken to be equally frequent (zhang2016). With ``prior='estimated'`` their frequencies are estimated
    too, as dawid1979 has it; workers who always say the same then easily make one choice true of nearly all items.
    """

    weighs: ClassVar[str] = "workers who are right more often count for more"

    prior: Literal["equal", "estimated"] = "equal"

    def expect(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """(choice,): how frequent each choice is."""
        return super().expect(share if self.prior == "estimated" else np.ones_like(share))

    def err(self, chosen: NDArray[np.float64]) -> NDArray[np.float64]:
        """(worker, true choice, chosen): right with one chance, and otherwise all other choices alike."""
        choices = chosen.shape[2]
        total = chosen.sum(axis=(1, 2)) + self.smoothing * choices
        right = np.einsum("kjj->k", chosen) + self.smoothing
        right = np.where(total > 0, right, 1.0) / np.where(total > 0, total, choices)
        right = np.minimum(right, 1.0)  # two sums of the same numbers may differ by a bit
        wrong = (1 - right) / max(choices - 1, 1)
        return np.where(np.eye(choices, dtype=bool), right[:, None, None], wrong[:, None, None])

    def added(self, prior: NDArray[np.float64], confusion: NDArray[np.float64]) -> float:
        """What smoothing adds to the log-likelihood: one row of each worker's table stands for all."""
        return super().added(prior, confusion[:, :1])


def information(prior: NDArray[np.float64], confusion: NDArray[np.float64]) -> NDArray[np.float64]:
    """(worker,): how many bits of the truth an answer gives away; 0 where it depends on nothing."""
    joint = prior[:, np.newaxis] * confusion
    said = joint.sum(axis=1, keepdims=True)  # (worker, 1, chosen)
    ratio = np.where(joint > 0, confusion, 1.0) / np.where(joint > 0, said, 1.0)
    return np.maximum((joint * np.log2(ratio)).sum(axis=(1, 2)), 0.0)
