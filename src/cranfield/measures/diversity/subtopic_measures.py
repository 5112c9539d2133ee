"""Diversity measures over subtopics: α-nDCG, intent-aware measures, NRBP, subtopic recall, D#-nDCG.

They are intent-aware means over subtopics, or novelty measures, to which more of the same is worth less (alpha).
"""

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, ParameterError, Share
from cranfield.core.types import Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Assessed, Block
from cranfield.measures.base import Grade, measure, ratio
from cranfield.measures.declared_properties import Example

from .topic_intents import SOMETHING, BinaryIntents, IntentAware, best_dcg, intents, relevant_to, topic_of_named

NOTHING = 1e-18  # a share of users too small to change a sum
SLOWEST = 1e-4  # an alpha below it needs more ranks than can be added up

# Three subtopics: the first document is about two of them, the second repeats one, the third is about the last.
DOWN = (1, 1, 1)
ABOUT = ((1, 1, 0), (1, 0, 0), (0, 0, 1))


class Novel(BinaryIntents):
    """A reader to whom every relevant document makes the next one about the same subtopic worth less, by ``alpha``."""

    alpha: Share = 0.5

    @abstractmethod
    def discount(self, rank: Ranks) -> Weights:
        """How much of the reader's attention reaches each rank."""

    def total(self, block: Block) -> Rows:
        """What is new at each rank, times discount; a subtopic counts as likely as it is meant."""

        def worth() -> Weights:
            hit = self.found(block)
            new = hit * (1 - self.alpha) ** (hit.cumsum(axis=1) - hit)
            return (new * self.intents(block)[:, None]).sum(axis=2) * self.discount(block.rank)

        # A measure and its normalised form discount alike, and share the sums.
        return self.added(
            block, worth, what=("new", self.rel, self.alpha, *self.discount(np.arange(2.0, 4.0)).tolist())
        )

    def most(self) -> float:
        """The total where every document is relevant to every subtopic: no judgments are needed to know it."""
        end = self.k or int(np.log(NOTHING) / np.log1p(-min(self.alpha, 1 - NOTHING))) + 1
        rank = np.arange(1.0, end + 1)
        return float(((1 - self.alpha) ** (rank - 1) * self.discount(rank)).sum())

    def best(self, block: Block) -> Rows:
        """(row,): the total of the ranking that adds most at each rank."""
        from .greedy_ideal import greedy  # what is not asked for need not be loaded

        whole, named = _Total(replace(self, judged_only=False)), block.assessed
        ideal = greedy(named, self.rel, self.alpha)
        return named.once(("greedy best", whole.of), lambda: ideal.map([whole])[0, :, 0])[block.topic]


class _Total:
    """The sum that a novelty measure is a share of, as a kernel."""

    def __init__(self, of: Novel) -> None:
        self.of = of
        self.gain, self.earns, self.reach = of.gain, of.earns, of.reach

    def kernel(self, block: Block) -> Rows:
        return self.of.total(block)


class OfIdeal(Novel):
    """One that is a share of its value for the ideal ranking, which is good but may not be the best: see _greedy."""

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)  # seldom above 1

    def value(self, block: Block) -> Rows:
        """The share."""
        return ratio(self.total(block), self.best(block))


class Divided(Novel):
    """One that is divided by what a perfect collection would give, or by nothing: ``normalize=False``."""

    normalize: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.normalize and self.k is None and self.alpha < SLOWEST:
            hint = f"write {self.name}(alpha={self.alpha:g})@20, or normalize=False"
            raise ParameterError(f"{self.name} without a cut-off needs an alpha of {SLOWEST:g} or more", hint=hint)


