"""t, sign, rank-sum and tost against scipy, published numbers and arithmetic; missing values, ties and refusals."""

from math import comb, inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError, Scale
from cranfield.stats.pair_tests.base import TESTS, Alternative, Answer, Asked, Pairs, PairTest
from cranfield.stats.pair_tests.closed_form import Equivalence, RankSum, Sign, T, sign_interval

Matrix = NDArray[np.float64]

NAN = float("nan")
EXACT = 1e-12
ASKED = Asked(level=0.05)
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
EVERY = [T(), Sign(), RankSum(), Equivalence(margin=0.1)]
OF_DIFFERENCE = [cls(alternative=alternative) for cls in (T, Sign, RankSum) for alternative in ALTERNATIVES]


def values(topics: int = 14, runs: int = 5, seed: int = 3) -> Matrix:
    """Two decimals, so that there are ties; some values are missing, in other topics for each run."""
    drawn = np.random.default_rng(seed)
    made = drawn.integers(0, 30, (topics, runs)) / 100 + 0.01 * np.arange(runs)
    made[drawn.random(made.shape) < 0.15] = NAN
    return made


def both(matrix: Matrix, a: int, b: int) -> tuple[Matrix, Matrix]:
    """The values of two runs in the topics of both."""
    there = ~np.isnan(matrix[:, a]) & ~np.isnan(matrix[:, b])
    return matrix[there, a], matrix[there, b]


def asked(test: PairTest, a: list[float], b: list[float]) -> Answer:
    """One pair."""
    return test.compare(Pairs.every(np.array([a, b], dtype=float).T), ASKED)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_is_scipys(alternative: Alternative) -> None:
    matrix = values()
    pairs = Pairs.every(matrix)
    said = T(alternative=alternative).compare(pairs, Asked(level=0.1))
    assert len(said.p) == 10
    assert said.low is not None
    assert said.high is not None
    for i, (one, other) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        a, b = both(matrix, one, other)
        peer = stats.ttest_rel(b, a, alternative=alternative)
        low, high = peer.confidence_interval(0.9)
        assert said.n[i] == len(a)
        assert said.statistic[i] == pytest.approx(peer.statistic, abs=EXACT)
        assert said.p[i] == pytest.approx(peer.pvalue, abs=EXACT)
        assert said.effect[i] == pytest.approx((b - a).mean() / (b - a).std(ddof=1), abs=EXACT)
        # The open end of a one-sided interval is infinite there, and no number here.
        assert said.low[i] == pytest.approx(low if np.isfinite(low) else NAN, abs=EXACT, nan_ok=True)
        assert said.high[i] == pytest.approx(high if np.isfinite(high) else NAN, abs=EXACT, nan_ok=True)


def test_t_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2√3; 2 degrees of freedom have P(T > t) = ½ − t / (2√(2 + t²)).
    said = asked(T(), [0, 0, 0], [1, 2, 3])
    assert said.statistic.tolist() == pytest.approx([2 * sqrt(3)])
    assert said.effect.tolist() == pytest.approx([2])
    assert said.p.tolist() == pytest.approx([1 - 2 * sqrt(3) / sqrt(2 + 12)])
    assert said.notes() == ("paired t, n − 1 degrees of freedom",)


def test_very_small_p_of_t_are_kept() -> None:
    drawn = np.random.default_rng(8)
    a = drawn.random(50)
    b = a + 1 + drawn.random(50) / 100
    peer = stats.ttest_rel(b, a)
    assert 0 < peer.pvalue < 1e-80
    assert asked(T(), a.tolist(), b.tolist()).p[0] == pytest.approx(peer.pvalue, rel=1e-6)


