"""Examples worked out by hand, in the sources and here."""

import math
from collections.abc import Sequence
from fractions import Fraction
from math import log2

import pytest

from cranfield.data import assess
from cranfield.measures import MEASURES, OtherMeasure, measure_all, others, parse_measure, parse_named, worked
from cranfield.studies import evaluate
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades

EXACT = 1e-14


def value(measure: str, ranking: Sequence[int], missed: Sequence[int] = ()) -> float:
    """The value of one ranking, given as grades from the top."""
    return float(measure_all(assess_grades(ranking, missed=missed), measure).cube[0, 0, 0])


# [Ferro] Fig. 7: relevant at ranks 1, 3, 4 and 8 of 10, eight relevant in all.
FIGURE_7 = (1, 0, 1, 1, 0, 0, 0, 1, 0, 0)
MISSED_7 = (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("P@10", Fraction(4, 10)),
        ("R@10", Fraction(1, 2)),
        ("P@5", Fraction(3, 5)),
        ("R@5", Fraction(3, 8)),
        ("Rprec", Fraction(1, 2)),
        ("AP", Fraction(35, 96)),
        ("RR", Fraction(1)),
        ("ESL", Fraction(1)),
        ("NumRet", Fraction(10)),
        ("NumRel", Fraction(8)),
        ("NumRet(rel=1)", Fraction(4)),
        ("Success@1", Fraction(1)),
    ],
)
def test_binary_measures_of_figure_7(measure: str, expected: Fraction) -> None:
    assert value(measure, FIGURE_7, MISSED_7) == pytest.approx(float(expected), abs=EXACT)


def test_average_precision_of_figure_7_is_the_sum_it_is_said_to_be() -> None:
    precisions = [Fraction(1, 1), Fraction(2, 3), Fraction(3, 4), Fraction(4, 8)]
    assert sum(precisions) / 8 == Fraction(35, 96)


# [Ferro] Fig. 11: grades down the run, against an ideal of 3, 3, 2, 2, 2, 1, 1, 1.
FIGURE_11 = (3, 0, 1, 2, 0, 0, 0, 2, 0, 0)
MISSED_11 = (3, 2, 1, 1)


@pytest.mark.parametrize(("measure", "expected"), [("DCG(b=2)", 5.2976), ("nDCG(b=2)", 0.5194)])
def test_discounted_cumulated_gain_of_figure_11(measure: str, expected: float) -> None:
    assert value(measure, FIGURE_11, MISSED_11) == pytest.approx(expected, abs=5e-5)


def test_the_ideal_of_figure_11() -> None:
    ideal = (3, 3, 2, 2, 2, 1, 1, 1)
    assert value("DCG(b=2)", ideal) == pytest.approx(10.1996, abs=5e-5)
    assert value("nDCG(b=2)", ideal) == pytest.approx(1, abs=EXACT)


def test_the_discount_of_the_original_paper_starts_below_its_base() -> None:
    # jarvelin2002: no discount down to rank b.
    assert value("DCG(b=10)", (1,) * 10) == pytest.approx(10, abs=EXACT)
    assert value("DCG(b=10)", (NOT_JUDGED,) * 99 + (1,)) == pytest.approx(1 / 2, abs=EXACT)


GRADES = (2, NOT_JUDGED, 3, 0, 1, 3)


def err(grades: Sequence[int], top: int) -> Fraction:
    """chapelle2009err, as its equations stand."""
    total, looking = Fraction(0), Fraction(1)
    for rank, grade in enumerate(grades, 1):
        satisfied = Fraction(2 ** max(grade, 0) - 1, 2**top)
        total += looking * satisfied / rank
        looking *= 1 - satisfied
    return total


@pytest.mark.parametrize("top", [3, 4, 7])
@pytest.mark.parametrize("k", [1, 2, 3, 6, 20])
def test_expected_reciprocal_rank(k: int, top: int) -> None:
    assert value(f"ERR(max_rel={top})@{k}", GRADES) == pytest.approx(float(err(GRADES[:k], top)), abs=EXACT)


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_gains_that_grow_with_the_power_of_two(k: int) -> None:
    def dcg(grades: Sequence[int]) -> float:
        return sum((2 ** max(grade, 0) - 1) / log2(rank + 1) for rank, grade in enumerate(grades[:k], 1))

    ideal = sorted((*GRADES, 2), reverse=True)
    assert value(f"DCG(dcg='exp-log2')@{k}", GRADES, missed=(2,)) == pytest.approx(dcg(GRADES), abs=EXACT)
    expected = dcg(GRADES) / dcg(ideal)
    assert value(f"nDCG(dcg='exp-log2')@{k}", GRADES, missed=(2,)) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)])
