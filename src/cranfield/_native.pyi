"""The Rust reader: read, inflate, match, rank."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Strings:
    """Many strings in one piece of memory."""

    def __init__(self, items: Iterable[object]) -> None: ...
    @staticmethod
    def from_arrow(column: object) -> Strings: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> str: ...
    def to_list(self) -> list[str]: ...
    def take(self, places: NDArray[np.int64]) -> Strings: ...
    def distinct(self) -> tuple[Strings, NDArray[np.uint32]]: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class Names:
    """The documents that tables of (topic, document) name, by topic."""

    topics: Strings
    documents: Strings
    starts: NDArray[np.int64]
    rows: list[NDArray[np.int64]]
    def __init__(self, tables: list[tuple[Strings, NDArray[np.uint32], Strings]]) -> None: ...

class Attribute:
    """A number for each document, to be summed over everything above a document."""

    def __init__(self, documents: Strings, values: NDArray[np.float64], default: float) -> None: ...

def read_qrels(
    path: str | PathLike[str],
    *,
    gains: bool = False,
    subtopics: bool = False,
    limits: dict[str, int] | None = None,
    progress: Callable[[int], object] | None = None,
) -> dict[str, Any]: ...
def check_qrels(
    topic: Strings,
    document: Strings,
    grade: NDArray[np.float64],
    *,
    iteration: Strings | None = None,
    line: NDArray[np.uint64] | None = None,
    gains: bool = False,
    subtopics: bool = False,
) -> dict[str, Any]: ...
def read_header(path: str | PathLike[str], *, limits: dict[str, int] | None = None) -> dict[str, Any]: ...
def read_ahead(
    qrels: str | PathLike[str],
    runs: Sequence[str | PathLike[str]],
    *,
    trec_eval_9: bool = False,
    threads: int = 1,
) -> None: ...
def read_runs(
    paths: Sequence[str | PathLike[str]],
    *,
    ties: str = "trec",
    trec_eval_9: bool = False,
    extra_columns: bool = False,
    without_self: bool = False,
    names: Names | None = None,
    attribute: Attribute | None = None,
    depth: int | None = None,
    threads: int = 1,
    limits: dict[str, int] | None = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]: ...
def rank_run(
    topics: Strings,
    topic: NDArray[np.uint32],
    document: Strings,
    score: NDArray[np.float64],
    *,
    rank: NDArray[np.float64] | None = None,
    line: NDArray[np.uint64] | None = None,
    rounded: NDArray[np.bool_] | None = None,
    ties: str = "trec",
    trec_eval_9: bool = False,
    without_self: bool = False,
    names: Names | None = None,
    attribute: Attribute | None = None,
    depth: int | None = None,
) -> dict[str, Any]: ...
