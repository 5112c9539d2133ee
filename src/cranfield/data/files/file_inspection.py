"""Inspect a file: detect its kind and list its problems and topics."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from cranfield import _native
from cranfield.core import InputError, ParameterError, Ties
from cranfield.data.judgments.id_matching import (
    TOP,
    explain_topics,
    is_mismatch,
    is_suspect,
    report_mismatch,
    report_partial_mismatch,
)
from cranfield.data.judgments.qrels import Qrels, judgment_problems, read_qrels
from cranfield.data.runs.run import RunFrame, rank_rows, run_name, runs_of_table

from .columns import Columns, column_suffix, from_file, header_of, is_beir
from .data_source import is_dataset
from .input_problems import Problem, Problems, listed
from .parquet_shards import find_shards
from .size_limits import Limits

MISFITS = ("E-FIELDS", "E-RANK", "E-GRADE", "E-DECIMAL")
MANY_TIED = 0.1  # the proportion of ranks, among the first of every topic
MOST_TIED = 0.5  # the proportion of numbers of a table that are equal to another of their topic
GRADE_RANGE = 100  # between the lowest and the highest grade of a table
RUN_NAME = re.compile(r"(?<![a-z])runs?(?![a-z])")
TEXT = "hand in a text file, plain or packed: topic Q0 document rank score tag"


@dataclass(frozen=True, slots=True)
class Inspected:
    """A run or qrels as found in a file: what is wrong with it, its topics, and what it says of itself."""

    file: str
    kind: str  # run or qrels
    digest: str
    problems: Problems
    topics: tuple[str, ...]
    lines: int = 0
    tag: str = ""
    header: str = ""
    # Return the judged documents of each topic for qrels, the first ones in rank order for a run.
    documents: Callable[[], Mapping[str, Collection[str]]] = dict
    run: str = ""  # which run, where a table has several


def inspect(
    file: str | PathLike[str], *, kind: str | None = None, name: str | None = None, limits: Limits | None = None
) -> Inspected:
    """What a file is, and everything that is wrong with it; of a table of several runs, the first.

    Where its ``kind`` is given, run or qrels, it is looked at as that. Problems call it by its ``name``, for one that
    is stored under another. Under ``limits`` the file is a stranger's: it is read as text or as one packed stream of
    text, whatever its suffix, and refused where it is too large.
    """
    return inspect_all(file, kind=kind, name=name, limits=limits)[0]


def inspect_all(
    file: str | PathLike[str],
    *,
    kind: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
    gains: bool = False,
    subtopics: bool = False,
) -> list[Inspected]:
    """Inspect the qrels of a file, its run, or all runs of a table that has several.

    ``gains`` lets grades be decimals; with ``subtopics`` a document may be judged once for each.
    """
    if kind not in (None, "run", "qrels"):
        raise ParameterError(f"kind={kind!r} is not known", hint="a file is a run or qrels")
    reading: dict[str, Any] = {"gains": gains, "subtopics": subtopics}
    if limits is None and is_dataset(file) and kind != "run":
        return [_inspected_qrels(file, read_qrels(file, **reading))]
    path = Path(fspath(file))
    name = str(path) if name is None else name
    header = header_of(path) if limits is None else ()
    if limits is None and (header or column_suffix(path) or find_shards(path)):
        return _inspect_columns(path, name, kind, reading, expected="qrels" if is_beir(header) else "")
    found = _inspect_text(path, name, kind, None if limits is None else asdict(limits), reading)
    return [found if limits is None else replace(found, problems=_handed_in(found.problems))]


def _inspect_text(
    path: Path, name: str, kind: str | None, limits: dict[str, int] | None, reading: dict[str, Any]
) -> Inspected:
    """Inspect a text of a kind, or of the kind that its lines fit."""

    def judgments() -> Inspected:
        read = _native.read_qrels(path, limits=limits, **reading)
        return _inspected(name, "qrels", read, subtopics=reading["subtopics"])

    if kind == "qrels":
        return judgments()
    (run,), _ = _native.read_runs([path], depth=TOP, limits=limits)
    fatal = {code for code, *_ in run["problems"] if code.startswith("E")}
    called_qrels = "qrel" in Path(name).name.lower()
    if kind is None and fatal & {"E-SWAPPED", "E-FIELDS", "E-RANK"}:
        found = judgments()
        if "E-SWAPPED" in fatal or called_qrels or _misfits(dict(found.problems.counts)) < _misfits(run["counts"]):
            return found
    if kind is None and not run.get("tag") and (called_qrels or _has_tied_ranks(run)):
        return judgments()
    return _inspected(name, "run", run)


def _has_tied_ranks(read: dict[str, Any]) -> bool:
    """Whether many ranks in a text of three columns are equal to others of their topic; then they are grades."""
    if "run_topics" not in read:
        return False
    topic = np.repeat(np.arange(len(read["run_topics"])), np.diff(read["kept_starts"]))
    distinct = len(set(zip(topic.tolist(), read["scores"].tolist(), strict=True)))
    return distinct < (1 - MANY_TIED) * len(topic)


def _inspected(name: str, kind: str, read: dict[str, Any], *, subtopics: bool = False) -> Inspected:
    """A text file as the native reader found it; of one that it gave up, only the problem."""
    problems = judgment_problems(name, read, subtopics=subtopics) if kind == "qrels" else Problems.of(name, read)
    topics = "topics" if kind == "qrels" else "run_topics"
    if topics not in read:
        return Inspected(name, kind, "", problems, ())
    found = tuple(read[topics].to_list())
    judged = cache(lambda: _judged_documents(found, read["topic"], read["document"]))
    documents = judged if kind == "qrels" else cache(lambda: _first_documents(read))
    tag, header = read.get("tag", ""), read["header"]
    return Inspected(name, kind, read["digest"], problems, found, read["lines"], tag, header, documents)


def _inspected_qrels(name: str, qrels: Qrels) -> Inspected:
    topics, source = tuple(qrels.topics.to_list()), qrels.source
    documents = cache(lambda: _judged_documents(topics, qrels.topic, qrels.document))
    return Inspected(name, "qrels", source.digest, source.problems, topics, documents=documents)


def _judged_documents(topics: tuple[str, ...], topic: Any, document: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {name: set() for name in topics}
    for number, name in zip(topic.tolist(), document.to_list(), strict=True):
        found[topics[number]].add(name)
    return found


def _first_documents(read: dict[str, Any]) -> dict[str, list[str]]:
    names = read["documents"].to_list()
    parts = pairwise(read["kept_starts"].tolist())
    return {topic: names[a:b] for topic, (a, b) in zip(read["run_topics"].to_list(), parts, strict=True)}


def _handed_in(problems: Problems) -> Problems:
    """The same, where no other suffix helps: only text is taken."""
    kept = tuple(replace(one, hint=TEXT) if one.code == "E-FORMAT" else one for one in problems.kept)
    return replace(problems, kept=kept)


def _misfits(counts: Mapping[str, int]) -> int:
    """How many lines do not look like what they were read as; more than any file has where nothing does."""
    return sys.maxsize if "E-SWAPPED" in counts else sum(counts.get(code, 0) for code in MISFITS)


def _inspect_columns(
    path: Path, name: str, kind: str | None, reading: dict[str, Any], *, expected: str = ""
) -> list[Inspected]:
    """Inspect a table of a kind, or of the kind that its columns, its name and its numbers show.

    ``expected`` is the kind that the header suggests, if it does.
    """
    file = Path(name)
    named_qrels = path.is_file() and "qrel" in file.name.lower()
    if not path.is_file() and any("qrel" in part.lower() for part in file.parts[-2:]):
        expected = "qrels"  # the shards of a table lie in a folder
    elif not named_qrels and RUN_NAME.search(file.name.lower()):
        expected = "run"
    qrels = kind == "qrels"
    try:
        columns = None if qrels else _run_columns(path, kind, certain=not named_qrels and expected != "qrels")
        if columns is None:
            qrels = True
            return [_inspected_qrels(name, read_qrels(path, name=name, check=False, **reading))]
        certain = named_qrels or (expected == "qrels" and reading["gains"])
        if kind is None and _has_grades(columns, expected, certain=certain):
            with suppress(InputError):  # grades cannot have every name that scores have
                return [_inspected_qrels(name, read_qrels(path, name=name, check=False, **reading))]
        runs = runs_of_table(columns, name, run_name(Path(name)))
    except InputError as error:
        message = error.problem.removeprefix(f"{path}:{error.line}: ").removeprefix(f"{path}: ")
        found = Problem(name, error.line or 0, error.code or "E-FORMAT", message, error.hint)
        return [Inspected(name, "qrels" if qrels else "run", "", Problems((found,), ((found.code, 1),)), ())]
    return [_inspected_run(run, name) for run in runs]


def _run_columns(path: Path, kind: str | None, *, certain: bool) -> Columns | None:
    """Return the columns of a table of runs; nothing if it seems to be qrels."""
    try:
        return from_file(path, "score")
    except InputError as error:
        if kind is None and (not certain or error.code in ("E-COLUMNS", "E-SWAPPED")):
            return None
        raise


def _has_grades(columns: Columns, expected: str, *, certain: bool) -> bool:
    """Return whether the numbers of a table are grades: whole, in a small range, most of them equal to another.

    If qrels are ``expected``, they are grades unless they have decimals and hardly any is equal to another, or, if
    that is ``certain``, in any case. Only runs have ranks or name their run.
    """
    if columns.rank is not None or columns.run is not None or columns.tag:
        return False
    if certain or not len(columns.number):
        return certain or expected == "qrels"
    number = columns.number
    whole, tied = np.array_equal(number, np.trunc(number)), _proportion_tied(columns)
    if expected == "qrels":
        return whole or tied > MANY_TIED
    return expected != "run" and whole and tied > MOST_TIED and bool(np.ptp(number) <= GRADE_RANGE)


def _proportion_tied(columns: Columns) -> float:
    """Return the proportion of numbers that are equal to another of their topic, or, in topics of one row, to all."""
    _, topic = columns.topic.distinct()
    rows = np.bincount(topic)[topic]
    if rows.max() == 1:
        return float(len(rows) > 1 and np.ptp(columns.number) == 0)
    order = np.lexsort((columns.number, topic))
    topic, number = topic[order], columns.number[order]
    equal = (topic[1:] == topic[:-1]) & (number[1:] == number[:-1])
    tied = np.append(equal, False) | np.append(False, equal)
    return float(tied.sum() / (rows > 1).sum())


def _inspected_run(run: RunFrame, name: str) -> Inspected:
    read, source = rank_rows(run, ties=Ties.TREC, depth=TOP)
    problems, own = source.problems, source.run
    if "run_topics" not in read:
        return Inspected(name, "run", source.digest, problems, (), run=own)
    topics = tuple(read["run_topics"].to_list())
    rows, documents = len(run.columns.number), cache(lambda: _first_documents(read))
    return Inspected(name, "run", source.digest, problems, topics, rows, source.tag, documents=documents, run=own)


def compare_documents(judged: Inspected, run: Inspected) -> list[Problem]:
    """Return a warning if many ids of a run are likely to be written in another way than those of the judgments."""
    known = judged.documents()
    shared = {topic: list(ids) for topic, ids in run.documents().items() if topic in known}
    in_pool = {topic: sum(document in known[topic] for document in ids) for topic, ids in shared.items()}
    possible = {topic: min(len(ids), len(known[topic])) for topic, ids in shared.items()}
    many = [topic for topic in shared if possible[topic] == TOP]
    matches = sum(in_pool.values())
    differ = is_mismatch(matches, sum(possible.values()))
    if not differ and not is_suspect(sum(in_pool[topic] for topic in many), TOP * len(many)):
        return []
    total, theirs = sum(map(len, shared.values())), {topic: set(known[topic]) for topic in shared}
    warning = (report_mismatch if differ else report_partial_mismatch)(run.file, matches, total, shared, theirs)
    return [warning.of_run(run.run)] if warning else []


def compare_topics(topics: Iterable[str], run: Inspected, *, judged: bool = True) -> list[Problem]:
    """What is wrong between a run and the topics it is for: those of qrels, or, not ``judged`` yet, of a file."""
    known, retrieved = dict.fromkeys(topics), dict.fromkeys(run.topics)
    where, which = ("the qrels", "judged topics") if judged else ("the task", "topics")
    missing = [topic for topic in known if topic not in retrieved]
    unknown = [topic for topic in retrieved if topic not in known]
    problems = []
    if known and retrieved and len(missing) == len(known):
        message = f"no topic of the run is in {where} (the run has {listed(retrieved)})"
        why = explain_topics(list(retrieved), list(known))
        hint = f"{where} {'have' if judged else 'has'} {listed(known)}: {why}"
        return [Problem(run.file, 0, "E-TOPICS", message, hint).of_run(run.run)]
    if missing and retrieved:
        verb = "are" if len(missing) > 1 else "is"
        message = f"{len(missing)} of {len(known)} {which} {verb} missing ({listed(missing)})"
        hint = "a missing topic counts as worst" + "; --topics both leaves it out" * judged
        problems.append(Problem(run.file, 0, "W-MISSING", message, hint))
    if unknown and known:
        what = "1 topic is" if len(unknown) == 1 else f"{len(unknown)} topics are"
        message = f"{what} not in {where} ({listed(unknown)})"
        problems.append(Problem(run.file, 0, "W-UNKNOWN", message, "what nobody judged is not evaluated"))
    return [problem.of_run(run.run) for problem in problems]
