"""Charts of pools: strategies over judgments, bias, reuse, unjudged documents, costs."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.charts.chart_text import FIXED
from cranfield.charts.theme import COLOURS, INK, PALE
from cranfield.core import ParameterError
from tests.support.chart_tables.pools import (
    BIASES,
    BUDGETS,
    DEPTHS,
    GROUPS,
    ORDERS,
    SAID,
    SHARES,
    STRATEGIES,
    TABLES,
    bias,
    costs,
    order,
    recall,
    reuse,
    unjudged,
)
from tests.support.rendered_charts import finding, rows_of, seen, spec, texts, told

Layer = tuple[str, dict[str, Any], list[dict[str, Any]], dict[str, Any]]
CHARTS = ("recall", "pool-order", "pool-bias", "reuse", "unjudged", "costs")
LONG = "dense–sparse/k1=0.9,b=0.4 <& \"expanded\" 'twice'> über {} ⟨最終⟩"
ODD = "\x1b[31m</script>{}\n\u202e{{}}"


def panels(table: cf.Table, name: str) -> list[list[Layer]]:
    """Of every panel, and every layer of it, the kind of mark, what it encodes, its rows, and the mark."""
    whole = spec(table, name)
    kept = whole.get("datasets", {})
    found = []
    for panel in whole.get("vconcat", whole.get("hconcat", [whole])):
        layers = []
        for layer in panel["layer"]:
            data = layer.get("data", panel.get("data", whole.get("data")))
            rows = data["values"] if "values" in data else kept[data["name"]]
            layers.append((layer["mark"]["type"], layer["encoding"], rows, layer["mark"]))
        found.append(layers)
    return found


def words(layers: list[Layer], column: str = "word") -> list[str]:
    """The words in a panel that stand in a column."""
    return [row[column] for kind, _, rows, _ in layers for row in rows if kind == "text" and column in row]


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


def named(name: str, called: str, count: int) -> cf.Table:
    """A table of so many strategies, groups or runs, called one way."""
    names = [called.format(i) for i in range(count)]
    made: dict[str, cf.Table] = {
        "recall": recall({one: [0.0, 0.3 + i / 100, 1.0] for i, one in enumerate(names)}),
        "pool-order": order({one: [(0.5, 0.2), (0.9 - i / 200, 0.6)] for i, one in enumerate(names)}, (5, 20)),
        "pool-bias": bias({one: [-0.05 - i / 200, -0.02] for i, one in enumerate(names)}),
        "reuse": reuse({one: (count - i, -0.01, -0.02) for i, one in enumerate(names)}),
        "unjudged": unjudged({one: [0.1, 1 - i / count, 0.9] for i, one in enumerate(names)}),
        "costs": costs([(i + 1, 10 * i + 10, 5 * i) for i in range(count)]),
    }
    return made[name]


@pytest.mark.parametrize("written", [LONG, ODD], ids=["long", "odd"])
@pytest.mark.parametrize("name", CHARTS[:-1])
def test_names_are_cut_and_made_harmless(name: str, written: str, tmp_path: Path) -> None:
    made = named(name, written, 4)
    svg = seen(made, name, tmp_path)
    assert not set("\x1b\u202e") & set(svg)
    assert "</script>" not in svg
    drawn = [word for panel in panels(made, name) for column in ("word", "name") for word in words(panel, column)]
    assert len(drawn) >= 4
    assert max(map(len, drawn)) <= 30


@pytest.mark.parametrize("count", [1, 2, 15, 60])
@pytest.mark.parametrize("name", CHARTS)
def test_one_two_and_many_are_drawn(name: str, count: int, tmp_path: Path) -> None:
    assert "<path" in seen(named(name, "one-{}", count), name, tmp_path)


# Strategies over judgments


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        # A quarter of 400 judgments is 100, the second point of each line.
        (STRATEGIES, "With 100 of 400 judgments, hedge(b=.9) finds 50% of the relevant documents, depth 30%"),
        ({"depth": STRATEGIES["depth"]}, "With 100 of 400 judgments, depth finds 30% of the relevant documents"),
        (
            {"depth": [0, 0.3, 0.5, 0.8, 1], "ucb": [0, 0.308, 0.6, 0.8, 1]},
            "With 100 of 400 judgments, ucb and depth find about 31% of the relevant documents",
        ),
        (
            {"random": [0, 0.2, 0.5, 0.8, 1], "ucb": [0, 0.4, 0.6, 0.8, 1]},
            "With 100 of 400 judgments, ucb finds 40% of the relevant documents, random 20%",
        ),
        (
            {**{f"s{i}": [0, 0.4, 0.6, 0.8, 1] for i in range(4)}, "depth": [0, 0.1, 0.6, 0.8, 1]},
            "With 100 of 400 judgments, s0 and 3 others find 40% of the relevant documents, depth 10%",
        ),
        (
            {**{f"s{i}": [0, 0.4, 0.6, 0.8, 1] for i in range(4)}, "depth": [0, 0.395, 0.6, 0.8, 1], "t": [0, 0.1]},
            "With 100 of 400 judgments, s0, depth and 3 others find 40% of the relevant documents",
        ),
        (
            {f"s{i}": [0, 0.4, 0.6, 0.8, 1] for i in range(5)},
            "With 100 of 400 judgments, all 5 strategies find 40% of the relevant documents",
        ),
    ],
)
def test_who_finds_most_with_a_quarter_of_the_judgments(lines: Mapping[str, Sequence[float]], said: str) -> None:
    assert finding(recall(lines), "recall") == said


def test_names_stand_beside_the_chart_from_the_best_down() -> None:
    (layers,) = panels(TABLES["recall"], "recall")
    assert [word.replace(FIXED, " ") for word in words(layers)] == [
        "with 100 judgments",
        *("hedge(b=.9) 50%", "maxmean 45%", "nrg 40%", "ucb 35%", "depth 30%", "random 20%"),
    ]


def test_the_best_is_wide_depth_is_dashed_and_the_others_are_grey() -> None:
    (layers,) = panels(TABLES["recall"], "recall")
    lines = [(rows, mark) for kind, _, rows, mark in layers if kind == "line"]
    grey, best, depth, nrg, maxmean = lines
    assert (grey[1]["color"], {row["strategy"] for row in grey[0]}) == (PALE, {"random", "ucb"})
    assert [mark["color"] for _, mark in (best, depth, nrg, maxmean)] == [COLOURS[0], INK, COLOURS[1], COLOURS[2]]
    assert [row["y"] for row in best[0]] == STRATEGIES["hedge(b=.9)"]
    assert best[1]["strokeWidth"] > nrg[1]["strokeWidth"] == maxmean[1]["strokeWidth"]
    assert [mark.get("strokeDash") for _, mark in (best, depth, nrg)] == [None, [5, 3], None]
    dots = [rows for kind, _, rows, _ in layers if kind == "point" and rows[0]]
    assert dots == [[{"x": 100, "y": y}] for y in (0.5, 0.3, 0.4, 0.45)]
    assert told(TABLES["recall"], "recall") == (
        "found: share of the 1,000 relevant documents that can be found "
        "wide: the best at the dotted line; dashed: pooling by depth; grey: other strategies"
    )


def test_a_known_strategy_that_is_best_keeps_its_colour() -> None:
    (layers,) = panels(recall({"ucb": [0, 0.1, 0.5], "nrg(p=.9)": [0, 0.2, 0.5], "nrg": [0, 0.1, 0.5]}), "recall")
    lines = [(rows, mark) for kind, _, rows, mark in layers if kind == "line"]
    assert {row["strategy"] for row in lines[0][0]} == {"ucb", "nrg"}
    assert [(mark["color"], mark["strokeWidth"]) for _, mark in lines[1:]] == [(COLOURS[1], 3.5)]


def test_heights_between_and_beyond_points() -> None:
    # A line that ends at 300 judgments, one that begins there, and a point every 400: at 400 a quarter of 1,600.
    rows = [("a", 0, 0.0), ("a", 400, 0.4), ("a", 1_600, 1.0), ("b", 0, 0.0), ("b", 300, 0.3)]
    rows += [("c", 0, 0.0), ("c", 200, 0.1), ("c", 600, 0.5), ("d", 500, 0.2), ("d", 1_600, 1.0)]
    made = cf.Table.from_rows(
        [{"strategy": s, "judgments": n, "relevant": 10 * y, "recall": y} for s, n, y in rows],
        ("strategy", "judgments", "relevant", "recall"),
    )
    (layers,) = panels(made, "recall")
    # c is half way from .1 to .5; b stays at its end, d at its beginning.
    assert [word.split()[:2] for word in words(layers)[1:]] == [["a", "40%"], ["b", "30%"], ["c", "30%"], ["d", "20%"]]


def test_of_very_many_strategies_some_names_are_left_out_and_none_in_colour() -> None:
    lines = {f"s{i:02}": [0.0, 0.5 - i / 100, 1.0] for i in range(30)} | {"depth": [0.0, 0.01, 1.0]}
    (layers,) = panels(recall(lines), "recall")
    found = words(layers)
    # 290 points hold 19 lines of 15 points: one says how many judgments, one how many are left out.
    assert len(found) == 19
    assert found[-2].startswith("depth")
    assert found[-1] == "and 14 more"
    assert len(lines) == 17 + 14


def test_recall_of_nothing_is_refused() -> None:
    empty = cf.Table.from_rows(
        [{"strategy": "depth", "judgments": 10, "relevant": 0, "recall": None}],
        ("strategy", "judgments", "relevant", "recall"),
    )
    with pytest.raises(ParameterError, match="no row has judgments and recall"):
        draw(empty, "recall")
    with pytest.raises(ParameterError, match="nothing is judged"):
        draw(recall({"depth": [0.0]}), "recall")
    # One that found nothing does not say of how many.
    assert told(recall({"ucb": [0.0, 0.0]}), "recall").startswith("found: share of the relevant documents that")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (ORDERS, "With 20 judgments per topic, nrg keeps the order of runs best: τ .95, depth .85"),
        ({"depth": ORDERS["depth"]}, "With 20 judgments per topic, depth keeps the order of runs with τ .85"),
        (
            {"a": [(0.5, 1), (0.9, 1)], "b": [(0.5, 1), (0.892, 1)], "depth": [(0.5, 1), (0.7, 1)]},
            "With 20 judgments per topic, a and b keep the order of runs best: τ about .90, depth .70",
        ),
        (
            {"a": [(0.5, 1), (0.9, 1)], "b": [(0.5, 1), (0.9, 1)]},
            "With 20 judgments per topic, a and b keep the order of runs with τ .90",
        ),
    ],
)
def test_who_keeps_the_order_of_runs(lines: Mapping[str, Any], said: str) -> None:
    assert finding(order(lines, BUDGETS), "pool-order") == said


def test_the_same_strategies_are_in_colour_in_both_panels() -> None:
    above, below = panels(TABLES["pool-order"], "pool-order")
    for layers, column in ((above, 0), (below, 1)):
        lines = [(rows, mark) for kind, _, rows, mark in layers if kind == "line"]
        found = {mark["color"]: [row["y"] for row in rows] for rows, mark in lines}
        # nrg is best by τ and so wide in both, although maxmean keeps more pairs.
        assert found == {
            PALE: [cell[column] for cell in ORDERS["random"]],
            COLOURS[1]: [cell[column] for cell in ORDERS["nrg"]],
            INK: [cell[column] for cell in ORDERS["depth"]],
            COLOURS[2]: [cell[column] for cell in ORDERS["maxmean"]],
        }
        assert [mark["strokeWidth"] for _, mark in lines if mark["color"] == COLOURS[1]] == [3.5]
    assert [word.split()[0] for word in words(below)] == ["with", "maxmean", "nrg", "depth", "random"]
    assert [row["x"] for kind, _, rows, _ in above for row in rows if kind == "rule" and "x" in row] == [20]


def test_τ_alone_has_one_panel() -> None:
    made = order({name: [(tau, None) for tau, _ in cells] for name, cells in ORDERS.items()}, BUDGETS)
    (above,) = panels(made, "pool-order")
    assert next(e for kind, e, *_ in above if kind == "line")["x"]["axis"]["title"] == "judgments per topic"
    assert "below" not in told(made, "pool-order")
    low, high = next(e for kind, e, *_ in above if kind == "line")["y"]["scale"]["domain"]
    assert (low, high) == (0.3, 1.02)
    assert next(e for kind, e, *_ in panels(order({"a": [(-0.55, 1)]}, (5,)), "pool-order")[0] if kind == "line")["y"][
        "scale"
    ]["domain"] == [-0.6, 1.02]


def test_a_strategy_of_which_no_pairs_are_known_is_in_the_panel_above_alone() -> None:
    made = order({**ORDERS, "depth": [(tau, None) for tau, _ in ORDERS["depth"]]}, BUDGETS)
    above, below = panels(made, "pool-order")
    assert [INK in {mark.get("color") for kind, _, _, mark in side if kind == "line"} for side in (above, below)] == [
        True,
        False,
    ]
    assert [word.split()[0] for word in words(below)] == ["with", "maxmean", "nrg", "random"]


def test_strategies_need_a_budget_in_common() -> None:
    made = cf.Table.from_rows(
        [
            {"strategy": "a", "per_topic": 5, "tau": 0.5, "kept": None},
            {"strategy": "b", "per_topic": 6, "tau": 0.5, "kept": None},
        ],
        ("strategy", "per_topic", "tau", "kept"),
    )
    with pytest.raises(ParameterError, match="strategies have no budget in common"):
        draw(made, "pool-order")
    with pytest.raises(ParameterError, match="no row has per_topic and tau"):
        draw(order({"a": [(None, None)]}, (5,)), "pool-order")


# Groups that are left out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            BIASES,
            "With 800 judgments, left-out runs change least with nrg, by .030 and 1.2 ranks on average, "
            "with depth by .050 and 1.2 ranks",
        ),
        (
            {"a": [-0.03], "b": [0.0301], "depth": [-0.05]},
            "With 300 judgments, left-out runs change least with a and b, by .030 on average, "
            "with depth by .050 and 1.2 ranks",
        ),
        (
            {"a": [-0.03], "b": [0.04]},
            "With 300 judgments, left-out runs change least with a, by .030 and 1.2 ranks on average, "
            "with b by .040 and 1.2 ranks",
        ),
        ({"a": [-0.03]}, "With 300 judgments, left-out runs change by .030 on average, with a"),
        (
            {"a": [-0.03], "b": [0.03]},
            "With 300 judgments, left-out runs change by .030 on average, whatever the strategy",
        ),
        (
            {**{f"s{i}": [-0.03] for i in range(4)}, "t": [-0.1]},
            "With 300 judgments, left-out runs change least with s0 and 3 others, by .030 on average, "
            "with t by .100 and 1.2 ranks",
        ),
        (
            {"depth": [-0.03], "t": [-0.1]},
            "With 300 judgments, left-out runs change least with depth, by .030 and 1.2 ranks on average",
        ),
    ],
)
def test_where_left_out_runs_change_least(lines: Mapping[str, Sequence[float]], said: str) -> None:
    assert finding(bias(lines), "pool-bias") == said


def test_strategies_stand_from_the_least_biased_down() -> None:
    (layers,) = panels(TABLES["pool-bias"], "pool-bias")
    places = {row["strategy"]: row["place"] for kind, _, rows, _ in layers for row in rows if kind == "line"}
    assert places == {"nrg": 0, "random": 1, "depth": 2}  # sizes at the middle budget: .03, .04, .05
    dots = rows_of(TABLES["pool-bias"], "pool-bias", "point")
    assert {name: [row["difference"] for row in dots if row["strategy"] == name] for name in BIASES} == BIASES
    bold = [rows for kind, _, rows, mark in layers if kind == "text" and mark.get("fontWeight") == "bold"]
    assert [row["name"] for row in bold[0]] == ["depth"]
    assert words(layers, "size")[:2] == [".030", ".040"]


def test_of_many_budgets_three_are_drawn() -> None:
    cells = [-0.1 + i / 100 for i in range(6)]
    made = bias({"a": cells, "b": cells[:2]}, [100 * i for i in range(1, 7)])
    dots = rows_of(made, "pool-bias", "point")
    assert [(row["strategy"], row["judgments"]) for row in dots] == [("a", 100), ("a", 400), ("a", 600), ("b", 100)]
    assert "of 6 budgets three" in told(made, "pool-bias")
    assert "of 3 budgets" not in told(TABLES["pool-bias"], "pool-bias")


def test_budgets_that_strategies_share_only_about() -> None:
    rows = bias({"a": [-0.05, -0.02]}, (300, 800)).rows() + bias({"b": [-0.05, -0.04]}, (290, 800)).rows()
    made = cf.Table.from_rows(rows, list(rows[0]))
    assert list(dict.fromkeys(row["told"] for row in rows_of(made, "pool-bias", "point"))) == [
        "290–300 judgments",
        "800 judgments",
    ]


def test_ranks_that_nobody_knows_are_not_told() -> None:
    made = bias({"a": [-0.03], "depth": [-0.05]}, moved=None)
    assert finding(made, "pool-bias").endswith("least with a, by .030 on average, with depth by .050")
    with pytest.raises(ParameterError, match="no row has judgments, difference and absolute"):
        draw(bias({"a": [0.1]}, difference=None), "pool-bias")


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (
            GROUPS,
            "aurora alone brought in most: 120 relevant documents, 12% of all; runs of basalt change most "
            "without theirs, by up to −.040",
        ),
        (
            {"x": (1, -0.02, -0.03), "y": (0, 0.0, 0.01)},
            "x alone brought in most: 1 relevant document, < 1% of all; without them its runs change by up to −.030",
        ),
        ({"x": (0, 0.0, 0.0), "y": (0, 0.0, 0.0)}, "None of 2 groups brought a relevant document into the pool alone"),
    ],
)
def test_who_brought_in_most(groups: Mapping[str, tuple[int, float, float]], said: str) -> None:
    assert finding(reuse(groups), "reuse") == said


def test_bars_and_changes_stand_in_the_same_rows() -> None:
    left, right = panels(TABLES["reuse"], "reuse")
    bars = next(rows for kind, _, rows, _ in left if kind == "bar")
    dots = next(rows for kind, _, rows, _ in right if kind == "point")
    assert [(row["place"], row["group"], row["unique"]) for row in bars] == [
        (0, "aurora", 120),
        (1, "basalt", 30),
        (2, "cedar", 0),
    ]
    assert [(row["place"], row["difference"], row["largest"]) for row in dots] == [
        (0, -0.02, -0.03),
        (1, -0.005, -0.04),
        (2, 0.0, 0.0),
    ]
    scales = [
        next(e for kind, e, *_ in side if kind == mark)["y"]["scale"]
        for side, mark in ((left, "bar"), (right, "point"))
    ]
    assert scales[0] == scales[1]


def test_of_many_groups_the_one_whose_runs_change_most_is_always_shown() -> None:
    groups = {f"g{i:02}": (100 - i, -0.01, -0.02) for i in range(50)} | {"last": (1, 0.03, 0.09)}
    left, _ = panels(reuse(groups), "reuse")
    names = [row["group"] for row in next(rows for kind, _, rows, _ in left if kind == "bar")]
    assert (len(names), names[0], names[-2:]) == (40, "g00", ["g38", "last"])
    assert "of 51 groups the 40 that matter most" in told(reuse(groups), "reuse")
    first = dict(list(groups.items())[:50])
    names = [
        row["group"] for row in next(rows for kind, _, rows, _ in panels(reuse(first), "reuse")[0] if kind == "bar")
    ]
    assert names[-1] == "g39"


def test_groups_of_which_less_is_known() -> None:
    bare = reuse(GROUPS, share=None, moved=None)
    assert "120 relevant documents; runs of basalt" in finding(bare, "reuse")
    assert "ranks" not in words(panels(bare, "reuse")[1])
    assert "ranks" in words(panels(TABLES["reuse"], "reuse")[1])


# What is left to judge


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (SHARES, "Of the first 10 documents of dense, 70% are unjudged; 2 of 3 runs have more than 20%"),
        (
            {"a": [0.0, 0.1, 0.2], "b": [0.0, 0.3, 0.2]},
            "Of the first 10 documents of b, 30% are unjudged; 1 of 2 runs has more than 20%",
        ),
        ({"a": [0.0, 0.3, 0.2]}, "Of the first 10 documents of a, 30% are unjudged"),
        ({"a": [0.0, 0.0, 0.2], "b": [0.0, 0.0, 0.0]}, "Every run has the first 10 documents judged"),
    ],
)
def test_who_has_most_unjudged_documents(runs: Mapping[str, Sequence[float | None]], said: str) -> None:
    assert finding(unjudged(runs), "unjudged") == said


def test_runs_stand_from_the_most_unjudged_down_by_the_first_ten() -> None:
    cells = rows_of(TABLES["unjudged"], "unjudged", "rect")
    assert {row["run"]: row["place"] for row in cells} == {"dense": 0, "both": 1, "bm25": 2}
    assert {(row["run"], row["k"]): row["share"] for row in cells} == {
        (run, k): share for run, shares in SHARES.items() for k, share in zip((5, 10, 20), shares, strict=True)
    }
    assert [row["dark"] for row in cells if row["run"] == "dense"] == [False, True, True]
    # A run without documents there has no square, and stands last if it has none among the first ten.
    gap = unjudged({"a": [0.1, None, 0.2], "b": [0.1, 0.0, 0.2]})
    assert [(row["run"], row["k"]) for row in rows_of(gap, "unjudged", "rect")] == [
        *(("b", k) for k in (5, 10, 20)),
        *(("a", k) for k in (5, 20)),
    ]
    far = unjudged({"a": [0.4, 0.5]}, cuts=(50, 100))
    assert finding(far, "unjudged").startswith("Of the first 50 documents of a, 40%")


def test_of_many_runs_those_with_most_are_drawn() -> None:
    many = unjudged({f"r{i:02}": [0.0, i / 100, 0.0] for i in range(70)})
    cells = rows_of(many, "unjudged", "rect")
    assert len({row["run"] for row in cells}) == 50
    assert {row["run"] for row in cells if row["place"] == 0} == {"r69"}
    assert "of 70 runs the 50 with most" in told(many, "unjudged")
    # r21 to r69 have more than a fifth.
    assert "; 49 of 70 runs have more than 20%" in finding(many, "unjudged")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            costs(DEPTHS, 2),
            "Depth 5 takes 20 new judgments (0.7 h), depth 100 45 times as many: 900 new judgments (30.0 h)",
        ),
        (
            costs([(5, 100, 100), (20, 250, 250)]),
            "Depth 5 takes 100 judgments, depth 20 2.50 times as many: 250 judgments",
        ),
        (costs([(5, 100, 0), (20, 250, 1)]), "Depth 5 takes 0 new judgments, depth 20 1 new judgment"),
        (costs([(5, 100, 100)], 3), "Depth 5 takes 100 judgments (5.0 h)"),
        (costs([(5, 100, 0), (20, 250, 0)], 3), "Everything to depth 20 is judged already"),
    ],
)
def test_what_depths_cost(made: cf.Table, said: str) -> None:
    assert finding(made, "costs") == said


def test_new_documents_and_judged_ones_are_stacked() -> None:
    bars = [(row["depth"], row["part"], row["start"], row["end"]) for row in rows_of(TABLES["costs"], "costs", "bar")]
    assert bars == [
        *((5, "new", 0, 20), (5, "judged already", 20, 100)),
        *((10, "new", 0, 60), (10, "judged already", 60, 180)),
        *((100, "new", 0, 900), (100, "judged already", 900, 1_500)),
    ]
    assert [word.replace(FIXED, " ") for word in texts(TABLES["costs"], "costs")] == [
        *("20 new of 100, 0.7 h", "60 new of 180, 2.0 h", "900 new of 1,500, 30.0 h")
    ]
    plain = costs([(5, 125, 125)])
    assert texts(plain, "costs") == ["125, 12.5 per topic"]
    assert [layer["encoding"].get("color", {}).get("legend") for layer in spec(plain, "costs")["layer"]] == [None, None]


@pytest.mark.parametrize(("count", "ticks"), [(1, [0, 1]), (5, [0, 1, 2, 3, 4, 5]), (6, None)])
def test_an_axis_of_few_documents_has_no_number_twice(count: int, ticks: list[int] | None) -> None:
    made = (recall({"a": [0.0, 1.0]}, step=count), reuse({"a": (count, 0, 0)}), costs([(1, count, count)]))
    for table, name, mark in zip(made, ("recall", "reuse", "costs"), ("line", "bar", "bar"), strict=True):
        axis = next(encoded for kind, encoded, *_ in panels(table, name)[0] if kind == mark)["x"]["axis"]
        assert axis.get("values") == ticks
