"""Assess runs: find every judged document in every run."""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import ParameterError, Ties
from cranfield.data.files.columns import strings
from cranfield.data.files.data_source import Source
from cranfield.data.files.input_problems import Problem, listed, problem
from cranfield.data.files.number_columns import numbers
from cranfield.data.judgments.document_lengths import Lengths, read_lengths
from cranfield.data.judgments.id_matching import (
    PART_TOPICS,
    TOP,
    explain_topics,
    is_mismatch,
    is_suspect,
    report_mismatch,
    report_partial_mismatch,
)
from cranfield.data.judgments.qrels import Qrels, read_qrels
from cranfield.data.judgments.side_tables import Side
from cranfield.data.judgments.strata import named_strata
from cranfield.data.judgments.subtopics import Subtopics
from cranfield.data.runs.run import (
    Run,
    RunFile,
    RunFrame,
    Runs,
    find_runs,
    order_of,
    ranked,
    ranked_files,
    read_run,
    reader_options,
)

from .assessed_runs import Assessed
from .block import NOBODY

ENTRIES = ("document", "rank", "tie_first", "tie_last", "above")
SOME = 3  # documents that an error names
Progress = Callable[[int, int], object]  # bytes done, bytes in all
Entries = dict[str, NDArray[Any]]  # (entry,) each: what Assessed says of the documents that were found


@dataclass(frozen=True, slots=True)
class Attribute:
    """A number for each document (such as its length); ``default`` for a document without one."""

    documents: Sequence[str]
    values: Sequence[float]
    default: float

    def native(self) -> _native.Attribute:
        """The same, as the native reader wants it."""
        documents, values = strings(self.documents, "document", "sum_above"), numbers(self.values, "value", "sum_above")
        _of_one_length(documents, values, "sum_above")
        return _native.Attribute(documents, values, self.default)


