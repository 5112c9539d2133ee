"""Markov precision: precision for users that move between the documents of a ranking as a Markov chain."""

from functools import cache
from typing import ClassVar, Literal

import numpy as np

from cranfield.core import Limits, ParameterError
from cranfield.core.types import Ranks, Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import Binary, measure, ratio
from cranfield.measures.declared_properties import Counterexample, Example
from cranfield.measures.number_lists import Numbers, by_grade, keep_row, keep_rows, read_numbers, read_rows

AMOUNTS = Limits(0)
WORDS = ("states", "links", "distance", "loops")  # they describe a chain that nobody gave in numbers


@measure("MP", cite="ferrante2014mp")
class MP(Binary):
    """Markov precision: precision at a relevant document, in the mean over a user who walks among the documents.

    The walk goes from each of the ``states``, the relevant documents or all ranks down to ``k``, to any other
    (``links='global'``) or to the next ones only, as likely as the ``distance`` in ranks says, and with ``loops`` to
    itself. ``transitions`` gives it in numbers: a row for each rank, how often people go from there to ranks 1, 2, ….
    ``holding`` is how long they stay with a document of grade 0, 1, …. ``with_recall`` multiplies with the share of
    relevant documents that was found, as MATTERS does.
    """

    family: ClassVar[str] = "binary"
    formula: ClassVar[str] = "Σ_{i relevant} π(i) · P@i,  π where the walk is, if at a relevant one"
    example: ClassVar[Example] = Example(
        "MP", (1, 0, 1, 1), "((1/3 + 1/4) * 1 + (1/3 + 1/2) * 2/3 + (1/4 + 1/2) * 3/4) / (2 * (1/3 + 1/4 + 1/2))"
    )
    states: Literal["relevant", "all"] = "relevant"
    links: Literal["global", "local"] = "global"
    distance: Literal["inverse", "inverse-log", "none"] = "inverse"
    loops: bool = False
    transitions: str = ""
    holding: str = ""
    with_recall: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.holding:
            keep_row(self, "holding", AMOUNTS)
        if self.transitions:
            self._keep_transitions()
        elif self.states == "all" and self.k is None:
            raise ParameterError("MP(states='all') needs a cut-off", hint="write MP(states='all')@10")

    def _keep_transitions(self) -> None:
        lengths = keep_rows(self, "transitions", AMOUNTS)
        if set(lengths) != {len(lengths)} or not all(row.any() for row in read_rows(self.transitions)):
            hint = "a row for each rank, with a number above 0 in it: transitions='0 1/0.5 0.5'"
            raise ParameterError(f"MP cannot have transitions={self.transitions!r}", hint=hint)
        plain = {name: type(self).__dataclass_fields__[name].default for name in WORDS}
        said = [name for name in WORDS if getattr(self, name) != plain[name]]
        if said:
            hint = f"leave out {', '.join(said)}, or the transitions"
            raise ParameterError("MP has its walk in numbers and in words", hint=hint)
        _invariant(self.transitions)

    @property
    def reach(self) -> float:
        return np.inf if self.k is None or self.judged_only else self.k

    @property
    def gives_up(self) -> tuple[Counterexample, ...]:
        walk = self.links == "global" and self.states == "relevant" and self.distance == "none"
        even = walk and not self.transitions and not self.holding
        if self.k == 1 or (even and self.with_recall):  # the second is AP
            return super().gives_up
        # At the end of the list fewer people are to be found, and precision is lowest there: better nobody saw it.
        swap = Counterexample("swap", (1, *[0] * 8, 1), (1, *[0] * 7, 1, 0), (), self.cite, of="MP(states='all')@10")
        # One more that is found late has a lower precision than those above.
        replaced = Counterexample("replacement", (1, 0, 0, 0), (1, 0, 0, 1), (1,), self.cite, of="MP")
        # Nobody comes to the first rank.
        best = Counterexample("ideal-best", (0, 1), (1, 0), (), self.cite, of="MP(transitions='0 1/0 1')")
        amounts = [*np.concatenate([*read_rows(self.transitions)]), *read_numbers(self.holding)]
        return (*super().gives_up, swap, replaced, *([best] if 0 in amounts else []))

    def value(self, block: Block) -> Rows:
        hit = self.hit(block) > 0
        order = np.argsort(~hit, axis=1, kind="stable")
        found = hit.sum(axis=1)
        order = order[:, : found.max(initial=0)]
        there = np.arange(order.shape[1]) < found[:, None]
        rank = np.where(there, np.take_along_axis(block.rank, order, axis=1), 1)
        weight = self._visits(rank, there) * there
        if self.holding:
            weight = weight * by_grade(self.holding, np.where(there, np.take_along_axis(block.grade, order, axis=1), 0))
        precision = np.arange(1, order.shape[1] + 1) / rank
        mean = ratio(_total(weight * precision), _total(weight))
        return mean * ratio(found.astype(np.float64), block.relevant(self.rel)) if self.with_recall else mean

    def _visits(self, rank: Ranks, there: Weights) -> Weights:
        """(row, document): how often the walk comes to each relevant document, up to a factor.

        A walk that goes both ways with one weight comes to a place as often as the weights of its links add up to.
        """
        if self.transitions:
            return _at(_invariant(self.transitions), rank)
        if self.states == "all":
            return _at(self._of_ranks(self.k or 1), rank)
        if self.links == "local":
            step = self._weight(np.abs(np.diff(rank, axis=1))) * there[:, 1:]
            edge = np.zeros((len(rank), 1))
            sums = np.concatenate([edge, step], axis=1) + np.concatenate([step, edge], axis=1)
        else:
            sums = np.zeros(rank.shape)
            for other in range(rank.shape[1]):
                sums += self._weight(np.abs(rank - rank[:, [other]])) * there[:, [other]]
            sums -= self._weight(np.zeros(1))
        sums += self.loops * self._weight(np.zeros(1))
        return np.where(there.sum(axis=1, keepdims=True) > 1, sums, 1)

    def _of_ranks(self, last: int) -> Numbers:
        """(rank,): the same for a walk over all ranks."""
        below = self._weight(np.arange(1.0, last)) * (self.links == "global")
        below[:1] = self._weight(np.ones(1))
        down = np.concatenate(([0.0], below.cumsum()))
        sums = down + down[::-1] + self.loops * self._weight(np.zeros(1))
        return sums if last > 1 else np.ones(1)

    def _weight(self, distance: Ranks) -> Weights:
        if self.distance == "none":
            return np.ones_like(distance)
        return 1 / (distance + 1 if self.distance == "inverse" else np.log10(distance + 2))


@cache
def _invariant(transitions: str) -> Numbers:
    """(rank,): the distribution that a walk leaves as it is."""
    rows = np.array(read_rows(transitions))
    walk = rows / rows.sum(axis=1, keepdims=True)
    # Where several parts of the ranking are never left, one more equation is missing.
    if np.linalg.matrix_rank(np.eye(len(walk)) - walk) < len(walk) - 1:
        hint = "from some ranks nobody comes to the others, nor back: give every rank a way to the rest"
        raise ParameterError(f"the walk of MP(transitions={transitions!r}) has several ends", hint=hint)
    return np.maximum(np.linalg.solve((np.eye(len(walk)) - walk + 1).T, np.ones(len(walk))), 0)


def _at(visits: Numbers, rank: Ranks) -> Weights:
    """What stands at each rank; nothing below the last."""
    return np.append(visits, 0)[np.minimum(rank, len(visits) + 1).astype(np.int64) - 1]


def _total(parts: Weights) -> Rows:
    """(row,): the sum from the top, whatever stands to the right of a row's documents."""
    return np.pad(parts, ((0, 0), (1, 0))).cumsum(axis=1)[:, -1]
