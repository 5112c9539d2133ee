"""Makes nuggetizer.json: the scores that nuggetizer 0.0.5 gives answers whose nuggets are assigned.

nuggetizer is among no requirements, and what it needs to ask models is not needed. It has a folder of its own:
pip install --no-deps --target /path/to/folder nuggetizer==0.0.5
Run from the root: NUGGETIZER=/path/to/folder python -m tests.golden.make.nuggetizer
"""

import os
import sys
from dataclasses import asdict
from importlib import import_module
from itertools import groupby

from tests.golden.make.writing import save
from tests.support.golden.nugget_inputs import assigned


def make() -> object:
    """Four scores of every answer, and their means over topics."""
    sys.path.append(os.environ["NUGGETIZER"])
    metrics = import_module("nuggetizer.core.metrics")
    return {
        run: {
            "answers": [asdict(metrics.calculate_nugget_scores(one["qid"], one["nuggets"])) for one in records],
            "all": metrics.calculate_global_metrics(records),
        }
        for run, records in ((run, list(some)) for run, some in groupby(assigned(), key=lambda one: str(one["run_id"])))
    }


if __name__ == "__main__":
    save("nuggetizer", make())
