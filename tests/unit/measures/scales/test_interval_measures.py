"""Interval scales by construction: every ranking has its number, and no float decides."""

import random
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ParameterError, Scale
from cranfield.data import Assessed, assess, read_qrels
from cranfield.measures import RBTO, SBTO, exact_order, measure_all, pairs_lost, parse_measure
from cranfield.measures.scales.interval_measures import TotalOrder
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades
from tests.support.simulations.random_campaigns import random_campaign

LONG = 1000
GRADES = (0, 1, 2, 3, 4)


def numbers(assessed: Assessed, measure: TotalOrder) -> list[int]:
    """The whole number of every row."""
    found: dict[int, int] = {}
    for block in assessed.only(measure.earns(assessed.grade)).blocks():
        found |= dict(zip(block.row.tolist(), measure.exact(block), strict=True))
    return [found[row] for row in range(len(found))]


def all_rankings(length: int, top: int) -> tuple[list[tuple[int, ...]], Assessed]:
    """Every ranking of so many documents with grades up to the top, each a run for the same topic."""
    rankings = list(product(range(top + 1), repeat=length))
    everything = tuple(range(top + 1)) * length
    return rankings, assess_grades(everything, *rankings)


def of_rankings(length: int, top: int, measure: TotalOrder) -> dict[tuple[int, ...], int]:
    rankings, assessed = all_rankings(length, top)
    topics = len(assessed.topics)
    return dict(zip(rankings, numbers(assessed, measure)[topics::topics], strict=True))


@pytest.mark.parametrize(("length", "top"), [(4, 1), (6, 1), (3, 2), (4, 3)])
def test_every_ranking_has_its_place_in_the_rank_based_order(length: int, top: int) -> None:
    # In the order of the first rank, then the second, …: as ``product`` makes them.
    found = of_rankings(length, top, RBTO(k=length, max_rel=top))
    assert list(found.values()) == list(range((top + 1) ** length))


@pytest.mark.parametrize(("length", "top"), [(4, 1), (6, 1), (3, 2), (4, 3)])
def test_every_set_of_grades_has_its_place_in_the_set_based_order(length: int, top: int) -> None:
    found = of_rankings(length, top, SBTO(k=length, max_rel=top))
    sets = sorted({tuple(sorted(ranking, reverse=True)) for ranking in found})
    assert len(sets) == comb(length + top, top)
    assert [found[grades] for grades in sets] == list(range(len(sets)))
    assert all(number == found[tuple(sorted(ranking, reverse=True))] for ranking, number in found.items())


@pytest.mark.parametrize(("name", "count"), [("RBTO@4", 16), ("SBTO@4", 5)])
def test_the_values_of_figure_19_are_equally_spaced(name: str, count: int) -> None:
    # [Ferro] Fig. 19: all runs of length 4, binary.
    _, assessed = all_rankings(4, 1)
    values = sorted(set(measure_all(assessed, name).cube[1:, 0, 0].tolist()))
    assert values == [float(Fraction(i, count - 1)) for i in range(count)]


def test_the_claims_are_those_of_the_papers() -> None:
    assert (RBTO(k=5).scale.own, RBTO(k=5).scale.top_heavy) == (Scale.INTERVAL, Scale.INTERVAL)
    assert (SBTO(k=5).scale.own, SBTO(k=5).scale.top_heavy) == (Scale.INTERVAL, Scale.NOMINAL)


@pytest.mark.parametrize("seed", range(25))
def test_in_the_binary_case_they_are_precision_and_rbp_stretched(seed: int) -> None:
    # [Ferro] Table 3 finds the same significant pairs for each two.
    campaign = random_campaign(seed)
    binary = {topic: {d: min(grade, 1) for d, grade in grades.items()} for topic, grades in campaign.qrels.items()}
    cube = measure_all(assess(binary, campaign.runs), "SBTO(max_rel=1)@7 P@7 RBTO(max_rel=1)@7 RBP(p=0.5)@7").cube
    np.testing.assert_array_equal(cube[..., 0], cube[..., 1])
    np.testing.assert_allclose(cube[..., 2], cube[..., 3] * 2**7 / (2**7 - 1), rtol=1e-14)


def literal(grades: list[int], length: int, top: int) -> tuple[int, int]:
    """Both sums of ferrante2019 as [Ferro] §7.7.2 prints them, over all ranks."""
    padded = grades[:length] + [0] * (length - len(grades))
    down = sorted(padded, reverse=True)
    ranks = range(1, length + 1)
    rank_based = sum(padded[i - 1] * (top + 1) ** (length - i) for i in ranks)
    return rank_based, sum(comb(down[i - 1] + length - i, length - i + 1) for i in ranks)


@pytest.mark.parametrize("retrieved", [1, 30, 700, LONG, LONG + 50])
def test_long_rankings_are_counted_without_a_loss(retrieved: int) -> None:
    rng = random.Random(retrieved)
    grades = [rng.choice((NOT_JUDGED, 0, 0, *GRADES)) for _ in range(retrieved)]
    assessed = assess_grades(grades)
    expected = literal([max(grade, 0) for grade in grades], LONG, 4)
    for measure, number in zip((RBTO(k=LONG, max_rel=4), SBTO(k=LONG, max_rel=4)), expected, strict=True):
        assert numbers(assessed, measure)[0] == number
        value = measure_all(assessed, measure).cube[0, 0, 0]
        assert value == float(Fraction(number, measure.most)), "the float that is nearest to the quotient"


