"""Merged labels beside crowd-kit, and Dawid–Skene on the data of 1979 beside what is known of it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import DawidSkene, Majority, OneCoin, Weighted
from cranfield.data import Answers
from tests.support.golden.crowd_inputs import Crowd, crowds
from tests.support.golden.golden_values import golden

SAID = golden("crowd_kit")
NAMES = sorted(crowds())
# With three answers each there are many maxima: a chance of 0 there is 1e-10, and in the long run leads elsewhere.
LONG = [name for name in NAMES if name != "few each"]
DECIMALS = 2e-10  # two roundings to ten decimals, or chances of 1e-10 for none


def answers(crowd: Crowd) -> Answers:
    """An input as we take it."""
    return Answers(crowd.item, crowd.worker, crowd.choice, crowd.items, crowd.workers, crowd.choices)


def apart(ours: NDArray[np.float64], theirs: object) -> float:
    """The largest difference; what they have no number for is left out."""
    return float(np.nanmax(np.abs(ours - np.array(theirs, dtype=float))))


@pytest.mark.parametrize("name", NAMES)
def test_vote_shares(name: str) -> None:
    merged = Majority().merge(answers(crowds()[name]))
    assert apart(merged.share, SAID["inputs"][name]["majority"]["share"]) <= DECIMALS


@pytest.mark.parametrize("name", ["five grades", "yes or no"])
def test_weighted_votes(name: str) -> None:
    # Without ties and second answers, with which their accuracy of a worker is another one.
    given, said = answers(crowds()[name]), SAID["inputs"][name]
    plain, merged = Majority().merge(given), Weighted().merge(given)
    assert not plain.tied.any()
    assert apart(plain.quality, said["majority"]["quality"]) <= DECIMALS
    assert apart(merged.weight, said["weighted"]["weight"]) <= DECIMALS
    assert apart(merged.share, said["weighted"]["share"]) <= DECIMALS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", [0, 1])
def test_dawid_skene_after_so_many_rounds(name: str, place: int) -> None:
    rounds, said = SAID["rounds"][place], SAID["inputs"][name]["dawid-skene"][place]
    given = answers(crowds()[name])
    assert apart(DawidSkene(smoothing=0, rounds=rounds, tolerance=0).merge(given).share, said["share"]) <= 1e-8
    # They end with the half of a round with which ours begins.
    half = DawidSkene(smoothing=0, rounds=rounds + 1, tolerance=0).merge(given).confusion
    assert half is not None
    assert apart(half, said["confusion"]) <= 1e-8


@pytest.mark.parametrize("name", LONG)
def test_dawid_skene_at_its_end(name: str) -> None:
    said = SAID["inputs"][name]["dawid-skene"][2]
    merged = DawidSkene(smoothing=0, tolerance=0).merge(answers(crowds()[name]))
    assert merged.rounds < SAID["rounds"][2]  # ours ended where nothing is gained any more
    assert merged.confusion is not None
    # Where a maximum is flat, floats cannot tell likelihoods of shares 1e-6 apart.
    assert apart(merged.share, said["share"]) <= 5e-6
    assert apart(merged.share.mean(axis=0), said["prior"]) <= 5e-6
    assert apart(merged.confusion, said["confusion"]) <= 5e-6


@pytest.mark.parametrize("name", [name for name in LONG if crowds()[name].truth is not None])
def test_dawid_skene_with_gold(name: str) -> None:
    crowd, said = crowds()[name], SAID["inputs"][name]["gold"]
    assert crowd.truth is not None
    gold = np.where(np.arange(crowd.items) % SAID["known"] == 0, crowd.truth, -1)
    merged = DawidSkene(smoothing=0, tolerance=0).merge(answers(crowd), gold=gold)
    assert merged.confusion is not None
    assert apart(merged.share, said["share"]) <= 5e-6
    assert apart(merged.confusion, said["confusion"]) <= 5e-6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_coin(name: str, place: int) -> None:
    rounds, said = SAID["rounds"][place], SAID["inputs"][name]["one-coin"][place]
    model = OneCoin(smoothing=0, rounds=rounds, tolerance=0, prior="estimated")
    assert apart(model.merge(answers(crowds()[name])).share, said["share"]) <= 1e-7
    half = OneCoin(smoothing=0, rounds=rounds + 1, tolerance=0, prior="estimated").merge(answers(crowds()[name]))
    assert half.confusion is not None
    assert apart(half.confusion[:, 0, 0], said["quality"]) <= 1e-7


def test_their_stopping_rule_ends_too_early() -> None:
    """Their objective counts the frequencies of choices once for each answer; ours is the likelihood."""
    for name in LONG:
        theirs = SAID["inputs"][name]["stops"]
        merged = DawidSkene(smoothing=0).merge(answers(crowds()[name]))
        assert merged.rounds > theirs, name
        assert merged.trace[theirs - 1] < merged.trace[-1] - 1e-4, name


def test_the_anaesthetists_of_1979() -> None:
    merged = DawidSkene(smoothing=0, tolerance=0).merge(answers(crowds()["anaesthetists"]))
    assert merged.likelihood == pytest.approx(-192.8908812142, abs=5e-11)
    assert merged.share.mean(axis=0).tolist() == pytest.approx([0.3996, 0.4220, 0.1118, 0.0667], abs=5e-5)
    # With the tolerance that is set unless told otherwise it ends within a millionth of that.
    assert DawidSkene(smoothing=0).merge(answers(crowds()["anaesthetists"])).likelihood == pytest.approx(
        -192.8908812142, abs=1e-6
    )


def test_the_first_anaesthetist_has_three_answers_each() -> None:
    crowd = crowds()["anaesthetists"]
    assert np.bincount(crowd.worker).tolist() == [135, 45, 45, 45, 45]
    assert np.bincount(crowd.item).tolist() == [7] * 45
