"""Tables of a comparison for readers."""

import pytest

import cranfield as cf
from cranfield.studies.comparison.readable_tables import (
    EVIDENCE_COLUMNS,
    MAX_NAME,
    column_names,
    only_p,
    readable_evidence,
    summary_of_values,
)

OLD, NEW, THIRD = [0.1, 0.3, 0.2, 0.4], [0.4, 0.5, 0.5, 0.8], [0.1, 0.2, 0.2, 0.1]


def scores(**runs: list[float]) -> dict[str, list[object]]:
    return {"topic": ["1", "2", "3", "4"], **runs}  # type: ignore[dict-item]  # lists of one kind each


def test_runs_are_columns_of_the_evidence() -> None:
    (row,) = readable_evidence(cf.compare(scores(old=OLD, new=NEW))).rows()
    assert [row[name] for name in ("n", "old", "new")] == pytest.approx([4, 0.25, 0.55])  # 1.0 / 4, 2.2 / 4
    assert row["difference"] == pytest.approx(0.3)
    assert row["low"] < row["difference"] < row["high"]  # type: ignore[operator]  # numbers
    assert row["status"] == "better"


def test_a_run_named_like_a_column_has_another_column() -> None:
    table = readable_evidence(cf.compare(scores(n=OLD, test=NEW)))
    assert {*EVIDENCE_COLUMNS, "run n", "run test"} == set(table.columns)
    assert table.cells("n") == [4]


@pytest.mark.parametrize(
    "names",
    [
        ("the-same-long-prefix-of-two-runs-a", "the-same-long-prefix-of-two-runs-b"),
        ("first-of-two-names-with-one-end", "other-of-two-names-with-one-end"),
        ("short", "a-name-that-is-longer-than-a-column"),
    ],
)
def test_long_names_are_cut_where_they_stay_different(names: tuple[str, str]) -> None:
    shown = column_names(*names)
    assert len(set(shown)) == 2
    assert max(map(len, shown)) == MAX_NAME


def test_a_result_that_is_significant_by_p_alone_is_marked() -> None:
    """Ties can put an end of the signed-rank interval at 0 where p is below the level."""
    assert only_p("worse", -2.0, 0.0)
    assert not only_p("worse", -2.0, -0.1)
    assert not only_p("inconclusive", -2.0, 1.0)
    assert not only_p("better", None, None)


def test_the_summary_has_both_values_or_a_baseline_and_a_range() -> None:
    two = summary_of_values(cf.compare(scores(old=OLD, new=NEW)))
    assert "new 0.5500" in two
    assert "old 0.2500" in two
    several = summary_of_values(cf.compare(scores(old=OLD, new=NEW, third=THIRD), baseline="old"))
    assert "old 0.2500" in several
    assert "0.1500 to 0.5500" in several  # 0.6 / 4
    assert summary_of_values(cf.compare(scores(old=OLD, new=NEW, third=THIRD))) == ""  # no common baseline
