"""Runs in memory, in files and in frames, and the search for run files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import ParameterError, Table, Ties
from cranfield.data.files.columns import Columns, from_file, from_object
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import Problems, listed, problem
from cranfield.data.files.number_columns import check_ranks
from cranfield.data.files.parquet_shards import files_of, splits_in

if TYPE_CHECKING:
    import polars as pl

WHOLE = 2**32 - 1  # a depth that keeps every document
COMPAT = ("trec_eval-9", "trec_eval-10")
ORDERS = (Ties.TREC, Ties.DOCNO_ASC, Ties.INPUT, Ties.RANK)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run:
    """What a system retrieved: for each topic its documents in rank order, with their scores."""

    name: str
    topics: Strings  # in order of appearance
    starts: NDArray[np.int64]  # (topic + 1,): where the documents of each topic start
    document: Strings  # (document,)
    score: NDArray[np.float64]  # (document,)
    source: Source

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"Run({self.name!r}: {len(self.topics)} topics, {len(self)} documents)"

    @property
    def topic(self) -> NDArray[np.uint32]:
        """Which topic each document was retrieved for."""
        return np.repeat(np.arange(len(self.topics), dtype=np.uint32), np.diff(self.starts))

    @property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each document in its topic, from 1."""
        return np.arange(1, len(self) + 1) - np.repeat(self.starts[:-1], np.diff(self.starts))

    def first(self, depth: int) -> "Run":
        """The first documents of each topic."""
        number = np.diff(self.starts)
        if not len(number) or number.max() <= depth:
            return self
        kept = np.flatnonzero(self.rank <= depth)
        starts = np.concatenate(([0], np.cumsum(np.minimum(number, depth))))
        return replace(self, starts=starts, document=self.document.take(kept), score=self.score[kept])

    def by_topic(self) -> dict[str, list[str]]:
        """The documents of each topic, best first."""
        names = self.document.to_list()
        parts = pairwise(self.starts.tolist())
        return {topic: names[start:end] for topic, (start, end) in zip(self.topics.to_list(), parts, strict=True)}

    def to_table(self) -> Table:
        """The run as rows of topic, document, rank and score."""
        topic = self.topics.take(self.topic.astype(np.int64)).to_list()
        columns: dict[str, Any] = {"topic": topic, "document": self.document.to_list()}
        columns |= {"rank": self.rank, "score": self.score}
        return Table(columns, self.name)

    def to_polars(self) -> "pl.DataFrame":
        """The run as a polars frame."""
        return self.to_table().to_polars()


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run that is still text on disk: it is matched while it is read, and never held whole."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunFrame:
    """A run that is still rows in memory: it is put in order when it is read, as ``ties`` will have it."""

    name: str
    columns: Columns
    source: Source

    def __repr__(self) -> str:
        return f"RunFrame({self.name!r}: {len(self.columns.number)} rows)"


Runs: TypeAlias = Any  # one of: a path, a glob, a folder, a Run, a frame, a dict of dicts; a list or a dict of those


def find_runs(data: Runs) -> list[Run | RunFile | RunFrame]:
    """Return every run of ``data``: paths, folders, globs, frames, dicts; each with a name that no other has.

    A table whose column ``run`` has several values is several runs, which are called by these values.
    """
    found: list[Run | RunFile | RunFrame] = []
    for name, item in _items(data):
        if isinstance(item, Run | RunFile | RunFrame):
            found.append(replace(item, name=name) if name else item)
        elif isinstance(item, str | PathLike):
            for path in _paths(fspath(item)):
                columns = from_file(path, "score")
                if columns is None:
                    found.append(RunFile(name or run_name(path), path))
                else:
                    found += runs_of_table(columns, str(path), name or run_name(path), prefix=name)
        else:
            own = name or f"run{len(found) + 1}"
            columns = from_object(item, "score", name=own)
            found += runs_of_table(columns, own, name or columns.tag or own, prefix=name)
    return _told_apart(found)


