"""Check the encoding of text, and the separator and the column names of a CSV or TSV file."""

import csv
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Container, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Literal

import numpy as np

from cranfield.core import InputError

from .input_problems import problem

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

QUOTES = 'see the quotation marks: a cell that starts with " ends with the next one, and two stand for one'
MAX_CELL = 40  # characters that a message shows
LINE_END = "\n"
# First bytes of files that are no text → what the file is, and what to do.
TABLES = {
    b"PAR1\x15": ("a Parquet file", "let its name end in .parquet"),
    b"ARROW1\0\0": ("an Arrow (Feather) file", "write it as Parquet: polars.read_ipc(FILE).write_parquet(NEW)"),
}
SEPARATORS = {";": "semicolons", "|": "vertical bars", "\t": "tabs"}


def check_header(header: bytes, name: str, separator: str, used: Container[str] | None = None) -> None:
    """Refuse a first line that is no text, ends in another way, has another separator, or names a used column twice."""
    check_kind(header, name)
    first, _, rest = header.partition(b"\r")
    if rest.strip() and first.count(b'"') % 2 == 0:
        hint = r"end them with a line feed, for example: tr '\r' '\n' < FILE"
        raise problem(name, "E-FORMAT", "lines end with a carriage return alone", hint)
    text = header.removeprefix(BOM_UTF8).decode(errors="replace")
    columns = next(csv.reader(text.splitlines()[:1], delimiter=separator), [])
    other = next((one for one in SEPARATORS if one in text), None)
    if len(columns) == 1 and other is not None:
        # Spreadsheets of many countries write semicolons, and decimals with a comma.
        hint = "save it with commas" + (", and decimals with a point" if other == ";" else "")
        raise problem(name, "E-COLUMNS", f"columns are separated by {SEPARATORS[other]}, not by commas", hint, line=1)
    check_once(columns, name, used, line=1)


def check_once(columns: Sequence[str], name: str, used: Container[str] | None = None, *, line: int = 0) -> None:
    """Refuse two columns of one name, if they are used."""
    twice = next((one for one in columns if columns.count(one) > 1 and (used is None or one in used)), None)
    if twice is not None:
        hint = "keep one of them, or give the other another name"
        raise problem(name, "E-COLUMNS", f"two columns are called {twice}", hint, line=line)


def check_width(content: bytes, name: str, separator: str) -> None:
    """Refuse the first row that has more cells than the header has names, or a wrong quotation mark."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE
    text = StringIO(content.decode("utf-8-sig"), newline="")
    rows = csv.reader(text, delimiter=separator, quoting=quoting, strict=True)
    line = width = 0
    try:
        while True:
            line = rows.line_num + 1  # where the next row starts
            number = len(next(rows))
            width = width or number
            if number > width:
                message = f"{number} cells where the header has {width}"
                raise problem(name, "E-FIELDS", message, "give every row one cell in each column", line=line)
    except StopIteration:
        return
    except csv.Error:
        message = "a quotation mark is missing, or there is one too many"
        raise problem(name, "E-FORMAT", message, QUOTES, line=line) from None


def check_line_breaks(frame: "pl.DataFrame", name: str, used: Container[str]) -> "NDArray[np.uint64]":
    """Refuse a quoted cell that swallowed rows; return (row,): the number of line breaks in the rows before it.

    Texts may have line breaks. A used column may not, nor may a text of which a line is a row of the table.
    """
    import polars as pl

    breaks = frame.select(pl.all().str.count_matches("\n", literal=True).fill_null(0))
    inside = breaks.sum_horizontal().to_numpy().astype(np.uint64)
    before = np.cumsum(inside, dtype=np.uint64) - inside
    known = {i: set(frame[column].to_list()) for i, column in enumerate(frame.columns) if column in used}
    for column in frame.columns:
        for row in np.flatnonzero(breaks[column].to_numpy()).tolist():
            cell = str(frame[column][row])
            if column in used or any(_is_row(line, frame.width, known) for line in cell.split("\n")[1:]):
                message = f'the cell "{cell.partition(LINE_END)[0][:MAX_CELL]}…" has {cell.count(LINE_END) + 1} lines'
                raise problem(name, "E-FORMAT", message, QUOTES, line=row + 2 + int(before[row]))
    return before


def _is_row(line: str, width: int, known: Mapping[int, Container[str]]) -> bool:
    """Return whether a line has as many cells as a row of the table, and an id or a number of another row."""
    if len(line) > csv.field_size_limit():
        return False
    cells = next(csv.reader([line.rstrip("\r")]), [])
    return len(cells) == width and any(cells[i] in values for i, values in known.items())


def check_kind(content: bytes, name: str) -> None:
    """Refuse content that starts as UTF-16, Parquet or Arrow does."""
    check_not_utf16(content, name)
    kind, hint = next((table for magic, table in TABLES.items() if content.startswith(magic)), ("", ""))
    if kind:
        raise problem(name, "E-FORMAT", f"this is {kind}", hint)


def check_not_utf16(content: bytes, name: str) -> None:
    """Refuse text that starts as UTF-16 does."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        hint = "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE"
        raise problem(name, "E-UTF16", "the text is UTF-16", hint)


def check_not_nul(content: bytes, name: str) -> None:
    """Refuse text with a NUL byte, as the reader of TREC text does."""
    at = content.find(0)
    if at >= 0:
        hint = "the file is damaged or not a text file"
        raise problem(name, "E-NUL", "the line holds a NUL byte", hint, line=content.count(b"\n", 0, at) + 1)


def check_utf8(content: bytes, name: str) -> None:
    """Refuse text that is not UTF-8."""
    check_kind(content, name)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(name, content.count(b"\n", 0, error.start) + 1) from None


def not_utf8(name: str, line: int) -> InputError:
    """Return the error for a line that is not UTF-8."""
    hint = "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE"
    return problem(name, "E-UTF8", "the line is not UTF-8", hint, line=line)
