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


def test_unjudged_documents_are_noted_as_on_one_machine(spark: SparkSession) -> None:
    """One run retrieves judged documents alone, the other one judged and two unjudged documents in each topic."""
    judged = table(spark, qrels_rows(), "qrels")
    rows = [row | {"run": "full"} for row in run_rows()]
    rows += [
        row | {"run": "partly", "document": row["document"].replace("d1", "u1").replace("d2", "u2")} for row in rows
    ]
    evaluated = distributed.evaluate(judged, table(spark, rows, "run"), "nDCG@3", scale="ignore").collect()
    local = cf.evaluate(frame(qrels_rows(), "qrels"), frame(rows, "run"), "nDCG@3", scale="ignore")
    (note,) = [note for note in evaluated.mean().notes if note.startswith("Judged@")]
    assert note.startswith("Judged@3 is 33.3% for partly and 100.0% for full")
    assert note in local.mean().notes
    assert note in cf.test(evaluated)["tests"].notes
    assert not any("Judged@" in note for note in evaluated.of_runs([0]).mean().notes)
