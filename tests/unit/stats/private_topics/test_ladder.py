"""What a team is told of private topics: the Ladder beside plain loops, and where it refuses."""

from dataclasses import replace
from math import sqrt
from statistics import fmean, pstdev, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import Direction, ParameterError
from cranfield.data import Given, Values, read_scores
from cranfield.stats import ENOUGH, FULL, Released, private_decimals, release, released_table

DECIMALS = {2: 0, 9: 0, 10: 1, 50: 1, 99: 1, 100: 2, 999: 2, 1_000: 3, 1_200: 3, 10**15: 15}


def literal(runs: list[list[float]], *, lower: bool = False) -> list[tuple[bool, float, float]]:
    """(new, gain, bound) of each run after the first, as the rule is written."""
    best, told = runs[0], []
    for run in runs[1:]:
        gains = [(x - y) * (-1 if lower else 1) for x, y in zip(run, best, strict=True)]
        bound = stdev(gains) / sqrt(len(gains))
        told.append((fmean(gains) > bound, fmean(gains), bound))
        best = run if told[-1][0] else best
    return told


def scores(runs: dict[str, Any], **about: Any) -> Values:
    return replace(read_scores(runs), measures=(Given("m", **about),))


def test_a_new_value_needs_a_gain_above_its_standard_error() -> None:
    # Gains over the first run, each over four topics: .1 .1 .1 −.1 have the mean .05 and the spread .1, and
    # .1 / √4 = .05 is not below .05; .2 .1 .1 −.1 have the mean .075 and a variance of .1583/12 = .01583.
    first = [0.5, 0.5, 0.5, 0.5]
    level = [0.6, 0.6, 0.6, 0.4]
    above = [0.7, 0.6, 0.6, 0.4]
    told = Released.of(np.array([first, level, above, level]).T, decimals=3)
    assert told.step.tolist() == [True, False, True, False]
    assert told.gain[1:] == pytest.approx([0.05, 0.075, -0.025])
    assert told.bound[1:3] == pytest.approx([0.05, sqrt((0.07 - 4 * 0.075**2) / 3) / 2])
    assert np.isnan([told.gain[0], told.bound[0]]).all()
    assert told.shown == pytest.approx([0.5, 0.5, 0.575, 0.575])
    assert told.mean == pytest.approx([0.5, 0.55, 0.575, 0.55])
    assert told.changes == 1


def test_the_example_of_the_authors() -> None:
    """Losses of three submissions on six labels, as the page of Ladder.jl (mrtzh/Ladder.jl, README.md) shows them."""
    labels = np.array([1, 0, 1, 1, 1, 0])
    submissions = np.array([[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]])
    losses = (submissions != labels).T.astype(float)
    told = Released.of(losses, lower_is_better=True, decimals=FULL).shown
    assert told.tolist() == pytest.approx([0.6666666666666666, 0.6666666666666666, 0.3333333333333333])


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 15), st.booleans())
def test_the_ladder_is_what_plain_loops_say(seed: int, topics: int, runs: int, lower: bool) -> None:
    matrix = np.random.default_rng(seed).random((topics, runs))
    found = Released.of(matrix, lower_is_better=lower, decimals=FULL)
    expected = literal(matrix.T.tolist(), lower=lower)
    assert found.step.tolist() == [True, *(new for new, _, _ in expected)]
    assert found.gain[1:] == pytest.approx([gain for _, gain, _ in expected], abs=1e-12)
    assert found.bound[1:] == pytest.approx([bound for _, _, bound in expected], abs=1e-12)
    shown, last = [], 0
    for run, new in enumerate(found.step):
        last = run if new else last
        shown.append(fmean(matrix[:, last]))
    assert found.shown == pytest.approx(shown, abs=1e-12)
    better = np.diff(found.shown) * (-1 if lower else 1)
    assert (better >= 0).all()  # what a team sees never gets worse


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=30))
def test_sums_say_the_same_without_the_number_of_topics(gains: list[int]) -> None:
    found = Released.of(np.array([[0.0] * len(gains), gains], dtype=float).T, decimals=0)
    total, squares = sum(gains), sum(gain * gain for gain in gains)
    assert found.step[1] == (total > 0 and total * total > squares)


