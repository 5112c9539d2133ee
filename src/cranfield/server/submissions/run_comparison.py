"""Compare selected runs of a task on the topics that the viewer may see."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.charts import to_picture
from cranfield.core import Verdict
from cranfield.core.exact_formats import plain
from cranfield.server.site.single_flight_cache import kept
from cranfield.studies import compare, line_name

from .stored_evaluation import evaluate_stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.core import Study
    from cranfield.server.models import LabelVersion, Submission

MOST = 4  # runs at once
DIFFERENCE = "B − A"
TABLES = {  # title: columns in the order of the page, with their headings
    "verdicts": (
        "Verdicts",
        {"a": "Run A", "b": "Run B", "verdict": "Verdict on B", "n": "Topics", "value_a": "A", "value_b": "B"}
        | {"difference": DIFFERENCE, "interval": "Interval", "p_adjusted": "Adjusted p"},
    ),
    "evidence": (
        "Evidence",
        {"a": "Run A", "b": "Run B", "line": "Line", "status": "Status of B", "n": "Topics", "value_a": "A"}
        | {
            "value_b": "B",
            "difference": DIFFERENCE,
            "interval": "Interval",
            "p_adjusted": "Adjusted p",
            "test": "Test",
        },
    ),
    "outcomes": (
        "Outcomes of topics",
        {"a": "Run A", "b": "Run B", "outcome": "Answered by", "topics": "Topics", "share": "Proportion"}
        | {"interval": "Interval"},
    ),
    "answered": (
        "Topics that one run alone answers",
        {"a": "Run A", "b": "Run B", "only_a": "Only A", "only_b": "Only B", "difference": DIFFERENCE}
        | {"interval": "Interval", "p": "p"},
    ),
    "both": (
        "Rank of the first relevant document where both answer",
        {"a": "Run A", "b": "Run B", "measure": "Measure", "test": "Test", "n": "Topics", "value_a": "A"}
        | {"value_b": "B", "difference": DIFFERENCE, "p": "p"},
    ),
    "overall": (
        "Other tests of the measures",
        {"a": "Run A", "b": "Run B", "measure": "Measure", "test": "Test", "n": "Topics", "value_a": "A"}
        | {"value_b": "B", "difference": DIFFERENCE, "p": "p"},
    ),
}
CHARTS = {"outcomes": "Outcomes of topics", "topic-differences": "Differences by topic"}
CLI_HINT = "; --scale ignore silences this"  # of no use on a page
SELECTION = (
    "The p-values are {} for all pairs of the leaderboard. Runs that were chosen because they are first or "
    "last differ more often by chance."
)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A comparison for a page: sentences, tables, charts and notes."""

    sentence: str
    outcome_rule: str
    tables: Mapping[str, Mapping[str, Any]]
    pictures: Mapping[str, str]  # title: data URL
    notes: tuple[str, ...]  # on the verdict and the evidence
    test_notes: tuple[str, ...]  # on the other tables


def compare_runs(runs: list[tuple[str, Submission]], version: LabelVersion, *, private: bool) -> Compared:
    """Compare the first run with each of the others, on all topics or on the public ones."""
    files = tuple((name, str(run.blob_id)) for name, run in runs)
    topics = None if private or not version.private_topics else tuple(version.public_topics)
    return _compared(files, version.qrels_id, version.task.measures, version.task.rel, topics)


@kept(64)
def _compared(
    files: tuple[tuple[str, str], ...], qrels: str, measures: str, rel: float, topics: tuple[str, ...] | None
) -> Compared:
    values = evaluate_stored(qrels, dict(files), measures, only=topics)
    study = compare(values, baseline=files[0][0], rel=rel)
    shown = [name for name in TABLES if name in study.tables and len(study[name])]
    if len(study["verdicts"]) == 1:
        shown.remove("verdicts")  # the sentence and the evidence have all of it
    corrected = "corrected for the pairs on this page, not" if "verdicts" in shown else "not corrected"
    first = [*study["verdicts"].notes, *study["evidence"].notes]
    others = [note for name in shown for note in study[name].notes if note not in first]
    return Compared(
        sentence=study.sentence,
        outcome_rule=str((study.verdict or Verdict()).get("outcome_sentence") or ""),
        tables={TABLES[name][0]: _page_table(plain(study[name].rows()), TABLES[name][1]) for name in shown},
        pictures=_pictures(study),
        notes=(SELECTION.format(corrected), *dict.fromkeys(note.replace(CLI_HINT, "") for note in first)),
        test_notes=tuple(dict.fromkeys(others)),
    )


def _page_table(rows: list[dict[str, Any]], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return a table for the page: headings with whether they are over numbers, and the cells."""
    pairs = {(row["a"], row["b"]) for row in rows}
    headings = dict(columns)
    if len(pairs) == 1:
        a, b = pairs.pop()
        names = {"A": a, "B": b, "Only A": f"Only {a}", "Only B": f"Only {b}", "Status of B": f"Status of {b}"}
        headings = {
            name: names.get(heading, f"{b} − {a}" if heading == DIFFERENCE else heading)
            for name, heading in columns.items()
            if name not in ("a", "b")
        }
    cells = [[_cell(row, name) for name in headings] for row in rows]
    numeric = [any(isinstance(cell, float | int) for cell in column) for column in zip(*cells, strict=True)]
    return {"columns": list(zip(headings.values(), numeric, strict=True)), "rows": cells}


def _cell(row: dict[str, Any], name: str) -> Any:
    if name == "interval":
        ends = (row["low"], row["high"])
        return None if None in ends else "[{:.4f}, {:.4f}]".format(*ends).replace("-", "−")
    if name == "line":
        return line_name(row)
    if name == "outcome":
        a, b = str(row["a"]), str(row["b"])
        return {"only_a": f"only {a}", "only_b": f"only {b}"}.get(row[name], row[name])
    return row[name]


def _pictures(study: Study) -> dict[str, str]:
    """Return the charts as data URLs."""
    found = {}
    for name, title in CHARTS.items():
        if name in study.charts:
            content, media = to_picture(study, name)
            found[title] = f"data:{media};base64,{base64.b64encode(content).decode()}"
    return found
