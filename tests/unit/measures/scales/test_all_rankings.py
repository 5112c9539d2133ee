"""All rankings of a few documents, and the values measures take on them: exact fractions by brute force beside ours."""

import math
import tracemalloc
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.measures import AP, ESL, NDCG, RBP, RR, P, R, Rankings, parse_measure, spacing
from cranfield.measures.scales import all_rankings as module

Grades = tuple[int, ...]


def brute(length: int, relevant: dict[int, int]) -> list[Grades]:
    """All rankings in which no grade stands more often than there are documents of it."""
    every = product((0, *relevant), repeat=length)
    return [r for r in every if all(r.count(grade) <= count for grade, count in relevant.items())]


def average_precision(ranking: Grades, relevant: int) -> Fraction:
    found = [rank for rank, grade in enumerate(ranking, 1) if grade]
    return sum((Fraction(n, rank) for n, rank in enumerate(found, 1)), Fraction(0)) / max(relevant, 1)


def precision(ranking: Grades, relevant: int) -> Fraction:
    del relevant
    return Fraction(sum(ranking), len(ranking))


def recall(ranking: Grades, relevant: int) -> Fraction:
    return Fraction(sum(ranking), max(relevant, 1))


def reciprocal_rank(ranking: Grades, relevant: int) -> Fraction:
    del relevant
    return Fraction(1, ranking.index(1) + 1) if any(ranking) else Fraction(0)


EXACT: dict[str, Callable[[Grades, int], Fraction]] = {
    "AP": average_precision,
    "P": precision,
    "R": recall,
    "RR": reciprocal_rank,
}


def numbers(rankings: Sequence[Grades]) -> list[int]:
    """A binary ranking as a number."""
    return [int("".join(map(str, ranking)), 2) for ranking in rankings]


@pytest.mark.parametrize("relevant", [0, 1, 2, 3, 7, 10, 25])
@pytest.mark.parametrize("length", [1, 2, 5, 8, 10])
@pytest.mark.parametrize("name", EXACT)
def test_values_and_their_counts_are_those_of_fractions(name: str, length: int, relevant: int) -> None:
    rankings = brute(length, {1: relevant})
    by_value: dict[Fraction, list[int]] = {}
    for ranking, number in zip(rankings, numbers(rankings), strict=True):
        by_value.setdefault(EXACT[name](ranking, relevant), []).append(number)
    found = spacing(parse_measure(f"{name}@{length}"), Rankings(length, ((1, relevant),)))
    values = sorted(by_value)
    assert len(found.value) == len(values)
    np.testing.assert_allclose(found.value, [float(value) for value in values], rtol=0, atol=1e-14)
    assert found.count.tolist() == [len(by_value[value]) for value in values]
    assert found.example.tolist() == [min(by_value[value]) for value in values]
    assert found.without == 0
    gaps = [float(above - below) for below, above in pairwise(values)]
    np.testing.assert_allclose(found.gap, gaps, rtol=0, atol=1e-14)


def test_average_precision_of_ten_documents_takes_810_values() -> None:
    rankings = brute(10, {1: 10})
    exact = {average_precision(ranking, 10) for ranking in rankings}
    assert len(exact) == 810
    floats = set()
    for ranking in rankings:
        found = [rank for rank, grade in enumerate(ranking, 1) if grade]
        floats.add(sum(n / rank for n, rank in enumerate(found, 1)) / 10)
    assert len(floats) > 810  # numbers that are equal, rounded otherwise
    assert len(spacing(AP(k=10), Rankings(10, ((1, 10),))).value) == 810


@pytest.mark.parametrize("rel", [1, 2])
def test_what_counts_as_relevant_is_what_the_measure_says(rel: int) -> None:
    relevant = {1: 2, 2: 1}
    rankings = brute(5, relevant)
    base = sum(count for grade, count in relevant.items() if grade >= rel)
    exact = {average_precision(tuple(int(g >= rel) for g in ranking), base) for ranking in rankings}
    found = spacing(AP(k=5, rel=rel), Rankings(5, tuple(relevant.items())))
    np.testing.assert_allclose(found.value, [float(value) for value in sorted(exact)], rtol=0, atol=1e-14)
    assert found.count.sum() == len(rankings)


