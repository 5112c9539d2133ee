"""Rank of the first relevant document by topic and run, and unjudged documents within a cutoff."""

import numpy as np

from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.measures.pairs.rank_dominance import check_depth, first_ranks

from .cascade import RR

CUTOFF = 100  # where the first measure has none
NEAR = 5.1e-5  # four decimals tell the ranks of reciprocals apart, down to rank 100


def found_first(values: Values, *, rel: float = 1, cutoff: int = 100) -> Matrix | None:
    """(topic, run): the rank of the first relevant document in the first ``cutoff``; NaN where there is none.

    From the rankings where they are known, else from values of RR, whose reciprocals these ranks are; None where
    neither is there.
    """
    check_depth(cutoff)
    if values.assessed is not None:
        return first_ranks(values.assessed, rel=rel, depth=cutoff)[values.places]
    reciprocal = next((measure for measure in values.measures if isinstance(measure, RR)), None)
    if reciprocal is None:
        return None
    matrix = values.matrix(reciprocal)
    rank = np.rint(np.divide(1, matrix, out=np.full_like(matrix, np.nan), where=matrix > 0))
    if np.nanmax(np.abs(1 / rank - matrix), initial=0.0) > NEAR:
        return None  # no reciprocals of ranks, whatever they are called
    return np.where(rank <= cutoff, rank, np.nan)


def cutoff_of(values: Values) -> int:
    """Return the rank within which a topic counts as answered: the cutoff of the first measure, 100 if it has none."""
    return int(getattr(values.measures[0], "k", None) or CUTOFF)


def unjudged_within(values: Values, cutoff: int) -> Matrix | None:
    """(topic, run): how many of the first ``cutoff`` documents nobody judged; None where no rankings are known."""
    looked = _looked(values, cutoff)
    return None if looked is None else looked[0]


def unjudged_share(values: Values, cutoff: int) -> Matrix | None:
    """(topic, run): the share of the first ``cutoff`` documents that nobody judged, of all retrieved if they are fewer.

    NaN where a run has no document for a topic; None where no rankings are known.
    """
    looked = _looked(values, cutoff)
    if looked is None:
        return None
    unjudged, there = looked
    return np.divide(unjudged, there, out=np.full(there.shape, np.nan), where=there > 0)


def _looked(values: Values, cutoff: int) -> tuple[Matrix, Matrix] | None:
    """(topic, run) twice: how many of the first documents nobody judged, and how many there are."""
    check_depth(cutoff)
    if values.assessed is None:
        return None
    judged = values.assessed.count_first(values.assessed.grade >= 0, cutoff)
    there = np.minimum(values.assessed.retrieved, cutoff)
    shape = len(values.assessed.runs), len(values.assessed.topics)
    unjudged, seen = (rows.reshape(shape).T[values.places].astype(float) for rows in (there - judged, there))
    return unjudged, seen
