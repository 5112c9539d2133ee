"""Scales that measures claim, tried on all rankings of a few documents ([Ferro] Fig. 19; ferrante2021)."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import Scale
from cranfield.measures import MEASURES, RBP, Measure, parse_measure
from tests.support.properties.measure_cases import worth
from tests.support.properties.topic_strategies import NOT_JUDGED, assess_grades

LENGTH = 4
BINARY = (NOT_JUDGED, 1)  # not judged rather than 0: what counts judgments sees a difference too
GRADED = (NOT_JUDGED, 1, 3)
NOISE = 1e-9


@cache
def rankings(length: int, grades: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """All rankings, by the order that puts the first rank above everything below it (RBTO), lowest first."""
    return tuple(product(sorted(grades), repeat=length))


def values(measure: Measure, length: int = LENGTH, grades: tuple[int, ...] = BINARY) -> NDArray[np.float64]:
    """The value of every ranking where as many documents are relevant as fit in it, in every grade."""
    all_of_them = rankings(length, grades)
    judged = tuple(grade for grade in grades if grade >= 0)
    everything = judged * length  # the first run, so that every document of the others is judged
    assessed = assess_grades(everything, *all_of_them)
    return assessed.map([measure.settled(float(max(grades)))])[1:, 0, 0]


def distinct(found: Iterable[float]) -> list[float]:
    """Different values, lowest first; those that differ by noise are one."""
    kept: list[float] = []
    for value in sorted(value for value in found if not np.isnan(value)):
        if not kept or value - kept[-1] > NOISE:
            kept.append(value)
    return kept


def is_equispaced(found: Iterable[float]) -> bool:
    gaps = np.diff(distinct(found))
    return bool(np.ptp(gaps) < NOISE) if len(gaps) else True


SPREAD = [f"P@{LENGTH}", f"R@{LENGTH}", f"RBP(p=0.5)@{LENGTH}", "RBP(p=0.5)", "R"]
UNEVEN = ["AP", "RR", "RBP(p=0.3)", "RBP(p=0.8)", "DCG(b=2)", "DCG", "nDCG", "ERR"]


@pytest.mark.parametrize("name", SPREAD)
def test_these_are_equally_spaced(name: str) -> None:
    assert is_equispaced(values(parse_measure(name)))


@pytest.mark.parametrize("name", UNEVEN)
def test_these_are_not_equally_spaced(name: str) -> None:
    assert not is_equispaced(values(parse_measure(name)))


@pytest.mark.parametrize(("name", "count"), [("P@4", 5), ("R@4", 5), ("RBP(p=0.5)", 16), ("RR", 5), ("Success@4", 2)])
def test_as_many_values_as_the_figure_shows(name: str, count: int) -> None:
    assert len(distinct(values(parse_measure(name)))) == count


def test_reciprocal_rank_of_three_takes_four_values() -> None:
    assert distinct(values(parse_measure("RR"), length=3)) == pytest.approx([0, 1 / 3, 1 / 2, 1])


# Every measure of the catalogue that grades are enough for, and those whose claim depends on a parameter. Shorter
# rankings are too few to turn ERR round: 01000 has 1/4, 00111 has 1/6 + 1/16 + 1/40.
LONGER = 6
EXAMPLES = [cls(k=LONGER) for cls in MEASURES if not cls.needs]
EXAMPLES += [parse_measure(f"RBP(p={p})") for p in ("0.2", "0.3", "0.5", "0.51", "0.8")]
EXAMPLES += [parse_measure("NumRet(rel=1)"), parse_measure("ESL")]


@pytest.mark.parametrize("measure", [m for m in EXAMPLES if m.scale.own >= Scale.INTERVAL], ids=str)
def test_who_claims_an_interval_scale_is_equally_spaced(measure: Measure) -> None:
    # As many documents as the cut-off has: interval(AP@6) puts the values of those at equal distances.
    assert is_equispaced(values(measure, measure.k or LENGTH))


def turned_round(measure: Measure, length: int, grades: tuple[int, ...] = BINARY) -> tuple[int, ...] | None:
    """A ranking that stands higher in the order, and has a lower value than one below it; None: there is none."""
    ordered = worth(measure, values(measure, length, grades))
    highest = np.maximum.accumulate(ordered)
    below = np.flatnonzero(ordered < highest - NOISE)
    return rankings(length, grades)[below[0]] if len(below) else None


@pytest.mark.parametrize("measure", [m for m in EXAMPLES if m.scale.top_heavy >= Scale.ORDINAL], ids=str)
def test_who_claims_the_top_heavy_order_turns_no_pair_round(measure: Measure) -> None:
    assert turned_round(measure, LONGER) is None


@pytest.mark.parametrize("measure", [m for m in EXAMPLES if m.scale.top_heavy == Scale.NOMINAL], ids=str)
def test_who_does_not_claim_the_top_heavy_order_turns_a_pair_round(measure: Measure) -> None:
    all_alike = len(distinct(values(measure))) < 2  # a constant has no order at all
    turned = turned_round(measure, LONGER) or turned_round(measure, LENGTH, GRADED)  # O turns pairs of grades alone
    assert all_alike or turned is not None


def test_only_counts_of_what_is_not_ranked_are_constant() -> None:
    constant = [measure.name for measure in EXAMPLES if len(distinct(values(measure))) < 2]
    assert set(constant) == {"NumQ", "NumRel", "NumRet", "NumNonRel", "IdealDCG"}


@pytest.mark.parametrize("top", [1, 2, 3])
def test_graded_rbp_is_even_at_one_persistence_only(top: int) -> None:
    # p = G/(G+1) with G = 1/top, the smallest step of gain ([Ferro] §7.7.2).
    grades = tuple(range(top + 1))
    even = Fraction(1, top) / (Fraction(1, top) + 1)
    for p, own, top_heavy in (
        (float(even), Scale.INTERVAL, Scale.INTERVAL),
        (float(even) - 0.05, Scale.ORDINAL, Scale.ORDINAL),
        (float(even) + 0.15, Scale.ORDINAL, Scale.NOMINAL),
    ):
        measure = RBP(p=p, max_rel=top)
        assert (measure.scale.own, measure.scale.top_heavy) == (own, top_heavy)
        assert is_equispaced(values(measure, 3, grades)) == (own == Scale.INTERVAL)
        assert (turned_round(measure, 4, grades) is None) == (top_heavy >= Scale.ORDINAL)
