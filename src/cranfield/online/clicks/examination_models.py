"""Click models of examination and attraction: position-based (PBM) and user browsing (UBM)."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.topic_documents import Pairs

from .base import Needs, Progress, click_model
from .browsing import AfterClick, Apart, Browsing, browsed_key
from .click_rates import rank_names
from .conditional_examination import ClicksByLook, ExaminationEstimate, conditional_examination, prior_weight
from .expectation_maximisation import (
    Climbed,
    Climbing,
    Evidence,
    Expected,
    Keys,
    Priors,
    Values,
    estimate,
    own_information,
)
from .fitted_model import Fitted
from .observed_information import Shared, own_variances
from .probability_estimates import Estimate, Numbers, Prior, total, weigh

NEWTON_STEPS = 100  # bisection alone needs half as many
NEAR = 1e-13  # between two steps of an attraction that has converged
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

    def alike(self) -> "Looks":
        """Return the same counts as if all documents were one."""
        names = self.keys["examination"]
        skipped = total(self.look, self.skipped, len(names))
        look = np.flatnonzero(skipped)
        pooled = {"attraction": lambda counts: counts.sum(keepdims=True), "examination": lambda counts: counts}
        clicked, shown = (
            {name: pooled[name](counts[name]) for name in counts} for counts in (self.clicked, self.shown)
        )
        keys: Keys = {"attraction": Pairs.groups(["any document"]), "examination": names}
        return Looks(keys, self.impressions, np.zeros_like(look), look, skipped[look], clicked, shown)

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


def _mean_by_pair(cells: Cells, by_rank: Numbers) -> Numbers:
    """Return the mean (pair,) over the impressions of each document of a number that depends on the rank."""
    pairs = len(cells.pairs)
    shown = total(cells.pair, cells.shown, pairs)
    sums = total(cells.pair, cells.shown * by_rank[cells.rank - 1], pairs)
    return np.divide(sums, shown, out=np.full(pairs, float(by_rank.mean())), where=shown > 0)


def attraction_given(looks: Looks, examination: Numbers, prior: Prior) -> Numbers:
    """Return the attraction (pair,) with the largest posterior density, given the examination parameters."""
    low, high = np.zeros_like(looks.shown["attraction"]), np.ones_like(looks.shown["attraction"])
    clicks, value = looks.clicked["attraction"] + prior.a, low + prior.mean
    gamma = examination[looks.look]
    for _ in range(NEWTON_STEPS):
        share = gamma / (1 - value[looks.pair] * gamma)
        fall = total(looks.pair, looks.skipped * share, len(value)) + prior.b / (1 - value)
        bend = total(looks.pair, looks.skipped * share**2, len(value)) + prior.b / (1 - value) ** 2
        slope = clicks / value - fall
        low, high = np.where(slope > 0, value, low), np.where(slope > 0, high, value)
        step = slope / (clicks / value**2 + bend)
        inside = (low < value + step) & (value + step < high)
        moved = np.where(inside, value + step, (low + high) / 2)
        done = np.abs(moved - value).max() <= NEAR
        value = moved
        if done:
            break
    return value


class Examining(Climbing):
    """A click model of documents that attract, α, and ranks that are examined, γ.

    ``method='conditional'`` estimates γ from the ranks at which each document's clicks occurred, given their number.
    This needs no assumption on α, so that neither a prior nor thousands of rarely shown documents bias γ
    (wooldridge1999). Then α is estimated given γ. ``method='em'`` maximises the joint likelihood of α and γ, as other
    libraries do: γ is biased where documents have few impressions, however long the log is. ``first='free'`` always
    uses EM, because the conditional likelihood does not depend on the scale of γ.
    """

    first: Literal["one", "free"] = "one"
    method: Literal["conditional", "em"] = "conditional"

    @abstractmethod
    def look(self, cells: Cells) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Return the examination parameter (cell,) of each cell, and the names of these parameters."""

    def looks(self, cells: Cells) -> Looks:
        """Return the counts with the parameter that examination depends on."""
        return Looks.of(cells, *self.look(cells))

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        cells = self.cells(log)
        jointly = self.method == "em" or self.first == "free"
        found = self.climb_jointly(cells, progress) if jointly else self.climb_in_turn(cells, progress)
        return Fitted(self, cells.pairs, cells.impressions, found.estimates, found.trace, found.converged, found.unseen)

    def climb_jointly(self, cells: Cells, progress: Progress | None) -> Climbed:
        """Maximise the likelihood of attraction and examination together."""
        looks, means = self.looks(cells), dict[str, float]()
        if not self.fixed_prior:
            alike = looks.alike()
            pooled = self.climb(alike, dict.fromkeys(alike.keys, Prior()), None).estimates["attraction"]
            means = {"attraction": float(pooled.value[0])}
        return self.climb(looks, self.priors(looks.keys, means), progress)

    def climb_in_turn(self, cells: Cells, progress: Progress | None) -> Climbed:
        """Maximise the conditional likelihood of examination, then the likelihood of attraction given examination."""
        (look, names), looks = self.look(cells), self.looks(cells)
        data = ClicksByLook(cells.pair, look, cells.shown, cells.clicked, len(cells.pairs), len(names))
        examination = conditional_examination(data, self.fixed_prior or Prior(), self.rounds, progress)
        ranks = self.attraction_by_rank(cells, examination.value)
        means = _mean_by_pair(cells, ranks)
        priors = self.priors(looks.keys, {"attraction": means}, prior_weight(data, examination.value, means))
        attraction = attraction_given(looks, examination.value, priors["attraction"])
        values = {"attraction": attraction, "examination": examination.value}
        state = self.evaluate(looks, priors, values)
        own = own_information(looks, priors, state)["attraction"]
        free = np.flatnonzero(examination.value < 1)
        variance = 1 / own
        if len(free):
            covariance = examination.covariance[np.ix_(free, free)]
            variance = own_variances(own, looks.around(values, "examination").cross, covariance)
        spread = {"attraction": variance, "examination": examination.covariance.diagonal()}
        estimates = {
            name: estimate(values[name], spread[name], priors[name], state.expected[name], looks.keys[name])
            for name in values
        }
        shared = {field.name: getattr(estimates["examination"], field.name) for field in fields(Estimate)}
        estimates["examination"] = ExaminationEstimate(
            **shared, unbounded=examination.unbounded, spread=spread["examination"]
        )
        unseen = None if self.fixed_prior else ranks
        return Climbed(estimates, examination.trace, examination.converged, unseen)

    def attraction_by_rank(self, cells: Cells, examination: Numbers) -> Numbers:
        """Return the mean attraction (rank,) of the documents shown at each rank, given the examination parameters."""
        names = rank_names(cells.depth)
        looks = self.looks(replace(cells, pairs=Pairs.groups(names), pair=cells.rank - 1))
        pooled = attraction_given(looks.alike(), examination, Prior())
        return attraction_given(looks, examination, Prior.at(float(pooled[0])))

    def maximise(self, expected: Mapping[str, Expected], priors: Priors) -> dict[str, Numbers]:
        values = Climbing.maximise(self, expected, priors)
        if self.first == "one":
            values["examination"][0] = 1.0
        return values


