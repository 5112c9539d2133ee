"""Proportions of judged documents near the top of runs, and the note where they are low or differ between runs."""

from collections.abc import Sequence
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


def judged_depth(values: "Values") -> int:
    """Return the rank down to which documents are checked: the cutoff of the first measure, 100 at most."""
    cutoff = getattr(values.measures[0], "k", None)
    return min(cutoff, MAX_DEPTH) if isinstance(cutoff, int) and cutoff > 0 else MAX_DEPTH


def judged_shares(values: "Values", cutoff: int) -> Matrix | None:
    """Return (run,): the mean proportion of the first ``cutoff`` documents that are judged; None without rankings."""
    assessed = values.assessed
    if assessed is None:
        return None
    rows = assessed.once_here(("judged", cutoff), lambda: np.diff(assessed.only(assessed.grade >= 0, cutoff).starts))
    shape = len(assessed.runs), len(assessed.topics)
    judged = rows.reshape(shape)[:, values.places]
    there = np.minimum(assessed.retrieved, cutoff).reshape(shape)[:, values.places]
    share = np.divide(judged, there, out=np.zeros(there.shape), where=there > 0)
    return share.sum(axis=1) / np.maximum((there > 0).sum(axis=1), 1)


def proportion_single(values: "Values", rel: float = 1) -> float | None:
    """Return the proportion of topics with exactly one relevant document, among topics with at least one."""
    if values.assessed is None:
        return None
    counts = values.assessed.relevant(rel)[values.places]
    some = int((counts > 0).sum())
    return float((counts == 1).sum() / some) if some else None


def is_worth_a_note(shares: Sequence[float], *, sparse: bool) -> bool:
    """Return whether few documents of a run are judged, or runs differ in that.

    With ``sparse`` labels few documents are judged by design, and only a difference counts.
    """
    low = min(shares) < MIN_JUDGED - ROUNDING and not sparse
    return low or max(shares) - min(shares) > MAX_DIFFERENCE + ROUNDING


def unjudged_notes(*parts: "Values", runs: Sequence[int] | None = None) -> list[str]:
    """Return a note where few documents of the compared runs are judged, or where runs differ in that.

    Several ``parts`` have other runs of the same comparison. ``runs`` are the indices of the runs that are compared.
    """
    depth = judged_depth(parts[0])
    shares: list[tuple[float, str]] = []
    for values in parts:
        found = judged_shares(values, depth)
        if found is not None:
            shares += [(float(found[run]), values.runs[run]) for run in (range(len(found)) if runs is None else runs)]
    single = [proportion_single(values, getattr(values.measures[0], "rel", None) or 1) for values in parts]
    sparse = all(one is None or one >= SPARSE for one in single)
    if len(shares) < 2 or not is_worth_a_note([share for share, _ in shares], sparse=sparse):
        return []
    (low, lowest), *_, (high, highest) = sorted(shares, key=lambda one: one[0])
    if len(shares) == 2:
        range_text = f"{low:.1%} for {lowest} and {high:.1%} for {highest}"
    else:
        range_text = f"{low:.1%} ({lowest}) to {high:.1%} ({highest}) over {len(shares):,} runs"
    return [f"Judged@{depth} is {range_text}: {HINT}"]
