"""Makes trec_eval_lines.json: what the programs trec_eval 9.0.8 and 10.0 print for every name, list and option.

The programs are not on PyPI: build tags v9.0.8 and v10.0 of github.com/usnistgov/trec_eval. rbp of 10.0 reads variables
that it never sets: build it with gcc's -ftrivial-auto-var-init=zero, so that they are 0.
Run from the root: TREC_EVAL=/path/of/9 TREC_EVAL_10=/path/of/10 python -m tests.golden.make.trec_eval_lines
"""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import trec_files
from tests.support.golden.trec_eval_inputs import cases, trec_eval_inputs

PROGRAMS = {"9": "TREC_EVAL", "10": "TREC_EVAL_10"}


def make() -> object:
    """{version: {input: {options: text}}}."""
    made: dict[str, dict[str, dict[str, str]]] = {}
    for version, variable in PROGRAMS.items():
        made[version] = {name: {} for name in trec_eval_inputs()}
        for case in cases(version):
            with tempfile.TemporaryDirectory() as folder:
                files = map(str, trec_files(trec_eval_inputs()[case.given], Path(folder)))
                command = [os.environ[variable], *case.options.split(), *files]
                text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            made[version][case.given][case.options] = text
    return made


if __name__ == "__main__":
    save("trec_eval_lines", make())
