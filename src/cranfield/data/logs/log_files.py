"""Read impression logs from files, frames or engine tables, and count and exclude invalid rows."""

import csv
import glob
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import Input, ParameterError, need
from cranfield.data.files.compressed_files import first_line
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.text_checks import check_header

from .cell_types import json_as_text
from .engine_errors import unreadable
from .impression_log import FIELDS, KEPT, NEEDED, Field, Log
from .page_checks import pages_with_gaps, told_of_pages
from .pages_and_sessions import session_notes
from .query_engines import Engine, connect
from .row_checks import check_ranks, checked_rows, count_cells, count_excluded, typed_rows

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

READERS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
KINDS = ", ".join(sorted(set(READERS)))
WHOLE = 20_000_000  # rows; in larger logs pages are not looked through for rows that contradict each other


def read_log(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    further: Mapping[str, str] | None = None,
    engine: Any = None,
    ranks_from: int = 1,
    whole: bool | None = None,
    memory: str | None = None,
    name: str | None = None,
) -> Log:
    """Result pages and clicks, from files (Parquet, CSV, TSV, JSON Lines; a pattern, a folder), a frame, or a table.

    A row is a document on a page: impression, topic, rank, document, clicked; session, user, time, click_time, dwell,
    team, arm, answered, converted, revenue and satisfaction where they are known. ``columns`` says where else to look
    ({"topic": "search_phrase"}); ``further`` keeps columns by how their names begin, with their kind ({"worth_":
    "number"}). ``engine`` is where it is asked: DuckDB in this process, or Spark. ``ranks_from`` is 0 where the first
    document of a page has rank 0. ``whole`` looks for rows of a page that contradict each other too: usual up to 20
    million rows.

    Invalid rows are excluded and counted in ``Log.excluded``. A document is clicked where ``clicked`` is above 0, true
    or yes. An empty cell is no click if the column has no 0; else its row is excluded.
    """
    if isinstance(data, Log):
        return data
    asked = connect(engine, memory=memory)
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "log")
    table, text = open_rows(asked, data, name)
    more = {
        column: Field(kind, (column,), "")
        for begins, kind in (further or {}).items()
        for column in table.columns
        if column.startswith(begins) and column not in FIELDS
    }
    found = _named(table, dict(columns or {}), list(more), name)
    typed = typed_rows(asked, found, FIELDS | more)
    typed = asked.keep(typed) if text else typed
    counts = count_cells(asked, typed, ranks_from)
    if not counts["rows"]:
        raise problem(name, "E-EMPTY", "the log has no rows", "is it the right file?")
    check_ranks(counts, ranks_from, name)
    checked, notes = checked_rows(typed, counts, ranks_from)
    checks_pages = counts["rows"] <= WHOLE if whole is None else whole
    if checks_pages:
        checked = told_of_pages(asked, checked)
    excluded = count_excluded(asked, checked, name)
    if checks_pages and excluded.rows:
        excluded = replace(excluded, pages_with_gaps=pages_with_gaps(asked, checked))
    valid = checked.filter(checked._why == KEPT).drop("_why")
    if checks_pages:
        notes += session_notes(asked, valid)
    return Log(valid, asked, Input(name, digest_of(data), "log"), excluded, tuple(notes))


def open_rows(engine: Engine, data: Any, name: str) -> tuple["Expression", bool]:
    """The rows as a table of the engine, and whether each question would read the text again."""
    ibis = need("ibis", extra="logs")
    if isinstance(data, ibis.expr.types.Table):
        return data, False
    if isinstance(data, str | PathLike) or (
        isinstance(data, Sequence) and all(isinstance(one, str | PathLike) for one in data)
    ):
        return _files(engine, [data] if isinstance(data, str | PathLike) else list(data), name)
    table = _told_types(_arrow(data, name))
    names: dict[str, str] = {}
    for column in table.column_names:
        if (other := names.setdefault(column.casefold(), column)) != column:
            message = f"the columns {other} and {column} differ only by case"
            raise problem(name, "E-COLUMNS", message, "rename one of them: database engines ignore the case of names")
    return engine.hold(table), False


def _files(engine: Engine, given: Sequence[Any], name: str) -> tuple["Expression", bool]:
    paths = [path for one in given for path in _matching(fspath(one))]
    kinds = {_kind(path) for path in paths}
    if len(kinds) != 1:
        hint = f"give files of one kind; there are: {', '.join(sorted(kinds))}"
        raise problem(name, "E-KIND", "files of several kinds are no one log", hint)
    suffix = kinds.pop()
    if any(Path(path).is_file() and Path(path).stat().st_size == 0 for path in paths):
        raise problem(name, "E-EMPTY", "the file is empty", "is it the right file?")
    for path in map(Path, paths if READERS[suffix] == "csv" else ()):
        if path.is_file() and path.suffix != ".zst":
            check_header(first_line(path), name if len(paths) == 1 else str(path), "\t" if suffix == ".tsv" else ",")
    _check_same_columns(paths, suffix, by_position=engine.session is not None and READERS[suffix] == "csv")
    try:
        table = engine.read(paths, READERS[suffix], tabs=suffix == ".tsv")
    except Exception as error:
        raise unreadable(name, suffix, error, paths) from None
    return table, READERS[suffix] != "parquet"


