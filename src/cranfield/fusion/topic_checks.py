"""Check that the runs to be fused share topics."""

import numpy as np

from cranfield.core import InputError
from cranfield.data import Problem, Problems

from .coded_runs import Coded

SHOWN = 3  # topics that a message names


def check_topics(coded: Coded) -> Problems:
    """Refuse a run that shares no topic with another; a warning for each that lacks topics of others."""
    there = coded.there
    topics = coded.named.topics.to_list()
    shared = there.sum(axis=0) > 1
    found = []
    for run, own in zip(coded.runs, there, strict=True):
        if not (own & shared).any():
            problem = f"{run.source.name}: no topic of the run is in another run (it has {_some(topics, own)})"
            hint = f"the others have {_some(topics, ~own)}: do they belong together?"
            raise InputError(problem, hint=hint, code="E-TOPICS", file=run.source.name)
        missing = int((~own).sum())
        if missing:
            verb = "are" if missing > 1 else "is"
            message = f"{missing} of {len(topics)} topics {verb} missing ({_some(topics, ~own)})"
            hint = "there the other runs are fused without it"
            found.append(Problem(run.source.name, 0, "W-MISSING", message, hint))
    return Problems(tuple(found), (("W-MISSING", len(found)),) if found else ())


def _some(topics: list[str], chosen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    """The first few topics, and how many more there are."""
    places = np.flatnonzero(chosen)
    rest = len(places) - SHOWN
    return ", ".join(topics[place] for place in places[:SHOWN]) + f" and {rest} more" * (rest > 0)
