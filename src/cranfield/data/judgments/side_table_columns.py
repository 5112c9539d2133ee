"""Read the columns of side tables from files, with or without a header, and from frames."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from cranfield.data.files.columns import column_suffix, read_frame
from cranfield.data.files.input_problems import listed, problem

Wanted = Mapping[str, Sequence[str]]  # column: the names that it goes by; the first is ours


def side_columns(data: Any, wanted: Wanted, *, optional: Sequence[str] = (), name: str) -> dict[str, Any]:
    """The columns that are wanted, of a TSV, CSV, Parquet or JSON Lines file, a frame, or a dict of columns.

    A text without a header has its columns in the order in which they are wanted. Those that are ``optional`` and not
    there are left out.
    """
    if isinstance(data, str | PathLike):
        data = _file(Path(data), wanted, optional, name)
    if type(data).__module__.startswith("polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    # pyarrow's Table has .columns too: they are the data, its names are elsewhere.
    columns = next((getattr(data, key) for key in ("column_names", "columns") if hasattr(data, key)), data)
    if not hasattr(data, "__getitem__") or isinstance(data, str):
        hint = f"give a file name, a frame or a dict with columns {', '.join(wanted)}"
        raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no columns", hint)
    there = [str(column) for column in columns]
    found = {key: next((alias for alias in names if alias in there), None) for key, names in wanted.items()}
    for key, column in found.items():
        if column is None and key not in optional:
            hint = f"there are: {listed(there, most=8)}; {key} may be called {', '.join(wanted[key])}"
            raise problem(name, "E-COLUMNS", f"there is no column for the {key}", hint)
    return {key: data[column] for key, column in found.items() if column is not None}


def _file(path: Path, wanted: Wanted, optional: Sequence[str], name: str) -> Any:
    match column_suffix(path):
        case ".parquet":
            return read_frame(path, "read_parquet")
        case ".jsonl" | ".ndjson":
            return read_frame(path, "read_ndjson", infer_schema_length=None)
        case ".csv":
            return _text(path, wanted, optional, name, (",",))
    return _text(path, wanted, optional, name, ("\t", " "))


def _text(path: Path, wanted: Wanted, optional: Sequence[str], name: str, separators: Sequence[str]) -> Any:
    """Columns of a text: by their names where the first line has those, else by their places."""
    options = {"has_header": False, "infer_schema": False, "quote_char": '"' if separators == (",",) else None}
    for separator in separators:
        frame = read_frame(path, "read_csv", separator=separator, **options)
        if frame.width > 1:
            break
    header = frame.row(0)
    if set(header) & {alias for names in wanted.values() for alias in names}:
        return dict(zip(map(str, header), frame.slice(1).get_columns(), strict=True))
    keys = list(wanted)
    if not len(keys) - len(optional) <= frame.width <= len(keys):
        hint = f"a line reads: {' '.join(f'[{key}]' if key in optional else key for key in keys)}"
        raise problem(name, "E-FIELDS", f"the first line has {frame.width} columns", hint)
    return dict(zip(keys, frame.get_columns(), strict=False))
