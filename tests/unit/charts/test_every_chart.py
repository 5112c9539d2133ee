"""Charts: every one of the catalogue draws, whatever the runs are called and however many there are."""

import io
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

import cranfield as cf
from cranfield.charts import CHARTS, SUFFIXES, Chart, PrecisionRecall, Weights, check_suffix, draw, save
from cranfield.charts.theme import COLOURS, INK, SHAPES
from cranfield.core import MissingExtra, UnknownName
from cranfield.measures import parse_named
from tests.support.chart_tables import (
    answer_support,
    click_curves,
    crowds,
    experiments,
    heat_maps,
    interleavings,
    leaderboard_history,
    leaderboards,
    novelty,
    online_agreement,
    pools,
    private_topic_scores,
    reproductions,
    robustness,
    scale_spacing,
    topic_counts,
    topic_difficulty,
    two_run_outcomes,
)

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
RUN = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"x": 2.0, "c": 1.0}}


def curve(runs: int) -> cf.Table:
    """A curve for each of some runs; run 0 is the lowest."""
    points = [0.0, 0.5, 1.0]
    return cf.Table(
        {
            "run": [f"run{r}" for r in range(runs) for _ in points],
            "recall": points * runs,
            "precision": [(r + 1) / runs * (1 - x / 2) for r in range(runs) for x in points],
        },
        "precision at recall, 9 topics",
    )


def weights(models: int, ranks: int) -> cf.Table:
    """The weights of RBP, p = 1/2, 2/3, …."""
    rows = [(p, i) for p in (1 - 1 / (m + 2) for m in range(models)) for i in range(1, ranks + 1)]
    return cf.Table(
        {
            "measure": [f"RBP(p={p:.3f})" for p, _ in rows],
            "rank": [i for _, i in rows],
            "continues": [p for p, _ in rows],
            "weight": [(1 - p) * p ** (i - 1) for p, i in rows],
            "last": [(1 - p) * p ** (i - 1) for p, i in rows],
        },
        "weights",
    )


SCORES = {"bm25": [0.1, 0.2, 0.3, 0.2, 0.9], "dense": [0.2, 0.4, 0.5, 0.3, 0.5], "both": [0.8, 0.9, 0.8, 0.9, 0.7]}
COMPARED = cf.test(pl.DataFrame(SCORES), "t")
ANALYSED = cf.anova(pl.DataFrame(SCORES))
PLANNED = cf.power(variance=0.02, difference=0.1)
TABLES = {
    "precision-recall": curve(3),
    "weights": weights(3, 20),
    "power": PLANNED["power"],
    "p-matrix": COMPARED["tests"],
    "intervals": ANALYSED["systems"],
    "boxes": ANALYSED["boxes"],
    **topic_counts.TABLES,
    **two_run_outcomes.TABLES,
    **leaderboards.TABLES,
    **online_agreement.TABLES,
    **click_curves.TABLES,
    **crowds.TABLES,
    **topic_difficulty.TABLES,
    **experiments.TABLES,
    **heat_maps.TABLES,
    **leaderboard_history.TABLES,
    **interleavings.TABLES,
    **novelty.TABLES,
    **pools.TABLES,
    **private_topic_scores.TABLES,
    **reproductions.TABLES,
    **robustness.TABLES,
    **scale_spacing.TABLES,
    **answer_support.TABLES,
}


WORDS = {
    "precision-recall": {PrecisionRecall.x_title, PrecisionRecall.y_title, PrecisionRecall.subtitle, "run0", "run2"},
    "weights": {Weights.x_title, Weights.y_title, Weights.subtitle, "RBP(p=0.500)"},
    "power": {"topics", "power", "how often the test is significant"},
    "p-matrix": {"t on score", "p after correction; runs sorted by mean difference", *SCORES, "not significant"},
    "intervals": {"mean", "dot: mean; the best on top", *SCORES},
    "boxes": {"value", "line: median; diamond: mean", *SCORES},
    **topic_counts.SAID,
    **two_run_outcomes.SAID,
    **leaderboards.SAID,
    **online_agreement.SAID,
    **click_curves.SAID,
    **crowds.SAID,
    **topic_difficulty.SAID,
    **experiments.SAID,
    **heat_maps.SAID,
    "sota": {"mean"},
    **interleavings.SAID,
    **novelty.SAID,
    **pools.SAID,
    **private_topic_scores.SAID,
    **reproductions.SAID,
    **robustness.SAID,
    **scale_spacing.SAID,
    **answer_support.SAID,
}


def spec(table: cf.Table, name: str = "pr") -> dict[str, Any]:
    return draw(table, name).to_dict()


