"""Tables of click models: fit, parameters, and clicks by rank."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from cranfield.core import ParameterError, Provenance, Table
from cranfield.online.logs.topic_documents import Pairs
from cranfield.stats import share_interval

from .click_prediction import Foretold
from .fitted_model import Fitted
from .probability_estimates import LEVEL

FIT = (
    "model log_likelihood perplexity conditional_perplexity impressions log_likelihood_by_document rounds converged"
).split()
T = TypeVar("T")
PARAMETERS = ("model", "name", "key", "value", "low", "high")
RANKS = "model rank impressions observed low high predicted examined perplexity conditional_perplexity".split()


def fit_table(foretold: Sequence[Foretold], *, made_by: Provenance | None = None) -> Table:
    """One row for each model: how well it foretells the clicks of a log, best one that it did not learn from."""
    rows = [
        {
            "model": str(one.fitted.model),
            "log_likelihood": one.log_likelihood(),
            "perplexity": one.perplexity(),
            "conditional_perplexity": one.perplexity(conditional=True),
            "impressions": int(one.impressions),
            "log_likelihood_by_document": one.log_likelihood(mean="documents"),
            "rounds": one.fitted.rounds or None,
            "converged": one.fitted.converged,
        }
        for one in _some(foretold)
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


def ranks_table(foretold: Sequence[Foretold], *, level: float = LEVEL, made_by: Provenance | None = None) -> Table:
    """One row for each model and rank: how often it is clicked, should be, and is examined, and how well foretold.

    Every number is over the impressions that have this rank; ``low`` and ``high`` are the ends of what is observed.
    Click-through rates say nothing of examination.
    """
    rows = []
    for one in _some(foretold):
        shown, model = one.shown, one.fitted.model
        low, high = share_interval(one.clicked, shown.astype(np.int64), level=level)
        means = {
            "impressions": shown.astype(np.int64),
            "observed": one.clicked / shown,
            "low": low,
            "high": high,
            "predicted": one.predicted / shown,
            "examined": one.examined / shown if model.examines else np.full(len(shown), np.nan),
            "perplexity": one.perplexity_by_rank(),
            "conditional_perplexity": one.perplexity_by_rank(conditional=True),
        }
        for rank in range(len(shown)):
            cells = {name: column[rank].item() for name, column in means.items()}
            rows.append({"model": str(model), "rank": rank + 1, **cells})
    return Table.from_rows(rows, RANKS, caption="clicks by rank, and what click models make of them", made_by=made_by)


def _some(given: Sequence[T]) -> Sequence[T]:
    if not given:
        raise ParameterError("no click model is given", hint="fit one first: PBM().fit(pages)")
    return given
