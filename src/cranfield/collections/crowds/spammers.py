"""Detection of spammers: workers whose labels do not depend on the item or contradict other workers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged
from cranfield.data import Answers
from cranfield.stats import Holm

PerWorker = NDArray[np.float64]  # (worker,)

FEWEST = 10  # labels below which nobody is called a spammer
# Of the κ of the crowd. Simulated, among workers right on 60 to 95 % of items: of honest ones 2 in 1,000 are named, of
# guessing ones with 80 labels a third, with 240 nine in ten. From the whole κ, 3 in 100 and nearly all.
USEFUL = 2 / 3
SAME = 1e-9  # weights this close are equal


def number_of(answers: Answers, kept: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """(worker,): how many labels, or how many of those that are kept."""
    return np.bincount(answers.worker if kept is None else answers.worker[kept], minlength=answers.workers)


@dataclass(frozen=True, eq=False)
class Independent:
    """Whether a worker's answers depend on the item at all: the rule by which spammers are named.

    Each label stands beside what the others say of the item: gold where it is known, otherwise what the method makes of
    all labels but the worker's own. ``chance`` is how often the two would be equal if both kept their shares of choices
    but knew nothing of each other; κ is the share of the rest that is equal, ``typical`` that of all labels together.
    A spammer is not better than chance (binomial, at the level), though a ``useful`` worker with two thirds of that κ
    would be: as few equal labels are not to be expected of one (binomial, Holm over workers). Of who gives one answer
    throughout, the second asks whether a useful worker would have missed all items on which the others choose
    otherwise. Workers with fewer than 10 such labels are never named. Who is equal less often than chance gives
    (binomial, Holm) answers against the others, and is named as such.
    """

    labels: NDArray[np.int64]  # (worker,): those with others beside them
    equal: NDArray[np.int64]  # (worker,)
    chance: PerWorker
    only: NDArray[np.int64]  # (worker,): the one choice that a worker ever gave, −1 where there were several
    typical: float  # κ of all labels together

    @classmethod
    def of(cls, answers: Answers, merged: Merged, known: NDArray[np.int64]) -> "Independent":
        """What there is to see of each worker."""
        other = others(answers, merged)
        other = np.where(known[answers.item] < 0, other, known[answers.item])
        beside = other >= 0
        labels, equal = number_of(answers, beside), number_of(answers, beside & (other == answers.choice))
        said, heard = (
            np.bincount(
                answers.worker[beside] * answers.choices + choice[beside], minlength=answers.workers * answers.choices
            ).reshape(-1, answers.choices)
            for choice in (answers.choice, other)
        )
        chance = (said * heard).sum(axis=1) / np.maximum(labels, 1) ** 2
        only = np.where((said > 0).sum(axis=1) == 1, said.argmax(axis=1), -1)
        expected = float((labels * chance).sum())
        left = float(labels.sum()) - expected
        kappa = (float(equal.sum()) - expected) / left if left > 0 else 0.0
        return cls(labels, equal, chance, only, max(kappa, 0.0))

    @property
    def useful(self) -> float:
        """The κ of a worker who is useful."""
        return USEFUL * self.typical

    @property
    def p(self) -> PerWorker:
        """(worker,): how likely a useful worker looks like this; NaN with few labels, or where nobody agrees."""
        from scipy.special import bdtr

        if not self.typical:
            return np.full(len(self.labels), np.nan)
        like = bdtr(self.equal.astype(float), self.labels, self.chance + self.useful * (1 - self.chance))
        blind = (1 - self.useful) ** (self.labels - self.equal)
        return np.where(self.labels < FEWEST, np.nan, np.where(self.only >= 0, blind, like))

    @property
    def above_p(self) -> PerWorker:
        """(worker,): how likely chance gives so many equal labels; 1 for one answer throughout."""
        from scipy.special import bdtrc

        more = bdtrc(self.equal - 1.0, self.labels, self.chance)
        return np.where((self.equal > 0) & (self.only < 0), more, 1.0)

    def against(self, level: float) -> NDArray[np.bool_]:
        """(worker,): whether the worker is equal to the others less often than chance gives."""
        from scipy.special import bdtr

        fewer = bdtr(self.equal.astype(float), self.labels, self.chance)
        return Holm().adjust(np.where(self.labels < FEWEST, np.nan, fewer)) <= level

    def spammer(self, level: float) -> NDArray[np.bool_]:
        """(worker,): whether the worker is named."""
        return (self.above_p > level) & (Holm().adjust(self.p) <= level) | self.against(level)

    def rule(self, level: float) -> str:
        """The rule in words."""
        if not self.typical:
            return "spammer: only who answers against the others; together workers agree no more than by chance"
        asked = int((~np.isnan(self.p)).sum())
        return (
            "spammer: equal to the others no more than by chance, and less than a worker would be who is two thirds as "
            f"good as typical (κ {self.useful:.2f}): binomial, Holm over {asked:,} workers of {FEWEST} labels or more, "
            f"level {level:g}"
        )


def others(answers: Answers, merged: Merged) -> NDArray[np.int64]:
    """(answer,): what the method makes of the item without the worker's own labels; −1 where it is undecided.

    By the confusion of each worker where the method has one, otherwise by a vote with the method's weights.
    """
    if merged.confusion is None:
        said = merged.weight[answers.worker, None] * (answers.choice[:, None] == np.arange(answers.choices))
        prior = np.zeros(answers.choices)
    else:
        tiny = np.finfo(float).tiny
        said = np.log(np.maximum(merged.confusion, tiny))[answers.worker, :, answers.choice]  # (answer, true choice)
        prior = np.log(np.maximum(merged.share.mean(axis=0), tiny))
    _, own = np.unique(answers.item * answers.workers + answers.worker, return_inverse=True)
    rest = (
        np.stack(
            [
                (np.bincount(answers.item, of_choice))[answers.item] - np.bincount(own, of_choice)[own]
                for of_choice in said.T
            ],
            axis=1,
        )
        + prior
    )
    best = rest.max(axis=1, keepdims=True)
    alone = np.bincount(answers.item)[answers.item] == np.bincount(own)[own]
    undecided = alone | ((rest >= best - SAME).sum(axis=1) > 1)
    return np.where(undecided, -1, rest.argmax(axis=1))
