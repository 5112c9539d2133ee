"""A/A: p-values as tea-tasting and scipy give them, uniform where nothing is wrong, and not where something is."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from cranfield.core import ParameterError
from cranfield.online import MD5, AATest, Metric, aa_test, analyse_experiment, assign
from tests.support.simulations.experiment_users import rows, users

RATIO = Metric("ctr", "clicks", "impressions")


def test_each_salt_is_an_experiment() -> None:
    data = users(500)
    found = aa_test(data, ["clicks", RATIO], user="user", salts=4, how="growthbook", weights=(1, 2))
    assert found.p.shape == (4, 2)
    for salt in range(4):
        arm = assign(data["user"].to_list(), f"A/A {salt + 1}", (1, 2), how="growthbook")
        shared = data.with_columns(arm=pl.Series(np.where(arm == 1, "b", "a")))
        effects = analyse_experiment(shared, ["clicks", RATIO], control="a", weights={"a": 1, "b": 2})
        assert_allclose(found.p[salt], [effect.p for effect in effects.effects], rtol=1e-9)
        assert found.ratio_p[salt] == pytest.approx(effects.ratio.p)


def test_the_answer_does_not_depend_on_blocks_or_the_order_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    data = users(300)
    whole = aa_test(data, "clicks", user="user", salts=10)
    monkeypatch.setattr("cranfield.online.experiments.aa_tests.CELLS", 1000)
    again = aa_test(data.reverse(), "clicks", user="user", salts=10)
    assert_allclose(again.p, whole.p, rtol=1e-9)


def test_where_nothing_changes_p_values_are_uniform() -> None:
    found = aa_test(users(2000), ["clicks", RATIO], user="user", salts=200, how="growthbook")
    told = rows(found.table())
    assert [row["measure"] for row in told] == ["clicks", "ctr", "sample ratio"]
    assert all(row["passed"] for row in told)
    assert all(check.passed for check in found.checks)
    assert [check.check for check in found.checks] == ["A/A of clicks", "A/A of ctr"]


class Sorting(MD5):
    """An assignment that knows what it should not: users with many clicks go to the treatment."""

    def place(self, users: np.ndarray, experiment: str, *, after: int = 0) -> np.ndarray:
        number = np.char.lstrip(users, "u").astype(float)
        place = super().place(users, experiment)
        return np.clip(0.9 * place + 0.1 * (number % 2), 0, 0.999)


def test_an_assignment_that_knows_too_much_is_found_out() -> None:
    data = users(2000).with_columns(clicks=pl.col("clicks") + 8 * (pl.col("user").str.slice(1).cast(int) % 2))
    found = aa_test(data, "clicks", user="user", salts=60, how=Sorting())
    assert not found.checks[0].passed
    assert rows(found.table())[0]["share"] > 0.5


def test_the_table_by_scipy() -> None:
    p = np.linspace(0.005, 0.995, 100) ** 2
    found = AATest(("x",), MD5(), p[:, np.newaxis], np.ones(100), 0.05)
    row = rows(found.table())[0]
    many = int((p <= 0.05).sum())
    assert row["share"] == many / 100
    assert row["p_share"] == pytest.approx(stats.binomtest(many, 100, 0.05).pvalue)
    assert row["p_uniform"] == pytest.approx(stats.kstest(p, "uniform").pvalue)
    interval = stats.binomtest(many, 100).proportion_ci(method="wilson")
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
    assert rows(found.table())[1]["p_uniform"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": (1, 1, 1)}, "two arms"),
        ({"weights": (1, 0)}, "two arms"),
        ({"salts": 0}, "salts"),
        ({"level": 2.0}, "level"),
        ({"user": "nobody"}, "column"),
        ({"user": "arm"}, "hold 2 users"),
        ({"metrics": "same"}, "do not differ"),
        ({"metrics": Metric("x", "clicks", "zero")}, "not above 0"),
    ],
    ids=str,
)
def test_what_is_no_aa_is_refused(options: dict[str, object], said: str) -> None:
    data = users(50).with_columns(same=pl.lit(1), zero=pl.lit(0))
    asked: dict[str, object] = {"metrics": "clicks", "user": "user", "salts": 2, **options}
    with pytest.raises(ParameterError, match=said):
        aa_test(data, **asked)  # type: ignore[arg-type]  # by name


def test_too_few_users_are_refused() -> None:
    with pytest.raises(ParameterError, match="too few"):
        aa_test(users(3), "clicks", user="user", salts=5)
