"""Peers and us on the same files, one after the other in every round: ratios, peak memory, and whether bars are met.

Absolute times depend on the machine and on what else it does; ratios within a round do not, or much less. Every tool
must give the same values, or the comparison is void. Writes docs/benchmarks.md; exits 1 if a bar is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks import make_big_run
from benchmarks.agreement import agreement
from benchmarks.clicks import clicks
from benchmarks.crowd import crowd
from benchmarks.distributed import distributed
from benchmarks.judging import judging
from benchmarks.novelty import novelty
from benchmarks.pool import pool
from benchmarks.ranks import ranks
from benchmarks.report import Row, report
from benchmarks.server import server
from benchmarks.significance import significance
from cranfield.measures import first_use

HERE = Path(__file__).parent
MEASURES = ("AP", "nDCG@10", "RR@10", "P@10", "R@1000")
PEERS = {
    name: [sys.executable, str(HERE / "peers" / f"with_{name}.py")] for name in ("pytrec_eval", "ir_measures", "ranx")
}
# As on a machine where it was installed: with its bytecode kept.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Once:
    """One run of one command."""

    seconds: float
    megabytes: float
    values: dict[str, dict[str, float]]


def cranfield(qrels: Path, runs: Sequence[Path]) -> list[str]:
    """Our command for the same work."""
    command = ["cranfield", "evaluate", str(qrels), *map(str, runs), "-m", " ".join(MEASURES)]
    return [*command, "--format", "json"]


def once(command: list[str]) -> Once:
    """Wall time and peak memory of a whole process; its own seconds where it prints them (warm ranx)."""
    measured = [sys.executable, "-I", "-S", str(HERE / "measure.py"), *command]
    done = subprocess.run(measured, capture_output=True, env=ENVIRONMENT, check=False)
    if done.returncode:
        sys.exit(f"failed: {' '.join(command[:3])} …\n{done.stderr.decode()}")
    cost = json.loads(done.stderr.splitlines()[-1])
    printed = json.loads(done.stdout)
    return Once(printed.pop("seconds", cost["seconds"]), cost["megabytes"], as_means(printed))


def as_means(printed: dict[str, object]) -> dict[str, dict[str, float]]:
    """Run → measure → mean, from what a peer or we print."""
    if "tables" not in printed:
        return printed  # type: ignore[return-value]  # a peer prints just that
    out: dict[str, dict[str, float]] = {}
    for row in printed["tables"]["values"]:  # type: ignore[index]  # the JSON contract
        out.setdefault(row["run"], {})[row["measure"]] = row["value"]
    return out


def side_by_side(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Once]]:
    """Every command once per round, in turn, so that a busy minute hits all of them."""
    found: dict[str, list[Once]] = {name: [] for name in commands}
    for i in range(rounds):
        for name, command in commands.items():
            found[name].append(once(command))
            print(f"  round {i + 1} {name:<12} {found[name][-1].seconds:7.2f} s {found[name][-1].megabytes:6.0f} MB")
    return found


def check_values(found: dict[str, list[Once]]) -> None:
    """Stop unless every tool says the same."""
    ours = found["cranfield"][0].values
    for name, results in found.items():
        for run, means in results[0].values.items():
            for measure in MEASURES:
                if abs(means[measure] - ours[run][measure]) > 5e-5:
                    sys.exit(f"{name} says {measure} of {run} is {means[measure]}, we say {ours[run][measure]}")


def ratio(found: dict[str, list[Once]], peer: str) -> float:
    """How many times longer the peer takes: the median over rounds."""
    return median(p.seconds / o.seconds for p, o in zip(found[peer], found["cranfield"], strict=True))


def big(folder: Path, rounds: int) -> list[Row]:
    """6,980 topics × 1,000 documents, whole command."""
    run, qrels = make_big_run.write(folder / "big.txt")
    commands = {"cranfield": cranfield(qrels, [run])}
    commands |= {name: [*command, str(qrels), str(run)] for name, command in PEERS.items()}
    once(commands["cranfield"])  # the file is in the page cache for everybody
    found = side_by_side(commands, rounds)
    check_values(found)
    bars = {"pytrec_eval": 20, "ir_measures": 50, "ranx": 40}
    what = "6,980 topics × 1,000 documents (255 MB), five measures, file to values"
    rows = []
    for peer, bar in bars.items():
        times, memory = ratio(found, peer), median(o.megabytes for o in found[peer])
        label = "warm ranx" if peer == "ranx" else peer
        rows.append(Row(f"{what}: {label} ({memory:,.0f} MB)", f"{times:.0f}× faster", f"≥ {bar}×", times >= bar))
    memory = max(o.megabytes for o in found["cranfield"])
    rows.append(Row("the same: our peak memory", f"{memory:.0f} MB", "≤ 150 MB", memory <= 150))
    seconds = median(o.seconds for o in found["cranfield"])
    rows.append(Row("the same: our time, on this machine", f"{seconds:.2f} s", "–", met=True))
    return [*rows, *again(qrels, run)]


def again(qrels: Path, run: Path) -> list[Row]:
    """A second evaluation of what was assessed already: some measures together, and every measure by itself."""
    import cranfield as cf

    assessed = cf.assess(qrels, run)
    cf.measure_all(assessed, "AP nDCG@10")
    took = []
    for k in (3, 5, 7, 9, 20):
        started = time.perf_counter()
        cf.measure_all(
            assessed, f"nDCG@{k} RR@{k} P@{k} R@{k} RBP(p=0.{k})" if k < 10 else f"AP@{k} Success@{k} ERR@{k}"
        )
        took.append((time.perf_counter() - started) * 1000)
    together = Row("a second evaluation with other measures", f"{median(took):.1f} ms", "≤ 20 ms", median(took) <= 20)
    each = {}
    for cls in cf.MEASURES:
        measure = first_use(cls)
        if measure.asks_for:  # subtopics, groups, other labels: this run has none
            continue
        took = []
        for _ in range(5):
            started = time.perf_counter()
            cf.measure_all(assessed, measure)
            took.append((time.perf_counter() - started) * 1000)
        each[str(measure)] = median(took)
    slow = max(each, key=lambda name: each[name])
    over = [name for name, milliseconds in each.items() if milliseconds > 20]
    figure = f"{median(each.values()):.1f} ms; the slowest {each[slow]:.0f} ms ({slow})"
    return [together, Row(f"the same, each of {len(each)} measures by itself", figure, "≤ 20 ms each", not over)]


def cold(folder: Path, rounds: int) -> list[Row]:
    """What a person waits for on a small run."""
    run, qrels = make_big_run.write(folder / "small.txt", topics=50)
    command = cranfield(qrels, [run])
    whole = min(once(command).seconds for _ in range(3 * rounds))
    loaded = min(start("import cranfield") for _ in range(3 * rounds))
    numpy = min(start("import numpy") for _ in range(3 * rounds))
    return [
        Row("`cranfield evaluate` on a 50-topic run, cold", f"{whole:.2f} s", "≤ 0.25 s", whole <= 0.25),
        Row(f"`import cranfield` (numpy alone: {numpy:.2f} s)", f"{loaded:.2f} s", "≤ 0.12 s", loaded <= 0.12),
    ]


def start(code: str) -> float:
    """Seconds of a Python process that runs ``code``."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)
    return time.perf_counter() - started


