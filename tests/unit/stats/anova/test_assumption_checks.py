"""The report on assumptions: its numbers against scipy, and every sentence where it belongs."""

from math import inf, isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.data import read_scores
from cranfield.stats.anova.assumption_checks import Finding, assumptions

NAN = float("nan")


def found(values: NDArray[np.float64], **options: float) -> dict[str, Finding]:
    return {finding.check: finding for finding in assumptions(values, **options)}


def normal(topics: int = 30, runs: int = 6, spread: list[float] | None = None) -> NDArray[np.float64]:
    """A topic effect, a run effect, and normal errors, as the analysis wants them; some runs spread more."""
    drawn = np.random.default_rng(1)
    topic, error = drawn.normal(0.5, 0.2, (topics, 1)), drawn.normal(0, 0.05, (topics, runs))
    return topic + 0.02 * np.arange(runs) + error * (spread or [1.0] * runs)


def errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the two-way model."""
    return values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()


def test_the_numbers_are_scipys() -> None:
    values = np.random.default_rng(2).beta(0.5, 1.5, (40, 5))
    values[3, 1] = values[3, 2]
    report = found(values)
    left = errors(values)
    assert report["topics"].value == 40
    assert report["skew of the errors"].value == pytest.approx(stats.skew(left.ravel()))
    assert report["kurtosis of the errors"].value == pytest.approx(stats.kurtosis(left.ravel()))
    variance = left.var(axis=0)
    spread = report["largest by smallest variance"]
    assert spread.value == pytest.approx(variance.max() / variance.min())
    assert spread.p == pytest.approx(stats.levene(*left.T, center="median").pvalue)
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    skew = [float(np.abs(stats.skew(values[:, b] - values[:, a]))) for a, b in pairs]
    assert report["skew of the differences"].value == pytest.approx(np.quantile(skew, 0.95))
    assert report["share of ties"].value == 1 / (10 * 40)
    assert report["share at 0 or 1"].value == 0


def test_one_finding_for_each_question_with_one_sentence() -> None:
    report = assumptions(normal(60))
    assert len({finding.check for finding in report}) == len(report) == 7
    for finding in report:
        assert finding.why
        assert ". " not in finding.why
        assert not finding.matters, finding


@pytest.mark.parametrize(
    ("topics", "matters", "why"), [(24, True, "no fewer than 25 topics"), (25, False, "from 25 topics up")]
)
def test_topics(topics: int, matters: bool, why: str) -> None:
    finding = found(normal(topics))["topics"]
    assert (finding.value, finding.matters) == (topics, matters)
    assert why in finding.why


def test_topics_with_gaps_are_left_out() -> None:
    values = normal()
    values[4, 2] = values[9, 0] = NAN
    gaps, whole = found(values), found(np.delete(values, [4, 9], axis=0))
    assert gaps["topics"].value == 28
    assert gaps["topics"].why.endswith("; 2 without a value for every run are left out")
    assert gaps["share of ties"] == whole["share of ties"]
    assert gaps["largest by smallest variance"] == whole["largest by smallest variance"]


def one_far_off(topics: int, runs: int = 2) -> NDArray[np.float64]:
    """The last run differs in one topic: of its differences to the others, the skew is (n − 2) / √(n − 1)."""
    values = np.zeros((topics, runs))
    values[0, -1] = 1.0
    return values


@pytest.mark.parametrize(
    ("topics", "why"),
    [
        (20, "fails for 1 of 1 pairs: t and its interval may be off; sign asks less"),
        (50, "fails for 1 of 1 pairs: the t test stands it from 25 topics up (urbano2019errors)"),
    ],
)
def test_skewed_differences(topics: int, why: str) -> None:
    finding = found(one_far_off(topics))["skew of the differences"]
    assert finding.value == pytest.approx((topics - 2) / sqrt(topics - 1))
    assert finding.matters
    assert why in finding.why


def test_the_rule_of_cochran_has_its_edge_at_25_skews_squared() -> None:
    # Differences 1 in k of n topics and 0 elsewhere: skew is (1 − 2p) / √(p(1 − p)), p = k/n. With 100 topics,
    # k = 7 has .86/.2551 = 3.371 and breaks the rule (25 · 3.371² = 284), k = 18 has .64/.3842 = 1.666 (69).
    for k, broken in ((7, True), (18, False)):
        values = np.zeros((100, 2))
        values[:k, 1] = 1.0
        finding = found(values)["skew of the differences"]
        assert finding.matters is broken
    assert finding.why == "topics > 25 · skew² (cochran1977) holds for every pair: t and its interval are safe"


def test_a_few_skewed_pairs_do_not_matter() -> None:
    values = normal(runs=8)
    values[:, 1] = values[:, 0]
    values[5, 1] += 0.9  # of these two, and hardly of others: 1 of 28 pairs
    values[:, 2:] += np.random.default_rng(3).normal(0, 2, (30, 6))
    finding = found(values)["skew of the differences"]
    assert not finding.matters
    assert finding.why.endswith("fails for 1 of 28 pairs, too few to matter")


@pytest.mark.parametrize(
    ("topics", "matters", "why"),
    [(12, True, "look at Friedman too"), (60, False, "F holds all the same (ferro2024, carterette2012)")],
)
def test_errors_with_long_tails(topics: int, matters: bool, why: str) -> None:
    values = one_far_off(topics, runs=4)
    values[0, -1] = 30.0
    values += normal(topics, runs=4)
    report = found(values)
    for check, least in (("skew of the errors", 2), ("kurtosis of the errors", 6)):
        assert report[check].value > least
        assert report[check].matters is matters
        assert f"beyond {least}" in report[check].why
        assert why in report[check].why


def test_equal_spreads() -> None:
    finding = found(normal())["largest by smallest variance"]
    assert finding.p > 0.05
    assert finding.why == "the errors of the runs spread alike, as far as these topics tell"


def test_spreads_that_matter_for_single_pairs() -> None:
    finding = found(normal(60, spread=[1, 1, 1, 1, 1, 5]))["largest by smallest variance"]
    assert finding.p < 1e-6
    assert finding.matters
    assert "F stands it" in finding.why
    assert "one pair in 20 is tested at" in finding.why


def test_the_true_level_of_a_pair_under_one_error() -> None:
    # Three runs with errors of variance 0, 0, v: the differences have 0, v, v, on average 2v/3. The noisy pairs are
    # judged by errors √1.5 too small: at .05, the chance of a normal beyond 1.96/√1.5 = 1.6003 is .1095.
    values = np.zeros((40, 3))
    values[:, 2] = np.random.default_rng(0).normal(0, 1, 40)
    finding = found(values)["largest by smallest variance"]
    assert "is tested at 0.11 or more instead of 0.05" in finding.why


def test_uneven_spreads_that_do_no_harm() -> None:
    # With thousands of topics a small unevenness is found for sure, and hardly moves a level.
    finding = found(normal(4000, spread=[1, 1, 1.1, 1.1, 1.15, 1.15]))["largest by smallest variance"]
    assert finding.p < 0.05
    assert not finding.matters
    assert "hardly a pair is tested above 0.0" in finding.why


def test_two_runs_have_one_error() -> None:
    finding = found(normal(runs=2))["largest by smallest variance"]
    assert finding.value == pytest.approx(1)
    assert finding.p == 1
    assert not finding.matters


def test_a_run_without_errors() -> None:
    values = normal(runs=2)
    finding = found(np.column_stack([values, values.mean(axis=1)]))["largest by smallest variance"]
    assert finding.value == inf


def test_two_topics_cannot_tell_spreads() -> None:
    values = np.array([[0.1, 0.5, 0.2], [0.4, 0.3, 0.9]])
    finding = found(values)["largest by smallest variance"]
    assert isnan(finding.p)
    assert not finding.matters


def test_runs_that_differ_by_a_step_have_no_errors() -> None:
    report = found(np.arange(30.0)[:, None] + np.array([0.0, 1.0, 3.0]))
    assert report["largest by smallest variance"].value == 1
    assert report["largest by smallest variance"].p == 1
    assert report["skew of the errors"].value == report["kurtosis of the errors"].value == 0
    assert not any(finding.matters for finding in report.values())


def test_identical_runs() -> None:
    report = found(np.repeat(np.random.default_rng(0).random((30, 1)), 3, axis=1))
    assert report["share of ties"].value == 1
    assert [check for check, finding in report.items() if finding.matters] == ["share of ties"]
    assert not any(isnan(finding.value) for finding in report.values())


@pytest.mark.parametrize(
    ("equal", "matters", "why"),
    [(0, False, "no two runs"), (14, False, "leave these out"), (15, True, "half of the differences or more are 0")],
)
def test_ties(equal: int, matters: bool, why: str) -> None:
    values = normal(runs=2)
    values[:equal, 1] = values[:equal, 0] + 1e-16
    finding = found(values)["share of ties"]
    assert finding.value == pytest.approx(equal / 30)
    assert finding.matters is matters
    assert why in finding.why


def test_ends() -> None:
    values = np.full((30, 2), 0.5)
    values[:6, 0], values[:3, 1] = 0.0, 1.0
    finding = found(values)["share at 0 or 1"]
    assert finding.value == 9 / 60
    assert finding.why.startswith("values from 0 to 1: bounds make errors skewed")
    assert "go beyond 0 and 1" in found(values * 3)["share at 0 or 1"].why
    assert "go beyond 0 and 1" in found(values - 0.5)["share at 0 or 1"].why


@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (0, 2)])
def test_too_few_values_tell_nothing(shape: tuple[int, int]) -> None:
    with pytest.raises(ParameterError, match="tell nothing of how they spread"):
        assumptions(np.zeros(shape))


def test_trec_8(shared_data: Path) -> None:
    values = read_scores(shared_data / "score-matrices" / "adhoc8_ap.csv")
    report = found(values.matrix(values.measures[0]))
    # tague1995anova and carterette2012: runs spread unevenly, and it does little harm to F.
    assert report["largest by smallest variance"].p < 1e-10
    assert "F stands it" in report["largest by smallest variance"].why
    assert not report["skew of the errors"].matters
