"""Sentences that report results on pools, replays and reusability."""

from collections.abc import Sequence
from typing import Any

from cranfield.core import ParameterError, Table, listed

NEAR = 0.01  # shares of relevant documents as near as this are called equal
STABLE = 0.9  # from this τ on voorhees2001 takes two orders for the same
MANY = 0.2  # of the first ten documents: a run with more unjudged ones is named
FEW = 3  # strategies that are named one by one

Row = dict[str, Any]


def replay_sentence(table: Table, *, per_topic: int | None = None) -> str:
    """Which strategy finds most at one budget, how far that is from a depth pool, and what it does to conclusions.

    Without ``per_topic`` the budget is the middle one of those that every strategy has.
    """
    rows: list[Row] = table.rows()
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    shared = [
        budget
        for budget in sorted({row["per_topic"] for row in rows})
        if sum(row["per_topic"] == budget for row in rows) == len(strategies)
    ]
    if not shared or (per_topic is not None and per_topic not in shared):
        hint = f"there are: {', '.join(map(str, shared))}" if shared else "replay all strategies at the same budgets"
        raise ParameterError("not every strategy was replayed with this budget", hint=hint)
    budget = shared[len(shared) // 2] if per_topic is None else per_topic
    there = [row for row in rows if row["per_topic"] == budget]
    best = max(there, key=lambda row: row["relevant"])
    depth = next((row for row in there if row["strategy"].partition("(")[0] == "depth"), None)
    other = None if depth is best else depth
    return " ".join(filter(None, [_found(best, there, other), _concluded(best, there, other), _biased(best, other)]))


def _found(best: Row, there: Sequence[Row], depth: Row | None) -> str:
    """How much is found at one budget."""
    judgments, budget = best["judgments"], best["per_topic"]
    said = f"With {_counted(budget, 'judgment')} per topic ({judgments:,} in all), {best['strategy']} finds"
    if best["recall"] is None:
        return f"{said} nothing: no document is relevant."
    said += f" {_counted(best['relevant'], 'relevant document')} ({best['recall']:.1%})"
    near = [row for row in there if row not in (best, depth) and best["recall"] - row["recall"] < NEAR]
    if near:
        names = [row["strategy"] for row in near[:FEW]] + [f"{len(near) - FEW} more"] * (len(near) > FEW)
        said += f"; {listed(names)} {'is' if len(near) == 1 else 'are'} within a point of that"
    if depth is None:
        return f"{said}."
    points = 100 * (best["recall"] - depth["recall"])
    if points < 100 * NEAR:
        return f"{said}; {depth['strategy']} finds about as many ({depth['recall']:.1%})."
    return f"{said}; {depth['strategy']} finds {depth['recall']:.1%}, {points:.1f} points fewer."


def _concluded(best: Row, there: Sequence[Row], depth: Row | None) -> str:
    """How far the order of runs and their differences are those of all judgments."""
    if best["tau"] is None:
        return ""
    beside = [row for row in (depth,) if row is not None and row["tau"] is not None]
    said = f"The order of runs agrees with that under all judgments by τ = {best['tau']:.2f}"
    said += "".join(f" ({row['strategy']}: {row['tau']:.2f})" for row in beside)
    if best["kept"] is not None:
        said += f", and {best['kept']:.0%} of the significant differences are kept"
        said += "".join(f" ({row['kept']:.0%})" for row in beside)
        turned = best["reversed"]
        said += f", {turned:,} turned round" if turned else ""
    closest = max((row for row in there if row["tau"] is not None), key=lambda row: row["tau"])
    if closest["tau"] - best["tau"] >= NEAR and closest not in beside:
        said += f"; {closest['strategy']} keeps the order best (τ = {closest['tau']:.2f})"
    return f"{said}."


def _biased(best: Row, depth: Row | None) -> str:
    """What a run loses that had no part in the pool."""
    if best["bias"] is None:
        return ""
    said = f"A run whose group has no part in the pool changes by {best['bias']:+.4f} on average"
    if depth is not None and depth["bias"] is not None:
        said += f" ({depth['strategy']}: {depth['bias']:+.4f})"
    return f"{said}."


def reuse_sentence(reuse: Table, unjudged: Table | None = None, *, measure: str = "the value") -> str:
    """Whether runs that had no part in the pool can be measured by a collection, with the numbers that say so."""
    return " ".join(filter(None, [bias_sentence(reuse, measure=measure), pool_order_sentence(reuse), *_open(unjudged)]))


def bias_sentence(reuse: Table, *, measure: str = "the value", who: str = "group") -> str:
    """What groups, or whatever they are called, alone brought into the pool, and what their runs lose without it.

    Taking away what a group alone brought in shows what would have been missed of runs like those that were pooled; of
    other kinds of runs it says nothing (buckley2007), which is what their unjudged documents are for.
    """
    rows: list[Row] = reuse.rows()
    total = sum(row["runs"] for row in rows)
    mean = sum(row["difference"] * row["runs"] for row in rows) / total
    most, hit = max(rows, key=lambda row: row["unique"]), max(rows, key=lambda row: abs(row["largest"]))
    said = f"Of {len(rows):,} {who}s none alone brought in a relevant document."
    if most["unique"]:
        found = _counted(most["unique"], "relevant document")
        found += f" ({most['share']:.1%})" if most["share"] is not None else ""
        said = f"Of {len(rows):,} {who}s, {most['group']} alone brought in most: {found}."
    change = f"Where a {who}'s own documents are not judged, {measure} of its runs changes by {mean:+.4f} on average"
    return f"{said} {change}, at most by {hit['largest']:+.4f} ({hit['group']})."


def pool_order_sentence(reuse: Table) -> str:
    """Whether the order of runs holds without what a group alone brought in; nothing where it cannot be told."""
    known: list[Row] = [row for row in reuse.rows() if row["tau"] is not None]
    return _verdict(min(row["tau"] for row in known), max(row["moved"] for row in known)) if known else ""


def unjudged_sentence(unjudged: Table) -> str:
    """How many of the first documents of runs nobody judged; nothing where there are none."""
    return " ".join(_open(unjudged))


def _verdict(tau: float, moved: int) -> str:
    ranks = "no run changes its rank" if not moved else f"no run moves by more than {_counted(moved, 'rank')}"
    if tau >= STABLE:
        return (
            f"The order of runs holds (τ ≥ {tau:.3f}, {ranks}): runs like these can be compared without being pooled."
        )
    kept = f"The order of runs does not hold (τ down to {tau:.3f}, a run moves by {_counted(moved, 'rank')})"
    return f"{kept}: a run that was not pooled cannot be compared fairly with those that were."


def _open(unjudged: Table | None) -> list[str]:
    """A word on runs of whose first documents many are unjudged."""
    rows: list[Row] = [] if unjudged is None else [row for row in unjudged.rows() if row["share"] is not None]
    if not rows:
        return []
    k = min({row["k"] for row in rows}, key=lambda cut: abs(cut - 10))
    at = [row for row in rows if row["k"] == k]
    many, worst = [row for row in at if row["share"] > MANY], max(at, key=lambda row: row["share"])
    if not worst["share"]:
        return [f"The first {_counted(k, 'document')} of {'every' if len(at) > 1 else 'the'} run are judged."]
    said = f"Of the first {_counted(k, 'document')} of {worst['run']}, {worst['share']:.0%} are unjudged"
    if not many:
        return [f"{said}, of other runs fewer." if len(at) > 1 else f"{said}."]
    runs = f"{len(many):,} of {_counted(len(at), 'run')} {'has' if len(many) == 1 else 'have'} more than {MANY:.0%}"
    return [f"{said}; {runs}: what they find may count for nothing."]


def pooled_sentence(pool: Table, *, strategy: object, minutes: float | None = None) -> str:
    """How many documents a pool asks for, and how long that takes."""
    count = len(pool)
    if not count:
        return f"{strategy} asks for nothing: every document is judged."
    sizes: dict[Any, int] = {}
    for topic in pool.cells("topic"):
        sizes[topic] = sizes.get(topic, 0) + 1
    fewest, most = min(sizes.values()), max(sizes.values())
    said = f"{strategy} asks for {_counted(count, 'document')} of {_counted(len(sizes), 'topic')}"
    if len(sizes) > 1:
        spread = f"{fewest:,}" if fewest == most else f"{count / len(sizes):.1f} on average, {fewest:,} to {most:,}"
        said += f" ({spread} for each)"
    hours = (
        "" if minutes is None else f"; at {minutes:g} minute{'s' * (minutes != 1)} each, {count * minutes / 60:.1f} h"
    )
    return f"{said}{hours}."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
