"""Measures with click models: every way a visit can go, gone through one by one, and what the models have in common."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.data import assess
from cranfield.data import assess_grades as decimal_grades
from cranfield.measures import (
    ERR,
    RRCCM,
    RRDBN,
    RRDCM,
    RRSDBN,
    UCCM,
    UDBN,
    UDCM,
    UPBM,
    USDBN,
    UUBM,
    Measure,
    measure_all,
    parse_measure,
)
from tests.support.properties.measure_cases import falls
from tests.support.properties.topic_strategies import assess_grades

A, S = (0.1, 0.4, 0.9), (0.05, 0.3, 0.8)
TEXTS: dict[str, Any] = {"attraction": "0.1 0.4 0.9", "satisfaction": "0.05 0.3 0.8"}
USEFUL = (0, 1 / 4, 3 / 4)
EXACT = 1e-12
ONWARD = (0.2, 0.7, 0.5)
TRIANGLE = ((0.9,), (0.8, 0.3), (0.6, 0.2, 0.5))

pages = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)
Outcome = tuple[float, float]  # utility and effort


def value(measure: Measure | str, ranking: tuple[int, ...]) -> float:
    return float(measure_all(assess_grades(ranking, missed=(2,)), measure).cube[0, 0, 0])


def visit(model: str, page: tuple[int, ...], rank: int = 1) -> Outcome:
    """What somebody who looks at a rank can expect of the page from there on, click by click."""
    if rank > len(page):
        return 0.0, 0.0
    grade = page[rank - 1]
    below = visit(model, page, rank + 1)
    utility = effort = 0.0
    for clicked, satisfied in product((False, True), repeat=2):
        satisfies = {"DCM": 1 - ONWARD[rank - 1], "SDBN": S[grade], "DBN": S[grade], "CCM": A[grade]}[model]
        chance = (A[grade] if clicked else 1 - A[grade]) * (satisfies if satisfied else 1 - satisfies)
        goes_on = {
            "DCM": 0.0 if clicked and satisfied else 1.0,
            "SDBN": 0.0 if clicked and satisfied else 1.0,
            "DBN": 0.0 if clicked and satisfied else 0.7,
            "CCM": (0.2 if satisfied else 0.6) if clicked else 0.9,
        }[model]
        stops = (1 - goes_on) / rank if clicked and satisfied else 0.0
        utility += chance * (clicked * USEFUL[grade] + goes_on * below[0])
        effort += chance * (stops + goes_on * below[1])
    return utility, effort


CHAIN: dict[str, Any] = {"after_skip": 0.9, "after_click": 0.6, "after_satisfied": 0.2}
ALIKE = TEXTS["attraction"]
ONWARDS: dict[str, Any] = {"attraction": ALIKE, "continuation": "0.2 0.7 0.5"}
MODELS = {
    "DCM": (UDCM(**ONWARDS, k=3), RRDCM(**ONWARDS, k=3)),
    "SDBN": (USDBN(**TEXTS, k=3), RRSDBN(**TEXTS, k=3)),
    "DBN": (UDBN(**TEXTS, continuation=0.7, k=3), RRDBN(**TEXTS, continuation=0.7, k=3)),
    "CCM": (UCCM(attraction=ALIKE, **CHAIN, k=3), RRCCM(attraction=ALIKE, **CHAIN, k=3)),
}


@pytest.mark.parametrize("model", MODELS)
@given(page=pages)
def test_utility_and_effort_are_those_of_every_way_a_visit_can_go(model: str, page: tuple[int, ...]) -> None:
    found = [value(measure, page) for measure in MODELS[model]]
    assert found == pytest.approx(visit(model, page), abs=EXACT)


def patterns(page: tuple[int, ...], looks: tuple[tuple[float, ...], ...] = TRIANGLE) -> float:
    """The utility over all patterns of clicks, where a rank is looked at by the last click above."""
    total = 0.0
    for clicks in product((False, True), repeat=len(page)):
        chance, last, useful = 1.0, 0, 0.0
        for rank, (grade, clicked) in enumerate(zip(page, clicks, strict=True), 1):
            here = A[grade] * looks[rank - 1][last]
            chance *= here if clicked else 1 - here
            last, useful = (rank, useful + USEFUL[grade]) if clicked else (last, useful)
        total += chance * useful
    return total


@given(page=pages)
def test_the_user_browsing_model_over_all_patterns_of_clicks(page: tuple[int, ...]) -> None:
    measure = UUBM(attraction=ALIKE, examination="0.9/0.8 0.3/0.6 0.2 0.5", k=3)
    assert value(measure, page) == pytest.approx(patterns(page), abs=EXACT)


@given(page=pages)
def test_the_position_based_model_over_all_patterns_of_clicks(page: tuple[int, ...]) -> None:
    measure = UPBM(attraction=ALIKE, examination="0.9 0.8 0.6", k=3)
    looks = ((0.9,), (0.8, 0.8), (0.6, 0.6, 0.6))  # whatever was clicked
    assert value(measure, page) == pytest.approx(patterns(page, looks), abs=EXACT)


def test_published_numbers_are_the_default_of_the_user_browsing_model() -> None:
    # chuklin2013: a document of grade 3 at the top, of grade 1 below it.
    first = 0.931482 * 0.9921
    second = 0.570803 * (first * 0.1199 + (1 - first) * 0.8951)
    assert value("uUBM@10", (3, 1)) == pytest.approx(7 / 8 * first + 1 / 8 * second, abs=EXACT)
    rows = UUBM(k=10).examination.split("/")
    assert [len(row.split()) for row in rows] == list(range(1, 11))
    # The last row: 1 without a click before, .4149 after one at rank 9.
    assert (rows[-1].split()[0], rows[-1].split()[-1]) == ("1", "0.4149")


def test_below_the_last_row_of_the_user_browsing_model_the_distance_counts() -> None:
    # Third rank, two rows: after a click at 2 as from 1 to 2, after one at 1 or none as without.
    short = UUBM(attraction=ALIKE, examination="0.9/0.8 0.3", k=3)
    long = UUBM(attraction=ALIKE, examination="0.9/0.8 0.3/0.8 0.8 0.3", k=3)
    assert value(short, (1, 2, 2)) == pytest.approx(value(long, (1, 2, 2)), abs=EXACT)


@given(ranking=st.lists(st.integers(-1, 3), max_size=8).map(tuple), k=st.integers(1, 9))
def test_where_every_click_satisfies_it_is_expected_reciprocal_rank(ranking: tuple[int, ...], k: int) -> None:
    same = [RRDCM(k=k), RRSDBN(attraction="1 1 1 1", k=k), RRDBN(attraction="1 1 1 1", continuation=1.0, k=k)]
    values = measure_all(assess_grades(ranking, missed=(3,)), [ERR(max_rel=3, k=k), *same]).cube[0, 0]
    np.testing.assert_allclose(values, values[0], rtol=0, atol=EXACT)


@given(page=pages)
def test_the_dependent_click_model_is_err_with_attraction_times_what_does_not_go_on(page: tuple[int, ...]) -> None:
    stop = [A[grade] * (1 - ONWARD[i]) for i, grade in enumerate(page)]
    err = sum(r / i * np.prod([1 - above for above in stop[: i - 1]]) for i, r in enumerate(stop, 1))
    assert value(MODELS["DCM"][1], page) == pytest.approx(err, abs=EXACT)


def test_expected_browsing_utility_goes_by_its_own_name() -> None:
    assert parse_measure("EBU@10") == USDBN(k=10)


def test_what_nobody_judged_is_clicked_as_a_document_of_grade_0() -> None:
    for measure in (USDBN(**TEXTS, k=3), RRSDBN(**TEXTS, k=3), UUBM(attraction=ALIKE, k=3)):
        assert value(measure, (-1, 2)) == value(measure, (0, 2)) != value(measure, (2,))


def test_who_may_be_satisfied_by_anything_is_so_by_what_was_retrieved_only() -> None:
    measure = RRSDBN(attraction="0.5 0.5", satisfaction="0.5 0.5", k=3)
    qrels = {"none": {"a": 1}, "one": {"a": 1}, "two": {"a": 1}, "four": {"a": 1}}
    run = {topic: {f"x{i}": -float(i) for i in range(n)} for topic, n in (("one", 1), ("two", 2), ("four", 4))}
    values = measure_all(assess(qrels, {"run": run}), measure)
    first, second, third = 1 / 4, 1 / 4 * 3 / 4 / 2, 1 / 4 * 9 / 16 / 3
    expected = {"none": 0.0, "one": first, "two": first + second, "four": first + second + third}
    found = dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("name", ["rrDCM", "rrSDBN", "rrCCM"])
def test_a_perfect_ranking_is_not_the_best_where_a_longer_one_may_satisfy(name: str) -> None:
    settings = "attraction='0.5 0.5'" + ",satisfaction='0.5 0.5'" * (name == "rrSDBN")
    measure = parse_measure(f"{name}({settings})@2")
    (example,) = (e for e in measure.gives_up if e.axiom == "ideal-best")
    assert example.of == str(measure)
    assert falls(measure, example)


def test_a_grade_between_two_lies_between_them() -> None:
    measure = UPBM(attraction="0 0.5 1", examination="1", k=1)
    found = measure_all(decimal_grades([[1.5]]), measure).cube[0, 0, 0]
    assert found == pytest.approx(0.75 * (2**1.5 - 1) / 4, abs=EXACT)


def test_a_deep_page_is_looked_at_in_parts() -> None:
    qrels = {str(t): {"a": 1} for t in range(90)}
    run = {topic: {f"x{i}": -float(i) for i in range(t)} | {"a": -1e6} for t, topic in enumerate(qrels)}
    values = measure_all(assess(qrels, {"run": run}), UPBM(attraction="0 1", examination="1 0.5", k=20_000))
    assert values.cube[0, :, 0].tolist() == [1 / 2, *[1 / 4] * 89]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("uPBM", "needs a cut-off"),
        ("uPBM(attraction='0.5')@5", "cannot have attraction"),
        ("uPBM(attraction='')@5", "cannot have attraction"),
        ("uPBM(attraction='0 1.5')@5", "cannot have attraction"),
        ("uPBM(attraction='0 nan')@5", "cannot have attraction"),
        ("uPBM(attraction='0/1')@5", "cannot have attraction"),
        ("uPBM(examination='')@5", "cannot have examination"),
        ("uPBM(examination=1)@5", "cannot have examination"),
        ("uUBM(examination='1/1')@5", "cannot have examination"),
        ("uUBM(examination='1//1 1')@5", "cannot have examination"),
        ("uSDBN(attraction='0 1')@5", "needs as many numbers"),
        ("rrDCM(continuation='-1')@5", "cannot have continuation"),
        ("uDBN(continuation=2)@5", "cannot have continuation"),
    ],
)
def test_a_user_who_cannot_be_is_refused(written: str, says: str) -> None:
    with pytest.raises(ParameterError, match=rf"{says}.*\nhint: "):
        parse_measure(written)


def test_a_grade_that_the_numbers_do_not_speak_of_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"uPBM knows grades up to 2 only\nhint: the judgments go up to 3"):
        value("uPBM(attraction='0 0.5 1')@5", (3,))


def test_two_spellings_of_the_same_numbers_are_one_measure() -> None:
    assert parse_measure("uPBM(attraction='.1 .40 1e0')@5") == parse_measure("uPBM(attraction='0.1 0.4 1')@5")
