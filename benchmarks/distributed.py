"""Evaluation on Spark: 100 million rows of runs on this machine, and beside it what one machine takes for some of them.

The tables are made up, in Parquet, by Spark itself from hashes of row numbers. A process of its own evaluates; memory
is that of the whole tree, Java and its workers in Python, each page counted once.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.report import Row

HERE = Path(__file__).parent
ROWS = 100_000_000
RUNS, DEPTH, JUDGED = 20, 1000, 100
FEW = 2  # runs that one machine takes whole
MEASURES = "AP nDCG@10 RR@10 P@10 R@1000"
HEAP = "4g"
LARGE = 10_000_019  # documents, a prime: every step through them meets each once
NEAR = 1e-12
# A topic has a row of documents of its own; a run takes a thousand of them in an order of its own, every tenth judged.
DOCUMENT = "concat('d', pmod(hash(topic) + {step} * (1 + pmod(hash(topic, 1), 9973)), {large}))"


def distributed(folder: Path, rounds: int = 1) -> list[Row]:
    """All rows of the report, measured once; tables are written to ``folder``."""
    del rounds
    rows = int(os.environ.get("CRANFIELD_BENCH_ROWS", ROWS))
    if shutil.which("java") is None or find_spec("pyspark") is None:
        return [Row(f"{rows:,} rows of runs on Spark", "not measured: Spark or Java is not here", "–", met=True)]
    topics = max(1, rows // (RUNS * DEPTH))
    size = run("make", folder, topics)
    print(f"  made {size['rows']:,} rows, {size['bytes'] / 1e6:,.0f} MB of Parquet")
    whole = run("spark", folder, RUNS)
    some, one = run("spark", folder, FEW), run("here", folder, FEW)
    apart = max(
        abs(some["means"][name][measure] - one["means"][name][measure])
        for name in one["means"]
        for measure in one["means"][name]
    )
    if apart > NEAR:
        sys.exit(f"Spark and one machine differ by {apart:.1e}")
    speed = size["rows"] / whole["evaluate"]
    what = f"{size['rows']:,} rows of {RUNS} runs in Parquet ({size['bytes'] / 1e6:,.0f} MB) on Spark, local[2], once"
    part = f"{one['rows']:,} rows of {FEW} of these runs"
    shuffled = f"{whole['shuffled'] / 1e6:,.0f} MB ({whole['shuffled'] / size['rows']:.0f} bytes a row)"
    memory = f"{whole['megabytes']:,.0f} MB ({whole['worker']:,.0f} MB the largest worker)"
    figures = [
        (f"{what}, five measures, tables to values", f"{whole['evaluate']:.0f} s ({speed:,.0f} rows/s)"),
        (f"the same: peak memory, Java (heap {HEAP}) and Python", memory),
        ("the same: written for the shuffle", shuffled),
        (f"{part} on Spark (the same means)", f"{some['evaluate']:.1f} s, {some['megabytes']:,.0f} MB"),
        (f"{part} by `evaluate` in one process", f"{one['evaluate']:.1f} s, {one['megabytes']:,.0f} MB"),
    ]
    return [Row(work, figure, "–", met=True) for work, figure in figures]


def run(what: str, folder: Path, number: int) -> dict[str, Any]:
    """What a process of its own does and says, with the peak memory of it and all that it starts."""
    command = [sys.executable, "-m", "benchmarks.distributed", what, str(folder), str(number)]
    child = subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True)
    watch = Watch(child.pid)
    watch.start()
    printed, _ = child.communicate()
    watch.ended.set()
    watch.join()
    if child.returncode:
        sys.exit(f"failed: {' '.join(command)}")
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    found |= {"megabytes": watch.peak / 1024, "worker": watch.worker / 1024}
    seconds = {name: round(found[name], 1) for name in ("start", "evaluate", "fetch") if name in found}
    print(f"  {what} {number}: {seconds} {found['megabytes']:,.0f} MB", flush=True)
    return found


class Watch(Thread):
    """The memory of a process and all below it, looked at twice a second."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.ended = root, Event()
        self.peak = self.worker = 0  # kilobytes: of the whole tree, of the largest worker in Python

    def run(self) -> None:
        """Until it ended."""
        while not self.ended.wait(0.5):
            sizes = {process: proportional(process) for process in tree(self.root)}
            self.peak = max(self.peak, sum(sizes.values()))
            workers = [size for process, size in sizes.items() if process != self.root and is_python(process)]
            self.worker = max([self.worker, *workers])


