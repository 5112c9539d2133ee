"""A pool as a file for those who judge it."""

import json
from collections.abc import Iterator
from importlib import import_module
from os import PathLike
from pathlib import Path

from cranfield.core import Table

PACKERS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}  # suffix → module of the standard library
TREC = (".qrels", ".trec")
LINES = (".jsonl", ".ndjson")


def pool_suffix(path: str | PathLike[str]) -> str:
    """The suffix that names a format of pools, .qrels of pool.qrels.gz too; otherwise nothing."""
    target = Path(path)
    bare = target.with_suffix("") if target.suffix.lower() in PACKERS else target
    suffix = bare.suffix.lower()
    return suffix if suffix in (*TREC, *LINES) else ""


def write_pool(pool: Table, path: str | PathLike[str], suffix: str) -> None:
    """Write a pool, packed if its name ends so: ``.qrels`` as judgments that nobody made yet (grade −1), or JSON Lines.

    The lines of JSON hold every column, the text of documents where the table has it.
    """
    made = _trec(pool) if suffix in TREC else _lines(pool)
    packer = PACKERS.get(Path(path).suffix.lower())
    opened = import_module(packer).open if packer else open
    with opened(path, "wt", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.writelines(made)


def _trec(pool: Table) -> Iterator[str]:
    for topic, document in zip(pool.cells("topic"), pool.cells("document"), strict=True):
        yield f"{topic} 0 {document} -1\n"


def _lines(pool: Table) -> Iterator[str]:
    for row in pool.rows():
        yield json.dumps(row, ensure_ascii=False) + "\n"
