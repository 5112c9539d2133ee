"""``interval(M@N)`` of a ranking is the place of its value among all values, by brute force."""

import numpy as np
import pytest

from cranfield.data import assess_grades
from cranfield.measures import measure_all, parse_measure
from cranfield.studies.scales.order_scores import scores_table
from cranfield.studies.scales.ranking_spacings import spacings
from tests.support.reference import ranking_enumeration

PROFILES = [(4, {1: 4}), (4, {1: 2}), (5, {1: 3}), (3, {1: 7}), (3, {1: 2, 2: 2}), (4, {1: 1, 2: 1, 3: 1})]


def measured(name: str, rankings: list[ranking_enumeration.Ranking], counts: dict[int, int]) -> list[float]:
    """The values of rankings, each a topic with so many documents of every grade."""
    missed = [[grade for grade, count in counts.items() for _ in range(count - one.count(grade))] for one in rankings]
    return measure_all(assess_grades(rankings, missed), name).cube[0, :, 0].tolist()


@pytest.mark.parametrize(("length", "counts"), PROFILES, ids=str)
@pytest.mark.parametrize("name", ["AP", "RR", "P", "R", "nDCG", "DCG", "ERR(max_rel=3)", "RBP(p=0.5)"])
def test_every_ranking_has_its_place(name: str, length: int, counts: dict[int, int]) -> None:
    if name.startswith("ERR"):
        counts = {grade: count for grade, count in counts.items() if grade < 3} | {3: 1}  # the top grade is 3
    groups = ranking_enumeration.grouped(name.partition("(m")[0], length, counts)
    place = {one: i / (len(groups) - 1) for i, (_, some) in enumerate(groups) for one in some}
    found = measured(f"interval({name}@{length})", list(place), counts)
    assert found == pytest.approx(list(place.values()), abs=1e-12)


@pytest.mark.parametrize(("length", "counts"), PROFILES[:3], ids=str)
@pytest.mark.parametrize("name", ["AP", "RR", "nDCG"])
def test_the_mean_place_among_rankings(name: str, length: int, counts: dict[int, int]) -> None:
    groups = ranking_enumeration.grouped(name, length, counts)
    place: dict[ranking_enumeration.Ranking, float] = {}
    below = 0
    for _, some in groups:
        places = range(below, below + len(some))  # of these rankings, in any order
        place |= dict.fromkeys(some, sum(places) / len(places))
        below += len(some)
    low, high = min(place.values()), max(place.values())
    found = measured(f"interval({name}@{length},by='rankings')", list(place), counts)
    assert found == pytest.approx([(one - low) / (high - low) for one in place.values()], abs=1e-12)


def test_a_shorter_ranking_counts_as_filled_up() -> None:
    short, filled = (measured("interval(AP@4)", [one], {1: 3})[0] for one in ((0, 1), (0, 1, 0, 0)))
    assert short == filled


@pytest.mark.parametrize("by", ["values", "rankings", "maximin"])
@pytest.mark.parametrize("name", ["AP@4", "ESL@4", "nDCG@3"])
def test_the_measure_and_the_table_of_scores_agree(name: str, by: str) -> None:
    measure = parse_measure(name)
    found = spacings(measure, length=measure.k or 0, relevant=[3])[measure]
    scores = scores_table(measure, found).cells({"values": "even"}.get(by, by))[::-1]
    rankings = [tuple(map(int, found.rankings.written(number))) for number in found.example.tolist()]
    assert measured(f"interval({name},by='{by}')", rankings, {1: 3}) == pytest.approx(scores, abs=1e-12)


def test_what_is_better_has_the_higher_score_where_lower_is_better() -> None:
    found = measured("interval(ESL@3)", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)], {1: 1})
    assert found[:3] == [1, 0.5, 0]
    assert np.isnan(found[3])
