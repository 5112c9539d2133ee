"""Makes r_bradley_terry.json: what R's glm says of the votes of vote_inputs.py.

It needs Rscript. What is asked of R stands in r_bradley_terry.R.
Run from the root: python -m tests.golden.make.r_bradley_terry
"""

import csv
import subprocess
import tempfile
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden.vote_inputs import topics

SCRIPT = Path(__file__).with_suffix(".R")


def make() -> object:
    """{topic: {ties, prior and what: numbers of documents}}."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "names.csv").write_text("".join(f"{name}\n" for name in topics()), encoding="utf-8")
        for name, pairs in topics().items():
            with (Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(pairs)
        command = ["Rscript", "--vanilla", str(SCRIPT), folder]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, dict[str, list[float]]] = {}
    for line in text.splitlines():
        topic, what, *numbers = line.split("\t")
        found.setdefault(topic, {})[what] = [float(number) for number in numbers]
    return found


if __name__ == "__main__":
    save("r_bradley_terry", make())
