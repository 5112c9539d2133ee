"""Check the encoding of text, and the separator and the column names of a CSV or TSV file."""

import csv
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Container

from cranfield.core import InputError

from .input_problems import problem

SEPARATORS = {";": "semicolons", "|": "vertical bars", "\t": "tabs"}


def check_header(header: bytes, name: str, separator: str, used: Container[str] | None = None) -> None:
    """Refuse a first line that is UTF-16, has another separator, or names a column twice that is used."""
    check_not_utf16(header, name)
    text = header.removeprefix(BOM_UTF8).decode(errors="replace")
    columns = next(csv.reader(text.splitlines()[:1], delimiter=separator), [])
    other = next((one for one in SEPARATORS if one in text), None)
    if len(columns) == 1 and other is not None:
        # Spreadsheets of many countries write semicolons, and decimals with a comma.
        hint = "save it with commas" + (", and decimals with a point" if other == ";" else "")
        raise problem(name, "E-COLUMNS", f"columns are separated by {SEPARATORS[other]}, not by commas", hint, line=1)
    twice = next((one for one in columns if columns.count(one) > 1 and (used is None or one in used)), None)
    if twice is not None:
        hint = "keep one of them, or give the other another name"
        raise problem(name, "E-COLUMNS", f"two columns are called {twice}", hint, line=1)


def check_not_utf16(content: bytes, name: str) -> None:
    """Refuse text that starts as UTF-16 does."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        hint = "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE"
        raise problem(name, "E-UTF16", "the text is UTF-16", hint)


def check_utf8(content: bytes, name: str) -> None:
    """Refuse text that is not UTF-8."""
    check_not_utf16(content, name)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(name, content.count(b"\n", 0, error.start) + 1) from None


def not_utf8(name: str, line: int) -> InputError:
    """Return the error for a line that is not UTF-8."""
    hint = "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE"
    return problem(name, "E-UTF8", "the line is not UTF-8", hint, line=line)
