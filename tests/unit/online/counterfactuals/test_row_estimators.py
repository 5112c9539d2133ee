"""Counterfactual estimates of single actions: arithmetic, what holds always, and expectations by counting all cases."""

from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, UnknownName, generator
from cranfield.online import (
    ESTIMATORS,
    IPS,
    SNDR,
    SNIPS,
    DirectMethod,
    DoublyRobust,
    DRos,
    Logged,
    RowEstimator,
    SwitchDR,
    estimates_table,
    parse_estimators,
)

EVERY = [cls() for cls in ESTIMATORS]
# Weights ½/½, .6/.2, .1/.4 and .2/.8: 1, 3, ¼ and ¼.
REWARD, PROPENSITY, TARGET = (np.array(x) for x in ([1.0, 2, 0, 4], [0.5, 0.2, 0.4, 0.8], [0.5, 0.6, 0.1, 0.2]))
MODEL, EXPECTED = np.array([1.0, 1, 1, 2]), np.array([0.5, 1, 1.5, 2])
LOG = Logged(REWARD, PROPENSITY, TARGET, MODEL, EXPECTED)


@pytest.mark.parametrize(
    ("estimator", "value"),
    [
        (IPS(), (1 * 1 + 3 * 2 + 0 + 4 / 4) / 4),
        (IPS(clip=2), (1 * 1 + 2 * 2 + 0 + 4 / 4) / 4),
        (SNIPS(), (1 + 6 + 0 + 1) / (1 + 3 + 1 / 4 + 1 / 4)),
        (DirectMethod(), (0.5 + 1 + 1.5 + 2) / 4),
        (DoublyRobust(), 5 / 4 + (0 + 3 * 1 - 1 / 4 + 2 / 4) / 4),
        (SNDR(), 5 / 4 + (0 + 3 - 1 / 4 + 2 / 4) / 4.5),
        (SwitchDR(threshold=2), 5 / 4 + (0 + 0 - 1 / 4 + 2 / 4) / 4),
        (SwitchDR(threshold=3), 5 / 4 + (0 + 3 - 1 / 4 + 2 / 4) / 4),  # a weight at the threshold counts
        # 3 becomes 9·3 / (9 + 9) = 3/2, and ¼ becomes 9/4 / (1/16 + 9) = 36/145
        (DRos(shrink=9), 5 / 4 + (3 / 2 - 36 / 145 + 2 * 36 / 145) / 4),
    ],
    ids=str,
)
def test_values_are_their_formulas(estimator: RowEstimator, value: float) -> None:
    assert estimator.estimate(LOG).value == pytest.approx(value, rel=1e-14)


def test_weights_are_described() -> None:
    found = IPS(clip=2).estimate(LOG)
    assert found.ess == pytest.approx(4.5**2 / (1 + 9 + 1 / 16 + 1 / 16))
    assert (found.max_weight, found.mean_weight) == pytest.approx((3, 4.5 / 4))  # before they are clipped
    assert (found.rows, found.dropped) == (4, 0)


def test_errors_are_those_of_a_mean_and_of_a_ratio() -> None:
    # 1, 6, 0, 1: mean 2, squares around it 1 + 16 + 4 + 1 = 22, over 3 and over 4
    assert IPS().estimate(LOG).error == pytest.approx(sqrt(22 / 3 / 4))
    value = 8 / 4.5
    around = [1 * (1 - value), 3 * (2 - value), (0 - value) / 4, (4 - value) / 4]
    error = sqrt(4 / 3 * sum(x * x for x in around)) / 4.5  # the delta method: Σ (w (r − v))² / (Σ w)²
    found = SNIPS().estimate(LOG)
    assert found.error == pytest.approx(error)
    assert (found.low, found.high) == pytest.approx((value - 1.959963985 * error, value + 1.959963985 * error))


def test_impressions_of_one_user_stand_together() -> None:
    users = Logged(REWARD, PROPENSITY, TARGET, user=np.array(["u", "v", "u", "v"]))
    # 1 − 2 + 0 − 2 = −3 and 6 − 2 + 1 − 2 = 3: √(2/1 · (9 + 9)) / 4
    assert IPS().estimate(users).error == pytest.approx(6 / 4)
    assert np.isnan(IPS().estimate(Logged(REWARD, PROPENSITY, TARGET, user=np.zeros(4))).error)
    alone = Logged(REWARD, PROPENSITY, TARGET, user=np.array([*"dbca"]))
    assert IPS().estimate(alone).error == pytest.approx(IPS().estimate(LOG).error)


