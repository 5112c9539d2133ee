"""Verdicts from lines of evidence, every combination of them."""

from itertools import product

import numpy as np
import pytest

from cranfield.stats import Evidence, EvidenceLine, line_statuses, verdicts_by_measure
from cranfield.stats.pair_tests.closed_form import Spread

SIGNIFICANT, NOT = 0.01, 0.9


def line(status: int, pairs: int = 1) -> EvidenceLine:
    """A line that favours b (1), a (−1) or neither."""
    numbers = np.zeros(pairs)
    return EvidenceLine(
        line="measure",
        measure="AP",
        test="t",
        n=np.full(pairs, 50),
        value_a=numbers,
        value_b=numbers,
        difference=numbers,
        low=numbers,
        high=numbers,
        p=numbers,
        p_adjusted=np.full(pairs, SIGNIFICANT if status else NOT),
        toward=np.full(pairs, status or 1),
        interval_level=0.05,
    )


def evidence(primary: int, others: tuple[int, ...], ends: tuple[float, float] = (-0.1, 0.1)) -> Evidence:
    return Evidence(
        primary=line(primary),
        others=tuple(map(line, others)),
        level=0.05,
        spread=Spread(np.array([50]), np.array([0.0]), np.array([0.1])),
        nonzero=np.array([50]),
        one_sided=(np.array([ends[0]]), np.array([ends[1]])),
        correction="",
        search_length=None,
    )


@pytest.mark.parametrize(("primary", "first", "second"), list(product((1, 0, -1), repeat=3)))
def test_the_primary_decides_and_an_opposite_line_makes_it_mixed(primary: int, first: int, second: int) -> None:
    kind = verdicts_by_measure(evidence(primary, (first, second)))[0]
    if primary == 0:
        assert kind == "inconclusive"  # whatever the other lines say
    elif -primary in (first, second):
        assert kind == "mixed"
    else:
        assert kind == ("better" if primary > 0 else "worse")


@pytest.mark.parametrize(
    ("primary", "ends", "margin", "kind"),
    [
        (0, (-0.01, 0.015), 0.02, "equivalent"),
        (0, (-0.01, 0.02), 0.02, "inconclusive"),  # the interval must lie inside
        (0, (-0.03, 0.015), 0.02, "inconclusive"),
        (0, (-0.01, 0.015), None, "inconclusive"),
        (1, (0.005, 0.015), 0.02, "better"),  # significant inside the margin keeps its verdict
        (-1, (-0.015, -0.005), 0.02, "worse"),
    ],
)
def test_equivalence(primary: int, ends: tuple[float, float], margin: float | None, kind: str) -> None:
    found = evidence(primary, (), ends)
    assert verdicts_by_measure(found, margin).tolist() == [kind]
    inside = None if margin is None else found.within(margin)
    assert line_statuses(found.primary, 0.05, inside).tolist() == [kind]
