"""Ranks of runs over redrawn topics: blocks of draws here, scipy's rankdata draw by draw there."""

import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.report import Row
from benchmarks.significance import campaign
from cranfield.core.types import Matrix
from cranfield.stats import RankStability, rank_stability

DRAWS = 10_000
FEW = 500  # draws for which the peer is timed; what all of them would take is that, scaled


def ranks(folder: Path, rounds: int) -> list[Row]:
    """Both rows; ``folder`` is not needed."""
    del folder
    values = campaign(50, 129)
    looped(values, 1)  # loads scipy
    ours, theirs = [], []
    for i in range(rounds):
        started = time.perf_counter()
        found = rank_stability(values, draws=DRAWS)
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        share, above = looped(values, FEW)
        theirs.append((time.perf_counter() - started) * DRAWS / FEW)
        print(f"  round {i + 1} ranks: {ours[-1]:.2f} s here, {theirs[-1]:.1f} s there")
        check(found, share, above)
    alone = rank_stability(values, draws=DRAWS, threads=1)
    if not np.array_equal(found.share, alone.share) or not np.array_equal(found.above, alone.above):
        sys.exit("ranks are others on one thread than on more")
    took, times = median(ours), median(other / own for own, other in zip(ours, theirs, strict=True))
    what = "10,000 rank bootstraps, 129 × 50, with who is above whom"
    label = f"the same: a loop with scipy.stats.rankdata (timed on {FEW} draws, scaled)"
    return [
        Row(what, f"{took:.2f} s", "≤ 0.5 s", took <= 0.5),
        Row(label, f"{times:.0f}× faster", "–", met=True),
    ]


def looped(values: Matrix, draws: int) -> tuple[Matrix, Matrix]:
    """Shares of ranks, and of draws in which a run is above another, one draw after the other."""
    from scipy.stats import rankdata

    topics, runs = values.shape
    drawn = np.random.default_rng(1)
    share, above = np.zeros((2, runs, runs))
    for _ in range(draws):
        means = values[drawn.integers(0, topics, topics)].mean(axis=0)
        rank = rankdata(-means)
        share[np.arange(runs), rank.astype(int) - 1] += 1
        above += rank[:, None] < rank
    return share / draws, above / draws


def check(found: RankStability, share: Matrix, above: Matrix) -> None:
    """Stop unless both say the same, but for chance: six standard errors of a share of so many draws."""
    error = 6 * 0.5 * np.sqrt(1 / FEW + 1 / DRAWS)
    for ours, theirs in ((found.share, share), (found.above - 0.5 * np.eye(len(above)), above)):
        if np.abs(ours - theirs).max() > error:
            sys.exit(f"the loop and we differ by {np.abs(ours - theirs).max():.3f}, chance allows {error:.3f}")


if __name__ == "__main__":
    for row in ranks(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