def campaign(folder: Path, rounds: int) -> list[Row]:
    """All 129 runs of a TREC-8-size campaign in one process."""
    from cranfield.simulate import TREC8

    written = TREC8.write(folder / "trec8")
    runs = sorted(written.runs)
    as_there = ["--compat", "trec_eval-9", "--topics", "qrels"]
    commands = {"cranfield": [*cranfield(written.qrels, runs), *as_there]}
    commands["pytrec_eval"] = [*PEERS["pytrec_eval"], str(written.qrels), *map(str, runs)]
    once(commands["cranfield"])
    found = side_by_side(commands, rounds)
    check_values(found)
    times = ratio(found, "pytrec_eval")
    return [
        Row(
            "129 runs of a TREC-8-size campaign, five measures: pytrec_eval",
            f"{times:.0f}× faster",
            "≥ 20×",
            times >= 20,
        ),
        *everything(written.qrels, runs, rounds),
    ]


def everything(qrels: Path, runs: Sequence[Path], rounds: int) -> list[Row]:
    """All that trec_eval calls all_trec: all runs here, a tenth of them there; file to values, and values alone."""
    import cranfield as cf

    tenth = runs[::10]
    options = ["--topics", "qrels", "--compat", "trec_eval-9", "--format", "trec_eval"]
    ours = ["cranfield", "evaluate", str(qrels), *map(str, runs), "-m", "all_trec", *options]
    theirs = [sys.executable, str(HERE / "peers" / "with_pytrec_eval_all.py"), str(qrels), *map(str, tenth)]
    assessed = cf.assess(qrels, list(runs), compat="trec_eval-9")
    whole, alone = [], []
    for i in range(rounds):
        own, printed = _timed(ours)
        other, means = _timed(theirs)
        started = time.perf_counter()
        cf.measure_all(assessed, "all_trec")
        measured = time.perf_counter() - started
        found = json.loads(means)
        evaluating = found.pop("evaluating")
        alone_now = f"values alone {measured:.2f}, {evaluating:.2f}"
        print(f"  round {i + 1} all_trec: {own:.2f} s here, {other:.2f} s there; {alone_now}")
        whole.append(own / other)
        alone.append(measured / evaluating)
        check_all(printed, found)
    what = f"all_trec for 129 runs, as a share of pytrec_eval's time for {len(tenth)} of them"
    return [
        Row(f"{what}: file to values", f"{median(whole):.2f}", "< 1", median(whole) < 1),
        Row(f"{what}: values alone", f"{median(alone):.2f}", "–", met=True),
    ]


