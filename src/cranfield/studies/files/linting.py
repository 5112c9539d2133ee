"""Which problems do these run and qrels files have?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from cranfield.core import Input, Provenance, Study, Table
from cranfield.data import Inspected, Limits, Problem, compare_documents, compare_topics, files_of, inspect_all

from .corpus_checks import check_corpus

COLUMNS = ("file", "line", "code", "severity", "message", "hint")


def lint(
    files: Iterable[str | PathLike[str]],
    *,
    qrels: str | PathLike[str] | None = None,
    topics: Iterable[str] | None = None,
    limits: Limits | None = None,
    names: Mapping[str | PathLike[str], str] | None = None,
    corpus: Any = None,
    gains: bool = False,
    subtopics: bool = False,
    progress: Callable[[int, int], object] | None = None,
    reading: Callable[[int, int], object] | None = None,
    command: str = "",
) -> Study:
    """Return every problem of runs and qrels, without evaluating anything. A folder stands for all its files.

    Each run is compared with the qrels among the files: which topics and documents they share. Of several qrels, those
    count that share most topics with the run. With ``qrels``, or with only the ``topics`` of a task that is not judged
    yet, all files are read as runs. ``limits`` apply to the files, not to the qrels. ``names`` maps a file that is
    stored under another name to the name in messages. ``gains`` and ``subtopics`` read judgments as :func:`evaluate`
    does: with ``gains`` grades may be decimals, with ``subtopics`` a document may be judged once for each.
    With a ``corpus`` (a file, folder, frame, dict or ir_datasets id of documents), judged and retrieved documents that
    it lacks are reported, and documents that have the same text.
    ``progress`` is called with the numbers of files that are done and of all files, ``reading`` with the same in bytes
    of the corpus.
    """
    every = [file for name in files for file in _files(name)]
    shown = {fspath(file): name for file, name in (names or {}).items()}
    reading_as: dict[str, Any] = {"gains": gains, "subtopics": subtopics}
    judged = None
    if qrels is not None:
        judged = inspect_all(qrels, kind="qrels", name=shown.get(fspath(qrels)), **reading_as)[0]
    inspected: list[Inspected] = [judged] if judged else []
    paths: list[str | PathLike[str]] = [] if qrels is None else [qrels]
    wanted = None if topics is None else tuple(topics)
    kind = "run" if judged or wanted is not None else None
    for done, file in enumerate(every, start=1):
        inspected += inspect_all(file, kind=kind, name=shown.get(fspath(file)), limits=limits, **reading_as)
        paths += [file] * (len(inspected) - len(paths))
        if progress:
            progress(done, len(every))
    judgments = [judged] if judged else [found for found in inspected if found.kind == "qrels"]
    problems: list[Problem] = []
    for found in inspected:
        problems += found.problems.kept
        if found.problems.not_kept:
            message = f"{found.problems.not_kept} more problems are not listed"
            problems.append(Problem(found.file, 0, "W-MORE", message, "mend the first ones, then look again"))
        if judgments and found.kind == "run":
            judged = _closest(judgments, found)
            problems += [*compare_topics(judged.topics, found), *compare_documents(judged, found)]
        elif wanted is not None:
            problems += compare_topics(wanted, found, judged=False)
    if corpus is not None:
        known = [(path, found.kind, found.file) for path, found in zip(paths, inspected, strict=True)]
        problems += check_corpus(corpus, known, reading)
    rows = [{name: getattr(problem, name) for name in COLUMNS} for problem in problems]
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = len(problems) - errors
    names_of_files = {found.file for found in inspected}
    counted = [_count(errors, "error")] * bool(errors) + [_count(warnings, "warning")] * bool(warnings)
    sentence = f"{_count(len(names_of_files), 'file')}: {', '.join(counted) or 'no problems'}"
    made_by = Provenance(command=command, inputs=tuple(_input(found) for found in inspected))
    verdict = {"files": len(names_of_files), "errors": errors, "warnings": warnings, "sentence": sentence}
    table = Table.from_rows(rows, COLUMNS, caption="problems", made_by=made_by)
    return Study("lint", {"problems": table}, verdict, made_by)


def _files(name: str | PathLike[str]) -> list[str | PathLike[str]]:
    """The file itself, or the files of a folder; an empty one is reported as what it is."""
    return [*(files_of(Path(name)) if Path(name).is_dir() else ())] or [name]


def _closest(judgments: Sequence[Inspected], run: Inspected) -> Inspected:
    """Return the judgments that share most topics with a run; of several, the first."""
    topics = set(run.topics)
    return max(judgments, key=lambda judged: len(topics.intersection(judged.topics)))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _input(found: Inspected) -> Input:
    return Input(found.file, found.digest, found.kind)
