"""Charts of two runs topic by topic."""

import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.charts import draw
from tests.support.chart_tables.two_run_outcomes import LIN, SAID, TABLES, dominance, outcomes, topics
from tests.support.rendered_charts import finding, marks, rows_of, seen, spec, texts, told


def many_outcomes(runs: int, topics: int, *, baseline: bool) -> cf.Table:
    """Outcomes of each run against the first, or of all pairs."""
    draw = np.random.default_rng(runs)
    answered = draw.random((topics, runs)) < np.linspace(0.55, 0.9, runs)
    names = [f"run{i:03}" for i in range(runs)]
    pairs = [(0, j) for j in range(1, runs)] if baseline else list(combinations(range(runs), 2))
    counts = {}
    for i, j in pairs:
        a, b = answered[:, i], answered[:, j]
        found = (~a & ~b, a & ~b, ~a & b, a & b)
        counts[names[i], names[j]] = tuple(int(part.sum()) for part in found)
    return outcomes(counts)  # type: ignore[arg-type]  # four numbers each


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_is_drawn_with_its_words(name: str, tmp_path: Path) -> None:
    svg = seen(TABLES[name], name, tmp_path)
    assert SAID[name] <= set(re.findall(r">([^<>]+)</t(?:ext|span)>", svg))


SIZES: dict[str, tuple[str, Callable[[], cf.Table]]] = {
    "outcomes-2": ("outcomes", lambda: many_outcomes(2, 5, baseline=True)),
    "outcomes-129": ("outcomes", lambda: many_outcomes(129, 50, baseline=False)),
    "dominance-129": ("dominance", lambda: many_dominance(128)),
    "differences-5": ("topic-differences", lambda: topics(5)),
    "differences-6980": ("topic-differences", lambda: topics(6980)),
    "differences-6980x8": ("topic-differences", lambda: topics(6980, 8)),
    "ranks-5": ("rank-pairs", lambda: topics(5)),
    "ranks-1000": ("rank-pairs", lambda: topics(1000)),
    "ranks-6980": ("rank-pairs", lambda: topics(6980)),
}


@pytest.mark.parametrize("case", SIZES)
def test_few_and_many_runs_and_topics_are_drawn(case: str, tmp_path: Path) -> None:
    name, make = SIZES[case]
    assert "<path" in seen(make(), name, tmp_path)


# Outcomes


def test_the_parts_of_a_bar_stand_in_a_fixed_order_and_fill_it() -> None:
    rows = rows_of(LIN, "outcomes", "bar")
    assert [row["part"] for row in rows] == ["only R1", "both", "neither", "only R2"]
    assert [row["share"] for row in rows] == [n / 5793 for n in (521, 4229, 116, 927)]
    assert [row["start"] for row in rows] == pytest.approx([0, 521 / 5793, 4750 / 5793, 4866 / 5793])
    assert rows[-1]["end"] == pytest.approx(1)
    # 521, 4,229 and 927 of 5,793 are 9, 73 and 16%; 2% of the bar are too narrow for words.
    assert [row["label"].replace("\N{NO-BREAK SPACE}", " ") for row in rows] == ["9%", "73%", "", "16%"]


def test_the_title_gives_the_topics_of_each_run_alone() -> None:
    assert finding(LIN, "outcomes") == "Topics answered: 16% only by R2, 9% only by R1, 73% by both"
    one = outcomes({("x", "y"): (0, 0, 1, 999)})
    assert finding(one, "outcomes") == "Topics answered: < 1% only by y, 0% only by x, > 99% by both"


def test_several_pairs_have_their_runs_at_both_ends() -> None:
    against = outcomes({("x", "y"): (0, 1, 2, 7), ("x", "z"): (0, 2, 1, 7)})
    assert finding(against, "outcomes").endswith(": 2 runs compared with x")
    assert {"y", "z"} <= set(texts(against, "outcomes"))
    assert "x" not in texts(against, "outcomes")  # the same in all bars: it is in the legend
    assert rows_of(against, "outcomes", "bar")[0]["part"] == "only x"
    free = outcomes({("x", "y"): (0, 1, 2, 7), ("z", "w"): (0, 1, 2, 7)})
    assert finding(free, "outcomes").endswith(": 2 pairs of runs")
    assert {"x", "y", "z", "w"} <= set(texts(free, "outcomes"))


