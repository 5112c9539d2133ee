"""Counts of judgments added, removed, raised, lowered and unchanged between two sets of qrels."""

from typing import Any

import numpy as np

from cranfield import _native
from cranfield.core import ParameterError, Provenance, Table
from cranfield.data.assessed.block import NOBODY

from .qrels import Qrels

CHANGES = ("added", "removed", "raised", "lowered", "same")


def judgments_table(before: Qrels, after: Qrels, *, made_by: Provenance | None = None) -> Table:
    """How many documents of a topic were judged only after, only before, and of the others with which grade.

    A grade below 0 is no judgment.
    """
    tables = [(each.topics, each.topic, each.document) for each in (before, after)]
    places = _native.Names(tables).rows
    size = 1 + max(int(place.max(initial=-1)) for place in places)
    grades = np.full((2, size), NOBODY)
    for mine, place, each in zip(grades, places, (before, after), strict=True):
        if len(np.unique(place)) < len(place):
            hint = "compare judgments of whole topics"
            raise ParameterError(f"{each.source.name}: a document is judged for several subtopics", hint=hint)
        mine[place] = np.where(each.grade >= 0, each.grade, NOBODY)
    old, new = grades
    was, is_there = old > NOBODY, new > NOBODY
    counts = {
        "added": ~was & is_there,
        "removed": was & ~is_there,
        "raised": was & is_there & (new > old),
        "lowered": was & is_there & (new < old),
        "same": was & is_there & (new == old),
    }
    columns: dict[str, Any] = {"what": list(CHANGES), "count": [int(counts[what].sum()) for what in CHANGES]}
    return Table(columns, "judgments before and after", made_by)
