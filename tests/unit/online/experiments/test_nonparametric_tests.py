"""Arms compared without a normal shape: scipy's Mann–Whitney, and a bootstrap that means what it says."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield.core import ParameterError
from cranfield.online import (
    Metric,
    ValueCounts,
    bootstrap_difference,
    mann_whitney,
    ranked_table,
    read_values,
)
from tests.support.simulations.experiment_users import users

RATIO = Metric("ctr", "clicks", "impressions")
samples = st.lists(st.integers(0, 6), min_size=2, max_size=30)


def counted(values: list[int]) -> ValueCounts:
    found, many = np.unique(values, return_counts=True)
    return ValueCounts(found.astype(float), np.ones(len(found)), many)


@given(samples, samples)
def test_mann_whitney_as_scipy_has_it(a: list[int], b: list[int]) -> None:
    effect, p = mann_whitney(counted(a), counted(b))
    signs = np.sign(np.subtract.outer(b, a))
    assert effect == pytest.approx(signs.mean())
    if len({*a, *b}) == 1:
        assert p == 1
    else:
        assert p == pytest.approx(stats.mannwhitneyu(b, a, method="asymptotic").pvalue, rel=1e-9)


def test_values_of_users_come_as_counts() -> None:
    data = users()
    found = read_values(data, RATIO, user="user")
    assert list(found) == ["a", "b"]
    for name, arm in found.items():
        rows = data.filter(arm=name)
        assert arm.size == len(rows)
        assert len(arm.users) < len(rows)
        assert arm.users @ arm.numerator == rows["clicks"].sum()
        assert arm.users @ arm.denominator == rows["impressions"].sum()
    assert read_values(data, Metric("bought"))["a"].numerator.tolist() == [0, 1]


def test_means_drawn_again_have_the_standard_error_of_the_mean() -> None:
    data = users(1000, effect=0.3)
    a, b = (read_values(data, Metric("clicks"))[name] for name in "ab")
    difference, low, high, _ = bootstrap_difference(a, b, draws=20_000)
    y_a, y_b = (data.filter(arm=name)["clicks"].to_numpy() for name in "ab")
    error = np.sqrt(y_a.var() / len(y_a) + y_b.var() / len(y_b))
    assert difference == pytest.approx(y_b.mean() - y_a.mean())
    # The ends of a normal interval; a quantile of 20,000 draws is off by some hundredths of a standard error.
    assert (low, high) == pytest.approx((difference - 1.96 * error, difference + 1.96 * error), abs=0.12 * error)


def test_a_ratio_is_drawn_by_users() -> None:
    data = users(1000, effect=0.3)
    values = read_values(data, RATIO)
    difference, low, high, p = bootstrap_difference(values["a"], values["b"], draws=500, seed=3)
    sums = data.group_by("arm").agg(pl.col("clicks").sum() / pl.col("impressions").sum()).sort("arm")["clicks"]
    assert difference == pytest.approx(sums[1] - sums[0])
    assert low < difference < high
    assert bootstrap_difference(values["a"], values["b"], draws=500, seed=3) == (difference, low, high, p)
    assert bootstrap_difference(values["a"], values["b"], draws=500, seed=4)[1] != low


def test_no_p_value_of_a_draw_is_zero() -> None:
    a, b = counted([0, 0, 0, 1]), counted([5, 5, 6, 5])
    assert bootstrap_difference(a, b, draws=99)[3] == pytest.approx(2 / 100)
    assert bootstrap_difference(a, a, draws=99)[3] > 0.5


def test_the_answer_does_not_depend_on_the_other_arms() -> None:
    data = users(900, arms=("a", "b", "c"))
    both = ranked_table(data, ["clicks"], control="a", draws=50).rows()
    alone = ranked_table(data.filter(pl.col("arm") != "b"), ["clicks"], control="a", draws=50).rows()
    assert [row["treatment"] for row in both] == ["b", "b", "c", "c"]
    assert both[2:] == alone


def test_what_a_user_gets() -> None:
    data = users().with_columns(impressions=pl.col("impressions") - 1, clicks=0)
    mann, boot = ranked_table(data, RATIO, control="a", user="user", draws=50).rows()
    without = (data["impressions"] == 0).sum()
    assert without > 0
    assert (mann["test"], mann["left_out"], mann["users"]) == ("mann-whitney", without, 400 - without)
    assert (boot["test"], boot["left_out"], boot["users"]) == ("bootstrap", 0, 400)
    assert (mann["effect"], mann["p"], mann["low"]) == (0, 1, None)
    assert (boot["difference"], boot["p"], boot["effect"]) == (0, 1, None)
    assert mann["note"] == "every user is read"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"control": "z"}, "arm 'z'"),
        ({"treatments": ["z"]}, "arm 'z'"),
        ({"draws": 0}, "draws"),
        ({"level": 1.0}, "level"),
        ({"metrics": "missing"}, "missing"),
    ],
    ids=str,
)
def test_what_cannot_be_ranked_is_refused(options: dict[str, object], said: str) -> None:
    asked: dict[str, object] = {"metrics": "clicks", "control": "a", **options}
    with pytest.raises(ParameterError, match=said):
        ranked_table(users(), **asked)  # type: ignore[arg-type]  # by name
