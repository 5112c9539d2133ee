"""Values put at equal distances: places among all values, by fractions and loops beside ours."""

import math
import pickle
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Scale
from cranfield.data import assess, assess_grades
from cranfield.measures import (
    AP,
    MEASURES,
    Interval,
    Measure,
    P,
    Rankings,
    maximin,
    measure_all,
    parse_measure,
    spacing,
)

NOISE = 1e-12
UNJUDGED = -1
Ranking = tuple[int, ...]


def average_precision(ranking: Ranking, relevant: int) -> Fraction:
    found = [rank for rank, grade in enumerate(ranking, 1) if grade > 0]
    return sum((Fraction(n, rank) for n, rank in enumerate(found, 1)), Fraction(0)) / relevant


def of_topics(measure: str, rankings: Sequence[Ranking], missed: Sequence[Ranking]) -> NDArray[np.float64]:
    """(topic,): the values of rankings of a topic each."""
    return measure_all(assess_grades(rankings, missed), measure).cube[0, :, 0]


@pytest.mark.parametrize("relevant", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("by", ["values", "rankings"])
def test_every_ranking_has_its_place_among_the_values_of_all(relevant: int, by: str) -> None:
    length = 5
    rankings = [r for r in product((0, 1), repeat=length) if sum(r) <= relevant]
    exact = [average_precision(ranking, relevant) for ranking in rankings]
    if by == "values":
        place = {value: Fraction(i) for i, value in enumerate(sorted(set(exact)))}
    else:  # the mean place of those that have the value
        ordered = sorted(exact)
        place = {v: Fraction(ordered.index(v) + len(ordered) - 1 - ordered[::-1].index(v), 2) for v in set(exact)}
    low, high = min(place.values()), max(place.values())
    missed = [(1,) * (relevant - sum(ranking)) for ranking in rankings]
    found = of_topics(f"interval(AP@{length},by='{by}')", rankings, missed)
    expected = [float((place[value] - low) / (high - low)) for value in exact]
    np.testing.assert_allclose(found, expected, rtol=0, atol=NOISE)


def test_short_rankings_are_filled_up_and_long_ones_cut_off() -> None:
    # Four relevant documents in every topic: as many as the first ranking holds below the cut-off and above it.
    rankings = [(0, 1, 1), (0, 1, 1, 0, 0), (0, 1, 1, 0, 0, 1, 1), (UNJUDGED, 1, 1, UNJUDGED), ()]
    missed = [(1, 1), (1, 1), (), (1, 1), (1,) * 4]
    first, *others, nothing = of_topics("interval(AP@5)", rankings, missed).tolist()
    assert others == [first] * 3
    assert 0 < first < 1
    assert nothing == 0


def test_topics_have_steps_of_their_own() -> None:
    """RR@3 of one relevant document or of many: 0, 1/3, 1/2, 1. P@2: 0, 1/2 where one is relevant, else 0, 1/2, 1."""
    rankings: list[Ranking] = [(0, 0, 1), (0, 1, 1), (1, 0, 0), (0, 0, 0), (0, 0, 0)]
    missed: list[Ranking] = [(), (1,), (), (1,), ()]
    assert of_topics("interval(RR@3)", rankings, missed).tolist() == pytest.approx([1 / 3, 2 / 3, 1, 0, 0])
    assert of_topics("interval(P@2)", rankings, missed).tolist() == [0, 0.5, 1, 0, 0]


def test_numbers_that_are_equal_have_one_place_however_they_are_rounded() -> None:
    """Some rankings of ten documents have one AP, and several floats that stand for it."""
    by_value: dict[Fraction, set[float]] = {}
    shown: dict[float, Ranking] = {}
    for ranking in product((0, 1), repeat=10):
        found = [rank for rank, grade in enumerate(ranking, 1) if grade]
        rounded = sum(n / rank for n, rank in enumerate(found, 1)) / 10
        by_value.setdefault(average_precision(ranking, 10), set()).add(rounded)
        shown.setdefault(rounded, ranking)
    alike = next([shown[rounded] for rounded in floats] for floats in by_value.values() if len(floats) > 1)
    places = of_topics("interval(AP@10)", alike, [(1,) * (10 - sum(ranking)) for ranking in alike])
    assert len(set(places.tolist())) == 1
    assert places[0] * 809 == pytest.approx(round(places[0] * 809), abs=1e-9)  # 810 values, 809 steps


def test_graded_rankings_have_their_places() -> None:
    """nDCG@3 of a topic with documents of grades 1, 1, 2: the order of a loop over all rankings."""

    def dcg(ranking: Ranking) -> float:
        return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(ranking, 1))

    every = [ranking for ranking in product((0, 1, 2), repeat=3) if ranking.count(1) <= 2 and ranking.count(2) <= 1]
    distinct = sorted({round(dcg(ranking), 12) for ranking in every})
    missed = [(1,) * (2 - r.count(1)) + (2,) * (1 - r.count(2)) for r in every]
    found = of_topics("interval(nDCG@3)", every, missed)
    expected = [distinct.index(round(dcg(ranking), 12)) / (len(distinct) - 1) for ranking in every]
    np.testing.assert_allclose(found, expected, rtol=0, atol=NOISE)


