"""Markov session measure: gains discounted by the expected time at which the user reaches them."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from cranfield.core import Chance, Limits, ParameterError
from cranfield.core.types import Ranks, Weights
from cranfield.measures.base import Discounted, Measure
from cranfield.measures.number_lists import Numbers

from .session_base import Positions, SessionExample, SessionMeasure, session_measure

Depth = Annotated[int, Limits(1)]
Back = Annotated[float, Limits(0, 1)]
Fall: TypeAlias = Literal["linear", "log"]


@session_measure("MsM", cite="vandijk2019")
class MarkovSession(SessionMeasure):
    """Markov session measure: gains over the mean time at which a walk reaches them, if it comes to their ranking.

    From each of the first ``k`` documents the user steps to the next with probability ``p``, to the one before with
    ``q``, to the first document of the next ranking with ``r``, and otherwise ends the session; at the first and the
    last document the chances that are left are scaled up to 1. A gain is divided by 1 + time, or with
    ``discount='log'`` by 1 + ln(1 + time): the steps to its rank, on the page, and those that each ranking before takes
    until the next is asked for. It extends the user of Markov precision to sessions (ferro2024).
    """

    formula: ClassVar[str] = "Σ_j (1 − end)^(j−1) · Σ_{i≤k} gain(j, i) / (1 + steps(i) + (j − 1) · steps to ask again)"
    example: ClassVar[SessionExample] = SessionExample("MsM@2", ((1, 0), (0, 1)), "1 + 0.5 / (1 + 1 + (1 + 0.8 / 0.9))")
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    p: Chance = 0.8
    q: Back = 0.0
    r: Chance = 0.1
    discount: Fall = "linear"
    k: Depth = 10

    def __post_init__(self) -> None:
        """Refuse a session that never ends."""
        if not self.p + self.q + self.r < 1:
            hint = "p, q and r add up to less than 1: the rest is the chance to end the session"
            raise ParameterError(
                f"a session of {self.name} with p={self.p}, q={self.q}, r={self.r} never ends", hint=hint
            )

    @property
    def ranking(self) -> Measure:
        """That of the first ranking."""
        return self.ranking_at(1)

    def ranking_at(self, position: int) -> Measure:
        """The later a ranking is asked for, the later all its documents are reached."""
        return Reached(p=self.p, q=self.q, r=self.r, fall=self.discount, position=position, k=self.k)

    def weight(self, position: Positions) -> Positions:
        return _walk(self.k, self.p, self.q, self.r).asks_again ** (position - 1)


class Reached(Discounted):
    """Gains over the mean time at which the user of a Markov session measure reaches them."""

    name: ClassVar[str] = "MsM"
    cite: ClassVar[str] = "vandijk2019"
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)
    p: Chance = 0.8
    q: Back = 0.0
    r: Chance = 0.1
    fall: Fall = "linear"
    position: Depth = 1

    def discount(self, rank: Ranks) -> Weights:
        depth = self.k or 1
        walk = _walk(depth, self.p, self.q, self.r)
        time = walk.steps[np.minimum(rank, depth).astype(np.int64) - 1] + (self.position - 1) * walk.asking
        return 1 / (1 + (time if self.fall == "linear" else np.log1p(time)))


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What a walk over the ranks of a page takes, begun at the first."""

    steps: Numbers  # (rank,): until it is there, if it stays on the page
    asking: float  # steps until the next ranking is asked for, if the session goes on
    asks_again: float  # the chance of that


@cache
def _walk(depth: int, p: float, q: float, r: float) -> Walk:
    place = np.arange(depth)
    on, back = p * (place < depth - 1), q * (place > 0)
    whole = on + back + 1 - p - q
    on, back, end = on / whole, back / whole, (1 - p - q - r) / whole
    step = [0.0]  # from each rank to the next; a step back has to be made good first
    for rank in range(depth - 1):
        step.append((1 + back[rank] / (on[rank] + back[rank]) * step[-1]) * (on[rank] + back[rank]) / on[rank])
    moves = np.diag(on[:-1], 1) + np.diag(back[1:], -1)
    one = np.eye(depth)
    asking = np.linalg.solve(one - moves / (1 - end)[:, np.newaxis], np.ones(depth))[0]
    ends = np.linalg.solve(one - moves, end)[0]
    return Walk(np.cumsum(step), float(asking), float(1 - ends))
