"""Simulated users, and how many of them are needed: exact chances, formulas by hand, the power of the sign test."""

from collections.abc import Sequence
from itertools import product
from math import ceil, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from cranfield.core import ParameterError, UnknownName, generator
from cranfield.online import USERS, CascadeUser, cascade_user, sensitivity_table
from cranfield.online.interleaved.sensitivity import _means_needed, _signs_needed

DOCUMENTS = [f"d{number:02}" for number in range(12)]
GRADES = {"1": dict.fromkeys(DOCUMENTS[:4], 1), "2": dict.fromkeys(DOCUMENTS[2:5], 1)}
GOOD = {"1": DOCUMENTS, "2": DOCUMENTS[2:] + DOCUMENTS[:2]}
BAD = {topic: ranking[::-1] for topic, ranking in GOOD.items()}


def test_a_user_clicks_as_likely_as_she_should() -> None:
    """Grades 1 0 1: every set of clicks has the chance of its path, stops included."""
    user = CascadeUser((0.3, 0.8), (0.4, 0.6))
    grades = (1, 0, 1)
    expected = {}
    for pattern in product((False, True), repeat=3):
        chance, going = 0.0, 1.0  # going: she has not stopped yet, and clicked as the pattern says
        for place, clicks in enumerate(pattern):
            grade = grades[place]
            going *= user.click[grade] if clicks else 1 - user.click[grade]
            if clicks:
                if not any(pattern[place + 1 :]):
                    chance += going * user.stop[grade]
                going *= 1 - user.stop[grade]
        expected[tuple(rank for rank, clicks in enumerate(pattern, start=1) if clicks)] = chance + going
    assert sum(expected.values()) == pytest.approx(1)
    rng, draws = generator(4), 5000
    seen = [tuple(user(grades, rng)) for _ in range(draws)]
    for clicked, chance in expected.items():
        assert abs(seen.count(clicked) / draws - chance) <= 5 * sqrt(chance * (1 - chance) / draws)


def test_a_perfect_user_clicks_what_is_relevant() -> None:
    assert cascade_user("perfect", 2)([0, 1, -1, 1], generator(0)) == [2, 4]


def test_usual_users_have_a_chance_for_every_grade() -> None:
    for name in USERS:
        assert [len(cascade_user(name, grades).click) for grades in (2, 3, 4, 5)] == [2, 3, 5, 5]
        for user in USERS[name]:
            assert list(user.click) == sorted(user.click)  # better documents are clicked more


def test_impressions_of_a_sign_test_by_hand() -> None:
    """30 of 100 prefer a, 10 prefer b: δ = .2, d = .4: (1.96 √.4 + .8416 √(.4 − .04))² / .04."""
    ahead = np.repeat([1.0, -1.0, 0.0], [30, 10, 60])
    by_hand = ceil((norm.ppf(0.975) * sqrt(0.4) + norm.ppf(0.8) * sqrt(0.36)) ** 2 / 0.04)
    assert _signs_needed(ahead, 0.05, (0.8,)) == [by_hand]
    assert _signs_needed(-ahead, 0.05, (0.8,)) == [by_hand]
    # 3 of 100 prefer a, nobody b: six who speak are needed, at .03 each
    assert _signs_needed(np.repeat([1.0, 0.0], [3, 97]), 0.05, (0.5,)) == [200]
    assert _signs_needed(np.array([1.0, -1.0]), 0.05, (0.8, 0.95)) == [None, None]


@pytest.mark.parametrize("wanted", [0.8, 0.95])
def test_so_many_impressions_have_the_power(wanted: float) -> None:
    """The exact power of the exact sign test, summed over how many speak, is near what was asked for."""
    ahead = np.repeat([1.0, -1.0, 0.0], [30, 10, 60])
    (number,) = _signs_needed(ahead, 0.05, (wanted,))
    assert number is not None
    power = 0.0
    for speaking in range(number + 1):
        wins = np.arange(speaking + 1)
        p = 2 * np.minimum(binom.cdf(wins, speaking, 0.5), binom.sf(wins - 1, speaking, 0.5))
        rejects = binom.pmf(wins, speaking, 0.75)[(p <= 0.05) & (2 * wins > speaking)].sum()
        power += binom.pmf(speaking, number, 0.4) * rejects
    assert wanted - 0.06 < power < wanted + 0.03  # the exact test is the more careful one


