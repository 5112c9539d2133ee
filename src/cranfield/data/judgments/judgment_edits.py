"""Change single judgments, and tabulate judgments by grade, by topic and by change."""

from dataclasses import replace
from typing import Any

import numpy as np

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import ParameterError, Provenance, Table
from cranfield.data.files.data_source import digest

from .qrels import Qrels


def grades_table(qrels: Qrels, *, made_by: Provenance | None = None) -> Table:
    """One row for each grade, the highest first: how many judgments have it, in how many topics."""
    grades, place = np.unique(qrels.grade, return_inverse=True)
    counts = np.bincount(place, minlength=len(grades))
    topics = [len(np.unique(qrels.topic[place == i])) for i in range(len(grades))]
    whole = [int(grade) if grade == int(grade) else float(grade) for grade in grades]
    columns = {"grade": whole[::-1], "judgments": counts[::-1].tolist(), "topics": topics[::-1]}
    return Table(columns, f"{len(qrels):,} judgments by grade", made_by)


def judged_table(qrels: Qrels, *, rel: float = 1, made_by: Provenance | None = None) -> Table:
    """One row for each topic: how many documents were judged, how many of them are relevant (from grade ``rel`` on)."""
    judged = np.bincount(qrels.topic[qrels.grade >= 0], minlength=len(qrels.topics))
    relevant = np.bincount(qrels.topic[qrels.grade >= rel], minlength=len(qrels.topics))
    columns = {"topic": qrels.topics.to_list(), "judged": judged.tolist(), "relevant": relevant.tolist()}
    return Table(columns, f"{len(qrels.topics):,} topics", made_by)


def regraded_table(before: Qrels, after: Qrels, *, made_by: Provenance | None = None) -> Table:
    """One row for each document of a topic whose grade is another one; nothing where it was not judged."""
    tables = [(each.topics, each.topic, each.document) for each in (before, after)]
    names = _native.Names(tables)
    grades = np.full((2, len(names.documents)), np.nan)
    for mine, place, each in zip(grades, names.rows, (before, after), strict=True):
        mine[place] = np.where(each.grade >= 0, each.grade, np.nan)
    old, new = grades
    found = np.flatnonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    topic = np.searchsorted(names.starts, found, side="right") - 1
    columns: dict[str, list[Any]] = {
        "topic": names.topics.take(topic.astype(np.int64)).to_list(),
        "document": names.documents.take(found.astype(np.int64)).to_list(),
        "before": [None if np.isnan(grade) else float(grade) for grade in old[found]],
        "after": [None if np.isnan(grade) else float(grade) for grade in new[found]],
    }
    return Table(columns, f"{len(found):,} judgment{'s' * (len(found) != 1)} changed", made_by)


def regrade(qrels: Qrels, topic: str, document: str, grade: int) -> Qrels:
    """The same judgments but one: the document has this grade now, whether or not it had one."""
    known = qrels.topics.to_list()
    if topic not in known:
        hint = f"there are {len(known):,} topics, such as {', '.join(known[:3])}; a new topic needs a whole file"
        raise ParameterError(f"there is no topic {topic}", hint=hint)
    if not document or any(letter.isspace() for letter in document):
        raise ParameterError(f"a document cannot be called {document!r}", hint="give its name, without blanks")
    mine = np.flatnonzero(qrels.topic == known.index(topic))
    names = qrels.document.take(mine.astype(np.int64)).to_list()
    if names.count(document) > 1:
        hint = "upload a whole file"
        raise ParameterError(f"document {document} is judged for several subtopics of topic {topic}", hint=hint)
    if document in names:
        changed = qrels.grade.copy()
        changed[mine[names.index(document)]] = grade
        return _made(qrels, qrels.document, qrels.topic, changed, qrels.subtopic)
    at = int(mine[-1]) + 1  # behind the others of its topic
    documents = qrels.document.to_list()
    documents.insert(at, document)
    of = np.uint32(known.index(topic))
    second = qrels.subtopic[mine[-1]]
    return _made(
        qrels,
        Strings(documents),
        np.insert(qrels.topic, at, of),
        np.insert(qrels.grade, at, grade),
        np.insert(qrels.subtopic, at, second),
    )


def _made(qrels: Qrels, document: Strings, topic: np.ndarray, grade: np.ndarray, subtopic: np.ndarray) -> Qrels:
    source = replace(qrels.source, digest=digest(qrels.topics, document, grade))
    return replace(qrels, document=document, topic=topic, grade=grade, subtopic=subtopic, source=source)
