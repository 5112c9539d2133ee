"""Runs of a million rows have the same values on Spark as on one machine, and so have tests of the same draws."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli import main
from cranfield.core import CranfieldError
from cranfield.integrations import spark as distributed
from cranfield.measures import MEASURES, first_use

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NEAR = 1e-12
FILES = 3
SEVERAL = "AP nDCG@10 RR@10 P(rel=2)@10 R@1000 RBP(p=0.9) ERR@20 Q@50 Bpref infAP Judged@10 NumRet INST ESL RBTO@5"


@dataclass(frozen=True)
class Made:
    """Judgments and runs in Parquet, and the same in memory."""

    folder: Path
    qrels: pl.DataFrame
    runs: pl.DataFrame

    @property
    def tables(self) -> tuple[str, str]:
        return str(self.folder / "qrels.parquet"), str(self.folder / "runs")

    def here(self, measures: Any, **options: Any) -> cf.Values:
        """What one machine says."""
        names = sorted(self.runs["run"].unique().to_list())
        return cf.evaluate(
            self.qrels, {run: self.runs.filter(run=run).drop("run") for run in names}, measures, **options
        )


def made(folder: Path, *, topics: int, runs: int, depth: int, top: int = 3) -> Made:
    """Runs with ties, missing topics, unjudged documents and topics, one with a single judged topic; rows in no order.

    Some topics have nothing relevant, some grades are below 0; a stratum stands in the second column.
    """
    rng = np.random.default_rng(8)
    frames = []
    for run in range(runs):
        for topic in range(topics + 3):  # the last are not judged
            if (run == 1 and topic % 7 == 0) or (run == 2 and topic != 4):
                continue
            size = depth if topic % 5 else depth // 3
            document = rng.permutation(2 * depth)[:size]
            score = np.round(rng.normal(size=size) - document / depth, 1 + run % 2)
            name = np.char.add(f"d{topic % 10}-", document.astype(str))
            frames.append(pl.DataFrame({"run": f"run{run}", "topic": f"t{topic}", "document": name, "score": score}))
    whole = pl.concat(frames).sample(fraction=1, shuffle=True, seed=3)
    judged = []
    for topic in range(topics):
        document = rng.permutation(2 * depth)[: depth // 4]
        grade = rng.choice([-1, 0, 0, 1, 2, 3], size=len(document)) if topic % 11 else np.zeros(len(document), int)
        grade = np.minimum(grade, top)
        name = np.char.add(f"d{topic % 10}-", document.astype(str))
        judged.append(pl.DataFrame({"qid": f"t{topic}", "docno": name, "rel": grade, "iteration": document % 2}))
    qrels = pl.concat(judged).with_columns(iteration=pl.col("iteration").cast(pl.String))
    qrels.write_parquet(folder / "qrels.parquet")
    (folder / "runs").mkdir()
    for file in range(FILES):
        whole.gather_every(FILES, file).write_parquet(folder / "runs" / f"{file}.parquet")
    return Made(folder, qrels, whole)


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("million"), topics=125, runs=12, depth=1000)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("small"), topics=12, runs=4, depth=40, top=2)


def alike(mine: cf.Values, other: cf.Values) -> None:
    """Refuse values that differ by more than the last digits, or count other topics."""
    assert (mine.runs, mine.topics, mine.measures) == (other.runs, other.topics, other.measures)
    for name in ("counted", "missing", "without_relevant"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name), err_msg=name)
    for name in ("cube", "low", "high", "order"):
        left, right = getattr(mine, name), getattr(other, name)
        assert (left is None) == (right is None), name
        if left is not None:
            np.testing.assert_allclose(left, right, rtol=0, atol=NEAR, err_msg=name)


def test_a_million_rows_have_the_same_values(million: Made, spark: SparkSession) -> None:
    assert len(million.runs) >= 1_000_000
    found = distributed.evaluate(*million.tables, SEVERAL, engine=spark, partitions=3)
    mine, other = million.here(SEVERAL), found.collect()
    alike(mine, other)
    assert mine.notes == other.notes
    assert mine.missing.sum() == 18 + 124  # every seventh of 125 topics of one run, all but one of another
    assert not mine.without_relevant.all()
    assert mine.without_relevant.any()
    assert found.means().rows() == mine.mean().rows()
    assert found.means().notes == mine.mean().notes
    assert any(note.startswith("Judged@100") for note in mine.mean().notes)
    found.release()


def test_values_land_in_parquet(small: Made, spark: SparkSession, tmp_path: Path) -> None:
    found = distributed.evaluate(*small.tables, "AP P@10", engine=spark, topics="both")
    found.write(tmp_path / "values")
    read = pl.read_parquet(tmp_path / "values" / "*.parquet").sort("run", "topic", "measure")
    mine = small.here("AP P@10", topics="both").to_polars().sort("run", "topic", "measure")
    assert read.columns == mine.columns == ["run", "topic", "measure", "value"]
    assert read.select("run", "topic", "measure").equals(mine.select("run", "topic", "measure"))
    np.testing.assert_allclose(read["value"], mine["value"], rtol=0, atol=NEAR)
    with pytest.raises(cf.InputError, match="something of this name already") as refused:
        found.write(tmp_path / "values")
    assert refused.value.code == "E-EXISTS"
    found.write(tmp_path / "values", overwrite=True)
    assert len(pl.read_parquet(tmp_path / "values" / "*.parquet")) == len(read)


def test_every_measure_that_needs_no_other_table_has_the_same_values(small: Made, spark: SparkSession) -> None:
    every = [first_use(cls) for cls in MEASURES]
    measures = [measure @ 4 if measure.needs_cutoff else measure for measure in every if not measure.asks_for]
    low = [measure for measure in measures if (getattr(measure, "max_rel", None) or 2) < 2]
    measures = [replace(measure, max_rel=2) if measure in low else measure for measure in measures]  # type: ignore[call-arg]
    assert len(measures) > 70
    alike(small.here(measures), distributed.evaluate(*small.tables, measures, engine=spark).collect())


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "average"},
        {"ties": "bounds"},
        {"ties": "docno-asc", "rel": 2, "topics": "both", "aggregate": "median"},
        {"compat": "trec_eval-9"},
        {"compat": "beir"},
    ],
    ids=str,
)
def test_what_one_machine_is_asked_can_be_asked_here(small: Made, spark: SparkSession, options: Any) -> None:
    measures = "AP nDCG@5 P@5 RR"
    mine = small.here(measures, **options)
    other = distributed.evaluate(*small.tables, measures, engine=spark, **options).collect()
    alike(mine, other)
    assert mine.mean().rows() == other.mean().rows()
    assert mine.notes == other.notes


def test_ranks_give_the_order_where_they_are_asked_for(small: Made, spark: SparkSession) -> None:
    ranked = small.runs.with_columns(rank=pl.col("document").rank("ordinal").over("run", "topic").cast(pl.Int64))
    other = distributed.evaluate(small.tables[0], spark.createDataFrame(ranked.to_arrow()), "AP RR", compat="msmarco")
    alike(Made(small.folder, small.qrels, ranked).here("AP RR", compat="msmarco"), other.collect())


def test_tables_may_be_named_by_their_runs(small: Made, spark: SparkSession) -> None:
    names = small.runs["run"].unique().to_list()
    tables = {
        run: spark.createDataFrame(small.runs.filter(run=run).drop("run").rename({"topic": "qid"}).to_arrow())
        for run in names
    }
    qrels = spark.createDataFrame(small.qrels.to_arrow())
    alike(small.here("AP"), distributed.evaluate(qrels, tables, "AP").collect())


def test_files_without_a_column_for_it_name_their_runs(small: Made, spark: SparkSession, tmp_path: Path) -> None:
    files = []
    for run in small.runs["run"].unique().to_list():
        files.append(tmp_path / f"{run}.parquet")
        small.runs.filter(run=run).drop("run").write_parquet(files[-1])
    alike(small.here("AP"), distributed.evaluate(small.tables[0], files, "AP", engine=spark).collect())
    (tmp_path / "again").mkdir()
    files.append(tmp_path / "again" / files[0].name)
    files[-1].write_bytes(files[0].read_bytes())
    with pytest.raises(cf.InputError, match="two files would be runs of one name"):
        distributed.evaluate(small.tables[0], files, "AP", engine=spark)
    # A folder is one table in parts: nobody knows whose.
    with pytest.raises(cf.InputError, match="there is no column for the run"):
        distributed.evaluate(small.tables[0], tmp_path / "again", "AP", engine=spark)


def test_studies_take_what_comes_back(small: Made, spark: SparkSession) -> None:
    other = distributed.evaluate(*small.tables, "AP nDCG@10", engine=spark).collect()
    mine = small.here("AP nDCG@10")
    assert cf.test(mine)["tests"].rows() == cf.test(other)["tests"].rows()
    assert cf.leaderboard(mine)["ranks"].rows() == cf.leaderboard(other)["ranks"].rows()


def test_the_command_says_the_same_and_lands_the_values(
    small: Made, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(["evaluate", *words, "--engine", "local[2]"])
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out, said.err

    words = (*small.tables, "-m", "AP P@5")
    code, out, _ = ended(*words, "--topics", "t1,t2", "--format", "json")
    assert code == 0
    found = json.loads(out)["tables"]["values"]
    assert found == small.here("AP P@5").only(["t1", "t2"]).summary().rows()
    assert ended(*words, "-o", str(tmp_path / "values.parquet"))[0] == 0
    assert len(pl.read_parquet(tmp_path / "values.parquet" / "*.parquet")) == 4 * 12 * 2
    code, out, err = ended("gone.parquet", small.tables[1])
    assert (code, out) == (1, "")
    assert err == "error: gone.parquet: there is no such file\nhint: check the name; files are read where Spark is\n"


def row(**changed: Any) -> dict[str, Any]:
    return {"run": "a", "topic": "t1", "document": "d1", "score": 1.0} | changed


WRONG = {
    "a document twice": (
        [row(), row()],
        "a: document d1 stands twice in topic t1\nhint: keep one line for each document of a topic",
    ),
    "a document twice where nobody judged": (
        [row(), row(topic="x"), row(topic="x")],
        "a: document d1 stands twice in topic x\nhint: keep one line for each document of a topic",
    ),
    "no score": (
        [row(), row(document="d2", score=None)],
        "a: there is no score that is a number (topic t1, document d2)\nhint: every score is a finite number",
    ),
    "no number": (
        [row(), row(document="d2", score=float("nan"))],
        "a: score nan is not a finite number (topic t1, document d2)\nhint: every score is a finite number",
    ),
    "no run": (
        [row(), row(run=None)],
        "runs: the column of the run: a row is null\nhint: name the run in every row",
    ),
    "no document": (
        [row(), row(document=None)],
        "a: the column of the document: a row is null\nhint: ids are text or whole numbers, one in every row",
    ),
    "another collection": (
        [row(), row(run="b", topic="x"), row(run="b", topic="y")],
        "b: no topic of the run is in the qrels (the run has x, y)\nhint: do they belong together?",
    ),
    "no rows": ([], "runs: the runs have no rows\nhint: a run has a topic, a document and a score in every row"),
}


@pytest.mark.parametrize(("rows", "said"), WRONG.values(), ids=list(WRONG))
def test_what_is_wrong_with_a_run_is_said_in_two_lines(
    spark: SparkSession, rows: list[dict[str, Any]], said: str
) -> None:
    runs = spark.createDataFrame(rows, "run string, topic string, document string, score double")
    qrels = spark.createDataFrame([("t1", "d1", 1), ("t2", "d1", 0)], "topic string, document string, grade int")
    with pytest.raises(CranfieldError) as refused:
        distributed.evaluate(qrels, runs, "AP P@5", partitions=2)
    assert str(refused.value) == said


JUDGED = {
    "twice": (
        [("t1", "d1", 1.0), ("t1", "d1", 1.0)],
        "qrels: document d1 is judged twice in topic t1\nhint: keep one line for each document of a topic",
    ),
    "decimals": (
        [("t1", "d1", 0.5)],
        "qrels: grade 0.5 is not a whole number (topic t1, document d1)\n"
        "hint: if decimals are meant: --gains (in Python gains=True)",
    ),
    "no grade": (
        [("t1", "d1", None)],
        "qrels: there is no grade that is a number (topic t1, document d1)\nhint: every grade is a finite number",
    ),
    "nothing": ([], "qrels: there are no judgments\nhint: a judgment has a topic, a document and a grade"),
}


@pytest.mark.parametrize(("rows", "said"), JUDGED.values(), ids=list(JUDGED))
def test_what_is_wrong_with_judgments_is_said_in_two_lines(spark: SparkSession, rows: list[Any], said: str) -> None:
    qrels = spark.createDataFrame(rows, "topic string, document string, grade double")
    runs = spark.createDataFrame([row()], "run string, topic string, document string, score double")
    with pytest.raises(CranfieldError) as refused:
        distributed.evaluate(qrels, runs, "AP", partitions=1)
    assert str(refused.value) == said


def test_what_cannot_be_read_is_said_in_two_lines(small: Made, spark: SparkSession, tmp_path: Path) -> None:
    qrels, runs = small.tables
    (tmp_path / "run.txt").write_text("1 Q0 d 1 1.0 x\n")
    (tmp_path / "nothing").mkdir()
    for path, code in (("gone.parquet", "E-MISSING"), ("g*.parquet", "E-MISSING"), ("run.txt", "E-FORMAT")):
        with pytest.raises(cf.InputError) as refused:
            distributed.evaluate(qrels, tmp_path / path, "AP", engine=spark)
        assert (refused.value.code, str(refused.value).count("\n")) == (code, 1)
        assert str(refused.value).startswith(f"{tmp_path / path}: ")
    for data, code in ((tmp_path / "nothing", "E-EMPTY"), (runs, "E-SWAPPED")):
        with pytest.raises(cf.InputError) as refused:
            distributed.evaluate(data, qrels, "AP", engine=spark)
        assert refused.value.code == code
    with pytest.raises(cf.ParameterError, match="an object of type int is no table"):
        distributed.evaluate(3, runs, "AP", engine=spark)
    times = spark.createDataFrame([row()], "run string, topic string, document string, score double")
    with pytest.raises(cf.InputError, match="the column of the topic holds double"):
        distributed.evaluate(qrels, times.withColumn("topic", times.score), "AP")


@pytest.mark.parametrize(
    ("measures", "options", "said"),
    [
        ("AP", {"ties": "rank"}, "ties=rank needs ranks"),
        ("RBP(max_rel=1)", {}, "meets a grade above 1"),
    ],
)
def test_what_a_part_of_the_topics_cannot_know_is_refused(
    small: Made, spark: SparkSession, measures: str, options: Any, said: str
) -> None:
    with pytest.raises(cf.ParameterError, match=said):
        distributed.evaluate(*small.tables, measures, engine=spark, **options)


@pytest.mark.parametrize("kind", ["shift", "studentised"])
def test_the_bootstrap_draws_the_same_on_spark(small: Made, spark: SparkSession, kind: Any) -> None:
    values = small.here("AP nDCG@10")
    mine = cf.test(values, f"bootstrap(kind='{kind}')", draws=2000, seed=5)
    for partitions in (1, 3):
        other = distributed.bootstrap(values, kind=kind, draws=2000, seed=5, engine=spark, partitions=partitions)
        assert other["tests"].rows() == mine["tests"].rows()


def test_the_randomisation_test_draws_the_same_on_spark(spark: SparkSession) -> None:
    rng = np.random.default_rng(4)
    scores = {run: rng.normal(size=60).tolist() for run in "abc"}  # too many differences of any size to be counted
    mine = cf.test(scores, "randomisation", draws=3000, seed=2)
    assert all("3,000 draws" in str(row["note"]) for row in mine["tests"].rows())
    other = distributed.randomisation(scores, draws=3000, seed=2, engine=spark, partitions=4)
    assert other["tests"].rows() == mine["tests"].rows()
    assert other.sentence == mine.sentence
    few = {run: values[:8] for run, values in scores.items()}  # all flips are counted, and nothing travels
    assert distributed.randomisation(few, engine=spark)["tests"].rows() == cf.test(few, "randomisation")["tests"].rows()


def test_tests_of_all_pairs_draw_the_same_on_spark(small: Made, spark: SparkSession) -> None:
    from cranfield.integrations.spark import Blocks

    values = small.here("AP")
    tests = ["max-t", "randomised-tukey"]
    mine = cf.test(values, tests, draws=5000)
    other = cf.test(values, tests, draws=5000, elsewhere=Blocks(spark, 2))
    assert other["tests"].rows() == mine["tests"].rows()