@pytest.mark.parametrize("name", ["AP@20", "RBP@20", "RR@20", "P@20"])
def test_to_a_binary_measure_grades_are_alike(name: str) -> None:
    """Four grades of 20 documents would be 4^20 rankings; what is relevant or not are 2^20."""
    graded = of_topics(f"interval({name})", [(3, 0, 1), (0, 2, 0)], [(2,), (3,)])
    binary = of_topics(f"interval({name})", [(1, 0, 1), (0, 1, 0)], [(1,), (1,)])
    assert graded.tolist() == binary.tolist()


def test_what_is_better_when_lower_is_turned_round() -> None:
    measure = parse_measure("interval(ESL(missing=5)@4)")
    assert measure.direction is Direction.HIGHER
    rankings: list[Ranking] = [(1,), (0, 1), (0, 0, 1), (0, 0, 0, 1), (0, 0, 0, 0, 1)]
    found = of_topics(str(measure), rankings, [(1,)] * 5)
    assert found.tolist() == [1, 0.75, 0.5, 0.25, 0]
    assert measure.worst == 0
    without = parse_measure("interval(ESL@4)")
    assert math.isnan(without.worst or 0)
    assert of_topics(str(without), rankings, [(1,)] * 5)[:4].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert np.isnan(of_topics(str(without), rankings, [(1,)] * 5)[4])


@pytest.mark.parametrize("n", [2, 3, 4, 7, 20])
def test_scores_of_abelson_and_tukey_are_as_near_to_every_order_as_can_be(n: int) -> None:
    """The least correlation with any rising sequence is that with a step; theirs is the same with all steps.

    So no other scores do better with all of them.
    """

    def least(score: NDArray[np.float64]) -> float:
        return min(float(np.corrcoef(score, np.arange(n) >= step)[0, 1]) for step in range(1, n))

    theirs = maximin(np.ones(n, np.int64))
    with_steps = [np.corrcoef(theirs, np.arange(n) >= step)[0, 1] for step in range(1, n)]
    np.testing.assert_allclose(with_steps, with_steps[0], rtol=0, atol=NOISE)
    assert theirs.sum() == pytest.approx(0, abs=NOISE)
    assert (np.diff(theirs) > 0).all()
    rng = np.random.default_rng(1)
    for spread in (0.01, 0.1, 1.0):
        for _ in range(50):
            other = np.sort(theirs + spread * rng.standard_normal(n))
            assert least(other) <= least(theirs) + NOISE
    rising = np.sort(rng.standard_normal((50, n)), axis=1)
    assert min(np.corrcoef(theirs, truth)[0, 1] for truth in rising) >= least(theirs) - NOISE


