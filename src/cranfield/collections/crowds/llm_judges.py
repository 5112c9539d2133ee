"""LLM judges compared with human labels: agreement, confusion and effect on the order of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged, Point
from cranfield.core import ParameterError, Provenance, Table, listed
from cranfield.data import NOBODY, Labels, Values
from cranfield.stats import LEVEL, NEAR, good_values, kendall_tau, ranks_of, share_interval

from .labelled_runs import Asked, LabelledRuns, last_labels
from .worker_agreement import cohen

MACHINES = ("machine", "labels", "items", "equal", "low", "high", "kappa", "higher", "lower")
CONFUSION = ("machine", "people", "said", "labels", "share")
BINARY = 2  # grades
RUNS = ("machine", "measure", "run", "people", "machine_value", "difference", "rank", "machine_rank")


def of_people(labels: Labels) -> Labels:
    """The labels that people gave, and the grades: what machines are held against, and no machine is part of."""
    if labels.machine.all():
        hint = "machines are held against people; --include-machines takes them for workers like any other"
        raise ParameterError("there are labels of machines alone", hint=hint)
    return labels.of_workers(~labels.machine).given()


@dataclass(frozen=True, eq=False)
class Beside:
    """One machine beside the merged labels of people, on the items that both labelled."""

    machine: str
    labels: int  # of the machine, with those that nobody else labelled and those that it gave twice
    item: NDArray[np.int64]  # (shared,)
    people: NDArray[np.int64]  # (shared,): merged choice
    said: NDArray[np.int64]  # (shared,): choice of the machine, the last where there are several
    not_labelled: int  # items of people that the machine did not label

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not compared."""
        if not self.not_labelled:
            return ()
        what = "1 item that people labelled" if self.not_labelled == 1 else f"{self.not_labelled:,} items of people"
        return (f"{self.machine} did not label {what}: left out on both sides",)


def beside_people(labels: Labels, merged: Merged, *, by: Point | None = None) -> list[Beside]:
    """Each machine beside what people say together; ``merged`` is of the labels of people alone (``of_people``)."""
    answers = labels.answers
    items = np.unique(answers.item[~labels.machine[answers.worker]])
    if len(merged.share) != len(items):
        hint = "merge of_people(labels): machines are never merged with those they are held against"
        raise ParameterError(f"people labelled {len(items):,} items, but {len(merged.share):,} are merged", hint=hint)
    people = np.full(answers.items, -1)
    people[items] = _places(labels, merged, by)
    found = []
    for worker in np.flatnonzero(labels.machine).tolist():
        rows = last_labels(labels, np.arange(len(labels.workers)) == worker)
        shared = rows[people[answers.item[rows]] >= 0]
        item = answers.item[shared]
        labelled = int((answers.worker == worker).sum())
        missed = len(items) - len(item)
        found.append(Beside(labels.workers[worker], labelled, item, people[item], answers.choice[shared], missed))
    return found


def _places(labels: Labels, merged: Merged, by: Point | None) -> NDArray[np.int64]:
    """(item of people,): merged choices among the grades of all; those of people alone may be fewer."""
    answers = labels.answers
    known = np.unique(answers.choice[~labels.machine[answers.worker]])
    if merged.share.shape[1] == len(labels.grades):
        known = np.arange(len(labels.grades))
    return known[merged.place(labels.grades[known], by)]