@pytest.mark.parametrize(
    ("length", "relevant"), [(3, {1: 3}), (4, {1: 2, 2: 1}), (3, {1: 0, 2: 5}), (2, {1: 1, 2: 1, 3: 1}), (3, {})]
)
def test_all_rankings_are_gone_through_in_the_order_of_their_numbers(length: int, relevant: dict[int, int]) -> None:
    rankings = Rankings(length, tuple(relevant.items()))
    seen = []
    for number, assessed in rankings.chunks():
        assert len(assessed.runs) == len(number)
        grades = assessed.grade[assessed.document].reshape(len(number), length)
        assert (np.diff(assessed.rank.reshape(len(number), length), axis=1) == 1).all()
        for of, row, documents in zip(
            number.tolist(), grades.tolist(), assessed.document.reshape(-1, length), strict=True
        ):
            assert len(set(documents.tolist())) == length  # no document stands there twice
            assert rankings.written(of) == "".join(f"{grade:g}" for grade in row)
            seen.append(tuple(int(grade) for grade in row))
    assert seen == brute(length, relevant)


def test_a_ranking_is_written_with_its_grades() -> None:
    assert Rankings(4, ((1, 4),)).written(0b1010) == "1010"
    assert Rankings(3, ((1, 1), (3, 1))).written(2 * 9 + 1) == "301"
    assert Rankings(3, ((1, 1), (10, 1))).written(2 * 9 + 1) == "10 0 1"
    assert Rankings(2, ((0.5, 1),)).written(1) == "0 0.5"


def test_numbers_do_not_depend_on_how_many_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings = Rankings(6, ((1, 2), (2, 2)))
    whole = spacing(NDCG(k=6), rankings)
    heard: list[tuple[int, int]] = []
    monkeypatch.setattr(module, "CHUNK", 40)
    parts = spacing(NDCG(k=6), rankings, lambda done, total: heard.append((done, total)))
    for name in ("value", "count", "example"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    assert len(heard) > 40  # six rankings at a time, of 283 that there are
    assert {total for _, total in heard} == {3**6}
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})


def dcg(ranking: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(ranking, 1))


def test_values_that_no_fraction_tells_apart_are_those_of_a_loop() -> None:
    relevant = {1: 3, 2: 2, 3: 1}
    ideal = dcg(sorted((grade for grade, count in relevant.items() for _ in range(count)), reverse=True)[:4])
    loop = sorted(dcg(ranking) / ideal for ranking in brute(4, relevant))
    distinct = [loop[0]]
    for value in loop[1:]:
        if value - distinct[-1] > 1e-12:
            distinct.append(value)
    found = spacing(NDCG(k=4), Rankings(4, tuple(relevant.items())))
    np.testing.assert_allclose(found.value, distinct, rtol=0, atol=1e-14)
    assert found.count.sum() == len(loop)


# Ferro 2024, Figure 19: all runs of four documents, of which four may be relevant.
@pytest.mark.parametrize("name", ["P@4", "R@4", "RBP(p=0.5)@4", "SBTO@4", "RBTO@4", "Success@4"])
def test_these_are_equally_spaced(name: str) -> None:
    assert spacing(parse_measure(name), Rankings(4, ((1, 4),))).even


@pytest.mark.parametrize("name", ["AP@4", "RR@4", "RBP(p=0.3)@4", "RBP(p=0.8)@4", "DCG@4", "DCG(b=2)@4", "nDCG@4"])
def test_these_are_not_equally_spaced(name: str) -> None:
    found = spacing(parse_measure(name), Rankings(4, ((1, 4),)))
    assert not found.even
    assert len(found.gap) == len(found.value) - 1
    assert (found.gap > 0).all()


def test_reciprocal_rank_of_three_documents() -> None:
    found = spacing(RR(k=3), Rankings(3, ((1, 3),)))  # Craswell 2021, Table 3
    assert found.value.tolist() == [0, 1 / 3, 1 / 2, 1]
    assert found.count.tolist() == [1, 1, 2, 4]
    assert [found.rankings.written(number) for number in found.example.tolist()] == ["000", "001", "010", "100"]


