"""What runs add to others, all of them at once here, one by one there; and all rankings of 20 documents."""

import math
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.report import Row
from cranfield.core.types import Matrix
from cranfield.data import Assessed, assess
from cranfield.measures import AP, NDCG, NRG, Rankings, spacing
from cranfield.simulate import TREC8, Made, document_id

K = 10
BAR = 50

Ranks = dict[str, int]  # document → rank, of the first K
Gains = dict[str, int]  # document → gain, of those that have one


def novelty(folder: Path, rounds: int) -> list[Row]:
    """All rows; ``folder`` is not needed."""
    del folder
    made = TREC8.make()
    runs = {name: pl.DataFrame(made.run_columns(name)) for name in made.names}
    assessed = assess(pl.DataFrame(made.qrels_columns()), runs)
    first, gains = in_dictionaries(made)
    prior = best_of_other_groups(made, assessed)
    known = [[assessed.runs[other] for other in np.flatnonzero(row)] for row in prior]
    nrg(assessed, prior)  # loads what it needs
    ours, ratios = [], []
    for i in range(rounds):
        took, found = nrg(assessed, prior)
        started = time.perf_counter()
        literal = [literally(first, gains, run, others) for run, others in zip(assessed.runs, known, strict=True)]
        theirs = time.perf_counter() - started
        print(f"  round {i + 1} novelty: {took * 1000:.0f} ms here, {theirs:.2f} s there")
        if (apart := np.abs(found - literal).max()) > 1e-12:
            sys.exit(f"a loop over topics and documents and we differ by {apart:.1e}")
        ours.append(took * 1000)
        ratios.append(theirs / took)
    times, groups = median(ratios), len(known[0])
    sizes = f"{len(assessed.runs)} runs × {len(assessed.topics)} topics"
    what = f"NRG(nDCG@{K}) of {sizes} against the best of {groups} other groups"
    return [
        Row(f"{what}: a loop with dictionaries", f"{times:.0f}× faster", f"≥ {BAR}×", times >= BAR),
        Row("the same: our time, on this machine", f"{median(ours):.0f} ms", "–", met=True),
        *all_rankings(rounds),
    ]


def nrg(assessed: Assessed, prior: NDArray[np.bool_]) -> tuple[float, Matrix]:
    """Seconds, and (run, topic): the values; nothing is kept from one time to the next."""
    started = time.perf_counter()
    values = assessed.after(prior).map([NRG(of=NDCG(k=K))])[:, :, 0]
    return time.perf_counter() - started, values


def best_of_other_groups(made: Made, assessed: Assessed) -> NDArray[np.bool_]:
    """(run, run): before each run the best one of every other group."""
    group = {entry.run: entry.group for entry in made.entries}
    means = assessed.map([NDCG(k=K)])[:, :, 0].mean(axis=1)
    best: dict[str, str] = {}
    for place in np.argsort(means, kind="stable"):
        best[group[assessed.runs[place]]] = assessed.runs[place]
    return np.array(
        [[best[group[b]] == b and group[a] != group[b] for b in assessed.runs] for a in assessed.runs], np.bool_
    )


def in_dictionaries(made: Made) -> tuple[dict[str, list[Ranks]], list[Gains]]:
    """The first K of every run, topic by topic, and the gains of every topic."""
    topics = range(len(made.topics))
    first = {}
    for name in made.names:
        topic, document, score = made.run(name)
        order = np.lexsort((-document, -score, topic))
        starts = np.searchsorted(topic[order], [*topics, len(topics)])
        rankings = [document[order[starts[t] : min(starts[t] + K, starts[t + 1])]].tolist() for t in topics]
        first[name] = [{document_id(d): rank for rank, d in enumerate(ranking, 1)} for ranking in rankings]
    gains: list[Gains] = [{} for _ in topics]
    for of, judged, grade in zip(*(column.tolist() for column in made.qrels), strict=True):
        if grade > 0:
            gains[of][document_id(judged)] = grade
    return first, gains


def literally(first: dict[str, list[Ranks]], gains: list[Gains], run: str, known: list[str]) -> list[float]:
    """NRG of one run, topic by topic and document by document (bigdeli2024, equations 3 and 4)."""
    values = []
    for topic, worth in enumerate(gains):
        priors = [first[other][topic] for other in known]
        left = {}
        for document, gain in worth.items():
            residual = float(gain)
            for ranks in priors:
                if document in ranks:
                    residual *= 1 - 1 / math.log2(ranks[document] + 1)
            left[document] = residual
        total = sum(left.get(document, 0.0) / math.log2(rank + 1) for document, rank in first[run][topic].items())
        ideal = sorted(left.values(), reverse=True)[:K]
        best = sum(residual / math.log2(rank + 1) for rank, residual in enumerate(ideal, 1))
        values.append(total / best if best else 0.0)
    return values


def all_rankings(rounds: int) -> list[Row]:
    """All values that AP can take on 20 documents: about a million rankings."""
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        found = spacing(AP(k=20), Rankings(20, ((1, 20),)))
        took.append(time.perf_counter() - started)
    what = f"AP@20 of all {found.count.sum():,} rankings of 20 documents: its {len(found.value):,} values"
    return [Row(what, f"{median(took):.1f} s", "–", met=True)]


if __name__ == "__main__":
    for row in novelty(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
