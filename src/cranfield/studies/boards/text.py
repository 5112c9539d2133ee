"""Sentences of a leaderboard: the best mean, what differs from it significantly, and how stable its rank is."""

import numpy as np

from cranfield.core import Direction, Table, listed
from cranfield.stats import LEVEL, SUM_ERROR, Correction, PairTest, RankStability, share_letter, topics_until
from cranfield.studies.statistics_text import interval_text, topics_text, usual_test_name

ALMOST_ALL = 0.9995  # a proportion from here on would be shown as 100.0%
MAX_RUNS_NAMED = 3
FAMILY_TESTS = {"tukey": "Tukey's HSD", "max-t": "max-t test"}


def board_sentence(
    ranks: Table,
    stability: RankStability,
    *,
    test: PairTest,
    correction: Correction,
    measure: object = None,
    level: float = LEVEL,
) -> str:
    """Return the run with the best mean, the runs that are not significantly different, and how often it is first.

    Parameters
    ----------
    ranks : Table
        Rows of a leaderboard, the best mean first.
    stability : RankStability
        Ranks over bootstrap resamples of the topics.
    test, correction
        Test that decides which runs differ, and its correction over all pairs.
    measure : Measure, optional
        Measure of the leaderboard.
    level : float, default 0.05
        Level of significance.

    Returns
    -------
    str
        Two or three sentences.
    """
    runs = [str(run) for run in ranks.cells("run")]
    mean, first = (np.array(ranks.column(name), dtype=float) for name in ("mean", "p_first"))
    value = _value(ranks, stability, level)
    of = "mean" if measure is None else f"mean {measure}"
    if len(runs) == 1:
        return f"{runs[0]} is the only run ({of} {value})."
    tied = int((np.abs(mean - mean[0]) <= SUM_ERROR * np.abs(mean).max()).sum())
    best = "lowest" if getattr(measure, "direction", None) is Direction.LOWER else "highest"
    who = f"{listed(runs[:tied])} {'has' if tied == 1 else 'have'} the {best} {of} ({value})."
    how = f"({_test_text(test, correction, len(runs))}, level {level:g})"
    difference = f"{'It' if tied == 1 else runs[0]} {_difference(ranks, runs)} {how}."
    return f"{who} {difference} {_stability(runs, first, tied, stability)}"


def _value(ranks: Table, stability: RankStability, level: float) -> str:
    """Return the best mean with its interval, and the number of topics."""
    mean, low, high = (ranks.cells(name)[0] for name in ("mean", "low", "high"))
    parts = [f"{mean:.3f}"]
    if isinstance(low, float) and isinstance(high, float):
        parts.append(interval_text(low, high, confidence=level))
    return ", ".join([*parts, topics_text(stability.topics)])


def _test_text(test: PairTest, correction: Correction, runs: int) -> str:
    """Return the test with its correction over all pairs, such as "paired t-test, Holm over 15 pairs"."""
    pairs = runs * (runs - 1) // 2
    name = FAMILY_TESTS.get(test.name) or usual_test_name(str(test))
    if pairs == 1:
        return name
    family = f"all {pairs:,} pairs" if test.joint else f"{correction.usual_name} over {pairs:,} pairs"
    return f"{name}, {family}"


def _difference(ranks: Table, runs: list[str]) -> str:
    """Return how many of the other runs share no letter with the first one."""
    best, *others = map(str, ranks.cells("letters"))
    alike = [run for run, letters in zip(runs[1:], others, strict=True) if share_letter(best, letters)]
    many = len(others)
    if many == 1:
        return f"{'is not' if alike else 'is'} significantly different from {runs[1]}"
    if not alike:
        return f"differs significantly from all {many:,} other runs"
    if len(alike) == many:
        return f"is not significantly different from any of the {many:,} other runs"
    named = listed(alike) if len(alike) <= MAX_RUNS_NAMED else f"{len(alike):,} of them"
    return f"differs significantly from {many - len(alike):,} of {many:,} other runs, but not from {named}"


def _stability(runs: list[str], first: np.ndarray, tied: int, stability: RankStability) -> str:
    """Return how often the run with the best mean is first, and whether another run is first more often."""
    who = "It is" if tied == 1 else "One of them is"
    sentence = f"{who} first in {_often(float(first[:tied].sum()), stability)}"
    most = int(first.argmax())
    if most >= tied and first[most] > first[:tied].max() + SUM_ERROR:
        sentence += f"; {runs[most]} is first more often ({_percent(float(first[most]))})"
    return f"{sentence}."


def _often(proportion: float, stability: RankStability) -> str:
    resamples = stability.resamples
    if proportion < 1 - SUM_ERROR:
        return f"{_percent(proportion)} of {resamples}"
    return resamples if stability.exact else f"all {resamples}"


def _percent(proportion: float) -> str:
    return "over 99.9%" if proportion >= ALMOST_ALL else f"{100 * proportion:.1f}%"


def stable_order_sentence(sizes: Table) -> str:
    """Return from how many topics on other topics give nearly the same order of runs."""
    enough = topics_until(sizes)
    if enough is not None:
        return f"With {enough:,} topics or more, other topics give nearly the same order of runs (mean τ ≥ 0.9)."
    if not len(sizes):
        return ""
    most = sizes.cells("topics")[-1]
    return f"{most:,} topics are too few to give the same order of runs on other topics (mean τ < 0.9)."
