"""Experiments of PyTerrier: their results come in as values, and go out in the same shape."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cranfield as cf
from cranfield.integrations import read_experiment, to_experiment
from tests.support.golden.golden_values import EXACT, golden
from tests.support.golden.ranking_inputs import graded, inputs, three_runs

NAMES = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "P_5": "P@5"}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """What ``pt.Experiment(..., perquery=True)`` gave."""
    return pd.DataFrame(golden("pyterrier")["frame"])[["name", "qid", "measure", "value"]]


@pytest.fixture(scope="module")
def values(frame: pd.DataFrame) -> cf.Values:
    return read_experiment(frame)


def test_every_value_stands_where_it_stood(frame: pd.DataFrame, values: cf.Values) -> None:
    assert values.runs == ("as it is", "upside down")
    assert set(map(str, values.measures)) == set(NAMES.values())
    for name, qid, measure, value in frame.itertuples(index=False):
        run, topic = values.runs.index(name), values.topics.index(qid)
        assert values.cube[run, topic, values.index(NAMES[measure])] == value


def test_the_same_values_come_from_the_rankings(values: cf.Values) -> None:
    given = inputs()["graded"]
    turned = {t: {d: -score for d, score in row.items()} for t, row in given.run.items()}
    ours = cf.evaluate(given.qrels, {"as it is": given.run, "upside down": turned}, list(NAMES.values()))
    for measure in ours.measures:
        assert ours.matrix(measure).tolist() == [
            pytest.approx(row, abs=EXACT) for row in values.only(ours.topics).matrix(measure).tolist()
        ]


def test_the_t_test_is_that_of_the_experiment(values: cf.Values) -> None:
    told = cf.test(values, "t", correct="none")["tests"].rows()
    p = {row["measure"]: row["p"] for row in told}
    assert p == pytest.approx({NAMES[name]: value for name, value in golden("pyterrier")["p"].items()}, rel=1e-9)


@pytest.mark.parametrize("correction", golden("pyterrier")["corrected"])
def test_corrections_over_systems_within_a_measure_are_those_of_the_experiment(correction: str) -> None:
    ours = cf.evaluate(graded().qrels, three_runs(), list(NAMES))
    told = cf.test(ours, "t", baseline="as-it-is", correct=correction)["tests"].rows()
    for name, theirs in golden("pyterrier")["corrected"][correction].items():
        p = {row["b"]: row["p_adjusted"] for row in told if row["measure"] == NAMES[name]}
        assert [p["upside-down"], p["shuffled"]] == pytest.approx(theirs, rel=1e-9)


def test_a_topic_without_results_counts_as_worst_in_both_and_one_that_was_not_asked_only_here() -> None:
    given, theirs = inputs()["missing topics"], golden("pyterrier")["missing"]
    ours = cf.evaluate(given.qrels, given.run, "map")
    assert list(ours.mean()["AP"]) == pytest.approx(theirs["all topics"], abs=EXACT)
    first = cf.evaluate({"in both": given.qrels["in both"]}, given.run, "map")
    assert list(first.mean()["AP"]) == pytest.approx(theirs["the first topic"], abs=EXACT)


def test_neither_the_order_of_lines_nor_the_column_rank_breaks_ties_in_either() -> None:
    forth = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "z"], "score": [1.0, 1.0], "rank": [0, 1]})
    systems = {"forth": forth, "back": forth.iloc[::-1].assign(rank=[0, 1])}
    ours = cf.evaluate({"1": {"a": 1}}, systems, "recip_rank")
    assert list(ours.mean()["RR"]) == golden("pyterrier")["ties"]["recip_rank"] == [1 / 2, 1 / 2]


def test_means_are_those_of_the_experiment(values: cf.Values) -> None:
    means = values.mean()
    for name, theirs in golden("pyterrier")["mean"].items():
        assert list(means[NAMES[name]]) == pytest.approx(theirs, abs=EXACT)


def test_a_leaderboard_and_a_comparison_take_them(values: cf.Values) -> None:
    board = cf.leaderboard(values.of_measures(["nDCG@10"]))
    assert [row["run"] for row in board["ranks"].rows()] == ["upside down", "as it is"]
    compared = cf.compare(values.of_measures(["RR"]))
    assert {(row["a"], row["b"], row["measure"]) for row in compared["overall"].rows()} == {(*values.runs, "RR")}
    assert sum(map(int, np.asarray(compared["outcomes"]["topics"]))) == len(values.topics)  # RR says where they stood
    assert "outcomes" not in cf.compare(values.of_measures(["AP"])).tables  # AP does not


def test_a_dict_and_a_saved_file_are_read_too(values: cf.Values, frame: pd.DataFrame, tmp_path: Path) -> None:
    nested = read_experiment(golden("pyterrier")["dict"])  # it numbers the systems
    assert nested.runs == ("0", "1")
    frame.to_csv(tmp_path / "perquery.csv", index=False)
    saved = read_experiment(tmp_path / "perquery.csv")
    both = read_experiment((frame.head(0), frame))
    for other in (nested, saved, both):
        assert set(map(str, other.measures)) == set(map(str, values.measures))
        for measure in values.measures:
            assert other.only(values.topics).matrix(measure).tolist() == values.matrix(measure).tolist()


def test_values_go_out_in_the_same_shape(values: cf.Values, frame: pd.DataFrame) -> None:
    out = to_experiment(values)
    assert list(out.columns) == list(frame.columns)
    assert out.dtypes["value"] == frame.dtypes["value"]
    rows = {(name, qid, NAMES[measure]): value for name, qid, measure, value in frame.itertuples(index=False)}
    assert {(name, qid, measure): value for name, qid, measure, value in out.itertuples(index=False)} == rows
    assert read_experiment(out).cube.tolist() == values.cube.tolist()


def test_means_alone_are_refused() -> None:
    means = pd.DataFrame({"name": ["a"], "map": [0.5]})
    with pytest.raises(cf.ParameterError, match=r"these results have no topics, but name, map\nhint: .*perquery=True"):
        read_experiment(means)
    with pytest.raises(cf.ParameterError, match=r"these results have no topics\nhint: .*perquery=True"):
        read_experiment({"a": {"map": 0.5}})


def test_a_time_stays_a_name() -> None:
    rows = [("a", "1", "mrt", 12.0), ("a", "1", "map", 0.5), ("b", "1", "mrt", 3.0), ("b", "1", "map", 0.25)]
    found = read_experiment(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    assert [str(measure) for measure in found.measures] == ["mrt", "AP"]
    assert found.measures[0].direction is None
    assert isinstance(found.measures[1], cf.Measure)
