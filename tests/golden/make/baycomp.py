"""Makes baycomp.json: what baycomp's Bayesian signed-rank test believes of differences drawn from a fixed seed.

baycomp is among no requirements: beside itself it installs a package named tests, in the way of this one. It has a
folder of its own: pip install --target /path/to/folder baycomp
Run from the root: BAYCOMP=/path/to/folder python -m tests.golden.make.baycomp
"""

import os
import sys
from importlib import import_module

import numpy as np

from tests.golden.make.writing import save

DRAWS = 50_000
CASES = [  # topics, mean and spread of the differences, rope, weight of the prior
    (10, 0.02, 0.05, 0.01, 0.5),
    (30, 0.015, 0.03, 0.01, 0.5),
    (50, 0.008, 0.05, 0.01, 0.5),
    (50, 0.0, 0.02, 0.01, 0.5),
    (50, 0.012, 0.02, 0.01, 5.0),
    (120, -0.01, 0.1, 0.002, 1.0),
]


def make() -> object:
    """One {differences, rope, strength, draws, beliefs} for each case; beliefs are left, rope and right."""
    sys.path.append(os.environ["BAYCOMP"])
    test = import_module("baycomp").SignedRankTest
    stream = np.random.default_rng(2017)
    made = []
    for topics, mean, spread, rope, strength in CASES:
        drawn = stream.normal(mean, spread, topics)  # no sum of two lies on an end of the rope
        beliefs = test.probs(np.zeros(topics), drawn, rope=rope, nsamples=DRAWS, prior=strength, random_state=1)
        made.append(
            {
                "differences": drawn.tolist(),
                "rope": rope,
                "strength": strength,
                "draws": DRAWS,
                "beliefs": [float(belief) for belief in beliefs],
            }
        )
    return made


if __name__ == "__main__":
    save("baycomp", make())
