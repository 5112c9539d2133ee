"""Outcomes, ranks where both answer, topics answered, the whole measure: by hand, by scipy in loops, as published."""

from collections.abc import Sequence
from dataclasses import replace
from math import lcm, log, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.data.values.value_cube import Given
from cranfield.stats import (
    Asked,
    Bonferroni,
    Holm,
    Pairs,
    RankSum,
    SignedRank,
    T,
    Tukey,
    Uncorrected,
    binomial_p,
)
from cranfield.stats.comparison.topic_outcomes import Outcomes, difference_interval, score_of_difference, share_interval
from cranfield.studies.comparison.outcome_tables import answered_table, both_table, outcomes_table, overall_table

NAN = float("nan")
RUNS = ["R1", "R2", "R3", "R4"]
DEEPEST = 20
TOPICS = 300
MADE_BY = Provenance(command="compare")
BOTH = ["a", "b", "measure", "n", "value_a", "value_b", "difference", "test", "p", "p_adjusted"]

Matrix = NDArray[np.float64]


def ranks(topics: int = TOPICS, runs: int = 4, seed: int = 11) -> Matrix:
    """Ranks of first relevant documents down to 20; each run leaves some topics without an answer."""
    drawn = np.random.default_rng(seed)
    made = np.minimum(drawn.geometric(np.linspace(0.15, 0.3, runs), (topics, runs)), DEEPEST).astype(float)
    made[drawn.random(made.shape) < np.linspace(0.1, 0.4, runs)] = NAN
    return made


def counted(topics: int, only_a: Sequence[int], only_b: Sequence[int]) -> Outcomes:
    """Outcomes of which only these numbers matter."""
    a, b = np.array(only_a), np.array(only_b)
    return Outcomes(topics, topics - a - b, a, b, np.zeros_like(a))


def two(a: Sequence[float], b: Sequence[float]) -> Pairs:
    """One pair."""
    return Pairs.every(np.array([a, b], dtype=float).T)


def both(first: Pairs, runs: Sequence[str] = RUNS) -> Table:
    return both_table(first, runs, correction=Bonferroni(), asked=Asked(), made_by=MADE_BY)


def answered(first: Pairs, runs: Sequence[str] = RUNS, level: float = 0.05) -> Table:
    return answered_table(first, runs, correction=Bonferroni(), asked=Asked(level=level), made_by=MADE_BY)


def rows_of(table: Table) -> list[dict[str, Any]]:
    return table.rows()


def no_number_is_nan(table: Table) -> bool:
    return all(cell == cell for name in table.columns for cell in table.cells(name)) and "nan" not in str(table).lower()


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_outcomes_are_counted_and_their_shares_enclosed_as_scipy_does(level: float) -> None:
    matrix = ranks()
    rows = rows_of(outcomes_table(Pairs.every(matrix), RUNS, level=level, made_by=MADE_BY))
    assert len(rows) == 6 * 4
    place = 0
    for a in range(4):
        for b in range(a + 1, 4):
            for outcome, wanted in (
                ("neither", (False, False)),
                ("only_a", (True, False)),
                ("only_b", (False, True)),
                ("both", (True, True)),
            ):
                count = sum((x == x, y == y) == wanted for x, y in zip(matrix[:, a], matrix[:, b], strict=True))
                ends = stats.binomtest(count, TOPICS).proportion_ci(1 - level, method="wilson")
                row = rows[place]
                assert (row["a"], row["b"], row["outcome"], row["topics"]) == (RUNS[a], RUNS[b], outcome, count)
                assert row["share"] == pytest.approx(count / TOPICS)
                assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high), abs=1e-12)
                place += 1


def test_outcomes_of_all_topics_or_none() -> None:
    table = outcomes_table(two([1, 2, 3], [NAN] * 3), RUNS, made_by=MADE_BY)
    assert table.cells("topics") == [0, 3, 0, 0]
    # Wilson of none of three: from 0 to z² / (n + z²); of all three the mirror of it.
    reach = 1.959963984540054**2 / (3 + 1.959963984540054**2)
    assert table.cells("low") == pytest.approx([0, 1 - reach, 0, 0])
    assert table.cells("high") == pytest.approx([reach, 1, reach, reach])
    assert (table.cells("low")[0], table.cells("high")[1]) == (0, 1)  # exactly
    assert table.caption == "outcomes of 3 topics"
    assert table.made_by is MADE_BY