def test_of_very_many_pairs_those_are_drawn_that_differ_most() -> None:
    table = many_outcomes(20, 100, baseline=False)
    assert "of 190 pairs the 60 that differ most in what they answer" in told(table, "outcomes")
    drawn = {row["bar"] for row in rows_of(table, "outcomes", "bar")}
    assert len(drawn) == 60
    gaps: dict[tuple[str, str], float] = {}
    for row in table.rows():
        sign = {"only_a": -1, "only_b": 1}.get(str(row["outcome"]), 0)
        pair = str(row["a"]), str(row["b"])
        gaps[pair] = gaps.get(pair, 0.0) + sign * float(str(row["share"]))
    least = sorted(map(abs, gaps.values()))[-60]
    shares = {(row["bar"], row["part"]): row["share"] for row in rows_of(table, "outcomes", "bar")}
    right, left = "only the run on the right", "only the run on the left"
    assert all(abs(shares.get((bar, right), 0) - shares.get((bar, left), 0)) >= least - 1e-12 for bar in drawn)


# Dominance


def test_all_grades_stand_over_each_grade() -> None:
    table = dominance({"1": (12, 8, 12, 18), "2": (8, 20, 4, 18), "all": (10, 5, 20, 15)})
    assert [row["left"] for row in marks(table, "dominance")[-1][2]] == ["all grades", "grade ≥ 1", "grade ≥ 2"]
    first = [row["share"] for row in rows_of(table, "dominance", "bar") if row["bar"] == 0]
    assert first == [0.2, 0.1, 0.4, 0.3]


def test_the_title_says_how_often_each_run_dominates() -> None:
    table = dominance({"all": (10, 5, 20, 15), "1": (1, 0, 0, 0)})
    said = "dense dominates in 30% of topics, bm25 in 20%; equal in 10%, incomparable in 40%"
    assert finding(table, "dominance") == said


def many_dominance(pairs: int) -> cf.Table:
    """Pairs of which every second has b ahead more often."""
    counts = [(10, 5, 20, 15) if i % 2 else (15, 5, 20, 10) for i in range(pairs)]
    parts = [dominance({"all": count, "1": (1, 1, 1, 1)}, (f"a{i}", f"b{i}")) for i, count in enumerate(counts)]
    return cf.Table.from_rows([row for part in parts for row in part.rows()], parts[0].columns)


def test_several_pairs_are_drawn_over_all_grades() -> None:
    table = many_dominance(80)
    assert finding(table, "dominance").endswith(": 80 pairs of runs")
    rows = rows_of(table, "dominance", "bar")
    assert len({row["bar"] for row in rows}) == 60
    assert "the first 60 of 80 pairs" in told(table, "dominance")
    assert {row["share"] for row in rows} == {0.1, 0.2, 0.3, 0.4}  # and never a quarter, which each has at grade 1


# Differences


def by_topic(differences: list[float | None], measure: str = "AP") -> cf.Table:
    n = len(differences)
    columns = {"a": ["x"] * n, "b": ["y"] * n, "topic": [f"t{i}" for i in range(n)], "measure": [measure] * n}
    return cf.Table({**columns, "difference": differences})


def test_differences_are_sorted_and_counted() -> None:
    table = by_topic([0.1, -0.2, None, 0.0, 0.3])
    assert finding(table, "topic-differences") == "y has the higher AP in 2 of 4 topics, x in 1; 1 equal"
    rows = rows_of(table, "topic-differences", "rect")
    assert [(row["start"], row["difference"], row["ahead"]) for row in rows] == [
        (0, 0.3, "b"),
        (1, 0.1, "b"),
        (3, -0.2, "a"),
    ]
    assert set(texts(table, "topic-differences")) == {"t4", "t0", "t1"}
    turned = by_topic([-0.1, -0.2, 0.3])
    assert finding(turned, "topic-differences") == "y has the higher AP in 1 of 3 topics, x in 2"


def test_where_less_is_better_a_negative_difference_favours_b() -> None:
    table = by_topic([-4.0, -2.0, 3.0], "ESL@10")
    assert finding(table, "topic-differences") == "y has the lower ESL@10 in 2 of 3 topics, x in 1"
    rows = rows_of(table, "topic-differences", "rect")
    assert [(row["difference"], row["ahead"]) for row in rows] == [(-4.0, "b"), (-2.0, "b"), (3.0, "a")]


