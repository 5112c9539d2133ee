"""Risk-sensitive measures of runs, which weight losses more than gains: URisk, TRisk and GeoRisk."""

from typing import Any

import numpy as np

from cranfield.core import Direction, ParameterError, Table
from cranfield.core.types import Matrix, Rows
from cranfield.data import Values
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, power_of_two, subtract, zero_within

COLUMNS = (
    *("run", "baseline", "measure", "alpha", "n", "mean", "wins", "losses", "urisk", "trisk", "p"),
    *("zrisk", "georisk"),
)


def urisk(run: Rows, baseline: Rows, alpha: float) -> tuple[float, float]:
    """The mean difference to the baseline, losses counted 1 + ``alpha`` times, and that in its standard errors.

    The first is URisk (wang2012risk), the second TRisk (dincer2014), which is distributed as t where there is no risk;
    NaN where it has no error.
    """
    off = subtract(run, baseline)
    weighed = np.where(off < 0, (1 + alpha) * off, off)
    mean, unit = float(weighed.mean()), power_of_two(weighed)
    if len(off) < 2 or not (error := unit * float((weighed / unit).std(ddof=1) / np.sqrt(len(off)))):
        return mean, np.nan
    return mean, mean / error


def georisk(values: Matrix, alpha: float) -> tuple[Rows, Rows]:
    """(run,): ZRisk and GeoRisk: risk against what all runs together let one expect, and with the mean (dincer2016).

    The value of a run in a topic is expected to be its share of all that runs have, times what the topic has. What it
    is off that, in roots of the expectation, is added up over topics, losses 1 + ``alpha`` times: that is ZRisk.
    GeoRisk is the geometric mean of the run's mean and of the normal probability of ZRisk for each topic.
    """
    from scipy.special import ndtr

    unit = power_of_two(values)
    values = values / unit
    total = values.sum()
    expected = values.sum(axis=1, keepdims=True) * values.sum(axis=0) / (total or 1.0)
    off = zero_within(values - expected, SUM_ERROR * values) / np.sqrt(np.where(expected > 0, expected, 1.0))
    z = np.sqrt(unit) * np.where(off < 0, (1 + alpha) * off, off).sum(axis=0)
    return z, np.sqrt(unit) * np.sqrt(values.mean(axis=0) * ndtr(z / len(values)))


def risk_table(values: Values, *, baseline: str | None, alpha: float, made_by: Any) -> Table:
    """One row for each run and measure; URisk and TRisk where there is a baseline, GeoRisk where values allow it.

    Topics in which a run has no value are left out for all. Where less is better, losses are the larger values, and
    there is no GeoRisk, which multiplies with the mean.
    """
    if not 0 <= alpha < np.inf:
        raise ParameterError(f"risk cannot have alpha={alpha:g}", hint="losses count 1 + alpha times: give 0 or more")
    base = None if baseline is None else values.run_index(baseline)
    rows: list[dict[str, Any]] = []
    for measure in values.measures:
        matrix = values.matrix(measure)
        matrix = matrix[~np.isnan(matrix).any(axis=1)]
        upward = -matrix if measure.direction is Direction.LOWER else matrix
        joint: tuple[Rows, Rows] = (np.full(len(values.runs), np.nan),) * 2
        if len(matrix) and len(values.runs) > 1 and measure.direction is not Direction.LOWER and matrix.min() >= 0:
            joint = georisk(matrix, alpha)
        for i, run in enumerate(values.runs):
            row = dict.fromkeys(COLUMNS, np.nan) | {"run": run, "baseline": baseline, "measure": str(measure)}
            row |= {"alpha": float(alpha), "n": len(matrix), "zrisk": joint[0][i], "georisk": joint[1][i]}
            row |= {"mean": matrix[:, i].mean() if len(matrix) else np.nan, "wins": None, "losses": None}
            if base is not None and i != base and len(matrix):
                row |= _against(upward[:, i], upward[:, base], alpha)
            rows.append(row)
    return Table.from_rows(rows, COLUMNS, caption=f"risk, losses counted {1 + alpha:g} times", made_by=made_by)


def _against(run: Rows, baseline: Rows, alpha: float) -> dict[str, Any]:
    """A run beside the baseline."""
    from scipy.special import stdtr

    off = subtract(run, baseline)
    mean, t = urisk(run, baseline, alpha)
    p = 1.0 if not off.any() else np.nan if np.isnan(t) else 2 * float(stdtr(len(off) - 1, -abs(t)))
    return {"wins": int((off > 0).sum()), "losses": int((off < 0).sum()), "urisk": mean, "trisk": t, "p": p}