@pytest.mark.parametrize(("runs", "t", "p"), [((0, 1), inf, (0, 0, 1)), ((1, 0), -inf, (0, 1, 0))])
def test_the_same_difference_in_every_topic(runs: tuple[int, int], t: float, p: tuple[int, int, int]) -> None:
    matrix = np.array([[0.3, 0.4], [0.7, 0.8], [0.0, 0.1], [0.2, 0.3]])
    assert len({*(matrix[:, 1] - matrix[:, 0]).tolist()}) == 4  # as floats; as decimals they are one
    for alternative, expected in zip(ALTERNATIVES, p, strict=True):
        said = T(alternative=alternative).compare(Pairs.given(matrix, [runs]), ASKED)
        assert (said.statistic[0], said.effect[0], said.p[0]) == (t, t, expected)
        assert said.notes() == ("the same difference in every topic: t is infinite",)


def test_a_mean_of_zero_is_no_difference_in_either_direction() -> None:
    # ½ − ⅓ and ⅙ − ⅓ add up to 0, though not as floats.
    a, b = [1 / 3, 1 / 3, 0.5], [1 / 2, 1 / 6, 0.5]
    assert asked(T(), a, b).statistic.tolist() == [0.0]
    assert asked(T(), a, b).p.tolist() == [1.0]
    assert asked(T(alternative="less"), a, b).p.tolist() == pytest.approx([0.5], abs=EXACT)


def test_one_topic_has_no_t() -> None:
    for test in (T(), Equivalence()):
        said = asked(test, [0.2], [0.3])
        assert said.low is not None
        assert said.n.tolist() == [1]
        assert np.isnan([said.statistic, said.p, said.effect, said.low]).all()
        assert said.notes() == ("one topic has no spread: there is no p",)


def test_one_topic_is_enough_to_be_identical() -> None:
    said = asked(T(), [0.2], [0.2])
    assert (said.statistic[0], said.p[0], said.effect[0]) == (0, 1, 0)
    assert np.isnan(asked(Equivalence(), [0.2], [0.2]).p).all()  # but not to be shown equivalent


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sign_is_scipys(alternative: Alternative) -> None:
    matrix = values()
    pairs = Pairs.every(matrix)
    said = Sign(alternative=alternative).compare(pairs, ASKED)
    assert said.low is not None
    assert said.high is not None
    assert said.estimate is not None
    for i, (one, other) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        a, b = both(matrix, one, other)
        wins, losses = int((b - a > 1e-9).sum()), int((a - b > 1e-9).sum())
        peer = stats.binomtest(wins, wins + losses, alternative=alternative)
        assert (said.n[i], said.statistic[i]) == (wins + losses, wins)
        assert said.p[i] == pytest.approx(peer.pvalue, abs=EXACT)
        assert said.effect[i] == pytest.approx(wins / (wins + losses))
        # Clopper–Pearson limits of the chance of a win, scaled to all topics of both.
        limits = stats.binomtest(wins, wins + losses, alternative=alternative).proportion_ci(0.95)
        scaled = [(2 * limit - 1) * (wins + losses) / len(a) for limit in limits]
        assert said.estimate[i] == pytest.approx((wins - losses) / len(a), abs=EXACT)
        for end, expected, open_side in ((said.low[i], scaled[0], "less"), (said.high[i], scaled[1], "greater")):
            assert np.isnan(end) if alternative == open_side else end == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("level", [0.05, 0.01, 0.0005])
def test_the_sign_interval_excludes_0_exactly_where_the_binomial_test_is_significant(
    alternative: Alternative, level: float
) -> None:
    wins, losses = (counts.ravel() for counts in np.meshgrid(np.arange(0, 41), np.arange(0, 41)))
    _, low, high = sign_interval(wins, losses, wins + losses + 3, level, alternative)
    outside = (low > 0) | (high < 0)
    for won, lost, out in zip(wins.tolist(), losses.tolist(), outside.tolist(), strict=True):
        p = stats.binomtest(won, won + lost, alternative=alternative).pvalue if won + lost else 1.0
        assert out == (p <= level), (won, lost)


