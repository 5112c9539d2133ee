"""Rows of a log that are excluded: counted by reason and arm, in a table and in one line."""

import pytest

from cranfield.data import ExcludedRows

EXCLUDED = ExcludedRows(
    1000, (("no rank", "A", 1), ("no user", "B", 7), ("no user", "A", 1), ("no user", None, 1)), {"A": 500, "B": 400}
)


def test_rows_are_counted_by_reason_and_arm() -> None:
    assert EXCLUDED.rows == 10
    assert EXCLUDED.share == 0.01
    assert EXCLUDED.reasons == {"no user": 9, "no rank": 1}
    assert EXCLUDED.arm_shares == {"A": 2 / 500, "B": 7 / 400}
    rows = EXCLUDED.table().rows()
    assert [row["rows"] for row in rows] == [1, 1, 7, 1]
    assert [row["arm"] for row in rows] == [None, "A", "B", "A"]
    assert sum(EXCLUDED.table()["share"]) == pytest.approx(0.01)


def test_the_line_above_a_verdict_has_all_numbers() -> None:
    line = EXCLUDED.sentence()
    assert line == "rows excluded: 10 of 1,000 (no user: 9, no rank: 1; A 0.4%, B 1.8%)"
    assert ExcludedRows(90_189).sentence() == "rows excluded: none of 90,189"


def test_of_many_arms_the_line_has_the_least_and_the_most() -> None:
    arms = {f"run{number}": 100 for number in range(9)}
    counts = tuple(("no user", arm, 1 + number) for number, arm in enumerate(arms))
    assert "; run0 1.0%, run8 9.0%)" in ExcludedRows(900, counts, arms).sentence()


def test_rows_without_an_arm_may_be_excluded() -> None:
    # 1,000 rows, of which 900 are in arms; 1 of the others is excluded already.
    assert EXCLUDED.without_arm().reasons["no arm"] == 99
    assert ExcludedRows(900, arm_totals={"A": 500, "B": 400}).without_arm().rows == 0


def test_further_rows_may_be_excluded() -> None:
    more = EXCLUDED.add("in several arms", {"A": 5, "B": 0})
    assert more.rows == 15
    assert more.reasons["in several arms"] == 5
    assert len(more.table()) == len(EXCLUDED.table()) + 1
