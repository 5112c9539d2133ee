"""Stopping rules for labels: how often a label that was certain enough is wrong.

Where the rate of an item's labels is drawn from the prior, the posterior is honest whenever one looks at it: of the
items that stop because the rule is certain, the share that is wrong is the mean of 1 − confidence, and at most delta.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betainc

from cranfield.collections import Stopping
from cranfield.core import generator
from tests.support.calibration.error_rates import Check, Rate
from tests.support.run_size import Size

MOST = 15
FIXED = {0.6: 0.136, 0.7: 0.022, 0.8: 0.0025}  # as the docstring of Stopping has it: delta .05, at most 10 labels

Recorder = Callable[[str, object], None]


def ask(rule: Stopping, rates: NDArray[np.float64], seed: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Draw labels (item, choice) at these rates until it is enough: who is certain, and the counts then."""
    random = generator(seed, str(rule))
    items, choices = rates.shape
    counts = np.zeros((items, choices))
    asking = np.arange(items)
    upper = rates.cumsum(axis=1)
    for _ in range(rule.most):
        label = (random.random(len(asking))[:, None] > upper[asking]).sum(axis=1).clip(max=choices - 1)
        counts[asking, label] += 1
        asking = asking[~rule.enough(counts[asking])]
    return rule.confidence(counts) >= 1 - rule.delta, counts


def items(size: Size) -> int:
    """How many items are asked about."""
    return max(20_000, 10 * size.draws)


def binary(higher: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack((1 - higher, higher), axis=1)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (2.0, 2.0), (3.0, 1.0), (0.5, 0.5)], ids=str)
@pytest.mark.parametrize("delta", [0.2, 0.1, 0.05, 0.01])
def test_items_that_stop_are_seldom_wrong_where_rates_come_from_the_prior(
    delta: float, prior: tuple[float, float], size: Size, record_property: Recorder
) -> None:
    rule = Stopping(delta=delta, most=MOST, prior=prior)
    rates = binary(generator(3, str(rule)).beta(*prior, items(size)))
    certain, counts = ask(rule, rates, 5)
    assert certain.mean() > 0.2
    wrong = Rate((rule.leading(counts) != rates.argmax(axis=1))[certain][None])
    record_property("figure", f"{rule}: {wrong.value:.4f} of {certain.mean():.2f}")
    assert Check.at_most(delta, wrong).passes(wrong)
    promised = 1 - rule.confidence(counts)[certain]
    # The sum of chances and what came of them: four standard errors of independent coins.
    error = 4 * np.sqrt((promised * (1 - promised)).mean() / len(promised))
    assert wrong.value == pytest.approx(promised.mean(), abs=error)


@pytest.mark.parametrize("choices", [3, 5])
def test_with_more_choices_every_other_one_must_be_ruled_out(
    choices: int, size: Size, record_property: Recorder
) -> None:
    rates = generator(7, "dirichlet", choices).dirichlet(np.ones(choices), items(size))
    found = {}
    for against in ("every", "runner-up"):
        rule = Stopping(delta=0.1, most=40, against=against)
        certain, counts = ask(rule, rates, 9)
        found[against] = Rate((rule.leading(counts) != rates.argmax(axis=1))[certain][None])
        record_property("figure", f"{rule}, {choices} choices: {found[against].value:.4f} of {certain.mean():.2f}")
    assert Check.at_most(0.1, found["every"]).passes(found["every"])
    assert found["runner-up"].value > found["every"].value  # what the docstring warns of


@cache
def exact(rate: float, delta: float, most: int) -> tuple[float, float]:
    """The share of items that stop, and of these the share that is wrong: over all sequences of labels."""
    asking = {(0, 0): 1.0}
    right = wrong = 0.0
    for _ in range(most):
        after: dict[tuple[int, int], float] = {}
        for (good, bad), chance in asking.items():
            for state, step in (((good + 1, bad), rate), ((good, bad + 1), 1 - rate)):
                after[state] = after.get(state, 0.0) + chance * step
        asking = {}
        for (good, bad), chance in after.items():
            doubt = float(betainc(1 + max(good, bad), 1 + min(good, bad), 0.5))
            if doubt > delta:
                asking[good, bad] = chance
            elif good > bad:
                right += chance
            else:
                wrong += chance
    return right + wrong, wrong / (right + wrong)


@pytest.mark.parametrize("rate", FIXED)
def test_a_fixed_rate_near_one_half_breaks_the_promise_as_the_docstring_says(
    rate: float, size: Size, record_property: Recorder
) -> None:
    stopped, expected = exact(rate, 0.05, 10)
    assert expected == pytest.approx(FIXED[rate], rel=0.02)
    assert (expected > 0.05) == (rate < 0.65)
    rule = Stopping(delta=0.05)
    certain, counts = ask(rule, binary(np.full(items(size), rate)), 11)
    wrong = float((rule.leading(counts) == 0)[certain].mean())
    record_property("figure", f"{rule}, labels right at {rate:g}: {wrong:.4f} of {certain.mean():.2f}")
    assert certain.mean() == pytest.approx(stopped, abs=4 * np.sqrt(stopped * (1 - stopped) / len(certain)))
    assert wrong == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / certain.sum()))
