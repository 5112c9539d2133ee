"""Dawid–Skene on 50,000 labels of 500 workers, and crowd-kit on the same where it is installed."""

import os
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.report import Row
from cranfield.collections import DawidSkene
from cranfield.data import Answers

LABELS, WORKERS, EACH = 50_000, 500, 5
BAR = 1.0  # seconds


def crowd(folder: Path, rounds: int) -> list[Row]:
    """All rows; ``folder`` is not needed."""
    del folder
    rows = []
    for choices in (2, 5):
        answers = drawn(choices)
        DawidSkene(rounds=1).merge(answers)  # loads what it needs
        took = []
        for i in range(rounds):
            started = time.perf_counter()
            merged = DawidSkene().merge(answers)
            took.append(time.perf_counter() - started)
            print(f"  round {i + 1} crowd, {choices} choices: {took[-1]:.2f} s, {merged.rounds} rounds of EM")
        what = f"Dawid–Skene, {LABELS:,} labels × {WORKERS} workers × {choices} choices, {merged.rounds} rounds of EM"
        rows.append(Row(what, f"{median(took):.2f} s", f"≤ {BAR:.0f} s", median(took) <= BAR))
        if has_peer():
            times = beside(answers, merged.rounds)
            rows.append(Row("the same, as many rounds: crowd-kit", f"{times:.0f}× faster", "–", met=True))
        else:
            print("  crowd-kit is not installed (pip install --target FOLDER crowd-kit; CROWD_KIT=FOLDER): left out")
    return rows


def drawn(choices: int) -> Answers:
    """Items of five labels each, by workers who are right with chances from 0.3 to 0.95."""
    stream = np.random.default_rng(1979)
    items = LABELS // EACH
    truth, right = stream.integers(0, choices, items), stream.uniform(0.3, 0.95, WORKERS)
    item, worker = np.repeat(np.arange(items), EACH), stream.integers(0, WORKERS, LABELS)
    knows = stream.random(LABELS) < right[worker]
    said = np.where(knows, truth[item], stream.integers(0, choices, LABELS))
    return Answers(item, worker, said, items, WORKERS, choices)


def has_peer() -> bool:
    """Whether crowd-kit is there, or in the folder that CROWD_KIT names."""
    folder = os.environ.get("CROWD_KIT")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    return find_spec("crowdkit") is not None


def beside(answers: Answers, rounds: int) -> float:
    """How many times longer crowd-kit takes for as many rounds, which end at the same shares."""
    data = import_module("pandas").DataFrame({"task": answers.item, "worker": answers.worker, "label": answers.choice})
    peer = import_module("crowdkit.aggregation").DawidSkene(n_iter=rounds, tol=-np.inf)
    started = time.perf_counter()
    theirs = peer.fit_predict_proba(data).sort_index().sort_index(axis=1).to_numpy()
    there = time.perf_counter() - started
    started = time.perf_counter()
    ours = DawidSkene(smoothing=0, rounds=rounds, tolerance=0).merge(answers).share
    here = time.perf_counter() - started
    if (apart := np.abs(ours - theirs).max()) > 1e-6:
        sys.exit(f"crowd-kit and we differ by {apart:.1e}")
    print(f"  crowd-kit: {there:.2f} s for {rounds} rounds, {here:.2f} s here")
    return there / here


if __name__ == "__main__":
    for row in crowd(Path(), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
