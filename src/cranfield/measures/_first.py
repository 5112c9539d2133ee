"""Where runs put the first relevant document: what the outcomes of a comparison start from."""

import numpy as np

from cranfield.core.types import Matrix
from cranfield.data import Values

from ._cascade import RR
from ._dominance import first_ranks

NEAR = 5.1e-5  # four decimals tell the ranks of reciprocals apart, down to rank 100


def found_first(values: Values, *, rel: float = 1, cutoff: int = 100) -> Matrix | None:
    """(topic, run): the rank of the first relevant document in the first ``cutoff``; NaN where there is none.

    From the rankings where they are known, else from values of RR, whose reciprocals these ranks are; None where
    neither is there.
    """
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
