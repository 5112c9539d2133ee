"""The same runs and judgments in every source that the readers take."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = list[dict[str, Any]]  # of a run: topic, document, score, perhaps rank and run; of judgments: grade
FILES = ("text", "gz", "csv", "tsv", "json", "jsonl", "parquet")
FRAMES = ("pandas", "polars", "arrow", "dict", "columns", "duckdb")
SOURCES = (*FILES, *FRAMES)


def make_source(source: str, rows: Rows, folder: Path, what: str) -> Any:
    """Return the rows of a run or of qrels (``what``) as this source: a path, or an object in memory."""
    if source in FRAMES:
        return _objects()[source](rows, what)
    suffix = {"text": "txt", "gz": "txt.gz"}.get(source, source)
    path = folder / f"{what}.{suffix}"
    if source == "parquet":
        frame(rows, what).write_parquet(path)
        return path
    text = {"text": _trec, "gz": _trec, "csv": _csv, "tsv": _tsv, "json": _json, "jsonl": _jsonl}[source](rows, what)
    path.write_bytes(gzip.compress(text.encode()) if source == "gz" else text.encode())
    return path


def frame(rows: Rows, what: str) -> pl.DataFrame:
    """Return the rows as a frame; one without rows has the usual columns."""
    if not rows:
        number = "score" if what == "run" else "grade"
        return pl.DataFrame(schema={"topic": pl.String, "document": pl.String, number: pl.Float64})
    return pl.DataFrame(rows, infer_schema_length=None)


def _trec(rows: Rows, what: str) -> str:
    lines = []
    for row in rows:
        if "grade" in row:
            cells = [row["topic"], row.get("iteration", 0), row["document"], row["grade"]]
        elif "score" in row:
            # A column of ranks must be there; "-" says nothing.
            cells = [row["topic"], "Q0", row["document"], row.get("rank", "-"), row["score"], row.get("run", "mine")]
        else:
            cells = [row["topic"], row["document"], row["rank"]]
        lines.append(" ".join(map(str, cells)) + "\n")
    return "".join(lines)


def _csv(rows: Rows, what: str) -> str:
    return frame(rows, what).write_csv()


def _tsv(rows: Rows, what: str) -> str:
    return frame(rows, what).write_csv(separator="\t", quote_style="never")


def _json(rows: Rows, what: str) -> str:
    return json.dumps(rows)


def _jsonl(rows: Rows, what: str) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _columns(rows: Rows, what: str) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in frame(rows, what).columns}


def _dict(rows: Rows, what: str) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = {}
    for row in rows:
        data.setdefault(row["topic"], {})[row["document"]] = row["score" if "score" in row else "grade"]
    return data


def _duckdb(rows: Rows, what: str) -> Any:
    import duckdb

    return duckdb.from_arrow(frame(rows, what).to_arrow())


def _objects() -> dict[str, Callable[[Rows, str], Any]]:
    return {
        "pandas": lambda rows, what: frame(rows, what).to_pandas(),
        "polars": frame,
        "arrow": lambda rows, what: frame(rows, what).to_arrow(),
        "dict": _dict,
        "columns": _columns,
        "duckdb": _duckdb,
    }
