"""Tests of all pairs at once here, a loop over pairs with scipy and ranx there."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import Row
from cranfield.core import generator
from cranfield.core.types import Matrix
from cranfield.stats import Answer, Asked, Bootstrap, MaxT, Pairs, PairTest, Randomisation, SignedRank, T, Tukey

FEW = 5  # pairs for which peers are timed; what all pairs would take them is that, scaled
DRAWS = 10_000
WHAT = "all 8,256 pairs of 129 runs × 50 topics"


def campaign(topics: int, runs: int) -> Matrix:
    """Values between 0 and 1 in which topics, runs and chance have their share."""
    drawn = generator(0, "benchmark")
    logit = drawn.standard_normal((topics, 1)) + 0.5 * drawn.standard_normal(runs)
    return 1 / (1 + np.exp(1 - logit - 0.7 * drawn.standard_normal((topics, runs))))


def significance(folder: Path, rounds: int) -> list[Row]:
    """Every row; ``folder`` is not needed."""
    del folder
    return [*honest(rounds), *largest_t(rounds), *against_scipy(rounds), *against_ranx(rounds)]


def honest(rounds: int) -> list[Row]:
    """All pairs of Tukey's test, after the first call has built its table; scipy is asked for a few of them."""
    from scipy.stats import studentized_range

    pairs = Pairs.every(campaign(50, 129))
    first, answer = timed(Tukey(), pairs)
    took = median(timed(Tukey(), pairs)[0] for _ in range(5 * rounds)) * 1000
    few = np.linspace(0, len(pairs) - 1, FEW).astype(int)
    started = time.perf_counter()
    said = [float(studentized_range.sf(answer.statistic[pair], 129, 49 * 128)) for pair in few]
    theirs = (time.perf_counter() - started) / FEW * len(pairs)
    assert answer.adjusted is not None
    if np.abs(answer.adjusted[few] - said).max() > 1e-6:
        sys.exit(f"scipy.stats.studentized_range says {said}, we say {answer.adjusted[few]}")
    what = f"Tukey's test, all 8,256 pairs (first call {first * 1000:.0f} ms; scipy's function {theirs:.0f} s, scaled)"
    return [Row(what, f"{took:.1f} ms", "≤ 50 ms", took <= 50)]


def timed(test: PairTest, pairs: Pairs, threads: int | None = None) -> tuple[float, Answer]:
    """Seconds, and the answer."""
    started = time.perf_counter()
    answer = test.compare(pairs, Asked(threads=threads))
    return time.perf_counter() - started, answer


