"""Two equal runs: the values of each topic were exchanged by a fair coin. How often is a difference claimed?"""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.stats import Bootstrap, PairTest, Randomisation, RankSum, Sign, SignedRank, T
from tests.support.calibration.error_rates import FAIR, LEVEL, Check, Rate
from tests.support.calibration.null_distributions import AP, APART, P10, Data, exchanged_pairs, real
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import DRAWS, p_values, scaled
from tests.support.run_size import Size

SECTION = "Two equal runs"
REAL = "Two equal runs, from real campaigns"
DRAWN = Randomisation(draws=DRAWS, exact="never")
EXACT: list[PairTest] = [Sign(), SignedRank(), DRAWN]
BOOTSTRAPS = [Bootstrap(draws=DRAWS), Bootstrap(draws=DRAWS, kind="studentised")]


def answers(test: PairTest, data: Data, topics: int, simulations: int) -> NDArray[np.float64]:
    """(batch, simulation): the p-values of exchanged runs."""
    return p_values(test, lambda sets, batch: exchanged_pairs(data, topics, sets, batch), simulations)


@pytest.mark.parametrize(
    ("test", "data", "topics"),
    [
        *((test, AP, topics) for test in EXACT for topics in (10, 25, 50, 100)),
        *((test, P10, topics) for test in (*EXACT, SignedRank(zeros="pratt")) for topics in (10, 50)),
    ],
    ids=str,
)
def test_tests_of_exchanges_keep_their_level(test: PairTest, data: Data, topics: int, judge: Judge, size: Size) -> None:
    p = answers(test, data, topics, scaled(size.draws, 800))
    for level in (0.05, 0.01) if topics == 50 else (0.05,):
        rate = Rate(p <= level)
        judge(SECTION, test, data, topics, rate, Check.at_most(level, rate), level)


@pytest.mark.parametrize(("data", "topics"), [(AP, 10), (P10, 20), (P10, 50)], ids=str)
def test_so_does_the_randomisation_test_that_counts_all_flips(
    data: Data, topics: int, judge: Judge, size: Size
) -> None:
    test = Randomisation(exact="always")
    rate = Rate(answers(test, data, topics, scaled(size.draws, 200)) <= LEVEL)
    judge(SECTION, test, data, topics, rate, Check.at_most(LEVEL, rate))


@pytest.mark.parametrize(
    ("data", "topics"), [(AP, 10), (AP, 25), (AP, 50), (AP, 100), (AP, 500), (P10, 25), (P10, 100)], ids=str
)
def test_t_is_near_its_level_from_25_topics_up(data: Data, topics: int, judge: Judge, size: Size) -> None:
    rate = Rate(answers(T(), data, topics, scaled(size.draws, 800)) <= LEVEL)
    judge(SECTION, T(), data, topics, rate, Check.near(LEVEL, rate) if topics >= 25 else None)


@pytest.mark.parametrize("topics", [10, 25, 50, 100, 500])
@pytest.mark.parametrize("test", BOOTSTRAPS, ids=str)
def test_the_bootstrap_is_near_its_level_from_100_topics_up(
    test: PairTest, topics: int, judge: Judge, size: Size
) -> None:
    rate = Rate(answers(test, AP, topics, scaled(size.draws, 300)) <= LEVEL)
    judge(SECTION, test, AP, topics, rate, Check.near(LEVEL, rate, by=FAIR) if topics >= 100 else None)


@pytest.mark.parametrize("topics", [10, 50])
@pytest.mark.parametrize("data", [AP, APART], ids=str)
def test_the_rank_sum_test_ignores_topics_and_is_cautious(data: Data, topics: int, judge: Judge, size: Size) -> None:
    rate = Rate(answers(RankSum(), data, topics, scaled(size.draws, 800)) <= LEVEL)
    judge(SECTION, RankSum(), data, topics, rate, Check.at_most(LEVEL, rate))
    assert data is APART or rate.value < LEVEL / 2  # where topics differ, far below


@pytest.mark.parametrize("name", ["adhoc8_ap", "adhoc7_p10", "web2011_ndcg20"])
@pytest.mark.parametrize("test", [*EXACT, T(), RankSum()], ids=str)
def test_levels_on_the_values_of_real_runs(
    test: PairTest, name: str, judge: Judge, size: Size, shared_data: Path
) -> None:
    rate = Rate(answers(test, real(shared_data, name), 50, scaled(size.draws, 300)) <= LEVEL)
    check = Check.near(LEVEL, rate) if test == T() else Check.at_most(LEVEL, rate)
    judge(REAL, test, name, 50, rate, check)
