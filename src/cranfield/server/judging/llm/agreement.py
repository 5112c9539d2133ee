"""Agreement of LLM judges with assessors, and the runs that the differences favour."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.charts import to_picture
from cranfield.collections import (
    Majority,
    join_runs,
    machine_confusion_table,
    machine_runs_table,
    machine_values,
    machines_sentence,
    machines_table,
    of_people,
)
from cranfield.core import Study
from cranfield.core.exact_formats import plain
from cranfield.data import read_labels
from cranfield.server.models import Judgment, Submission
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.core import Table
    from cranfield.server.models import Pool

PEOPLE = "people together"  # as one worker: what holds of a document
COLUMNS = ("topic", "document", "worker", "grade", "kind")
TITLES = {
    "machines": "How far they agree",
    "machine_confusion": "What machines say, by what people say",
    "machine_runs": "Which runs machines favour",
}
WORDS = {  # columns as one reads them
    "machine_value": "by the machine",
    "people": "by people",
    "said": "the machine says",
    "machine_rank": "rank by the machine",
    "rank": "rank by people",
    "kappa": "κ",
    "higher": "says more",
    "lower": "says less",
    "labels": "documents",
    "items": "judged by both",
    "equal": "says the same",
}


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What a comparison says, ready for a page."""

    sentence: str
    tables: Mapping[str, Mapping[str, Any]]  # title: columns and rows
    picture: str  # as data, because it belongs to no address
    notes: tuple[str, ...]


def beside_people(pool: Pool) -> Beside | None:
    """Every machine of a pool beside what holds by people; None as long as one of the two has said nothing."""
    asked = pool.questions.filter(gold=None)
    held = asked.filter(grade__isnull=False).order_by("id").values_list("topic", "document", "grade")
    machines = Judgment.objects.filter(
        question__in=asked, kind=Judgment.MACHINE, taken_back=None, grade__isnull=False
    ).order_by("id")
    said = machines.values_list("question__topic", "question__document", "worker", "grade")
    rows = [(topic, document, PEOPLE, grade, "person") for topic, document, grade in held]
    if not rows or not said:
        return None
    rows += [(*one, "machine") for one in said]
    runs = Submission.objects.filter(task=pool.task, key__in=pool.runs, blob__isnull=False).order_by("received", "id")
    return _beside(tuple(rows), tuple(runs.values_list("name", "blob_id")), pool.task.measures)


@kept(8)
def _beside(rows: tuple[tuple[Any, ...], ...], runs: tuple[tuple[str, str], ...], measures: str) -> Beside:
    labels = read_labels(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)), name="judgments")
    merged = Majority().merge(of_people(labels).answers)
    tables = {"machines": machines_table(labels, merged), "machine_confusion": machine_confusion_table(labels, merged)}
    both = []
    if runs:
        joined = join_runs(labels, {name: blob_store.path_of(digest) for name, digest in runs})
        both = machine_values(joined, merged, measures)
        tables["machine_runs"] = machine_runs_table(both)
    study = Study("crowd", tables, charts=("machines",))
    return Beside(
        sentence=machines_sentence(tables["machines"], both),
        tables={TITLES[name]: _readable(table) for name, table in tables.items() if len(table)},
        picture=_picture(study) if len(tables["machine_confusion"]) else "",
        notes=tuple(dict.fromkeys(note for table in tables.values() for note in table.notes)),
    )


def _readable(table: Table) -> dict[str, Any]:
    """A table for a page: columns in words, and whether they hold numbers."""
    rows = plain(table.rows())
    numbers = {name for row in rows for name, cell in row.items() if isinstance(cell, float | int)}
    columns = [(WORDS.get(name, name), name in numbers) for name in table.columns]
    return {"columns": columns, "rows": [list(row.values()) for row in rows]}


def _picture(study: Study) -> str:
    content, media = to_picture(study, "machines")
    return f"data:{media};base64,{base64.b64encode(content).decode()}"
