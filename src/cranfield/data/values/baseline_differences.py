"""Differences of runs from a baseline, and counts of topics that are better or worse."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Table
from cranfield.core.types import Cube

from .aggregates import sum_up

if TYPE_CHECKING:
    from .value_cube import Named, Values

TINY = 1e-12  # values as near as this are equal numbers that were added up in different order


def has_better(measure: "Named") -> bool:
    """Whether one value can be better than another: not of counts, nor where nobody said what the numbers are."""
    return measure.direction is not None and measure.aggregate != "sum" and measure.family != "count"


def compare_with(values: "Values", baseline: str) -> Table:
    """One row per run and measure: both values in the topics that both have, and who is better in how many."""
    base, others = _find(values, baseline)
    there = values.counted[:, :, None] & ~np.isnan(values.cube)
    both = there[others] & there[base]
    mine, theirs = (np.where(both, cube, np.nan) for cube in (values.cube[others], values.cube[[base]]))
    ways = [values.way(measure) for measure in values.measures]
    value, other = sum_up(mine, ways), sum_up(theirs, ways)
    ahead = _ahead(mine, theirs, values.measures)
    if values.order is not None:
        places = np.where(both, values.order[others] - values.order[[base]], np.nan)
        ahead = np.where(np.isnan(places), ahead, np.sign(places))
    known = [has_better(measure) for measure in values.measures] * len(others)

    def count(topics: NDArray[np.bool_]) -> list[int | None]:
        return [int(n) if better else None for n, better in zip(topics.sum(axis=1).flat, known, strict=True)]

    columns = {
        "run": [values.runs[run] for run in others for _ in values.measures],
        "measure": [str(measure) for measure in values.measures] * len(others),
        "value": value.reshape(-1),
        "baseline": other.reshape(-1),
        "difference": (value - other).reshape(-1),
        "better": count(ahead > 0),
        "equal": count(ahead == 0),
        "worse": count(ahead < 0),
        "topics": both.sum(axis=1).reshape(-1),
    }
    unsaid = [str(measure) for measure in values.measures if measure.direction is None]
    notes = [f"{', '.join(unsaid)}: nobody said which end is better"] if unsaid else []
    return Table(columns, f"against {values.runs[base]}", values.made_by, tuple(notes))


def subtract(values: "Values", baseline: str) -> Table:
    """One row per run, topic and measure, in topics that count for both: the value less that of the baseline."""
    base, others = _find(values, baseline)
    pairs = np.zeros_like(values.counted)
    pairs[others] = values.counted[others] & values.counted[base]
    mine = values.cube[pairs].reshape(-1)
    theirs = np.broadcast_to(values.cube[base], values.cube.shape)[pairs].reshape(-1)
    columns = values.rows(pairs) | {"value": mine, "baseline": theirs, "difference": mine - theirs}
    return Table(columns, f"differences to {values.runs[base]}", values.made_by)


def _find(values: "Values", baseline: str) -> tuple[int, list[int]]:
    """The place of the baseline, and of all other runs."""
    base = values.run_index(baseline)
    others = [run for run in range(len(values.runs)) if run != base]
    if not others:
        raise ParameterError(f"there is no run beside the baseline {values.runs[base]}", hint="give one more run")
    return base, others


def _ahead(mine: Cube, theirs: Cube, measures: "tuple[Named, ...]") -> Cube:
    """(run, topic, measure): 1 where mine is better, −1 where it is worse, 0 where they are equal, else NaN."""
    down = [measure.direction is Direction.LOWER for measure in measures]
    same = np.isclose(mine, theirs, rtol=TINY, atol=0)
    return np.where(same, 0, np.sign(np.where(down, theirs - mine, mine - theirs)))