def tree(root: int) -> list[int]:
    """A process and all that it started, and they."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it ended
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found.extend(parents.get(process, []))
    return found


def proportional(process: int) -> int:
    """Kilobytes, what is shared divided among those who share it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def is_python(process: int) -> bool:
    """Whether it is a worker."""
    try:
        return Path(f"/proc/{process}/comm").read_text().startswith("python")
    except OSError:
        return False


def make(folder: Path, topics: int) -> dict[str, Any]:
    """The tables: runs in Parquet, a folder for each that names it, and judgments beside them."""
    session = start(folder)
    for number, name in enumerate(names(RUNS)):  # one after the other: together they would be sorted first
        table = session.range(topics * DEPTH).selectExpr(f"concat('t', id div {DEPTH}) topic", f"id % {DEPTH} place")
        document = DOCUMENT.format(step=f"(place * {1 + number % 3} + {number})", large=LARGE)
        score = f"round({DEPTH} - place + pmod(hash(topic, place, {number}), 200), 0) / {DEPTH}"  # some are tied
        runs = table.selectExpr("topic", f"{document} document", f"{score} score")
        runs.write.parquet(str(folder / "runs" / f"run={name}"))
    judged = session.range(topics * JUDGED).selectExpr(f"concat('t', id div {JUDGED}) topic", f"id % {JUDGED} place")
    document = DOCUMENT.format(step="(place * 10)", large=LARGE)
    grade = "greatest(0, pmod(hash(topic, place, 2), 6) - 2)"
    judged.selectExpr("topic", f"{document} document", f"{grade} grade").coalesce(1).write.parquet(
        str(folder / "qrels")
    )
    files = [file for kind in ("runs", "qrels") for file in (folder / kind).rglob("*.parquet")]
    return {"rows": RUNS * topics * DEPTH, "bytes": sum(file.stat().st_size for file in files)}


def on_spark(folder: Path, number: int) -> dict[str, Any]:
    """Seconds of each step, the means, and how much was written for the shuffle."""
    from cranfield.integrations import spark

    times = [time.perf_counter()]
    session = start(folder)
    times.append(time.perf_counter())
    runs: Any = str(folder / "runs")
    if number < RUNS:
        runs = {name: str(folder / "runs" / f"run={name}") for name in names(number)}
    found = spark.evaluate(str(folder / "qrels"), runs, MEASURES, engine=session, scale="ignore")
    times.append(time.perf_counter())
    means = found.means().rows()
    times.append(time.perf_counter())
    session.stop()
    log = next(file for file in (folder / "events").iterdir() if not file.name.startswith("."))
    shuffled = sum(written(json.loads(line)) for line in log.read_text().splitlines())
    took = (after - before for before, after in pairwise(times))
    steps = dict(zip(("start", "evaluate", "fetch"), took, strict=True))
    return steps | {"means": by_run(means), "shuffled": shuffled}


def written(event: dict[str, Any]) -> int:
    """Bytes that a task wrote for a shuffle."""
    metrics = event.get("Task Metrics") or {}
    return int(metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0))


def here(folder: Path, number: int) -> dict[str, Any]:
    """The same by one process: frames of polars, each a run."""
    import polars as pl

    import cranfield as cf

    started = time.perf_counter()
    runs = {name: pl.read_parquet(folder / "runs" / f"run={name}" / "*.parquet") for name in names(number)}
    rows = sum(len(frame) for frame in runs.values())
    values = cf.evaluate(pl.read_parquet(folder / "qrels" / "*.parquet"), runs, MEASURES, scale="ignore")
    means = values.mean().rows()
    return {"evaluate": time.perf_counter() - started, "rows": rows, "means": by_run(means)}


def names(number: int) -> list[str]:
    """The first runs."""
    return [f"run{i:02}" for i in range(number)]


def by_run(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Run → measure → mean."""
    return {row["run"]: {name: value for name, value in row.items() if name != "run"} for row in rows}


def start(folder: Path) -> Any:
    """Spark on two threads of this machine, all its files in the folder."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    shutil.rmtree(folder / "events", ignore_errors=True)  # of who came before
    (folder / "events").mkdir()
    settings: dict[str, Any] = {
        "spark.driver.memory": HEAP,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder / "spark"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("cranfield-benchmark")
    session = builder.config(map={**settings}).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    if sys.argv[1:]:
        steps = {"make": make, "spark": on_spark, "here": here}
        print(json.dumps(steps[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as place:
            for row in distributed(Path(place)):
                print(f"{row.work} | {row.figure} | {row.bar} | {'yes' if row.met else 'NO'}")
