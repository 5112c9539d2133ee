"""Error rates of verdicts and requirements on runs whose true difference is known, and the power to find harm."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.stats import Evidence, Holm, verdicts_by_measure
from tests.support.calibration.compared_runs import Comparisons, draw_comparisons, rate_of, simulate_comparisons
from tests.support.calibration.error_rates import LEVEL, Check, Rate
from tests.support.calibration.evaluated_rankings import Rankings, collapse_run, load_rankings, scores_in_order
from tests.support.calibration.null_distributions import draw_for
from tests.support.calibration.page_figures import Judge
from tests.support.run_size import Size

EQUAL_RUNS = "Verdicts on two equal runs"
COST = "The cost of Holm over all lines"
HARM = "Harm that no-harm misses"
AT_MARGIN = "Verdicts at the margin"

TOPICS = (25, 50, 200)
FALSE_ALARMS = 0.075  # primary one-sided at the level, other lines together two-sided at the level: .05 + .05 / 2
MARGIN = 0.5  # standard deviations
NEAR = 0.05  # how near the power for real differences is to that for normal ones
RARE = 0.01
WINDOW = 0.05  # around an effect, in standard deviations


@pytest.mark.parametrize("name", ["simulated", "one relevant"])
def test_exchanges_keep_measures_and_dominance_together(name: str) -> None:
    rankings = load_rankings(name)
    sample = draw_comparisons(rankings, rankings.pairs, 50, 200, draw_for("consistent", name))
    gain = sample.cubes[1] - sample.cubes[0]
    assert sample.dominance is not None
    # Every measure here is monotone: it cannot fall where the whole ranking dominates (ferrante2019).
    assert (gain[sample.dominance == 1] > -1e-12).all()
    assert (gain[sample.dominance == -1] < 1e-12).all()
    assert min((sample.dominance == side).mean() for side in (1, -1)) > 0.1


def test_a_collapse_keeps_only_the_first_relevant_document_in_place() -> None:
    grades = {"1": {"a": 0.0, "b": 1.0, "d": 2.0, "e": 1.0}}
    run = {"1": scores_in_order("abcdef")}
    assert collapse_run(run, grades) == {"1": scores_in_order("abcfde")}
    rankings = load_rankings("simulated")
    assert rankings.collapse is not None
    assert np.array_equal(rankings.collapse.first, rankings.first, equal_nan=True)
    runs = np.arange(len(rankings.cube))
    assert set(np.unique(rankings.collapse.dominance[runs, runs])) == {-1, 0}


def check_equal_runs(rankings: Rankings, topics: int, judge: Judge, size: Size) -> None:
    """Count verdicts and failed requirements where neither run is better."""
    claims: dict[int, list[NDArray[np.bool_]]] = {1: [], 3: []}
    alarms: dict[int, list[NDArray[np.bool_]]] = {1: [], 3: []}
    for sample in simulate_comparisons(rankings, topics, size):
        for measures in claims:
            evidence = sample.evidence(measures)
            claims[measures].append(np.isin(verdicts_by_measure(evidence), ["better", "worse"]))
            alarms[measures].append(~sample.passes("no-harm", evidence))
    for measures, number in ((1, "one measure"), (3, "three measures")):
        rate = rate_of(claims[measures])
        judge(EQUAL_RUNS, f"better or worse, {number}", rankings, topics, rate, Check.at_most(LEVEL, rate))
        rate = rate_of(alarms[measures])
        check = Check.at_most(FALSE_ALARMS, rate, by=0.0)
        judge(EQUAL_RUNS, f"no-harm fails, {number}", rankings, topics, rate, check)


@pytest.mark.parametrize("topics", TOPICS)
def test_verdicts_on_equal_simulated_runs(topics: int, simulated_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_equal_runs(simulated_rankings, topics, judge, size)


@pytest.mark.parametrize("topics", TOPICS)
def test_verdicts_on_equal_real_runs(topics: int, real_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_equal_runs(real_rankings, topics, judge, size)


def holm_over_lines(evidence: Evidence) -> NDArray[np.bool_]:
    """Return where the primary measure is significant after Holm over all lines, which is not the rule in use."""
    p = np.stack([line.p for line in evidence.lines])
    return np.apply_along_axis(Holm().adjust, 0, p)[0] <= evidence.level


def check_cost(rankings: Rankings, topics: int, judge: Judge, size: Size) -> None:
    """Count verdicts with the primary measure uncorrected and with Holm over all lines, on runs that differ or not."""
    for effect, word in ((0.0, "equal runs called better or worse"), (0.3, "difference of 0.3 sd missed")):
        pairs = np.argwhere(np.abs(rankings.effect + effect) < WINDOW) if effect else rankings.pairs
        uncorrected, holm = [], []
        for sample in simulate_comparisons(rankings, topics, size, pairs=pairs, exchange=not effect):
            evidence = sample.evidence(3)
            uncorrected.append((evidence.statuses[0] != 0) == (not effect))
            holm.append(holm_over_lines(evidence) == (not effect))
        judge(COST, word, rankings, topics, rate_of(uncorrected))
        judge(COST, f"{word}, Holm", rankings, topics, rate_of(holm))
        # Holm can only withdraw claims.
        assert (rate_of(holm).value < rate_of(uncorrected).value) == (not effect)


def test_cost_of_holm_in_simulated_runs(simulated_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_cost(simulated_rankings, 50, judge, size)


def test_cost_of_holm_in_real_runs(real_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_cost(real_rankings, 50, judge, size)


def misses(sample: Comparisons) -> NDArray[np.bool_]:
    """Return where no-harm passes a run that does harm."""
    return sample.passes("no-harm", sample.evidence(1))


def miss_rates(rankings: Rankings, topics: int, size: Size) -> dict[str, Rate]:
    """Return how often no-harm passes a run that does harm, for each kind of harm."""
    same = np.stack([np.arange(len(rankings.cube))] * 2, axis=1)
    passes: dict[str, list[NDArray[np.bool_]]] = {}
    for part, sample in enumerate(simulate_comparisons(rankings, topics, size)):
        for effect in (0.2, 0.5):
            name = f"drop of {effect} sd in the measure"
            passes.setdefault(name, []).append(misses(sample.shift(-effect * sample.spread)))
        lost = sample.lose(draw_for("lose", rankings.name, topics, part), 0.1)
        passes.setdefault("10% of topics lost, other run", []).append(misses(lost))
    for part, sample in enumerate(simulate_comparisons(rankings, topics, size, pairs=same)):
        lost = sample.lose(draw_for("lose", rankings.name, topics, part), 0.1)
        passes.setdefault("10% of topics lost, same run", []).append(misses(lost))
    for effect in (0.2, 0.5):
        worse = np.argwhere(np.abs(rankings.effect + effect) < WINDOW)
        passes[f"runs that differ by {effect} sd"] = [
            misses(sample) for sample in simulate_comparisons(rankings, topics, size, pairs=worse, exchange=False)
        ]
    if rankings.collapse is not None:
        for name, pairs in (("other run", rankings.pairs), ("same run", same)):
            passes[f"only first relevant kept, {name}"] = [
                misses(sample) for sample in simulate_comparisons(rankings, topics, size, pairs=pairs, collapse=True)
            ]
    return {name: rate_of(parts) for name, parts in passes.items()}


def miss_of_normal(effect: float, topics: int) -> float:
    """Return how often the one-sided t-test misses a drop of ``effect`` standard deviations of normal differences."""
    critical = stats.t.ppf(1 - LEVEL, topics - 1)
    return float(stats.nct.cdf(critical, topics - 1, effect * np.sqrt(topics)))


def check_harm(rankings: Rankings, topics: int, judge: Judge, size: Size) -> None:
    """Compare the misses of no-harm with those of a t-test of normal differences; a collapse must be found."""
    for name, rate in miss_rates(rankings, topics, size).items():
        check = None
        if name.startswith("drop of"):
            expected = miss_of_normal(float(name.split()[2]), topics)
            lowest = max(0.0, expected - NEAR)
            check = Check(simulations=rate.simulations, lowest=lowest, highest=expected + NEAR)
        elif name == "only first relevant kept, same run":
            check = Check.at_most(RARE, rate)
        judge(HARM, name, rankings, topics, rate, check)


@pytest.mark.parametrize("topics", TOPICS)
def test_harm_in_simulated_runs(topics: int, simulated_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_harm(simulated_rankings, topics, judge, size)


@pytest.mark.parametrize("topics", TOPICS)
def test_harm_in_real_runs(topics: int, real_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_harm(real_rankings, topics, judge, size)


def check_margin(rankings: Rankings, topics: int, judge: Judge, size: Size) -> None:
    """Count wrong claims where b is worse by exactly the margin."""
    for exchange, differences in ((True, "exchanged"), (False, "centred")):
        passes, equivalent = [], []
        for sample in simulate_comparisons(rankings, topics, size, exchange=exchange):
            unit = sample.rescale()
            worse = unit.shift(-MARGIN - (0.0 if exchange else 1.0) * unit.centre)
            evidence = worse.evidence(1)
            passes.append(worse.passes("not-worse", evidence, MARGIN))
            equivalent.append(verdicts_by_measure(evidence, MARGIN) == "equivalent")
        for name, parts in (("not-worse passes", passes), ("equivalent", equivalent)):
            rate = rate_of(parts)
            judge(AT_MARGIN, f"{name}, {differences}", rankings, topics, rate, Check.at_most(LEVEL, rate))


@pytest.mark.parametrize("topics", TOPICS)
def test_margins_of_simulated_runs(topics: int, simulated_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_margin(simulated_rankings, topics, judge, size)


@pytest.mark.parametrize("topics", TOPICS)
def test_margins_of_real_runs(topics: int, real_rankings: Rankings, judge: Judge, size: Size) -> None:
    check_margin(real_rankings, topics, judge, size)
