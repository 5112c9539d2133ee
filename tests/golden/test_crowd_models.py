"""MACE and GLAD beside crowd-kit, Bradley–Terry beside R."""

from typing import Literal

import numpy as np
import pytest

from cranfield.collections import GLAD, MACE, bradley_terry
from cranfield.collections.merging.mace import Chances, Model
from cranfield.data import Answers, Source, Strings, Votes
from tests.support.golden.crowd_inputs import Crowd, crowds
from tests.support.golden.golden_values import golden
from tests.support.golden.vote_inputs import topics

SAID = golden("crowd_kit_models")
NAMES = sorted(crowds())


def answers(crowd: Crowd) -> Answers:
    """An input as we take it."""
    return Answers(crowd.item, crowd.worker, crowd.choice, crowd.items, crowd.workers, crowd.choices)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", ["bayes", "em"])
def test_mace_goes_round_as_theirs_from_where_theirs_starts(name: str, way: Literal["bayes", "em"]) -> None:
    given, said = answers(crowds()[name]), SAID["inputs"][name]["mace"][way]
    begun = [np.array(said[0][part]) for part in ("know", "habit")]
    know, habit = begun[0][:, ::-1], begun[1]  # they put the chance not to know first
    for rounds, theirs in zip(SAID["rounds"][1:], said[1:], strict=True):
        model = Model(MACE(fit=way, rounds=rounds, tolerance=0), given, None)
        start = Chances(know, np.log(know)), Chances(habit, np.log(habit))
        climbed = model.climb(start)
        # What they start from, and where they end, is known to ten decimals; ours ends where floats tell no gain.
        ended = len(climbed.trace) < rounds
        assert not ended or rounds == 50
        near = 2e-7 if ended else 1e-8
        np.testing.assert_allclose(climbed.share, theirs["share"], atol=near)
        if way == "em":  # theirs with priors are chances that do not sum to 1
            np.testing.assert_allclose(climbed.know[:, ::-1], theirs["know"], atol=near)
            np.testing.assert_allclose(climbed.habit, theirs["habit"], atol=near)


@pytest.mark.parametrize("name", NAMES)
def test_mace_from_votes_finds_what_theirs_finds_or_better(name: str) -> None:
    given, theirs = answers(crowds()[name]), SAID["inputs"][name]["mace"]["bayes"]
    merged = MACE().merge(given)
    know, habit = (np.array(theirs[0][part]) for part in ("know", "habit"))
    model = Model(MACE(), given, None)
    found = model.climb((Chances(know, np.log(know[:, ::-1])), Chances(habit, np.log(habit))))
    assert merged.trace[-1] >= found.trace[-1] - 1e-6
    assert (merged.choice == np.array(theirs[-1]["share"]).argmax(axis=1)).all()


@pytest.mark.parametrize("name", NAMES)
def test_glad(name: str) -> None:
    given, theirs = answers(crowds()[name]), SAID["inputs"][name]["glad"]
    merged = GLAD(rounds=5000, tolerance=0).merge(given)
    assert (merged.choice == np.array(theirs["share"]).argmax(axis=1)).all()
    # Theirs ends after 150 rounds, and keeps six decimals.
    np.testing.assert_allclose(merged.share, theirs["share"], atol=5e-6)
    np.testing.assert_allclose(merged.weight, np.maximum(theirs["ability"], 0), atol=5e-6)


def votes_of(name: str) -> Votes:
    """A topic of two, so that topics are told apart: the golden one, and another before it."""
    pairs = [(0, 1, 1, 0, 0), *((i + 2, j + 2, a, n, b) for i, j, a, n, b in topics()[name])]
    rows = [(item, choice) for item, pair in enumerate(pairs) for choice in range(3) for _ in range(pair[2 + choice])]
    item, choice = np.array(rows).T
    size = 1 + max(pair[1] for pair in pairs)
    first, second = np.array(pairs).T[:2]
    of_topic = np.minimum(np.arange(size) // 2, 1)
    return Votes(
        ("other", name),
        of_topic[first],
        Strings([f"d{place}" for place in range(size)]),
        of_topic,
        first,
        second,
        ("w",),
        np.array([False]),
        Answers(item, np.zeros(len(item), dtype=np.int64), choice, len(pairs), 1, 3),
        Source("votes", "", "votes"),
    )


@pytest.mark.parametrize("name", list(topics()))
def test_bradley_terry_is_a_logistic_regression(name: str) -> None:
    for what, expected in golden("r_bradley_terry")[name].items():
        ties, prior, part = what.split()
        found = bradley_terry(votes_of(name), ties=ties, prior=float(prior))
        ours = {"strength": found.strength, "error": found.error}[part][2:]
        np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-9)
