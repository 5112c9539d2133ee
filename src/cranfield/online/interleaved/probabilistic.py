"""Probabilistic interleaving: rankings sample documents with probabilities that decrease with rank."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits, ParameterError

from .assignment_probabilities import drawing_chances, in_rounds, poisson_binomial, with_replacement
from .base import Interleaved, Interleaving, Lists, Matrix, interleaving
from .team_draft import turns


@interleaving("probabilistic", cite="hofmann2011, schuth2015", aliases=("probabilistic-interleave",))
class Probabilistic(Interleaving):
    """Probabilistic interleaving: lists draw documents with a chance ∝ rank^−tau, which all lists then lose.

    Two lists are drawn by a coin for every place; more lists have their turns in rounds, in an order drawn anew
    (``rounds`` says so for any number). Whose a document is, is not read from the draws: a click gives each list the
    chance, given the page, that it put the document there.
    """

    tau: Annotated[float, Limits(0, 20)] = 3.0
    rounds: bool | None = None

    def taking_turns(self, number: int) -> bool:
        """Whether so many lists have their turns in rounds."""
        return number > 2 if self.rounds is None else self.rounds

    def draw(self, lists: Lists, length: int, rng: np.random.Generator) -> tuple[list[str], list[int]]:
        where = [dict(zip(own, range(len(own)), strict=True)) for own in lists]
        left = [_weights(len(own), self.tau).copy() for own in lists]
        documents: list[str] = []
        teams: list[int] = []
        while len(documents) < length:
            order = turns(len(lists), rng) if self.taking_turns(len(lists)) else (int(rng.integers(len(lists))),)
            for team in order[: length - len(documents)]:
                sums = left[team].cumsum()
                place = min(int(sums.searchsorted(rng.random() * sums[-1], side="right")), len(sums) - 1)
                documents.append(lists[team][place])
                teams.append(team)
                for at, weights in zip(where, left, strict=True):
                    if documents[-1] in at:
                        weights[at[documents[-1]]] = 0.0
        return documents, teams

    def weigh(
        self, lists: Lists, ranks: tuple[tuple[int, ...], ...], teams: Sequence[int]
    ) -> tuple[Matrix, tuple[float, ...]]:
        drawing = drawing_chances(np.array(ranks), [len(own) for own in lists], self.tau)
        share, chance = (in_rounds if self.taking_turns(len(lists)) else with_replacement)(drawing)
        return tuple(map(tuple, share.tolist())), tuple(chance.tolist())


@lru_cache(maxsize=64)
def _weights(length: int, tau: float) -> NDArray[np.float64]:
    return np.arange(1, length + 1, dtype=float) ** -tau


def winning_chances(shown: Interleaved, clicks: Iterable[int | str]) -> tuple[float, float, float]:
    """How likely it is, over all draws that could have made the page, that a wins, that they tie, that b wins.

    A list wins with more clicks on documents that it put there: their number is Poisson-binomial, because draws with
    replacement are independent given the page.
    """
    method = shown.method
    if not isinstance(method, Probabilistic) or len(shown.runs) != 2 or method.taking_turns(2):
        message = f"{method} of {len(shown.runs)} lists has no chance of winning"
        raise ParameterError(message, hint="give a page that probabilistic made of two lists, without rounds")
    places = shown.places(clicks)
    count = poisson_binomial([shown.worth[0][place] for place in places])
    ahead = 2 * np.arange(len(count)) - len(places)  # clicks of a less those of b
    return tuple(float(count[holds].sum()) for holds in (ahead > 0, ahead == 0, ahead < 0))  # type: ignore[return-value]