def test_what_has_no_propensity_is_dropped_and_counted() -> None:
    more = Logged(
        np.append(REWARD, 9.0),
        np.append(PROPENSITY, np.nan),
        np.append(TARGET, 0.9),
        np.append(MODEL, 0.0),
        np.append(EXPECTED, 7.0),
        np.array([*"abcde"]),
    )
    for estimator in EVERY:
        found = estimator.estimate(more)
        assert found.value == estimator.estimate(LOG).value
        assert (found.rows, found.dropped) == (4, 1)


chances = st.floats(0.05, 1.0)
rewards = st.floats(-5, 5)


@given(rows=st.lists(st.tuples(rewards, chances, rewards, rewards), min_size=1, max_size=8))
def test_the_policy_of_the_log_earned_what_the_log_says(rows: list[tuple[float, ...]]) -> None:
    reward, propensity, model, expected = np.array(rows).T
    same = Logged(reward, propensity, propensity, model, expected)
    mean = pytest.approx(reward.mean(), abs=1e-9)
    assert IPS().estimate(same).value == mean
    assert SNIPS().estimate(same).value == mean
    # with a model that does not tell choices apart, what it expects and what it errs by cancel out
    blind = Logged(reward, propensity, propensity, model, model)
    for estimator in (DoublyRobust(), SNDR(), SwitchDR(threshold=1)):
        assert estimator.estimate(blind).value == mean
    assert DirectMethod().estimate(same).value == pytest.approx(expected.mean(), abs=1e-9)


@given(
    rows=st.lists(st.tuples(rewards, chances, chances), min_size=1, max_size=8),
    shift=rewards,
)
def test_snips_moves_with_the_rewards_and_stays_within_them(rows: list[tuple[float, ...]], shift: float) -> None:
    reward, propensity, target = np.array(rows).T
    value = SNIPS().estimate(Logged(reward, propensity, target)).value
    assert SNIPS().estimate(Logged(reward + shift, propensity, target)).value == pytest.approx(value + shift, abs=1e-9)
    assert reward.min() - 1e-9 <= value <= reward.max() + 1e-9
    halved = Logged(reward, propensity, target / 2)  # a constant in all weights cancels out
    assert SNIPS().estimate(halved).value == pytest.approx(value, abs=1e-9)


@given(rows=st.lists(st.tuples(rewards, chances, chances, rewards, rewards), min_size=1, max_size=8))
def test_extremes_of_the_parameters_are_other_estimators(rows: list[tuple[float, ...]]) -> None:
    logged = Logged(*np.array(rows).T)
    value = {str(one): one.estimate(logged).value for one in (DoublyRobust(), DirectMethod())}
    assert SwitchDR(threshold=1e9).estimate(logged).value == pytest.approx(value["dr"], rel=1e-6, abs=1e-6)
    assert SwitchDR(threshold=1e-9).estimate(logged).value == pytest.approx(value["dm"], rel=1e-6, abs=1e-6)
    assert DRos(shrink=1e12).estimate(logged).value == pytest.approx(value["dr"], rel=1e-6, abs=1e-6)
    assert DRos(shrink=1e-12).estimate(logged).value == pytest.approx(value["dm"], rel=1e-6, abs=1e-6)
    nothing = Logged(logged.reward, logged.propensity, logged.target, 0 * logged.reward, 0 * logged.reward)
    assert DoublyRobust().estimate(nothing).value == pytest.approx(IPS().estimate(logged).value, rel=1e-6, abs=1e-6)


class World:
    """Two contexts, three actions, rewards 0 or 1: every case with its chance under the policy of the log."""

    contexts = np.array([0.3, 0.7])
    logging = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    target = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]])
    truth = np.array([[0.9, 0.5, 0.1], [0.2, 0.7, 0.4]])

    def __init__(self, model: Any) -> None:
        cases = [np.array(one) for one in zip(*product(range(2), range(3), range(2)), strict=True)]
        context, action, reward = cases
        right = self.truth[context, action]
        self.chance = self.contexts[context] * self.logging[context, action] * np.where(reward, right, 1 - right)
        expected = (self.target * model).sum(axis=1)[context]
        self.rows = [
            Logged(*(np.array([x]) for x in row))
            for row in zip(
                reward.astype(float),
                self.logging[context, action],
                self.target[context, action],
                model[context, action],
                expected,
                strict=True,
            )
        ]
        self.value = float((self.contexts[:, None] * self.target * self.truth).sum())

    def moments(self, estimator: RowEstimator) -> tuple[float, float]:
        """The mean and the variance of an estimate from one impression."""
        found = np.array([estimator.estimate(row).value for row in self.rows])
        mean = float(self.chance @ found)
        return mean, float(self.chance @ (found - mean) ** 2)


