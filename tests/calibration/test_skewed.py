"""Differences with the mean 0 and another median: who asks for the mean keeps its level, who does not finds them."""

import pytest

from cranfield.stats import (
    BCa,
    Bootstrap,
    Interval,
    PairTest,
    Percentile,
    Randomisation,
    Sign,
    SignedRank,
    T,
    TInterval,
)
from tests.support.calibration.error_rates import CLOSE, FAIR, LEVEL, Check, Rate
from tests.support.calibration.null_distributions import skewed_pairs
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import DRAWS, misses, p_values, scaled
from tests.support.run_size import Size

SECTION = "Skewed differences with the mean 0"
OF_MEANS: list[PairTest] = [T(), Bootstrap(draws=DRAWS), Bootstrap(draws=DRAWS, kind="studentised")]
INTERVALS: list[Interval] = [TInterval(), Percentile(draws=DRAWS), BCa(draws=DRAWS)]


def rate_of(test: PairTest, shape: str, topics: int, simulations: int) -> Rate:
    """How often a test finds a difference."""
    return Rate(p_values(test, lambda sets, batch: skewed_pairs(shape, topics, sets, batch), simulations) <= LEVEL)


@pytest.mark.parametrize(("shape", "topics"), [("exponential", 50), ("exponential", 500), ("lognormal", 500)], ids=str)
@pytest.mark.parametrize("test", OF_MEANS, ids=str)
def test_tests_of_means_are_near_their_level_from_500_topics_up(
    test: PairTest, shape: str, topics: int, judge: Judge, size: Size
) -> None:
    rate = rate_of(test, shape, topics, scaled(size.draws, 300))
    held = shape == "exponential" and topics >= 500
    by = CLOSE if test == T() else FAIR
    judge(SECTION, test, shape, topics, rate, Check.near(LEVEL, rate, by=by) if held else None)


@pytest.mark.parametrize("shape", ["exponential", "lognormal"])
@pytest.mark.parametrize("interval", INTERVALS, ids=str)
def test_intervals_leave_out_the_mean_about_as_often_as_they_say(
    interval: Interval, shape: str, judge: Judge, size: Size
) -> None:
    simulations = scaled(size.draws, 300)
    rate = Rate(misses(interval, lambda sets, batch: skewed_pairs(shape, 500, sets, batch), simulations))
    by = CLOSE if interval == TInterval() else FAIR
    held = shape == "exponential"
    judge(SECTION, f"{interval} interval", shape, 500, rate, Check.near(LEVEL, rate, by=by) if held else None)


@pytest.mark.parametrize("topics", [50, 500])
def test_the_randomisation_test_asks_for_more_than_the_mean(topics: int, judge: Judge, size: Size) -> None:
    # Its null is the exchange; for many topics the mean of flipped differences is normal, and it comes close to t.
    test = Randomisation(draws=DRAWS, exact="never")
    judge(SECTION, test, "exponential", topics, rate_of(test, "exponential", topics, scaled(size.draws, 300)))


@pytest.mark.parametrize("test", [Sign(), SignedRank()], ids=str)
def test_tests_of_the_median_and_of_symmetry_find_what_is_there(test: PairTest, judge: Judge, size: Size) -> None:
    rates = {topics: rate_of(test, "exponential", topics, scaled(size.draws, 200)) for topics in (25, 50, 200, 1_000)}
    for topics, rate in rates.items():
        judge(SECTION, test, "exponential", topics, rate)
    values = [rate.value for rate in rates.values()]
    assert values == sorted(values)
    assert values[0] > LEVEL + 3 * rates[25].error(LEVEL)
    assert values[-1] > 0.99  # P(d > 0) = 1/e, and P(d + d' > 0) = 3/e²: neither is one half
