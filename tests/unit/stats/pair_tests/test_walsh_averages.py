"""Order statistics of Walsh averages against the list of all averages."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.stats.pair_tests.walsh_averages import walsh_order_statistics

Matrix = NDArray[np.float64]

KINDS: dict[str, Callable[[np.random.Generator, int], Matrix]] = {
    "normal": lambda drawn, n: drawn.normal(size=n),
    "integers": lambda drawn, n: np.rint(300 * drawn.normal(size=n)),
    "decimals": lambda drawn, n: np.rint(300 * drawn.normal(size=n)) / 1000,
    "skewed": lambda drawn, n: np.exp(3 * drawn.normal(size=n)),
    "mostly equal": lambda drawn, n: drawn.choice([0.1, 0.3, -0.7], n) + (drawn.random(n) < 0.2) * drawn.random(n),
}


def listed(difference: Matrix) -> Matrix:
    """All averages of one row, in order."""
    d = difference[~np.isnan(difference)]
    i, j = np.triu_indices(len(d))
    return np.sort((d[i] + d[j]) / 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("topics", [1, 2, 7, 60, 149, 152, 400, 1200])
def test_every_rank_is_that_of_the_list(kind: str, topics: int) -> None:
    drawn = np.random.default_rng(topics)
    difference = KINDS[kind](drawn, topics)
    averages = listed(difference)
    ranks = np.concatenate([[0, len(averages) - 1], drawn.integers(0, len(averages), 20)])
    found = walsh_order_statistics(difference[None], ranks[None])[0]
    assert found == pytest.approx(averages[ranks], rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("scale", [1, 0.01])
def test_missing_topics_and_ranks_that_are_not_asked(scale: float) -> None:
    difference = scale * np.array([[3.0, np.nan, -1.0, 8.0], [np.nan, 5.0, 5.0, np.nan], [np.nan] * 4])
    found = walsh_order_statistics(difference, np.array([[2, -1], [2, 0], [-1, -1]]))
    # Of −1, 3 and 8: −1, 1, 3, 3.5, 5.5, 8.
    assert found == pytest.approx(scale * np.array([[3, np.nan], [5, 5], [np.nan, np.nan]]), nan_ok=True)


def test_integers_far_apart_are_not_counted_in_a_histogram() -> None:
    found = walsh_order_statistics(np.array([[0.0, 1.0, 1e12]]), np.arange(6)[None])
    assert found[0].tolist() == [0, 0.5, 1, 5e11, 5e11 + 0.5, 1e12]


@pytest.mark.parametrize("size", [2.0**52, 2.0**62, 8e18, 9.3e18, 1e300])
def test_huge_equal_integers_are_not_counted_in_a_histogram(size: float) -> None:
    found = walsh_order_statistics(np.array([[size] * 6, [-size, *[np.nan] * 5]]), np.array([[0, 20], [0, -1]]))
    assert found[0].tolist() == [size, size]
    assert found[1, 0] == -size
