"""Charts of what a result survives."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.core import stack
from tests.support.chart_tables.robustness import (
    AGREEMENT,
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
    assert {"+.100 [0, .200]", "−.100 [−.300, .100]", "+.050 [.010, .090]"} <= set(texts(table, "forest"))


def test_the_diamond_is_as_wide_as_the_interval() -> None:
    table = forest({"c": (0.1, 0.0, 0.2, 1.0), "pooled": (0.05, 0.01, 0.09, 1.0)})
    corners = rows_of(table, "forest", "area")
    assert [row["low"] for row in corners] == [0.01, 0.05, 0.09]
    heights = [row["place2"] - row["place"] for row in corners]
    assert heights[0] == heights[2] == 0 < heights[1]
    assert not [mark for mark, *_ in marks(forest({"c": (0.1, 0.0, 0.2, 1.0)}), "forest") if mark == "area"]


def test_the_title_of_a_forest() -> None:
    both = {"c": (0.1, 0.0, 0.2, 0.5), "d": (-0.1, -0.3, 0.1, 0.5)}
    pooled = forest({**both, "pooled": (0.05, -0.01, 0.11, 1.0)})
    said = "y has the higher AP on 1 of 2 collections, x on 1; pooled difference +.050 [−.010, .110]"
    assert finding(pooled, "forest") == said
    unknown = forest({**both, "pooled": (0.05, None, None, 1.0)})
    assert finding(unknown, "forest").endswith("pooled difference +.050")
    assert "pooled" not in finding(forest(both), "forest")
    assert "diamond" not in told(forest(both), "forest")
    lower = forest({"c": (-2.0, -3.0, -1.0, 1.0)}, "ESL@10")
    assert finding(lower, "forest") == "y has the lower ESL@10 on 1 of 1 collection, x on 0"


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
    said = "2 of 3 runs are on the front, from x (mean .300) to y (mean .400, 20 times the latency)"
    assert finding(table, "pareto") == said
    assert [row["run"] for row in rows_of(table, "pareto", "line")] == ["x", "y"]
    assert set(texts(table, "pareto")) == {"x", "y"}
    assert marks(table, "pareto")[0][1]["x"]["scale"].get("type") is None
    far = costs({"x": (0.3, 10.0, True), "y": (0.4, 301.0, True)})
    assert marks(far, "pareto")[0][1]["x"]["scale"]["type"] == "log"


def test_one_run_may_be_the_best_and_the_cheapest() -> None:
    table = costs({"x": (0.4, 10.0, True), "y": (0.3, 20.0, False)})
    assert finding(table, "pareto") == "x has the best mean and the lowest cost of 2 runs"
    free = costs({"x": (0.3, 0.0, True), "y": (0.4, 20.0, True)})
    assert finding(free, "pareto") == "2 of 2 runs are on the front, from x (mean .300) to y (mean .400, more latency)"


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
    # Shares 0, 5, 10, 15 %: at or above .9 up to 5%.
    table = flips([1.0, 0.95, 0.89, 0.7])
    said = "The order of runs holds up to 5% of wrong labels; with 15% of labels flipped τ is .70"
    assert finding(table, "flips") == said
    assert finding(flips([1.0, 0.95]), "flips") == "The order of runs holds: with 5% of labels flipped τ is .95"
    said = "The order of runs depends on the labels: with 10% of labels flipped τ is .60"
    assert finding(flips([1.0, 0.8, 0.6]), "flips") == said


def test_wrong_labels_under_several_measures() -> None:
    both = stack([flips([1.0, 0.95], "AP"), flips([1.0, 0.8], "P@5")])
    said = (
        "AP: The order of runs holds: with 5% of labels flipped τ is .95; "
        "P@5: The order of runs depends on the labels: with 5% of labels flipped τ is .80"
    )
    assert finding(both, "flips") == said
    assert {row["measure"] for row in rows_of(both, "flips", "line")} == {"AP", "P@5"}
    assert "area" not in [mark for mark, _, _ in marks(both, "flips")]
    many = stack([flips([1.0, 0.99 - 0.01 * i], f"P@{i + 1}") for i in range(5)])
    assert finding(many, "flips").startswith("P@5, the lowest of 5 measures: ")


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
    # .95 significant, of which .03 in one half and .037 disagree: .883 separated, .05 agree otherwise.
    assert first == pytest.approx({"separated": 0.883, "other agreement": 0.05, "partial": 0.03, "disagree": 0.037})


def test_the_title_of_agreement_names_a_test_only_where_it_leads_on_both_counts() -> None:
    # Of significant cases 3.9% disagree by the sign test and 3.4% by rank-sum with the median.
    assert "sign, mean" not in finding(agreement(), "agreement")
    assert "60.9% to 88.3%" in finding(agreement(), "agreement")
    by_mean = {column: numbers for column, numbers in AGREEMENT.items() if column[1] == "mean"}
    title = finding(agreement(by_mean), "agreement")
    assert title.startswith("sign, mean")
    assert {"(88.3%),", "(3.9%"} <= set(title.split())
    # A test that is never significant always agrees, and changes nothing.
    joined = agreement(by_mean | {("none", "mean"): (1.0, 0.0, 0.0, 0.0)})
    assert finding(joined, "agreement") == title
    assert "less than 1% of pairs" in told(joined, "agreement")
    never = {(f"test {i}", "mean"): (1.0, 0.0, 0.0, 0.0) for i in range(2)}
    assert "test 0" not in finding(agreement(never), "agreement")
    one = {("t", "mean"): (0.8, 0.15, 0.05, 0.6)}
    assert finding(agreement(one), "agreement").split()[:4] == ["t,", "mean", "separates", "40.0%"]


def test_agreement_of_several_measures_and_of_many_rows() -> None:
    one = agreement({("t", "mean"): (0.8, 0.15, 0.05, 0.6)}).rows()[0]
    two = cf.Table.from_rows([one, one | {"measure": "P@10"}], list(one))
    assert {"t, mean, RR", "t, mean, P@10"} <= set(texts(two, "agreement"))
    many = cf.Table.from_rows([one | {"measure": f"P@{i}"} for i in range(1, 71)], list(one))
    assert len({row["bar"] for row in rows_of(many, "agreement", "bar")}) == 60
    assert "the first 60 of 70 rows" in told(many, "agreement")


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
