"""The interval of the randomisation test against the test itself, asked about shifted differences."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.stats.pair_tests import flip_intervals
from cranfield.stats.pair_tests.base import Alternative, Answer, Asked, Pairs
from cranfield.stats.pair_tests.randomisation import Randomisation
from cranfield.stats.pair_tests.resampling import Exact

Matrix = NDArray[np.float64]

NAN = float("nan")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
STEP = 1e-7


def matrix(topics: int, seed: int = 5) -> Matrix:
    """Four runs; some values of the last one are missing."""
    drawn = np.random.default_rng(seed)
    made = drawn.random((topics, 4)) + 0.2 * np.arange(4)
    made[: topics // 4, 3] = NAN
    return made


def compared(test: Randomisation, values: Matrix, level: float) -> tuple[Answer, Matrix, Matrix]:
    answer = test.compare(Pairs.against(values, 0), Asked(level=level))
    assert answer.low is not None
    assert answer.high is not None
    return answer, answer.low, answer.high


def p_after(test: Randomisation, values: Matrix, run: int, shift: float) -> float:
    """Return p of one run against the first after every difference is lowered by a shift."""
    moved = values.copy()
    moved[:, run] -= shift
    return float(test.compare(Pairs.against(moved, 0), Asked()).p[run - 1])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("topics", "exact"), [(9, "auto"), (12, "auto"), (12, "never"), (40, "never")])
def test_p_passes_the_level_at_each_end(topics: int, exact: Exact, alternative: Alternative) -> None:
    values, level = matrix(topics), 0.1
    test = Randomisation(draws=999 if exact == "never" else 10_000, exact=exact, alternative=alternative)
    _, low, high = compared(test, values, level)
    for run in (1, 2, 3):
        for end, outwards, open_side in ((low[run - 1], -1, "less"), (high[run - 1], 1, "greater")):
            if alternative == open_side:
                assert np.isnan(end)
                continue
            assert p_after(test, values, run, end + outwards * STEP) <= level
            assert p_after(test, values, run, end - outwards * STEP) > level


@pytest.mark.parametrize("exact", ["auto", "never"])
def test_0_is_outside_exactly_where_p_is_at_most_the_level(exact: Exact) -> None:
    values = np.random.default_rng(1).random((30, 40)) ** 2
    level = 0.2
    answer = Randomisation(draws=499, exact=exact).compare(Pairs.every(values), Asked(level=level))
    assert answer.low is not None
    assert answer.high is not None
    outside = (answer.low > 0) | (answer.high < 0)
    assert outside.tolist() == (answer.p <= level).tolist()
    assert 50 < outside.sum() < 400


def test_all_subset_means_of_few_topics() -> None:
    # Level 1/2 of eight flips: two on each side, the empty one included. The subset means of 1, 2, 6 are
    # 1, 1.5, 2, 3, 3.5, 4, 6: the second from each side.
    values = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 6.0]])
    _, low, high = compared(Randomisation(), values, 0.5)
    assert (low[0], high[0]) == (1.5, 4)
    _, low, high = compared(Randomisation(), values, 0.2)  # one of eight is not enough for a tenth
    assert np.isnan([low[0], high[0]]).all()


def test_sums_that_do_not_fit_leave_p_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    values, test = matrix(40), Randomisation(draws=600, exact="never")
    answer, low, _ = compared(test, values, 0.05)
    monkeypatch.setattr(flip_intervals, "MAX_SUMS", 100)
    without, none, _ = compared(test, values, 0.05)
    assert without.p.tolist() == answer.p.tolist()
    assert np.isnan(none).all()
    assert not np.isnan(low).any()