def read_run(
    data: Any,
    *,
    name: str | None = None,
    depth: int | None = None,
    ties: Ties | str = Ties.TREC,
    compat: str | None = None,
) -> Run:
    """A whole run in memory, its first ``depth`` documents, in rank order: for pools, fusion and interleaving.

    Under ``ties="rank"`` the score is what gives the order: minus the rank.
    """
    if depth is not None and depth < 1:
        raise ParameterError(f"a run cannot be cut at depth {depth}", hint="keep at least one document of each topic")
    found = find_runs({name: data} if name else data)
    if len(found) != 1:
        hint = "read one run at a time; find_runs finds them all"
        names = f": {listed(run.name for run in found)}" if found else ""
        raise ParameterError(f"there are {len(found)} runs where one is meant{names}", hint=hint)
    kept = WHOLE if depth is None else depth
    read, source = ranked(found[0], ties=order_of(ties), depth=kept, **reader_options(compat))
    return Run(found[0].name, read["run_topics"], read["kept_starts"], read["documents"], read["scores"], source)


def order_of(ties: Ties | str) -> Ties:
    """The order of ties that a word names."""
    if str(ties) not in ORDERS:
        raise ParameterError(f"ties={ties!s} is not an order of ties", hint=f"choose one of: {', '.join(ORDERS)}")
    return Ties(str(ties))


def reader_options(compat: str | None) -> dict[str, bool]:
    """Return how the native reader follows trec_eval.

    Version 9 compares scores as float32. All versions ignore columns after the sixth.
    """
    if compat is not None and compat not in COMPAT:
        raise ParameterError(f"compat={compat} is not known", hint=f"choose one of: {', '.join(COMPAT)}")
    return {"extra_columns": True} if compat == "trec_eval-10" else {"trec_eval_9": compat == "trec_eval-9"}


def ranked(run: Run | RunFile | RunFrame, *, ties: Ties, **options: Any) -> tuple[dict[str, Any], Source]:
    """Put a run in order; what else the native reader is to make of it is in ``options``."""
    if isinstance(run, RunFile):
        reads, found = ranked_files([run], ties=ties, **options)
        read, source = next(reads)
        return read | found, source
    options.pop("extra_columns", None)  # only lines of text have them
    read, source = rank_rows(run, ties=ties, **options)
    source.problems.stop()
    return read, source


def rank_rows(run: Run | RunFrame, *, ties: Ties, **options: Any) -> tuple[dict[str, Any], Source]:
    """Put a run that is in memory in order; its problems are in the source, errors too."""
    if isinstance(run, Run):  # checked when it was read
        read = _native.rank_run(run.topics, run.topic, run.document, run.score, ties=str(ties), **options)
        return read, run.source
    columns = run.columns
    topics, topic = columns.topic.distinct()
    if ties is Ties.RANK:
        check_ranks(columns.rank, run.source.name)
    checked: dict[str, Any] = {"rank": columns.rank, "line": columns.line, "rounded": columns.rounded}
    read = _native.rank_run(topics, topic, columns.document, columns.number, ties=str(ties), **checked, **options)
    problems = Problems.of(run.source.name, read).of_run(run.source.run).after(columns.problems)
    return read, replace(run.source, problems=problems)


def ranked_files(
    runs: Sequence[RunFile], *, ties: Ties, **options: Any
) -> tuple[Iterator[tuple[dict[str, Any], Source]], dict[str, Any]]:
    """The same for runs that are files, read at once; what was found in them stands beside them, one after the other.

    The first that has errors is raised when its turn comes.
    """
    reads, found = _native.read_runs([run.path for run in runs], ties=str(ties), **options)
    return map(_checked, runs, reads), found


def _checked(run: RunFile, read: dict[str, Any]) -> tuple[dict[str, Any], Source]:
    problems = Problems.of(str(run.path), read)
    problems.stop()
    return read, Source(str(run.path), read["digest"], "run", problems, read["header"], read["tag"])


def run_name(path: Path) -> str:
    """What a run is called: its file name without what says how it is written or packed."""
    return re.sub(r"(?i)(\.(txt|run|trec|res|tsv|csv|json|jsonl|parquet|gz|bz2|xz|zst))+$", "", path.name) or path.name


