"""Write tables exactly, for programs: JSON, CSV and TSV."""

import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import ParameterError

if TYPE_CHECKING:
    from .table import Table

Cell: TypeAlias = str | int | float | bool | date | None

_ROWS = 20_000  # rows turned into text at a time


def plain(value: Any) -> Any:
    """The value as JSON can hold it: a number that does not exist is null, enumerations are their words."""
    if isinstance(value, Mapping):
        return {str(key): plain(inside) for key, inside in value.items()}
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, str | Enum):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Iterable):
        return [plain(inside) for inside in value]
    if value is None or isinstance(value, int):
        return value
    raise ParameterError(f"{type(value).__name__} has no place in JSON", hint="use text, numbers, lists, mappings")


def to_json(value: Any) -> str:
    """JSON text, never with NaN or Infinity; ASCII, so that any identifier survives any encoding."""
    return json.dumps(plain(value), allow_nan=False, indent=1)


def json_rows(table: "Table", depth: int = 0) -> Iterator[str]:
    """The rows as :func:`to_json` writes them ``depth`` levels deep: a large table in seconds, piece by piece."""
    if not len(table):
        yield "[]"
        return
    edge = "\n" + " " * (depth + 1)
    keys = [f"{edge} {json.dumps(name)}: " for name in table.columns]
    yield "["
    for start in range(0, len(table), _ROWS):
        columns = [
            [key + text for text in each_cell(table.cells(name, slice(start, start + _ROWS)), _json_cell, json.dumps)]
            for key, name in zip(keys, table.columns, strict=True)
        ]
        rows = (f"{edge}{{{','.join(cells)}{edge}}}" for cells in zip(*columns, strict=True))
        yield "," * (start > 0) + ",".join(rows)
    yield "\n" + " " * depth + "]"


def _json_cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return repr(cell) if math.isfinite(cell) else "null"
    return repr(cell) if type(cell) is int else json.dumps(plain(cell))


def exact(value: Cell) -> str:
    """Return one cell with every digit."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


class _LastLine(io.StringIO):
    """What the csv module wrote, without its line end."""

    def write(self, line: str, /) -> int:
        self.line = line.removesuffix("\r\n")
        return len(line)


def csv_pieces(table: "Table") -> Iterator[str]:
    """Yield the table as CSV, some thousand rows at a time."""
    # Written with \r\n so that the module quotes both characters (3.11 quotes only those of its own line end),
    # and joined with \n.
    out = _LastLine()
    import csv

    writer = csv.writer(out, lineterminator="\r\n")

    def line(cells: Sequence[str]) -> str:
        writer.writerow(cells)
        return f"{out.line}\n"

    yield line(table.columns)
    for rows in _exact_rows(table, safe=str):
        yield "".join(map(line, rows))


def tsv_pieces(table: "Table") -> Iterator[str]:
    r"""Yield the table as TSV, some thousand rows at a time; tabs and line ends in cells as ``\t`` and ``\n``."""
    signs = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
    yield "\t".join(name.translate(signs) for name in table.columns) + "\n"
    for rows in _exact_rows(table, safe=lambda text: text.translate(signs)):
        yield "".join(f"{line}\n" for line in map("\t".join, rows))


def _exact_rows(table: "Table", safe: Callable[[str], str]) -> Iterator[Iterable[tuple[str, ...]]]:
    """The rows with every digit, some thousands at a time."""
    for start in range(0, len(table), _ROWS):
        part = slice(start, start + _ROWS)
        columns = (each_cell(table.cells(name, part), exact, safe) for name in table.columns)
        yield zip(*columns, strict=True)


def each_cell(cells: Iterable[Cell], other: Callable[[Cell], str], word: Callable[[str], str]) -> list[str]:
    """Return cells as text; a text that repeats, such as a name, is converted once."""
    known: dict[str, str] = {}
    return [
        (known.get(cell) or known.setdefault(cell, word(cell))) if isinstance(cell, str) else other(cell)
        for cell in cells
    ]
