"""Policies seen in the log of another, beside what the log earned: arithmetic, and expectations over all cases."""

from itertools import product
from math import erfc, hypot, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, generator
from cranfield.data import Choices, read_choices
from cranfield.online import (
    IIPS,
    IPS,
    RIPS,
    SIPS,
    SNIPS,
    DoublyRobust,
    Logged,
    Slates,
    by_policy,
    estimators_for,
    hold_beside,
    policies_table,
    policies_verdict,
    seen_by,
)

# Weights 1, 3, ¼ and ¼; the log earns 1 + 2 + 0 + 4 = 7 in four impressions.
ROWS = {"reward": [1.0, 2, 0, 4], "propensity": [0.5, 0.2, 0.4, 0.8], "target": [0.5, 0.6, 0.1, 0.2]}
PAGES: dict[str, list[Any]] = {  # two pages of two: weights 2, ½ and 1, 3
    "impression": [*"aabb"],
    "rank": [1, 2, 1, 2],
    "reward": [1.0, 2, 0, 4],
    "propensity": [0.25, 0.5, 0.5, 0.2],
    "target": [0.5, 0.25, 0.5, 0.6],
}


def logged(**more: Any) -> Choices:
    return read_choices({**ROWS, **more})


def test_the_difference_is_of_pairs() -> None:
    (found,) = hold_beside(logged(), [IPS()])
    # w r − r is 0, 4, 0 and −3: mean ¼, squares around it 1/16 + 225/16 + 1/16 + 169/16 = 396/16.
    assert (found.policy, found.logged) == ("target", 7 / 4)
    assert found.estimate.value == pytest.approx(8 / 4)
    assert found.difference == pytest.approx(1 / 4)
    error = sqrt(396 / 16 / 3 / 4)
    assert (found.low, found.high) == pytest.approx((1 / 4 - 1.959963985 * error, 1 / 4 + 1.959963985 * error))
    assert found.p == pytest.approx(erfc(1 / 4 / error / sqrt(2)))


def test_users_stand_together_and_rows_without_a_chance_are_left_out_of_both() -> None:
    (found,) = hold_beside(logged(user=[*"uvuv"]), [IPS()])
    # 0 + 0 and 4 − 3, less twice the mean: −½ and ½; √(2/1 · ½) / 4.
    assert (found.high - found.low) / 2 == pytest.approx(1.959963985 / 4)
    (some,) = hold_beside(logged(propensity=[0.5, 0.2, 0.4, None]), [IPS()])
    assert (some.logged, some.estimate.dropped) == (1, 1)  # 1 + 2 + 0 over three


def test_one_user_is_no_sample() -> None:
    (found,) = hold_beside(logged(user=[*"uuuu"]), [IPS()])
    assert np.isnan([found.low, found.high, found.p]).all()
    verdict = policies_verdict([found])
    assert verdict["better"] == "neither"
    assert verdict["sentence"].startswith(
        "target would have earned 2 for each impression by ips; the log earned 1.75, and how sure that is cannot be "
        "said of one user."
    )


def test_the_policy_of_the_log_earns_what_the_log_earned() -> None:
    same = logged(target=ROWS["propensity"])
    for found in hold_beside(same, [IPS(), SNIPS()]):
        assert found.difference == pytest.approx(0, abs=1e-15)
        assert found.p == 1.0
        assert found.estimate.ess == pytest.approx(4)


def test_draws_of_both_are_of_the_same_users() -> None:
    stream = generator(3, "users")
    chance, clicked = stream.choice([0.2, 0.5, 0.8], 900), stream.random(900) < 0.4
    target = np.where(stream.random(900) < 0.5, chance, 1 - chance)
    choices = read_choices({"reward": clicked, "propensity": chance, "target": target})
    (drawn,), (plain,) = (hold_beside(choices, [SNIPS()], interval=kind) for kind in ("bootstrap", "normal"))
    # 2,000 draws leave about 4 % of noise in either end.
    assert drawn.high - drawn.low == pytest.approx(plain.high - plain.low, rel=0.2)
    assert (drawn.low > 0 or drawn.high < 0) == (drawn.p <= 0.05)
    assert drawn.p == pytest.approx(plain.p, abs=0.05)
    own = 2 * 1.96 * clicked.std() / sqrt(900)
    assert drawn.high - drawn.low < 0.8 * hypot(drawn.estimate.high - drawn.estimate.low, own)  # were they of others


def test_pages_are_seen_whole() -> None:
    view = seen_by(read_choices(PAGES), "target", "given")
    assert isinstance(view, Slates)
    # 2 · ½ · (1 + 2) and 1 · 3 · (0 + 4); by ranks 2 · 1 + 2 · ½ · 2 and 0 + 3 · 4
    for estimator, first, second in ((SIPS(), 3, 12), (RIPS(), 2 + 2, 12)):
        (found,) = hold_beside(read_choices(PAGES), [estimator])
        assert found.estimate.value == pytest.approx((first + second) / 2)
        assert found.logged == pytest.approx(7 / 2)
    (found,) = hold_beside(read_choices(PAGES), [IIPS()], propensity="at-rank")
    assert found.estimate.value == pytest.approx((2 * 1 + 2 / 2 + 0 + 3 * 4) / 2)
    short = read_choices({name: column[:3] for name, column in PAGES.items()})  # b has one document
    assert hold_beside(short, [SIPS()])[0].estimate.value == pytest.approx((3 + 0) / 2)


