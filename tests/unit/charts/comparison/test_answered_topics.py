"""Charts of topics counted run by run."""

import re
from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ParameterError
from tests.support.chart_tables.topic_counts import BESIDE, SAID, SIMPLE, TABLES, against, answers
from tests.support.rendered_charts import finding, marks, rows_of, seen, texts


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


@pytest.mark.parametrize(("runs", "topics"), [(1, 50), (129, 50), (100, 6980)])
def test_few_and_many_runs_and_topics_are_drawn(runs: int, topics: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(runs)
    found = {f"run{i:03}": draw.multinomial(topics, [0.7, 0.1, 0.2]).tolist() for i in range(runs)}
    assert "<path" in seen(answers(found), "answers", tmp_path)
    assert "<path" in seen(against({run: (*n, 0.03) for run, n in found.items()}), "against", tmp_path)


def test_the_parts_of_a_bar_stand_one_after_the_other() -> None:
    rows = [row for row in rows_of(SIMPLE, "answers", "bar") if row["place"] == 1]
    assert [(row["part"], row["start"], row["end"]) for row in rows] == [
        ("answered", 0, 30),
        ("only unjudged", 30, 35),
        ("unanswered", 35, 50),
    ]
    first = [row["part"] for row in rows_of(SIMPLE, "answers", "bar") if row["place"] == 0]
    assert first == ["answered", "unanswered"]  # a part without a topic is not there


def test_ties_stand_on_both_sides_of_the_middle() -> None:
    rows = [row for row in rows_of(BESIDE, "against", "bar") if row["place"] == 0]
    assert [(row["part"], row["start"], row["end"]) for row in rows] == [
        ("lost", -15, -5),
        ("tied", -5, 5),
        ("won", 5, 35),
    ]
    across = next(encoded for mark, encoded, _ in marks(BESIDE, "against") if mark == "bar")["x"]
    assert across["scale"]["domain"] == [-49, 49]  # the furthest end, on both sides


def test_small_chances_stand_beside_their_bars() -> None:
    found = against({str(p): (5, 1, 5, p) for p in (0.001, 0.0011, 0.01, 0.05, 0.051)})
    assert texts(found, "against")[-5:] == ["p ≤ .001", "p ≤ .01", "p ≤ .01", "p ≤ .05", ""]
    none = against({"x": (5, 1, 5, 0.5), "y": (5, 0, 6, None)})
    assert not [word for word in texts(none, "against") if word.startswith("p")]


def test_numbers_stand_where_there_is_room() -> None:
    # 460 points for 50 topics: one topic has 9.2, and a digit of 11 points with its margin needs 10.6.
    found = answers({"x": (48, 1, 1), "y": (40, 8, 2)})
    assert [row["label"] for row in rows_of(found, "answers", "bar")] == ["48", "", "", "40", "8", "2"]


def test_titles_state_the_finding() -> None:
    assert finding(SIMPLE, "answers") == (
        "dense answers 48 of 50 topics (96%); unjudged documents could add topics for 1 of 2 runs"
    )
    assert finding(answers({"x": (3, 0, 1)}), "answers") == "x answers 3 of 4 topics (75%)"
    level = answers({"x": (3, None, 1), "y": (3, None, 1), "z": (2, None, 2)})
    assert finding(level, "answers") == "x and 1 other answer 3 of 4 topics (75%)"
    assert finding(answers({"x": (0, 0, 0)}), "answers") == "x answers 0 of 0 topics (0%)"
    counts = re.findall(r"\b\d+\b", finding(BESIDE, "against"))
    assert list(map(int, counts)) == [3, 1, 0]  # p of random is not known, both has p = 1
    surely_worse = against({"x": (1, 0, 49, 0.001), "y": (9, 0, 8, 0.8)})
    assert "0 with significantly more topics won than lost, 1 with significantly fewer" in finding(
        surely_worse, "against"
    )
    one = against({"x": (3, 1, 2, 0.9)})
    assert finding(one, "against") == "x wins 3 topics against bm25, ties 1, loses 2"


def test_a_run_without_a_topic_has_no_bar() -> None:
    found = against({"x": (0, 0, 0, None)})
    assert rows_of(found, "against", "bar") == []
    with pytest.raises(ParameterError, match="nothing to draw"):
        finding(
            cf.Table({"run": ["x"], "topics": [1], "answered": [None], "only_unjudged": [0], "unanswered": [0]}),
            "answers",
        )
