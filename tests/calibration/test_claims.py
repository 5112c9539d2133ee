"""The checks themselves: their bands, and what they notice, against the binomial distribution of scipy."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom

from cranfield.core import generator
from tests.support.calibration.error_rates import Check, Rate
from tests.support.calibration.page_figures import Figure, agree, hold, shown


def rate_of(wrong: int, simulations: int) -> Rate:
    """So many wrong claims in simulations that share nothing."""
    return Rate(np.arange(simulations)[None] < wrong)


@pytest.mark.parametrize("simulations", [2_000, 20_000, 141_420])
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_at_most_lets_three_standard_errors_pass_and_catches_the_rate_it_names(simulations: int, level: float) -> None:
    check = Check.at_most(level, rate_of(0, simulations))
    most = level + 3 * sqrt(level * (1 - level) / simulations)
    assert check.highest == pytest.approx(most)
    assert check.passes(rate_of(int(most * simulations), simulations))
    assert not check.passes(rate_of(int(most * simulations) + 1, simulations))
    assert binom.sf(check.most, simulations, check.caught_above) == pytest.approx(0.9, abs=1e-9)
    assert binom.sf(check.most, simulations, check.caught_above - 1e-4) < 0.9
    assert binom.sf(check.most, simulations, level) < 0.004  # a procedure that holds its level passes
    assert check.caught_below == 0
    assert check.passes(rate_of(0, simulations))


@pytest.mark.parametrize("simulations", [4_000, 8_000, 56_568])
def test_near_catches_the_rates_it_names_on_either_side(simulations: int) -> None:
    check = Check.near(0.05, rate_of(0, simulations))
    assert [check.lowest, check.highest] == pytest.approx([0.04, 0.06])
    assert [check.passes(rate_of(round(simulations * r), simulations)) for r in (0.039, 0.04, 0.06, 0.061)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert binom.cdf(check.least - 1, simulations, check.caught_below) == pytest.approx(0.9, abs=1e-9)
    assert binom.sf(check.most, simulations, check.caught_above) == pytest.approx(0.9, abs=1e-9)
    assert check.caught_below < 0.04 < 0.06 < check.caught_above


def test_nearly_at_most() -> None:
    check = Check.at_most(0.05, rate_of(0, 4_000), by=0.01)
    assert check.highest == pytest.approx(0.06)
    assert (check.lowest, check.most) == (0, 240)


def test_without_a_band_everything_passes_and_nothing_is_caught() -> None:
    check = Check(simulations=100)
    assert check.passes(rate_of(0, 100))
    assert check.passes(rate_of(100, 100))
    assert (check.caught_below, check.caught_above) == (0, 1)


def test_words() -> None:
    assert Check(simulations=100, highest=0.1).band == "≤ 0.1000"
    assert Check(simulations=100, lowest=0.04, highest=0.06).band == "0.0400 to 0.0600"
    assert Check(simulations=100, highest=0.1).caught.startswith("> 0.1")
    assert Check(simulations=100, lowest=0.04, highest=0.06).caught.startswith("< 0.0")


def test_batches_that_share_luck_count_for_less() -> None:
    lucky = np.zeros((20, 100), dtype=bool)
    lucky[0] = True  # one batch of twenty is wrong throughout
    rate = Rate(lucky)
    # The shares are 1 and nineteen times 0: their variance with n − 1 is (.95² + 19 · .05²) / 19 = .05.
    assert rate.value == pytest.approx(0.05)
    assert rate.error(0.05) == pytest.approx(sqrt(0.05 / 20))
    assert rate.independent(0.05) == 19  # .0475 / (.05 / 20)
    assert Check.at_most(0.05, rate).highest == pytest.approx(0.05 + 3 * 0.05)


def test_batches_that_share_nothing_count_in_full() -> None:
    rate = Rate(generator(0, "coin").random((100, 1_000)) < 0.05)
    assert rate.error(0.05) == pytest.approx(sqrt(0.0475 / 100_000), rel=0.2)  # 1/√(2 · 99) is .07
    single = Rate(rate.wrong.reshape(1, -1))
    assert single.error(0.05) == pytest.approx(sqrt(0.0475 / 100_000))
    assert single.independent(0.05) == 100_000


def test_the_check_catches_what_it_says_it_does() -> None:
    simulations, trials = 4_000, 2_000
    check = Check.at_most(0.05, rate_of(0, simulations))
    drawn = generator(0, "caught").binomial(simulations, check.caught_above, trials)
    assert np.mean(drawn > check.most) == pytest.approx(0.9, abs=3 * sqrt(0.09 / trials))


def test_a_rate_outside_its_band_fails_in_words() -> None:
    figure, rate = Figure("somewhere", ("sign", "like AP", "50", "0.05")), rate_of(300, 4_000)
    hold(figure, rate_of(200, 4_000), Check.at_most(0.05, rate))
    with pytest.raises(
        AssertionError, match=r"sign · like AP · 50 · 0.05: wrong in 0.0750 of 4,000 .* ≤ 0.0603; .* > 0"
    ):
        hold(figure, rate, Check.at_most(0.05, rate))


def test_the_page_is_compared_with_what_is_measured() -> None:
    key, (value, _) = next(iter(shown().items()))
    figure = Figure(key[0], key[1:])
    agree(figure, rate_of(round(value * 20_000), 20_000), float(key[-1]))
    with pytest.raises(AssertionError, match="shows"):
        agree(figure, rate_of(round(value * 20_000) + 400, 20_000), float(key[-1]))
    with pytest.raises(AssertionError, match="no such row"):
        agree(Figure("nowhere", key[1:]), rate_of(0, 20_000), 0.05)
