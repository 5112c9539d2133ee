"""Click models of examination and attraction: position-based (PBM) and user browsing (UBM)."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.online.logs.clicked_pages import Cells, Pages

from .base import Needs, Progress, click_model
from .browsing import AfterClick, Apart, Browsing, browsed_key
from .click_rates import rank_names
from .expectation_maximisation import Climbing, Evidence, Expected, Keys, Values
from .fitted_model import Fitted
from .observed_information import Shared
from .probability_estimates import Numbers, total, weigh

BLOCK = 65_536  # cells that are looked at together: they fit the cache


@dataclass(frozen=True, slots=True, eq=False)
class Looks(Evidence):
    """Cells with what their examination depends on. Only skips hide something: cells of clicks alone are left out."""

    keys: Keys
    impressions: float
    pair: NDArray[np.int64]  # (cell,)
    look: NDArray[np.int64]  # (cell,): which chance of examination
    skipped: Numbers  # (cell,)
    clicked: Mapping[str, Numbers]  # (key,): clicks of each pair, and of each chance of examination
    shown: Mapping[str, Numbers]  # (key,): impressions

    @classmethod
    def of(cls, cells: Cells, look: NDArray[np.int64], names: tuple[str, ...]) -> "Looks":
        """Those of some counts."""
        keys: Keys = {"attraction": cells.pairs, "examination": names}
        rows = {"attraction": cells.pair, "examination": look}
        clicked = {name: total(row, cells.clicked, len(keys[name])) for name, row in rows.items()}
        shown = {name: total(row, cells.shown, len(keys[name])) for name, row in rows.items()}
        skipped = cells.shown - cells.clicked
        left = skipped > 0
        return cls(keys, cells.impressions, cells.pair[left], look[left], skipped[left], clicked, shown)

    def expect(self, values: Values) -> tuple[float, dict[str, Expected]]:
        attraction, examination = values["attraction"], values["examination"]
        looked = np.zeros_like(examination)
        unseen, likelihood = np.empty_like(self.skipped), 0.0
        for start in range(0, len(self.pair), BLOCK):
            cells = slice(start, start + BLOCK)
            alpha, gamma = attraction[self.pair[cells]], examination[self.look[cells]]
            passed = 1 - alpha * gamma
            share = self.skipped[cells] / passed
            likelihood += weigh(self.skipped[cells], np.log(passed))
            looked += total(self.look[cells], share * (1 - alpha), len(looked))
            np.multiply(share, 1 - gamma, out=unseen[cells])
        attracted = total(self.pair, unseen, len(attraction))
        # Of skips, attraction without a look is α(1−γ)/(1−αγ), a look without attraction γ(1−α)/(1−αγ).
        hidden = {"attraction": attraction * attracted, "examination": examination * looked}
        likelihood += sum(weigh(self.clicked[name], np.log(values[name])) for name in values)
        return likelihood, {name: Expected(self.clicked[name] + hidden[name], self.shown[name]) for name in values}

    def hidden(self, values: Values) -> dict[str, Numbers]:
        alpha, gamma = values["attraction"][self.pair], values["examination"][self.look]
        chance = alpha * (1 - gamma) / (1 - alpha * gamma)
        return {"attraction": total(self.pair, self.skipped * chance * (1 - chance), len(values["attraction"]))}

    def around(self, values: Values, name: str) -> Shared:
        from scipy.sparse import csr_array

        # Of the logarithm of α and of γ for clicks, and of 1 − αγ for skips.
        gamma = values[name]
        alpha, size = values["attraction"][self.pair], (len(values["attraction"]), len(gamma))
        share = self.skipped / (1 - alpha * gamma[self.look]) ** 2
        fall = self.clicked[name] / gamma**2 + total(self.look, share * alpha**2, len(gamma))
        free = np.flatnonzero(gamma < 1)
        return Shared(np.diag(fall[free]), csr_array((share, (self.pair, self.look)), shape=size)[:, free])


class Examining(Climbing):
    """A click model of documents that attract, α, and places that are examined, γ."""

    first: Literal["one", "free"] = "one"

    @abstractmethod
    def looks(self, cells: Cells) -> Looks:
        """The counts with what examination depends on."""

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        cells = self.cells(log)
        found = self.climb(self.looks(cells), progress)
        return Fitted(self, cells.pairs, cells.impressions, found.estimates, found.trace, found.converged)

    def maximise(self, expected: Mapping[str, Expected]) -> dict[str, Numbers]:
        values = Climbing.maximise(self, expected)
        if self.first == "one":
            values["examination"][0] = 1.0
        return values


@click_model("PBM", cite="craswell2008,richardson2007", aliases=("position-based",))
class PBM(Examining):
    """Position-based model: a document is clicked if its rank is examined and it attracts, each with its own chance.

    The log tells α·γ alone: all α may be halved and all γ doubled. With ``first='one'`` the first rank is always
    examined, so that α is the chance of a click there and γ says how much less a rank is examined than the first; for
    documents that share no rank, directly or through others, with one shown first, and for all with ``first='free'``,
    the prior alone settles the scale.
    """

    needs: ClassVar[Needs] = "cells"
    tells: ClassVar[Needs] = "cells"

    def looks(self, cells: Cells) -> Looks:
        return Looks.of(cells, cells.rank - 1, rank_names(cells.depth))

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return self.apart(fitted, pages)

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        return Apart(fitted.of("attraction", log), fitted.estimates["examination"].at(log.rank - 1))


@click_model("UBM", cite="dupret2008", aliases=("user-browsing",))
class UBM(Examining):
    """User browsing model: as the position-based one, but examination depends on the last click above too.

    The log tells α·γ alone: all α may be halved and all γ doubled. With ``first='one'`` the first rank is always
    examined, which settles the scale as in the position-based model; with ``first='free'`` the prior alone does.
    """

    needs: ClassVar[Needs] = "browsed"

    def looks(self, cells: Cells) -> Looks:
        names = (f"{rank} after {last}" for rank in range(1, cells.depth + 1) for last in range(rank))
        return Looks.of(cells, browsed_key(cells.rank, cells.previous), tuple(names))

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return AfterClick(fitted.of("attraction", pages), fitted.estimates["examination"])
