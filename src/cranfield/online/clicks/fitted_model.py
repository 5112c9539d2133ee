"""A fitted click model: its parameters, document relevance and click predictions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, generator
from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.topic_documents import Pairs

from .browsing import Browsing, Column, Matrix
from .click_prediction import Foretold, foretell_cells, foretell_pages
from .probability_estimates import Chances, Estimate, Numbers

if TYPE_CHECKING:
    from .base import ClickModel


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fitted:
    """What a click model learnt from a log."""

    model: "ClickModel"
    pairs: Pairs
    impressions: float  # of the log
    estimates: Mapping[str, Estimate]  # rate, attraction, satisfaction, examination, continuation: those it has
    trace: tuple[float, ...] = ()  # the logarithm of likelihood × prior after each round; it never falls
    converged: bool = True  # the gain still to come is below the tolerance, or the parameters are counted
    unseen: Numbers | None = None  # (rank,): the attraction of a document that is not in the log; None: the prior's

    def __repr__(self) -> str:
        return f"Fitted({self.model}: {len(self.pairs)} pairs, {self.impressions:.0f} impressions)"

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return len(self.trace)

    @property
    def attraction(self) -> Estimate | None:
        """The chance that a document is clicked where it is examined."""
        return self.estimates.get("attraction")

    @property
    def satisfaction(self) -> Estimate | None:
        """The chance that a clicked document ends the search."""
        return self.estimates.get("satisfaction")

    @property
    def examination(self) -> Estimate | None:
        """The chance that a rank is looked at."""
        return self.estimates.get("examination")

    @property
    def continuation(self) -> Estimate | None:
        """The chance of going on to the next rank."""
        return self.estimates.get("continuation")

    @property
    def relevance(self) -> Chances:
        """(pair,): how good a document is: its attraction, times its satisfaction where the model has one."""
        return self.model.relevance(self.estimates)

    def of(self, name: str, pages: Pages | Cells) -> Matrix:
        """Return one kind of parameter (page, rank) or (cell,) for the documents shown; unseen ones get the prior's."""
        pair = np.append(self.pairs.find(pages.pairs), -1)[pages.pair]
        estimate = self.estimates[name]
        if name != "attraction" or self.unseen is None:
            return estimate.at(pair)
        is_unseen = np.append(estimate.den, 0.0)[pair] == 0
        return np.where(is_unseen, self.unseen[np.minimum(pages.rank, len(self.unseen)) - 1], estimate.at(pair))

    def browsing(self, pages: Pages) -> Browsing:
        """The users of the model before some pages."""
        return self.model.browsing(self, pages)

    def conditional(self, pages: Pages) -> Matrix:
        """(page, rank): the chance of a click, given the clicks above; 0 below the end of a page."""
        return self.browsing(pages).walk(lambda rank, _: pages.clicked[:, rank]) * pages.shown

    def marginal(self, pages: Pages) -> Matrix:
        """(page, rank): the chance of a click, whatever else is clicked; 0 below the end of a page."""
        return self.browsing(pages).marginal() * pages.shown

    def examined(self, pages: Pages) -> Matrix:
        """(page, rank): the chance that a document is examined, whatever is clicked; 0 below the end of a page."""
        return self.browsing(pages).examined() * pages.shown

    def foretell(self, log: Pages | Cells) -> Foretold:
        """The clicks of a log beside what the model says of them.

        Counts of cells are enough where every rank is a matter of its own, as the model's ``tells`` says.
        """
        return foretell_pages(self, log) if isinstance(log, Pages) else foretell_cells(self, log)

    def log_likelihood(self, log: Pages | Cells, *, mean: Literal["impressions", "documents"] = "impressions") -> float:
        """The mean logarithm of the chance of what users did at a rank, given the clicks above."""
        return self.foretell(log).log_likelihood(mean=mean)

    def perplexity(self, log: Pages | Cells, *, conditional: bool = False) -> float:
        """How many answers users seem to choose from at a rank, mean over ranks: 1 knows all, 2 is a fair coin."""
        return self.foretell(log).perplexity(conditional=conditional)

    def perplexity_by_rank(self, log: Pages | Cells, *, conditional: bool = False) -> Column:
        """(rank,): 2 to the mean surprise in bits, over the impressions that have this rank."""
        return self.foretell(log).perplexity_by_rank(conditional=conditional)

    def simulate(self, pages: Pages, *, seed: int = SEED) -> Pages:
        """The same pages, seen as often, with the clicks of users of this model."""
        rows = pages.row_level()
        stream = generator(seed, "clicks", self.model.name)
        clicked = np.zeros_like(rows.clicked)

        def click(rank: int, chance: Column) -> NDArray[np.bool_]:
            clicked[:, rank] = (stream.random(len(chance)) < chance) & rows.shown[:, rank]
            return clicked[:, rank]

        self.browsing(rows).walk(click)
        return replace(rows, clicked=clicked).distinct()