@pytest.mark.parametrize("topics", [2, 3, 7, 50, 1_000])
@pytest.mark.parametrize("gain", [0.001, 0.1, 1 / 3, 1.0])
def test_one_topic_alone_is_never_released(topics: int, gain: float) -> None:
    gains = [gain] + [0.0] * (topics - 1)
    assert not Released.of(np.array([[0.0] * topics, gains]).T).step[1]
    # With N below the spread, the gain would be above its bound: each topic could be read by itself.
    assert fmean(gains) > pstdev(gains) / sqrt(topics)
    two = [gain, gain / 2] + [0.0] * (topics - 2)
    assert Released.of(np.array([[0.0] * topics, two]).T).step[1]


def test_equal_runs_gain_nothing_and_equal_gains_are_sure() -> None:
    half, third = 1 / 2, 1 / 3
    runs = [[half - third, third], [third - 1 / 6, third], [half - third + 0.01, third + 0.01], [0.0, 0.0]]
    told = Released.of(np.array(runs).T, decimals=4)
    assert told.step.tolist() == [True, False, True, False]
    assert told.gain[1] == 0
    assert told.bound[1:3].tolist() == [0, 0]


def test_less_is_better_where_it_is() -> None:
    runs = np.array([[5.0, 4.0, 6.0], [4.0, 3.5, 5.0], [9.0, 9.0, 9.0]]).T
    down, up = (Released.of(runs, lower_is_better=lower) for lower in (True, False))
    assert down.step.tolist() == [True, True, False]
    assert up.step.tolist() == [True, False, True]
    assert down.shown.tolist() == [5, 4, 4]  # 25/6, no decimals for three topics
    assert down.gain[1] == pytest.approx(5 / 6)


def test_plain_shows_all_and_none_nothing() -> None:
    runs = np.array([[0.30, 0.40], [0.10, 0.20], [0.16, 0.14]]).T
    plain, none = (Released.of(runs, rule=rule, decimals=1) for rule in ("plain", "none"))
    assert plain.shown == pytest.approx([0.4, 0.2, 0.2])  # .35 and .15 round to the even digit
    assert plain.step.all()
    assert plain.changes == 1
    assert np.isnan(none.shown).all()
    assert not none.step.any()
    assert none.changes == 0
    assert plain.gain[1:].tolist() == none.gain[1:].tolist() == Released.of(runs).gain[1:].tolist()


def test_a_value_near_nothing_has_no_sign() -> None:
    shown = Released.of(np.array([[-0.01, 0.0], [0.5, 0.5]]), decimals=1).shown
    assert str(shown[0]) != "-0.0"
    small = Released.of(np.array([[-0.01], [-0.02]]), decimals=1).shown
    assert str(small[0]) == "0.0"


@pytest.mark.parametrize("topics", DECIMALS)
def test_one_topic_moves_a_mean_by_at_most_one_unit_of_the_last_decimal(topics: int) -> None:
    decimals = private_decimals(topics)
    assert decimals == DECIMALS[topics]
    assert 10**decimals <= topics < 10 ** (decimals + 1)
    if topics < 2_000:
        assert Released.of(np.ones((topics, 1))).decimals == decimals


