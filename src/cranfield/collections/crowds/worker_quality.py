"""Quality of each worker: accuracy, confusion, informativeness, spam and drift."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged
from cranfield.collections.merging.votes import count_votes
from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Answers, Labels
from cranfield.stats import LEVEL, Holm, check_level, share_interval

from .spammers import SAME, Independent, number_of

PerWorker = NDArray[np.float64]  # (worker,)

PARTS = 4  # of a worker's labels, in order of time


def workers_table(
    labels: Labels,
    merged: Merged,
    gold: NDArray[np.int64] | None = None,
    *,
    level: float = LEVEL,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each worker, the one with most labels first.

    ``accuracy`` is the share of labels equal to the merged ones, between ``low`` and ``high`` (Wilson); the label of
    the worker had its part in those. ``agreement`` is the share of pairs with labels of others on the same item that
    are equal. ``informed`` is 0 for answers that do not depend on the item and 1 for perfect ones, also where they are
    perfectly turned round (raykar2012). ``Independent`` tells by what rule a ``spammer`` is named, and ``why`` says it
    in words. ``drift`` is the accuracy of the second half of a worker's labels less that of the first, by time or else
    by the order of rows; ``drift_p`` is Fisher's exact test (fisher1935) of that worker alone, and ``why`` speaks of it
    where it is significant among all workers (Holm).
    """
    check_level(level)
    answers, known = labels.answers, _known(labels, gold)
    right = merged.place(labels.grades)[answers.item] == answers.choice
    given, equal = number_of(answers), number_of(answers, right)
    low, high = _enclosed(equal, given)
    gold_given, gold_equal = _on_gold(answers, known)
    seen = Independent.of(answers, merged, known)
    halves = _split(labels, right, 2)
    drift, drift_p = _drift(*halves)
    why = _words(labels, seen, level, halves, Holm().adjust(drift_p) <= level)
    columns: dict[str, Any] = {
        "worker": np.array(labels.workers, dtype=object),
        "kind": np.where(labels.machine, "machine", "person").astype(object),
        "labels": given,
        "accuracy": _share(equal, given),
        "low": low,
        "high": high,
        "weight": merged.weight,
        "gold": gold_given,
        "gold_accuracy": _share(gold_equal, gold_given),
        "agreement": _agreement(answers),
        "informed": informed(confusion_of(answers, merged.share)),
        "spammer": seen.spammer(level),
        "why": why,
        "drift": drift,
        "drift_p": drift_p,
    }
    order = np.argsort(-given, kind="stable")
    data = {name: column[order] for name, column in columns.items()}
    caption = f"{answers.workers:,} worker{'s' * (answers.workers != 1)} beside labels merged by {merged.method}"
    return Table(data, caption, made_by, (seen.rule(level),), ends={"accuracy": ("low", "high")})


def gold_scores(
    labels: Labels, gold: NDArray[np.int64], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """One row for each worker with labels on gold items: how many, how many are right, their share (Wilson's ends)."""
    check_level(level)
    given, right = _on_gold(labels.answers, _known(labels, gold))
    low, high = _enclosed(right, given, level)
    order = np.argsort(-given, kind="stable")[: int((given > 0).sum())]
    columns = {"gold": given, "right": right, "accuracy": _share(right, given), "low": low, "high": high}
    data: dict[str, Any] = {"worker": [labels.workers[worker] for worker in order.tolist()]}
    data |= {name: column[order] for name, column in columns.items()}
    return Table(data, f"{len(order):,} workers on gold items", made_by, ends={"accuracy": ("low", "high")})


def confusion_table(labels: Labels, merged: Merged, *, made_by: Provenance | None = None) -> Table:
    """One row for each worker, merged grade and grade that the worker said: how often, and the share of the merged."""
    answers, choices = labels.answers, labels.answers.choices
    place = merged.place(labels.grades)[answers.item]
    cell = (answers.worker * choices + place) * choices + answers.choice
    counts = np.bincount(cell, minlength=answers.workers * choices**2).reshape(-1, choices, choices)
    order = np.argsort(-number_of(answers), kind="stable")
    counts = counts[order]
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)
    worker, true, said = np.nonzero(counts)
    names = np.array(labels.workers, dtype=object)[order]
    data: dict[str, Any] = {"worker": names[worker], "said": labels.grades[said], "merged": labels.grades[true]}
    data |= {"labels": counts[worker, true, said], "share": share[worker, true, said]}
    return Table(data, f"what workers said where {merged.method} says", made_by)


