"""Files of crowd labels in every format, and the rows read from them."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from cranfield.data import Labels


def told(labels: Labels) -> list[tuple[str, str, str, float]]:
    """The rows of labels, one by one."""
    found = []
    for item, worker, choice in zip(
        labels.answers.item.tolist(), labels.answers.worker.tolist(), labels.answers.choice.tolist(), strict=True
    ):
        topic = labels.topics[labels.topic[item]]
        found.append((topic, labels.document[item], labels.workers[worker], float(labels.grades[choice])))
    return found


FILL = "fill or drop the row"


def called(what: str, names: str) -> str:
    return f'{what} may be called {names}; or say where it is: columns={{"{what}": "…"}}'


ROWS = [
    ("301", "FT-1", "ann", 1.0),
    ("301", "FT-2", "ann", 0.0),
    ("301", "FT-1", "gpt-4", 2.0),
    ("007", "FT-1", "bob", 0.5),
    ("007", "FT-1", "ann", 1.0),
]

TIMES = [5.0, 1.0, 2.5, 4.0, 3.0]

NAMES = ("topic", "document", "worker", "grade")


def text(separator: str = "\t", *, header: str = "", times: bool = False) -> str:
    lines = [
        separator.join((*row[:3], f"{row[3]:g}", *([f"{time:g}"] if times else [])))
        for row, time in zip(ROWS, TIMES, strict=True)
    ]
    return "\n".join([header] * bool(header) + lines) + "\n"


FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")

RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]

JSON_LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)


def write(folder: Path, name: str, content: str | bytes | Callable[[Path], object]) -> Path:
    path = folder / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def qrels_files(folder: Path) -> dict[str, Path]:
    files = {
        "gpt-4": "t1 0 d1 1\nt1 0 d2 0\nt2 0 d1 -1\nt3 0 d1 -1\n",
        "llama": "t2 0 d1 2\nt1 0 d2 1\n",
    }
    return {worker: write(folder, f"{worker}.qrels", content) for worker, content in files.items()}