def test_a_sign_interval_without_wins_and_losses_or_without_topics() -> None:
    estimate, low, high = sign_interval(np.array([0, 0]), np.array([0, 0]), np.array([7, 0]), 0.05)
    assert estimate[0] == 0
    assert np.isnan([low[0], high[0]]).all()  # π is unknown
    assert np.isnan([numbers[1] for numbers in (estimate, low, high)]).all()


def test_sign_by_hand() -> None:
    # Four topics, b ahead in three and equal in one more: P(X ≥ 3 of 3) = 1/8.
    said = asked(Sign(), [0, 0, 0, 1], [1, 2, 3, 1])
    assert (said.n[0], said.statistic[0], said.p[0], said.effect[0]) == (3, 3, 2 / 8, 1)
    assert said.notes() == ("exact binomial of the topics in which b has the higher value, without equal topics",)


def test_differences_up_to_the_margin_are_ties() -> None:
    # .3 − .2 is below .1 as floats, and .8 − .7 above: both are .1.
    a, b = [0.2, 0.7, 0.0, 0.0, 0.5], [0.3, 0.8, 0.2, 0.3, 0.35]
    said = asked(Sign(margin=0.1), a, b)
    assert (said.n[0], said.statistic[0]) == (3, 2)
    assert said.p[0] == min(1, 2 * (comb(3, 2) + 1) / 2**3)
    assert said.notes() == (
        "exact binomial of the topics in which b has the higher value, without differences up to 0.1",
    )
    none = asked(Sign(margin=1), a, b)
    assert (none.n[0], none.statistic[0], none.p[0], none.effect[0]) == (0, 0, 1, 0.5)
    assert none.notes() == ("no topic is left without differences up to 1: p is 1",)


def test_sign_looks_at_the_order_where_floats_are_equal() -> None:
    pairs = Pairs.every(np.zeros((6, 2)), order=np.array([[1.0, 2.0]] * 6))
    said = Sign().compare(pairs, ASKED)
    assert (said.n[0], said.statistic[0], said.p[0]) == (6, 6, 2 / 2**6)
    assert Sign(margin=0.1).compare(pairs, ASKED).n[0] == 0  # a margin is one of values


@pytest.mark.parametrize("continuity", [True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_rank_sum_is_scipys(alternative: Alternative, continuity: bool) -> None:
    matrix = np.round(values(), 1)  # many ties
    pairs = Pairs.every(matrix)
    said = RankSum(alternative=alternative, continuity=continuity).compare(pairs, ASKED)
    for i, (one, other) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        a, b = both(matrix, one, other)
        peer = stats.mannwhitneyu(b, a, use_continuity=continuity, alternative=alternative, method="asymptotic")
        assert (said.n[i], said.statistic[i]) == (len(a), peer.statistic)
        assert said.p[i] == pytest.approx(peer.pvalue, abs=EXACT)
        above = np.sign(b[:, None] - a[None, :])
        assert said.effect[i] == pytest.approx(above.mean(), abs=EXACT)  # cliff1993


def test_rank_sum_compares_values_bit_for_bit() -> None:
    a, b = [0.1 + 0.2, 0.5], [0.3, 0.9]
    assert a[0] > b[0]
    said = asked(RankSum(), a, b)
    assert said.statistic.tolist() == [2]
    assert asked(RankSum(), [0.3, 0.5], b).statistic.tolist() == [0.5 + 2]
    assert said.notes() == ("U of b, normal corrected for ties, with continuity",)
    assert asked(RankSum(continuity=False), a, b).notes()[0].endswith("without continuity")


def test_rank_sum_ignores_which_topic_is_which() -> None:
    a, b = [0.1, 0.2, 0.3], [0.4, 0.25, 0.7]
    assert asked(RankSum(), a, b).p.tolist() == asked(RankSum(), a, b[::-1]).p.tolist()


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3])
def test_tost_is_two_tests_of_scipy(margin: float) -> None:
    matrix = values()
    pairs = Pairs.every(matrix)
    said = Equivalence(margin=margin).compare(pairs, Asked(level=0.1))
    assert said.low is not None
    assert said.high is not None
    for i, (one, other) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        a, b = both(matrix, one, other)
        tests = [
            stats.ttest_1samp(b - a, -margin, alternative="greater"),
            stats.ttest_1samp(b - a, margin, alternative="less"),
        ]
        worse = max(tests, key=lambda test: test.pvalue)
        low, high = stats.ttest_rel(b, a).confidence_interval(0.8)
        assert said.p[i] == pytest.approx(worse.pvalue, abs=EXACT)
        assert said.statistic[i] == pytest.approx(worse.statistic, abs=1e-10)
        assert said.effect[i] == pytest.approx((b - a).mean() / (b - a).std(ddof=1), abs=EXACT)
        assert (said.low[i], said.high[i]) == pytest.approx((low, high), abs=EXACT)
        # schuirmann1987: equivalent at a level exactly where the interval lies within the margin.
        assert (said.p[i] < 0.1) == (-margin < low and high < margin)


