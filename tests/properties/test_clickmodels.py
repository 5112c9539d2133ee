"""What holds for every click model on every log."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.online import CLICK_MODELS, ClickModel, Pages, Pairs
from cranfield.online.clicks.cascade_models import LastClick
from cranfield.online.clicks.expectation_maximisation import Climbing
from cranfield.online.clicks.probability_estimates import Ratio

MODELS: list[ClickModel] = [
    *(cls() for cls in CLICK_MODELS),
    *(cls(exact=False) for cls in CLICK_MODELS if issubclass(cls, LastClick)),
]
ROUNDS: list[ClickModel] = [model for model in MODELS if isinstance(model, Climbing)]
DOCUMENTS = 5


@st.composite
def logs(draw: st.DrawFn, *, depth: int = 4) -> Pages:
    """A few pages of various lengths, with any clicks, seen a few times each; two topics share documents."""
    pairs = Pairs(("t", "u"), tuple("abcde"), *np.divmod(np.arange(2 * DOCUMENTS), DOCUMENTS))
    rows, clicks, counts = [], [], []
    for _ in range(draw(st.integers(1, 6))):
        size = draw(st.integers(1, depth))
        order = draw(st.permutations(range(DOCUMENTS)))[:size]
        topic = draw(st.integers(0, 1))
        rows.append([DOCUMENTS * topic + one for one in order] + [-1] * (depth - size))
        clicks.append(draw(st.lists(st.booleans(), min_size=size, max_size=size)) + [False] * (depth - size))
        counts.append(draw(st.integers(1, 30)))
    return Pages(pairs, np.array(rows), np.array(clicks), np.array(counts, dtype=np.float64)).distinct()


def every_pattern(page: list[int], pages: Pages) -> Pages:
    """One page with every pattern of clicks."""
    clicks = np.array(list(product([False, True], repeat=len(page))))
    return Pages(pages.pairs, np.tile(page, (len(clicks), 1)), clicks, np.ones(len(clicks)))


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(pages=logs(), page=st.permutations(range(2 * DOCUMENTS)), size=st.integers(1, 6))
def test_chances_of_all_patterns_sum_to_one_and_give_the_marginals(
    model: ClickModel, pages: Pages, page: list[int], size: int
) -> None:
    fitted = model.fit(pages)
    patterns = every_pattern(page[:size], pages)
    conditional = fitted.conditional(patterns)
    assert ((conditional >= 0) & (conditional <= 1)).all()
    chance = np.where(patterns.clicked, conditional, 1 - conditional).prod(axis=1)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert fitted.marginal(patterns)[0] == pytest.approx(chance @ patterns.clicked, abs=1e-12)
    assert (fitted.examined(patterns) <= 1 + 1e-12).all()


@pytest.mark.parametrize("model", ROUNDS, ids=str)
@given(pages=logs())
def test_what_is_maximised_never_falls(model: ClickModel, pages: Pages) -> None:
    trace = np.array(model.fit(pages).trace)
    if len(trace):
        assert (np.diff(trace) >= -1e-9 * np.abs(trace[:-1])).all()
    else:
        assert isinstance(model, LastClick)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(pages=logs())
def test_pages_with_counts_equal_rows(model: ClickModel, pages: Pages) -> None:
    one, other = model.fit(pages), model.fit(pages.row_level())
    assert one.impressions == other.impressions
    assert one.trace == pytest.approx(other.trace, rel=1e-9)
    for name, estimate in one.estimates.items():
        assert estimate.value == pytest.approx(other.estimates[name].value, rel=1e-9)
    assert one.log_likelihood(pages) == pytest.approx(other.log_likelihood(pages.row_level()), rel=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=str)
@given(pages=logs())
def test_estimates_are_shares_with_their_intervals(model: ClickModel, pages: Pages) -> None:
    fitted = model.fit(pages)
    for estimate in fitted.estimates.values():
        low, high = estimate.interval()
        known = ~np.isnan(low)
        assert ((low <= high) & (low >= 0))[known].all()
        assert (estimate.worth >= 0).all()
        if not isinstance(estimate, Ratio):  # clicks may be more than are expected
            assert (estimate.num <= estimate.den + 1e-9).all()
