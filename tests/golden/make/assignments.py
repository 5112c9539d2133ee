"""Makes assignments.json: the arms of some users by PlanOut 0.6.0 and the Python SDK of GrowthBook 3.2.2.

They are among no requirements, and have a folder of their own:
pip install --target /path/to/folder planout==0.6.0 six growthbook==3.2.2
Run from the root: ASSIGNMENTS=/path/to/folder python -m tests.golden.make.assignments
"""

import os
import sys
from importlib import import_module
from types import SimpleNamespace

from tests.golden.make.writing import save

USERS = [*map(str, range(1, 31)), "anna", "b", "3f2c9a1e-0d57-4c1b", "x.y", "user:7", "A B", "___)((*&"]
EXPERIMENTS = ["ranker", "exp.2", "Résumé"]  # PlanOut takes ASCII alone, and is not asked about the last
WEIGHTS = [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5], [0.1] * 10, [0.0, 1.0], [1.0, 2.0]]
VARIABLE = "page"


def make() -> object:
    """For each peer one {experiment, weights, arms} of all users; beside them where PlanOut and GrowthBook put them."""
    sys.path.append(os.environ["ASSIGNMENTS"])
    return {"users": USERS, "planout": planout(), "growthbook": growthbook()}


def planout() -> list[object]:
    """Weighted and uniform choices, and the number between 0 and 1 behind them.

    Its operators are asked by themselves: what usually holds them, planout.assignment, ends with Python 3.9.
    """
    ops = import_module("planout.ops.random")
    made: list[object] = []
    for name in EXPERIMENTS[:2]:
        holder = SimpleNamespace(experiment_salt=name, salt_sep=".", evaluate=lambda value: value)
        for weights in WEIGHTS:
            asked = [{"unit": user, "salt": VARIABLE, "choices": list(range(len(weights)))} for user in USERS]
            made.append(
                {
                    "experiment": name,
                    "weights": weights,
                    "arms": [ops.WeightedChoice(weights=weights, **one).execute(holder) for one in asked],
                    "uniform": [ops.UniformChoice(**one).execute(holder) for one in asked],
                    "places": [ops.RandomFloat(min=0, max=1, **one).execute(holder) for one in asked],
                }
            )
    return made


def growthbook() -> list[object]:
    """Arms of both versions of its hash; the weights are shares there."""
    core = import_module("growthbook.core")
    made: list[object] = []
    for name in EXPERIMENTS:
        for weights in WEIGHTS[:-1]:
            for version in (1, 2):
                places = [core.gbhash(name, user, version) for user in USERS]
                ranges = core.getBucketRanges(len(weights), 1, weights)
                arms = [core.chooseVariation(place, ranges) for place in places]
                made.append(
                    {"experiment": name, "weights": weights, "version": version, "arms": arms, "places": places}
                )
    return made


if __name__ == "__main__":
    save("assignments", make())
