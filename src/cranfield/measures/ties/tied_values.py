"""Values of rankings with ties: means over all orders of tied documents, and lowest and highest values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction
from cranfield.core.seed import SEED
from cranfield.core.types import Cube, Matrix
from cranfield.data import Assessed
from cranfield.measures.base import Measure

from .tie_groups import rows_that_matter

if TYPE_CHECKING:
    from .tie_orders import Kinds, Summary

PLACES = 1 << 18  # ranks of the rows that are looked at together
SINGLY = 3  # so many runs or cut-offs are named one by one


def expected(
    assessed: Assessed, measures: Sequence[Measure], *, seed: int = SEED
) -> tuple[Cube, Cube | None, tuple[str, ...]]:
    """The mean of every value over all orders of tied documents, and the standard errors where orders were drawn.

    Every order of the documents of one score is as likely as any other. Measures are ``settled``. Most means are
    exact: in closed form, or over all orders that can be told apart, up to 100,000. Otherwise 10,000 orders are drawn
    and a note says so. A value that some order does not have (ESL where nothing is found) has no mean.
    """
    cube = assessed.map(measures)
    if not _has_ties(assessed):
        return cube, None, ()
    values = cube.reshape(-1, len(measures))
    errors = np.zeros_like(values)
    rankings = np.zeros(len(measures), np.int64)
    left = _in_closed_form(assessed, measures, values)
    for these, summary in _go_through(assessed, measures, left, values, seed):
        values[:, these], errors[:, these] = summary.mean, summary.error
        rankings[these] = summary.drawn.sum()
    notes = tuple(
        f"{measure}: mean of {_drawn(count, seed)}; standard error up to {largest:.1g}"
        for measure, count, largest in zip(measures, rankings.tolist(), np.fmax.reduce(errors), strict=True)
        if largest > 0
    )
    return cube, errors.reshape(cube.shape) if notes else None, notes


def _has_ties(assessed: Assessed) -> bool:
    return bool((assessed.tie_last > assessed.tie_first).any())


def _in_closed_form(assessed: Assessed, measures: Sequence[Measure], values: Matrix) -> list[int]:
    """Put in the means that have a closed form; which measures are left."""
    left: list[int] = []
    for same in _alike(assessed, measures):
        one = measures[same[0]]
        whole = assessed.judged_only() if one.judged_only else assessed
        shown = whole.only(one.placed(assessed.grade))
        known = [i for i in same if _vouched(type(measures[i]))]
        for rows in _parts(shown, rows_that_matter(shown, assessed.grade)):
            for block in shown.blocks(rows):
                means = {i: measures[i].over_ties(block) for i in known}
                for i, mean in means.items():
                    if mean is not None:
                        values[block.row, i] = mean
                known = [i for i, mean in means.items() if mean is not None]
        left += [i for i in same if i not in known]
    return left


def _alike(assessed: Assessed, measures: Sequence[Measure]) -> list[list[int]]:
    """Measures for which the places of the same documents matter."""
    alike: dict[tuple[bytes, bool], list[int]] = {}
    for i, measure in enumerate(measures):
        key = (np.packbits(measure.placed(assessed.grade)).tobytes(), measure.judged_only)
        alike.setdefault(key, []).append(i)
    return list(alike.values())


def _go_through(
    assessed: Assessed, measures: Sequence[Measure], wanted: Sequence[int], values: Matrix, seed: int
) -> Iterator[tuple[list[int], "Summary"]]:
    """Some of the measures over the orders of ties; together those that tell documents apart in the same way."""
    from .tie_orders import go_through, kinds  # only here: it takes as long to load as a small run takes to be measured

    alike: dict[bytes, tuple[Kinds, list[int]]] = {}
    for i in wanted:
        kind = kinds(assessed, measures[i])
        alike.setdefault(kind.tobytes(), (kind, []))[1].append(i)
    for kind, these in alike.values():
        yield these, go_through(assessed, [measures[i] for i in these], kind, values[:, these], seed=seed)


def _vouched(cls: type[Measure]) -> bool:
    """Whether the closed form was written for the value as it is: who replaces one has to say so of the other."""
    here, there = (
        next(n for n, base in enumerate(cls.__mro__) if names & vars(base).keys())
        for names in ({"linear", "over_ties"}, {"value", "kernel", "seen"})
    )
    return here <= there


def _parts(assessed: Assessed, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The rows in parts of not too many ranks."""
    deepest = assessed.tie_last[assessed.starts[rows + 1] - 1] if len(rows) else np.zeros(0, np.int64)
    part = deepest.cumsum(dtype=np.int64) // PLACES
    yield from np.split(rows, np.flatnonzero(np.diff(part)) + 1) if len(rows) else ()


def _drawn(rankings: int, seed: int) -> str:
    from .tie_orders import DRAWN

    of = "1 ranking" if rankings == 1 else f"{rankings} rankings"
    return f"{DRAWN:,} drawn orders of ties in {of} (seed {seed})"


