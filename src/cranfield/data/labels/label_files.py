"""Read the labels of workers from files, frames or qrels."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.core import ParameterError
from cranfield.data.files.columns import NAMES
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import Problem, Problems, listed, problem
from cranfield.data.files.rows import Named, Rows, Wanted, check_columns, check_some, read_rows
from cranfield.data.judgments.qrels import read_qrels
from cranfield.data.values.name_lookup import _near

from .worker_labels import Answers, Labels

WORKER = ("worker", "worker_id", "workerid", "annotator", "annotator_id", "assessor", "assessor_id", "user", "user_id")
KIND = ("kind", "machine", "worker_kind")
WANTED = Wanted(
    "labels",
    {
        "topic": NAMES["topic"],
        "document": NAMES["document"],
        "item": ("item", "item_id", "task"),
        "worker": WORKER,
        "grade": ("grade", "label", "relevance", "rel", "vote", "judgment", "judgement", "score"),
        "time": ("time", "timestamp", "date", "sequence", "order"),
        "kind": KIND,
    },
    (("topic", "document", "worker", "grade"), ("topic", "document", "worker", "grade", "time")),
)
ROUNDS = 5  # so many numbers in the second column may be rounds of judging
MANY = 20  # times as many names in the third: they are no workers
KINDS = dict.fromkeys(("machine", "llm", "model", "ai", "program", "true", "yes", "1"), True) | dict.fromkeys(
    ("person", "human", "people", "crowd", "expert", "false", "no", "0"), False
)


def read_labels(data: Any, *, columns: Named = None, machines: Sequence[str] = (), name: str | None = None) -> Labels:
    """What workers said, from a file (CSV, TSV, JSON, JSON Lines, Parquet, text; packed or not) or a frame.

    A row has a topic, a document, a worker and a grade; a time, and whether the worker is a person or a machine, if
    known. ``columns`` says where else to look ({"topic": "qid"}), or names the columns of a text without a header, in
    order; ``item`` is topic and document in one word, cut at the first "_". ``machines`` are names or patterns of
    workers that are machines. Grades below 0 are no labels: they are left out.
    """
    if isinstance(data, Labels):
        return replace(data, machine=data.machine | find_machines(data.workers, machines)) if machines else data
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "labels")
    rows = _with_items_split(read_rows(data, name, WANTED, columns))
    check_columns(rows, WANTED, WANTED.plain[0])
    check_some(rows, WANTED)
    _check_no_qrels(rows)
    grade = rows.numbers("grade")
    below = np.flatnonzero(grade < 0)
    odd = [_below(rows, below)] if len(below) else []
    if len(below):
        kept = np.flatnonzero(grade >= 0)
        rows, grade = rows.only(kept), grade[kept]
        check_some(rows, WANTED)
    topics, topic = Strings.from_arrow(rows.words("topic")).distinct()
    names = _native.Names([(topics, topic, Strings.from_arrow(rows.words("document")))])
    workers, worker = Strings.from_arrow(rows.words("worker")).distinct()
    machine = find_kinds(rows, worker, len(workers)) | find_machines(workers.to_list(), machines)
    found = _join(names, names.rows[0], worker.astype(np.int64), grade, workers, machine, _times(rows), name)
    odd += _again(rows, found)
    problems = Problems(tuple(one for one, _ in odd), tuple((one.code, count) for one, count in odd))
    return replace(found, source=replace(found.source, problems=problems))


def labels_from_qrels(files: Mapping[str, Any], *, machines: Sequence[str] = ()) -> Labels:
    """Labels of workers who gave judgments each: the name of a worker, and a file, a frame or a dict of dicts.

    Grades below 0 are left out.
    """
    if not files:
        raise ParameterError("there are no judgments of any worker", hint='give {"worker": qrels, …}')
    tables, grades, problems = [], [], Counter[str]()
    every = {str(worker): read_qrels(data, gains=True) for worker, data in files.items()}
    for who, qrels in every.items():
        kept = np.flatnonzero(qrels.grade >= 0)
        if not len(kept):
            raise problem(qrels.source.name, "E-EMPTY", f"worker {who} gives no grade from 0 up", "leave it out")
        topics, topic = qrels.topics.take(qrels.topic[kept].astype(np.int64)).distinct()
        tables.append((topics, topic, qrels.document.take(kept)))
        grades.append(qrels.grade[kept])
        problems.update(dict(qrels.source.problems.counts))
    names = _native.Names(tables)
    worker = np.repeat(np.arange(len(every)), [len(grade) for grade in grades])
    machine = find_machines(list(every), machines)
    name = listed(qrels.source.name for qrels in every.values())
    columns = np.concatenate(names.rows), worker, np.concatenate(grades), Strings(list(every))
    found = _join(names, *columns, machine, None, name)
    kept_problems = tuple(one for qrels in every.values() for one in qrels.source.problems.kept)
    return replace(found, source=replace(found.source, problems=Problems(kept_problems, tuple(problems.items()))))


def find_machines(workers: Sequence[str], patterns: Sequence[str]) -> NDArray[np.bool_]:
    """(worker,): which of the workers somebody calls a machine, by their names or by patterns such as gpt*."""
    found = np.zeros(len(workers), dtype=bool)
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        fits = np.array([worker == pattern or fnmatchcase(worker, pattern) for worker in workers], dtype=bool)
        if not fits.any():
            raise ParameterError(f"no worker is called {pattern}", hint=_near(pattern.strip("*?"), workers))
        found |= fits
    return found


def find_kinds(rows: Rows, worker: NDArray[np.uint32], workers: int) -> NDArray[np.bool_]:
    """(worker,): which of the workers the rows call a machine."""
    import polars as pl

    if "kind" not in rows.columns:
        return np.zeros(workers, dtype=bool)
    if rows.columns["kind"].dtype == pl.Boolean:
        rows = replace(rows, columns=rows.columns | {"kind": rows.columns["kind"].cast(pl.Int8)})
    words, place = Strings.from_arrow(rows.words("kind")).distinct()
    known = [KINDS.get(word.casefold()) for word in words.to_list()]
    if None in known:
        row = int(np.argmax(place == known.index(None)))
        message = f'"{words[known.index(None)]}" is no kind of worker'
        raise rows.refuse(row, "E-TYPE", message, "a worker is a person or a machine")
    machine = np.array(known, dtype=bool)[place]
    first = machine[np.unique(worker, return_index=True)[1]]
    against = machine != first[worker]
    if against.any():
        row = int(against.argmax())
        message = f"worker {rows.words('worker')[row]} is a person and a machine"
        raise rows.refuse(row, "E-CONFLICT", message, "give every worker one kind, or every machine a name of its own")
    return first


def _with_items_split(rows: Rows) -> Rows:
    """Topic and document, where both stand in one word."""
    if "item" not in rows.columns or {"topic", "document"} <= rows.columns.keys():
        return rows
    item = rows.words("item")
    parts = item.str.splitn("_", 2).struct.unnest()
    uncut = parts["field_1"].is_null().to_numpy()
    if uncut.any():
        row = int(uncut.argmax())
        hint = 'an item reads: topic_document; otherwise give the columns "topic" and "document"'
        raise rows.refuse(row, "E-FIELDS", f'item "{item[row]}" has no "_" between topic and document', hint)
    return replace(rows, columns=rows.columns | {"topic": parts["field_0"], "document": parts["field_1"]})


def _check_no_qrels(rows: Rows) -> None:
    """Refuse judgments: their second column is 0, Q0, or the number of a round, and documents stand in the third."""
    if not rows.plain:
        return
    hint = f'{WANTED.hint}; for judgments of one worker each: labels_from_qrels({{"worker": file}})'
    second, third = rows.columns["document"], rows.columns["worker"]
    if second.is_in(["0", "Q0"]).all():
        raise problem(rows.name, "E-SWAPPED", "these are judgments: the second column is 0 in every line", hint)
    few = second.unique().sort().to_list()
    numbers = len(few) <= ROUNDS and all(re.fullmatch(r"\d+(\.\d+)?", word) for word in few)
    if numbers and third.n_unique() > MANY * len(few):
        said = f"these look like judgments: the second column holds nothing but {' and '.join(few)}"
        raise problem(rows.name, "E-SWAPPED", said, hint)


def _times(rows: Rows) -> NDArray[np.float64] | None:
    """(row,): numbers as they are, dates as seconds since 1970; a date without a zone is in UTC."""
    import polars as pl

    if "time" not in rows.columns:
        return None
    column = rows.columns["time"]
    if column.dtype == pl.String:
        column = column.str.strip_chars()
        column = column.set(column == "", None)
    if column.null_count() == len(column):
        return None
    if column.dtype.is_temporal():
        rows.check_filled(column.is_null().to_numpy(), "time")
        return column.cast(pl.Datetime("us")).dt.epoch("us").to_numpy() / 1e6
    first = column.drop_nulls()[0]
    if column.dtype != pl.String or column.head(1).cast(pl.Float64, strict=False).is_not_null().any():
        return rows.numbers("time")
    rows.check_filled(column.is_null().to_numpy(), "time")
    found = np.empty(len(column))
    for row, text in enumerate(column.to_list()):
        try:
            date = datetime.fromisoformat(text)
        except ValueError:
            hint = f"the first time is {first}: write dates as 2024-05-31 or 2024-05-31T14:05:00, or numbers everywhere"
            raise rows.refuse(row, "E-TYPE", f'time "{text}" is no date', hint) from None
        found[row] = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return found


def _join(
    names: _native.Names,
    item: NDArray[np.int64],
    worker: NDArray[np.int64],
    grade: NDArray[np.float64],
    workers: Strings,
    machine: NDArray[np.bool_],
    time: NDArray[np.float64] | None,
    name: str,
) -> Labels:
    """Labels of rows that are numbers already."""
    grades, choice = np.unique(grade, return_inverse=True)
    known = () if time is None else (time,)
    columns = (names.topics, names.starts, names.documents, workers, grades, item, worker, choice, *known)
    return Labels(
        topics=tuple(names.topics.to_list()),
        topic=np.repeat(np.arange(len(names.topics)), np.diff(names.starts)),
        document=names.documents,
        workers=tuple(workers.to_list()),
        machine=machine,
        grades=grades,
        answers=Answers(item, worker, choice, len(names.documents), len(workers), len(grades)),
        time=time,
        source=Source(name, digest(*columns), "labels"),
    )


def _below(rows: Rows, below: NDArray[np.int64]) -> tuple[Problem, int]:
    message = f"grades below 0: {len(below)}, left out"
    return Problem(rows.name, rows.line_of(int(below[0])), "W-NEGATIVE", message, 'write 0 for "not relevant"'), len(
        below
    )


def _again(rows: Rows, labels: Labels) -> list[tuple[Problem, int]]:
    """What to say of rows that are there twice, where no time tells them apart."""
    if labels.time is not None:
        return []
    answers = labels.answers
    key = (answers.item * answers.workers + answers.worker) * answers.choices + answers.choice
    first = np.unique(key, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(key)), first, assume_unique=True)
    if not len(again):
        return []
    row = int(again[0])
    who, what = labels.workers[answers.worker[row]], labels.document[int(answers.item[row])]
    message = f"rows that are there again: {len(again)}, the first by worker {who} on document {what}"
    hint = "drop them if rows were copied; if workers answered twice, a time says so"
    return [(Problem(rows.name, rows.line_of(row), "W-AGAIN", message, hint), len(again))]