def test_a_model_is_seen_too() -> None:
    choices = logged(model=[1.0, 1, 1, 2], expected=[0.5, 1, 1.5, 2])
    # mean(expected) + mean(w (r − q)): 5/4 + (0 + 3 − ¼ + ½) / 4
    assert hold_beside(choices, [DoublyRobust()])[0].estimate.value == pytest.approx(5 / 4 + 3.25 / 4)
    with pytest.raises(ParameterError, match="target: dr needs a model of the rewards"):
        hold_beside(logged(), [DoublyRobust()])


@pytest.mark.parametrize(
    ("choices", "propensity", "names"),
    [
        (logged(), "given", ["snips", "ips"]),
        (logged(model=[1.0] * 4, expected=[1.0] * 4), "given", ["dr", "sndr", "switch-dr", "dm", "snips", "ips"]),
        (read_choices(PAGES), "given", ["rips", "sips"]),
        (read_choices({**PAGES, "model": [1.0] * 4, "expected": [1.0] * 4}), "given", ["cascade-dr", "rips", "sips"]),
        (read_choices(PAGES), "counted", ["iips"]),
    ],
)
def test_estimators_suit_the_log(choices: Choices, propensity: Any, names: list[str]) -> None:
    assert [str(one) for one in estimators_for(choices, None, propensity)] == names


@given(
    chances=st.lists(st.integers(1, 9), min_size=2, max_size=3),
    wanted=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(lambda several: sum(several[:2]) > 0),
    worth=st.lists(st.integers(-3, 5), min_size=3, max_size=3),
)
def test_over_all_that_the_log_may_have_shown_ips_is_what_the_policy_earns(
    chances: list[int], wanted: list[int], worth: list[int]
) -> None:
    n = len(chances)
    shown = [chance / sum(chances) for chance in chances]
    target = [chance / sum(wanted[:n]) for chance in wanted[:n]]
    total = 0.0
    for picked in product(range(n), repeat=2):
        if not any(target[i] for i in picked):  # refused: nothing in common; it adds 0
            continue
        columns = {"propensity": [shown[i] for i in picked], "target": [target[i] for i in picked]}
        choices = read_choices({"reward": [float(worth[i]) for i in picked], **columns})
        total += shown[picked[0]] * shown[picked[1]] * hold_beside(choices, [IPS()])[0].estimate.value
    assert total == pytest.approx(sum(chance * worth[i] for i, chance in enumerate(target)), abs=1e-9)


def test_tables_and_the_verdict() -> None:
    choices = read_choices({**ROWS, "old": [0.5, 0.2, 0.4, 0.8]}, ["target", "old"])
    found = hold_beside(choices, [SNIPS(), IPS()])
    assert [(one.policy, one.estimate.estimator) for one in found] == [
        *(("target", "snips"), ("target", "ips")),
        *(("old", "snips"), ("old", "ips")),
    ]
    assert {name: len(several) for name, several in by_policy(found).items()} == {"target": 2, "old": 2}
    rows = policies_table(found).rows()
    assert rows[0]["value"] == pytest.approx(8 / 4.5)
    assert rows[1]["relative"] == pytest.approx((1 / 4) / (7 / 4))
    assert rows[1]["p_adjusted"] == pytest.approx(min(1, 2 * found[1].p))  # Holm: the smaller of two
    assert rows[3]["p_adjusted"] == 1
    error = sqrt(396 / 16 / 3 / 4)  # as above; two policies: the quantile of 1 − .05/4 is 2.2414
    assert (rows[1]["low"], rows[1]["high"]) == pytest.approx(
        (1 / 4 - 2.241402728 * error, 1 / 4 + 2.241402728 * error)
    )
    verdict = policies_verdict(found)
    assert (verdict["policy"], verdict["estimator"], verdict["better"]) == ("target", "snips", "neither")
    assert verdict["sentence"].startswith(
        "Of 2 policies target does best: it would have earned 1.778 for each impression by snips; the log earned 1.75, "
        "and the interval of the difference is not reliable (difference +0.02778,"
    )


@pytest.mark.parametrize(("target", "better", "word"), [([0.9, 0.1], "policy", "less"), ([0.1, 0.9], "log", "more")])
def test_what_is_sure_is_said(target: list[float], better: str, word: str) -> None:
    # The first document is always clicked, the second never; both are shown half of the time.
    columns = {"reward": [1.0, 0] * 100, "propensity": [0.5] * 200, "target": target * 100}
    verdict = policies_verdict(hold_beside(read_choices(columns), [IPS()]))
    assert verdict["better"] == better
    assert f"the log earned 0.5, which is {word} (difference" in verdict["sentence"]


