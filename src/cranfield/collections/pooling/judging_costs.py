"""Number of documents to judge and judging hours, by pool depth or strategy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.strategies.base import Strategy
from cranfield.core import ParameterError, Provenance, Table

from .candidates import Candidates
from .judging_steps import Walk

DEPTHS = (5, 10, 20, 50, 100)


def costs_table(
    candidates: Candidates,
    depths: Sequence[int] = DEPTHS,
    *,
    judged: NDArray[np.bool_] | None = None,
    minutes: float | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each depth: how many documents runs have among their first so many, each counted once in its topic.

    ``new`` are those that are not ``judged`` (document,) yet; ``per_topic`` and ``largest`` are the mean and the most
    documents of a topic; ``hours`` is what the new ones take at so many ``minutes`` for a judgment. Depths beyond that
    of the candidates are left out.
    """
    if not len(depths) or min(depths) < 1:
        raise ParameterError("a depth is one document or more", hint="for example: 5, 10, 20")
    if minutes is not None and not minutes > 0:
        raise ParameterError(f"a judgment cannot take {minutes:g} minutes", hint="for example: 2")
    kept = np.array([depth for depth in depths if depth <= candidates.depth], dtype=np.int64)
    if not len(kept):
        hint = f"ask for a depth up to that, or pool to depth {min(depths)}"
        raise ParameterError(f"runs are known to depth {candidates.depth} alone", hint=hint)
    inside = candidates.best <= kept[:, None]  # (depth, document)
    free = inside if judged is None else inside & ~judged
    size = np.diff(np.pad(inside.cumsum(axis=1), ((0, 0), (1, 0)))[:, candidates.starts], axis=1)  # (depth, topic)
    columns: dict[str, Any] = {
        "depth": kept,
        "documents": inside.sum(axis=1),
        "new": free.sum(axis=1),
        "per_topic": size.mean(axis=1),
        "largest": size.max(axis=1),
        "hours": [None] * len(kept) if minutes is None else free.sum(axis=1) * minutes / 60,
    }
    topics, runs = len(candidates.topics), len(candidates.runs)
    counted = f"{runs:,} run{'s' * (runs != 1)} and {topics:,} topic{'s' * (topics != 1)}"
    at = "" if minutes is None else f", at {minutes:g} minute{'s' * (minutes != 1)} for a judgment"
    beyond = [depth for depth in depths if depth > candidates.depth]
    told = (f"runs are known to depth {candidates.depth} alone: nothing is said of {', '.join(map(str, beyond))}",)
    return Table(columns, f"what a pool of {counted} costs{at}", made_by, told if beyond else ())


def count_asked(
    candidates: Candidates,
    strategy: Strategy,
    *,
    budget: int | None = None,
    shared: bool = False,
    judged: NDArray[np.bool_] | None = None,
) -> int:
    """How many documents a strategy asks for before its budget, of each topic or of all, or the documents are used up.

    What is ``judged`` (document,) already costs nothing.
    """
    free = np.ones(len(candidates), dtype=bool) if judged is None else np.logical_not(judged)
    if not strategy.needs_text:  # those that read leave nothing out
        walk = Walk(strategy, candidates)
        free &= ~walk.asked[walk.row, walk.document]
    each = np.bincount(candidates.topic[free], minlength=len(candidates.topics))
    if budget is None:
        return int(each.sum())
    return int(min(each.sum(), budget) if shared else np.minimum(each, budget).sum())
