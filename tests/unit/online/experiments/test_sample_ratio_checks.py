"""Whether users are shared out as configured: published values, scipy, and what must always hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from cranfield.core import ParameterError
from cranfield.online import (
    MD5,
    assign,
    assignment_checks,
    checks_table,
    independence_table,
    sample_ratio,
    sequential_ratio_p,
    uniformity_table,
)
from tests.support.simulations.experiment_users import rows

counts = st.lists(st.integers(0, 10**6), min_size=2, max_size=5).filter(any)


def test_a_published_mismatch() -> None:
    found = sample_ratio([821_588, 815_482], [0.5, 0.5])
    assert found.p == pytest.approx(1.8218e-06, rel=1e-4)
    # χ² = Σ (o − e)²/e with e = 818,535 in both arms: 2 · 3053²/818535; w = √(χ²/n).
    assert found.statistic == pytest.approx(2 * 3053**2 / 818_535)
    assert found.effect == pytest.approx(np.sqrt(2 * 3053**2 / 818_535 / 1_637_070))
    (check,) = found.checks
    assert (check.check, check.passed) == ("sample ratio", False)
    assert found.fault.startswith("users are not shared out as configured: 0 has 50.19 % of them where 50.00 %")


@given(users=counts, data=st.data())
def test_it_is_the_test_of_fit_that_scipy_has(users: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(users), max_size=len(users)))
    shares = np.array(weights) / sum(weights)
    expected = stats.chisquare(users, sum(users) * shares)
    found = sample_ratio(users, weights)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)
    assert_allclose(found.expected, shares)


def test_weights_are_what_was_configured_not_halves() -> None:
    assert sample_ratio([900, 100], [9, 1]).p == 1
    assert sample_ratio([900, 100]).p < 1e-10


def test_an_arm_of_weight_0_is_no_part_of_the_ratio() -> None:
    found = sample_ratio([50, 50, 3], [1, 1, 0], ["a", "b", "off"])
    assert (found.p, found.leaked) == (1, 3)
    assert [check.passed for check in found.checks] == [True, False]
    assert found.fault == "3 users are in off, which was to have none"
    clean = sample_ratio([50, 50, 0], [1, 1, 0])
    assert (clean.leaked, clean.fault, clean.p) == (0, "", 1)
    expected = {"check": "leak", "p": None, "effect": 0.0, "passed": True, "detail": ""}
    assert rows(checks_table(clean.checks))[1] == expected


def test_between_proof_and_nothing_lies_doubt() -> None:
    odd, fine, wrong = (sample_ratio([1000, other]) for other in (1125, 1050, 1200))
    assert 0.001 < odd.p < 0.01
    assert odd.doubt.startswith("The shares of users are odd: 0 has 47.06 % of them where 50.00 % was to be, p = 0.00")
    assert (odd.fault, fine.doubt, fine.fault, wrong.doubt) == ("", "", "", "")


def test_arms_in_a_table() -> None:
    assert rows(sample_ratio([30, 10], [1, 1], ["a", "b"]).table()) == [
        {"arm": "a", "users": 30, "share": 0.75, "expected": 0.5},
        {"arm": "b", "users": 10, "share": 0.25, "expected": 0.5},
    ]


def test_the_sequential_ratio_is_one_of_two_likelihoods() -> None:
    # lindon2022, of two arms: a beta-binomial with the concentration's shares against a binomial.
    users, weights, concentration = np.array([[30, 60], [70, 95], [130, 120]]), [0.4, 0.6], 50.0
    n = users.sum(axis=1)
    drawn = stats.betabinom.logpmf(users[:, 0], n, 0.4 * concentration, 0.6 * concentration)
    ratio = np.exp(drawn - stats.binom.logpmf(users[:, 0], n, 0.4))
    expected = np.minimum(1, 1 / np.maximum.accumulate(ratio))
    assert_allclose(sequential_ratio_p(users, weights, concentration=concentration), expected, rtol=1e-9)


@given(
    st.lists(st.lists(st.integers(0, 1000), min_size=3, max_size=3), min_size=1, max_size=10),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
)
def test_sequential_p_values_never_rise(steps: list[list[int]], weights: list[int]) -> None:
    p = sequential_ratio_p(np.cumsum(steps, axis=0), weights)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p) <= 0).all()
    assert sequential_ratio_p(np.cumsum(steps, axis=0), np.array(weights) * 7.0) == pytest.approx(p)


def test_a_large_mismatch_is_soon_seen() -> None:
    looks = np.arange(1, 101)[:, np.newaxis] * [550, 450]
    p = sequential_ratio_p(looks, [1, 1])
    assert p[0] > 0.001
    assert p[-1] < 1e-10


@pytest.mark.parametrize("how", ["md5", "planout", "growthbook"])
def test_hashes_are_uniform_and_experiments_do_not_know_of_each_other(how: str) -> None:
    even = uniformity_table(range(20_000), ["one", "two"], how=how, buckets=50)
    assert even.columns == ("experiment", "users", "buckets", "statistic", "p", "effect", "passed")
    assert all(row["passed"] for row in rows(even))
    apart = independence_table(range(20_000), ["one", "two", "three"], [1, 2, 1], how=how)
    assert [(row["a"], row["b"]) for row in rows(apart)] == [("one", "two"), ("one", "three"), ("two", "three")]
    assert all(row["passed"] for row in rows(apart))


def test_version_1_of_growthbook_lets_experiments_know_of_each_other() -> None:
    # Its hash ends with the name of the experiment: where only the last letter differs, little is stirred after it.
    assert rows(uniformity_table(range(20_000), ["exp2"], how="growthbook(version=1)", buckets=50))[0]["passed"]
    (row,) = rows(independence_table(range(20_000), ["exp2", "exp3"], how="growthbook(version=1)"))
    assert not row["passed"]
    assert row["effect"] > 0.3


class Stuck(MD5):
    """A hash that looks at nothing but the user, and not well."""

    def place(self, users: np.ndarray, experiment: str, *, after: int = 0) -> np.ndarray:
        return (users.astype(float) % 97) / 200


def test_a_bad_hash_is_found_out() -> None:
    (even,) = rows(uniformity_table(range(2000), ["one"], how=Stuck(), buckets=10))
    (apart,) = rows(independence_table(range(2000), ["one", "two"], [1, 3], how=Stuck()))
    assert not even["passed"]
    assert not apart["passed"]
    assert apart["effect"] == pytest.approx(1)


def test_arms_of_a_log_are_those_that_were_assigned() -> None:
    users = [f"u{place}" for place in range(1000)]
    names = np.array(["old", "new"])
    arms = names[assign(users, "ranker", [3, 1])]
    fine = assignment_checks(users, arms, "ranker", {"old": 3, "new": 1})
    assert [(check.check, check.passed) for check in fine] == [("uniformity", True), ("assignment", True)]
    arms[:20] = np.where(arms[:20] == "old", "new", "old")
    moved = assignment_checks(users, arms, "ranker", {"old": 3, "new": 1})[1]
    assert (moved.effect, moved.passed) == (0.02, False)
    assert not assignment_checks(users, names[[0] * 1000], "ranker", {"old": 3, "new": 1})[1].passed
    with pytest.raises(ParameterError, match="have 1 arms"):
        assignment_checks(users, ["old"], "ranker", {"old": 3, "new": 1})


def test_the_cross_table_is_tested_as_scipy_does() -> None:
    users = range(3000)
    (row,) = rows(independence_table(users, ["one", "two"], [1, 2, 3]))
    cross = np.zeros((3, 3))
    np.add.at(cross, (assign(users, "one", [1, 2, 3]), assign(users, "two", [1, 2, 3])), 1)
    expected = stats.chi2_contingency(cross, correction=False)
    assert (row["statistic"], row["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert row["effect"] == pytest.approx(stats.contingency.association(cross.astype(int), method="cramer"))


@pytest.mark.parametrize(
    ("users", "weights"),
    [
        ([], None),
        ([0, 0], None),
        ([-1, 2], None),
        ([1.5, 2], None),
        ([np.nan, 2], None),
        ([[1, 2]], None),
        ([1, 2], [1, 1, 1]),
        ([1, 2], [0, 0]),
        ([0, 0, 5], [1, 1, 0]),
    ],
    ids=str,
)
def test_what_are_no_arms_is_refused(users: list[float], weights: list[float] | None) -> None:
    with pytest.raises(ParameterError):
        sample_ratio(users, weights)


@pytest.mark.parametrize(
    ("users", "weights", "concentration"),
    [([[1, 2, 3]], [1, 1], 9), ([[5, 5], [4, 9]], [1, 1], 9), ([[-1, 5]], [1, 1], 9), ([[1, 2]], [1, 1], 0)],
    ids=str,
)
def test_what_are_no_looks_is_refused(users: list[list[int]], weights: list[float], concentration: float) -> None:
    with pytest.raises(ParameterError):
        sequential_ratio_p(users, weights, concentration=concentration)


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(ParameterError, match="buckets"):
        uniformity_table(["a"], ["x"], buckets=1)
    with pytest.raises(ParameterError, match="experiments"):
        independence_table(["a"], ["x"])
    with pytest.raises(ParameterError, match="experiments"):
        independence_table(["a"], ["x", "x"])
