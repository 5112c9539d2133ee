"""Makes obp.json: what Open Bandit Pipeline's estimators say of logs drawn from a fixed seed.

obp is among no requirements: it asks for an older Python and for torch, and its estimators use neither. They are read
from a folder of their own: pip install --no-deps --ignore-requires-python --target /path/to/folder obp==0.5.5
Run from the root: OBP=/path/to/folder python -m tests.golden.make.obp
"""

import os
import sys
from importlib import import_module
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.golden.make.writing import save

ROWS, ACTIONS, RANKS = 60, 4, 3


def load(name: str) -> Any:
    """A module of obp without the rest of it."""
    for package in ("obp", "obp.ope"):
        module = ModuleType(package)
        module.__path__ = [str(Path(os.environ["OBP"]).joinpath(*package.split(".")))]
        sys.modules.setdefault(package, module)
    torch: Any = ModuleType("torch")
    torch.Tensor = torch.tensor = type("Tensor", (), {})
    sys.modules["torch"] = torch
    import_module("obp.utils")
    del sys.modules["torch"]  # scipy looks whether it is there
    return import_module(f"obp.ope.{name}")


def shares(scores: Any) -> Any:
    """Chances from scores, along the last axis."""
    raised = np.exp(scores)
    return raised / raised.sum(axis=-1, keepdims=True)


def rows() -> object:
    """One action for each impression: {reward, propensity, target, model, expected, values}."""
    ope, stream = load("estimators"), np.random.default_rng(2021)
    logging, target = (shares(stream.normal(0, 1.2, (ROWS, ACTIONS))) for _ in range(2))
    q = stream.uniform(0, 1, (ROWS, ACTIONS))
    each = np.arange(ROWS)
    action = np.array([stream.choice(ACTIONS, p=chances) for chances in logging])
    reward = stream.binomial(3, q[each, action]).astype(float)
    guess = q + stream.normal(0, 0.3, q.shape)
    asked = {
        "reward": reward,
        "action": action,
        "pscore": logging[each, action],
        "action_dist": target[:, :, None],
        "estimated_rewards_by_reg_model": guess[:, :, None],
        "position": np.zeros(ROWS, dtype=int),
    }
    estimators = {
        "ips": ope.InverseProbabilityWeighting(),
        "ips(clip=2.0)": ope.InverseProbabilityWeighting(lambda_=2.0),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting(),
        "dm": ope.DirectMethod(),
        "dr": ope.DoublyRobust(),
        "sndr": ope.SelfNormalizedDoublyRobust(),
        "switch-dr(threshold=2.0)": ope.SwitchDoublyRobust(lambda_=2.0),
        "dr-os(shrink=5.0)": ope.DoublyRobustWithShrinkage(lambda_=5.0),
    }
    return {
        "reward": reward.tolist(),
        "propensity": logging[each, action].tolist(),
        "target": target[each, action].tolist(),
        "model": guess[each, action].tolist(),
        "expected": (target * guess).sum(axis=1).tolist(),
        "values": {name: float(one.estimate_policy_value(**asked)) for name, one in estimators.items()},
    }


def given_above(scores: Any, shown: Any) -> Any:
    """(rank, action): the chance of each action at each rank of a page, given what stands above it."""
    found = []
    for rank in range(RANKS):
        chances = np.exp(scores)
        chances[shown[:rank]] = 0.0
        found.append(chances / chances.sum())
    return np.array(found)


def at_rank(scores: Any) -> Any:
    """(rank, action): the chance of each action at each rank, whatever stands above it."""
    found = np.zeros((RANKS, ACTIONS))
    for page in permutations(range(ACTIONS), RANKS):
        shown = np.array(page)
        chance = given_above(scores, shown)[np.arange(RANKS), shown].prod()
        found[np.arange(RANKS), shown] += chance
    return found


def pages() -> object:
    """A page for each impression, of documents drawn one after the other from what is left."""
    ope, stream = load("estimators_slate"), np.random.default_rng(2022)
    scores = stream.normal(0, 0.7, (2, ROWS, ACTIONS))  # of the log's policy and of that in question
    rank = np.arange(RANKS)
    page = np.array([np.argsort(-(row + stream.gumbel(size=ACTIONS)))[:RANKS] for row in scores[0]])
    reward = stream.binomial(1, stream.uniform(0.1, 0.9, page.shape)).astype(float)
    given = np.array([[given_above(row, shown) for row, shown in zip(by, page, strict=True)] for by in scores])
    anywhere = np.array([[at_rank(row) for row in by] for by in scores])
    each = np.arange(ROWS)[:, None]
    above = given[:, each, rank, page]  # (policy, impression, rank)
    alone = anywhere[:, each, rank, page]
    guess = stream.uniform(0, 1, (ROWS, RANKS, ACTIONS))
    common = {
        "slate_id": np.repeat(np.arange(ROWS), RANKS),
        "reward": reward.ravel(),
        "position": np.tile(rank, ROWS),
    }
    whole = np.repeat(above.prod(axis=2), RANKS, axis=1)
    so_far = above.cumprod(axis=2).reshape(2, -1)
    cascade = {"pscore_cascade": so_far[0], "evaluation_policy_pscore_cascade": so_far[1]}
    values = {
        "sips": ope.SlateStandardIPS(len_list=RANKS).estimate_policy_value(
            **common, pscore=whole[0], evaluation_policy_pscore=whole[1]
        ),
        "iips": ope.SlateIndependentIPS(len_list=RANKS).estimate_policy_value(
            **common,
            pscore_item_position=alone[0].ravel(),
            evaluation_policy_pscore_item_position=alone[1].ravel(),
        ),
        "rips": ope.SlateRewardInteractionIPS(len_list=RANKS).estimate_policy_value(**common, **cascade),
        "cascade-dr": ope.SlateCascadeDoublyRobust(len_list=RANKS, n_unique_action=ACTIONS).estimate_policy_value(
            **common,
            **cascade,
            action=page.ravel(),
            q_hat=guess.ravel(),
            evaluation_policy_action_dist=given[1].ravel(),
        ),
    }
    return {
        "reward": reward.tolist(),
        "given": above.tolist(),
        "at_rank": alone.tolist(),
        "model": guess[each, rank, page].tolist(),
        "expected": (given[1] * guess).sum(axis=2).tolist(),
        "values": {name: float(value) for name, value in values.items()},
    }


def make() -> object:
    """{rows, pages}: what the estimators of either kind were given, and what they said."""
    return {"rows": rows(), "pages": pages()}


if __name__ == "__main__":
    save("obp", make())
