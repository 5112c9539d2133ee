"""Variance components and dependability against published numbers, arithmetic and simulation."""

from math import inf, isnan, nan
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data import read_scores
from cranfield.stats.anova.variance_components import Strength, components, replicated_components

Matrix = NDArray[np.float64]


def with_mean_squares(topics: int, runs: int, *, topic: float, system: float, error: float, seed: int = 1) -> Matrix:
    """Values whose two-way analysis has these mean squares."""
    drawn = np.random.default_rng(seed)
    by_topic, by_run, rest = drawn.normal(size=topics), drawn.normal(size=runs), drawn.normal(size=(topics, runs))
    by_topic -= by_topic.mean()
    by_run -= by_run.mean()
    rest -= rest.mean(axis=0)
    rest -= rest.mean(axis=1, keepdims=True)
    by_topic *= np.sqrt(topic * (topics - 1) / runs / np.square(by_topic).sum())
    by_run *= np.sqrt(system * (runs - 1) / topics / np.square(by_run).sum())
    rest *= np.sqrt(error * (topics - 1) * (runs - 1) / np.square(rest).sum())
    return 5 + by_topic[:, None] + by_run + rest


# brennan2001: Synthetic Data Set No. 4, 10 persons (our runs) and 12 items (our topics).
# Table 6.2, p. 182: mean squares 10.2963, 11.6273, 2.7872, components .6258, .8840, 2.7872.
# Table 6.5, p. 198: Eρ² .729 (.541 to .876), Φ .672 (.457 to .845), the intervals with 80 % confidence.
SYNTHETIC = with_mean_squares(12, 10, system=10.2963, topic=11.6273, error=2.7872)


def test_components_as_published() -> None:
    found = components(SYNTHETIC)
    variances = [found[source].variance for source in ("system", "topic", "error")]
    assert variances == pytest.approx([0.6258, 0.8840, 2.7872], abs=5e-5)
    assert [part.share for part in found.parts] == pytest.approx(np.array([0.8840, 0.6258, 2.7872]) / 4.2970, abs=5e-5)
    assert [part.source for part in found.parts] == ["topic", "system", "error"]
    assert [part.estimate for part in found.parts] == [part.variance for part in found.parts]
    assert found.note == ""


def test_intervals_as_published() -> None:
    found = components(SYNTHETIC, level=0.2)
    assert found.relative.dependable(12) == pytest.approx((0.729, 0.541, 0.876), abs=6e-4)
    assert found.absolute.dependable(12) == pytest.approx((0.672, 0.457, 0.845), abs=6e-4)


def test_topics_needed_by_hand() -> None:
    # 19 · 2.7872 / .6258 = 84.6; 19 · (2.7872 + .8840) / .6258 = 111.5
    found = components(SYNTHETIC)
    assert found.relative.needed()[0] == 85
    assert found.absolute.needed()[0] == 112
    # As many topics as are needed, and no fewer, reach the target.
    for strength in (found.relative, found.absolute):
        for target in (0.5, 0.8, 0.95, 0.99):
            value, fewest, most = strength.needed(target)
            assert strength.dependable(value)[0] >= target > strength.dependable(value - 1)[0]
            assert strength.dependable(fewest)[2] >= target > strength.dependable(fewest - 1)[2]
            assert strength.dependable(most)[1] >= target > strength.dependable(most - 1)[1]


def test_a_number_of_topics_is_not_one_more_by_rounding() -> None:
    # .95 / .05 is 18.999999999999982 in floats, and .9 / .1 is 9.000000000000002
    assert Strength(1.0).needed(0.95)[0] == 19
    assert Strength(1.0).needed(0.9)[0] == 9
    assert Strength(1e6).needed(0.5)[0] == 1


def test_what_an_unknown_interval_says() -> None:
    value, low, high = Strength(0.5).dependable(2)
    assert value == 0.5
    assert isnan(low)
    assert isnan(high)
    assert [isnan(number) for number in Strength(0.5).needed()] == [False, True, True]


@pytest.mark.parametrize("target", [0, 1, -0.1, 2, nan])
def test_a_target_lies_between_0_and_1(target: float) -> None:
    with pytest.raises(ParameterError, match="the target cannot be"):
        Strength(1.0).needed(target)


def test_shares_of_trec_8(shared_data: Path) -> None:
    # The mean squares that ferro2024 table 1 prints: (3.4285 − .0136) / 129, (.4690 − .0136) / 50, .0136.
    found = components(read_scores(shared_data / "score-matrices" / "adhoc8_ap.csv").matrix())
    parts = np.array([(3.4285 - 0.0136) / 129, (0.4690 - 0.0136) / 50, 0.0136])
    assert [part.variance for part in found.parts] == pytest.approx(parts, rel=2e-3)
    assert [part.share for part in found.parts] == pytest.approx(parts / parts.sum(), abs=1e-3)
    assert found.relative.needed()[0] == 29  # 19 · .0136 / .0091 = 28.4


