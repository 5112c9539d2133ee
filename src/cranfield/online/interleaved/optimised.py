"""Optimised interleaving: pages chosen by a linear programme for fairness and sensitivity."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Limits, generator

from .base import NOBODY, Interleaving, Lists, Matrix, interleaving

Numbers: TypeAlias = NDArray[np.float64]
TRIES = 20  # walks for each page that is sampled
SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Which pages to show, and how often each."""

    pages: tuple[tuple[str, ...], ...]
    chance: Numbers  # (page,)
    bias: float  # the largest difference of two lists' expected credit, over the first k documents; 0: fair
    sampled: bool  # there are more pages than these

    @property
    def note(self) -> str:
        """What was given up, in words; empty where nothing was."""
        words = [f"pages are a sample of {len(self.pages)}"] * self.sampled
        words += [f"no choice of pages is fair: lists may differ by {self.bias:.3g} in expected credit"] * (
            self.bias > SAME
        )
        return "; ".join(words)


@interleaving("optimised", cite="radlinski2013, schuth2014, manabe2017", aliases=("optimized", "oi", "om"))
class Optimised(Interleaving):
    """Optimised interleaving: of all pages on which each next document is the best left of some list, a fair mix.

    Clicks that see no relevance give all lists the same credit at every rank; of the mixes for which this holds, the
    one is taken in which the credit of lists varies least on each page, with clicks on rank r of chance 1/r. Where
    none is fair, unfairness is added to what is kept small. A click gives a list one over its rank of the document, or
    its rank below zero; a list without the document has it just below its end. More than ``most`` pages are sampled.

    Where lists share few documents, that mix is of few pages: one list's best, then the other list. Which of them is
    shown then decides more than what is clicked, and team draft needs fewer impressions.
    """

    by: Literal["inverse-rank", "negative-rank"] = "inverse-rank"
    most: Annotated[int, Limits(2, 100_000)] = 2000

    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        plan = self.plan(lists, length)
        sums = plan.chance.cumsum()
        page = min(int(sums.searchsorted(rng.random() * sums[-1], side="right")), len(sums) - 1)
        return list(plan.pages[page]), [NOBODY] * length

    def plan(self, lists: Lists, length: int | None = None) -> Plan:
        """The pages and how often each is shown; made once for the same lists."""
        return _plan(self, tuple(map(tuple, lists)), min(length or self.reach(lists), self.reach(lists)))

    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        return tuple(
            tuple([self.worth(rank or len(own) + 1) for rank in row]) for own, row in zip(lists, ranks, strict=True)
        ), ()

    def worth(self, rank: int) -> float:
        """What a click on the document of that rank gives a list."""
        return 1 / rank if self.by == "inverse-rank" else float(-rank)


@lru_cache(maxsize=1024)
def _plan(method: Optimised, lists: tuple[tuple[str, ...], ...], length: int) -> Plan:
    pages, sampled = _pages(lists, length, method.most)
    worth = [{document: method.worth(rank) for rank, document in enumerate(own, start=1)} for own in lists]
    missing = [method.worth(len(own) + 1) for own in lists]
    credit = np.array(
        [
            [[one.get(document, none) for document in page] for page in pages]
            for one, none in zip(worth, missing, strict=True)
        ]
    )  # (list, page, rank)
    expected = (credit / np.arange(1, length + 1)).sum(axis=2)  # clicks of chance 1/rank
    spread = ((expected - expected.mean(axis=0)) ** 2).sum(axis=0)
    among = credit.cumsum(axis=2)
    apart = np.array([among[i] - among[j] for i, j in combinations(range(len(lists)), 2)])  # (pair, page, k)
    chance = _fair(spread, apart)
    if chance is None:
        chance = _fairest(spread, apart)
    bias = float(np.abs(np.einsum("l,plk->pk", chance, apart)).max())
    return Plan(pages, chance, bias if bias > SAME else 0.0, sampled)


def _pages(lists: tuple[tuple[str, ...], ...], length: int, most: int) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """All pages, or so many different ones as random walks find; in a fixed order."""
    pages: dict[tuple[str, ...], None] = {(): None}
    for _ in range(length):
        pages = dict.fromkeys((*page, document) for page in pages for document in _next(lists, page))
        if len(pages) > most:
            break
    else:
        return tuple(pages), False
    rng = generator(SEED, "optimised interleaving")
    found: dict[tuple[str, ...], None] = {}
    for _ in range(TRIES * most):
        page: tuple[str, ...] = ()
        for team in rng.integers(len(lists), size=length):
            page = (*page, next(document for document in lists[team] if document not in page))
        found[page] = None
        if len(found) == most:
            break
    return tuple(found), True


def _next(lists: tuple[tuple[str, ...], ...], page: tuple[str, ...]) -> list[str]:
    """The best document of each list that the page does not hold, each once."""
    return list(dict.fromkeys(next(document for document in own if document not in page) for own in lists))


def _fair(spread: Numbers, apart: Numbers) -> Numbers | None:
    """(page,): the mix without a difference of expected credit, if there is one."""
    from scipy.optimize import linprog

    rows = apart.transpose(0, 2, 1).reshape(-1, len(spread))
    sides = np.vstack([np.ones(len(spread)), rows])
    found: Any = linprog(spread, A_eq=sides, b_eq=np.eye(len(sides))[0], bounds=(0, 1), method="highs")
    return _shares(found.x) if found.status == 0 else None


def _fairest(spread: Numbers, apart: Numbers) -> Numbers:
    """(page,): the mix that keeps small both the variation and, for each k, the largest difference: manabe2017."""
    from scipy.optimize import linprog

    pairs, pages, length = apart.shape
    rows = apart.transpose(0, 2, 1).reshape(-1, pages)
    slack = np.tile(np.eye(length), (pairs, 1))
    sides = np.vstack([np.hstack([rows, -slack]), np.hstack([-rows, -slack])])
    whole = np.concatenate([np.ones(pages), np.zeros(length)])[np.newaxis]
    cost = np.concatenate([spread, np.ones(length)])
    found: Any = linprog(cost, A_ub=sides, b_ub=np.zeros(len(sides)), A_eq=whole, b_eq=[1.0], method="highs")
    return _shares(found.x[:pages])


def _shares(chance: Numbers) -> Numbers:
    chance = np.maximum(chance, 0.0)
    return chance / chance.sum()
