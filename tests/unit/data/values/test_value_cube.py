"""The cube: how it is summed up, counted, shown and read from a table of scores."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.data import find_coverage

# Two topics have a relevant document, topic 3 has none; run b misses topic 2.
QRELS = {"1": {"x": 1, "y": 0}, "2": {"x": 2}, "3": {"z": 0}}
RUNS = {
    "a": {"1": {"x": 2.0, "y": 1.0}, "2": {"n": 2.0, "x": 1.0}, "3": {"z": 1.0}},
    "b": {"1": {"y": 2.0, "x": 1.0}, "3": {"n": 1.0}},
}


@pytest.fixture
def values() -> cf.Values:
    return cf.evaluate(QRELS, RUNS, "RR ESL NumRet NumRel")


def test_every_judged_topic_counts_and_a_missing_one_is_worst(values: cf.Values) -> None:
    # RR of a: 1, 1/2, 0; of b: 1/2, missing, 0.
    assert values.matrix("RR").tolist() == [[1, 0.5], [0.5, 0], [0, 0]]
    assert values.aggregate()[:, 0].tolist() == [1.5 / 3, 0.5 / 3]


def test_topics_that_both_have_are_the_only_ones_with_topics_both() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR NumRel NumQ", topics="both")
    assert values.aggregate().tolist() == [[1.5 / 3, 2, 3], [0.5 / 2, 1, 2]]
    assert np.isnan(values.matrix("RR")[1, 1])


def test_a_topic_without_value_is_left_out_and_counted(values: cf.Values) -> None:
    rows = {(row["run"], row["measure"]): row for row in values.summary().rows()}
    # ESL of a: ranks 1 and 2; topic 3 has nothing to find.
    assert rows["a", "ESL"]["value"] == 1.5
    assert rows["a", "ESL"]["topics"] == 2
    assert rows["b", "ESL"]["topics"] == 1
    assert rows["b", "RR"] | {"value": None} == {
        "run": "b",
        "measure": "RR",
        "aggregate": "mean",
        "value": None,
        "topics": 3,
        "missing": 1,
        "without_relevant": 1,
    }


def test_counts_are_sums_and_whole_numbers(values: cf.Values) -> None:
    table = values.mean()
    assert table.cells("NumRet") == [5, 3]
    assert table.cells("NumRel") == [2, 2]
    assert all(isinstance(cell, int) for cell in table.cells("NumRet"))


def test_what_a_reader_must_know_is_said(values: cf.Values) -> None:
    notes = values.mean().notes
    assert any(note.startswith("b: 1 of 3 topics is missing (2), counted as worst") for note in notes)
    assert "1 topic has no relevant document for some measure (3)" in notes


def of_missing(measures: str, runs: str = "ab", **options: Any) -> list[str]:
    """Return what the notes say of run b, after its name."""
    chosen = {run: RUNS[run] for run in runs}
    notes = cf.evaluate(QRELS, chosen, measures, scale="ignore", **options).mean().notes
    return [note.removeprefix("b: ") for note in notes if note.startswith("b: ")]


def test_a_missing_topic_is_worst_only_for_measures_that_count_it_so() -> None:
    gone, trec = "1 of 3 topics is missing (2), ", "; trec_eval without -c leaves them out: --topics both"
    assert of_missing("ESL") == [f"{gone}excluded: ESL has no value there"]
    assert of_missing("RR ESL") == [f"{gone}counted as worst, except for ESL (no value: excluded){trec}"]
    assert of_missing("ESL(missing=11)@10") == [f"{gone}counted as worst{trec}"]
    # An empty ranking holds no unjudged document, which is the best value, and its utility is 0: that of topic 2 of a
    # is 1 - 1 = 0, and with b = -2 it is 1 - 2 = -1.
    assert of_missing("Unjudged@5", "b") == [f"{gone}counted as an empty ranking{trec}"]
    assert of_missing("Utility") == [f"{gone}counted as worst{trec}"]
    assert of_missing("RR Utility(b=-2)") == [
        f"{gone}counted as worst, except for Utility(b=-2.0) (counted as an empty ranking){trec}"
    ]
    assert of_missing("ESL", topics="both") == [f"{gone}left out"]


def test_a_document_of_grade_0_is_relevant_where_rel_is_0() -> None:
    # Topic 3 has a document of grade 0 and none above it, topic 4 has a label below 0 alone, which is unjudged.
    judged = QRELS | {"4": {"z": -1}}
    values = cf.evaluate(judged, {"a": RUNS["a"]}, "P(rel=0)@1 P(rel=1)@1 P(rel=2)@1 NumRet", scale="ignore")
    assert values.without_relevant.tolist() == [
        [False, False, False, True],
        [False, False, True, True],
        [True, False, True, True],
        [False, False, True, True],
    ]
    assert values.of_measures(["P(rel=0)@1"]).summary().cells("without_relevant") == [1]
    (coverage,) = find_coverage(values.of_measures(["P(rel=0)@1"]))
    assert coverage.relevant.tolist() == [2, 1, 1, 0]


def test_topics_without_a_value_are_reported() -> None:
    # Run b retrieves the relevant document of topic 1 at rank 2, run a at rank 1; topic 3 has nothing to find.
    assert of_missing("ESL@1")[1:] == ["ESL@1 has no value in 1 of 3 topics (1): excluded"]
    assert of_missing("ESL@2")[1:] == []
    runs = dict.fromkeys("bcdef", RUNS["b"]) | {"a": RUNS["a"]}
    notes = cf.evaluate(QRELS, runs, "ESL@1").mean().notes
    assert "5 of 6 runs miss topics (most: b, 1 of 3), excluded: ESL@1 has no value there" in notes
    # At rank 1 run a finds something in topic 1, and not in topic 2.
    assert "ESL@1 has no value in topics of 6 of 6 runs (most: b, 1 of 3): excluded" in notes


def test_a_run_nobody_has_values_of_has_none() -> None:
    values = cf.evaluate({"1": {"x": 1}}, {"1": {"n": 1.0}}, "ESL")
    assert values.mean().cells("ESL") == [None]
    assert json.loads(values.study().to_json())["tables"]["values"][0]["value"] is None


def test_a_runs_mean_is_the_same_to_the_last_bit_whatever_stands_beside_it() -> None:
    random = np.random.default_rng(5)
    qrels = {str(t): {f"d{d}": int(random.integers(0, 3)) for d in range(30)} for t in range(150)}
    runs = {
        name: {t: {d: float(random.random()) for d in random.permutation(list(row))[:20]} for t, row in qrels.items()}
        for name in "abcde"
    }
    together = cf.evaluate(qrels, runs, "AP nDCG@10 RBP(p=0.8) P@5").aggregate()
    for i, name in enumerate(runs):
        for m, measure in enumerate(("AP", "nDCG@10", "RBP(p=0.8)", "P@5")):
            assert cf.evaluate(qrels, {name: runs[name]}, measure).aggregate()[0, 0] == together[i, m]


def test_per_topic_rows_and_frames_hold_the_cube(values: cf.Values) -> None:
    frame = values.to_polars()
    assert frame.columns == ["run", "topic", "measure", "value"]
    assert frame.height == 2 * 3 * 4
    one = frame.filter((pl.col("run") == "a") & (pl.col("topic") == "2") & (pl.col("measure") == "RR"))
    assert one["value"].to_list() == [0.5]


def test_matrix_asks_which_measure(values: cf.Values) -> None:
    with pytest.raises(cf.ParameterError, match="which measure"):
        values.matrix()
    with pytest.raises(cf.ParameterError, match="there are no values of AP"):
        values.matrix("AP")


def test_median_and_mean_differ_where_they_should(values: cf.Values) -> None:
    assert values.aggregate("median")[0, 0] == 0.5


@pytest.mark.parametrize("first", ["topic", "query", "qid", "Topic"])
def test_scores_have_topics_in_a_first_column_of_that_name(tmp_path: Path, first: str) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(f"{first},a,b\n007,.5,1\n8,0,.25\n")
    values = cf.read_scores(file)
    assert (values.topics, values.runs) == (("007", "8"), ("a", "b"))
    assert values.matrix().tolist() == [[0.5, 1], [0, 0.25]]
    assert values.mean().cells("score") == [0.25, 0.625]


def test_scores_without_topics_number_them(tmp_path: Path) -> None:
    file = tmp_path / "scores.parquet"
    pl.DataFrame({"a": [0.5, 0.25], "b": [1.0, 0.0]}).write_parquet(file)
    values = cf.read_scores(file)
    assert (values.topics, values.runs) == (("1", "2"), ("a", "b"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "topic,a\n1,x\n",
            'scores.csv:2: score "x" of run a in topic 1 is not a finite number\n'
            "hint: fill every cell: topics are rows, runs are columns",
        ),
        (
            "topic,a\n1,.5\n2,\n",
            "scores.csv:3: run a has no score in topic 2\nhint: fill every cell: topics are rows, runs are columns",
        ),
        ("topic,a\n1,1\n1,2\n", "scores.csv: topic 1 has two rows\nhint: keep one row for each topic"),
        ("", "scores.csv: the file has no rows\nhint: is it the right file?"),
        ("topic,a,a\n1,1,2\n", "scores.csv: two columns are called a\nhint: give every run a name of its own"),
        (
            "topic,a\n1,.5\n,.5\n",
            "scores.csv:3: the row has no topic\nhint: give every row the topic it is about",
        ),
        (
            ".5,.7\n.3,.4\n",
            "scores.csv:1: the columns have no names, but numbers\n"
            "hint: the first line names the columns: topic, then the runs",
        ),
        ("topic\n1\n", "scores.csv: there are no scores\nhint: topics are rows, runs are columns"),
    ],
)
def test_wrong_scores_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(text)
    with pytest.raises(cf.InputError) as caught:
        cf.read_scores("scores.csv")
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("topic,a,b\n1,2e307,.5\n2,.5,.5\n", "large as 2e+307"),
        ("topic,a,b\n1,2e-310,0\n2,0,-4e-310\n", "small as 4e-310"),
        ("run,topic,measure,value\na,1,AP,2e307\n", "large as 2e+307"),
    ],
)
def test_scores_that_floats_cannot_add_up_are_refused(tmp_path: Path, text: str, size: str) -> None:
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(cf.InputError, match=f"scores as {re.escape(size)} exceed") as caught:
        cf.read_scores(tmp_path / "scores.csv")
    assert caught.value.code == "E-SCORE"


@pytest.mark.parametrize("rows", ["1,1e-310,.5", "1,0,0", "1,1e-300,1e300"])
def test_scores_may_be_small_next_to_others(tmp_path: Path, rows: str) -> None:
    (tmp_path / "scores.csv").write_text(f"topic,a,b\n{rows}\n")
    assert cf.read_scores(tmp_path / "scores.csv").runs == ("a", "b")


def test_scores_parted_by_tabs_and_with_blanks(tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text("topic\ta\tb\n1\t.5\t.7\n")
    (tmp_path / "scores.csv").write_text("topic, a , b\n 1, .5,.7\n")
    for name in ("scores.tsv", "scores.csv"):
        values = cf.read_scores(tmp_path / name)
        assert (values.runs, values.topics, values.matrix().tolist()) == (("a", "b"), ("1",), [[0.5, 0.7]])


def test_a_folder_is_no_table_of_scores(tmp_path: Path) -> None:
    with pytest.raises(cf.InputError, match="this is a folder"):
        cf.read_scores(tmp_path)


def test_real_scores_are_read_as_they_are(shared_data: Path) -> None:
    values = cf.read_scores(shared_data / "score-matrices" / "adhoc8_ap.csv")
    assert values.matrix().shape == (50, 129)
