"""Factors of runs, such as group, stemmer or model, and the level of each run."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from cranfield._native import Strings
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.values.wide_scores import score_frame

RUN = ("run", "system")
ROWS = ("topic", "system", "error", "total")  # the names of an analysis itself
HINT = "a row reads: run, then the level of each factor"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Factors:
    """For every run, its level of each factor."""

    runs: tuple[str, ...]
    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]  # (factor, run)
    source: Source

    def __repr__(self) -> str:
        return f"Factors({self.source.name!r}: {', '.join(self.names)} of {len(self.runs)} runs)"

    def of(self, runs: Sequence[str]) -> "Factors":
        """The same for these runs, in their order."""
        place = {run: i for i, run in enumerate(self.runs)}
        missing = [run for run in runs if run not in place]
        if missing:
            hint = f"give every run a row; there are rows for {listed(self.runs)}"
            raise problem(self.source.name, "E-FACTOR", f"there is no row for run {listed(missing)}", hint)
        levels = tuple(tuple(level[place[run]] for run in runs) for level in self.levels)
        return Factors(tuple(runs), self.names, levels, self.source)


def read_factors(data: Any) -> Factors:
    """Factors from a table with one row per run: a column named run or system, and one column for each factor.

    ``data`` is a CSV or Parquet file, or a frame.
    """
    import polars as pl

    name = str(data) if isinstance(data, str | PathLike) else "factors"
    frame = score_frame(data, name)
    run = next((column for alias in RUN for column in frame.columns if column.strip().casefold() == alias), None)
    if run is None:
        raise problem(
            name, "E-COLUMNS", "there is no column for the run", f"there are: {listed(frame.columns, most=8)}"
        )
    columns = [column for column in frame.columns if column != run]
    if not columns or not frame.height:
        what = "factor" if frame.height else "run"
        raise problem(name, "E-EMPTY", f"there is no {what}", HINT)
    taken = next((column for column in columns if column.strip().casefold() in ROWS), None)
    if taken:
        hint = "a row of every analysis has that name: choose another"
        raise problem(name, "E-COLUMNS", f"a factor cannot be called {taken.strip()}", hint)
    cells = {column: frame[column].cast(pl.String).str.strip_chars().to_list() for column in frame.columns}
    _check_filled(cells, run, name)
    levels = tuple(tuple(cells[column]) for column in columns)
    source = Source(name, digest(*(Strings(column) for column in (cells[run], *levels))), "factors")
    return Factors(tuple(cells[run]), tuple(column.strip() for column in columns), levels, source)


def _check_filled(cells: dict[str, list[str | None]], run: str, name: str) -> None:
    """Refuse a row without a run or a level, and a run that has two rows."""
    seen: set[str | None] = set()
    for line, who in enumerate(cells[run], start=2):  # the first line is the header
        if not who:
            raise problem(name, "E-FACTOR", "the row has no run", HINT, line=line)
        if who in seen:
            raise problem(name, "E-NAMES", f"run {who} has two rows", "keep one row for each run", line=line)
        seen.add(who)
        empty = next((column for column, levels in cells.items() if not levels[line - 2]), None)
        if empty:
            raise problem(name, "E-FACTOR", f"run {who} has no level of {empty.strip()}", HINT, line=line)
