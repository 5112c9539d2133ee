"""The Bayesian signed-rank test beside baycomp, which draws too: both are off by what draws are off."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.stats.pair_tests.base import Asked, Pairs
from cranfield.stats.pair_tests.bayesian import BayesSignedRank

CASES = json.loads(Path(__file__).with_name("baycomp.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['differences'])} topics, {case['strength']}")
def test_beliefs_are_those_of_baycomp(case: dict[str, Any]) -> None:
    values = np.column_stack([np.zeros(len(case["differences"])), case["differences"]])
    test = BayesSignedRank(rope=case["rope"], strength=case["strength"])
    found = test.compare(Pairs.every(values), Asked())
    for ours, theirs in zip(found, case["beliefs"], strict=True):
        # Four standard errors of the difference of two shares of draws, and one draw where a share is 0.
        error = sqrt(theirs * (1 - theirs) * (1 / test.draws + 1 / case["draws"]))
        assert float(ours[0]) == pytest.approx(theirs, abs=4 * error + 3 / test.draws)
