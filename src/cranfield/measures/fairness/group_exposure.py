"""Measures of group fairness: expected exposure, AWRF, disparate treatment and impact, pairwise parity.

Which group a document is in comes from ``--attributes``; a document may belong to several by shares. Documents of which
nobody said anything belong to none. Nothing here says what is fair: a target does, and the reader who chooses it.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Direction, ParameterError
from cranfield.core.types import Ranks, Rows, Weights
from cranfield.data import Assessed, Block
from cranfield.measures.base import Grade, Measure, measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.diversity.topic_intents import topic_of_named

from .quantification import Counting, in_groups

Groups = NDArray[np.float64]  # (row, group)
Lost = tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # axiom, before, after, missed

FIRST, SECOND = (1.0, 0.0), (0.0, 1.0)  # the groups of documents of grade 1 and of grade 2, in counterexamples
# The second group takes what the first had.
MOVED: tuple[Lost, ...] = (
    ("swap", (1, 2, 1), (2, 1, 1), ()),
    ("replacement", (2, 1), (2, 2), (2,)),
    ("ideal-best", (1, 2, 1), (2, 1, 1), ()),
)


class OfGroups(Measure):
    """A measure that looks at whose documents stand where: axioms of grades mean nothing to it."""

    family: ClassVar[str] = "fairness"
    needs: ClassVar[str] = "attributes"
    lost: ClassVar[Sequence[Lost]] = MOVED
    shown: ClassVar[str] = ""  # with what the counterexamples are shown, where the example does not show it

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        """A better document of another group."""
        cite, beside = self.cite.partition(",")[0], ((1, FIRST), (2, SECOND))
        given_up = [Counterexample(*lost, cite, of=self.shown, beside=beside) for lost in self.lost]
        return (*super().gives_up, *given_up)

    @property
    def reach(self) -> float:
        """The cut-off; but where unjudged documents are taken out, nobody knows which rank that was."""
        return np.inf if self.k is None or self.judged_only else self.k

    def held(self, block: Block) -> NDArray[np.float64]:
        """(row, document, group): the share of each document in each group, down to the cut-off."""
        return np.maximum(block.beside("attributes"), 0) * self.within(block.rank)[..., None]


def relevant_in(assessed: Assessed, rel: float, counting: Counting = "shares") -> Groups:
    """(topic, group): how many relevant documents there are of each group, retrieved or not."""

    def count() -> Groups:
        if counting != "shares":
            table, topic = assessed.table("attributes"), topic_of_named(assessed)
            known = np.flatnonzero((assessed.grade >= rel) & (table.value[:, 0] >= 0))
            return in_groups(counting, table.value[known], np.ones(len(known)), topic[known], table.weight)
        held = np.maximum(assessed.table("attributes").value, 0) * (assessed.grade >= rel)[:, None]
        topic = topic_of_named(assessed)
        # Shares are added from the smallest on: the order of the judgments must not show in the last bit.
        rising = (column[np.lexsort((column, topic))] for column in held.T)
        return np.stack([np.add.reduceat(column, assessed.named[:-1]) for column in rising], axis=1)

    return assessed.once(("relevant in", rel, counting), count)


class Attended(OfGroups):
    """One with a reader whose attention falls with rank: geometric, by ``p``, or as the logarithm of DCG does; or even.

    With ``random_ties`` documents of one score are taken to stand in any order, drawn anew for every reader, and get
    the mean attention of their ranks. ``count`` says how documents count whose groups are only likely: each by its
    ``'shares'``, wholly in its ``'likeliest'`` group, or all together by expectation maximisation, ``'em'``: in such
    shares as make the probabilities likeliest that were seen (saerens2002, fabris2023).
    """

    attention: Literal["geometric", "log", "even"] = "geometric"
    p: Chance = 0.5
    rel: Grade = 1
    random_ties: bool = False
    count: Counting = "shares"

    def __post_init__(self) -> None:
        """Refuse what cannot be said of ties."""
        super().__post_init__()
        if self.random_ties and self.judged_only:
            hint = "leave out one of the two"
            raise ParameterError(f"{self.name}: among judged documents alone nobody knows what was tied", hint=hint)

    @property
    def reach(self) -> float:
        """Where ties are random, what stands below the cut-off may stand above it for others."""
        return np.inf if self.random_ties else super().reach

    def paid(self, rank: Ranks) -> Weights:
        """The attention that each rank gets."""
        if self.attention == "even":
            return np.isfinite(rank).astype(np.float64)
        return 1 / np.log2(rank + 1) if self.attention == "log" else self.p ** (rank - 1)

    def seen(self, block: Block) -> Weights:
        """(row, document): the attention that each document gets."""
        if not self.random_ties:
            return self.paid(block.rank) * self.within(block.rank)
        first, last = block.tie_first.astype(np.int64), block.tie_last.astype(np.int64)
        rank = np.arange(1.0, last.max(initial=1) + 1)
        down = np.concatenate(([0.0], (self.paid(rank) * self.within(rank)).cumsum()))
        return np.where(block.document >= 0, (down[last] - down[first - 1]) / (last - first + 1), 0)

    def exposure(self, block: Block) -> Groups:
        """(row, group): the attention that the documents of each group get."""
        return self.summed(self.seen(block), block)

    def summed(self, weight: Weights, block: Block) -> Groups:
        """(row, group): a weight of documents, added up by group."""
        held = block.beside("attributes")
        if self.count == "shares":
            return (np.maximum(held, 0) * weight[..., None]).sum(axis=1)
        row, column = np.nonzero((held[..., 0] >= 0) & (weight > 0))
        before = block.assessed.table("attributes").weight[block.topic]
        return in_groups(self.count, held[row, column], weight[row, column], row, before)

    def got(self, block: Block) -> Groups:
        """(row, group): what each group gets; over a series of rankings it is the mean of this that is judged."""
        return self.exposure(block)

    @abstractmethod
    def verdict(self, got: Groups, block: Block) -> Rows:
        """The value of what groups get, in the topics of the rows."""

    def value(self, block: Block) -> Rows:
        return self.verdict(self.got(block), block)

    def due(self, block: Block) -> Groups:
        """(row, group): the attention of each group where all orders of relevant documents are as likely (diaz2020)."""
        relevant = block.relevant(self.rel)
        whole = np.concatenate(([0.0], self.paid(np.arange(1.0, relevant.max(initial=0) + 1)).cumsum()))
        each = ratio(whole[np.minimum(relevant, self.k or np.inf).astype(np.int64)], relevant)
        return relevant_in(block.assessed, self.rel, self.count)[block.topic] * each[:, None]


@measure("EE_L", cite="diaz2020", aliases=("EEL",))
class ExposureLoss(Attended):
    """Expected exposure loss: how far the attention of groups is from what is due to their relevant documents.

    Due is what each group would get if the relevant documents came first, in every order as likely. A ranking that is
    drawn anew for every reader is written with ties: ``random_ties=True``.
    """

    direction: ClassVar[Direction] = Direction.LOWER
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "Σ_g (exposure of g − due to g)²  =  EE_D − 2 · EE_R + Σ_g (due to g)²"
    example: ClassVar[Example] = Example("EE_L", (1, 1), "(1 - 3/4)**2 + (1/2 - 3/4)**2", beside=(FIRST, SECOND))

    @property
    def worst(self) -> float | None:
        """It has none: what is due decides, and 0 would be the best."""
        return np.nan

    def verdict(self, got: Groups, block: Block) -> Rows:
        loss = ((got - self.due(block)) ** 2).sum(axis=1)
        return np.where(block.retrieved > 0, loss, np.nan)


@measure("EE_D", cite="diaz2020", aliases=("EED",))
class ExposureDisparity(Attended):
    """Expected exposure disparity: how unevenly attention is spread over groups, whatever is due to them."""

    direction: ClassVar[Direction] = Direction.LOWER
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "Σ_g (exposure of g)²"
    example: ClassVar[Example] = Example("EE_D", (1, 0), "1 + (1/2)**2", beside=(FIRST, SECOND))
    lost: ClassVar[Sequence[Lost]] = (
        ("swap", (1, 2, 2), (2, 1, 2), ()),
        MOVED[1],
        ("ideal-best", (1, 2, 2), (2, 2, 1), ()),
    )

    @property
    def worst(self) -> float | None:
        """It has none: where nothing is shown nothing is uneven."""
        return np.nan

    def verdict(self, got: Groups, block: Block) -> Rows:
        return np.where(block.retrieved > 0, (got**2).sum(axis=1), np.nan)


@measure("EE_R", cite="diaz2020", aliases=("EER",))
class ExposureRelevance(Attended):
    """Expected exposure relevance: how much attention goes to groups to whom much is due."""

    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    formula: ClassVar[str] = "Σ_g exposure of g · due to g"
    example: ClassVar[Example] = Example("EE_R", (1, 1), "1 * 3/4 + 1/2 * 3/4", beside=(FIRST, SECOND))
    lost: ClassVar[Sequence[Lost]] = (MOVED[0], ("replacement", (1,), (2,), (2, 1, 1)), MOVED[2])

    def verdict(self, got: Groups, block: Block) -> Rows:
        return (got * self.due(block)).sum(axis=1)


@measure("AWRF", cite="sapiezynski2019")
class AWRF(Attended):
    """Attention-weighted rank fairness: how near the groups' shares of attention are to a target.

    The target is the groups' shares of the relevant documents, of all documents with a group (``'population'``), or
    equal ones; where nothing relevant has a group, that of all documents. ``distance`` is the Jensen-Shannon divergence
    in bits (``'js'``), half the sum of ``'absolute'`` or of ``'squared'`` differences, the distance of Hellinger, or
    the divergence of Kullback and Leibler in bits, of which exp(−KL) is taken as it has no end.
    """

    formula: ClassVar[str] = "1 − distance(shares of attention, target)"
    example: ClassVar[Example] = Example(
        "AWRF(distance='absolute')", (1, 1, 1), "1 - (1.5/1.75 - 2/3)", beside=(FIRST, FIRST, SECOND)
    )
    distance: Literal["js", "absolute", "squared", "hellinger", "kl"] = "js"
    target: Literal["relevant", "population", "equal"] = "relevant"

    def verdict(self, got: Groups, block: Block) -> Rows:
        total = got.sum(axis=1, keepdims=True)
        near = CLOSENESS[self.distance](ratio(got, np.broadcast_to(total, got.shape)), self._target(block))
        return np.where(total[:, 0] > 0, near, 0.0)

    def _target(self, block: Block) -> Groups:
        population = block.assessed.table("attributes").weight[block.topic]
        if self.target == "equal":
            return np.full(population.shape, 1 / population.shape[1])
        due = relevant_in(block.assessed, self.rel, self.count)[block.topic]
        total = due.sum(axis=1, keepdims=True)
        if self.target == "population" or not total.any():
            return population
        return np.where(total > 0, ratio(due, np.broadcast_to(total, due.shape)), population)


def _divergence(a: Groups, b: Groups) -> Rows:
    """Kullback and Leibler's, in bits; infinite where b has nothing and a has."""
    part = np.where(a > 0, a * np.log2(np.where(a > 0, a, 1) / np.where(b > 0, b, 1)), 0)
    return np.where(((a > 0) & (b <= 0)).any(axis=1), np.inf, part.sum(axis=1))


