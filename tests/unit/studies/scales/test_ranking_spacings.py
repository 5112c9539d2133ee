"""From a length and numbers of relevant documents to all values of a measure."""

from math import comb
from typing import Any

import numpy as np
import pytest

from cranfield.core import CranfieldError, ParameterError
from cranfield.measures import AP, MEASURES, Measure, Spacing, parse_measure
from cranfield.studies.scales.ranking_spacings import all_rankings, cut_off, spacings
from tests.support.reference import ranking_enumeration


def one(measure: str, **asked: Any) -> tuple[Measure, Spacing]:
    ((found, spacing),) = spacings(measure, **asked).items()
    return found, spacing


@pytest.mark.parametrize("relevant", [1, 2, 4, 5, 7])
@pytest.mark.parametrize("length", [1, 3, 5])
@pytest.mark.parametrize("name", list(ranking_enumeration.MEASURES))
def test_the_values_of_every_ranking_by_plain_loops(name: str, length: int, relevant: int) -> None:
    _, found = one(name, length=length, relevant=[relevant])
    expected = ranking_enumeration.grouped(name, length, {1: relevant})
    assert found.value == pytest.approx([float(value) for value, _ in expected], abs=1e-12)
    assert found.count.tolist() == [len(some) for _, some in expected]
    assert [found.rankings.written(number) for number in found.example.tolist()] == [
        ranking_enumeration.text(some[0]) for _, some in expected
    ]


@pytest.mark.parametrize("counts", [{1: 1, 2: 1}, {1: 2, 2: 3}, {1: 4, 2: 1}, {1: 1, 2: 0, 3: 2}], ids=str)
@pytest.mark.parametrize("name", [*ranking_enumeration.MEASURES])
def test_the_same_with_grades(name: str, counts: dict[int, int]) -> None:
    _, found = one(name, length=4, relevant=list(counts.values()), grades=len(counts))
    expected = ranking_enumeration.grouped(name, 4, counts)
    assert found.value == pytest.approx([float(value) for value, _ in expected], abs=1e-12)
    assert found.count.tolist() == [len(some) for _, some in expected]


@pytest.mark.parametrize(
    ("length", "counts", "total"),
    [
        (4, {1: 4}, 2**4),
        (6, {1: 2}, comb(6, 0) + comb(6, 1) + comb(6, 2)),
        (3, {1: 3, 2: 3}, 3**3),
        # Nothing; one of two grades in 3 places: 2 × 3; both, in 3 × 2 places.
        (3, {1: 1, 2: 1}, 1 + 6 + 6),
        (5, {1: 2, 2: 1, 3: 4}, None),
    ],
)
def test_the_counts_add_up_to_all_rankings(length: int, counts: dict[int, int], total: int | None) -> None:
    every = ranking_enumeration.how_many(length, counts)
    assert total in {None, every}
    assert len(ranking_enumeration.rankings(length, counts)) == every
    for name in ("AP", "nDCG", "ESL"):
        _, found = one(name, length=length, relevant=counts)
        assert found.count.sum() + found.without == every


def test_rankings_without_a_value_are_counted() -> None:
    # Only that without a relevant document has no first one.
    _, found = one("ESL", length=4)
    assert (found.value.tolist(), found.count.tolist(), found.without) == ([1, 2, 3, 4], [8, 4, 2, 1], 1)


def test_average_precision_of_ten_has_810_values() -> None:
    _, found = one("AP", length=10)  # floats alone would find 866
    assert (len(found.value), found.count.sum()) == (810, 2**10)


@pytest.mark.parametrize("name", ["P", "R", "RBP(p=0.5)", "SBTO", "RBTO"])
def test_these_are_equally_spaced(name: str) -> None:  # [Ferro] Fig. 19
    assert one(name, length=4, relevant=[4])[1].even


@pytest.mark.parametrize("name", ["AP", "RR", "RBP(p=0.3)", "RBP(p=0.8)", "DCG"])
def test_these_are_not(name: str) -> None:
    assert not one(name, length=4, relevant=[4])[1].even


def test_who_says_nothing_of_relevant_documents_has_enough_of_them() -> None:
    assert all_rankings(3).relevant == ((1.0, 3),)
    assert all_rankings(3, grades=2).relevant == ((1.0, 3), (2.0, 3))
    assert all_rankings(3, [2]).relevant == ((1.0, 2),)
    assert all_rankings(3, [2], 3).relevant == ((1.0, 2), (2.0, 2), (3.0, 2))
    assert all_rankings(3, [5, 0], 2).relevant == ((1.0, 5), (2.0, 0))
    assert all_rankings(3, {2: 1, 0.5: 4}).relevant == ((0.5, 4), (2.0, 1))


