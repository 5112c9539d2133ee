"""Merged labels as tables, judgments and sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged, Point
from cranfield.collections.merging.votes import Majority
from cranfield.core import Provenance, Table
from cranfield.data import Labels, Qrels, read_qrels
from cranfield.stats import share_interval

COLUMNS = ("method", "items", "tied", "changed", "accuracy", "low", "high", "gold", "likelihood", "rounds")


def labels_table(
    labels: Labels, merged: Merged, *, by: Point | None = None, made_by: Provenance | None = None
) -> Table:
    """One row for each item: its merged grade, how likely that is, how many labels there are and how many agree.

    A label agrees if it is the merged grade, or where that lies between two grades the nearer of them.
    """
    answers = labels.answers
    count = np.bincount(answers.item, minlength=answers.items)
    equal = answers.choice == merged.place(labels.grades, by)[answers.item]
    data = {
        "topic": _topics(labels),
        "document": labels.document.to_list(),
        "grade": _plain(merged.point(labels.grades, by)),
        "confidence": merged.confidence,
        "labels": count,
        "agree": np.bincount(answers.item, equal, minlength=answers.items) / np.where(count > 0, count, np.nan),
        "tied": merged.tied,
    }
    return Table(data, f"merged labels of {labels.source.name} by {merged.method}", made_by)


def aggregations_table(
    labels: Labels,
    merged: Sequence[Merged],
    gold: NDArray[np.int64] | None = None,
    *,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each method: how many items it leaves tied, or changes from the majority vote, and its accuracy.

    ``gold`` (item,) must not be what was merged with: accuracy on that says nothing. ``low`` and ``high`` enclose the
    accuracy (Wilson). The majority vote is the one among ``merged``, or that of the labels.
    """
    vote = _majority(labels, merged)
    rows = [_row(labels, one, vote.choice, gold) for one in merged]
    return Table.from_rows(rows, COLUMNS, caption=f"ways to merge {labels.source.name}", made_by=made_by)


def _row(labels: Labels, merged: Merged, majority: NDArray[np.int64], gold: NDArray[np.int64] | None) -> dict[str, Any]:
    place = merged.place(labels.grades)
    known = np.zeros(len(place), dtype=np.bool_) if gold is None else gold >= 0
    right = np.array([np.count_nonzero(known & (place == gold))])
    count = int(known.sum())
    low, high = share_interval(right, count)
    last = merged.trace[-1] if merged.trace else np.nan
    return {
        "method": str(merged.method),
        "items": len(place),
        "tied": int(merged.tied.sum()),
        "changed": int((place != majority).sum()),
        "accuracy": float(right[0]) / count if count else np.nan,
        "low": float(low[0]),
        "high": float(high[0]),
        "gold": count,
        "likelihood": last if merged.likelihood is None else merged.likelihood,
        "rounds": merged.rounds or None,
    }


def _majority(labels: Labels, merged: Sequence[Merged]) -> Merged:
    """What the majority says."""
    vote = next((one for one in merged if isinstance(one.method, Majority)), None)
    return vote or Majority().merge(labels.answers)


def merged_qrels(labels: Labels, merged: Merged, *, by: Point | None = None) -> Qrels:
    """The merged grades as judgments, decimals and all."""
    rows = {"topic": _topics(labels), "document": labels.document.to_list(), "grade": merged.point(labels.grades, by)}
    return read_qrels(rows, gains=True, name=f"{labels.source.name} merged by {merged.method}")


def crowd_sentence(
    labels: Labels, merged: Sequence[Merged], gold: NDArray[np.int64] | None = None, *, pairs: bool = False
) -> str:
    """In words: how much was labelled, how often votes are tied, how far methods differ, how often they are right.

    With ``pairs`` the items are pairs of documents, and the labels votes between them.
    """
    label, of, item = ("vote", "on", "pair") if pairs else ("label", "of", "item")
    answers, vote = labels.answers, _majority(labels, merged)
    machines = int(labels.machine.sum())
    who = [_many(answers.workers - machines, "worker"), _many(machines, "machine")]
    by = " and ".join(one for one in who if not one.startswith("0 "))
    told = f"{_many(len(labels), label)} {of} {_many(answers.items, item)} by {by}; "
    told += f"votes are tied for {vote.tied.mean():.1%} of the {item}s"
    rows = [_row(labels, one, vote.choice, gold) for one in merged]
    changed = sorted(
        (row["changed"] / answers.items, row["method"]) for row in rows if row["method"] != str(vote.method)
    )
    return f"{told}{_differ(changed)}.{_right(labels, rows, vote, gold)}"


def _differ(changed: Sequence[tuple[float, str]]) -> str:
    """How far methods differ from the majority vote: shares and names, the smallest first."""
    if not changed:
        return ""
    (least, low), (most, high) = changed[0], changed[-1]
    if len(changed) == 1:
        return f", and {low} changes {f'{least:.1%}' if least else 'none'} of them"
    if not most:
        return ", and no other method changes any of them"
    return f", and other methods change from {least:.1%} ({low}) to {most:.1%} ({high}) of them"


def _right(labels: Labels, rows: Sequence[dict[str, Any]], vote: Merged, gold: NDArray[np.int64] | None) -> str:
    """How often the majority vote and the best of the methods are right; nothing without gold."""
    shown = [_row(labels, vote, vote.choice, gold)]
    if not shown[0]["gold"]:
        return ""
    best = max(rows, key=lambda row: float(row["accuracy"]), default=shown[0])
    if best["accuracy"] > shown[0]["accuracy"]:
        shown.append(best)
    each = [
        f"{row['method']} is right for {row['accuracy']:.1%} ({row['low']:.1%} to {row['high']:.1%})" for row in shown
    ]
    return f" Of {_many(shown[0]['gold'], 'gold item')} {', '.join(each)}."


def _topics(labels: Labels) -> list[str]:
    """(item,): the topics of the items."""
    return [labels.topics[topic] for topic in labels.topic.tolist()]


def _plain(grade: NDArray[np.float64]) -> NDArray[np.float64] | NDArray[np.int64]:
    """Grades as whole numbers, if all of them are."""
    whole = grade.astype(np.int64)
    return whole if np.array_equal(whole, grade) else grade


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
