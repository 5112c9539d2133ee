"""Charts of what a result survives."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.robustness import (
    SAID,
    TABLES,
    agreement,
    collections,
    cost,
    flips,
    orders,
    sizes,
)
from tests.support.rendered_charts import finding, marks, rows_of, seen, texts, told


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


SIZES: dict[str, tuple[str, Callable[[], cf.Table]]] = {
    "forest-1": ("forest", lambda: collections(1, pooled=False)),
    "forest-40": ("forest", lambda: collections(40)),
    "pareto-2": ("pareto", lambda: cost(2)),
    "pareto-129": ("pareto", lambda: cost(129)),
    "sizes-1": ("sizes", lambda: sizes([0.5])),
    "sizes-400": ("sizes", lambda: sizes([1 - 1 / (i + 2) for i in range(400)], 17)),
    "orders-2": ("orders", lambda: orders(["AP", "RR"])),
    "orders-30": ("orders", lambda: orders([f"P@{i}" for i in range(1, 31)])),
}


@pytest.mark.parametrize("case", SIZES)
def test_few_and_many_are_drawn(case: str, tmp_path: Path) -> None:
    name, make = SIZES[case]
    assert "<path" in seen(make(), name, tmp_path)


# Forest


def forest(
    found: Mapping[str, tuple[float, float | None, float | None, float | None]], measure: str = "AP"
) -> cf.Table:
    rows = [
        {"a": "x", "b": "y", "measure": measure, "collection": name, "topics": 50, "difference": difference}
        | {"low": low, "high": high, "p": None, "weight": weight}
        for name, (difference, low, high, weight) in found.items()
    ]
    return cf.Table.from_rows(rows, list(rows[0]))


def test_squares_are_as_large_as_their_weight() -> None:
    table = forest({"c": (0.1, 0.0, 0.2, 0.75), "d": (-0.1, -0.3, 0.1, 0.25), "pooled": (0.05, 0.01, 0.09, 1.0)})
    rows = rows_of(table, "forest", "point")
    assert [row["difference"] for row in rows] == [0.1, -0.1]
    assert rows[0]["size"] == 3 * rows[1]["size"]
    lines = next(rows for mark, encoded, rows in marks(table, "forest") if mark == "rule" and "x2" in encoded)
    assert [(row["low"], row["high"]) for row in lines] == [(0.0, 0.2), (-0.3, 0.1)]
    assert rows_of(table, "forest", "rule") == [{"low": 0}]  # the line at no difference
    assert {"+.100  [0, .200]", "−.100  [−.300, .100]", "+.050  [.010, .090]"} <= set(texts(table, "forest"))


def test_the_diamond_is_as_wide_as_the_interval() -> None:
    table = forest({"c": (0.1, 0.0, 0.2, 1.0), "pooled": (0.05, 0.01, 0.09, 1.0)})
    corners = rows_of(table, "forest", "area")
    assert [row["low"] for row in corners] == [0.01, 0.05, 0.09]
    heights = [row["place2"] - row["place"] for row in corners]
    assert heights[0] == heights[2] == 0 < heights[1]
    assert not [mark for mark, *_ in marks(forest({"c": (0.1, 0.0, 0.2, 1.0)}), "forest") if mark == "area"]


def test_the_title_of_a_forest() -> None:
    both = {"c": (0.1, 0.0, 0.2, 0.5), "d": (-0.1, -0.3, 0.1, 0.5)}
    sure = forest({**both, "pooled": (0.05, 0.01, 0.09, 1.0)})
    assert finding(sure, "forest") == "y is ahead of x on 1 of 2 collections; together the difference is +.050"
    unsure = forest({**both, "pooled": (0.05, -0.01, 0.11, 1.0)})
    said = "y is ahead of x on 1 of 2 collections; together the difference is +.050, which may be none"
    assert finding(unsure, "forest") == said
    unknown = forest({**both, "pooled": (0.05, None, None, 1.0)})
    assert finding(unknown, "forest").endswith("together the difference is +.050")
    assert finding(forest(both), "forest") == "y is ahead of x on 1 of 2 collections"
    assert "diamond" not in told(forest(both), "forest")
    lower = forest({"c": (-2.0, -3.0, -1.0, 1.0)}, "ESL@10")
    assert finding(lower, "forest") == "y is ahead of x on 1 of 1 collection"


def test_of_several_pairs_and_measures_the_first_is_drawn_and_gaps_stay_gaps() -> None:
    rows = [*forest({"c": (0.1, None, None, None)}).rows(), *forest({"c": (0.7, 0.6, 0.8, 1.0)}, "RR").rows()]
    table = cf.Table.from_rows(rows, list(rows[0]))
    assert [row["difference"] for row in rows_of(table, "forest", "point")] == [0.1]
    assert "the first of 2 pairs and measures" in told(table, "forest")
    assert "+.100" in texts(table, "forest")
    with pytest.raises(cf.ParameterError, match="no row is of one collection") as caught:
        draw(forest({"pooled": (0.1, 0.0, 0.2, 1.0)}), "forest")
    assert caught.value.hint == "draw them one by one"
    with pytest.raises(cf.ParameterError, match="no row has difference"):
        draw(cf.Table.from_rows([{**rows[0], "difference": None}], list(rows[0])), "forest")


# Cost


def costs(found: dict[str, tuple[float | None, float | None, bool]], cost: str = "latency (ms)") -> cf.Table:
    names, rows = list(found), list(found.values())
    numbers = {"mean": [mean for mean, *_ in rows], "value": [value for _, value, _ in rows]}
    return cf.Table({"run": names, "cost": [cost] * len(names), **numbers, "front": [front for *_, front in rows]})


def test_the_front_is_joined_and_named() -> None:
    table = costs({"x": (0.3, 10.0, True), "y": (0.4, 200.0, True), "z": (0.2, 100.0, False)})
    said = "2 of 3 runs are on the front; y gains .100 over x for 20 times the latency"
    assert finding(table, "pareto") == said
    assert [row["run"] for row in rows_of(table, "pareto", "line")] == ["x", "y"]
    assert set(texts(table, "pareto")) == {"x", "y"}
    assert marks(table, "pareto")[0][1]["x"]["scale"].get("type") is None
    far = costs({"x": (0.3, 10.0, True), "y": (0.4, 301.0, True)})
    assert marks(far, "pareto")[0][1]["x"]["scale"]["type"] == "log"


def test_one_run_may_be_the_best_and_the_cheapest() -> None:
    table = costs({"x": (0.4, 10.0, True), "y": (0.3, 20.0, False)})
    assert finding(table, "pareto") == "x is both the best and the cheapest of 2 runs"
    free = costs({"x": (0.3, 0.0, True), "y": (0.4, 20.0, True)})
    assert finding(free, "pareto") == "2 of 2 runs are on the front; y gains .100 over x for more of the latency"


def test_better_is_up_also_where_less_is_better() -> None:
    assert (
        marks(costs({"x": (0.3, 10.0, True), "y": (0.4, 20.0, True)}), "pareto")[0][1]["y"]["scale"]["reverse"] is False
    )
    less = costs({"x": (7.0, 10.0, True), "y": (4.0, 20.0, True), "z": (9.0, 15.0, False)})
    assert marks(less, "pareto")[0][1]["y"]["scale"]["reverse"] is True


def test_of_several_costs_the_first_is_drawn_and_gaps_are_counted() -> None:
    first = costs({"x": (0.4, 10.0, True), "y": (0.3, None, False)})
    table = cf.Table.from_rows([*first.rows(), *costs({"x": (0.4, 7.0, True)}, "size").rows()], first.columns)
    assert {row["value"] for row in rows_of(table, "pareto", "line")} == {10.0}
    assert "1 run without both numbers left out" in told(table, "pareto")
    with pytest.raises(cf.ParameterError, match="no run is on the front") as caught:
        draw(costs({"x": (0.4, 10.0, False)}), "pareto")
    assert caught.value.hint == "draw costs with a front"
    with pytest.raises(cf.ParameterError, match="no row has mean and value"):
        draw(costs({"x": (0.4, None, True)}), "pareto")


# Curves of τ


def test_what_wrong_labels_leave_of_the_order() -> None:
    # Shares 0, 5, 10, 15 %: at or above .9 up to 5 %.
    table = flips([1.0, 0.95, 0.89, 0.7])
    said = "The order of runs holds up to 5 % of wrong labels; with 15 % of labels flipped τ is .70"
    assert finding(table, "flips") == said
    assert finding(flips([1.0, 0.95]), "flips") == "The order of runs holds: with 5 % of labels flipped τ is .95"
    said = "The order of runs depends on the labels: with 10 % of labels flipped τ is .60"
    assert finding(flips([1.0, 0.8, 0.6]), "flips") == said


def test_how_many_topics_keep_the_order() -> None:
    # 5, 10, 15, 20 topics; in the second the curve is above .9 at 10, and falls again.
    said = "From 15 topics on the order of runs is stable: mean τ is .9 or more"
    assert finding(sizes([0.5, 0.8, 0.9, 0.95]), "sizes") == said
    assert finding(sizes([0.5, 0.92, 0.85, 0.95]), "sizes").startswith("From 20 topics on")
    assert finding(sizes([0.5, 0.7]), "sizes") == "Even 10 topics do not keep the order of runs: τ is .70"


def test_curves_have_a_band_and_a_line_at_nine_tenths() -> None:
    table = sizes([0.5, 0.92, 0.95])
    area = next(encoded for mark, encoded, _ in marks(table, "sizes") if mark == "area")
    assert (area["y"]["field"], area["y2"]["field"]) == ("low", "high")
    assert rows_of(table, "sizes", "rule")[0]["tau"] == 0.9
    assert [row["tau"] for row in rows_of(table, "sizes", "line")] == [0.5, 0.92, 0.95]
    low = area["y"]["scale"]["domain"][0]
    assert low <= min(float(str(row["low"])) for row in table.rows())
    below = sizes([-0.3, 0.1])
    assert marks(below, "sizes")[0][1]["y"]["scale"]["domain"][0] <= -0.6


def test_curves_are_sorted_and_gaps_left_out() -> None:
    table = cf.Table(
        {"topics": [20, 10, 15], "tau": [0.9, 0.5, None], "low": [None, 0.4, 0.1], "high": [None, 0.6, 1.0]}
    )
    rows = rows_of(table, "sizes", "line")
    assert [(row["topics"], row["low"], row["high"]) for row in rows] == [(10, 0.4, 0.6), (20, 0.9, 0.9)]
    with pytest.raises(cf.ParameterError, match="no row has topics and tau"):
        draw(cf.Table({"topics": [5], "tau": [None], "low": [None], "high": [None]}), "sizes")


# Agreement


def test_bars_of_agreement() -> None:
    rows = rows_of(agreement(), "agreement", "bar")
    first = {row["part"]: row["share"] for row in rows if row["bar"] == 0}
    assert first == pytest.approx({"agree": 0.933, "agree in part": 0.03, "disagree": 0.037})
    said = "Agreement is highest on RR with sign, mean: 93 % of pairs; halves disagree in 6 % at most"
    assert finding(agreement(), "agreement") == said


def splits(rows: list[tuple[str, int, int, int]]) -> cf.Table:
    same = {"test": ["t"] * len(rows), "aggregate": ["mean"] * len(rows)}
    counts = {name: [row[i + 1] for row in rows] for i, name in enumerate(("agree", "partial", "disagree"))}
    return cf.Table({"measure": [row[0] for row in rows], **same, **counts})


def test_counts_become_shares() -> None:
    one = splits([("AP", 80, 15, 5)])
    assert finding(one, "agreement") == "Halves of the topics agree in 80 % of pairs on AP, disagree in 5 %"
    two = splits([("AP", 80, 15, 5), ("RR", 0, 0, 0), ("P@10", 9, 1, 0)])
    said = "Agreement is highest with t, mean, P@10: 90 % of pairs; halves disagree in 5 % at most"
    assert finding(two, "agreement") == said
    assert {"t, mean, AP", "t, mean, P@10"} <= set(texts(two, "agreement"))
    with pytest.raises(cf.ParameterError, match="no pair was compared") as caught:
        draw(splits([("AP", 0, 0, 0)]), "agreement")
    assert caught.value.hint == "split topics of more runs"
    many = splits([(f"P@{i}", 8, 1, 1) for i in range(1, 71)])
    assert len({row["bar"] for row in rows_of(many, "agreement", "bar")}) == 60
    assert "of 70 rows the first 60" in told(many, "agreement")


# Orders


def test_the_matrix_is_mirrored_and_the_extremes_are_named() -> None:
    table = cf.Table(
        {"measure_a": ["AP", "AP", "RR"], "measure_b": ["RR", "nDCG", "nDCG"], "tau": [0.5, 0.94, 0.62]},
    )
    cells = {(row["row"], row["column"]): row["tau"] for row in rows_of(table, "orders", "rect")}
    assert cells["AP", "RR"] == cells["RR", "AP"] == 0.5
    assert len(cells) == 6
    said = "AP and RR differ most in how they order the runs, τ .50; AP and nDCG least: .94"
    assert finding(table, "orders") == said
    assert marks(table, "orders")[0][1]["x"]["sort"] == ["AP", "RR", "nDCG"]
    assert sorted(texts(table, "orders")) == [".50", ".50", ".62", ".62", ".94", ".94"]
    assert texts(orders([f"P@{i}" for i in range(1, 14)]), "orders") == []


def test_orders_of_two_measures_and_of_one() -> None:
    two = cf.Table({"measure_a": ["AP", "AP"], "measure_b": ["AP", "RR"], "tau": [1.0, -0.25]})
    assert finding(two, "orders") == "AP and RR order the runs with τ −.25"
    assert marks(two, "orders")[0][1]["color"]["scale"]["domain"] == [-0.25, 1]
    same = cf.Table({"measure_a": ["AP", "AP"], "measure_b": ["P", "RR"], "tau": [1.0, 1.0]})
    assert finding(same, "orders") == "Any two measures order the runs with τ 1"
    with pytest.raises(cf.ParameterError, match="the orders are of one measure") as caught:
        draw(cf.Table({"measure_a": ["AP"], "measure_b": ["AP"], "tau": [1.0]}), "orders")
    assert caught.value.hint == "give two or more"
