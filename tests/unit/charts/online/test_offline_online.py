"""Charts of live users beside measures, and of policies beside a log."""

from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.core import ParameterError
from tests.support.chart_tables.online_agreement import FOUR, POINTS, RUNS, TWO, points, policies
from tests.support.rendered_charts import finding, layers, rows_of, seen, told, words


def likeness(rows: list[tuple[Any, ...]]) -> cf.Table:
    names = ("measure", "kendall", "kendall_low", "kendall_high")
    return cf.Table.from_rows([dict(zip(names, row, strict=True)) for row in rows], names)


SAID_OF_TWO = likeness([("ESL", -1 / 3, -1.0, 1 / 3), ("AP", 1.0, 0.5, 1.0)])


def study(table: cf.Table, beside: cf.Table) -> cf.Study:
    return cf.Study("bridge", {"bridge": beside, "points": table}, charts=("bridge",))


def panels(picture: Any) -> list[dict[str, Any]]:
    return [panel for line in picture.to_dict()["vconcat"] for panel in line["hconcat"]]


def test_panels_stand_by_how_well_their_measures_foretell() -> None:
    picture = draw(study(TWO, SAID_OF_TWO), "bridge")
    assert [panel["title"]["text"] for panel in panels(picture)] == ["τ 1 [.50, 1]", "τ −.33 [−1, .33]"]
    said = " ".join(picture.to_dict()["title"]["text"])
    assert said == ("Order of 3 runs by 2 measures and by users, from AP τ 1 [.50, 1] to ESL τ −.33 [−1, .33]")
    across = [panel["layer"][0]["encoding"]["x"] for panel in panels(picture)]
    assert [x["axis"]["title"] for x in across] == ["AP", "ESL, less is better"]
    assert [x["scale"]["reverse"] for x in across] == [False, True]  # what is good is always on the right
    assert panels(picture)[0]["layer"][0]["encoding"]["y"]["axis"]["title"] == "ctr"


@pytest.mark.parametrize("taus", [(0.6, 0.6), (0.6, 0.5), (-0.2, -0.5), (0.0, -0.5)])
def test_the_title_calls_no_measure_best(taus: tuple[float, float]) -> None:
    beside = likeness([("AP", taus[0], -1.0, 1.0), ("ESL", taus[1], -1.0, 1.0)])
    title = " ".join(draw(study(TWO, beside), "bridge").to_dict()["title"]["text"])
    assert not {"best", "worst", "foretells", "predicts"} & set(title.split())
    assert title.count("[−1, 1]") == 2  # each τ has its interval


@pytest.mark.parametrize(("runs", "named"), [(8, 8), (9, 4)])
def test_few_runs_are_all_named(runs: int, named: int) -> None:
    rows = [dict(zip(POINTS, ("AP", f"r{i}", i / 10, i / 10, None, None), strict=True)) for i in range(runs)]
    picture = draw(cf.Table.from_rows(rows, POINTS, caption="ctr beside it"), "bridge")
    assert len([word for word in words(picture) if word.startswith("r")]) == named


def test_dots_are_the_runs_and_lines_their_intervals() -> None:
    picture = draw(TWO, "bridge")
    marks = [(mark["type"], rows) for mark, _, rows in layers(picture)]
    (dots, *_), (rules, *_) = ([rows for kind, rows in marks if kind == wanted] for wanted in ("point", "rule"))
    assert [(row["run"], row["offline"], row["online"]) for row in dots] == [
        ("x", 0.1, 0.2),
        ("y", 0.2, 0.4),
        ("z", 0.3, 0.6),
    ]
    assert [row["online_low"] for row in rules] == pytest.approx([0.1, 0.3, 0.5])
    assert set(words(picture)) <= set(RUNS)
    assert told(TWO, "bridge").endswith("with its interval")
    without = points({"AP": [0.1, 0.2, 0.3]}, half=None)
    assert "rule" not in {mark["type"] for mark, *_ in layers(draw(without, "bridge"))}
    assert told(without, "bridge").endswith("what users did")


def test_without_correlations_nothing_is_foretold() -> None:
    assert finding(TWO, "bridge") == "Offline values of 3 runs, and what users did with the same runs"
    alone = study(points({"AP": [0.1, 0.2, 0.3]}), likeness([("AP", None, None, None)]))
    assert panels(draw(alone, "bridge"))[0]["title"]["text"] == "τ is not known"


def test_of_many_measures_the_best_are_drawn() -> None:
    many = {f"P@{k}": [0.1, 0.2, 0.3] for k in range(1, 9)}
    beside = likeness([(name, i / 10, None, None) for i, name in enumerate(many)])
    picture = draw(study(points(many), beside), "bridge")
    names = [panel["layer"][0]["encoding"]["x"]["axis"]["title"] for panel in panels(picture)]
    assert names == ["P@8", "P@7", "P@6", "P@5", "P@4", "P@3"]
    assert "the first 6 of 8 measures" in picture.to_dict()["title"]["subtitle"]


def test_nothing_to_draw_and_odd_names(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no row has offline and online"):
        draw(cf.Table({name: [None] if name != "run" else ["x"] for name in POINTS}), "bridge")
    svg = seen(points({"AP": [0.1, 0.2, 0.3]}, caption="<script>\x1b beside it"), "bridge", tmp_path)
    assert "<script>" not in svg


def test_the_best_policy_stands_on_top_by_the_first_estimator(tmp_path: Path) -> None:
    assert finding(FOUR, "policies") == (
        "Highest of 2 policies: new − log: +.050 for each impression by snips, p = 0.028 (Holm)"
    )
    assert "line: interval, Bonferroni-adjusted for 2 policies" in told(FOUR, "policies")
    assert told(FOUR, "policies").endswith("0: what the log earned, .200 for each impression")
    layer = draw(FOUR, "policies").to_dict()["layer"][1]["encoding"]
    assert layer["y"]["sort"] == ["new", "old"]
    assert layer["color"]["scale"]["domain"] == ["snips", "ips"]
    assert len(rows_of(FOUR, "policies", "point")) == 4
    assert seen(FOUR, "policies", tmp_path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("p", "ips", 0.1, -0.1, 0.3, 0.3), "p − log: +.100 for each impression by ips, p = 0.300"),
        (("p", "ips", 0.1, None, None, None), "p − log: +.100 for each impression by ips"),
        (("p", "ips", -0.1, -0.2, -0.05, 0.0004), "p − log: −.100 for each impression by ips, p < 0.001"),
    ],
)
def test_the_title_describes_the_difference_from_the_log(row: tuple[Any, ...], said: str) -> None:
    assert finding(policies([row]), "policies") == said
    assert '"legend": null' in draw(policies([row]), "policies").to_json()


@pytest.mark.parametrize("name", ["bridge", "policies"])
def test_the_title_warns_where_the_result_is_not_trusted(name: str) -> None:
    """The finding stays below the warning; a trusted result and a table alone have the finding as their title."""
    table, made = ("policies", FOUR) if name == "policies" else ("points", TWO)
    said = "It does so. Do not trust this result: 9.4% of the rows are excluded. Look again."
    verdict = {"sentence": said, "trusted": False}
    doubted: Any = cf.Study(name, {table: made}, verdict, charts=(name,))
    trusted: Any = cf.Study(name, {table: made}, verdict | {"trusted": True}, charts=(name,))
    assert finding(doubted, name) == "Do not trust this result: 9.4% of the rows are excluded"
    assert finding(trusted, name) == finding(made, name)
    assert told(doubted, name).startswith(finding(made, name))