def _js(a: Groups, b: Groups) -> Rows:
    middle = (a + b) / 2
    return (_divergence(a, middle) + _divergence(b, middle)) / 2


CLOSENESS: dict[str, Callable[[Groups, Groups], Rows]] = {
    "js": lambda a, b: 1 - _js(a, b),
    "absolute": lambda a, b: 1 - np.abs(a - b).sum(axis=1) / 2,
    "squared": lambda a, b: 1 - ((a - b) ** 2).sum(axis=1) / 2,
    "hellinger": lambda a, b: 1 - np.sqrt(((np.sqrt(a) - np.sqrt(b)) ** 2).sum(axis=1) / 2),
    "kl": lambda a, b: np.exp(-_divergence(a, b)),
}


@measure("DTR", cite="singh2018")
class DisparateTreatment(Attended):
    """Disparate treatment ratio: attention for each relevant document, of the group that gets least and that with most.

    It is 1 where every group gets attention by the number of its relevant documents, 0 where one gets none. Groups
    without relevant documents are not looked at.
    """

    formula: ClassVar[str] = "min_g t(g) / max_g t(g),  t(g) = exposure of g / relevant documents of g"
    example: ClassVar[Example] = Example("DTR", (1, 1, 1), "(1/4) / ((1 + 1/2) / 2)", beside=(FIRST, FIRST, SECOND))

    def verdict(self, got: Groups, block: Block) -> Rows:
        relevant = relevant_in(block.assessed, self.rel, self.count)[block.topic]
        each = ratio(got, relevant)
        least = np.where(relevant > 0, each, np.inf).min(axis=1)
        most = np.where(relevant > 0, each, 0).max(axis=1)
        return np.where(most > 0, ratio(np.where(most > 0, least, 0), most), 0.0)


