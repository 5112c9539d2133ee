"""Offline beside online: correlations beside scipy, and what draws must do."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.core import Direction, ParameterError, generator
from cranfield.data import assess
from cranfield.measures import measure_all
from cranfield.online import Bridge, Likeness, Offline, bridge, bridge_sentence, bridge_table

RUNS = ("a", "b", "c", "d")


def of_means(means: Any, measures: tuple[str, ...] = ("m",)) -> Offline:
    """Means (run, measure) alone."""
    table = np.asarray(means, dtype=float).reshape(-1, len(measures))
    return Offline(tuple(f"run {i}" for i in range(len(table))), measures, table[:, None, :])


def named(values: Any) -> dict[str, float]:
    return {f"run {i}": float(value) for i, value in enumerate(values)}


def test_four_runs_by_hand() -> None:
    # Of the pairs ab, ac, ad, bc, bd, cd, offline 1 2 3 4 and online 1 3 2 4 differ in bc alone.
    found = bridge(of_means([1, 2, 3, 4]), named([1, 3, 2, 4]))
    assert found.seen.agreement == pytest.approx(5 / 6)
    assert found.seen.kendall == pytest.approx((5 - 1) / 6)
    assert found.seen.spearman == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found.seen.pearson == pytest.approx(0.8)  # the values are their ranks
    assert found.p_best == pytest.approx(1)


def test_equal_runs_count_half() -> None:
    # ab equal offline: ½; ac and bc the same way round
    assert bridge(of_means([1, 1, 2]), named([1, 2, 3])).seen.agreement == pytest.approx(2.5 / 3)


numbers = st.lists(
    st.tuples(st.integers(-20, 20).map(lambda x: x / 8), st.integers(-20, 20).map(lambda x: x / 8)),
    min_size=3,
    max_size=12,
).filter(lambda rows: len({x for x, _ in rows}) > 1 and len({y for _, y in rows}) > 1)


@given(rows=numbers)
def test_correlations_are_those_of_scipy(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    seen = bridge(of_means(x), named(y)).seen
    assert seen.pearson[0] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert seen.spearman[0] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert seen.kendall[0] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


@given(rows=numbers)
def test_turning_one_side_round_turns_the_answer_round(rows: list[tuple[float, float]]) -> None:
    x, y = np.array(rows).T
    seen, turned = (bridge(of_means(x), named(y), direction=side).seen for side in Direction)
    assert turned.pearson == pytest.approx(-seen.pearson, abs=1e-9)
    assert turned.kendall == pytest.approx(-seen.kendall, abs=1e-9)
    assert turned.agreement == pytest.approx(1 - seen.agreement, abs=1e-9)


def noisy(*, topics: int, spread: float, seed: int = 1) -> Offline:
    """Eight runs whose worth is 0, 1, …, 7; one measure sees it, one sees nothing, a third the contrary."""
    stream = generator(seed, "values")
    worth = np.arange(8.0)
    cube = np.stack([worth, 0 * worth, -worth], axis=1)[:, None, :] + spread * stream.normal(size=(8, topics, 3))
    return Offline(tuple(f"run {i}" for i in range(8)), ("sees", "blind", "contrary"), cube)


def test_the_measure_that_sees_is_the_best() -> None:
    found = bridge(noisy(topics=20, spread=2.0), named(range(8)), errors=named([0.1] * 8), draws=500)
    assert found.p_best[0] > 0.9
    assert found.p_best.sum() == pytest.approx(1)
    low, high = found.ends("pearson")
    assert low[0] > 0.5
    assert high[2] < -0.5
    assert bridge_table(found).cells("measure") == ["sees", "blind", "contrary"]
    assert bridge_sentence(found).startswith("sees agrees best with what users did (kendall ")
    assert bridge_sentence(found).endswith("% of the draws.")


def test_draws_are_the_same_for_the_same_seed() -> None:
    offline, online = noisy(topics=10, spread=3.0), named(range(8))
    first, again, other = (bridge(offline, online, draws=200, seed=seed) for seed in (1, 1, 2))
    assert bridge_table(first) == bridge_table(again)
    assert bridge_table(first) != bridge_table(other)


def test_without_noise_draws_are_what_was_seen() -> None:
    offline = noisy(topics=5, spread=0.0)
    found = bridge(offline, named(range(8)), errors=named([0] * 8), draws=50)
    assert found.drawn is not None
    assert found.drawn.pearson[:, 0] == pytest.approx(1)
    assert np.isnan(found.drawn.pearson[:, 1]).all()  # a measure that calls all runs equal
    for name in ("pearson", "spearman", "kendall", "agreement"):
        low, high = found.ends(name)
        assert low == pytest.approx(high, nan_ok=True)
        assert low == pytest.approx(getattr(found.seen, name), nan_ok=True)
    assert found.p_best.tolist() == [1, 0, 0]


def test_the_spread_of_draws_is_that_of_a_mean_of_topics() -> None:
    # x is 0 in all topics, y is .88, z is 2 in 13 of 25 and 0 in the others: its drawn mean is 2/25 of a binomial.
    topics = 25
    last = np.where(np.arange(topics) < 13, 2.0, 0.0)
    cube = np.stack([np.zeros(topics), np.full(topics, 0.88), last])[:, :, None]
    draws = 4000
    found = bridge(Offline(("x", "y", "z"), ("m",), cube), {"x": 0, "y": 1, "z": 2}, draws=draws)
    assert found.drawn is not None
    # y and z stand the right way round from 12 up, are equal at 11 (2 · 11 / 25 = .88), and x and z are equal at 0
    share = stats.binom(topics, 13 / topics)
    above, equal = share.cdf(10), share.pmf(11)
    agreement = (1 * (1 - above - equal) + 5 / 6 * equal + 2 / 3 * above) - share.pmf(0) * (2 / 3 - 0.5)
    mean, error = found.drawn.agreement.mean(), found.drawn.agreement.std() / sqrt(draws)
    assert abs(mean - agreement) < 5 * error


def test_online_noise_is_as_large_as_it_is_said_to_be() -> None:
    draws = 4000
    found = bridge(of_means([0, 1, 50]), {"run 0": 0, "run 1": 1, "run 2": 90}, errors=named([3, 4, 0]), draws=draws)
    assert found.drawn is not None
    # 1 − 0 with the standard error √(9 + 16): below 0 with chance Φ(−1/5)
    turned = (found.drawn.agreement[:, 0] < 1).mean()
    chance = stats.norm.cdf(-1 / 5)
    assert abs(turned - chance) < 5 * sqrt(chance * (1 - chance) / draws)


def test_the_ends_hold_what_others_would_see_as_often_as_they_say() -> None:
    runs, topics, error, times = 12, 30, 0.3, 80
    held = np.zeros(3)
    for seed in range(times):
        stream = generator(seed, "ends")
        worth = stream.normal(size=runs)
        outcome = worth + 0.5 * stream.normal(size=runs)
        others = Likeness.of(
            worth + stream.normal(size=(400, runs)) * 2 / sqrt(topics),
            outcome + error * stream.normal(size=(400, runs)),
        )
        offline = Offline(
            tuple(named(worth)), ("m",), (worth[:, None] + 2 * stream.normal(size=(runs, topics)))[:, :, None]
        )
        online = named(outcome + error * stream.normal(size=runs))
        found = bridge(offline, online, errors=named([error] * runs), draws=200, level=0.1, seed=seed)
        for i, name in enumerate(("pearson", "kendall", "agreement")):
            low, high = found.ends(name)
            held[i] += low[0] <= getattr(others, name).mean() <= high[0]
            assert low[0] <= getattr(found.seen, name)[0] <= high[0]
    assert (held / times >= 0.9 - 5 * sqrt(0.9 * 0.1 / times)).all()


def test_pairs_that_both_tell_apart() -> None:
    stream = generator(3, "apart")
    cube = (np.array([0.0, 0.01, 5, -5])[:, None] + stream.normal(size=(4, 30)))[:, :, None]
    online = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}
    found = bridge(Offline(RUNS, ("m",), cube), online, errors=dict.fromkeys(RUNS, 0.4), draws=10)
    # Offline ab are not told apart. Online 1 apart is 1 / √.32 = 1.77 errors: not enough; 2 apart is 3.5, enough:
    # left are ac (both up), ad and bd (offline down, online up).
    assert found.apart is not None
    assert found.apart.tolist() == [3]
    assert found.agreed.tolist() == pytest.approx([1 / 3])
    table = bridge_table(found)
    assert table.cells("apart") == [3]
    assert table.cells("agreement_apart") == pytest.approx([1 / 3])
    unknown = bridge(Offline(RUNS, ("m",), cube), online, draws=10)
    assert unknown.apart is None
    assert "apart" not in bridge_table(unknown).columns


def test_runs_on_one_side_alone_are_left_out() -> None:
    found = bridge(of_means([1, 2, 3, 9]), {"run 2": 3, "run 0": 1, "run 1": 2, "other": 5})
    assert found.runs == ("run 0", "run 1", "run 2")
    assert found.left_out == ("other", "run 3")
    assert found.seen.pearson == pytest.approx(1)
    assert bridge_table(found).notes == (
        "without other, run 3: not known both offline and online",
        "one topic and no standard errors: there is nothing to draw, and no interval",
    )
    assert bridge_table(found).cells("kendall_low") == [None]
    assert bridge_sentence(found) == "m agrees best with what users did (kendall 1.00 over 3 runs)."


def test_equal_measures_share_the_first_place() -> None:
    found = bridge(of_means([[1, 1], [2, 2], [3, 3]], ("m", "n")), named([1, 2, 3]))
    assert found.p_best.tolist() == [0.5, 0.5]
    assert bridge_sentence(found) == "m and n agree equally well with what users did (kendall 1.00 over 3 runs)."


def test_where_nothing_differs_there_is_nothing_to_predict() -> None:
    found = bridge(of_means([1, 2, 3]), named([2, 2, 2]))
    assert np.isnan(found.seen.pearson[0])
    assert bridge_sentence(found).startswith("No measure tells the runs apart")


def test_an_evaluation_is_taken_as_it_is() -> None:
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 0, "y": 1}}
    good = {"1": {"x": 2.0, "y": 1.0}, "2": {"y": 2.0, "x": 1.0}}
    half = {"1": {"x": 2.0, "y": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    bad = {"1": {"y": 2.0, "x": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    values = measure_all(assess(qrels, {"good": good, "half": half, "bad": bad}), ["RR", "ESL"])
    offline = Offline.of(values)
    # RR 1, ¾, ½; documents to read 1, 1½, 2, of which fewer are better
    assert offline.means == pytest.approx(np.array([[1, 0.75, 0.5], [-1, -1.5, -2]]))
    found = bridge(offline, {"good": 0.3, "half": 0.2, "bad": 0.1}, draws=20)
    assert found.seen.kendall == pytest.approx([1, 1])


THREE = of_means([1, 2, 3])


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: bridge(THREE, {"run 0": 1, "run 1": 2}), "2 runs have offline and online values"),
        (lambda: bridge(THREE, named([1, 2, np.nan])), "the online value of run 2 is not finite"),
        (lambda: bridge(THREE, named([1, 2, 3]), errors={"run 0": 1}), "there is no standard error of run 1"),
        (lambda: bridge(THREE, named([1, 2, 3]), errors=named([1, -1, 1])), "a standard error is below 0"),
        (lambda: bridge(THREE, named([1, 2, 3]), level=2), "the level cannot be 2"),
        (lambda: bridge(THREE, named([1, 2, 3]), by="rho"), "not put in order by 'rho'"),  # type: ignore[arg-type]
        (lambda: bridge(THREE, named([1, 2, 3]), draws=0), "0 draws make no interval"),
        (lambda: Offline(("a", "a"), ("m",), np.ones((2, 1, 1))), "each run is wanted once"),
        (lambda: Offline(("a", "b"), (), np.ones((2, 1, 0))), "each measure is wanted once"),
        (lambda: Offline(("a", "b"), ("m",), np.ones((3, 1, 1))), "do not fit values of"),
        (lambda: Offline(("a", "b"), ("m",), np.full((2, 1, 1), np.nan)), "a has no finite mean of m"),
    ],
)
def test_what_cannot_be_compared_is_refused(call: Callable[[], object], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        call()


@pytest.mark.parametrize(
    ("rest", "low", "high"),
    [
        ([0.0] * 5 + [1.0] * 5, 0.0, 1.0),  # as far down as the draws; up to 1, which is no end of Fisher's scale
        ([-1.0] * 5 + [0.8] * 5, -1.0, 0.8),
        ([-1.0] * 5 + [1.0] * 5, -1.0, 1.0),
        ([0.0] * 5 + [0.5] * 5, 0.0, 0.8),  # tanh(2 artanh ½) = 2 · ½ / (1 + ¼)
    ],
)
def test_draws_of_perfect_likeness_do_not_open_the_other_end(rest: list[float], low: float, high: float) -> None:
    def likeness(values: Any) -> Likeness:
        return Likeness(*[np.array(values)] * 4)

    drawn = likeness([[value] for value in [*[0.5] * 90, *rest]])
    nothing = np.full(1, np.nan)
    found = Bridge(("a", "b", "c"), ("m",), likeness([0.5]), drawn, None, nothing, "kendall", 0.05, ())
    assert np.concatenate(found.ends("kendall")) == pytest.approx([low, high], abs=1e-9)
