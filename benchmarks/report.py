"""What was measured, beside its bar, on which machine, and how to measure it again."""

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PEERS = ("pytrec-eval-terrier", "ir-measures", "ranx", "scipy", "numpy", "pyspark")
HEAD = """\
# Benchmarks

Written by `make bench` on {machine}. Peers and us on the same files, in turn; medians of {rounds} rounds. Every \
tool gives the same values, or nothing is written.

Commands beside pytrec_eval and ir_measures are timed whole, from the start of Python to printed values; ranx \
without its start, after it has compiled itself. Other rows say what was timed. *Scaled* means that a peer would \
take hours: it was timed on the part that the row names, and its time was multiplied. Times depend on the machine \
and on what else it does; how many times faster one tool is than another depends on them much less. A row without a \
bar (–) is there to be looked at.

To repeat it, in a checkout: `make bench` measures everything and writes this page, `make bench ARGS=big` measures \
one part and prints it (`big cold campaign significance ranks agreement novelty crowd clicks distributed pool \
server judging`), and `--rounds 5` among the `ARGS` takes more rounds. All data are made up from seeds while it \
runs; the scripts are in `benchmarks/`, the versions of peers in `uv.lock`. Rows on Spark need Java, those on \
PostgreSQL its programs, those beside PyClick and crowd-kit their code (`PYCLICK`, `CROWD_KIT`: see \
`tests/golden/SOURCES.md`).
"""


@dataclass(frozen=True)
class Row:
    """One line of the report: what was measured, the bar, and whether it is met."""

    work: str
    figure: str
    bar: str
    met: bool


def report(rows: Sequence[Row], rounds: int) -> str:
    """The page of the documentation."""
    lines = [HEAD.format(machine=machine(), rounds=rounds), "| work | figure | bar | met |", "|---|---|---|---|"]
    lines += [f"| {row.work} | {row.figure} | {row.bar} | {'yes' if row.met else '**no**'} |" for row in rows]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """Processor, cores, memory, Python and the versions of what is compared."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = f"{os.cpu_count()} cores of {_processor()} with {memory:.0f} GB"
    versions = ", ".join(f"{name} {found}" for name in PEERS if (found := _version(name)))
    return f"{processor} ({platform.system()}, Python {platform.python_version()}, {versions})"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", told.read_text(encoding="utf-8")) if told.exists() else None
    return found[1] if found else platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
