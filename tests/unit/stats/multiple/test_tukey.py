"""Tukey and Scheffé, beside R, scipy, t for two runs, and the numbers printed for TREC-8."""

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from scipy.special import fdtrc
from scipy.stats import ttest_rel, tukey_hsd

from cranfield.core import ParameterError, Scale
from cranfield.core.types import Matrix
from cranfield.stats.multiple.studentised_range import FLOOR, StudentisedRange
from cranfield.stats.multiple.tukey import Scheffe, Tukey
from cranfield.stats.pair_tests.base import TESTS, Asked, Pairs, PairTest

# Five topics, four runs.
SMALL = np.array([[9, 7, 8, 6], [5, 5, 8, 2], [3, 4, 4, 4], [7, 6, 8, 8], [1, 2, 2, 3]], dtype=float)
ASKED = Asked()
BOTH: list[PairTest] = [Tukey(), Scheffe()]


def random(topics: int = 20, runs: int = 6, seed: int = 4) -> Matrix:
    rng = np.random.default_rng(seed)
    return rng.random((topics, runs)) + rng.random((topics, 1)) + 0.1 * np.arange(runs)


def trec8(folder: Path) -> Matrix:
    return np.loadtxt(folder / "score-matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1)


def test_numbers_of_r() -> None:
    # R 4.2.2: y <- c(9,5,3,7,1, 7,5,4,6,2, 8,8,4,8,2, 6,2,4,8,3); s <- factor(rep(c("a","b","c","d"), each=5));
    # topic <- factor(rep(1:5, 4)); TukeyHSD(aov(y ~ s + topic), "s"), then aov(y ~ s)
    found = Tukey().compare(Pairs.every(SMALL), ASKED)
    expected = [0.995480907312, 0.667653833883, 0.966380264989, 0.534261371819, 0.995480907312, 0.409697969365]
    assert found.adjusted == pytest.approx(expected, abs=1e-8)
    assert found.low is not None
    assert found.high is not None
    assert found.low[:2] == pytest.approx([-2.78254581565, -1.58254581565], abs=1e-8)
    assert found.high[:2] == pytest.approx([2.38254581565, 3.58254581565], abs=1e-8)
    assert np.isnan(found.p).all()
    one_way = Tukey(error="one-way").compare(Pairs.every(SMALL), ASKED)
    expected = [0.999345162273, 0.929623417190, 0.994861561419, 0.886230828096, 0.999345162273, 0.832689468712]
    assert one_way.adjusted == pytest.approx(expected, abs=1e-8)


def test_by_hand() -> None:
    # From R's aov of the same numbers: the error has a sum of squares of 22.7 with 12 degrees of freedom.
    found = Tukey().compare(Pairs.given(SMALL, [(3, 2)]), ASKED)
    assert found.statistic == pytest.approx([1.4 / np.sqrt(22.7 / 12 / 5)])
    assert found.effect == pytest.approx([1.4 / np.sqrt(22.7 / 12)])
    assert found.n.tolist() == [5]
    assert found.note == ("studentised range of 4 runs, two-way error with 12 degrees of freedom",)
    f = Scheffe().compare(Pairs.given(SMALL, [(3, 2)]), ASKED)
    assert f.statistic == pytest.approx([1.4**2 / (3 * 2 * 22.7 / 12 / 5)])
    assert f.adjusted == pytest.approx([fdtrc(3, 12, 1.4**2 / (3 * 2 * 22.7 / 12 / 5))])
    assert f.note == ("F of all contrasts of 4 runs, two-way error with 12 degrees of freedom",)


def test_one_way_error_is_what_scipy_takes() -> None:
    values = random()
    pairs = Pairs.every(values)
    peer = tukey_hsd(*values.T)
    ends = peer.confidence_interval(0.99)
    found = Tukey(error="one-way").compare(pairs, Asked(level=0.01))
    assert found.adjusted == pytest.approx(peer.pvalue[pairs.a, pairs.b], abs=1e-9)
    low, high = np.asarray(ends.low), np.asarray(ends.high)
    assert found.low == pytest.approx(low[pairs.b, pairs.a], abs=1e-7)  # scipy finds its limit by iteration
    assert found.high == pytest.approx(high[pairs.b, pairs.a], abs=1e-7)


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_two_runs_alone_are_compared_as_by_t(test: PairTest) -> None:
    values = random(12, 2)
    t = ttest_rel(values[:, 1], values[:, 0])
    ends = t.confidence_interval(0.95)
    found = test.compare(Pairs.every(values), ASKED)
    assert found.adjusted == pytest.approx([t.pvalue], rel=1e-9)
    assert found.low == pytest.approx([ends.low], rel=1e-9)
    assert found.high == pytest.approx([ends.high], rel=1e-9)


@pytest.mark.parametrize("test", BOTH, ids=str)
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_an_interval_leaves_out_0_where_the_pair_is_significant(test: PairTest, level: float) -> None:
    found = test.compare(Pairs.every(random()), Asked(level=level))
    assert found.low is not None
    assert found.high is not None
    outside = (found.low > 0) | (found.high < 0)
    assert found.adjusted is not None
    assert 0 < outside.sum() < len(outside)
    assert outside.tolist() == (found.adjusted < level).tolist()


def test_intervals_around_the_means_of_runs_that_differ_do_not_meet() -> None:
    values = random()
    fitted = Tukey().fit(values)
    half = Tukey().half_width(fitted, 0.05)
    means = values.mean(axis=0)
    pairs = Pairs.every(values)
    apart = np.abs(means[pairs.a] - means[pairs.b]) > 2 * half
    found = Tukey().compare(pairs, ASKED)
    assert found.adjusted is not None
    assert apart.tolist() == (found.adjusted < 0.05).tolist()


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_the_family_is_all_runs_however_few_pairs_are_asked(test: PairTest) -> None:
    values = random()
    every, one = (test.compare(pairs, ASKED) for pairs in (Pairs.every(values), Pairs.given(values, [(0, 1)])))
    assert one.adjusted is not None
    assert every.adjusted is not None
    assert one.adjusted[0] == every.adjusted[0]


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_turned_round(test: PairTest) -> None:
    values = random()
    there, back = (test.compare(Pairs.given(values, [pair]), ASKED) for pair in ((0, 5), (5, 0)))
    assert there.low is not None
    assert back.high is not None
    assert there.adjusted == back.adjusted
    assert there.statistic == back.statistic
    assert there.effect == -back.effect
    assert there.low == -back.high


def test_scheffe_asks_more_than_tukey() -> None:
    pairs = Pairs.every(random())
    tukey, scheffe = (test.compare(pairs, ASKED).adjusted for test in BOTH)
    assert tukey is not None
    assert scheffe is not None
    assert (scheffe > tukey).all()


def test_an_error_taken_as_known() -> None:
    values = random()
    fitted = Tukey().fit(values)
    found = Tukey(df="inf").compare(Pairs.every(values), ASKED)
    q = Tukey().compare(Pairs.every(values), ASKED).statistic
    assert found.adjusted == pytest.approx(StudentisedRange(6).sf(q))
    assert found.note == ("studentised range of 6 runs, two-way error with ∞ degrees of freedom",)
    # 4.030: the 5 % point of the range of six normal numbers, from printed tables
    assert Tukey(df="inf").half_width(fitted, 0.05) == pytest.approx(0.5 * 4.030 * np.sqrt(fitted.mse / 20), rel=2e-4)


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_identical_runs(test: PairTest) -> None:
    found = test.compare(Pairs.given(random()[:, [0, 1, 2, 0]], [(0, 3)]), ASKED)
    assert found.adjusted is not None
    assert (found.adjusted.tolist(), found.statistic.tolist(), found.effect.tolist()) == ([1], [0], [0])


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_without_any_error(test: PairTest) -> None:
    """Runs that differ by the same amount in every topic: certain; two equal ones among them: still equal."""
    values = np.linspace(0, 1, 7)[:, None] + np.array([0.1, 0.1, 0.4])
    found = test.compare(Pairs.every(values), ASKED)
    assert found.adjusted is not None
    assert found.adjusted.tolist() == [1, 0, 0]
    assert found.statistic.tolist() == [0, np.inf, np.inf]
    assert found.low == pytest.approx([0, 0.3, 0.3])
    assert found.high == pytest.approx([0, 0.3, 0.3])
    assert found.note[0].endswith("the error is 0: every difference is certain")


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_topics_that_a_run_lacks_are_left_out(test: PairTest) -> None:
    values = random()
    holes = values.copy()
    holes[3, 1] = holes[7, 4] = np.nan
    found = test.compare(Pairs.every(holes), ASKED)
    kept = test.compare(Pairs.every(np.delete(values, [3, 7], axis=0)), ASKED)
    assert found.n.tolist() == [18] * 15
    assert found.adjusted is not None
    assert kept.adjusted is not None
    assert found.adjusted.tolist() == kept.adjusted.tolist()


def test_the_smallest_chance_is_the_floor() -> None:
    values = random(30, 3) + np.array([0, 0, 50])
    found = Tukey().compare(Pairs.given(values, [(0, 2)]), ASKED)
    assert found.adjusted is not None
    assert found.adjusted.tolist() == [FLOOR]


@pytest.mark.parametrize("test", BOTH, ids=str)
def test_one_topic_is_refused(test: PairTest) -> None:
    with pytest.raises(ParameterError, match="too few"):
        test.compare(Pairs.every(np.ones((1, 3))), ASKED)


@pytest.mark.parametrize("name", ["tukey", "scheffe"])
def test_one_sided_questions_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="cannot have alternative='greater'") as refusal:
        TESTS[name](alternative="greater")
    assert refusal.value.hint == "alternative is 'two-sided'"


