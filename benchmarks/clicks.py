"""Click models on large logs: 100 million rows from file to parameters, a million sessions, and PyClick on a few.

The logs are made up, in Parquet, by an engine that hashes row numbers: the same rows wherever it runs.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import Row
from cranfield.data import read_log
from cranfield.online import DBN, PBM, UBM, ClickModel, read_for

HERE = Path(__file__).parent
ROWS, SESSIONS = 100_000_000, 1_000_000
TOPICS, DOCUMENTS, RANKS = 5000, 20, 10
SECONDS, MEGABYTES, DBN_SECONDS = 20.0, 4000.0, 60.0
ROUNDS = 50
BESIDE = {  # the model, and on how many sessions
    "PBM": (PBM(first="free", a=1, b=1, rounds=ROUNDS, tolerance=0), 1000),
    "UBM": (UBM(first="free", a=1, b=1, rounds=ROUNDS, tolerance=0), 1000),
    "DBN": (DBN(a=1, b=1, rounds=ROUNDS, tolerance=0), 100),
}
# PyClick's attraction takes examination without the clicks above, and its tails the chances of the first ranks.
OTHERWISE = ("DBN",)
NEAR = 1e-9  # between chances that both find by the same rounds
MODELS = {"PBM": PBM(), "DBN": DBN(rounds=ROUNDS, tolerance=0)}
LOG = """
COPY (
    WITH rows AS (SELECT i // {ranks} AS page, i % {ranks} AS place FROM range({rows}) AS t(i)),
    pages AS (
        SELECT page, place, (power((hash(page, 1) % 1000000) / 1e6, 2) * {topics})::INTEGER AS asked,
               hash(page, 2) % {orders} AS turned
        FROM rows
    ),
    shown AS (SELECT *, (turned * 7 + place * (1 + turned % 2 * 2)) % {documents} AS found FROM pages)
    SELECT page AS impression, 'q' || asked AS topic, place + 1 AS rank, 'd' || asked || '-' || found AS document,
           (hash(page, place, 3) % 1000000) / 1e6
               < pow(0.8, place) * (0.05 + 0.9 * (hash(asked, found, 4) % 1000) / 1e3) AS clicked
    FROM shown
) TO '{path}' (FORMAT parquet)
"""


def clicks(folder: Path, rounds: int) -> list[Row]:
    """All rows of the report; logs are written to ``folder``."""
    rows = int(os.environ.get("CRANFIELD_BENCH_ROWS", ROWS))
    sessions = min(SESSIONS, rows // RANKS)
    return [*many(folder, rows, rounds), *chains(folder, sessions, rounds), *beside(rounds)]


def write_log(path: Path, rows: int, *, orders: int = DOCUMENTS) -> Path:
    """A made-up log of so many rows, ten to a page; ``orders`` is in how many a topic's documents may stand."""
    sizes = {"ranks": RANKS, "rows": rows, "topics": TOPICS, "orders": orders, "documents": DOCUMENTS}
    import_module("duckdb").sql(LOG.format(path=path, **sizes))
    return path


def many(folder: Path, rows: int, rounds: int) -> list[Row]:
    """Count and fit the position-based model with its defaults, from a file of so many rows."""
    log = write_log(folder / "log.parquet", rows)
    took = [learn("PBM", log) for _ in range(rounds)]
    seconds, memory = median(one["seconds"] for one in took), max(one["megabytes"] for one in took)
    what = f"PBM, {rows:,} rows of Parquet ({log.stat().st_size / 1e6:,.0f} MB), {took[0]['cells']:,} counts"
    log.unlink()
    return [
        Row(f"{what}, until it converges", f"{seconds:.1f} s", f"≤ {SECONDS:.0f} s", seconds <= SECONDS),
        Row("the same: peak memory", f"{memory:,.0f} MB", f"≤ {MEGABYTES:,.0f} MB", memory <= MEGABYTES),
    ]


def chains(folder: Path, sessions: int, rounds: int) -> list[Row]:
    """The dynamic Bayesian network, which needs whole pages."""
    log = write_log(folder / "sessions.parquet", sessions * RANKS)
    took = [learn("DBN", log) for _ in range(rounds)]
    seconds = median(one["seconds"] for one in took)
    what = f"DBN, {sessions:,} sessions of {RANKS} documents, {took[0]['cells']:,} distinct, 50 rounds of exact EM"
    log.unlink()
    return [Row(what, f"{seconds:.1f} s", f"≤ {DBN_SECONDS:.0f} s", seconds <= DBN_SECONDS)]


def learn(model: str, log: Path) -> dict[str, Any]:
    """What it took to learn a model from a file, in a process of its own."""
    measured = [sys.executable, "-I", "-S", str(HERE / "measure.py")]
    done = subprocess.run(
        [*measured, sys.executable, "-m", "benchmarks.clicks", "learn", model, str(log)],
        cwd=HERE.parent,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"failed: {model} on {log}\n{done.stderr.decode()}")
    found: dict[str, Any] = json.loads(done.stdout) | json.loads(done.stderr.splitlines()[-1])
    parts = ", ".join(f"{name} {found[name]:.1f} s" for name in ("open", "count", "fit"))
    print(f"  {model}: {found['seconds']:.1f} s ({parts}), {found['megabytes']:,.0f} MB")
    return found


def learnt(model: ClickModel, path: str) -> dict[str, Any]:
    """The seconds of each step: open and check the log, count on the engine, fit here."""
    times = [time.perf_counter()]
    log = read_log(path)
    times.append(time.perf_counter())
    counted = read_for(model, log)
    times.append(time.perf_counter())
    fitted = model.fit(counted)
    times.append(time.perf_counter())
    if not np.all(np.diff(fitted.trace) > -1e-6 * abs(fitted.trace[0])):
        sys.exit(f"{model}: the objective fell")
    if not fitted.converged and fitted.rounds < ROUNDS:
        sys.exit(f"{model}: {fitted.rounds} rounds, not {ROUNDS}")
    steps = dict(zip(("open", "count", "fit"), np.diff(times).tolist(), strict=True))
    return steps | {"cells": len(counted.pair)}


def beside(rounds: int) -> list[Row]:
    """PyClick on a few sessions in memory, from the folder that PYCLICK names: its source is no package."""
    rows = []
    for name, (model, few) in BESIDE.items():
        what = f"{name}, {few:,} sessions of 28 documents in memory, {ROUNDS} rounds: PyClick"
        if "PYCLICK" in os.environ:
            ratio, apart = in_turn(name, model, few, rounds)
            why = (
                f"its rounds are no exact EM: {apart:.2f} between chances" if name in OTHERWISE else "the same chances"
            )
            rows.append(Row(f"{what} ({why})", f"{ratio:,.0f}× faster", "–", met=True))
        else:
            rows.append(Row(what, "not measured: PYCLICK names no folder with its source", "–", met=True))
    return rows


def in_turn(name: str, model: ClickModel, few: int, rounds: int) -> tuple[float, float]:
    """How much faster we learn than PyClick, and by how much chances of a click differ on the first page."""
    from tests.golden.make.pyclick import load, page
    from tests.support.click_pages import pages
    from tests.support.golden.click_inputs import sessions

    log = sessions(few)
    ours, theirs = pages(*log), [page(*session) for session in log]
    chances = model.fit(ours).marginal(pages(log[0]))[0]  # and loads what it needs
    ratios, apart = [], 0.0
    for _ in range(rounds):
        peer = getattr(load(f"click_models.{name}"), name)()
        there, here = seconds(partial(peer.train, theirs)), seconds(partial(model.fit, ours))
        print(f"  {name}: PyClick {there:.2f} s for {few:,} sessions, {here:.3f} s here")
        ratios.append(there / here)
        apart = float(np.abs(chances - np.array(peer.get_full_click_probs(theirs[0]))).max())
        if name not in OTHERWISE and apart > NEAR:
            sys.exit(f"{name}: PyClick and we differ by {apart:.1e}")
    return median(ratios), apart


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    if sys.argv[1:2] == ["learn"]:
        print(json.dumps(learnt(MODELS[sys.argv[2]], sys.argv[3])))
    else:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as place:
            for row in clicks(Path(place), rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
                print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