@measure("alpha_DCG", cite="clarke2008", aliases=("alphaDCG", "α_DCG"))
class AlphaDCG(Divided):
    """α-DCG: DCG where a document is worth the subtopics it is about, each less by ``alpha`` every time it was met.

    It is divided by the value in a collection where every document is about everything, as ndeval does;
    ``normalize=False`` is the sum of the paper, in which every subtopic counts 1.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} Σ_s p(s) · relevant(i, s) · (1 − alpha)^(relevant to s above i) / log2(i + 1),  "
        "divided by Σ_{i≤k} (1 − alpha)^(i − 1) / log2(i + 1)"
    )
    example: ClassVar[Example] = Example(
        "alpha_DCG@3", DOWN, "(2/3 + 1/3*0.5/log2(3) + 1/3/2) / (1 + 0.5/log2(3) + 0.25/2)", beside=ABOUT
    )
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)  # up to 1 where it is normalised

    def discount(self, rank: Ranks) -> Weights:
        return 1 / np.log2(rank + 1)

    def value(self, block: Block) -> Rows:
        if self.normalize:
            return self.total(block) / self.most()
        return self.total(block) * (relevant_to(block.assessed, self.rel) > 0).sum(axis=1)[block.topic]


@measure("alpha_nDCG", cite="clarke2008", aliases=("alphanDCG", "α_nDCG"))
class AlphaNDCG(OfIdeal):
    """α-nDCG: α-DCG as a share of that of a ranking which takes the best next document at every rank."""

    formula: ClassVar[str] = "alpha_DCG@k / alpha_DCG@k of the judged documents, taken one by one"
    example: ClassVar[Example] = Example(
        "alpha_nDCG@3", DOWN, "(2 + 0.5/log2(3) + 1/2) / (2 + 1/log2(3) + 0.5/2)", beside=ABOUT
    )

    def discount(self, rank: Ranks) -> Weights:
        return 1 / np.log2(rank + 1)


@measure("ERR_IA", cite="chapelle2011")
class ErrIA(Divided):
    """Intent-aware ERR: the expected reciprocal of the rank where somebody is satisfied, whatever subtopic is meant.

    A relevant document satisfies with the probability ``alpha``. It is divided by the value in a collection where every
    document is about everything, as ndeval does; ``normalize=False`` is the mean of ERR over intents, of the paper.
    """

    formula: ClassVar[str] = (
        "Σ_{i≤k} 1/i · Σ_s p(s) · relevant(i, s) · (1 − alpha)^(relevant to s above i),  "
        "divided by Σ_{i≤k} (1 − alpha)^(i − 1) / i"
    )
    example: ClassVar[Example] = Example(
        "ERR_IA@3", DOWN, "(2/3 + 1/3*0.5/2 + 1/3/3) / (1 + 0.5/2 + 0.25/3)", beside=ABOUT
    )

    def discount(self, rank: Ranks) -> Weights:
        return 1 / rank

    def value(self, block: Block) -> Rows:
        return self.total(block) / self.most() if self.normalize else self.total(block) * self.alpha


@measure("nERR_IA", cite="chapelle2011")
class NErrIA(OfIdeal):
    """Normalised intent-aware ERR: ERR-IA as a share of that of a ranking which takes the best next document."""

    formula: ClassVar[str] = "ERR_IA@k / ERR_IA@k of the judged documents, taken one by one"
    example: ClassVar[Example] = Example("nERR_IA@3", DOWN, "(2 + 0.5/2 + 1/3) / (2 + 1/2 + 0.5/3)", beside=ABOUT)

    def discount(self, rank: Ranks) -> Weights:
        return 1 / rank


@measure("NRBP", cite="clarke2009nrbp")
class NRBP(Novel):
    """Novelty- and rank-biased precision: RBP for somebody who goes on with probability ``beta`` and wants new things.

    It is 1 in a collection where every document is about everything.
    """

    formula: ClassVar[str] = (
        "(1 − (1 − alpha) · beta) · Σ_i beta^(i − 1) · Σ_s p(s) · relevant(i, s) · (1 − alpha)^(relevant to s above i)"
    )
    example: ClassVar[Example] = Example(
        "NRBP", DOWN, "(1 - 0.5*0.5) * (2/3 + 0.5 * 1/3*0.5 + 0.25 * 1/3)", beside=ABOUT
    )
    beta: Chance = 0.5

    def discount(self, rank: Ranks) -> Weights:
        return self.beta ** (rank - 1)

    def value(self, block: Block) -> Rows:
        return self.total(block) * (1 - (1 - self.alpha) * self.beta)


@measure("nNRBP", cite="clarke2009nrbp")
class NNRBP(OfIdeal, NRBP):
    """Normalised NRBP: NRBP as a share of that of a ranking which takes the best next document at every rank."""

    formula: ClassVar[str] = "NRBP / NRBP of the judged documents, taken one by one"
    example: ClassVar[Example] = Example("nNRBP", DOWN, "(2 + 0.5 * 0.5 + 0.25) / (2 + 0.5 + 0.25 * 0.5)", beside=ABOUT)


@measure("AP_IA", cite="agrawal2009", aliases=("MAP_IA",))
class ApIA(BinaryIntents):
    """Intent-aware average precision: the mean over subtopics of AP for those who mean each."""

    formula: ClassVar[str] = "Σ_s p(s) · AP of what is relevant to s"
    example: ClassVar[Example] = Example("AP_IA", DOWN, "((1 + 2/2) / 2 + 1 + 1/3) / 3", beside=ABOUT)

    def value(self, block: Block) -> Rows:
        share = ratio(self.intents(block), relevant_to(block.assessed, self.rel)[block.topic])

        def worth() -> Weights:
            hit = self.found(block)
            return (hit * hit.cumsum(axis=1) * share[:, None]).sum(axis=2) / block.rank

        return self.added(block, worth)


@measure("P_IA", cite="agrawal2009")
class PIA(BinaryIntents):
    """Intent-aware precision: the mean over subtopics of the share of the first ``k`` that is relevant to each."""

    formula: ClassVar[str] = "1/k · Σ_{i≤k} Σ_s p(s) · relevant(i, s)"
    example: ClassVar[Example] = Example("P_IA@2", DOWN, "(2/2 + 1/2 + 0) / 3", beside=ABOUT)
    needs_cutoff: ClassVar[bool] = True
    shown: ClassVar[str] = "P_IA@1"

    def value(self, block: Block) -> Rows:
        def worth() -> Weights:
            return (self.found(block) * self.intents(block)[:, None]).sum(axis=2)

        return self.added(block, worth) / (self.k or 1)


@measure("StRecall", cite="zhai2003", aliases=("strec", "I_rec", "Irec", "SubtopicRecall"))
class StRecall(BinaryIntents):
    """Subtopic recall: the share of subtopics that some document of the first ``k`` is about; Sakai's I-rec.

    Subtopics to which nothing is relevant do not count, and the others count alike, whatever their weights.
    """

    formula: ClassVar[str] = "subtopics with a relevant document in the first k / subtopics with a relevant document"
    example: ClassVar[Example] = Example("StRecall@2", DOWN, "2/3", beside=ABOUT)
    shown: ClassVar[str] = "StRecall@1"

    def value(self, block: Block) -> Rows:
        met = (self.found(block) * self.within(block.rank)[..., None]).any(axis=1).sum(axis=1)
        return ratio(met.astype(np.float64), (relevant_to(block.assessed, self.rel) > 0).sum(axis=1)[block.topic])


class GradedIntents(IntentAware):
    """One in which a document is worth its grade in each subtopic."""

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        """Only documents that are worth something in some subtopic do."""
        return grade > 0


@measure("nDCG_IA", cite="agrawal2009")
class NdcgIA(GradedIntents):
    """Intent-aware nDCG: the mean over subtopics of nDCG for those who mean each, with its own perfect ranking.

    Gains are grades, or 2^grade − 1 with ``dcg='exp-log2'``.
    """

    formula: ClassVar[str] = "Σ_s p(s) · nDCG@k of the grades in s"
    example: ClassVar[Example] = Example(
        "nDCG_IA@3", (2, 1, 1), "((2 + 1/log2(3)) / (2 + 1/log2(3)) + 1 + 1/2) / 3", beside=((2, 1, 0), *ABOUT[1:])
    )
    dcg: Literal["log2", "exp-log2"] = "log2"

    def worth(self, value: NDArray[np.float64]) -> Gains:
        """What a grade in a subtopic is worth."""
        grade = np.maximum(value, 0)
        return np.exp2(grade) - 1 if self.dcg == "exp-log2" else grade

    def value(self, block: Block) -> Rows:
        named = block.assessed
        best = named.once(("best of intents", self), lambda: self._best(named))
        share = ratio(intents(named, SOMETHING), best)[block.topic]
        gain = (self.worth(block.beside("subtopics")) * share[:, None]).sum(axis=2)
        return (gain / np.log2(block.rank + 1) * self.within(block.rank)).sum(axis=1)

    def _best(self, assessed: Assessed) -> NDArray[np.float64]:
        """(topic, subtopic): DCG@k of the perfect ranking for each."""
        columns = self.worth(assessed.table("subtopics").value).T
        return np.stack([best_dcg(assessed, column, self.k) for column in columns], axis=1)


@measure("D_nDCG", cite="sakai2011")
class DNDCG(GradedIntents):
    """D-nDCG: nDCG whose gains are the grades that may be expected when nobody knows which subtopic is meant."""

    formula: ClassVar[str] = "nDCG@k of the gains Σ_s p(s) · grade(i, s)"
    example: ClassVar[Example] = Example(
        "D_nDCG@3", DOWN, "(2 + 1/log2(3) + 1/2) / (2 + 1/log2(3) + 1/2)", beside=ABOUT
    )

    def value(self, block: Block) -> Rows:
        named = block.assessed
        worth = named.once("global gain", lambda: _global_gain(named))
        best = named.once(("best global gain", self.k), lambda: best_dcg(named, worth, self.k))
        gain = np.where(block.document >= 0, worth[block.document], 0)
        return ratio((gain / np.log2(block.rank + 1) * self.within(block.rank)).sum(axis=1), best[block.topic])


def _global_gain(assessed: Assessed) -> NDArray[np.float64]:
    """(named,): the expected grade of each document."""
    grade = np.maximum(assessed.table("subtopics").value, 0)
    return (grade * intents(assessed, SOMETHING)[topic_of_named(assessed)]).sum(axis=1)


@measure("DSharp_nDCG", cite="sakai2011")
class DSharpNDCG(DNDCG):
    """D#-nDCG: D-nDCG, and by the weight ``gamma`` subtopic recall, so that breadth counts as well as depth."""

    formula: ClassVar[str] = "gamma · StRecall@k + (1 − gamma) · D_nDCG@k"
    example: ClassVar[Example] = Example(
        "DSharp_nDCG@2", DOWN, "(2/3 + (2 + 1/log2(3)) / (2 + 1/log2(3))) / 2", beside=ABOUT
    )
    gamma: Share = 0.5
    rel: Grade = 1

    def value(self, block: Block) -> Rows:
        recall = StRecall(k=self.k, rel=self.rel, judged_only=self.judged_only).value(block)
        return self.gamma * recall + (1 - self.gamma) * super().value(block)
