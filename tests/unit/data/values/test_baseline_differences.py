"""Runs beside a baseline."""

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import Direction
from cranfield.data import Given, find_run

# RR: base 1, 1/2, 1/3, –; other 1/2, 1, 1/3, 1. ESL is the reciprocal. Base misses topic 4.
QRELS = {str(t): {"r": 1} for t in range(1, 5)}
RANKS = {"base": {"1": 1, "2": 2, "3": 3}, "other": {"1": 2, "2": 1, "3": 3, "4": 1}}
RUNS = {
    name: {t: {"r" if i == rank else f"n{i}": 9.0 - i for i in range(1, 5)} for t, rank in ranks.items()}
    for name, ranks in RANKS.items()
}


def against(values: cf.Values, baseline: str = "base") -> dict[str, dict[str, object]]:
    return {str(row["measure"]): dict(row) for row in values.against(baseline).rows()}


def test_how_far_and_in_how_many_topics() -> None:
    rows = against(cf.evaluate(QRELS, RUNS, "RR"))
    # The topic that the baseline misses counts 0 for it.
    ours, theirs = (1 / 2 + 1 + 1 / 3 + 1) / 4, (1 + 1 / 2 + 1 / 3 + 0) / 4
    assert rows["RR"] == {
        "run": "other",
        "measure": "RR",
        "value": pytest.approx(ours),
        "baseline": pytest.approx(theirs),
        "difference": pytest.approx(ours - theirs),
        "better": 2,
        "equal": 1,
        "worse": 1,
        "topics": 4,
    }


def test_better_is_what_the_measure_calls_better() -> None:
    esl = against(cf.evaluate(QRELS, RUNS, "ESL"))["ESL"]
    # ESL has no value for a missing topic: three topics, 2 1 3 against 1 2 3.
    assert (esl["value"], esl["baseline"], esl["difference"], esl["topics"]) == (2.0, 2.0, 0.0, 3)
    assert (esl["better"], esl["equal"], esl["worse"]) == (1, 1, 1)
    shallow = cf.evaluate(QRELS, RUNS, "ESL", only=["1"])
    assert against(shallow)["ESL"]["difference"] == 1.0
    assert against(shallow)["ESL"]["worse"] == 1


def test_values_are_of_the_topics_that_both_have() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR", topics="both")
    row = against(values)["RR"]
    assert row["topics"] == 3
    assert row["value"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert row["baseline"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert values.aggregate()[1, 0] == pytest.approx((1 / 2 + 1 + 1 / 3 + 1) / 4)


def test_counts_are_neither_better_nor_worse() -> None:
    rows = against(cf.evaluate(QRELS, RUNS, "NumRet Judged@2 RR"))
    assert (rows["NumRet"]["difference"], rows["NumRet"]["better"], rows["NumRet"]["worse"]) == (4, None, None)
    assert rows["Judged@2"]["better"] is None
    assert rows["RR"]["better"] == 2


def test_the_difference_follows_the_aggregate() -> None:
    row = against(cf.evaluate(QRELS, RUNS, "RR", aggregate="median"))["RR"]
    # Medians of 1/3 1/2 1 1 and of 0 1/3 1/2 1.
    assert (row["value"], row["baseline"]) == pytest.approx((0.75, (1 / 3 + 1 / 2) / 2))
    assert row["difference"] == pytest.approx(0.75 - (1 / 3 + 1 / 2) / 2)


def test_equal_numbers_added_up_in_another_order_are_equal() -> None:
    cube = np.array([[[0.1 + 0.2]], [[0.3]]])
    everywhere = np.ones((2, 1), dtype=bool)
    values = cf.Values(
        ("a", "b"), ("1",), (Given("m", direction=Direction.HIGHER),), cube, everywhere, ~everywhere, ~everywhere[:1]
    )
    assert cube[0, 0, 0] != cube[1, 0, 0]
    assert values.against("a").cells("equal") == [1]
    assert values.mean().best == {(0, "m"), (1, "m")}


def test_topic_by_topic() -> None:
    rows = cf.evaluate(QRELS, RUNS, "RR", only=["1", "2"]).differences("base").rows()
    assert rows == [
        {"run": "other", "topic": "1", "measure": "RR", "value": 0.5, "baseline": 1.0, "difference": -0.5},
        {"run": "other", "topic": "2", "measure": "RR", "value": 1.0, "baseline": 0.5, "difference": 0.5},
    ]
    both = cf.evaluate(QRELS, RUNS, "RR", topics="both").differences("base")
    assert both.cells("topic") == ["1", "2", "3"]
    esl = cf.evaluate(QRELS, RUNS, "ESL").differences("base").rows()
    assert (esl[3]["value"], esl[3]["baseline"], esl[3]["difference"]) == (1.0, None, None)


def test_scores_have_differences_and_no_better() -> None:
    values = cf.read_scores({"topic": ["1", "2"], "a": [0.5, 0.1], "b": [0.25, 0.25]})
    table = values.against("a")
    assert table.cells("difference") == pytest.approx([-0.05])
    assert table.cells("better") == table.cells("worse") == [None]
    assert table.notes == ("score: nobody said which end is better",)


def test_the_study_has_the_tables() -> None:
    values = cf.evaluate(QRELS, RUNS, "RR")
    assert list(values.study(baseline="base").tables) == ["values", "against"]
    assert list(values.study(per_topic=True, baseline="base").tables) == [
        "values",
        "against",
        "per_topic",
        "differences",
    ]


@pytest.mark.parametrize(
    ("wanted", "place"),
    [("bm25", 0), ("two/dense", 2), ("one/bm25.txt", 0), ("./one/bm25.txt", 0), ("bm25.txt", 0), ("sparse.gz", 1)],
)
def test_a_run_goes_by_its_name_or_its_file(wanted: str, place: int) -> None:
    names, files = ["bm25", "sparse", "two/dense"], ["one/bm25.txt", "one/sparse.gz", "two/dense.txt"]
    assert find_run(names, files, wanted) == place


@pytest.mark.parametrize(
    ("wanted", "problem", "hint"),
    [
        ("bm52", "there is no run named bm52", "did you mean bm25?"),
        ("dense", "there is no run named dense", "did you mean two/dense or one/dense?"),
        ("dense.txt", "2 runs have a file named dense.txt", "did you mean one/dense or two/dense?"),
        ("qqq", "there is no run named qqq", "there are: bm25, one/dense, two/dense"),
    ],
)
def test_a_run_that_is_not_there(wanted: str, problem: str, hint: str) -> None:
    names, files = ["bm25", "one/dense", "two/dense"], ["bm25.txt", "one/dense.txt", "two/dense.txt"]
    with pytest.raises(cf.ParameterError) as caught:
        find_run(names, files, wanted)
    assert (caught.value.problem, caught.value.hint) == (problem, hint)


def test_a_baseline_alone_has_nothing_beside_it() -> None:
    with pytest.raises(cf.ParameterError, match="there is no run beside the baseline base"):
        cf.evaluate(QRELS, {"base": RUNS["base"]}, "RR").against("base")
