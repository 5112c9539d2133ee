"""Mean, standard deviation and reference values of each topic, to standardise values of other runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Input, Table
from cranfield.core.types import Matrix
from cranfield.data.files.columns import NAMES, column_suffix, read_frame
from cranfield.data.files.data_source import digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.number_columns import numbers

SD = ("sd", "stddev", "std")
MEASURE = ("measure", "metric")
HINT = "the columns are topic, mean and sd, then maybe 1, 2, 3 … with the values themselves"
LINE = "a line reads: topic measure mean sd"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Norms:
    """Mean, standard deviation and values of a reference set of runs, topic by topic, for one measure."""

    topics: tuple[str, ...]
    mean: NDArray[np.float64]  # (topic,)
    sd: NDArray[np.float64]
    reference: Matrix | None = None  # (topic, run): values in order, NaN at the end; None: only mean and sd are known
    measure: str = ""
    name: str = "norms"  # of the file, for messages

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        runs = "" if self.reference is None else f", {self.reference.shape[1]} runs"
        return f"Norms({self.name!r}: {len(self)} topics{runs})"

    def of(self, topics: Sequence[str]) -> "Norms":
        """Those of some topics, in their order."""
        place = {topic: row for row, topic in enumerate(self.topics)}
        missing = [topic for topic in topics if topic not in place]
        if missing:
            hint = "standardise by the runs at hand, or leave these topics out"
            raise problem(self.name, "E-NORM", f"there are no norms for topic {listed(missing)}", hint)
        rows = [place[topic] for topic in topics]
        reference = None if self.reference is None else self.reference[rows]
        return replace(self, topics=tuple(topics), mean=self.mean[rows], sd=self.sd[rows], reference=reference)

    def as_input(self) -> Input:
        """The entry of these norms in a result's provenance."""
        return Input(self.name, digest(self.mean, self.sd), "norms")

    def to_table(self) -> Table:
        """One row for each topic: mean, sd, and the values in columns 1, 2, 3 …"""
        columns: dict[str, Any] = {"topic": self.topics}
        columns |= {"measure": [self.measure] * len(self)} if self.measure else {}
        columns |= {"mean": self.mean, "sd": self.sd}
        reference = np.empty((len(self), 0)) if self.reference is None else self.reference
        return Table(columns | {str(run + 1): column for run, column in enumerate(reference.T)}, "norms")


def write_norms(norms: Norms | Sequence[Norms], path: str | PathLike[str]) -> None:
    """Write norms as CSV, exact to the last digit; those of several measures into one file."""
    tables = [one.to_table() for one in ([norms] if isinstance(norms, Norms) else norms)]
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    columns = {
        name: [
            cell for table in tables for cell in (table.cells(name) if name in table.columns else [None] * len(table))
        ]
        for name in names
    }
    Table(columns, "norms").to_csv(path)


def read_norms(path: str | PathLike[str], *, measure: str = "") -> Norms:
    """The norms of one measure from a CSV file, or from the text that trec_eval's ``-Z`` reads.

    CSV has the columns topic, mean and sd, a column measure where there are several, and 1, 2, 3 … where the values of
    the reference runs are known. A line for ``-Z`` reads: topic measure mean sd.
    """
    name = fspath(path)
    frame = _columns(Path(path), name)
    chosen = _chosen(frame.pop("measure", None), measure, name)
    rows = np.arange(len(frame["topic"])) if chosen is None else chosen
    topics = [str(frame["topic"][row]) for row in rows]
    twice = (
        next((topic for topic in topics if topics.count(topic) > 1), None) if len(set(topics)) < len(topics) else None
    )
    if twice is not None:
        raise problem(name, "E-DUPTOPIC", f"topic {twice} stands twice", "keep one line for each topic")
    mean, sd = (numbers([frame[column][row] for row in rows], column, name) for column in ("mean", "sd"))
    if sd.min() < 0:
        row = int(sd.argmin())
        message = f"sd {sd[row]:g} of topic {topics[row]} is below 0"
        raise problem(name, "E-RANGE", message, "a standard deviation is 0 or more")
    return Norms(tuple(topics), mean, sd, _reference(frame, rows, name), measure, name)


def _columns(path: Path, name: str) -> dict[str, list[Any]]:
    """The columns of a file by our names for them."""
    if column_suffix(path) != ".csv":
        return _lines(path, name)
    frame = read_frame(path, "read_csv", infer_schema=False)
    aliases = {"topic": NAMES["topic"], "mean": ("mean",), "sd": SD, "measure": MEASURE}
    found = {}
    for wanted, known in aliases.items():
        column = next((alias for alias in known if alias in frame.columns), None)
        if column is not None:
            found[wanted] = frame[column].to_list()
        elif wanted != "measure":
            hint = f"there are: {listed(frame.columns, most=8)}; {HINT}"
            raise problem(name, "E-COLUMNS", f"there is no column {wanted}", hint)
    if not frame.height:
        raise problem(name, "E-EMPTY", "the file has no rows", HINT)
    values = sorted((column for column in frame.columns if column.isdecimal()), key=int)
    return found | {column: frame[column].to_list() for column in values}


def _lines(path: Path, name: str) -> dict[str, list[Any]]:
    """Lines with four fields, as trec_eval reads them."""
    whole = {"has_header": False, "infer_schema": False, "quote_char": None, "separator": "\x01"}
    text = read_frame(path, "read_csv", **whole).to_series().to_list()
    lines = [(number, line.split()) for number, line in enumerate(text, 1) if line and line.strip()]
    for number, fields in lines:
        if len(fields) != 4:
            message = f"the line has {len(fields)} field{'s' * (len(fields) != 1)}"
            raise problem(name, "E-FIELDS", message, LINE, line=number)
    if not lines:
        raise problem(name, "E-EMPTY", "the file has no rows", LINE)
    columns = zip(*(fields for _, fields in lines), strict=True)
    return dict(zip(("topic", "measure", "mean", "sd"), map(list, columns), strict=True))


def _chosen(measures: list[Any] | None, measure: str, name: str) -> NDArray[np.intp] | None:
    """The rows of one measure; all of them where the file names none."""
    if measures is None:
        return None
    there = list(dict.fromkeys(measures))
    if not measure and len(there) > 1:
        raise problem(name, "E-NORM", f"there are norms of {len(there)} measures", f"name one of {listed(there)}")
    wanted = measure or there[0]
    if wanted not in there:
        raise problem(name, "E-NORM", f"there are no norms of {wanted}", f"there are: {listed(there, most=8)}")
    return np.flatnonzero([one == wanted for one in measures])


def _reference(frame: dict[str, list[Any]], rows: NDArray[np.intp], name: str) -> Matrix | None:
    """(topic, run): the values in order; nothing where there are none."""
    columns = [column for column in frame if column.isdecimal()]
    if not columns or all(frame[column][row] is None for column in columns for row in rows):
        return None
    matrix = np.full((len(rows), len(columns)), np.nan)
    for place, column in enumerate(columns):
        cells = [frame[column][row] for row in rows]
        there = [cell is not None for cell in cells]
        matrix[there, place] = numbers([cell for cell in cells if cell is not None], "value", name)
    return np.sort(matrix, axis=1)
