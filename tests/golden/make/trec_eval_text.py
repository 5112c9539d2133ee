"""Makes trec_eval_text.json: what the program trec_eval 9.0.8 itself prints, means and their rounding included.

The program is not on PyPI: build tag v9.0.8 of github.com/usnistgov/trec_eval, and let TREC_EVAL name it.
Run from the root: TREC_EVAL=/path/to/trec_eval python -m tests.golden.make.trec_eval_text
"""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import halves, trec_files


def make() -> object:
    """{input: text}: the lines that are means or sums over topics, but the string of grades of the first topic."""
    made = {}
    for name, given in halves().items():
        with tempfile.TemporaryDirectory() as folder:
            command = [os.environ["TREC_EVAL"], "-m", "all_trec", *map(str, trec_files(given, Path(folder)))]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        made[name] = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("relstring"))
    return made


if __name__ == "__main__":
    save("trec_eval_text", make())
