"""Check judgments and runs against the corpus: documents that it lacks, and texts that it has twice."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from cranfield.core import InputError, listed
from cranfield.data import Corpus, CorpusScan, Problem, find_runs, is_dataset, read_qrels, read_run, stream_corpus

Progress: TypeAlias = Callable[[int, int], object]
Groups: TypeAlias = list[list[str]]

MAX_EXAMPLES = 3


def check_corpus(
    corpus: Any, files: Iterable[tuple[str | PathLike[str], str, str]], progress: Progress | None = None
) -> list[Problem]:
    """Return what judgments and runs name and the corpus lacks, and the texts that several documents have.

    ``files`` are paths with the kind (qrels or run) and the name that problems call each by. The corpus is streamed:
    only its ids and 16 bytes of each text stay in memory. ``progress`` is called with the rough numbers of bytes read
    and of all bytes.
    """
    named = {(fspath(path), kind, name): None for path, kind, name in files}
    documents = {file: _documents(*file[:2]) for file in named}
    name = corpus.source.name if isinstance(corpus, Corpus) else fspath(corpus) if _is_path(corpus) else "corpus"
    scan = CorpusScan(wanted=set().union(*documents.values()))
    try:
        for one in _watched(corpus, progress):
            scan.add(one.document, f"{one.title} {one.text}")
    except InputError as error:
        where = error.file or name
        message = error.problem.removeprefix(f"{where}:{error.line}: ").removeprefix(f"{where}: ")
        return [Problem(where, error.line or 0, error.code or "E-FORMAT", message, error.hint)]
    if not scan.documents:
        return [Problem(name, 0, "E-EMPTY", "there are no documents", "is it the right file?")]
    problems = []
    for (_, kind, file), ids in documents.items():
        problems += _absent(scan, ids, kind, file)
    if repeated := scan.repeated_ids():
        stand = "stands" if len(repeated) == 1 else "stand"
        message = f"{_counted(len(repeated), 'id')} {stand} for several documents ({_some(repeated)})"
        problems.append(Problem(name, 0, "E-DUPDOC", message, "keep one text for each document"))
    if groups := scan.equal_texts():
        problems += _equal_texts(groups, name)
        for path, kind, file in named:
            problems += _contradictions(groups, path, file) if kind == "qrels" else []
    return problems


def _documents(path: str, kind: str) -> set[str]:
    """Return the ids that a file names; none if it cannot be read, which is reported elsewhere."""
    try:
        if kind == "qrels":
            return set(read_qrels(path, gains=True, subtopics=True, check=False).document.to_list())
        return {document for run in find_runs([path]) for document in read_run(run).document.to_list()}
    except InputError:
        return set()


def _is_path(corpus: Any) -> bool:
    return isinstance(corpus, str | PathLike)


def _watched(corpus: Any, progress: Progress | None) -> Iterator[Any]:
    """Yield the documents, and tell how far the reading has come, by the length of the texts."""
    total = _size(corpus) if _is_path(corpus) and not is_dataset(corpus) else 0
    done = 0
    for one in stream_corpus(corpus):
        yield one
        done += len(one.text) + len(one.title) + len(one.document)
        if progress and total:
            progress(min(done, total - 1), total)
    if progress and total:
        progress(total, total)


def _size(corpus: str | PathLike[str]) -> int:
    path = Path(corpus)
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _absent(scan: CorpusScan, ids: set[str], kind: str, file: str) -> list[Problem]:
    absent = sorted(ids - scan.found)
    if not absent:
        return []
    what = "judged" if kind == "qrels" else "retrieved"
    count = f"{len(absent):,} of {len(ids):,} {what} documents"
    message = f"{count} {'is' if len(absent) == 1 else 'are'} not in the corpus ({_some(absent)})"
    hint = "is it the whole corpus, and the version that was judged and searched?"
    if len(absent) == len(ids):
        hint = f"the corpus has ids such as {listed(scan.examples)}: are they written in two ways?"
    return [Problem(file, 0, "W-ABSENT", message, hint)]


def _equal_texts(groups: Groups, name: str) -> list[Problem]:
    examples = [f"{group[0]} = {group[1]}" for group in groups]
    many = sum(map(len, groups))
    message = f"{many:,} documents have a text that another one has, in {_counted(len(groups), 'group')}"
    hint = "a run may retrieve any of them: keep one, or judge them alike"
    return [Problem(name, 0, "W-DUPTEXT", f"{message} ({_some(examples)})", hint)]


def _contradictions(groups: Groups, path: str, file: str) -> list[Problem]:
    """Return a warning where documents with the same text have different grades in a topic."""
    try:
        qrels = read_qrels(path, gains=True, subtopics=True, check=False)
    except InputError:
        return []
    group_of = {document: i for i, group in enumerate(groups) for document in group}
    topics = qrels.topics.to_list()
    grades: dict[tuple[int, int, int], dict[str, float]] = {}
    rows = zip(qrels.topic.tolist(), qrels.subtopic.tolist(), qrels.document.to_list(), qrels.grade, strict=True)
    for topic, subtopic, document, grade in rows:
        if document in group_of and grade >= 0:
            grades.setdefault((topic, subtopic, group_of[document]), {})[document] = float(grade)
    apart = {key: given for key, given in grades.items() if len(set(given.values())) > 1}
    if not apart:
        return []
    examples = [
        f"topic {topics[topic]}: " + ", ".join(f"{document} {grade:g}" for document, grade in [*given.items()][:2])
        for (topic, _, _), given in apart.items()
    ]
    have = "has" if len(apart) == 1 else "have"
    message = f"{_counted(len(apart), 'group')} of equal texts {have} different grades in a topic ({_some(examples)})"
    return [Problem(file, 0, "W-DUPGRADE", message, "give documents with the same text the same grade in a topic")]


def _some(names: Sequence[str]) -> str:
    more = len(names) - MAX_EXAMPLES
    return "; ".join(names[:MAX_EXAMPLES]) + (f" and {more:,} more" if more > 0 else "")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
