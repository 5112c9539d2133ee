"""Makes crowd_kit_models.json: MACE and GLAD of crowd-kit, of the answers in crowd_inputs.py.

crowd-kit has a folder of its own, as make/crowd_kit.py says.
Run from the root: CROWD_KIT=/path/to/folder python -m tests.golden.make.crowd_kit_models
"""

import os
import sys
from importlib import import_module
from math import inf
from typing import Any

import numpy as np

from tests.golden.make.crowd_kit import rounded, shares, workers
from tests.golden.make.writing import save
from tests.support.golden.crowd_inputs import Crowd, crowds

ROUNDS = (0, 1, 5, 50)  # of MACE; 0 tells what it starts from
WAYS = {"bayes": "vb", "em": "em"}


def make() -> object:
    """For each input what both methods say: MACE with ten decimals, GLAD with six."""
    sys.path.append(os.environ["CROWD_KIT"])
    kit = import_module("crowdkit.aggregation")
    made = {}
    for name, crowd in crowds().items():
        way = {ours: [mace(kit, crowd, theirs, rounds) for rounds in ROUNDS] for ours, theirs in WAYS.items()}
        made[name] = {"mace": way, "glad": glad(kit, crowd)}
    return {"rounds": ROUNDS, "inputs": made}


def mace(kit: Any, crowd: Crowd, way: str, rounds: int) -> dict[str, Any]:
    """Shares (item, choice), chances not to know and to know (worker, 2), and habits (worker, choice).

    Counts are in the order of names there, chances in that of first appearance: names are made to appear in order.
    """
    pandas = import_module("pandas")
    who, seen_workers = pandas.factorize(crowd.worker)
    what, seen_choices = pandas.factorize(crowd.choice)
    data = pandas.DataFrame({"task": crowd.item, "worker": who, "label": what})
    fitted = kit.MACE(n_restarts=1, n_iter=rounds, method=way).fit(data)
    share = fitted.probas_.rename(columns=dict(enumerate(seen_choices)))
    know = pandas.DataFrame(fitted.spamming_, index=seen_workers).sort_index()
    habit = pandas.DataFrame(fitted.thetas_, index=seen_workers, columns=seen_choices).sort_index()
    return {
        "share": shares(share, crowd),
        "know": rounded(know),
        "habit": rounded(habit.reindex(columns=range(crowd.choices))),
    }


def glad(kit: Any, crowd: Crowd) -> dict[str, Any]:
    """Shares and abilities where nothing is gained any more."""
    data = import_module("pandas").DataFrame({"task": crowd.item, "worker": crowd.worker, "label": crowd.choice})
    fitted = kit.GLAD(n_iter=150, tol=-inf, m_step_max_iter=50, m_step_tol=1e-6).fit(data)
    found = {"share": shares(fitted.probas_, crowd), "ability": workers(fitted.alphas_, crowd)}
    return {name: np.round(numbers, 6).tolist() for name, numbers in found.items()}


if __name__ == "__main__":
    save("crowd_kit_models", make())
