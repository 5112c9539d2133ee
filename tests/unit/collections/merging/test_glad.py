"""GLAD beside literal loops, numerical gradients and drawn crowds."""

from math import exp, fsum, log, pi
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import GLAD, Majority, parse_aggregation
from cranfield.collections.merging.glad import Model, Part
from cranfield.core import ParameterError
from tests.support.simulations.worker_answers import Drawn, answers_of, drawn, some_gold


def parameters(given: Drawn, seed: int) -> NDArray[np.float64]:
    """Abilities, some below 0, and logarithms of how easy items are."""
    random = Random(seed)
    return np.array([random.gauss(1, 1) for _ in range(given.answers.workers + given.answers.items)])


def literal_chances(given: Drawn, at: list[float], gold: list[int]) -> list[list[float]]:
    """(item, choice): how likely the choice is and all that was said of the item."""
    choices, workers = given.answers.choices, given.answers.workers
    found = []
    for item in range(given.answers.items):
        row = []
        for truth in range(choices):
            known = gold[item] >= 0
            chance = float(truth == gold[item]) if known else 1 / choices
            for of, worker, choice in given.rows:
                if of == item:
                    reach = at[worker] * exp(at[workers + item])
                    chance *= 1 / (1 + exp(-reach)) if choice == truth else 1 / (1 + exp(reach)) / (choices - 1)
            row.append(chance)
        found.append(row)
    return found


def literal_objective(given: Drawn, at: list[float], gold: list[int]) -> float:
    priors = fsum(-((one - 1) ** 2) / 2 - log(2 * pi) / 2 for one in at)
    return fsum(log(fsum(row)) for row in literal_chances(given, at, gold)) + priors