def _check_same_columns(paths: Sequence[str], suffix: str, *, by_position: bool) -> None:
    """Refuse files with different columns: engines take the columns of the first file, or stop without naming one.

    Files of JSON may differ, because engines join their rows by name. With ``by_position``, as Spark reads CSV, the
    order of the columns must be the same too. Remote and zst files are not checked.
    """
    local = [path for path in paths if Path(path).is_file() and Path(path).suffix != ".zst"]
    if READERS[suffix] == "json" or len(local) < 2:
        return
    first: dict[str, str] = {}
    for path in local:
        columns = {column.casefold(): column for column in _columns_of(Path(path), suffix)}
        first = first or columns
        if columns and (different := first.keys() ^ columns.keys()):
            column = min(different)
            having, lacking = (path, local[0]) if column in columns else (local[0], path)
            message = f"there is no column {(first | columns)[column]}, which {having} has"
            raise problem(lacking, "E-COLUMNS", message, "give every file of the log the same columns")
        if by_position and columns and list(columns) != list(first):
            message = f"the columns are not in the order of {local[0]}"
            raise problem(path, "E-COLUMNS", message, "Spark reads columns of CSV by position; DuckDB by name")


def _columns_of(path: Path, suffix: str) -> list[str]:
    """Return the columns of a file; none where it cannot be read, which the engine reports."""
    if suffix != ".parquet":
        header = first_line(path).removeprefix(BOM_UTF8).decode(errors="replace")
        return next(csv.reader(header.splitlines()[:1], delimiter="\t" if suffix == ".tsv" else ","), [])
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        return list(read_schema(path).names)
    except (ArrowException, OSError):
        return []


def _matching(text: str) -> list[str]:
    path = Path(text)
    if path.is_dir():
        inside = sorted(str(one) for one in path.iterdir() if _suffix(one.name) in READERS)
        if not inside:
            raise problem(text, "E-EMPTY", "no file of a log is in the folder", f"logs end in {KINDS}")
        return inside
    if path.exists() or "://" in text:
        return [text]
    if found := sorted(glob.glob(text)):  # noqa: PTH207  # absolute patterns too
        return found
    raise problem(text, "E-MISSING", "there is no such file", "check the name of the file")


def _suffix(name: str) -> str:
    path = Path(name)
    return (path.with_suffix("") if path.suffix in (".gz", ".zst") else path).suffix.lower()


def _kind(path: str) -> str:
    suffix = _suffix(path)
    if suffix not in READERS:
        raise problem(path, "E-KIND", "nobody knows what this file is", f"logs end in {KINDS}, packed or not")
    return suffix


def _arrow(data: Any, name: str) -> Any:
    """A frame, or a dict of columns, as columns in memory."""
    pa = need("pyarrow", extra="logs")
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, Mapping):
        return pa.table({str(column): list(cells) for column, cells in data.items()})
    if hasattr(data, "to_arrow"):  # polars
        return data.to_arrow()
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no log", "give a file or a frame")


def _told_types(table: Any) -> Any:
    """The same columns; one in which nothing stands is text, for engines want a type of every column."""
    import pyarrow as pa

    fields = [one.with_type(pa.string()) if pa.types.is_null(one.type) else one for one in table.schema]
    return table.cast(pa.schema(fields))


def _named(table: "Expression", columns: dict[str, str], more: Sequence[str], name: str) -> "Expression":
    """The columns that are known, under our names, and some more under their own."""
    unknown = [ours for ours in columns if ours not in FIELDS]
    if unknown:
        raise ParameterError(f"a log has no {unknown[0]}", hint=f"it has: {', '.join(FIELDS)}")
    folded = {column.casefold(): column for column in reversed(table.columns)}
    found = {}
    for ours, field in FIELDS.items():
        if ours in columns:
            if columns[ours] not in table.columns:
                hint = f"there are: {listed(table.columns, most=12)}"
                raise problem(name, "E-COLUMNS", f"there is no column {columns[ours]}", hint)
            found[ours] = columns[ours]
        elif (there := next((folded[one] for one in field.names if one in folded), None)) is not None:
            found[ours] = there
    if missing := [ours for ours in NEEDED if ours not in found]:
        hint = f"a log has the columns {', '.join(NEEDED)}; there are: {listed(table.columns, most=12)}"
        raise problem(name, "E-COLUMNS", f"there is no column for {missing[0]} ({FIELDS[missing[0]].means})", hint)
    return table.select(
        **{ours: json_as_text(table[there]) for ours, there in (found | {one: one for one in more}).items()}
    )


def digest_of(data: Any) -> str:
    """What a log is known by: of files their names, sizes and times, for logs are too large to be read for that."""
    import hashlib

    total = hashlib.blake2b(digest_size=32)
    for one in data if isinstance(data, list | tuple) else [data]:
        if isinstance(one, str | PathLike):
            for path in map(Path, _matching(fspath(one))):
                stat = path.stat() if path.exists() else None
                total.update(f"{path.name} {stat and stat.st_size} {stat and stat.st_mtime_ns}\n".encode())
        else:
            total.update(repr(type(one)).encode())
    return total.hexdigest()
