"""What the simulated values promise: runs that are equal, campaigns that look real, skewed means of 0."""

from pathlib import Path

import numpy as np
import pytest

from cranfield.core.types import Matrix
from tests.support.calibration.null_distributions import (
    AP,
    P10,
    all_pairs,
    draw_for,
    equal,
    exchange,
    real,
    skewed_pairs,
)


def looks(values: Matrix) -> dict[str, float]:
    """A matrix (topic, run) in a few numbers."""
    return {
        "mean": float(values.mean()),
        "deviation": float(values.std()),
        "zeros": float((values == 0).mean()),
        "topic": float(values.mean(axis=1).var() / values.var()),
    }


@pytest.mark.parametrize(("name", "zeros"), [("adhoc8_ap", 0.12), ("web2011_ndcg20", 0.12)])
def test_values_look_like_those_of_campaigns(name: str, zeros: float, shared_data: Path) -> None:
    seen = looks(np.loadtxt(shared_data / "score-matrices" / f"{name}.csv", delimiter=",", skiprows=1))
    made = looks(AP.make(draw_for("looks"), 2_000, 1, 60)[:, 0])
    for what, far in {"mean": 0.05, "deviation": 0.03, "zeros": zeros, "topic": 0.15}.items():
        assert made[what] == pytest.approx(seen[what], abs=far), what


def test_values_come_in_steps() -> None:
    values = P10.make(draw_for("steps"), 500, 1, 2)
    assert set(np.rint(10 * values).ravel()) == set(range(11))
    assert np.abs(10 * values - np.rint(10 * values)).max() < 1e-12
    assert (values[..., 0] == values[..., 1]).mean() > 0.15  # many tie


def test_exchanged_runs_keep_the_values_of_a_topic_and_lose_their_skill() -> None:
    before = AP.make(draw_for("before"), 2_000, 2, 4)
    after = exchange(draw_for("after"), before)
    assert np.array_equal(np.sort(before, axis=2), np.sort(after, axis=2))
    error = 2 * before.std() / np.sqrt(4_000)
    assert np.ptp(before.mean(axis=(0, 1))) > 4 * error > np.ptp(after.mean(axis=(0, 1)))


def test_every_pair_of_a_set_and_no_other() -> None:
    pairs = all_pairs(np.arange(12.0).reshape(1, 4, 3))
    assert list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))[:4] == [(0, 1), (0, 2), (1, 2), (3, 4)]
    assert len(pairs) == 12
    assert pairs.difference[:, 0].tolist() == [1, 2, 1] * 4


def test_two_runs_of_a_real_campaign_are_never_the_same_one(shared_data: Path) -> None:
    sets = real(shared_data, "adhoc8_ap").make(draw_for("real"), 50, 3_000, 2)
    assert (sets[..., 0] != sets[..., 1]).any(axis=0).all()


@pytest.mark.parametrize(("shape", "above"), [("exponential", np.exp(-1)), ("lognormal", 0.3085)])  # 1 − Φ(1/2)
def test_skewed_differences_have_the_mean_0_and_most_of_them_below(shape: str, above: float) -> None:
    difference = skewed_pairs(shape, 1_000, 400, 0).difference
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(difference.size)
    assert (difference > 0).mean() == pytest.approx(above, abs=0.003)


def test_which_pairs_are_equal() -> None:
    assert equal(4, [0, 1, 3]).tolist() == [True, False, True, False, True, False]  # 01 02 03 12 13 23
