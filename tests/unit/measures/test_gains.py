"""What documents are worth: mapped gains, top grades, thresholds."""

from math import log2

import pytest

from cranfield.core import ParameterError
from cranfield.data import assess
from cranfield.measures import DCG, ERR, NDCG, RBP, measure_all, parse_measure
from cranfield.studies import evaluate
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades

EXACT = 1e-14
RANKING = (1, 2, NOT_JUDGED, 0, 3)


def value(measure: str, *, missed: tuple[int, ...] = ()) -> float:
    return float(measure_all(assess_grades(RANKING, missed=missed), measure).cube[0, 0, 0])


def dcg(*gains: float) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def test_a_mapping_sets_the_gain_of_the_grades_it_names() -> None:
    assert value("DCG(gains={1:10,3:0.5})") == pytest.approx(dcg(10, 2, 0, 0, 0.5), abs=EXACT)


def test_the_ideal_is_sorted_by_gain_not_by_grade() -> None:
    # Grade 1 is worth most: with the ideal sorted by grade, the value would exceed 1.
    mapped = {1: 9, 2: 4, 3: 1}
    best = dcg(9, 9, 4, 1)
    name = f"nDCG(gains={mapped})"
    assert value(name, missed=(1,)) == pytest.approx(dcg(9, 4, 0, 0, 1) / best, abs=EXACT)
    assert value(f"{name}@1", missed=(1,)) == pytest.approx(1, abs=EXACT)


def test_gains_may_be_large() -> None:
    assert value("DCG(gains={1:5000})@1") == 5000


def test_a_gain_for_grade_zero_is_not_a_gain_for_the_unjudged() -> None:
    assert value("DCG(gains={0:5})") == pytest.approx(dcg(1, 2, 0, 5, 3), abs=EXACT)


def test_gains_are_mapped_before_they_become_exponents() -> None:
    found = value("DCG(dcg='exp-log2',gains={3:1})")
    assert found == pytest.approx(dcg(1, 3, 0, 0, 1), abs=EXACT)


def test_a_grade_worth_itself_need_not_be_said() -> None:
    assert NDCG(gains={1: 1}) == NDCG(gains=()) == NDCG()
    assert NDCG(gains={2: 2, 3: 8}) == NDCG(gains=((3, 8),))
    assert str(DCG(gains={3: 8, 2: 0})) == "DCG(gains={2:0,3:8})"


@pytest.mark.parametrize("gains", ["{-1:2}", "{1:-2}", "{1:'a'}", "{'a':1}", "3", "'ab'", "{1:True}"])
def test_gains_that_are_no_gains_are_refused(gains: str) -> None:
    with pytest.raises(ParameterError, match=r"nDCG cannot have gains=.*\nhint: a gain from 0 up for each grade"):
        parse_measure(f"nDCG(gains={gains})")


def test_a_gain_too_large_for_a_number_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"2\^1001 is too large a gain\nhint: use gains="):
        measure_all(assess({"1": {"a": 1001}}, {"run": {"1": {"a": 1.0}}}), "nDCG(dcg='exp-log2')")


QRELS = {"1": {"a": 1, "b": 3}, "2": {"a": 2}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"a": 1.0}}  # the top grade is not retrieved


def test_the_top_grade_of_err_is_that_of_the_judgments_and_stands_in_its_name() -> None:
    values = evaluate(QRELS, {"run": RUN}, ["ERR@10"])
    assert [str(measure) for measure in values.measures] == ["ERR(max_rel=3)@10"]
    assert values.cube[0, :, 0].tolist() == pytest.approx([1 / 8, 3 / 8], abs=EXACT)
    assert values.made_by.measures == ("ERR(max_rel=3)@10",)


def test_the_top_grade_of_a_binary_scale_is_one() -> None:
    values = evaluate({"1": {"a": 0}}, {"run": {"1": {"a": 1.0}}}, ["ERR"])
    assert str(values.measures[0]) == "ERR(max_rel=1)"


@pytest.mark.parametrize("measure", ["ERR(max_rel=2)", "RBP(max_rel=2)", "RBP(max_rel=2,p=0.5)@10"])
def test_a_grade_above_the_top_is_refused_even_where_no_run_retrieves_it(measure: str) -> None:
    with pytest.raises(ParameterError) as caught:
        evaluate(QRELS, {"run": RUN}, [measure])
    assert str(caught.value).splitlines() == [
        f"{parse_measure(measure)} meets a grade above 2",
        "hint: the judgments go up to 3: write max_rel=3",
    ]


def test_err_without_a_top_grade_cannot_be_computed() -> None:
    with pytest.raises(ParameterError, match=r"ERR needs the top grade\nhint: "):
        assess(QRELS, {"run": RUN}).map([ERR()])


def test_a_threshold_and_a_top_grade_exclude_each_other() -> None:
    with pytest.raises(ParameterError, match=r"cannot have both rel and max_rel\nhint: "):
        RBP(rel=2, max_rel=3)


def test_grades_may_be_decimals_where_that_is_asked() -> None:
    values = evaluate({"1": {"a": 0.5, "b": 1.5}}, {"run": {"1": {"a": 2.0, "b": 1.0}}}, ["DCG", "P@2"], gains=True)
    assert values.cube[0, 0].tolist() == pytest.approx([dcg(0.5, 1.5), 1 / 2], abs=EXACT)
