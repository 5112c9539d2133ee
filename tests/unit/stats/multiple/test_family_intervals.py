"""Levels and names of intervals that belong to corrected p-values."""

import pytest

from cranfield.stats import CORRECTIONS, Correction, Uncorrected
from cranfield.stats.multiple.family_intervals import (
    confidence_text,
    family_confidence,
    interval_level,
    interval_reason,
)

EVERY = [cls() for cls in CORRECTIONS]


@pytest.mark.parametrize("correction", EVERY, ids=str)
def test_the_level_is_divided_unless_nothing_is_corrected(correction: Correction) -> None:
    expected = 0.05 if isinstance(correction, Uncorrected) else 0.005
    assert interval_level(0.05, 10, correction) == pytest.approx(expected)
    assert interval_level(0.05, 1, correction) == interval_level(0.05, 0, correction) == 0.05


@pytest.mark.parametrize(
    ("level", "text"), [(0.05, "95%"), (0.1, "90%"), (0.005, "99.5%"), (0.05 / 3, "98.3%"), (0.05 / 780, "99.9936%")]
)
def test_a_confidence_has_two_digits_of_its_level(level: float, text: str) -> None:
    assert confidence_text(level) == text


def test_names_of_intervals() -> None:
    holm, raw = CORRECTIONS["holm"](), Uncorrected()
    assert family_confidence(0.05, 10, holm) == "99.5% CI (95% together, Bonferroni over 10 tests)"
    assert family_confidence(0.05, 1, holm) == family_confidence(0.05, 10, raw) == "95% CI"


def test_only_false_discovery_rates_need_a_reason() -> None:
    assert {correction.name for correction in EVERY if interval_reason(correction)} == {"bh", "by"}
