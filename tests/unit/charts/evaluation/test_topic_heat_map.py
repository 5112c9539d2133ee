"""Heat maps of topics and runs, moves under other judgments, and pictures as a page serves them."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import pytest
import vl_convert
from PIL import Image

import cranfield as cf
from cranfield.charts import CHARTS, draw, save, to_picture
from cranfield.charts.evaluation.topic_heat_map import BEST, SHADES, WORST
from cranfield.charts.export import PNG, SVG, _roomy, count_marks
from cranfield.core import Table, UnknownName
from tests.support.chart_tables.heat_maps import SAID, TABLES, moved, per_topic
from tests.support.rendered_charts import finding, marks, rows_of, seen, spec, texts, told


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


# Topics and runs


def test_a_cell_for_each_run_and_topic_the_best_run_on_top_and_the_hardest_topic_first() -> None:
    table = cf.Table(
        {
            "run": ["a", "a", "a", "b", "b", "b"],
            "topic": ["x", "y", "z", "x", "y", "z"],
            "measure": ["AP"] * 6,
            "value": [0.5, 0.1, 0.3, 0.9, 0.3, 0.2],
        }
    )
    # Means: a .3, b .467; x .7, y .2, z .25.
    cells = {(cell["y"], cell["x"]): cell["value"] for cell in rows_of(table, "topics-runs", "rect")}
    assert cells == {(0, 0): 0.3, (0, 1): 0.2, (0, 2): 0.9, (1, 0): 0.1, (1, 1): 0.3, (1, 2): 0.5}
    assert texts(table, "topics-runs") == ["b", "a", "y", "z", "x"]
    said = finding(table, "topics-runs")
    assert said == "b is first by its mean, and best on 2 of 3 topics; hardest is topic y, with .200 on average"
    assert "AP, the darker the better" in told(table, "topics-runs")


def test_where_less_is_better_the_least_is_darkest_and_stands_first() -> None:
    table = cf.Table(
        {
            "run": ["a", "a", "b", "b"],
            "topic": ["x", "y", "x", "y"],
            "measure": ["ESL"] * 4,
            "value": [9.0, 2.0, 4.0, 1.0],
        }
    )
    (_, encoded, cells), *_ = marks(table, "topics-runs")
    assert {(cell["y"], cell["x"]): cell["value"] for cell in cells} == {(0, 0): 4, (0, 1): 1, (1, 0): 9, (1, 1): 2}
    scale = encoded["color"]["scale"]
    assert (scale["type"], scale["range"][0], scale["range"][-1]) == ("sqrt", BEST, WORST)
    # Shades in equal steps of the root: from 1 to 3 in fifths.
    assert scale["domain"] == pytest.approx([(1 + 0.4 * i) ** 2 for i in range(6)])
    assert finding(table, "topics-runs").startswith("b is first by its mean, and best on 2 of 2 topics")


def test_of_several_measures_the_first_and_gaps_are_told() -> None:
    table = cf.Table(
        {
            "run": ["a", "a", "a", "b", "b"],
            "topic": ["x", "x", "y", "x", "y"],
            "measure": ["AP", "RR", "AP", "AP", "AP"],
            "value": [0.5, 1.0, None, 0.4, 0.3],
        }
    )
    assert len(rows_of(table, "topics-runs", "rect")) == 3
    assert "white: 1 value not there" in told(table, "topics-runs")
    with pytest.raises(cf.ParameterError, match="no row has value"):
        draw(cf.Table({"run": ["a"], "topic": ["x"], "measure": ["AP"], "value": [None]}), "topics-runs")


def test_values_below_zero_and_values_that_are_all_equal() -> None:
    below = cf.Table({"run": ["a", "b"], "topic": ["x"] * 2, "measure": ["score"] * 2, "value": [-2.0, 3.0]})
    scale = marks(below, "topics-runs")[0][1]["color"]["scale"]
    assert (scale["type"], scale["domain"]) == ("linear", [-2, -1, 0, 1, 2, 3])
    same = cf.Table({"run": ["a"], "topic": ["x"], "measure": ["NumRet"], "value": [7.0]})
    assert marks(same, "topics-runs")[0][1]["color"]["scale"]["domain"][0] == pytest.approx(7)
    assert finding(same, "topics-runs") == "Of 1 topic the hardest is topic x: 7"


def test_of_very_many_topics_bands_are_drawn_and_the_chart_says_so() -> None:
    table = per_topic(3, 250)
    cells = rows_of(table, "topics-runs", "rect")
    assert len(cells) == 3 * 50
    assert "250 topics in 50 bands from the hardest 2% on, each the mean of about 5" in told(table, "topics-runs")
    rows = table.rows()
    mean = {t: sum(row["value"] for row in rows if row["topic"] == t) for t in {row["topic"] for row in rows}}  # type: ignore[misc]
    hardest = sorted(mean, key=lambda t: mean[t])[:5]
    own = [row["value"] for row in rows if row["run"] == "run2" and row["topic"] in hardest]
    first = next(cell["value"] for cell in cells if (cell["y"], cell["x"]) == (0, 0))
    assert first == pytest.approx(sum(own) / 5)  # type: ignore[arg-type]
    assert [word for word in texts(table, "topics-runs") if "%" in word] == [f"{10 * tenth}%" for tenth in range(10)]


def test_of_very_many_runs_the_best_are_drawn_and_names_are_thinned() -> None:
    table = per_topic(230, 3)
    cells = rows_of(table, "topics-runs", "rect")
    assert max(cell["y"] for cell in cells) == 199
    assert "of 230 runs the best 200" in told(table, "topics-runs")
    names = [word for word in texts(table, "topics-runs") if word.startswith("run")]
    assert len(names) == 100  # each has 5 points, and a letter needs 7


@pytest.mark.parametrize(("runs", "topics"), [(129, 50), (6, 10), (40, 200)])
def test_names_do_not_touch(runs: int, topics: int) -> None:
    table = per_topic(runs, topics)
    whole = spec(table, "topics-runs")
    _, (_, _, names), (_, _, heads) = marks(table, "topics-runs")
    for rows, layer, field, length, count in (
        (names, whole["layer"][1], "y", whole["height"], runs),
        (heads, whole["layer"][2], "x", whole["width"], topics),
    ):
        step = min(np.diff(sorted(row[field] for row in rows))) * length / count
        assert step >= layer["mark"]["fontSize"]


def test_shades_get_darker_all_the_way() -> None:
    def luminance(shade: str) -> float:
        channels = [int(shade[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light = [luminance(shade) for shade in SHADES]
    # Whoever sees no hue sees the order; one shade to the next is at least 1.2 : 1.
    assert all((one + 0.05) / (next_one + 0.05) > 1.2 for one, next_one in pairwise(light))


# Moves under other judgments


def test_only_runs_that_moved_are_drawn_and_those_that_stay_are_counted() -> None:
    table = moved([1, 2, 3, 4, 5], [2, 1, 3, 5, 4])
    rows = rows_of(table, "moved", "rule")
    assert [(row["run"], row["kind"]) for row in rows] == [
        ("system-2", "climbs"),
        ("system-1", "falls"),
        ("system-5", "climbs"),
        ("system-4", "falls"),
    ]
    assert finding(table, "moved") == "4 of 5 runs change rank; system-2 is first, before it was system-1"
    assert "1 run keeps the rank" in told(table, "moved")


def test_of_many_runs_the_farthest_moves_are_drawn() -> None:
    table = moved(list(range(1, 130)), [*range(2, 130), 1])
    rows = rows_of(table, "moved", "rule")
    assert len(rows) == 40
    assert rows[0]["run"] == "system-129"  # from 129 to 1
    assert "of 129 runs the 40 that move farthest" in told(table, "moved")


def test_where_nothing_moves_the_runs_stand_where_they_stood() -> None:
    table = moved(list(range(1, 51)), list(range(1, 51)))
    assert finding(table, "moved") == "None of 50 runs changes rank"
    assert "of 50 runs the 40 on top" in told(table, "moved")
    assert {row["kind"] for row in rows_of(table, "moved", "point")} == {"stays"}
    assert [row["run"] for row in rows_of(table, "moved", "rule")] == [f"system-{i}" for i in range(1, 41)]


def test_a_value_that_is_not_known_is_not_told() -> None:
    rows = [{**row, "difference": None} for row in moved([1, 2], [2, 1]).rows()]
    table = cf.Table.from_rows(rows, TABLES["moved"].columns, caption="x")
    assert "1 → 2" in texts(table, "moved")
    one = moved([1, 2, 2], [1, 1, 3])  # two are first after
    assert finding(one, "moved").startswith("2 of 3 runs change rank; system-1 is first")


# Pictures as a page serves them

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "two\nlines\r\nand\x00nothing",
    "x" * 500,
    "\u202egnikcab\u202c",
    "\ufffe\uffff",
    "]]><!--",
    "&lt;b&gt;",
    "\udc80 bytes",
    "=cmd|' /C calc'!A0",
]


@pytest.mark.parametrize("name", ["topics-runs", "moved"])
def test_hostile_names_stay_text(name: str) -> None:
    if name == "moved":
        turned = moved([*range(1, 11)], [*range(10, 0, -1)]).rows()
        rows = [{**row, "run": evil} for row, evil in zip(turned, HOSTILE, strict=True)]
        table = cf.Table.from_rows(rows, TABLES["moved"].columns, caption=HOSTILE[0])
    else:
        rows = [
            {"run": evil, "topic": other, "measure": "AP", "value": 0.1 + i / 100}
            for i, evil in enumerate(HOSTILE)
            for other in HOSTILE
        ]
        table = cf.Table.from_rows(rows, TABLES["topics-runs"].columns)
    content, media = to_picture(table, name)
    assert media == SVG
    root = ET.fromstring(content)  # well-formed, whatever stands in it
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "linearGradient", "stop", "clipPath"}
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not [key for key in attributes if key.casefold().startswith("on") or key.endswith("href")]
    words = "".join(root.itertext())
    assert "<script>" in words or "<scri" in words
    assert "\u202e" not in words
    assert "\n" not in words
    assert "x" * 31 not in words  # long names are cut


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_sign_that_xml_does_not_know_ends_nothing(suffix: str, tmp_path: Path) -> None:
    # The renderer would abort, and the process with it.
    rows = [{**row, "run": f"\ufffe{row['run']}\x01"} for row in TABLES["moved"].rows()]
    save(
        draw(cf.Table.from_rows(rows, TABLES["moved"].columns, caption="\uffff"), "moved"), tmp_path / f"chart{suffix}"
    )
    made = (tmp_path / f"chart{suffix}").read_bytes()
    if suffix == ".svg":
        words = "".join(ET.fromstring(made).itertext())
        assert "\ufffdsystem-2" in words
    assert len(made) > 1000


def test_few_marks_are_svg_and_many_are_png(tmp_path: Path) -> None:
    content, media = to_picture(per_topic(6, 10), "topics-runs")
    assert (media, content[:4]) == (SVG, b"<svg")
    content, media = to_picture(per_topic(129, 50), "topics-runs")
    assert media == PNG
    assert len(content) < 400_000
    path = tmp_path / "map.png"
    path.write_bytes(content)
    with Image.open(path) as picture:
        picture.load()
        assert picture.width > 1000
    # 60 cells, 6 + 10 names.
    assert to_picture(per_topic(6, 10), "topics-runs", most=76)[1] == SVG
    assert to_picture(per_topic(6, 10), "topics-runs", most=75)[1] == PNG


def test_a_packed_png_is_the_same_picture(tmp_path: Path) -> None:
    save(draw(per_topic(6, 10), "topics-runs"), tmp_path / "saved.png")
    (tmp_path / "served.png").write_bytes(to_picture(per_topic(6, 10), "topics-runs", most=0)[0])
    one, other = (np.asarray(Image.open(tmp_path / f"{name}.png")) for name in ("saved", "served"))
    assert np.array_equal(one, other)
    assert (tmp_path / "served.png").stat().st_size < (tmp_path / "saved.png").stat().st_size


def test_a_study_is_drawn_as_its_table_is() -> None:
    study = cf.Study("board", {"moved": TABLES["moved"]}, charts=("moved",))
    assert to_picture(study, "moved") == to_picture(TABLES["moved"], "moved")
    with pytest.raises(cf.ParameterError, match="the study board has no chart named 'topics-runs'"):
        to_picture(study, "topics-runs")
    with pytest.raises(UnknownName):
        to_picture(TABLES["moved"], "sunburst")


def test_lines_count_once_and_marks_wherever_they_stand() -> None:
    rows = [{"x": 1}, {"x": 2}, {"x": 3}]
    inner = {"layer": [{"mark": {"type": "rect"}}, {"mark": {"type": "line"}}], "data": {"values": rows}}
    other = {"mark": {"type": "point"}, "data": {"name": "kept"}}
    whole = {"hconcat": [inner, {"vconcat": [other, other]}], "datasets": {"kept": rows[:2]}}
    assert count_marks(whole) == (3 + 1) + 2 * 2
    assert count_marks({"mark": {"type": "text"}, "data": {"values": rows}}) == 3


def test_both_are_in_the_catalogue() -> None:
    assert {"topics-runs", "moved"} <= set(CHARTS.names())


def test_a_picture_has_room_for_wider_letters() -> None:
    table = Table({"run": ["a", "b"], "topic": ["1", "1"], "measure": ["AP", "AP"], "value": [0.1, 0.2]})
    content, media = to_picture(table, "topics-runs")
    found = re.search(r'width="(\d+)" height="(\d+)" viewBox="0 0 (\d+) (\d+)"><rect width="(\d+)"', content.decode())
    assert found is not None
    laid_out = vl_convert.vegalite_to_svg(draw(table, "topics-runs").to_dict())
    before = re.search(r'width="(\d+)" height="(\d+)"', laid_out)
    assert before is not None
    assert int(found[1]) == int(found[3]) == int(found[5]) >= round(int(before[1]) * 1.08)
    assert media == SVG
    assert found[2] == found[4] == before[2]


def test_a_picture_is_as_wide_as_its_title_in_wide_letters() -> None:
    # 60 letters of 15 points, for which DejaVu Sans, bold, takes .67 each at most; these are laid out much narrower.
    table = Table({"run": ["a"], "topic": ["1"], "measure": ["AP"], "value": [0.1]})
    picture = draw(table, "topics-runs").properties(title="i" * 60)
    laid_out = vl_convert.vegalite_to_svg(picture.to_dict())
    left = float(re.findall(r"translate\(([\d.]+),", laid_out)[0])
    found = re.search(r'width="(\d+)"', _roomy(laid_out))
    assert found is not None
    assert int(found[1]) == ceil(left + 60 * 15 * 0.67 + 6)
