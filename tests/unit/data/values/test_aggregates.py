"""The cube over topics: ways to sum it up, and some topics alone."""

import math

import numpy as np
import pytest

import cranfield as cf
from cranfield.data import AGGREGATES, Given, find_topics
from tests.support.guarded_peers import pytrec_eval
from tests.support.value_cubes import made

# RR of the runs: a 1, 1/2, 0; b 1/2, missing, 0. Topic 3 has nothing to find.
QRELS = {"1": {"x": 1, "y": 0}, "2": {"x": 2}, "3": {"z": 0}}
RUNS = {
    "a": {"1": {"x": 2.0, "y": 1.0}, "2": {"n": 2.0, "x": 1.0}, "3": {"z": 1.0}},
    "b": {"1": {"y": 2.0, "x": 1.0}, "3": {"n": 1.0}},
}


def test_the_geometric_mean_is_the_root_of_the_product() -> None:
    values = made([[[0.5], [0.25], [0.125]]])
    assert values.aggregate("gmean")[0, 0] == pytest.approx((0.5 * 0.25 * 0.125) ** (1 / 3), abs=1e-15)


def test_what_is_smaller_counts_as_a_hundred_thousandth() -> None:
    values = made([[[0.0], [0.5]], [[1e-7], [0.5]], [[1e-5], [0.5]]])
    assert values.aggregate("gmean")[:, 0].tolist() == pytest.approx([math.sqrt(1e-5 * 0.5)] * 3, abs=1e-15)


def test_the_geometric_mean_of_trec_eval() -> None:
    random = np.random.default_rng(8)
    qrels = {str(t): {f"d{d}": int(random.integers(0, 2)) for d in range(20)} for t in range(25)}
    run = {t: {f"d{d}": float(random.random()) for d in random.permutation(40)[:15]} for t in qrels}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"})
    logs = [found["gm_map"] for found in evaluator.evaluate(run).values()]  # it gives the logarithm of each topic
    theirs = pytrec_eval.compute_aggregated_measure("gm_map", logs)
    assert cf.evaluate(qrels, {"r": run}, "AP", aggregate="gmean").aggregate()[0, 0] == pytest.approx(theirs, abs=1e-12)


def test_a_value_that_does_not_exist_is_in_no_aggregate() -> None:
    values = made([[[0.5], [math.nan], [0.125]], [[math.nan]] * 3])
    assert values.aggregate("gmean")[0, 0] == pytest.approx(0.25)
    assert values.aggregate("median")[0, 0] == 0.3125
    for by in ("mean", "median", "gmean"):
        assert math.isnan(values.aggregate(by)[1, 0])


@pytest.mark.parametrize(("by", "rr"), [("mean", 0.5), ("median", 0.5), ("gmean", (1 * 0.5 * 1e-5) ** (1 / 3))])
def test_one_aggregate_for_all_but_sums(by: str, rr: float) -> None:
    values = cf.evaluate(QRELS, {"a": RUNS["a"]}, "RR NumRet", aggregate=by)
    assert values.aggregate()[0].tolist() == pytest.approx([rr, 5])
    assert values.summary().cells("aggregate") == [by, "sum"]
    assert values.summary().cells("value") == pytest.approx([rr, 5])
    assert values.mean().caption == f"3 topics, {'geometric mean' if by == 'gmean' else by}"


def test_without_a_word_every_measure_goes_its_own_way() -> None:
    values = made([[[0.1], [0.2], [0.9]]], Given("m", aggregate="median"))
    assert values.aggregate()[0, 0] == 0.2
    assert values.summary().cells("aggregate") == ["median"]
    assert values.mean().caption == "3 topics"
    own = made([[[0.0], [0.9]]], Given("m", aggregate="gmean"))
    assert own.aggregate()[0, 0] == pytest.approx(math.sqrt(1e-5 * 0.9))
    assert own.mean().notes == ()


def test_the_floor_is_said_where_it_was_met() -> None:
    assert cf.evaluate(QRELS, {"a": RUNS["a"]}, "RR", aggregate="gmean").mean().notes[-1] == (
        "geometric mean: 1 value below 1e-05 counts as 1e-05"
    )
    assert made([[[0.0], [0.0], [0.5]]], by="gmean").mean().notes == (
        "geometric mean: 2 values below 1e-05 count as 1e-05",
    )
    assert made([[[0.5]]], by="gmean").mean().notes == ()


