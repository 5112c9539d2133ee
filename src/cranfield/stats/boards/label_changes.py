"""Changes in values, ranks and significant pairs when the judgments of a leaderboard change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table, listed
from cranfield.data import Values
from cranfield.stats.multiple.corrections import Correction
from cranfield.stats.multiple.significance_changes import Way, changes_between, looks_for_differences
from cranfield.stats.pair_tests.all_pairs import choose_pairs, compare_pairs
from cranfield.stats.pair_tests.base import Asked, PairTest
from cranfield.stats.reliability.rank_correlation import kendall_tau, tau_ap

from .aggregate_ranks import good_values, ranks_of

ORDER = ("measure", "tau", "tau_ap", "swaps", "largest_move", "first_before", "first_after")
CHANGED = ("from", "to", "pairs", "both", "gained", "lost", "neither", "reversed")


@dataclass(frozen=True, eq=False)
class Relabelled:
    """The same runs by the same measures, place by place, under two sets of judgments."""

    before: Values
    after: Values
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, before: Values, after: Values) -> "Relabelled":
        """The runs and measures that both have, in the order of before, and a word on what only one has."""
        there = set(after.runs)
        runs = [run for run in before.runs if run in there]
        if not runs:
            hint = "evaluate the same runs under both sets of judgments"
            raise ParameterError("no run has values before and after", hint=hint)
        pairs = _pairs(before, after)
        if not pairs:
            was, now = (listed(list(map(str, each.measures))) for each in (before, after))
            raise ParameterError(f"{was} before cannot be held against {now} after", hint="take the same measures")
        old, new = (
            _of_measures(each.of_runs([each.runs.index(run) for run in runs]), list(places))
            for each, places in zip((before, after), zip(*pairs, strict=True), strict=True)
        )
        return cls(old, new, _told(before, after, pairs))

    def index(self, measure: object = None) -> int:
        """The place of a measure, of the first if none is named."""
        return 0 if measure is None else self.before.index(measure)

    def good(self, i: int) -> NDArray[np.float64]:
        """(2, run): before and after, more being better; NaN in both where a run has no value in one."""
        found = np.stack([good_values(values, i) for values in (self.before, self.after)])
        return np.where(np.isnan(found).any(axis=0), np.nan, found)


def _pairs(before: Values, after: Values) -> list[tuple[int, int]]:
    """Where each measure is before and after: under its name, or in the same place where the top grade is another."""
    was, now = (list(map(str, values.measures)) for values in (before, after))
    found = []
    for i, measure in enumerate(before.measures):
        if was[i] in now:
            found.append((i, now.index(was[i])))
        elif i < len(now) and now[i] not in was and type(after.measures[i]) is type(measure):
            found.append((i, i))
    return found


def _of_measures(values: Values, places: list[int]) -> Values:
    return replace(
        values,
        measures=tuple(values.measures[i] for i in places),
        cube=values.cube[:, :, places],
        without_relevant=values.without_relevant[places],
        order=None if values.order is None else values.order[:, :, places],
        low=None,
        high=None,
        curve=None,
    )


def _told(before: Values, after: Values, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """What is not the same before and after."""
    alone = len(set(before.runs) ^ set(after.runs))
    apart = len(set(before.topics) ^ set(after.topics))
    named = [(str(before.measures[i]), str(after.measures[j])) for i, j in pairs]
    notes = [f"{old} before is held against {new} after" for old, new in named if old != new]
    if alone:
        notes.append(f"{alone:,} run{'s have' if alone > 1 else ' has'} values only before or only after: left out")
    if apart:
        told = f"{apart:,} topic{'s are' if apart > 1 else ' is'} there only before or only after"
        notes.append(f"{told}: the values are of different topics")
    return tuple(notes)


def relabelled_table(
    found: Relabelled,
    measure: object = None,
    *,
    groups: Mapping[str, str | None] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each run, by its rank after: its values and ranks before and after; ``move`` is above 0 if it climbs.

    Runs with equal means share the best of their ranks. One that has no value before or after has no rank.
    """
    i = found.index(measure)
    before, after = (values.aggregate()[:, i] for values in (found.before, found.after))
    old, new = map(ranks_of, found.good(i))
    order = np.lexsort((old, np.nan_to_num(new, nan=np.inf)))
    runs = [found.before.runs[run] for run in order]
    columns: dict[str, Any] = {
        "run": runs,
        "group": [(groups or {}).get(run) for run in runs],
        "before": before[order],
        "after": after[order],
        "difference": (after - before)[order],
        "rank_before": _whole(old[order]),
        "rank_after": _whole(new[order]),
        "move": _whole((old - new)[order]),
    }
    return Table(columns, f"{found.before.measures[i]} before and after", made_by, found.notes)