def test_tost_says_what_a_small_p_means() -> None:
    said = asked(Equivalence(margin=0.2), [0.1, 0.2, 0.3], [0.11, 0.19, 0.3])
    assert said.p[0] < 0.05
    assert said.notes() == (
        "small p is evidence of a mean difference within ±0.2; two one-sided t, n − 1 degrees of freedom",
    )


@pytest.mark.parametrize(("b", "p"), [(0.3, 0), (0.35, 0), (0.4, 1), (0.2, 1), (0.45, 1)])
def test_tost_where_every_topic_has_the_same_difference(b: float, p: float) -> None:
    # A difference of .1 is not below a margin of .1, whatever floats make of it.
    a = np.array([0.3, 0.7, 0.0, 0.25])
    said = asked(Equivalence(margin=0.1), a.tolist(), (a + (b - 0.3)).tolist())
    assert said.p.tolist() == [p]
    assert said.notes() == ("the same difference in every topic: p is 0 within ±0.1, and 1 otherwise",)


@pytest.mark.parametrize("test", OF_DIFFERENCE, ids=str)
def test_identical_runs_have_p_1(test: PairTest) -> None:
    a, b = [0.5 - 1 / 3, 0.3, NAN, 0.2], [1 / 3 - 1 / 6, 0.1 + 0.2, 0.4, NAN]  # equal as numbers
    said = asked(test, a, b)
    assert said.p.tolist() == [1]
    assert said.effect.tolist() == [0.5 if test.name == "sign" else 0]
    assert not np.isnan(said.statistic).any()
    assert "p is 1" in said.notes()[0]


def test_an_identical_pair_changes_nothing_for_the_others() -> None:
    matrix = values(runs=3)
    beside = np.column_stack([matrix, matrix[:, 0]])
    for test in EVERY:
        alone, together = (test.compare(Pairs.every(m), ASKED) for m in (matrix, beside))
        assert together.p[[0, 1, 3]].tolist() == alone.p.tolist()
        assert together.notes()[0] == alone.notes()[0]
        assert together.p[2] == (0 if test.name == "tost" else 1)


@pytest.mark.parametrize("test", EVERY, ids=str)
def test_without_a_common_topic_there_is_no_p(test: PairTest) -> None:
    said = asked(test, [0.1, NAN, 0.3, NAN], [NAN, 0.2, NAN, 0.1])
    assert said.n.tolist() == [0]
    assert np.isnan([said.statistic, said.p, said.effect]).all()
    assert said.notes() == ("no topic in which both have a value",)


@pytest.mark.parametrize("test", [*EVERY, *OF_DIFFERENCE], ids=str)
def test_turning_the_pair_round_turns_the_answer_round(test: PairTest) -> None:
    matrix = values()
    there, back = (test.compare(Pairs.given(matrix, [pair]), ASKED) for pair in ((0, 4), (4, 0)))
    middle = 0.5 if test.name == "sign" else 0
    assert back.effect[0] - middle == pytest.approx(middle - there.effect[0], abs=EXACT)
    if test.alternative == "two-sided":
        assert back.p[0] == pytest.approx(there.p[0], abs=EXACT)
    else:
        other = type(test)(alternative="less" if test.alternative == "greater" else "greater")
        assert other.compare(Pairs.given(matrix, [(4, 0)]), ASKED).p[0] == pytest.approx(there.p[0], abs=EXACT)


