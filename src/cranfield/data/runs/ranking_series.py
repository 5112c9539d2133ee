"""Runs with several rankings for each topic, either random samples or a sequence."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.data.files.columns import NAMES
from cranfield.data.files.rows import Rows, Wanted, check_columns, check_some, read_rows
from cranfield.data.judgments.qrels import Qrels

from .run import run_name

RUN = Wanted(
    "rankings",
    {
        "topic": NAMES["topic"],
        "sample": ("sample", "sequence", "seq_no", "rep_number", "iteration"),
        "document": (*NAMES["document"], "page_id"),
        "rank": NAMES["rank"],
    },
    (("topic", "sample", "document", "rank", "score", "tag"), ("topic", "sample", "document")),
)
APART = "\t"  # between topic and sample: no id holds it

Rankings: TypeAlias = dict[tuple[str, str], list[str]]  # by topic and sample, documents from the top


@dataclass(frozen=True, eq=False)
class Series:
    """Judgments and runs with a topic for each ranking, and the topic that each was made for."""

    qrels: dict[str, dict[str, float]]
    runs: dict[str, dict[str, dict[str, float]]]
    topics: tuple[str, ...]
    of: NDArray[np.int64]  # (ranking,): rising; which topic each ranking is of


def read_series(data: Any, name: str | None = None) -> tuple[str, Rankings]:
    """The rankings of a run, with its name: rows of topic, sample, document and rank.

    In a text they stand as in any run, with the sample in the second column (``301 7 FT934 1 9.5 mine``); scores count
    for nothing. Where there is no rank, rows stand in order.
    """
    file = isinstance(data, str | PathLike)
    own = name or (run_name(Path(fspath(data))) if file else "run")
    rows = read_rows(data, fspath(data) if file else own, RUN, None)
    check_columns(rows, RUN, ("topic", "sample", "document"))
    check_some(rows, RUN)
    order = np.argsort(rows.numbers("rank"), kind="stable") if "rank" in rows.columns else np.arange(len(rows))
    found: Rankings = {}
    columns = [rows.words(what).to_list() for what in ("topic", "sample", "document")]
    for topic, sample, _ in zip(*columns, strict=True):
        found.setdefault((topic, sample), [])
    for row in order.tolist():
        topic, sample, document = (column[row] for column in columns)
        found[topic, sample].append(document)
    _check_once(rows, columns)
    return own, found


def _check_once(rows: Rows, columns: Sequence[Sequence[str]]) -> None:
    seen = set()
    for row, at in enumerate(zip(*columns, strict=True)):
        if at in seen:
            topic, sample, document = at
            message = f"document {document} stands twice in ranking {sample} of topic {topic}"
            raise rows.refuse(row, "E-DUPDOC", message, "keep one line for each document of a ranking")
        seen.add(at)


def join_series(qrels: Qrels, runs: Sequence[tuple[str, Rankings]]) -> Series:
    """Every ranking as a topic of its own, with the judgments of the topic that it was made for."""
    judged = qrels.by_topic()
    samples: dict[str, dict[str, None]] = {topic: {} for topic in judged}
    for _, rankings in runs:
        for topic, sample in rankings:
            if topic in samples:
                samples[topic][sample] = None
    every = [(topic, sample) for topic, some in samples.items() for sample in some or ("",)]
    place = {topic: t for t, topic in enumerate(judged)}
    return Series(
        qrels={APART.join(at): judged[at[0]] for at in every},
        runs={
            name: {
                APART.join(at): {document: -float(rank) for rank, document in enumerate(ranking)}
                for at, ranking in rankings.items()
            }
            for name, rankings in runs
        },
        topics=tuple(judged),
        of=np.array([place[topic] for topic, _ in every], np.int64),
    )
