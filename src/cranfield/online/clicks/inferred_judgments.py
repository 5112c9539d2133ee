"""Relevance judgments inferred from clicks by a fitted click model."""

from collections.abc import Sequence

import numpy as np

from cranfield.core import ParameterError
from cranfield.data import Qrels, read_qrels
from cranfield.online.logs.clicked_pages import Cells, Pages

from .fitted_model import Fitted
from .probability_estimates import LEVEL


def inferred_qrels(
    fitted: Fitted,
    log: Pages | Cells,
    *,
    cuts: Sequence[float] = (),
    lower: bool = False,
    level: float = LEVEL,
    least: float = 1,
    name: str = "",
) -> Qrels:
    """The relevance that a click model sees in documents, as judgments.

    Relevance is the gain as it is; with ``cuts`` the grade is how many of them it reaches. With ``lower`` the lower
    bound stands for the estimate, so that documents seen too seldom are not believed. Documents with fewer than
    ``least`` impressions in the log are not judged.
    """
    if list(cuts) != sorted(set(cuts)):
        raise ParameterError(f"the cuts {list(cuts)} do not rise", hint="for example cuts=(0.1, 0.3, 0.6)")
    found, pairs = fitted.relevance, fitted.pairs
    place = pairs.find(log.pairs)
    kept = np.flatnonzero((log.shown_by_pair >= max(least, 1)) & (place >= 0))
    if not len(kept):
        message = f"no document has {least:g} impressions and was learnt from"
        raise ParameterError(message, hint="lower `least`, or give the log that the model learnt from")
    relevance = (found.lower(level) if lower else found.value)[place[kept]]
    grade = np.searchsorted(np.asarray(cuts), relevance, side="right") if len(cuts) else relevance
    rows = {
        "topic": [log.pairs.topics[index] for index in log.pairs.topic[kept].tolist()],
        "document": [log.pairs.documents[index] for index in log.pairs.document[kept].tolist()],
        "grade": grade.astype(np.float64),
    }
    return read_qrels(rows, gains=True, name=name or f"inferred from clicks by {fitted.model}")
