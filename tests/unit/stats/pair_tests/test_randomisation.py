"""The randomisation test against all flips written out, scipy and whole-number arithmetic; draws, threads and seeds."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.pair_tests import randomisation, resampling
from cranfield.stats.pair_tests.base import TESTS, Alternative, Answer, Asked, Pairs
from cranfield.stats.pair_tests.randomisation import Randomisation

Matrix = NDArray[np.float64]

NAN = float("nan")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def hundredths(topics: int, runs: int, seed: int) -> NDArray[np.int64]:
    """Whole numbers: the values are these over 100, and truth is found in them without rounding."""
    return np.random.default_rng(seed).integers(0, 40, (topics, runs)) + np.arange(runs)


def extreme(total: int, observed: int, alternative: Alternative) -> bool:
    if alternative == "two-sided":
        return abs(total) >= abs(observed)
    return total >= observed if alternative == "greater" else total <= observed


def by_hand(differences: list[int], alternative: Alternative) -> float:
    """The share of all 2ⁿ flips, the distribution of their sum built up in whole numbers."""
    flips = Counter({0: 1})
    for d in differences:
        after: Counter[int] = Counter()
        for total, times in flips.items():
            after[total + d] += times
            after[total - d] += times
        flips = after
    found = sum(times for total, times in flips.items() if extreme(total, sum(differences), alternative))
    return float(Fraction(found, 2 ** len(differences)))


def asked(test: Randomisation, a: object, b: object, **how: object) -> Answer:
    """One pair."""
    pairs = Pairs.every(np.array([a, b], dtype=float).T)
    return test.compare(pairs, Asked(**how))  # type: ignore[arg-type]


def near(truth: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    """Four standard errors of a share of draws, and the one draw that is added."""
    return 4 * np.sqrt(truth * (1 - truth) / draws) + 1 / draws


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [2, 3, 7, 12])
def test_few_topics_have_every_flip_counted(topics: int, alternative: Alternative) -> None:
    whole = hundredths(topics, 4, seed=topics)
    pairs = Pairs.every(whole / 100)
    said = Randomisation(alternative=alternative).compare(pairs, Asked())
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        d = whole[:, b] - whole[:, a]
        totals = [sum(s * k for s, k in zip(signs, d, strict=True)) for signs in product((1, -1), repeat=topics)]
        truth = sum(extreme(total, sum(d), alternative) for total in totals) / 2**topics
        assert said.p[i] == pytest.approx(truth, abs=1e-15)
        assert by_hand(d.tolist(), alternative) == truth  # what the other tests compare with
    # Half of four flips, or a twentieth of eight, is not significant for any shift.
    unbounded = "; no finite interval" * (topics < 5)
    assert said.notes() == (f"mean difference, exact: all flips{unbounded}",) * 6


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_p_is_that_of_scipy(alternative: Alternative) -> None:
    a, b = np.random.default_rng(1).random((2, 10))
    peer = stats.permutation_test(
        (b, a),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,  # type: ignore[call-overload]  # all, as scipy's documentation has it
        alternative=alternative,
        vectorized=True,
    )
    assert asked(Randomisation(alternative=alternative), a, b).p[0] == pytest.approx(peer.pvalue, abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [20, 21, 60])
def test_decimals_are_counted_in_steps(topics: int, alternative: Alternative) -> None:
    whole = hundredths(topics, 3, seed=topics)
    whole[:, 1] = whole[:, 0] + np.where(whole[:, 1] == whole[:, 0], 1, whole[:, 1] - whole[:, 0])  # no zeros
    pairs = Pairs.given(whole / 100, [(0, 1)])
    said = Randomisation(alternative=alternative).compare(pairs, Asked())
    truth = by_hand((whole[:, 1] - whole[:, 0]).tolist(), alternative)
    assert said.p[0] == pytest.approx(truth, rel=1e-12)
    way = "" if topics <= 20 else ", counted in steps of 1/100"
    assert said.notes() == (f"mean difference, exact: all flips{way}",)


def test_both_exact_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = Pairs.every(hundredths(18, 5, seed=4) / 100)
    listed = Randomisation().compare(pairs, Asked())
    monkeypatch.setattr(randomisation, "HALF", 1)
    counted = Randomisation().compare(pairs, Asked())
    assert set(listed.notes()) == {"mean difference, exact: all flips"}
    assert set(counted.notes()) == {"mean difference, exact: all flips, counted in steps of 1/100"}
    assert counted.p == pytest.approx(listed.p, rel=1e-12)


def test_reciprocal_ranks_are_counted_in_steps() -> None:
    ranks = np.random.default_rng(6).integers(1, 11, (40, 2))
    d = [Fraction(1, int(b)) - Fraction(1, int(a)) for a, b in ranks]
    said = asked(Randomisation(), *(1 / ranks).T)
    assert said.notes() == ("mean difference, exact: all flips, counted in steps of 1/2520",)
    assert said.p[0] == pytest.approx(by_hand([int(2520 * one) for one in d], "two-sided"), rel=1e-12)


@pytest.mark.parametrize("topics", [100, 3000])
def test_wins_and_losses_alone_give_the_sign_test(topics: int) -> None:
    outcome = np.random.default_rng(3).choice([-1, 0, 1], topics, p=[0.3, 0.35, 0.35])
    wins, losses = int((outcome == 1).sum()), int((outcome == -1).sum())
    peer = stats.binomtest(wins, wins + losses).pvalue
    assert asked(Randomisation(), np.zeros(topics), outcome).p[0] == pytest.approx(peer, rel=1e-9)


def test_a_chance_too_small_for_a_float_is_not_0() -> None:
    # 1,200 wins: 2 / 2¹²⁰⁰ is below the smallest float.
    p = asked(Randomisation(), np.zeros(1200), np.ones(1200)).p[0]
    assert 0 < p < 1e-300


@pytest.mark.parametrize("exact", ["auto", "never"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sums_equal_as_decimals_are_equal(exact: str, alternative: Alternative) -> None:
    # 0.1 + 0.2 − 0.3 is 5.6e-17 in floats. By hand: ±1 ±2 ±3 reaches 0 upwards in 5 of 8 flips, and so downwards.
    b = [0.1, 0.2, 0.0]
    a = [0.0, 0.0, 0.3]
    test = Randomisation(exact=exact, alternative=alternative)  # type: ignore[arg-type]
    p = asked(test, a, b).p[0]
    truth = by_hand([1, 2, -3], alternative)
    assert truth == (1.0 if alternative == "two-sided" else 5 / 8)
    assert abs(p - truth) <= (near(np.array(truth), 10_000) if exact == "never" else 1e-15)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_draws_come_near_to_all_flips(alternative: Alternative) -> None:
    pairs = Pairs.every(hundredths(30, 8, seed=9) / 100)
    exact = Randomisation(alternative=alternative).compare(pairs, Asked())
    drawn = Randomisation(alternative=alternative, exact="never", draws=5000).compare(pairs, Asked())
    assert all("exact" in note for note in exact.notes())
    assert drawn.notes() == ("mean difference, 5,000 draws",) * 28
    assert (np.abs(drawn.p - exact.p) <= near(exact.p, 5000)).all()
    assert drawn.p.min() >= 1 / 5001
    assert not np.array_equal(drawn.p, exact.p)


def test_p_is_never_0_by_drawing() -> None:
    said = asked(Randomisation(exact="never", draws=99), np.zeros(200), 1 + np.random.default_rng(0).random(200))
    assert said.p.tolist() == [1 / 100]


@pytest.mark.parametrize("exact", ["auto", "never"])
def test_missing_values_leave_the_topics_of_both(exact: str) -> None:
    whole = hundredths(14, 5, seed=2)
    gone = np.random.default_rng(5).random(whole.shape) < 0.2
    pairs = Pairs.every(np.where(gone, NAN, whole / 100))
    said = Randomisation(exact=exact).compare(pairs, Asked())  # type: ignore[arg-type]
    truth = np.empty(len(pairs))
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        both = ~gone[:, a] & ~gone[:, b]
        d = (whole[:, b] - whole[:, a])[both]
        truth[i] = by_hand(d.tolist(), "two-sided")
        assert said.n[i] == both.sum()
        assert said.statistic[i] == pytest.approx(d.mean() / 100)
        assert said.effect[i] == pytest.approx(d.mean() / d.std(ddof=1))
    assert len(set(said.n.tolist())) > 2
    assert (np.abs(said.p - truth) <= (near(truth, 10_000) if exact == "never" else 1e-14)).all()


@pytest.mark.parametrize("exact", ["auto", "never"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_runs_have_p_1(exact: str, alternative: Alternative) -> None:
    a = np.random.default_rng(8).random(30)
    test = Randomisation(exact=exact, alternative=alternative)  # type: ignore[arg-type]
    # Equal as numbers is enough: 1/2 − 1/3 and 1/3 − 1/6 are the same sixth.
    for b in (a, a + 1 / 3 - 1 / 6 - (1 / 2 - 1 / 3)):
        said = asked(test, a, b)
        assert (said.p[0], said.statistic[0], said.effect[0]) == (1.0, 0.0, 0.0)


def test_one_topic_says_nothing() -> None:
    for alternative, p in (("two-sided", 1.0), ("greater", 0.5), ("less", 1.0)):
        said = asked(Randomisation(alternative=alternative), [0.1], [0.4])  # type: ignore[arg-type]
        assert said.p.tolist() == [p]
        assert np.isnan(said.effect[0])


def test_no_common_topic_has_no_p() -> None:
    said = asked(Randomisation(), [0.1, NAN], [NAN, 0.4])
    assert np.isnan(said.p[0])
    assert said.notes() == ("no topic in which both have a value",)


def test_equal_topics_change_nothing() -> None:
    # Sixty topics of any size, twenty of which differ: those are listed.
    drawn = np.random.default_rng(4)
    a = drawn.random(60)
    b = a.copy()
    b[::3] += drawn.standard_normal(20)
    few = asked(Randomisation(exact="always"), a[::3], b[::3])
    many = asked(Randomisation(exact="always"), a, b)
    assert many.p[0] == few.p[0]
    assert (few.n[0], many.n[0]) == (20, 60)


def test_less_is_greater_with_the_runs_exchanged() -> None:
    pairs = Pairs.every(np.random.default_rng(2).random((30, 6)))
    turned = Pairs(pairs.values, pairs.b, pairs.a)
    less = Randomisation(alternative="less").compare(pairs, Asked())
    greater = Randomisation(alternative="greater").compare(turned, Asked())
    assert np.array_equal(less.p, greater.p)
    assert less.statistic == pytest.approx(-greater.statistic)


@pytest.mark.parametrize("missing", [False, True])
def test_the_answer_is_the_same_on_one_thread_or_more(missing: bool) -> None:
    values = np.random.default_rng(7).random((300, 12))
    if missing:
        values[5, 3] = NAN
    test = Randomisation(draws=1000)
    one, two, three = (test.compare(Pairs.every(values), Asked(threads=k)).p for k in (1, 2, 3))
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)
    assert len(set(one.tolist())) > 20


def test_the_seed_decides() -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((40, 6)))
    first, again, other = (Randomisation().compare(pairs, Asked(seed=seed)).p for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.abs(first - other).max() < 8 * 0.5 / np.sqrt(10_000)


def test_a_pair_has_the_same_p_alone_and_among_others() -> None:
    values = np.random.default_rng(7).random((40, 9))
    every = Randomisation().compare(Pairs.every(values), Asked())
    alone = Randomisation().compare(Pairs.given(values, [(0, 1)]), Asked())
    assert alone.p[0] == every.p[0]


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    values = np.random.default_rng(7).random((40, 2))
    Randomisation(draws=1000).compare(
        Pairs.every(values), Asked(progress=lambda done, total: seen.append((done, total)))
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_counting_in_steps_stops_at_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = Pairs.every(hundredths(30, 4, seed=9) / 100)
    exact = Randomisation().compare(pairs, Asked())
    monkeypatch.setattr(randomisation, "BUDGET", 1000)
    assert set(Randomisation().compare(pairs, Asked()).notes()) == {"mean difference, 10,000 draws"}
    assert np.array_equal(Randomisation(exact="always").compare(pairs, Asked()).p, exact.p)


def test_too_many_steps_are_drawn_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    values = hundredths(30, 3, seed=9) / 100
    values[:, 2] = values[:, 1] + np.where(np.arange(30) % 2, 0.01, -0.01)  # 30 steps
    pairs = Pairs.given(values, [(0, 1), (1, 2)])
    monkeypatch.setattr(randomisation, "LONGEST", 30)
    said = Randomisation().compare(pairs, Asked())
    assert said.notes() == (
        "mean difference, 10,000 draws",
        "mean difference, exact: all flips, counted in steps of 1/100",
    )
    with pytest.raises(ParameterError, match=r"all flips of \d+ differences of any size cannot be counted"):
        Randomisation(exact="always").compare(pairs, Asked())


def test_exact_is_refused_where_values_have_no_steps() -> None:
    values = np.random.default_rng(7).random((40, 2))
    with pytest.raises(ParameterError, match="all flips of 40 differences") as caught:
        Randomisation(exact="always").compare(Pairs.every(values), Asked())
    assert "exact='auto' draws" in str(caught.value.hint)


def test_draws_are_one_or_more() -> None:
    assert asked(Randomisation(exact="never", draws=1), [0.0, 0.0], [1.0, 1.0]).p[0] in (0.5, 1.0)
    with pytest.raises(ParameterError, match="draws=0"):
        Randomisation(draws=0)


def test_products_in_parts_are_products() -> None:
    drawn = np.random.default_rng(1)
    for draws, topics, columns in ((256, 600, 150), (100, 256, 64), (7, 5, 1), (1, 1, 3)):
        weights = drawn.integers(-1, 4, (draws, topics))
        values = drawn.random((topics, columns))
        assert resampling.product(weights, values) == pytest.approx(np.einsum("dt,tc->dc", weights, values))


def test_flips_are_fair_and_begin_alike() -> None:
    flips = resampling.Flips(topics=101, number=1000, seed=5)
    every = np.concatenate([flips.block(i) for i in range(flips.blocks)])
    assert every.shape == (1000, 101)
    assert set(np.unique(every).tolist()) == {-1, 1}
    # Means of 1,000 signs: five standard errors.
    assert np.abs(every.mean(axis=0)).max() < 5 / np.sqrt(1000)
    assert np.abs(np.corrcoef(every.T) - np.eye(101)).max() < 5 / np.sqrt(1000)
    fewer = resampling.Flips(topics=101, number=300, seed=5)
    assert np.array_equal(np.concatenate([fewer.block(0), fewer.block(1)]), every[:300])


def test_it_goes_by_its_other_names() -> None:
    for name in ("randomisation", "permutation", "fisher", "randomization"):
        assert TESTS[name] is Randomisation
