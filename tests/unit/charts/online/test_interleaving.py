"""Charts of interleavings: whom users prefer, and how many pages it takes."""

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.interleavings import POWER, THREE, curve, preferred
from tests.support.rendered_charts import finding, marks, rows_of, seen, told

ONE = preferred(("old", "new", 1200, -0.1, -0.14, -0.06, -0.17, -0.03, 0.0002))


def test_the_preferred_run_stands_first_and_its_ends_turn_with_it() -> None:
    (row,) = rows_of(ONE, "interleaved", "point")
    assert (row["pair"], row["delta"], row["stands"]) == ("new over old", 0.1, "every")
    assert [row[end] for end in ("low", "high", "always_low", "always_high")] == [0.06, 0.14, 0.03, 0.17]
    assert finding(ONE, "interleaved") == "new over old: Δ +.100 of 1,200 users, sign test p < 0.001"


def test_the_clearest_pair_stands_on_top() -> None:
    rows = rows_of(THREE, "interleaved", "point")
    assert [(row["pair"], row["stands"]) for row in rows] == [
        ("new over old", "every"),
        ("old over third", "one"),
        ("new over third", "none"),
    ]
    assert finding(THREE, "interleaved") == (
        "Preferences of users in 3 pairs of runs; smallest p: new over old, p < 0.001 (sign test, Holm)"
    )
    assert "intervals are Bonferroni-adjusted for 3 pairs" in told(THREE, "interleaved")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("x", "y", 50, 0.02, -0.1, 0.14, -0.3, 0.3, 0.7), "x over y: Δ +.020 of 50 users, sign test p = 0.700"),
        # The interval of one pair is above 0, and its sign test is not significant: the title claims no preference.
        (("x", "y", 50, 0.2, 0.1, 0.3, -0.1, 0.5, 0.06), "x over y: Δ +.200 of 50 users, sign test p = 0.060"),
        (("x", "y", 50, 0.2, 0.1, 0.3, -0.1, 0.5, None), "x over y: Δ +.200 of 50 users"),
    ],
)
def test_the_title_describes_and_claims_no_preference(row: tuple[Any, ...], said: str) -> None:
    assert finding(preferred(row), "interleaved") == said


def test_of_many_pairs_the_first_are_drawn() -> None:
    many = preferred(*((f"r{i}", "base", 100, 0.3 - i / 200, 0.1, 0.4, 0.0, 0.5, 0.5) for i in range(40)))
    assert len(rows_of(many, "interleaved", "point")) == 30
    assert "the first 30 of 40 pairs" in told(many, "interleaved")


def test_the_line_that_needs_fewest_stands_first_and_tests_with_arms_are_dashed() -> None:
    _, (_, encoded, rows) = marks(POWER, "sensitivity")
    names = ["balanced", "team-draft", "A/B test on clicks", "A/B test on clicked"]
    assert encoded["color"]["scale"]["domain"] == names
    assert [dash == [1, 0] for dash in encoded["strokeDash"]["scale"]["range"]] == [True, True, False, False]
    assert len(rows) == 16
    # balanced may favour a run whatever is relevant, so the title does not praise it
    assert finding(POWER, "sensitivity") == (
        "Impressions until new is found better with a power of .8: team-draft takes 300, A/B test on clicks takes 4,000"
    )


def test_the_title_is_as_unsure_as_the_simulation() -> None:
    lucky = curve({("team-draft", "wins"): 300}, error=0.05)  # .1 is two of them
    assert finding(lucky, "sensitivity").endswith(": team-draft takes 300 (it may be luck)")


def test_a_method_that_never_finds_out_has_no_line() -> None:
    rows: list[dict[str, Any]] = [dict(row) for row in POWER.rows()]
    rows = [row | {"impressions": None} if row["method"] == "A/B" else row for row in rows]
    table = cf.Table.from_rows(rows, POWER.columns)
    assert {row["name"] for row in rows_of(table, "sensitivity", "line")} == {"balanced", "team-draft"}
    assert finding(table, "sensitivity").endswith(": team-draft takes 300")


def test_charts_are_pictures(tmp_path: Path) -> None:
    assert "A/B test on clicks" in seen(POWER, "sensitivity", tmp_path)
    assert "new over old" in seen(THREE, "interleaved", tmp_path)


def test_a_failed_check_of_the_log_stands_in_the_title() -> None:
    for passed in (True, False):
        checks = cf.Table({"check": ["known credit"], "p": [None], "effect": [0.5], "passed": [passed]})
        study = cf.Study("interleave", {"result": ONE, "checks": checks}, charts=("interleaved",))
        lines = draw(study, "interleaved").to_dict()["title"]["text"]
        title = lines if isinstance(lines, str) else " ".join(lines)
        assert ("known credit" in title, "new over old" in title) == (not passed, passed)
