"""Makes r_pooled.json: what metafor says of the effects of meta_analysis_inputs.py.

It needs Rscript and metafor (Debian: r-cran-metafor). What is asked of R stands in r_pooled.R.
Run from the root: python -m tests.golden.make.r_pooled
"""

import csv
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden import meta_analysis_inputs
from tests.support.golden.statistics_inputs import units

SCRIPT = Path(__file__).with_suffix(".R")


def files() -> Mapping[str, Iterable[Iterable[object]]]:
    """{name: lines}: counts, effects with variances, matrices in ten-thousandths."""
    drawn, matrices = meta_analysis_inputs.drawn(), meta_analysis_inputs.collections()
    lists = {"names": [[name] for name in drawn], "collections": [[name] for name in matrices]}
    return {
        "trials": meta_analysis_inputs.TRIALS,
        **lists,
        **drawn,
        **{name: units(rows) for name, rows in matrices.items()},
    }


def make() -> object:
    """{case: {what: numbers}}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files().items():
            with (Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)
        command = ["Rscript", "--vanilla", str(SCRIPT), folder]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, dict[str, list[float]]] = {}
    for line in text.splitlines():
        case, what, *numbers = line.split("\t")
        found.setdefault(case, {})[what] = [float(number) for number in numbers]
    return found


if __name__ == "__main__":
    save("r_pooled", make())
