"""Checks of tables of users: values of an arm that are all the same, and rows that are repeated."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield.data import read_experiment
from cranfield.online import Check, gather, user_table_checks
from tests.support.simulations.experiment_users import users


def checks_of(data: Any, measures: Any = None, **more: Any) -> dict[str, Check]:
    gathered = gather(read_experiment(data), measures, **more)
    return {check.check: check for check in user_table_checks(gathered, list(gathered.arms()))}


def with_buyers(count: int, of: int = 1000) -> pl.DataFrame:
    """Users of two arms, of whom the first ``count`` of arm a bought something, and none of arm b."""
    return pl.DataFrame({"arm": ["a"] * of + ["b"] * of, "bought": [int(i < count) for i in range(2 * of)]})


def test_an_arm_without_a_rare_event_is_no_fault_until_many_are_missing() -> None:
    """Of 1,000 users in b the rate of a promises 99 and 100 buyers."""
    assert checks_of(with_buyers(99))["values of every arm"].passed
    check = checks_of(with_buyers(100))["values of every arm"]
    assert not check.passed
    assert check.effect == pytest.approx(0.1)


def test_a_column_that_is_the_same_in_every_arm_is_no_fault() -> None:
    assert checks_of(users(600).with_columns(visits=1))["values of every arm"].passed


def test_a_covariate_that_one_arm_lacks_is_a_fault() -> None:
    data = users(600).with_columns(
        clicks_before=pl.when(pl.col("arm") == "a").then(pl.col("clicks_before")).otherwise(0)
    )
    check = checks_of(data, "clicks", covariates={"clicks": "clicks_before"})["values of every arm"]
    assert not check.passed
    assert "clicks_before is 0 for all" in check.detail


@pytest.mark.parametrize("times", [2, 3])
def test_users_without_names_who_are_all_repeated_are_a_fault(times: int) -> None:
    check = checks_of(pl.concat([users(300)] * times).drop("user"))["repeated rows"]
    assert not check.passed
    assert check.effect == pytest.approx(1 - 1 / times)
    only_b = pl.concat([users(300), *[users(300).filter(pl.col("arm") == "b")] * (times - 1)]).drop("user")
    assert not checks_of(only_b)["repeated rows"].passed


def test_users_without_names_are_like_others() -> None:
    """Of 100 tables of 300 users who have only a few clicks each, none seems to be repeated."""
    for seed in range(100):
        random = np.random.default_rng(seed)
        data = pl.DataFrame({"arm": random.choice(["a", "b"], 300), "clicks": random.poisson(3, 300)})
        assert checks_of(data)["repeated rows"].passed
    assert "repeated rows" not in checks_of(users(300))


def test_few_different_rows_may_all_occur_an_even_number_of_times() -> None:
    assert checks_of({"arm": [*"aabb"] * 50, "bought": [0, 1, 0, 1] * 50})["repeated rows"].passed
