"""Charts of scales: where values lie, and what becomes of significant pairs."""

import re
from collections.abc import Callable
from itertools import pairwise, product
from math import log2
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.charts.scales.value_spacing import _between, _cut
from tests.support.chart_tables.scale_spacing import (
    MAPPED,
    MEASURES,
    SAID,
    SIGNED,
    TABLES,
    changed,
    rows,
    spacing,
    table,
)
from tests.support.rendered_charts import finding, marks, rows_of, seen, spec, texts, told


def steps(n: int, measure: str = "P@999", size: float = 1.0) -> cf.Table:
    """A measure with n values, each with a ranking of its own, at equal distances from 0."""
    return table(rows(measure, ((f"r{i}", i * size) for i in range(n))))


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


SIZES: dict[str, tuple[str, Callable[[], cf.Table]]] = {
    "one-value": ("spacing", lambda: steps(1)),
    "squares": ("spacing", lambda: steps(40)),
    "lines": ("spacing", lambda: steps(150)),
    "dense": ("spacing", lambda: steps(200_000)),
    "panels": ("spacing", lambda: table([row for k in range(1, 31) for row in steps(k, f"P@{k}").rows()])),
    "changes-1": ("changes", lambda: changed(SIGNED)),
    "changes-80": ("changes", lambda: changed(*[SIGNED] * 80)),
    "no-change": ("changes", lambda: changed(("AP, t", "AP, sign", 10, 0, 0, 0, 0))),
}


@pytest.mark.parametrize("size", SIZES)
def test_charts_of_any_size_are_pictures_of_some_size(size: str, tmp_path: Path) -> None:
    name, make = SIZES[size]
    if size == "no-change":  # only words
        assert finding(make(), name) == "No pair is significant under any condition"
    seen(make(), name, tmp_path)


# Spacing


def test_which_measures_have_equal_steps() -> None:
    # ferro2024, Fig. 19
    said = "P@4, R@4 and RBP(p=0.5)@4 have equal steps; AP@4, RR@4, RBP(p=0.3)@4, RBP@4 and DCG@4 have not"
    assert finding(TABLES["spacing"], "spacing") == said
    assert finding(spacing("P@4", "RR@4"), "spacing") == "P@4 has equal steps; RR@4 has not"
    assert finding(spacing("P@4", "R@4"), "spacing") == "P@4 and R@4 have equal steps"
    assert finding(spacing("AP@4", "RR@4"), "spacing") == "AP@4 and RR@4 have unequal steps"


def test_one_measure_says_how_large_its_steps_are() -> None:
    assert finding(spacing("P@4"), "spacing") == "P@4 has equal steps of .250"
    # RR of four documents: 0, 1/4, 1/3, 1/2, 1
    assert finding(spacing("RR@4"), "spacing") == "RR@4 has unequal steps .083 to .500"
    assert finding(steps(1), "spacing") == "P@999 has one value and no steps"
    assert finding(steps(2, size=3e-7), "spacing") == "P@999 has equal steps of 3e−7"


def test_floats_do_not_make_equal_steps_unequal() -> None:
    tenths = table(rows("P@10", ((str(i), i / 10) for i in range(11))))
    assert len(set(tenths.cells("gap"))) > 2  # as floats
    assert finding(tenths, "spacing").startswith("P@10 has equal steps")


def test_kinds_have_a_colour_and_a_legend_if_there_are_both() -> None:
    kinds = {row["measure"]: row["kind"] for row in rows_of(spacing("P@4", "RR@4"), "spacing", "square")}
    assert kinds == {"P@4": "equal steps", "RR@4": "unequal steps"}
    colours = [encoded["color"] for mark, encoded, _ in marks(spacing("P@4", "RR@4"), "spacing") if mark == "square"]
    assert colours[0]["legend"]["orient"] == "top"
    alone = [encoded["color"] for mark, encoded, _ in marks(spacing("RR@4"), "spacing") if mark == "square"]
    assert alone[0]["legend"] is None


def heights(of: cf.Table) -> dict[tuple[str, float], float]:
    return {(row["measure"], row["value"]): row["y"] for row in rows_of(of, "spacing", "square")}


