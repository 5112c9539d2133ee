"""Models that are counted, beside arithmetic by hand. With a = b = 1 a chance is (1 + happened) / (2 + could)."""

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.online import CM, COEC, DCM, DCTR, GCTR, RCTR, SDBN, Fitted
from tests.support.simulations.click_logs import written

LOG = written("4 A b C", "3 a B c", "2 a b c", "1 C b a")


def chances(fitted: Fitted, name: str) -> dict[str, float]:
    estimate = fitted.estimates[name]
    return {key.removeprefix("t "): value for key, value in zip(estimate.names(), estimate.value.tolist(), strict=True)}


def test_global_rate() -> None:
    # 10 pages of 3: clicks 4·2 + 3 + 1 = 12 of 30
    assert chances(GCTR().fit(LOG), "rate") == {"any": pytest.approx(13 / 32)}


def test_rate_by_rank() -> None:
    # rank 1: 4 + 1 clicks; rank 2: 3; rank 3: 4; of 10 each
    assert chances(RCTR().fit(LOG), "rate") == pytest.approx({"1": 6 / 12, "2": 4 / 12, "3": 5 / 12})


def test_rate_by_document() -> None:
    # a: 4 of 10; b: 3 of 10; c: 4 + 1 of 10
    assert chances(DCTR().fit(LOG), "attraction") == pytest.approx({"a": 5 / 12, "b": 4 / 12, "c": 6 / 12})
    # (a + 4) / (a + b + 10) with a = 2, b = 6
    assert chances(DCTR(a=2, b=6).fit(LOG), "attraction")["a"] == pytest.approx(6 / 18)


def test_clicks_over_expected_clicks() -> None:
    # Rates by rank are .5, .3, .4. a is 9 times first, once third: 4 / (9·.5 + .4); b is 10 times second: 3 / 3;
    # c is 9 times third, once first: 5 / (9·.4 + .5).
    wanted = {"a": 4 / 4.9, "b": 1.0, "c": 5 / 4.1}
    assert chances(COEC().fit(LOG), "attraction") == pytest.approx(wanted)
    smoothed = {"a": 6 / 6.9, "b": 1.0, "c": 7 / 6.1}
    assert chances(COEC(a=2).fit(LOG), "attraction") == pytest.approx(smoothed)
    # a first: .5 · 4/4.9
    at = LOG.pair[:, 0] == LOG.pairs.documents.index("a")
    assert COEC().fit(LOG).marginal(LOG)[at, 0] == pytest.approx(0.5 * 4 / 4.9)


def test_clicks_over_expected_clicks_where_nothing_is_expected() -> None:
    never = COEC().fit(written("3 A b"))
    assert chances(never, "attraction") == {"a": 1.0, "b": 1.0}  # 3 of 3 expected; 0 of 0
    low, high = never.estimates["attraction"].interval()
    known = list(never.estimates["attraction"].names()).index("t a")
    assert low[known] < 1 < high[known]
    assert np.isnan([low[1 - known], high[1 - known]]).all()


def test_cascade() -> None:
    # Down to the first click: a 4/4 + 0/3 + 0/2; b 3/3 + 0/2; c 0/2 + 1/1.
    assert chances(CM().fit(LOG), "attraction") == pytest.approx({"a": 5 / 11, "b": 4 / 7, "c": 2 / 5})


def test_down_to_the_last_click() -> None:
    # Down to the last click, all of the 2 pages without: a 4/4 + 0/3 + 0/2; b 0/4 + 3/3 + 0/2; c 4/4 + 0/2 + 1/1.
    wanted = {"a": 5 / 11, "b": 4 / 11, "c": 6 / 9}
    assert chances(SDBN(exact=False).fit(LOG), "attraction") == pytest.approx(wanted)
    assert chances(DCM(exact=False).fit(LOG), "attraction") == pytest.approx(wanted)
    # Without those pages: a 4/7, b 3/7, c 5/5.
    clicked = SDBN(exact=False, no_click="none").fit(LOG)
    assert chances(clicked, "attraction") == pytest.approx({"a": 5 / 9, "b": 4 / 9, "c": 6 / 7})
    assert clicked.impressions == 8


def test_satisfaction_is_a_share_of_last_clicks() -> None:
    # a: 0 of 4 clicks are last; b: 3 of 3; c: 5 of 5
    fitted = SDBN(exact=False).fit(LOG)
    assert chances(fitted, "satisfaction") == pytest.approx({"a": 1 / 6, "b": 4 / 5, "c": 6 / 7})
    wanted = {"a": 5 / 11 / 6, "b": 4 / 11 * 4 / 5, "c": 6 / 9 * 6 / 7}
    names = [name.removeprefix("t ") for name in LOG.pairs.names()]
    assert dict(zip(names, fitted.relevance.value.tolist(), strict=True)) == pytest.approx(wanted)


def test_continuation_is_a_share_of_clicks_that_are_not_last() -> None:
    # rank 1: 4 of 5; rank 2: 0 of 3; rank 3: 0 of 4
    assert chances(DCM(exact=False).fit(LOG), "continuation") == pytest.approx({"1": 5 / 7, "2": 1 / 5, "3": 1 / 6})


def test_pages_without_clicks_alone() -> None:
    with pytest.raises(ParameterError, match="no page has a click"):
        SDBN(no_click="none").fit(written("2 a b"))


@pytest.mark.parametrize("model", [GCTR(), RCTR()])
def test_rates_without_documents_say_nothing_of_documents(model: GCTR | RCTR) -> None:
    with pytest.raises(ParameterError, match="says nothing of documents"):
        _ = model.fit(LOG).relevance