def seconds(work: Callable[[], object]) -> float:
    """Of some work."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def largest_t(rounds: int) -> list[Row]:
    """The bar of the design, and the same answer on one thread or two."""
    pairs = Pairs.every(campaign(5_793, 40))
    found = [timed(MaxT(), pairs) for _ in range(rounds)]
    one, alone = timed(MaxT(), pairs, threads=1)
    if not all(np.array_equal(answer.p, alone.p) for _, answer in found):
        sys.exit("max-t says something else on one thread than on more")
    took = median(spent for spent, _ in found)
    print(f"  max-t {took:.2f} s, on one thread {one:.2f} s")
    what = f"`max-t`, 100,000 draws, all 780 pairs of 40 runs × 5,793 topics (one thread: {one:.1f} s)"
    return [Row(what, f"{took:.1f} s", "≤ 6 s", took <= 6)]


def against_scipy(rounds: int) -> list[Row]:
    """A loop over pairs with scipy, timed for a few of them."""
    return [
        *_against(T(), _student, "ttest_rel", rounds),
        *_against(SignedRank(), _signed, "wilcoxon", rounds),
        *_against(Randomisation(exact="never"), _exchanged, "permutation_test", rounds),
        *_against(Bootstrap(), _resampled, "bootstrap", rounds),
    ]


def _against(test: PairTest, peer: Callable[[Matrix, Matrix], float], named: str, rounds: int) -> list[Row]:
    pairs = Pairs.every(campaign(50, 129))
    few = np.linspace(0, len(pairs) - 1, FEW).astype(int)
    sides = [(pairs.values[:, pairs.a[pair]], pairs.values[:, pairs.b[pair]]) for pair in few]
    peer(*sides[0])  # loads scipy
    ratios = []
    for i in range(rounds):
        ours, answer = timed(test, pairs)
        started = time.perf_counter()
        said = [peer(a, b) for a, b in sides]
        theirs = (time.perf_counter() - started) * len(pairs) / FEW
        print(f"  round {i + 1} {test.name}: {ours:.2f} s here, {theirs:.0f} s there")
        ratios.append(theirs / ours)
        found = answer.low if isinstance(test, Bootstrap) and answer.low is not None else answer.p
        if np.abs(found[few] - said).max() > 0.03:  # six standard errors of a share of 10,000 draws
            sys.exit(f"scipy.stats.{named} says {said}, we say {found[few]}")
    label = f"{test.name}, {WHAT}: a loop with scipy.stats.{named} (timed on {FEW} pairs, scaled)"
    return [Row(label, f"{median(ratios):.0f}× faster", "–", met=True)]


def _student(a: Matrix, b: Matrix) -> float:
    from scipy import stats

    return float(stats.ttest_rel(b, a).pvalue)


def _signed(a: Matrix, b: Matrix) -> float:
    from scipy import stats

    return float(stats.wilcoxon(b, a, method="exact").pvalue)


def _exchanged(a: Matrix, b: Matrix) -> float:
    from scipy import stats

    def difference(x: Matrix, y: Matrix, axis: int) -> Matrix:
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    how: dict[str, Any] = {"permutation_type": "samples", "n_resamples": DRAWS, "vectorized": True, "rng": 1}
    return float(stats.permutation_test((b, a), difference, **how).pvalue)


def _resampled(a: Matrix, b: Matrix) -> float:
    """The low end of the interval: scipy has no bootstrap test."""
    from scipy import stats

    found = stats.bootstrap((b - a,), np.mean, method="percentile", n_resamples=DRAWS, rng=1)
    return float(found.confidence_interval.low)


def against_ranx(rounds: int) -> list[Row]:
    """Fisher's test of ranx, compiled before it is timed; and whether the seed decides."""
    from ranx.statistical_tests import fisher_randomization_test as fisher

    pairs = Pairs.every(campaign(50, 129))
    few = np.linspace(0, len(pairs) - 1, FEW).astype(int)
    sides = [(pairs.values[:, pairs.a[pair]].copy(), pairs.values[:, pairs.b[pair]].copy()) for pair in few]
    fisher(*sides[0], n_permutations=10, random_seed=42)
    test = Randomisation(exact="never")
    ratios = []
    for i in range(rounds):
        ours, _ = timed(test, pairs)
        theirs = seconds(lambda: [fisher(a, b, n_permutations=DRAWS, random_seed=42) for a, b in sides])
        theirs *= len(pairs) / FEW
        print(f"  round {i + 1} randomisation: {ours:.2f} s here, {theirs:.0f} s there")
        ratios.append(theirs / ours)
    label = f"randomisation, {WHAT}: a loop with ranx's Fisher test, compiled (timed on {FEW} pairs, scaled)"
    # The pair that is the least certain shows best whether p stays.
    a, b = max(sides, key=lambda side: -abs(float(np.mean(side[1] - side[0]))))
    there = [float(fisher(a, b, n_permutations=1000, random_seed=42)[0]) for _ in range(4)]
    alone = Pairs.every(np.stack([a, b], axis=1))
    fewer = Randomisation(exact="never", draws=1000)
    here = [float(fewer.compare(alone, Asked(seed=42)).p[0]) for _ in range(4)]
    said = f"ours {', '.join(f'{p:.3f}' for p in here)}; ranx {', '.join(f'{p:.3f}' for p in there)}"
    return [
        Row(label, f"{median(ratios):.0f}× faster", "–", met=True),
        Row("the same pair four times with seed 42, 1,000 draws: p", said, "ours the same", len(set(here)) == 1),
    ]


if __name__ == "__main__":
    for row in significance(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
