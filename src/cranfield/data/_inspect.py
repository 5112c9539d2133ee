"""Looking at a file without using it."""

import sys
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from cranfield import _native
from cranfield.core import InputError

from ._columns import column_suffix, from_file
from ._problems import Problem, Problems, listed
from ._qrels import read_qrels
from ._run import read_run


@dataclass(frozen=True, slots=True)
class Inspected:
    """A file that was looked at: what it seems to be, what is wrong with it, which topics it has."""

    file: str
    kind: str  # run or qrels
    digest: str
    problems: Problems
    topics: tuple[str, ...]


def inspect(file: str | PathLike[str]) -> Inspected:
    """What a file is, and everything that is wrong with it."""
    path = Path(fspath(file))
    if column_suffix(path):
        return _inspect_columns(path)
    run = _native.read_run(path)
    fatal = {code for code, *_ in run["problems"] if code.startswith("E")}
    qrels = _native.read_qrels(path) if fatal & {"E-SWAPPED", "E-FIELDS", "E-RANK"} else None
    if qrels and ("E-SWAPPED" in fatal or "qrel" in path.name.lower() or _misfits(qrels) < _misfits(run)):
        topics = qrels["topics"].to_list() if "topics" in qrels else []
        return Inspected(str(path), "qrels", qrels.get("digest", ""), Problems.of(str(path), qrels), tuple(topics))
    topics = run["run_topics"].to_list() if "run_topics" in run else []
    return Inspected(str(path), "run", run.get("digest", ""), Problems.of(str(path), run), tuple(topics))


def _misfits(read: dict[str, Any]) -> int:
    """How many lines do not look like what they were read as; more than any file has where nothing does."""
    counts = read["counts"]
    return sys.maxsize if "E-SWAPPED" in counts else counts.get("E-FIELDS", 0) + counts.get("E-RANK", 0)


def _inspect_columns(path: Path) -> Inspected:
    """A frame is a run if it can be read as one: qrels have no score and no rank."""
    name = str(path)
    qrels = "qrel" in path.name.lower()
    try:
        if not qrels:
            try:
                from_file(path, "score")
            except InputError as error:
                qrels = error.code == "E-COLUMNS"
                if not qrels:
                    raise
        data = read_qrels(path) if qrels else read_run(path)
    except InputError as error:
        message = error.problem.removeprefix(f"{name}: ")
        found = Problem(name, error.line or 0, error.code or "E-FORMAT", message, error.hint)
        return Inspected(name, "qrels" if qrels else "run", "", Problems((found,), ((found.code, 1),)), ())
    return Inspected(name, data.source.kind, data.source.digest, data.source.problems, tuple(data.topics.to_list()))


def compare_topics(qrels: Inspected, run: Inspected) -> list[Problem]:
    """What is wrong between a run and the qrels it would be evaluated with."""
    judged, retrieved = dict.fromkeys(qrels.topics), dict.fromkeys(run.topics)
    missing = [topic for topic in judged if topic not in retrieved]
    unknown = [topic for topic in retrieved if topic not in judged]
    problems = []
    if judged and retrieved and len(missing) == len(judged):
        message = f"no topic of the run is in the qrels (the run has {listed(retrieved)})"
        hint = f"the qrels have {listed(judged)}: do they belong together?"
        return [Problem(run.file, 0, "E-TOPICS", message, hint)]
    if missing and retrieved:
        verb = "are" if len(missing) > 1 else "is"
        message = f"{len(missing)} of {len(judged)} judged topics {verb} missing ({listed(missing)})"
        problems.append(
            Problem(run.file, 0, "W-MISSING", message, "a missing topic counts as worst; --topics both leaves it out")
        )
    if unknown and judged:
        what = "1 topic is" if len(unknown) == 1 else f"{len(unknown)} topics are"
        message = f"{what} not in the qrels ({listed(unknown)})"
        problems.append(Problem(run.file, 0, "W-UNKNOWN", message, "what nobody judged is not evaluated"))
    return problems