def test_without_topics_there_are_counts_and_no_shares() -> None:
    nothing = Pairs.every(np.empty((0, 2)))
    table = outcomes_table(nothing, RUNS)
    assert table.cells("topics") == [0] * 4
    for name in ("share", "low", "high"):
        assert table.cells(name) == [None] * 4
    row = rows_of(answered(nothing))[0]
    assert (row["only_a"], row["only_b"], row["difference"], row["low"], row["high"], row["p"]) == (
        (0, 0) + (None,) * 3 + (1.0,)
    )
    assert np.isnan(share_interval(np.array([0]), 0)).all()


def test_equal_search_lengths_may_have_very_different_reciprocal_ranks() -> None:
    # lin2021 §5: ranks 1 and 9 against 4 and 6.
    rows = rows_of(both(two([1, 9], [4, 6])))
    assert [(row["measure"], row["test"]) for row in rows] == [
        ("ESL", "signed-rank"),
        ("ESL", "t"),
        ("RR", "signed-rank"),
        ("RR", "t"),
    ]
    for row in rows[:2]:
        assert (row["value_a"], row["value_b"], row["difference"], row["p"]) == (5, 5, 0, 1)
    for row in rows[2:]:
        assert row["value_a"] == pytest.approx((1 + 1 / 9) / 2)
        assert row["value_b"] == pytest.approx((1 / 4 + 1 / 6) / 2)
        assert f"{row['value_a']:.3f} {row['value_b']:.3f}" == "0.556 0.208"
        assert row["difference"] == pytest.approx((1 / 4 + 1 / 6 - 1 - 1 / 9) / 2)


def test_equal_means_over_two_topics() -> None:
    # lin2021 §4, q5 and q6: ranks 1 and 5 against 4 and 2, both with a mean of 3.
    row = rows_of(both(two([1, 5], [4, 2])))[0]
    assert (row["value_a"], row["value_b"], row["difference"], row["p"], row["n"]) == (3, 3, 0, 1, 2)


def test_a_topic_that_one_run_leaves_unanswered_is_no_part_of_the_ranking() -> None:
    # lin2021 §4, q7 and q8: 1 against 100; nothing against 99. What rank would nothing be? It is counted as answered.
    first = two([1, NAN], [100, 99])
    rows = rows_of(both(first))
    assert [row["n"] for row in rows] == [1] * 4
    assert (rows[0]["value_a"], rows[0]["value_b"], rows[0]["difference"]) == (1, 100, 99)
    assert [row["p"] for row in rows] == [1, None, 1, None]  # one topic: signed-rank 2 · ½, and t has no spread
    table = outcomes_table(first, RUNS)
    assert table.cells("topics") == [0, 0, 1, 1]
    one = rows_of(answered(first))[0]
    assert (one["only_a"], one["only_b"], one["difference"], one["p"]) == (0, 1, 0.5, 1)


def scaled_differences(a: Matrix, b: Matrix, measure: str) -> NDArray[np.int64]:
    """Differences b − a as whole numbers, so that equal ones tie: 1/2 − 1/3 and 1/3 − 1/6."""
    whole = lcm(*range(1, DEEPEST + 1))
    x, y = a.astype(int), b.astype(int)
    return whole // y - whole // x if measure == "RR" else y - x


def test_ranks_where_both_answer_by_scipy_in_loops() -> None:
    matrix = ranks()
    rows = rows_of(both(Pairs.every(matrix)))
    assert list(rows[0]) == BOTH
    place = 0
    for i in range(4):
        for j in range(i + 1, 4):
            there = [t for t in range(TOPICS) if matrix[t, i] == matrix[t, i] and matrix[t, j] == matrix[t, j]]
            a, b = matrix[there, i], matrix[there, j]
            for measure, x, y in (("ESL", a, b), ("RR", 1 / a, 1 / b)):
                whole = scaled_differences(a, b, measure)
                assert (whole != 0).sum() > 50  # there the p is the normal one
                peers: dict[str, Any] = {
                    "signed-rank": stats.wilcoxon(whole, zero_method="wilcox", correction=False, method="approx"),
                    "t": stats.ttest_rel(y, x),
                }
                for test, peer in peers.items():
                    row = rows[place]
                    told = (RUNS[i], RUNS[j], measure, len(there), test)
                    assert tuple(row[name] for name in ("a", "b", "measure", "n", "test")) == told
                    assert row["value_a"] == pytest.approx(x.mean(), abs=1e-12)
                    assert row["value_b"] == pytest.approx(y.mean(), abs=1e-12)
                    assert row["difference"] == pytest.approx((y - x).mean(), abs=1e-12)
                    assert row["p"] == pytest.approx(peer.pvalue, rel=1e-9)
                    assert row["p_adjusted"] == pytest.approx(min(1, 6 * peer.pvalue), rel=1e-9)
                    place += 1
    assert place == len(rows) == 24


