"""Index of the documents of several runs: one number for each topic and document."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings

from .run import WHOLE, Run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedDocuments:
    """The documents that runs retrieved, each once for its topic: by topic, then by id, descending by bytes.

    In this order documents of one score are ranked, so that a stable sort by score breaks ties as everywhere.
    """

    topics: Strings  # in order of first appearance over the runs
    topic: NDArray[np.int64]  # (document,): which topic
    document: Strings
    rows: tuple[NDArray[np.int64], ...]  # for each run, which of these documents each of its rows is

    def __len__(self) -> int:
        return len(self.topic)

    def together(self, order: Sequence[int], topics: Collection[str]) -> list[int]:
        """How many different documents of these topics the first run has, the first two, …: the size of a pool."""
        asked = np.array([topic in topics for topic in self.topics.to_list()], dtype=bool)[self.topic]
        there = np.zeros(len(self), dtype=bool)
        sizes = []
        for run in order:
            there[self.rows[run]] = True
            sizes.append(int((there & asked).sum()))
        return sizes


def name_documents(runs: Sequence[Run]) -> NamedDocuments:
    """Number the documents that any of the runs retrieved."""
    names = _native.Names([(run.topics, run.topic, run.document) for run in runs])
    topic = np.repeat(np.arange(len(names.topics), dtype=np.uint32), np.diff(names.starts))
    nothing = np.zeros(len(topic))
    # Where all scores are equal, the order of ties is the order.
    ordered = _native.rank_run(names.topics, topic, names.documents, nothing, depth=WHOLE)["documents"]
    tables = [(names.topics, topic, names.documents), (names.topics, topic, ordered)]
    place = np.empty(len(topic), dtype=np.int64)
    place[_native.Names(tables).rows[1]] = np.arange(len(topic))
    return NamedDocuments(names.topics, topic.astype(np.int64), ordered, tuple(place[rows] for rows in names.rows))
