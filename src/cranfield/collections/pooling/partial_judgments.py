"""Measure runs with a subset of the judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import NOBODY, Assessed, Entries, Values, find_named
from cranfield.measures import Measure, measure_all, parse_measures

from .candidates import Candidates


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRuns:
    """Runs with all their judgments, to be measured as if only some of them had been made."""

    assessed: Assessed
    measure: Measure

    @classmethod
    def by(cls, measure: str | Measure, assessed: Assessed) -> "JudgedRuns":
        """With one measure; what it takes from the judgments, such as the top grade, it takes from all of them."""
        found = parse_measures(measure)
        if len(found) != 1:
            hint = f"choose one of: {', '.join(map(str, found))}"
            raise ParameterError(f"{len(found)} measures where one is wanted", hint=hint)
        return cls(assessed, found[0].settled(float(assessed.grade.max(initial=0))))

    def places(self, candidates: Candidates) -> NDArray[np.int64]:
        """(document,): which of the documents that the judgments name each candidate is; −1: none of them."""
        return find_named(self.assessed, candidates.topics, candidates.topic, candidates.document)

    def grades(self, candidates: Candidates) -> NDArray[np.float64]:
        """(document,): the grade that all judgments give each candidate, −inf where they give none."""
        place = self.places(candidates)
        return np.where(place >= 0, self.assessed.grade[place], NOBODY)

    def given(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """(named,): grades where only the documents at these places are judged; −1 is no place."""
        judged = np.zeros(len(self.assessed.grade), dtype=bool)
        judged[places[places >= 0]] = True
        return np.where(judged, self.assessed.grade, NOBODY)

    def values(self, grade: NDArray[np.float64]) -> Values:
        """What the measure says under these grades (named,)."""
        return measure_all(self.assessed.with_grades(grade), self.measure)

    @cached_property
    def whole(self) -> Values:
        """What the measure says under all judgments."""
        return measure_all(self.assessed, self.measure)


def count_unjudged(
    assessed: Assessed, grade: NDArray[np.float64], k: int, topics: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(run,): documents among the first ``k`` of these topics that nobody judged, and how many the first ``k`` are.

    A grade below 0 is no judgment. ``topics`` are places; all of them if nothing is said.
    """
    runs, every = len(assessed.runs), len(assessed.topics)
    counted = np.ones(every, bool) if topics is None else np.isin(np.arange(every), topics)
    seen = (np.minimum(assessed.retrieved, k).reshape(runs, every) * counted).sum(axis=1, dtype=np.int64)
    judged = (assessed.rank <= k) & (grade[assessed.document] >= 0) & counted[assessed.row % every]
    return seen - np.bincount(assessed.row[judged] // every, minlength=runs), seen


def sums_of(values: Values) -> NDArray[np.float64]:
    """(run,): the values of the only measure, summed up over topics."""
    return values.aggregate()[:, 0]


@dataclass(frozen=True, slots=True)
class Groups:
    """Who made which run; a run of which nobody knows the group is a group of its own."""

    names: tuple[str, ...]
    of: tuple[int, ...]  # (run,): which group

    @classmethod
    def among(cls, runs: Sequence[str], entries: Entries | None = None) -> "Groups":
        """The groups of these runs, in the order in which they come."""
        known = [entries.of(run).group if entries else None for run in runs]
        keys = [("run", run) if group is None else ("group", group) for run, group in zip(runs, known, strict=True)]
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return cls(tuple(name for _, name in number), tuple(number[key] for key in keys))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def number(self) -> NDArray[np.int64]:
        """(run,): which group."""
        return np.array(self.of, dtype=np.int64)

    def runs(self, group: int) -> NDArray[np.int64]:
        """The places of a group's runs."""
        return np.flatnonzero(self.number == group)
