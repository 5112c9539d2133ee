"""Charts of experiments with arms."""

from math import sqrt
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.experiments import DATES, TABLES, arms, effects, looks
from tests.support.rendered_charts import finding, marks, rows_of, spec, texts, told


def test_the_surest_effect_is_the_title() -> None:
    assert finding(effects("better"), "effects") == "new is better in ctr (+1%)"
    assert finding(effects("unclear", "worse", "unclear"), "effects") == (
        "new is worse in bought (+2%); 1 of 3 effects significant"
    )
    assert finding(effects("unclear"), "effects") == "No difference from old is shown"


def test_no_effect_is_named_where_the_experiment_is_not_trusted() -> None:
    def title(passed: bool) -> str:
        checks = cf.Table({"check": ["sample ratio"], "p": [0.5], "effect": [0.0], "passed": [passed]})
        study = cf.Study("ab", {"effects": effects("better"), "checks": checks}, charts=("effects",))
        lines = draw(study, "effects").to_dict()["title"]["text"]
        return lines if isinstance(lines, str) else " ".join(lines)

    assert title(passed=True) == finding(effects("better"), "effects").replace(" %", "%")
    assert "better" not in title(passed=False)
    assert "sample ratio" in title(passed=False)


def test_both_intervals_are_relative_to_the_control() -> None:
    (row,) = rows_of(effects("better"), "effects", "point")
    ends = [row[end] for end in ("always_low", "relative_low", "relative", "relative_high", "always_high")]
    assert ends == pytest.approx([0.0, 0.005, 0.01, 0.015, 0.02])
    assert len({row["colour"] for row in rows_of(effects("better", "worse", "unclear"), "effects", "point")}) == 3


def test_treatments_are_named_where_there_are_several() -> None:
    several = effects("better", "unclear", treatments=("new", "newer"))
    assert [word for word in texts(several, "effects") if "·" in word] == [
        *("ctr · new", "bought · new", "ctr · newer", "bought · newer")
    ]
    assert "+1%, p = 0.010" in texts(several, "effects")


def test_what_is_relative_to_nothing_is_left_out_and_said() -> None:
    rows = effects("better", "unclear").rows()
    rows[1] |= {"relative": None, "relative_low": None, "relative_high": None}
    table = cf.Table.from_rows(rows, list(rows[0]))
    assert len(rows_of(table, "effects", "point")) == 1
    assert "1 effect not drawn" in told(table, "effects")
    with pytest.raises(cf.ParameterError, match="there is nothing to draw"):
        draw(cf.Table.from_rows(rows[1:], list(rows[0])), "effects")


def test_the_day_on_which_a_difference_was_first_shown() -> None:
    assert finding(looks(DATES, shown_from=3), "looks") == (
        "0 was outside the band first on 2024-03-04, after 400 users"
    )
    assert finding(looks([1, 2, 3], shown_from=1), "looks") == "0 was outside the band first on day 2, after 200 users"
    assert finding(looks(DATES), "looks") == "After 600 users 0 is inside the band"


def drawn(table: cf.Table) -> dict[str, int]:
    """The measure of each panel, and how many days it has."""
    bands = [panel["layer"][0]["data"]["values"] for panel in spec(table, "looks")["vconcat"]]
    return {rows[0]["measure"]: len(rows) for rows in bands}


def test_every_measure_has_its_panel() -> None:
    both = looks(DATES, shown_from=3, measures=("ctr", "wait"))
    assert finding(both, "looks") == "0 was outside 2 of 2 bands, first on 2024-03-04, after 400 users: ctr"
    assert drawn(both) == {"ctr": len(DATES), "wait": len(DATES)}
    many = looks(DATES, measures=tuple(f"m{i}" for i in range(9)))
    assert "the first 8 of 9 measures and treatments" in told(many, "looks")
    assert list(drawn(many)) == [f"m{i}" for i in range(8)]


@pytest.mark.parametrize(
    ("days", "kind"),
    [
        (DATES, "temporal"),
        ([day.isoformat() for day in DATES], "temporal"),  # as CSV has them
        ([1, 2, 3], "quantitative"),
        (["x", "y"], "ordinal"),
    ],
)
def test_days_are_dates_numbers_or_words(days: list[Any], kind: str) -> None:
    assert marks(looks(days), "looks")[0][1]["x"]["type"] == kind


def test_the_gauge_has_room_for_chance_and_for_nothing_else() -> None:
    off, fine = arms({"old": 4000, "new": 6000}, (0.5, 0.5)), arms({"old": 4990, "new": 5010}, (0.5, 0.5))
    # 3.29 standard errors of a share of one half among 10,000 users, in points.
    half = 100 * 3.2905 * sqrt(0.25 / 10_000)
    first = rows_of(off, "sample-ratio", "point")[0]
    assert (first["off"], first["low"], first["high"]) == pytest.approx((-10, -half, half))
    assert first["colour"] != rows_of(fine, "sample-ratio", "point")[0]["colour"]
    assert finding(off, "sample-ratio").startswith("Users are not shared out as configured: ")
    assert finding(fine, "sample-ratio").startswith("Users are shared out as configured: ")
    leak = arms({"old": 500, "new": 500, "other": 3}, (0.5, 0.5, 0.0))
    assert finding(leak, "sample-ratio") == "other has users, and was to have none"


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.4, "Users are shared out as configured: "),
        (0.0086, "The shares of users are odd: "),
        (1e-5, "Users are not shared out as configured: "),
    ],
)
def test_the_check_speaks_in_the_title(p: float, said: str) -> None:
    checks = cf.Table({"check": ["sample ratio"], "p": [p], "effect": [0.1], "passed": [True]})
    study = cf.Study("ab", {"arms": TABLES["sample-ratio"], "checks": checks}, charts=("sample-ratio",))
    text = draw(study, "sample-ratio").to_dict()["title"]["text"]
    assert (text if isinstance(text, str) else " ".join(text)).startswith(said)
