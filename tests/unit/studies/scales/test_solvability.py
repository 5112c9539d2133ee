"""Differences that exist somewhere, and cannot be had from both ends."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from cranfield.core import Provenance, Table
from cranfield.studies.scales import solvability as kernel
from cranfield.studies.scales.ranking_spacings import spacings
from cranfield.studies.scales.solvability import solvability_table
from tests.support.reference import ranking_enumeration

COLUMNS = ("measure", "difference", "between", "high", "low", "needs_high", "needs_low", "realised")


def table(name: str, length: int, counts: dict[int, int], *, most: int = 200) -> Table:
    ((measure, found),) = spacings(name, length=length, relevant=counts).items()
    return solvability_table(measure, found, most=most, made_by=Provenance(seed=1))


def test_the_example_of_the_paper_in_full() -> None:  # craswell2021msmarco, Table 3
    found = table("RR", 3, {1: 3})
    assert found.columns == COLUMNS
    assert found.made_by == Provenance(seed=1)
    # 1, 1/2, 1/3, 0. Down from 1 there are steps of 1/2, 2/3, 1; up from 0 of 1/3, 1/2, 1.
    expected = [
        (1 / 6, "010 001", 1 / 2, 1 / 3, 5 / 6, 1 / 6, False),
        (1 / 3, "001 000", 1 / 3, 0, 2 / 3, None, False),
        (1 / 2, "100 010", 1, 1 / 2, None, None, True),
        (2 / 3, "100 001", 1, 1 / 3, None, 2 / 3, False),
        (1, "100 000", 1, 0, None, None, True),
    ]
    for row, told in zip(found.rows(), expected, strict=True):
        assert list(row.values()) == ["RR@3", *(pytest.approx(n) if type(n) is float else n for n in told)]
    assert found.notes == ("RR@3: 3 of 5 differences cannot be realised",)


def expected_rows(name: str, length: int, counts: dict[int, int]) -> dict[float, tuple[float | None, float | None]]:
    """Each difference, and what it needs, by plain loops; numbers are rounded where they are no fractions."""
    values = [value for value, _ in ranking_enumeration.grouped(name, length, counts)]

    def plain(number: ranking_enumeration.Number) -> ranking_enumeration.Number:
        return number if isinstance(number, Fraction) else round(number, 9)

    there = {plain(value) for value in values}
    rows = {}
    for low, high in combinations(values, 2):
        wanted = (plain(values[-1] - (high - low)), plain(values[0] + (high - low)))
        rows[plain(high - low)] = tuple(None if one in there else float(one) for one in wanted)
    return {float(size): rows[size] for size in sorted(rows)}  # type: ignore[misc]  # two each


@pytest.mark.parametrize(("length", "counts"), [(3, {1: 3}), (5, {1: 5}), (5, {1: 3}), (4, {1: 2, 2: 1})], ids=str)
@pytest.mark.parametrize("name", ["AP", "RR", "P", "R", "RBP(p=0.5)", "nDCG", "DCG", "ERR"])
def test_by_plain_loops(name: str, length: int, counts: dict[int, int]) -> None:
    expected = expected_rows(name, length, counts)
    rows: Any = table(name, length, counts, most=10**6).rows()
    assert [row["difference"] for row in rows] == pytest.approx(list(expected), abs=1e-9)
    for row, needs in zip(rows, expected.values(), strict=True):
        assert (row["needs_high"], row["needs_low"]) == tuple(
            None if need is None else pytest.approx(need, abs=1e-9) for need in needs
        )
        assert row["realised"] is (needs == (None, None))
        assert row["high"] - row["low"] == pytest.approx(row["difference"], abs=1e-12)
        high, low = (tuple(map(int, text)) for text in row["between"].split())
        worth = ranking_enumeration.MEASURES[name]
        assert [float(worth(one, counts)) for one in (high, low)] == pytest.approx([row["high"], row["low"]])


@pytest.mark.parametrize("name", ["P", "R", "RBP(p=0.5)", "RBTO", "SBTO", "interval(AP)"])
def test_of_equal_steps_all_can_be_had(name: str) -> None:
    found = table(name, 4, {1: 4})
    assert all(found.cells("realised"))
    assert ": 0 of " in found.notes[0]
    # The pair nearest to the top is shown, which is the step down from it.
    assert len({*found.cells("high")}) == 1


def test_lower_may_be_better() -> None:
    # 1, 2, 3: ends are those of the numbers.
    found = table("ESL", 3, {1: 3})
    assert [found.cells(name) for name in ("difference", "between", "high", "low", "realised")] == [
        [1, 2],
        ["001 010", "001 100"],
        [3, 3],
        [2, 1],
        [True, True],
    ]


def test_the_smallest_are_shown() -> None:
    every, some = table("AP", 4, {1: 4}), table("AP", 4, {1: 4}, most=3)
    assert some.rows() == every.rows()[:3]
    assert some.notes == (*every.notes, "AP@4: the smallest 3 differences are shown")


def test_of_very_many_values_only_neighbours_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MANY", 3)
    found = table("RR", 3, {1: 3})
    # Of 1, 1/2, 1/3, 0 the steps are 1/2, 1/6, 1/3.
    assert found.cells("difference") == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    assert found.cells("between") == ["010 001", "001 000", "100 010"]
    assert found.cells("realised") == [False, False, True]
    assert found.notes == (
        "RR@3: 2 of 3 differences cannot be realised",
        "RR@3: 4 values are many: only differences of neighbours are looked at",
    )


def test_differences_are_told_apart_where_floats_cannot() -> None:
    # 1/2 − 1/3 and 1/3 − 1/6 are one difference, though floats differ: 1/6 is shown once.
    found = table("RR", 6, {1: 1})
    assert 1 / 2 - 1 / 3 != 1 / 3 - 1 / 6
    assert found.cells("difference").count(1 / 6) == 1
    assert len(found) == len(expected_rows("RR", 6, {1: 1}))


@pytest.mark.parametrize(("name", "counts"), [("Success", {1: 0}), ("ESL", {1: 0})])
def test_without_two_values_there_is_no_difference(name: str, counts: dict[int, int]) -> None:
    found = table(name, 2, counts)
    assert (found.columns, len(found)) == (COLUMNS, 0)
    assert found.notes == (f"{name}@2: 0 of 0 differences cannot be realised",)
