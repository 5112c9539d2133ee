"""Makes tied_overlap.json: rank-biased overlap of rankings with ties, by the authors of its treatment.

Their program is no package: it is rbo/Python/rbo.py of github.com/julian-urbano/sigir2024-rbo (commit 0338fd9).
Run from the root: RBO=/path/of/rbo/Python python -m tests.golden.make.tied_overlap
"""

import os
import sys
from importlib import import_module

import numpy as np

from tests.golden.make.writing import save
from tests.support.golden.tie_inputs import PERSISTENCE, tied


def make() -> object:
    """Least, most and extrapolated overlap of every pair, in the three variants."""
    sys.path.insert(0, os.environ["RBO"])
    if not hasattr(np, "in1d"):
        vars(np)["in1d"] = np.isin  # what it was called once
    rbo = import_module("rbo").rbo
    return [
        {
            f"{variant} {p}": {name: float(value) for name, value in rbo(*sides, p, ties=variant).items()}
            for variant in "wab"
            for p in PERSISTENCE
        }
        for sides in ([_written(side) for side in pair] for pair in tied())
    ]


def _written(ranking: list[list[str]]) -> list[object]:
    return [set(group) if len(group) > 1 else group[0] for group in ranking]


if __name__ == "__main__":
    save("tied_overlap", make())
