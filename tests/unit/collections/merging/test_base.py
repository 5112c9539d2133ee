"""What is merged, as one choice or one grade; names of methods, as people write them."""

import numpy as np
import pytest

from cranfield.collections import (
    AGGREGATIONS,
    Binomial,
    DawidSkene,
    Majority,
    Merged,
    OneCoin,
    Point,
    Weighted,
    parse_aggregation,
)
from cranfield.collections.merging.base import Rule, clamp
from cranfield.core import ParameterError, UnknownName

GRADES = np.array([0.0, 1.0, 4.0])


def merged(*share: list[float], ties: Rule = "highest") -> Merged:
    """So many items of given shares."""
    return Merged(Majority(), np.array(share), np.empty(0), np.empty(0), ties=ties)


@pytest.mark.parametrize(
    ("ties", "choices"),
    [
        ("lowest", [2, 0, 1, 0]),
        ("highest", [2, 1, 2, 2]),
        ("prior", [2, 1, 1, 1]),  # the middle one: (.3 + .5 + .4 + .33)/4 against (.2 + .5 + .2 + .33)/4, twice
    ],
)
def test_the_likeliest_choice(ties: Rule, choices: list[int]) -> None:
    third = 1 / 3
    found = merged([0.2, 0.3, 0.5], [0.5, 0.5, 0.0], [0.2, 0.4, 0.4], [third, third, third], ties=ties)
    assert found.choice.tolist() == choices
    assert found.tied.tolist() == [False, True, True, True]
    assert found.confidence.tolist() == pytest.approx([0.5, 0.5, 0.4, third])


def test_the_prior_prefers_what_is_frequent() -> None:
    found = merged([0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.0, 0.5, 0.5], ties="prior")  # means .47, .37, .17
    assert found.choice.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("by", "grades"),
    [
        ("likeliest", [4.0, 0.0, 1.0]),
        ("median", [1.0, 0.0, 1.0]),  # .6 at or below 1; .5 at 0 already, the lower of 0 and 4
        ("mean", [0.3 * 0 + 0.3 * 1 + 0.4 * 4, 2.0, 1.0]),
    ],
)
def test_one_grade_for_each_item(by: Point, grades: list[float]) -> None:
    found = merged([0.3, 0.3, 0.4], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0], ties="lowest")
    assert found.point(GRADES, by).tolist() == pytest.approx(grades)


def test_the_method_says_which_grade_is_meant() -> None:
    share = np.array([[0.25, 0.0, 0.75]])
    plain = Merged(Majority(), share, np.empty(0), np.empty(0))
    real = Merged(Binomial(), share, np.empty(0), np.empty(0))
    assert plain.point(GRADES).tolist() == [4.0]
    assert real.point(GRADES).tolist() == [3.0]
    assert real.point(GRADES, "likeliest").tolist() == [4.0]


def test_the_choice_whose_grade_is_nearest() -> None:
    # Means .4, .5 (as near to 0 as to 1), 2.4 and 2.5 (as near to 1 as to 4).
    found = merged([0.6, 0.4, 0.0], [0.5, 0.5, 0.0], [0.4, 0.0, 0.6], [0.375, 0.0, 0.625])
    assert found.place(GRADES, "mean").tolist() == [0, 1, 1, 2]
    assert found.place(GRADES, "likeliest").tolist() == found.choice.tolist() == [0, 1, 2, 2]


def test_no_other_way_to_one_grade() -> None:
    with pytest.raises(ParameterError, match="not merged by 'mode'") as raised:
        merged([1.0, 0.0, 0.0]).point(GRADES, "mode")  # type: ignore[arg-type]
    assert "likeliest, median, mean" in raised.value.hint


def test_gold_is_sure() -> None:
    share = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    assert clamp(share, None) is share
    assert clamp(share, np.array([-1, 1, 0])).tolist() == [[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("gold", [[0, 1], [0, 1, 2]])
def test_gold_must_fit(gold: list[int]) -> None:
    with pytest.raises(ParameterError, match="gold does not fit 3 items of 2 choices"):
        clamp(np.ones((3, 2)), np.array(gold))


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("majority", Majority()),
        ("MV", Majority()),
        ("majority(ties='lowest')", Majority(ties="lowest")),
        ("wawa", Weighted()),
        ("weighted(rounds=3)", Weighted(rounds=3)),
        ("binomial(a=1,b=2)", Binomial(a=1.0, b=2.0)),
        ("dawid-skene", DawidSkene()),
        ("Dawid-Skene(smoothing=.01)", DawidSkene(smoothing=0.01)),
        ("dawid-skene(smoothing=0, starts=5)", DawidSkene(smoothing=0, starts=5)),
        ("one-coin(prior='estimated')", OneCoin(prior="estimated")),
    ],
)
def test_methods_by_name(text: str, method: object) -> None:
    found = parse_aggregation(text)
    assert found == method
    assert parse_aggregation(str(found)) == found
    assert parse_aggregation(found) is found


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("dawid-skein", "no aggregation named 'dawid-skein'", "dawid-skene"),
        ("dawid-skene(", "cannot read the aggregation 'dawid-skene('", "`cranfield crowd --help` lists them"),
        ("dawid-skene@3", "dawid-skene has no @", "write dawid-skene"),
        ("dawid-skene(speed=3)", "has no parameter 'speed'", "rounds, smoothing, starts, tolerance"),
        ("dawid-skene(smoothing=-1)", "cannot have smoothing=-1", "from 0 up"),
        ("weighted(rounds=0)", "cannot have rounds=0", "from 1 up"),
        ("majority(ties='random')", "cannot have ties='random'", "'lowest' or 'highest' or 'prior'"),
        ("majority binomial", "holds 2 aggregations where one is wanted", "name one aggregation"),
    ],
)
def test_what_is_no_method(text: str, problem: str, hint: str) -> None:
    with pytest.raises((ParameterError, UnknownName)) as raised:
        parse_aggregation(text)
    assert problem in raised.value.problem
    assert hint in raised.value.hint


@pytest.mark.parametrize("cls", list(AGGREGATIONS), ids=lambda cls: cls.name)
def test_every_method_says_whose_answers_count(cls: type) -> None:
    assert cls.weighs  # type: ignore[attr-defined]
    assert repr(cls()) == cls.name  # type: ignore[attr-defined]
