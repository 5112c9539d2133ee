"""Cube of values by run, topic and measure, and the tables derived from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Study, Table
from cranfield.core.types import Cube, Matrix
from cranfield.data.assessed.assessed_runs import Assessed
from cranfield.data.topics.topic_order import natural_order

from .aggregates import IN_WORDS, check_aggregate, sum_up
from .baseline_differences import TINY, compare_with, has_better, subtract
from .judged_documents import Coverage, unjudged_notes
from .name_lookup import find_run, find_topics
from .value_notes import notes_on

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class Named(Protocol):
    """What the values are of: something with a name and a way to sum it up over topics, such as a measure."""

    @property
    def aggregate(self) -> str:
        """How it is summed up: mean, sum, …."""

    @property
    def direction(self) -> Direction | None:
        """Which end is the good one, if that is known."""

    @property
    def family(self) -> str:
        """What it is like; a ``count`` is neither good nor bad."""

    def goes_by(self, text: str, top: float | None = None) -> bool:
        """Whether a text stands for it, however it is written; ``top`` is the top grade of judgments, if known."""


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers that came as they are, from a file of scores."""

    label: str
    aggregate: str = "mean"
    direction: Direction | None = None
    family: str = ""

    def goes_by(self, text: str, top: float | None = None) -> bool:
        """Only by what the file calls them."""
        del top
        return text == self.label

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values along an axis, such as the precision at levels of recall; what a chart of this name draws."""

    name: str
    along: str  # what the points are: recall
    of: str  # what the values are: precision
    points: tuple[float, ...]
    cube: Cube  # (run, topic, point)


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
    low: Cube | None = None  # between low and high lies what is not known: the order of ties, the unjudged
    high: Cube | None = None
    order: Cube | None = None  # places among the runs of a topic, where floats cannot tell all values apart; else NaN
    by: str | None = None  # one aggregate for all, in place of each measure's own; sums stay sums
    curve: Curve | None = None
    assessed: Assessed | None = None  # the rankings they were measured on, where they are known
    coverage: tuple[Coverage, ...] = ()  # judged documents by depth, where the rankings are not in memory

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ParameterError("only one end of the values is given", hint="give both low and high, or neither")
        if self.by:
            check_aggregate(self.by)

    def __repr__(self) -> str:
        return str(self.mean())

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()

    def index(self, measure: object) -> int:
        """The place of a measure, given as itself or by a name, in whichever way that is written."""
        names = [str(known) for known in self.measures]
        if isinstance(measure, list | tuple) and len(measure) == 1:
            measure = measure[0]
        measure = measure() if isinstance(measure, type) else measure  # a class has its default parameters
        if not isinstance(measure, str) and not hasattr(measure, "goes_by"):
            raise ParameterError("the measure is neither a name nor a measure", hint=f"name one of: {', '.join(names)}")
        if measure in self.measures:
            return self.measures.index(measure)
        if str(measure) in names:
            return names.index(str(measure))
        top = None if self.assessed is None else float(self.assessed.grade.max(initial=0))
        for i, known in enumerate(self.measures):
            if known.goes_by(str(measure), top):
                return i
        raise ParameterError(f"there are no values of {measure}", hint=f"there are: {', '.join(names)}")

    @property
    def places(self) -> NDArray[np.int64]:
        """(topic,): which topic of the assessed runs each of these is."""
        known = {topic: t for t, topic in enumerate(self.assessed.topics if self.assessed else self.topics)}
        return np.array([known[topic] for topic in self.topics], dtype=np.int64)

    def run_index(self, run: str) -> int:
        """The place of a run, called by its name or by its file."""
        files = [source.name for source in self.made_by.inputs if source.kind == "run"]
        return find_run(self.runs, files, run)

    def only(self, topics: Iterable[str]) -> "Values":
        """The same values of some topics alone."""
        return self._of_topics(find_topics(self.topics, topics))

    def in_topic_order(self) -> "Values":
        """Return the same values with topics sorted by name: draws then do not depend on the order of lines."""
        order = natural_order(self.topics)
        return self if order == list(range(len(order))) else self._of_topics(order)

    def _of_topics(self, chosen: list[int]) -> "Values":
        return replace(
            self,
            topics=tuple(self.topics[t] for t in chosen),
            cube=self.cube.take(chosen, axis=1),  # contiguous, so that sums are the same to the last bit
            counted=self.counted[:, chosen],
            missing=self.missing[:, chosen],
            without_relevant=self.without_relevant[:, chosen],
            low=None if self.low is None else self.low[:, chosen],
            high=None if self.high is None else self.high[:, chosen],
            order=None if self.order is None else self.order[:, chosen],
            curve=self.curve and replace(self.curve, cube=self.curve.cube[:, chosen]),
            coverage=tuple(one.take(topics=chosen) for one in self.coverage),
        )

    def of_runs(self, runs: Sequence[int]) -> "Values":
        """The same values of some runs alone, given by their places."""
        chosen = list(runs)
        return replace(
            self,
            runs=tuple(self.runs[run] for run in chosen),
            cube=self.cube[chosen],
            counted=self.counted[chosen],
            missing=self.missing[chosen],
            tags=tuple(self.tags[run] for run in chosen) if self.tags else (),
            low=None if self.low is None else self.low[chosen],
            high=None if self.high is None else self.high[chosen],
            order=None if self.order is None else self.order[chosen],
            curve=self.curve and replace(self.curve, cube=self.curve.cube[chosen]),
            assessed=self.assessed and self.assessed.of_runs(chosen),
            coverage=tuple(one.take(runs=chosen) for one in self.coverage),
        )

    def of_measures(self, measures: Sequence[object]) -> "Values":
        """The same values of some measures alone, given as themselves or by their names."""
        chosen = [self.index(measure) for measure in measures]
        found = tuple(self.measures[i] for i in chosen)
        return replace(
            self,
            measures=found,
            cube=self.cube[:, :, chosen],
            without_relevant=self.without_relevant[chosen],
            low=None if self.low is None else self.low[:, :, chosen],
            high=None if self.high is None else self.high[:, :, chosen],
            order=None if self.order is None else self.order[:, :, chosen],
            made_by=replace(self.made_by, measures=tuple(map(str, found))),
        )

    def parted(self, private: Iterable[str]) -> tuple["Values", "Values"]:
        """The same values without these topics, and of these topics alone."""
        named = list(private)
        hidden, kept = self.only(named), set(self.topics) - set(named)  # refuses topics that are not there
        if not kept:
            raise ParameterError("every topic is private", hint="leave some of the topics public")
        return self.only([topic for topic in self.topics if topic in kept]), hidden

    def topics_of(self, runs: Sequence[int]) -> tuple[str, ...]:
        """The topics that count for every one of these runs, given by their places."""
        counted = np.all(self.counted[list(runs)], axis=0)
        return tuple(self.topics[t] for t in np.flatnonzero(counted))

    def matrix(self, measure: object = None) -> Matrix:
        """(topic, run): the values of one measure, the only one if none is named; what statistics start from."""
        if measure is None and len(self.measures) > 1:
            raise ParameterError("which measure?", hint=f"there are: {', '.join(map(str, self.measures))}")
        i = 0 if measure is None else self.index(measure)
        return np.where(self.counted, self.cube[:, :, i], np.nan).T

    def in_order(self, measure: object = None) -> Matrix:
        """(topic, run): numbers whose order and ties are exact: the values, or where those round, places.

        What only looks at ranks, such as a sign test or a rank test, starts from these.
        """
        i = 0 if measure is None else self.index(measure)
        values = self.matrix(self.measures[i])
        if self.order is None or np.isnan(self.order[:, :, i]).all():
            return values
        return np.where(np.isnan(values), np.nan, self.order[:, :, i].T)

    def aggregate(self, by: str | None = None) -> NDArray[np.float64]:
        """(run, measure): values over the topics that count, summed up in each measure's own way or all ``by`` one.

        What is a sum stays one.
        """
        return self._summed(self.cube, by)

    def _summed(self, cube: Cube, by: str | None = None) -> NDArray[np.float64]:
        values = np.where(self.counted[:, :, None], cube, np.nan)
        return sum_up(values, [self.way(measure, by) for measure in self.measures])

    def way(self, measure: Named, by: str | None = None) -> str:
        """How a measure is summed up."""
        check_aggregate(asked := by or self.by or measure.aggregate)
        return measure.aggregate if measure.aggregate == "sum" else asked

    def mean(self) -> Table:
        """One row per run, one column per measure: what people look at first."""
        columns: dict[str, Any] = {"run": self.runs}
        columns |= dict(zip(map(str, self.measures), map(whole, self._sums.T, self.measures), strict=True))
        ends = {}
        for i, measure in enumerate(self.measures if self._ends else ()):
            low, high = ends[str(measure)] = (f"{measure} low", f"{measure} high")
            columns |= {low: whole(self._ends["low"][:, i], measure), high: whole(self._ends["high"][:, i], measure)}
        return Table(columns, self._caption(), self.made_by, self._notes(), self._best(), ends)

    def summary(self) -> Table:
        """One row per run and measure, with how many topics stand behind the number."""
        there = self.counted[:, :, None] & ~np.isnan(self.cube)
        without = self.counted[:, None, :] & self.without_relevant
        runs, n = len(self.runs), len(self.measures)
        columns: dict[str, Any] = {
            "run": [run for run in self.runs for _ in range(n)],
            "measure": [str(measure) for measure in self.measures] * runs,
            "aggregate": [self.way(measure) for measure in self.measures] * runs,
            "value": self._sums.reshape(-1),
            **{end: sums.reshape(-1) for end, sums in self._ends.items()},
            "topics": there.sum(axis=1).reshape(-1),
            "missing": np.repeat(self.missing.sum(axis=1), n),
            "without_relevant": without.sum(axis=2).reshape(-1),
        }
        return Table(columns, "values", self.made_by, self._notes())

    def per_topic(self) -> Table:
        """One row per run, topic and measure."""
        columns = self.rows(self.counted)
        cubes = {"value": self.cube, "low": self.low, "high": self.high}
        columns |= {name: cube[self.counted].reshape(-1) for name, cube in cubes.items() if cube is not None}
        return Table(columns, "values per topic", self.made_by)

    def against(self, baseline: str) -> Table:
        """One row per run and measure: how far the run is from the baseline, and in how many topics it is better.

        Values are of the topics for which both have one. Better is what the measure calls better: a smaller ESL.
        """
        return compare_with(self, baseline)

    def differences(self, baseline: str) -> Table:
        """One row per run, topic and measure: the difference to the baseline, in topics that count for both."""
        return subtract(self, baseline)

    def curve_table(self) -> Table:
        """One row per run and point of the curve, averaged over the topics that count."""
        if self.curve is None:
            raise ParameterError("no curve was asked for", hint="evaluate(..., curve='pr') draws one")
        values = np.where(self.counted[:, :, None], self.curve.cube, np.nan)
        points = self.curve.points
        columns: dict[str, Any] = {
            "run": [run for run in self.runs for _ in points],
            self.curve.along: list(points) * len(self.runs),
            self.curve.of: sum_up(values, ["mean"] * len(points)).reshape(-1),
        }
        return Table(columns, f"{self.curve.of} at {self.curve.along}, {self._size()}", self.made_by)

    def study(self, *, per_topic: bool = False, baseline: str | None = None) -> Study:
        """The values as the study that the command line and the server show."""
        tables = {"values": self.summary()}
        if baseline is not None:
            tables["against"] = self.against(baseline)
        if self.curve:
            tables["curve"] = self.curve_table()
        if per_topic:
            tables["per_topic"] = self.per_topic()
        if per_topic and baseline is not None:
            tables["differences"] = self.differences(baseline)
        charts = (self.curve.name,) if self.curve else ()
        return Study("evaluate", tables, made_by=self.made_by, charts=charts)

    def to_polars(self) -> "pl.DataFrame":
        """The values per topic as a polars frame."""
        return self.per_topic().to_polars()

    def to_pandas(self) -> "pd.DataFrame":
        """The values per topic as a pandas frame."""
        return self.per_topic().to_pandas()

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        """(run, measure): every table of means needs them."""
        return self.aggregate()

    @cached_property
    def _ends(self) -> dict[str, NDArray[np.float64]]:
        """(run, measure): the low and the high values, summed up as the values are; nothing where there are none."""
        return {end: self._summed(cube) for end, cube in (("low", self.low), ("high", self.high)) if cube is not None}

    def rows(self, wanted: NDArray[np.bool_]) -> dict[str, Any]:
        """The names in front of one row per run, topic and measure, where (run, topic) is wanted."""
        run, topic = np.nonzero(wanted)
        n = len(self.measures)
        return {
            "run": np.repeat(np.array(self.runs, dtype=object)[run], n),
            "topic": np.repeat(np.array(self.topics, dtype=object)[topic], n),
            "measure": np.tile(np.array(list(map(str, self.measures)), dtype=object), len(run)),
        }

    def _best(self) -> frozenset[tuple[int, str]]:
        """(row, column) of the best mean of each measure, all where several are best.

        None where one run is alone, where the means are of different topics, and where nothing is better or worse.
        """
        there = self.counted[:, :, None] & ~np.isnan(self.cube)
        alike = (there == there[:1]).all(axis=(0, 1)) & there.any(axis=(0, 1)) & (len(self.runs) > 1)
        found = set()
        for i, measure in enumerate(self.measures):
            good = self._sums[:, i] * (-1 if measure.direction is Direction.LOWER else 1)
            if alike[i] and has_better(measure):
                near = TINY * abs(good.max())
                found |= {(int(run), str(measure)) for run in np.flatnonzero(good >= good.max() - near)}
        return frozenset(found)

    def _size(self) -> str:
        """How many topics stand behind the numbers, of each run if they differ."""
        counts = self.counted.sum(axis=1)
        fewest, most = int(counts.min()), int(counts.max())
        return f"{most} topic{'s' * (most != 1)}" if fewest == most else f"{fewest} to {most} topics"

    def _notes(self) -> tuple[str, ...]:
        """Return what cannot be seen in the values, and a note where runs are not judged alike."""
        return (*notes_on(self), *unjudged_notes(self))

    def _caption(self) -> str:
        return f"{self._size()}, {IN_WORDS.get(self.by, self.by)}" if self.by else self._size()


def whole(column: NDArray[np.float64], measure: Named) -> NDArray[Any]:
    """Sums of whole numbers as whole numbers."""
    counts = measure.aggregate == "sum" and not (column % 1).any()
    return column.astype(np.int64) if counts else column