WRONG = np.array([[0.1, 0.9, 0.3], [0.5, 0.5, 0.9]])


def test_over_all_cases_the_mean_is_the_truth() -> None:
    assert World(WRONG).chance.sum() == pytest.approx(1, rel=1e-14)
    world, known = World(WRONG), World(World.truth)
    for unbiased in (IPS(), DoublyRobust()):
        assert world.moments(unbiased)[0] == pytest.approx(world.value, rel=1e-12)
    for told in (DirectMethod(), DoublyRobust(), SwitchDR(threshold=1), DRos(shrink=1)):  # with a right model
        assert known.moments(told)[0] == pytest.approx(world.value, rel=1e-12)
    assert abs(world.moments(DirectMethod())[0] - world.value) > 0.01  # with a wrong one
    assert world.moments(IPS(clip=1))[0] < world.value - 0.01


def test_a_right_model_lowers_the_variance() -> None:
    known = World(World.truth)
    assert known.moments(DoublyRobust())[1] < known.moments(IPS())[1]
    assert known.moments(IPS(clip=2))[1] < known.moments(IPS())[1]


def simulated(rows: int, seed: int) -> Logged:
    """Impressions of the world, with its wrong model."""
    stream = generator(seed, "log")
    context = stream.choice(2, rows, p=World.contexts)
    action = (stream.random(rows)[:, None] > World.logging[context].cumsum(axis=1)).sum(axis=1)
    reward = (stream.random(rows) < World.truth[context, action]).astype(float)
    expected = (World.target * WRONG).sum(axis=1)[context]
    return Logged(
        reward, World.logging[context, action], World.target[context, action], WRONG[context, action], expected
    )


def test_both_intervals_agree_where_there_is_much() -> None:
    logged = simulated(1500, 1)
    for estimator in (IPS(), SNIPS(), DoublyRobust(), SNDR()):
        normal = estimator.estimate(logged)
        drawn = estimator.estimate(logged, interval="bootstrap", draws=1000, seed=3)
        assert abs(normal.value - World(WRONG).value) < 5 * normal.error
        # an end of 1,000 draws has a standard error of about 2.7 / √1000 = .085 errors
        assert abs(drawn.low - normal.low) < 5 * 0.085 * normal.error
        assert abs(drawn.high - normal.high) < 5 * 0.085 * normal.error
        assert drawn == estimator.estimate(logged, interval="bootstrap", draws=1000, seed=3)
        assert drawn.low != estimator.estimate(logged, interval="bootstrap", draws=1000, seed=4).low


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    truth = World(WRONG).value
    times = 300
    for estimator in (SNIPS(), SNDR()):
        held = 0
        for seed in range(times):
            found = estimator.estimate(simulated(500, seed), level=0.1)
            held += found.low <= truth <= found.high
        assert abs(held / times - 0.9) < 5 * sqrt(0.9 * 0.1 / times)


def test_wrong_propensities_show_in_the_mean_weight() -> None:
    right = simulated(4000, 2)
    wrong = Logged(right.reward, right.propensity / 2, right.target)
    assert not IPS().estimate(right).wrong_weights
    assert IPS().estimate(wrong).wrong_weights


def test_right_propensities_are_seldom_called_wrong() -> None:
    """At p < 0.001 one of 1,000 logs fails: of 400 logs 4 or more do so with a probability of 0.0008 (Poisson, 0.4)."""
    found = [IPS().estimate(simulated(500, seed)) for seed in range(400)]
    assert sum(one.wrong_weights for one in found) < 4
    assert sum(one.doubtful for one in found) > 4  # intervals of 95%


