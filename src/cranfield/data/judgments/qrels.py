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
        """The judgments as rows of topic, document and grade; and of subtopic, if they are by subtopic."""
        whole = self.grade.astype(np.int64)
        grade: NDArray[Any] = whole if np.array_equal(whole, self.grade) else self.grade
        topic = self.topics.take(self.topic.astype(np.int64)).to_list()
        columns: dict[str, Any] = {"topic": topic}
        if self.by_subtopic:
            columns["subtopic"] = self.subtopics.take(self.subtopic.astype(np.int64)).to_list()
        return Table(columns | {"document": self.document.to_list(), "grade": grade}, self.source.name)

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
        return _from_columns(columns, name or str(path), gains=gains, subtopics=subtopics, check=check)
    name = name or "qrels"
    columns = from_object(data, "grade", name=name)
    return _from_columns(columns, name, gains=gains, subtopics=subtopics, check=check)


def _from_text(path: Path, name: str, *, gains: bool, subtopics: bool, check: bool) -> Qrels:
    read = _native.read_qrels(path, gains=gains, subtopics=subtopics)
    problems = judgment_problems(name, read, subtopics=subtopics)
    source = Source(name, read.get("digest", ""), "qrels", problems, read.get("header", ""))
    return _from_read(read, source, subtopics=subtopics, check=check)


def judgment_problems(name: str, read: dict[str, Any], *, subtopics: bool = False) -> Problems:
    """Return the problems that the native reader reports; a document judged twice may have several subtopics."""
    problems = Problems.of(name, read)
    if subtopics or len(read.get("iterations", ())) < 2:
        return problems
    kept = tuple(
        replace(one, hint=f"{one.hint}; {SUBTOPICS}") if one.code in ("E-DUPQREL", "E-CONFLICT") else one
        for one in problems.kept
    )
    return replace(problems, kept=kept)


def _from_columns(columns: Columns, name: str, *, gains: bool, subtopics: bool, check: bool) -> Qrels:
    topic, document, grade = columns.topic, columns.document, columns.number
    if not len(grade):
        raise problem(name, "E-EMPTY", "there are no judgments", "a judgment has a topic, a document and a grade")
    further: dict[str, Any] = {"iteration": columns.iteration, "line": columns.line}
    read = _native.check_qrels(topic, document, grade, gains=gains, subtopics=subtopics, **further)
    problems = judgment_problems(name, read, subtopics=subtopics).after(columns.problems)
    source = Source(name, digest(topic, document, grade), "qrels", problems)
    return _from_read(read, source, subtopics=subtopics, check=check)


def _from_read(read: dict[str, Any], source: Source, *, subtopics: bool, check: bool) -> Qrels:
    """Return judgments as the native reader found them."""
    if check or "grade" not in read:
        source.problems.stop()
    rows = (read["topics"], read["topic"], read["document"], read["grade"], read["iterations"], read["iteration"])
    return Qrels(*rows, source, subtopics)
