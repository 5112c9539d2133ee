"""Click models of users who read from the top until they stop, fitted by exact EM: DBN, CCM."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from cranfield.core import Limits, generator
from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.topic_documents import Pairs

from .base import Needs, Progress, click_model
from .browsing import Browsing, Cascade
from .expectation_maximisation import Climbing, Evidence, Expected, Keys, Priors, Values, inverse_logit, logit
from .fitted_model import Fitted
from .last_click_tails import Browsed, Going, Guess, guess
from .probability_estimates import Chances, Estimate, Numbers, total, weigh
from .satisfaction_intervals import JEFFREYS, with_likelihood


class Chain(Climbing):
    """A click model of users who go from the top to where they stop."""

    samples: Annotated[int, Limits(0)] = (
        4  # simulated logs that measure the bias of shared parameters; 0: no correction
    )

    needs: ClassVar[Needs] = "pages"
    by_rank: ClassVar[bool] = False  # satisfaction is a matter of ranks, not of documents

    @abstractmethod
    def going(self, values: Values) -> Going:
        """The user that some chances make."""

    @abstractmethod
    def counts(self, browsed: Browsed, found: Guess) -> dict[str, Expected]:
        """What the chances are estimated from."""

    def hidden(self, found: Guess) -> dict[str, Numbers]:
        """How far the counts of documents may be off."""
        return {"attraction": found.hidden_attracted, "satisfaction": found.hidden_satisfied}

    def keys(self, pages: Pages) -> Keys:
        """What there are chances of."""
        return {"attraction": pages.pairs, "satisfaction": pages.pairs}

    def fit(self, log: Pages | Cells, *, progress: Progress | None = None) -> Fitted:
        pages = self.pages(log)
        means, unseen = self.means(pages)
        evidence, priors = self.chained(pages), self.priors(self.keys(pages), means)
        climbed = self.climb(evidence, priors, progress)
        shared = [name for name, keys in evidence.keys.items() if not isinstance(keys, Pairs)]
        if shared and not self.fixed_prior and self.tolerance:
            # Pages of ranks cannot tell topics with good documents from users who continue. Pages of documents can.
            values = {name: one.value for name, one in climbed.estimates.items()}
            means, unseen = self.means(pages, {name: values[name] for name in shared})
            priors = self.priors(self.keys(pages), means)
            climbed = self.climb(evidence, priors, start=values)
        fitted = Fitted(
            self, pages.pairs, pages.impressions, climbed.estimates, climbed.trace, climbed.converged, unseen
        )
        estimates = climbed.estimates
        if shared and self.samples and self.tolerance and not (pages.count % 1).any():
            corrected = self.corrected(fitted, pages, priors, shared)
            values = {name: one.value for name, one in climbed.estimates.items()}
            estimates = self.climb(evidence, priors, start=values, held=corrected).estimates
            for name in shared:
                # The mean of the simulations adds its own variance.
                estimates[name] = replace(estimates[name], worth=estimates[name].worth / (1 + 1 / self.samples))
        if "satisfaction" in estimates:
            going = self.going({name: one.value for name, one in estimates.items()})
            prior = priors["satisfaction"]
            satisfaction = with_likelihood(estimates, evidence.browsed, going, prior, self.fixed_prior or JEFFREYS)
            estimates = {**estimates, "satisfaction": satisfaction}
        return replace(fitted, estimates=estimates)

    def corrected(self, fitted: Fitted, pages: Pages, priors: Priors, shared: Sequence[str]) -> dict[str, Numbers]:
        """Return the shared parameters less the bias that simulations of the fitted model on the same pages show.

        Each document adds parameters that are estimated from few impressions. This biases the shared parameters by as
        much as their standard error, however long the log is (neyman1948). The simulations draw the parameters of
        documents from their posterior distributions, which differ as much between documents as the true ones.
        """
        pages, fitted, priors = _by_name(pages, fitted, priors)  # the same draws however the log numbers its documents
        values = {name: one.value for name, one in fitted.estimates.items()}
        sums = {name: np.zeros_like(values[name]) for name in shared}
        for sample in range(self.samples):
            stream = generator(sample, "clicks", "documents")
            drawn = {name: one if name in shared else one.draw(stream) for name, one in fitted.estimates.items()}
            simulated = replace(fitted, estimates=drawn).simulate(pages, seed=sample)
            simulated_fit = self.climb(self.chained(simulated), priors, start=values).estimates
            for name in shared:
                sums[name] += logit(simulated_fit[name].value)
        return {name: inverse_logit(2 * logit(values[name]) - sums[name] / self.samples) for name in shared}

    def chained(self, pages: Pages) -> "Chained":
        """Return the pages as this model sees them."""
        return Chained(self, self.keys(pages), Browsed.of(pages, by_rank=self.by_rank))

    def means(self, pages: Pages, held: Values | None = None) -> tuple[dict[str, float | Numbers], Numbers | None]:
        """Return the prior means of documents, and the attraction (rank,) of documents that the log does not have.

        Rankers show attractive documents first. A mean over all ranks makes rarely shown documents too attractive, and
        so makes users stop too early. That of a document is therefore the mean of the ranks where it was shown.
        """
        if self.fixed_prior:
            return {}, None
        pooled = self.document_values(pages.grouped(np.zeros(len(pages.pairs), dtype=np.int64), ["any document"]), {})
        ranks = pages.by_rank()
        estimates = self.document_values(ranks, {name: float(one.value[0]) for name, one in pooled.items()}, held)
        attraction = estimates["attraction"].value
        shown = np.broadcast_to(pages.count[:, np.newaxis], pages.pair.shape)[pages.shown]
        pair, rank = pages.pair[pages.shown], np.nonzero(pages.shown)[1]
        sums = total(pair, shown * attraction[rank], len(pages.pairs))
        impressions = total(pair, shown, len(pages.pairs))
        by_pair = np.divide(sums, impressions, out=np.full(len(sums), attraction.mean()), where=impressions > 0)
        means: dict[str, float | Numbers] = {"attraction": by_pair}
        if "satisfaction" in estimates:
            satisfaction, clicks = estimates["satisfaction"].value, estimates["satisfaction"].den.copy()
            clicks[-1] = 0  # below the last rank nothing shows whether a click satisfied
            known = clicks.sum() > 0
            means["satisfaction"] = float(
                weigh(satisfaction, clicks) / clicks.sum() if known else pooled["satisfaction"].value[0]
            )
        return means, attraction

    def document_values(
        self, pages: Pages, means: Mapping[str, float], held: Values | None = None
    ) -> dict[str, Estimate]:
        """Return the parameters of the documents of some pages, given their prior means."""
        keys = self.keys(pages)
        estimates = self.climb(self.chained(pages), self.priors(keys, means), held=held).estimates
        return {name: one for name, one in estimates.items() if isinstance(keys[name], Pairs)}

    def relevance(self, estimates: Mapping[str, Estimate]) -> Chances:
        return estimates["attraction"].times(estimates["satisfaction"])


def _by_name(pages: Pages, fitted: Fitted, priors: Priors) -> tuple[Pages, Fitted, Priors]:
    """Return pages, estimates and priors with documents in the order of their names."""
    pairs, order = pages.pairs.by_name()
    place = np.append(np.argsort(order), -1)
    estimates = dict(fitted.estimates)
    for name, one in fitted.estimates.items():
        if isinstance(one.keys, Pairs):
            columns = {column: getattr(one, column)[order] for column in ("value", "worth", "num", "den")}
            estimates[name] = replace(one, **columns, keys=pairs)
    sorted_pages = replace(pages, pairs=pairs, pair=place[pages.pair]).distinct()
    sorted_priors = {name: prior.ordered(order) for name, prior in priors.items()}
    return sorted_pages, replace(fitted, pairs=pairs, estimates=estimates), sorted_priors


@dataclass(frozen=True, slots=True, eq=False)
class Chained(Evidence):
    """Browsed pages as a model of going down sees them."""

    model: Chain
    keys: Keys
    browsed: Browsed

    @property
    def impressions(self) -> float:  # type: ignore[override]  # read alone
        """How many pages were shown."""
        return self.browsed.impressions

    def expect(self, values: Values) -> tuple[float, dict[str, Expected]]:
        found = guess(self.browsed, self.model.going(values))
        return found.log_likelihood, self.model.counts(self.browsed, found)

    def hidden(self, values: Values) -> dict[str, Numbers]:
        return self.model.hidden(guess(self.browsed, self.model.going(values), hidden=True))


@click_model("DBN", cite="chapelle2009dbn", aliases=("dynamic-bayesian",))
class DBN(Chain):
    """Dynamic Bayesian network: users read from the top, click what attracts, and stop when satisfied or tired.

    After each document that did not satisfy they go on with one chance, the continuation. Relevance is attraction times
    satisfaction. The chances are found by exact EM: what users saw below the last click is weighed, not assumed.
    """

    def keys(self, pages: Pages) -> Keys:
        return {**Chain.keys(self, pages), "continuation": ("any",)}

    def going(self, values: Values) -> Going:
        on = float(values["continuation"][0])
        return Going(values["attraction"], values["satisfaction"], skip=on, click=on, content=0.0)

    def counts(self, browsed: Browsed, found: Guess) -> dict[str, Expected]:
        steps = found.steps[0] + found.steps[1]
        return {
            "attraction": Expected(browsed.clicked + found.attracted, browsed.shown),
            "satisfaction": Expected(found.satisfied, browsed.clicked),
            "continuation": Expected(np.array([steps.num]), np.array([steps.den])),
        }

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        on = float(fitted.estimates["continuation"].value[0])
        return Cascade(fitted.of("attraction", pages), on, on * (1 - fitted.of("satisfaction", pages)))


@click_model("CCM", cite="guo2009ccm", aliases=("click-chain",))
class CCM(Chain):
    """Click chain model: users read from the top; how likely they go on depends on the click and on its relevance.

    One chance for each document, its relevance, says whether it attracts and, once clicked, whether it satisfies. They
    go on with one chance after a skip, another after a click that did not satisfy, and a third after one that did.
    """

    def keys(self, pages: Pages) -> Keys:
        return {"attraction": pages.pairs, "continuation": ("skip", "click", "satisfied click")}

    def going(self, values: Values) -> Going:
        return Going(values["attraction"], values["attraction"], *map(float, values["continuation"]))

    def counts(self, browsed: Browsed, found: Guess) -> dict[str, Expected]:
        attracted = browsed.clicked + found.attracted + found.satisfied
        num, den = np.array([(step.num, step.den) for step in found.steps]).T
        return {
            "attraction": Expected(attracted, browsed.shown + browsed.clicked),
            "continuation": Expected(num, den),
        }

    def hidden(self, found: Guess) -> dict[str, Numbers]:
        return {"attraction": found.hidden_attracted + found.hidden_satisfied}

    def relevance(self, estimates: Mapping[str, Estimate]) -> Chances:
        return estimates["attraction"]

    def browsing(self, fitted: Fitted, pages: Pages) -> Browsing:
        skip, click, satisfied = fitted.estimates["continuation"].value.tolist()
        relevance = fitted.of("attraction", pages)
        return Cascade(relevance, skip, satisfied * relevance + click * (1 - relevance))
