"""Error rates of the outcome rule on two equal runs, and of margins on topics answered."""

from collections.abc import Iterator

import numpy as np
import pytest

from cranfield.stats import Asked, Facets, Pairs, Uncorrected, judge
from cranfield.studies.comparison.margin_tests import harm_table
from cranfield.studies.comparison.outcome_tables import answered_table
from tests.support.calibration.compared_runs import rate_of, simulate_comparisons
from tests.support.calibration.error_rates import CLOSE, LEVEL, Check, Rate
from tests.support.calibration.evaluated_rankings import Rankings
from tests.support.calibration.null_distributions import Sets, all_pairs, draw_for, exchange
from tests.support.calibration.page_figures import Judge
from tests.support.calibration.repeated_procedures import BATCHES, scaled
from tests.support.run_size import Size

SECTION = "Outcome rule on two equal runs"
LESS = "Topics answered, a tenth less"
MARGIN = 0.1
DEEPEST = 100
VALUES = "ranks down to 100"
TOPICS = (25, 50, 200)


def first_ranks(topics: int, sets: int, batch: int) -> Sets:
    """Return ranks of the first relevant document, exchanged in each topic by a fair coin; NaN below rank 100.

    Some topics are harder for both runs. As for the runs of lin2021, both answer about 70% of the topics and one of
    them alone 28%.
    """
    draw = draw_for("verdicts", topics, batch)
    hard = draw.normal(1.5, 1.2, (topics, sets, 1))
    ranks = np.ceil(np.exp(hard + draw.normal(0, 1.2, (topics, sets, 2))))
    lost = draw.random(ranks.shape) < 0.15
    return exchange(draw, np.where(lost | (ranks > DEEPEST), np.nan, ranks))


def facets_of(topics: int, simulations: int) -> list[Facets]:
    """Return the facets of all comparisons, batch by batch."""
    each = simulations // BATCHES
    return [judge(all_pairs(first_ranks(topics, each, batch))) for batch in range(BATCHES)]


def test_simulated_topics_have_the_outcomes_of_lin2021() -> None:
    there = ~np.isnan(first_ranks(2000, 10, 0))
    assert there.all(axis=2).mean() == pytest.approx(0.7, abs=0.03)
    assert (there[..., 0] != there[..., 1]).mean() == pytest.approx(0.28, abs=0.02)


@pytest.mark.parametrize("topics", [50, 200, 1000])
def test_outcome_rule_on_simulated_ranks(topics: int, judge: Judge, size: Size) -> None:
    facets = facets_of(topics, scaled(size.draws, {50: 800, 200: 400, 1000: 200}[topics]))
    strict, plain, holm = rates_of(facets)
    # Both facets must err, and to the same side.
    judge(SECTION, "strict", VALUES, topics, strict, Check.at_most(LEVEL**2 / 2, strict))
    # One of two may err, unless the other errs to the opposite side: 2 · level − level² · 3/2 at most.
    judge(SECTION, "do no harm", VALUES, topics, plain, Check.at_most(2 * LEVEL - 1.5 * LEVEL**2, plain))
    judge(SECTION, "do no harm, Holm over the facets", VALUES, topics, holm, Check.at_most(LEVEL, holm))
    assert plain.value > LEVEL + 4 * plain.error(LEVEL)  # why Holm over the facets is the default


def rates_of(facets: list[Facets]) -> Iterator[Rate]:
    """Yield how often each form of the rule calls one of two equal runs better."""
    for name in ("strict", "do_no_harm", "do_no_harm_holm"):
        yield rate_of(getattr(one, name) != 0 for one in facets)


def check_rankings(rankings: Rankings, topics: int, judge: Judge, size: Size) -> None:
    """Count wrong claims on exchanged rankings; the facets are not independent of each other here."""
    _, plain, holm = rates_of([sample.facets() for sample in simulate_comparisons(rankings, topics, size)])
    facet = "first relevant" if rankings.dominance is None or rankings.single_relevant else "dominance"
    values = f"{rankings}, {facet}"
    judge(SECTION, "do no harm", values, topics, plain, Check.at_most(2 * LEVEL, plain))
    judge(SECTION, "do no harm, Holm over the facets", values, topics, holm, Check.at_most(LEVEL, holm))


@pytest.mark.parametrize("topics", TOPICS)
def test_outcome_rule_on_simulated_rankings(
    topics: int, simulated_rankings: Rankings, judge: Judge, size: Size
) -> None:
    check_rankings(simulated_rankings, topics, judge, size)


@pytest.mark.parametrize("topics", TOPICS)
def test_outcome_rule_on_real_rankings(topics: int, real_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_rankings(real_rankings, topics, judge, size)


def a_tenth_less(topics: int, alone: float, sets: int, batch: int) -> Pairs:
    """Return pairs in which b answers 10 points fewer topics than a; one run alone answers a proportion ``alone``."""
    sample = draw_for("margin", topics, str(alone), batch).random((topics, sets))
    only_a = (alone + MARGIN) / 2
    a, b = np.where((sample >= only_a) & (sample < alone), np.nan, 1.0), np.where(sample < only_a, np.nan, 1.0)
    return all_pairs(np.stack([a, b], axis=2))


@pytest.mark.parametrize(("topics", "alone"), [(50, 0.3), (200, 0.3), (200, 0.12), (1000, 0.3)])
def test_topics_answered_against_a_margin(topics: int, alone: float, judge: Judge, size: Size) -> None:
    sets = scaled(size.draws, 400) // BATCHES
    runs, passes, missed = ["run"] * (2 * sets), [], []
    for batch in range(BATCHES):
        pairs = a_tenth_less(topics, alone, sets, batch)
        table = harm_table(pairs, runs, margins={"answered": MARGIN}, values=None, chosen=(), asked=Asked())
        passes.append(np.array(table.column("shown"), dtype=bool))
        intervals = answered_table(pairs, runs, correction=Uncorrected(), asked=Asked())
        low, high = (np.array(intervals.column(end)) for end in ("low", "high"))
        missed.append((low > -MARGIN) | (high < -MARGIN))
    values = f"{alone:.0%} answered by one alone"
    rate = Rate(np.concatenate(passes)[None])
    judge(LESS, "no harm beyond .1", values, topics, rate, Check.at_most(LEVEL, rate, by=CLOSE))
    rate = Rate(np.concatenate(missed)[None])
    judge(LESS, "interval of the difference", values, topics, rate, Check.near(LEVEL, rate))