def test_few_topics_have_an_exact_signed_rank() -> None:
    # b is ahead in five topics, by 1, 2, 3, 4, 5 ranks: the most extreme of 2⁵ signs, either way.
    row = rows_of(both(two([2, 3, 4, 5, 6], [1, 1, 1, 1, 1])))[0]
    assert row["p"] == 2 / 32


def test_corrections_are_over_the_pairs_of_one_measure_and_one_test() -> None:
    table = both_table(Pairs.every(ranks()), RUNS, correction=Holm(), asked=Asked())
    rows = rows_of(table)
    for offset in range(4):
        family = [row["p"] for row in rows[offset::4]]
        assert len(family) == 6
        order = sorted(range(6), key=lambda i: family[i])
        least = 0.0
        for step, i in enumerate(order):
            least = max(least, min(1, (6 - step) * family[i]))
            assert rows[offset::4][i]["p_adjusted"] == pytest.approx(least)
    assert all(note.endswith("holm over 6 tests") for note in table.notes)
    raw = both_table(Pairs.every(ranks()), RUNS, correction=Uncorrected(), asked=Asked())
    assert raw.cells("p") == raw.cells("p_adjusted") == table.cells("p")
    assert all(note.endswith("not corrected") for note in raw.notes)


def test_runs_that_never_answer_the_same_topic() -> None:
    matrix = np.array([[1, NAN, 2], [NAN, 1, 2], [3, NAN, NAN], [2, NAN, 2]])
    table = both(Pairs.every(matrix))
    rows = rows_of(table)
    for row in rows[:4]:
        assert row["n"] == 0
        assert [row[name] for name in ("value_a", "value_b", "difference", "p", "p_adjusted")] == [None] * 5
    assert rows[4]["n"] == 2
    assert rows[4]["p"] is not None
    # Nothing was asked of that pair: the family has two p-values of signed-rank, and one of t.
    assert "no topic in which both have a value" in " ".join(table.notes)
    assert rows[4]["p_adjusted"] == pytest.approx(min(1, 2 * rows[4]["p"]))
    assert rows[5]["p_adjusted"] == rows[5]["p"]
    assert no_number_is_nan(table)
    assert no_number_is_nan(answered(Pairs.every(matrix)))
    assert table.to_json().count("NaN") == 0


def test_identical_runs_show_nothing() -> None:
    column = [1, 3, NAN, 7, 2, NAN]
    for row in rows_of(both(two(column, column))):
        assert (row["difference"], row["p"], row["p_adjusted"]) == (0, 1, 1)
    row = rows_of(answered(two(column, column)))[0]
    assert (row["only_a"], row["only_b"], row["difference"], row["p"]) == (0, 0, 0, 1)
    assert row["low"] == pytest.approx(-row["high"])


def test_topics_answered_by_scipy_in_loops() -> None:
    matrix = ranks()
    table = answered(Pairs.every(matrix))
    assert list(table.columns) == [
        *("a", "b", "test", "only_a", "only_b", "difference", "low", "high", "p", "p_adjusted")
    ]
    for row in rows_of(table):
        a, b = (matrix[:, RUNS.index(row[side])] for side in ("a", "b"))
        only_a = sum(x == x and y != y for x, y in zip(a, b, strict=True))
        only_b = sum(x != x and y == y for x, y in zip(a, b, strict=True))
        peer = stats.binomtest(only_b, only_a + only_b).pvalue
        assert (row["test"], row["only_a"], row["only_b"]) == ("binomial", only_a, only_b)
        assert row["difference"] == pytest.approx((only_b - only_a) / TOPICS)
        assert row["p"] == pytest.approx(peer, rel=1e-9)
        assert row["p_adjusted"] == pytest.approx(min(1, 6 * peer), rel=1e-9)
        assert row["low"] < row["difference"] < row["high"]


def test_the_first_row_of_the_papers_table() -> None:
    # lin2021 Table 2, R1 and R2 on 5,793 topics: 2 % neither, 9 % and 16 % one alone, 73 % both.
    a = [NAN] * 116 + [1] * 521 + [NAN] * 927 + [1] * 4229
    b = [NAN] * 116 + [NAN] * 521 + [1] * 927 + [1] * 4229
    first = two(a, b)
    shares = outcomes_table(first, RUNS).cells("share")
    assert [f"{share:.0%}" for share in shares] == ["2%", "9%", "16%", "73%"]
    row = rows_of(answered(first))[0]
    assert (row["only_a"], row["only_b"]) == (521, 927)
    assert row["p"] == pytest.approx(stats.binomtest(521, 1448).pvalue, rel=1e-9)
    assert f"{row['p']:.0e}" == "9e-27"


