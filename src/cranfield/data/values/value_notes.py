"""Notes on values: missing topics, topics without relevant documents, floors of geometric means."""

import re
from typing import TYPE_CHECKING

import numpy as np

from cranfield.data.files.input_problems import listed

from .aggregates import FLOOR

if TYPE_CHECKING:
    from .value_cube import Values

CODED = re.compile(r"\(W-[A-Z0-9]+\)")  # in a note: a warning of the reader
SINGLY = 3  # so many runs that miss topics are named one by one


def warning_notes(values: "Values") -> list[str]:
    """Return the notes that are warnings about the runs or the judgments, which every study repeats."""
    return [note for note in values.notes if CODED.search(note)]


def notes_on(values: "Values") -> tuple[str, ...]:
    """A sentence for everything that stands behind the numbers and cannot be seen in them."""
    notes = [*values.notes, *_missing(values)]
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
    """Which runs miss topics, one by one while they are few."""
    gone = {r: np.flatnonzero(topics).tolist() for r, topics in enumerate(values.missing) if topics.any()}
    every = len(values.topics)
    answers = any(hasattr(measure, "finds") for measure in values.measures)
    others = "--topics both leaves them out" if answers else "trec_eval without -c leaves them out: --topics both"
    what = f"counted as worst; {others}"
    if not values.counted.all():
        what = "left out"
    if len(gone) > SINGLY:
        worst = max(gone, key=lambda r: len(gone[r]))
        most = f"most: {values.runs[worst]}, {len(gone[worst])} of {every}"
        note = f"{len(gone)} of {len(values.runs)} runs miss topics ({most}), {what}"
        return [note if values.counted.all() else f"{note}: their values are of different topics"]
    notes = []
    for r, topics in gone.items():
        are = "topic" + "s" * (every != 1) + (" is" if len(topics) == 1 else " are")
        names = listed(values.topics[t] for t in topics)
        notes.append(f"{values.runs[r]}: {len(topics)} of {every} {are} missing ({names}), {what}")
    return notes
