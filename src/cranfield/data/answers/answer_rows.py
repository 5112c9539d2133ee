"""Rows of judged answers, one for each nugget, citation or answer, and the labels of support."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.data.files.columns import NAMES
from cranfield.data.files.rows import Rows, Wanted, check_columns, check_some, read_rows

SUPPORT = ("support", "assignment", "label")
ANSWER = {
    "text": ("answer_text", "answer", "response"),
    "characters": ("characters", "length"),
    "words": ("words", "response_length"),
}
NUGGET = {"nugget": ("nugget", "nugget_id", "text"), "importance": ("importance",), "weight": ("weight",)}
KEY = Wanted(
    "nuggets",
    {"topic": NAMES["topic"], **NUGGET, "nuggets": ("nuggets",)},
    (("topic", "nugget", "importance"), ("topic", "nugget", "importance", "weight")),
)
ASSIGNED = Wanted(
    "assignments",
    {"topic": NAMES["topic"], "run": NAMES["run"], **NUGGET, "support": SUPPORT, "nuggets": ("nuggets",), **ANSWER},
    (("topic", "run", "nugget", "support"),),
)
CITED = Wanted(
    "citations",
    {
        "topic": NAMES["topic"],
        "run": NAMES["run"],
        "sentence": ("sentence", "sentence_id"),
        "document": (*NAMES["document"], "citation", "segment_id"),
        "support": SUPPORT,
    },
    (("topic", "run", "sentence", "document", "support"),),
)
ANSWERED = Wanted(
    "answers",
    {"topic": NAMES["topic"], "run": NAMES["run"], **ANSWER},
    (("topic", "run", "characters"), ("topic", "run")),
)
FULL, PARTIAL, NONE = 1.0, 0.5, 0.0
SUPPORTS = dict.fromkeys(("support", "full_support", "full", "fs"), FULL)
SUPPORTS |= dict.fromkeys(("partial_support", "partial", "ps"), PARTIAL)
SUPPORTS |= dict.fromkeys(("not_support", "no_support", "none", "no", "ns"), NONE)
A_SUPPORT = "support, partial_support, not_support; full, partial, none; or a number from 0 to 1"


def read_judged(data: Any, wanted: Wanted, needed: Sequence[str]) -> Rows:
    """Read the rows of judged answers, with nested lists unrolled to one row each."""
    name = fspath(data) if isinstance(data, str | PathLike) else wanted.what
    rows = _unrolled(read_rows(data, str(name), wanted, None))
    check_columns(rows, wanted, needed)
    check_some(rows, wanted)
    return rows


def _unrolled(rows: Rows) -> Rows:
    """One row for each nugget, where a line holds all nuggets of a topic."""
    import polars as pl

    if "nuggets" not in rows.columns:
        return rows
    lists = rows.columns["nuggets"].to_list()
    for row, several in enumerate(lists):
        if not isinstance(several, list) or not all(isinstance(nugget, dict) for nugget in several):
            hint = 'nuggets read: [{"text": …, "importance": "vital", "assignment": "support"}, …]'
            raise rows.refuse(row, "E-TYPE", "the nuggets are no list of objects", hint)
    flat = [nugget for several in lists for nugget in several]
    found = rows.only(np.repeat(np.arange(len(rows)), [len(several) for several in lists]))
    columns = {own: column for own, column in found.columns.items() if own not in ("nuggets", *NUGGET, "support")}
    for own, names in {**NUGGET, "support": SUPPORT}.items():
        cells = [next((nugget[name] for name in names if nugget.get(name) is not None), None) for nugget in flat]
        if any(cell is not None for cell in cells):
            columns[own] = pl.Series([None if cell is None else str(cell) for cell in cells], dtype=pl.String)
    if "nugget" in columns:
        columns["nugget"] = pl.Series([name for several in lists for name in _numbered(several)], dtype=pl.String)
    return replace(found, columns=columns)


def _numbered(nuggets: Iterable[Mapping[str, Any]]) -> list[str | None]:
    """The names of the nuggets of one line; a text that is there again is another nugget."""
    seen: Counter[str] = Counter()
    names: list[str | None] = []
    for nugget in nuggets:
        name = next((str(nugget[own]) for own in NUGGET["nugget"] if nugget.get(own) is not None), None)
        seen[name or ""] += 1
        names.append(name if name is None or seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def words_of(rows: Rows, what: str) -> list[str]:
    """Return a column as text."""
    found: list[str] = rows.words(what).to_list()
    return found


def runs_of(rows: Rows) -> list[str]:
    """Return the run of each row, from its column or from the name of the file."""
    if "run" in rows.columns:
        return words_of(rows, "run")
    return [PurePath(rows.name).name.partition(".")[0]] * len(rows)


def support_of(rows: Rows, *, empty: bool = False) -> NDArray[np.float64]:
    """(row,): how much support each row speaks of; NaN where there may be, and is, none said."""
    import polars as pl

    column = rows.columns["support"].cast(pl.String).str.strip_chars()
    blank = (column.is_null() | (column == "")).to_numpy()
    if not empty:
        rows.check_filled(blank, "support")
    found = np.full(len(rows), np.nan)
    for row in np.flatnonzero(~blank).tolist():
        word = str(column[row])
        value = SUPPORTS.get(word.casefold().replace(" ", "_").replace("-", "_"))
        found[row] = _number(word) if value is None else value
        if not 0 <= found[row] <= 1:
            raise rows.refuse(row, "E-SUPPORT", f'"{word}" is no support', f"a support is one of: {A_SUPPORT}")
    return found


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return np.nan


def shortened(name: str, most: int = 40) -> str:
    """Cut a name that is too long for a message."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