def test_a_ranking_may_have_no_value() -> None:
    found = spacing(ESL(k=3), Rankings(3, ((1, 3),)))
    assert found.without == 1  # 000
    assert found.value.tolist() == [1, 2, 3]
    none = spacing(ESL(k=3), Rankings(3, ()))
    assert (none.without, len(none.value), none.even) == (1, 0, True)
    assert none.place(np.array([1.0])).tolist() == [-1]


def test_places_of_numbers_among_the_values() -> None:
    found = spacing(P(k=4), Rankings(4, ((1, 4),)))
    near = np.array([0, 0.25, 0.1 + 0.2 - 0.05, 0.75, 1, 0.3, -1, 2])
    assert found.place(near).tolist() == [0, 1, 1, 3, 4, -1, -1, -1]


def test_a_top_grade_is_settled_by_the_rankings() -> None:
    found = spacing(parse_measure("ERR@2"), Rankings(2, ((1, 1), (2, 1))))
    best = 3 / 4 + 1 / 2 * 1 / 4 * (1 - 3 / 4)
    assert found.value[-1] == pytest.approx(best, abs=1e-15)
    assert found.rankings.written(int(found.example[-1])) == "21"


@pytest.mark.parametrize(
    ("length", "relevant", "message", "hint"),
    [
        (0, ((1, 1),), "a ranking cannot have 0 documents", "it has one or more"),
        (3, ((0, 1),), "there cannot be 1 relevant documents of grade 0", "a grade above 0"),
        (3, ((-1, 1),), "there cannot be 1 relevant documents of grade -1", "a grade above 0"),
        (3, ((1, -2),), "there cannot be -2 relevant documents of grade 1", "from 0 up"),
        (23, ((1, 5),), r"there are 2\^23 rankings of 23 documents with 2 grades", r"4,194,304 .* at 22 or less"),
        (14, ((1, 5), (2, 5)), r"there are 3\^14 rankings", "cut off at 13 or less"),
        (12, ((1, 1), (2, 1), (3, 1)), r"there are 4\^12 rankings", "cut off at 11 or less"),
    ],
)
def test_rankings_that_cannot_be_gone_through_are_refused(
    length: int, relevant: tuple[tuple[float, int], ...], message: str, hint: str
) -> None:
    with pytest.raises(ParameterError, match=rf"{message}.*\nhint: .*{hint}"):
        Rankings(length, relevant)


@pytest.mark.parametrize(
    ("length", "relevant"), [(22, ((1, 0),)), (13, ((1, 0), (2, 0))), (11, ((1, 0), (2, 0), (3, 0)))]
)
def test_what_the_hint_says_fits(length: int, relevant: tuple[tuple[float, int], ...]) -> None:
    found = spacing(R(k=length), Rankings(length, relevant))
    assert (found.value.tolist(), found.count.tolist()) == ([0.0], [1])


def test_a_million_rankings_are_no_million_objects() -> None:
    tracemalloc.start()
    try:
        found = spacing(AP(k=20), Rankings(20, ((1, 20),)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.count.sum() == 2**20
    assert peak < 400e6


@pytest.mark.parametrize("length", [16, 18])
def test_long_rankings_are_told_apart_by_whole_numbers(length: int) -> None:
    """Every AP is a whole multiple of 1 / (length · lcm(1, …, length)): integers tell equal ones."""
    unit = math.lcm(*range(1, length + 1))
    exact = {0}
    sums = [(0, 0)]  # relevant documents so far, and their precisions in units
    for rank in range(1, length + 1):
        sums += [(n + 1, total + (n + 1) * unit // rank) for n, total in sums]
    exact |= {total for _, total in sums}
    assert len(spacing(AP(k=length), Rankings(length, ((1, length),))).value) == len(exact)


def test_rank_biased_precision_tells_all_rankings_apart() -> None:
    found = spacing(RBP(p=0.5, k=10), Rankings(10, ((1, 10),)))
    assert found.even
    assert found.example.tolist() == list(range(1024))  # binary numbers


def test_documents_of_grade_0_are_relevant_where_rel_is_0() -> None:
    # Two documents of grade 1 and three of grade 0, one for each rank: every ranking of three finds three of five.
    found = spacing(R(rel=0, k=3), Rankings(3, ((1.0, 2),)))
    assert (found.grid, found.value.tolist()) == (5, [3 / 5])
