"""How many users an effect needs: the formula by hand, tea-tasting, and simulation of what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.core import ParameterError, generator
from cranfield.online import Metric, detectable_difference, plan_table, users_needed
from tests.support.simulations.experiment_users import rows, users


def test_the_rule_of_sixteen() -> None:
    # (1.959964 + .841621)² = 7.848880; twice that for each of two arms: 16 σ²/δ² (kohavi2009), 31.4 of both.
    assert users_needed(0.1, 1.0) == pytest.approx(7.848880 * 4 / 0.01, rel=1e-6)
    assert users_needed(0.1, 1.0) / 2 * 0.01 == pytest.approx(16, rel=0.02)


def test_uneven_arms_need_more() -> None:
    # 1/.9 + 1/.1 = 11.11 instead of 4.
    assert users_needed(1.0, 1.0, weights=(9, 1)) / users_needed(1.0, 1.0) == pytest.approx((1 / 0.9 + 1 / 0.1) / 4)
    # Of three arms the control and the smaller treatment: 1/.5 + 1/.2.
    assert users_needed(1.0, 1.0, weights=(5, 3, 2)) == pytest.approx(users_needed(1.0, 1.0) * 7 / 4)


@pytest.mark.parametrize("weights", [(1, 1), (3, 1)])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_tea_tasting_says_the_same(weights: tuple[int, int], power: float) -> None:
    import tea_tasting as tt

    data = users(2000)
    metric = Metric("ctr", "clicks", "impressions", "clicks_before", "impressions_before")
    planned = rows(plan_table(data, metric, relative=[0.05], weights=weights, power=power))
    shape = {"rel_effect_size": 0.05, "power": power, "ratio": weights[1] / weights[0], "use_t": False, "alpha": 0.05}
    before = ("clicks_before", "impressions_before")
    for row, covariates in zip(planned, [(), before], strict=True):
        peer = tt.RatioOfMeans("clicks", "impressions", *covariates, **shape)
        found = peer.solve_power(data, "n_obs")[0].n_obs
        assert row["users"] == pytest.approx(found, rel=2e-3)
    assert planned[1]["covariate"] == "clicks_before"
    assert planned[1]["users"] < planned[0]["users"]


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(0.3, 0.99), st.lists(st.integers(1, 9), min_size=2))
def test_one_undoes_the_other(difference: float, variance: float, power: float, weights: list[int]) -> None:
    needed = users_needed(difference, variance, power=power, weights=weights)
    found = detectable_difference(needed, variance, power=power, weights=weights)
    assert found == pytest.approx(difference, rel=1e-9)


def test_as_many_users_show_it_as_often_as_was_said() -> None:
    n = int(users_needed(0.4, 1.0)) // 2
    random = generator(5, "power")
    draws = 2000
    a, b = random.normal(0, 1, (draws, n)), random.normal(0.4, 1, (draws, n))
    shown = (stats.ttest_ind(b, a, axis=1).pvalue <= 0.05).mean()
    assert shown == pytest.approx(0.8, abs=5 * np.sqrt(0.8 * 0.2 / draws))


def test_days_are_whole() -> None:
    table = plan_table(users(), "clicks", relative=[0.02, 0.05], users_per_day=1000)
    assert table.columns == ("measure", "covariate", "value", "deviation", "relative", "difference", "users", "days")
    for row in rows(table):
        assert row["days"] == -(-row["users"] // 1000)
    values = users()["clicks"].to_numpy()
    first = rows(table)[0]
    assert first["deviation"] == pytest.approx(values.std(ddof=1))
    assert first["difference"] == pytest.approx(0.02 * values.mean())
    assert rows(plan_table(users(), "clicks"))[0]["days"] is None


@pytest.mark.parametrize(
    "asked",
    [
        {"difference": 0.0},
        {"difference": np.nan},
        {"variance": -1.0},
        {"variance": np.inf},
        {"weights": (1,)},
        {"weights": (1, 0)},
        {"power": 1.0},
        {"power": 0.01},
        {"level": 0.0},
    ],
    ids=str,
)
def test_what_cannot_be_planned_is_refused(asked: dict[str, object]) -> None:
    given: dict[str, object] = {"difference": 1.0, "variance": 1.0, **asked}
    with pytest.raises(ParameterError):
        users_needed(**given)  # type: ignore[arg-type]  # by name


def test_what_no_plan_can_be_made_of_is_refused() -> None:
    data = {"nothing": [0, 0, 0], "one": [1, 2, 3]}
    with pytest.raises(ParameterError, match="is 0"):
        plan_table(data, "nothing")
    with pytest.raises(ParameterError, match="a day"):
        plan_table(data, "one", users_per_day=0)
    with pytest.raises(ParameterError, match="fewer than 2"):
        plan_table({"one": [1]}, "one")
    with pytest.raises(ParameterError, match="no users"):
        detectable_difference(0, 1.0)
