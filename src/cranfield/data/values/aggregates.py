"""Aggregates of values over topics: mean, median, geometric mean and sum."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Cube, Matrix

FLOOR = 1e-5  # what a smaller value counts as in a geometric mean, as in trec_eval: one 0 would make it 0


def _sum(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(there, values, 0).sum(axis=1)


def _mean(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    count = there.sum(axis=1)
    return np.divide(_sum(values, there), count, out=np.full(len(values), np.nan), where=count > 0)


def _gmean(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.exp(_mean(np.log(np.where(values < FLOOR, FLOOR, values)), there))


def _median(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.array([np.median(row[has]) if has.any() else np.nan for row, has in zip(values, there, strict=True)])


# How the values of each run are summed up over its topics: (run, topic) and where there is a value.
AGGREGATES: dict[str, Callable[[Matrix, NDArray[np.bool_]], NDArray[np.float64]]] = {
    "mean": _mean,
    "median": _median,
    "gmean": _gmean,
    "sum": _sum,
}
IN_WORDS = {"gmean": "geometric mean"}


def check_aggregate(name: str) -> None:
    """Refuse a name that no aggregate has."""
    if name not in AGGREGATES:
        raise ParameterError(f"there is no aggregate named {name!r}", hint=f"there are: {', '.join(AGGREGATES)}")


def sum_up(cube: Cube, ways: Sequence[str]) -> NDArray[np.float64]:
    """(run, column): the values (run, topic, column) over topics, each column in its way; NaN is no value."""
    out = np.empty((len(cube), len(ways)))
    for i, way in enumerate(ways):
        # Topics side by side in memory: a run's sum is then the same to the last bit, whatever stands beside it.
        values = np.ascontiguousarray(cube[:, :, i])
        out[:, i] = AGGREGATES[way](values, ~np.isnan(values))
    return out