def test_no_topic_is_named_that_is_equal_to_one_left_out() -> None:
    # Four at 1: naming three would be arbitrary; 0.5 and 0.2 on the other side are not.
    table = by_topic([1.0, 1.0, 1.0, 1.0, -0.5, -0.2])
    assert set(texts(table, "topic-differences")) == {"t4", "t5"}


def test_names_of_topics_stand_apart_and_off_the_bars() -> None:
    table = by_topic([0.50, 0.499, 0.498, 0.497, 0.1])
    (names,) = [rows for mark, _, rows in marks(table, "topic-differences") if mark == "text" and rows]
    heights = sorted(row["difference"] for row in names)
    line = 0.5 / 260  # what a point of the chart stands for
    assert all(high - low >= 11.9 * line for low, high in pairwise(heights))
    assert heights[0] > 0.497


def test_very_many_topics_share_bars_whose_areas_are_the_same() -> None:
    differences = np.random.default_rng(1).normal(0.05, 0.2, 6980).tolist()
    rows = rows_of(by_topic(differences), "topic-differences", "rect")
    assert len(rows) == 400
    assert sum((row["end"] - row["start"]) * row["difference"] for row in rows) == pytest.approx(sum(differences))
    assert "each bar is the mean of neighbouring topics" in told(by_topic(differences), "topic-differences")
    assert not texts(by_topic(differences), "topic-differences")
    ahead = sum(d > 0 for d in differences)
    assert finding(by_topic(differences), "topic-differences") == (
        f"y has the higher AP in {ahead:,} of 6,980 topics, x in {6980 - ahead:,}"
    )


def test_several_pairs_have_a_panel_each_and_no_more_than_six() -> None:
    table = topics(40, 8)
    whole = spec(table, "topic-differences")
    assert whole["encoding"]["facet"]["field"] == "pair"
    heads = whole["encoding"]["facet"]["sort"]
    assert len(heads) == 6
    assert "the first 6 of 8 pairs" in told(table, "topic-differences")
    counts: dict[object, tuple[int, int]] = {}
    for row in table.rows():
        ahead, behind = counts.get(row["b"], (0, 0))
        difference = float(str(row["difference"]))
        counts[row["b"]] = (ahead + (difference > 0), behind + (difference < 0))
    assert heads == [f"dense{i} {counts[f'dense{i}'][0]} : {counts[f'dense{i}'][1]} bm25" for i in range(6)]
    assert finding(table, "topic-differences").endswith(": 8 runs compared with bm25")


def test_pairs_without_a_common_run() -> None:
    rows = [*by_topic([0.1, 0.2]).rows(), *({**row, "a": "u", "b": "v"} for row in by_topic([-0.1, -0.2]).rows())]
    table = cf.Table.from_rows(rows, ["a", "b", "topic", "measure", "difference"])
    assert finding(table, "topic-differences").endswith(": 2 pairs of runs")


def test_of_several_measures_the_first_is_drawn() -> None:
    rows = [*by_topic([0.1]).rows(), *by_topic([-0.4], "RR").rows()]
    table = cf.Table.from_rows(rows, ["a", "b", "topic", "measure", "difference"])
    assert [row["difference"] for row in rows_of_rect(table)] == [0.1]


def rows_of_rect(table: cf.Table) -> list[dict[str, Any]]:
    return rows_of(table, "topic-differences", "rect")


# Ranks


def by_rank(pairs: list[tuple[int | None, int | None]]) -> cf.Table:
    n = len(pairs)
    same = {"a": ["x"] * n, "b": ["y"] * n, "measure": ["RR"] * n}
    return cf.Table({**same, "rank_a": [x for x, _ in pairs], "rank_b": [y for _, y in pairs]})


def test_the_title_counts_both_facets() -> None:
    # Both answer five: x ranks higher in 3, y in 1, one is equal; y answers two more alone, x one.
    both: list[tuple[int | None, int | None]] = [(1, 2), (1, 5), (3, 4), (9, 1), (2, 2)]
    table = by_rank([*both, (None, 1), (None, 7), (4, None)])
    said = "Topics answered: 2 only by y, 1 only by x, 5 by both; of these, y ranks higher in 1, x in 3; 1 equal"
    assert finding(table, "rank-pairs") == said
    apart = by_rank([(1, None), (2, None), (None, 4)])
    assert finding(apart, "rank-pairs") == "Topics answered: 1 only by y, 2 only by x, 0 by both"


