"""Proportions of judged documents near the top of runs, and the note where they are low or differ between runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cranfield.core.types import Matrix

if TYPE_CHECKING:
    from .value_cube import Values

MIN_JUDGED = 0.90  # of the first documents, below which a comparison says so
MAX_DIFFERENCE = 0.05  # by which runs may differ
MAX_DEPTH = 100  # of the check: few pools are deeper
SPARSE = 0.9  # proportion of topics with exactly one relevant document from which labels are called sparse
ROUNDING = 1e-9
HINT = "unjudged documents could change the order (`cranfield evaluate --unjudged as-best` shows how far)"


def judged_depth(measure: object) -> int:
    """Return the rank down to which documents are checked: the cutoff of the measure, 100 at most."""
    cutoff = getattr(measure, "k", None)
    return min(cutoff, MAX_DEPTH) if isinstance(cutoff, int) and cutoff > 0 else MAX_DEPTH


def judged_depths(measures: Iterable[object]) -> tuple[int, ...]:
    """Return the depths of the check for several measures, each once and in their order."""
    return tuple(dict.fromkeys(map(judged_depth, measures)))


def relevance_level(measure: object) -> float:
    """Return the grade from which a document is relevant to the measure: 1 where the measure names none."""
    level: float | None = getattr(measure, "rel", None)
    return 1 if level is None else level


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Judged documents of values whose rankings are not in memory."""

    depth: int
    share: Matrix  # (run, topic): proportion of the first documents that are judged; NaN where nothing is retrieved
    relevant: Matrix  # (topic,): number of relevant documents

    def take(self, *, runs: Sequence[int] | None = None, topics: Sequence[int] | None = None) -> "Coverage":
        """Return the coverage of some runs or topics, given by their indices."""
        share, relevant = self.share, self.relevant
        if runs is not None:
            share = share[list(runs)]
        if topics is not None:
            share, relevant = share[:, list(topics)], relevant[list(topics)]
        return Coverage(self.depth, share, relevant)


def find_coverage(values: "Values") -> tuple[Coverage, ...]:
    """Return how many documents are judged, for each depth of the measures; nothing where it is not known."""
    depths = judged_depths(values.measures)
    if values.assessed is None:
        return tuple(coverage for coverage in values.coverage if coverage.depth in depths)
    relevant = values.assessed.relevant(relevance_level(values.measures[0]))[values.places]
    shares = ((depth, judged_by_topic(values, depth)) for depth in depths)
    return tuple(Coverage(depth, share, relevant) for depth, share in shares if share is not None)


def judged_by_topic(values: "Values", cutoff: int) -> Matrix | None:
    """Return (run, topic): the proportion of the first ``cutoff`` documents that are judged; None without rankings.

    It is NaN where nothing is retrieved.
    """
    assessed = values.assessed
    if assessed is None:
        return None
    rows = assessed.once_here(("judged", cutoff), lambda: assessed.count_first(assessed.grade >= 0, cutoff))
    shape = len(assessed.runs), len(assessed.topics)
    judged = rows.reshape(shape)[:, values.places]
    retrieved = np.minimum(assessed.retrieved, cutoff).reshape(shape)[:, values.places]
    return np.divide(judged, retrieved, out=np.full(retrieved.shape, np.nan), where=retrieved > 0)


def judged_shares(values: "Values", cutoff: int) -> Matrix | None:
    """Return (run,): the mean proportion of the first ``cutoff`` documents that are judged; None without rankings."""
    by_topic = judged_by_topic(values, cutoff)
    return None if by_topic is None else _mean_shares(by_topic)


def _mean_shares(by_topic: Matrix) -> Matrix:
    """Return (run,): the mean over the topics in which a run has documents; 0 where it has none."""
    return np.nansum(by_topic, axis=1) / np.maximum((~np.isnan(by_topic)).sum(axis=1), 1)


def proportion_single(values: "Values", rel: float = 1) -> float | None:
    """Return the proportion of topics with exactly one relevant document, among topics with at least one."""
    if values.assessed is None:
        return None
    return _single(values.assessed.relevant(rel)[values.places])


def _single(relevant: Matrix) -> float | None:
    topics = int((relevant > 0).sum())
    return float((relevant == 1).sum() / topics) if topics else None


def is_worth_a_note(shares: Sequence[float], *, sparse: bool) -> bool:
    """Return whether few documents of a run are judged, or runs differ in that.

    With ``sparse`` labels few documents are judged by design, and only a difference counts.
    """
    low = min(shares) < MIN_JUDGED - ROUNDING and not sparse
    return low or max(shares) - min(shares) > MAX_DIFFERENCE + ROUNDING


def unjudged_notes(*parts: "Values", runs: Sequence[int] | None = None) -> list[str]:
    """Return a note where few documents of the compared runs are judged, or where runs differ in that.

    Documents are checked down to the cutoff of every measure. Several ``parts`` have other runs of the same comparison.
    ``runs`` are the indices of the runs that are compared.
    """
    shares: dict[int, list[tuple[float, str]]] = {}
    sparse = True
    for values in parts:
        for coverage in find_coverage(values):
            means = _mean_shares(coverage.share)
            compared = range(len(means)) if runs is None else runs
            shares.setdefault(coverage.depth, []).extend((float(means[run]), values.runs[run]) for run in compared)
            single = _single(coverage.relevant)
            sparse &= single is None or single >= SPARSE
    different: dict[tuple[tuple[float, str], ...], int] = {}  # short rankings are the same down to several depths
    for depth, known in shares.items():
        different.setdefault(tuple(known), depth)
    ranges = [
        f"Judged@{depth} is {_range_text(sorted(known, key=lambda one: one[0]))}"
        for known, depth in different.items()
        if len(known) > 1 and is_worth_a_note([share for share, _ in known], sparse=sparse)
    ]
    if not ranges:
        return []
    number = max(map(len, shares.values()))
    return [f"{', '.join(ranges)}{f' over {number:,} runs' * (number > 2)}: {HINT}"]


def _range_text(shares: list[tuple[float, str]]) -> str:
    """Return the lowest and the highest of sorted proportions, with the names of the runs."""
    (low, lowest), *_, (high, highest) = shares
    if len(shares) == 2:
        return f"{low:.1%} for {lowest} and {high:.1%} for {highest}"
    return f"{low:.1%} ({lowest}) to {high:.1%} ({highest})"
