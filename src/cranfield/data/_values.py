"""The cube run × topic × measure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Study, Table
from cranfield.core.types import Cube, Matrix

from ._problems import listed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


SINGLY = 3  # so many runs that miss topics are named one by one


class Named(Protocol):
    """What the values are of: something with a name and a way to sum it up over topics, such as a measure."""

    @property
    def aggregate(self) -> str:
        """How it is summed up: mean, sum, …."""


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers that came as they are, from a file of scores."""

    label: str
    aggregate: str = "mean"

    def __str__(self) -> str:
        return self.label


def _sum(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(there, values, 0).sum(axis=1)


def _mean(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    count = there.sum(axis=1)
    return np.divide(_sum(values, there), count, out=np.full(len(values), np.nan), where=count > 0)


def _median(values: Matrix, there: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.array([np.median(row[has]) if has.any() else np.nan for row, has in zip(values, there, strict=True)])


# How the values of each run are summed up over its topics: (run, topic) and where there is a value.
AGGREGATES: dict[str, Callable[[Matrix, NDArray[np.bool_]], NDArray[np.float64]]] = {
    "mean": _mean,
    "sum": _sum,
    "median": _median,
}


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """What measures say of runs, topic by topic; NaN where there is no value."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Named, ...]
    cube: Cube
    counted: NDArray[np.bool_]  # (run, topic): whether the topic counts for the run
    missing: NDArray[np.bool_]  # (run, topic): the run has nothing for the topic
    without_relevant: NDArray[np.bool_]  # (measure, topic): nothing could be found
    tags: tuple[str, ...] = ()  # (run,): what each run calls itself in its last column
    notes: tuple[str, ...] = ()
    made_by: Provenance = field(default_factory=Provenance)

    def __repr__(self) -> str:
        return str(self.mean())

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()

    def index(self, measure: object) -> int:
        """The place of a measure, given as itself or by its canonical name."""
        names = [str(known) for known in self.measures]
        if str(measure) in names:
            return names.index(str(measure))
        raise ParameterError(f"there are no values of {measure}", hint=f"there are: {', '.join(names)}")

    def matrix(self, measure: object = None) -> Matrix:
        """(topic, run): the values of one measure, the only one if none is named; what statistics start from."""
        if measure is None and len(self.measures) > 1:
            raise ParameterError("which measure?", hint=f"there are: {', '.join(map(str, self.measures))}")
        i = 0 if measure is None else self.index(measure)
        return np.where(self.counted, self.cube[:, :, i], np.nan).T

    def aggregate(self, by: str | None = None) -> NDArray[np.float64]:
        """(run, measure): values over the topics that count, summed up in each measure's own way or all ``by`` one."""
        out = np.empty((len(self.runs), len(self.measures)))
        for i, measure in enumerate(self.measures):
            # Topics side by side in memory: a run's sum is then the same to the last bit, whatever stands beside it.
            values = np.ascontiguousarray(self.matrix(measure).T)
            there = ~np.isnan(values)
            out[:, i] = AGGREGATES[by or measure.aggregate](values, there)
        return out

    def mean(self) -> Table:
        """One row per run, one column per measure: what people look at first."""
        columns: dict[str, Any] = {"run": self.runs}
        for measure, column in zip(self.measures, self.aggregate().T, strict=True):
            counts = measure.aggregate == "sum" and not (column % 1).any()
            columns[str(measure)] = column.astype(np.int64) if counts else column
        return Table(columns, self._caption(), self.made_by, self._counts())

    def summary(self) -> Table:
        """One row per run and measure, with how many topics stand behind the number."""
        there = self.counted[:, :, None] & ~np.isnan(self.cube)
        without = self.counted[:, None, :] & self.without_relevant
        runs, n = len(self.runs), len(self.measures)
        columns: dict[str, Any] = {
            "run": [run for run in self.runs for _ in range(n)],
            "measure": [str(measure) for measure in self.measures] * runs,
            "aggregate": [measure.aggregate for measure in self.measures] * runs,
            "value": self.aggregate().reshape(-1),
            "topics": there.sum(axis=1).reshape(-1),
            "missing": np.repeat(self.missing.sum(axis=1), n),
            "without_relevant": without.sum(axis=2).reshape(-1),
        }
        return Table(columns, "values", self.made_by, self._counts())

    def per_topic(self) -> Table:
        """One row per run, topic and measure."""
        run, topic = np.nonzero(self.counted)
        n = len(self.measures)
        columns = {
            "run": np.repeat(np.array(self.runs, dtype=object)[run], n),
            "topic": np.repeat(np.array(self.topics, dtype=object)[topic], n),
            "measure": np.tile(np.array(list(map(str, self.measures)), dtype=object), len(run)),
            "value": self.cube[run, topic].reshape(-1),
        }
        return Table(columns, "values per topic", self.made_by)

    def study(self, *, per_topic: bool = False) -> Study:
        """The values as the study that the command line and the server show."""
        tables = {"values": self.summary()}
        if per_topic:
            tables["per_topic"] = self.per_topic()
        return Study("evaluate", tables, made_by=self.made_by)

    def to_polars(self) -> "pl.DataFrame":
        """The values per topic as a polars frame."""
        return self.per_topic().to_polars()

    def to_pandas(self) -> "pd.DataFrame":
        """The values per topic as a pandas frame."""
        return self.per_topic().to_pandas()

    def _caption(self) -> str:
        """How many topics stand behind the numbers, of each run if they differ."""
        counts = self.counted.sum(axis=1)
        fewest, most = int(counts.min()), int(counts.max())
        return f"{most} topic{'s' * (most != 1)}" if fewest == most else f"{fewest} to {most} topics"

    def _counts(self) -> tuple[str, ...]:
        """What a reader must know before comparing the numbers."""
        notes = [*self.notes, *self._missing_notes()]
        empty = self.without_relevant.any(axis=0)
        if empty.any():
            names = [self.topics[t] for t in np.flatnonzero(empty)]
            have = "topic has" if len(names) == 1 else "topics have"
            notes.append(f"{len(names)} {have} no relevant document for some measure ({listed(names)})")
        return tuple(notes)

    def _missing_notes(self) -> list[str]:
        """Which runs miss topics, one by one while they are few."""
        gone = {r: np.flatnonzero(topics).tolist() for r, topics in enumerate(self.missing) if topics.any()}
        every = len(self.topics)
        what = "counted as worst; trec_eval without -c leaves them out: --topics both"
        if not self.counted.all():
            what = "left out"
        if len(gone) > SINGLY:
            worst = max(gone, key=lambda r: len(gone[r]))
            most = f"most: {self.runs[worst]}, {len(gone[worst])} of {every}"
            note = f"{len(gone)} of {len(self.runs)} runs miss topics ({most}), {what}"
            return [note if self.counted.all() else f"{note}: their values are of different topics"]
        notes = []
        for r, topics in gone.items():
            are = "topic" + "s" * (every != 1) + (" is" if len(topics) == 1 else " are")
            names = listed(self.topics[t] for t in topics)
            notes.append(f"{self.runs[r]}: {len(topics)} of {every} {are} missing ({names}), {what}")
        return notes
