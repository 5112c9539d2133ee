"""Cascade click models: CM, SDBN and DCM, estimated from counts or by exact EM."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.topic_documents import Pairs

from .base import Needs, Progress, Smoothed, click_model
from .browsing import Browsing, Cascade
from .click_rates import count, rank_names
from .expectation_maximisation import Expected, Keys, Values
from .fitted_model import Fitted
from .last_click_tails import Browsed, Going, Guess
from .probability_estimates import Chances, Estimate, Numbers, Prior
from .stopping_chains import Chain


@click_model("CM", cite="craswell2008", aliases=("cascade",))
class CM(Smoothed):
    """Cascade model: users read from the top to the first document that attracts them, click it, and leave.

    What is below the first click counts for nothing, and a second click is impossible.
    """

    needs: ClassVar[Needs] = "pages"

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        pages = self.pages(log)
        first = np.where(pages.clicked.any(axis=1), pages.clicked.argmax(axis=1), pages.depth)
        read = pages.shown & (np.arange(pages.depth) <= first[:, np.newaxis])
        return Fitted(self, pages.pairs, pages.impressions, {"attraction": clicked_of(self.prior, pages, read)})

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return Cascade(fitted.of("attraction", pages), 1.0, np.zeros(pages.pair.shape))


class LastClick(Chain):
    """A cascade that is fitted by EM, or without ``exact`` counted as if users stopped at the last click."""

    no_click: Literal["all", "none"] = "all"
    exact: bool = True

    @abstractmethod
    def counted(self, pages: Pages) -> Mapping[str, Estimate]:
        """The chances, by counts."""

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        pages = self.pages(log)
        if self.no_click == "none":
            if not pages.clicked.any():
                raise ParameterError("no page has a click", hint="no_click='all' learns from pages without clicks too")
            pages = pages.kept(pages.last > 0)
        if self.exact:
            return Chain.fit(self, pages, progress=progress)
        return Fitted(self, pages.pairs, pages.impressions, self.counted(pages))

    def read(self, pages: Pages) -> NDArray[np.bool_]:
        """(page, rank): what is taken to be read."""
        last = np.where(pages.last > 0, pages.last, pages.depth)[:, np.newaxis]
        return pages.shown & (np.arange(1, pages.depth + 1) <= last)


@click_model("SDBN", cite="chapelle2009dbn", aliases=("simplified-dbn",))
class SDBN(LastClick):
    """Simplified DBN: users read from the top, click what attracts, and stop only when a click satisfies them.

    EM finds the parameters. With ``exact=False``, as in PyClick, attraction is counted down to the last click, and
    satisfaction is the proportion of clicks that are the last one. A user who is not satisfied and finds nothing more
    looks the same as a satisfied one, so that both come out too large. A page without a click was read to its end, as
    this model says. ``no_click='none'`` excludes such pages.
    """

    def counted(self, pages: Pages) -> Mapping[str, Estimate]:
        last = pages.clicked & (np.arange(1, pages.depth + 1) == pages.last[:, np.newaxis])
        satisfied = share_of(self.counting_prior, pages.pair, last, pages.clicked, pages, pages.pairs)
        return {"attraction": clicked_of(self.counting_prior, pages, self.read(pages)), "satisfaction": satisfied}

    def going(self, values: Values) -> Going:
        return Going(values["attraction"], values["satisfaction"], skip=1.0, click=1.0, content=0.0)

    def counts(self, browsed: Browsed, found: Guess) -> dict[str, Expected]:
        return {
            "attraction": Expected(browsed.clicked + found.attracted, browsed.shown),
            "satisfaction": Expected(found.satisfied, browsed.clicked),
        }

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return Cascade(fitted.of("attraction", pages), 1.0, 1 - fitted.of("satisfaction", pages))


@click_model("DCM", cite="guo2009dcm", aliases=("dependent-click",))
class DCM(LastClick):
    """Dependent click model: users read from the top, and after a click go on with a chance that depends on the rank.

    EM finds the parameters. With ``exact=False``, as in PyClick, attraction is counted down to the last click, and
    continuation is the proportion of clicks at a rank that are not the last one. A user who continues and finds
    nothing more looks the same as one who stops, so that continuation comes out too small and attraction too large. A
    page without a click was read to its end, as this model says. ``no_click='none'`` excludes such pages.
    """

    by_rank: ClassVar[bool] = True

    def counted(self, pages: Pages) -> Mapping[str, Estimate]:
        rank = np.broadcast_to(np.arange(pages.depth), pages.pair.shape)
        further = pages.clicked & (rank + 1 < pages.last[:, np.newaxis])
        on = share_of(self.counting_prior, rank, further, pages.clicked, pages, rank_names(pages.depth))
        return {"attraction": clicked_of(self.counting_prior, pages, self.read(pages)), "continuation": on}

    def keys(self, pages: Pages) -> Keys:
        return {"attraction": pages.pairs, "continuation": rank_names(pages.depth)}

    def going(self, values: Values) -> Going:
        return Going(values["attraction"], 1 - values["continuation"], skip=1.0, click=1.0, content=0.0)

    def counts(self, browsed: Browsed, found: Guess) -> dict[str, Expected]:
        clicks = browsed.passed + browsed.ended
        return {
            "attraction": Expected(browsed.clicked + found.attracted, browsed.shown),
            "continuation": Expected(clicks - found.satisfied, clicks),
        }

    def hidden(self, found: Guess) -> dict[str, Numbers]:
        return {"attraction": found.hidden_attracted}

    def relevance(self, estimates: Mapping[str, Estimate]) -> Chances:
        return estimates["attraction"]

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        on = fitted.estimates["continuation"].at(np.arange(pages.depth))
        return Cascade(fitted.of("attraction", pages), 1.0, np.broadcast_to(on, pages.pair.shape))


def clicked_of(prior: Prior, pages: Pages, read: NDArray[np.bool_]) -> Estimate:
    """(pair,): how often a document is clicked, of the times it was read."""
    return share_of(prior, pages.pair, pages.clicked & read, read, pages, pages.pairs)


def share_of(
    prior: Prior,
    key: NDArray[np.int64],
    happened: NDArray[np.bool_],
    could: NDArray[np.bool_],
    pages: Pages,
    keys: Pairs | tuple[str, ...],
) -> Estimate:
    """How often something happened of the times it could have, under keys (page, rank)."""
    times = np.broadcast_to(pages.count[:, np.newaxis], key.shape)[could]
    return count(prior, key[could], times * happened[could], times, keys)
