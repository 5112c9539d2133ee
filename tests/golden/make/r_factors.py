"""Make r_factors.json: results of base R for the factors of runs of factor_inputs.py.

It needs Rscript (Debian: r-base-core). The calls are in r_factors.R.
Run from the root: python -m tests.golden.make.r_factors
"""

import csv
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.factor_inputs import LABELS, VALUES
from tests.support.golden.statistics_inputs import units

SCRIPT = Path(__file__).with_suffix(".R")


def make() -> object:
    """Return {case: {source: numbers}}: the two degrees of freedom, F and p, or a slope."""
    with tempfile.TemporaryDirectory() as folder:
        tables: dict[str, Any] = {
            "values": units(VALUES),
            "labels": [list(LABELS), *zip(*LABELS.values(), strict=True)],
        }
        for name, lines in tables.items():
            with (Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)
        command = ["Rscript", "--vanilla", str(SCRIPT), folder]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, dict[str, list[float]]] = {}
    for line in text.splitlines():
        case, source, *numbers = line.split("\t")
        found.setdefault(case, {})[source] = [float(number) for number in numbers]
    return found


if __name__ == "__main__":
    save("r_factors", make())