def test_values_stand_at_their_height_from_worst_to_best() -> None:
    at = heights(spacing("P@4", "RBP(p=0.5)@4"))
    low, high = at["P@4", 0.0], at["P@4", 1.0]
    assert at["P@4", 0.25] == pytest.approx(low + (high - low) / 4)
    assert at["RBP(p=0.5)@4", 15 / 16] == pytest.approx(low + (high - low) * 15 / 16)  # the top of its axis is not used
    # ESL: the rank of the first relevant document; less is better.
    down = heights(table(rows("ESL@3", [("1", 1), ("01", 2), ("001", 3)])))
    assert down["ESL@3", 1.0] > down["ESL@3", 2.0] > down["ESL@3", 3.0]


def test_measures_within_0_and_1_share_an_axis_and_others_have_their_own() -> None:
    assert "each measure has its own axis" not in told(spacing("P@4", "AP@4"), "spacing")
    assert sorted(texts(spacing("P@4", "AP@4"), "spacing")[:5]) == [".25", ".50", ".75", "0", "1"]
    mixed = spacing("P@4", "DCG@4")
    assert "each measure has its own axis" in told(mixed, "spacing")
    most = sum(1 / log2(i + 1) for i in range(1, 5))  # 2.5616
    assert {f"{most:.2f}", f"{most / 2:.2f}"} <= set(texts(mixed, "spacing"))
    at = heights(mixed)
    assert at["DCG@4", max(v for m, v in at if m == "DCG@4")] == at["P@4", 1.0]
    alone = texts(table(rows("DCG@1", [("0", 5.0)])), "spacing")
    assert {"4", "5", "6"} <= set(alone)  # one value has an axis, too


def placed(of: cf.Table) -> list[dict[str, Any]]:
    """The rankings on the chart."""
    return next(found for mark, _, found in marks(of, "spacing") if mark == "text" and "to_y" in found[0])