@click_model("PBM", cite="craswell2008,richardson2007", aliases=("position-based",))
class PBM(Examining):
    """Position-based model: a document is clicked if its rank is examined and it attracts, each with its own chance.

    The log determines α·γ only: all α may be halved and all γ doubled. With ``first='one'`` the first rank is always
    examined, so that α is the chance of a click there and γ is the examination of a rank relative to the first. Only
    the prior determines the scale of documents that share no rank, directly or through others, with one shown first,
    and of all documents with ``first='free'``. ``method='conditional'`` estimates γ without a bias from rarely shown
    documents, ``method='em'`` maximises the joint likelihood as other libraries do.
    """

    needs: ClassVar[Needs] = "cells"
    tells: ClassVar[Needs] = "cells"

    def look(self, cells: Cells) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        return cells.rank - 1, rank_names(cells.depth)

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return self.apart(fitted, pages)

    def apart(self, fitted: Fitted, log: Pages | Cells) -> Apart:
        return Apart(fitted.of("attraction", log), fitted.estimates["examination"].at(log.rank - 1))


@click_model("UBM", cite="dupret2008", aliases=("user-browsing",))
class UBM(Examining):
    """User browsing model: as the position-based one, but examination depends on the last click above too.

    The log determines α·γ only: all α may be halved and all γ doubled. With ``first='one'`` the first rank is always
    examined, which determines the scale as in the position-based model. With ``first='free'`` only the prior does.
    ``method`` chooses the estimator as in the position-based model.
    """

    needs: ClassVar[Needs] = "browsed"

    def look(self, cells: Cells) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        names = (f"{rank} after {last}" for rank in range(1, cells.depth + 1) for last in range(rank))
        return browsed_key(cells.rank, cells.previous), tuple(names)

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        return AfterClick(fitted.of("attraction", pages), fitted.estimates["examination"])