def test_scores_of_abelson_and_tukey_for_four_values() -> None:
    # √(1·3/4) = .8660 and 1 − .8660 = .1340: -.8660, -.1340, .1340, .8660; from 0 to 1 that is 0, .4226, .5774, 1.
    assert maximin(np.array([9, 1, 1, 5])).tolist() == pytest.approx([-0.8660, -0.1340, 0.1340, 0.8660], abs=5e-5)
    found = of_topics("interval(RR@3,by='maximin')", [(), (0, 0, 1), (0, 1), (1,)], [(1,), (), (), ()])
    assert found.tolist() == pytest.approx([0, 0.4226, 0.5774, 1], abs=5e-5)


@pytest.mark.parametrize("by", ["values", "rankings", "maximin"])
@pytest.mark.parametrize("name", ["AP@4", "nDCG@4", "RBP@4", "ERR@4", "INST@4"])
def test_the_order_of_rankings_stays(name: str, by: str) -> None:
    rankings = sorted(set(permutations((2, 1, 1, 0, 0, 0), 4)))
    missed = [(2,) * (1 - r.count(2)) + (1,) * (2 - r.count(1)) for r in rankings]
    before, after = (of_topics(m, rankings, missed) for m in (name, f"interval({name},by='{by}')"))
    order = np.argsort(before, kind="stable")
    steps, mapped = np.diff(before[order]), np.diff(after[order])
    assert (mapped[steps > NOISE] > 0).all()
    assert (mapped[steps <= NOISE] == 0).all()
    assert after.max() == 1


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ("interval(AP)", "interval needs a cut-off", r"write interval\(AP@10\)"),
        ("interval", "interval needs a cut-off", "AP@10"),
        ("interval(bpref@10)", "Bpref@10 cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(infAP@10)", "infAP@10 cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(P(rel=0)@3)", r"P\(rel=0\)@3 cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(Judged@10)", "Judged@10 cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(NRG(P@10))", r"NRG\(P@10\) cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(Unique@10)", "Unique@10 cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(interval(AP@5))", r"interval\(AP@5\) cannot be made an interval scale", "AP, RR, nDCG"),
        ("interval(AP@5,by='places')", "'places'", "values"),
        ("interval(AP@5)@6", "interval has two cut-offs, 5 and 6", r"write interval\(AP@5\)"),
    ],
)
def test_what_has_no_values_of_its_own_is_refused(wrong: str, message: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=rf"{message}.*\nhint: .*{hint}"):
        parse_measure(wrong)


@pytest.mark.parametrize(
    ("measure", "message", "hint"),
    [
        ("interval(AP@23)", r"there are 2\^23 rankings of 23 documents", "cut off at 22 or less"),
        ("interval(nDCG@12)", r"there are 4\^12 rankings of 12 documents with 4 grades", "cut off at 11 or less"),
        ("interval(SetP@3)", "SetP@3 of 0.5 is none of the values that 3 documents can have", "first documents alone"),
    ],
)
def test_too_many_rankings_and_strange_values_are_refused(measure: str, message: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=rf"{message}.*\nhint: .*{hint}"):
        of_topics(measure, [(1, 0)], [(2, 3)])


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("interval(AP@10)", "interval(AP@10)"),
        ("interval(AP)@10", "interval(AP@10)"),
        ("interval@10", "interval(AP@10)"),
        ("Interval(map@10)", "interval(AP@10)"),
        ("interval(MRR@5,by='maximin')", "interval(RR@5,by='maximin')"),
        ("interval(nDCG(dcg='exp-log2')@5,by='values')", "interval(nDCG(dcg='exp-log2')@5)"),
        ("interval(P@5,judged_only=True)", "interval(P(judged_only=True)@5)"),
    ],
)
def test_notation_goes_there_and_back(written: str, canonical: str) -> None:
    measure = parse_measure(written)
    assert str(measure) == canonical
    assert parse_measure(canonical) == measure == pickle.loads(pickle.dumps(measure))
    assert hash(parse_measure(canonical)) == hash(measure)


