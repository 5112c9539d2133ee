"""Kruskal–Wallis and Friedman, and what comes after them, beside scipy, R, Demšar's table and small arithmetic."""

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import fdtrc
from scipy.stats import friedmanchisquare, kruskal, rankdata, studentized_range

from cranfield.core import ParameterError, Scale
from cranfield.core.types import Matrix
from cranfield.stats.multiple.mean_rank_tests import Nemenyi, RankTukey, critical_difference, mean_ranks
from cranfield.stats.multiple.omnibus_base import OMNIBUS, Omnibus
from cranfield.stats.multiple.rank_omnibus import Friedman, KruskalWallis
from cranfield.stats.pair_tests.base import TESTS, Asked, Pairs, PairTest

# Five topics, four runs, with ties.
SMALL = np.array([[9, 7, 8, 6], [5, 5, 8, 2], [3, 4, 4, 4], [7, 6, 8, 8], [1, 2, 2, 3]], dtype=float)
ASKED = Asked()
OMNIBUSES: list[Omnibus] = [KruskalWallis(), Friedman()]
JOINT: list[PairTest] = [RankTukey(), Nemenyi()]

# (topic, run) of few different numbers, so that there are ties
matrices = arrays(float, st.tuples(st.integers(2, 9), st.integers(3, 6)), elements=st.integers(0, 5).map(float)).filter(
    lambda values: any(len(set(row)) > 1 for row in values)
)


@given(values=matrices)
def test_both_are_those_of_scipy(values: Matrix) -> None:
    (h,) = KruskalWallis().sources(values)
    assert (h.statistic, h.p) == pytest.approx(kruskal(*values.T), abs=1e-12)
    chi2, _ = Friedman().sources(values)
    assert (chi2.statistic, chi2.p) == pytest.approx(friedmanchisquare(*values.T), abs=1e-12)
    assert h.df == chi2.df == values.shape[1] - 1


def test_numbers_of_r() -> None:
    # R 4.2.2: x <- matrix(c(9,7,8,6, 5,5,8,2, 3,4,4,4, 7,6,8,8, 1,2,2,3), ncol=4, byrow=TRUE)
    # kruskal.test(as.list(as.data.frame(x))); friedman.test(x)
    (h,) = KruskalWallis().sources(SMALL)
    assert (h.statistic, h.p) == pytest.approx((1.01100917431193, 0.798588085775005))
    assert h.effect == pytest.approx(1.01100917431193 / 19)
    chi2, f = Friedman().sources(SMALL)
    assert (chi2.statistic, chi2.p) == pytest.approx((2.58139534883721, 0.460760521965633))
    assert chi2.effect == f.effect == pytest.approx(2.58139534883721 / (5 * 3))
    # iman1980: (m − 1) χ² / (m (k − 1) − χ²) with k − 1 and (k − 1)(m − 1) degrees of freedom
    expected = 4 * 2.58139534883721 / (5 * 3 - 2.58139534883721)
    assert (f.statistic, f.p) == pytest.approx((expected, fdtrc(3, 12, expected)))
    assert (f.df, f.df2) == (3, 12)
    assert [row.source for row in (h, chi2, f)] == ["system", "system", "system (Iman–Davenport)"]
    assert [row.log10_p for row in (h, chi2, f)] == pytest.approx(np.log10([h.p, chi2.p, f.p]))


def test_w_of_ranks_by_hand() -> None:
    # Three topics order three runs: 1 2 3, 1 2 3, 2 1 3. Rank sums 4, 5, 9, mean 6: S = 4 + 1 + 9 = 14.
    # W = 12 S / (m² (k³ − k)) = 168 / (9 · 24), kendall1939.
    chi2, f = Friedman().sources(np.array([[1.0, 2, 3], [1, 2, 3], [2, 1, 3]]))
    assert chi2.effect == f.effect == pytest.approx(168 / 216)
    assert chi2.statistic == pytest.approx(3 * 2 * 168 / 216)


def test_topics_that_all_agree() -> None:
    # So many orders of four runs: 4!, 4! / 2!, 4! / 3!. Six topics have the same as the first.
    for row, orders in (([0.1, 0.2, 0.3, 0.4], 24), ([0.1, 0.1, 0.3, 0.4], 12), ([0.1, 0.1, 0.1, 0.4], 4)):
        chi2, f = Friedman().sources(np.array([row] * 7) + np.arange(7)[:, None])
        assert (chi2.effect, chi2.statistic) == (1, 21)
        assert f.statistic == np.inf
        assert (f.p, f.log10_p) == pytest.approx((orders**-6, -6 * np.log10(orders)))


@pytest.mark.parametrize(("topics", "runs"), [(2, 2), (2, 3), (3, 2), (4, 3)])
def test_the_chance_that_topics_agree_by_counting_all_orders(topics: int, runs: int) -> None:
    orders = [np.array(order, dtype=float) for order in permutations(range(runs))]
    found = [Friedman().sources(np.stack(rows))[1] for rows in product(orders, repeat=topics)]
    agreeing = [f.p for f in found if f.statistic == np.inf]
    assert agreeing == pytest.approx([len(agreeing) / len(found)] * len(agreeing))