@pytest.mark.parametrize("measures", [list(MEASURES), ["AP@4"], ["RBP@4", "RBP(p=0.3)@4"]], ids=len)
def test_rankings_stand_beside_their_values_over_nothing_else(measures: list[str]) -> None:
    of = spacing(*measures)
    words = placed(of)
    shown = {word for row in words for word in row["label"].split()}
    assert shown == {"".join(ranking) for ranking in product("10", repeat=4)}
    columns: dict[tuple[float, int], list[float]] = {}
    for row in words:
        columns.setdefault((row["x"], row["from_y"] // 378), []).append(row["y"])  # 378 points: a row of panels
        assert row["label"].count(" ") == 0 or abs(row["y"] - row["from_y"]) < 60
    for column in columns.values():
        ordered = sorted(column)
        assert all(high - low >= 9.5 for low, high in pairwise(ordered))
    squares = set(heights(of).values())
    assert {row["from_y"] for row in words} <= squares


def test_where_values_crowd_some_rankings_are_left_out() -> None:
    # Thirty values in the lowest tenth of the axis, and the best.
    crowded = table([*rows("P@99", [("best", 1.0)]), *rows("P@99", ((f"r{i}", i / 300) for i in range(30)))])
    words = placed(crowded)
    shown = [row["label"] for row in words]
    assert 3 <= len(shown) < 10
    assert {"best", "r0", "r29"} <= set(shown)
    assert all(abs(row["y"] - row["from_y"]) <= 18 for row in words)


def test_two_values_that_are_nearly_one() -> None:
    # Of five panels: eight rankings of a value take four lines, half of them over it, and the other stands above.
    near = rows("A", [*((f"{i:04b}", 0.5) for i in range(8)), ("1111", 0.5001)])
    others = [row for k in range(4) for row in rows(f"P@{k}", [("x", 0.0)])]
    shown = {row["label"] for row in placed(table([*near, *others]))}
    assert {"0000 0001", "0110 0111"} <= shown
    assert "1111" not in shown


@pytest.mark.parametrize(("values", "named"), [(32, True), (33, False)])
def test_of_many_values_no_ranking_is_named(values: int, named: bool) -> None:
    of = steps(values, size=1 / 40)
    assert ("beside a value" in told(of, "spacing")) is named
    assert ("r0" in texts(of, "spacing")) is named
    empty = table([{**row, "rankings": ""} for row in steps(5).rows()])
    assert "beside a value" not in told(empty, "spacing")


def test_rankings_too_long_for_the_panel_are_left_out() -> None:
    long = [row for k in range(4) for row in rows(f"P@{k}", [("1" * 30, 1.0), ("0", 0.0)])]
    assert {row["label"] for row in placed(table(long))} == {"0"}


def test_lines_that_do_not_fit_are_cut() -> None:
    assert _cut(["11 10", "01 00"], 2, 5) == ["11 10", "01 00"]
    assert _cut(["11 10", "01 00"], 1, 7) == ["11 10 …"]
    assert _cut(["11 10", "01 00"], 1, 6) == ["11 …"]
    assert _cut(["11 …", "01"], 1, 6) == ["11 …"]
    assert _cut(["111", "000"], 1, 3) == ["…"]


def test_words_are_moved_into_the_panel() -> None:
    assert _between([-5.0, 0.0, 400.0]) == [0.0, 9.6, 310.0]
    assert _between([305.0, 309.0]) == pytest.approx([300.4, 310.0])


def test_many_values_are_lines_and_very_many_bars() -> None:
    (squares,) = [found for mark, _, found in marks(steps(40), "spacing") if mark == "square"]
    assert len(squares) == 40
    lines = rows_of(steps(150), "spacing", "rect")
    assert len(lines) == 150
    assert all(row["top"] - row["y"] == pytest.approx(1) for row in lines)
    bars = rows_of(steps(155_000, size=1 / 154_999), "spacing", "rect")
    assert len(bars) == 155  # one for every 2 points
    assert {row["values"] for row in bars} <= {999, 1000, 1001}
    assert "the wider, the more values lie there" in told(steps(151), "spacing")
    assert "155,000 values" in texts(steps(155_000, size=1 / 154_999), "spacing")


def test_where_nothing_lies_there_is_no_bar() -> None:
    # 200 values up to 1/2, and one at 1.
    of = table([*rows("A", ((str(i), i / 398) for i in range(200))), *rows("A", [("x", 1.0)])])
    bars = rows_of(of, "spacing", "rect")
    low, high = min(row["y"] for row in bars), max(row["top"] for row in bars)
    middle = [row for row in bars if low + 0.51 * (high - low) < row["y"] < low + 0.98 * (high - low)]
    assert not middle
    assert sum(row["values"] for row in bars) == 201


def test_notes_and_caption_are_told_and_values_that_are_left_out() -> None:
    note = "P@4: of 99 values the highest 5 are shown"
    some = table(list(spacing("P@4").rows()), (note,))
    assert note in told(some, "spacing")
    assert "5 values shown" in texts(some, "spacing")
    other = table(list(spacing("P@4").rows()), ("P@4: 1 of 9 rankings has no value",))
    assert "5 values" in texts(other, "spacing")
    assert told(spacing("P@4", caption="values, all rankings of 4"), "spacing").startswith("all rankings of 4 ")


def test_of_very_many_measures_the_first_are_drawn() -> None:
    many = table([row for k in range(1, 21) for row in steps(3, f"P@{k}", 0.5).rows()])
    assert finding(many, "spacing") == "20 of 20 measures have equal steps"
    assert "the first 15 of 20 measures" in told(many, "spacing")
    assert len({row["measure"] for row in rows_of(many, "spacing", "square")}) == 15


@pytest.mark.parametrize(("measures", "across", "down"), [(1, 1, 1), (5, 5, 1), (8, 4, 2), (9, 5, 2), (11, 4, 3)])
def test_panels_stand_in_even_rows(measures: int, across: int, down: int) -> None:
    whole = spec(table([row for k in range(measures) for row in steps(2, f"P@{k + 1}").rows()]), "spacing")
    found = rows_of(table([row for k in range(measures) for row in steps(2, f"P@{k + 1}").rows()]), "spacing", "square")
    assert len({row["x"] for row in found}) == across
    assert len({row["y"] for row in found}) == 2 * down
    assert whole["width"] <= 460


def test_rows_without_a_value_are_left_out() -> None:
    gap = {"measure": "A", "value": None, "runs": 1, "gap": None, "rankings": "1"}
    assert len(rows_of(table([gap, *spacing("P@4").rows()]), "spacing", "square")) == 5
    with pytest.raises(cf.ParameterError, match="no row has value") as caught:
        draw(table([gap]), "spacing")
    assert caught.value.hint == "draw a table with a row that has value"


def test_a_hostile_measure_is_only_a_name(tmp_path: Path) -> None:
    evil = table(rows("<script>\x1b[31m", [("<b>\x07", 1.0), ("0", 0.0)]))
    svg = seen(evil, "spacing", tmp_path)
    assert not [bad for bad in ("<script", "\x1b", "\x07") if bad in svg]


# Changes


def parts(of: cf.Table, bar: int = 0) -> dict[str, tuple[int, int]]:
    """Where each part of a bar begins and ends."""
    found = rows_of(of, "changes", "rect")
    height = sorted({row["y"] for row in found})[bar]
    return {row["part"]: (row["start"], row["end"]) for row in found if row["y"] == height}


def test_pairs_that_turn_round_are_taken_out_of_both() -> None:
    wanted = {"significant both ways": (0, 40), "gained": (40, 45), "lost": (45, 48), "reversed": (48, 50)}
    assert parts(TABLES["changes"]) == wanted
    assert parts(TABLES["changes"], 1) == {"significant both ways": (0, 30), "gained": (30, 31), "lost": (31, 46)}


def test_the_change_that_matters_most_is_the_title() -> None:
    # 10 of 100 pairs against 16 of 100
    assert (
        finding(TABLES["changes"], "changes")
        == "Most changes from AP@10, t to AP@10, sign: 1 gained and 15 lost of 100 pairs"
    )
    one = "From AP@10, t to interval(AP@10), t: 5 gained, 3 lost and 2 reversed of 100 pairs"
    assert finding(changed(MAPPED), "changes") == one
    same = ("AP, t", "AP, sign", 1, 1, 0, 0, 0)
    assert finding(changed(same), "changes") == "No pair changes its significance from AP, t to AP, sign"
    assert finding(changed(same, same), "changes") == "No pair changes its significance under any condition"
    assert (
        finding(changed(("AP, t", "AP, sign", 0, 0, 0, 0, 0)), "changes")
        == "No pair is significant under any condition"
    )


def test_counts_stand_on_parts_and_beside_the_names() -> None:
    said = texts(TABLES["changes"], "changes")
    assert {"40", "5", "30", "15"} <= set(said)
    assert "5 gained, 3 lost and 2 reversed" in said
    thin = texts(changed(("AP, t", "AP, sign", 9999, 5000, 7, 0, 0)), "changes")
    assert {"5,000", "7 gained"} <= set(thin)
    assert "7" not in thin
    assert "none changed" in texts(changed(("AP, t", "AP, sign", 10, 5, 0, 0, 0)), "changes")


def test_long_names_leave_room_for_what_changed() -> None:
    long = "interval(nDCG(dcg='exp-log2')@10), signed-rank(zeros='pratt')"
    (name,) = [text for text in texts(changed((long, long, 99, 9, 8, 7, 6)), "changes") if "→" in text]
    assert len(name) <= 46
    assert all(side.startswith("interval(") and side.endswith("')") for side in name.split(" → "))
    (name,) = [text for text in texts(changed(("AP, t", long[:36], 99, 9, 0, 7, 0)), "changes") if "→" in text]
    assert name == f"AP, t → {long[:36]}"


def test_of_very_many_changes_those_that_change_most_are_drawn() -> None:
    many = changed(*[("A", f"m{i}", 100, 50, i, 0, 0) for i in range(40)])
    assert "of 40 changes the 30 that change most" in told(many, "changes")
    names = [text for text in texts(many, "changes") if "→" in text]
    assert names == [f"A → m{i}" for i in range(10, 40)]


def test_changes_without_numbers_are_left_out() -> None:
    gap = {**changed(MAPPED).rows()[0], "both": None}
    columns = changed(MAPPED).columns
    both = cf.Table.from_rows([gap, *changed(SIGNED).rows()], columns)
    assert [text for text in texts(both, "changes") if "→" in text] == ["AP@10, t → AP@10, sign"]
    with pytest.raises(cf.ParameterError, match="no row has pairs, both, gained, lost and reversed"):
        draw(cf.Table.from_rows([gap], columns), "changes")
