"""Who wins, by hand: users who prefer, their sign test, the bootstrap beside the binomial, cycles."""

from math import comb, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from cranfield.core import ParameterError, generator
from cranfield.online import Credits, interleaved_table, transitivity_table
from cranfield.online.interleaved.tables import _row

# Users u v w x: u prefers a in two of three impressions, though b has more credit; v prefers b; w ties; x prefers a.
LOG: dict[str, list[Any]] = {
    "user": ["u", "u", "u", "v", "w", "w", "x"],
    "impression": [1, 2, 3, 4, 5, 6, 7],
    "credit_a": [1, 1, 0, 0, 1, 0, 0.5],
    "credit_b": [0, 0, 5, 1, 0, 1, 0],
}


def test_delta_by_hand() -> None:
    """Two users for a, one for b, one tie: (2 + 1/2) / 4 − 1/2 = 1/8; three without ties: p = 2 · (1 + 3) / 8 = 1."""
    (row,) = interleaved_table(LOG, method="team-draft").rows()
    assert (row["a"], row["b"], row["method"]) == ("a", "b", "team-draft")
    assert (row["impressions"], row["users"]) == (7, 4)
    assert (row["wins_a"], row["wins_b"], row["ties"]) == (2, 1, 1)
    assert row["delta"] == 1 / 8
    assert row["p"] == 1


def test_users_may_prefer_by_credit() -> None:
    """In all, u gave b 5 and a 2."""
    (row,) = interleaved_table(LOG, by="credit").rows()
    assert (row["wins_a"], row["wins_b"], row["ties"], row["delta"]) == (1, 2, 1, -1 / 8)


def coins(wins_a: int, wins_b: int, ties: int = 0) -> dict[str, Any]:
    """A log of one impression for each user."""
    users = wins_a + wins_b + ties
    a = np.repeat([1, 0, 0], [wins_a, wins_b, ties])
    b = np.repeat([0, 1, 0], [wins_a, wins_b, ties])
    return {"user": np.arange(users), "impression": np.arange(users), "credit_a": a, "credit_b": b}


def test_the_sign_test_leaves_ties_out() -> None:
    """Nine to one: 2 · (1 + 10) / 1024, with ties or without."""
    for ties in (0, 7):
        assert interleaved_table(coins(9, 1, ties))["p"][0] == pytest.approx(2 * (1 + comb(10, 1)) / 2**10)
    assert interleaved_table(coins(0, 0, 3))["p"][0] == 1


def test_the_interval_is_that_of_the_sign_test() -> None:
    """Half of (2π − 1) times the proportion of users without a tie, at the Clopper–Pearson limits of π."""
    for wins_a, wins_b, ties in ((60, 40, 0), (9, 1, 7), (3, 12, 5)):
        (row,) = interleaved_table(coins(wins_a, wins_b, ties)).rows()
        limits = binomtest(wins_a, wins_a + wins_b).proportion_ci(0.95)
        scale = (wins_a + wins_b) / (wins_a + wins_b + ties)
        assert (row["low"], row["high"]) == pytest.approx(tuple(scale * (limit - 0.5) for limit in limits), abs=1e-9)


def test_0_is_outside_exactly_where_the_sign_test_is_significant() -> None:
    for wins_a in range(31):
        table = interleaved_table(coins(wins_a, 30 - wins_a, 4), level=0.1)
        low, high, p = (np.asarray(table[name], dtype=float)[0] for name in ("low", "high", "p"))
        assert (low > 0 or high < 0) == (p <= 0.1)


def test_the_always_valid_columns_follow_their_formula() -> None:
    """A deviation of 1/2 for every user; ρ² = (−2 ln α + ln(1 − 2 ln α)) / planned."""
    (row,) = interleaved_table(coins(70, 30), planned=100).rows()
    rho2 = (-2 * log(0.05) + log(1 - 2 * log(0.05))) / 100
    grown = 100 * rho2 + 1
    half = 0.5 * sqrt(2 * grown / (100**2 * rho2) * log(sqrt(grown) / 0.05))
    assert row["always_low"] == pytest.approx(0.2 - half)
    assert row["always_high"] == pytest.approx(min(0.2 + half, 0.5))
    z2 = (0.2 / 0.5) ** 2 * 100
    assert row["always_p"] == pytest.approx(sqrt(grown) * np.exp(-100 * rho2 * z2 / (2 * grown)))


def test_few_users_who_all_agree_prove_little() -> None:
    """Their spread is 0, and yet the interval that always holds is wide."""
    (row,) = interleaved_table(coins(3, 0)).rows()
    assert (row["always_low"], row["always_high"]) == (-0.5, 0.5)
    assert row["always_p"] > 0.9  # type: ignore[operator]  # a number


