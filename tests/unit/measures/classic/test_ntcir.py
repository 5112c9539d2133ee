"""Graded measures of NTCIR and graded average precision, beside their definitions written out."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from cranfield.measures import measure_all
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades

EXACT = 1e-14
RANKINGS = [(3, 0, 1, 2), (NOT_JUDGED, 1, 1, 3, 0, 2), (0, 0, 2, 2, 1), (1, 2, 3), (NOT_JUDGED, 0)]
MISSED = (3, 1, 1)


def value(measure: str, ranking: Sequence[int], missed: Sequence[int] = MISSED) -> float:
    """The value of one ranking, given as grades from the top."""
    return float(measure_all(assess_grades(ranking, missed=missed), measure).cube[0, 0, 0])


def gained(ranking: Sequence[int], gains: Sequence[int]) -> list[int]:
    """What the documents are worth, from the top."""
    return [gains[grade] if grade >= 0 else 0 for grade in ranking]


def graded_average_precision(ranking: Sequence[int], missed: Sequence[int], gains: Sequence[int]) -> Fraction:
    """robertson2010gap, with the thresholds of its users: at each grade, documents of that grade and above count."""
    total = Fraction(0)
    for grade in range(1, len(gains)):
        share = gains[grade] - gains[grade - 1]
        hits = [g >= grade for g in ranking]
        total += share * sum((Fraction(sum(hits[: i + 1]), i + 1) for i, hit in enumerate(hits) if hit), Fraction(0))
    return total / sum(gained([*ranking, *missed], gains))


@pytest.mark.parametrize("ranking", RANKINGS)
@pytest.mark.parametrize(("measure", "gains"), [("GAP", (0, 1, 2, 3)), ("GAP(gains={2:3,3:7})", (0, 1, 3, 7))])
def test_graded_average_precision_is_that_of_its_users(
    measure: str, gains: Sequence[int], ranking: Sequence[int]
) -> None:
    expected = float(graded_average_precision(ranking, MISSED, gains))
    assert value(measure, ranking) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("ranking", list(product((NOT_JUDGED, 1), repeat=4)))
def test_with_two_grades_these_are_average_precision(ranking: Sequence[int]) -> None:
    expected = value("AP", ranking, (1, 1))
    assert value("GAP", ranking, (1, 1)) == pytest.approx(expected, abs=EXACT)
    assert value("Q(beta=0.0)", ranking, (1, 1)) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_users_who_stop_alike_at_all_relevant_documents_are_those_of_q(ranking: Sequence[int]) -> None:
    assert value("NCU(gamma=1.0)", ranking) == pytest.approx(value("Q", ranking), abs=EXACT)


@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_with_a_cut_off_q_without_beta_is_capped_average_precision(k: int) -> None:
    for ranking in RANKINGS:
        assert value(f"Q(beta=0.0)@{k}", ranking) == pytest.approx(value(f"AP(capped=True)@{k}", ranking), abs=EXACT)


def stopping(ranking: Sequence[int], top: int) -> list[Fraction]:
    """At which rank users stop who are satisfied as in ERR."""
    left, chances = Fraction(1), []
    for grade in ranking:
        satisfied = Fraction(2 ** max(grade, 0) - 1, 2**top)
        chances.append(left * satisfied)
        left *= 1 - satisfied
    return chances


def blended(ranking: Sequence[int], missed: Sequence[int], rank: int) -> Fraction:
    """The blended ratio at a rank, with beta 1 and linear gains."""
    best = sorted(gained([*ranking, *missed], (0, 1, 2, 3)), reverse=True)
    found = sum(grade > 0 for grade in ranking[:rank]) + sum(gained(ranking[:rank], (0, 1, 2, 3)))
    return Fraction(found, rank + sum(best[:rank]))


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_expected_blended_ratio_is_an_expectation(ranking: Sequence[int]) -> None:
    chances = stopping(ranking, 3)
    expected = sum(chance * blended(ranking, MISSED, i) for i, chance in enumerate(chances, 1))
    assert value("EBR(max_rel=3)", ranking) == pytest.approx(float(expected), abs=EXACT)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_rank_biased_utility_of_one_intent_is_an_expectation(ranking: Sequence[int]) -> None:
    chances = stopping(ranking, 3)
    expected = sum(chance * Fraction(99, 100) ** i for i, chance in enumerate(chances, 1))
    assert value("iRBU(max_rel=3)", ranking) == pytest.approx(float(expected), abs=EXACT)


def test_a_topic_without_anything_relevant_has_0() -> None:
    for measure in ("Q", "O", "Pmeasure", "PPlus", "NCU", "NCU(gamma=0.5)", "EBR", "GAP", "nERR", "iRBU"):
        assert value(measure, (0, NOT_JUDGED), missed=(0,)) == 0


def test_the_microsoft_version_of_ndcg_is_ndcg() -> None:
    assert value("MSnDCG@3", RANKINGS[0]) == value("nDCG@3", RANKINGS[0])


def test_the_perfect_ranking_has_1() -> None:
    perfect = (3, 2, 2, 1)
    for measure in ("Q", "Q@2", "O", "Pmeasure", "PPlus", "NCU", "NCU(gamma=0.5)", "GAP", "nERR", "nERR@1"):
        assert value(measure, perfect, missed=()) == pytest.approx(1, abs=EXACT)
    assert np.isclose(value("EBR(max_rel=3)", perfect, missed=()), float(sum(stopping(perfect, 3))))


def test_graded_average_precision_of_four_documents() -> None:
    # Worked out in the tests of Infer.NET: each precision counts what is above by the lesser of two grades.
    working = (3 / 1 + (1 + 1) / 2 + (2 + 1 + 2) / 3 + (2 + 1 + 2 + 2) / 4) / (3 + 1 + 2 + 2)
    assert value("GAP", (3, 1, 2, 2), missed=()) == pytest.approx(working, abs=EXACT)


def test_ntcireval_stops_by_gains() -> None:
    # Its EBR adds up BR(i) · Π_{j<i} (1 − g(j)/(h + 1)) · g(i)/(h + 1), with the same gains in the blended ratio.
    ranking, gains = (1, 0, 3, 2), {1: 1, 2: 3, 3: 7}
    best = sorted((gains.get(grade, 0) for grade in ranking), reverse=True)
    left, total, seen, count = 1.0, 0.0, 0, 0
    for i, grade in enumerate(ranking, 1):
        gain = gains.get(grade, 0)
        seen, count = seen + gain, count + (gain > 0)
        total += (seen + count) / (sum(best[:i]) + i) * left * gain / 8
        left *= 1 - gain / 8
    assert value("EBR(gains={2:3,3:7},max_rel=3)", ranking, missed=()) == pytest.approx(total, abs=EXACT)