@pytest.mark.parametrize("test", OMNIBUSES, ids=str)
def test_values_that_are_all_equal(test: Omnibus) -> None:
    for source in test.sources(np.full((6, 4), 0.3)):
        assert (source.statistic, source.p, source.log10_p, source.effect) == (0, 1, 0, 0)


def test_identical_runs_on_different_topics() -> None:
    values = np.repeat(np.arange(6.0)[:, None], 4, axis=1)
    for test in OMNIBUSES:
        assert {(source.statistic, source.p) for source in test.sources(values)} == {(0, 1)}


def test_values_are_compared_bit_for_bit() -> None:
    # 1/2 − 1/3 and 1/3 − 1/6 are 1/6 both, and differ as floats: scipy, which compares floats, is the peer.
    sixth = np.array([[1 / 2 - 1 / 3, 1 / 3 - 1 / 6, 1.0], [0.3, 0.1 + 0.2, 1.0]])
    same = np.array([[1 / 6, 1 / 6, 1.0], [0.3, 0.3, 1.0]])
    assert sixth[0, 0] != sixth[0, 1]
    for values in (sixth, same):
        assert KruskalWallis().sources(values)[0].statistic == pytest.approx(kruskal(*values.T).statistic)
        assert Friedman().sources(values)[0].statistic == pytest.approx(friedmanchisquare(*values.T).statistic)
    for test in OMNIBUSES:
        assert test.sources(sixth)[0].statistic != test.sources(same)[0].statistic
    for joint in JOINT:
        assert joint.compare(Pairs.given(same, [(0, 1)]), ASKED).adjusted == [1]


@given(values=matrices)
def test_only_order_counts(values: Matrix) -> None:
    """One monotone transformation of all values changes nothing; for Friedman, one for each topic does not either."""
    for test in OMNIBUSES:
        assert [row.statistic for row in test.sources(np.exp(values))] == [
            row.statistic for row in test.sources(values)
        ]
    own = values * np.arange(1, len(values) + 1)[:, None] + np.arange(len(values))[:, None]
    assert [row.p for row in Friedman().sources(own)] == [row.p for row in Friedman().sources(values)]


def test_chances_too_small_for_a_float_have_a_logarithm() -> None:
    rng = np.random.default_rng(7)
    values = np.arange(60.0) + 5 * rng.random((400, 60))
    for test in OMNIBUSES:
        for row in test.sources(values):
            assert row.p == 0
            assert -1e5 < row.log10_p < -300


@pytest.mark.parametrize("test", OMNIBUSES, ids=str)
def test_values_that_are_missing_are_refused(test: Omnibus) -> None:
    with pytest.raises(ParameterError, match="no value"):
        test.sources(np.array([[1.0, np.nan], [2.0, 3.0]]))


def test_tukey_on_mean_ranks_by_its_formula() -> None:
    """√(N(N+1)/12 · (1 − Σ(t³−t)/(N³−N)) · (1/n + 1/n)), and √2 times the ratio against the studentised range."""
    ranks = rankdata(SMALL).reshape(SMALL.shape)
    n, (_, sizes) = SMALL.size, np.unique(SMALL, return_counts=True)
    ties = 1 - (sizes**3 - sizes).sum() / (n**3 - n)
    error = np.sqrt(n * (n + 1) / 12 * ties * (1 / 5 + 1 / 5))
    pairs = Pairs.every(SMALL)
    apart = ranks.mean(axis=0)[pairs.b] - ranks.mean(axis=0)[pairs.a]
    found = RankTukey().compare(pairs, ASKED)
    assert found.effect == pytest.approx(apart)
    assert found.statistic == pytest.approx(np.sqrt(2) * np.abs(apart) / error)
    assert found.adjusted == pytest.approx(studentized_range.sf(found.statistic, 4, np.inf), abs=1e-10)
    assert found.n.tolist() == [5] * 6
    assert np.isnan(found.p).all()
    assert found.low is None
    assert found.note == ("mean ranks among all values, studentised range of 4 runs with ∞ degrees of freedom",)


def test_nemenyi_by_its_formula() -> None:
    ranks = rankdata(SMALL, axis=1).mean(axis=0)
    pairs = Pairs.every(SMALL)
    apart = ranks[pairs.b] - ranks[pairs.a]
    found = Nemenyi().compare(pairs, ASKED)
    assert mean_ranks(SMALL) == pytest.approx(ranks)
    assert found.effect == pytest.approx(apart)
    assert found.statistic == pytest.approx(np.sqrt(2) * np.abs(apart) / np.sqrt(4 * 5 / (6 * 5)))
    assert found.adjusted == pytest.approx(studentized_range.sf(found.statistic, 4, np.inf), abs=1e-10)
    assert found.note == ("mean ranks within topics, studentised range of 4 runs with ∞ degrees of freedom",)


