"""Charts of what runs add to others."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import cranfield as cf
from cranfield.charts import draw
from cranfield.charts.theme import COLOURS, PALE, SHAPES
from tests.support.chart_tables.novelty import SAID, SCATTERS, TABLES, chronology, ensemble, novelty, pool
from tests.support.rendered_charts import finding, marks, rows_of, seen, spec, texts, told


def table(found: Mapping[str, Sequence[Any]], **more: Any) -> cf.Table:
    """Runs with group, value and what is drawn: the same number in every column."""
    rows = [
        {
            "run": run,
            "group": group,
            "date": None,
            "measure": "RR@10",
            "value": value,
            "prior": "others",
            "priors": len(found) - 1,
            **dict.fromkeys(SCATTERS.values(), y),
            **more,
        }
        for run, (group, value, y) in found.items()
    ]
    return cf.Table.from_rows(rows, list(rows[0]))


def dated(found: Sequence[tuple[str, object, float | None, float | None]], **more: Any) -> cf.Table:
    """Runs with date, value and NRG."""
    rows = [
        {
            "run": run,
            "date": day,
            "measure": "RR@10",
            "value": value,
            "nrg": nrg,
            "prior": "chronological",
            "priors": i,
            **more,
        }
        for i, (run, day, value, nrg) in enumerate(found)
    ]
    return cf.Table.from_rows(rows, list(rows[0]))


def steps(**columns: Sequence[Any]) -> cf.Table:
    """Steps with runs called a, b, …."""
    size = len(next(iter(columns.values())))
    return cf.Table({"step": range(1, size + 1), "run": list("abcdefghij"[:size]), **columns})


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


LONG = "dense–sparse/k1=0.9,b=0.4 <& \"expanded\" 'twice'> über {} ⟨最終⟩"
ODD = "\x1b[31m</script>{}\n\u202e{{}}"
MAKERS: dict[str, Callable[..., cf.Table]] = {
    **dict.fromkeys(SCATTERS, novelty),
    "chronology": chronology,
    "ensemble": ensemble,
    "pool-runs": pool,
}


@pytest.mark.parametrize("runs", [1, 2, 7, 25, 26, 129])
@pytest.mark.parametrize("name", [name for name in TABLES if name not in {"unique", "tasc"}])
def test_one_run_two_and_a_hundred_are_drawn(name: str, runs: int, tmp_path: Path) -> None:
    assert "<path" in seen(MAKERS[name](runs), name, tmp_path)


@pytest.mark.parametrize("written", [LONG, ODD], ids=["long", "odd"])
@pytest.mark.parametrize("name", ["novelty", "chronology", "ensemble", "pool-runs"])
def test_names_are_cut_and_made_harmless(name: str, written: str, tmp_path: Path) -> None:
    made = MAKERS[name](9, name=written)
    svg = seen(made, name, tmp_path)
    assert not set("\x1b\u202e") & set(svg)
    assert "</script>" not in svg
    drawn = [word.split(", 20")[0] for word in texts(made, name)]
    assert max(map(len, drawn)) <= 24


# Value against novelty


def words_of(made: cf.Table, name: str) -> list[tuple[float, float, float, float]]:
    """The boxes of words in points, as narrow as letters are."""
    whole = spec(made, name)
    scales = marks(made, name)[0][1]
    (left, right), (low, high) = (scales[axis]["scale"]["domain"] for axis in "xy")
    boxes = []
    for layer, (mark, encoded, rows) in zip(whole["layer"], marks(made, name), strict=True):
        for row in rows if mark == "text" and "field" in encoded["x"] else []:
            x = (row["x"] - left) / (right - left) * whole["width"]
            y = (row["y"] - low) / (high - low) * whole["height"]
            wide = 0.5 * layer["mark"]["fontSize"] * len(row["label"])
            start = x - {"left": 0, "right": wide, "center": wide / 2}[layer["mark"]["align"]]
            boxes.append((start, y - 5, start + wide, y + 5))
    return boxes


@pytest.mark.parametrize(("runs", "groups"), [(22, 9), (60, 0), (129, 40)])
def test_no_name_covers_another_or_a_dot(runs: int, groups: int) -> None:
    made = novelty(runs, groups)
    boxes = words_of(made, "novelty")
    assert 3 <= len(boxes) <= 12
    for one, other in combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
    scales = marks(made, "novelty")[0][1]
    (left, right), (low, high) = (scales[axis]["scale"]["domain"] for axis in "xy")
    whole = spec(made, "novelty")
    for row in made.rows():
        x = (float(str(row["value"])) - left) / (right - left) * whole["width"]
        y = (float(str(row["nrg"])) - low) / (high - low) * whole["height"]
        assert not any(box[0] < x < box[2] and box[1] < y < box[3] for box in boxes)


def test_of_many_runs_those_that_stand_out_are_named() -> None:
    # On the line y = x / 2, but for one run far above it and one far below.
    found = {f"r{i:02}": ("g", i / 100, i / 200) for i in range(1, 60)}
    found["r20"], found["r40"] = ("g", 0.2, 0.25), ("g", 0.4, 0.05)
    assert set(texts(table(found), "novelty")) == {"r20", "r59"}  # r59 is the best, and adds most


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"x": ("g", 0.4, 0.3)}, "x, the only run: NRG .300 at RR@10 .400"),
        (
            {"x": ("g", 0.4, 0.2), "y": ("g", 0.3, 0.1), "z": ("h", 0.1, 0.25)},
            "z has the highest NRG (.250), rank 3 of 3 by RR@10",
        ),
        (
            {"x": ("g", 0.4, 0.3), "y": ("g", 0.3, 0.2), "z": ("h", 0.1, 0.1)},
            "x has the highest NRG (.300), rank 1 of 3 by RR@10",
        ),
        (
            {"x": ("g", 0.4, 0.3), "y": ("g", 0.3, 0.1), "z": ("h", 0.2, 0.05), "u": ("h", 0.1, 0.2)},
            "x has the highest NRG (.300), rank 1 of 4 by RR@10; u is rank 2 here and 4 by RR@10",
        ),
        (
            {"x": ("g", 0.4, 0.3), "y": ("g", 0.3, 0.1), "z": ("h", 0.1, 0.3)},
            "x and z have the highest NRG (.300), ranks 1 and 3 of 3 by RR@10",
        ),
        (
            {"x": ("g", 0.4, 0.3), "y": ("g", 0.3, 0.3), "z": ("h", 0.1, 0.3), "u": ("h", 0.1, 0.1)},
            "3 of 4 runs share the highest NRG: .300",
        ),
        (dict.fromkeys("xyz", ("g", 0.4, 0.3)), "All 3 runs have the highest NRG: .300"),
    ],
)
def test_the_title_describes_the_largest_number(found: Mapping[str, Sequence[Any]], said: str) -> None:
    assert finding(table(found), "novelty") == said


def test_a_climb_is_named_if_it_is_a_tenth_of_the_board() -> None:
    def board(climbs: int) -> cf.Table:
        """The run at rank 25 of 30 by value is that many ranks higher by NRG."""
        return table(
            {f"r{i}": ("g", 1 - i / 50, 0.9 - i / 50 + 0.02 * (climbs + 0.5) * (i == 25)) for i in range(1, 31)}
        )

    assert finding(board(3), "novelty").endswith("r25 is rank 22 here and 25 by RR@10")
    assert "r25" not in finding(board(2), "novelty")


def test_equal_means_are_equal_whatever_their_last_digits() -> None:
    found = {"x": ("g", 0.5, 0.1 + 0.2), "y": ("g", 0.4, 0.3), "z": ("g", 0.3, 0.0)}
    assert finding(table(found), "novelty").startswith("x and y have the highest NRG (.300)")


def test_every_scatter_says_what_it_shows() -> None:
    made = table({"x": ("g", 0.4, 0.2), "y": ("g", 0.3, 0.1), "z": ("h", 0.1, 2.5)})
    largest = "(2.50), rank 3 of 3 by RR@10"
    assert finding(made, "unique") == f"z has the most unique relevant documents per topic {largest}"
    assert finding(made, "rareness") == f"z has the highest rareness-based precision {largest}"
    assert finding(made, "tasc") == f"z has the highest TaSC {largest}"
    assert "(1 − best RR@10 of the prior); prior: all other runs" in told(made, "tasc")
    assert "no run of the prior ranks as high; prior: all other runs" in told(made, "unique")
    assert "weight from 1 to 2" in told(made, "rareness")


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ("none", "prior: nothing"),
        (None, "prior: nothing"),
        ("chronological", "prior: all earlier runs"),
        ("other-groups", "prior: all runs of other groups"),
        ("best-per-group", "prior: the best run of each other group"),
        ("bm25, dense", "prior: bm25, dense"),
    ],
)
def test_the_prior_is_said_in_words(prior: str | None, said: str) -> None:
    assert told(table({"x": ("g", 0.4, 0.2)}, prior=prior), "novelty").endswith(said)


def test_the_agreement_of_both_orders() -> None:
    # Of the six pairs of runs one is the other way round: (5 − 1) / 6.
    made = table({"x": ("g", 0.4, 0.4), "y": ("g", 0.3, 0.2), "z": ("g", 0.2, 0.3), "u": ("g", 0.1, 0.1)})
    assert "Kendall's τ of both orders of runs: .67" in told(made, "novelty")
    for found in ({"x": ("g", 0.4, 0.4), "y": ("g", 0.3, 0.2)}, dict.fromkeys("xyzuvw", ("g", 0.4, 0.3))):
        assert "Kendall" not in told(table(found), "novelty")


def test_the_line_through_all() -> None:
    # Through (1, 1), (2, 3), (3, 2), (4, 5), (5, 4): slope 8/10, and 3 at 3.
    ys = [1, 3, 2, 5, 4]
    made = table({f"r{x}": ("g", x, y) for x, y in enumerate(ys, 1)})
    ends = rows_of(made, "novelty", "line")
    assert [(row["x"], row["y"]) for row in ends] == [(1, pytest.approx(1.4)), (5, pytest.approx(4.6))]
    assert "dashed: least-squares line" in told(made, "novelty")
    for found in ({f"r{x}": ("g", x, y) for x, y in enumerate(ys[:4], 1)}, {f"r{y}": ("g", 0.4, y) for y in range(6)}):
        assert "dashed" not in told(table(found), "novelty")
        assert "line" not in [mark for mark, *_ in marks(table(found), "novelty")]


def test_groups_have_a_colour_and_a_shape() -> None:
    found = {"a1": ("a", 0.9, 0.1), "b1": ("b", 0.8, 0.2), "a2": ("a", 0.7, 0.3), "b2": ("b", 0.6, 0.4)}
    alone = {**found, "c1": ("c", 0.5, 0.5), "d1": (None, 0.4, 0.6)}
    layers = spec(table(alone), "novelty")["layer"]
    dots = [(layer["mark"].get("color"), layer["encoding"]) for layer in layers if layer["mark"]["type"] == "point"]
    assert [colour for colour, _ in dots] == [PALE, None]
    for channel, kinds in (("color", COLOURS), ("shape", SHAPES)):
        scale = dots[1][1][channel]["scale"]
        assert (scale["domain"], scale["range"]) == (["a", "b"], list(kinds[:2]))
    behind, ahead = [rows for mark, _, rows in marks(table(alone), "novelty") if mark == "point"]
    assert {row["run"] for row in behind} == {"c1", "d1"}
    assert {row["run"]: row["group"] for row in ahead} == {"a1": "a", "b1": "b", "a2": "a", "b2": "b"}
    assert "in colour: 2 of 3 groups, those of most runs" in told(table(alone), "novelty")
    assert "in colour" not in told(table(found), "novelty")


@pytest.mark.parametrize("group", ["a", None])
def test_one_group_or_none_needs_no_legend(group: str | None) -> None:
    made = table({"x": (group, 0.9, 0.1), "y": (group, 0.8, 0.2)})
    (dots,) = [layer for layer in spec(made, "novelty")["layer"] if layer["mark"]["type"] == "point"]
    assert dots["mark"]["color"] == COLOURS[0]
    assert "color" not in dots["encoding"]


def test_of_many_groups_the_largest_are_in_colour() -> None:
    found = {f"{g}-{i}": (f"g{g:02}", 0.9 - i / 100 - g / 1000, 0.1 + g / 500) for g in range(12) for i in range(2)}
    found |= {f"11-{i}": ("g11", 0.2, 0.1 + i / 100) for i in range(2, 5)}
    domain = next(e["color"]["scale"]["domain"] for mark, e, _ in marks(table(found), "novelty") if "color" in e)
    assert domain == [*(f"g{g:02}" for g in range(8)), "g11"]
    assert "in colour: 9 of 12 groups" in told(table(found), "novelty")


@pytest.mark.parametrize("name", SCATTERS)
def test_runs_without_a_number_are_counted_and_without_any_nothing_is_drawn(name: str) -> None:
    column = SCATTERS[name]
    made = table({"x": ("g", 0.4, 0.2), "y": ("g", 0.3, None), "z": ("h", None, 0.1)})
    assert f"2 runs without value or {column} left out" in told(made, name)
    assert [row["run"] for row in rows_of(made, name, "point")] == ["x"]
    with pytest.raises(cf.ParameterError, match=f"no row has value and {column}") as caught:
        draw(table({"x": ("g", 0.4, None)}), name)
    assert caught.value.hint == f"draw a table with a row that has value and {column}"


def test_of_several_measures_the_first_is_drawn() -> None:
    rows = table({"x": ("g", 0.4, 0.2), "y": ("g", 0.3, 0.1)}).rows()
    other = [{**row, "measure": "P@5", "value": 0.9} for row in rows]
    both = cf.Table.from_rows([*rows, *other], list(rows[0]))
    assert {row["x"] for row in rows_of(both, "novelty", "point")} == {0.4, 0.3}
    assert "the first of 2 measures" in told(both, "novelty")
    assert "left out" not in told(both, "novelty")
    assert marks(both, "novelty")[0][1]["x"]["axis"]["title"] == "RR@10"


def test_no_axis_goes_far_below_nothing() -> None:
    made = table({"x": ("g", 0.9, 0.5), "y": ("g", 0.0, 0.0), "z": ("h", 0.5, 0.2)})
    for axis in "xy":
        low, high = marks(made, "novelty")[0][1][axis]["scale"]["domain"]
        assert -0.03 * high <= low < 0
    below = table({"x": ("g", 0.9, -0.5), "y": ("g", 0.1, 0.5)})
    assert marks(below, "novelty")[0][1]["y"]["scale"]["domain"][0] < -0.5


# Chronology

RISE: list[tuple[str, object, float | None, float | None]] = [
    ("bm25", date(2020, 6, 1), 0.18, 0.18),
    ("repbert", date(2020, 9, 12), 0.3, 0.2),
    ("splade", date(2021, 9, 1), 0.38, 0.04),
]


def test_both_ends_are_in_the_title() -> None:
    said = "First run (2020-06) and last run (2021-09): RR@10 .180 and .380, NRG .180 and .040"
    assert finding(dated(RISE), "chronology") == said
    assert finding(dated(RISE[::-1]), "chronology") == said  # in the order of dates, not of rows
    near = dated([("x", "2020-06-01", 0.3, 0.3), ("y", "2020-06-11", 0.3, 0.3)])
    assert finding(near, "chronology").startswith("First run (2020-06-01) and last run (2020-06-11): ")
    assert finding(dated(RISE[:1]), "chronology") == "bm25, the only run: RR@10 .180, NRG .180"


def test_two_lines_named_at_their_ends() -> None:
    lines = [rows for mark, _, rows in marks(dated(RISE), "chronology") if mark == "line"]
    assert [[row["y"] for row in rows] for rows in lines] == [[0.18, 0.3, 0.38], [0.18, 0.2, 0.04]]
    assert [row["x"] for row in lines[0]] == [0, 1, 2]
    said = texts(dated(RISE), "chronology")
    assert said == ["bm25\n2020-06", "repbert\n2020-09", "splade\n2021-09", "RR@10", "NRG", "first"]
    assert "prior: all earlier runs" in told(dated(RISE), "chronology")


def test_the_ring_stands_where_nothing_came_before() -> None:
    rings = [rows for mark, _, rows in marks(dated(RISE), "chronology") if mark == "point"][-1]
    assert rings == [{"x": 0, "y": 0.18}]
    assert "ring: nothing came before, so NRG is the value itself" in told(dated(RISE), "chronology")
    later = dated(RISE, priors=3)
    assert "ring" not in told(later, "chronology")
    assert "first" not in texts(later, "chronology")
    unknown = dated(RISE, priors=None)
    assert "first" not in texts(unknown, "chronology")


def test_names_are_flat_if_they_have_room_else_slanted() -> None:
    def angle(made: cf.Table) -> object:
        layers = spec(made, "chronology")["layer"]
        return next(
            layer["mark"].get("angle") for layer in layers if layer["encoding"].get("text", {}).get("field") == "name"
        )

    assert angle(dated(RISE)) is None
    assert angle(chronology(20)) == 315
    assert "system-20, 2020-01" in texts(chronology(20), "chronology")


def test_of_very_many_runs_dots_over_time_and_means_as_lines() -> None:
    made = chronology(40)
    assert "the mean of 5 neighbours" in told(made, "chronology")
    kinds = [(mark, encoded["x"]["type"]) for mark, encoded, _ in marks(made, "chronology") if "type" in encoded["x"]]
    assert kinds == [(mark, "temporal") for mark in ("point", "point", "line", "line", "point", "text")]
    assert texts(made, "chronology") == ["nDCG@10", "NRG", "first"]
    values = [float(str(value)) for value in made.cells("value")]
    line = rows_of(made, "chronology", "line")
    assert line[0]["y"] == pytest.approx(sum(values[:3]) / 3)  # two neighbours on the right, none on the left
    assert line[20]["y"] == pytest.approx(sum(values[18:23]) / 5)
    first, last = sum(values[:20]) / 20, sum(values[20:]) / 20
    ends = f"nDCG@10 {first:.3f} and {last:.3f}".replace("0.", ".")
    assert finding(made, "chronology").startswith(f"Earlier and later half of the runs: {ends}")


def test_runs_without_date_or_novelty_are_left_out() -> None:
    made = dated([*RISE, ("undated", None, 0.5, 0.1), ("empty", date(2020, 7, 1), 0.5, None)])
    assert "2 runs without date, value or nrg left out" in told(made, "chronology")
    assert len(rows_of(made, "chronology", "line")) == 3
    with pytest.raises(cf.ParameterError, match="no row has date, value and nrg"):
        draw(dated([("undated", None, 0.5, 0.1)]), "chronology")
    with pytest.raises(cf.ParameterError, match="'soon' is no date"):
        draw(dated([("x", "soon", 0.5, 0.1)]), "chronology")


def test_values_of_nothing_are_drawn(tmp_path: Path) -> None:
    nothing = dated([("x", "2020-06-01", 0.0, 0.0), ("y", "2020-06-11", 0.0, 0.0)])
    assert marks(nothing, "chronology")[-1][1]["y"]["scale"]["domain"] == [0, 1]
    seen(nothing, "chronology", tmp_path)


# Runs to fuse and to pool


@pytest.mark.parametrize(
    ("fused", "by_value", "best", "said"),
    [
        (
            [0.4, 0.5, 0.45],
            [0.4, 0.42, 0.45],
            0.4,
            "The fusion of runs chosen by NRG peaks at .500 with 2 runs, in the order of their values at .450 with 3 "
            "runs; best single run .400",
        ),
        (
            [0.4, 0.41, 0.45],
            [0.4, 0.52, 0.45],
            None,
            "The fusion of runs chosen by NRG peaks at .450 with 3 runs, in the order of their values at .520 with 2 "
            "runs",
        ),
        (
            [0.4, 0.5],
            [None, None],
            0.4,
            "The fusion of runs chosen by NRG peaks at .500 with 2 runs; best single run .400",
        ),
        ([0.4], [0.4], 0.4, "a, the only run, has .400: there is nothing to fuse"),
    ],
)
def test_where_the_fusion_peaks(
    fused: list[float], by_value: list[float | None], best: float | None, said: str
) -> None:
    assert finding(steps(fused=fused, by_value=by_value, best=[best] * len(fused)), "ensemble") == said


def test_the_lines_the_rule_and_the_peak_of_an_ensemble() -> None:
    made = steps(fused=[0.4, 0.5, 0.45], by_value=[0.4, None, 0.45], best=[0.41] * 3)
    rule = rows_of(made, "ensemble", "rule")
    assert rule == [{"y": 0.41}]
    ours, theirs = (rows for mark, _, rows in marks(made, "ensemble") if mark == "line")
    assert ours == [{"x": 0, "y": 0.4}, {"x": 1, "y": 0.5}, {"x": 2, "y": 0.45}]
    assert theirs == [{"x": 0, "y": 0.4}, {"x": 2, "y": 0.45}]
    ring = [rows for mark, _, rows in marks(made, "ensemble") if mark == "point"][-1]
    assert ring == [{"x": 1, "y": 0.5}]
    said = texts(made, "ensemble")
    assert said == ["chosen by NRG", "in order of value", "best single run", ".500", "a", "b", "c"]
    low, high = marks(made, "ensemble")[0][1]["y"]["scale"]["domain"]
    assert low < 0.4 < 0.5 < high


def test_what_is_left_on_other_topics_is_told() -> None:
    columns: dict[str, list[float | None]] = {"fused": [0.4, 0.5, 0.45], "by_value": [0.4, 0.42, 0.44]}
    plain = steps(**columns, best=[0.4] * 3)
    held = steps(**columns, best=[0.4] * 3, held_out=[0.38, 0.48, 0.47], by_value_held_out=[0.38, 0.41, 0.43])
    said = "held-out topics, as many runs: chosen by NRG .480, in the order of values .430"
    assert said in told(held, "ensemble")
    assert "held-out topics" not in told(plain, "ensemble")
    few = steps(**columns, best=[0.4] * 3, held_out=[None] * 3, by_value_held_out=[None] * 3)
    assert told(few, "ensemble") == told(plain, "ensemble")


@pytest.mark.parametrize(
    ("share", "by_value", "said"),
    [
        (
            [0.6, 0.95, 1.0],
            [0.6, 0.7, 1.0],
            "2 runs find 95% of what all runs find; in the order of values it takes 3",
        ),
        ([0.97, 1.0], [0.6, 0.7], "1 run finds 95% of what all runs find; in the order of values 2 do not"),
        (
            [0.6, 0.96],
            [0.6, 0.96],
            "2 runs find 95% of what all runs find, chosen by new documents or in the order of values",
        ),
        ([0.6, 0.96], [None, None], "2 runs find 95% of what all runs find"),
        ([0.6, 0.84], [0.6, 0.7], "2 runs find 84% of what all runs find; in the order of values 70%"),
        ([0.6, 0.84], [0.6, None], "2 runs find 84% of what all runs find"),
    ],
)
def test_how_many_runs_find_nearly_everything(share: list[float], by_value: list[float | None], said: str) -> None:
    assert finding(steps(share=share, by_value_share=by_value), "pool-runs") == said


def test_the_step_that_is_enough_has_a_ring() -> None:
    made = steps(share=[0.6, 0.95, 1.0], by_value_share=[0.6, 0.7, 1.0])
    assert [rows for mark, _, rows in marks(made, "pool-runs") if mark == "point"][-1] == [{"x": 1, "y": 0.95}]
    assert "2 runs" in texts(made, "pool-runs")
    assert rows_of(made, "pool-runs", "rule") == [{"y": 0.95}]
    few = steps(share=[0.6], by_value_share=[0.6])
    assert texts(few, "pool-runs") == ["chosen by new documents", "in order of value", "a"]
    alone = steps(share=[0.6, 1.0], by_value_share=[None, None])
    assert "in order of value" not in texts(alone, "pool-runs")


def test_lines_that_end_in_one_place_are_named_apart_the_higher_one_above() -> None:
    made = steps(share=[0.6, 0.9, 1.0], by_value_share=[0.2, 0.3, 1.0])
    ends = {
        rows[0]["word"]: encoded["y"]["value"]
        for mark, encoded, rows in marks(made, "pool-runs")
        if mark == "text" and "word" in rows[0]
    }
    apart = ends["in order of value"] - ends["chosen by new documents"]  # in points from the top down
    assert apart == pytest.approx(1.35 * 11, abs=1e-3)


def test_of_very_many_steps_runs_are_numbered() -> None:
    for name, make in (("ensemble", ensemble), ("pool-runs", pool)):
        below = marks(make(40), name)[1][1]["x"]["axis"]
        assert below["title"] == "runs taken"
        assert below["values"] == [0, 4, 9, 14, 19, 24, 29, 34, 39]
        assert not [word for word in texts(make(40), name) if word.startswith("system")]


def test_steps_without_a_number() -> None:
    with pytest.raises(cf.ParameterError, match="no row has fused"):
        draw(steps(fused=[None], by_value=[0.4], best=[0.4]), "ensemble")
    with pytest.raises(cf.ParameterError, match="the table has no column named 'share'"):
        draw(ensemble(2), "pool-runs")