def _timed(command: list[str]) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, check=True)
    return time.perf_counter() - started, done.stdout.decode()


def check_all(printed: str, means: dict[str, dict[str, float]]) -> None:
    """Stop unless both say the same, to the four decimals that trec_eval prints."""
    ours: dict[str, dict[str, float]] = {}
    run = ""
    for line in printed.splitlines():
        label, _, value = line.split("\t")
        if label.strip() == "runid":
            run = value
        else:
            ours.setdefault(run, {})[label.strip()] = float(value)
    for name, theirs in means.items():
        for label, mean in theirs.items():
            # Sums there are means here, and geometric means come as logarithms.
            if label.startswith(("num_", "gm_")):
                continue
            if abs(ours[name][label] - mean) > 6e-5:
                sys.exit(f"pytrec_eval says {label} of {name} is {mean}, we say {ours[name][label]}")


PARTS = (
    big,
    cold,
    campaign,
    significance,
    ranks,
    agreement,
    novelty,
    crowd,
    clicks,
    distributed,
    pool,
    server,
    judging,
)


def main() -> None:
    """Run everything, or only what is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument(
        "only",
        nargs="*",
        choices=[*(part.__name__ for part in PARTS), []],
        help="default: everything",
    )
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    rows: list[Row] = []
    failed: list[str] = []
    for part in PARTS:
        if not chosen.only or part.__name__ in chosen.only:
            print(part.__name__, flush=True)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    rows += part(Path(folder), chosen.rounds)
            except (Exception, SystemExit) as error:  # what the others measured is not lost
                print(f"  failed: {error!r}")
                failed.append(part.__name__)
    text = report(rows, chosen.rounds)
    print(text)
    if failed:
        sys.exit(f"nothing is written, because these failed: {' '.join(failed)}")
    if not chosen.only:
        (HERE.parent / "docs" / "benchmarks.md").write_text(text)
    sys.exit(not all(row.met for row in rows))


if __name__ == "__main__":
    main()
