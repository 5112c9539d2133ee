"""Quality of click predictions: log-likelihood and perplexity, from pages or from counts."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.online.logs.clicked_pages import Cells, Pages

from .browsing import Column, Matrix
from .probability_estimates import total

if TYPE_CHECKING:
    from .fitted_model import Fitted

LEAST = 1e-6  # what a model calls impossible has this chance when its likelihood is asked for
SUMS = ("shown", "clicked", "predicted", "examined", "surprise", "conditional_surprise")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Foretold:
    """The clicks on some impressions beside what a model says of them; parts of a log are added to each other.

    Surprise is minus the logarithm of the chance of what users did: whatever else was clicked, or given the clicks
    above. What the model calls impossible has a chance of one in a million.
    """

    fitted: "Fitted"
    impressions: float
    shown: Column  # (rank,): impressions that have it
    clicked: Column  # (rank,)
    predicted: Column  # (rank,): clicks that the model expects
    examined: Column  # (rank,): looks that the model expects
    surprise: Column  # (rank,)
    conditional_surprise: Column  # (rank,)
    surprise_of_pages: float  # given the clicks above, of each impression the mean over its ranks

    def __repr__(self) -> str:
        return f"Foretold({self.fitted.model}: {self.impressions:.0f} impressions)"

    def __add__(self, other: "Foretold") -> "Foretold":
        depth = max(len(self.shown), len(other.shown))
        sums: dict[str, Any] = {name: _deep(getattr(self, name), depth) for name in SUMS}
        sums = {name: mine + _deep(getattr(other, name), depth) for name, mine in sums.items()}
        pages = self.surprise_of_pages + other.surprise_of_pages
        return replace(self, impressions=self.impressions + other.impressions, surprise_of_pages=pages, **sums)

    def log_likelihood(self, *, mean: Literal["impressions", "documents"] = "impressions") -> float:
        """The mean logarithm of the chance of what users did at a rank, given the clicks above.

        Of each impression the mean over its ranks, and of these the mean; or the mean over all documents shown. Both
        are the same where all pages are as long.
        """
        if mean not in ("impressions", "documents"):
            raise ParameterError(f"there is no mean over {mean}", hint="choose impressions or documents")
        if mean == "documents":
            return float(-self.conditional_surprise.sum() / self.shown.sum())
        return -self.surprise_of_pages / self.impressions

    def perplexity(self, *, conditional: bool = False) -> float:
        """How many answers users seem to choose from at a rank, mean over ranks: 1 knows all, 2 is a fair coin."""
        return float(self.perplexity_by_rank(conditional=conditional).mean())

    def perplexity_by_rank(self, *, conditional: bool = False) -> Column:
        """(rank,): 2 to the mean surprise in bits, over the impressions that have this rank.

        The chance of a click is that whatever else is clicked, or with ``conditional`` that given the clicks above.
        """
        surprise = self.conditional_surprise if conditional else self.surprise
        return np.exp2(surprise / np.log(2) / self.shown)


def foretell_pages(fitted: "Fitted", pages: Pages) -> Foretold:
    """The clicks on whole pages."""
    users, count, there = fitted.browsing(pages), pages.count, pages.shown
    predicted = users.marginal() * there
    surprise = _surprise(predicted, pages.clicked) * there
    given = _surprise(users.walk(lambda rank, _: pages.clicked[:, rank]), pages.clicked) * there
    return Foretold(
        fitted,
        pages.impressions,
        count @ there,
        count @ pages.clicked,
        count @ predicted,
        count @ (users.examined() * there),
        count @ surprise,
        count @ given,
        float(count @ (given.sum(axis=1) / there.sum(axis=1))),
    )


def foretell_cells(fitted: "Fitted", cells: Cells) -> Foretold:
    """The clicks that were counted, by a model to which every rank is a matter of its own."""
    users = fitted.model.apart(fitted, cells)
    if cells.length is None:
        raise ParameterError("counts do not tell how long pages are", hint="read_cells(log, whole=True) counts that")
    chance, skipped = users.marginal(), cells.shown - cells.clicked
    surprise = cells.clicked * _surprise(chance, np.True_) + skipped * _surprise(chance, np.False_)

    def by_rank(number: Column) -> Column:
        return total(cells.rank - 1, number, cells.depth)

    sums = by_rank(surprise)
    return Foretold(
        fitted,
        cells.impressions,
        by_rank(cells.shown),
        by_rank(cells.clicked),
        by_rank(cells.shown * chance),
        by_rank(cells.shown * users.examined()),
        sums,
        sums,
        float((surprise / cells.length).sum()),
    )


def _surprise(chance: Matrix, clicked: NDArray[np.bool_] | np.bool_) -> Matrix:
    """Minus the logarithm of the chance of what users did."""
    return -np.log(np.clip(np.where(clicked, chance, 1 - chance), LEAST, 1 - LEAST))


def _deep(column: Column, depth: int) -> Column:
    """(rank,): with ranks that nobody saw."""
    return np.append(column, np.zeros(depth - len(column)))
