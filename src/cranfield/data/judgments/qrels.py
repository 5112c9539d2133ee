"""Relevance judgments (qrels): the grade of each judged document of each topic."""

from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import Table
from cranfield.data.files.columns import Columns, from_file, from_object
from cranfield.data.files.data_source import Source, digest, is_dataset
from cranfield.data.files.input_problems import Problems, problem

if TYPE_CHECKING:
    import polars as pl


SUBTOPICS = "if the second column is a subtopic, say so: --subtopics (subtopics=True)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Qrels:
    """Judgments: the grade that each document of each topic was given; below 0 counts as unjudged."""

    topics: Strings  # distinct, in order of appearance
    topic: NDArray[np.uint32]  # (judgment,): which topic
    document: Strings  # (judgment,)
    grade: NDArray[np.float64]  # (judgment,)
    subtopics: Strings  # distinct values of the second column
    subtopic: NDArray[np.uint32]  # (judgment,)
    source: Source
    by_subtopic: bool = False  # whether the second column was read as a subtopic

    def __len__(self) -> int:
        return len(self.grade)

    def __repr__(self) -> str:
        relevant = int((self.grade > 0).sum())
        return f"Qrels({self.source.name!r}: {len(self.topics)} topics, {len(self)} judgments, {relevant} relevant)"

    def by_topic(self) -> dict[str, dict[str, float]]:
        """The grade of each judged document, topic by topic."""
        found: dict[str, dict[str, float]] = {topic: {} for topic in self.topics.to_list()}
        names = list(found)
        rows = zip(self.topic.tolist(), self.document.to_list(), self.grade.tolist(), strict=True)
        for topic, document, grade in rows:
            found[names[topic]][document] = grade
        return found

    def to_table(self) -> Table:
        """The judgments as rows of topic, document and grade."""
        whole = self.grade.astype(np.int64)
        grade: NDArray[Any] = whole if np.array_equal(whole, self.grade) else self.grade
        topic = self.topics.take(self.topic.astype(np.int64)).to_list()
        return Table({"topic": topic, "document": self.document.to_list(), "grade": grade}, self.source.name)

    def to_polars(self) -> "pl.DataFrame":
        """The judgments as a polars frame."""
        return self.to_table().to_polars()


def read_qrels(
    data: Any,
    *,
    gains: bool = False,
    subtopics: bool = False,
    name: str | None = None,
    check: bool = True,
) -> Qrels:
    """Judgments from a file (TREC, BEIR, JSON, Parquet, CSV; packed or not), a frame, a dict of dicts or a dataset.

    A dataset is what ir_datasets has under an id: ``ir_datasets:beir/scifact/test``.
    ``gains`` lets grades be decimals; ``subtopics`` reads the second column as a subtopic, so that a document may be
    judged once for each. With ``check=False`` errors are kept in ``source.problems`` instead of raised.
    """
    if isinstance(data, Qrels):
        return replace(data, by_subtopic=True) if subtopics else data
    if is_dataset(data):
        from cranfield.data.files.ir_datasets import dataset_judgments

        name, data = name or data, dataset_judgments(data)
    if isinstance(data, str | PathLike):
        path = Path(fspath(data))
        columns = from_file(path, "grade")
        if columns is None:
            return _from_text(path, name or str(path), gains=gains, subtopics=subtopics, check=check)
        return _from_columns(columns, name or str(path), gains=gains, subtopics=subtopics)
    name = name or "qrels"
    return _from_columns(from_object(data, "grade", name=name), name, gains=gains, subtopics=subtopics)


def _from_text(path: Path, name: str, *, gains: bool, subtopics: bool, check: bool) -> Qrels:
    read = _native.read_qrels(path, gains=gains, subtopics=subtopics)
    problems = Problems.of(name, read)
    if not subtopics and len(read.get("iterations", ())) > 1:
        problems = _with_subtopics_in_mind(problems)
    if check or "grade" not in read:
        problems.stop()
    source = Source(name, read["digest"], "qrels", problems, read["header"])
    return Qrels(
        read["topics"],
        read["topic"],
        read["document"],
        read["grade"],
        read["iterations"],
        read["iteration"],
        source,
        subtopics,
    )


def _with_subtopics_in_mind(problems: Problems) -> Problems:
    """Where a document is judged twice: perhaps once for each of several subtopics."""
    kept = tuple(
        replace(found, hint=f"{found.hint}; {SUBTOPICS}") if found.code == "E-DUPQREL" else found
        for found in problems.kept
    )
    return replace(problems, kept=kept)


def _from_columns(columns: Columns, name: str, *, gains: bool, subtopics: bool) -> Qrels:
    topics, topic = columns.topic.distinct()
    grade = columns.number
    if not len(grade):
        raise problem(name, "E-EMPTY", "there are no judgments", "a judgment has a topic, a document and a grade")
    decimal = np.flatnonzero(grade != np.trunc(grade))
    if len(decimal) and not gains:
        message = f"grade {grade[decimal[0]]} in row {decimal[0]} is not a whole number"
        raise problem(name, "E-DECIMAL", message, "if decimals are meant: gains=True")
    iteration = columns.iteration or Strings(["0"] * len(grade))
    second, subtopic = iteration.distinct()
    _once(columns, topics, topic, subtopic, name)
    source = Source(name, digest(columns.topic, columns.document, grade), "qrels")
    return Qrels(topics, topic, columns.document, grade, second, subtopic, source, subtopics)


def _once(
    columns: Columns, topics: Strings, topic: NDArray[np.uint32], subtopic: NDArray[np.uint32], name: str
) -> None:
    """Refuse a document that is judged twice in a topic, or in one subtopic of it."""
    rows = _native.Names([(topics, topic, columns.document)]).rows[0]
    first = np.unique(rows * (int(subtopic.max()) + 1) + subtopic, return_index=True)[1]
    if len(first) < len(rows):
        again = int(np.setdiff1d(np.arange(len(rows)), first)[0])
        message = f"document {columns.document[again]} is judged twice in topic {columns.topic[again]} (row {again})"
        raise problem(name, "E-DUPQREL", message, "keep one row for each document of a topic")