def tie_bounds(
    assessed: Assessed, measures: Sequence[Measure], *, seed: int = SEED
) -> tuple[Cube, Cube, tuple[str, ...]]:
    """The lowest and the highest value that an order of tied documents gives; notes where that is not certain.

    For a measure that keeps the axiom "swap" the best order has the documents worth most first, the worst has them
    last. For others all orders are gone through, up to 100,000; otherwise the extremes of 10,000 drawn ones are taken.
    The worst order may have no value (ESL where nothing is found): then the bound has none.
    """
    plain = assessed.map(measures)
    low, high = plain.copy(), plain.copy()
    if not _has_ties(assessed):
        return low, high, ()
    from .tie_orders import by_length, by_stratum, by_table

    lows, highs = (cube.reshape(-1, len(measures)) for cube in (low, high))
    # Documents of one grade may be worth more or less: then sorting them by grade is no bound.
    differ = (by_length, by_stratum, by_table)
    unlike = {i for i, one in enumerate(measures) if any(by(assessed, one) for by in differ)}
    _sort(assessed, measures, [i for i in range(len(measures)) if i not in unlike], lows, highs)
    others = [i for i, measure in enumerate(measures) if i in unlike or "swap" not in measure.axioms]
    rankings = np.zeros(len(measures), np.int64)
    for these, summary in _go_through(assessed, measures, others, plain.reshape(lows.shape), seed):
        lows[:, these] = np.fmin(lows[:, these], summary.low)
        highs[:, these] = np.maximum(highs[:, these], summary.high)
        rankings[these] = summary.drawn.sum()
    notes = (
        f"{measure}: bounds from {_drawn(count, seed)}: others may lie outside"
        for measure, count in zip(measures, rankings.tolist(), strict=True)
        if count
    )
    return low, high, tuple(notes)


def _sort(assessed: Assessed, measures: Sequence[Measure], wanted: Sequence[int], lows: Matrix, highs: Matrix) -> None:
    """Put in the values with tied documents sorted by what they are worth."""
    row, grade = assessed.row, assessed.grade[assessed.document]
    tied = np.bincount(row, assessed.tie_last > assessed.tie_first, minlength=len(assessed.retrieved)) > 0
    rows, entries = np.flatnonzero(tied), np.flatnonzero(tied[row])
    alike: dict[bytes, list[int]] = {}
    for i in wanted:
        alike.setdefault(measures[i].gain(assessed.grade).tobytes(), []).append(i)
    for same in alike.values():
        worth = measures[same[0]].gain(assessed.grade)[assessed.document]
        by = (-grade, -worth, assessed.tie_first, row)
        order = entries[np.lexsort([key[entries] for key in by])]
        begin = np.flatnonzero(np.diff(row[order], prepend=-1) | np.diff(assessed.tie_first[order], prepend=0))
        place = np.arange(len(order)) - np.repeat(begin, np.diff(begin, append=len(order)))
        for rank, best in ((assessed.tie_first[order] + place, True), (assessed.tie_last[order] - place, False)):
            by_rank = np.lexsort((rank, row[order]))
            length = np.bincount(row[order], minlength=len(tied))
            in_order = assessed.reordered(np.arange(len(tied)), length, order[by_rank], rank[by_rank])
            found = in_order.map([measures[i] for i in same]).reshape(len(tied), -1)[rows]
            for i, column in zip(same, found.T, strict=True):
                better = highs if measures[i].direction is Direction.HIGHER else lows
                worse = lows if better is highs else highs
                (better if best else worse)[rows, i] = column


def straddling(assessed: Assessed, k: int) -> NDArray[np.int64]:
    """(run, topic): how many pairs of tied documents straddle rank ``k``: one is above the cut, by its id alone.

    Only scores that some named document has are known: of others the order cannot change a value.
    """
    return next(_straddling(assessed, [k]))


def _straddling(assessed: Assessed, cuts: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    first, last = assessed.tie_first, assessed.tie_last
    tied = np.flatnonzero((first < last) & (first <= max(cuts, default=0)))
    first, last = first[tied].astype(np.int64), last[tied]
    for k in cuts:
        out = np.zeros(len(assessed.retrieved), np.int64)
        cut = np.flatnonzero((first <= k) & (k < last))
        # One score of a row straddles a rank; all its documents say the same.
        row = np.searchsorted(assessed.starts, tied[cut], side="right") - 1
        out[row] = (k - first[cut] + 1) * (last[cut] - k)
        yield out.reshape(len(assessed.runs), len(assessed.topics))


def tie_notes(assessed: Assessed, measures: Sequence[Measure]) -> tuple[str, ...]:
    """A sentence for each cut-off that goes through ties."""
    return say_straddling(assessed.runs, cut_ties(assessed, measures))


def cut_ties(assessed: Assessed, measures: Sequence[Measure]) -> dict[int, NDArray[np.int64]]:
    """For each cut-off, (run, topic): how many pairs of tied documents straddle it."""
    cuts = sorted({measure.k for measure in measures if measure.k is not None})
    return dict(zip(cuts, _straddling(assessed, cuts), strict=True))


def say_straddling(runs: Sequence[str], found: Mapping[int, NDArray[np.int64]]) -> tuple[str, ...]:
    """A sentence for each cut-off that some pair straddles, (run, topic) for each."""
    notes = [_straddle(runs, k, pairs) for k, pairs in found.items() if pairs.any()]
    if len(notes) <= SINGLY:
        return tuple(notes)
    return (f"{notes[0]}; so do pairs at {len(notes) - 1} more cut-offs",)


def _straddle(runs: Sequence[str], k: int, pairs: NDArray[np.int64]) -> str:
    """How many pairs straddle a rank, and whose."""
    each = {run: int(count) for run, count in zip(runs, pairs.sum(axis=1), strict=True) if count}
    most = max(each, key=lambda run: each[run])
    whose = ", ".join(f"{run}: {count:,}" for run, count in each.items())
    if len(each) > SINGLY:
        whose = f"{len(each)} of {len(runs)} runs, most: {most}, {each[most]:,}"
    total, topics = int(pairs.sum()), int(pairs.any(axis=0).sum())
    what = "1 tied pair straddles" if total == 1 else f"{total:,} tied pairs straddle"
    where = f"rank {k} in {topics} topic{'s' * (topics != 1)}"
    return f"{what} {where}" + (f" ({whose})" if len(runs) > 1 else "")
