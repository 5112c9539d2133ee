"""Orders of runs under each method of merging labels, and their uncertainty due to label noise."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged
from cranfield.core import SEED, ParameterError, Provenance, Table, generator, listed
from cranfield.data import Values
from cranfield.stats import LEVEL, NEAR, Asked, Pairs, T, check_level, good_values, kendall_tau, ranks_of, tau_ap

from .labelled_runs import Asked as Measures
from .labelled_runs import LabelledRuns

ORDERS = ("method", "run", "measure", "value", "rank", "rank_change")
CHANGES = ("method", "other", "measure", "tau", "tau_ap", "swaps", "largest", "best", "other_best")
NOISE = ("run", "measure", "value", "low", "high", "rank", "rank_low", "rank_high")
GOLD = "gold"
COVERS = 0.9  # of the items: gold of so many says what the order of runs should be
DRAWS = 200
NAMED = 3  # so many methods are told of one by one


def gold_values(
    joined: LabelledRuns, gold: NDArray[np.int64], measures: Measures, *, command: str = ""
) -> Values | None:
    """The values under gold choices (item,) of the same items; None where gold knows too few of them.

    It has to know at least nine items in ten, and some of every topic: a handful of test questions orders no runs.
    """
    known = gold >= 0
    topics = np.unique(joined.topic[known])
    if known.mean() < COVERS or len(topics) < len(joined.assessed.topics):
        return None
    return joined.values(joined.of_choice(gold), measures, command=command)


def orders_table(values: Mapping[str, Values], *, made_by: Provenance | None = None) -> Table:
    """One row for each method, measure and run, from the best run down: its rank, and how far it climbs.

    Ranks are by what the values sum up to, equal ones sharing the best. ``rank_change`` counts places up from the rank
    under the first method.
    """
    first = _first(values)
    rows: list[dict[str, Any]] = []
    for method, seen in values.items():
        sums = seen.aggregate()
        for i, measure in enumerate(seen.measures):
            rank, before = (ranks_of(good_values(each, i)) for each in (seen, first))
            climb = before - rank
            for run in np.argsort(rank, kind="stable").tolist():
                row = {"method": method, "run": seen.runs[run], "measure": str(measure), "value": sums[run, i]}
                rows.append(row | {"rank": _whole(rank[run]), "rank_change": _whole(climb[run])})
    caption = f"the order of {len(first.runs):,} run{'s' * (len(first.runs) != 1)} under each way to merge labels"
    return Table.from_rows(rows, ORDERS, caption=caption, made_by=made_by or first.made_by, notes=_notes(values))


def order_changes_table(values: Mapping[str, Values], *, made_by: Provenance | None = None) -> Table:
    """One row for each method and measure: how its order of runs differs from that of another.

    The other is the first method; where there is gold, all are held against that too, as what τ_AP takes for the truth.
    ``swaps`` are pairs of runs that the two put in opposite orders, ``largest`` is the farthest that a run moves.
    """
    first = _first(values)
    rows: list[dict[str, Any]] = []
    for method, other in _beside(values):
        for i, measure in enumerate(first.measures):
            said = {"method": method, "other": other, "measure": str(measure)}
            rows.append(said | _change(values[method], values[other], i))
    caption = "how the order of runs changes with the way to merge labels"
    return Table.from_rows(rows, CHANGES, caption=caption, made_by=made_by or first.made_by)


def _beside(values: Mapping[str, Values]) -> list[tuple[str, str]]:
    """Which method is held against which."""
    first = next(iter(values))
    pairs = [(method, first) for method in values if method not in (first, GOLD)]
    if GOLD in values:
        pairs += [(method, GOLD) for method in values if method != GOLD]
    return pairs


def _change(seen: Values, other: Values, i: int) -> dict[str, Any]:
    good, reference = good_values(seen, i), good_values(other, i)
    both = ~np.isnan(good) & ~np.isnan(reference)
    found: dict[str, Any] = dict.fromkeys(("tau", "tau_ap", "swaps", "largest"))
    found |= {"best": best_runs(seen, i), "other_best": best_runs(other, i)}
    good, reference = good[both], reference[both]
    if len(good) < 2:
        return found
    moves = ranks_of(good) - ranks_of(reference)
    return found | {
        "tau": float(kendall_tau(good, reference)),
        "tau_ap": float(tau_ap(reference, good)),
        "swaps": len(_swapped(good, reference)),
        "largest": int(np.abs(moves).max()),
    }


def best_runs(values: Values, i: int) -> str | None:
    """The runs that share the first rank by one of the measures, by name."""
    first = np.flatnonzero(ranks_of(good_values(values, i)) == 1)
    return ", ".join(values.runs[run] for run in first) or None


def _swapped(good: NDArray[np.float64], reference: NDArray[np.float64]) -> NDArray[np.int64]:
    """(pair, 2): the runs that two orders put in opposite orders; equal ones are in none."""
    signs = []
    for side in (good, reference):
        difference = side[:, None] - side
        signs.append(np.where(np.abs(difference) <= NEAR * np.abs(side).max(), 0.0, np.sign(difference)))
    return np.argwhere(np.triu(signs[0] * signs[1] < 0))


def _first(values: Mapping[str, Values]) -> Values:
    if not values:
        raise ParameterError("there is no order of runs to show", hint="give the values of one method or more")
    first = next(iter(values.values()))
    for method, seen in values.items():
        if seen.runs != first.runs or seen.measures != first.measures:
            hint = "join the labels with the runs once, and measure the same under each"
            raise ParameterError(f"{method} has values of other runs or measures", hint=hint)
    return first


def _notes(values: Mapping[str, Values]) -> tuple[str, ...]:
    """What stands behind the values, once; what holds for some methods alone with their names."""
    told: dict[str, list[str]] = {}
    for method, seen in values.items():
        for note in seen.notes:
            told.setdefault(note, []).append(method)
    return tuple(note if len(who) == len(values) else f"{', '.join(who)}: {note}" for note, who in told.items())


def _whole(number: float) -> int | None:
    return None if np.isnan(number) else int(number)


def label_noise_table(
    joined: LabelledRuns,
    merged: Merged,
    measures: Measures,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = LEVEL,
    progress: Callable[[int, int], object] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each measure and run: where its value and its rank lie when labels are drawn again.

    A draw gives every item one choice, as likely as the merging takes it to be. Between ``low`` and ``high`` lie the
    values of all draws but a share of ``level``, between ``rank_low`` and ``rank_high`` the ranks. ``value`` is under
    the likeliest choices: where many items are unsure, all draws may lie on one side of it.
    """
    check_level(level)
    if draws < 1:
        raise ParameterError(f"labels cannot be drawn {draws} times", hint="draw once or more")
    if len(merged.share) != len(joined.place):
        hint = "merge the labels that were joined with the runs"
        raise ParameterError(f"{len(joined.place):,} items, but merged labels of {len(merged.share):,}", hint=hint)
    seen = joined.values(merged.point(joined.labels.grades, "likeliest"), measures)
    value, rank = np.empty((2, draws, len(seen.runs), len(seen.measures)))
    for draw, choice in enumerate(draw_choices(merged, draws, seed)):
        again = joined.values(joined.labels.grades[choice], measures)
        value[draw] = again.aggregate()
        rank[draw] = np.stack([ranks_of(good_values(again, i)) for i in range(len(seen.measures))], axis=1)
        if progress:
            progress(draw + 1, draws)
    columns = _noise(seen, value, rank, level)
    outside = int(((columns["value"] < columns["low"]) | (columns["value"] > columns["high"])).sum())
    note = f"{outside:,} of {len(columns['run']):,} values lie outside what is drawn: doubt pulls them one way"
    caption = f"values and ranks when unsure labels are drawn again, {draws:,} draw{'s' * (draws != 1)}"
    ends = {"value": ("low", "high"), "rank": ("rank_low", "rank_high")}
    return Table(columns, caption, made_by or replace(seen.made_by, seed=seed), (note,) * bool(outside), ends=ends)


