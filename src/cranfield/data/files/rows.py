"""Rows of files and frames under standard column names, with the line number of each row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import InputError, ParameterError

from .columns import _is_pandas, column_suffix, read_frame
from .delimited_text import CutText, text_of
from .input_problems import listed, problem
from .json_parsing import has_halves, parse_json

if TYPE_CHECKING:
    import polars as pl

IDS = "ids are text or whole numbers, one in every row"
SKIPPED = "-"  # the name of a column that nobody needs
LARGEST = 1e50  # numbers whose squares can still be summed up and multiplied
Named: TypeAlias = Mapping[str, str] | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: the columns, the names each may have, and how a text without a header is written."""

    what: str
    names: Mapping[str, tuple[str, ...]]
    plain: tuple[tuple[str, ...], ...]  # the columns of a text without a header, for each number of them

    @property
    def hint(self) -> str:
        """How a line of such a text reads."""
        return f"a line reads: {' '.join(self.plain[0])}"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Columns under our names, each as it was found."""

    name: str
    columns: "dict[str, pl.Series]"
    line: Callable[[int], int] | None  # where a row stands in its file, if it has lines
    plain: bool = False  # a text without a header whose columns nobody named
    origin: NDArray[np.int64] | None = None  # (row,): the row that it was a part of

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def refuse(self, row: int, code: str, message: str, hint: str) -> InputError:
        """The exception for something wrong in a row."""
        if self.line is None:
            message = f"{message} (row {row if self.origin is None else self.origin[row]})"
        return problem(self.name, code, message, hint, line=self.line_of(row))

    def line_of(self, row: int) -> int:
        """The line of a row; 0 where there are no lines."""
        row = row if self.origin is None else int(self.origin[row])
        return 0 if self.line is None else self.line(row)

    def only(self, kept: NDArray[np.int64]) -> "Rows":
        """Some of the rows."""
        origin = kept if self.origin is None else self.origin[kept]
        return replace(self, columns={own: column.gather(kept) for own, column in self.columns.items()}, origin=origin)

    def words(self, what: str) -> "pl.Series":
        """A column of ids or words without the blanks around them, none of them empty."""
        import polars as pl

        column = self.columns[what]
        if not (column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
            raise problem(self.name, "E-TYPE", f"the column of the {what} holds {column.dtype}", IDS)
        found = column.cast(pl.String).str.strip_chars()
        self.check_filled((found.is_null() | (found == "")).to_numpy(), what)
        return found

    def numbers(self, what: str) -> NDArray[np.float64]:
        """A column of finite numbers."""
        import polars as pl

        column = self.columns[what]
        if column.dtype == pl.String:
            column = column.str.strip_chars()
            self.check_filled((column.is_null() | (column == "")).to_numpy(), what)
        elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise problem(self.name, "E-TYPE", f"the column of the {what} holds {column.dtype}", "give numbers")
        self.check_filled(column.is_null().to_numpy(), what)
        found = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        wrong = np.flatnonzero(~np.isfinite(found))
        if len(wrong):
            row = int(wrong[0])
            code, message = "E-GRADE" if what == "grade" else "E-TYPE", f'{what} "{column[row]}" is not a finite number'
            header = self.plain and self.line_of(row) == 1 and str(column[row])[:3].casefold() not in ("nan", "inf")
            named = f"; if the line names columns, none is called {what}" * header
            raise self.refuse(row, code, message, f"a {what} is a number{named}")
        return found

    def small_numbers(self, what: str) -> NDArray[np.float64]:
        """A column of finite numbers whose squares are finite too."""
        found = self.numbers(what)
        wrong = np.flatnonzero(np.abs(found) > LARGEST)
        if len(wrong):
            row = int(wrong[0])
            hint = "give it in another unit, or leave the row out"
            raise self.refuse(row, "E-TYPE", f"{what} {found[row]:g} is too large to be summed up", hint)
        return found

    def check_filled(self, empty: NDArray[np.bool_], what: str) -> None:
        """Refuse a row whose cell is empty."""
        if empty.any():
            raise self.refuse(int(empty.argmax()), "E-NULL", f"there is no {what}", "fill or drop the row")


def read_rows(data: Any, name: str, wanted: Wanted, named: Named) -> Rows:
    """Rows of a file or a frame.

    ``named`` says where else to look ({"topic": "qid"}), or names the columns of a text without a header, in order.
    """
    _check_named(wanted, named)
    if not isinstance(data, str | PathLike):
        return _under_names(_from_object(data, name, wanted), name, wanted, named, None)
    path = Path(fspath(data))
    if path.is_dir():
        raise problem(name, "E-FOLDER", "this is a folder", f"name the file with the {wanted.what}")
    match column_suffix(path):
        case ".parquet":
            frame = read_frame(path, "read_parquet")
            return _under_names(_from_object(frame, name, wanted), name, wanted, named, None)
        case ".json":
            return _under_names(_from_json(text_of(path, name), name, wanted), name, wanted, named, None)
        case ".jsonl" | ".ndjson":
            text = text_of(path, name)
            return _under_names(_from_json_lines(text, name), name, wanted, named, lambda row: _filled(text)[row])
    return _from_text(path, name, wanted, named)


def _check_named(wanted: Wanted, named: Named) -> None:
    """Refuse a word that is no column of ours."""
    words = list(named or ())
    if isinstance(named, str) or not all(isinstance(word, str) for word in words):
        raise ParameterError(f"columns={named!r} names no columns", hint='write columns=("topic", "document", …)')
    known = (*wanted.names, *([] if isinstance(named, Mapping) else [SKIPPED]))
    unknown = next((word for word in words if word not in known), None)
    if unknown is not None:
        raise ParameterError(f"{wanted.what} have no column {unknown}", hint=f"choose from: {', '.join(known)}")
    twice = next((word for word in words if words.count(word) > 1 and word != SKIPPED), None)
    if twice is not None:
        raise ParameterError(f"two columns are called {twice}", hint=f'name a column "{SKIPPED}" to leave it out')


def _under_names(
    found: Mapping[str, Any], name: str, wanted: Wanted, named: Named, line: Callable[[int], int] | None
) -> Rows:
    """Columns that have names already, under ours."""
    named = named or {}
    if not isinstance(named, Mapping):
        hint = f'say where to look: columns={{"{next(iter(wanted.names))}": "{next(iter(found), "name")}"}}'
        raise problem(name, "E-COLUMNS", "the columns have names already", hint)
    places = find_columns(list(found), wanted, named, name)
    columns = {ours: _series(found[theirs], theirs, name) for ours, theirs in places.items()}
    if len({len(column) for column in columns.values()}) > 1:
        raise problem(name, "E-COLUMNS", "the columns are not of one length", "every row has a cell in each column")
    return Rows(name, columns, line)


def find_columns(there: Sequence[str], wanted: Wanted, named: Mapping[str, str], name: str) -> dict[str, str]:
    """Under which of the names that are there each column of ours stands; a name that somebody gave serves once."""
    folded = {own.strip().casefold(): own for own in reversed(there)}
    found = {}
    for ours, theirs in named.items():
        key = theirs.strip().casefold()
        if key not in folded:
            hint = f"there are: {listed(there, most=8)}"
            raise problem(name, "E-COLUMNS", f"there is no column {theirs} for the {ours}", hint)
        found[ours] = theirs if theirs in there else folded[key]
    free = {key: own for key, own in folded.items() if own not in found.values()}
    for ours, aliases in wanted.names.items():
        alias = next((alias for alias in aliases if alias in free), None)
        if ours not in found and alias is not None:
            found[ours] = free[alias]
    return found


def check_columns(rows: Rows, wanted: Wanted, needed: Sequence[str]) -> None:
    """Refuse rows that lack a column."""
    for what in needed:
        if what not in rows.columns:
            known = ", ".join(wanted.names[what][:5])
            hint = f'{what} may be called {known}; or say where it is: columns={{"{what}": "…"}}'
            raise problem(rows.name, "E-COLUMNS", f"there is no column for the {what}", hint)


def check_some(rows: Rows, wanted: Wanted) -> None:
    """Refuse rows that there are none of."""
    if not len(rows):
        raise problem(rows.name, "E-EMPTY", f"there are no {wanted.what}", wanted.hint)


def _from_object(data: Any, name: str, wanted: Wanted) -> dict[str, Any]:
    if type(data).__module__.startswith("polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    # pyarrow's Table has .columns too: they are the data, its names are elsewhere.
    names = next((getattr(data, key) for key in ("column_names", "columns") if hasattr(data, key)), data)
    if not (isinstance(data, Mapping) or (hasattr(data, "__getitem__") and names is not data)):
        hint = f"give a file name or a frame with columns {', '.join(wanted.plain[0])}"
        raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no {wanted.what}", hint)
    return {str(column): data[column] for column in names}


def _series(column: Any, what: str, name: str) -> "pl.Series":
    """A column of anything; where kinds of cells are mixed, all become text."""
    import polars as pl

    if isinstance(column, pl.Series):
        return column
    pandas = _is_pandas(column)
    if not pandas and (hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__")):
        return pl.Series(column)
    if isinstance(column, str | Mapping) or not hasattr(column, "__len__"):
        raise problem(name, "E-TYPE", f"{what} is no column", "give columns of equal length")
    cells = column.tolist() if hasattr(column, "tolist") else list(column)
    if pandas:
        cells = [None if empty else cell for cell, empty in zip(cells, column.isna().tolist(), strict=True)]
    try:
        return pl.Series(cells)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series([_word(cell) for cell in cells], dtype=pl.String)


def _word(cell: Any) -> str | None:
    if isinstance(cell, bool):
        return str(int(cell))
    return None if cell is None else str(cell)


def _filled(text: bytes) -> list[int]:
    """The numbers of the lines that are not blank."""
    return [number for number, line in enumerate(text.split(b"\n"), start=1) if line.strip()]


def _from_json_lines(text: bytes, name: str) -> dict[str, Any]:
    import polars as pl

    if not has_halves(text):  # of which it makes other characters
        try:
            frame = pl.read_ndjson(BytesIO(text), infer_schema_length=None)
            return {column: frame[column] for column in frame.columns}
        except pl.exceptions.PolarsError:  # a line that is none, or cells of several kinds in a column
            pass
    rows = [_object(line, name, number) for number, line in enumerate(text.split(b"\n"), start=1) if line.strip()]
    return _turned(rows)


def _object(line: bytes, name: str, number: int) -> dict[str, Any]:
    found = parse_json(line, name, "a line is one object", line=number)
    if not isinstance(found, dict):
        raise problem(name, "E-JSON", "the line is no object", 'a line reads: {"topic": …}', line=number)
    return found


def _turned(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def _from_json(text: bytes, name: str, wanted: Wanted) -> dict[str, Any]:
    hint = f'expected [{{"{wanted.plain[0][0]}": …}}, …], or columns'
    data = parse_json(text, name, hint)
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        return _turned(data)
    if isinstance(data, dict) and all(isinstance(column, list) for column in data.values()):
        return _from_object(data, name, wanted)
    raise problem(name, "E-JSON", f"JSON of this shape holds no {wanted.what}", hint)


def _from_text(path: Path, name: str, wanted: Wanted, named: Named) -> Rows:
    """Columns cut by commas, tabs or blanks, under a header or without one."""
    import polars as pl

    text = CutText.of(path, name)
    _, cells = next(text.records())
    header = _is_header(cells, wanted, named)
    names = cells if header else _plain_names(cells, wanted, named, text)
    frame = text.frame(len(cells))
    blank = frame.select(pl.all_horizontal((pl.all() == "").fill_null(value=True))).to_series()
    kept = np.flatnonzero(~blank.to_numpy())[int(header) :]
    if (frame.to_series(-1).is_null() & ~blank).any():
        text.check_widths(len(cells))
    found: dict[str, pl.Series] = {}
    for own, column in zip(names, frame.get_columns(), strict=True):
        found.setdefault(own, column)
    found = {own: column.gather(kept) for own, column in found.items() if own != SKIPPED}
    line = lambda row: text.line(int(kept[row]))  # noqa: E731  a line is looked for only where something is wrong
    if header:
        rows = _under_names(found, name, wanted, named, line)
        used = find_columns(names, wanted, named if isinstance(named, Mapping) else {}, name).values()
        twice = next((own for own in used if names.count(own) > 1), None)
        if twice is not None:
            hint = "give every column a name of its own"
            raise problem(name, "E-NAMES", f"two columns are called {twice}", hint, line=text.line(0))
        return rows
    return Rows(name, found, line, plain=not named)


def _is_header(cells: Sequence[str], wanted: Wanted, named: Named) -> bool:
    """Whether the first line names the columns: somebody says what they are called, or two of the names are known."""
    if named:
        return isinstance(named, Mapping)
    aliases = {alias for several in wanted.names.values() for alias in several}
    return len({cell.casefold() for cell in cells} & aliases) > 1


def _plain_names(cells: Sequence[str], wanted: Wanted, named: Named, text: CutText) -> list[str]:
    """The names of the columns of a text without a header."""
    if named and len(named) != len(cells):
        message = f"the line has {len(cells)} columns, but {len(named)} are named"
        raise text.refuse(0, message, f'name every column, those that are not needed "{SKIPPED}"')
    names = next((names for names in wanted.plain if len(names) == len(cells)), None)
    if not named and names is None:
        hint = f'{wanted.hint}; or name the columns, in order: columns=("{wanted.plain[0][0]}", …)'
        raise text.refuse(0, f"the line has {len(cells)} columns", hint)
    return list(named) if named else list(names or ())
