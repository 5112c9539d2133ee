"""Spark gives the codes that every other source gives for the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import cranfield as cf
from cranfield.core import InputError
from cranfield.integrations import spark as distributed
from tests.support.input_cases import JUDGMENTS, RUNS, Case, qrels_rows, run_rows
from tests.support.input_sources import Rows, frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHORT = "whether a topic is short no part of a table can know"
CANNOT = {"a short topic": SHORT}


def is_refused(case: Case) -> bool:
    return any(code.startswith("E") for code in case.codes)


def named(cases: list[Case], *, refused: bool) -> list[Any]:
    return [pytest.param(case, id=case.name) for case in cases if is_refused(case) is refused]


def table(spark: SparkSession, rows: Rows, what: str) -> DataFrame:
    return spark.createDataFrame(frame(rows, what).to_arrow())


def codes(evaluated: distributed.Evaluated) -> dict[str | None, set[str]]:
    """The codes of each run, and of the judgments (None)."""
    found: dict[str | None, set[str]] = {}
    for row in evaluated.frame.where("code is not null").select("run", "code").collect():
        found.setdefault(row["run"], set()).add(row["code"])
    return found


def test_warnings_about_runs(spark: SparkSession) -> None:
    cases = [case for case in RUNS if not is_refused(case) and case.name not in CANNOT]
    runs = {case.name: table(spark, case.rows, "run") for case in cases}
    evaluated = distributed.evaluate(table(spark, qrels_rows(), "qrels"), runs, "AP", partitions=1)
    found = codes(evaluated)
    assert {case.name: found.get(case.name, set()) for case in cases} == {case.name: set(case.codes) for case in cases}
    notes = " ".join(evaluated.collect().notes)
    for code in ("W-RANK", "W-INVERTED", "W-CONSTANT", "W-PRECISION", "W-SELF", "W-SPACE"):
        assert code in notes


@pytest.mark.parametrize("case", named(RUNS, refused=True))
def test_errors_of_runs(case: Case, spark: SparkSession) -> None:
    with pytest.raises(InputError) as caught:
        distributed.evaluate(
            table(spark, qrels_rows(), "qrels"), {"mine": table(spark, case.rows, "run")}, "AP", partitions=1
        )
    assert {caught.value.code} == case.codes


@pytest.mark.parametrize("case", named(JUDGMENTS, refused=True))
def test_errors_of_judgments(case: Case, spark: SparkSession) -> None:
    with pytest.raises(InputError) as caught:
        distributed.evaluate(
            table(spark, case.rows, "qrels"), {"mine": table(spark, run_rows(), "run")}, "AP", partitions=1
        )
    assert {caught.value.code} == case.codes


@pytest.mark.parametrize("case", named(JUDGMENTS, refused=False))
def test_warnings_about_judgments(case: Case, spark: SparkSession) -> None:
    runs = {"mine": table(spark, run_rows(), "run")}
    evaluated = distributed.evaluate(table(spark, case.rows, "qrels"), runs, "AP", partitions=1)
    assert codes(evaluated).get(None, set()) == case.codes
    assert ("W-NOREL" in " ".join(evaluated.collect().notes)) == ("W-NOREL" in case.codes)


def test_ids_that_do_not_match(spark: SparkSession) -> None:
    rows = [row | {"document": row["document"].upper()} for row in run_rows()]
    judged, runs = table(spark, qrels_rows(), "qrels"), {"mine": table(spark, rows, "run")}
    notes = distributed.evaluate(judged, runs, "AP", partitions=2).collect().notes
    (note,) = [note for note in notes if "W-IDS" in note]
    assert "(6 of 6)" in note


def test_a_named_table_of_several_runs_is_several(spark: SparkSession) -> None:
    rows = [row | {"run": run} for run in ("bm25", "dense") for row in run_rows()]
    judged, runs = table(spark, qrels_rows(), "qrels"), {"mine": table(spark, rows, "run")}
    evaluated = distributed.evaluate(judged, runs, "AP", scale="ignore")
    assert evaluated.runs == ("mine/bm25", "mine/dense")
    assert evaluated.collect().notes == ()


def test_the_mismatch_of_ids_counts_all_topics(spark: SparkSession) -> None:
    """Ids of a few topics are compared, but the note counts three documents in each of 30 topics."""
    topics = [f"{topic:02}" for topic in range(30)]
    judged = [{"topic": topic, "document": f"d{i}", "grade": i} for topic in topics for i in range(3)]
    rows = [{"topic": topic, "document": f"D{i}", "score": float(i)} for topic in topics for i in range(3)]
    runs = {"mine": table(spark, rows, "run")}
    notes = distributed.evaluate(table(spark, judged, "qrels"), runs, "AP").collect().notes
    (note,) = [note for note in notes if "W-IDS" in note]
    assert "0 of 90 are judged" in note
    assert "D2, D1, D0, the judgments d0, d1, d2" in note


def test_ids_of_most_topics_do_not_match(spark: SparkSession) -> None:
    """Ten documents in each of 30 topics are judged; ids match in five topics, and in all if letter case is ignored."""
    names = [(f"{topic:02}", f"{topic:02}d{i}") for topic in range(30) for i in range(10)]
    judged = [{"topic": topic, "document": name, "grade": i % 2} for i, (topic, name) in enumerate(names)]
    rows = [
        {"topic": topic, "document": name if topic < "05" else name.upper(), "score": -float(i)}
        for i, (topic, name) in enumerate(names)
    ]
    runs = {"mine": table(spark, rows, "run")}
    notes = distributed.evaluate(table(spark, judged, "qrels"), runs, "AP").collect().notes
    (note,) = [note for note in notes if "W-IDS" in note]
    assert "50 of 300 are judged" in note
    assert "ids match when letter case is ignored" in note


def test_unjudged_documents_are_noted_as_on_one_machine(spark: SparkSession) -> None:
    """One run retrieves judged documents alone, the other one judged and two unjudged documents in each topic."""
    judged = table(spark, qrels_rows(), "qrels")
    rows = [row | {"run": "full"} for row in run_rows()]
    rows += [
        row | {"run": "partly", "document": row["document"].replace("d1", "u1").replace("d2", "u2")} for row in rows
    ]
    evaluated = distributed.evaluate(judged, table(spark, rows, "run"), "P@1 nDCG@3", scale="ignore").collect()
    local = cf.evaluate(frame(qrels_rows(), "qrels"), frame(rows, "run"), "P@1 nDCG@3", scale="ignore")
    (note,) = [note for note in evaluated.mean().notes if note.startswith("Judged@")]
    # The first document of each ranking is one of the two that are unjudged.
    assert note.startswith("Judged@1 is 0.0% for partly and 100.0% for full, Judged@3 is 33.3% for partly and ")
    assert note in local.mean().notes
    assert note in cf.test(evaluated)["tests"].notes
    assert not any("Judged@" in note for note in evaluated.of_runs([0]).mean().notes)


@pytest.mark.parametrize(("often", "expected"), [(4, set()), (0, {"W-GRADE"})])
def test_an_outlying_grade_is_one_among_all_topics(often: int, expected: set[str], spark: SparkSession) -> None:
    """Grade 5 next to 1 is an outlier if it occurs once, not if other topics have it, too, whatever the partitions."""
    grades = {"0": (5, 1), **{str(topic): ((5, 5) if topic <= often else (1, 1)) for topic in range(1, 9)}}
    judged = [
        {"topic": topic, "document": f"d{i}", "grade": grade}
        for topic, two in grades.items()
        for i, grade in enumerate(two)
    ]
    rows = [{"topic": topic, "document": "d0", "score": 1.5} for topic in grades]
    runs = {"mine": table(spark, rows, "run")}
    notes = distributed.evaluate(table(spark, judged, "qrels"), runs, "AP", partitions=9).collect().notes
    local = cf.evaluate(frame(judged, "qrels"), {"mine": frame(rows, "run")}, "AP").notes
    for lines in (notes, local):
        assert {code for code in ("W-GRADE", "W-NOREL") if code in " ".join(lines)} == expected


@pytest.mark.parametrize("named", [False, True])
def test_of_two_columns_of_runs_the_finer_one_names_them(named: bool, spark: SparkSession) -> None:
    rows = [
        row | {"run": "2026", "tag": tag, "document": f"{tag}-{row['document']}"}
        for tag in ("bm25", "dense")
        for row in run_rows()
    ]
    data: Any = table(spark, rows, "run")
    evaluated = distributed.evaluate(table(spark, qrels_rows(), "qrels"), {"mine": data} if named else data, "AP")
    assert evaluated.runs == (("mine/bm25", "mine/dense") if named else ("bm25", "dense"))


def test_columns_that_name_the_runs_together_alone_are_refused(spark: SparkSession) -> None:
    rows = [
        row | {"system": system, "run_id": seed} for system in ("bm25", "dense") for seed in "12" for row in run_rows()
    ]
    with pytest.raises(InputError, match="run_id and system name different runs, 4 together") as caught:
        distributed.evaluate(table(spark, qrels_rows(), "qrels"), table(spark, rows, "run"), "AP")
    assert caught.value.code == "E-COLUMNS"


@pytest.mark.parametrize("score", ["score > 2", "timestamp_seconds(score)", "array(score)"])
def test_only_numbers_and_text_are_scores(score: str, spark: SparkSession) -> None:
    """Spark would cast true to 1 and a time to its seconds."""
    data = table(spark, run_rows(), "run").selectExpr("topic", "document", f"{score} as score")
    with pytest.raises(InputError) as caught:
        distributed.evaluate(table(spark, qrels_rows(), "qrels"), {"mine": data}, "AP")
    assert caught.value.code == "E-SCORE"


def test_two_columns_of_one_name_are_refused(spark: SparkSession) -> None:
    data = table(spark, run_rows(), "run").selectExpr("topic", "document", "score", "-score as score")
    with pytest.raises(InputError, match="two columns are called score") as caught:
        distributed.evaluate(table(spark, qrels_rows(), "qrels"), {"mine": data}, "AP")
    assert caught.value.code == "E-COLUMNS"
