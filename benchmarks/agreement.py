"""Split-half agreement of all pairs, splits and columns at once here, a loop over them with scipy there."""

import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.report import Row
from benchmarks.significance import campaign
from cranfield.core import Table
from cranfield.core.types import Matrix
from cranfield.data import Splits, Values, draw_splits, read_scores
from cranfield.stats import Asked, Pairs, agreement_table, columns_of
from cranfield.stats.reliability.split_half_counts import significant_in_halves

TOPICS, RUNS, SPLITS = 5_793, 40, 100
FEW_PAIRS, FEW_SPLITS = 10, 10  # for which the peer is timed; what all of them would take it is that, scaled
BAR = 30


def agreement(folder: Path, rounds: int) -> list[Row]:
    """The row of the design; ``folder`` is not needed."""
    del folder
    matrix = campaign(TOPICS, RUNS)
    values, splits = read_scores(pl.DataFrame(matrix)), draw_splits(TOPICS, SPLITS)
    pairs = Pairs.every(matrix)
    few = np.linspace(0, len(pairs) - 1, FEW_PAIRS).astype(int)
    by_scipy(matrix, pairs, few[:1], splits, 1)  # loads scipy
    check(pairs, few, splits, by_scipy(matrix, pairs, few, splits, FEW_SPLITS)[1])
    ratios, alone, table = [], 0.0, None
    for i in range(rounds):
        ours, found = timed(values, splits, threads=None)
        theirs = by_scipy(matrix, pairs, few, splits, FEW_SPLITS)[0] * len(pairs) / FEW_PAIRS * SPLITS / FEW_SPLITS
        alone, table = timed(values, splits, threads=1)
        if found != table:
            sys.exit("agreement says something else on one thread than on more")
        print(f"  round {i + 1} agreement: {ours:.2f} s here, on one thread {alone:.2f} s, {theirs:.0f} s there")
        ratios.append(theirs / ours)
    what = f"split-half agreement, {SPLITS} splits, {RUNS} runs × {TOPICS:,} topics, 7 columns"
    note = f"timed on {FEW_PAIRS} pairs × {FEW_SPLITS} splits, scaled linearly; ours on one thread: {alone:.1f} s"
    times = median(ratios)
    return [Row(f"{what}: a loop with scipy.stats ({note})", f"{times:.0f}× faster", f"≥ {BAR}×", times >= BAR)]


def timed(values: Values, splits: Splits, threads: int | None) -> tuple[float, Table]:
    """Seconds, and the table of all columns."""
    started = time.perf_counter()
    table = agreement_table(values, columns_of(), splits, Asked(threads=threads))
    return time.perf_counter() - started, table


def by_scipy(
    matrix: Matrix, pairs: Pairs, few: NDArray[np.int_], splits: Splits, count: int
) -> tuple[float, NDArray[np.bool_]]:
    """Seconds, and (test, pair, side, split): whether p is at most .05. The three medians need no more p-values."""
    from scipy import stats

    found = np.empty((4, len(few), 2, count), dtype=bool)
    started = time.perf_counter()
    for i, pair in enumerate(few):
        for j, halves in enumerate(splits.halves[:count]):
            for side, half in enumerate(halves):
                a, b = matrix[half, pairs.a[pair]], matrix[half, pairs.b[pair]]
                wins, losses = int((b > a).sum()), int((b < a).sum())
                p = (
                    stats.binomtest(wins, wins + losses).pvalue,
                    stats.mannwhitneyu(b, a).pvalue,
                    stats.wilcoxon(b, a).pvalue,
                    stats.ttest_rel(b, a).pvalue,
                )
                found[:, i, side, j] = np.array(p) <= 0.05
    return time.perf_counter() - started, found


def check(pairs: Pairs, few: NDArray[np.int_], splits: Splits, theirs: NDArray[np.bool_]) -> None:
    """Stop unless scipy says the same."""
    some = Pairs.given(pairs.values, list(zip(pairs.a[few].tolist(), pairs.b[few].tolist(), strict=True)))
    inside = Splits(splits.topics, splits.halves[:FEW_SPLITS]).members()
    for (test, _), other in zip(columns_of(), theirs, strict=False):
        ours = significant_in_halves(test, some, inside, Asked())
        if not np.array_equal(ours, other.reshape(len(few), -1)):
            sys.exit(f"scipy.stats says something else than {test}")


if __name__ == "__main__":
    for row in agreement(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