def test_impressions_of_two_arms_by_hand() -> None:
    """Deviations of 1 in both arms, a difference of .5: 2 · (1 + 1) · (1.96 + .8416)² / .25 = 126."""
    assert _means_needed(0.5, 2.0, 0.05, (0.8,)) == [ceil(16 * (norm.ppf(0.975) + norm.ppf(0.8)) ** 2)] == [126]
    assert _means_needed(0.0, 2.0, 0.05, (0.8,)) == [None]


def test_two_arms_of_a_simulation_by_hand() -> None:
    """All users click with a; with b, whose list of topic 2 has nothing, only those of topic 1 do: a share s.

    Both arms together: 2 · (0 + s (1 − s) n / (n − 1)) · (1.96 + .8416)² / (1 − s)².
    """

    def contented(grades: Sequence[int], rng: np.random.Generator) -> list[int]:
        return [1] if max(grades) > 0 else []

    worse = {"1": DOCUMENTS, "2": DOCUMENTS[5:]}
    rows = sensitivity_table(GOOD, worse, GRADES, user=contented, users=100, methods=[], power=(0.8,)).rows()
    clicked = next(row for row in rows if row["measure"] == "clicked")
    difference = float(str(clicked["difference"]))
    variance = (1 - difference) * difference * 100 / 99
    z = norm.ppf(0.975) + norm.ppf(0.8)
    assert 0.3 < difference < 0.7
    assert clicked["impressions"] == ceil(2 * variance * z**2 / difference**2)


def test_the_better_run_is_found_by_all_methods() -> None:
    table = sensitivity_table(GOOD, BAD, GRADES, users=300, length=5)
    rows = table.rows()
    assert {row["method"] for row in rows} == {"balanced", "team-draft", "probabilistic", "optimised", "A/B"}
    assert all(row["better"] == "a" for row in rows)
    turned = sensitivity_table(BAD, GOOD, GRADES, users=300, length=5, methods=["team-draft"]).rows()
    assert all(row["better"] == "b" for row in turned)
    assert [row["power"] for row in turned] == [0.8, 0.95] * 4
    assert all(row["impressions"] > 0 for row in turned)  # type: ignore[operator]


def test_identical_runs_are_never_told_apart_by_arms() -> None:
    """The same user throws the same coins: what she does in either arm is the same."""
    rows = sensitivity_table(GOOD, GOOD, GRADES, users=50, methods=["balanced"]).rows()
    assert {(row["difference"], row["better"], row["impressions"]) for row in rows} == {(0, "neither", None)}


def test_simulations_repeat() -> None:
    first, again = (sensitivity_table(GOOD, BAD, GRADES, users=60, methods=["ppm"], seed=8) for _ in range(2))
    assert first == again


def test_a_user_may_be_any_function() -> None:
    """She clicks the first relevant document alone: with reversed lists a always has it first."""

    def first_relevant(grades: Sequence[int], rng: np.random.Generator) -> list[int]:
        return [grades.index(1) + 1] if 1 in grades else []

    rows = sensitivity_table(GOOD, BAD, GRADES, user=first_relevant, users=40, methods=["team-draft"]).rows()
    assert rows[0]["difference"] == 1
    assert rows[0]["impressions"] == 6  # all agree: 2 / 2⁶ is the first below .05, though 1.96² = 3.84


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"users": 1}, "users=1"),
        ({"length": 0}, "length=0"),
        ({"power": (1.0,)}, "power"),
        ({"level": 2.0}, "level"),
        ({"grades": {}}, "no topic"),
        ({"user": CascadeUser((0.5,), (0.5,))}, "no grade 1"),
    ],
)
def test_simulations_that_cannot_be_are_refused(options: dict[str, object], says: str) -> None:
    grades = options.pop("grades", GRADES)
    with pytest.raises(ParameterError, match=says):
        sensitivity_table(GOOD, BAD, grades, methods=["balanced"], **{"users": 5} | options)  # type: ignore[arg-type]


def test_users_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnknownName, match="lazy"):
        cascade_user("lazy", 2)
    with pytest.raises(ParameterError, match="knows 6 grades"):
        cascade_user("perfect", 6)
    for click, stop in (((0.5, 1.5), (0.0, 0.0)), ((0.5,), (0.5, 0.5))):
        with pytest.raises(ParameterError, match="not chances"):
            CascadeUser(click, stop)
