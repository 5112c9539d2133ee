"""Arms as PlanOut and GrowthBook give them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.online import GrowthBook, PlanOut, assign

PEERS = json.loads((Path(__file__).parent / "assignments.json").read_text(encoding="utf-8"))
USERS = PEERS["users"]


@pytest.mark.parametrize("case", PEERS["planout"], ids=lambda case: f"{case['experiment']}-{case['weights']}")
def test_planout(case: dict[str, Any]) -> None:
    name, weights = case["experiment"], case["weights"]
    how = PlanOut(variable="page")
    assert how.place(np.array(USERS), name).tolist() == case["places"]
    assert assign(USERS, name, weights, how=how).tolist() == case["arms"]
    equal = [1.0] * len(weights)
    assert assign(USERS, name, equal, how="planout(variable='page',choice='uniform')").tolist() == case["uniform"]


@pytest.mark.parametrize(
    "case", PEERS["growthbook"], ids=lambda case: f"{case['experiment']}-{case['weights']}-{case['version']}"
)
def test_growthbook(case: dict[str, Any]) -> None:
    name, weights = case["experiment"], case["weights"]
    how = GrowthBook(version=case["version"])
    assert how.place(np.array(USERS), name).tolist() == case["places"]
    assert assign(USERS, name, weights, how=how).tolist() == case["arms"]
