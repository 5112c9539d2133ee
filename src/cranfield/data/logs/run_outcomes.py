"""Online outcomes of runs: a value for each run, with its standard error where known."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from cranfield._native import Strings
from cranfield.core import Input
from cranfield.data.files.data_source import digest
from cranfield.data.files.rows import Wanted, check_columns, check_some, read_rows

from .excluded_rows import ExcludedRows

WANTED = Wanted(
    "online outcomes",
    {
        "run": ("run", "system", "arm", "variant"),
        "value": ("value", "online", "outcome", "mean"),
        "error": ("error", "standard_error", "se", "stderr", "std_error"),
    },
    (("run", "value"), ("run", "value", "error")),
)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What live users made of each run, and the standard errors of that where they are known."""

    name: str  # of what was counted
    values: Mapping[str, float]
    errors: Mapping[str, float] | None
    source: Input
    lower: bool = False  # less is better
    excluded: ExcludedRows | None = None  # rows of the log that the values do not count
    notes: tuple[str, ...] = ()
    doubts: str = ""  # why the values should not be trusted, as a sentence


def read_outcomes(data: Any, *, columns: Mapping[str, str] | None = None, name: str | None = None) -> Outcomes:
    """Online outcomes from a file (CSV, TSV, JSON, JSON Lines, Parquet; packed or not) or a frame: run, value, error.

    error is the standard error of the value, for all runs or for none. ``columns`` says where else to look
    ({"value": "ctr"}), and a dictionary of a value by run does too.
    """
    if isinstance(data, Outcomes):
        return data
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "online outcomes")
    if isinstance(data, Mapping) and data and all(isinstance(cell, int | float) for cell in data.values()):
        data = {"run": list(map(str, data)), "value": list(data.values())}
    rows = read_rows(data, name, WANTED, columns)
    check_columns(rows, WANTED, ("run", "value"))
    check_some(rows, WANTED)
    runs: list[str] = rows.words("run").to_list()
    if len(set(runs)) < len(runs):
        twice = next(row for row, run in enumerate(runs) if run in runs[:row])
        raise rows.refuse(twice, "E-NAMES", f"run {runs[twice]} has two values", "give each run one row")
    numbers = {own: rows.small_numbers(own) for own in ("value", "error") if own in rows.columns}
    if "error" in numbers and (below := np.flatnonzero(numbers["error"] < 0)).size:
        raise rows.refuse(int(below[0]), "E-TYPE", "a standard error is below 0", "give standard errors of the values")
    by_run = {own: dict(zip(runs, column.tolist(), strict=True)) for own, column in numbers.items()}
    said = (columns or {}).get("value", "online")
    source = Input(name, digest(Strings(runs), *numbers.values()), "outcomes")
    return Outcomes(said, by_run["value"], by_run.get("error"), source)
