"""Charts of a leaderboard."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.leaderboards import (
    SAID,
    TABLES,
    condition_ranks,
    facets,
    moves,
    ranks,
    stability,
)
from tests.support.rendered_charts import finding, marks, rows_of, seen, texts, told

CONDITIONS = [f"{where}, {measure}" for where in ("public", "private", "private TREC") for measure in ("RR", "nDCG@10")]


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


SIZES: dict[str, tuple[str, Callable[[], cf.Table]]] = {
    "stability-2": ("stability", lambda: stability(2)),
    "stability-40": ("stability", lambda: stability(40)),
    "stability-129": ("stability", lambda: stability(129)),
    "stability-129-wide": ("stability", lambda: stability(129, spread=60)),
    "board-2": ("board", lambda: ranks(2)),
    "board-129": ("board", lambda: ranks(129)),
    "facets-2": ("facets", lambda: facets(2)),
    "facets-129": ("facets", lambda: facets(129)),
    "public-private-2": ("public-private", lambda: condition_ranks(2, 2)),
    "public-private-129": ("public-private", lambda: condition_ranks(129, 6)),
    "moves-2": ("moves", lambda: moves(2)),
    "moves-129": ("moves", lambda: moves(129)),
}


@pytest.mark.parametrize("case", SIZES)
def test_two_runs_and_a_hundred_are_drawn(case: str, tmp_path: Path) -> None:
    name, make = SIZES[case]
    assert "<path" in seen(make(), name, tmp_path)


# Stability

THREE = cf.Table(
    {
        "run": ["x", "x", "y", "y", "z"],
        "rank": [1, 2, 1, 2, 3],
        "share": [0.75, 0.25, 0.25, 0.75, 1.0],
    }
)


def test_every_run_and_rank_is_a_square_with_its_share() -> None:
    rows = rows_of(THREE, "stability", "rect")
    squares = {(row["run"], row["rank"]): (row["start"], row["end"], row["share"]) for row in rows}
    assert squares["x", 2] == (1.5, 2.5, 0.25)
    assert len(squares) == 5
    assert finding(THREE, "stability") == "x is first in 75% of draws; 3 of 3 runs hold one rank in more than half"
    shown = [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts(THREE, "stability")]
    assert shown == ["75%", "25%", "25%", "75%", "100%"]
    down = marks(THREE, "stability")[0][1]["y"]
    assert down["sort"] == ["x", "y", "z"]


def test_a_leader_that_another_passes_more_often_is_named() -> None:
    lucky = cf.Table({"run": ["x", "x", "y", "y"], "rank": [1, 2, 1, 2], "share": [0.4, 0.6, 0.6, 0.4]})
    said = "x, at the top of the board, is first in 40% of draws, y in 60%; 2 of 2 runs hold one rank in more than half"
    assert finding(lucky, "stability") == said


def test_of_many_runs_shares_are_shades_and_neighbours_of_one_shade_are_joined() -> None:
    table = stability(60, spread=8)
    kinds = [mark for mark, *_ in marks(table, "stability")]
    assert kinds == ["rect"]
    shares = {(row["run"], row["rank"]): float(str(row["share"])) for row in table.rows()}
    cells = rows_of(table, "stability", "rect")
    assert len(cells) < len(shares) / 2
    covered = set()
    for cell in cells:
        for rank in range(round(cell["start"] + 0.5), round(cell["end"] + 0.5)):
            covered.add((cell["run"], rank))
            # A shade is a twentieth of the root of the largest share there can be, 1.
            assert abs(cell["share"] ** 0.5 - shares[cell["run"], rank] ** 0.5) <= 0.0251
    assert covered == {cell for cell, share in shares.items() if share >= 0.005}


# Board


@pytest.mark.parametrize("seed", range(6))
def test_the_title_counts_the_significant_pairs_of_the_run_at_the_top(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    scores = drawn.random((20, 1)) + 0.3 * drawn.standard_normal((20, 7)) + seed / 10 * drawn.random(7)
    study = cf.leaderboard(pl.DataFrame(scores), test="t", pairs=True, draws=20, scale="ignore")
    top = study["ranks"].cells("run")[0]
    mine = [row for row in study["pairs"].rows() if top in (row["a"], row["b"])]
    apart = sum(row["significant"] is True for row in mine)
    words = finding(study["ranks"], "board").split()
    assert words[words.index("from") + 1] == ("none" if apart == 0 else "all" if apart == 6 else str(apart))


def test_the_title_says_who_cannot_be_told_from_the_leader() -> None:
    few = ranks(3).rows()
    letters = ["a", "ab", "b"]
    table = cf.Table.from_rows([{**row, "letters": text} for row, text in zip(few, letters, strict=True)], list(few[0]))
    assert finding(table, "board") == "system-1, at the top with .450, differs significantly from 1 of 2 others"
    apart = cf.Table.from_rows([{**row, "letters": text} for row, text in zip(few, "abc", strict=True)], list(few[0]))
    assert finding(apart, "board") == "system-1, at the top with .450, differs significantly from all 2 others"
    assert finding(ranks(3, letters=False), "board") == "Means of 3 runs; system-1, at the top with .450"
    assert finding(ranks(1), "board") == "system-1, at the top with .450"


def test_the_colour_is_that_of_the_first_letter_and_ranks_stand_beside() -> None:
    rows = rows_of(ranks(8), "board", "rule")
    assert [row["first"] for row in rows] == list("abcdefgh")
    assert [row["ranks"] for row in rows][:3] == ["1–2", "1–3", "2–4"]
    encoded = marks(ranks(8), "board")[0][1]
    assert (encoded["x"]["field"], encoded["x2"]["field"]) == ("low", "high")
    assert len(set(encoded["color"]["scale"]["range"])) == 8


def test_runs_stand_as_on_the_board_and_gaps_are_left_out() -> None:
    rows = ranks(4).rows()
    rows[1] |= {"low": None, "high": None, "rank_low": None, "rank_high": None}
    rows[2] |= {"mean": None}
    rows[3] |= {"rank_low": 4, "rank_high": 4}
    table = cf.Table.from_rows(rows, list(rows[0]))
    drawn = rows_of(table, "board", "rule")
    assert [row["run"] for row in drawn] == ["system-1", "system-2", "system-4"]
    assert (drawn[1]["low"], drawn[1]["high"], drawn[1]["ranks"]) == (drawn[1]["mean"], drawn[1]["mean"], "")
    assert drawn[2]["ranks"] == "4"


# Facets


def two_facets(found: Mapping[str, tuple[float | None, float | None]]) -> cf.Table:
    return cf.Table(
        {"run": list(found), "answered": [x for x, _ in found.values()], "esl": [y for _, y in found.values()]}
    )


def test_the_front_of_two_facets() -> None:
    # z answers as many as y and ranks worse; w is worst in both.
    table = two_facets({"x": (0.7, 2.0), "y": (0.9, 5.0), "z": (0.9, 6.0), "w": (0.5, 9.0)})
    assert set(texts(table, "facets")) == {"x", "y"}
    assert finding(table, "facets") == (
        "4 runs by two facets; most topics: y, 90% of topics answered; lowest mean rank: x, mean rank 2"
    )
    down = marks(table, "facets")[0][1]["y"]
    assert down["scale"]["reverse"] is True
    one = two_facets({"x": (0.9, 2.0), "y": (0.8, 5.0)})
    said = "2 runs by two facets; most topics and lowest mean rank: x, 90% of topics answered, mean rank 2"
    assert finding(one, "facets") == said


def test_runs_that_answer_nothing_are_counted_and_equal_ones_are_both_on_the_front() -> None:
    table = two_facets({"x": (0.9, 2.0), "y": (0.9, 2.0), "z": (0.0, None)})
    assert "1 run without both numbers left out" in told(table, "facets")
    assert len(rows_of(table, "facets", "line")) == 2
    said = "2 runs by two facets; most topics and lowest mean rank: x, 90% of topics answered, mean rank 2"
    assert finding(table, "facets") == said
    with pytest.raises(cf.ParameterError, match="no row has answered and esl"):
        draw(two_facets({"z": (0.0, None)}), "facets")


def test_no_share_is_beyond_all_topics() -> None:
    for found in ({"x": (1.0, 2.0), "y": (1.0, 3.0)}, {"x": (0.0, 2.0), "y": (1.0, 3.0)}):
        low, high = marks(two_facets(found), "facets")[0][1]["x"]["scale"]["domain"]
        assert low >= -0.02
        assert 1 <= high <= 1.02


def test_far_apart_ranks_stand_on_a_logarithmic_axis() -> None:
    near = marks(two_facets({"x": (0.5, 2.0), "y": (0.9, 50.0)}), "facets")[0][1]["y"]["scale"]
    far = marks(two_facets({"x": (0.5, 2.0), "y": (0.9, 70.0)}), "facets")[0][1]["y"]["scale"]
    assert near.get("type") is None
    assert far["type"] == "log"


# Public and private


def conditions(found: dict[str, dict[str, dict[int, float]]]) -> cf.Table:
    rows = [
        {"condition": condition, "run": run, "rank": rank, "share": share}
        for condition, runs in found.items()
        for run, shares in runs.items()
        for rank, share in shares.items()
    ]
    return cf.Table.from_rows(rows, ["condition", "run", "rank", "share"])


def test_expected_ranks_under_every_condition() -> None:
    table = conditions(
        {
            "public": {"x": {1: 0.9, 2: 0.1}, "y": {1: 0.1, 2: 0.9}},
            "private": {"x": {1: 0.25, 2: 0.75}, "y": {1: 0.75, 2: 0.25}},
        }
    )
    rows = rows_of(table, "public-private", "rule")
    means = {(row["condition"], row["run"]): row["mean"] for row in rows}
    # 1 · .9 + 2 · .1, and 1 · .25 + 2 · .75
    assert means["public", "x"] == pytest.approx(1.1)
    assert means["private", "x"] == pytest.approx(1.75)
    said = "x, first on the public topics, is expected at rank 1.8 under the other condition"
    assert finding(table, "public-private") == said


def test_steps_are_as_tall_as_their_share_of_the_largest() -> None:
    table = conditions({"public": {"x": {1: 0.5, 3: 0.25}}, "private": {"x": {2: 1.0}}})
    steps = [row for row in rows_of(table, "public-private", "area") if row["row"] == 0]
    heights = [row["base"] - row["top"] for row in steps]
    tall = max(heights)
    assert [row["x"] for row in steps] == [0.5, 1.5, 2.5, 3.5]
    assert heights == [tall, 0, tall / 2, tall / 2]


def test_key_runs_are_the_first_the_last_and_those_that_move_most() -> None:
    order = [f"r{i}" for i in range(9)]
    private = [0, 1, 5, 3, 4, 2, 8, 7, 6]  # r2 and r5 change by 3, r6 and r8 by 2
    table = conditions(
        {
            "public": {run: {i + 1: 1.0} for i, run in enumerate(order)},
            "private": {run: {place + 1: 1.0} for run, place in zip(order, private, strict=True)},
        }
    )
    names = list(dict.fromkeys(row["run"] for row in rows_of(table, "public-private", "rule")))
    assert names == ["r0", "r2", "r5", "r6", "r8"]
    assert (
        finding(table, "public-private")
        == "r0, first on the public topics, is expected at rank 1.0 under the other condition"
    )


def test_the_first_of_the_board_is_first_by_its_mean_also_where_another_is_expected_higher() -> None:
    """As the sentence of the study has it: a mean may lead by one topic, and another run be ahead in most draws."""
    ahead, behind, elsewhere = {1: 0.4, 3: 0.6}, {1: 0.6, 2: 0.4}, {2: 1.0}  # expected at 2.2 and at 1.4
    table = conditions(
        {
            "public, AP": {"x": ahead, "y": behind},
            "public, RR": {"x": elsewhere, "y": elsewhere},
            "private, AP": {"x": {4: 1.0}, "y": elsewhere},
        }
    )
    said = "x, first on the public topics, is expected at rank 2.0 to 4.0 under 2 other conditions"
    assert finding(table, "public-private") == said


def test_conditions_that_lack_a_run_and_boards_of_one_condition() -> None:
    table = conditions({"public": {"x": {1: 1.0}, "y": {2: 1.0}}, "private": {"y": {1: 1.0}}})
    assert finding(table, "public-private") == "x, first on the public topics, is not ranked elsewhere"
    assert len(rows_of(table, "public-private", "rule")) == 3
    with pytest.raises(cf.ParameterError, match="the ranks are of one condition") as caught:
        draw(conditions({"public": {"x": {1: 1.0}}}), "public-private")
    assert caught.value.hint == "give private topics, other labels or another measure"


# Moves


def moved(found: dict[str, tuple[float | None, float | None]]) -> cf.Table:
    ends = list(found.values())
    return cf.Table({"run": list(found), "public_rank": [x for x, _ in ends], "private_rank": [y for _, y in ends]})


def test_the_run_that_moves_most_is_named_in_the_title() -> None:
    table = moved({"x": (1, 1), "y": (2, 5), "z": (3, 2), "u": (4, 3), "v": (5, 4), "w": (6, None)})
    assert finding(table, "moves") == "y falls most, from rank 2 to 5; 1 of 5 runs keep their rank on private topics"
    drawn = [row for mark, _, rows in marks(table, "moves") if mark == "line" for row in rows]
    kinds = {row["run"]: row["kind"] for row in drawn}
    assert kinds == {"x": "other", "y": "falls", "z": "rises", "u": "rises", "v": "rises"}
    ends = [(row["side"], row["rank"]) for row in drawn if row["run"] == "y"]
    assert ends == [("public", 2), ("private", 5)]
    up = moved({"x": (1, 2), "y": (9, 1.5)})
    assert finding(up, "moves") == "y rises most, from rank 9 to 1.5; 0 of 2 runs keep their rank on private topics"


def test_a_board_that_holds() -> None:
    assert finding(moved({"x": (1, 1), "y": (2, 2)}), "moves") == "None of 2 runs changes its rank on private topics"


def test_of_many_runs_only_those_that_move_most_are_named() -> None:
    assert len(texts(moves(30), "moves")) == 2 * 30
    assert len(texts(moves(31), "moves")) == 2 * 5
    still = moved({f"r{i}": (i, i) for i in range(1, 40)})
    assert texts(still, "moves") == []


def test_names_at_one_rank_stand_apart() -> None:
    table = moved({"x": (1, 1), "y": (1, 1), "z": (1, 3)})
    words = next(rows for mark, _, rows in marks(table, "moves") if mark == "text")
    places = sorted(row["rank"] for row in words)
    ranks_of_a_line = 12 * 3 / 160  # twelve points, where 160 hold three ranks
    assert all(high - low >= ranks_of_a_line - 1e-9 for low, high in pairwise(places))
    assert sum(places) / 3 == pytest.approx(1)


def test_without_ranks_there_is_nothing_to_draw() -> None:
    with pytest.raises(cf.ParameterError, match="no row has public_rank and private_rank"):
        draw(moved({"x": (1, None)}), "moves")
    with pytest.raises(cf.ParameterError, match="no row has mean"):
        draw(cf.Table.from_rows([{**ranks(1).rows()[0], "mean": None}], ranks(1).columns), "board")
    with pytest.raises(cf.ParameterError, match="the table has no column named 'share'"):
        draw(ranks(2), "stability")