def test_looking_often_keeps_the_level() -> None:
    """Users who prefer nobody, looked at after every twenty: the interval that always holds leaves 0 out rarely."""
    rng, experiments, alarms = generator(9), 100, 0
    for _ in range(experiments):
        preferred = rng.choice([-1, 0, 1], p=[0.45, 0.1, 0.45], size=500)
        looks = (_row(preferred[:users], 0.05, 250) for users in range(20, 501, 20))
        alarms += any(look["always_low"] > 0 or look["always_high"] < 0 for look in looks)
    assert alarms / experiments <= 0.05 + 5 * sqrt(0.05 * 0.95 / experiments)


@given(outcomes=st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-1, 0, 1])), min_size=1, max_size=30))
def test_turning_runs_round_turns_everything(outcomes: list[tuple[int, int]]) -> None:
    user, side = np.array(outcomes).T
    columns = {"user": user, "impression": np.arange(len(user))}
    (one,) = interleaved_table(columns | {"credit_x": side > 0, "credit_y": side < 0}).rows()
    (other,) = interleaved_table(columns | {"credit_x": side < 0, "credit_y": side > 0}).rows()
    assert one["delta"] == -other["delta"]  # type: ignore[operator]  # a number
    assert (one["wins_a"], one["ties"], one["p"]) == (other["wins_b"], other["ties"], other["p"])
    assert one["wins_a"] + one["wins_b"] + one["ties"] == len(set(user)) == one["users"]  # type: ignore[operator]
    if one["wins_a"] or one["wins_b"]:
        assert -0.5 <= one["low"] <= one["high"] <= 0.5  # type: ignore[operator]
    else:
        assert one["low"] is one["high"] is None


def test_several_runs_are_compared_pair_by_pair() -> None:
    log = coins(5, 2) | {"credit_c": np.full(7, 0.5)}
    table = interleaved_table(log)
    assert [(row["a"], row["b"]) for row in table.rows()] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert table.cells("wins_a") == [5, 5, 2]
    assert table.cells("wins_b") == [2, 2, 5]


def test_preferences_that_go_round_are_found() -> None:
    """Users have x over y over z over x; Holm over three: .01 · 3, .02 · 2, .03 · 1 become .03, .04, .04."""
    pairs = [
        {"a": "x", "b": "y", "delta": 0.1, "p": 0.01},
        {"a": "y", "b": "z", "delta": 0.2, "p": 0.02},
        {"a": "x", "b": "z", "delta": -0.3, "p": 0.03},
    ]
    table = transitivity_table(pairs)
    (cycle,) = table.rows()
    assert (cycle["a"], cycle["b"], cycle["c"]) == ("x", "y", "z")
    assert [cycle[f"delta_{leg}"] for leg in ("ab", "bc", "ca")] == [0.1, 0.2, 0.3]
    assert [cycle[f"p_{leg}"] for leg in ("ab", "bc", "ca")] == pytest.approx([0.03, 0.04, 0.04])
    assert cycle["significant"] is True
    assert table.notes == ("1 of 1 triples of runs go round",)
    assert transitivity_table(pairs, level=0.035).cells("significant") == [False]
    straight = [*pairs[:2], pairs[2] | {"delta": 0.3}]
    assert len(transitivity_table(straight)) == 0
    assert len(transitivity_table(pairs[:2])) == 0


def test_a_cycle_the_other_way_is_one_cycle() -> None:
    pairs = [
        {"a": "x", "b": "y", "delta": -0.1, "p": 0.5},
        {"a": "y", "b": "z", "delta": -0.2, "p": 0.5},
        {"a": "x", "b": "z", "delta": 0.3, "p": 0.5},
    ]
    (cycle,) = transitivity_table(pairs).rows()
    assert (cycle["a"], cycle["b"], cycle["c"], cycle["significant"]) == ("x", "z", "y", False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"user": None}, "no column 'user'"),
        ({"credit_b": None}, "credit_… of two runs"),
        ({"impression": [1, 1, 3, 4, 5, 6, 7]}, "more than one row"),
        ({"credit_a": [1, 1, 0, 0, 1, 0, np.nan]}, "credit of row 7"),
        ({"user": ["u"]}, "differ in length"),
    ],
)
def test_what_cannot_be_counted_is_refused(change: dict[str, Any], says: str) -> None:
    columns = {name: column for name, column in (LOG | change).items() if column is not None}
    with pytest.raises(ParameterError, match=says):
        Credits.from_columns(columns)


def test_empty_logs_and_odd_questions_are_refused() -> None:
    with pytest.raises(ParameterError, match="no impression"):
        interleaved_table({name: [] for name in LOG})
    with pytest.raises(ParameterError, match="prefer by 'luck'"):
        interleaved_table(LOG, by="luck")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="level"):
        interleaved_table(LOG, level=0)
    twice = [{"a": "x", "b": "y", "delta": 0.1, "p": 0.5}, {"a": "y", "b": "x", "delta": 0.1, "p": 0.5}]
    with pytest.raises(ParameterError, match="or twice"):
        transitivity_table(twice)
