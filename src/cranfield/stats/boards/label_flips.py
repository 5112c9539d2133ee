"""Agreement of the order of runs with the original order when a proportion of the labels is wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.base import LEVEL, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR
from cranfield.stats.reliability.rank_correlation import Places, kendall_tau, tau_ap

COLUMNS = ("measure", "share", "draws", "tau", "low", "high", "tau_ap", "first_stays")


def flips_table(
    original: ArrayLike,
    flipped: Mapping[float, ArrayLike | Sequence[ArrayLike]],
    measure: object,
    *,
    level: float = LEVEL,
    lower_is_better: bool = False,
    made_by: Provenance | None = None,
) -> Table:
    """Return a row for each share of wrong labels: how the order of runs by a measure agrees with the original order.

    ``flipped`` has the means of the runs (draw, run) for each share. ``tau`` and ``tau_ap`` are means over the draws;
    between ``low`` and ``high`` lie all draws but a share of ``level``. ``first_stays`` is the share of draws with the
    same run on top; where several share the top, one of them by lot.
    """
    check_level(level)
    turn = -1 if lower_is_better else 1
    before = turn * np.asarray(original, dtype=float)
    rows = []
    for share, means in flipped.items():
        after = turn * np.asarray(means, dtype=float)
        if after.ndim != 2 or after.shape[1:] != before.shape:
            shape = " × ".join(map(str, after.shape))
            hint = "give every draw a mean for each run: (draw, run)"
            raise ParameterError(f"{len(before)} runs, but flipped means of {shape}", hint=hint)
        rows.append({"measure": str(measure), "share": share, "draws": len(after)} | _agreement(before, after, level))
    caption = f"the order of runs when a share of the labels is wrong; low to high holds {1 - level:.0%} of the draws"
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by)


def _agreement(before: NDArray[np.float64], after: Matrix, level: float) -> dict[str, Any]:
    tau = kendall_tau(before, after)
    known = tau[~np.isnan(tau)]  # there is none where all runs are equal
    low, high = np.quantile(known, [level / 2, 1 - level / 2]) if len(known) else (None, None)
    return {
        "tau": known.mean() if len(known) else None,
        "low": low,
        "high": high,
        "tau_ap": tau_ap(before, after)[~np.isnan(tau)].mean() if len(known) else None,
        "first_stays": float(_first_stays(before, after).mean()),
    }


def _first_stays(before: NDArray[np.float64], after: Matrix) -> NDArray[np.float64]:
    """(draw,): the chance that one of the runs on top, by lot, was on top before."""
    was, now = (_on_top(np.atleast_2d(scores)) for scores in (before, after))
    return (was & now).sum(axis=1) / now.sum(axis=1)


def _on_top(scores: Matrix) -> NDArray[np.bool_]:
    """(order, run): whether no run stands above."""
    return Places.of(scores, SUM_ERROR * np.abs(scores).max(axis=1, keepdims=True)).above == 0
