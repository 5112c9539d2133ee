"""Inspect a file: detect its kind and list its problems and topics."""

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from cranfield import _native
from cranfield.core import InputError, ParameterError
from cranfield.data.judgments.qrels import read_qrels
from cranfield.data.runs.run import read_run

from .columns import column_suffix, from_file
from .data_source import is_dataset
from .input_problems import Problem, Problems, listed
from .parquet_shards import find_shards
from .size_limits import Limits

TEXT = "hand in a text file, plain or packed: topic Q0 document rank score tag"


@dataclass(frozen=True, slots=True)
class Inspected:
    """A file that was looked at: what it seems to be, what is wrong with it, which topics it has, what it says."""

    file: str
    kind: str  # run or qrels
    digest: str
    problems: Problems
    topics: tuple[str, ...]
    lines: int = 0
    tag: str = ""
    header: str = ""


def inspect(
    file: str | PathLike[str], *, kind: str | None = None, name: str | None = None, limits: Limits | None = None
) -> Inspected:
    """What a file is, and everything that is wrong with it.

    Where its ``kind`` is given, run or qrels, it is looked at as that. Problems call it by its ``name``, for one that
    is stored under another. Under ``limits`` the file is a stranger's: it is read as text or as one packed stream of
    text, whatever its suffix, and refused where it is too large.
    """
    if kind not in (None, "run", "qrels"):
        raise ParameterError(f"kind={kind!r} is not known", hint="a file is a run or qrels")
    if limits is None and is_dataset(file) and kind != "run":
        judged = read_qrels(file)
        return Inspected(file, "qrels", judged.source.digest, judged.source.problems, tuple(judged.topics.to_list()))
    path = Path(fspath(file))
    name = str(path) if name is None else name
    if limits is None and (column_suffix(path) or find_shards(path)):
        return _inspect_columns(path, name, kind)
    found = _inspect_text(path, name, kind, None if limits is None else asdict(limits))
    return found if limits is None else replace(found, problems=_handed_in(found.problems))


def _inspect_text(path: Path, name: str, kind: str | None, limits: dict[str, int] | None) -> Inspected:
    """A text is a run unless fewer of its lines misfit as judgments."""
    if kind == "qrels":
        return _inspected(name, kind, _native.read_qrels(path, limits=limits), "topics")
    (run,), _ = _native.read_runs([path], limits=limits)
    fatal = {code for code, *_ in run["problems"] if code.startswith("E")}
    if kind is None and fatal & {"E-SWAPPED", "E-FIELDS", "E-RANK"}:
        qrels = _native.read_qrels(path, limits=limits)
        if "E-SWAPPED" in fatal or "qrel" in Path(name).name.lower() or _misfits(qrels) < _misfits(run):
            return _inspected(name, "qrels", qrels, "topics")
    return _inspected(name, "run", run, "run_topics")


def _inspected(name: str, kind: str, read: dict[str, Any], topics: str) -> Inspected:
    """A text file as the native reader found it; of one that it gave up, only the problem."""
    problems = Problems.of(name, read)
    if topics not in read:
        return Inspected(name, kind, "", problems, ())
    found = tuple(read[topics].to_list())
    return Inspected(name, kind, read["digest"], problems, found, read["lines"], read.get("tag", ""), read["header"])


def _handed_in(problems: Problems) -> Problems:
    """The same, where no other suffix helps: only text is taken."""
    kept = tuple(replace(one, hint=TEXT) if one.code == "E-FORMAT" else one for one in problems.kept)
    return replace(problems, kept=kept)


def _misfits(read: dict[str, Any]) -> int:
    """How many lines do not look like what they were read as; more than any file has where nothing does."""
    counts = read["counts"]
    return sys.maxsize if "E-SWAPPED" in counts else counts.get("E-FIELDS", 0) + counts.get("E-RANK", 0)


def _inspect_columns(path: Path, name: str, kind: str | None) -> Inspected:
    """A frame is a run if it can be read as one: qrels have no score and no rank."""
    qrels = kind == "qrels" or (kind is None and "qrel" in Path(name).name.lower())
    try:
        if kind is None and not qrels:
            qrels = not _has_scores(path)
        data = read_qrels(path) if qrels else read_run(path)
    except InputError as error:
        message = error.problem.removeprefix(f"{path}:{error.line}: ").removeprefix(f"{path}: ")
        found = Problem(name, error.line or 0, error.code or "E-FORMAT", message, error.hint)
        return Inspected(name, "qrels" if qrels else "run", "", Problems((found,), ((found.code, 1),)), ())
    return Inspected(name, data.source.kind, data.source.digest, data.source.problems, tuple(data.topics.to_list()))


def _has_scores(path: Path) -> bool:
    try:
        from_file(path, "score")
    except InputError as error:
        if error.code != "E-COLUMNS":
            raise
        return False
    return True


def compare_topics(topics: Iterable[str], run: Inspected, *, judged: bool = True) -> list[Problem]:
    """What is wrong between a run and the topics it is for: those of qrels, or, not ``judged`` yet, of a file."""
    known, retrieved = dict.fromkeys(topics), dict.fromkeys(run.topics)
    where, which = ("the qrels", "judged topics") if judged else ("the task", "topics")
    missing = [topic for topic in known if topic not in retrieved]
    unknown = [topic for topic in retrieved if topic not in known]
    problems = []
    if known and retrieved and len(missing) == len(known):
        message = f"no topic of the run is in {where} (the run has {listed(retrieved)})"
        hint = f"{where} {'have' if judged else 'has'} {listed(known)}: do they belong together?"
        return [Problem(run.file, 0, "E-TOPICS", message, hint)]
    if missing and retrieved:
        verb = "are" if len(missing) > 1 else "is"
        message = f"{len(missing)} of {len(known)} {which} {verb} missing ({listed(missing)})"
        hint = "a missing topic counts as worst" + "; --topics both leaves it out" * judged
        problems.append(Problem(run.file, 0, "W-MISSING", message, hint))
    if unknown and known:
        what = "1 topic is" if len(unknown) == 1 else f"{len(unknown)} topics are"
        message = f"{what} not in {where} ({listed(unknown)})"
        problems.append(Problem(run.file, 0, "W-UNKNOWN", message, "what nobody judged is not evaluated"))
    return problems