@measure("DIR", cite="singh2018")
class DisparateImpact(DisparateTreatment):
    """Disparate impact ratio: clicks for each relevant document, of the group that gets least and that with most.

    Somebody who sees a document clicks it if it is relevant.
    """

    formula: ClassVar[str] = "min_g t(g) / max_g t(g),  t(g) = exposure of relevant documents of g / their number"
    example: ClassVar[Example] = Example(
        "DIR", (1, 0, 1, 1), "(1/4 + 1/8) / 2 / 1", beside=(FIRST, FIRST, SECOND, SECOND)
    )

    def got(self, block: Block) -> Groups:
        """Clicks in place of attention."""
        return self.summed(self.seen(block) * (block.grade >= self.rel), block)


@measure("PairParity", cite="narasimhan2020")
class PairParity(OfGroups):
    """Pairwise parity: whether relevant documents of all groups stand above others as often.

    For each group: the share of pairs of one of its relevant documents and any document judged not relevant in which
    the relevant one is above; a pair that was not retrieved counts half. The value is 1 less the largest difference.
    """

    formula: ClassVar[str] = "1 − (max_g a(g) − min_g a(g)),  a(g) = share of pairs in the right order"
    example: ClassVar[Example] = Example(
        "PairParity", (1, 0, 1, 0), "1 - (1 - 1/2)", beside=(FIRST, FIRST, SECOND, SECOND)
    )
    rel: Grade = 1
    lost: ClassVar[Sequence[Lost]] = (
        ("swap", (0, 1, 2), (1, 0, 2), ()),
        ("replacement", (0,), (1,), (1, 2)),
        ("ideal-best", (0, 1, 2), (2, 1, 0), ()),
    )
    shown: ClassVar[str] = "PairParity@1"

    def value(self, block: Block) -> Rows:
        inside = self.within(block.rank)
        other = (block.grade >= 0) & (block.grade < self.rel) & (inside > 0)
        others = (block.relevant(0) - block.relevant(self.rel))[:, None]
        above = np.minimum(other.cumsum(axis=1), others)
        hit = (block.grade >= self.rel) * inside
        relevant = relevant_in(block.assessed, self.rel)[block.topic]
        held = self.held(block) * hit[..., None]
        missed = relevant - held.sum(axis=1)
        right = (held * (others - above)[..., None]).sum(axis=1) + missed * (others - other.sum(axis=1)[:, None]) / 2
        share = ratio(right, relevant * others)
        there = relevant > 0
        apart = np.where(there, share, -np.inf).max(axis=1) - np.where(there, share, np.inf).min(axis=1)
        met = (block.retrieved > 0) & there.any(axis=1) & (others[:, 0] > 0)
        return np.where(met, 1 - np.where(there.any(axis=1), apart, 0), (block.retrieved > 0).astype(np.float64))
