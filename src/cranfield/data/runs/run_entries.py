"""Entries of runs on a leaderboard: group, submission date and costs of each run."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from math import isfinite
from os import PathLike
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from cranfield._native import Strings
from cranfield.core import Input, ParameterError
from cranfield.data.files.columns import column_suffix, read_frame
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.values.wide_scores import score_frame

if TYPE_CHECKING:
    import polars as pl

Repeated: TypeAlias = Literal["refuse", "number"]
REPEATED: tuple[Repeated, ...] = ("refuse", "number")

# The names under which boards keep their columns; the first is ours.
ENTRY_COLUMNS = {
    "run": ("run", "id", "runid", "run_id", "name", "system", "tag"),
    "group": ("group", "team", "institution", "participant", "organisation"),
    "date": ("date", "submitted", "submission_date"),
    "baseline": ("baseline", "official"),
    "description": ("description", "title"),
}
TRUE = {"1", "true", "yes", "x", "baseline", "🏛", "🏛\ufe0f"}  # with and without the mark that asks for colour
DATE = re.compile(r"(\d{4})(?:-(\d\d)-(\d\d)(?:[T ].*)?|/(\d\d?)/(\d\d?)|(\d\d)(\d\d))")
ROW = "a row is one run: its name, its group, its date, and what it cost"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known about one run: its group, the date of its submission, its costs."""

    run: str
    group: str | None = None
    date: datetime.date | None = None
    baseline: bool = False  # supplied by the organisers, to be beaten
    description: str = ""
    value: float | None = None  # what the board itself gives the run
    costs: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "costs", MappingProxyType(dict(self.costs)))

    def __reduce__(self) -> tuple[Any, ...]:
        told = (self.run, self.group, self.date, self.baseline, self.description, self.value)
        return Entry, (*told, dict(self.costs))


