"""Makes repro_eval.json: what repro_eval 0.5.0 says of runs that were made again; for other topics scipy too.

repro_eval is among no requirements. It has a folder of its own:
pip install --target /path/to/folder repro_eval==0.5.0
Run from the root: REPRO_EVAL=/path/to/folder python -m tests.golden.make.repro_eval
"""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import scipy.stats

from tests.golden.make.writing import save
from tests.support.golden.reproduction_inputs import P, made_again, scores


def make() -> object:
    """τ union and RBO of every topic and depth; RMSE, p, effect ratio and ΔRI of scores."""
    _where_it_looks_for_scipy()
    sys.path.append(os.environ["REPRO_EVAL"])
    order = import_module("repro_eval.measure.document_order")
    return {
        "rankings": {name: _of_rankings(order, *runs) for name, runs in made_again().items()},
        "scores": {name: _of_scores(*four) for name, four in scores().items()},
    }


def _where_it_looks_for_scipy() -> None:
    """It takes functions from where scipy had them once."""
    old = ModuleType("scipy.stats.stats")
    for name in ("kendalltau", "ttest_rel", "ttest_ind"):
        setattr(old, name, getattr(scipy.stats, name))
    sys.modules["scipy.stats.stats"] = old


def _of_rankings(order: Any, original: list[str], run: list[str]) -> dict[str, dict[str, float]]:
    said = {}
    for depth in (depth for depth in (2, 5, 10, 50) if depth <= len(run)):
        # It numbers the documents of both in the order of their names: these are the numbers that the paper gives.
        union = dict.fromkeys([*original[:depth], *run[:depth]])
        name = {document: f"{i:03}" for i, document in enumerate(union)}
        sides = [
            {"t": {name[document]: -float(rank) for rank, document in enumerate(side[:depth])}}
            for side in (original, run)
        ]
        tau, rbo = order.KTU(*sides), order.RBO(*sides, p=P, depth=depth, pbar=False, per_topic=False)
        said[str(depth)] = {"tau": tau, "rbo": rbo}
    return said


def _of_scores(*four: list[float]) -> dict[str, float]:
    effectiveness = import_module("repro_eval.measure.effectiveness")
    effects = import_module("repro_eval.measure.overall_effects")
    statistics = import_module("repro_eval.measure.statistics")
    base, advanced, new_base, new_advanced = ({f"t{i}": {"AP": score} for i, score in enumerate(side)} for side in four)
    said = {
        "effect-ratio": effects.ER(advanced, base, new_advanced, new_base)["AP"],
        "delta-ri": effects.DRI(advanced, base, new_advanced, new_base)["AP"],
        "p student": statistics.ttest(advanced, new_advanced, rpd=False)["AP"],
        "p welch": float(scipy.stats.ttest_ind(four[1], four[3], equal_var=False).pvalue),
    }
    if len(base) == len(new_base):
        said["rmse"] = effectiveness.RMSE(advanced, new_advanced)["AP"]
        said["p paired"] = statistics.ttest(advanced, new_advanced, rpd=True)["AP"]
    return said


if __name__ == "__main__":
    save("repro_eval", make())
