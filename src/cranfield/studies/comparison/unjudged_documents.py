"""Unjudged documents near the top of the compared runs, and how far they could move the primary measure."""

from collections.abc import Sequence

import numpy as np

from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.measures import Measure, bounds, map_scenario, unjudged_share

from .text import PairNames

MIN_JUDGED = 0.90  # of the first documents judged, below which a comparison says so
MAX_DIFFERENCE = 0.05  # by which two runs may differ
MAX_RUNS_NAMED = 3


def judged_shares(values: Values, cutoff: int) -> Matrix | None:
    """Return (run,): the mean proportion of the first ``cutoff`` documents that are judged; None without rankings."""
    unjudged = unjudged_share(values, cutoff)
    if unjudged is None:
        return None
    known = ~np.isnan(unjudged)
    return 1 - np.where(known, unjudged, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def unjudged_sentence(
    values: Values, pair: tuple[int, int], names: PairNames, cutoff: int, *, sparse: bool = False
) -> str:
    """Return a warning where few documents of a run are judged or two runs differ in that; "" otherwise.

    With ``sparse`` labels few documents are judged by design, and only a difference is reported.
    """
    shares = judged_shares(values, cutoff)
    if shares is None:
        return ""
    a, b = (float(shares[run]) for run in pair)
    if (sparse or min(a, b) >= MIN_JUDGED) and abs(a - b) <= MAX_DIFFERENCE:
        return ""
    warning = (
        f"Judged@{cutoff} is {b:.0%} for {names.b} and {a:.0%} for {names.a}: unjudged documents count as not relevant."
    )
    possible = _possible_values(values, pair, names)
    return f"{warning} {possible}" if possible else warning


def unjudged_notes(
    values: Values, chosen: Sequence[tuple[int, int]], cutoff: int, *, sparse: bool = False
) -> list[str]:
    """Return a warning on the compared runs of which few documents are judged."""
    shares = judged_shares(values, cutoff)
    if shares is None:
        return []
    runs = sorted({run for pair in chosen for run in pair}, key=lambda run: shares[run])
    low = [] if sparse else [run for run in runs if shares[run] < MIN_JUDGED]
    differing = sum(abs(shares[a] - shares[b]) > MAX_DIFFERENCE for a, b in chosen)
    if not low and not differing:
        return []
    lowest = ", ".join(f"{values.runs[run]} {shares[run]:.0%}" for run in runs[:MAX_RUNS_NAMED])
    parts = [f"{len(low):,} of {len(runs):,} runs have Judged@{cutoff} below {MIN_JUDGED:.0%}"] * bool(low)
    parts += [f"{differing:,} of {len(chosen):,} pairs differ in Judged@{cutoff} by more than 5 points"] * bool(
        differing
    )
    return [f"{' and '.join(parts)} (lowest: {lowest})"]


def _possible_values(values: Values, pair: tuple[int, int], names: PairNames) -> str:
    """Return between which values the primary measure may lie, or its values if all unjudged were of the top grade."""
    measure = values.measures[0]
    if values.assessed is None or not isinstance(measure, Measure):
        return ""
    runs = values.assessed.of_runs(list(pair))
    if measure.bounded:
        low, high = (np.nanmean(end[:, values.places], axis=1) for end in bounds(runs, measure))
        ends = [f"[{low[i]:.3f}, {high[i]:.3f}] for {name}" for i, name in ((1, names.b), (0, names.a))]
        return f"Once they are judged, {measure} can lie in {' and in '.join(ends)}."
    if getattr(measure, "k", None) is None or measure.asks_for:
        return ""
    best = np.nanmean(map_scenario(runs, [measure], "as_best")[:, values.places, 0], axis=1)
    both = f"{best[1]:.3f} for {names.b} and {best[0]:.3f} for {names.a}"
    return f"If all of them had the top grade, {measure} would be {both}."
