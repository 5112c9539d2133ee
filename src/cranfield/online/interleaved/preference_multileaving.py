"""Pairwise preference multileaving of two or more rankings."""

from collections.abc import Iterator, Sequence
from math import inf, prod

import numpy as np

from .base import NOBODY, Interleaved, Interleaving, Lists, Matrix, interleaving


@interleaving("ppm", cite="oosterhuis2017", aliases=("pairwise-preference",))
class PairwisePreference(Interleaving):
    """Pairwise preference multileaving: the document at rank k is any of the first k of all lists, all as likely.

    A clicked document is preferred to those not clicked above it, and to the next if that is not clicked. A preference
    counts where either document of the pair could have stood above the other; lists that agree with it get one over
    the chance of that, lists that do not lose as much.
    """

    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        shown: list[str] = []
        waiting: dict[str, None] = {}  # first k of all lists, not shown yet; a set that keeps its order
        for k in range(length):
            waiting |= {own[k]: None for own in lists if own[k] not in shown}
            document = list(waiting)[int(rng.integers(len(waiting)))]
            shown.append(document)
            del waiting[document]
        return shown, [NOBODY] * length

    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        return (), tuple(
            1 / (len({document for own in lists for document in own[: place + 1]}) - place)
            for place in range(len(teams))
        )

    def credit(self, shown: Interleaved, places: Sequence[int]) -> tuple[float, ...]:
        credit = [0.0] * len(shown.runs)
        best = [min(rank or inf for rank in ranks) for ranks in zip(*shown.ranks, strict=True)]
        for better, worse in preferred(places, len(shown.documents)):
            first, last = sorted((best[better], best[worse]))
            if min(better, worse) + 1 < last:
                continue  # one of them was shown before the other could be
            chance = prod(1 - shown.chance[rank - 1] for rank in range(int(first), int(last)))
            for number, ranks in enumerate(shown.ranks):
                mine, other = ranks[better] or inf, ranks[worse] or inf
                credit[number] += ((mine < other) - (mine > other)) / chance
        return tuple(credit)


def preferred(places: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """Places of documents of which the first is preferred: clicked, over skipped above it, and over the next."""
    clicked = set(places)
    for place in places:
        for other in (*range(place), place + 1):
            if other < length and other not in clicked:
                yield place, other
