"""Values of several rankings per topic, combined by topic, and equity of attention over them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Table
from cranfield.data import Assessed, Values
from cranfield.measures.fairness.group_exposure import AWRF, Attended, relevant_in

Counts = NDArray[np.int64]


def fold_series(values: Values, topics: tuple[str, ...], of: Counts) -> Values:
    """Values by topic of values by ranking: means over the rankings of a topic that a run has.

    Measures of attention judge the mean attention instead (diaz2020): the loss of a mean is not the mean of losses.
    ``of`` says which topic each ranking is of, and rises.
    """
    if values.assessed is None:
        raise ParameterError("nobody knows the rankings behind these values", hint="evaluate the runs themselves")
    assessed = values.assessed
    there = ~assessed.missing
    starts = np.searchsorted(of, np.arange(len(topics)))
    cube = np.empty((len(values.runs), len(topics), len(values.measures)))
    for m, measure in enumerate(values.measures):
        if isinstance(measure, Attended):
            cube[:, :, m] = _of_attention(measure, assessed, there, starts, of)
        else:
            cube[:, :, m] = _means(values.cube[:, :, m, None], there, starts)[..., 0]
    missing = np.logical_and.reduceat(assessed.missing, starts, axis=1)
    return replace(
        values,
        topics=topics,
        cube=cube,
        counted=~missing if not values.counted.all() else np.ones_like(missing),
        missing=missing,
        without_relevant=values.without_relevant[:, starts],
        assessed=None,
    )


def _means(numbers: NDArray[np.float64], there: NDArray[np.bool_], starts: Counts) -> NDArray[np.float64]:
    """(run, ranking, …) → (run, topic, …): means over the rankings that are there; of the first where none is."""
    sums = np.add.reduceat(np.where(there[..., None], numbers, 0), starts, axis=1)
    count = np.add.reduceat(there.astype(np.float64), starts, axis=1)[..., None]
    return np.where(count > 0, sums / np.maximum(count, 1), numbers[:, starts])


def _of_attention(
    measure: Attended, assessed: Assessed, there: NDArray[np.bool_], starts: Counts, of: Counts
) -> NDArray[np.float64]:
    """(run, topic): what is to be said of the mean attention of each group over a series."""
    if measure.judged_only:
        raise ParameterError(f"{measure} cannot judge a series", hint="leave out judged_only=True")
    mean = _means(_attention(measure, assessed), there, starts)
    # What is due is the same in all rankings of a topic: one stands for all, the first that is there.
    rankings = there.shape[1]
    first = np.minimum.reduceat(np.where(there, np.arange(rankings), rankings), starts, axis=1)
    first = np.where(first < rankings, first, starts)
    rows = (np.arange(len(there))[:, None] * rankings + first).reshape(-1)
    found = np.empty(len(there) * rankings)
    for block in assessed.blocks(rows):
        found[block.row] = measure.verdict(mean[block.row // rankings, of[block.row % rankings]], block)
    return found[rows].reshape(len(there), len(starts))


def _attention(measure: Attended, assessed: Assessed) -> NDArray[np.float64]:
    """(run, ranking, group): what each group gets in each ranking."""
    groups = assessed.table("attributes").value.shape[1]
    got = np.zeros((len(assessed.retrieved), groups))
    for block in assessed.blocks():
        got[block.row] = measure.got(block)
    return got.reshape(len(assessed.runs), -1, groups)


def equity_table(assessed: Assessed, *, measure: Attended | None = None) -> Table:
    """One row per run: how far attention, added up over all rankings, is from relevance, added up too (biega2018).

    Attention and relevance are shares within each ranking, of groups. ``unfairness`` is Σ_g |A_g − R_g|, which a fair
    series keeps small however long it gets; ``per_ranking`` is that divided by the number of rankings, from 0 to 2.
    ``measure`` says how attention falls with rank, and from which grade on a document is relevant.
    """
    asked = AWRF() if measure is None else measure
    got = _attention(asked, assessed)
    due = np.broadcast_to(relevant_in(assessed, asked.rel, asked.count), got.shape)
    counted = ~assessed.missing & (got.sum(axis=2) > 0) & (due.sum(axis=2) > 0)
    shares = [np.where(counted[..., None], some / _whole(some), 0).sum(axis=1) for some in (got, due)]
    apart = np.abs(shares[0] - shares[1]).sum(axis=1)
    rankings = counted.sum(axis=1)
    columns: dict[str, Any] = {
        "run": assessed.runs,
        "rankings": rankings,
        "unfairness": apart,
        "per_ranking": np.where(rankings > 0, apart / np.maximum(rankings, 1), np.nan),
    }
    return Table(columns, "equity of attention, added up over all rankings")


def _whole(some: NDArray[np.float64]) -> NDArray[np.float64]:
    total = some.sum(axis=2, keepdims=True)
    return np.where(total > 0, total, 1)