def test_the_binomial_by_hand() -> None:
    # 0 of 6, 1 of 6, 3 of 6, nothing at all: 2/64, 2(1 + 6)/64, 1, 1; either way round.
    a, b = np.array([0, 1, 3, 0]), np.array([6, 5, 3, 0])
    assert binomial_p(a, b).tolist() == pytest.approx([2 / 64, 14 / 64, 1, 1])
    assert binomial_p(b, a).tolist() == binomial_p(a, b).tolist()


@pytest.mark.parametrize(
    ("topics", "only_a", "only_b", "level", "low", "high", "digits"),
    [
        # Fagerland, Lydersen and Laake (2014), the two data sets of their examples, b and c being 1, 7 and 6, 16.
        (21, 7, 1, 0.05, -0.517, -0.026, 3),
        (161, 16, 6, 0.05, -0.1240, -0.0054, 4),
        # R, PropCIs 0.3-0: scoreci.mp(25, 28, 618, conf.level = .9)
        (618, 25, 28, 0.1, -0.0148, 0.0247, 4),
    ],
)
def test_tangos_interval_as_published(
    topics: int, only_a: int, only_b: int, level: float, low: float, high: float, digits: int
) -> None:
    ends = difference_interval(counted(topics, [only_a], [only_b]), level=level)
    assert [round(float(end[0]), digits) for end in ends] == [low, high]


def likeliest(only_a: int, only_b: int, topics: int, difference: float) -> float:
    """The share of topics of a alone under which the counts are likeliest, given the difference; by search."""

    def unlikely(q: float) -> float:
        shares = (only_b, q + difference), (only_a, q), (topics - only_a - only_b, 1 - 2 * q - difference)
        return -sum(count * log(share) for count, share in shares if count)

    lowest, highest = max(0.0, -difference) + 1e-12, (1 - difference) / 2 - 1e-12
    found = optimize.minimize_scalar(unlikely, bounds=(lowest, highest), method="bounded", options={"xatol": 1e-12})
    return float(found.x)


@pytest.mark.parametrize("level", [0.05, 0.1])
def test_tangos_ends_are_as_many_errors_away_as_the_level_says(level: float) -> None:
    drawn = np.random.default_rng(5)
    topics = 60
    only_a, only_b = drawn.integers(1, 25, (2, 12))
    z = stats.norm.isf(level / 2)
    outcomes = counted(topics, only_a.tolist(), only_b.tolist())
    low, high = difference_interval(outcomes, level=level)
    for side, ends in ((1, low), (-1, high)):
        scores = score_of_difference(outcomes, ends)
        for a, b, end, score in zip(only_a, only_b, ends, scores, strict=True):
            q = likeliest(int(a), int(b), topics, float(end))
            error = sqrt((2 * q + end - end**2) / topics)
            assert ((b - a) / topics - end) / error == pytest.approx(side * z, abs=1e-4)
            assert score == pytest.approx(side * z, abs=1e-9)


def test_tango_without_topics_that_part_the_runs() -> None:
    # tango1998: z²/(n + z²) either way.
    z2 = stats.norm.isf(0.025) ** 2
    low, high = difference_interval(counted(40, [0], [0]))
    assert (low[0], high[0]) == pytest.approx((-z2 / (40 + z2), z2 / (40 + z2)))
    assert score_of_difference(counted(40, [0], [0]), np.array([0.0])).tolist() == [0]


def test_tango_where_one_run_alone_answers_everything() -> None:
    low, high = difference_interval(counted(10, [0, 10], [10, 0]))
    assert (high[0], low[1]) == (1, -1)
    assert low[0] == pytest.approx(-high[1])
    # Given a difference δ it is likeliest that no topic is a draw: a alone has (1 − δ)/2, z is √(n(1 − δ)/(1 + δ)).
    z2 = stats.norm.isf(0.025) ** 2
    assert low[0] == pytest.approx((10 - z2) / (10 + z2), rel=1e-9)


def test_tango_is_the_same_seen_from_the_other_run() -> None:
    drawn = np.random.default_rng(6)
    only_a, only_b = drawn.integers(0, 30, (2, 40))
    low, high = difference_interval(counted(80, only_a.tolist(), only_b.tolist()))
    mirrored = difference_interval(counted(80, only_b.tolist(), only_a.tolist()))
    assert low == pytest.approx(-mirrored[1], abs=1e-12)
    assert high == pytest.approx(-mirrored[0], abs=1e-12)