def machines_table(
    labels: Labels,
    merged: Merged,
    *,
    by: Point | None = None,
    level: float = LEVEL,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each machine: how often its label is that of people together, higher, or lower.

    ``items`` are those that both labelled, ``labels`` all that the machine gave. ``low`` and ``high`` enclose the share
    of equal ones (Wilson); ``kappa`` is Cohen's, with quadratic weights where there are more than two grades.
    """
    rows: list[dict[str, Any]] = []
    sides = beside_people(labels, merged, by=by)
    for side in sides:
        n = len(side.item)
        counts = np.array([int(seen.sum()) for seen in _compared(side)])
        equal, higher, lower = (counts / n if n else np.full(3, np.nan)).tolist()
        low, high = share_interval(counts[:1], n, level=level)
        size = len(labels.grades)
        kappa = cohen(side.people, side.said, choices=size, weights="none" if size <= BINARY else "quadratic")
        row = {"machine": side.machine, "labels": side.labels, "items": n, "equal": equal, "kappa": kappa}
        rows.append(row | {"low": float(low[0]), "high": float(high[0]), "higher": higher, "lower": lower})
    notes = tuple(note for side in sides for note in side.notes)
    caption = f"machines beside people, whose labels are merged by {merged.method}"
    columns = {name: [row[name] for row in rows] for name in MACHINES}
    return Table(columns, caption, made_by, notes, ends={"equal": ("low", "high")})


def _compared(side: Beside) -> tuple[NDArray[np.bool_], ...]:
    """(shared,): where the machine says the same, more, less."""
    return side.said == side.people, side.said > side.people, side.said < side.people


def machine_confusion_table(
    labels: Labels, merged: Merged, *, by: Point | None = None, made_by: Provenance | None = None
) -> Table:
    """One row for each machine, merged grade of people and grade of the machine: how many items, and which share.

    The share is of the items to which people gave that grade.
    """
    grades = _plain(labels.grades)
    rows: list[dict[str, Any]] = []
    for side in beside_people(labels, merged, by=by):
        size = len(grades)
        count = np.bincount(side.people * size + side.said, minlength=size**2).reshape(size, size)
        for people in np.flatnonzero(count.sum(axis=1)).tolist():
            total = int(count[people].sum())
            for said, number in enumerate(count[people].tolist()):
                row = {"machine": side.machine, "people": grades[people], "said": grades[said], "labels": number}
                rows.append(row | {"share": number / total})
    caption = "what machines say of items, by what people say of them"
    return Table.from_rows(rows, CONFUSION, caption=caption, made_by=made_by)


def _plain(grades: NDArray[np.float64]) -> list[float | int]:
    """Whole grades as whole numbers."""
    return grades.astype(np.int64).tolist() if not (grades % 1).any() else grades.tolist()


@dataclass(frozen=True, eq=False)
class BothValues:
    """Values of runs under people's labels and under a machine's labels of the same items."""

    beside: Beside
    people: Values
    machine: Values

    @property
    def tau(self) -> float:
        """Kendall's τ of the two orders of runs by the first measure."""
        good = np.stack([good_values(self.people, 0), good_values(self.machine, 0)])
        good = good[:, ~np.isnan(good).any(axis=0)]
        return float(kendall_tau(*good)) if good.shape[1] > 1 else float("nan")


def machine_values(
    joined: LabelledRuns, merged: Merged, measures: Asked, *, by: Point | None = None
) -> list[BothValues]:
    """What measures say of the runs by people and by each machine, both on the items that the two labelled.

    People's merged labels are the nearest of the grades that occur, as those of machines are. A machine that shares no
    item with people has none.
    """
    grades = joined.labels.grades
    found = []
    for side in beside_people(joined.labels, merged, by=by):
        if not len(side.item):
            continue
        both = np.full((2, len(joined.place)), NOBODY)
        both[:, side.item] = grades[np.stack([side.people, side.said])]
        found.append(BothValues(side, joined.values(both[0], measures), joined.values(both[1], measures)))
    return found


def machine_runs_table(both: Sequence[BothValues], *, made_by: Provenance | None = None) -> Table:
    """One row for each machine, measure and run, the best by people's labels first: does a machine favour some runs?

    ``difference`` is the value by the machine less that by people, both on the items that the two labelled.
    """
    rows: list[dict[str, Any]] = []
    for each in both:
        people, machine = each.people.aggregate(), each.machine.aggregate()
        for i, measure in enumerate(each.people.measures):
            ranks = [ranks_of(good_values(values, i)) for values in (each.people, each.machine)]
            for run in np.argsort(ranks[0], kind="stable").tolist():
                row = {"machine": each.beside.machine, "measure": str(measure), "run": each.people.runs[run]}
                row |= {"people": people[run, i], "machine_value": machine[run, i]}
                row |= {"difference": machine[run, i] - people[run, i]}
                places = [None if np.isnan(rank[run]) else int(rank[run]) for rank in ranks]
                rows.append(row | {"rank": places[0], "machine_rank": places[1]})
    said = [note for each in both for note in (*each.beside.notes, *each.people.notes)]
    made = made_by or (both[0].people.made_by if both else None)
    caption = "runs by people's labels and by those of machines"
    return Table.from_rows(rows, RUNS, caption=caption, made_by=made, notes=tuple(dict.fromkeys(said)))


def machines_sentence(table: Table, both: Sequence[BothValues] = ()) -> str:
    """What machines make of the labels of people, and of their order of runs by the first measure."""
    orders = {each.beside.machine: each for each in both}
    said = []
    for row in table.rows():
        name = str(row["machine"])
        if not row["items"]:
            said.append(f"{name} labelled nothing that people did.")
            continue
        words = f"{name} says what people say of {_percent(row['equal'])} of {_items(row['items'])}"
        kappa = "" if row["kappa"] is None else f" (κ {row['kappa']:z.2f})"
        words += f"{kappa}, more of {_percent(row['higher'])} and less of {_percent(row['lower'])}"
        said.append(words + (f"; {_order_told(orders[name])}." if name in orders else "."))
    return " ".join(said)


def _order_told(both: BothValues) -> str:
    """Whether the same run is first, how alike the orders are, and which run the machine favours most."""
    good = [good_values(values, 0) for values in (both.people, both.machine)]
    ranks = [ranks_of(side) for side in good]
    names = np.array(both.people.runs, dtype=object)
    first = [[str(run) for run in names[rank == 1]] for rank in ranks]
    if not all(first):
        return "there are no values of runs to compare"
    measure = both.people.measures[0]
    if first[0] == first[1]:
        words = f"{listed(first[0])} stay{'s' * (len(first[0]) == 1)} first by {measure}"
    else:
        words = f"first by {measure} is {listed(first[1])} in place of {listed(first[0])}"
    if len(names) == 1:
        return words
    words += f", τ of the orders is {both.tau:.2f}" if not np.isnan(both.tau) else ""
    gain = good[1] - good[0] - np.nanmean(good[1] - good[0])
    favoured = int(np.nanargmax(gain))
    if gain[favoured] <= NEAR:
        return words
    return f"{words}, and {names[favoured]} gains most on the others ({gain[favoured]:+.3f} beside the mean)"


def _percent(share: Any) -> str:
    return f"{float(share):.1%}"


def _items(count: Any) -> str:
    return "1 item" if count == 1 else f"{count:,} items"
