"""Read scores computed by other tools from a table with topics as rows and runs as columns."""

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import InputError, ParameterError, Provenance
from cranfield.data.files.columns import NAMES, column_suffix, read_frame
from cranfield.data.files.compressed_files import first_line
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem
from cranfield.data.files.text_checks import check_header

from .long_scores import from_rows, score_rows
from .value_cube import Given, Values

if TYPE_CHECKING:
    import polars as pl

SMALLEST, LARGEST = 1e-303, 1e303  # of the largest score: sums and differences of scores keep all their digits
SUMMARIES = ("all", "amean", "average", "avg", "mean", "median", "overall", "sum", "total")  # names of rows


def read_scores(data: Any, *, measure: str = "score") -> Values:
    """Values from a table of scores: topics as rows, runs as columns; or one value in each row.

    A first column named topic, query or qid holds the topic; otherwise every column is a run. Where there are columns
    for the run, the topic, the measure and the value, each row has one value, and measures have the names that stand
    there. ``data`` is a CSV or Parquet file, or a frame.
    """
    import polars as pl

    name = str(data) if isinstance(data, str | PathLike) else "scores"
    if hasattr(data, "replicates"):
        hint = "anova knows what to do with them; else average them first"
        raise ParameterError("these values have replicates", hint=hint)
    frame = score_frame(data, name)
    rows = score_rows(frame)
    if rows is not None:
        return from_rows(frame, rows, name)
    first = frame.columns[0] if frame.columns else ""
    if first.casefold() in (*NAMES["topic"], "topics"):
        topics: Sequence[str] = frame[first].cast(pl.String).to_list()
        frame = frame.drop(first)
    else:
        topics = [str(i + 1) for i in range(frame.height)]
    if not frame.width or not frame.height:
        raise problem(name, "E-EMPTY", "there are no scores", "topics are rows, runs are columns")
    empty = next((line for line, topic in enumerate(topics, start=2) if not topic), None)
    if empty:
        raise problem(name, "E-NULL", "the row has no topic", "give every row the topic it is about", line=empty)
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        raise problem(name, "E-DUPTOPIC", f"topic {twice} has two rows", "keep one row for each topic")
    check_no_summary(topics, name)
    matrix = np.empty((frame.height, frame.width))
    for i, column in enumerate(frame.columns):
        matrix[:, i] = score_column(frame[column], name, topics)
    check_size(matrix, name)
    source = Source(name, digest(matrix), "scores")
    everywhere = np.ones((frame.width, frame.height), dtype=bool)
    return Values(
        runs=tuple(frame.columns),
        topics=tuple(topics),
        measures=(Given(measure),),
        cube=matrix.T[:, :, None].copy(),
        counted=everywhere,
        missing=~everywhere,
        without_relevant=np.zeros((1, frame.height), dtype=bool),
        made_by=Provenance(inputs=(source.as_input(),), measures=(measure,)),
    )


def score_frame(data: Any, name: str) -> "pl.DataFrame":
    """A table as a frame; of a CSV file every cell is text."""
    import polars as pl

    if not isinstance(data, str | PathLike):
        return data if isinstance(data, pl.DataFrame) else pl.DataFrame(data)
    path = Path(data)
    if path.is_dir():
        raise problem(name, "E-FOLDER", "this is a folder", "name the file with the scores")
    if column_suffix(path) == ".parquet":
        found: pl.DataFrame = read_frame(path, "read_parquet")
        return found
    # Every column as text first: a cell that is no number can then be shown as it stands.
    separator = "\t" if ".tsv" in [suffix.lower() for suffix in path.suffixes[-2:]] else ","
    check_header(first_line(path), name, separator, used=())
    frame: pl.DataFrame = read_frame(path, "read_csv", infer_schema=False, separator=separator)
    twice = next((column for column in frame.columns if re.search(r"_duplicated_\d+$", column)), None)
    if twice:
        run = twice.rpartition("_duplicated_")[0]
        raise problem(name, "E-NAMES", f"two columns are called {run}", "give every run a name of its own")
    if all(map(_is_number, frame.columns)):
        hint = "the first line names the columns: topic, then the runs"
        raise problem(name, "E-COLUMNS", "the columns have no names, but numbers", hint, line=1)
    return frame.rename(str.strip).with_columns(pl.all().str.strip_chars())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def score_column(
    column: "pl.Series", name: str, topics: Sequence[str], *, runs: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """(row,): the finite numbers of a column; ``topics``, and ``runs`` if it has several, are for the message."""
    import polars as pl

    numbers = column.cast(pl.Float64, strict=False).to_numpy()
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        row = int(wrong[0])
        run = runs[row] if runs else column.name
        raise _wrong_score(name, run, topics[row], column[row], line=row + 2)
    return numbers


def check_no_summary(topics: Sequence[str], name: str) -> None:
    """Refuse a row that sums up the others, such as ``all`` of trec_eval: it would count as one topic more."""
    row = next((row for row, topic in enumerate(topics) if topic.casefold() in SUMMARIES), None)
    if row is not None:
        message = f'the row "{topics[row]}" looks like a summary of the topics, and would count as one'
        raise problem(name, "E-SUMMARY", message, "remove it, or give the topic another name", line=row + 2)


def check_size(scores: NDArray[np.float64], name: str) -> None:
    """Refuse scores that are all so small, or any so large, that sums and differences of them lose digits."""
    size = float(np.abs(scores).max(initial=0.0))
    if size == 0 or SMALLEST <= size <= LARGEST:
        return
    kind = "large" if size > 1 else "small"
    hint = "multiply all scores by one constant that brings them near 1: no test depends on it"
    raise problem(name, "E-SCORE", f"scores as {kind} as {size:.3g} exceed what floats can compute with", hint)


def _wrong_score(name: str, run: str, topic: str, cell: object, *, line: int) -> InputError:
    message = f'score "{cell}" of run {run} in topic {topic} is not a finite number'
    if cell is None:
        message = f"run {run} has no score in topic {topic}"
    return problem(name, "E-SCORE", message, "fill every cell: topics are rows, runs are columns", line=line)
