"""Classes of measures stand for the measure with its default parameters."""

from typing import Any

import pytest

import cranfield as cf
from cranfield.measures import DEFAULT, parse_measure, parse_measures

QRELS = {"1": {"d": 1, "e": 0}, "2": {"d": 0, "e": 1}}
RUNS = {"a": {"1": {"d": 1.0}, "2": {"e": 1.0}}, "b": {"1": {"e": 1.0, "d": 0.5}, "2": {"d": 0.5}}}


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (cf.AP, ["AP"]),
        ([cf.AP], ["AP"]),
        (cf.P @ 10, ["P@10"]),
        ([cf.P @ 10, cf.AP @ 5, "RR"], ["P@10", "AP@5", "RR"]),
        (cf.NDCG @ 10, ["nDCG@10"]),
        (None, list(DEFAULT)),
    ],
)
def test_what_evaluate_takes_for_measures(given: Any, names: list[str]) -> None:
    assert [str(measure) for measure in cf.evaluate(QRELS, RUNS, given).measures] == names


def test_a_class_with_a_cutoff_is_the_measure_of_that_name() -> None:
    assert parse_measure("P@10") == cf.P @ 10
    assert parse_measure(cf.AP) == parse_measure("AP")
    assert parse_measures(cf.RR) == parse_measures("RR")


@pytest.mark.parametrize("given", [5, [None], [cf.AP, 3.0], object, cf.P, [int]])
def test_what_is_no_measure_is_refused_in_two_lines(given: Any) -> None:
    with pytest.raises(cf.ParameterError) as caught:
        cf.evaluate(QRELS, RUNS, given)
    assert caught.value.hint


@pytest.mark.parametrize("at", ["x", 1.5, 0, -1])
def test_a_cutoff_must_be_a_rank(at: Any) -> None:
    with pytest.raises(cf.ParameterError):
        cf.P @ at


def test_studies_find_values_by_the_class() -> None:
    values = cf.evaluate(QRELS, RUNS, [cf.P @ 1, cf.AP])
    assert cf.leaderboard(values, measure=cf.AP, draws=20).sentence.count("AP") == 1
    assert cf.reproduce(QRELS, {"b": RUNS["b"]}, cf.AP, originals={"a": RUNS["a"]}, draws=20)["reproduce"]
    assert cf.reproduce(QRELS, {"b": RUNS["b"]}, None, originals={"a": RUNS["a"]}, draws=20)["reproduce"]
