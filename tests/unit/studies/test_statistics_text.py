"""Numbers in sentences: what is printed must not hide a sign, a side of zero or a side of the level."""

import pytest

from cranfield.stats import confidence_text
from cranfield.studies.statistics_text import estimate_text, interval_text, p_text, signed, topics_text, usual_test_name


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0551, "+0.055"),
        (-0.267, "−0.267"),
        (0.0, "0.000"),
        (-0.0062, "−0.0062"),
        (2.5, "+2.500"),
        (-2.5e300, "−2.5e+300"),
        (float("nan"), "no estimate"),
    ],
)
def test_signed(number: float, text: str) -> None:
    assert signed(number) == text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.0123, 0.0981), "95% CI [0.012, 0.098]"),
        ((-0.0471, -0.00041), "95% CI [−0.0471, −0.0004]"),  # three decimals would print −0.000
        ((0.0, 0.5), "95% CI [0.000, 0.500]"),
        ((-0.00001, 0.4), "95% CI [−0.00001, 0.40000]"),
        ((-3.33e-14, -2.2e-14), "95% CI [−3.33e−14, −2.2e−14]"),  # values in a small unit
        ((-1.5e300, 2e300), "95% CI [−1.5e+300, 2e+300]"),
    ],
)
def test_an_interval_shows_on_which_side_of_zero_it_ends(ends: tuple[float, float], text: str) -> None:
    assert interval_text(*ends, confidence=0.05) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0132, "p = 0.013"),
        (0.00004, "p < 0.001"),
        (0.7217, "p = 0.72"),
        (0.04996, "p = 0.0500"),
        (0.0503, "p = 0.0503"),
        (0.05, "p = 0.050"),
        (float("nan"), "no p-value"),
    ],
)
def test_p_text(p: float, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("level", "text"), [(0.05, "95%"), (0.1, "90%"), (0.2, "80%"), (0.05 / 3, "98.3%"), (0.05 / 780, "99.9936%")]
)
def test_confidence_is_never_rounded_to_certainty(level: float, text: str) -> None:
    assert confidence_text(level) == text


def test_names_of_tests_and_estimates() -> None:
    assert usual_test_name("t") == "paired t-test"
    assert usual_test_name("signed-rank(zeros='pratt')") == "Wilcoxon signed-rank test (zeros='pratt')"
    assert estimate_text("t", 0.1) == "+0.100"
    assert estimate_text("sign(margin=0.1)", -0.2) == "proportion won less lost −0.200"
    assert (topics_text(1), topics_text(1200)) == ("1 topic", "1,200 topics")
