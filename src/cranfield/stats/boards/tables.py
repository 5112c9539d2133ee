"""Tables of a leaderboard: means with intervals, ranks based on a test, and rank stability."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.estimates.confidence_intervals import Interval
from cranfield.stats.multiple.corrections import Correction
from cranfield.stats.multiple.omnibus_base import complete_topics
from cranfield.stats.pair_tests.all_pairs import finite, places
from cranfield.stats.pair_tests.base import Asked, PairTest, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR
from cranfield.stats.reliability.rank_correlation import Places

from .compact_letters import letters
from .rank_bootstrap import RankStability
from .separations import behind_table, pairs_table, tell_apart


def board_tables(
    values: Values,
    measure: object,
    stability: RankStability,
    *,
    groups: Mapping[str, str | None] | None = None,
    test: PairTest,
    correction: Correction,
    interval: Interval,
    asked: Asked,
    pairs: bool = False,
    made_by: Provenance | None = None,
) -> dict[str, Table]:
    """Return the leaderboard, the best mean first, over the topics in which every run has a value.

    ``rank`` is 1 + the number of runs that are significantly better: by the test, its p corrected over all pairs, and
    by the mean; where those two favour different runs, neither is better. Two runs share one of their ``letters``
    where they do not differ significantly. ``rank_low`` to ``rank_high``, ``rank_mean`` and ``p_first`` come from
    bootstrap resamples of the topics. ``behind`` compares each run with the best, and ``pairs`` all pairs of runs, by
    the same test.
    """
    check_level(asked.level)
    which = values.measures[values.index(measure)]
    given = values.matrix(which)
    matrix, kept = complete_topics(given)
    runs = matrix.shape[1]
    if stability.share.shape != (runs, runs):
        hint = "make it from the same values"
        raise ParameterError(f"{runs} runs, but ranks of {len(stability.share)}", hint=hint)
    side = -1.0 if which.direction is Direction.LOWER else 1.0
    within = places(values, which, given)
    good = side * matrix
    apart = tell_apart(good, None if within is None else side * within[kept], test, correction, asked)
    order = _best_first(good)
    low, high = interval.around(matrix, asked)
    rank_low, rank_high = stability.interval(asked.level)
    rank = 1 + apart.better.sum(axis=0)
    named = letters(good.mean(axis=0), apart.significant)
    columns = {
        "run": [values.runs[run] for run in order],
        "group": [(groups or {}).get(values.runs[run]) for run in order],
        "mean": matrix.mean(axis=0)[order],
        "low": finite(low)[order],
        "high": finite(high)[order],
        "rank": rank[order],
        "rank_low": rank_low[order],
        "rank_high": rank_high[order],
        "rank_mean": stability.mean_rank[order],
        "p_first": stability.p_first[order],
        "letters": [named[run] for run in order],
    }
    caption = f"runs by mean {which} over {len(matrix):,} topic{'s' * (len(matrix) != 1)}"
    notes = (*apart.notes, *_left_out(kept))
    ends = {"mean": ("low", "high"), "rank_mean": ("rank_low", "rank_high")}
    by = made_by or values.made_by
    tables = {"ranks": Table(columns, caption, by, notes, ends=ends)}
    tables["behind"] = behind_table(apart, values.runs, order, side, measure=which, made_by=by)
    if pairs:
        tables["pairs"] = pairs_table(apart, values.runs, side, measure=which, made_by=by)
    return tables


def _best_first(good: Matrix) -> list[int]:
    """The runs from the best mean on; those with equal means stay in their order."""
    slack = SUM_ERROR * float(np.abs(good).max())
    above = Places.of(good.mean(axis=0)[None], slack).above[0]
    return np.argsort(above, kind="stable").tolist()


def _left_out(kept: NDArray[np.bool_]) -> tuple[str, ...]:
    lost = int((~kept).sum())
    return (f"{lost:,} of {len(kept):,} topics are excluded: some run has no value there",) if lost else ()


def stability_table(
    stability: RankStability, runs: Sequence[str], order: Sequence[str], made_by: Provenance | None = None
) -> Table:
    """Return one row for each run and rank that it takes in a resample; ``order`` is the order of the runs."""
    at = [list(runs).index(run) for run in order]
    share = stability.share[at]
    run, rank = np.nonzero(share > 0)
    columns: dict[str, Any] = {"run": [order[i] for i in run.tolist()], "rank": rank + 1, "share": share[run, rank]}
    return Table(columns, f"ranks over {stability.resamples}", made_by)


def above_table(stability: RankStability, runs: Sequence[str], made_by: Provenance | None = None) -> Table:
    """Return for each ordered pair the proportion of resamples in which a is above b; a tie counts half."""
    a, b = np.nonzero(~np.eye(len(runs), dtype=bool))
    columns: dict[str, Any] = {
        "a": [runs[i] for i in a.tolist()],
        "b": [runs[i] for i in b.tolist()],
        "share": stability.above[a, b],
    }
    return Table(columns, f"a above b, over {stability.resamples}", made_by)