def measured(**matrices: Matrix) -> Values:
    """Values of measures, each (topic, run); NaN where the topic does not count."""
    cube = np.stack(list(matrices.values()), axis=-1).swapaxes(0, 1)
    runs, topics, measures = cube.shape
    return Values(
        tuple(RUNS[:runs]),
        tuple(str(t) for t in range(topics)),
        tuple(Given(name) for name in matrices),
        cube,
        counted=np.ones((runs, topics), dtype=bool),
        missing=np.zeros((runs, topics), dtype=bool),
        without_relevant=np.zeros((measures, topics), dtype=bool),
    )


def test_the_whole_measure_by_scipy_in_loops() -> None:
    drawn = np.random.default_rng(8)
    first, second = drawn.random((2, 70, 3)).round(2)
    second[drawn.random(second.shape) < 0.1] = NAN
    chosen = [(0, 1), (2, 1)]
    tests = [RankSum(), SignedRank(), T()]
    table = overall_table(
        measured(AP=first, nDCG=second), chosen, tests, correction=Bonferroni(), asked=Asked(), made_by=MADE_BY
    )
    assert list(table.columns) == [*BOTH, "effect"]
    place = 0
    for a, b in chosen:
        for measure, matrix in (("AP", first), ("nDCG", second)):
            there = ~np.isnan(matrix[:, a]) & ~np.isnan(matrix[:, b])
            x, y = matrix[there, a], matrix[there, b]
            hundredths = np.rint(100 * y).astype(int) - np.rint(100 * x).astype(int)
            peers: dict[str, Any] = {
                "rank-sum": stats.mannwhitneyu(y, x, method="asymptotic").pvalue,
                "signed-rank": stats.wilcoxon(hundredths, method="approx").pvalue,
                "t": stats.ttest_rel(y, x).pvalue,
            }
            for test, p in peers.items():
                row = rows_of(table)[place]
                told = (RUNS[a], RUNS[b], measure, there.sum(), test)
                assert tuple(row[name] for name in ("a", "b", "measure", "n", "test")) == told
                assert (row["value_a"], row["value_b"]) == pytest.approx((x.mean(), y.mean()))
                assert row["difference"] == pytest.approx((y - x).mean(), abs=1e-12)
                assert row["p"] == pytest.approx(p, rel=1e-9)
                assert row["p_adjusted"] == pytest.approx(min(1, 2 * p), rel=1e-9)
                place += 1
            spread = (y - x).std(ddof=1)
            assert rows_of(table)[place - 1]["effect"] == pytest.approx((y - x).mean() / spread)
    assert place == len(table)
    assert table.made_by is MADE_BY
    assert [note.rpartition("effect: ")[2] for note in table.notes] == [
        "Cliff's δ; bonferroni over 2 tests",
        "rank-biserial; bonferroni over 2 tests",
        "d_z; bonferroni over 2 tests",
    ]


def test_a_test_of_all_pairs_at_once_is_about_the_topics_of_all() -> None:
    drawn = np.random.default_rng(9)
    matrix = drawn.random((12, 3))
    matrix[0, 2] = NAN
    table = overall_table(measured(AP=matrix), [(0, 1)], [Tukey(), T()], correction=Holm(), asked=Asked())
    joint, alone = rows_of(table)
    assert (joint["n"], alone["n"]) == (11, 12)
    assert (joint["value_a"], alone["value_a"]) == pytest.approx((matrix[1:, 0].mean(), matrix[:, 0].mean()))
    assert joint["difference"] == pytest.approx(joint["value_b"] - joint["value_a"])
    assert "corrected by itself" in table.notes[0]


def test_a_difference_that_is_the_same_everywhere_has_no_effect_to_print() -> None:
    matrix = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    row = rows_of(overall_table(measured(AP=matrix), [(0, 1)], [T()], correction=Holm(), asked=Asked()))[0]
    assert (row["p"], row["effect"]) == (0, None)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_a_level_is_a_chance(level: float) -> None:
    first = two([1, 2], [2, NAN])
    with pytest.raises(ParameterError, match="the level cannot be"):
        outcomes_table(first, RUNS, level=level)
    with pytest.raises(ParameterError, match="the level cannot be"):
        answered(first, level=level)


def test_another_level_has_another_interval_and_the_same_p() -> None:
    first = replace(Pairs.every(ranks()), a=np.array([0]), b=np.array([3]))
    narrow, wide = (rows_of(answered(first, level=level))[0] for level in (0.2, 0.01))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert wide["p"] == narrow["p"]
