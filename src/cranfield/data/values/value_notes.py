"""Notes on values: missing topics, topics without a value or a relevant document, floors of geometric means."""

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction
from cranfield.data.files.input_problems import listed

from .aggregates import FLOOR
from .baseline_differences import TINY

if TYPE_CHECKING:
    from .value_cube import Values

CODED = re.compile(r"\(W-[A-Z0-9]+\)")  # in a note: a warning of the reader
SINGLY = 3  # so many runs that miss topics are named one by one


def warning_notes(values: "Values") -> list[str]:
    """Return the notes that are warnings about the runs or the judgments, which every study repeats."""
    return [note for note in values.notes if CODED.search(note)]


def notes_on(values: "Values") -> tuple[str, ...]:
    """A sentence for everything that stands behind the numbers and cannot be seen in them."""
    notes = [*values.notes, *_missing(values), *_without_value(values)]
    empty = values.without_relevant.any(axis=0)
    if empty.any():
        names = [values.topics[t] for t in np.flatnonzero(empty)]
        have = "topic has" if len(names) == 1 else "topics have"
        notes.append(f"{len(names)} {have} no {_sought(values)} for some measure ({listed(names)})")
    # Where a measure is a geometric mean by itself, its definition says so.
    geometric = [values.by == "gmean" == values.way(measure) for measure in values.measures]
    small = int((values.counted[:, :, None] & (values.cube[:, :, geometric] < FLOOR)).sum())
    if small:
        count = f"1 value below {FLOOR:g} counts" if small == 1 else f"{small} values below {FLOOR:g} count"
        notes.append(f"geometric mean: {count} as {FLOOR:g}")
    return tuple(notes)


def _sought(values: "Values") -> str:
    """What topics lack in which nothing could be found: of rankings a relevant document, of answers a nugget."""
    short = np.flatnonzero(values.without_relevant.any(axis=1)).tolist()
    sought = dict.fromkeys(getattr(values.measures[m], "finds", "relevant document") for m in short)
    return " or ".join(sought)


def _missing(values: "Values") -> list[str]:
    """Return which runs miss topics, one by one while they are few, and how these topics count."""
    missing = values.missing if values.counted.all() else np.zeros_like(values.missing)  # else they do not count
    topics_of, every = _by_run(values.missing), len(values.topics)
    if len(topics_of) > SINGLY:
        note = f"{len(topics_of)} of {len(values.runs)} runs miss topics ({_most(values, topics_of)}), "
        return [note + (_counting(values, missing) or "left out: their values are of different topics")]
    notes = []
    for r, topics in topics_of.items():
        are = "topic" + "s" * (every != 1) + (" is" if len(topics) == 1 else " are")
        names = listed(values.topics[t] for t in topics)
        of_run = missing & (np.arange(len(missing)) == r)[:, None]
        note = f"{values.runs[r]}: {len(topics)} of {every} {are} missing ({names}), "
        notes.append(note + (_counting(values, of_run) or "left out"))
    return notes


def _counting(values: "Values", cells: NDArray[np.bool_]) -> str:
    """Return how each measure counts missing topics, given as (run, topic); nothing where they do not count."""
    if not cells.any():
        return ""
    without, spared = [], []
    for m, measure in enumerate(values.measures):
        if np.isnan(values.cube[:, :, m][cells]).all():
            without.append(str(measure))
        elif _is_spared(values, cells, m):
            spared.append(str(measure))
    if len(without) == len(values.measures):
        return f"excluded: {listed(without)} {'has' if len(without) == 1 else 'have'} no value there"
    answers = any(hasattr(measure, "finds") for measure in values.measures)
    empty = "counted as an empty answer" if answers else "counted as an empty ranking"
    exceptions = [f"{listed(without)} (no value: excluded)"] if without else []
    way = "counted as worst"
    if len(without) + len(spared) == len(values.measures):
        way = empty
    elif spared:
        exceptions.append(f"{listed(spared)} ({empty})")
    if exceptions:
        way += f", except for {' and '.join(exceptions)}"
    others = "--topics both leaves them out" if answers else "trec_eval without -c leaves them out: --topics both"
    return f"{way}; {others}"


def _is_spared(values: "Values", cells: NDArray[np.bool_], m: int) -> bool:
    """Return whether a missing topic counts as better than worst: another run has less, or 0 is the best value."""
    sign = -1.0 if values.measures[m].direction is Direction.LOWER else 1.0
    cube = sign * values.cube[:, :, m]
    least = np.fmin.reduce(cube, axis=0)
    better = cells & (cube > least) & ~np.isclose(cube, least, rtol=TINY, atol=0)
    return bool(better.any() or (sign < 0 and (cube[cells] == 0).any()))


def _without_value(values: "Values") -> list[str]:
    """Return notes on runs that have no value in a topic for which they have a ranking and there is something to find.

    Answers have a note of their own.
    """
    notes: list[str] = []
    expected = values.counted & ~values.missing
    for m, measure in enumerate(values.measures):
        if hasattr(measure, "finds"):
            continue
        without = expected & np.isnan(values.cube[:, :, m]) & ~values.without_relevant[m]
        gone = {r: np.flatnonzero(topics).tolist() for r, topics in enumerate(without) if topics.any()}
        every = len(values.topics)
        if len(gone) > SINGLY:
            worst = max(gone, key=lambda r: len(gone[r]))
            most = f"most: {values.runs[worst]}, {len(gone[worst])} of {every}"
            notes.append(
                f"{measure} has no value in topics of {len(gone)} of {len(values.runs)} runs ({most}): excluded"
            )
            continue
        for r, topics in gone.items():
            names = listed(values.topics[t] for t in topics)
            of = f"{len(topics)} of {len(values.topics)} topic{'s' * (len(values.topics) != 1)}"
            notes.append(f"{values.runs[r]}: {measure} has no value in {of} ({names}): excluded")
    return notes


def _by_run(cells: NDArray[np.bool_]) -> dict[int, list[int]]:
    """Return the indices of the topics of each run that has some, from (run, topic)."""
    return {r: np.flatnonzero(topics).tolist() for r, topics in enumerate(cells) if topics.any()}


def _most(values: "Values", topics_of: dict[int, list[int]]) -> str:
    """Return the run with the most topics, and how many they are."""
    run = max(topics_of, key=lambda r: len(topics_of[r]))
    return f"most: {values.runs[run]}, {len(topics_of[run])} of {len(values.topics)}"
