"""An experiment day by day: each day as if only those users were there."""

import numpy as np
import polars as pl
import pytest

from cranfield.core import ParameterError
from cranfield.online import Metric, analyse_experiment, looks_at, looks_table, sequential_ratio_p
from tests.support.simulations.experiment_users import rows, users

RATIO = Metric("ctr", "clicks", "impressions", "clicks_before", "impressions_before")


def by_day(n: int = 300, *, effect: float = 0.0) -> pl.DataFrame:
    data = users(n, effect=effect)
    return data.with_columns(day=pl.Series(np.arange(n) * 12 // n))


@pytest.mark.parametrize("metric", [Metric("clicks"), RATIO], ids=lambda metric: metric.name)
def test_a_day_is_an_analysis_of_all_users_so_far(metric: Metric) -> None:
    data = by_day(effect=0.3)
    looks = looks_at(data, metric, control="a", treatment="b", planned=200, user="user")
    assert [look.day for look in looks] == list(range(12))
    smallest = 1.0
    for look in looks:
        so_far = data.filter(pl.col("day") <= look.day)
        (expected,) = analyse_experiment(so_far, metric, control="a", planned=200).effects
        for name in ("users", "difference", "low", "high", "p", "always_low", "always_high"):
            assert getattr(look.effect, name) == pytest.approx(getattr(expected, name), rel=1e-9, abs=1e-12)
        smallest = min(smallest, expected.always_p)
        assert look.effect.always_p == pytest.approx(smallest)


def test_several_metrics_are_looked_at_at_once() -> None:
    data = by_day(effect=0.3)
    asked: list[str | Metric] = [
        Metric("ctr", "clicks", "impressions"),
        Metric("clicks", covariate="clicks_before"),
        "bought",
    ]
    every = looks_at(data, asked, control="a", treatment="b")
    alone = [look for metric in asked for look in looks_at(data, metric, control="a", treatment="b")]
    assert [(look.effect.metric.name, look.day) for look in every] == [
        (look.effect.metric.name, look.day) for look in alone
    ]
    for name in ("difference", "low", "always_high", "always_p"):
        found = [getattr(look.effect, name) for look in every]
        assert found == pytest.approx([getattr(look.effect, name) for look in alone], rel=1e-12)


def test_the_sample_ratio_is_looked_at_too() -> None:
    data = by_day()
    looks = looks_at(data, "clicks", control="a", treatment="b", weights=(2, 1))
    counts = [[len(data.filter(pl.col("day") <= day, arm=arm)) for arm in "ab"] for day in range(12)]
    assert [look.ratio_p for look in looks] == pytest.approx(sequential_ratio_p(counts, (2, 1)).tolist())


def test_days_of_one_user_or_one_arm_add_up() -> None:
    data = {
        "arm": list("abaabbb"),
        "day": [1, 2, 3, 10, 10, 11, 9],
        "y": [1.0, 2.0, 4.0, 2.0, 3.0, 5.0, 1.0],
    }
    looks = looks_at(data, "y", control="a", treatment="b")
    # Both arms have two users first on day 9: a has 1 and 4, b 2 and 1; numbers are in order, not texts.
    assert [(look.day, look.effect.users) for look in looks] == [(9, 4), (10, 6), (11, 7)]
    assert [look.effect.difference for look in looks] == pytest.approx([1.5 - 2.5, 2 - 7 / 3, 11 / 4 - 7 / 3])


def test_days_in_a_table() -> None:
    table = looks_table(looks_at(by_day(), "clicks", control="a", treatment="b"))
    assert table.columns[:5] == ("measure", "control", "treatment", "day", "users")
    assert rows(table)[-1]["users"] == 300
    assert len(table) == 12


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"treatment": "z"}, "in z"),
        ({"control": "z"}, "in z"),
        ({"day": "nothing"}, "'nothing'"),
        ({"metrics": "user"}, "holds no numbers"),
        ({"day": "gap"}, "no gap"),
    ],
    ids=str,
)
def test_what_is_no_course_of_days_is_refused(options: dict[str, str], said: str) -> None:
    data = by_day().with_columns(gap=pl.when(pl.col("day") > 2).then(pl.col("day")))
    asked: dict[str, str] = {"metrics": "clicks", "control": "a", "treatment": "b", **options}
    with pytest.raises(ParameterError, match=said):
        looks_at(data, **asked)  # type: ignore[arg-type]  # by name