def test_the_best_ranking_has_the_highest_number() -> None:
    assessed = assess_grades((4,) * 20, (4,) * 19)
    for measure in (RBTO(k=20, max_rel=4), SBTO(k=20, max_rel=4)):
        assert numbers(assessed, measure)[0] == measure.most == literal([4] * 20, 20, 4)[isinstance(measure, SBTO)]
        best, less = measure_all(assessed, measure).cube[:, 0, 0].tolist()
        assert best == 1
        assert less < 1


def test_what_is_not_there_counts_as_grade_zero() -> None:
    for name in ("RBTO(max_rel=2)@5", "SBTO(max_rel=2)@5"):
        rankings = (2, 0, 1, 0, 0), (2, NOT_JUDGED, 1), (2, -2, 1, NOT_JUDGED, 0, 2)
        first, *others = (measure_all(assess_grades(ranking), name).cube[0, 0, 0] for ranking in rankings)
        assert others == [first, first]


def runs_that_differ_late() -> Assessed:
    """Five runs of 200 documents: one relevant is first in each, another nowhere, at 190 twice, at 191, at 10."""

    def ranking(*others: int) -> dict[str, float]:
        placed = dict(zip((1, *others), "ab", strict=False))
        return {placed.get(rank, f"x{rank}"): -float(rank) for rank in range(1, 201)}

    runs = {"none": ranking(), "190": ranking(190), "again": ranking(190), "191": ranking(191), "10": ranking(10)}
    return assess({"1": {"a": 1, "b": 1}, "2": {"c": 1}}, {name: {"1": run} for name, run in runs.items()})


def test_whole_numbers_tell_apart_what_floats_cannot() -> None:
    assessed = runs_that_differ_late()
    values = measure_all(assessed, "RBTO@200").cube[:, 0, 0].tolist()
    assert len(set(values[:4])) == 1, "2^199 and 2^199 + 2^10 are one float"
    assert values[4] > values[0]
    order = exact_order(assessed, RBTO(k=200))
    assert order[:, 0].tolist() == [0, 2, 2, 1, 3]
    assert order[:, 1].tolist() == [0] * 5, "a topic that nobody answers"
    # Of the six pairs among the first four one is equal indeed.
    assert pairs_lost(assessed, RBTO(k=200)) == 5
    assert pairs_lost(assessed, SBTO(k=200)) == 0
    assert exact_order(assessed, SBTO(k=200))[:, 0].tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("seed", range(10))
def test_short_rankings_are_ordered_alike_by_both(seed: int) -> None:
    assessed = random_campaign(seed).assessed()
    for measure in (RBTO(k=8), SBTO(k=8), RBTO(k=8, judged_only=True)):
        values = measure_all(assessed, measure).cube[..., 0]
        order = exact_order(assessed, measure)
        for column, ranks in zip(values.T.tolist(), order.T.tolist(), strict=True):
            distinct = sorted(set(column))
            assert [distinct.index(value) for value in column] == ranks
        assert pairs_lost(assessed, measure) == 0


@pytest.mark.parametrize("name", ["RBTO", "SBTO"])
def test_grades_that_are_no_whole_numbers_are_refused(name: str) -> None:
    halves = read_qrels({"1": {"a": 0.5, "b": 2}}, gains=True)
    assessed = assess(halves, {"run": {"1": {"b": 1.0}}})
    with pytest.raises(ParameterError, match=rf"{name} counts by whole grades, and one is 0\.5\nhint: give every"):
        measure_all(assessed, f"{name}@10")


@pytest.mark.parametrize(
    "written", ["RBTO", "SBTO", "RBTO(max_rel=1.5)@5", "SBTO(max_rel=0)@5", "RBTO@20000", "SBTO(max_rel=2000)@3"]
)
def test_what_cannot_be_counted_is_refused(written: str) -> None:
    with pytest.raises(ParameterError, match=r"^(RBTO|SBTO) .*\nhint: "):
        parse_measure(written)


def test_a_grade_above_the_top_is_refused_whether_it_is_retrieved_or_not() -> None:
    assessed = assess({"1": {"a": 3, "b": 1}}, {"run": {"1": {"b": 1.0}}})
    with pytest.raises(ParameterError, match=r"RBTO\(max_rel=2\)@5 meets a grade above 2\nhint: "):
        measure_all(assessed, "RBTO(max_rel=2)@5")
    assert str(measure_all(assessed, "RBTO@5").measures[0]) == "RBTO(max_rel=3)@5"


def test_whole_numbers_decide_where_floats_are_equal() -> None:
    # b finds one more relevant document than a, at rank 90: 2^10 of 2^100, which no float shows beside 2^99.
    documents = [f"d{i:03}" for i in range(100)]
    qrels = {"1": {documents[0]: 1, documents[89]: 1}}
    a = {"1": {d: -float(i) for i, d in enumerate(documents) if i != 89}}
    b = {"1": {d: -float(i) for i, d in enumerate(documents)}}
    values = cf.evaluate(qrels, {"a": a, "b": b}, "RBTO@100 P@100")
    first, second = values.matrix("RBTO(max_rel=1)@100")[0]
    assert first == second == 2**99 / (2**100 - 1)
    assert values.in_order("RBTO(max_rel=1)@100").tolist() == [[0, 1]]
    assert values.in_order("P@100").tolist() == [[0.01, 0.02]]
    assert values.notes == (
        "RBTO(max_rel=1)@100: 1 pair of runs has one value as floats, and not as whole numbers, which decide",
    )
    row = values.against("a").rows()[0]
    assert (row["better"], row["equal"], row["worse"], row["difference"]) == (1, 0, 0, 0)