def assess(
    qrels: Any,
    runs: Runs,
    *,
    ties: Ties | str = Ties.TREC,
    compat: str | None = None,
    without_self: bool = False,
    also: Sequence[tuple[Sequence[object], Sequence[object]]] = (),
    sum_above: Attribute | None = None,
    lengths: Any = None,
    beside: Sequence[Side] = (),
    part: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Assessed:
    """Find, in every run, every document that the judgments name (and the (topic, document) tables of ``also``).

    ``ties`` orders documents of equal score. ``compat="trec_eval-9"`` compares scores as float32 and ignores columns
    after the sixth, ``compat="trec_eval-10"`` only ignores those columns. ``without_self`` leaves out documents with
    the id of their topic. ``sum_above`` adds up an attribute over everything ranked above each found document.
    ``lengths`` says how many words each document has (what ``read_lengths`` reads); they are added up in the same way,
    and kept. ``beside`` is what is known of documents beside their grade (what ``read_intents``, ``read_attributes``
    and ``read_aspects`` read): it becomes side tables. Judgments that were read with ``subtopics=True`` bring one
    themselves. ``part``: these are some topics of many, and
    a run may have none of them.
    """
    order = order_of(ties)
    if lengths is not None and sum_above is not None:
        hint = "lengths are what is summed up: give sum_above= or lengths="
        raise ParameterError("only one attribute can be summed up", hint=hint)
    judgments = read_qrels(qrels)
    found = find_runs(runs)
    if not found:
        raise ParameterError("there is no run to assess", hint="give at least one run")
    sides = _sides(judgments, beside)
    if any(side.every_run for side in sides):
        found = [_whole(run, order, compat) for run in found]
    tables = [(judgments.topics, judgments.topic, judgments.document)]
    tables.extend(_side_table(topics, documents) for topics, documents in also)
    whole = [run for run in found if isinstance(run, Run)]
    tables.extend(named for side in sides for named in side.names(whole))
    names = _native.Names(tables)
    options: dict[str, Any] = {"ties": order, "names": names, **reader_options(compat)}
    options["without_self"] = without_self
    known = None if lengths is None else read_lengths(lengths)
    attribute = known or sum_above
    if attribute is not None:
        options["attribute"] = attribute.native()
    reads, entries = _read_all(found, options, threads or cpu_count() or 1, progress)
    for read, source in reads if not part else ():
        _meet(judgments, read, source)
    assessed = _joined(judgments, names, found, reads, entries, known)
    if not part:
        assessed = _check_ids(assessed, judgments, found, {"ties": order, "compat": compat})
    if known is not None:
        there = known.among(names.documents)[: len(assessed.grade)]
        assessed = _told(assessed, known.source, there, f"they are taken to have {known.default:,.0f} words")
    for side in sides:
        table = side.table(judgments, names)
        assessed = assessed.with_table(side.kind, table)
        if side.source is not None:
            there = np.any(table.value > NOBODY, axis=1)
            assessed = _told(replace(assessed, sources=(*assessed.sources, side.source)), side.source, there)
    return assessed


def _told(assessed: Assessed, source: Source, there: NDArray[np.bool_], then: str = "") -> Assessed:
    """Say of how many judged documents nothing is known; refuse what speaks of others only."""
    judged = assessed.grade > NOBODY
    if not there[judged].any() and not there[assessed.document].any():
        some = listed([assessed.documents[int(i)] for i in np.flatnonzero(judged)[:SOME]])
        hint = f"the judgments have documents such as {some}: do they belong together?"
        raise problem(source.name, "E-DOCUMENTS", "no document of the judgments or the runs is in it", hint)
    lacking, count = int((judged & ~there).sum()), int(judged.sum())
    if not lacking:
        return assessed
    note = f"{source.name} says nothing of {lacking:,} of {count:,} judged documents{then and f': {then}'}"
    return replace(assessed, notes=(*assessed.notes, note))


def _sides(judgments: Qrels, beside: Sequence[Side]) -> list[Side]:
    """What is known beside grades, each kind once; the subtopics of judgments count alike where nobody says more."""
    kinds = [side.kind for side in beside]
    if len(set(kinds)) < len(kinds):
        raise ParameterError("one kind of side table is given twice", hint="give it once")
    if "subtopics" in kinds and not judgments.by_subtopic:
        hint = "read the judgments with subtopics=True"
        raise ParameterError("weights of subtopics meet judgments without subtopics", hint=hint)
    alike: list[Side] = [Subtopics({})] if judgments.by_subtopic and "subtopics" not in kinds else []
    return [*beside, *alike]


def _whole(run: Run | RunFile | RunFrame, order: Ties, compat: str | None) -> Run:
    """A run in memory: documents that nobody judged are to be found in it."""
    return run if isinstance(run, Run) else read_run(run, ties=order, compat=compat)


def _side_table(topics: Sequence[object], documents: Sequence[object]) -> tuple[Strings, NDArray[np.uint32], Strings]:
    topic, document = strings(topics, "topic", "also"), strings(documents, "document", "also")
    _of_one_length(topic, document, "also")
    return (*topic.distinct(), document)


def _of_one_length(a: Sized, b: Sized, name: str) -> None:
    if len(a) != len(b):
        raise problem(name, "E-COLUMNS", f"one column has {len(a)} rows, the other {len(b)}", "give them one length")


def _read_all(
    runs: Sequence[Run | RunFile | RunFrame], options: dict[str, Any], threads: int, progress: Progress | None
) -> tuple[list[tuple[dict[str, Any], Source]], Entries]:
    """Read every run, all files at once; beside them what was found in all of them, one after the other."""
    files = [run for run in runs if isinstance(run, RunFile)]
    total = sum(run.path.stat().st_size for run in files if run.path.is_file())

    def see(done: int) -> None:
        if progress:
            progress(done, total)

    in_files, found = ranked_files(files, threads=threads, progress=see, **options) if files else (iter(()), {})
    reads = [next(in_files) if isinstance(run, RunFile) else ranked(run, **options) for run in runs]
    see(total)
    if len(files) == len(runs):
        return reads, found
    whose = [(isinstance(run, RunFile), read) for run, (read, _) in zip(runs, reads, strict=True)]
    cut = iter(_pieces(found, [read for in_file, read in whose if in_file]))
    return reads, _in_one([next(cut) if in_file else read for in_file, read in whose])


def _pieces(entries: Entries, reads: Sequence[dict[str, Any]], topics: int = -1) -> list[Entries]:
    """What was found in each run, in its first topics only if so many are named."""
    starts = np.concatenate(([0], np.cumsum([read["starts"][-1] for read in reads], dtype=np.int64)))
    ends = [start + read["starts"][topics] for start, read in zip(starts, reads, strict=False)]
    return [{key: entries[key][a:b] for key in entries} for a, b in zip(starts, ends, strict=False)]


def _in_one(pieces: Sequence[Mapping[str, Any]]) -> Entries:
    """What was found in one run after the other."""
    kinds = {key for piece in pieces for key in piece}
    # A run without ties has none to tell: the first and the last rank of a score are the rank.
    return {key: np.concatenate([piece.get(key, piece["rank"]) for piece in pieces]) for key in ENTRIES if key in kinds}


def _meet(judgments: Qrels, read: dict[str, Any], source: Source) -> None:
    """Refuse a run that has no topic in common with the judgments."""
    if not read["retrieved"][: len(judgments.topics)].any():
        message = f"no topic of the run is in the qrels (the run has {listed(read['run_topics'].to_list())})"
        known = judgments.topics.to_list()
        hint = f"the qrels have {listed(known)}: {explain_topics(read['run_topics'].to_list(), known)}"
        raise Problem(source.name, 0, "E-TOPICS", message, hint).of_run(source.run).error()


def _check_ids(
    assessed: Assessed, judgments: Qrels, runs: Sequence[Run | RunFile | RunFrame], reading: dict[str, Any]
) -> Assessed:
    """Warn of runs of which many ids are likely to differ from those of the judgments; only they are read again."""
    by_run = (len(assessed.runs), -1)
    judged, possible = (count.reshape(by_run) for count in judged_at_top(assessed))
    at_top = np.minimum(assessed.retrieved, TOP).reshape(by_run)
    sources = list(assessed.sources)
    for i, run in enumerate(runs):
        matches, many = int(judged[i].sum()), possible[i] == TOP
        differ = is_mismatch(matches, int(possible[i].sum()))
        if differ or is_suspect(int(judged[i][many].sum()), TOP * int(many.sum())):
            # What comes through a pipe is gone.
            gone = isinstance(run, RunFile) and not run.path.is_file()
            first = {} if gone else read_run(run, depth=TOP, **reading).by_topic()
            topics = np.lexsort((assessed.topics, judged[i] - at_top[i]))  # those with most unjudged documents first
            known = _judged_documents(judgments, topics if differ else topics[:PART_TOPICS])
            source, report = sources[1 + i], report_mismatch if differ else report_partial_mismatch
            if warning := report(source.name, matches, int(at_top[i].sum()), first, known):
                sources[1 + i] = source.warned(warning.of_run(source.run))
    return replace(assessed, sources=tuple(sources))


def _judged_documents(judgments: Qrels, topics: NDArray[np.int64]) -> dict[str, set[str]]:
    """Return the documents with a grade of some topics."""
    names = judgments.topics.to_list()
    known: dict[str, set[str]] = {names[topic]: set() for topic in topics.tolist()}
    rows = np.flatnonzero(np.isin(judgments.topic, topics))
    for topic, document in zip(judgments.topic[rows].tolist(), judgments.document.take(rows).to_list(), strict=True):
        known[names[topic]].add(document)
    return known


def judged_at_top(assessed: Assessed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(row,) twice: how many of the first documents are judged, and how many could be."""
    named = assessed.grade > NOBODY
    judged = assessed.count_first(named, TOP)
    known = np.add.reduceat(named, assessed.named[:-1], dtype=np.int64)
    return judged, np.minimum(np.minimum(assessed.retrieved, TOP), np.tile(known, len(assessed.runs)))


def _joined(
    judgments: Qrels,
    names: _native.Names,
    runs: Sequence[Run | RunFile | RunFrame],
    reads: Sequence[tuple[dict[str, Any], Source]],
    entries: Entries,
    lengths: Lengths | None,
) -> Assessed:
    topics = len(judgments.topics)  # first in the names; what only a side table names is no topic of ours
    named = names.starts[: topics + 1]
    grade = np.full(int(named[-1]), NOBODY)
    # Where a document has a grade for each of several subtopics, the highest speaks for the topic.
    np.maximum.at(grade, names.rows[0], judgments.grade)
    starts, notes = [np.zeros(1, np.int64)], []
    for run, (read, _) in zip(runs, reads, strict=True):
        starts.append(read["starts"][1 : topics + 1] + starts[-1][-1])
        # A topic that only a side table names is as unjudged as one that nothing names.
        side = zip(names.topics.to_list()[topics:], read["retrieved"][topics:], strict=True)
        unknown = [*read["unknown"], *(topic for topic, retrieved in side if retrieved)]
        if unknown:
            what = "1 topic is" if len(unknown) == 1 else f"{len(unknown)} topics are"
            notes.append(f"{run.name}: {what} not in the qrels ({listed(unknown)})")
    if topics < len(names.topics):
        entries = _in_one(_pieces(entries, [read for read, _ in reads], topics))
    return Assessed(
        runs=tuple(run.name for run in runs),
        topics=tuple(judgments.topics.to_list()),
        documents=names.documents,
        named=named,
        grade=grade,
        starts=np.concatenate(starts),
        retrieved=np.concatenate([read["retrieved"][:topics] for read, _ in reads]),
        tied=np.concatenate([read["tied"][:topics] for read, _ in reads]),
        length=None if lengths is None else lengths.of(names.documents)[: len(grade)],
        stratum=None if judgments.by_subtopic else named_strata(judgments, names.rows[0], len(grade)),
        named_by=tuple(names.rows),
        sources=(judgments.source, *(source for _, source in reads), *([lengths.source] if lengths else [])),
        notes=tuple(notes),
        document=entries["document"],
        rank=entries["rank"],
        tie_first=entries.get("tie_first", entries["rank"]),
        tie_last=entries.get("tie_last", entries["rank"]),
        above=entries.get("above"),
    )