@dataclass(frozen=True, eq=False, repr=False)
class Entries:
    """The entries of a board, in the order of its table."""

    entries: tuple[Entry, ...]
    source: Source
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        groups = {entry.group for entry in self if entry.group is not None}
        return f"Entries({self.source.name!r}: {len(self)} runs of {len(groups)} groups)"

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __contains__(self, run: object) -> bool:
        return run in self._places

    def of(self, run: str) -> Entry:
        """The entry of a run; of one that has none, an entry that knows nothing."""
        place = self._places.get(run)
        return Entry(run) if place is None else self.entries[place]

    def groups(self) -> dict[str, str | None]:
        """The group of each run."""
        return {entry.run: entry.group for entry in self}

    @property
    def costs(self) -> tuple[str, ...]:
        """Every cost that some run has."""
        return tuple(dict.fromkeys(cost for entry in self for cost in entry.costs))

    @property
    def values(self) -> dict[str, float]:
        """What the board gives each run that it gives something."""
        return {entry.run: entry.value for entry in self if entry.value is not None}

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What was read for them; the headers of runs belong to the runs."""
        return () if self.source.kind == "headers" else (self.source.as_input(),)

    def with_baselines(self, runs: Sequence[str]) -> "Entries":
        """The same, these runs being baselines too; one that has no entry gets one."""
        marked = set(runs)
        known = (replace(entry, baseline=entry.baseline or entry.run in marked) for entry in self)
        added = (Entry(run, baseline=True) for run in dict.fromkeys(runs) if run not in self)
        return replace(self, entries=(*known, *added))

    def meet(self, runs: Sequence[str]) -> tuple[str, ...]:
        """What there is to say where these runs are not those of the entries, and of the entries themselves."""
        where = PurePath(self.source.name).name
        told = list(self.notes)
        missing = [run for run in runs if run not in self]
        if missing:
            told.append(f"{_counted(missing)} not in {where} ({listed(missing)}): no group and no date")
        known = set(runs)
        unknown = [entry.run for entry in self if entry.run not in known]
        if unknown:
            told.append(f"{_counted(unknown)} in {where} alone ({listed(unknown)}): left out")
        return tuple(told)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.run: i for i, entry in enumerate(self.entries)}


def _counted(runs: Sequence[str]) -> str:
    return "1 run is" if len(runs) == 1 else f"{len(runs)} runs are"


def read_entries(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    value: str | None = None,
    costs: Sequence[str] = (),
    repeated: Repeated = "refuse",
) -> Entries:
    """Entries from a table with one row per run: a CSV, TSV, Parquet or JSON Lines file, a frame, or columns.

    Columns are known by their names, whatever the case; ``columns`` says where else to look, as in
    ``{"run": "description", "baseline": ""}``. The column ``value`` holds what the board gives a run; every other
    column of numbers is a cost, and those that are named in ``costs`` must be. A date is 2020-08-11, 2020/08/11 or
    20200811; a baseline is marked by 1, true, yes, x, baseline or 🏛. A name that comes again is refused;
    ``repeated="number"`` calls it "name (2)", for boards whose submissions have titles instead of names.
    """
    if isinstance(data, Entries):
        return data
    if repeated not in REPEATED:
        raise ParameterError(f"repeated cannot be {repeated!r}", hint=f"choose one of: {', '.join(REPEATED)}")
    name = str(data) if isinstance(data, str | PathLike) else "entries"
    table = _Table.of(data, name)
    places = _find(table, columns or {}, value)
    runs = _runs(table, places["run"], repeated)
    groups, texts, marks = (table.texts(places[what]) for what in ("group", "description", "baseline"))
    dates = [table.date(i, cell) for i, cell in enumerate(table.texts(places["date"]))]
    values = table.numbers(value) if value is not None else [None] * len(runs)
    for column in costs:
        table.numbers(column)  # refuses what is none
    known = {column: cells for column in table.others(places, value) if (cells := table.costs(column))}
    entries = tuple(
        Entry(
            run,
            groups[i] or None,
            dates[i],
            baseline=(marks[i] or "").casefold() in TRUE,
            description=texts[i] or "",
            value=values[i],
            costs={column: cost for column, cells in known.items() if (cost := cells[i]) is not None},
        )
        for i, run in enumerate(runs)
    )
    return Entries(entries, Source(name, table.digest, "entries"))


@dataclass(frozen=True, eq=False)
class _Table:
    """Cells as text, by column; None where there is nothing."""

    name: str
    cells: Mapping[str, Sequence[str | None]]
    lines: Sequence[int]  # where each row stands

    @classmethod
    def of(cls, data: Any, name: str) -> "_Table":
        import polars as pl

        lines = isinstance(data, str | PathLike) and column_suffix(Path(data)) in (".jsonl", ".ndjson")
        frame = read_frame(Path(data), "read_ndjson", infer_schema_length=None) if lines else _frame(data, name)
        text = {column: frame[column].cast(pl.String, strict=False).str.strip_chars() for column in frame.columns}
        cells = {column.strip(): [cell or None for cell in series.to_list()] for column, series in text.items()}
        kept = [row for row in range(frame.height) if any(column[row] is not None for column in cells.values())]
        if not kept:
            raise problem(name, "E-EMPTY", "there is no run", ROW)
        first = 1 if lines else 2  # a header stands above the rows of other files
        return cls(
            name, {key: [column[row] for row in kept] for key, column in cells.items()}, [first + r for r in kept]
        )

    @property
    def digest(self) -> str:
        columns = ([column, *(cell or "" for cell in cells)] for column, cells in self.cells.items())
        return digest(*(Strings(column) for column in columns))

    def texts(self, column: str | None) -> Sequence[str | None]:
        return [None] * len(self.lines) if column is None else self.cells[column]

    def others(self, places: Mapping[str, str | None], value: str | None) -> list[str]:
        """The columns that are nothing else."""
        taken = {*places.values(), value}
        known = {alias for aliases in ENTRY_COLUMNS.values() for alias in aliases}
        return [column for column in self.cells if column not in taken and column.casefold() not in known]

    def date(self, row: int, cell: str | None) -> datetime.date | None:
        if cell is None:
            return None
        found = DATE.fullmatch(cell)
        try:
            if found:
                return datetime.date(*(int(part) for part in found.groups() if part))
        except ValueError:  # the 31st of February
            pass
        hint = "write dates as 2020-08-11, 2020/08/11 or 20200811"
        raise problem(self.name, "E-TYPE", f'date "{cell}" is none', hint, line=self.lines[row])

    def numbers(self, column: str) -> list[float | None]:
        if column not in self.cells:
            hint = f"there are: {', '.join(self.cells)}"
            raise problem(self.name, "E-COLUMNS", f"there is no column {column!r}", hint)
        found = [None if cell is None else _number(cell) for cell in self.cells[column]]
        for row, (number, cell) in enumerate(zip(found, self.cells[column], strict=True)):
            if number is None and cell is not None:
                message = f'{column} "{cell}" is not a finite number'
                raise problem(self.name, "E-TYPE", message, "leave the cell empty", line=self.lines[row])
        return found

    def costs(self, column: str) -> list[float | None] | None:
        """The numbers of a column; None where it holds something else, or nothing."""
        found = [None if cell is None else _number(cell) for cell in self.cells[column]]
        wrong = any(n is None and cell is not None for n, cell in zip(found, self.cells[column], strict=True))
        return None if wrong or not any(cell is not None for cell in found) else found


def _frame(data: Any, name: str) -> "pl.DataFrame":
    import polars as pl

    if hasattr(data, "collect") and type(data).__module__.startswith("polars"):
        data = data.collect()  # a LazyFrame
    try:
        return score_frame(data, name)
    except (TypeError, pl.exceptions.PolarsError) as error:
        message = f"an object of type {type(data).__name__} holds no entries ({str(error).partition(chr(10))[0]})"
        raise problem(name, "E-KIND", message, "give a file name, a frame, or a dict of columns") from None


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _find(table: _Table, columns: Mapping[str, str], value: str | None) -> dict[str, str | None]:
    """Which column holds what."""
    unknown = next((what for what in columns if what not in ENTRY_COLUMNS), None)
    if unknown is not None:
        raise ParameterError(f"a board has no {unknown!r}", hint=f"columns may name: {', '.join(ENTRY_COLUMNS)}")
    for column in (*columns.values(), *([] if value is None else [value])):
        if column not in table.cells:
            hint = f"there are: {_shown(table.cells)}"
            raise problem(table.name, "E-COLUMNS", f"there is no column named {column!r}", hint)
    folded = {column.casefold(): column for column in reversed(list(table.cells))}  # of two, the first
    places: dict[str, str | None] = {
        what: columns.get(what, next((folded[alias] for alias in aliases if alias in folded), None))
        for what, aliases in ENTRY_COLUMNS.items()
    }
    if places["run"] is None:
        hint = f"there are: {_shown(table.cells)}; it may be called {', '.join(ENTRY_COLUMNS['run'])}"
        raise problem(table.name, "E-COLUMNS", "there is no column for the run", hint)
    return places


def _shown(columns: Mapping[str, object]) -> str:
    return listed((column or "(one without a name)" for column in columns), most=8)


def _runs(table: _Table, column: str | None, repeated: Repeated) -> list[str]:
    """The names of the runs, each one there and each one different."""
    found: list[str] = []
    lines: dict[str, list[int]] = {}
    for line, run in zip(table.lines, table.texts(column), strict=True):
        if run is None:
            hint = "give every row a run, or say with columns= which column names it"
            raise problem(table.name, "E-NULL", f"the row has nothing under {column!r}", hint, line=line)
        seen = lines.setdefault(run, [])
        seen.append(line)
        if len(seen) > 1 and repeated == "refuse":
            message = f"run {run} stands here and in line {seen[0]}"
            hint = "keep one row for each run; if names are titles, read with repeated='number'"
            raise problem(table.name, "E-NAMES", message, hint, line=line)
        found.append(run)
    return _numbered(found)


def _numbered(runs: Sequence[str]) -> list[str]:
    """The same names, those that come again with a number that makes them new."""
    taken, seen = set(runs), set[str]()
    found = []
    for run in runs:
        again = (f"{run} ({number})" for number in count(2))
        name = run if run not in seen else next(other for other in again if other not in taken)
        seen.add(run)
        taken.add(name)
        found.append(name)
    return found
