"""Table of results: named columns with a caption and provenance, and export to other formats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from os import PathLike
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import ParameterError, need
from .exact_formats import Cell
from .provenance import Provenance
from .rendering import DIGITS, render

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Column: TypeAlias = tuple[Cell, ...] | NDArray[Any]

ALL = slice(None)
PLAIN = {str, int, bool, date, NoneType}  # cells that are kept as they are


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length, a caption, and how they were made.

    Numbers keep every digit until they are shown. NaN is how a missing number is stored in an array; it comes out as
    ``None``, null or an empty cell. Two tables are equal when they look the same, however made. Only where people read
    it, ``best`` cells are emphasised, ``marks`` are superscripts of cells that the ``legend`` explains, and a number is
    followed by the interval between its ``ends``.
    """

    data: Mapping[str, Sequence[Any] | NDArray[Any]]
    caption: str = ""
    made_by: Provenance | None = None
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, str]] = frozenset()  # (row, column)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # column: those of its lower and upper end
    marks: Mapping[tuple[int, str], str] = field(default_factory=dict)  # (row, column): superscript
    legend: str = ""

    def __post_init__(self) -> None:
        frozen = {name: _freeze(name, column) for name, column in self.data.items()}
        sizes = {name: len(column) for name, column in frozen.items()}
        if len(set(sizes.values())) > 1:
            sized = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise ParameterError(f"columns differ in length: {sized}", hint="give every column one cell per row")
        object.__setattr__(self, "data", MappingProxyType(frozen))
        object.__setattr__(self, "notes", tuple(self.notes))
        object.__setattr__(self, "best", frozenset(self.best))
        object.__setattr__(self, "ends", MappingProxyType(dict(self.ends)))
        object.__setattr__(self, "marks", MappingProxyType(dict(self.marks)))

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Mapping[str, Any]],
        columns: Sequence[str],
        *,
        caption: str = "",
        made_by: Provenance | None = None,
        notes: tuple[str, ...] = (),
    ) -> "Table":
        """The table of some rows; ``columns`` gives the order, and the header where there are no rows."""
        return cls({name: [row[name] for row in rows] for name in columns}, caption, made_by, notes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.data)

    def column(self, name: str) -> Column:
        """One column as it is stored: a read-only array, or a tuple."""
        try:
            return self.data[name]  # type: ignore[return-value]  # frozen in __post_init__
        except KeyError:
            hint = f"there are: {', '.join(self.columns)}"
            raise ParameterError(f"the table has no column named {name!r}", hint=hint) from None

    def cells(self, name: str, rows: slice = ALL) -> list[Cell]:
        """One column (or some rows of it) as plain Python values, ``None`` where a number is missing."""
        column = self.column(name)[rows]
        if isinstance(column, np.ndarray):
            return [None if cell != cell else cell for cell in column.tolist()]  # NaN alone differs from itself
        return list(column)

    def rows(self) -> list[dict[str, Cell]]:
        """The rows as dictionaries of plain Python values."""
        columns = [self.cells(name) for name in self.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]

    def __getitem__(self, name: str) -> Column:
        return self.column(name)

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        mine, theirs = (
            (t.columns, t.caption, t.notes, t.best, dict(t.ends), dict(t.marks), t.legend) for t in (self, other)
        )
        return mine == theirs and all(self.cells(name) == other.cells(name) for name in self.columns)

    def __hash__(self) -> int:
        return hash((self.columns, self.caption, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        ends, marks = dict(self.ends), dict(self.marks)
        return Table, (dict(self.data), self.caption, self.made_by, self.notes, self.best, ends, marks, self.legend)

    def __str__(self) -> str:
        return render(self, "text")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return render(self, "html")

    def to_markdown(self, *, digits: int = DIGITS) -> str:
        """Return a pipe table, rounded to ``digits`` decimals."""
        return render(self, "markdown", digits=digits)

    def to_latex(self, *, digits: int = DIGITS) -> str:
        """Return a booktabs table, rounded to ``digits`` decimals and escaped."""
        return render(self, "latex", digits=digits)

    def to_json(self) -> str:
        """The rows as a JSON list, exact; null where a number does not exist."""
        return render(self, "json")

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Comma-separated text, exact; also written to ``path`` if there is one."""
        return _saved(render(self, "csv"), path)

    def to_tsv(self, path: str | PathLike[str] | None = None) -> str:
        r"""Tab-separated text, exact, tabs and line ends in cells as ``\t`` and ``\n``; also written to ``path``."""
        return _saved(render(self, "tsv"), path)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the columns as Parquet."""
        self.to_polars().write_parquet(Path(path))

    def to_polars(self) -> "pl.DataFrame":
        """The table as a polars frame, null where a number is missing."""
        import polars as pl

        return pl.DataFrame([_series(name, self.column(name), self.cells(name)) for name in self.columns])

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame, column by column: pyarrow is not needed."""
        pd = need("pandas")
        # pandas would turn whole numbers and truth values with gaps into floats and objects.
        nullable = {int: "Int64", bool: "boolean"}
        frame = {}
        for name in self.columns:
            column, cells = self.column(name), self.cells(name)
            kind = _kind(cells)
            if kind in nullable and None in cells:
                frame[name] = pd.array(cells, dtype=nullable[kind])
            else:
                frame[name] = pd.Series(column if isinstance(column, np.ndarray) else cells)
        return pd.DataFrame(frame, columns=list(self.columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import polars as pl

        frame = self.to_polars()
        try:
            arrow = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        except ModuleNotFoundError:  # without pyarrow, polars streams string_view, at which only pyarrow stumbles
            return frame.__arrow_c_stream__(requested_schema)
        return arrow.__arrow_c_stream__(requested_schema)


def _freeze(name: str, column: Sequence[Any] | NDArray[Any]) -> Column:
    if isinstance(column, np.ndarray) and column.ndim != 1:
        raise ParameterError(f"column {name!r} has {column.ndim} dimensions", hint="give one cell per row")
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf" and column.dtype != np.uint64:
        kept: NDArray[Any] = column.astype({"b": np.bool_, "f": np.float64}.get(column.dtype.kind, np.int64))  # a copy
        kept.setflags(write=False)
        return kept
    cells = column.tolist() if isinstance(column, np.ndarray) else column
    if set(map(type, cells)) <= PLAIN:
        return tuple(cells)
    return tuple(_cell(name, cell) for cell in cells)


def _cell(name: str, cell: Any) -> Cell:
    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if value is None or isinstance(value, str | int | date):
        return value
    hint = "cells hold text, numbers, dates or nothing"
    raise ParameterError(f"column {name!r} holds a {type(value).__name__}", hint=hint)


def _kind(cells: Sequence[Cell]) -> type | None:
    """The one type of the cells that are there: whole numbers and fractions are numbers, another mixture is text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 else str if kinds else None


def _series(name: str, column: Column, cells: list[Cell]) -> "pl.Series":
    import polars as pl

    if isinstance(column, np.ndarray):
        return pl.Series(name, column, nan_to_null=True)
    kind = _kind(cells)
    if kind is int and any(isinstance(cell, int) and not -(2**63) <= cell < 2**63 for cell in cells):
        kind = str
    types = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    if kind is str:
        cells = [cell if cell is None or isinstance(cell, str) else str(cell) for cell in cells]
    # A column with nothing in it has no type of its own: polars calls that Null.
    return pl.Series(name, cells, dtype=types.get(kind) if kind else None, strict=False)


def _saved(text: str, path: str | PathLike[str] | None) -> str:
    if path is not None:
        # Identifiers may hold bytes that were no UTF-8 in the file they came from.
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    return text


def stack(tables: Sequence[Table]) -> Table:
    """Tables with the same columns, one below the other, as one; every note once."""
    first, *others = tables
    if not others:
        return first
    cells = {name: [cell for table in tables for cell in table.cells(name)] for name in first.columns}
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return Table(cells, first.caption, first.made_by, tuple(notes), ends=first.ends)
