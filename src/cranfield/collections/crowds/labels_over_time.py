"""Mean grade, agreement and time per label of each worker over time, and labels on a full grade scale."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Labels

from .worker_quality import PARTS, equal_pairs, parts_of


def course_table(
    labels: Labels,
    *,
    seconds: Sequence[float] | NDArray[np.float64] | None = None,
    parts: int = PARTS,
    made_by: Provenance | None = None,
) -> Table:
    """A row for each worker and part of the labels in order of time (or of rows); the worker with most labels first.

    ``grade`` is the mean of the labels, ``agreement`` the share of pairs with labels of others on the same item that
    are equal, nothing where no other labelled those. ``seconds`` are (answer,), NaN where nobody knows; their median
    is told. A worker who grows stricter, differs more, or hurries is seen between one part and the next.
    """
    answers = labels.answers
    if seconds is not None and len(seconds) != len(answers):
        hint = "give the seconds of every label, NaN where they are not known"
        raise ParameterError(f"seconds of {len(seconds):,} labels for {len(answers):,}", hint=hint)
    if parts < 1:
        raise ParameterError(f"labels cannot be cut into {parts} parts", hint="give 1 or more, such as 4")
    cell, cells = answers.worker * parts + parts_of(labels, parts), answers.workers * parts
    met, equal = (np.bincount(cell, counts, minlength=cells) for counts in equal_pairs(answers))
    given = np.bincount(cell, minlength=cells)
    number = given.reshape(-1, parts).sum(axis=1)
    order = np.argsort(-number, kind="stable")
    rows = (order[:, None] * parts + np.arange(parts)).ravel()
    rows = rows[given[rows] > 0]
    names = np.array(labels.workers, dtype=object)
    data: dict[str, Any] = {"worker": names[rows // parts], "part": rows % parts + 1, "labels": given[rows]}
    data["grade"] = (np.bincount(cell, labels.grades[answers.choice], minlength=cells)[rows]) / given[rows]
    data["agreement"] = equal[rows] / np.where(met[rows] > 0, met[rows], np.nan)
    if seconds is not None:
        data["seconds"] = _medians(np.asarray(seconds, dtype=np.float64), cell, cells)[rows]
    return Table(data, "labels of workers over time", made_by)


def _medians(values: NDArray[np.float64], cell: NDArray[np.int64], cells: int) -> NDArray[np.float64]:
    """(cell,): the median of the values that are known; NaN where none is."""
    known = ~np.isnan(values)
    values, cell = values[known], cell[known]
    number = np.bincount(cell, minlength=cells)
    sorted_values = np.append(values[np.lexsort((values, cell))], np.nan)  # a place for cells without any
    start = np.where(number > 0, number.cumsum() - number, len(values))
    low, high = start + np.maximum(number - 1, 0) // 2, start + number // 2
    middle: NDArray[np.float64] = (sorted_values[low] + sorted_values[high]) / 2
    return middle


def on_scale(labels: Labels, grades: Sequence[float]) -> Labels:
    """The same labels, with grades that nobody gave as choices too: what was asked for, not what was said."""
    scale = np.unique(np.asarray(grades, dtype=np.float64))
    missing = labels.grades[~np.isin(labels.grades, scale)]
    if len(missing):
        raise ParameterError(f"{missing[0]:g} was given and is not on the scale", hint="name every grade there is")
    choice = np.searchsorted(scale, labels.grades)[labels.answers.choice]
    return replace(labels, grades=scale, answers=replace(labels.answers, choice=choice, choices=len(scale)))
