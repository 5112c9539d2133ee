"""The bootstrap test against all resamples written out, scipy and arithmetic; draws, missing values, threads, seeds."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, inf

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.pair_tests import bootstrap, resampling
from cranfield.stats.pair_tests.base import TESTS, Alternative, Answer, Asked, Pairs
from cranfield.stats.pair_tests.bootstrap import Bootstrap

Matrix = NDArray[np.float64]

NAN = float("nan")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
KINDS = ("shift", "studentised")
INFINITE = Fraction(10**30)  # as good as, among whole numbers
SAMPLES = ((3, 1, 4, -1, 5), (2, 2, -1, 0), (1, 2), (1, -7, 2, 3), (5, 1, 1, 1, 1, -2), (0, 3, 0, 4, 0))


def made(kind: str, alternative: Alternative = "two-sided", **how: object) -> Bootstrap:
    return Bootstrap(kind=kind, alternative=alternative, **how)  # type: ignore[arg-type]


def asked(test: Bootstrap, a: object, b: object, **how: object) -> Answer:
    """One pair."""
    pairs = Pairs.every(np.array([a, b], dtype=float).T)
    return test.compare(pairs, Asked(**how))  # type: ignore[arg-type]


def signed_square_of_t(numbers: list[Fraction]) -> Fraction:
    """T²/n with the sign of t, which has its order, without rounding; infinite where there is a mean and no spread."""
    n, mean = len(numbers), sum(numbers) / Fraction(len(numbers))
    variance = sum(((one - mean) * (one - mean) for one in numbers), Fraction(0)) / (n - 1)
    if mean == 0:
        return Fraction(0)
    square = mean * mean / variance if variance else INFINITE
    return square if mean > 0 else -square


@cache
def statistics(sample: tuple[int, ...], kind: str) -> tuple[Fraction, list[Fraction]]:
    """What is observed, and the same of all nⁿ resamples of the sample moved to a mean of 0."""
    mean = Fraction(sum(sample), len(sample))
    moved = [one - mean for one in sample]
    resamples = [list(one) for one in product(moved, repeat=len(sample))]
    if kind == "shift":
        return mean, [sum(one) / Fraction(len(one)) for one in resamples]
    return signed_square_of_t([Fraction(one) for one in sample]), [signed_square_of_t(one) for one in resamples]


def share(observed: Fraction, drawn: list[Fraction], alternative: Alternative) -> float:
    if alternative == "two-sided":
        found = sum(abs(one) >= abs(observed) for one in drawn)
    else:
        side = 1 if alternative == "greater" else -1
        found = sum(one * side >= observed * side for one in drawn)
    return max(found, 1) / len(drawn)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_few_topics_have_every_resample_counted(sample: tuple[int, ...], kind: str, alternative: Alternative) -> None:
    said = asked(made(kind, alternative), np.zeros(len(sample)), np.array(sample) / 10)
    truth = share(*statistics(sample, kind), alternative)
    assert said.p[0] == pytest.approx(truth, abs=1e-15)
    assert said.n[0] == len(sample)
    assert said.notes() == (f"{kind}, exact: all resamples of the topics",)
    d = np.array(sample) / 10
    assert said.effect[0] == pytest.approx(d.mean() / d.std(ddof=1))
    peer = d.mean() if kind == "shift" else stats.ttest_1samp(d, 0).statistic
    assert said.statistic[0] == pytest.approx(peer)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_ends_are_the_critical_values_of_all_resamples(kind: str) -> None:
    # Of 5⁵ resamples 312 may be as large at a level of .1: the 313th in size is the first that is too many.
    sample = (3, 1, 4, -1, 5)
    _, drawn = statistics(sample, kind)
    numbers = np.array([float(one) for one in drawn])
    sizes = numbers if kind == "shift" else np.sign(numbers) * np.sqrt(5 * np.abs(numbers))
    scale = 1.0 if kind == "shift" else np.std(sample, ddof=1) / np.sqrt(5)
    for alternative, side in (("two-sided", abs), ("greater", lambda one: one), ("less", lambda one: -one)):
        critical = sorted((side(one) for one in sizes), reverse=True)[312] * scale
        said = asked(made(kind, alternative), np.zeros(5), sample, level=0.1)  # type: ignore[arg-type]
        assert said.low is not None
        assert said.high is not None
        low, high = np.mean(sample) - critical, np.mean(sample) + critical
        assert said.low[0] == pytest.approx(NAN if alternative == "less" else low, nan_ok=True)
        assert said.high[0] == pytest.approx(NAN if alternative == "greater" else high, nan_ok=True)


@pytest.mark.parametrize("topics", [2, 4, 7, 25])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_0_is_outside_exactly_where_p_is_at_most_the_level(kind: str, alternative: Alternative, topics: int) -> None:
    values = np.random.default_rng(4).exponential(size=(topics, 20)) ** 2 + np.linspace(0, 2, 20)
    for level in (0.05, 0.2, 0.001):
        said = made(kind, alternative, draws=999).compare(Pairs.every(values), Asked(level=level))
        assert said.low is not None
        assert said.high is not None
        outside = (said.low > 0) | (said.high < 0)
        assert outside.tolist() == (said.p <= level).tolist()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_draws_come_near_to_all_resamples(kind: str, alternative: Alternative) -> None:
    pairs = Pairs.every(np.random.default_rng(3).random((7, 6)))
    exact = made(kind, alternative).compare(pairs, Asked())
    drawn = made(kind, alternative, exact="never").compare(pairs, Asked())
    assert drawn.notes() == (f"{kind}, 10,000 draws of topics",) * 15
    assert len(set(exact.p.tolist())) > 10
    # Four standard errors, and the one draw that is added.
    assert (np.abs(drawn.p - exact.p) <= 4 * np.sqrt(exact.p * (1 - exact.p) / 10_000) + 1e-4).all()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_many_normal_differences_give_the_t_test(kind: str, alternative: Alternative) -> None:
    pairs = Pairs.every(np.random.default_rng(6).standard_normal((1000, 5)))
    said = made(kind, alternative).compare(pairs, Asked())
    assert said.low is not None
    assert said.high is not None
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        peer = stats.ttest_rel(pairs.values[:, b], pairs.values[:, a], alternative=alternative)
        low, high = peer.confidence_interval(0.95)
        assert said.p[i] == pytest.approx(peer.pvalue, abs=0.025)
        for end, theirs in ((said.low[i], low), (said.high[i], high)):
            assert end == pytest.approx(theirs if np.isfinite(theirs) else NAN, abs=0.01, nan_ok=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_with_missing_values_is_asked_over_its_own_topics(kind: str) -> None:
    values = np.random.default_rng(2).random((14, 5))
    values[np.random.default_rng(5).random(values.shape) < 0.25] = NAN
    pairs = Pairs.every(values)
    said = made(kind).compare(pairs, Asked())
    assert said.low is not None
    assert said.high is not None
    for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        both = ~np.isnan(values[:, a]) & ~np.isnan(values[:, b])
        alone = asked(made(kind), values[both, a], values[both, b])
        assert alone.low is not None
        assert alone.high is not None
        assert (said.n[i], said.p[i], said.notes()[i]) == (both.sum(), alone.p[0], alone.notes()[0])
        assert (said.low[i], said.high[i]) == pytest.approx((alone.low[0], alone.high[0]), abs=1e-12)
    assert {"exact" in note for note in said.notes()} == {True, False}


@pytest.mark.parametrize("exact", ["auto", "never"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_identical_runs_have_p_1(kind: str, alternative: Alternative, exact: str) -> None:
    for topics in (1, 2, 6, 30):
        a = np.random.default_rng(topics).random(topics)
        said = asked(made(kind, alternative, exact=exact), a, a + 1 / 3 - 1 / 6 - (1 / 2 - 1 / 3))
        assert (said.p[0], said.statistic[0], said.effect[0]) == (1.0, 0.0, 0.0)
        ends = [one[0] for one in (said.low, said.high) if one is not None]
        assert all(end == 0 or np.isnan(end) for end in ends)


@pytest.mark.parametrize("kind", KINDS)
def test_one_topic_has_no_p(kind: str) -> None:
    said = asked(made(kind), [0.1], [0.4])
    assert np.isnan(said.p[0])
    assert said.notes() == ("one topic has no spread: there is no p",)
    assert said.low is not None
    assert np.isnan(said.low[0])


@pytest.mark.parametrize("kind", KINDS)
def test_no_common_topic_has_no_p(kind: str) -> None:
    said = asked(made(kind), [0.1, NAN], [NAN, 0.4])
    assert np.isnan([said.p[0], said.statistic[0]]).all()
    assert said.notes() == ("no topic in which both have a value",)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_difference_everywhere_is_as_certain_as_can_be(kind: str) -> None:
    # Moved to a mean of 0 nothing is left: no resample reaches it.
    a = np.random.default_rng(1).integers(0, 9, 30) / 10
    said = asked(made(kind), a, a + 0.1)
    assert said.p[0] == 1 / 10_001
    assert said.low is not None
    assert said.high is not None
    assert (said.low[0], said.high[0]) == pytest.approx((0.1, 0.1))
    # Of 4⁴ resamples the chance of one.
    assert asked(made(kind), a[:4], a[:4] + 0.1).p[0] == 1 / 256


def test_resamples_of_one_topic_have_an_infinite_t() -> None:
    # Of two topics half of the resamples hold one of them twice: t is ±∞ there, and 0 in the others.
    said = asked(made("studentised"), [0, 0], [1, 2], level=0.3)
    assert said.p[0] == 0.5
    assert said.low is not None
    assert said.high is not None
    assert (said.low[0], said.high[0]) == (-inf, inf)


@pytest.mark.parametrize("kind", KINDS)
def test_b_less_a_mirrors_a_less_b(kind: str) -> None:
    pairs = Pairs.every(np.random.default_rng(2).random((30, 5)))
    turned = Pairs(pairs.values, pairs.b, pairs.a)
    for alternative, opposite in (("two-sided", "two-sided"), ("greater", "less")):
        one = made(kind, alternative).compare(pairs, Asked())  # type: ignore[arg-type]
        other = made(kind, opposite).compare(turned, Asked())  # type: ignore[arg-type]
        assert np.array_equal(one.p, other.p)
        assert one.low is not None
        assert other.high is not None
        assert one.low == pytest.approx(-other.high)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_same_on_one_thread_or_more(kind: str) -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((300, 12)))
    one, *more = (made(kind, draws=1000).compare(pairs, Asked(threads=k)) for k in (1, 2, 3))
    for other in more:
        assert np.array_equal(one.p, other.p)
        assert one.low is not None
        assert other.low is not None
        assert np.array_equal(one.low, other.low)
    assert len(set(one.p.tolist())) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(kind: str) -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((40, 6)))
    first, again, other = (made(kind).compare(pairs, Asked(seed=seed)).p for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.abs(first - other).max() < 8 * 0.5 / np.sqrt(10_000)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_in_parts_have_the_same_answer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = Pairs.every(np.random.default_rng(7).random((20, 5)))
    at_once = made(kind, draws=500).compare(pairs, Asked())
    monkeypatch.setattr(bootstrap, "CELLS" if kind == "studentised" else "CACHED", 1500)
    in_parts = made(kind, draws=500).compare(pairs, Asked())
    assert np.array_equal(in_parts.p, at_once.p)
    assert in_parts.high is not None
    assert at_once.high is not None
    assert in_parts.high == pytest.approx(at_once.high, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_p_is_never_0(kind: str) -> None:
    b = 1 + np.random.default_rng(0).random(50)
    assert asked(made(kind, draws=99), np.zeros(50), b).p.tolist() == [1 / 100]
    # No resample of three reaches a mean so far off: the chance of one of 3³.
    assert asked(made("shift"), [0, 0, 0], [1, 1.1, 1.2]).p[0] == pytest.approx(1 / 27)


def test_all_resamples_are_there() -> None:
    for topics in (1, 2, 5, 8):
        every = resampling.Resamples.all(topics)
        blocks = np.concatenate([every.block(i) for i in range(every.blocks)])
        times = every.times()
        assert times is not None
        assert len(blocks) == len(np.unique(blocks, axis=0)) == comb(2 * topics - 1, topics)
        assert (blocks.sum(axis=1) == topics).all()
        assert times.sum() == topics**topics


def test_resamples_draw_every_topic_alike() -> None:
    drawn = resampling.Resamples(topics=30, number=2000, seed=3)
    counts = np.concatenate([drawn.block(i) for i in range(drawn.blocks)])
    assert counts.shape == (2000, 30)
    assert (counts.sum(axis=1) == 30).all()
    assert drawn.times() is None
    # Counts are binomial, with mean 1 and variance 29/30: five standard errors.
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 / np.sqrt(2000)
    assert counts.var(axis=0) == pytest.approx(np.full(30, 29 / 30), abs=0.25)


def test_exact_is_refused_for_many_topics() -> None:
    with pytest.raises(ParameterError, match="bootstrap cannot count all resamples of 9 topics") as caught:
        asked(Bootstrap(exact="always"), np.zeros(9), np.arange(9.0))
    assert "up to 8" in str(caught.value.hint)
    assert asked(Bootstrap(exact="always"), np.zeros(8), np.arange(8.0)).p[0] > 0


def test_the_level_is_a_chance() -> None:
    with pytest.raises(ParameterError, match="level"):
        asked(Bootstrap(), [0, 0], [1, 2], level=2.0)


def test_it_is_listed() -> None:
    assert TESTS["bootstrap"] is Bootstrap
