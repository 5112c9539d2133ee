"""Inputs that people really hand in, and the two lines that each of them is answered with.

Every case stands in a folder with good qrels (``qrels.txt``) and a good run (``run.txt``), of which it replaces or adds
some files. The texts are what a user needs to read, written by hand; none is copied from a program's output unread.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

Content = bytes | Callable[[], bytes]

RUN_LINE = "a run line reads: topic Q0 document rank score tag"
QRELS_LINE = "a qrels line reads: topic 0 document grade"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Something that stops: the files, the command, and what stands on stderr."""

    name: str
    code: str = ""  # of the problem; none where the command was typed wrongly
    error: str
    hint: str
    files: Mapping[str, Content] = field(default_factory=dict)
    command: str = "evaluate qrels.txt run.txt"
    exit: int = 1


@dataclass(frozen=True, kw_only=True)
class Warned:
    """Something that is only warned of: the one row of that code in ``cranfield lint``."""

    name: str
    code: str
    line: int = 0
    message: str
    hint: str
    files: Mapping[str, Content]
    command: str = "run.txt"


def run(content: Content) -> Mapping[str, Content]:
    """A run instead of the good one."""
    return {"run.txt": content}


def qrels(content: Content) -> Mapping[str, Content]:
    """Qrels instead of the good ones."""
    return {"qrels.txt": content}


def parquet(**columns: list[object]) -> bytes:
    """Columns as a Parquet file."""
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()