def test_what_scale_it_claims() -> None:
    assert Interval(of=AP(k=5)).scale.own is Scale.INTERVAL
    assert Interval(of=AP(k=5)).scale.top_heavy is Scale.NOMINAL
    assert Interval(of=parse_measure("RR@5")).scale.top_heavy is Scale.ORDINAL
    assert Interval(of=parse_measure("RBP(p=0.5)@5")).scale.top_heavy is Scale.ORDINAL
    for by in ("rankings", "maximin"):
        assert parse_measure(f"interval(P@5,by='{by}')").scale.own is Scale.ORDINAL
    assert Interval(of=P(k=5)) @ 3 == Interval(of=P(k=3))


def test_unjudged_documents_are_taken_out_where_that_is_asked() -> None:
    rankings: list[Ranking] = [(UNJUDGED, 1, UNJUDGED, 1), (1, 1)]
    found = of_topics("interval(AP(judged_only=True)@3)", rankings, [(1,), (1,)])
    assert found[0] == found[1]
    plain = of_topics("interval(AP@3)", rankings, [(1,), (1,)])
    assert plain[0] < plain[1]


def test_runs_of_real_names_have_values_too() -> None:
    assessed = assess({"1": {"a": 1, "b": 2}, "2": {"a": 0}}, {"x": {"1": {"c": 2.0, "a": 1.0}}})
    values = measure_all(assessed, "interval(P@2)")
    assert values.cube[0, :, 0].tolist() == [0.5, 0]


def _can_be_mapped(cls: type[Measure]) -> bool:
    try:
        Interval(of=cls(k=4))
    except ParameterError:
        return False
    return True


# Every measure that can be mapped, in a topic with more relevant documents than its rankings have room for.
MAPPED = [cls(k=4).settled(2.0) for cls in MEASURES if _can_be_mapped(cls)]


@pytest.mark.parametrize("measure", MAPPED, ids=str)
@pytest.mark.parametrize("relevant", [{1: 6}, {1: 9, 2: 1}, {1: 2, 2: 7}, {1: 5, 2: 5}], ids=str)
def test_documents_without_room_change_no_place(measure: Measure, relevant: dict[int, int]) -> None:
    grades = {f"{grade}-{i}": grade for grade, count in relevant.items() for i in range(count)}
    rng = Random(7)
    everything = [*grades, *(f"other-{i}" for i in range(8))]
    runs = {f"run{n}": {"1": {d: -float(i) for i, d in enumerate(rng.sample(everything, 4))}} for n in range(30)}
    assessed = assess({"1": grades}, runs)
    plain, mapped = assessed.map([measure, Interval(of=measure)])[:, 0].T
    kinds = {float(measure.gain(np.array([float(grade)]))[0]): grade for grade in relevant}
    profile = tuple(
        (float(one), sum(n for grade, n in relevant.items() if measure.gain(np.array([float(grade)]))[0] == gain))
        for gain, one in sorted(kinds.items())
        if gain > 0
    )
    # The places by brute force: with as many documents as there are.
    every = np.unique(np.round(spacing(measure, Rankings(4, profile)).value, 9))
    place = np.array([np.abs(every - value).argmin() for value in plain])
    expected = np.where(np.isnan(plain), np.nan, place / (len(every) - 1))
    np.testing.assert_allclose(mapped, 1 - expected if measure.direction is Direction.LOWER else expected, atol=1e-12)


def test_where_nothing_is_relevant_there_is_one_value() -> None:
    values = measure_all(assess({"1": {"a": 0}}, {"run": {"1": {"a": 1.0}}}), "interval(AP@10) interval(nDCG@5)")
    assert values.cube.tolist() == [[[0.0, 0.0]]]
