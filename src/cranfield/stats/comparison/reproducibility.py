"""Reproduced and replicated runs compared with their originals (breuer2020)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cranfield.core import Direction, Table
from cranfield.core.types import Matrix, Rows
from cranfield.data import Values
from cranfield.stats.estimates.confidence_intervals import TInterval, resample
from cranfield.stats.pair_tests.base import Asked, Pairs
from cranfield.stats.pair_tests.closed_form import T
from cranfield.stats.private_topics.overfitting import Welch

DRAWS = 10_000
COLUMNS = ("original", "run", "measure", "statistic", "value", "low", "high", "p")


@dataclass(frozen=True, slots=True)
class Told:
    """A statistic of one run beside its original; NaN where there is none."""

    statistic: str
    value: float
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan


def mean_told(statistic: str, values: Any, asked: Asked) -> Told:
    """The mean of what topics have, with Student's interval; topics without a number are left out."""
    there = np.array(values, np.float64)
    there = there[~np.isnan(there)]
    if not len(there):
        return Told(statistic, np.nan)
    low, high = TInterval().around(there[:, None], asked)
    return Told(statistic, float(there.mean()), float(low[0]), float(high[0]))


def reproduced(original: Rows, run: Rows, *, asked: Asked, draws: int = DRAWS) -> list[Told]:
    """A run beside the original on the same topics: the difference of means by the paired t test, and the RMSE."""
    both = ~np.isnan(original) & ~np.isnan(run)
    values = np.column_stack([original, run])[both]
    if not len(values):
        return [Told("difference", np.nan), Told("rmse", np.nan)]
    answer = T().compare(Pairs.given(values, [(0, 1)]), asked)
    ends = TInterval().of(Pairs.given(values, [(0, 1)]), asked)
    squares = (values[:, 1] - values[:, 0])[:, None] ** 2
    low, high = _between(np.sqrt(resample(squares, draws, seed=asked.seed)[0]), asked.level)
    difference = float((values[:, 1] - values[:, 0]).mean())
    return [
        Told("difference", difference, float(ends[0][0]), float(ends[1][0]), float(answer.p[0])),
        Told("rmse", float(np.sqrt(squares.mean())), low, high),
    ]


def replicated(original: Rows, run: Rows, *, asked: Asked) -> list[Told]:
    """A run on other topics beside the original: the difference of means by Welch's test, which needs no pairs."""
    found = Welch.of(run[None, :], original[None, :], asked.level)
    one_sided = float(found.p[0])
    p = 2 * min(one_sided, 1 - one_sided)
    return [Told("difference", float(found.difference[0]), float(found.low[0]), float(found.high[0]), p)]


def improvements(original: Matrix, runs: Matrix, *, paired: bool, asked: Asked, draws: int = DRAWS) -> list[Told]:
    """What an advanced run gains over its baseline, beside what it gained in the original: effect ratio and ΔRI.

    Both are (topic, 2): the baseline, then the advanced run. Intervals are percentiles over topics drawn again, the
    same for all four runs where they are ``paired``. The effect ratio has none where the original improvement may well
    be none at all: it would divide by what can be 0.
    """
    original, runs = original[~np.isnan(original).any(axis=1)], runs[~np.isnan(runs).any(axis=1)]
    if not len(original) or not len(runs):
        return [Told("effect-ratio", np.nan), Told("delta-ri", np.nan)]
    ratio, delta = _improved(original.mean(axis=0)[:, None], runs.mean(axis=0)[:, None])
    # Other topics are drawn by themselves.
    drawn = resample(original, draws, seed=asked.seed), resample(runs, draws, seed=asked.seed + (not paired))
    ratios, deltas = _improved(*drawn)
    gained = original.mean(axis=0) @ (-1, 1)
    turned = np.mean((drawn[0][1] - drawn[0][0]) * np.sign(gained) <= 0)
    unknown = gained == 0 or turned > asked.level / 2
    ends = (np.nan, np.nan) if unknown else _between(ratios, asked.level)
    return [
        Told("effect-ratio", float(ratio[0]), *ends),
        Told("delta-ri", float(delta[0]), *_between(deltas, asked.level)),
    ]


