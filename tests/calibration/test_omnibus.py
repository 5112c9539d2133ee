"""Many equal runs: how often does an analysis of all of them say that they differ?"""

import pytest

from cranfield.stats import Friedman, KruskalWallis, Omnibus, TwoWay
from tests.support.calibration.error_rates import LEVEL, Check, Rate
from tests.support.calibration.null_distributions import AP, APART, NORMAL, P10, Data, draw_for, exchange
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import omnibus, scaled
from tests.support.run_size import Size

SECTION = "Analyses of many equal runs"
RUNS = 6


def rates(analysis: Omnibus, data: Data, topics: int, size: Size) -> dict[str, Rate]:
    """How often each row of an analysis is significant though the values of each topic were exchanged."""
    draw = draw_for("omnibus", data.name, topics)
    values = exchange(draw, data.make(draw, topics, scaled(size.draws, 300), RUNS))
    return {source: Rate(p[None] <= LEVEL) for source, p in omnibus(analysis, values).items()}


@pytest.mark.parametrize("topics", [10, 50])
@pytest.mark.parametrize("data", [AP, P10, NORMAL], ids=str)
def test_f_of_the_analysis_of_variance_is_near_its_level(data: Data, topics: int, judge: Judge, size: Size) -> None:
    rate = rates(TwoWay(), data, topics, size)["system"]
    held = data is NORMAL or topics >= 50  # made for normal values, and good for others where topics are many
    judge(SECTION, TwoWay(), data, topics, rate, Check.near(LEVEL, rate) if held else None)


@pytest.mark.parametrize("topics", [10, 50])
@pytest.mark.parametrize("data", [AP, P10, NORMAL], ids=str)
def test_friedman_keeps_its_level_and_iman_and_davenport_come_near(
    data: Data, topics: int, judge: Judge, size: Size
) -> None:
    cautious, near = rates(Friedman(), data, topics, size).values()
    judge(SECTION, Friedman(), data, topics, cautious, Check.at_most(LEVEL, cautious))
    judge(SECTION, "iman-davenport", data, topics, near, Check.near(LEVEL, near) if topics >= 50 else None)


@pytest.mark.parametrize("topics", [10, 50])
@pytest.mark.parametrize("data", [AP, APART], ids=str)
def test_kruskal_and_wallis_ignore_topics_and_are_cautious(data: Data, topics: int, judge: Judge, size: Size) -> None:
    rate = rates(KruskalWallis(), data, topics, size)["system"]
    judge(SECTION, KruskalWallis(), data, topics, rate, Check.at_most(LEVEL, rate))
    assert data is APART or rate.value < LEVEL / 2  # where topics differ, far below