def draw_choices(merged: Merged, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Choices (item,), one draw after the other, each as likely as the merging takes it to be."""
    upto = merged.share.cumsum(axis=1)[:, :-1]
    for draw in range(draws):
        yield (generator(seed, "label noise", draw).random(len(upto))[:, None] >= upto).sum(axis=1)


def _noise(
    seen: Values, value: NDArray[np.float64], rank: NDArray[np.float64], level: float
) -> dict[str, NDArray[Any]]:
    """Columns from values and ranks (draw, run, measure); the best run under the likeliest labels comes first."""
    own = np.stack([ranks_of(good_values(seen, i)) for i in range(len(seen.measures))], axis=1)
    low, high = np.quantile(value, [level / 2, 1 - level / 2], axis=0)
    # On either side no more than half the level of the draws is cut off.
    rank_low = np.quantile(rank, level / 2, axis=0, method="inverted_cdf")
    rank_high = -np.quantile(-rank, level / 2, axis=0, method="inverted_cdf")
    order = np.argsort(own, axis=0, kind="stable")  # (run, measure)
    found = (seen.aggregate(), low, high, own, rank_low, rank_high)
    sorted_by = [np.take_along_axis(column, order, axis=0).T.reshape(-1) for column in found]
    whole = [np.array([_whole(number) for number in column], dtype=object) for column in sorted_by[3:]]
    names = {"run": np.array(seen.runs, dtype=object)[order.T.reshape(-1)]}
    names["measure"] = np.repeat(np.array([str(measure) for measure in seen.measures], dtype=object), len(seen.runs))
    return names | dict(zip(NOISE[2:], (*sorted_by[:3], *whole), strict=True))


def order_sentence(values: Mapping[str, Values], *, level: float = LEVEL) -> str:
    """What each way to merge labels does to the order of runs by the first measure, in one or two sentences.

    A swap matters where one of the two ways tells the two runs apart, by a paired t-test of each pair for itself.
    """
    first = _first(values)
    best = {method: best_runs(seen, 0) or "no run" for method, seen in values.items()}
    said = _who_is_best(best, str(first.measures[0]))
    beside, lead = _beside(values), next(iter(values))
    pairs = [(lead, GOLD)] * ((lead, GOLD) in beside) + [pair for pair in beside if pair[1] != GOLD]
    if len(first.runs) < 2 or not pairs:
        return said
    told = [_swaps_told(values, method, other, level) for method, other in pairs]
    moved = [text for text in told if text]
    if not moved:
        return f"{said} No two runs change places."
    rest = f", and {len(moved) - NAMED} more such" * (len(moved) > NAMED)
    return f"{said} {'; '.join(moved[:NAMED])}{rest}."


def _who_is_best(best: Mapping[str, str], measure: str) -> str:
    if len(set(best.values())) == 1:
        under = "under every way to merge labels" if len(best) > 1 else f"under {next(iter(best))}"
        return f"{next(iter(best.values()))} is first by {measure} {under}."
    by: dict[str, list[str]] = {}
    for method, runs in best.items():
        by.setdefault(runs, []).append(method)
    return f"First by {measure} is " + "; ".join(f"{runs} under {listed(who)}" for runs, who in by.items()) + "."


def _swaps_told(values: Mapping[str, Values], method: str, other: str, level: float) -> str:
    seen, reference = values[method], values[other]
    good = np.stack([good_values(seen, 0), good_values(reference, 0)])
    there = np.flatnonzero(~np.isnan(good).any(axis=0))
    swapped = there[_swapped(*good[:, there])] if len(there) else np.empty((0, 2), dtype=np.int64)
    if not len(swapped):
        return ""
    matter = _told_apart(seen, swapped, level) | _told_apart(reference, swapped, level)
    pairs = "1 pair" if len(swapped) == 1 else f"{len(swapped):,} pairs"
    name = str(seen.measures[0])
    count = int(matter.sum())
    if not count:
        return f"{method} swaps {pairs} of runs against {other}, none that either tells apart"
    a, b = (seen.runs[run] for run in swapped[int(matter.argmax())])
    which = f"{a} and {b}" if count == 1 else f"{count:,} of them, such as {a} and {b},"
    return (
        f"{method} swaps {pairs} of runs against {other}, and {which} can be told apart by {name} (t, level {level:g})"
    )


def _told_apart(values: Values, pairs: NDArray[np.int64], level: float) -> NDArray[np.bool_]:
    """(pair,): whether a paired t-test over topics finds a difference."""
    chosen = [(int(a), int(b)) for a, b in pairs]
    p = T().compare(Pairs.given(values.matrix(values.measures[0]), chosen), Asked(level=level)).p
    return np.nan_to_num(p, nan=1.0) <= level
