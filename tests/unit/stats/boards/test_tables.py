"""A leaderboard: ranks and letters from tests of scipy pair by pair, shares and sentences by hand."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats import (
    Asked,
    Bonferroni,
    Equivalence,
    Nemenyi,
    Pairs,
    Percentile,
    Randomisation,
    RankStability,
    Sign,
    T,
    Tukey,
    Uncorrected,
    above_table,
    rank_stability,
    stability_table,
)
from tests.support.leaderboard_tables import boards, holm, made, simulated

COLUMNS = "run group mean low high rank rank_low rank_high rank_mean p_first letters".split()


def board(values: Values, stability: RankStability | None = None, **options: Any) -> Table:
    return boards(values, stability, **options)["ranks"]


@pytest.mark.parametrize("direction", [Direction.HIGHER, Direction.LOWER, None])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_ranks_come_from_tests_of_all_pairs(direction: Direction | None, level: float) -> None:
    matrix = simulated()
    side = -1 if direction is Direction.LOWER else 1
    found = board(made(matrix, direction=direction), asked=Asked(level=level))
    assert list(found.columns) == COLUMNS
    means = matrix.mean(axis=0)
    order = sorted(range(7), key=lambda run: -side * means[run])
    assert found.cells("run") == ["abcdefg"[run] for run in order]
    assert found.cells("mean") == pytest.approx(means[order])
    pairs = list(combinations(range(7), 2))
    p = holm([float(stats.ttest_rel(matrix[:, a], matrix[:, b]).pvalue) for a, b in pairs])
    apart = {pair for pair, adjusted in zip(pairs, p, strict=True) if adjusted <= level}
    assert 0 < len(apart) < len(pairs)
    rank = [1] * 7
    for a, b in apart:
        rank[b if side * means[a] > side * means[b] else a] += 1
    assert found.cells("rank") == [rank[run] for run in order]
    named = dict(zip(order, found.cells("letters"), strict=True))
    for a, b in pairs:  # two share a letter if and only if they are not told apart
        assert bool(set(str(named[a])) & set(str(named[b]))) == ((a, b) not in apart)
    assert "a" in str(named[order[0]])


def test_intervals_of_means_are_those_of_scipy() -> None:
    matrix = simulated()
    found = board(made(matrix), asked=Asked(level=0.1))
    for row in found.rows():
        column = matrix[:, "abcdefg".index(str(row["run"]))]
        ends = stats.ttest_1samp(column, 0).confidence_interval(0.9)
        assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
    other = board(made(matrix), interval=Percentile(draws=200))
    assert other.cells("low") != found.cells("low")


def test_what_redrawn_topics_say_stands_beside_the_right_run() -> None:
    matrix = simulated()
    stability = rank_stability(matrix, draws=300)
    low, high = stability.interval(0.1)
    found = board(made(matrix), stability, asked=Asked(level=0.1))
    for row in found.rows():
        run = "abcdefg".index(str(row["run"]))
        assert row["p_first"] == stability.p_first[run]
        assert row["rank_mean"] == stability.mean_rank[run]
        assert (row["rank_low"], row["rank_high"]) == (low[run], high[run])


def test_joint_tests_correct_themselves() -> None:
    values = made(simulated())
    answer = Tukey().compare(Pairs.every(values.matrix()), Asked())
    assert answer.adjusted is not None
    below = dict.fromkeys("abcdefg", 1)
    means = dict(zip("abcdefg", values.matrix().mean(axis=0), strict=True))
    for (a, b), p in zip(combinations("abcdefg", 2), answer.adjusted, strict=True):
        if p <= 0.05:
            below[min(a, b, key=lambda run: means[run])] += 1
    for correction in (Bonferroni(), Uncorrected()):  # it makes no difference
        found = board(values, test=Tukey(), correction=correction)
        assert dict(zip(found.cells("run"), found.cells("rank"), strict=True)) == below
    assert "corrected for all pairs by itself" in found.notes[0]
    assert "holm over 21 pairs" in board(values).notes[0]


def test_where_test_and_mean_point_to_different_runs_neither_is_better() -> None:
    # a is ahead in 18 of 20 topics by a little, b in two by a lot: the sign test is for a, the mean for b.
    matrix = np.zeros((20, 2))
    matrix[:18, 0] = 0.01
    matrix[18:, 1] = 1.0
    assert stats.binomtest(2, 20).pvalue < 0.05
    found = board(made(matrix), test=Sign())
    assert found.cells("run") == ["b", "a"]
    assert found.cells("rank") == [1, 1]
    assert found.cells("letters") == ["a", "b"]  # they differ all the same
    agreed = matrix.copy()
    agreed[18:, 1] = 0.02
    for direction, order in ((Direction.HIGHER, ["a", "b"]), (Direction.LOWER, ["b", "a"])):
        clear = board(made(agreed, direction=direction), test=Sign())
        assert (clear.cells("run"), clear.cells("rank")) == (order, [1, 2])


def test_joint_tests_of_ranks_go_the_same_way() -> None:
    matrix = np.random.default_rng(1).normal(size=(30, 3)) + 3.0 * np.arange(3)
    up = board(made(matrix), test=Nemenyi())
    assert (up.cells("run"), up.cells("rank")) == (["c", "b", "a"], [1, 2, 3])
    down = board(made(matrix, direction=Direction.LOWER), test=Nemenyi())
    assert (down.cells("run"), down.cells("rank")) == (["a", "b", "c"], [1, 2, 3])


def test_places_of_exact_orders_decide_tests_of_ranks() -> None:
    # Floats that round to the same value: only the places tell that b is ahead in every topic.
    values = made(np.full((12, 2), 0.5))
    assert board(values, test=Sign()).cells("letters") == ["a", "a"]
    order = np.zeros((2, 12, 1))
    order[1] = 1.0
    told = board(replace(values, order=order), test=Sign())
    assert told.cells("letters") == ["a", "b"]
    assert told.cells("rank") == [1, 1]  # the means are equal


def test_equal_runs_share_everything() -> None:
    column = simulated()[:, :1]
    found = board(made(np.hstack([column] * 3)))
    assert found.cells("run") == ["a", "b", "c"]
    assert found.cells("rank") == [1, 1, 1]
    assert found.cells("letters") == ["a", "a", "a"]
    assert found.cells("rank_mean") == [2, 2, 2]
    assert found.cells("p_first") == pytest.approx([1 / 3] * 3)


def test_means_that_are_equal_as_decimals_stay_in_order() -> None:
    # (.1 + .2) / 2 and (.3 + 0) / 2: floats say the first is larger.
    matrix = [[0.0, 0.1, 0.3], [0.3, 0.2, 0.0]]
    assert 0.1 + 0.2 > 0.3
    assert board(made(matrix)).cells("run") == ["a", "b", "c"]
    assert board(made(matrix, direction=Direction.LOWER)).cells("run") == ["a", "b", "c"]


def test_topics_without_a_value_are_left_out_and_told() -> None:
    matrix = simulated(12, 3)
    holed = np.insert(matrix, 5, [9.0, np.nan, 9.0], axis=0)
    found, whole = board(made(holed)), board(made(matrix))
    assert found.rows() == whole.rows()
    assert found.notes[1:] == ("1 of 13 topics are excluded: some run has no value there",)
    assert found.caption == whole.caption == "runs by mean M over 12 topics"


def test_groups_and_provenance() -> None:
    values = made(simulated(10, 3))
    assert board(values).cells("group") == [None] * 3
    given = board(values, groups={"a": "Alpha", "c": "Gamma"}, made_by=Provenance(seed=5))
    assert dict(zip(given.cells("run"), given.cells("group"), strict=True)) == {"a": "Alpha", "b": None, "c": "Gamma"}
    assert given.made_by == Provenance(seed=5)
    assert board(values).made_by is values.made_by


def test_a_single_run() -> None:
    values = made(simulated(10, 1))
    found = board(values, test=Tukey())
    (row,) = found.rows()
    assert (row["rank"], row["rank_low"], row["rank_high"], row["rank_mean"], row["p_first"]) == (1, 1, 1, 1, 1)
    assert row["letters"] == "a"
    assert found.notes == ()
    stability = rank_stability(values.matrix())
    assert stability_table(stability, ["a"], ["a"]).rows() == [{"run": "a", "rank": 1, "share": 1.0}]
    assert len(above_table(stability, ["a"])) == 0


def test_one_topic_has_no_interval() -> None:
    found = board(made([[0.1, 0.4]]))
    assert found.cells("low") == [None, None]
    assert found.cells("rank") == [1, 1]
    assert found.cells("p_first") == [1, 0]
    assert found.caption == "runs by mean M over 1 topic"


def test_too_few_draws_are_told() -> None:
    values = made(simulated(40, 4))
    few = board(values, test=Randomisation(draws=50, exact="never"))  # 6 pairs: 6/51 is above .05
    assert few.cells("rank") == [1] * 4
    assert any("too few draws" in note for note in few.notes)
    enough = board(values, test=Randomisation(draws=500, exact="never"))
    assert not any("too few draws" in note for note in enough.notes)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"test": Equivalence(margin=0.1)}, "asks whether runs are equal"),
        ({"test": T(alternative="greater")}, "asks about one side alone"),
        ({"asked": Asked(level=0)}, "level"),
        ({"stability": rank_stability(np.zeros((2, 5)))}, "3 runs, but ranks of 5"),
    ],
)
def test_what_gives_no_board_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        board(made(simulated(10, 3)), **options)


def test_without_a_common_topic_there_is_no_board() -> None:
    stability = rank_stability(np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="no topic"):
        board(made([[1.0, np.nan], [np.nan, 1.0]]), stability)


SHARE = np.array([[0.0, 0.25, 0.75], [0.625, 0.375, 0.0], [0.375, 0.375, 0.25]])
ABOVE = np.array([[0.5, 0.1, 0.2], [0.9, 0.5, 0.6], [0.8, 0.4, 0.5]])
STABLE = RankStability(SHARE, ABOVE, SHARE @ [1, 2, 3], draws=1000, exact=False, topics=20)


def test_the_ranks_that_runs_take() -> None:
    found = stability_table(STABLE, ["x", "y", "z"], ["y", "z", "x"], Provenance(seed=1))
    assert [tuple(row.values()) for row in found.rows()] == [
        ("y", 1, 0.625),
        ("y", 2, 0.375),
        ("z", 1, 0.375),
        ("z", 2, 0.375),
        ("z", 3, 0.25),
        ("x", 2, 0.25),
        ("x", 3, 0.75),
    ]
    assert list(found.columns) == ["run", "rank", "share"]
    assert found.caption == "ranks over 1,000 bootstrap resamples of the topics"
    assert found.made_by == Provenance(seed=1)


def test_who_is_above_whom() -> None:
    found = above_table(STABLE, ["x", "y", "z"], Provenance(seed=1))
    assert list(found.columns) == ["a", "b", "share"]
    assert [tuple(row.values()) for row in found.rows()] == [
        ("x", "y", 0.1),
        ("x", "z", 0.2),
        ("y", "x", 0.9),
        ("y", "z", 0.6),
        ("z", "x", 0.8),
        ("z", "y", 0.4),
    ]
    exact = replace(STABLE, draws=27, exact=True, topics=3)
    assert above_table(exact, ["x", "y", "z"]).caption == "a above b, over all 27 resamples of 3 topics"


def test_a_board_of_real_size() -> None:
    values = made(simulated(50, 26))
    stability = rank_stability(values.matrix(), draws=400)
    found = board(values, stability, test=Tukey())
    order = [str(run) for run in found.cells("run")]
    shares = stability_table(stability, values.runs, order)
    first = sum(row["share"] for row in shares.rows() if row["rank"] == 1)  # type: ignore[misc]
    assert first == pytest.approx(1)
    ranks: Any = found.cells("rank")
    assert ranks[0] == 1
    assert ranks == sorted(ranks)  # with one error for all pairs, a lower mean is never ranked higher