def drawn(table: cf.Table, name: str = "pr") -> list[list[dict[str, Any]]]:
    """The rows that each layer draws."""
    whole = spec(table, name)
    kept = whole.get("datasets", {})
    return [
        layer["data"]["values"] if "values" in layer.get("data", {}) else kept[layer["data"]["name"]]
        for layer in ([{"data": whole["data"]}] if "data" in whole else whole["layer"])
    ]


def title(table: cf.Table, name: str = "pr") -> tuple[str, list[str]]:
    found = spec(table, name)["title"]
    return found["text"], found["subtitle"]


def svg_of(table: cf.Table, folder: Path, name: str = "pr") -> str:
    save(draw(table, name), folder / "chart.svg")
    return (folder / "chart.svg").read_text()


@pytest.mark.parametrize("name", CHARTS.names())
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_chart_becomes_every_kind_of_picture(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart{suffix}"
    save(draw(TABLES[name], name), path)
    made = path.read_bytes()
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
    assert made.startswith(starts[suffix])
    if suffix == ".svg":
        ET.fromstring(made)
    if suffix == ".html":
        assert b"<svg" in made
        assert b"<script" not in made


@pytest.mark.parametrize("name", CHARTS.names())
def test_every_chart_has_words_on_it(name: str, tmp_path: Path) -> None:
    svg = svg_of(TABLES[name], tmp_path, name)
    said = set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))
    assert WORDS[name] <= said


