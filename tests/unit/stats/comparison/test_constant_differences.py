"""Tests with the same difference in every topic: p of the exact randomisation test is 2^(1 − n)."""

import numpy as np
import pytest

from cranfield.stats import Asked, Pairs, parse_tests
from cranfield.stats.comparison.constant_differences import bound_constant, constant_differences, exact_p

ASKED = Asked(level=0.05)


def shifted(topics: int, *shifts: float) -> Pairs:
    """Run 0, and runs that differ from it by the same amount in every topic."""
    base = np.linspace(0.1, 0.5, topics)
    return Pairs.every(np.stack([base, *(base + shift for shift in shifts)], axis=1))


@pytest.mark.parametrize("topics", [2, 3, 5, 6, 12])
@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "randomisation", "signed-rank"])
def test_p_is_that_of_the_exact_test(test: str, topics: int) -> None:
    pairs, (method,) = shifted(topics, 0.1), parse_tests(test)
    answer = method.compare(pairs, ASKED)
    bounded = bound_constant(answer, constant_differences(pairs, method, answer), pairs.topics, ASKED.level)
    p = bounded.p if bounded.adjusted is None else bounded.adjusted
    bound = 2 / 2**topics
    assert p == pytest.approx(bound)
    assert exact_p(pairs.topics) == pytest.approx(bound)
    if bounded.low is not None:
        assert np.isnan(bounded.low[0]) == (bound > 0.05)


@pytest.mark.parametrize("shift", [0.0, 0.1])
@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey", "sign", "rank-sum"])
def test_other_answers_stay_as_they_are(test: str, shift: float) -> None:
    pairs, (method,) = shifted(4, shift), parse_tests(test)
    pairs.values[0, 1] += 0.3 * (shift != 0)  # one topic differs from the others
    answer = method.compare(pairs, ASKED)
    constant = constant_differences(pairs, method, answer)
    assert not constant.any()
    assert bound_constant(answer, constant, pairs.topics, ASKED.level) is answer


def test_a_joint_test_may_take_its_error_from_other_runs() -> None:
    pairs, (tukey,) = shifted(4, 0.1, 0.2), parse_tests("tukey")
    assert constant_differences(pairs, tukey, tukey.compare(pairs, ASKED)).all()
    pairs.values[0, 2] += 0.1
    assert not constant_differences(pairs, tukey, tukey.compare(pairs, ASKED)).any()
