"""Balanced and team-draft interleaving, in which the rankings take turns."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from .base import Interleaved, Interleaving, Lists, Matrix, interleaving


@interleaving("balanced", cite="joachims2003, ferro2024")
class Balanced(Interleaving):
    """Balanced interleaving: a coin says who leads, then two pointers walk down both lists side by side.

    The first k documents of a page hold the first k_a of one list and k_b of the other, which differ by at most one. A
    pointer moves on also where its document is shown already, and the page ends where either list does. Clicks are
    counted among the first k of each list, where k is the better rank of the lowest clicked document. Clicks that see
    no relevance favour one list: with a, b, c and b, c, a a single random click prefers the second by a third.
    """

    several: ClassVar[bool] = False

    def reach(self, lists: Lists) -> int:
        """As long as both lists together: the page ends by itself."""
        return sum(map(len, lists))

    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        leads = int(rng.random() < 0.5)
        at = [0, 0]
        shown: dict[str, int] = {}
        while len(shown) < length and at[0] < len(lists[0]) and at[1] < len(lists[1]):
            team = leads if at[0] == at[1] else int(at[1] < at[0])
            shown.setdefault(lists[team][at[team]], team)
            at[team] += 1
        return list(shown), list(shown.values())

    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        return (), ()

    def credit(self, shown: Interleaved, places: Sequence[int]) -> tuple[float, ...]:
        if not places:
            return (0.0, 0.0)
        k = min(ranks[places[-1]] or np.inf for ranks in shown.ranks)
        return tuple(float(sum(0 < ranks[place] <= k for place in places)) for ranks in shown.ranks)


@interleaving("team-draft", cite="radlinski2008, schuth2014", aliases=("team_draft", "tdi", "tdm"))
class TeamDraft(Interleaving):
    """Team draft: in every round each list, in an order drawn anew, puts its best document that is not shown yet.

    A click counts for the list that put the document there. With ``common='none'`` clicks on documents with which all
    lists begin alike count for nobody: they say nothing, and cost nothing but noise.
    """

    common: Literal["teams", "none"] = "teams"

    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        at = [0] * len(lists)
        shown: dict[str, int] = {}
        while True:
            for team in turns(len(lists), rng):
                if len(shown) == length:
                    return list(shown), list(shown.values())
                own = lists[team]
                while own[at[team]] in shown:
                    at[team] += 1
                shown[own[at[team]]] = team

    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        counts = [1.0] * len(teams)
        if self.common == "none":
            alike = shared(lists)
            counts = [float(rank > alike or rank == 0) for rank in ranks[0]]
        return tuple(
            [
                tuple([worth if team == number else 0.0 for team, worth in zip(teams, counts, strict=True)])
                for number in range(len(lists))
            ]
        ), ()


def turns(number: int, rng: np.random.Generator) -> Sequence[int]:
    """The lists in an order in which every one is as likely."""
    if number == 2:
        return (0, 1) if rng.random() < 0.5 else (1, 0)
    order: list[int] = rng.permutation(number).tolist()
    return order


def shared(lists: Lists) -> int:
    """With how many documents all lists begin alike."""
    alike = [len(set(row)) == 1 for row in zip(*lists, strict=False)]
    return alike.index(False) if False in alike else len(alike)
