"""The best values stand out, and the ends of a value stand beside it."""

import json
from dataclasses import replace

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import Direction
from cranfield.data import Given
from tests.support.value_cubes import made

UP, DOWN = Given("up", direction=Direction.HIGHER), Given("down", direction=Direction.LOWER)


def best(*measures: Given, cube: object) -> set[tuple[int, str]]:
    return set(made(cube, *measures).mean().best)


def test_the_best_of_each_column_in_its_direction() -> None:
    assert best(UP, DOWN, cube=[[[0.5, 3.0]], [[0.7, 4.0]], [[0.6, 9.0]]]) == {(1, "up"), (0, "down")}


def test_all_that_are_equally_good_are_best() -> None:
    assert best(UP, cube=[[[0.5], [0.7]], [[0.7], [0.5]], [[0.1], [0.2]]]) == {(0, "up"), (1, "up")}


def test_one_run_alone_is_not_best() -> None:
    assert best(UP, cube=[[[0.5]]]) == set()


def test_counts_sums_and_unknown_numbers_have_no_best() -> None:
    counted = Given("share", direction=Direction.HIGHER, family="count")
    added = Given("sum", direction=Direction.HIGHER, aggregate="sum")
    assert best(counted, added, Given("score"), cube=[[[1.0, 2.0, 3.0]], [[2.0, 3.0, 4.0]]]) == set()


def test_means_of_different_topics_are_not_compared() -> None:
    assert best(UP, DOWN, cube=[[[0.5, 1.0], [np.nan, 2.0]], [[0.4, 3.0], [0.4, 1.0]]]) == {(0, "down")}
    assert best(UP, cube=[[[np.nan]], [[np.nan]]]) == set()
    values = made([[[0.5], [0.5]], [[0.9], [0.0]]], UP)
    assert replace(values, counted=np.array([[True, True], [True, False]])).mean().best == frozenset()


def test_measures_say_themselves_what_is_best() -> None:
    qrels = {"1": {"x": 1, "y": 0}}
    runs = {"a": {"1": {"x": 2.0, "y": 1.0, "z": 0.5}}, "b": {"1": {"y": 2.0, "x": 1.0}}}
    table = cf.evaluate(qrels, runs, "RR ESL NumRet Judged@2").mean()
    assert table.best == {(0, "RR"), (0, "ESL")}


# The ends of a value


@pytest.fixture
def between() -> cf.Values:
    cube = np.array([[[0.5, 3.0], [0.25, 4.0]], [[1.0, 1.0], [0.0, 2.0]]])
    measures = (Given("m", direction=Direction.HIGHER), Given("n", aggregate="sum"))
    return made(cube, *measures, low=cube - np.array([0.25, 1]), high=cube + np.array([0.5, 1]))


def test_ends_are_summed_up_as_the_value_is(between: cf.Values) -> None:
    rows = between.summary().rows()
    assert list(rows[0]) == [
        *("run", "measure", "aggregate", "value", "low", "high", "topics", "missing", "without_relevant"),
    ]
    assert [(row["value"], row["low"], row["high"]) for row in rows] == [
        (0.375, 0.125, 0.875),
        (7.0, 5.0, 9.0),
        (0.5, 0.25, 1.0),
        (3.0, 1.0, 5.0),
    ]
    medians = replace(between, by="median").summary()
    assert medians.cells("low")[:2] == [0.125, 5.0]


def test_ends_topic_by_topic(between: cf.Values) -> None:
    assert between.per_topic().rows()[0] == {
        "run": "a",
        "topic": "1",
        "measure": "m",
        "value": 0.5,
        "low": 0.25,
        "high": 1.0,
    }


def test_text_has_the_ends_beside_the_value(between: cf.Values) -> None:
    assert str(between).splitlines() == [
        "2 topics, * best",
        "run                         m         n",
        "a    0.3750  [0.1250, 0.8750]  7 [5, 9]",
        "b    0.5000* [0.2500, 1.0000]  3 [1, 5]",
    ]
    assert between.mean().columns == ("run", "m", "n", "m low", "m high", "n low", "n high")


def test_rows_have_ends_only_where_there_are_some(between: cf.Values) -> None:
    with_ends = json.loads(between.study(per_topic=True).to_json())["tables"]
    assert {"low", "high"} <= set(with_ends["values"][0]) & set(with_ends["per_topic"][0])
    plain = json.loads(replace(between, low=None, high=None).study(per_topic=True).to_json())["tables"]
    assert not {"low", "high"} & (set(plain["values"][0]) | set(plain["per_topic"][0]))


def test_one_end_alone_is_refused() -> None:
    with pytest.raises(cf.ParameterError, match="only one end of the values is given"):
        made([[[0.5]]], low=np.zeros((1, 1, 1)))
