"""Tables with one value in each row."""

from pathlib import Path

import pytest

import cranfield as cf

ROWS = "run,topic,measure,value\na,1,AP,.5\na,2,AP,.25\nb,1,AP,1\nb,2,AP,0\n"


def refused(tmp_path: Path, text: str) -> str:
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(cf.InputError) as wrong:
        cf.read_scores(tmp_path / "rows.csv")
    return str(wrong.value).replace(str(tmp_path / "rows.csv"), "rows.csv")


def test_each_row_is_one_value(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    values = cf.read_scores(tmp_path / "rows.csv")
    assert (values.runs, values.topics, list(map(str, values.measures))) == (("a", "b"), ("1", "2"), ["AP"])
    assert values.matrix("AP").tolist() == [[0.5, 1], [0.25, 0]]
    assert values.made_by.measures == ("AP",)


def test_columns_may_be_called_as_elsewhere_and_others_are_left_out() -> None:
    columns = {"metric": ["AP", "RR"], "qid": [7, 7], "System": ["x", "x"], "value": [0.5, 1.0], "low": [0, 0]}
    values = cf.read_scores(columns)
    assert (values.runs, values.topics, values.cube.tolist()) == (("x",), ("7",), [[[0.5, 1.0]]])


def test_what_evaluate_writes_topic_by_topic_comes_back(tmp_path: Path) -> None:
    values = cf.evaluate({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, {"x": {"1": {"b": 2.0, "a": 1.0}}}, "AP RR")
    values.to_polars().write_csv(tmp_path / "rows.csv")
    again = cf.read_scores(tmp_path / "rows.csv")
    assert again.cube.tolist() == values.cube.tolist()


def test_a_table_of_runs_is_none_of_these() -> None:
    assert cf.read_scores({"topic": ["1"], "run": [0.5], "value": [1.0]}).runs == ("run", "value")


def test_every_run_has_one_value_for_every_topic_and_measure(tmp_path: Path) -> None:
    assert refused(tmp_path, ROWS.replace("b,2,AP,0\n", "")) == (
        "rows.csv: run b has no value in topic 2 by AP\n"
        "hint: say what a missing topic is worth: one row for each run, topic and measure"
    )
    assert refused(tmp_path, ROWS + "a,1,AP,.7\n") == (
        "rows.csv: run a has two values in topic 1 by AP\nhint: keep one row for each run, topic and measure"
    )


def test_a_cell_that_is_no_number_has_its_line(tmp_path: Path) -> None:
    said = refused(tmp_path, ROWS.replace("b,1,AP,1", "b,1,AP,high"))
    assert said.startswith('rows.csv:4: score "high" of run b in topic 1 by AP is not a finite number')
    assert refused(tmp_path, ROWS.replace("b,1,AP,1", "b,1,AP,")).startswith(
        "rows.csv:4: run b has no score in topic 1"
    )
    assert refused(tmp_path, ROWS.replace("b,1,AP,1", ",1,AP,1")).startswith(
        "rows.csv:4: the row has no run\nhint: a row"
    )
    assert refused(tmp_path, "run,topic,measure,value\n").startswith("rows.csv: there are no scores\nhint: a row reads")
