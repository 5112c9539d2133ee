"""Shares of groups by expectation maximisation beside those of QuaPy."""

import numpy as np
import pytest

from cranfield.measures.fairness.quantification import in_groups
from tests.support.golden.golden_values import golden
from tests.support.golden.quantification_inputs import samples


@pytest.mark.parametrize("name", sorted(golden("quapy")))
def test_probabilities_give_the_same_shares(name: str) -> None:
    before, rows = samples()[name]
    found = in_groups("em", np.array(rows), np.ones(len(rows)), np.zeros(len(rows), np.int64), np.array([before]))
    assert found[0] / len(rows) == pytest.approx(golden("quapy")[name], abs=1e-6)
