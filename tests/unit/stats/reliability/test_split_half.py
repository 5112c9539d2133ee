"""Split-half agreement: by hand, by loops over scipy, and quickly as slowly."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.core.types import Matrix
from cranfield.data import Given, Splits, Values, draw_splits
from cranfield.stats import (
    Agreement,
    Asked,
    Bootstrap,
    Equivalence,
    MaxT,
    Pairs,
    PairTest,
    Randomisation,
    RankSum,
    Sign,
    SignedRank,
    T,
    Tukey,
    agreement_of,
    agreement_table,
    columns_of,
)
from cranfield.stats.reliability.split_half_counts import _by_itself, _way, significant_in_halves, winners_in_halves
from tests.support.run_size import Size

FAST = (Sign(), RankSum(), SignedRank(), T())


def values_of(*matrices: Matrix) -> Values:
    """Values (topic, run) of measures called m0, m1, …."""
    cube = np.stack([matrix.T for matrix in matrices], axis=2)
    runs, topics, measures = cube.shape
    everywhere = np.ones((runs, topics), dtype=bool)
    return Values(
        runs=tuple(f"r{i}" for i in range(runs)),
        topics=tuple(f"t{i}" for i in range(topics)),
        measures=tuple(Given(f"m{i}") for i in range(measures)),
        cube=cube,
        counted=everywhere,
        missing=~everywhere,
        without_relevant=np.zeros((measures, topics), dtype=bool),
    )


def splits_of(topics: int, *halves: tuple[list[int], list[int]]) -> Splits:
    return Splits(topics, tuple((np.array(one, np.int32), np.array(other, np.int32)) for one, other in halves))


# By hand

# Six topics, three runs. Of three topics the sign test has p = 2 · (1/2)³ = .25 where all three differences have one
# sign, and p = 1/2 or 1 otherwise: at level .3 it is significant in the former case alone.
A, B, C = [1, 1, 1, 1, 1, 1], [2, 3, 2, 2, 2, 0], [1, 2, 0, 0, 0, 3]
BY_HAND = np.array([A, B, C], dtype=float).T / 10
TWO_SPLITS = splits_of(6, ([0, 1, 2], [3, 4, 5]), ([0, 1, 5], [2, 3, 4]))


def test_six_topics_by_hand_with_the_mean() -> None:
    # Split 1. a, b: +1 +2 +1 | +1 +1 −1: b and b ahead, significant in the first: partial.
    #          a, c:  0 +1 −1 | −1 −1 +2: the sums are 0 and 0, two ties, neither significant: agree.
    #          b, c: −1 −1 −2 | −2 −2 +3: b and b ahead, significant in the first: partial.
    # Split 2. a, b: +1 +2 −1 | +1 +1 +1: b and b ahead, significant in the second: partial.
    #          a, c:  0 +1 +2 | −1 −1 −1: c, then a, significant in the second: disagree.
    #          b, c: −1 −1 +3 | −2 −2 −2: c, then b, significant in the second: disagree.
    table = agreement_table(values_of(BY_HAND), [(Sign(), "mean")], TWO_SPLITS, Asked(level=0.3))
    # Five cases are significant in a half, none in both: two of the five disagree, and no pair is separated.
    expected = {"agree": 1 / 6, "partial": 3 / 6, "disagree": 2 / 6, "significant": 5 / 6, "ties": 1 / 6}
    expected |= {"agree_significant": 0, "disagree_significant": 2 / 5, "separated": 0}
    assert {name: table.cells(name)[0] for name in expected} == pytest.approx(expected)


def test_six_topics_by_hand_with_the_median() -> None:
    # Medians of a, b, c. Split 1: 1 2 1 | 1 2 0, split 2: 1 2 2 | 1 2 0.
    # Split 1. a, b: b, b, significant in one: partial. a, c: a tie, then a, in neither: partial. b, c: b, b: partial.
    # Split 2. a, b: b, b, significant in one: partial. a, c: c, then a: disagree. b, c: a tie, then b: disagree.
    table = agreement_table(values_of(BY_HAND), [(Sign(), "median")], TWO_SPLITS, Asked(level=0.3))
    expected = {"agree": 0, "partial": 4 / 6, "disagree": 2 / 6, "significant": 5 / 6, "ties": 2 / 6}
    assert {name: table.cells(name)[0] for name in expected} == pytest.approx(expected)


def test_the_rows_are_measures_and_then_columns() -> None:
    table = agreement_table(values_of(BY_HAND, BY_HAND[::-1]), columns_of(), TWO_SPLITS, Asked())
    assert table.columns == (
        "measure",
        "test",
        "aggregate",
        "agree",
        "partial",
        "disagree",
        "significant",
        "ties",
        "agree_significant",
        "disagree_significant",
        "separated",
    )
    mean = [(test, "mean") for test in ("sign", "rank-sum", "signed-rank", "t")]
    median = [(test, "median") for test in ("sign", "rank-sum", "signed-rank")]
    rows = list(zip(*(table.cells(name) for name in ("measure", "test", "aggregate")), strict=True))
    assert rows == [(measure, *column) for measure in ("m0", "m1") for column in (*mean, *median)]
    assert table.caption == "agreement of two halves of 6 topics, at level 0.05"
    assert table.notes == ()


# significant in the two halves, winners in the two halves → what it is, whether the pair is separated
EVERY = [
    ((True, True), (1, 1), "agree", True),
    ((True, True), (-1, -1), "agree", True),
    ((False, False), (-1, -1), "agree", False),
    ((True, False), (1, 1), "partial", False),
    ((False, True), (-1, -1), "partial", False),
    ((False, False), (1, -1), "partial", False),
    ((False, False), (-1, 1), "partial", False),
    ((True, True), (1, -1), "disagree", False),
    ((True, False), (-1, 1), "disagree", False),
    ((False, True), (1, -1), "disagree", False),
    ((False, False), (0, 0), "agree", False),
    ((True, True), (0, 0), "agree", False),  # no run is ahead, so none is separated
    ((True, False), (0, 0), "partial", False),
    ((False, False), (0, 1), "partial", False),
    ((False, False), (-1, 0), "partial", False),
    ((True, False), (0, 1), "disagree", False),
    ((False, True), (-1, 0), "disagree", False),
    ((True, True), (0, -1), "disagree", False),
]


@pytest.mark.parametrize(("significant", "winners", "what", "separated"), EVERY)
def test_every_cell(significant: tuple[bool, bool], winners: tuple[int, int], what: str, separated: bool) -> None:
    result = agreement_of(np.array([significant]), np.array([winners], dtype=np.int8))
    replicated, opposite = (float(separated), float(what == "disagree")) if any(significant) else (None, None)
    tie = float(0 in winners)
    expected = Agreement(0.0, 0.0, 0.0, float(any(significant)), tie, replicated, opposite, float(separated))
    assert result == expected._replace(**{what: 1.0})


def test_proportions_are_over_pairs_and_splits() -> None:
    first, second = zip(*(winners for _, winners, *_ in EVERY), strict=True)
    one, other = zip(*(significant for significant, *_ in EVERY), strict=True)
    # One pair, 18 splits: the first half of each split, then the second of each.
    result = agreement_of(np.array([one + other]), np.array([first + second], dtype=np.int8))
    names = [what for _, _, what, _ in EVERY]
    assert result[:3] == pytest.approx([names.count(what) / 18 for what in ("agree", "partial", "disagree")])
    assert sum(result[:3]) == pytest.approx(1)
    # 12 of the 18 are significant in a half: 2 of them separated, 6 disagree.
    assert result.significant == pytest.approx(12 / 18)
    assert result.agree_significant == pytest.approx(2 / 12)
    assert result.disagree_significant == pytest.approx(6 / 12)
    assert result.separated == pytest.approx(2 / 18)


# Against plain loops over scipy


def by_loops(values: Matrix, splits: Splits, level: float, signed_rank: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """Return all proportions of a column by their definitions, from one call of scipy per half and test."""

    def p(test: str, a: Matrix, b: Matrix) -> float:
        d = b - a
        if test == "sign":
            wins, losses = int((d > 1e-13).sum()), int((d < -1e-13).sum())
            return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
        if test == "rank-sum":
            return float(stats.mannwhitneyu(b, a, method="asymptotic").pvalue)
        if test == "signed-rank":
            return float(stats.wilcoxon(np.round(d, 9), **signed_rank).pvalue)
        return float(stats.ttest_rel(b, a).pvalue)

    found: dict[tuple[str, str], Any] = {}
    columns = [(t, "mean") for t in ("sign", "rank-sum", "signed-rank", "t")]
    columns += [(t, "median") for t in ("sign", "rank-sum", "signed-rank")]
    for test, aggregate in columns:
        middle: Callable[[Matrix], Any] = np.mean if aggregate == "mean" else np.median
        kinds = []
        for a, b in combinations(range(values.shape[1]), 2):
            for halves in splits.halves:
                sides = [(values[half, a], values[half, b]) for half in halves]
                one, other = (p(test, *side) <= level for side in sides)
                gaps = [float(middle(y) - middle(x)) for x, y in sides]
                first, second = (0 if abs(gap) < 1e-12 else np.sign(gap) for gap in gaps)
                if first == second:
                    kind = "agree" if one == other else "partial"
                else:
                    kind = "disagree" if one or other else "partial"
                separated = one and other and first == second != 0
                kinds.append((kind, one or other, first == 0 or second == 0, separated))
        words, either, tied, apart = zip(*kinds, strict=True)
        shares = [words.count(word) / len(words) for word in ("agree", "partial", "disagree")]
        of_significant = [sum(apart) / sum(either), words.count("disagree") / sum(either)]
        found[test, aggregate] = [*shares, np.mean(either), np.mean(tied), *of_significant, np.mean(apart)]
    return found


def compare_with_loops(values: Matrix, splits: Splits, signed_rank: dict[str, Any]) -> None:
    theirs = by_loops(values, splits, 0.05, signed_rank)
    table = agreement_table(values_of(values), columns_of(), splits, Asked())
    for row in table.rows():
        ours = [row[name] for name in Agreement._fields]
        assert ours == pytest.approx(theirs[str(row["test"]), str(row["aggregate"])], abs=1e-12), row


def test_few_topics_as_scipy_has_them() -> None:
    drawn = np.random.default_rng(8)
    values = drawn.random((23, 1)) + 0.25 * drawn.standard_normal((23, 4)) + [0, 0.1, 0.2, 0.2]
    compare_with_loops(values, draw_splits(23, 12, seed=1), {"method": "exact"})


def test_many_topics_with_ties_as_scipy_has_them() -> None:
    drawn = np.random.default_rng(9)
    values = drawn.integers(0, 11, (170, 4)) / 10 + np.array([0, 0, 0.1, 0.1])  # 85 in a half, 9 in 10 of them differ
    compare_with_loops(values, draw_splits(170, 10, seed=2), {"method": "asymptotic", "correction": False})


# Quickly as slowly

Made = Callable[[np.random.Generator, int, int], NDArray[Any]]
KINDS: dict[str, Made] = {
    "continuous": lambda drawn, n, runs: drawn.random((n, 1)) + 0.3 * drawn.standard_normal((n, runs)),
    "tenths": lambda drawn, n, runs: drawn.integers(0, 11, (n, runs)) / 10,
    "reciprocal ranks": lambda drawn, n, runs: 1 / drawn.integers(1, 9, (n, runs)),
    "found or not": lambda drawn, n, runs: (drawn.random((n, runs)) < 0.3).astype(float),
    "two decimals": lambda drawn, n, runs: np.round(drawn.random((n, 1)) + 0.1 * drawn.standard_normal((n, runs)), 2),
    "large": lambda drawn, n, runs: 1e5 * drawn.integers(1, 20, (n, 1)) + drawn.integers(0, 3, (n, runs)),
    "two identical": lambda drawn, n, runs: drawn.integers(0, 5, (n, runs))[:, [0, 0, *range(2, runs)]] / 4,
    "always the same apart": lambda drawn, n, runs: drawn.integers(0, 5, (n, 1)) / 10 + 0.1 * np.arange(runs),
}
SIZES = (4, 5, 24, 99, 100, 102, 130)  # up to 50 differences the signed-rank test is exact


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_halves_at_once_are_one_after_the_other(kind: str, alternative: Any, size: Size) -> None:
    drawn = np.random.default_rng(sum(map(ord, kind)))
    tests: list[PairTest] = [replace(test, alternative=alternative) for test in FAST]
    tests += [SignedRank(continuity=True, alternative=alternative), RankSum(continuity=False, alternative=alternative)]
    for n in SIZES[:: 1 if alternative == "two-sided" else 2] * (1 if size.name == "small" else 5):
        values = KINDS[kind](drawn, n, 4) + drawn.choice([0.0, 0.1]) * np.arange(4)
        pairs, inside = Pairs.every(values), draw_splits(n, 5, seed=int(drawn.integers(99))).members()
        for test in tests:
            for level in (0.05, 0.3):
                asked = Asked(level=level)
                slowly = _by_itself(test, pairs, inside, asked)
                assert np.array_equal(significant_in_halves(test, pairs, inside, asked), slowly), (n, test, level)


@pytest.mark.parametrize("missing", [0.02, 0.3, 0.8])
def test_pairs_are_compared_where_both_have_a_value(missing: float) -> None:
    drawn = np.random.default_rng(3)
    values = drawn.integers(0, 6, (40, 5)) / 5
    values[drawn.random(values.shape) < missing] = np.nan
    values[:, 4] = np.where(np.isnan(values[:, 0]), values[:, 4], np.nan)  # the first and the last share no topic
    pairs, inside = Pairs.every(values), draw_splits(40, 8, seed=4).members()
    for test in FAST:
        slowly = _by_itself(test, pairs, inside, Asked(level=0.2))
        assert np.array_equal(significant_in_halves(test, pairs, inside, Asked(level=0.2)), slowly), test
    for aggregate, middle in (("mean", np.mean), ("median", np.median)):
        found = winners_in_halves(pairs, inside, aggregate)  # type: ignore[arg-type]  # the two words
        for pair, half in np.ndindex(found.shape):
            sides = values[inside[half]][:, [pairs.a[pair], pairs.b[pair]]]
            sides = sides[~np.isnan(sides).any(axis=1)]
            gap = float(middle(sides[:, 1]) - middle(sides[:, 0])) if len(sides) else 0.0
            assert found[pair, half] == (0 if abs(gap) < 1e-12 else np.sign(gap))
    table = agreement_table(values_of(values), columns_of(), draw_splits(40, 8, seed=4), Asked())
    assert table.notes == ("m0: not every run has a value in every topic; a pair is compared where both have one",)


def test_many_topics_of_several_runs_take_the_same_ways() -> None:
    drawn = np.random.default_rng(6)
    few = drawn.integers(0, 12, (700, 9)) / 11  # fewer values than topics in a half: counted by a product
    many = drawn.random((700, 9))
    for values in (few, many, np.round(many, 3)):
        pairs, inside = Pairs.every(values), draw_splits(700, 2, seed=1).members()
        for test in FAST:
            slowly = _by_itself(test, pairs, inside, Asked(level=0.4))
            assert np.array_equal(significant_in_halves(test, pairs, inside, Asked(level=0.4)), slowly), test


@pytest.mark.parametrize("steps", [10, 10**9])
def test_sums_of_very_many_ranks_do_not_overflow(steps: int) -> None:
    values = np.random.default_rng(6).integers(0, steps, (70_000, 2)) / steps + [0, 0.004]
    pairs, inside = Pairs.every(values), draw_splits(70_000, 2, seed=1).members()
    for level in (0.001, 0.05, 0.3):  # b is ahead by some 2.6 standard errors in a half
        asked = Asked(level=level)
        slowly = _by_itself(SignedRank(), pairs, inside, asked)
        assert np.array_equal(significant_in_halves(SignedRank(), pairs, inside, asked), slowly)
        slowly = _by_itself(RankSum(), pairs, inside, asked)
        assert np.array_equal(significant_in_halves(RankSum(), pairs, inside, asked), slowly)


def test_halves_may_differ_in_size_and_leave_topics_out() -> None:
    drawn = np.random.default_rng(7)
    values = drawn.integers(0, 6, (90, 4)) / 5
    splits = splits_of(90, ([3], [5, 7]), (list(range(80)), list(range(80, 84))), (list(range(60)), [70, 71, 72]))
    pairs, inside = Pairs.every(values), splits.members()
    for test in FAST:
        slowly = _by_itself(test, pairs, inside, Asked(level=0.5))
        assert np.array_equal(significant_in_halves(test, pairs, inside, Asked(level=0.5)), slowly), test


def test_a_sign_looks_at_places_where_floats_cannot_tell_values_apart() -> None:
    values = np.zeros((12, 2))
    values[::2, 1] = 0.5
    order = np.tile([2.0, 1.0], (12, 1))
    pairs, inside = Pairs.every(values, order), draw_splits(12, 3, seed=1).members()
    # In six topics of six a is ahead: p = 2 / 2⁶ = 1/32.
    assert significant_in_halves(Sign(), pairs, inside, Asked(level=1 / 32)).all()
    assert not significant_in_halves(Sign(), pairs, inside, Asked(level=1 / 33)).any()


def test_other_settings_and_tests_go_one_half_after_the_other() -> None:
    assert all(_way(test) is not None for test in FAST)
    others = (
        Sign(margin=0.2),
        SignedRank(zeros="pratt"),
        SignedRank(exact="never"),
        Randomisation(draws=99),
        Bootstrap(draws=99),
    )
    values = np.random.default_rng(2).integers(0, 6, (26, 3)) / 5 + [0, 0.1, 0.3]
    pairs, inside = Pairs.every(values), draw_splits(26, 3, seed=1).members()
    for test in others:
        assert _way(test) is None
        found = significant_in_halves(test, pairs, inside, Asked(level=0.2, seed=3))
        for i, half in enumerate(inside):
            alone = test.compare(Pairs.every(values[half]), Asked(seed=3))
            assert np.array_equal(found[:, i], alone.p <= 0.2), test


def test_identical_runs_are_never_significant_and_always_tied() -> None:
    column = np.random.default_rng(1).random(31)
    values = np.stack([column, column], axis=1)
    for row in agreement_table(values_of(values), columns_of(), draw_splits(31, 9), Asked(level=0.9)).rows():
        assert (row["agree"], row["significant"], row["ties"]) == (1, 0, 1)


def test_runs_always_the_same_apart_agree() -> None:
    # 1/2 − 1/3 and 1/3 − 1/6 are one number, and the spread of the differences is none: t is infinite, p is 0.
    a, b = np.array([1 / 3, 1 / 6, 1 / 2, 1 / 3] * 5), np.array([1 / 2, 1 / 3, 2 / 3, 1 / 2] * 5)
    columns = [column for column in columns_of() if not isinstance(column[0], RankSum)]  # it does not see the topics
    table = agreement_table(values_of(np.stack([a, b], axis=1)), columns, draw_splits(20, 9), Asked(level=0.01))
    for row in table.rows():  # of ten topics the sign and the signed-rank test have p = 2 / 2¹⁰
        assert (row["agree"], row["significant"], row["ties"]) == (1, 1, 0)


def test_the_answer_does_not_depend_on_threads() -> None:
    values = values_of(np.random.default_rng(4).integers(0, 9, (60, 12)) / 8)
    columns = [*columns_of(), (Randomisation(draws=50, exact="never"), "mean")]
    tables = [
        agreement_table(values, columns, draw_splits(60, 6), Asked(threads=threads, seed=2)) for threads in (1, 2, 5)
    ]
    assert tables[0] == tables[1] == tables[2]


def test_progress_goes_to_the_end_over_all_measures_and_tests() -> None:
    seen: list[tuple[int, int]] = []
    matrix = np.random.default_rng(4).random((12, 6))
    holes = np.where(np.random.default_rng(5).random(matrix.shape) < 0.1, np.nan, matrix)
    asked = Asked(threads=1, progress=lambda done, total: seen.append((done, total)))
    agreement_table(values_of(matrix, holes), columns_of(), draw_splits(12, 4), asked)
    done = [at / total for at, total in seen]
    assert done == sorted(done)
    assert done[-1] == 1
    assert sum(at < 1 for at in done) > 8


# What is studied, and what is refused


def test_columns_are_those_of_the_paper_unless_some_are_asked_for() -> None:
    named = [(str(test), aggregate) for test, aggregate in columns_of([Randomisation(), Sign()])]
    assert named == [("randomisation", "mean"), ("sign", "mean"), ("sign", "median")]
    named = [(str(test), aggregate) for test, aggregate in columns_of([T(), Sign()], ["median", "mean", "median"])]
    assert named == [("t", "median"), ("sign", "median"), ("t", "mean"), ("sign", "mean")]
    assert [aggregate for _, aggregate in columns_of((), ["median"])] == ["median"] * 4


REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (lambda: columns_of([Tukey()]), "tukey looks at all pairs at once", "agreement is about tests of one pair"),
    (lambda: columns_of([T(), MaxT()]), "max-t looks at all pairs at once", "agreement is about tests of one pair"),
    (lambda: columns_of([Equivalence()]), "tost looks for equality", "agreement is about tests of one pair"),
    (lambda: columns_of((), ["sum"]), "aggregate cannot be 'sum'", "choose one of: mean, median"),  # type: ignore[list-item]
    (lambda: columns_of((), []), "no aggregate is given", "choose some of: mean, median"),
    (
        lambda: agreement_table(values_of(BY_HAND[:3]), columns_of(), draw_splits(3), Asked()),
        "3 topics are too few to be split in two",
        "give 4 topics or more",
    ),
    (
        lambda: agreement_table(values_of(BY_HAND[:1]), columns_of(), draw_splits(3), Asked()),
        "1 topic is too few to be split in two",
        "give 4 topics or more",
    ),
    (
        lambda: agreement_table(values_of(BY_HAND), columns_of(), draw_splits(8), Asked()),
        "the splits are of 8 topics, the values of 6",
        "draw or read splits of 6 topics",
    ),
    (
        lambda: agreement_table(values_of(BY_HAND[:, :1]), columns_of(), draw_splits(6), Asked()),
        "there is only one run",
        "a comparison needs two runs or more",
    ),
]


@pytest.mark.parametrize(("ask", "problem", "hint"), REFUSED, ids=[problem for _, problem, _ in REFUSED])
def test_refused(ask: Callable[[], object], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        ask()
    assert caught.value.problem == problem
    assert caught.value.hint.startswith(hint)