def test_what_they_are() -> None:
    assert all(TESTS[name].joint and TESTS[name].requires is Scale.INTERVAL for name in ("hsd", "scheffé"))
    assert {TESTS[name].family for name in ("tukey", "scheffe")} == {"all pairs"}
    assert str(Tukey(df="inf")) == "tukey(df='inf')"


def test_trec_8(shared_data: Path) -> None:
    """ferro2024 §4.3: 3,423 of 8,256 pairs differ, half-width .0515; one-way error would leave 1,786."""
    values = trec8(shared_data)
    found = Tukey().compare(Pairs.every(values), ASKED)
    assert found.adjusted is not None
    assert (len(found.adjusted), int((found.adjusted <= 0.05).sum())) == (8256, 3423)
    assert round(Tukey().half_width(Tukey().fit(values), 0.05), 4) == 0.0515
    one_way = Tukey(error="one-way").compare(Pairs.every(values), ASKED)
    assert one_way.adjusted is not None
    assert int((one_way.adjusted <= 0.05).sum()) == 1786


def test_all_pairs_of_a_large_campaign_in_a_blink() -> None:
    pairs = Pairs.every(random(50, 129))
    times = []
    for _ in range(4):
        start = perf_counter()
        Tukey().compare(pairs, ASKED)
        times.append(perf_counter() - start)
    assert min(times[1:]) < 0.05
