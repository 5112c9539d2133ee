"""What a fitted model says of pages and documents."""

from dataclasses import replace
from math import exp2, log, log2

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError
from cranfield.online import CM, DBN, DCTR, PBM, RCTR, SDBN, UBM, Cells, Fitted, Pages, parse_click_models
from tests.support.simulations.click_logs import drawn, written

LOG = written("1 A b", "1 a")
NEAR = 1e-12


def rated(first: float, second: float) -> Fitted:
    """Clicks at two ranks, whatever is there."""
    fitted = RCTR().fit(LOG)
    return replace(fitted, estimates={"rate": replace(fitted.estimates["rate"], value=np.array([first, second]))})


def test_the_two_means_of_the_likelihood() -> None:
    fitted = rated(0.6, 0.1)
    first, second = (log(0.6) + log(0.9)) / 2, log(0.4)
    assert fitted.log_likelihood(LOG) == pytest.approx((first + second) / 2, rel=NEAR)
    assert fitted.log_likelihood(LOG, mean="documents") == pytest.approx((2 * first + second) / 3, rel=NEAR)
    with pytest.raises(ParameterError, match="no mean over ranks"):
        fitted.log_likelihood(LOG, mean="ranks")  # type: ignore[arg-type]


def test_perplexity_counts_only_pages_that_have_the_rank() -> None:
    by_rank = rated(0.6, 0.1).perplexity_by_rank(LOG)
    wanted = [exp2(-(log2(0.6) + log2(0.4)) / 2), exp2(-log2(0.9))]
    assert by_rank == pytest.approx(wanted, rel=NEAR)
    assert rated(0.6, 0.1).perplexity(LOG) == pytest.approx(sum(wanted) / 2, rel=NEAR)
    assert rated(0.5, 0.5).perplexity(LOG, conditional=True) == pytest.approx(2.0, rel=NEAR)


def test_conditional_perplexity_looks_at_the_clicks_above() -> None:
    pages = written("1 A b")
    fitted = CM().fit(pages)  # a: 2/3; b was not read: 1/2
    assert fitted.conditional(pages) == pytest.approx(np.array([[2 / 3, 0.0]]))
    assert fitted.marginal(pages) == pytest.approx(np.array([[2 / 3, 1 / 3 * 1 / 2]]))
    assert fitted.examined(pages) == pytest.approx(np.array([[1.0, 1 / 3]]))
    assert fitted.perplexity_by_rank(pages) == pytest.approx([3 / 2, 6 / 5])
    assert fitted.perplexity_by_rank(pages, conditional=True) == pytest.approx([3 / 2, 1.0], abs=1e-5)


def test_the_impossible_has_a_chance_of_one_in_a_million() -> None:
    fitted = CM().fit(written("1 A b"))
    twice = written("1 A B")
    assert fitted.log_likelihood(twice) == pytest.approx((log(2 / 3) + log(1e-6)) / 2, rel=NEAR)


def test_what_was_never_seen_has_the_chance_of_the_prior() -> None:
    fitted = DCTR(a=1, b=3).fit(written("8 A"))
    assert fitted.marginal(written("1 a new b")) == pytest.approx(np.array([[9 / 12, 1 / 4, 1 / 4]]))
    deeper = UBM().fit(written("8 A", "8 a"))
    assert deeper.marginal(written("1 a b"))[0, 1] == pytest.approx(1 / 2 * 1 / 2)


def test_sureness_of_what_is_counted_is_that_of_a_beta_distribution() -> None:
    estimate = DCTR().fit(written("3 A", "7 a")).estimates["attraction"]
    posterior = stats.beta(1 + 3, 1 + 7)  # the prior is Beta(1, 1)
    low, high = estimate.interval(0.1)
    assert [low[0], high[0]] == pytest.approx([posterior.ppf(0.05), posterior.ppf(0.95)])
    assert estimate.lower(0.1)[0] == pytest.approx(posterior.ppf(0.1))
    assert estimate.value[0] == pytest.approx(4 / 12)  # its mean: 4 / (4 + 8)
    assert (estimate.num[0], estimate.den[0]) == (3, 10)
    with pytest.raises(ParameterError, match="level"):
        estimate.interval(0)


