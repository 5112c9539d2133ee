"""Look up the grades, or the indices, of documents in a set of judgments."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.data.assessed.assessed_runs import Assessed
from cranfield.data.assessed.block import NOBODY

from .qrels import Qrels


def find_grades(
    qrels: Qrels, topics: Sequence[str], topic: NDArray[np.int64], document: Strings
) -> NDArray[np.float64]:
    """(document,): the grade that judgments give each document of its topic; −inf where nobody judged it."""
    tables = [(Strings(topics), topic.astype(np.uint32), document), (qrels.topics, qrels.topic, qrels.document)]
    asked, judged = _native.Names(tables).rows
    grade = np.full(int(max(asked.max(initial=-1), judged.max(initial=-1))) + 1, NOBODY)
    grade[judged] = qrels.grade
    return grade[asked]


def find_named(
    assessed: Assessed, topics: Sequence[str], topic: NDArray[np.int64], document: Strings
) -> NDArray[np.int64]:
    """(document,): which named document each is; −1 where the judgments do not name it."""
    own = np.repeat(np.arange(len(assessed.topics), dtype=np.uint32), np.diff(assessed.named))
    known = (Strings(assessed.topics), own, assessed.documents.take(np.arange(len(own))))
    asked, named = _native.Names([(Strings(topics), topic.astype(np.uint32), document), known]).rows
    place = np.full(int(max(asked.max(initial=-1), named.max(initial=-1))) + 1, -1)
    place[named] = np.arange(len(named))
    return place[asked]
