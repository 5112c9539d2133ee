"""Lengths of documents, for measures that model reading time or effort."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.data.files.columns import NAMES, column_suffix, read_frame, strings
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.number_columns import numbers

LENGTH = ("length", "words", "tokens", "doclen", "doc_length", "document_length")
LINE = "a line reads: document length"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lengths:
    """How many words each document has; ``default`` is for a document that is not among them."""

    documents: Strings
    values: NDArray[np.float64]
    default: float
    source: Source

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Lengths({self.source.name!r}: {len(self)} documents, {self.default:g} words where nobody knows)"

    def native(self) -> _native.Attribute:
        """The same, as the native reader wants it."""
        return _native.Attribute(self.documents, self.values, self.default)

    def of(self, documents: Strings) -> NDArray[np.float64]:
        """(document,): how long each of some documents is."""
        length = self._where(documents)
        return np.where(np.isnan(length), self.default, length)

    def among(self, documents: Strings) -> NDArray[np.bool_]:
        """(document,): whether somebody knows how long each of some documents is."""
        return ~np.isnan(self._where(documents))

    def _where(self, documents: Strings) -> NDArray[np.float64]:
        ours, theirs = _places(self.documents, documents)
        known = np.full(max(ours.max(initial=-1), theirs.max(initial=-1)) + 1, np.nan)
        known[ours] = self.values
        return known[theirs]


def read_lengths(data: Any, *, default: float | None = None, name: str | None = None) -> Lengths:
    """The lengths of documents from a file, a frame, or a dict of document and length.

    A file has two columns, document and length, with or without a header (TSV, CSV, Parquet, JSON Lines; packed or
    not). Documents that are not in it are taken to be as long as ``default``: the mean of those that are.
    """
    if isinstance(data, Lengths):
        return data
    is_file = isinstance(data, str | PathLike)
    name = name or (fspath(data) if is_file else "lengths")
    column, number = _from_file(Path(data), name) if is_file else _from_object(data, name)
    documents, values = strings(column, "document", name), numbers(number, "length", name)
    if not len(values) or len(documents) != len(values):
        code = "E-COLUMNS" if len(values) else "E-EMPTY"
        raise problem(name, code, f"there are {len(documents)} documents and {len(values)} lengths", LINE)
    if values.min() < 0:
        row = int(values.argmin())
        raise problem(name, "E-RANGE", f"length {values[row]:g} in row {row} is below 0", "count the words again")
    places = _places(documents)[0]
    if len(places) > places.max() + 1:
        twice = int(np.flatnonzero(np.bincount(places)[places] > 1)[0])
        raise problem(name, "E-DUPDOC", f"document {documents[twice]} stands twice", "keep one line for each document")
    source = Source(name, digest(documents, values), "lengths")
    return Lengths(documents, values, float(values.mean() if default is None else default), source)


def _places(*columns: Strings) -> list[NDArray[np.int64]]:
    """For each id of each column, which of the different ids it is."""
    everywhere = Strings(["all"])
    tables = [(everywhere, np.zeros(len(column), np.uint32), column) for column in columns]
    return _native.Names(tables).rows


def _from_file(path: Path, name: str) -> tuple[Any, Any]:
    match column_suffix(path):
        case ".parquet":
            return _from_object(read_frame(path, "read_parquet"), name)
        case ".jsonl" | ".ndjson":
            return _from_object(read_frame(path, "read_ndjson", infer_schema_length=None), name)
        case ".csv":
            return _from_text(path, name, ",")
    return _from_text(path, name, "\t", " ")


def _from_text(path: Path, name: str, *separators: str) -> tuple[Any, Any]:
    """Two columns of a text; where the second cell of the first line is no number, the line is a header."""
    options = {"has_header": False, "infer_schema": False, "quote_char": '"' if separators == (",",) else None}
    for separator in separators:
        frame = read_frame(path, "read_csv", separator=separator, **options)
        if frame.width > 1:
            break
    if frame.width != 2:
        raise problem(name, "E-FIELDS", f"the first line has {frame.width} columns", LINE)
    header = frame.row(0)
    try:
        float(header[1] or "")
    except ValueError:
        named = dict(zip(header, frame.slice(1).get_columns(), strict=True))
        return _from_object(named, name) if set(header) & set(LENGTH) else tuple(named.values())
    return tuple(frame.get_columns())


def _from_object(data: Any, name: str) -> tuple[Any, Any]:
    if isinstance(data, Mapping) and all(isinstance(value, Real) for value in data.values()):
        return list(data), list(data.values())
    if type(data).__module__.startswith("polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    # pyarrow's Table has .columns too: they are the data, its names are elsewhere.
    columns = next((getattr(data, key) for key in ("column_names", "columns") if hasattr(data, key)), data)
    if not hasattr(data, "__getitem__"):
        hint = "give a file name, a frame with columns document and length, or a dict"
        raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no lengths", hint)
    there = [str(column) for column in columns]
    found = [next((alias for alias in aliases if alias in there), None) for aliases in (NAMES["document"], LENGTH)]
    if None in found:
        hint = f"there are: {listed(there, most=8)}; they may be called document and {', '.join(LENGTH)}"
        raise problem(name, "E-COLUMNS", "there is no column for the document or for the length", hint)
    return data[found[0]], data[found[1]]