def test_an_estimate_below_zero_counts_as_zero() -> None:
    found = components(with_mean_squares(8, 5, topic=0.5, system=0.8, error=1.0))
    assert found["topic"].estimate == pytest.approx((0.5 - 1) / 5)
    assert found["system"].estimate == pytest.approx((0.8 - 1) / 8)
    assert [part.variance for part in found.parts] == [0, 0, pytest.approx(1)]
    assert found.note == "the estimate for topic and system is below 0, and counts as 0"
    assert found.relative.dependable(50)[:2] == (0, 0)
    assert found.relative.needed()[0] == found.absolute.needed()[0] == inf


def test_values_without_error_are_wholly_dependable() -> None:
    sums = np.array([[0.1], [0.2], [0.7]]) + np.array([0.0, 0.1, 0.3, 0.6])
    found = components(sums)
    assert found.relative.dependable(1) == (1, 1, 1)
    assert found.relative.needed() == (1, 1, 1)
    topic, system = found["topic"].variance, found["system"].variance
    assert found.absolute.dependable(3)[0] == pytest.approx(system / (system + topic / 3))


def test_values_that_are_all_the_same_vary_by_nothing() -> None:
    found = components(np.full((3, 3), 0.4))
    assert [(part.variance, part.share) for part in found.parts] == [(0, 0)] * 3
    assert found.relative.dependable(50) == found.absolute.dependable(50) == (0, 0, 0)


def test_components_are_found_again() -> None:
    # The estimates have no bias: their mean over many tables lies within four standard errors of what was put in.
    drawn = np.random.default_rng(11)
    found = []
    for _ in range(400):
        topic, run = drawn.normal(0, 2, (12, 1)), drawn.normal(0, 1, 8)
        values = topic + run + drawn.normal(0, 1.5, (12, 8))
        found.append([part.estimate for part in components(values).parts])
    off = np.abs(np.mean(found, axis=0) - [4, 1, 2.25]) / (np.std(found, axis=0) / 20)
    assert (off < 4).all()


def test_intervals_hold_what_they_say() -> None:
    # 90 % intervals of 600 tables: Feldt's is exact, Arteaga's approximate; four standard errors are 5 points.
    drawn = np.random.default_rng(12)
    inside = np.zeros(2)
    for _ in range(600):
        values = drawn.normal(0, 1, (15, 1)) + drawn.normal(0, 1, 10) + drawn.normal(0, 2, (15, 10))
        found = components(values, level=0.1)
        inside += [found.relative.low < 1 / 4 < found.relative.high, found.absolute.low < 1 / 5 < found.absolute.high]
    assert inside / 600 == pytest.approx([0.9, 0.9], abs=0.05)


CUBE = np.array(  # (topic, replicate, run), turned to (replicate, topic, run)
    [
        [[0.31, 0.42, 0.28], [0.35, 0.40, 0.20]],
        [[0.10, 0.22, 0.05], [0.12, 0.30, 0.11]],
        [[0.66, 0.71, 0.60], [0.59, 0.80, 0.52]],
        [[0.44, 0.46, 0.30], [0.49, 0.41, 0.37]],
    ]
).transpose(1, 0, 2)
# Mean squares of R, as in test_replicates.py.
TOPIC, SYSTEM, BOTH, ERROR = 0.25560416667, 0.05201250000, 0.00334583333, 0.00200416667


def test_replicates_tell_the_interaction_from_the_error() -> None:
    found = replicated_components(CUBE)
    expected = [(TOPIC - BOTH) / 6, (SYSTEM - BOTH) / 8, (BOTH - ERROR) / 2, ERROR]
    assert [part.source for part in found.parts] == ["topic", "system", "topic×system", "error"]
    assert [part.variance for part in found.parts] == pytest.approx(expected, rel=1e-6)
    assert sum(part.share for part in found.parts) == pytest.approx(1)


def test_more_replicates_leave_less_error() -> None:
    topic, system, both, error = (TOPIC - BOTH) / 6, (SYSTEM - BOTH) / 8, (BOTH - ERROR) / 2, ERROR
    for times in (1, 2, 5):
        found = replicated_components(CUBE, replicates=times)
        assert found.relative.value == pytest.approx(system / (both + error / times), rel=1e-6)
        assert found.absolute.value == pytest.approx(system / (topic + both + error / times), rel=1e-6)
        assert isnan(found.relative.low) == isnan(found.absolute.high) == (times != 2)


def test_with_the_replicates_at_hand_their_means_are_values_like_any_other() -> None:
    found, means = replicated_components(CUBE), components(CUBE.mean(axis=0))
    for one, other in ((found.relative, means.relative), (found.absolute, means.absolute)):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    assert replicated_components(CUBE, replicates=2).relative == found.relative


def test_no_replicates_are_refused() -> None:
    with pytest.raises(ParameterError, match="there cannot be 0 replicates"):
        replicated_components(CUBE, replicates=0)
