"""Typed columns of runs and judgments from frames, dictionaries, JSON, Parquet and CSV."""

import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield._native import Strings
from cranfield.core import InputError

from .compressed_files import PACKERS, first_line, unpacked
from .input_problems import Problem, listed, problem
from .json_parsing import as_columns, has_converted_ids, has_repeated_keys, parse_json, parse_json_lines
from .number_columns import NOT_A_NUMBER, check_ranks, find_rounded, numbers, ranks
from .parquet_shards import find_shards, joined
from .text_checks import (
    check_header,
    check_kind,
    check_line_breaks,
    check_not_nul,
    check_once,
    check_utf8,
    check_width,
)

SHORT = {".jl": ".jsonl"}  # as TREC and nuggetizer write it
# The names under which the field keeps its columns; the first is ours.
NAMES = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "query"),
    "document": (
        *("document", "docno", "doc_id", "docid", "doc", "document_id", "pid", "corpus-id", "corpus_id", "passage_id"),
        *("doc_ids", "corpus-ids"),
    ),
    "grade": ("grade", "relevance", "rel", "label", "score", "labels"),
    "score": ("score", "sim", "similarity", "scores"),
    "rank": ("rank",),
    "iteration": ("iteration", "subtopic", "subtopic_id"),
    "run": ("run", "run_id", "runid", "system", "tag"),
}
USED = frozenset(column for columns in NAMES.values() for column in columns)
IDS = frozenset(column for ids in ("topic", "document", "iteration", "run") for column in NAMES[ids])
# Types of DuckDB and Arrow that polars does not have.
UNREADABLE = re.compile(r"\bINTERVAL\b(?!')|\bUNION\(|_interval$|_union<|decimal256|list_view|run_end_encoded")
# Tables of nothing but these are lists of relevant pairs, as NanoBEIR has them; elsewhere a grade was forgotten.
PAIRS = ({"query-id", "corpus-id"}, {"query_id", "corpus_id"})


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows of a run or of judgments as typed columns: topic, document, number, and others that a table may have."""

    topic: Strings
    document: Strings
    number: NDArray[np.float64]
    iteration: Strings | None = None
    rank: NDArray[np.float64] | None = None  # NaN where there is no whole number
    run: Strings | None = None  # the run of each row, where the column names more than one
    tag: str = ""  # the one name that the column of the run has in every row
    line: NDArray[np.uint64] | None = None  # where each row stands in its file; None: rows are counted from 1
    rounded: NDArray[np.bool_] | None = None  # whole numbers that float64 does not hold; None: there are none
    problems: tuple[Problem, ...] = ()  # warnings about the text that held the rows

    def take(self, rows: NDArray[np.int64]) -> "Columns":
        """Return some of the rows, which remember where they stood."""
        return Columns(
            self.topic.take(rows),
            self.document.take(rows),
            self.number[rows],
            rank=None if self.rank is None else self.rank[rows],
            line=(rows + 1).astype(np.uint64) if self.line is None else self.line[rows],
            rounded=None if self.rounded is None else self.rounded[rows],
        )


def from_object(data: Any, what: str, *, name: str) -> Columns:
    """Columns of a dict of dicts, or of any frame; ``what`` is "grade" or "score"."""
    if isinstance(data, Mapping):
        if all(isinstance(row, Mapping) for row in data.values()):
            _check_keys(data, name, f'give the frame itself, or {{"topic": {{"document": {what}}}}} with ids as keys')
            return _from_dicts(data, what, name)
        return _from_frame(dict(data), tuple(map(str, data)), what, name)
    if type(data).__module__.startswith("polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    if _is_stream(data):
        import polars as pl

        # A relation of DuckDB has columns, a reader of Arrow a schema.
        schema = getattr(data, "schema", data)
        names = tuple(map(str, getattr(data, "columns", None) or getattr(schema, "names", None) or ()))
        check_once(names, name, USED)
        data = pl.DataFrame(_readable(data, names, getattr(schema, "types", ()), what, name))
    columns = getattr(data, "columns", None)
    if columns is None:
        columns = getattr(data, "column_names", None)  # pyarrow
    if columns is None or not hasattr(data, "__getitem__"):
        hint = "give a file name, a frame with columns topic, document and " + what + ", or a dict of dicts"
        raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no {what}s", hint)
    # pyarrow's Table has .columns too: they are the data, its names are elsewhere.
    names = tuple(map(str, getattr(data, "column_names", None) or list(columns)))
    return _from_frame(data, names, what, name)


def _is_stream(data: Any) -> bool:
    """Whether this is rows that come as Arrow, and no frame: a reader of Arrow, a relation of DuckDB."""
    known = type(data).__module__.partition(".")[0] in ("polars", "pandas") or hasattr(data, "column_names")
    return hasattr(data, "__arrow_c_stream__") and not known


def _readable(data: Any, names: Sequence[str], types: Sequence[object], what: str, name: str) -> Any:
    """Return a stream without columns of types that polars does not have; refuse those if they are used."""
    unreadable = {column: str(kind) for column, kind in zip(names, types, strict=False) if UNREADABLE.search(str(kind))}
    projects = hasattr(data, "project")  # a relation of DuckDB
    for column, kind in unreadable.items():
        role = next((role for role in (what, *NAMES) if column in NAMES[role]), "")
        if role or not projects:
            message = f"the column {column} is of type {kind}, which cannot be read"
            raise problem(name, NOT_A_NUMBER.get(role, "E-TYPE"), message, "convert the column or leave it out")
    return data.project(", ".join(f'"{column}"' for column in names if column in USED)) if unreadable else data


def from_file(path: Path, what: str) -> Columns | None:
    """Columns of a JSON, JSON Lines, Parquet or CSV file, told by its suffix; ``None`` for any other.

    A table that lies in several Parquet files is one.
    """
    suffix = column_suffix(path)
    if suffix == ".parquet" or not (suffix or path.is_file()):
        shards = find_shards(path)
        if shards:
            return from_object(joined([read_frame(one, "read_parquet") for one in shards]), what, name=str(path))
    match suffix:
        case ".json":
            return _from_json(path, what)
        case ".jsonl" | ".ndjson":
            return from_object(_from_json_lines(path), what, name=str(path))
        case ".parquet":
            return from_object(read_frame(path, "read_parquet"), what, name=str(path))
        case ".csv":
            return _from_delimited(path, what, separator=",")
    names = header_of(path)
    # The reader of text reads the qrels of BEIR, three columns in this order, by position.
    if not names or (what == "grade" and _is_in_order(names)):
        return None
    return _from_delimited(path, what, separator="\t")


def header_of(path: Path) -> tuple[str, ...]:
    """Return the names of the columns in the first line of a TSV file; nothing if there are none."""
    if bare_suffix(_without_zstd(path)) != ".tsv" or not path.is_file():
        return ()
    names = first_line(path).decode("utf-8-sig", errors="replace").rstrip("\r\n").split("\t")
    found = _named(names)
    return tuple(names) if found["topic"] and found["document"] else ()


def is_beir(names: Sequence[str]) -> bool:
    """Return whether the columns are those of the qrels of BEIR, in any order."""
    return len(names) == 3 and any(pair < set(names) for pair in PAIRS)


def _is_in_order(names: Sequence[str]) -> bool:
    """Return whether three columns are topic, document and grade, which the reader of text knows by the last name."""
    known = (NAMES["topic"], NAMES["document"], ("score", "grade", "relevance"))
    return len(names) == 3 and all(name in column for name, column in zip(names, known, strict=True))


def _from_delimited(path: Path, what: str, *, separator: str) -> Columns:
    """Columns of CSV or TSV under a header: every cell as text first, so that an id such as 007 stays what it is."""
    import polars as pl

    content = unpacked(path)
    quote = '"' if separator == "," else None
    options = {"infer_schema": False, "separator": separator, "quote_char": quote}
    check_header(content.partition(b"\n")[0], str(path), separator, USED)
    check_not_nul(content, str(path))
    try:
        frame = _parse_frame(content, path, "read_csv", options)
    except InputError as error:
        if error.code == "E-FORMAT":
            check_width(content, str(path), separator)
        raise
    line = np.arange(2, len(frame) + 2, dtype=np.uint64)
    if quote and content.count(b"\n") > len(frame) + 1:
        line += check_line_breaks(frame, str(path), USED)
    problems = []
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy() if len(frame) else line > 0
    if blank.any():
        message, hint = f"blank lines: {int(blank.sum())}", "harmless; was the file joined from several?"
        problems.append(Problem(str(path), int(line[blank][0]), "W-BLANK", message, hint))
        frame, line = frame.filter(~blank), line[~blank]
    if content and not content.endswith((b"\n", b"\r")):
        message, hint = "the last line has no end of line", "was the file cut short?"
        problems.append(Problem(str(path), int(line[-1]) if len(line) else 1, "W-END", message, hint))
    columns = from_object(frame, what, name=str(path))
    # Rows that were lists stand in other lines.
    return replace(columns, line=line if len(line) == len(columns.number) else None, problems=tuple(problems))


def bare_suffix(path: Path) -> str:
    """The suffix of a file before it was packed: .json of run.json.gz."""
    bare = path.with_suffix("") if path.suffix.lower() in PACKERS else path
    return bare.suffix.lower()


def column_suffix(path: Path) -> str:
    """The suffix that names a format of columns, .json of run.json.gz too; otherwise nothing."""
    suffix = bare_suffix(_without_zstd(path))
    suffix = SHORT.get(suffix, suffix)
    return suffix if suffix in (".json", ".jsonl", ".ndjson", ".parquet", ".csv") else ""


def _without_zstd(path: Path) -> Path:
    """Return a path without .zst at its end, as only text of runs and judgments is read where it is packed so."""
    return path.with_suffix("") if path.suffix.lower() == ".zst" else path


def read_frame(path: Path, reader: str, **options: Any) -> Any:
    """Read a file as a polars frame; ``reader`` is the function of polars that reads it."""
    return _parse_frame(unpacked(path), path, reader, options)


def _parse_frame(content: bytes, path: Path, reader: str, options: Mapping[str, Any]) -> Any:
    import polars as pl

    if not content.strip():
        raise problem(str(path), "E-EMPTY", "the file has no rows", "is it the right file?")
    if reader != "read_parquet":
        check_kind(content, str(path))
        content = content.removeprefix(BOM_UTF8)
    try:
        return getattr(pl, reader)(BytesIO(content), **options)
    except (pl.exceptions.PolarsError, OSError) as error:
        if reader != "read_parquet":
            check_utf8(content, str(path))
        first = str(error).partition("\n")[0]
        hint = f"check that it is what its name says: {column_suffix(path) or bare_suffix(path)}"
        raise problem(str(path), "E-FORMAT", f"the file cannot be read: {first}", hint) from None


def _from_json_lines(path: Path) -> Any:
    """Return a frame; or columns as lists, of rows that polars refuses, or reads in another way than Python does."""
    content = unpacked(path)
    check_kind(content, str(path))
    try:
        frame = _parse_frame(content, path, "read_ndjson", {"infer_schema_length": None})
        if not (has_converted_ids(frame, IDS) or has_repeated_keys(content, frame, USED)):
            return frame
    except InputError as error:
        if error.code != "E-FORMAT":
            raise
    return as_columns(parse_json_lines(content, str(path)))


def _from_json(path: Path, what: str) -> Columns:
    text = unpacked(path)
    if not text.strip():
        raise problem(str(path), "E-EMPTY", "the file has no rows", "is it the right file?")
    shape = '{"topic": {"document": ' + ("1.5" if what == "score" else "1") + "}}"
    twice = "keep one entry for each topic and document"
    check_kind(text, str(path))
    data = parse_json(text, str(path), f"expected {shape}", twice=twice)
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        data = as_columns(data)
    columns = isinstance(data, dict) and all(isinstance(column, list) for column in data.values())
    nested = isinstance(data, dict) and all(isinstance(row, dict) for row in data.values())
    if not (columns or nested):
        raise problem(str(path), "E-JSON", f"JSON of this shape holds no {what}s", f"expected {shape}")
    if nested:
        _check_keys(data, str(path), 'write rows: frame.to_json(FILE, orient="records")')
    return from_object(data, what, name=str(path))


def _check_keys(data: Mapping[Any, Mapping[Any, Any]], name: str, hint: str) -> None:
    """Refuse a dict of dicts whose keys are the names of columns, as pandas writes a frame by default."""
    for keys in (data, next(filter(None, data.values()), {})):
        roles = _named([key.strip().casefold() for key in keys if isinstance(key, str)])
        if roles["topic"] and roles["document"]:
            message = f"the keys {roles['topic']} and {roles['document']} are names of columns, not ids"
            raise problem(name, "E-COLUMNS", message, hint)


def _from_dicts(data: Mapping[Any, Mapping[Any, Any]], what: str, name: str) -> Columns:
    topics = [topic for topic, row in data.items() for _ in row]
    documents = [document for row in data.values() for document in row]
    values = [number for row in data.values() for number in row.values()]
    number = numbers(values, what, name)
    topic, document = strings(topics, "topic", name), strings(documents, "document", name)
    return Columns(topic, document, number, rounded=find_rounded(values, number) if what == "score" else None)


def _named(names: Sequence[str]) -> dict[str, str | None]:
    """Under which of the ``names`` each of our columns goes."""
    return {wanted: next((alias for alias in aliases if alias in names), None) for wanted, aliases in NAMES.items()}


def find_columns(
    names: Sequence[str], what: str, name: str, *, also: tuple[str, ...] = ()
) -> tuple[str, dict[str, str | None]]:
    """What the number of each row is, and which of the ``names`` each of our columns has; ``also`` must be there too.

    A ranking without scores has its ranks: the first is the highest score.
    """
    check_once(names, name, USED)
    found = _named(names)
    if what == "score" and found["score"] is None and found["rank"] is not None:
        what = "rank"
    swapped = ""
    if what == "score" and found["score"] is None and found["grade"]:
        swapped = "this looks like qrels where a run is expected"
    elif what == "grade" and found["grade"] == "score" and (found["rank"] or found["run"]):
        swapped = "this looks like a run where qrels are expected"
    if swapped:
        raise problem(name, "E-SWAPPED", swapped, "the qrels come first, then the runs")
    for wanted in (*also, "topic", "document", what):
        if found[wanted] is None:
            hint = f"there are: {listed(names, most=8)}; {wanted} may be called {', '.join(NAMES[wanted][:5])}"
            raise problem(name, "E-COLUMNS", f"there is no column for the {wanted}", hint)
    return what, found


def _from_frame(frame: Any, names: tuple[str, ...], what: str, name: str) -> Columns:
    found = _named(names)
    if _has_lists(frame, found["document"]):
        frame, names = _one_each(frame, found, what, name)
    if what == "grade" and set(names) in PAIRS:
        frame = {**{column: frame[column] for column in names}, "grade": np.ones(len(frame[names[0]]))}
        names = (*names, "grade")
    what, found = find_columns(names, what, name)
    number = numbers(frame[found[what]], what, name)
    for wanted, column in found.items():
        if column is not None and len(frame[column]) != len(number):
            message = f"columns differ in length: {wanted} {len(frame[column]):,}, {what} {len(number):,}"
            raise problem(name, "E-TYPE", message, "give every row one cell in each column")
    if not len(number):  # an empty column may have no type
        return Columns(Strings([]), Strings([]), number)
    columns = Columns(
        strings(frame[found["topic"]], "topic", name),
        strings(frame[found["document"]], "document", name),
        -number if what == "rank" else number,
    )
    if what == "grade":
        iteration = found["iteration"]
        return replace(columns, iteration=strings(frame[iteration], "iteration", name)) if iteration else columns
    run, tag = _run_names({column: frame[column] for column in run_columns(names)}, name)
    rank = ranks(frame[found["rank"]]) if found["rank"] else None
    if what == "rank":
        check_ranks(rank, name)
    return replace(columns, rank=rank, run=run, tag=tag, rounded=find_rounded(frame[found[what]], number))


def run_columns(names: Sequence[str]) -> list[str]:
    """Return the columns that may name the run of each row."""
    return [column for column in NAMES["run"] if column in names]


def _run_names(columns: Mapping[str, Any], name: str) -> tuple[Strings | None, str]:
    """Return the run of each row, or the name that all rows share."""
    if len(columns) > 1:
        columns = {column: cells for column, cells in columns.items() if not _is_blank(cells)}
    named = {column: _names_in(cells, name) for column, cells in columns.items()}
    several = {column: runs for column, (runs, _) in named.items() if runs is not None}
    if not several:
        return None, next((tag for _, tag in named.values()), "")
    if len(several) == 1:
        return several.popitem()[1], ""
    codes = {column: runs.distinct() for column, runs in several.items()}
    runs = len(set(zip(*(code.tolist() for _, code in codes.values()), strict=True)))
    for column, (values, _) in codes.items():
        if len(values) == runs:
            return several[column], ""
    raise ambiguous_runs(list(codes), runs, name)


def ambiguous_runs(columns: Sequence[str], runs: int, name: str) -> InputError:
    """Return the error for a table in which only several columns together tell its runs apart."""
    message = f"the columns {' and '.join(columns)} name different runs, {runs} together"
    return problem(name, "E-COLUMNS", message, "keep the column that names the run of each row")


def _is_blank(column: Any) -> bool:
    """Return whether a column has no value at all."""
    if _is_pandas(column):
        return bool(column.isna().all())
    count = getattr(column, "null_count", None)  # a method of polars, a number of Arrow
    if count is not None:
        return bool((count() if callable(count) else count) == len(column))
    return all(cell is None for cell in column)


def _names_in(column: Any, name: str) -> tuple[Strings | None, str]:
    """Return the names in a column of runs: of each row, or the one that all rows share."""
    is_flat = hasattr(column, "n_unique") and not column.dtype.is_nested()  # of polars, which compares at once
    if is_flat and not column.null_count() and (column == column[0]).all() and column[0] != "":
        return None, strings(column[:1], "run", name)[0]
    names = strings(column, "run", name)
    runs, which = names.distinct()
    blank = next((run for run, text in enumerate(runs.to_list()) if not text.strip()), None)
    if blank is not None:
        message = f"the column of the run: row {int(np.argmax(which == blank))} is empty"
        raise problem(name, "E-NULL", message, "name the run in every row")
    return (None, runs[0]) if len(runs) == 1 else (names, "")


def _has_lists(frame: Any, document: str | None) -> bool:
    """Whether a row of a polars frame holds all documents of its topic."""
    schema: Any = getattr(frame, "schema", None)
    return document is not None and hasattr(schema, "get") and str(schema.get(document)).startswith("List")


def _one_each(frame: Any, found: Mapping[str, str | None], what: str, name: str) -> tuple[Any, tuple[str, ...]]:
    """One document in each row, under our names; where lists have no numbers beside them, their order is the rank."""
    import polars as pl

    kept = {column: wanted for wanted in ("document", what) if (column := found[wanted]) is not None}
    alone = [pl.col(column).alias("topic")] if (column := found["topic"]) is not None else []
    runs = run_columns(frame.columns)
    flat = frame.select(*alone, *runs, pl.col(list(kept)).name.map(kept.__getitem__))
    if what == "score" and what not in flat.columns:
        flat = flat.with_columns(rank=pl.int_ranges(1, pl.col("document").list.len() + 1))
    try:
        flat = flat.explode([column for column in flat.columns if column not in ("topic", *runs)])
    except pl.exceptions.PolarsError:
        message = f"the column of the document holds lists, and that of the {what} none of the same lengths"
        raise problem(name, "E-TYPE", message, f"give one {what} for each document of a list") from None
    return flat, tuple(flat.columns)


def strings(column: Any, what: str, name: str) -> Strings:
    """A column of ids; ``what`` they are the ids of, and the ``name`` of the data, are for the message."""
    try:
        # A column of pandas would need pyarrow to hand over Arrow.
        if _is_pandas(column) or not (hasattr(column, "__arrow_c_array__") or hasattr(column, "__arrow_c_stream__")):
            return Strings(column.tolist() if hasattr(column, "tolist") else column)
        return Strings.from_arrow(column)
    except (TypeError, ValueError) as error:
        null = _first_null(column)
        code = "E-TYPE" if null is None and "null" not in str(error) else "E-NULL"
        message = f"the column of the {what}: {error if null is None else f'row {null} is null'}"
        raise problem(name, code, message, "ids are text or whole numbers, one in every row") from None


def _is_pandas(column: Any) -> bool:
    return type(column).__module__.startswith("pandas")


def _first_null(column: Any) -> int | None:
    """The first row without a value, of a list or a pandas column; Arrow says it itself."""
    empty = column.isna() if _is_pandas(column) else (value is None for value in column)
    return next((row for row, null in enumerate(empty) if null), None)
