"""Assessed runs from arrays of grades or documents, without files."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.data.files.data_source import Source
from cranfield.data.judgments.qrels import Qrels
from cranfield.data.judgments.side_tables import SideTable

from .assessed_runs import Assessed
from .block import NOBODY


def assess_grades(
    rankings: Sequence[Sequence[float]],
    missed: Sequence[Sequence[float]] = (),
    *,
    beside: Mapping[str, Sequence[Sequence[float]]] | None = None,
) -> Assessed:
    """One run whose rankings are given by the grades down them, a topic each; below 0 is a document nobody judged.

    ``missed`` are the grades of judged documents that each ranking does not hold. ``beside`` has a row for each
    document of a side table, topic by topic, those that are missed last; its columns count alike.
    """
    lengths = np.array([len(ranking) for ranking in rankings])
    others = [list(missed[t]) if t < len(missed) else [] for t in range(len(rankings))]
    named = np.concatenate(([0], np.cumsum([len(r) + len(m) for r, m in zip(rankings, others, strict=True)])))
    grades = [float(grade) for r, m in zip(rankings, others, strict=True) for grade in (*r, *m)]
    grade = np.array([number if number >= 0 else NOBODY for number in grades])
    rank = np.concatenate([np.arange(1, n + 1) for n in lengths]).astype(np.int32)
    first = np.repeat(named[:-1], lengths)
    return Assessed(
        runs=("run",),
        topics=tuple(str(t + 1) for t in range(len(rankings))),
        documents=Strings([f"document {d + 1}" for d in range(len(grade))]),
        named=named,
        grade=grade,
        starts=np.concatenate(([0], lengths.cumsum())),
        document=(first + rank - 1).astype(np.int32),
        rank=rank,
        tie_first=rank,
        tie_last=rank,
        retrieved=lengths.astype(np.int32),
        tied=np.zeros(len(lengths), np.int32),
        tables={kind: _table(rows, len(rankings)) for kind, rows in (beside or {}).items()},
    )


def _table(rows: Sequence[Sequence[float]], topics: int) -> SideTable:
    value = np.array([[float(number) for number in row] for row in rows])
    columns = value.shape[1]
    return SideTable(tuple(str(i + 1) for i in range(columns)), value, np.full((topics, columns), 1 / columns))


def assess_documents(document: NDArray[np.int32], grade: NDArray[np.float64]) -> Assessed:
    """As many runs of one topic as there are rows of documents (run, rank), given by their places in ``grade``.

    The documents have no names.
    """
    runs, length = document.shape
    rank = np.tile(np.arange(1, length + 1, dtype=np.int32), runs)
    return Assessed(
        runs=("run",) * runs,
        topics=("1",),
        documents=Strings([]),
        named=np.array([0, len(grade)]),
        grade=grade,
        starts=np.arange(0, runs * length + 1, length),
        document=document.reshape(-1),
        rank=rank,
        tie_first=rank,
        tie_last=rank,
        retrieved=np.full(runs, length, np.int32),
        tied=np.zeros(runs, np.int32),
    )


def judgments_of(assessed: Assessed) -> Qrels:
    """The judgments that assessed runs were met by: for other runs of the same topics."""
    judged = np.flatnonzero(assessed.grade > NOBODY)
    topic = np.repeat(np.arange(len(assessed.topics), dtype=np.uint32), np.diff(assessed.named))
    stratum = np.zeros(len(topic), np.uint32) if assessed.stratum is None else assessed.stratum.astype(np.uint32)
    return Qrels(
        Strings(assessed.topics),
        topic[judged],
        assessed.documents.take(judged),
        assessed.grade[judged],
        Strings([str(number) for number in range(int(stratum.max(initial=0)) + 1)]),
        stratum[judged],
        next((source for source in assessed.sources if source.kind == "qrels"), Source("qrels", "", "qrels")),
    )