def order_table(found: Relabelled, measure: object = None, *, made_by: Provenance | None = None) -> Table:
    """One row for each measure that both have, that of the board first: how much of the order of runs stays.

    ``swaps`` counts pairs of runs that turn round, ``largest_move`` the ranks of the farthest move. Runs without a
    value before or after stand in neither order.
    """
    first = found.index(measure)
    others = [i for i in range(len(found.before.measures)) if i != first]
    rows = [_order(found, i) for i in (first, *others)]
    return Table.from_rows(rows, ORDER, caption="the order of runs before and after", made_by=made_by)


def _order(found: Relabelled, i: int) -> dict[str, Any]:
    every = found.good(i)
    there = ~np.isnan(every[0])
    good = every[:, there]
    ranks = np.stack([ranks_of(side) for side in good])
    row: dict[str, Any] = {"measure": str(found.after.measures[i])} | dict.fromkeys(ORDER[1:])
    if not there.any():
        return row
    runs = [run for run, known in zip(found.before.runs, there.tolist(), strict=True) if known]
    tau, top = (float(how(*good)) if len(runs) > 1 else np.nan for how in (kendall_tau, tau_ap))
    step = np.sign(ranks[:, :, None] - ranks[:, None, :])  # (2, run, run)
    firsts = [listed([run for run, rank in zip(runs, side.tolist(), strict=True) if rank == 1]) for side in ranks]
    return row | {
        "tau": tau,
        "tau_ap": top,
        "swaps": int((step[0] * step[1] < 0).sum()) // 2,
        "largest_move": int(np.abs(ranks[0] - ranks[1]).max()),
        "first_before": firsts[0],
        "first_after": firsts[1],
    }


def changed_pairs_table(
    found: Relabelled,
    measure: object = None,
    *,
    test: PairTest,
    correction: Correction,
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """How many pairs of runs that a test tells apart it tells apart no longer, newly, or the other way round."""
    looks_for_differences(test)
    i = found.index(measure)
    ways = []
    for values, when in ((found.before, "before"), (found.after, "after")):
        one = _of_measures(values, [i])
        quick = replace(asked, intervals=False)
        (answer,) = compare_pairs(one, [test], choose_pairs(one), correction=correction, asked=quick)
        ways.append((f"{one.measures[0]} {when}", Way.of(answer, one.measures[0], asked.level)))
    (old, before), (new, after) = ways
    counts = {change: int(there.sum()) for change, there in changes_between(before, after).items()}
    row = {"from": old, "to": new, "pairs": len(before.p)} | counts
    caption = f"pairs of runs that {test} tells apart, {correction.name}, level {asked.level:g}"
    return Table.from_rows([row], CHANGED, caption=caption, made_by=made_by)


def relabelled_sentence(moved: Table, order: Table, judgments: Table | None = None) -> str:
    """How many runs change rank, how far, who is first, and how many judgments changed."""
    rows: list[dict[str, Any]] = moved.rows()
    first: dict[str, Any] = order.rows()[0]
    said = [] if judgments is None else [_judged(judgments)]
    if first["largest_move"] is None:
        return " ".join(["No run has a value before and after.", *said])
    moves = sum(bool(row["move"]) for row in rows)
    runs = f"{len(rows):,} run{'s' * (len(rows) != 1)}"
    if not moves:
        told = f"None of {runs} changes rank; {_first(first)}."
    else:
        far = first["largest_move"]
        told = f"{moves:,} of {runs} change{'s' * (moves == 1)} rank; "
        told += f"the largest move is {far:,} rank{'s' * (far != 1)}; {_first(first)}."
    return " ".join([told, *said])


def _judged(judgments: Table) -> str:
    count: dict[Any, Any] = dict(zip(judgments.cells("what"), judgments.cells("count"), strict=True))
    told = [f"{number:,} {'the same' if what == 'same' else what}" for what, number in count.items() if number]
    return f"Judgments: {listed(told)}." if told else "There are no judgments."


def _first(row: dict[str, Any]) -> str:
    if row["first_before"] == row["first_after"]:
        return f"the first stays {row['first_after']}"
    return f"the first is {row['first_after']}, before it was {row['first_before']}"


def _whole(numbers: NDArray[np.float64]) -> Sequence[int | None]:
    return [None if number != number else int(number) for number in numbers.tolist()]
