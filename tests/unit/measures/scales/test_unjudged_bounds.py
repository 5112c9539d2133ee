"""Bounds and scenarios, worked out by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Assessed, assess, assess_grades
from cranfield.measures import bounds, map_scenario, parse_measures, scenario
from cranfield.measures.scales import unjudged_bounds

HARMONIC = sum(Fraction(1, 2**i) / i for i in range(1, 60))  # ERR of relevant documents for ever, binary: ln 2


def residual(measure: str, grades: tuple[int, ...], missed: tuple[int, ...] = (1,)) -> tuple[float, float]:
    low, high = bounds(assess_grades([grades], [missed]), measure)
    return float(low[0, 0]), float(high[0, 0])


@pytest.mark.parametrize(
    ("measure", "grades", "low", "high"),
    [
        ("P@5", (1, -1, 0), 1 / 5, 4 / 5),
        ("P@2", (1, -1, 0), 1 / 2, 1),
        ("P@3", (1, 0, 0), 1 / 3, 1 / 3),
        ("RBP", (1, 0), 0.2, 0.2 + 0.8**2),  # p^n below n judged documents
        ("RBP", (1, -1, 0, 1), 0.2 * (1 + 0.8**3), 1 - 0.2 * 0.8**2),
        ("RBP@3", (0, -1), 0, 0.2 * (0.8 + 0.8**2)),
        ("RBP(max_rel=2)", (1,), 0.1, 0.1 + 0.8),
        ("DCG@3", (0, -1, -1), 0, 1 / math.log2(3) + 1 / math.log2(4)),
        ("RR", (0, 0, -1, 1), 1 / 4, 1 / 3),
        ("RR@2", (0, 0, -1, 1), 0, 0),
        ("ERR", (), 0, math.log(2)),
        ("ERR@2", (-1, 1), 1 / 2 * 1 / 2, 1 / 2 + 1 / 2 * 1 / 2 * 1 / 2),
        ("ERR(max_rel=2)@2", (-1, 0), 0, 3 / 4),
        ("INST", (), 0, 1),
        ("INST@2", (1, -1), 1 / (1 + 1 / 4), 1),
        # T = 1, a worthless document first: then 2T + 1 = 3 is still hoped for, and 4/9 go on, for ever.
        ("INST", (0,), 0, (4 / 9 / (1 - 4 / 9)) / (1 + 4 / 9 / (1 - 4 / 9))),
        ("SDCG@2", (-1, 0), 0, 1 / (1 + 1 / math.log2(3))),
    ],
)
def test_bounds_by_hand(measure: str, grades: tuple[int, ...], low: float, high: float) -> None:
    assert residual(measure, grades) == pytest.approx((low, high), abs=1e-12)


def test_the_series_of_an_endless_list_of_relevant_documents() -> None:
    assert float(HARMONIC) == pytest.approx(math.log(2), abs=1e-15)


def test_a_topic_that_a_run_misses_may_have_any_value() -> None:
    assessed = assess({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}})
    for measure in ("RBP", "P@10", "INST", "INSQ", "SDCG@10", "RR"):
        low, high = bounds(assessed, measure)
        assert low.shape == high.shape == (2, 2)
        assert (low[0, 1], high[0, 1]) == (0, pytest.approx(1))
        assert (low[1, 0], high[1, 0]) == (0, pytest.approx(1))


def test_a_grade_below_zero_is_not_judged() -> None:
    assessed = assess({"1": {"a": -1, "b": 1}}, {"run": {"1": {"a": 2.0, "b": 1.0}}})
    low, high = bounds(assessed, "P@2")
    assert (low[0, 0], high[0, 0]) == (1 / 2, 1)


def test_the_best_gain_need_not_be_that_of_the_top_grade() -> None:
    assert residual("DCG(gains={1:5})@1", (), missed=(2,)) == (0, 5)
    assert residual("P(rel=3)@1", (), missed=(2,)) == (0, 1), "nobody has found such a document yet"


@pytest.mark.parametrize(
    "measure", ["AP", "nDCG@10", "R@10", "DCG", "P(judged_only=True)@5", "BPM@5", "NERR8@5", "TBG"]
)
def test_what_has_no_bounds_points_to_scenarios(measure: str) -> None:
    with pytest.raises(ParameterError, match=r"has no bounds.*\nhint: .*RBP.*unjudged='as_worst' and 'as_best'"):
        bounds(assess_grades([(1,)]), measure)


def campaign() -> Assessed:
    qrels = {"1": {"a": 2, "b": 0, "spam": -1}, "2": {"a": 1, "z": 1}}
    runs = {
        "x": {"1": {"a": 4.0, "new": 3.0, "spam": 2.0, "b": 1.0}, "2": {"other": 2.0, "a": 1.0}},
        "y": {"1": {"b": 1.0}},
    }
    return assess(qrels, runs)


def test_a_scenario_judges_every_document_of_a_run() -> None:
    best, none = scenario(campaign(), "as_best")
    assert best.runs == ("x",)
    assert best.grade[best.document].tolist() == [2, 2, 2, 0, 2, 1]
    assert best.relevant(1).tolist() == [3, 3]
    names = best.documents.take(best.document.astype(np.int64)).to_list()
    assert names == ["a", "unjudged, rank 2", "spam", "b", "unjudged, rank 1", "a"]
    assert none.runs == ("y",)
    assert none.relevant(1).tolist() == [1, 2], "what another run retrieved stays unjudged"
    assert none.missing.tolist() == [[False, True]]


def test_denominators_move_with_a_scenario() -> None:
    measures = parse_measures("AP R@2 P@2 Judged@2")
    worst, best = (map_scenario(campaign(), measures, how) for how in ("as_worst", "as_best"))
    # Topic 1 of x: a (relevant), new, spam, b. Relevant are a alone, or a, new and spam; of the first two a and new.
    assert worst[0, 0].tolist() == pytest.approx([1, 1, 1 / 2, 1])
    assert best[0, 0].tolist() == pytest.approx([1, 1, 1, 1])
    # Topic 2 of x: other, a; z is missed.
    assert worst[0, 1].tolist() == pytest.approx([(1 / 2) / 2, 1 / 2, 1 / 2, 1])
    assert best[0, 1].tolist() == pytest.approx([(1 + 1) / 3, 2 / 3, 1, 1])
    assert best[1, 1].tolist() == [0, 0, 0, 0]


def test_a_scenario_goes_as_deep_as_the_measure_looks() -> None:
    # R@1 of the list -, 1 where one document is relevant: at best the first is too, but not what stands below it.
    assessed = assess_grades([(-1, 1, -1)])
    assert map_scenario(assessed, parse_measures("R@1"), "as_best")[0, 0, 0] == 1 / 2
    assert map_scenario(assessed, parse_measures("R"), "as_best")[0, 0, 0] == 1


def test_topics_are_taken_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings = [tuple(np.random.default_rng(i).integers(-1, 3, 9)) for i in range(20)]
    measures = parse_measures("AP nDCG@5 Rprec P@5 Bpref")
    at_once = map_scenario(assess_grades(rankings), measures, "as_best")
    monkeypatch.setattr(unjudged_bounds, "DOCUMENTS", 30)
    np.testing.assert_array_equal(map_scenario(assess_grades(rankings), measures, "as_best"), at_once)


def test_a_scenario_has_a_name() -> None:
    with pytest.raises(ParameterError, match=r"unjudged='best' is not known\nhint: choose 'as_worst' or 'as_best'"):
        map_scenario(campaign(), parse_measures("AP"), "best")  # type: ignore[arg-type]


def test_a_scenario_does_not_make_up_lengths() -> None:
    assessed = assess({"1": {"a": 1}}, {"run": {"1": {"b": 2.0, "a": 1.0}}}, lengths={"a": 10})
    with pytest.raises(ParameterError, match=r"nobody knows the lengths .*\nhint: assess without lengths="):
        next(scenario(assessed, "as_best"))
