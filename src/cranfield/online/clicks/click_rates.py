"""Click-through rates as click models: global, by rank, by document, clicks over expected clicks."""

from abc import abstractmethod
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits
from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.topic_documents import Pairs

from .base import ClickModel, Needs, Progress, Smoothed, click_model
from .browsing import Apart
from .fitted_model import Fitted
from .probability_estimates import Estimate, Numbers, Prior, Ratio, total


class Rate(Smoothed):
    """A click model that counts clicks under one key."""

    needs: ClassVar[Needs] = "cells"
    tells: ClassVar[Needs] = "cells"
    examines: ClassVar[bool] = False
    counts: ClassVar[str]  # what the chance is called

    @abstractmethod
    def key(self, cells: Cells) -> tuple[NDArray[np.int64], Pairs | tuple[str, ...]]:
        """(cell,): what a cell is counted under, and what that is called."""

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        cells = self.cells(log)
        key, keys = self.key(cells)
        estimate = count(self.prior, key, cells.clicked, cells.shown, keys)
        return Fitted(self, cells.pairs, cells.impressions, {self.counts: estimate})

    def browsing(self, fitted: Fitted, pages: Pages) -> Apart:
        return self.apart(fitted, pages)


def count(prior: Prior, key: NDArray[np.int64], num: Numbers, den: Numbers, keys: Pairs | tuple[str, ...]) -> Estimate:
    """Chances of what is seen: sums of rows under their keys."""
    happened, could = (total(key, column, len(keys)) for column in (num, den))
    value, worth = prior.posterior_mode(happened, could), prior.a + prior.b + could
    return Estimate(value, worth, float(prior.mean), happened, could, keys)


def rank_names(depth: int) -> tuple[str, ...]:
    """(rank,): from 1."""
    return tuple(map(str, range(1, depth + 1)))


@click_model("GCTR", cite="chuklin2015", aliases=("global-ctr",))
class GCTR(Rate):
    """Global click-through rate: any document at any rank is clicked with one chance."""

    counts: ClassVar[str] = "rate"

    def key(self, cells: Cells) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        return np.zeros(len(cells), dtype=np.int64), ("any",)

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        rate = fitted.estimates[self.counts].value[0]
        return Apart(np.ones(log.pair.shape), np.full(log.pair.shape, rate))


@click_model("RCTR", cite="chuklin2015", aliases=("rank-ctr",))
class RCTR(Rate):
    """Click-through rate by rank: each rank is clicked with a chance of its own, whatever document is there."""

    counts: ClassVar[str] = "rate"

    def key(self, cells: Cells) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        return cells.rank - 1, rank_names(cells.depth)

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        return Apart(np.ones(log.pair.shape), fitted.estimates[self.counts].at(log.rank - 1))


@click_model("DCTR", cite="chuklin2015", aliases=("document-ctr",))
class DCTR(Rate):
    """Click-through rate by document: each document of a topic is clicked with a chance of its own, at any rank."""

    counts: ClassVar[str] = "attraction"

    def key(self, cells: Cells) -> tuple[NDArray[np.int64], Pairs]:
        return cells.pair, cells.pairs

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        return Apart(fitted.of(self.counts, log), np.ones(log.pair.shape))


@click_model("COEC", cite="zhang2007coec")
class COEC(ClickModel):
    """Clicks over expected clicks: how often a document is clicked, divided by how often its ranks are.

    Each time it is shown, the click-through rate of the rank is expected. 1 is a document like those that are shown
    where it is. The attraction is this ratio, and may be above 1; the chance of a click is the ratio times the rate of
    the rank, and at most 1. ``a`` adds as many clicks and expected clicks.
    """

    needs: ClassVar[Needs] = "cells"
    tells: ClassVar[Needs] = "cells"
    examines: ClassVar[bool] = False

    a: Annotated[float, Limits(0)] = 0.0

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        cells = self.cells(log)
        clicks, shown = (total(cells.rank - 1, column, 0) for column in (cells.clicked, cells.shown))
        rate = clicks / np.where(shown > 0, shown, 1.0)
        ranks = Estimate(rate, shown, float(clicks.sum() / shown.sum()), clicks, shown, rank_names(cells.depth))
        clicked = total(cells.pair, cells.clicked, len(cells.pairs))
        expected = total(cells.pair, cells.shown * rate[cells.rank - 1], len(cells.pairs))
        worth = self.a + expected
        value = np.where(worth > 0, self.a + clicked, 1.0) / np.where(worth > 0, worth, 1.0)
        ratio = Ratio(value, worth, 1.0, clicked, expected, cells.pairs)
        return Fitted(self, cells.pairs, cells.impressions, {"attraction": ratio, "rate": ranks})

    def browsing(self, fitted: Fitted, pages: Pages) -> Apart:
        return self.apart(fitted, pages)

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        return Apart(fitted.of("attraction", log), fitted.estimates["rate"].at(log.rank - 1))
