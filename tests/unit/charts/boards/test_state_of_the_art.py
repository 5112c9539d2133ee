"""The chart of a leaderboard over time."""

import csv
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.leaderboard_history import history
from tests.support.rendered_charts import finding, marks, rows_of, seen, spec, texts, told


def dated(
    found: Sequence[tuple[str, object, float | None, str]], significant: list[bool | None] | None = None
) -> cf.Table:
    columns = {name: [row[i] for row in found] for i, name in enumerate(("run", "date", "mean", "kind"))}
    return cf.Table(columns | ({"significant": significant} if significant else {}))


STEPS: list[tuple[str, object, float | None, str]] = [
    ("bm25", date(2020, 1, 1), 0.2, "baseline"),
    ("first", date(2020, 2, 1), 0.25, "sota"),
    ("weak", date(2020, 3, 1), 0.1, "run"),
    ("second", date(2020, 8, 1), 0.3, "sota"),
    ("third", date(2021, 8, 1), 0.446, "sota"),
]


@pytest.mark.parametrize(("runs", "tested"), [(3, False), (60, True), (400, True)])
def test_few_and_many_runs_are_drawn(runs: int, tested: bool, tmp_path: Path) -> None:
    assert "mean" in re.findall(r">([^<>]+)</t(?:ext|span)>", seen(history(runs, tested=tested), "sota", tmp_path))


def test_the_title_counts_steps_and_months() -> None:
    # From 1 February 2020 to 1 August 2021 there are 18 months.
    assert finding(dated(STEPS), "sota") == "3 steps in 18 months: from .250 to .446"
    known = dated(STEPS, [None, None, None, True, False])
    assert finding(known, "sota") == "3 steps in 18 months: from .250 to .446, 1 of them significant"
    near = dated([("x", date(2020, 2, 1), 0.2, "sota"), ("y", date(2020, 2, 11), 0.3, "sota")])
    assert finding(near, "sota") == "2 steps in 10 days: from .200 to .300"
    one = dated([("x", date(2020, 2, 1), 0.2, "sota"), ("y", date(2020, 2, 11), 0.1, "run")])
    assert finding(one, "sota") == "x has had the best mean since February 2020: .200"
    none = dated([("x", date(2020, 2, 1), 0.2, "baseline")])
    assert finding(none, "sota") == "None of 1 run has led yet"


def test_runs_steps_and_baselines_look_different() -> None:
    by_fill = {}
    for mark, encoded, rows in marks(dated(STEPS), "sota"):
        if mark == "point":
            by_fill[tuple(row["run"] for row in rows)] = "fill" in encoded
    assert by_fill == {("weak",): False, ("bm25",): False, ("first", "second", "third"): True}
    points = [layer["mark"] for layer in spec(dated(STEPS), "sota")["layer"] if layer["mark"]["type"] == "point"]
    assert [mark.get("filled") for mark in points] == [True, False, None]


def test_the_line_steps_from_best_to_best_and_on_to_the_last_day() -> None:
    late = [*STEPS, ("later", date(2021, 12, 1), 0.3, "run")]
    rows = rows_of(dated(late), "sota", "line")
    assert [row["mean"] for row in rows] == [0.25, 0.3, 0.446, 0.446]
    noon = datetime(2021, 12, 1, 12, tzinfo=UTC).timestamp() * 1000
    assert rows[-1]["at"] == noon
    (line,) = [layer["mark"] for layer in spec(dated(late), "sota")["layer"] if layer["mark"]["type"] == "line"]
    assert line["interpolate"] == "step-after"


@pytest.mark.parametrize(
    ("significant", "filled"),
    [
        (None, [True, True, True]),
        ([None, None, None, None, None], [True, True, True]),  # nothing is known: all look alike
        ([None, None, None, True, False], [False, True, False]),
    ],
)
def test_a_step_is_filled_if_it_is_significant(significant: list[bool | None] | None, filled: list[bool]) -> None:
    table = dated(STEPS, significant)
    steps = next(rows for mark, encoded, rows in marks(table, "sota") if mark == "point" and "fill" in encoded)
    assert [row["filled"] for row in steps] == filled
    said = "filled: significantly better than the best before it; hollow: not, or not tested"
    assert (said in told(table, "sota")) == (filled != [True] * 3)


def test_runs_without_a_date_are_left_out_and_counted() -> None:
    table = dated([*STEPS, ("undated", None, 0.9, "run"), ("empty", date(2021, 1, 1), None, "run")])
    drawn = {row.get("run") for _, _, rows in marks(table, "sota") for row in rows}
    assert not drawn & {"undated", "empty"}
    assert "2 runs without a date or a mean left out" in told(table, "sota")


def test_dates_may_be_text() -> None:
    for written in ("2020-02-01", "2020/02/01", "2020-02-01T10:00:00"):
        table = dated([("x", written, 0.2, "sota")])
        assert finding(table, "sota") == "x has had the best mean since February 2020: .200"
    with pytest.raises(cf.ParameterError, match="'soon' is no date") as caught:
        draw(dated([("x", "soon", 0.2, "sota")]), "sota")
    assert caught.value.hint == "write dates as 2021-02-28"
    with pytest.raises(cf.ParameterError, match="no run has a date and a mean") as caught:
        draw(dated([("x", None, 0.2, "sota")]), "sota")
    assert caught.value.hint == "give the runs dates"


def test_where_less_is_better_the_axis_is_turned() -> None:
    falling = dated([("x", date(2020, 2, 1), 9.0, "sota"), ("y", date(2020, 5, 11), 4.0, "sota")])
    assert marks(falling, "sota")[0][1]["y"]["scale"]["reverse"] is True
    assert marks(dated(STEPS), "sota")[0][1]["y"]["scale"]["reverse"] is False


def test_no_more_than_twelve_steps_are_named_among_them_the_first_and_the_last() -> None:
    steps: list[tuple[str, object, float | None, str]] = [
        (f"system with a long name {i:02}", date(2020, 1, 1) + timedelta(days=20 * i), 0.3 + 0.005 * i, "sota")
        for i in range(40)
    ]
    names = texts(dated(steps), "sota")
    assert 2 < len(names) <= 12
    assert any(name.endswith("00") for name in names)
    assert any(name.endswith("39") for name in names)


def test_the_history_of_a_real_board(shared_data: Path, tmp_path: Path) -> None:
    """MS MARCO's documents: the words of many steps, none over another."""
    with (shared_data / "leaderboards" / "msmarco-document.csv").open(encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["MRR@100 (Eval)"]]
    lines.sort(key=lambda line: line["date"])
    best, found = 0.0, []
    for line in lines:
        mean, baseline = float(line["MRR@100 (Eval)"]), line[""] == "🏛"
        kind = "baseline" if baseline else "sota" if mean > max(best, 0.307) else "run"  # the best baseline has .307
        best = max(best, mean)
        found.append((line["description"], line["date"], mean, kind))
    table = dated(found)
    rises = [mean for *_, mean, kind in found if kind == "sota"]
    assert finding(table, "sota").startswith(f"{len(rises)} steps in 17 months: from .368 to .446")
    seen(table, "sota", tmp_path)
