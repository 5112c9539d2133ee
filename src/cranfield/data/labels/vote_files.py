"""Read the votes of workers between two documents from files or frames."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _native
from cranfield._native import Strings
from cranfield.data.files.columns import NAMES
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import Problem, Problems, problem
from cranfield.data.files.rows import Named, Rows, Wanted, check_columns, check_some, read_rows

from .label_files import KIND, WORKER, find_kinds, find_machines
from .worker_labels import Answers, Votes

WANTED = Wanted(
    "votes",
    {
        "topic": NAMES["topic"],
        "a": ("a", "response_a", "document_a", "left"),
        "b": ("b", "response_b", "document_b", "right"),
        "worker": WORKER,
        "vote": ("vote", "preference", "winner"),
        "kind": KIND,
    },
    (("topic", "a", "b", "worker", "vote"),),
)
BY_ONE = replace(WANTED, plain=(("topic", "a", "b", "vote"),))
CHOICES = {"a": 0, "left": 0, "n": 1, "tie": 1, "neither": 1, "b": 2, "right": 2}


def read_votes(
    data: Any,
    *,
    columns: Named = None,
    machines: Sequence[str] = (),
    worker: str | None = None,
    name: str | None = None,
) -> Votes:
    """Which of two documents workers preferred, from a file or a frame of what ``read_labels`` reads.

    A row has a topic, two documents a and b, a worker and a vote: a or left, b or right, n, tie or neither. Worker and
    vote may be lists of one length. ``worker`` says that all rows are by this one. Rows without a vote are left out.
    """
    if isinstance(data, Votes):
        return replace(data, machine=data.machine | find_machines(data.workers, machines)) if machines else data
    name = name or (fspath(data) if isinstance(data, str | PathLike) else "votes")
    wanted = WANTED if worker is None else BY_ONE
    rows = read_rows(data, name, wanted, columns)
    if worker is not None:
        rows = replace(rows, columns={own: column for own, column in rows.columns.items() if own != "worker"})
    check_columns(rows, wanted, wanted.plain[0])
    check_some(rows, wanted)
    rows, problems = _without_empty(_unrolled(rows))
    check_some(rows, wanted)
    rows = rows if worker is None else _all_by(rows, worker)
    workers, by = Strings.from_arrow(rows.words("worker")).distinct()
    machine = find_kinds(rows, by, len(workers)) | find_machines(workers.to_list(), machines)
    found = _join(rows, workers, by, machine, _choices(rows))
    return replace(found, source=replace(found.source, problems=problems))


def _all_by(rows: Rows, worker: str) -> Rows:
    import polars as pl

    return replace(rows, columns=rows.columns | {"worker": pl.repeat(worker, len(rows), dtype=pl.String, eager=True)})


def _unrolled(rows: Rows) -> Rows:
    """One row for each vote, where votes and their workers are lists."""
    import polars as pl

    lists = [own for own in ("worker", "vote") if own in rows.columns and rows.columns[own].dtype == pl.List]
    if not lists:
        return rows
    single = next((own for own in ("worker", "vote") if own in rows.columns and own not in lists), None)
    if single is not None:
        message = f"the {lists[0]}s of a row are a list, the {single} is not"
        raise problem(rows.name, "E-TYPE", message, "worker and vote are lists of one length, or both are words")
    for own in lists:
        rows.check_filled(rows.columns[own].is_null().to_numpy(), own)
    number = {own: rows.columns[own].list.len().to_numpy().astype(np.int64) for own in lists}
    differ = number[lists[0]] != number["vote"]
    if differ.any():
        row = int(differ.argmax())
        message = f"there are {number['vote'][row]} votes by {number['worker'][row]} workers"
        raise rows.refuse(row, "E-FIELDS", message, "the lists of workers and votes are of one length")
    filled = rows.only(np.flatnonzero(number["vote"]))
    flat = {own: filled.columns[own].explode() for own in lists}
    found = rows.only(np.repeat(np.arange(len(rows)), number["vote"]))
    return replace(found, columns=found.columns | flat)


def _without_empty(rows: Rows) -> tuple[Rows, Problems]:
    """The rows that hold a vote: machines do not always find one."""
    import polars as pl

    vote = rows.columns["vote"]
    empty = (vote.is_null() | (vote.str.strip_chars() == "") if vote.dtype == pl.String else vote.is_null()).to_numpy()
    if not empty.any():
        return rows, Problems()
    number, line = int(empty.sum()), rows.line_of(int(empty.argmax()))
    message = f"rows without a vote: {number}, left out"
    odd = Problem(rows.name, line, "W-VOTE", message, "harmless if they are few: nobody answered")
    return rows.only(np.flatnonzero(~empty)), Problems((odd,), (("W-VOTE", number),))


def _choices(rows: Rows) -> NDArray[np.int64]:
    """(row,): 0 where a is better, 1 where neither is, 2 where b is."""
    words, place = Strings.from_arrow(rows.words("vote")).distinct()
    known = [CHOICES.get(word.casefold()) for word in words.to_list()]
    if None in known:
        word = words[known.index(None)]
        number = word.lstrip("+-").isdigit()
        hint = f"a vote is one of: {', '.join(CHOICES)}" + ("; a number may mean either" if number else "")
        raise rows.refuse(int(np.argmax(place == known.index(None))), "E-VOTE", f'"{word}" is no vote', hint)
    return np.array(known, dtype=np.int64)[place]


def _join(
    rows: Rows, workers: Strings, worker: NDArray[np.uint32], machine: NDArray[np.bool_], choice: NDArray[np.int64]
) -> Votes:
    """Votes on pairs that are all written in one direction."""
    import polars as pl

    topics, topic = Strings.from_arrow(rows.words("topic")).distinct()
    sides = pl.DataFrame({own: rows.words(own) for own in ("a", "b")})
    both = sides.select(pl.concat_list("a", "b").explode()).to_series()  # in order of appearance: a, b, a, b, …
    names = _native.Names([(topics, np.repeat(topic, 2), Strings.from_arrow(both))])
    a, b = names.rows[0].reshape(-1, 2).T
    if (a == b).any():
        row = int((a == b).argmax())
        message = f"document {both[2 * row]} is compared with itself"
        raise rows.refuse(row, "E-VOTE", message, "drop the row; a vote is on two documents")
    first, second = np.minimum(a, b), np.maximum(a, b)
    choice = np.where(a < b, choice, 2 - choice)
    pairs, item = np.unique(first * len(names.documents) + second, return_inverse=True)
    one, other = np.divmod(pairs, len(names.documents))
    document_topic = np.repeat(np.arange(len(topics)), np.diff(names.starts))
    by = worker.astype(np.int64)
    known = (topics, names.starts, names.documents, workers, one, other, item, by, choice)
    return Votes(
        topics=tuple(topics.to_list()),
        topic=document_topic[one],
        documents=names.documents,
        document_topic=document_topic,
        first=one,
        second=other,
        workers=tuple(workers.to_list()),
        machine=machine,
        answers=Answers(item, by, choice, len(pairs), len(workers), 3),
        source=Source(rows.name, digest(*known), "votes"),
    )
