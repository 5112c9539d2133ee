"""Makes pyndeval.json: what pyndeval 0.0.8 (TREC's ndeval 4.5 inside) says of the input of diversity_inputs.py.

It goes down to rank 20 at most. Fourteen digits are kept. It is not among the requirements of the tests:
pip install --target /path/to/folder pyndeval==0.0.8
Run from the root: PYNDEVAL=/path/to/folder python -m tests.golden.make.pyndeval
"""

import os
import sys
from importlib import import_module
from math import isnan
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.diversity_inputs import ALPHAS, CUTS, judgments, run

BETA = 0.7
# What it calls them, and what we do.
NOVEL = {"alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG", "ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA"}
OTHERS = {"P-IA": "P_IA", "strec": "StRecall"}
WHOLE = {"NRBP": "NRBP", "nNRBP": "nNRBP"}


def make() -> object:
    """{measure: {topic: value}}; null where it divides 0 by 0."""
    sys.path.insert(0, os.environ["PYNDEVAL"])
    package: Any = import_module("pyndeval")
    made: dict[str, dict[str, float | None]] = {}
    for rel in (1, 2):
        for alpha in ALPHAS:
            asked = {
                f"{theirs}@{k}": f"{ours}(alpha={alpha},rel={rel})@{k}" for theirs, ours in NOVEL.items() for k in CUTS
            }
            asked |= {theirs: f"{ours}(alpha={alpha},beta={BETA},rel={rel})" for theirs, ours in WHOLE.items()}
            if alpha == ALPHAS[0]:
                asked |= {f"{theirs}@{k}": f"{ours}(rel={rel})@{k}" for theirs, ours in OTHERS.items() for k in CUTS}
                asked["MAP-IA"] = f"AP_IA(rel={rel})"
            evaluator = package.RelevanceEvaluator(
                judgments(), list(asked), relevance_level=rel, alpha=alpha, beta=BETA
            )
            for topic, values in evaluator.evaluate(run()).items():
                for theirs, value in values.items():
                    made.setdefault(asked[theirs], {})[topic] = None if isnan(value) else float(f"{value:.14g}")
    return made


if __name__ == "__main__":
    save("pyndeval", make())