def test_wrong_propensities_are_doubted() -> None:
    columns = {"reward": [1.0, 0] * 50, "propensity": [0.9] * 100, "target": [0.3, 0.2] * 50}
    verdict = policies_verdict(hold_beside(read_choices(columns), [IPS()]))
    assert not verdict["trusted"]
    assert "0.278 for target" in verdict["sentence"]  # (.3 + .2) / 2 / .9
    right = policies_verdict(
        hold_beside(read_choices(columns | {"propensity": [0.5] * 100, "target": [0.5] * 100}), [IPS()])
    )
    assert right["trusted"]


def test_one_policy_with_wrong_weights_spoils_the_comparison_of_several() -> None:
    # a and b are shown half of the time each; low has half of the chances that it should have.
    columns = {"reward": [1.0, 0] * 50, "propensity": [0.5] * 100, "good": [0.9, 0.1] * 50, "low": [0.25] * 100}
    verdict = policies_verdict(hold_beside(read_choices(columns, ["good", "low"]), [IPS()]))
    assert verdict["policy"] == "good"
    assert not verdict["trusted"]
    assert "0.500 for low" in verdict["sentence"]


def test_a_few_impressions_that_carry_an_estimate_are_doubted() -> None:
    """Two of 400 documents, never clicked, have a propensity of 1e-9: the others hardly count."""
    columns = {"reward": [0.0, 0, 1, 1] * 100, "propensity": [0.5] * 400, "target": [0.5] * 400}
    assert policies_verdict(hold_beside(read_choices(columns), [SNIPS()]))["trusted"]
    columns["propensity"] = [1e-9] * 2 + [0.5] * 398
    (found,) = hold_beside(read_choices(columns), [SNIPS()])
    assert found.estimate.used_ess == pytest.approx(2, abs=1e-5)  # (2w)² / 2w² of two weights w, beside 398 of 1
    assert found.estimate.largest_share == pytest.approx(0.5, abs=1e-5)
    assert found.p < 1e-10
    verdict = policies_verdict([found])
    assert (verdict["better"], verdict["trusted"]) == ("neither", False)
    assert "which is" not in verdict["sentence"]
    # Clipped at 1 no weight is larger than another, and each of 400 has 1/400 of their sum.
    (clipped,) = hold_beside(read_choices(columns), [IPS(clip=1)])
    assert (clipped.estimate.used_ess, clipped.estimate.largest_share) == pytest.approx((400, 1 / 400))
    assert policies_verdict([clipped])["trusted"]


@pytest.mark.parametrize(("rows", "trusted"), [(49, False), (50, True)])
def test_fifty_equal_weights_are_enough(rows: int, trusted: bool) -> None:
    columns = {"reward": [0.0, *[1.0] * (rows - 1)], "propensity": [0.5] * rows, "target": [0.5] * rows}
    assert policies_verdict(hold_beside(read_choices(columns), [SNIPS()]))["trusted"] is trusted


def test_one_impression_with_an_eighth_of_the_weights_is_doubted() -> None:
    """Of 700 weights of 1 and one of 100 this one has 100/800; they are worth 800² / (700 + 100²) = 59.8."""
    columns = {"reward": [0.0, 1] * 350 + [1], "propensity": [0.5] * 700 + [0.005], "target": [0.5] * 701}
    (found,) = hold_beside(read_choices(columns), [SNIPS()])
    assert (found.estimate.used_ess, found.estimate.largest_share) == pytest.approx((800**2 / 10_700, 1 / 8))
    assert not policies_verdict([found])["trusted"]


def test_weights_of_pages_are_summed_over_ranks() -> None:
    (found,) = hold_beside(read_choices(PAGES), [RIPS()])
    # Weights 2 and 2 · ½ of the first page, 1 and 3 of the second: sums 3 and 4.
    assert (found.estimate.used_ess, found.estimate.largest_share) == pytest.approx((7**2 / (3**2 + 4**2), 4 / 7))


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        (read_choices({"reward": [1.0], "propensity": [1.0]}), "there is no policy to hold against log"),
        (read_choices({"reward": [1.0], "target": [1.0]}), "log has no column propensity"),
        (logged(target=[0.0] * 4), "target: the policy would have shown nothing of what the log holds"),
        (logged(propensity=[None] * 4), "there is no impression of which the chances are known"),
    ],
)
def test_what_tells_nothing_is_refused(choices: Choices, problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        hold_beside(choices, [IPS()])
    assert caught.value.problem == problem
    assert caught.value.hint


def test_a_view_of_single_documents() -> None:
    view = seen_by(logged(), None, "given")
    assert isinstance(view, Logged)
    assert view.target.tolist() == view.propensity.tolist()
