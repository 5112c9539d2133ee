"""Proportions of nuggets and sentences with full, partial and no support, as a table by run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cranfield.core import Provenance, Table
from cranfield.data import Citations, JudgedAnswers, Nuggets, NuggetWeights, PerAnswer, find_topics
from cranfield.measures.base import ratio

PARTS = ("full", "partial", "none", "uncited")


@dataclass(frozen=True, eq=False)
class Supported:
    """What things of one kind come to: of each part its share (run, topic), NaN where a topic has no such thing."""

    of: str
    shares: Mapping[str, PerAnswer]
    number: PerAnswer  # how many there are


def support_table(
    answers: JudgedAnswers,
    *,
    leave_out: bool = False,
    only: Sequence[str] | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row per kind of thing and run: which share is supported in full, in part, not at all; the best run first.

    Shares are means over topics that have such things. An answer that is missing supports nothing, or is left out. Of
    sentences, those that cite nothing stand apart; a sentence has the support of the best of its citations.
    """
    places = list(range(len(answers.topics))) if only is None else find_topics(answers.topics, only)
    counts = answers.there if leave_out else np.ones_like(answers.there)
    rows: list[dict[str, Any]] = []
    for found in _kinds(answers):
        counted = (counts & ~np.isnan(found.shares["full"]))[:, places]
        there = counted.sum(axis=1)
        means = {
            part: ratio(np.where(counted, share[:, places], 0.0).sum(axis=1), there.astype(np.float64))
            for part, share in found.shares.items()
        }
        order = sorted(range(len(answers.runs)), key=lambda run: (-means["full"][run], -means["partial"][run]))
        rows += [
            {"of": found.of, "run": answers.runs[run]}
            | {part: float(means[part][run]) if part in means else None for part in PARTS}
            | {"number": int(np.nansum(found.number[run, places])), "topics": int(there[run])}
            for run in order
        ]
    caption = "how far nuggets and sentences are supported: shares, in the mean over topics"
    return Table.from_rows(rows, ("of", "run", *PARTS, "number", "topics"), caption=caption, made_by=made_by)


def _kinds(answers: JudgedAnswers) -> list[Supported]:
    """Nuggets, vital and okay ones apart where somebody says which they are, and sentences."""
    found = []
    if answers.nuggets is not None:
        vital = answers.nuggets.vital
        kinds = {"nuggets": np.ones(len(answers.nuggets.names))}
        if vital is not None:
            kinds = {"vital nuggets": vital.astype(np.float64), "okay nuggets": (~vital).astype(np.float64)}
        found += [_of_nuggets(answers, answers.nuggets, of, which) for of, which in kinds.items() if which.any()]
    if answers.citations is not None:
        found.append(_of_sentences(answers, answers.citations))
    return found


def _of_nuggets(answers: JudgedAnswers, nuggets: Nuggets, of: str, which: NuggetWeights) -> Supported:
    support, whole = answers.support, np.broadcast_to(nuggets.add_up(which), (len(answers.runs), len(nuggets.topics)))
    parts = {"full": support >= 1, "partial": (support > 0) & (support < 1), "none": support <= 0}
    shares = {
        part: np.where(whole > 0, ratio(nuggets.add_up(there * which), whole), np.nan) for part, there in parts.items()
    }
    spread = {part: answers.spread(share, nuggets.topics) for part, share in shares.items()}
    return Supported(of, spread, answers.spread(whole, nuggets.topics))


def _of_sentences(answers: JudgedAnswers, citations: Citations) -> Supported:
    best = np.full(len(citations.run), -1.0)  # of a sentence that cites nothing
    np.maximum.at(best, citations.sentence, citations.support)
    every, runs = np.arange(len(best)), len(answers.runs)
    whole = citations.add_up(every, np.ones(len(best)), runs)
    parts = {"full": best >= 1, "partial": (best > 0) & (best < 1), "none": best == 0, "uncited": best < 0}
    sums = {part: citations.add_up(every, there.astype(np.float64), runs) for part, there in parts.items()}
    shares = {part: ratio(some, whole) for part, some in sums.items()}
    shares["none"] = np.where(whole > 0, shares["none"], 1.0)  # where there is no sentence, nothing is supported
    spread = {part: answers.spread(share, citations.topics) for part, share in shares.items()}
    return Supported("sentences", spread, answers.spread(whole, citations.topics))
