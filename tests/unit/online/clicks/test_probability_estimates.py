"""Distributions of the probabilities that click models estimate."""

import numpy as np
import pytest

from cranfield.online.clicks.probability_estimates import Estimate


def test_values_are_drawn_from_their_distributions_and_uniformly_without_observations() -> None:
    size = 100_000
    kinds = np.repeat([0, 1, 2], size)  # nothing observed, 8 observations, a value of 0
    value, worth = np.array([0.9, 0.25, 0.0])[kinds], np.array([0.0, 8.0, 8.0])[kinds]
    keys = tuple(map(str, range(3 * size)))
    drawn = Estimate(value, worth, 0.5, np.zeros(3 * size), np.zeros(3 * size), keys).draw(np.random.default_rng(1))
    by_kind = drawn.value.reshape(3, size)
    # The mean of Beta(a, b) is a / (a + b), and its variance is ab / ((a + b)^2 (a + b + 1)).
    assert by_kind.mean(axis=1) == pytest.approx([1 / 2, 1 / 4, 0], abs=0.005)
    assert by_kind.var(axis=1) == pytest.approx([1 / 12, 1 / 4 * 3 / 4 / 9, 0], abs=0.002)