def _items(data: Runs) -> list[tuple[str | None, Any]]:
    if isinstance(data, Mapping) and not _is_one_run(data):
        return [(str(name), item) for name, item in data.items()]
    if isinstance(data, list | tuple) and not isinstance(data, str):
        return [(None, item) for item in data]
    return [(None, data)]


def _is_one_run(data: Mapping[Any, Any]) -> bool:
    """A dict of dicts of numbers, or a dict of columns, is one run; a dict of runs is many."""
    first = next((value for value in data.values() if not isinstance(value, Mapping) or value), None)
    if isinstance(first, Mapping):
        inner = next(iter(first.values()))
        return isinstance(inner, str) or not hasattr(inner, "__len__")  # a number, not a column or a topic
    kind = type(first)  # to ask a lazy frame itself would make it think
    is_table = hasattr(kind, "columns") or hasattr(kind, "schema")  # the readers of Arrow have a schema alone
    return not isinstance(first, str | PathLike | Run) and not is_table


def _paths(text: str) -> list[Path]:
    """The files a word names: a file, the files of a folder, or what a pattern matches."""
    path = Path(text)
    if path.is_dir():
        files = files_of(path) or splits_in(path / "data")
        if not files:
            raise problem(text, "E-FOLDER", "the folder has no files", "name a folder that holds runs")
        return files
    if re.search(r"[*?\[]", text) and not path.exists():
        import glob

        files = sorted(Path(p) for p in glob.glob(text, recursive=True) if Path(p).is_file())  # noqa: PTH207  absolute patterns too
        if not files:
            raise problem(text, "E-MISSING", "no file fits the pattern", "check the pattern")
        return files
    return [path]


def runs_of_table(columns: Columns, file: str, name: str, *, prefix: str | None = None) -> list[RunFrame]:
    """Return the one run of a table, called ``name``, or those that its column ``run`` names, after a ``prefix``."""
    if not len(columns.topic):
        raise problem(file, "E-EMPTY", "the run has no rows", "a run has a topic, a document and a score in every row")
    if columns.run is None:
        return [_from_columns(columns, file, name)]
    runs, which = columns.run.distinct()
    order = np.argsort(which, kind="stable").astype(np.int64)
    parts = np.split(order, np.cumsum(np.bincount(which))[:-1])
    names = [f"{prefix}/{run}" if prefix else run for run in runs.to_list()]
    frames = [_from_columns(columns.take(rows), file, run, own=run) for run, rows in zip(names, parts, strict=True)]
    frames[0] = replace(frames[0], columns=replace(frames[0].columns, problems=columns.problems))
    return frames


def _from_columns(columns: Columns, file: str, name: str, *, own: str = "") -> RunFrame:
    known = (columns.topic, columns.document, columns.number, columns.rank)
    identity = digest(*(column for column in known if column is not None))
    return RunFrame(name, columns, Source(file, identity, "run", tag=columns.tag, run=own))


def _told_apart(runs: list[Run | RunFile | RunFrame]) -> list[Run | RunFile | RunFrame]:
    """Files of one name are called by their paths, others by numbers, so that every name is one run."""
    for whole in (False, True):
        shared = _shared_names(runs)
        for i, run in enumerate(runs):
            if run.name in shared and isinstance(run, RunFile):
                runs[i] = replace(run, name=str(run.path if whole else run.path.with_name(run.name)))
    shared, count = _shared_names(runs), Counter[str]()
    for i, run in enumerate(runs):
        if run.name in shared and not isinstance(run, RunFile):
            count[run.name] += 1
            runs[i] = replace(run, name=f"{run.name}-{count[run.name]}")
    for twice in _shared_names(runs):
        raise problem(twice, "E-NAMES", "two runs have this name", "give every run a name of its own")
    return runs


def _shared_names(runs: Iterable[Run | RunFile | RunFrame]) -> list[str]:
    return [name for name, count in Counter(run.name for run in runs).items() if count > 1]
