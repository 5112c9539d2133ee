"""Make r_stats.json: results of base R for the matrices of statistics_inputs.py, p-values, quantiles, sample sizes.

It needs Rscript (Debian: r-base-core). What is asked of R stands in r_stats.R.
Run from the root: python -m tests.golden.make.r_stats
"""

import csv
import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden import statistics_inputs
from tests.support.golden.statistics_inputs import units

SCRIPT = Path(__file__).with_suffix(".R")


def files() -> Mapping[str, Iterable[Iterable[object]]]:
    """{name: lines}: matrices in ten-thousandths."""
    tables = {name: units(rows) for name, rows in statistics_inputs.matrices().items()}
    replicates = {"replicated": units(statistics_inputs.replicated()), "replicates": [[statistics_inputs.REPLICATES]]}
    return {"names": [list(tables)], **tables, **replicates}


def make() -> object:
    """{matrix or subject: what R says}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files().items():
            with (Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(lines)
        command = ["Rscript", "--vanilla", str(SCRIPT), folder]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)


if __name__ == "__main__":
    save("r_stats", make())
