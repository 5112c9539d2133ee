"""The Bayesian signed-rank test against calculus, integration and a plain loop; ties, gaps, seeds, refusals."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, special

from cranfield.core import ParameterError
from cranfield.stats.pair_tests import bayesian
from cranfield.stats.pair_tests.base import TESTS, Asked, Pairs
from cranfield.stats.pair_tests.bayesian import BELIEFS, BayesSignedRank, Beliefs

NAN = float("nan")
DRAWS = 20_000
OFF = 4 * sqrt(0.25 / DRAWS)  # four standard errors of a share of draws


def believe(differences: list[float], *, seed: int = 0, **settings: float) -> tuple[float, float, float]:
    """Of one pair: a has 0 in every topic, b the differences."""
    values = np.column_stack([np.zeros(len(differences)), differences])
    found = BayesSignedRank(draws=DRAWS, **settings).compare(Pairs.every(values), Asked(seed=seed))
    return float(found.left[0]), float(found.rope[0]), float(found.right[0])


@pytest.mark.parametrize("strength", [0.5, 1.0, 3.0])
def test_one_clear_difference(strength: float) -> None:
    # The weight v of the prior is Beta(s, 1), with P(v < x) = x^s. A difference beyond twice the rope outweighs the 0
    # of the prior: right = 1 − v², rope = v². Right is larger where v < √½.
    left, rope, right = believe([0.05], rope=0.01, strength=strength)
    assert left == 0
    assert right == pytest.approx(sqrt(0.5) ** strength, abs=OFF)
    assert rope == pytest.approx(1 - right, abs=1e-12)


def test_one_difference_that_the_prior_pulls_into_the_rope() -> None:
    # Between rope and twice the rope, its mean with the 0 of the prior is inside: left = (1 − v)² > ½ where v < 1 − √½.
    left, _, right = believe([-0.015], rope=0.01, strength=0.5)
    assert left == pytest.approx((1 - sqrt(0.5)) ** 0.5, abs=OFF)
    assert right == 0


@pytest.mark.parametrize("strength", [0.5, 5.0, 20.0])
@pytest.mark.parametrize("topics", [2, 5])
def test_several_clear_differences(topics: int, strength: float) -> None:
    # v is Beta(s, n) now; right = 1 − v² as before. More prior draws towards the rope.
    _, _, right = believe([0.05, 0.07, 0.021, 0.3, 0.05][:topics], rope=0.01, strength=strength)
    assert right == pytest.approx(special.betainc(strength, topics, sqrt(0.5)), abs=OFF)


def test_two_differences_that_cancel() -> None:
    # z = −.05, .05 with weights x, y and v = 1 − x − y for the prior. The mean of both is in the rope:
    # left = x² + 2xv, right = y² + 2yv, rope = v² + 2xy. The density of (x, y) is v^(s−1) · s(s + 1).
    strength = 2.0

    def rope_largest(y: float, x: float) -> float:
        v = 1 - x - y
        left, right, rope = x * x + 2 * x * v, y * y + 2 * y * v, v * v + 2 * x * y
        return strength * (strength + 1) * v ** (strength - 1) * (rope > max(left, right))

    grid = (np.arange(1500) + 0.5) / 1500
    exact = sum(rope_largest(y, x) for x in grid for y in grid if x + y < 1) / 1500**2
    left, rope, right = believe([-0.05, 0.05], rope=0.01, strength=strength)
    assert rope == pytest.approx(exact, abs=OFF + 0.001)
    assert left == pytest.approx(right, abs=2 * OFF)
    total = integrate.dblquad(lambda y, x: strength * (strength + 1) * (1 - x - y), 0, 1, 0, lambda x: 1 - x)[0]
    assert total == pytest.approx(1, abs=1e-9)  # it is a density


def plain(differences: list[float], rope: float, strength: float, draws: int) -> NDArray[np.float64]:
    """The definition, word for word: benavoli2017 §4.2, as three loops."""
    z = [0.0, *differences]
    stream = np.random.default_rng(99)
    count = np.zeros(3)
    for _ in range(draws):
        w = stream.dirichlet([strength, *np.ones(len(differences))])
        theta = [0.0, 0.0, 0.0]
        for i, first in enumerate(z):
            for j, second in enumerate(z):
                mean = (first + second) / 2
                theta[0 if mean < -rope else 2 if mean > rope else 1] += w[i] * w[j]
        count[int(np.argmax(theta))] += 1
    return count / draws


@pytest.mark.parametrize("rope", [0.0, 0.013, 0.05])
def test_a_plain_loop_agrees(rope: float) -> None:
    differences = [-0.04, 0.003, 0.0, 0.02, 0.021, 0.09, -0.011]
    loop = plain(differences, rope, 0.5, 1500)
    found = believe(differences, rope=rope)
    assert found == pytest.approx(loop.tolist(), abs=4 * sqrt(0.25 / 1500) + OFF)
    assert sum(found) == pytest.approx(1, abs=1e-12)


def test_the_ends_belong_to_the_rope() -> None:
    # .3 − .2 is .1 as a number, though floats say .09999…; .8 − .7 is, though they say more.
    values = np.array([[0.2, 0.3], [0.7, 0.8]])
    found = BayesSignedRank(rope=0.1, draws=200).compare(Pairs.every(values), Asked())
    assert [float(side[0]) for side in found] == [0, 1, 0]


def test_identical_runs_are_equal() -> None:
    values = np.array([[0.2, 0.2, 0.9], [0.7, 0.7, 0.9], [0.1, 0.1, 0.9]])
    for rope in (0.0, 0.01):
        found = BayesSignedRank(rope=rope, draws=100).compare(Pairs.every(values), Asked())
        assert [float(side[0]) for side in found] == [0, 1, 0]


def test_the_other_way_round_is_the_mirror_image() -> None:
    differences = np.random.default_rng(4).normal(0.01, 0.05, 30).tolist()
    left, rope, right = believe(differences)
    mirrored = believe([-one for one in differences])
    assert mirrored == pytest.approx((right, rope, left), abs=2 * OFF)


def test_topics_without_both_values_are_left_out() -> None:
    full = np.array([[0.0, 0.1], [0.0, -0.2], [0.0, 0.3]])
    gaps = np.array([[0.0, 0.1, NAN], [NAN, 0.5, NAN], [0.0, -0.2, 0.1], [0.0, 0.3, NAN], [0.2, NAN, NAN]])
    test = BayesSignedRank(draws=500)
    alone = test.compare(Pairs.every(full), Asked())
    among = test.compare(Pairs.every(gaps), Asked())
    assert [side[0] for side in among] == [side[0] for side in alone]
    # Where no topic is common, the prior is all there is.
    nothing = test.compare(Pairs.every(np.array([[0.1, NAN], [NAN, 0.2]])), Asked())
    assert [float(side[0]) for side in nothing] == [0, 1, 0]


def test_blocks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).random((12, 6))
    test = BayesSignedRank(draws=1200)
    whole = test.compare(Pairs.every(values), Asked())
    monkeypatch.setattr(bayesian, "CELLS", 2 * 13 * bayesian.BLOCK)
    parts = test.compare(Pairs.every(values), Asked())
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_the_seed_decides() -> None:
    values = np.random.default_rng(3).random((12, 2))
    first, again, other = (
        BayesSignedRank(draws=1000).compare(Pairs.every(values), Asked(seed=seed, threads=threads))
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert isinstance(first, Beliefs)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("setting", [{"rope": -0.1}, {"strength": 0.0}, {"draws": 0}], ids=str)
def test_settings_that_mean_nothing_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="bayes-signed-rank cannot have"):
        BayesSignedRank(**setting)  # type: ignore[arg-type]


def test_it_is_no_test_with_a_p() -> None:
    assert BELIEFS.names() == ["bayes-signed-rank"]
    assert "bayes-signed-rank" not in TESTS
