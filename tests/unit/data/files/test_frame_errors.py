"""What is wrong with data in memory is said in two lines: the problem, and what to do next."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cranfield.core import ParameterError
from cranfield.data import Attribute, assess, find_runs, read_aspects, read_attributes, read_qrels, read_run
from tests.support.expected_errors import IDS, NUMBER, TABLE, check

GOOD = {"topic": ["1", "1"], "document": ["a", "b"], "grade": [1, 0]}
RUN = {"1": {"a": 1.0}}
QRELS = {"1": {"a": 1}}


def frame(**other: Any) -> pl.DataFrame:
    return pl.DataFrame({name: column for name, column in (GOOD | other).items() if column is not None})


@pytest.mark.parametrize(
    ("data", "code", "problem", "hint"),
    [
        (
            pl.DataFrame({"topic": ["1"], "document": ["a"], "points": [1]}),
            "E-COLUMNS",
            "qrels: there is no column for the grade",
            "there are: topic, document, points; grade may be called grade, relevance, rel, label, score",
        ),
        (
            frame(topic=None),
            "E-COLUMNS",
            "qrels: there is no column for the topic",
            "there are: document, grade; topic may be called topic, qid, query_id, query-id, q_id",
        ),
        (frame(topic=["1", None]), "E-NULL", "qrels: the column of the topic: row 1 is null", IDS),
        (frame(document=[None, "b"]), "E-NULL", "qrels: the column of the document: row 0 is null", IDS),
        (pd.DataFrame(GOOD | {"topic": ["1", None]}), "E-NULL", "qrels: the column of the topic: row 1 is null", IDS),
        (
            pd.DataFrame(GOOD | {"topic": pd.Series(["1", None], dtype="string")}),
            "E-NULL",
            "qrels: the column of the topic: row 1 is null",
            IDS,
        ),
        # A whole number beside a gap: pandas makes floats of both.
        (pd.DataFrame(GOOD | {"topic": [1, None]}), "E-NULL", "qrels: the column of the topic: row 1 is null", IDS),
        (pa.table(GOOD | {"topic": ["1", None]}), "E-NULL", "qrels: the column of the topic: row 1 is null", IDS),
        (GOOD | {"topic": ["1", None]}, "E-NULL", "qrels: the column of the topic: row 1 is null", IDS),
        ({None: {"a": 1}}, "E-NULL", "qrels: the column of the topic: row 0 is null", IDS),
        (
            frame(topic=[1.0, 2.0]),
            "E-TYPE",
            "qrels: the column of the topic: the column is of type Float64, not strings or whole numbers",
            IDS,
        ),
        (
            {"1": {1.5: 1}},
            "E-TYPE",
            "qrels: the column of the document: item 0 is of type float, not a string or a whole number",
            IDS,
        ),
        (
            frame(grade=["1", "good"]),
            "E-GRADE",
            'qrels: grade "good" in row 1 is not a number',
            NUMBER,
        ),
        # Python reads these as numbers, and no other reader does.
        (GOOD | {"grade": ["1", "1_0"]}, "E-GRADE", 'qrels: grade "1_0" in row 1 is not a number', NUMBER),
        (GOOD | {"grade": ["1", "١"]}, "E-GRADE", 'qrels: grade "١" in row 1 is not a number', NUMBER),
        (
            GOOD | {"topic": ["1", True]},
            "E-TYPE",
            "qrels: the column of the topic: item 1 is of type bool, not a string or a whole number",
            IDS,
        ),
        (
            {"topic": "1", "document": "a", "grade": 1},
            "E-TYPE",
            "qrels: the grade is no column of numbers",
            "give columns, or a dict of dicts",
        ),
        (
            frame(grade=[1.0, float("nan")]),
            "E-GRADE",
            "qrels: grade nan in row 1 is not a finite number",
            "every grade is a finite number",
        ),
        (
            frame(grade=[1.0, 0.5]),
            "E-DECIMAL",
            'qrels:2: grade "0.5" is not a whole number',
            "if decimals are meant: --gains (in Python gains=True)",
        ),
        (
            frame(document=["a", "a"], grade=[1, 1]),
            "E-DUPQREL",
            "qrels:2: document a is judged twice in topic 1 (first on line 1)",
            "keep one line for each document of a topic",
        ),
        (17, "E-KIND", "qrels: an object of type int holds no grades", TABLE),
        ([1, 2], "E-KIND", "qrels: an object of type list holds no grades", TABLE),
    ],
)
def test_judgments_in_memory(data: Any, code: str, problem: str, hint: str) -> None:
    check(lambda: read_qrels(data), code, problem, hint)


@pytest.mark.parametrize(
    "data",
    [frame().clear(), pl.DataFrame({name: [] for name in GOOD}), pd.DataFrame(GOOD)[:0], {}],
    ids=["polars", "columns without a type", "pandas", "dict"],
)
def test_nothing_is_no_judgment(data: Any) -> None:
    hint = "a judgment has a topic, a document and a grade"
    check(lambda: read_qrels(data), "E-EMPTY", "qrels: there are no judgments", hint)


ROWS = {"topic": [1, 1, 2], "document": [11, 12, 13], "grade": [1, 0, 1]}
ROW_HINT = 'write rows: frame.to_json(FILE, orient="records")'


@pytest.mark.parametrize(
    "names", [("topic", "document"), ("qid", "docno"), ("query-id", "corpus-id"), ("Topic", "Doc")]
)
@pytest.mark.parametrize("orient", ["dict", "index"])
def test_names_of_columns_are_no_ids(
    orient: Any, names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame(ROWS).rename(columns=dict(zip(ROWS, names, strict=False)))
    data.to_json("q.json", orient="columns" if orient == "dict" else "index")
    problem = f"the keys {names[0].lower()} and {names[1].lower()} are names of columns, not ids"
    hint = 'give the frame itself, or {"topic": {"document": grade}} with ids as keys'
    check(lambda: read_qrels(data.to_dict(orient)), "E-COLUMNS", f"qrels: {problem}", hint)
    check(lambda: read_qrels("q.json"), "E-COLUMNS", f"q.json: {problem}", ROW_HINT)
    data = data.rename(columns={"grade": "score"})
    data.to_json("r.json", orient="columns" if orient == "dict" else "index")
    check(lambda: find_runs(data.to_dict(orient)), "E-COLUMNS", f"run1: {problem}", hint.replace("grade", "score"))
    check(lambda: find_runs("r.json"), "E-COLUMNS", f"r.json: {problem}", ROW_HINT)


@pytest.mark.parametrize("orient", ["records", "list", "series"])
def test_rows_and_columns_of_pandas_are_read(orient: Any, tmp_path: Path) -> None:
    path, data = tmp_path / "q.json", pd.DataFrame(ROWS)
    data.to_json(path, orient="records")
    source = path if orient == "records" else data.to_dict(orient)
    assert read_qrels(source).by_topic() == {"1": {"11": 1, "12": 0}, "2": {"13": 1}}


@pytest.mark.parametrize("data", [{"query": {"doc": 1}}, {"topic": {"a": 1}, "q1": {"document": 0, "label": 1}}])
def test_an_id_may_be_the_name_of_a_column(data: dict[str, dict[str, float]]) -> None:
    assert read_qrels(data).by_topic() == data


def test_judgments_are_called_by_the_name_they_are_given() -> None:
    error = check(
        lambda: read_qrels({}, name="dev"),
        "E-EMPTY",
        "dev: there are no judgments",
        "a judgment has a topic, a document and a grade",
    )
    assert (error.file, error.line) == ("dev", None)


@pytest.mark.parametrize(
    ("data", "code", "problem", "hint"),
    [
        (
            frame(grade=None, points=[1, 2]),
            "E-COLUMNS",
            "run1: there is no column for the score",
            "there are: topic, document, points; score may be called score, sim, similarity, scores",
        ),
        (
            {"1": {"a": np.nan}},
            "E-FINITE",
            "run1: score nan in row 0 is not a finite number",
            "every score is a finite number",
        ),
        (
            {"bm25": {"1": {"a": 1.0, "b": np.inf}}},
            "E-FINITE",
            "bm25: score inf in row 1 is not a finite number",
            "every score is a finite number",
        ),
        (
            frame(grade=None, score=[1.0, 2.0]).clear(),
            "E-EMPTY",
            "run1: the run has no rows",
            "a run has a topic, a document and a score in every row",
        ),
        (
            frame(grade=None, score=[True, False]),
            "E-SCORE",
            "run1: the column of the score holds bool, not numbers",
            "every score is a number",
        ),
        (
            pl.DataFrame({"topic": ["1"], "document": [["a", "b"]], "score": [[1.0]]}),
            "E-TYPE",
            "run1: the column of the document holds lists, and that of the score none of the same lengths",
            "give one score for each document of a list",
        ),
        (
            {"9": {"a": 1.0}},
            "E-TOPICS",
            "run1: no topic of the run is in the qrels (the run has 9)",
            "the qrels have 1: do they belong together?",
        ),
        (
            pl.DataFrame({"topic": ["1", "1"], "document": ["a", "a"], "score": [2.0, 1.0]}),
            "E-DUPDOC",
            "run1:2: document a stands twice in topic 1 (first on line 1)",
            "keep one line for each document of a topic",
        ),
    ],
)
def test_runs_in_memory(data: Any, code: str, problem: str, hint: str) -> None:
    check(lambda: assess(QRELS, data), code, problem, hint)


def test_a_topic_that_only_a_side_table_names_is_not_in_the_qrels() -> None:
    run, also = {"1": {"a": 1.0}, "9": {"z": 1.0}}, [(["9"], ["z"])]
    assert assess(QRELS, run, also=also).notes == ("run1: 1 topic is not in the qrels (9)",)
    check(
        lambda: assess(QRELS, {"9": {"z": 1.0}}, also=also),
        "E-TOPICS",
        "run1: no topic of the run is in the qrels (the run has 9)",
        "the qrels have 1: do they belong together?",
    )


def test_two_runs_of_one_name() -> None:
    named = [read_run(RUN, name=name) for name in ("x", "x", "x-1")]
    hint = "give every run a name of its own"
    check(lambda: find_runs(named), "E-NAMES", "x-1: two runs have this name", hint)


@pytest.mark.parametrize(
    ("options", "code", "problem", "hint"),
    [
        (
            {"also": [(["1", "1"], ["a"])]},
            "E-COLUMNS",
            "also: one column has 2 rows, the other 1",
            "give them one length",
        ),
        ({"also": [(["1"], [None])]}, "E-NULL", "also: the column of the document: row 0 is null", IDS),
        (
            {"sum_above": Attribute(["a", "b"], [1.0], 0.0)},
            "E-COLUMNS",
            "sum_above: one column has 2 rows, the other 1",
            "give them one length",
        ),
        (
            {"sum_above": Attribute(["a"], [float("nan")], 0.0)},
            "E-FINITE",
            "sum_above: value nan in row 0 is not a finite number",
            "every value is a finite number",
        ),
    ],
)
def test_side_tables(options: dict[str, Any], code: str, problem: str, hint: str) -> None:
    check(lambda: assess(QRELS, RUN, **options), code, problem, hint)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: assess(QRELS, RUN, ties="alphabet"),
            "ties=alphabet is not an order of ties\nhint: choose one of: trec, docno-asc, input, rank",
        ),
        (
            lambda: read_run(RUN, ties="alphabet"),
            "ties=alphabet is not an order of ties\nhint: choose one of: trec, docno-asc, input, rank",
        ),
        (
            lambda: assess(QRELS, RUN, compat="lemur"),
            "compat=lemur is not known\nhint: choose one of: trec_eval-9, trec_eval-10",
        ),
        (lambda: assess(QRELS, []), "there is no run to assess\nhint: give at least one run"),
    ],
)
def test_options(make: Callable[[], object], expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("beside", "name"),
    [
        ({"lengths": {"z": 9.0}}, "lengths"),
        ({"beside": [read_attributes({"y": "north", "z": "south"})]}, "attributes"),
        ({"beside": [read_aspects({"easy": {"1": {"z": 1}}})]}, "qrels"),
    ],
)
def test_what_speaks_of_other_documents_only_is_refused(beside: dict[str, Any], name: str) -> None:
    problem = f"{name}: no document of the judgments or the runs is in it"
    hint = "the judgments have documents such as a: do they belong together?"
    check(lambda: assess(QRELS, {"mine": RUN}, **beside), "E-DOCUMENTS", problem, hint)


def test_what_is_known_of_some_documents_only_is_told() -> None:
    judged = {"1": {"a": 1, "b": 0, "c": 0}}
    assert assess(judged, {"mine": RUN}, lengths={"a": 30.0, "b": 50.0}).notes == (
        "lengths says nothing of 1 of 3 judged documents: they are taken to have 40 words",  # (30 + 50) / 2
    )
    groups = read_attributes({"a": "north", "z": "south"})
    assert assess(judged, {"mine": RUN}, beside=[groups]).notes == (
        "attributes says nothing of 2 of 3 judged documents",
    )
    assert not assess(judged, {"mine": RUN}, lengths={"a": 30.0, "b": 50.0, "c": 1.0}).notes
