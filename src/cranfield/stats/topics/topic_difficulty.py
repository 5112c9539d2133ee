"""Difficulty of topics, from the distribution of the values of all runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.anova.variance_components import components
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, TIE, largest, mid_ranks, power_of_two

HARD = 0.25  # the share of topics that are called hard
LONG = 60  # letters of a title in a sentence


def difficulty_table(
    values: Values,
    measure: object = None,
    *,
    titles: Mapping[str, str] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each topic, the hardest first: how the values of one measure lie over the runs.

    ``hardness`` says by how many standard deviations of the topics' means a topic is worse than the average topic.
    ``failed`` is the share of runs that have the worst value there is, or none where the measure has none for them.
    ``best`` and ``worst`` name a run and how many others share its value; nothing where all runs are equal.
    """
    given = values.matrix(measure)
    which = values.measures[0 if measure is None else values.index(measure)]
    if which.family == "count":
        raise ParameterError(f"no topic is hard by {which}: it only counts", hint="choose a measure such as AP")
    there = np.logical_not(np.isnan(given).all(axis=1))
    if not there.any():
        raise ParameterError(f"no topic has a value of {which}", hint="choose another measure")
    found = _Topics.of(given[there], lower=which.direction is Direction.LOWER)
    order = np.argsort(mid_ranks(found.good[None], np.abs(found.good[None]))[0], kind="stable")
    topics = [values.topics[place] for place in np.flatnonzero(there)[order].tolist()]
    columns: dict[str, Any] = {
        "topic": topics,
        "measure": [str(which)] * len(topics),
        "mean": found.mean[order],
        "median": np.nanmedian(found.matrix, axis=1)[order],
        "sd": found.sd[order],
        "lowest": np.nanmin(found.matrix, axis=1)[order],
        "highest": np.nanmax(found.matrix, axis=1)[order],
        "best": found.names(values.runs, 1.0, order),
        "worst": found.names(values.runs, -1.0, order),
        "failed": _failed(values.counted.T[there], found, which)[order],
        "hardness": found.hardness[order],
        "title": [(titles or {}).get(topic) for topic in topics],
    }
    runs = len(values.runs)
    caption = f"{len(topics):,} topics by {which} over {runs:,} run{'s' * (runs != 1)}, the hardest first"
    return Table(columns, caption, made_by or values.made_by, _notes(there, found.matrix))


@dataclass(frozen=True, slots=True, eq=False)
class _Topics:
    """The values of topics that have any, and what lies in the middle of them."""

    matrix: Matrix  # (topic, run)
    mean: NDArray[np.float64]  # (topic,)
    sd: NDArray[np.float64]
    side: float  # −1 where lower is better

    @classmethod
    def of(cls, matrix: Matrix, *, lower: bool) -> "_Topics":
        mean = np.nanmean(matrix, axis=1)
        return cls(matrix, mean, _spread(matrix, mean[:, None]), -1.0 if lower else 1.0)

    @property
    def good(self) -> NDArray[np.float64]:
        """(topic,): the mean, turned so that more is better."""
        return self.side * self.mean

    @property
    def hardness(self) -> NDArray[np.float64]:
        """(topic,): 0 throughout where no topic is harder than another."""
        centre = self.mean.mean()
        (sd,) = _spread(self.mean[None], np.array([[centre]]))
        below = self.side * (centre - self.mean)
        rounding = SUM_ERROR * largest(self.mean)
        return np.where(np.abs(below) <= rounding, 0.0 * sd, below / (sd if sd > rounding else 1.0))

    def names(self, runs: Sequence[str], end: float, order: NDArray[np.int64]) -> list[str | None]:
        """For each topic the run at one end, 1 the best, −1 the worst; nothing where all runs are equal."""
        good = end * self.side * self.matrix
        top, bottom = np.nanmax(good, axis=1), np.nanmin(good, axis=1)
        rounding = TIE * np.maximum(np.abs(top), np.abs(bottom))
        at_top = good >= (top - rounding)[:, None]  # NaN is not
        first, others = at_top.argmax(axis=1), at_top.sum(axis=1) - 1
        rows = zip(
            first[order].tolist(), others[order].tolist(), (top - bottom <= rounding)[order].tolist(), strict=True
        )
        return [None if equal else runs[run] + f" and {more} more" * (more > 0) for run, more, equal in rows]