def test_skips_at_ranks_that_few_examine_are_worth_little() -> None:
    # One document, examined for sure at rank 1: 40 of 100. Another is at rank 2 alone.
    fitted = PBM(rounds=500, tolerance=0).fit(written("20 A x", "20 A X", "55 a x", "5 a X", "60 x a", "40 X A"))
    worth = dict(zip(fitted.pairs.names(), fitted.estimates["attraction"].worth.tolist(), strict=True))
    assert worth["t a"] < 200
    examination = fitted.estimates["examination"]
    assert examination.value[0] == 1
    assert examination.worth[0] == np.inf
    assert examination.interval()[0][0] == examination.interval()[1][0] == 1


def test_the_worth_of_a_product() -> None:
    fitted = SDBN().fit(drawn(count=400))
    one, other, both = fitted.estimates["attraction"], fitted.estimates["satisfaction"], fitted.relevance
    stream = np.random.default_rng(1)
    draws = [stream.beta(e.value * e.worth, (1 - e.value) * e.worth, (40_000, len(e))) for e in (one, other)]
    low, high = both.interval(0.1)
    share = ((draws[0] * draws[1] > low) & (draws[0] * draws[1] < high)).mean(axis=0)
    assert both.value == pytest.approx(one.value * other.value)
    assert np.abs(share - 0.9).max() < 0.05


def test_clicks_are_drawn_from_the_model() -> None:
    pages = written("30000 a b c")
    fitted = DBN().fit(drawn(count=200, documents=3, depth=3))
    drawn_pages = fitted.simulate(pages, seed=4)
    assert drawn_pages.impressions == 30_000
    rate = drawn_pages.count @ drawn_pages.clicked / 30_000
    assert np.abs(rate - fitted.marginal(pages)[0]).max() < 5 * np.sqrt(0.25 / 30_000)
    assert fitted.simulate(pages, seed=4).clicked.tolist() == drawn_pages.clicked.tolist()
    assert fitted.simulate(pages, seed=5).count.tolist() != drawn_pages.count.tolist()


def test_a_model_says_what_it_needs() -> None:
    pages = drawn()
    with pytest.raises(ParameterError, match="DBN needs whole result pages"):
        DBN().fit(pages.cells())
    with pytest.raises(ParameterError, match="UBM needs to know the last click above"):
        UBM().fit(pages.cells())
    browsed = PBM().fit(pages.cells(after_click=True))
    assert browsed.trace == pytest.approx(PBM().fit(pages).trace)


@pytest.mark.parametrize("model", parse_click_models("all"), ids=str)
def test_one_rank_alone(model: DBN) -> None:
    pages = written("3 A", "5 b", "1 B")
    fitted = model.fit(pages)
    assert (fitted.marginal(pages) <= 1).all()
    for estimate in fitted.estimates.values():
        low, high = estimate.interval()
        assert ((low <= estimate.value) & (estimate.value <= high)).all()


@pytest.mark.parametrize("model", parse_click_models("PBM UBM"), ids=str)
def test_counts_of_cells_equal_rows(model: PBM) -> None:
    pages = drawn(count=500)
    rows = pages.row_level()
    rank = np.arange(1, rows.depth + 1)
    previous = np.zeros_like(rows.pair)
    previous[:, 1:] = np.maximum.accumulate(rows.clicked * rank, axis=1)[:, :-1]
    there = rows.shown
    at = np.broadcast_to(rank, rows.pair.shape)[there]
    ones, clicked = np.ones(int(there.sum())), rows.clicked[there].astype(np.float64)
    cells = Cells(rows.pairs, rows.pair[there], at, previous[there], ones, clicked, after_click=True)
    one, other = model.fit(pages), model.fit(cells)
    assert one.trace == pytest.approx(other.trace, rel=1e-9)
    for name, estimate in one.estimates.items():
        assert estimate.value == pytest.approx(other.estimates[name].value, rel=1e-9)
        assert estimate.worth == pytest.approx(other.estimates[name].worth, rel=1e-6)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    fitted = PBM(method="em", rounds=7, tolerance=0).fit(drawn(), progress=lambda done, of: told.append((done, of)))
    assert told == [(round_, 7) for round_ in range(1, 8)]
    assert not fitted.converged
    assert fitted.rounds == 7


def test_it_reads_as_what_it_is() -> None:
    fitted = DCTR().fit(LOG)
    assert repr(fitted) == "Fitted(DCTR: 2 pairs, 2 impressions)"
    assert isinstance(LOG, Pages)
    assert fitted.satisfaction is fitted.examination is fitted.continuation is None
    assert fitted.attraction is not None
