"""One small data set for each check of runs and judgments, and the codes that every source must give for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.input_sources import Rows

RISING = (0.25, 0.5, 0.75, 1.5, 2.25, 2.5, 3.75, 4.5)
IN_PAIRS = (2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15)  # 2 before 1, 4 before 3, …: not falling throughout
SCORES = {"1": (3.5, 2.5, 1.5), "2": (9.25, 8.5, 7.75)}
TEXT = ("text", "gz")
NO_ID = "columns are cut at white space: an id is neither empty nor has any"
NO_COLUMN = "a dict of dicts has no other column"
ONE_EACH = "a dict has a key once"


def run_rows(scores: Mapping[str, Sequence[Any]] = SCORES, **columns: Any) -> Rows:
    """Rows of a run that is in order, with documents d1, d2, … in each topic."""
    rows = [
        {"topic": topic, "document": f"d{rank}", "score": score}
        for topic, own in scores.items()
        for rank, score in enumerate(own, start=1)
    ]
    return [row | {name: cells[i] for name, cells in columns.items()} for i, row in enumerate(rows)]


def qrels_rows(grades: tuple[Any, ...] = (1, 0, 2, 0, 1, 0), **columns: Any) -> Rows:
    """Judgments of the documents of these runs."""
    rows = [{"topic": topic, "document": f"d{rank}"} for topic in SCORES for rank in (1, 2, 3)]
    for i, (row, grade) in enumerate(zip(rows, grades, strict=True)):
        row |= {"grade": grade} | {name: cells[i] for name, cells in columns.items()}
    return rows


@dataclass(frozen=True)
class Case:
    """Data with one thing wrong: the codes of the reader, and sources that cannot hold such data, with the reason."""

    name: str
    rows: Rows
    codes: frozenset[str]
    cannot: dict[str, str] = field(default_factory=dict)


def _case(name: str, rows: Rows, *codes: str, cannot: dict[str, str] | None = None) -> Case:
    return Case(name, rows, frozenset(codes), cannot or {})


def _second(rows: Rows, **cells: Any) -> Rows:
    return [row | cells if i == 1 else row for i, row in enumerate(rows)]


NO_TEXT = dict.fromkeys(TEXT, NO_ID)
# Three columns under a header are the qrels of BEIR, which the reader of text reads.
NO_QRELS = dict.fromkeys((*TEXT, "tsv"), NO_ID)
RUNS = [
    _case("clean", run_rows()),
    _case("clean with ranks", run_rows(rank=[1, 2, 3] * 2), cannot={"dict": NO_COLUMN}),
    _case("clean with a tag", run_rows(run=["mine"] * 6), cannot={"dict": NO_COLUMN}),
    _case("lowest first", run_rows({"1": (1.5, 2.5, 3.5), "2": (7.0, 8.0, 9.0)})),
    _case("Borda counts", run_rows({"1": (3, 2, 1), "2": (3, 2, 1)})),
    _case("ranks against scores", run_rows(rank=[3, 2, 1, 1, 2, 3]), "W-RANK", cannot={"dict": NO_COLUMN}),
    _case("ranks as scores", run_rows({"1": (1, 2, 3), "2": (1, 2, 3)}), "W-INVERTED"),
    _case("ranks from 0 as scores", run_rows({"1": (0, 1, 2), "2": (0, 1, 2)}), "W-INVERTED"),
    _case("scores that count up in tens", run_rows(dict.fromkeys("12", range(10, 90, 10))), "W-INVERTED"),
    _case("distances, the best first", run_rows(dict.fromkeys("12", RISING)), "W-INVERTED"),
    _case("ranks as scores in another order", run_rows(dict.fromkeys("12", IN_PAIRS)), "W-INVERTED"),
    _case("ranks as scores, the last first", run_rows(dict.fromkeys("12", sorted(IN_PAIRS, reverse=True)))),
    _case("one score", run_rows({"1": (1.0, 1.0, 1.0), "2": (3.0, 2.0, 1.0)}), "W-CONSTANT", "W-TIES"),
    _case("ties", run_rows({"1": (2.0, 1.0, 1.0), "2": (3.0, 2.0, 1.0)}), "W-TIES"),
    _case("ties of float32", run_rows({"1": (2.0, 1.99999999, 1.0), "2": (3.0, 2.0, 1.0)}), "W-FLOAT32"),
    _case("a short topic", run_rows({"1": (3.0, 2.0), "2": (3.0, 2.0, 1.0)}), "W-SHORT"),
    _case("a topic that finds itself", _second(run_rows(), document="1"), "W-SELF"),
    _case(
        "whole numbers above 2^53",
        run_rows({"1": (2**53 + 3, 2**53 + 1, 2**53), "2": (3, 2, 1)}),
        "W-PRECISION",
        "W-TIES",
        "W-FLOAT32",
    ),
    _case("white space around an id", _second(run_rows(), document=" d2"), "W-SPACE", cannot=NO_TEXT),
    _case("an empty id", _second(run_rows(), document=""), "E-NULL", cannot=NO_TEXT),
    _case("a document twice", _second(run_rows(), document="d1"), "E-DUPDOC", cannot={"dict": ONE_EACH}),
    _case("a word as a score", run_rows({"1": ("3.5", "high", "1.5"), "2": ("3", "2", "1")}), "E-SCORE"),
    _case("not a number", run_rows({"1": ("3.5", "NaN", "1.5"), "2": ("3", "2", "1")}), "E-FINITE"),
    _case("an infinite score", run_rows({"1": ("3.5", "inf", "1.5"), "2": ("3", "2", "1")}), "E-FINITE"),
    _case(
        "a word as a rank",
        [{"topic": "1", "document": f"d{rank}", "rank": rank} for rank in ("1", "second", "3")],
        "E-RANK",
        cannot={"dict": NO_COLUMN},
    ),
    _case("nothing", [], "E-EMPTY"),
    _case("judgments", qrels_rows(), "E-SWAPPED", cannot={"dict": "a dict of dicts has only numbers"}),
]
JUDGMENTS = [
    _case("clean", qrels_rows()),
    _case("a negative grade", qrels_rows((1, -1, 2, 0, 1, 0)), "W-NEGATIVE"),
    _case("grades below 0 and none of 0", qrels_rows((1, -1, 2, -1, 1, -1)), "W-NOZERO"),
    _case("a typing error", qrels_rows((1, 22, 2, 0, 1, 0)), "W-GRADE"),
    _case(
        "the ranks of a run",
        [{"topic": topic, "document": f"d{i}", "grade": i} for topic in SCORES for i in range(1, 11)],
        "W-SWAPPED",
    ),
    _case("nothing relevant", qrels_rows((0, 0, 0, 0, 0, 0)), "W-NOREL"),
    _case("a word as a grade", qrels_rows(("1", "high", "2", "0", "1", "0")), "E-GRADE"),
    _case("whole numbers with a point", qrels_rows((1.0, 0.0, 2.0, 0.0, 1.0, 0.0))),
    _case("not a number", qrels_rows(("1", "NaN", "2", "0", "1", "0")), "E-GRADE"),
    _case("decimals", qrels_rows((1.0, 0.5, 2.0, 0.0, 1.0, 0.0)), "E-DECIMAL"),
    _case("a grade out of range", qrels_rows((1, 20_000, 2, 0, 1, 0)), "E-RANGE"),
    _case(
        "judged twice alike",
        _second(qrels_rows((1, 1, 2, 0, 1, 0)), document="d1"),
        "E-DUPQREL",
        cannot={"dict": ONE_EACH},
    ),
    _case("judged twice", _second(qrels_rows(), document="d1"), "E-CONFLICT", cannot={"dict": ONE_EACH}),
    _case(
        "judged for two subtopics",
        _second(qrels_rows(iteration=["a", "b"] * 3), document="d1"),
        "E-CONFLICT",
        cannot={"dict": NO_COLUMN},
    ),
    _case("white space around an id", _second(qrels_rows(), document="d2 "), "W-SPACE", cannot=NO_QRELS),
    _case("an empty id", _second(qrels_rows(), document=""), "E-NULL", cannot=NO_QRELS),
    _case("nothing", [], "E-EMPTY"),
    _case(
        "a run",
        run_rows({"1": (3, 2, 1), "2": (3, 2, 1)}, rank=[1, 2, 3] * 2),
        "E-SWAPPED",
        cannot={"dict": "a dict of dicts has only numbers"},
    ),
    _case(
        "a run with its name",
        run_rows({"1": (3, 2, 1), "2": (3, 2, 1)}, run=["mine"] * 6),
        "E-SWAPPED",
        cannot={"dict": "a dict of dicts has only numbers"},
    ),
]
