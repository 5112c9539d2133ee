"""What was measured, beside its bar."""

import os
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report: what was measured, the bar, and whether it is met."""

    work: str
    figure: str
    bar: str
    met: bool


def report(rows: Sequence[Row], rounds: int) -> str:
    """The page of the documentation."""
    lines = ["# Benchmarks", "", "Written by `make bench`. Peers and us on the same files, in turn, on "]
    lines[-1] += (
        f"{os.cpu_count()} cores; medians of {rounds} rounds. Every tool gives the same values, or nothing is written."
    )
    lines += ["", "| work | figure | bar | met |", "|---|---|---|---|"]
    lines += [f"| {row.work} | {row.figure} | {row.bar} | {'yes' if row.met else '**no**'} |" for row in rows]
    return "\n".join(lines) + "\n"
