"""Bounds: whatever grades the unjudged documents turn out to have, the value lies between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.data import Assessed, assess_grades
from cranfield.measures import Measure, bounds, map_scenario, parse_measure, scenario
from tests.support.properties.measure_cases import CASES
from tests.support.properties.topic_strategies import TOP

NOISE = 1e-12
UNJUDGED = -1
BOUNDED = [measure for measure in CASES if measure.bounded]
NAMES = sorted({measure.name for measure in BOUNDED})
GRADE = st.integers(0, TOP)

Ranking = tuple[int, ...]


def judged(*rankings: Ranking) -> Assessed:
    """The rankings, a topic each; every topic has a document of the top grade that is not retrieved."""
    return assess_grades(rankings, [(TOP,)] * len(rankings))


def values(measures: list[Measure], ranking: Ranking) -> NDArray[np.float64]:
    return judged(ranking).map(measures)[0, 0]


rankings = st.lists(st.sampled_from((UNJUDGED, UNJUDGED, 0, 1, 2, TOP)), max_size=14).map(tuple)


def test_these_have_bounds() -> None:
    assert {"P", "RBP", "DCG", "ERR", "INST"} <= set(NAMES)
    assert not {"nDCG", "AP", "R", "BPM", "TBG", "U", "IFT", "NERR8"} & set(NAMES)
    assert not [measure for measure in BOUNDED if measure.judged_only]
    assert not [measure for measure in BOUNDED if "replacement" not in measure.axioms]


@pytest.mark.parametrize("name", NAMES)
@given(ranking=rankings, data=st.data())
def test_whatever_the_judgments_will_be_the_value_lies_between(
    name: str, ranking: Ranking, data: st.DataObject
) -> None:
    measures = [measure for measure in BOUNDED if measure.name == name]
    grades = data.draw(st.lists(GRADE, min_size=len(ranking), max_size=len(ranking) + 30))
    turned_out = tuple(
        grade if place >= len(ranking) or ranking[place] == UNJUDGED else ranking[place]
        for place, grade in enumerate(grades)
    )
    for measure, value in zip(measures, values(measures, turned_out), strict=True):
        low, high = (float(bound[0, 0]) for bound in bounds(judged(ranking), measure))
        assert low - NOISE <= value <= high + NOISE, measure


@pytest.mark.parametrize("name", NAMES)
@given(ranking=rankings)
def test_the_bounds_are_reached(name: str, ranking: Ranking) -> None:
    for top in (TOP, 5):
        measures = [measure for measure in BOUNDED if measure.name == name and top_of(measure) == top]
        reached = np.array([values(measures, filled(ranking, grade)) for grade in range(top + 1)])
        for i, measure in enumerate(measures):
            low, high = (float(bound[0, 0]) for bound in bounds(judged(ranking), measure))
            # Below the list there may be nothing, which is worth no more than anything.
            assert low <= reached[:, i].min() + NOISE, measure
            if len(ranking) >= (measure.k or np.inf):
                assert low == pytest.approx(reached[:, i].min(), abs=NOISE), measure
            # Down to rank 400 all is of one grade; below that users of INSQ alone are left.
            slack = 2e-2 if measure.name == "INSQ" and measure.k is None else 1e-8
            assert high == pytest.approx(reached[:, i].max(), abs=slack if measure.k is None else NOISE), measure


def filled(ranking: Ranking, grade: int, depth: int = 400) -> Ranking:
    """What nobody judged, and what stands below the list, has one grade."""
    longer = ranking + (UNJUDGED,) * (depth - len(ranking))
    return tuple(grade if document == UNJUDGED else document for document in longer)


def top_of(measure: Measure) -> int:
    return int(getattr(measure, "max_rel", None) or TOP)


@given(ranking=rankings)
def test_a_list_that_is_judged_to_the_cut_off_leaves_no_doubt(ranking: Ranking) -> None:
    known = tuple(max(grade, 0) for grade in ranking)
    for measure in BOUNDED:
        if measure.k is not None and measure.k <= len(known):
            low, high = bounds(judged(known), measure)
            np.testing.assert_allclose(high, low, rtol=0, atol=NOISE, err_msg=str(measure))


@given(ranking=rankings, beside=st.lists(rankings, max_size=3), measure=st.sampled_from(BOUNDED))
def test_what_stands_beside_a_topic_never_changes_its_bounds(
    ranking: Ranking, beside: list[Ranking], measure: Measure
) -> None:
    alone, among = bounds(judged(ranking), measure), bounds(judged(ranking, *beside), measure)
    assert [bound[0, 0] for bound in alone] == [bound[0, 0] for bound in among]


SCENARIO = [parse_measure(name).settled(TOP) for name in ("AP", "nDCG@5", "R@3", "RR", "P@5", "Judged@5", "Rprec")]


@pytest.mark.parametrize("how", ["as_worst", "as_best"])
@given(given_rankings=st.lists(rankings, min_size=1, max_size=3))
def test_a_scenario_is_the_same_list_with_everything_judged(how: str, given_rankings: list[Ranking]) -> None:
    grade = TOP if how == "as_best" else 0
    assessed = judged(*given_rankings)
    found = map_scenario(assessed, SCENARIO, how)  # type: ignore[arg-type]
    for i, measure in enumerate(SCENARIO):
        depth = measure.k or 99
        filled = [
            tuple(grade if g == UNJUDGED and place < depth else g for place, g in enumerate(ranking))
            for ranking in given_rankings
        ]
        np.testing.assert_allclose(found[0, :, i], judged(*filled).map([measure])[0, :, 0], rtol=0, atol=1e-14)
    (there,) = scenario(assessed, how)  # type: ignore[arg-type]
    assert there.retrieved.tolist() == assessed.retrieved.tolist()
    assert there.rank.tolist() == [rank + 1 for ranking in given_rankings for rank in range(len(ranking))]
    expected = [float(grade if g == UNJUDGED else g) for ranking in given_rankings for g in ranking]
    assert there.grade[there.document].tolist() == expected
    assert len(there.documents) == len(there.grade) == there.named[-1]