def _spread(rows: Matrix, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """(row,): the standard deviation of what is there; NaN where that is one number alone."""
    count = (~np.isnan(rows)).sum(axis=1)
    unit = power_of_two(rows)
    squares = np.nansum(np.square((rows - centre) / unit), axis=1)
    return np.where(count > 1, unit * np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)


def _failed(counted: NDArray[np.bool_], found: _Topics, measure: object) -> NDArray[np.float64]:
    """(topic,): the share of runs at the worst value; of scores that is 0, and unknown where lower is better."""
    usual = 0.0 if found.side > 0 else None
    worst = getattr(measure, "worst", usual)
    if worst is None:
        return np.full(len(found.mean), np.nan)
    limit = found.side * worst + TIE * abs(worst)
    at_worst = np.isnan(found.matrix) if np.isnan(worst) else found.side * found.matrix <= limit
    return (at_worst & counted).sum(axis=1) / counted.sum(axis=1)


def _notes(there: NDArray[np.bool_], matrix: Matrix) -> tuple[str, ...]:
    lost, partial = int((~there).sum()), int(np.isnan(matrix).any(axis=1).sum())
    said = [f"{lost:,} of {len(there):,} topics are left out: no run has a value there"] * (lost > 0)
    said += [f"in {partial:,} topic{'s' * (partial != 1)} some run has no value: their numbers are of the others"] * (
        partial > 0
    )
    return tuple(said)


def difficulty_verdict(values: Values, table: Table) -> dict[str, Any]:
    """What a table of difficulty says: the hardest and the easiest topic, hard for whom, and what values vary by.

    Hard is the quarter of topics at the top of the table: for all, where no run is as good as the mean of all topics,
    and for some otherwise. The shares are those of topics and runs in the variance of a single value.
    """
    rows: list[dict[str, Any]] = table.rows()
    which = values.measures[values.index(rows[0]["measure"])]
    for_all, for_some = _hard(rows, lower=which.direction is Direction.LOWER)
    topic_share, run_share = _shares(values.matrix(which))
    verdict = {
        "measure": rows[0]["measure"],
        "hardest": rows[0]["topic"],
        "easiest": rows[-1]["topic"],
        "hard_for_all": for_all,
        "hard_for_some": for_some,
        "topic_share": topic_share,
        "run_share": run_share,
    }
    said = [_ends(rows), _for_whom(rows, for_all, for_some), _varies(topic_share, run_share)]
    return verdict | {"sentence": " ".join(filter(None, said))}


def _overall(rows: Sequence[Mapping[str, Any]]) -> float:
    return float(np.mean([row["mean"] for row in rows]))


def _hard(rows: Sequence[Mapping[str, Any]], *, lower: bool) -> tuple[int, int]:
    """How many of the hard topics no run does well, and how many some do."""
    overall, hard = _overall(rows), rows[: int(np.ceil(HARD * len(rows)))]
    rounding = SUM_ERROR * abs(overall)
    reached = sum(
        row["lowest"] <= overall + rounding if lower else row["highest"] >= overall - rounding for row in hard
    )
    return len(hard) - reached, reached


def _shares(matrix: Matrix) -> tuple[float, float]:
    """The shares of topics and runs in the variance, of topics in which every run has a value; NaN where too few."""
    whole = matrix[~np.isnan(matrix).any(axis=1)]
    if min(whole.shape) < 2:
        return nan, nan
    parts = components(whole)
    return parts["topic"].share, parts["system"].share


def _ends(rows: Sequence[Mapping[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    if len(rows) == 1:
        return f"{_named(first)} is the only topic: mean {first['measure']} {first['mean']:.4f}."
    if _equal_means(first, last):
        return f"By mean {first['measure']} no topic is harder than another: {first['mean']:.4f} everywhere."
    hardest, easiest = (f"{_named(row)} ({row['mean']:.4f})" for row in (first, last))
    return f"By mean {first['measure']} the hardest topic is {hardest}, the easiest {easiest}."


def _equal_means(first: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    return bool(abs(first["mean"] - last["mean"]) <= SUM_ERROR * max(abs(first["mean"]), abs(last["mean"])))


def _named(row: Mapping[str, Any]) -> str:
    title = row["title"] or ""
    title = title if len(title) <= LONG else f"{title[: LONG - 1].rstrip()}…"
    return f"{row['topic']}, {title}" if title else str(row["topic"])


def _for_whom(rows: Sequence[Mapping[str, Any]], for_all: int, for_some: int) -> str:
    if len(rows) < 2 / HARD or _equal_means(rows[0], rows[-1]) or all(row["sd"] is None for row in rows):
        return ""
    reach = f"no run reaches the mean of all topics, {_overall(rows):.4f}"
    both = (
        f"Of the hardest quarter, {for_all + for_some} topics, {for_all} {'is' if for_all == 1 else 'are'} hard for all"
    )
    return f"{both} ({reach}), {for_some} for some runs only."


def _varies(topic: float, run: float) -> str:
    if topic != topic or topic + run == 0:
        return ""
    return f"Of what a single value varies by, {100 * topic:.0f} % is the topic and {100 * run:.0f} % the run."
