"""Merging by vote: majority, weighted by worker agreement, or binomial."""

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Limits
from cranfield.data import Answers

from .base import Aggregation, Merged, Point, Rule, aggregation, clamp

NOTHING = np.empty(0)


def count_votes(answers: Answers, weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """(item, choice): how many answers each choice has, or what they weigh; (worker,) are the weights."""
    cell = answers.item * answers.choices + answers.choice
    heavy = None if weight is None else weight[answers.worker]
    votes = np.bincount(cell, heavy, minlength=answers.items * answers.choices)
    return votes.reshape(answers.items, answers.choices).astype(np.float64)


def vote_shares(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """(item, choice): votes as shares of an item's votes; equal ones where an item has none."""
    total = votes.sum(axis=1, keepdims=True)
    return np.where(total > 0, votes, 1.0) / np.where(total > 0, total, votes.shape[1])


def agree_with(answers: Answers, choice: NDArray[np.int64]) -> NDArray[np.float64]:
    """(worker,): the share of a worker's answers that are the choice of the item; NaN without answers."""
    equal = np.bincount(answers.worker, answers.choice == choice[answers.item], minlength=answers.workers)
    given = np.bincount(answers.worker, minlength=answers.workers)
    return equal / np.where(given > 0, given, np.nan)


def _judged(merged: Merged, answers: Answers) -> Merged:
    """With the quality of workers: how often they say what is merged."""
    return replace(merged, quality=agree_with(answers, merged.choice))


@aggregation("majority", cite="sheng2008", aliases=("mv",))
class Majority(Aggregation):
    """Majority vote: the choice that most answers are for, each of them counting once.

    ``ties`` says what becomes of items with several such choices: the ``highest`` or ``lowest`` of them, or that with
    the larger share of votes over all items (``prior``). Who answers twice for one item has two votes.
    """

    weighs: ClassVar[str] = "every answer counts once"

    ties: Rule = "highest"

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        del seed  # nothing is drawn
        share = clamp(vote_shares(count_votes(answers)), gold)
        return _judged(Merged(self, share, NOTHING, np.ones(answers.workers), ties=self.ties), answers)


@aggregation("weighted", cite="ustalov2024", aliases=("wawa",))
class Weighted(Aggregation):
    """Weighted vote: answers count as much as their worker agrees with the majority vote (Wawa).

    More ``rounds`` take the agreement with the weighted vote of the round before, until no choice changes.
    """

    weighs: ClassVar[str] = "workers who agree with the vote count for more"

    rounds: Annotated[int, Limits(1)] = 1
    ties: Rule = "highest"

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        merged = Majority(ties=self.ties).merge(answers, gold=gold, seed=seed)
        for done in range(1, self.rounds + 1):
            before, weight = merged.choice, np.nan_to_num(merged.quality)
            # Every item has somebody who agrees with its choice, and so weighs something.
            share = clamp(vote_shares(count_votes(answers, weight)), gold)
            merged = _judged(Merged(self, share, NOTHING, weight, rounds=done, ties=self.ties), answers)
            if np.array_equal(before, merged.choice):
                break
        return merged


@aggregation("binomial", cite="ferrante2019stochastic,ferrante2018randomness", aliases=("bmv",))
class Binomial(Aggregation):
    """Binomial majority vote: an answer is a binomial variable, and its expectation the amount of relevance.

    The amount is estimated as (sum of the answers' heights + a)/(answers + a + b), where the height of a grade is 0 for
    the lowest, 1 for the highest, and in proportion between them; the merged grade lies as high, and is a real number.
    With two grades it is the share of votes for the higher. ``a`` and ``b`` add answers for the highest and the lowest
    grade that nobody gave (a Beta distribution before the answers are seen).
    """

    weighs: ClassVar[str] = "every answer counts once"
    point: ClassVar[Point] = "mean"

    a: Annotated[float, Limits(0)] = 0.0
    b: Annotated[float, Limits(0)] = 0.0

    def merge(self, answers: Answers, *, gold: NDArray[np.int64] | None = None, seed: int = SEED) -> Merged:
        del seed  # nothing is drawn
        votes = count_votes(answers)
        votes[:, -1] += self.a
        votes[:, 0] += self.b
        return _judged(Merged(self, clamp(vote_shares(votes), gold), NOTHING, np.ones(answers.workers)), answers)