def test_two_runs_alone_after_friedman() -> None:
    """With two runs and no ties, q²/2 is Friedman's χ², and the range of two is normal: the same p."""
    values = np.random.default_rng(3).random((15, 2))
    chi2, _ = Friedman().sources(values)
    found = Nemenyi().compare(Pairs.every(values), ASKED)
    assert found.statistic**2 / 2 == pytest.approx([chi2.statistic])
    assert found.adjusted == pytest.approx([chi2.p], rel=1e-10)


@pytest.mark.parametrize(
    ("runs", "expected"),
    # demsar2006 Table 5(a): critical values of Nemenyi's test at .05, last digits as printed
    list(zip(range(2, 11), (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164), strict=True)),
)
def test_critical_values_of_demsar(runs: int, expected: float) -> None:
    topics = 30
    unit = np.sqrt(runs * (runs + 1) / (6 * topics))
    assert critical_difference(runs, topics, 0.05) / unit == pytest.approx(expected, abs=1e-3)


def test_the_critical_difference_of_demsars_example() -> None:
    assert critical_difference(4, 14, 0.05) == pytest.approx(1.25, abs=0.005)  # demsar2006 §3.2.2: 4 methods, 14 sets


def test_the_critical_difference_parts_what_is_significant() -> None:
    rng = np.random.default_rng(5)
    pairs = Pairs.every(rng.random((25, 8)) + 0.12 * np.arange(8))
    found = Nemenyi().compare(pairs, ASKED)
    assert found.adjusted is not None
    beyond = np.abs(found.effect) > critical_difference(8, 25, 0.05)
    assert 0 < beyond.sum() < len(beyond)
    assert beyond.tolist() == (found.adjusted < 0.05).tolist()


def test_nemenyi_starts_from_places_where_values_are_too_coarse() -> None:
    coarse = np.ones((6, 3))
    order = np.tile([0.0, 1.0, 2.0], (6, 1))
    found = Nemenyi().compare(Pairs.every(coarse, order), ASKED)
    assert found.effect.tolist() == [1, 2, 1]


@pytest.mark.parametrize("test", JOINT, ids=str)
def test_runs_that_are_all_identical(test: PairTest) -> None:
    for values in (np.full((5, 3), 0.2), np.repeat(np.arange(5.0)[:, None], 3, axis=1)):
        found = test.compare(Pairs.every(values), ASKED)
        assert found.adjusted is not None
        assert (found.adjusted.tolist(), found.statistic.tolist()) == ([1] * 3, [0] * 3)


@pytest.mark.parametrize("test", JOINT, ids=str)
def test_the_family_is_all_runs_however_few_pairs_are_asked(test: PairTest) -> None:
    values = np.random.default_rng(2).random((12, 5))
    every, one = (test.compare(pairs, ASKED) for pairs in (Pairs.every(values), Pairs.given(values, [(1, 0)])))
    assert every.adjusted is not None
    assert one.adjusted is not None
    assert one.adjusted[0] == every.adjusted[0]
    assert one.effect[0] == -every.effect[0]


@pytest.mark.parametrize("test", JOINT, ids=str)
def test_topics_that_a_run_lacks_are_left_out(test: PairTest) -> None:
    values = np.random.default_rng(2).random((12, 5))
    holes = values.copy()
    holes[4, 2] = np.nan
    found = test.compare(Pairs.every(holes), ASKED)
    kept = test.compare(Pairs.every(np.delete(values, 4, axis=0)), ASKED)
    assert found.n.tolist() == [11] * 10
    assert found.effect.tolist() == kept.effect.tolist()


@pytest.mark.parametrize("name", ["rank-tukey", "nemenyi"])
def test_one_sided_questions_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="cannot have alternative='less'"):
        TESTS[name](alternative="less")


def test_what_they_are() -> None:
    assert all(TESTS[name].joint and TESTS[name].requires is Scale.ORDINAL for name in ("kruskal-tukey", "nemenyi"))
    assert {TESTS[name].family for name in ("rank-tukey", "nemenyi")} == {"all pairs"}
    assert OMNIBUS["kw"] is KruskalWallis
    assert {OMNIBUS[name].family for name in ("kruskal-wallis", "friedman")} == {"omnibus"}


def test_trec_8_ranks(shared_data: Path) -> None:
    """H and χ² of 129 runs as scipy has them; both p-values are far below what matters."""
    values = np.loadtxt(shared_data / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)
    (h,) = KruskalWallis().sources(values)
    chi2, _ = Friedman().sources(values)
    assert h.statistic == pytest.approx(kruskal(*values.T).statistic)
    assert chi2.statistic == pytest.approx(friedmanchisquare(*values.T).statistic)
    # ferro2024 Table 3 has 1,824 of 8,256 pairs for AP of runs cut at 250: whole runs tell a few more pairs apart
    found = RankTukey().compare(Pairs.every(values), ASKED)
    assert found.adjusted is not None
    assert int((found.adjusted <= 0.05).sum()) == pytest.approx(1824, rel=0.05)
