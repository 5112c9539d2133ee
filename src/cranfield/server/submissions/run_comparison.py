"""Compare selected runs of a task on the topics that the viewer may see."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.charts import to_picture
from cranfield.core.rendering import plain
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept
from cranfield.studies import compare, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.core import Study
    from cranfield.server.models import LabelVersion, Submission

MOST = 4  # runs at once
TABLES = {
    "verdicts": "Verdict",
    "outcomes": "Outcomes of topics",
    "answered": "Answered topics",
    "both": "Ranks where both answer",
    "overall": "Whole measures",
}
COLUMNS = {  # as one reads them
    "a": "run a",
    "b": "run b",
    "strict": "better in both",
    "do_no_harm": "better without harm",
    "do_no_harm_holm": "the same, after Holm",
    "sentence": "in words",
    "n": "topics",
}
SIDES = {"strict", "do_no_harm", "do_no_harm_holm", "outcome"}  # columns that say which of the two
CHARTS = {"outcomes": "Outcomes of topics", "topic-differences": "Differences by topic"}


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a comparison says, ready for a page."""

    sentence: str
    tables: Mapping[str, Mapping[str, Any]]
    pictures: Mapping[str, str]  # title: as data, because they belong to no address
    notes: tuple[str, ...]


def compare_runs(runs: list[tuple[str, Submission]], version: LabelVersion, *, private: bool) -> Compared:
    """The first run beside the others, by the names given; on all topics or on the public ones."""
    files = tuple((name, str(run.blob_id)) for name, run in runs)
    topics = None if private or not version.private_topics else tuple(version.public_topics)
    return _compared(files, version.qrels_id, version.task.measures, topics)


@kept(64)
def _compared(
    files: tuple[tuple[str, str], ...], qrels: str, measures: str, topics: tuple[str, ...] | None
) -> Compared:
    values = evaluate(
        blob_store.path_of(qrels),
        {name: blob_store.path_of(digest) for name, digest in files},
        measures,
        only=topics,
        scale="ignore",
    )
    study = compare(values, baseline=files[0][0], scale="ignore")
    tables = {
        title: _readable(plain(study[name].rows()))
        for name, title in TABLES.items()
        if name in study.tables and len(study[name])
    }
    notes = tuple(dict.fromkeys(note for name in TABLES if name in study.tables for note in study[name].notes))
    return Compared(sentence=study.sentence, tables=tables, pictures=_pictures(study), notes=notes)


def _readable(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A table for a page: columns in words, and whether they hold numbers; a side of a pair is the run on it."""
    numbers = {name for row in rows for name, cell in row.items() if isinstance(cell, float | int)}
    told = [
        [_named(cell, str(row["a"]), str(row["b"])) if name in SIDES else cell for name, cell in row.items()]
        for row in rows
    ]
    return {"columns": [(COLUMNS.get(name, name), name in numbers) for name in rows[0]], "rows": told}


def _named(side: str, a: str, b: str) -> str:
    return {"a": a, "b": b, "only_a": f"only {a}", "only_b": f"only {b}"}.get(side, side)


def _pictures(study: Study) -> dict[str, str]:
    found = {}
    for name, title in CHARTS.items():
        if name in study.charts:
            content, media = to_picture(study, name)
            found[title] = f"data:{media};base64,{base64.b64encode(content).decode()}"
    return found
