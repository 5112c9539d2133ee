"""What click models learnt and how well they foretell clicks, as tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.core import ParameterError, Provenance, Table
from cranfield.stats import share_interval

from ._estimates import LEVEL
from ._fitted import Fitted
from ._pages import Pages
from ._pairs import Pairs

FIT = (
    "model log_likelihood perplexity conditional_perplexity impressions log_likelihood_by_document rounds converged"
).split()
PARAMETERS = ("model", "name", "key", "value", "low", "high")
RANKS = "model rank impressions observed low high predicted examined perplexity conditional_perplexity".split()


def fit_table(fitted: Sequence[Fitted], pages: Pages, *, made_by: Provenance | None = None) -> Table:
    """One row for each model: how well it foretells the clicks on some pages, best those it did not learn from."""
    rows = [
        {
            "model": str(one.model),
            "log_likelihood": one.log_likelihood(pages),
            "perplexity": one.perplexity(pages),
            "conditional_perplexity": one.perplexity(pages, conditional=True),
            "impressions": int(pages.impressions),
            "log_likelihood_by_document": one.log_likelihood(pages, mean="documents"),
            "rounds": one.rounds or None,
            "converged": one.converged,
        }
        for one in _some(fitted)
    ]
    return Table.from_rows(rows, FIT, caption="how well click models foretell clicks", made_by=made_by)


def parameters_table(
    fitted: Fitted | Sequence[Fitted], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """One row for each chance that a model learnt, with the ends between which it lies.

    Those of documents stand behind all others, the most certain first.
    """
    columns: dict[str, list[Any]] = {name: [] for name in PARAMETERS}
    for one in _some([fitted] if isinstance(fitted, Fitted) else fitted):
        for name, estimate in sorted(one.estimates.items(), key=lambda named: isinstance(named[1].keys, Pairs)):
            low, high = estimate.interval(level)
            by_document = isinstance(estimate.keys, Pairs)
            order = np.argsort(-estimate.worth if by_document else np.zeros(len(estimate)), kind="stable")
            names = estimate.names()
            columns["model"] += [str(one.model)] * len(estimate)
            columns["name"] += [name] * len(estimate)
            columns["key"] += [names[place] for place in order.tolist()]
            for column, found in (("value", estimate.value), ("low", low), ("high", high)):
                columns[column] += found[order].tolist()
    numbers = {name: np.array(columns[name]) for name in ("value", "low", "high")}
    return Table({**columns, **numbers}, "what click models learnt", made_by, ends={"value": ("low", "high")})


def ranks_table(
    pages: Pages, fitted: Sequence[Fitted], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """One row for each model and rank: how often it is clicked, should be, and is examined, and how well foretold.

    Every number is over the impressions that have this rank; ``low`` and ``high`` are the ends of what is observed.
    Click-through rates say nothing of examination.
    """
    shown, clicks = pages.count @ pages.shown, pages.count @ pages.clicked
    low, high = share_interval(clicks, shown.astype(np.int64), level=level)
    rows = []
    for one in _some(fitted):
        means = {
            "impressions": shown.astype(np.int64),
            "observed": clicks / shown,
            "low": low,
            "high": high,
            "predicted": pages.count @ one.marginal(pages) / shown,
            "examined": pages.count @ one.examined(pages) / shown
            if one.model.examines
            else np.full(pages.depth, np.nan),
            "perplexity": one.perplexity_by_rank(pages),
            "conditional_perplexity": one.perplexity_by_rank(pages, conditional=True),
        }
        for rank in range(pages.depth):
            cells = {name: column[rank].item() for name, column in means.items()}
            rows.append({"model": str(one.model), "rank": rank + 1, **cells})
    return Table.from_rows(rows, RANKS, caption="clicks by rank, and what click models make of them", made_by=made_by)


def _some(fitted: Sequence[Fitted]) -> Sequence[Fitted]:
    if not fitted:
        raise ParameterError("no click model is given", hint="fit one first: PBM().fit(pages)")
    return fitted