def drift_table(labels: Labels, merged: Merged, *, made_by: Provenance | None = None) -> Table:
    """Four rows for each worker, a quarter of the labels each in order of time (or of rows): their accuracy."""
    right = merged.place(labels.grades)[labels.answers.item] == labels.answers.choice
    order = np.argsort(-number_of(labels.answers), kind="stable")
    given, equal = (counts[order] for counts in _split(labels, right, PARTS))
    worker, part = np.nonzero(given)
    names = np.array(labels.workers, dtype=object)[order]
    data: dict[str, Any] = {"worker": names[worker], "part": part + 1, "labels": given[worker, part]}
    data["accuracy"] = equal[worker, part] / given[worker, part]
    return Table(data, f"accuracy of workers over time, beside labels merged by {merged.method}", made_by)


def confusion_of(answers: Answers, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """(worker, true choice, chosen): how many labels, each divided over the true choices as these are likely."""
    cell, cells = answers.worker * answers.choices + answers.choice, answers.workers * answers.choices
    parts = [np.bincount(cell, one[answers.item], minlength=cells) for one in share.T]
    counts: NDArray[np.float64] = np.stack(parts, axis=1)  # (worker and chosen, true choice)
    return counts.reshape(answers.workers, answers.choices, answers.choices).swapaxes(1, 2)


def informed(confusion: NDArray[np.float64]) -> PerWorker:
    """(worker,): how much the chosen depends on the true choice, from 0 to 1: raykar2012's score of spammers.

    The mean over pairs of true choices of half the squared distance between what is chosen under the one and the other.
    A true choice that makes up less than one label of a worker is left out; NaN where fewer than two remain.
    """
    mass = confusion.sum(axis=2)
    there = mass >= 1 - SAME
    rows = np.where(there[:, :, None], confusion / np.maximum(mass, SAME)[:, :, None], 0.0)
    number = there.sum(axis=1)
    # The sum over pairs of |x − y|² is n Σ|x|² − |Σ x|².
    apart = number * (rows**2).sum(axis=(1, 2)) - (rows.sum(axis=1) ** 2).sum(axis=1)
    return np.where(number > 1, np.maximum(apart, 0.0), np.nan) / np.maximum(number * (number - 1), 1)


def _known(labels: Labels, gold: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """(item,): the gold choice, −1 where there is none."""
    if gold is None:
        return np.full(labels.answers.items, -1)
    if gold.shape != (labels.answers.items,):
        hint = "give the right choice of every item, -1 where it is not known"
        raise ParameterError(f"gold of {gold.size:,} items for {labels.answers.items:,}", hint=hint)
    return gold


def _share(part: NDArray[np.int64], of: NDArray[np.int64]) -> PerWorker:
    return part / np.where(of > 0, of, np.nan)


def _enclosed(part: NDArray[np.int64], of: NDArray[np.int64], level: float = LEVEL) -> tuple[PerWorker, PerWorker]:
    """Wilson's interval of each share; workers with as many labels are looked at together."""
    low, high = np.full((2, len(of)), np.nan)
    for number in np.unique(of[of > 0]).tolist():
        at = of == number
        low[at], high[at] = share_interval(part[at], number, level=level)
    return low, high


def _on_gold(answers: Answers, known: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(worker,) twice: labels on gold items, and those of them that are right."""
    truth = known[answers.item]
    return number_of(answers, truth >= 0), number_of(answers, truth == answers.choice)


def _agreement(answers: Answers) -> PerWorker:
    """(worker,): the share of pairs of own labels and those of others on the same item that are equal."""
    met, agreed = (np.bincount(answers.worker, counts, minlength=answers.workers) for counts in equal_pairs(answers))
    return agreed / np.where(met > 0, met, np.nan)


def equal_pairs(answers: Answers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(answer,) twice: how many labels of others the item has, and how many of those are equal."""
    votes = count_votes(answers)
    key = answers.item * answers.workers + answers.worker
    _, own = np.unique(key, return_inverse=True)
    _, same = np.unique(key * answers.choices + answers.choice, return_inverse=True)
    pairs = votes.sum(axis=1)[answers.item] - np.bincount(own)[own]
    equal = votes[answers.item, answers.choice] - np.bincount(same)[same]
    return pairs, equal


def parts_of(labels: Labels, parts: int) -> NDArray[np.int64]:
    """(answer,): in which part of its worker's time, or of the rows, it was given."""
    worker = labels.answers.worker
    time = np.arange(len(worker)) if labels.time is None else labels.time
    order = np.lexsort((time, worker))
    number = number_of(labels.answers)
    place = np.empty(len(worker), dtype=np.int64)
    place[order] = np.arange(len(worker)) - (number.cumsum() - number)[worker[order]]
    return place * parts // number[worker]


def _split(labels: Labels, right: NDArray[np.bool_], parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(worker, part) twice: labels in each part of a worker's time, and those that are right."""
    cell = labels.answers.worker * parts + parts_of(labels, parts)
    size = labels.answers.workers * parts
    given, equal = np.bincount(cell, minlength=size), np.bincount(cell[right], minlength=size)
    return given.reshape(-1, parts), equal.reshape(-1, parts)


def _drift(given: NDArray[np.int64], equal: NDArray[np.int64]) -> tuple[PerWorker, PerWorker]:
    """(worker,) twice: accuracy of the second half less that of the first, and p; NaN with one label."""
    first, second = (_share(equal[:, half], given[:, half]) for half in (0, 1))
    p = fisher(equal[:, 0], given[:, 0], equal[:, 1], given[:, 1])
    return second - first, np.where(given.min(axis=1) > 0, p, np.nan)


def fisher(
    a: NDArray[np.int64], of_a: NDArray[np.int64], b: NDArray[np.int64], of_b: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(table,): Fisher's exact test of two shares, two-sided: the chance of all tables that are no likelier."""
    from scipy.special import gammaln

    def chosen(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

    total = a + b
    lowest = np.maximum(0, total - of_b)
    number = np.minimum(total, of_a) - lowest + 1  # (table,): as many tables have these sums
    table = np.repeat(np.arange(len(a)), number)
    start = number.cumsum() - number
    x = lowest[table] + np.arange(len(table)) - start[table]
    every = chosen(of_a[table], x) + chosen(of_b[table], total[table] - x) - chosen((of_a + of_b)[table], total[table])
    seen = every[start + a - lowest]
    as_rare = every <= seen[table] + 1e-7  # equal ones differ by rounding
    return np.minimum(np.bincount(table, np.exp(every) * as_rare, minlength=len(a)), 1.0)


def _words(
    labels: Labels,
    seen: Independent,
    level: float,
    halves: tuple[NDArray[np.int64], NDArray[np.int64]],
    drifts: NDArray[np.bool_],
) -> NDArray[np.object_]:
    """(worker,): why somebody is a spammer, or drifts, in a few words."""
    spammer, against = seen.spammer(level), seen.against(level)
    words = np.full(len(spammer), None, dtype=object)
    for worker in np.flatnonzero(spammer | drifts).tolist():
        said, n, equal, chance = [], int(seen.labels[worker]), int(seen.equal[worker]), float(seen.chance[worker])
        by_chance = f"equal {equal:,} of {n:,}, chance gives {n * chance:,.0f}"
        if against[worker]:
            said.append(f"against the others: {by_chance}")
        elif spammer[worker] and seen.only[worker] >= 0:
            grade = labels.grades[seen.only[worker]]
            said.append(f"always {grade:g}: others choose otherwise for {n - equal:,} of {n:,}")
        elif spammer[worker]:
            said.append(f"no better than chance: {by_chance}")
        if drifts[worker]:
            first, second = (halves[1][worker] / halves[0][worker]).tolist()
            said.append(f"accuracy {'falls' if second < first else 'rises'} from {first:.2f} to {second:.2f}")
        words[worker] = "; ".join(said)
    return words
