"""Looking after every observation: what is made for it keeps its level, and an interval for one look does not.

A stream is wrong when at some look it leaves the truth out. The first looks are left to gather a variance: a sequence
that estimates it promises its level as looks begin later (waudbysmith2024).
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from cranfield.core import generator
from cranfield.online import always_valid_p, confidence_sequence, mixture_p, sequential_ratio_p
from tests.support.calibration.error_rates import Check, Rate
from tests.support.run_size import Size

LOOKS = 1500
FIRST = 100  # observations before the first look
Recorder = Callable[[str, object], None]

SHAPES: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]], float]] = {
    "normal": (lambda random, shape: random.normal(0.3, 2.0, shape), 0.3),
    "clicks at .3": (lambda random, shape: (random.random(shape) < 0.3).astype(float), 0.3),
    "skewed": (lambda random, shape: random.exponential(1.0, shape), 1.0),
}


def streams(shape: str, size: Size) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], float]:
    """(stream, look): means and standard deviations of all observations so far; how many there are, and the truth."""
    draw, truth = SHAPES[shape]
    values = draw(generator(17, "sequences", shape), (max(400, size.draws // 4), LOOKS))
    n = np.arange(1, LOOKS + 1)
    mean = values.cumsum(axis=1) / n
    variance = np.maximum(0.0, (values**2).cumsum(axis=1) - n * mean**2) / np.maximum(1, n - 1)
    looks = slice(FIRST, None)
    return mean[:, looks], np.sqrt(variance[:, looks]), n[looks], truth


def ever(wrong: NDArray[np.bool_]) -> Rate:
    """How often a stream is wrong at some look."""
    return Rate(np.atleast_2d(wrong.any(axis=1)))


@pytest.mark.parametrize("level", [0.1, 0.05])
@pytest.mark.parametrize("planned", [200, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_confidence_sequences_hold_at_every_look(
    shape: str, planned: int, level: float, size: Size, record_property: Recorder
) -> None:
    mean, error, n, truth = streams(shape, size)
    low, high = confidence_sequence(mean, error, n, level=level, planned=planned)
    wrong = ever((low > truth) | (high < truth))
    record_property("figure", f"{shape}, planned {planned}, level {level}: {wrong.value:.4f}")
    assert Check.at_most(level, wrong).passes(wrong)
    p = always_valid_p(mean - truth, error, n, level=level, planned=planned)
    assert ever(p <= level).value == pytest.approx(wrong.value, abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_interval_for_one_look_does_not(shape: str, size: Size, record_property: Recorder) -> None:
    mean, error, n, truth = streams(shape, size)
    half = norm.isf(0.025) * error / np.sqrt(n)
    wrong = ever(np.abs(mean - truth) > half)
    record_property("figure", f"{shape}, one look: {wrong.value:.4f}")
    assert not Check.at_most(0.05, wrong).passes(wrong)
    assert wrong.value > 0.2


@pytest.mark.parametrize("tau", [0.05, 0.3])
@pytest.mark.parametrize("shape", SHAPES)
def test_mixture_p_values_hold_at_every_look(shape: str, tau: float, size: Size, record_property: Recorder) -> None:
    mean, error, n, truth = streams(shape, size)
    p = mixture_p(mean - truth, error**2 / n, tau=tau)
    wrong = ever(p <= 0.05)
    record_property("figure", f"{shape}, tau {tau}: {wrong.value:.4f}")
    assert Check.at_most(0.05, wrong).passes(wrong)


def test_both_find_what_there_is(size: Size) -> None:
    mean, error, n, truth = streams("normal", size)
    low, _ = confidence_sequence(mean - truth + 0.5, error, n, planned=500)
    assert (low > 0).any(axis=1).mean() > 0.9
    assert (mixture_p(mean - truth + 0.5, error**2 / n, tau=0.5)[:, -1] <= 0.05).mean() > 0.9


@pytest.mark.parametrize("weights", [(1, 1), (8, 1, 1)], ids=str)
@pytest.mark.parametrize("concentration", [100.0, 10_000.0])
def test_sequential_sample_ratios_hold_at_every_look(
    weights: tuple[int, ...], concentration: float, size: Size, record_property: Recorder
) -> None:
    shares = np.array(weights) / sum(weights)
    random = generator(19, "ratios", str(weights))
    found = []
    for _ in range(max(400, size.draws // 4)):
        users = random.multinomial(10, shares, LOOKS).cumsum(axis=0)
        found.append(sequential_ratio_p(users, weights, concentration=concentration)[-1] <= 0.05)
    wrong = Rate(np.array(found)[np.newaxis])
    record_property("figure", f"{weights}, concentration {concentration:g}: {wrong.value:.4f}")
    assert Check.at_most(0.05, wrong).passes(wrong)


def test_a_ratio_looked_at_each_time_as_if_it_were_the_last_does_not(size: Size) -> None:
    from scipy.special import chdtrc

    random = generator(23, "ratios")
    users = random.binomial(10, 0.5, (max(400, size.draws // 4), LOOKS)).cumsum(axis=1)
    n = 10 * np.arange(1, LOOKS + 1)
    wrong = ever((chdtrc(1, (users - n / 2) ** 2 / (n / 4)) <= 0.05)[:, FIRST:])
    assert not Check.at_most(0.05, wrong).passes(wrong)
