"""Intervals around the mean difference of equal runs, and equivalence where runs differ by as much as must not be."""

from dataclasses import replace

import numpy as np
import pytest

from cranfield.stats import BCa, Equivalence, Interval, Pairs, Percentile, TInterval
from tests.support.calibration.error_rates import CLOSE, FAIR, LEVEL, Check, Rate
from tests.support.calibration.null_distributions import AP, NORMAL, Data, exchanged_pairs
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import DRAWS, misses, p_values, scaled
from tests.support.run_size import Size

SECTION = "Intervals of equal runs"
EQUIVALENCE = "Equivalence, at the margin"


@pytest.mark.parametrize("topics", [10, 25, 50, 100, 500])
@pytest.mark.parametrize("interval", [TInterval(), Percentile(draws=DRAWS), BCa(draws=DRAWS)], ids=str)
def test_intervals_leave_out_the_mean_about_as_often_as_they_say(
    interval: Interval, topics: int, judge: Judge, size: Size
) -> None:
    simulations = scaled(size.draws, 300)
    rate = Rate(misses(interval, lambda sets, batch: exchanged_pairs(AP, topics, sets, batch), simulations))
    enough, by = (25, CLOSE) if interval == TInterval() else (100, FAIR)
    check = Check.near(LEVEL, rate, by=by) if topics >= enough else None
    judge(SECTION, f"{interval} interval", AP, topics, rate, check)


@pytest.mark.parametrize("topics", [25, 100, 500])
@pytest.mark.parametrize(("data", "away"), [(AP, 0.05), (AP, -0.05), (NORMAL, 1.0)], ids=str)
def test_runs_that_differ_by_the_margin_are_seldom_called_equivalent(
    data: Data, away: float, topics: int, judge: Judge, size: Size
) -> None:
    def make(sets: int, batch: int) -> Pairs:
        pairs = exchanged_pairs(data, topics, sets, batch)
        return replace(pairs, values=pairs.values + away * (np.arange(2 * sets) % 2))  # b is the odd column

    test = Equivalence(margin=abs(away))
    rate = Rate(p_values(test, make, scaled(size.draws, 400)) <= LEVEL)
    judge(EQUIVALENCE, test, f"{data}, {away:+g}", topics, rate, Check.at_most(LEVEL, rate))