@pytest.mark.parametrize("golden", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_literal_loops(seed: int, golden: bool) -> None:
    given = drawn(seed, items=15, choices=2 + seed % 3)
    gold = some_gold(given) if golden else None
    at = parameters(given, seed)
    share, likelihood = Model(given.answers, gold).look(at)
    rows = literal_chances(given, at.tolist(), [-1] * 15 if gold is None else gold.tolist())
    np.testing.assert_allclose(share, [[chance / fsum(row) for chance in row] for row in rows], rtol=1e-10)
    assert likelihood == pytest.approx(fsum(log(fsum(row)) for row in rows), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_the_numerical_one(seed: int) -> None:
    """Of what is expected given shares, and so, at these shares, of the objective itself."""
    given = drawn(seed, items=12, choices=2 + seed % 3)
    at, model = parameters(given, seed), Model(given.answers, None)
    share, _ = model.look(at)
    right = share.ravel()[model.place]
    slopes = [model.gradient(at, right, part)[0] for part in (model.abilities, model.difficulties)]
    for place, slope in enumerate(np.concatenate(slopes)):
        up, down = at.copy(), at.copy()
        up[place], down[place] = at[place] + 1e-5, at[place] - 1e-5
        unknown = [-1] * 12
        rise = literal_objective(given, up.tolist(), unknown) - literal_objective(given, down.tolist(), unknown)
        assert slope == pytest.approx(rise / 2e-5, abs=1e-6, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_end_is_a_summit(seed: int) -> None:
    given = drawn(seed, items=12, workers=6)
    merged = GLAD(rounds=5000).merge(given.answers)
    assert (np.diff(merged.trace) >= -1e-9 * abs(merged.trace[-1])).all()
    assert merged.rounds < 5000
    assert len(merged.trace) == merged.rounds
    assert merged.likelihood is not None
    assert merged.likelihood < 0
    # With the final shares, no worker and no item would gain by moving: each slope, over its curvature, is a distance.
    model = Model(given.answers, None)
    at = np.full(18, 1.0)
    for _ in range(merged.rounds):
        share, _ = model.look(at)
        at = model.climb(at, share)
    objective = literal_objective(given, at.tolist(), [-1] * 12)
    assert objective == pytest.approx(merged.trace[-1], rel=1e-12)
    for place in range(len(at)):
        for step in (-0.05, 0.05):
            moved = at.copy()
            moved[place] += step
            assert literal_objective(given, moved.tolist(), [-1] * 12) < objective


@pytest.mark.parametrize("seed", range(6))
def test_a_step_never_leads_down(seed: int) -> None:
    given = drawn(seed, choices=4)
    model, at = Model(given.answers, None), 4 * parameters(given, seed)  # far out, where whole steps overshoot
    for _ in range(20):
        share, likelihood = model.look(at)
        before = likelihood + model.prior(at)
        at = model.climb(at, share)
        assert model.look(at)[1] + model.prior(at) >= before - 1e-9 * abs(before)


def test_a_step_that_leads_down_however_short_is_not_taken() -> None:
    given = drawn(0)
    model = Model(given.answers, None)
    share, _ = model.look(np.ones(49))

    class Wrong(Model):
        def gradient(
            self, at: NDArray[np.float64], right: NDArray[np.float64], part: Part
        ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            slope, curve = super().gradient(at, right, part)
            return -slope, curve

    np.testing.assert_array_equal(Wrong(given.answers, None).climb(np.ones(49), share), np.ones(49))


def test_quality_and_weight_by_hand() -> None:
    given = drawn(3)
    merged = GLAD(rounds=5).merge(given.answers)
    model, at = Model(given.answers, None), np.full(49, 1.0)
    for _ in range(5):
        at = model.climb(at, model.look(at)[0])
    for worker in range(9):
        ability = float(at[worker])
        own = [1 / (1 + exp(-ability * exp(at[9 + item]))) for item, who, _ in given.rows if who == worker]
        # The last worker never answers: about an item of which log β is 1, as the prior expects.
        expected = fsum(own) / len(own) if own else 1 / (1 + exp(-ability * exp(1)))
        assert merged.quality[worker] == pytest.approx(expected, rel=1e-12)
        assert merged.weight[worker] == max(ability, 0.0)


def test_who_is_always_wrong_counts_for_nothing_and_yet_tells() -> None:
    rows = [(item, worker, item % 2 ^ (worker == 3)) for item in range(30) for worker in range(4)]
    merged = GLAD().merge(answers_of(rows, 30, 4, 2))
    np.testing.assert_array_equal(merged.choice, [item % 2 for item in range(30)])
    assert merged.weight[3] == 0
    assert merged.quality[3] < 0.1 < 0.9 < merged.quality[:3].min()


def test_gold_is_certain_and_teaches() -> None:
    rows = [(item, worker, int(worker == 2) ^ (item % 2)) for item in range(12) for worker in range(3)]
    answers = answers_of(rows, 12, 3, 2)
    gold = np.array([1 - item % 2 if item < 8 else -1 for item in range(12)])
    np.testing.assert_array_equal(GLAD().merge(answers).choice, [item % 2 for item in range(12)])
    taught = GLAD().merge(answers, gold=gold)
    np.testing.assert_array_equal(taught.choice, [1 - item % 2 for item in range(12)])
    np.testing.assert_array_equal(taught.share[:8], np.eye(2)[gold[:8]])
    assert taught.weight[2] > 0
    assert taught.weight[0] == 0
    with pytest.raises(ParameterError, match="gold does not fit"):
        GLAD().merge(answers, gold=gold[:5])


def test_one_choice_is_the_truth() -> None:
    merged = GLAD().merge(answers_of([(0, 0, 0), (1, 1, 0)], 2, 2, 1))
    np.testing.assert_array_equal(merged.share, [[1], [1]])


def by_ability(seed: int, items: int = 600, workers: int = 24, choices: int = 3) -> tuple[Drawn, list[float]]:
    """Answers of workers who differ in ability about items that differ in difficulty; some are worse than chance."""
    random = Random(seed)
    truth = [random.randrange(choices) for _ in range(items)]
    ability = [random.gauss(1, 1.2) for _ in range(workers)]
    ease = [exp(random.gauss(0.3, 0.8)) for _ in range(items)]
    rows = []
    for item in range(items):
        for worker in random.sample(range(workers), 5):
            right = random.random() < 1 / (1 + exp(-ability[worker] * ease[item]))
            wrong = random.choice([choice for choice in range(choices) if choice != truth[item]])
            rows.append((item, worker, truth[item] if right else wrong))
    return Drawn(answers_of(rows, items, workers, choices), truth, ability), ability


def test_drawn_abilities_are_found_and_majority_vote_is_beaten() -> None:
    right, votes = 0, 0
    for seed in range(4):
        given, ability = by_ability(seed)
        merged = GLAD().merge(given.answers)
        right += int((merged.choice == given.truth).sum())
        votes += int((Majority().merge(given.answers).choice == given.truth).sum())
        assert np.corrcoef(merged.weight, np.maximum(ability, 0))[0, 1] > 0.9
    assert right > votes + 100  # of 2,400 items


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="glad cannot have rounds=0"):
        parse_aggregation("glad(rounds=0)")