def test_a_study_names_its_charts() -> None:
    study = cf.evaluate(QRELS, {"mine": RUN}, "AP", curve="pr").study()
    assert study.charts == ("precision-recall",)
    rows = drawn(study["curve"])[0]
    # Topic 1: 1 and 2/3 at recall 1/2 and 1; topic 2: 1/2.
    assert rows[0] == {"run": "mine", "recall": 0.0, "precision": (1 + 1 / 2) / 2}
    assert rows[-1]["precision"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert draw(study, "pr").to_dict() == draw(study["curve"], "precision-recall").to_dict()
    with pytest.raises(cf.ParameterError, match="the study evaluate has no chart named 'weights'") as caught:
        draw(study, "weights")
    assert caught.value.hint == "it has: precision-recall"
    without = cf.evaluate(QRELS, {"mine": RUN}, "AP").study()
    with pytest.raises(cf.ParameterError) as caught:
        draw(without, "pr")
    assert caught.value.hint == "it has: none"


def test_one_line_needs_no_legend() -> None:
    assert title(curve(1)) == ("Precision at recall, 9 topics: run0", [PrecisionRecall.subtitle])
    assert '"legend": null' in draw(curve(1), "pr").to_json()


def test_the_highest_line_stands_first_and_models_stand_as_they_came() -> None:
    layers = spec(curve(3))["layer"]
    assert layers[0]["encoding"]["color"]["scale"]["domain"] == ["run2", "run1", "run0"]
    models = spec(weights(3, 5), "weights")["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert models == ["RBP(p=0.500)", "RBP(p=0.667)", "RBP(p=0.750)"]


@pytest.mark.parametrize("runs", [2, 10])
def test_up_to_ten_lines_have_a_colour_each(runs: int, tmp_path: Path) -> None:
    assert len(drawn(curve(runs))) == 1
    assert len(title(curve(runs))[1]) == 1
    save(draw(curve(runs), "pr"), tmp_path / "chart.png")
    picture = np.asarray(Image.open(io.BytesIO((tmp_path / "chart.png").read_bytes())).convert("RGB")).reshape(-1, 3)
    for colour in COLOURS[:runs]:
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert (picture == wanted).all(axis=1).sum() > 50, colour


def test_of_many_lines_the_highest_few_have_a_colour_and_the_chart_says_so(tmp_path: Path) -> None:
    behind, ahead = (sorted({row["run"] for row in rows}) for rows in drawn(curve(20))[:2])
    assert ahead == ["run15", "run16", "run17", "run18", "run19"]
    assert len(behind) == 15
    assert title(curve(20))[1][1] == "in colour the 5 highest of 20 runs"
    svg = svg_of(curve(20), tmp_path)
    assert "run19" in svg
    assert title(weights(12, 5), "weights")[1][1] == "in colour the first 5 of 12 measures"


def test_long_lines_are_dashed_instead_of_dotted() -> None:
    short, long = (spec(weights(2, ranks), "weights") for ranks in (20, 100))
    assert [layer["mark"]["type"] for layer in short["layer"]] == ["line", "point"]
    assert [layer["mark"]["type"] for layer in long["layer"]] == ["line"]
    assert "strokeDash" in long["layer"][0]["encoding"]


@pytest.mark.parametrize(
    ("ranks", "ticks"), [(3, [1, 2, 3]), (20, [1, 5, 10, 15, 20]), (100, [1, 20, 40, 60, 80, 100])]
)
def test_the_first_rank_is_always_named(ranks: int, ticks: list[int]) -> None:
    assert Weights().ticks(list(range(1, ranks + 1))) == ticks


def test_colours_can_be_told_apart_from_white_and_from_each_other() -> None:
    assert len(set(COLOURS)) == len(COLOURS) == len(SHAPES)
    # WCAG asks of text on white at least 4.5 : 1.
    channels = [int(INK[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert 1.05 / (luminance + 0.05) > 4.5


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_a_hostile_name_is_only_a_name(suffix: str, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>\x1b[31m"
    table = cf.Table({"run": [evil, "b"], "recall": [0.0, 0.0], "precision": [0.5, 0.4]}, evil)
    save(draw(table, "pr"), tmp_path / f"chart{suffix}")
    text = (tmp_path / f"chart{suffix}").read_text()
    assert "<script" not in text
    assert "\x1b" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(UnknownName, match="there is no chart named 'xyzzy'") as unknown:
        draw(curve(1), "xyzzy")
    assert unknown.value.hint == f"there are: {', '.join(CHARTS.names())}"
    with pytest.raises(cf.ParameterError, match="there is nothing to draw: curve has no rows"):
        draw(cf.Table({"run": [], "recall": [], "precision": []}), "pr")
    with pytest.raises(cf.ParameterError, match="the table has no column named 'measure'"):
        draw(curve(1), "weights")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("curve.bmp", "curve.bmp: no picture ends in .bmp"),
        ("curve", "curve: the name does not say which kind of picture"),
    ],
)
def test_pictures_of_no_kind(name: str, problem: str) -> None:
    with pytest.raises(cf.ParameterError) as caught:
        check_suffix(name)
    assert (caught.value.problem, caught.value.hint) == (problem, "end the name in .svg .png .pdf .html")
    assert check_suffix("CURVE.SVG") == ".svg"


def test_a_missing_value_breaks_the_line_and_nothing_else(tmp_path: Path) -> None:
    table = cf.Table({"run": ["a"] * 3, "recall": [0.0, 0.5, 1.0], "precision": [0.5, None, 0.25]}, "c")
    assert svg_of(table, tmp_path).count('aria-roledescription="point"') == 2


def test_without_the_extra_there_is_a_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    picture = draw(curve(1), "pr")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match="charts need vl_convert") as caught:
        save(picture, tmp_path / "x.svg")
    assert caught.value.hint == "pip install 'cranfield[charts]'"


def test_charts_are_values() -> None:
    assert PrecisionRecall() == CHARTS["pr"]()
    assert all(issubclass(chart, Chart) for chart in CHARTS)


# Charts of runs and pairs


def test_runs_stand_from_the_highest_mean_down() -> None:
    for name in ("intervals", "boxes"):
        whole = spec(TABLES[name], name)
        layer = next(layer for layer in whole["layer"] if "y" in layer["encoding"])
        assert layer["encoding"]["y"]["sort"] == ["both", "dense", "bm25"]  # means .82, .38, .34


def test_what_cannot_be_told_from_the_best_is_in_colour() -> None:
    rows = {row["run"]: row["top"] for row in drawn(ANALYSED["systems"], "intervals")[0]}
    letters = dict(zip(ANALYSED["systems"].cells("run"), ANALYSED["systems"].cells("letters"), strict=True))
    assert letters == {"both": "a", "dense": "b", "bm25": "b"}
    assert rows == {"both": "like the best", "dense": "below it", "bm25": "below it"}
    told = spec(ANALYSED["systems"], "intervals")["title"]["subtitle"]
    assert "in colour: the best, and 0 of 2 others that do not differ from it significantly" in told


def test_where_less_is_better_the_lowest_mean_is_on_top() -> None:
    values = {"near": [1, 2, 1, 2, 1], "far": [40, 41, 40, 41, 42], "close": [1, 2, 2, 1, 1]}
    scores = replace(cf.read_scores(pl.DataFrame(values)), measures=(parse_named("ESL"),))
    study = cf.anova(scores, scale="ignore")
    rows = {row["run"]: row["top"] for row in drawn(study["systems"], "intervals")[0]}
    assert rows == {"near": "like the best", "close": "like the best", "far": "below it"}
    assert spec(study["systems"], "intervals")["layer"][0]["encoding"]["y"]["sort"][-1] == "far"


def test_without_a_test_no_run_is_said_to_be_like_the_best() -> None:
    table = cf.Table(
        {"run": ["x", "y"], "mean": [0.5, 0.4], "low": [0.4, 0.3], "high": [0.6, 0.5], "letters": [""] * 2}
    )
    assert not any("others" in line for line in spec(table, "intervals")["title"]["subtitle"])


def test_a_topic_beyond_the_whiskers_is_a_dot() -> None:
    # bm25: .1 .2 .2 .3 .9 has quarters .2 and .3, so whiskers end within .05 and .45; both: none is so far out.
    rows = ANALYSED["boxes"].rows()
    assert [row["outlier"] for row in rows if row["run"] == "bm25"] == [None, 0.9]
    box = next(row for row in rows if row["run"] == "bm25")
    assert [box[end] for end in ("low", "q1", "median", "q3", "high")] == [0.1, 0.2, 0.2, 0.3, 0.3]
    assert sum(row["outlier"] is not None for row in rows if row["run"] == "both") == 0


def test_every_pair_has_two_cells_with_opposite_words() -> None:
    rows = COMPARED["tests"].rows()
    cells = {(cell["row"], cell["column"]): cell["class"] for cell in drawn(COMPARED["tests"], "p-matrix")[0]}
    assert len(cells) == 2 * len(rows)
    for (row, column), said in cells.items():
        other = cells[column, row]
        assert other == said.replace("higher", "?").replace("lower", "higher").replace("?", "lower")
    small = {(row["a"], row["b"]) for row in rows if float(str(row["p_adjusted"])) <= 0.05}
    assert {pair for pair, said in cells.items() if said != "not significant"} == small | {(b, a) for a, b in small}


def test_the_pairs_of_a_board_are_drawn_as_tests_are() -> None:
    board = cf.leaderboard(pl.DataFrame(SCORES), test="t", pairs=True, scale="ignore")
    whole = draw(board, "p-matrix").to_dict()
    assert whole["title"]["text"] == "t on score"
    cells = {(cell["row"], cell["column"]): cell["class"] for cell in drawn(board["pairs"], "p-matrix")[0]}
    tested = {(cell["row"], cell["column"]): cell["class"] for cell in drawn(COMPARED["tests"], "p-matrix")[0]}
    assert cells == tested
    assert len(cells) == 6


def test_of_many_runs_neighbours_of_one_class_are_one_bar(tmp_path: Path) -> None:
    draws = np.random.default_rng(3)
    runs = 45
    matrix = draws.random((30, 1)) + draws.normal(0, 0.1, (30, runs)) + draws.permutation(np.linspace(0, 0.6, runs))
    scores = pl.DataFrame({f"run{i:02}": matrix[:, i] for i in range(runs)})
    board = cf.leaderboard(scores, pairs=True, draws=50, scale="ignore")
    bars, names = drawn(board["pairs"], "p-matrix")
    order = [f"run{i:02}" for i in np.argsort(-matrix.mean(axis=0))]
    assert [row["run"] for row in names] == order
    cells = {(bar["row"], order[i]): bar["class"] for bar in bars for i in range(bar["start"], bar["end"])}
    assert len(cells) == runs * (runs - 1) == sum(bar["end"] - bar["start"] for bar in bars)
    for row in board["pairs"].rows():
        p, gap = float(str(row["p_adjusted"])), float(str(row["difference"]))
        size = "p ≤ .001" if p <= 0.001 else "p ≤ .01" if p <= 0.01 else "p ≤ .05" if p <= 0.05 else ""
        for one, other, up in ((row["b"], row["a"], gap > 0), (row["a"], row["b"], gap < 0)):
            said = f"{'higher' if up else 'lower'}, {size}" if size else "not significant"
            assert cells[str(one), str(other)] == said
    assert len(bars) < len(cells) / 5
    assert {"run00", "run44", "higher, p ≤ .001"} <= set(
        re.findall(r">([^<>]+)</t(?:ext|span)>", svg_of(board["pairs"], tmp_path, "p-matrix"))
    )


def test_the_curve_shows_what_changes() -> None:
    assert spec(PLANNED["power"], "power")["layer"][-1]["encoding"]["y"]["field"] == "power"
    reach = cf.power(variance=0.02, topics=30)["power"]
    assert spec(reach, "power")["layer"][-1]["encoding"]["y"]["field"] == "difference"


def test_pairs_without_a_difference_or_a_direction() -> None:
    rows = COMPARED["tests"].rows()
    gap = [{**row, "difference": None, "p_adjusted": None} for row in rows[:1]] + rows[1:]
    cells = drawn(cf.Table.from_rows(gap, COMPARED["tests"].columns), "p-matrix")[0]
    assert cells[0]["class"] == cells[1]["class"] == "not significant"
    both = cf.test(pl.DataFrame(SCORES), "tost t")["tests"]
    assert spec(both, "p-matrix")["title"]["text"] == "t on score"
    with pytest.raises(cf.ParameterError, match="tests of equivalence say neither higher nor lower"):
        draw(cf.test(pl.DataFrame(SCORES), "tost")["tests"], "p-matrix")
