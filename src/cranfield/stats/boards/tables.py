"""Tables of a leaderboard: means with intervals, ranks based on a test, and rank stability."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table, listed
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.estimates.confidence_intervals import Interval
from cranfield.stats.multiple.corrections import Correction
from cranfield.stats.multiple.omnibus_base import complete_topics
from cranfield.stats.pair_tests.all_pairs import finite, places
from cranfield.stats.pair_tests.base import Asked, PairTest, check_level
from cranfield.stats.pair_tests.float_ties import TINY
from cranfield.stats.reliability.rank_correlation import Places

from .compact_letters import SIGN, letters
from .rank_bootstrap import RankStability
from .separations import behind_table, pairs_table, tell_apart

ALL_BUT_ALL = 0.9995  # a share from here on would be shown as 100.0 %


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
    """One row per run, the best mean first, over the topics in which every run has a value; each beside the best.

    ``rank`` is 1 + the number of runs that are significantly better: by the test, its p corrected over all pairs, and
    by the mean; where those two point to different runs, neither is better. Two runs share one of their ``letters``
    where the test does not tell them apart. ``rank_low`` to ``rank_high``, ``rank_mean`` and ``p_first`` are of redrawn
    topics. ``behind`` and, if they are asked for, all ``pairs`` show what that same test says.
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
    slack = TINY * float(np.abs(good).max())
    above = Places.of(good.mean(axis=0)[None], slack).above[0]
    return np.argsort(above, kind="stable").tolist()


def _left_out(kept: NDArray[np.bool_]) -> tuple[str, ...]:
    lost = int((~kept).sum())
    return (f"{lost:,} of {len(kept):,} topics are left out: some run has no value there",) if lost else ()


def stability_table(
    stability: RankStability, runs: Sequence[str], order: Sequence[str], made_by: Provenance | None = None
) -> Table:
    """One row for each run and rank it takes when topics are drawn again; ``order`` names the runs as they come."""
    at = [list(runs).index(run) for run in order]
    share = stability.share[at]
    run, rank = np.nonzero(share > 0)
    columns: dict[str, Any] = {"run": [order[i] for i in run.tolist()], "rank": rank + 1, "share": share[run, rank]}
    return Table(columns, f"ranks over {_draws(stability)}", made_by)


def above_table(stability: RankStability, runs: Sequence[str], made_by: Provenance | None = None) -> Table:
    """One row for each run beside each other: in which share of redrawn topic sets a is above b, a tie being half."""
    a, b = np.nonzero(~np.eye(len(runs), dtype=bool))
    columns: dict[str, Any] = {
        "a": [runs[i] for i in a.tolist()],
        "b": [runs[i] for i in b.tolist()],
        "share": stability.above[a, b],
    }
    return Table(columns, f"a above b, over {_draws(stability)}", made_by)


def _draws(stability: RankStability) -> str:
    if stability.exact:
        all_ways = f"all {stability.draws:,} ways to redraw {stability.topics:,} topics"
        return all_ways if stability.topics > 1 else "the only way to redraw 1 topic"
    return f"{stability.draws:,} redrawn topic set{'s' * (stability.draws != 1)}"


def board_sentence(table: Table, stability: RankStability, level: float, *, measure: object = None) -> str:
    """Who is first, how often that stays so, whether another is first more often, and who cannot be told from it."""
    runs = [str(run) for run in table.cells("run")]
    if len(runs) == 1:
        return f"{runs[0]} is the only run."
    mean, chance = (np.array(table.column(name), dtype=float) for name in ("mean", "p_first"))
    tied = int((np.abs(mean - mean[0]) <= TINY * np.abs(mean).max()).sum())
    by = "by mean" if measure is None else f"by mean {measure}"
    often = _often(float(chance[:tied].sum()), stability)
    if tied == 1:
        said = f"{runs[0]} is first {by}; it stays first in {often}"
    else:
        said = f"{listed(runs[:tied])} are first {by}; one of them stays first in {often}"
    most = int(chance.argmax())
    if most >= tied and chance[most] > chance[:tied].max() + TINY:
        said += f" ({runs[most]} is first more often: {_percent(float(chance[most]))})"
    return f"{said}, and {_not_told(table, 'it' if tied == 1 else runs[0])} at level {level:g}."


def _often(chance: float, stability: RankStability) -> str:
    sets = _draws(stability)
    if chance < 1 - TINY:
        return f"{_percent(chance)} of {sets}"
    return sets if stability.exact else f"all {sets}"


def _percent(chance: float) -> str:
    return "over 99.9 %" if chance >= ALL_BUT_ALL else f"{100 * chance:.1f} %"


def _not_told(table: Table, first: str) -> str:
    best, *others = (set(SIGN.findall(str(written))) for written in table.cells("letters"))
    alike, many = sum(bool(best & other) for other in others), len(others)
    if many == 1:
        return f"the other run {'cannot' if alike else 'can'} be told from {first}"
    if alike in (0, many):
        return f"{'none' if alike else 'each'} of {many:,} other runs can be told from {first}"
    return f"{alike:,} of {many:,} other runs cannot be told from {first}"
