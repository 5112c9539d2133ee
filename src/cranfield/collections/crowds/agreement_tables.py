"""Table of agreement statistics of workers, with bootstrap intervals over items."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.votes import count_votes
from cranfield.core import SEED, ParameterError, Provenance, Table, generator
from cranfield.data import Answers, Labels
from cranfield.stats import LEVEL, check_level

from .worker_agreement import FEWEST, Draws, Metric, Patterns, WorkerPairs

COLUMNS = ("statistic", "value", "low", "high", "items", "workers", "note")
CELLS = 4_000_000  # of a matrix (pair of workers and choice, draw) that is made at once: 32 MB
WORK = 500_000_000  # additions that the interval of Cohen's κ may cost: about a second
FEW_DRAWS = 30  # a standard error from fewer is worth little
MOST_ROWS = 20_000_000  # pairs of labels of one item: more do not fit
ALIKE = "all labels are equal: there is nothing to tell agreement from"
ALONE = "no item has two labels"
UNANIMOUS = "the labels of every item are equal: no interval"
ENOUGH_ITEMS = 50  # from which the intervals miss about as often as they say
ENOUGH_FOR_COHEN = 200  # items from which the symmetric interval of Cohen's κ misses about as often as it says
ENOUGH_UNUSUAL = 15  # items with a label other than the most frequent grade, from which they do where grades are skewed
STRANGERS = "no two workers share two items"


def crowd_agreement_table(
    labels: Labels, *, draws: int = 1000, level: float = LEVEL, seed: int = SEED, made_by: Provenance | None = None
) -> Table:
    """One row for each statistic: how far workers agree, between ``low`` and ``high`` if items are drawn again.

    ``percent`` is the share of the pairs of labels of an item that are equal, as a mean over items: what Fleiss' κ sets
    beside chance. Ordinal and interval α are there where there are more than two grades; with two they equal the
    nominal one. Cohen's κ is the mean over pairs of workers who share two items or more, weighted by what they share.
    Ends are those of the BCa bootstrap over items (efron1987bca), widened for few items (hesterberg2015): agreement is
    skewed, and percentiles miss up to 10% of the time with 50 items. For Cohen's κ they lie z standard errors of such
    draws from the value: pairs with few items lose some in most draws, which moves the quantiles but hardly the spread.
    Where all labels of every item are equal there is no interval. Items with fewer than two labels are left out.
    """
    check_level(level)
    if draws < 1:
        raise ParameterError(f"{draws} draws give no interval", hint="give 1 or more, such as 1000")
    answers, patterns = labels.answers, Patterns.of(labels.answers)
    weights = patterns.redrawn(draws, generator(seed, "agreement")) if len(patterns.items) else None
    rows = []
    for statistic, compute in _statistics(patterns, labels):
        value, low, high = np.full(3, np.nan)
        if weights is not None:
            value = compute(patterns.observed)[0]
            low, high = _bca_ends(compute, patterns, compute(weights), level)
        note = (UNANIMOUS if value == 1 else None) if value == value else ALIKE if weights is not None else ALONE
        rows.append({"statistic": statistic, "value": value, "low": low, "high": high, "note": note})
    rows.append(_cohen_row(answers, draws, level, seed))
    sizes = _sizes(answers)
    caption = f"agreement of {_many(sizes['workers'], 'worker')} on {_many(sizes['items'], 'item')}"
    notes = _left_out(answers, sizes["items"]) + _few_items(answers, sizes["items"])
    return Table.from_rows([row | sizes for row in rows], COLUMNS, caption=caption, made_by=made_by, notes=notes)


def _statistics(patterns: Patterns, labels: Labels) -> list[tuple[str, Callable[[NDArray[np.float64]], Draws]]]:
    metrics: tuple[Metric, ...] = ("nominal", "ordinal", "interval") if labels.answers.choices > 2 else ("nominal",)
    alphas = [
        (f"Krippendorff α ({metric})", partial(patterns.krippendorff, heights=labels.grades, metric=metric))
        for metric in metrics
    ]
    return [("percent", patterns.percent), ("Fleiss κ", patterns.fleiss), *alphas]


def _bca_ends(
    compute: Callable[[NDArray[np.float64]], Draws], patterns: Patterns, drawn: Draws, level: float
) -> NDArray[np.float64]:
    """Return the ends of the BCa interval; resamples without a value are excluded, and full agreement has none."""
    from scipy.special import ndtr, ndtri, stdtrit

    value, defined = compute(patterns.observed)[0], drawn[~np.isnan(drawn)]
    if not len(defined) or not value < 1:
        return np.full(2, np.nan)
    below = ((defined < value).mean() + (defined <= value).mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(defined), 1 - 0.5 / len(defined)))
    # hesterberg2015: resamples of n items vary too little, by √((n − 1) / n) and by normal in place of t quantiles.
    items = max(int(patterns.items.sum()), FEWEST)
    wide = np.sqrt(items / (items - 1)) * stdtrit(items - 1, np.array([level / 2, 1 - level / 2]))
    shifted = bias + wide
    share = ndtr(bias + shifted / np.maximum(1 - _acceleration(compute, patterns) * shifted, np.finfo(float).tiny))
    return np.quantile(defined, share)


def _acceleration(compute: Callable[[NDArray[np.float64]], Draws], patterns: Patterns) -> float:
    """Return the acceleration from leaving out one item at a time (efron1993 eq. 14.15)."""
    if patterns.items.sum() <= FEWEST:
        return 0.0
    # Items of a pattern are alike, so that one of each is left out.
    step = max(1, CELLS // len(patterns.items))
    rows = np.arange(len(patterns.items))
    blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
    without = np.concatenate([compute(patterns.observed - (rows == block[:, None])) for block in blocks])
    items = np.where(np.isnan(without), 0, patterns.items)
    without = np.nan_to_num(without)
    away = (items @ without) / max(items.sum(), 1) - without
    squares = float(items @ away**2)
    return float(items @ away**3) / (6 * squares**1.5) if squares > 0 else 0.0


def _error(drawn: Draws) -> float:
    """The standard deviation of what draws say; NaN where fewer than two say anything."""
    said = drawn[~np.isnan(drawn)]
    return float(said.std(ddof=1)) if len(said) > 1 else float("nan")


def _cohen_row(answers: Answers, draws: int, level: float, seed: int) -> dict[str, Any]:
    """Cohen's κ as a mean over pairs of workers."""
    row: dict[str, Any] = {"statistic": "Cohen κ (mean over pairs)", "value": np.nan, "low": np.nan, "high": np.nan}
    size = np.bincount(answers.item, minlength=answers.items)
    met = int((size * (size - 1) // 2).sum())
    if met > MOST_ROWS:
        return row | {"note": f"{met:,} pairs of labels are too many; Fleiss κ and α do without them"}
    pairs = WorkerPairs.of(answers)
    if not pairs.pairs:
        return row | {"note": STRANGERS if (size >= FEWEST).any() else ALONE}
    value = pairs.mean_cohen(np.ones((1, answers.items)))[0]
    if np.isnan(value):
        return row | {"note": ALIKE}
    from scipy.special import ndtri

    cells = pairs.pairs * answers.choices
    done = min(draws, max(FEW_DRAWS, WORK // (4 * (len(pairs) + cells))))
    block = max(1, CELLS // cells)
    shared = np.flatnonzero(size >= FEWEST)
    drawn = [
        pairs.mean_cohen(_redrawn(shared, answers.items, min(block, done - start), seed, start))
        for start in range(0, done, block)
    ]
    half = float(ndtri(1 - level / 2)) * _error(np.concatenate(drawn))
    note = f"{pairs.pairs:,} pair{'s' * (pairs.pairs != 1)} of workers; standard error from {done:,} draws"
    note += f"; may be too short below {ENOUGH_FOR_COHEN} items" * (len(shared) < ENOUGH_FOR_COHEN)
    return row | {"value": value, "low": value - half, "high": value + half, "note": note}


def _redrawn(shared: NDArray[np.int64], items: int, draws: int, seed: int, start: int) -> NDArray[np.float64]:
    """(draw, item): how often each item is there when as many are drawn with replacement."""
    random, number = generator(seed, "worker pairs", start), len(shared)
    weights = np.zeros((draws, items))
    for draw in weights:  # one after the other: a row stays in the cache
        draw[shared] = np.bincount(random.integers(0, number, number), minlength=number)
    return weights


def _sizes(answers: Answers) -> dict[str, int]:
    """How many items have two labels or more, and how many workers gave those."""
    kept = count_votes(answers).sum(axis=1) >= FEWEST
    return {"items": int(kept.sum()), "workers": len(np.unique(answers.worker[kept[answers.item]]))}


def _few_items(answers: Answers, items: int) -> tuple[str, ...]:
    """Return a note where there are too few items, or too few that show any but the most frequent grade."""
    if items < FEWEST:
        return ()
    if items < ENOUGH_ITEMS:
        return (f"{_many(items, 'item')}: with fewer than {ENOUGH_ITEMS}, intervals may be too short",)
    votes = count_votes(answers)
    votes = votes[votes.sum(axis=1) >= FEWEST]
    usual = votes.sum(axis=0).argmax()
    unusual = int((votes.sum(axis=1) > votes[:, usual]).sum())
    if not 0 < unusual < ENOUGH_UNUSUAL:
        return ()
    have = "has" if unusual == 1 else "have"
    why = f"with fewer than {ENOUGH_UNUSUAL}, intervals may be too short"
    return (f"{_many(unusual, 'item')} of {items:,} {have} a label other than the most frequent grade: {why}",)


def _left_out(answers: Answers, items: int) -> tuple[str, ...]:
    notes = []
    if items < answers.items:
        few = answers.items - items
        have = "has" if few == 1 else "have"
        notes.append(f"{few:,} of {_many(answers.items, 'item')} {have} fewer than two labels: left out")
    twice = np.count_nonzero(np.diff(np.sort(answers.item * answers.workers + answers.worker)) == 0)
    if twice:
        repeat = "1 label repeats" if twice == 1 else f"{twice:,} labels repeat"
        notes.append(f"{repeat} a worker on an item: to Fleiss and Krippendorff another worker")
    return tuple(notes)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