def test_the_p_value_of_the_mean_weight_is_that_of_a_t_test() -> None:
    """Weights 1, 3, ¼ and ¼ of four users."""
    from scipy.stats import ttest_1samp

    found = IPS().estimate(LOG, level=0.5)
    assert found.mean_weight_p == pytest.approx(ttest_1samp([1, 3, 0.25, 0.25], 1).pvalue)
    wrong = IPS().estimate(Logged(REWARD[:2], np.ones(2), np.array([0.5, 0.5])))
    assert (wrong.mean_weight_p, wrong.wrong_weights) == (0, True)


def test_the_table_says_what_to_mind() -> None:
    right = simulated(1000, 2)
    lacking = np.where(np.arange(1000) < 250, np.nan, right.propensity / 2)
    logged = {"new": LOG, "newer": Logged(right.reward, lacking, right.target)}
    table = estimates_table({name: [IPS().estimate(one), SNIPS().estimate(one)] for name, one in logged.items()})
    assert table.columns == (
        *("policy", "estimator", "value", "low", "high", "ess", "max_weight", "mean_weight", "rows", "dropped"),
    )
    assert table.cells("policy") == ["new", "new", "newer", "newer"]
    assert table.cells("dropped") == [0, 0, 250, 250]
    few, also_few, dropped, doubtful = table.notes
    assert few == "new, ips: weights are worth 2 impressions of 4: the interval cannot be relied on"
    assert also_few.startswith("new, snips: ")
    assert dropped == "250 impressions (25.0%) have no propensity, and are left out"
    assert doubtful.startswith("newer: weights have the mean ")
    assert len(estimates_table({})) == 0


def test_names_are_read_and_written() -> None:
    read = parse_estimators(["ips(clip=10) snips", "switch-dr(threshold=3)", SNIPS(), "DROS"])
    assert read == [IPS(clip=10), SNIPS(), SwitchDR(threshold=3), DRos()]
    assert [str(one) for one in read] == ["ips(clip=10.0)", "snips", "switch-dr(threshold=3.0)", "dr-os"]
    assert parse_estimators(IPS()) == [IPS()]
    with pytest.raises(UnknownName, match="there is no estimator named 'isp'"):
        parse_estimators("isp")
    with pytest.raises(ParameterError, match="no estimator is given"):
        parse_estimators([])


ONE = np.ones(2)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (([], [], []), "rewards of shape"),
        ((np.ones((2, 2)), ONE, ONE), "rewards of shape"),
        ((ONE, np.ones(3), ONE), "propensity has the shape"),
        ((ONE, ONE, np.ones(3)), "target has the shape"),
        (([1, np.nan], ONE, ONE), "reward has a number that is not finite"),
        ((ONE, [0, 1], ONE), "propensity has a number that is no chance"),
        ((ONE, [1.5, 1], ONE), "propensity has a number that is no chance"),
        ((ONE, ONE, [-0.1, 1]), "target has a number that is no chance"),
        ((ONE, ONE, [np.nan, 1]), "target has a number that is no chance"),
        ((ONE, ONE, ONE, [np.inf, 1], ONE), "model has a number that is not finite"),
    ],
)
def test_what_is_no_log_is_refused(columns: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        Logged(*columns)


@pytest.mark.parametrize(
    ("estimator", "logged", "asked", "problem"),
    [
        (DoublyRobust(), Logged(ONE, ONE, ONE), {}, "dr needs a model of the rewards"),
        (IPS(), Logged(ONE, ONE * np.nan, ONE), {}, "no impression of which the chances are known"),
        (SNIPS(), Logged(ONE, ONE, 0 * ONE), {}, "would have shown nothing"),
        (IPS(), Logged(ONE, ONE, ONE, user=np.ones(3)), {}, "3 users for 2 impressions"),
        (IPS(), LOG, {"level": 0}, "the level cannot be 0"),
        (IPS(), LOG, {"interval": "exact"}, "there is no interval 'exact'"),
        (IPS(), LOG, {"interval": "bootstrap", "draws": 0}, "0 draws make no interval"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    estimator: RowEstimator, logged: Logged, asked: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ParameterError, match=problem):
        estimator.estimate(logged, **asked)


def test_a_model_speaks_where_the_log_does_not() -> None:
    found = DirectMethod().estimate(Logged(ONE, ONE, 0 * ONE, ONE, 3 * ONE))
    assert (found.value, found.ess) == (3, 0)


@pytest.mark.parametrize("parameter", [{"clip": 0}, {"clip": -1}, {"clip": "x"}])
def test_what_is_no_clip_is_refused(parameter: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="ips cannot have clip"):
        IPS(**parameter)
