"""Write a pool to a file for assessors, as qrels or JSON Lines."""

import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from cranfield.core import Table
from cranfield.data import bare_suffix, write_text

TREC = (".qrels", ".trec")
LINES = (".jsonl", ".ndjson")


def pool_suffix(path: str | PathLike[str]) -> str:
    """The suffix that names a format of pools, .qrels of pool.qrels.gz too; otherwise nothing."""
    suffix = bare_suffix(Path(path))
    return suffix if suffix in (*TREC, *LINES) else ""


def write_pool(pool: Table, path: str | PathLike[str], suffix: str) -> None:
    """Write a pool, packed if its name ends so: ``.qrels`` as judgments that nobody made yet (grade −1), or JSON Lines.

    The lines of JSON hold every column, the text of documents where the table has it.
    """
    write_text(_trec(pool) if suffix in TREC else _lines(pool), path)


def _trec(pool: Table) -> Iterator[str]:
    for topic, document in zip(pool.cells("topic"), pool.cells("document"), strict=True):
        yield f"{topic} 0 {document} -1\n"


def _lines(pool: Table) -> Iterator[str]:
    for row in pool.rows():
        yield json.dumps(row, ensure_ascii=False) + "\n"
