"""Lists of several test collections, each with its judgments and runs or its scores."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType

from cranfield.core import InputError

from .input_problems import listed, problem

RUNS = ("collection", "qrels", "system", "run")
SCORES = ("collection", "scores")
HINT = "the first line reads collection,qrels,system,run or collection,scores"


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection and what systems did on it: judgments with one run per system, or a table of scores."""

    name: str
    qrels: Path | None = None
    runs: Mapping[str, Path] = field(default_factory=dict)  # by the name of the system
    scores: Path | None = None  # topics as rows, systems as columns

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", MappingProxyType(dict(self.runs)))

    def __hash__(self) -> int:
        return hash((self.name, self.qrels, tuple(self.runs.items()), self.scores))

    def __reduce__(self) -> tuple[object, ...]:
        return Collection, (self.name, self.qrels, dict(self.runs), self.scores)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list: where it stands, and its cells by column."""

    file: str
    line: int
    cells: Mapping[str, str]

    def path(self, column: str) -> Path:
        """The file that a cell names, from the folder of the list; refused where there is none."""
        found = Path(self.file).parent / self.cells[column]
        if not found.is_file():
            message = f"{found} is a folder" if found.is_dir() else f"there is no file {found}"
            raise self.wrong("E-MISSING", message, f"name the file of the {column}, from the folder of this list")
        return found

    def wrong(self, code: str, message: str, hint: str) -> InputError:
        """The exception that says so of this line."""
        return problem(self.file, code, message, hint, line=self.line)


def read_collections(path: str | PathLike[str]) -> tuple[Collection, ...]:
    """The collections of a list (CSV or TSV), in its order.

    Its columns are collection, qrels, system and run, one line for each system of each collection; or collection and
    scores, one line for each collection. Names of files go from the folder of the list.
    """
    rows = list(_rows(Path(path)))
    found: dict[str, Collection] = {}
    for row in rows:
        name = row.cells["collection"]
        found[name] = _with_scores(row, found) if "scores" in row.cells else _with_run(row, found.get(name))
    if len(found) < 2:
        what = f"there is only the collection {next(iter(found))}" if found else "there is no collection"
        hint = "list two collections or more; for one, give its files themselves"
        raise problem(fspath(path), "E-COLLECTION", what, hint, line=rows[-1].line if rows else 0)
    return tuple(found.values())


def _with_scores(row: _Row, found: Mapping[str, Collection]) -> Collection:
    name = row.cells["collection"]
    if name in found:
        hint = "keep one line for each collection: systems are the columns of its table"
        raise row.wrong("E-COLLECTION", f"collection {name} has two lines", hint)
    return Collection(name, scores=row.path("scores"))


def _with_run(row: _Row, known: Collection | None) -> Collection:
    """The collection with one system more."""
    name, system = row.cells["collection"], row.cells["system"]
    qrels, run = row.path("qrels"), row.path("run")
    if known is None:
        return Collection(name, qrels, {system: run})
    if qrels != known.qrels:
        message = f"collection {name} has qrels {known.qrels}, and here {qrels}"
        raise row.wrong("E-COLLECTION", message, "judge all systems of a collection alike, or call it two collections")
    if system in known.runs:
        message = f"system {system} stands twice in collection {name}"
        raise row.wrong("E-NAMES", message, "keep one run of each system, or give the systems names of their own")
    return Collection(name, qrels, {**known.runs, system: run})


def _rows(path: Path) -> Iterator[_Row]:
    """The lines of the list below its header, empty ones left out."""
    file, text = str(path), _text(path)
    lines = csv.reader(StringIO(text, newline=""), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    try:
        columns = _columns([cell.strip().casefold() for cell in next(lines, [])], file)
        for cells in lines:
            if any(cell.strip() for cell in cells):
                filled = [cell.strip() for cell in cells] + [""] * (max(columns.values()) + 1 - len(cells))
                yield _filled(_Row(file, lines.line_num, {name: filled[place] for name, place in columns.items()}))
    except csv.Error as error:
        message = f"the line cannot be read: {error}"
        raise problem(file, "E-FORMAT", message, "is it a CSV or TSV file?", line=lines.line_num) from None


def _text(path: Path) -> str:
    try:
        # A name of a file may be no UTF-8: surrogates carry it to where it is opened.
        return path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except IsADirectoryError:
        raise problem(str(path), "E-FOLDER", "this is a folder", "name the file that lists the collections") from None
    except FileNotFoundError:
        raise problem(str(path), "E-MISSING", "there is no such file", "check the name of the file") from None
    except OSError as error:
        raise problem(str(path), "E-READ", f"reading failed: {error.strerror}", "may it be read?") from None


def _filled(row: _Row) -> _Row:
    empty = next((name for name, cell in row.cells.items() if not cell), None)
    if empty:
        raise row.wrong("E-NULL", f"the line has no {empty}", f"fill every cell: {', '.join(row.cells)}")
    return row


def _columns(header: list[str], file: str) -> dict[str, int]:
    """Where the columns of the one or the other form stand; others may stand beside them."""
    if not any(header):
        raise problem(file, "E-EMPTY", "the file has no rows", HINT)
    wanted = SCORES if "scores" in header else RUNS
    if wanted is SCORES and set(header) & set(RUNS[1:]):
        message = "there are columns for scores and for runs"
        raise problem(file, "E-COLUMNS", message, f"{HINT}, not both", line=1)
    missing = [name for name in wanted if name not in header]
    if missing:
        message = f"there is no column for the {listed(missing)}"
        raise problem(file, "E-COLUMNS", message, f"{HINT}; there are: {listed(header, most=8)}", line=1)
    twice = next((name for name in wanted if header.count(name) > 1), None)
    if twice:
        raise problem(file, "E-COLUMNS", f"two columns are called {twice}", "keep one of them", line=1)
    return {name: header.index(name) for name in wanted}