@pytest.mark.parametrize("test", EVERY, ids=str)
def test_blocks_of_pairs_give_the_same(test: PairTest, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = test.compare(Pairs.every(values()), ASKED)
    small = Pairs.blocks
    monkeypatch.setattr(Pairs, "blocks", lambda pairs: small(pairs, 30))  # two pairs of 14 topics
    parts = test.compare(Pairs.every(values()), ASKED)
    for name in ("n", "statistic", "p", "effect"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    assert parts.notes() == whole.notes()


def test_tost_refuses_one_side_and_large_levels() -> None:
    with pytest.raises(ParameterError, match="tost cannot have alternative='less'") as refused:
        Equivalence(alternative="less")
    assert refused.value.hint == "it always looks at both ends of the margin: leave alternative out"
    for level in (0.5, 0.7, 0.0):
        with pytest.raises(ParameterError, match=f"tost cannot be asked at level {level:g}"):
            Equivalence().compare(Pairs.every(values()), Asked(level=level))


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("tost", {"margin": 0}, "tost cannot have margin=0"),
        ("sign", {"margin": -0.1}, "sign cannot have margin=-0.1"),
        ("t", {"alternative": "more"}, "t cannot have alternative='more'"),
        ("rank-sum", {"continuity": "yes"}, "rank-sum cannot have continuity='yes'"),
    ],
)
def test_parameters_are_refused(name: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        TESTS[name](**given)
    assert str(refused.value).splitlines()[0] == words


def test_what_is_declared() -> None:
    assert [TESTS[name] for name in ("t", "sign", "rank-sum", "tost")] == [T, Sign, RankSum, Equivalence]
    assert T.requires is Equivalence.requires is Scale.INTERVAL
    assert Sign.requires is RankSum.requires is Scale.ORDINAL
    assert [TESTS[name] for name in ("student", "mann-whitney", "equivalence")] == [T, RankSum, Equivalence]
    assert str(Equivalence(margin=0.01)) == "tost(margin=0.01)"


def trec8(folder: Path) -> Matrix:
    return np.loadtxt(folder / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)


def test_numbers_published_with_the_matrix_of_trec_8(shared_data: Path) -> None:
    # The index of the data gives them for columns 125 and 126.
    pairs = Pairs.given(trec8(shared_data), [(124, 125)])
    assert T().compare(pairs, ASKED).p[0] == pytest.approx(0.0013193972, abs=5e-11)
    assert Sign().compare(pairs, ASKED).p[0] == pytest.approx(0.01535, abs=5e-6)
    assert Sign(margin=0.01).compare(pairs, ASKED).p[0] == pytest.approx(0.009559879, abs=5e-10)


def test_all_pairs_of_trec_8_are_scipys(shared_data: Path) -> None:
    matrix = trec8(shared_data)
    pairs = Pairs.every(matrix)
    a, b = matrix[:, pairs.a], matrix[:, pairs.b]
    different = (a != b).any(axis=0)
    assert (~different).sum() == 2  # 57 = 59 and 69 = 70
    t = T().compare(pairs, ASKED)
    np.testing.assert_allclose(t.p[different], stats.ttest_rel(b[:, different], a[:, different]).pvalue, rtol=1e-8)
    assert t.p[~different].tolist() == [1, 1]
    rank_sum = RankSum().compare(pairs, ASKED)
    peer = stats.mannwhitneyu(b[:, ::40], a[:, ::40], method="asymptotic")
    np.testing.assert_allclose(rank_sum.p[::40], peer.pvalue, rtol=1e-9)
    np.testing.assert_array_equal(rank_sum.statistic[::40], peer.statistic)