def test_a_dot_counts_its_topics_and_unanswered_ones_stand_beyond_the_ranks() -> None:
    rows = rows_of(by_rank([(1, 2), (1, 2), (10, None), (None, None)]), "rank-pairs", "circle")
    found = {(row["x"], row["y"]): row["topics"] for row in rows}
    beyond = max(x for x, _ in found)
    assert found == {(1, 2): 2, (10, beyond): 1, (beyond, beyond): 1}
    assert beyond > 10


def test_shades_hold_every_topic_once() -> None:
    draw = np.random.default_rng(2)
    ranks = [int(rank) if rank <= 100 else None for rank in draw.geometric(0.03, 4000)]
    pairs = list(zip(ranks[:2000], ranks[2000:], strict=True))
    rows = rows_of(by_rank(pairs), "rank-pairs", "rect")
    assert sum(row["topics"] for row in rows) == 2000
    for x, y in pairs[:200]:
        where = (x or 1000, y or 1000)
        held = [r for r in rows if _in(where[0], r["x"], r["x2"]) and _in(where[1], r["y"], r["y2"])]
        assert len(held) == 1
    none = max(row["x2"] for row in rows)
    alone = sum(row["topics"] for row in rows if row["x2"] == none)
    assert alone == sum(x is None for x, _ in pairs)


def _in(rank: int, low: float, high: float) -> bool:
    """Whether a rank is in a class; one of 1,000 stands for none, the class beyond the last edge."""
    return low <= rank < high or (rank == 1000 and low > 100)


# Claims


CLAIMS = re.compile(r"\b(better|worse|best|wins?|beats?|ahead|leads?|behind|more|fewer|improves?)\b", re.IGNORECASE)


@pytest.mark.parametrize("seed", range(30))
def test_no_title_claims_that_a_run_is_better(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n, pairs = int(draw.integers(1, 60)), int(draw.integers(1, 5))
    by_pair = {("bm25", f"dense{i}"): tuple(map(int, draw.integers(1, 40, 4))) for i in range(pairs)}
    levels = {level: tuple(map(int, draw.integers(1, 40, 4))) for level in ("all", "1")}
    tables = {"outcomes": outcomes(by_pair), "dominance": dominance(levels)}  # type: ignore[arg-type]  # four numbers
    tables |= dict.fromkeys(("topic-differences", "rank-pairs"), topics(n, pairs, seed=seed))
    for name, table in tables.items():
        assert not CLAIMS.search(finding(table, name)), name


@pytest.mark.parametrize("seed", range(30))
def test_the_counts_of_a_title_are_those_of_the_table(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = topics(int(draw.integers(2, 60)), seed=seed)
    rows = table.rows()
    n = len(rows)
    b, a = (sum(sign * float(str(row["difference"])) > 0 for row in rows) for sign in (1, -1))
    counts = list(map(int, re.findall(r"\b\d+\b", finding(table, "topic-differences").replace("nDCG@10", ""))))
    assert counts == [b, n, a, *[n - a - b] * (n > a + b)]
    alone_b, alone_a, both = (sum(row["outcome"] == word for row in rows) for word in ("only_b", "only_a", "both"))
    assert list(map(int, re.findall(r"\b\d+\b", finding(table, "rank-pairs"))))[:3] == [alone_b, alone_a, both]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(cf.ParameterError, match="no run answers a topic") as caught:
        draw(by_rank([(None, None)]), "rank-pairs")
    assert caught.value.hint == "draw topics with ranks"
    with pytest.raises(cf.ParameterError, match="there is nothing to draw: no row has difference") as caught:
        draw(by_topic([None, None]), "topic-differences")
    assert caught.value.hint == "draw a table with a row that has difference"
    with pytest.raises(cf.ParameterError, match="the table has no column named 'outcome'"):
        draw(by_topic([0.1]), "outcomes")


def test_names_are_made_harmless_and_short(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[31m"
    long = "a name that goes on and on and on, longer than any chart has room for"
    svg = seen(outcomes({(evil, long): (1, 2, 3, 4)}), "outcomes", tmp_path)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert long not in svg
    assert "a name that go" in svg
