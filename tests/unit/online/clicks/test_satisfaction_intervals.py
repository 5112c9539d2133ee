"""Intervals of satisfaction parameters: integrals and second derivatives computed by other means, and no overclaim."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta

from cranfield.online import DBN, SDBN, Pages
from cranfield.online.clicks.last_click_tails import Browsed, Going, guess, quiet_below
from cranfield.online.clicks.probability_estimates import Prior
from cranfield.online.clicks.satisfaction_intervals import with_likelihood
from tests.support.simulations.click_logs import drawn, written

PASSED, ENDED = 2, 5  # clicks on a above a click on b, and without one


def satisfaction_of(pages: Pages, document: str, model: SDBN | DBN | None = None) -> tuple[float, float, float]:
    """Return the value and the 95% interval of the satisfaction of a document."""
    fitted = (model or SDBN()).fit(pages)
    estimate = fitted.estimates["satisfaction"]
    place = estimate.names().index(f"t {document}")
    low, high = estimate.interval()
    return float(estimate.value[place]), float(low[place]), float(high[place])


def test_an_interval_has_the_probability_that_an_integral_finds() -> None:
    # 1,000,000 impressions of b alone fix its attraction at 0.4, so that only the satisfaction of a is unknown.
    pages = written("600 b", "400 B", f"{PASSED} A B", f"{ENDED} A b")
    pages = Pages(pages.pairs, pages.pair, pages.clicked, np.where(pages.shown.sum(axis=1) == 1, 1e3, 1) * pages.count)
    quiet = 0.6

    def density(value: float) -> float:
        return float((1 - value) ** (PASSED - 0.5) * value**-0.5 * (value + (1 - value) * quiet) ** ENDED)

    whole = quad(density, 0, 1)[0]

    def quantile(share: float) -> float:
        return float(brentq(lambda end: quad(density, 0, end)[0] / whole - share, 1e-9, 1 - 1e-9))

    _, low, high = satisfaction_of(pages, "a")
    # The grid and the prior on the attraction of b are all that differs.
    assert low == pytest.approx(quantile(0.025), abs=2e-3)
    assert high == pytest.approx(quantile(0.975), abs=2e-3)


def test_slopes_of_no_click_are_those_that_differences_show() -> None:
    attraction, skip = np.array([0.2, 0.5, 0.7, 0.4, 0.6, 0.3]), 0.8
    tails = [one for one in Browsed.of(drawn()).tails if len(one.below) > 1]
    assert tails
    for tail in tails:
        quiet, slopes = quiet_below(tail, Going(attraction, attraction, skip, skip, 0.0))
        for rank, pairs in enumerate(tail.below):
            for place, pair in enumerate(pairs):
                up, down = attraction.copy(), attraction.copy()
                up[pair], down[pair] = up[pair] + 1e-6, down[pair] - 1e-6
                ends = [quiet_below(tail, Going(one, one, skip, skip, 0.0))[0][place] for one in (up, down)]
                assert slopes[rank, place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)
                assert 0 < quiet[place] < 1


def test_the_error_of_the_documents_below_is_that_of_the_inverted_information() -> None:
    # Always a above b: the satisfaction of a and the attraction of b depend on each other and on nothing else.
    pages = written("40 a b", "30 a B", "45 A b", "15 A B")
    fitted = SDBN().fit(pages)
    values = {name: one.value for name, one in fitted.estimates.items()}
    browsed = Browsed.of(pages)
    first, second = (fitted.estimates["attraction"].names().index(name) for name in ("t a", "t b"))

    def objective(point: NDArray[np.float64]) -> float:
        changed = {name: one.copy() for name, one in values.items()}
        changed["satisfaction"][first], changed["attraction"][second] = point
        going = Going(changed["attraction"], changed["satisfaction"], 1.0, 1.0, 0.0)
        means = {name: one.prior for name, one in fitted.estimates.items()}
        prior = sum(
            float((2 * means[name] * np.log(one) + 2 * (1 - means[name]) * np.log1p(-one)).sum())
            for name, one in changed.items()
        )
        return guess(browsed, going).log_likelihood + prior

    point = np.array([values["satisfaction"][first], values["attraction"][second]])
    variance = np.linalg.inv(-_second_derivatives(objective, point))[0, 0]
    estimate = fitted.estimates["satisfaction"]
    assert estimate.variance()[first] == pytest.approx(variance, rel=1e-3)
    assert variance > 1.02 / -_second_derivatives(objective, point)[0, 0]  # so this says something


def _second_derivatives(
    function: Callable[[NDArray[np.float64]], float], point: NDArray[np.float64]
) -> NDArray[np.float64]:
    step = 1e-4 * np.eye(len(point))
    corners = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    sums = [
        [sum(one * two * function(point + one * across + two * down) for one, two in corners) for down in step]
        for across in step
    ]
    return np.array(sums) / 4e-8


@pytest.mark.parametrize("model", [SDBN(), DBN()], ids=str)
def test_a_few_clicks_exclude_almost_nothing(model: SDBN | DBN) -> None:
    # b below a is clicked so rarely that a user who continues looks the same as a satisfied one.
    pages = written("200 a b", "5 a B", "3 A b")
    value, low, high = satisfaction_of(pages, "a", model)
    assert low < 0.01
    assert high > 0.9
    assert low < value < high


def test_a_document_without_clicks_or_without_others_below_has_the_interval_of_the_prior() -> None:
    # sin²(π/2 · 0.025) is the 2.5% quantile of Beta(1/2, 1/2).
    end = float(np.sin(np.pi / 2 * 0.025) ** 2)
    for pages in (written("50 a b"), written("50 a B", "30 a b")):
        for document in ("a", "b"):
            _, low, high = satisfaction_of(pages, document)
            assert [low, high] == pytest.approx([end, 1 - end], abs=1e-9)


def test_the_error_of_the_continuation_widens_the_interval() -> None:
    pages = written("400 a a a", "400 a A a", "300 a a A", "900 A a a", "150 A A a", "100 A A A")
    fitted = DBN(samples=0).fit(pages)
    browsed, on = Browsed.of(pages), float(fitted.estimates["continuation"].value[0])
    values = {name: one.value for name, one in fitted.estimates.items()}
    going = Going(values["attraction"], values["satisfaction"], on, on, 0.0)
    found = []
    for more in (1, 2, 3):  # times the variance that the fit has
        satisfaction = replace(fitted.estimates["satisfaction"], worth=fitted.estimates["satisfaction"].worth / more)
        likely = with_likelihood({**fitted.estimates, "satisfaction": satisfaction}, browsed, going, Prior())
        low, high = likely.interval()
        found.append((likely.variance()[0], (high[0] - low[0]) ** 2))
    for variance, square in found[1:]:
        assert variance > 1.5 * found[0][0]
        assert square / found[0][1] == pytest.approx(variance / found[0][0], rel=0.05)


def test_a_prior_that_the_user_gives_is_that_of_the_interval() -> None:
    for a, b in ((50, 50), (1, 9)):
        _, low, high = satisfaction_of(written("50 a b"), "a", SDBN(a=a, b=b))
        assert low == pytest.approx(beta(a, b).ppf(0.025), abs=1e-3)
        assert high == pytest.approx(beta(a, b).ppf(0.975), abs=1e-3)


def test_information_is_never_negative() -> None:
    going = Going(np.array([0.5, 0.5]), np.array([0.5, 0.5]), 1.0, 1.0, 0.0)
    browsed = Browsed.of(written("100 A b"))
    fitted = SDBN().fit(written("100 A b"))
    attraction = replace(fitted.estimates["attraction"], worth=np.full(2, 1e-3))
    vague = with_likelihood({**fitted.estimates, "attraction": attraction}, browsed, going, Prior())
    low, high = vague.interval()
    assert np.isfinite([*vague.worth, *low, *high]).all()
    assert (vague.worth > 0).all()
