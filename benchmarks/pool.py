"""Known judgments replayed by every strategy, all topics at once here, one after the other there."""

import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.report import Row
from cranfield.collections import STRATEGIES, Candidates, Replay, find_candidates, replay, replay_table
from cranfield.core import SEED, generator
from cranfield.data import assess, read_qrels, read_run
from cranfield.simulate import TREC8, Made

SECONDS = 60  # for the replays of all strategies
DEPTH = 100


def pool(folder: Path, rounds: int) -> list[Row]:
    """All rows; ``folder`` is not needed."""
    del folder
    made = TREC8.make()
    candidates, relevant = known(made)
    rankings = in_lists(candidates)
    every, maxmean, ratios = [], [], []
    for i in range(rounds):
        took = {str(cls()): timed(cls(), candidates, relevant) for cls in STRATEGIES if not cls.needs_text}
        seconds, found = took["maxmean"]
        started = time.perf_counter()
        literal = [literally(*topic, relevant) for topic in rankings]
        theirs = time.perf_counter() - started
        whole = sum(seconds for seconds, _ in took.values())
        slowest = max(took, key=lambda name: took[name][0])
        print(f"  round {i + 1} pool: {whole:.1f} s for {len(took)} strategies ({slowest}: {took[slowest][0]:.1f} s);")
        print(f"    maxmean {seconds:.2f} s here, {theirs:.2f} s there")
        if [order[order >= 0].tolist() for order in found.order] != literal:
            sys.exit("a loop over documents and runs asks for other documents than we do")
        every.append(whole)
        maxmean.append(seconds)
        ratios.append(theirs / seconds)
    replays = [one for _, one in took.values()]
    sizes = f"{len(candidates.runs)} runs × {len(candidates.topics)} topics to depth {DEPTH}"
    what = f"{len(candidates):,} judgments of {sizes}"
    fast = median(every)
    return [
        Row(f"{what}, replayed by {len(replays)} strategies", f"{fast:.1f} s", f"≤ {SECONDS} s", fast <= SECONDS),
        Row("the same by maxmean: a loop with lists", f"{median(ratios):.1f}× faster", "–", met=True),
        Row("the same by maxmean: our time, on this machine", f"{median(maxmean):.2f} s", "–", met=True),
        concluded(made, replays),
    ]


def known(made: Made) -> tuple[Candidates, NDArray[np.bool_]]:
    """The judged documents among the first of every run, and which of them are relevant."""
    runs = [read_run(pl.DataFrame(made.run_columns(name)), name=name) for name in made.names]
    qrels = read_qrels(pl.DataFrame(made.qrels_columns()))
    candidates = find_candidates(runs, depth=DEPTH)
    judged = candidates.only(candidates.grades(qrels) >= 0)
    return judged, judged.grades(qrels) > 0


def timed(strategy: object, candidates: Candidates, relevant: NDArray[np.bool_]) -> tuple[float, Replay]:
    """Seconds, and the replay."""
    started = time.perf_counter()
    found = replay(strategy, candidates, relevant)  # type: ignore[arg-type]  # every class of the catalogue is one
    return time.perf_counter() - started, found


def concluded(made: Made, replays: list[Replay]) -> Row:
    """What the replays say of runs: values, orders and significant differences, at twelve budgets."""
    runs = {name: pl.DataFrame(made.run_columns(name)) for name in made.names}
    assessed = assess(pl.DataFrame(made.qrels_columns()), runs)
    started = time.perf_counter()
    rows = len(replay_table(replays, assessed))
    took = time.perf_counter() - started
    pairs = len(runs) * (len(runs) - 1) // 2
    what = f"the same: AP, τ and {pairs:,} pairs of runs under each of {rows} sets of judgments"
    return Row(what, f"{took:.1f} s", "–", met=True)


def in_lists(candidates: Candidates) -> list[tuple[str, list[list[int]], dict[int, list[int]]]]:
    """For each topic its name, the documents of every run from the top, and the runs that have each document."""
    out = []
    document = candidates.of
    for t, name in enumerate(candidates.topics):
        start, end = (int(candidates.held[candidates.starts[at]]) for at in (t, t + 1))
        ranked: list[list[tuple[int, int]]] = [[] for _ in candidates.runs]
        holders: dict[int, list[int]] = {}
        places = zip(
            *(column[start:end].tolist() for column in (document, candidates.run, candidates.rank)), strict=True
        )
        for which, run, rank in places:
            ranked[run].append((rank, which))
            holders.setdefault(which, []).append(run)
        out.append((name, [[which for _, which in sorted(of)] for of in ranked], holders))
    return out


def literally(
    topic: str, rankings: list[list[int]], holders: dict[int, list[int]], relevant: NDArray[np.bool_]
) -> list[int]:
    """MaxMean for one topic (losada2017bandits): the order in which its documents are asked for."""
    random = generator(SEED, "pool", topic)
    hits, seen, next_of = [0] * len(rankings), [0] * len(rankings), [0] * len(rankings)
    done: set[int] = set()
    order: list[int] = []
    while len(order) < len(holders):
        best, equals = -1.0, []
        for run, ranking in enumerate(rankings):
            while next_of[run] < len(ranking) and ranking[next_of[run]] in done:
                next_of[run] += 1
            if next_of[run] == len(ranking):
                continue
            mean = (1 + hits[run]) / (2 + seen[run])
            if mean > best:
                best, equals = mean, [run]
            elif mean == best:
                equals.append(run)
        run = equals[0] if len(equals) == 1 else equals[int(random.integers(len(equals)))]
        chosen = rankings[run][next_of[run]]
        done.add(chosen)
        order.append(chosen)
        for holder in holders[chosen]:
            hits[holder] += bool(relevant[chosen])
            seen[holder] += 1
    return order


if __name__ == "__main__":
    for row in pool(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
