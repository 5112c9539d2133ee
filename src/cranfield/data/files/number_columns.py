"""Columns of numbers: scores, grades and ranks as float64."""

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .input_problems import problem

# The codes of a number that is none, as the reader of text has them.
NOT_A_NUMBER = {"score": "E-SCORE", "grade": "E-GRADE", "rank": "E-RANK"}
EXACT = 2.0**53  # up to here float64 holds every whole number
NO_NUMBERS = "mMc"  # kinds of numpy: durations, times, complex numbers
BOOLEANS = frozenset({bool, np.bool_})
MAX_CELL = 40  # characters that a message shows


def numbers(column: Any, what: str, name: str) -> NDArray[np.float64]:
    """Return a column of finite numbers."""
    values = column if _is_text(column) else _to_array(column)
    code, hint = NOT_A_NUMBER.get(what, "E-TYPE"), f"every {what} is a number"
    if what == "score" and (row := _first_boolean(column)) is not None:
        raise problem(name, code, f"the score in row {row} is true or false, not a number", hint)
    if not _is_text(values) and values.dtype.kind in (NO_NUMBERS + "b" if what == "score" else NO_NUMBERS):
        raise problem(name, code, f"the column of the {what} holds {values.dtype}, not numbers", hint)
    try:
        found = _to_float(values) if _is_text(values) else _from_cells(values)
    except (TypeError, ValueError):
        row = next((i for i, value in enumerate(values.tolist()) if value is not None and not _is_number(value)), 0)
        code = code if values.ndim == 1 else "E-TYPE"
        raise problem(
            name, code, f'{what} "{_shown(values.tolist()[row])}" in row {row} is not a number', hint
        ) from None
    if found.ndim != 1:
        raise problem(name, "E-TYPE", f"the {what} is no column of numbers", "give columns, or a dict of dicts")
    wrong = np.flatnonzero(~np.isfinite(found))
    if len(wrong):
        row = int(wrong[0])
        cell = values[row]
        if isinstance(cell, str) and not _is_number(cell):
            raise problem(name, code, f'{what} "{_shown(cell)}" in row {row} is not a number', hint)
        code = "E-GRADE" if what == "grade" else "E-FINITE"
        message = f"there is no {what} in row {row}"
        if cell is not None:
            message = f"{what} {found[row]} in row {row} is not a finite number"
        raise problem(name, code, message, f"every {what} is a finite number")
    return found


def _first_boolean(column: Any) -> int | None:
    """Return the first row with true or false among other cells, which an array of numbers would hold as 1 or 0."""
    cells = column if isinstance(column, list) else []
    if str(getattr(column, "dtype", "")) == "object":
        cells = column.tolist()
    if BOOLEANS.isdisjoint(map(type, cells)):
        return None
    return next(row for row, cell in enumerate(cells) if type(cell) in BOOLEANS)


def _shown(cell: object) -> str:
    """Return the start of a cell, for a message."""
    text = str(cell)
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"


def _from_cells(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array as numbers; Python reads text such as 1_000 as a number, and no other reader does."""
    if values.dtype.kind in "OUT" and any(isinstance(cell, str) and not _is_number(cell) for cell in values.flat):
        raise ValueError
    return _as_floats(values)


def _as_floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return cells as floats; whole numbers that are too large become infinite, as they do where they are text."""
    try:
        return values.astype(np.float64)
    except OverflowError:
        return np.array([np.nan if cell is None else _to_number(cell) for cell in values.tolist()])


def _to_number(cell: Any) -> float:
    """Return a cell as a float."""
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def _to_array(column: Any) -> NDArray[Any]:
    """Return a column as an array; whole numbers of 128 bits, which numpy lacks, and nested cells as objects."""
    if type(column).__module__.startswith("polars") and ("128" in str(column.dtype) or column.dtype.is_nested()):
        column = column.to_list()
        return np.fromiter(column, dtype=object, count=len(column))
    if np.ma.is_masked(column):
        return np.asarray(column.astype(np.float64).filled(np.nan))
    if isinstance(column, list) and not {list, tuple}.isdisjoint(map(type, column)):
        return np.fromiter(column, dtype=object, count=len(column))  # numpy would make a matrix of lists
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)


def _is_text(column: Any) -> bool:
    """Return whether this is a column of polars that holds text, as all of CSV is."""
    return type(column).__module__.startswith("polars") and str(column.dtype) == "String"


def _to_float(column: Any) -> NDArray[np.float64]:
    """Return numbers of a polars column of text, NaN where there is none."""
    import polars as pl

    found = column.cast(pl.Float64, strict=False)
    if found.null_count() > column.null_count():
        found = column.str.strip_chars().cast(pl.Float64, strict=False)
    numbers: NDArray[np.float64] = found.to_numpy()
    return numbers


def find_rounded(column: Any, number: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """(row,): whether the row had a whole number that float64 does not hold; None where there is none."""
    if not len(number) or max(number.max(), -number.min()) < EXACT:
        return None
    # Decimals of polars would become floats.
    decimals = str(getattr(column, "dtype", "")).startswith("Decimal")
    values = np.array(column.to_list(), dtype=object) if decimals else _to_array(column)
    if values.dtype.kind in "iu":
        with np.errstate(invalid="ignore"):  # the largest whole numbers become too large for their type
            rounded = number.astype(values.dtype) != values
    else:
        rounded = np.zeros(len(number), np.bool_)
        for row in np.flatnonzero(np.abs(number) >= EXACT).tolist():
            rounded[row] = _whole(values[row]) not in (None, int(number[row]))
    return rounded if rounded.any() else None


def _whole(value: Any) -> int | None:
    """Return the whole number that a cell holds, as one or as text."""
    if isinstance(value, str):
        return int(value) if value.strip().lstrip("+-").isdecimal() else None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else None
    return int(value) if isinstance(value, int | np.integer) else None


def _is_number(value: Any) -> bool:
    if isinstance(value, str) and (not value.isascii() or "_" in value):
        return False
    try:
        _to_number(value)
    except (TypeError, ValueError):
        return False
    return True


def ranks(column: Any) -> NDArray[np.float64]:
    """Return a column of ranks, NaN where there is no whole number: ranks need not be right where scores decide."""
    if _is_text(column):
        found = _to_float(column)
    else:
        values = _to_array(column)
        try:
            found = _as_floats(values)
        except (TypeError, ValueError):
            found = np.array([_to_number(value) if _is_number(value) else np.nan for value in values.tolist()])
    return found if np.array_equal(found, np.trunc(found)) else np.where(found == np.trunc(found), found, np.nan)


def check_ranks(rank: NDArray[np.float64] | None, name: str) -> None:
    """Refuse ranks that are not whole numbers, where they give the order."""
    if rank is not None and not np.isfinite(rank).all():
        row = int(np.argmin(np.isfinite(rank)))
        raise problem(name, "E-RANK", f"the rank in row {row} is not a whole number", "every rank is a whole number")