def _improved(original: Matrix, runs: Matrix) -> tuple[Rows, Rows]:
    """(draw,): the effect ratio and ΔRI of means (baseline and advanced, draw); NaN where they divide by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (runs[1] - runs[0]) / (original[1] - original[0])
        delta = original[1] / original[0] - runs[1] / runs[0]
    return tuple(np.where(np.isfinite(found), found, np.nan) for found in (ratio, delta))  # type: ignore[return-value]


def _between(drawn: Rows, level: float) -> tuple[float, float]:
    if np.isnan(drawn).any():
        return np.nan, np.nan
    low, high = np.quantile(drawn, (level / 2, 1 - level / 2))
    return float(low), float(high)


def beside_originals(
    originals: Values, runs: Values, *, paired: bool, asked: Asked, draws: int = DRAWS
) -> list[dict[str, Any]]:
    """Rows of ``reproduce`` for every measure: each run beside its original, and pairs beside the original pair.

    The runs are as many as the originals, or once, twice, … as many, in the order of the originals each time.
    """
    rows: list[dict[str, Any]] = []
    size = len(originals.runs)
    for measure in originals.measures:
        first, second = originals.matrix(measure), runs.matrix(measure)
        for start in range(0, len(runs.runs), size):
            for i, original in enumerate(originals.runs):
                sides = first[:, i], second[:, start + i]
                told = reproduced(*sides, asked=asked, draws=draws) if paired else replicated(*sides, asked=asked)
                rows += [row_of(original, runs.runs[start + i], one, measure) for one in told]
            if size == 2:
                told = improvements(first, second[:, start : start + 2], paired=paired, asked=asked, draws=draws)
                rows += [row_of(originals.runs[1], runs.runs[start + 1], one, measure) for one in told]
    return rows


def no_improvement(originals: Values) -> tuple[str, ...]:
    """A note on the measures by which the second original is no better than the first."""
    if len(originals.runs) != 2:
        return ()
    sides = {measure: originals.matrix(measure).mean(axis=0) for measure in originals.measures}
    ahead = {m: b < a if m.direction is Direction.LOWER else b > a for m, (a, b) in sides.items()}
    names = ", ".join(str(measure) for measure, better in ahead.items() if not better)
    first, second = originals.runs
    return (f"{second} does not improve on {first} in {names}: what is compared there is a loss",) if names else ()


def row_of(original: str, run: str, told: Told, measure: object = None) -> dict[str, Any]:
    """A row of the table."""
    name = None if measure is None else str(measure)
    return {"original": original, "run": run, "measure": name, **{k: getattr(told, k) for k in COLUMNS[3:]}}


def reproduce_table(rows: Sequence[Mapping[str, Any]], *, made_by: Any) -> Table:
    """One row for each statistic of each run."""
    open_ended = [row for row in rows if row["statistic"] == "effect-ratio" and np.isnan(row["low"])]
    note = "the original improvement may be none at all: its effect ratio has no interval"
    notes = (note,) * bool(open_ended)
    return Table.from_rows(rows, COLUMNS, caption="runs beside their originals", made_by=made_by, notes=notes)


def reproduced_sentence(rows: Sequence[Mapping[str, Any]], *, paired: bool, level: float) -> str:
    """How close the closest run comes to its original, by the first measure, in words."""
    measure = next(row["measure"] for row in rows if row["measure"] is not None)
    told = {(row["run"], row["statistic"]): row for row in rows if row["measure"] in (None, measure)}
    runs = list(dict.fromkeys(run for run, statistic in told if statistic == "difference"))
    by = "rmse" if paired else "difference"
    run = min(runs, key=lambda name: abs(told[name, by]["value"]))
    row = told[run, "difference"]
    verb = "differs" if row["p"] <= level else "is not shown to differ"
    test = "paired t" if paired else "Welch's t"
    said = f"{run} {verb} from {row['original']} in {measure}: {row['value']:+.4f} ({test}, p = {row['p']:.3g})"
    if paired:
        said += f", off by {told[run, 'rmse']['value']:.4f} in a topic (RMSE)"
        if (run, "rbo") in told:
            said += (
                f"; its rankings: RBO {told[run, 'rbo']['value']:.3f}, τ union {told[run, 'tau-union']['value']:.3f}"
            )
    pairs = [row for (_, statistic), row in told.items() if statistic == "effect-ratio"]
    if pairs:
        best = min(pairs, key=lambda row: abs(row["value"] - 1))
        delta = told[best["run"], "delta-ri"]["value"]
        said += (
            f". {best['run']} is {best['value']:.2f} times as far from its baseline as the original (ΔRI {delta:+.3f})"
        )
    closest = f"Of {len(runs)} runs the closest: " if len(runs) > len(pairs) + 1 else ""
    return f"{closest}{said}."
