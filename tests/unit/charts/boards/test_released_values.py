"""The chart of what teams were told of private topics."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.private_topic_scores import ENTRIES, RUNS, TABLES, released
from tests.support.rendered_charts import finding, seen, spec, told


def layers(table: cf.Table) -> list[list[tuple[str, list[dict[str, Any]]]]]:
    """Of every panel the marks with their rows."""
    whole = spec(table, "released")
    kept = whole.get("datasets", {})

    def rows(data: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = data["values"] if "values" in data else kept[data["name"]]
        return found

    return [
        [
            (layer["mark"]["type"], rows(layer.get("data") or panel.get("data") or whole["data"]))
            for layer in panel["layer"]
        ]
        for panel in whole["vconcat"]
    ]


def test_the_line_is_what_the_team_saw_and_dots_are_true() -> None:
    (line, dots), (single, dot) = layers(TABLES["released"])
    # As in the test of the Ladder: a2 gains .05 and would need more.
    assert line == (
        "line",
        [
            {"order": 1, "released": 0.5},
            {"order": 2, "released": 0.5},
            {"order": 3, "released": 0.575},
            {"order": 3.4, "released": 0.575},
        ],
    )
    assert [(row["run"], row["order"], row["step"]) for row in dots[1]] == [
        ("a1", 1, True),
        ("a2", 2, False),
        ("a3", 3, True),
    ]
    assert [row["value"] for row in dots[1]] == pytest.approx([0.5, 0.55, 0.575])
    assert single[1][0] == {"order": 1, "released": 0.85}
    assert dot[1][0]["run"] == "b1"
    assert finding(TABLES["released"], "released") == "4 submissions of 2 teams: 3 values released"
    assert "filled where it was released" in told(TABLES["released"], "released")


def test_where_nothing_is_told_there_are_dots_alone() -> None:
    table = released(RUNS, rule="none")
    assert [[kind for kind, _ in panel] for panel in layers(table)] == [["point"]]
    assert finding(table, "released") == "4 submissions of 1 team: nothing was released"
    assert told(table, "released") == "dot: the true value on private topics"


def test_where_less_is_better_better_is_up() -> None:
    down = {"x": [5.0, 4.0, 6.0], "y": [4.0, 3.5, 5.0], "z": [9.0, 9.0, 9.0]}
    values = replace(cf.read_scores(down), measures=(cf.ESL(),))
    for given, turned in ((values, True), (down, False)):
        panel = spec(cf.ladder(given)["released"], "released")["vconcat"][0]
        assert [layer["encoding"]["y"]["scale"]["reverse"] for layer in panel["layer"]] == [turned] * 2
    plain = cf.ladder(down, rule="plain")["released"]  # values that fall say nothing of what is better
    assert not spec(plain, "released")["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["reverse"]


def test_of_many_teams_those_with_most_submissions_have_a_panel(tmp_path: Path) -> None:
    runs = {f"run{i}": [0.1, 0.2 + i / 100, 0.3] for i in range(30)}
    groups = {"run": list(runs), "group": [f"team {min(i, 8)}" for i in range(30)]}  # the ninth has 22
    table = released(runs, entries=groups)
    whole = spec(table, "released")
    assert [panel["title"]["text"] for panel in whole["vconcat"]][:2] == ["team 8", "team 0"]
    assert len(whole["vconcat"]) == 6
    ticks = whole["vconcat"][0]["layer"][0]["encoding"]["x"]["axis"]["values"]
    assert ticks == [1, 4, 7, 10, 13, 16, 19, 22]
    assert "the 6 teams with the most submissions" in told(table, "released")
    assert "submissions of the team" in seen(table, "released", tmp_path)


def test_the_study_names_it() -> None:
    study = cf.ladder(RUNS, entries=ENTRIES, decimals=3)
    assert draw(study, "released").to_dict() == draw(TABLES["released"], "released").to_dict()