def test_an_aggregate_that_nobody_knows() -> None:
    with pytest.raises(cf.ParameterError, match="there is no aggregate named 'mode'") as caught:
        cf.evaluate(QRELS, RUNS, "RR", aggregate="mode")
    assert caught.value.hint == f"there are: {', '.join(AGGREGATES)}"
    with pytest.raises(cf.ParameterError, match="'mode'"):
        made([[[0.5]]]).aggregate("mode")


# Some topics alone


def test_some_topics_are_the_evaluation_of_those_topics() -> None:
    whole = cf.evaluate(QRELS, RUNS, "RR ESL NumRet", only=["3", "1"], scale="ignore")
    alone = cf.evaluate({t: QRELS[t] for t in ("1", "3")}, RUNS, "RR ESL NumRet", scale="ignore")
    assert whole.topics == alone.topics == ("1", "3")
    assert whole.summary().rows() == alone.summary().rows()
    assert whole.per_topic().rows() == alone.per_topic().rows()
    # Run b misses topic 2, which nobody asked for; topic 3 has nothing to find.
    assert whole.mean().notes[0] == "1 topic has no relevant document for some measure (3)"
    assert [note.partition(" ")[0] for note in whole.mean().notes[1:]] == ["Judged@100"]
    assert whole.mean().caption == "2 topics"


def test_counts_are_of_the_chosen_topics() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR", only=["2"], scale="ignore")
    assert values.summary().cells("missing") == [0, 1]
    assert values.summary().cells("topics") == [1, 1]
    assert values.summary().cells("without_relevant") == [0, 0]
    assert values.mean().notes[0].startswith("b: 1 of 1 topic is missing (2), counted as worst")


def test_some_topics_and_only_those_of_both() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR", topics="both", only=["1", "2"], scale="ignore")
    assert values.summary().cells("topics") == [2, 1]
    assert values.aggregate()[:, 0].tolist() == [0.75, 0.5]
    nothing = cf.evaluate(QRELS, RUNS, "RR", topics="both", only="2", scale="ignore")
    assert nothing.mean().cells("RR") == [0.5, None]


def test_a_measure_keeps_its_top_grade_whatever_topics_are_chosen() -> None:
    assert str(cf.evaluate(QRELS, RUNS, "ERR", only=["1"]).measures[0]) == "ERR(max_rel=2)"


def test_ends_and_curves_are_cut_too() -> None:
    values = made([[[0.1], [0.2], [0.3]]], low=np.zeros((1, 3, 1)), high=np.array([[[0.4], [0.5], [0.6]]]))
    assert values.only(["3"]).summary().cells("high") == [0.6]
    with_curve = cf.evaluate(QRELS, RUNS, "RR", curve="pr")
    # Topic 1: a finds x first, b second. All three: a 1, 1/2, 0.
    assert with_curve.only(["1"]).curve_table().cells("precision") == [1.0] * 11 + [0.5] * 11
    assert with_curve.curve_table().cells("precision")[:11] == [0.5] * 11


def test_topics_are_found_in_the_order_of_the_judgments() -> None:
    assert find_topics(["7", "5", "9"], ["9", "7", "9"]) == [0, 2]


@pytest.mark.parametrize(
    ("wanted", "problem", "hint"),
    [
        (["3001"], "there is no topic 3001", "did you mean 301?"),
        (["301", "x1", "y2"], "there is no topic x1 (nor y2)", "there are: 301, 302, web-9"),
        (["web9"], "there is no topic web9", "did you mean web-9?"),
        ([], "no topic is chosen", "there are: 301, 302, web-9"),
    ],
)
def test_a_topic_that_is_not_there(wanted: list[str], problem: str, hint: str) -> None:
    with pytest.raises(cf.ParameterError) as caught:
        find_topics(["301", "302", "web-9"], wanted)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


def test_unknown_topics_are_refused_before_runs_are_read() -> None:
    with pytest.raises(cf.ParameterError, match="there is no topic 4"):
        cf.evaluate(QRELS, "no-such-run.txt", "RR", only=["4"])


def test_what_is_measured_is_told() -> None:
    told: list[tuple[int, int]] = []
    cf.evaluate(QRELS, RUNS, "RR AP nDCG", measuring=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (2 * 3 * 3, 2 * 3 * 3)