@pytest.mark.parametrize(
    ("matrix", "options", "words"),
    [
        (np.ones((1, 3)), {}, "1 private topic: no spread"),
        (np.ones((0, 3)), {}, "0 private topics: no spread"),
        (np.ones((3, 0)), {}, "there is no run"),
        (np.ones(3), {}, "there is no run"),
        (np.array([[0.1, np.nan], [0.2, 0.3]]), {}, "1 of 4 private values are no numbers"),
        (np.array([[0.1, np.inf], [0.2, 0.3]]), {}, "1 of 4 private values are no numbers"),
        (np.ones((3, 2)), {"rule": "steps"}, "there is no rule 'steps'"),
        (np.ones((3, 2)), {"decimals": -1}, "-1 is no number of decimals"),
        (np.ones((3, 2)), {"decimals": 17}, "17 is no number of decimals"),
        (np.ones((3, 2)), {"decimals": 2.0}, "2.0 is no number of decimals"),
        (np.ones((3, 2)), {"decimals": True}, "True is no number of decimals"),
    ],
    ids=str,
)
def test_refused(matrix: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words) as error:
        Released.of(matrix, **options)
    assert error.value.hint


RUNS = {"a1": [0.1, 0.2, 0.3], "b1": [0.9, 0.9, 0.9], "a2": [0.3, 0.4, 0.6], "a3": [0.2, 0.4, 0.6]}
GROUPS = {"a1": "a", "b1": "b", "a2": "a", "a3": "a"}


def test_each_group_climbs_its_own_ladder() -> None:
    values = scores(RUNS)
    teams = release(values, "m", groups=GROUPS, decimals=2)
    assert [(team.group, team.places.tolist()) for team in teams] == [("a", [0, 2, 3]), ("b", [1])]
    rows = released_table(values, teams, "m", rule="ladder").rows()
    assert [(row["run"], row["group"], row["order"], row["step"]) for row in rows] == [
        *(("a1", "a", 1, True), ("b1", "b", 1, True), ("a2", "a", 2, True), ("a3", "a", 3, False)),
    ]
    assert [row["released"] for row in rows] == pytest.approx([0.2, 0.9, 0.43, 0.43])
    assert [row["value"] for row in rows] == pytest.approx([0.2, 0.9, 1.3 / 3, 0.4])
    assert [(row["decimals"], row["topics"]) for row in rows] == [(2, 3)] * 4
    assert rows[0]["gain"] is None
    assert [team.group for team in release(values, "m")] == [None]
    assert release(values, "m")[0].released.step.tolist() == [True, True, False, False]


def test_the_direction_of_the_measure_counts() -> None:
    values = scores(RUNS, direction=Direction.LOWER)
    assert release(values, "m")[0].released.step.tolist() == [True, False, False, False]


def test_few_topics_are_better_not_shown() -> None:
    values = scores(RUNS)
    notes = [released_table(values, release(values, "m"), "m", rule=rule).notes for rule in ("ladder", "none")]
    assert notes == [
        ("3 private topics are fewer than 1,000: better to release nothing than values at 0 decimals",),
        (),
    ]
    enough = scores({"x": np.linspace(0, 1, ENOUGH)})
    assert released_table(enough, release(enough, "m"), "m", rule="ladder").notes == ()


def test_gaps_sums_and_runs_of_nobody_are_refused() -> None:
    values = scores(RUNS)
    counted = values.counted.copy()
    counted[2, 1] = False
    with pytest.raises(ParameterError, match=r"a2 has no value in topic 2\n"):
        release(replace(values, counted=counted), "m")
    counted[3, 1] = False
    with pytest.raises(ParameterError, match=r"a2 has no value in topic 2 \(2 such gaps\)"):
        release(replace(values, counted=counted), "m")
    with pytest.raises(ParameterError, match=r"m is not a mean over topics \(sum\)"):
        release(scores(RUNS, aggregate="sum"), "m")
    with pytest.raises(ParameterError, match="m is not a mean over topics"):
        release(replace(values, by="median"), "m")
    with pytest.raises(ParameterError, match="nobody submitted b1"):
        release(values, "m", groups={**GROUPS, "b1": None})
    with pytest.raises(ParameterError, match="there are no values of AP"):
        release(values, "AP")
