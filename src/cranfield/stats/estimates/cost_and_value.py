"""Costs of runs compared with their mean values, and the Pareto front."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Table
from cranfield.core.types import Rows
from cranfield.data import Entries
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest


def pareto(cost: Rows, good: Rows) -> NDArray[np.bool_]:
    """(run,): whether no other run is at least as good and at most as costly, and one of both strictly.

    Of runs equal in both, all are on the front. The work is that of sorting.
    """
    if not len(cost):
        return np.zeros(0, dtype=bool)
    prices, at = np.unique(cost, return_inverse=True)
    best = np.full(len(prices), -np.inf)  # at each price
    np.maximum.at(best, at, good)
    cheaper = np.concatenate(([-np.inf], np.maximum.accumulate(best)[:-1]))  # at any price below
    rounding = SUM_ERROR * largest(good)
    return (good >= best[at] - rounding) & (good > cheaper[at] + rounding)


def cost_table(
    means: Mapping[str, float],
    entries: Entries,
    *,
    costs: Sequence[str],
    lower_is_better: bool = False,
    made_by: Any = None,
) -> Table:
    """One row for each cost and run that has it, the cheapest first: its mean, and whether it is on the Pareto front.

    On the front are runs such that nobody is better for the same or less, and nobody cheaper for the same or more.
    """
    rows: list[dict[str, Any]] = []
    notes = []
    for cost in dict.fromkeys(costs):
        if cost not in entries.costs:
            there = ", ".join(entries.costs) or "none"
            raise ParameterError(f"no run has a cost named {cost!r}", hint=f"there are: {there}")
        known = [(run, float(mean), entries.of(run)) for run, mean in means.items() if mean == mean]
        priced = [(run, mean, entry.group, entry.costs[cost]) for run, mean, entry in known if cost in entry.costs]
        price = np.array([row[3] for row in priced], dtype=float)
        front = pareto(price, np.array([row[1] for row in priced], dtype=float) * (-1 if lower_is_better else 1))
        for i in np.argsort(price, kind="stable").tolist():
            run, mean, group, value = priced[i]
            rows.append(
                {"run": run, "group": group, "mean": mean, "cost": cost, "value": value, "front": bool(front[i])}
            )
        without = len(means) - len(priced)
        if without:
            notes.append(f"{without} of {len(means)} runs have no {cost} or no mean: left out")
    columns = ("run", "group", "mean", "cost", "value", "front")
    return Table.from_rows(rows, columns, caption="cost beside value", made_by=made_by, notes=tuple(notes))
