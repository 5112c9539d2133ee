"""Wilson's interval of a share."""

import numpy as np
import pytest

from cranfield.core import score_interval

Z = 1.959963984540054  # of the normal distribution at 95 %


@pytest.mark.parametrize(("part", "whole"), [(1, 10), (9, 10), (81, 263), (1, 29), (500, 100_000)])
def test_at_its_ends_the_share_is_z_standard_errors_away(part: int, whole: int) -> None:
    """By definition: the share that was seen lies z standard errors of the true share above the low end, …"""
    low, high = (float(end) for end in score_interval(part, whole, Z))
    seen = part / whole
    assert (seen - low) / np.sqrt(low * (1 - low) / whole) == pytest.approx(Z, rel=1e-9)
    assert (high - seen) / np.sqrt(high * (1 - high) / whole) == pytest.approx(Z, rel=1e-9)


def test_all_and_none_end_exactly() -> None:
    low, high = score_interval(np.array([0, 7, 0]), np.array([7, 7, 0]), Z)
    # Of none of n the upper end is z² / (n + z²).
    assert low[0] == 0
    assert high[0] == pytest.approx(Z**2 / (7 + Z**2))
    assert high[1] == 1
    assert low[1] == pytest.approx(7 / (7 + Z**2))
    assert np.isnan([low[2], high[2]]).all()