@pytest.mark.parametrize(
    ("asked", "problem", "hint"),
    [
        (([1, 2, 3], 2), "there are 3 counts for 2 grades", "one number for all grades, or 2: one for each, lowest"),
        (([1, 2], None), "there are 2 counts for relevant documents of one grade", "--grades 2"),
        (([1, 2], 1), "there are 2 counts for relevant documents of one grade", "one number for all grades, or 1"),
        (([1], 0), "there cannot be 0 grades", "one is for relevant or not"),
        (({1: 2}, 1), "is given, and a number of grades too", "leave the number of grades out"),
        (([-1], None), "there cannot be -1 relevant documents", "from 0 up"),
        (({0: 1}, None), "there cannot be 1 relevant documents of grade 0", "a grade above 0"),
    ],
)
def test_numbers_that_do_not_fit(asked: tuple[Any, Any], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as error:
        all_rankings(4, *asked)
    assert problem in error.value.problem
    assert hint in error.value.hint


def test_a_length_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="a ranking cannot have 0 documents"):
        spacings("AP@1", length=0)
    with pytest.raises(ParameterError, match=r"there are 2\^30 rankings"):
        spacings("AP", length=30)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP", ["AP@4"]),
        ("AP@3 AP", ["AP@3", "AP@4"]),
        ("P", ["P@4"]),  # and not the list of cut-offs that trec_eval has for it
        ("P(k=2) P(cutoff=3)", ["P@2", "P@3"]),
        ("RBTO, SBTO(max_rel=2)", ["RBTO@4", "SBTO(max_rel=2)@4"]),
        ("interval(AP) interval", ["interval(AP@4)"]),
        ("interval(P) interval(RR@3)", ["interval(P@4)", "interval(RR@3)"]),
        ("IPrec@0.5", ["IPrec@0.5"]),  # a level of recall stands behind its @
        ("ndcg_cut_3", ["nDCG@3"]),
        ("recip_rank", ["RR@4"]),
        ("ndcg_cut.2", ["nDCG@2"]),  # of trec_eval, and not of our grammar
        ("NumRelRet", ["NumRet(rel=1)@4"]),
    ],
)
def test_measures_are_cut_off_at_the_length(text: str, names: list[str]) -> None:
    assert [str(measure) for measure in cut_off(text, 4)] == names


def test_measures_come_as_texts_or_as_themselves() -> None:
    assert cut_off(AP(), 4) == [AP(k=4)]
    assert cut_off([AP(), "RR", "AP@4"], 4) == [AP(k=4), parse_measure("RR@4")]


@pytest.mark.parametrize(
    ("asked", "problem", "hint"),
    [
        ("AP@5", "AP@5 looks at more documents than rankings of 4 have", "give a length of 5, or cut off at 4"),
        ("interval(AP@9)", "interval(AP@9) looks at more documents", "give a length of 9"),
        ("NRG(nDCG@3)", "they depend on other runs", "take the measure that it extends"),
        ("alpha_nDCG@3", "it needs subtopics", "take a measure of grades"),
        ("interval(alpha_nDCG@3)", "depend on more than the grades", "AP, RR"),
        ("Unique", "they depend on other runs", "take the measure that it extends"),
        ("qwxyz", "qwxyz", "cranfield measures"),
        ("AP(", "AP(", "a measure reads"),
        ([], "no measure is given", "AP RR"),
    ],
)
def test_measures_that_cannot_be(asked: Any, problem: str, hint: str) -> None:
    with pytest.raises(CranfieldError) as error:
        spacings(asked, length=4)
    assert problem in error.value.problem
    assert hint in error.value.hint


def test_progress_is_that_of_all_measures() -> None:
    told: list[tuple[int, int]] = []
    spacings("AP RR P", length=3, progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 24), (16, 24), (24, 24)]


def test_every_measure_of_grades_can_be_looked_at_but_those_of_other_runs() -> None:
    names = [cls.name for cls in MEASURES if cls.family != "relative" and not cls.needs]
    for name in names:
        _, found = one(name, length=3, grades=2)
        assert found.count.sum() + found.without == 3**3
        assert (np.diff(found.value) > 0).all()