def test_rank_biased_precision(p: Fraction) -> None:
    def rbp(gains: Sequence[Fraction]) -> float:
        return float((1 - p) * sum(gain * p**i for i, gain in enumerate(gains)))

    binary = [Fraction(grade >= 1) for grade in GRADES]
    strict = [Fraction(grade >= 3) for grade in GRADES]
    graded = [Fraction(max(grade, 0), 4) for grade in GRADES]
    assert value(f"RBP(p={float(p)})", GRADES) == pytest.approx(rbp(binary), abs=EXACT)
    assert value(f"RBP(p={float(p)},rel=3)", GRADES) == pytest.approx(rbp(strict), abs=EXACT)
    assert value(f"RBP(p={float(p)},max_rel=4)", GRADES) == pytest.approx(rbp(graded), abs=EXACT)
    assert value(f"RBP(p={float(p)},max_rel=4)@3", GRADES) == pytest.approx(rbp(graded[:3]), abs=EXACT)


def test_equal_search_lengths_may_have_unequal_reciprocal_ranks() -> None:
    # [Lin]: first relevant documents at 1 and 9, against 4 and 6.
    qrels = {"1": {"d": 1}, "2": {"d": 1}}

    def found_at(*ranks: int) -> dict[str, dict[str, float]]:
        return {
            topic: {f"x{i}": -float(i) for i in range(1, rank)} | {"d": -float(rank)}
            for topic, rank in zip(qrels, ranks, strict=True)
        }

    values = evaluate(qrels, {"a": found_at(1, 9), "b": found_at(4, 6)}, ["ESL", "RR"])
    (length_a, rank_a), (length_b, rank_b) = values.aggregate().tolist()
    assert length_a == length_b == 5
    assert (round(rank_a, 3), round(rank_b, 3)) == (0.556, 0.208)


def test_the_mean_of_ms_marco_is_over_all_judged_topics() -> None:
    # One found at rank 2, one at rank 11, one topic without an answer.
    deep = {f"x{i}": -float(i) for i in range(10)} | {"d": -10.0}
    run = {"1": {"x": 2.0, "d": 1.0}, "2": deep}
    values = evaluate({topic: {"d": 1} for topic in "123"}, {"run": run}, ["RR@10", "RR"])
    assert values.aggregate()[0].tolist() == pytest.approx([(1 / 2) / 3, (1 / 2 + 1 / 11) / 3], abs=EXACT)
    both = evaluate({topic: {"d": 1} for topic in "123"}, {"run": run}, ["RR@10"], topics="both")
    assert both.aggregate()[0, 0] == pytest.approx((1 / 2) / 2, abs=EXACT)


def test_judged_is_a_share_of_what_was_retrieved() -> None:
    ranking = (1, NOT_JUDGED, 0, -2)
    assert [value(f"Judged@{k}", ranking) for k in (1, 2, 3, 4, 10)] == [1, 1 / 2, 2 / 3, 2 / 4, 2 / 4]
    assert value("Judged", ranking) == 2 / 4


def test_search_length_leaves_out_what_was_not_found_or_counts_it_as_told() -> None:
    qrels = {"1": {"d": 1}, "2": {"d": 1}}
    assessed = assess(qrels, {"run": {"1": {"x": 2.0, "d": 1.0}, "2": {"x": 1.0}}})
    values = measure_all(assessed, ["ESL@10", "ESL(missing=11)@10"])
    assert values.aggregate()[0].tolist() == [2.0, 6.5]


@pytest.mark.parametrize("name", MEASURES.names())
def test_every_measure_shows_its_formula_and_an_example_worked_by_hand(name: str) -> None:
    declared = MEASURES[name]
    assert declared.formula
    assert declared.example
    assert parse_measure(declared.example.of).name == name
    # The arithmetic is a text that people read; here it is done.
    by_hand = eval(declared.example.working, {"__builtins__": {"sum": sum, "range": range}}, vars(math))
    assert worked(declared) == pytest.approx(by_hand, rel=1e-12, abs=EXACT)
    assert declared.aggregate == "sum" or worked(declared) > 0  # 0 would show nothing


@pytest.mark.parametrize("declared", others(), ids=lambda cls: cls.name)
def test_so_does_every_measure_of_something_else(declared: type[OtherMeasure]) -> None:
    assert declared.formula
    assert declared.example
    assert type(parse_named(declared.example.of)) is declared
    by_hand = eval(declared.example.working, {"__builtins__": {}}, vars(math))
    assert worked(declared) == pytest.approx(by_hand, rel=1e-12, abs=EXACT)
    assert worked(declared) > 0
