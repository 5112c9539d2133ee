"""Replicated values: several for each run and topic, from shards, seeds or query variants."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from cranfield.core import Provenance
from cranfield.core.types import Cube
from cranfield.data.files.columns import NAMES
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.topics.topic_order import natural_order

from .wide_scores import check_size, score_column, score_frame

REPLICATE = ("replicate", "shard", "seed", "variant")
HINT = "a row reads: topic, replicate, then the score of each run"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replicated:
    """Values of runs, several for each topic: every topic has every replicate."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    replicates: tuple[str, ...]
    cube: Cube  # (replicate, topic, run)
    measure: str = "score"
    made_by: Provenance = field(default_factory=Provenance)

    def __repr__(self) -> str:
        replicates, topics, runs = self.cube.shape
        return f"Replicated({self.measure}: {runs} runs, {topics} topics, {replicates} replicates)"


def has_replicates(data: Any) -> bool:
    """Whether a table of scores has a column for the replicate beside one for the topic."""
    frame = score_frame(data, str(data) if isinstance(data, str | PathLike) else "scores")
    first, second = ([*frame.columns, "", ""][place].strip().casefold() for place in (0, 1))
    topics = (*NAMES["topic"], "topics")
    return (first in topics and second in REPLICATE) or (first in REPLICATE and second in topics)


def read_replicates(data: Any, *, measure: str = "score") -> Replicated:
    """Values from a table with one row per topic and replicate: a column for each of the two, and one for each run.

    The replicate may be called shard, seed or variant. Replicate 1 of one topic is replicate 1 of all others where
    they share something, such as the shard of a collection. ``data`` is a CSV or Parquet file, or a frame.
    """
    import polars as pl

    name = str(data) if isinstance(data, str | PathLike) else "replicates"
    frame = score_frame(data, name)
    keys = []
    for what, aliases in (("topic", (*NAMES["topic"], "topics")), ("replicate", REPLICATE)):
        found = next((column for column in frame.columns if column.strip().casefold() in aliases), None)
        if found is None:
            hint = f"{HINT}; there are: {listed(frame.columns, most=8)}"
            raise problem(name, "E-COLUMNS", f"there is no column for the {what}", hint)
        keys.append(found)
    topic, replicate = (frame[key].cast(pl.String).to_list() for key in keys)
    frame = frame.drop(keys)
    if not frame.width or not frame.height:
        raise problem(name, "E-EMPTY", "there are no scores", HINT)
    order = _places(topic, replicate, name)
    cells = [f"{t}, replicate {r}" for t, r in zip(topic, replicate, strict=True)]
    columns = [score_column(frame[run], name, cells)[order] for run in frame.columns]
    cube = np.stack(columns, axis=-1)
    check_size(cube, name)
    return Replicated(
        runs=tuple(frame.columns),
        topics=_sorted_names(topic),
        replicates=_sorted_names(replicate),
        cube=cube,
        measure=measure,
        made_by=Provenance(inputs=(Source(name, digest(cube), "replicates").as_input(),), measures=(measure,)),
    )


def _sorted_names(column: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct names of a column, sorted, so that the order of rows changes no draw."""
    names = list(dict.fromkeys(column))
    return tuple(names[i] for i in natural_order(names))


def _places(topic: list[str | None], replicate: list[str | None], name: str) -> "np.typing.NDArray[np.intp]":
    """(replicate, topic): the row of each; refused where one is missing or there are two."""
    row: dict[tuple[str, str], int] = {}
    for line, (t, r) in enumerate(zip(topic, replicate, strict=True), start=2):  # the first line is the header
        if t is None or r is None:
            message = f"the row has no {'topic' if t is None else 'replicate'}"
            raise problem(name, "E-REPLICATE", message, HINT, line=line)
        if (t, r) in row:
            message = f"topic {t} has two rows for replicate {r}"
            raise problem(name, "E-REPLICATE", message, "keep one row for each", line=line)
        row[t, r] = line - 2
    topics, replicates = (_sorted_names([key[i] for key in row]) for i in (0, 1))
    missing = next(((t, r) for t in topics for r in replicates if (t, r) not in row), None)
    if missing:
        hint = "every topic needs every replicate: fill it in, or leave the topic out"
        raise problem(name, "E-REPLICATE", f"topic {missing[0]} has no row for replicate {missing[1]}", hint)
    if len(replicates) < 2:
        hint = "without a column for the replicate the scores are a matrix of topics and runs"
        raise problem(name, "E-REPLICATE", "there is one replicate of each topic", hint)
    return np.array([[row[t, r] for t in topics] for r in replicates], dtype=np.intp)
