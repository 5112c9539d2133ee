"""Counterfactual estimates of pages: arithmetic, and expectations by counting all pages and all clicks."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError
from cranfield.online import (
    IIPS,
    RIPS,
    SIPS,
    SLATE_ESTIMATORS,
    CascadeDR,
    Chances,
    PositionBased,
    SlateEstimator,
    Slates,
    examination_of,
    parse_slate_estimators,
)
from cranfield.online.counterfactuals.estimates import Numbers

# Two pages of two ranks; weights 2 and ½, ½ and 3.
TWO = Chances(np.array([[0.25, 0.5], [0.8, 0.2]]), np.array([[0.5, 0.25], [0.4, 0.6]]))
REWARD = np.array([[1.0, 4.0], [2.0, 1.0]])
PAGES = Slates(
    REWARD,
    given=TWO,
    at_rank=TWO,
    examined=TWO,
    model=np.array([[1.0, 2.0], [0.0, 1.0]]),
    expected=np.array([[3.0, 1.0], [2.0, 4.0]]),
)


@pytest.mark.parametrize(
    ("estimator", "first", "second"),
    [
        (SIPS(), 1 * (1 + 4), 1.5 * (2 + 1)),
        (SIPS(clip=1), 1 * (1 + 4), 1 * (2 + 1)),
        (IIPS(), 2 * 1 + 0.5 * 4, 0.5 * 2 + 3 * 1),
        (IIPS(clip=1), 1 * 1 + 0.5 * 4, 0.5 * 2 + 1 * 1),
        (RIPS(), 2 * 1 + 1 * 4, 0.5 * 2 + 1.5 * 1),
        (CascadeDR(), 2 * (1 - 1) + 3 + 1 * (4 - 2) + 2 * 1, 0.5 * (2 - 0) + 2 + 1.5 * (1 - 1) + 0.5 * 4),
        (PositionBased(), 2 * 1 + 0.5 * 4, 0.5 * 2 + 3 * 1),
    ],
    ids=str,
)
def test_values_are_their_formulas(estimator: SlateEstimator, first: float, second: float) -> None:
    found = estimator.estimate(PAGES)
    assert found.value == pytest.approx((first + second) / 2)
    assert found.error == pytest.approx(abs(first - second) / 2)  # √(2 · (d/2)² / 1 / 2), d their difference


def test_wrong_weights_of_any_rank_are_found() -> None:
    """The weights at rank 1 are all 2, those at rank 2 are 0 or 2 and average 1, with half the sample size."""
    ones, half = np.ones(400), np.tile([0.0, 1.0], 200)
    chances = Chances(np.column_stack([ones / 2, ones / 2]), np.column_stack([ones, half]))
    found = IIPS().estimate(Slates(np.ones((400, 2)), at_rank=chances))
    assert found.ess == pytest.approx(200)
    assert (found.wrong_weights, found.mean_weight) == (True, 2)


def test_weights_are_those_of_the_worst_rank() -> None:
    found = IIPS().estimate(PAGES)
    # (2.5)² / 4.25 at the first rank, (3.5)² / 9.25 at the second, which is less
    assert found.ess == pytest.approx(3.5**2 / 9.25)
    assert (found.max_weight, found.mean_weight) == pytest.approx((3, 1.75))
    assert SIPS().estimate(PAGES).max_weight == pytest.approx(1.5)


def test_short_pages_have_nothing_below_their_end() -> None:
    short = np.array([[1.0, np.nan], [2.0, 1.0]])
    unknown = Chances(np.array([[0.25, np.nan], [0.8, 0.2]]), np.array([[0.5, np.nan], [0.4, 0.6]]))
    pages = Slates(short, given=unknown, at_rank=unknown, model=PAGES.model, expected=PAGES.expected)
    assert SIPS().estimate(pages).value == pytest.approx((2 * 1 + 1.5 * 3) / 2)
    assert IIPS().estimate(pages).value == pytest.approx((2 * 1 + 0.5 * 2 + 3 * 1) / 2)
    assert CascadeDR().estimate(pages).value == pytest.approx((2 * 0 + 3 + 0.5 * 2 + 2 + 0 + 0.5 * 4) / 2)
    assert IIPS().estimate(pages).dropped == 0


def test_pages_without_chances_are_dropped_and_counted() -> None:
    lacking = Chances(np.array([[0.25, np.nan], [0.8, 0.2]]), TWO.target)
    found = RIPS().estimate(replace(PAGES, given=lacking, user=np.array(["u", "v"])))
    assert found.value == pytest.approx(0.5 * 2 + 1.5 * 1)
    assert (found.rows, found.dropped) == (1, 1)


pages_of = st.integers(1, 3).flatmap(
    lambda ranks: st.lists(
        st.lists(st.tuples(st.floats(0, 3), st.floats(0.1, 1)), min_size=ranks, max_size=ranks), min_size=1, max_size=5
    )
)


@given(cells=pages_of)
def test_the_policy_of_the_log_earned_what_the_log_says(cells: list[list[tuple[float, float]]]) -> None:
    table = np.array(cells)
    same = Chances(table[..., 1], table[..., 1])
    blind = np.ones(table.shape[:2])
    pages = Slates(table[..., 0], given=same, at_rank=same, examined=same, model=blind, expected=blind)
    for cls in SLATE_ESTIMATORS:
        found = cls().estimate(pages)
        assert found.value == pytest.approx(table[..., 0].sum(axis=1).mean(), abs=1e-9)
        assert (found.ess, found.mean_weight) == pytest.approx((len(table), 1))


@given(cells=st.lists(st.tuples(st.floats(0, 3), st.floats(0.1, 1), st.floats(0.1, 1)), min_size=1, max_size=5))
def test_pages_of_one_document_are_all_the_same(cells: list[tuple[float, float, float]]) -> None:
    reward, propensity, target = np.array(cells).T[..., None]
    one = Chances(propensity, target)
    pages = Slates(reward, given=one, at_rank=one, examined=one, model=0 * reward, expected=0 * reward)
    values = [cls().estimate(pages).value for cls in SLATE_ESTIMATORS]
    assert values == pytest.approx([float((target / propensity * reward).mean())] * len(values))


DOCUMENTS, RANKS = 3, 2
PAGE = np.array(list(permutations(range(DOCUMENTS), RANKS)))  # (page, rank)
CURVE = np.array([0.9, 0.4])
ATTRACTION = np.array([0.8, 0.3, 0.5])


def drawing(worth: list[float]) -> Numbers:
    """(page, rank): the chance of each document given those above, drawn by worth from what is left."""
    left = np.array(worth)
    first = left / left.sum()
    second = left[PAGE[:, 1]] / (left.sum() - left[PAGE[:, 0]])
    return np.column_stack((first[PAGE[:, 0]], second))


class World:
    """All pages of two from three documents and all clicks on them, with their chances under the policy of the log.

    ``clicks`` gives the chance of a click on each rank of a page; the clicks of a page are independent.
    """

    def __init__(self, clicks: Callable[[Numbers], Numbers]) -> None:
        self.given = [drawing([3, 2, 1]), drawing([1, 1, 4])]
        self.shown = [given.prod(axis=1) for given in self.given]
        chance = np.array([clicks(page) for page in PAGE])
        self.value = float(self.shown[1] @ chance.sum(axis=1))
        clicked = np.array(list(product((0.0, 1.0), repeat=RANKS)))  # (pattern, rank)
        pattern = np.where(clicked[None] > 0, chance[:, None], 1 - chance[:, None]).prod(axis=2)  # (page, pattern)
        self.chance = (self.shown[0][:, None] * pattern).ravel()
        page = np.repeat(np.arange(len(PAGE)), len(clicked))
        anywhere = [self.anywhere(shown)[PAGE] for shown in self.shown]  # (page, rank shown, rank)
        at_rank = [everywhere[:, np.arange(RANKS), np.arange(RANKS)] for everywhere in anywhere]
        examined = [examination_of(everywhere, CURVE) for everywhere in anywhere]
        model, expected = self.guess()
        self.pages = [
            Slates(
                clicked[[i % len(clicked)]],
                given=Chances(*(x[[p]] for x in self.given)),
                at_rank=Chances(*(x[[p]] for x in at_rank)),
                examined=Chances(*(x[[p]] for x in examined)),
                model=model[[p]],
                expected=expected[[p]],
            )
            for i, p in enumerate(page)
        ]

    def anywhere(self, shown: Numbers) -> Numbers:
        """(document, rank): the chance that the document stands there."""
        found = np.zeros((DOCUMENTS, RANKS))
        for rank in range(RANKS):
            np.add.at(found[:, rank], PAGE[:, rank], shown)
        return found

    def guess(self) -> tuple[Numbers, Numbers]:
        """(page, rank) twice: a wrong model, and its mean over what the policy in question shows there."""
        first = np.array([0.2, 1.1, 0.6])  # by document
        second = np.array([[0.0, 0.3, 0.7], [0.5, 0.0, 0.1], [0.9, 0.2, 0.0]])  # by the document above and this one
        model = np.column_stack((first[PAGE[:, 0]], second[PAGE[:, 0], PAGE[:, 1]]))
        target = self.given[1]
        below = np.zeros(DOCUMENTS)  # by the document above
        np.add.at(below, PAGE[:, 0], target[:, 1] * model[:, 1])
        lead = {int(page[0]): chances[0] for page, chances in zip(PAGE, target, strict=True)}
        top = sum(lead[document] * first[document] for document in range(DOCUMENTS))
        return model, np.column_stack((np.full(len(PAGE), top), below[PAGE[:, 0]]))

    def mean(self, estimator: SlateEstimator) -> float:
        """The mean of the estimate from one page."""
        return float(self.chance @ [estimator.estimate(page).value for page in self.pages])


def by_position(page: Numbers) -> Numbers:
    """A document is as attractive wherever it stands."""
    return CURVE * ATTRACTION[page]


def by_rank(page: Numbers) -> Numbers:
    """Each rank has its own taste."""
    return np.array([ATTRACTION[page[0]], ATTRACTION[::-1][page[1]] ** 2])


def by_those_above(page: Numbers) -> Numbers:
    """A good document on top leaves fewer clicks below it."""
    return np.array([ATTRACTION[page[0]], ATTRACTION[page[1]] * (1 - ATTRACTION[page[0]])])


def by_the_whole(page: Numbers) -> Numbers:
    """What stands below draws clicks away from the top as well."""
    return ATTRACTION[page] / (1 + ATTRACTION[page].sum() - ATTRACTION[page])


RIGHT = {
    by_position: (SIPS, RIPS, CascadeDR, IIPS, PositionBased),
    by_rank: (SIPS, RIPS, CascadeDR, IIPS),
    by_those_above: (SIPS, RIPS, CascadeDR),
    by_the_whole: (SIPS,),
}


@pytest.mark.parametrize("clicks", RIGHT)
def test_over_all_cases_the_mean_is_the_truth_for_those_who_suppose_no_more(clicks: Any) -> None:
    world = World(clicks)
    assert world.chance.sum() == pytest.approx(1, rel=1e-12)
    for cls in SLATE_ESTIMATORS:
        right = cls in RIGHT[clicks]
        assert (abs(world.mean(cls()) - world.value) < 1e-12) is right, cls


def test_examination_is_summed_over_ranks() -> None:
    # At the first rank with chance ½, examined with .8; at the second with chance ¼, examined with .4.
    assert examination_of([[[0.5, 0.25]]], [0.8, 0.4]) == pytest.approx(0.5 * 0.8 + 0.25 * 0.4)
    with pytest.raises(ParameterError, match="do not fit an examination"):
        examination_of([[0.5, 0.25]], [0.8, 0.4])
    with pytest.raises(ParameterError, match="examination has a number that is no chance"):
        examination_of([[[0.5, 0.25]]], [0.8, 1.4])


def test_names_are_read_and_written() -> None:
    assert parse_slate_estimators("iips position-based cascade-dr(clip=5)") == [
        *(IIPS(), PositionBased(), CascadeDR(clip=5)),
    ]
    assert str(CascadeDR(clip=5)) == "cascade-dr(clip=5.0)"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Slates(np.ones(3)), "rewards of shape"),
        (lambda: Slates(np.ones((0, 2))), "rewards of shape"),
        (lambda: Slates(np.array([[np.nan, 1.0]])), "a reward below a rank without one"),
        (lambda: Slates(np.array([[np.nan, np.nan]])), "a reward below a rank without one"),
        (lambda: Slates(np.array([[1.0, np.inf]])), "reward has a number that is not finite"),
        (lambda: Slates(np.ones((3, 2)), given=TWO), "given.propensity has the shape"),
        (lambda: Slates(REWARD, given=Chances(0 * TWO.target, TWO.target)), "given.propensity has a number"),
        (lambda: Slates(REWARD, given=Chances(TWO.target, TWO.target + 1)), "given.target has a number"),
        (lambda: Slates(REWARD, model=np.full((2, 2), np.nan)), "model has a number that is not finite"),
        (lambda: SIPS().estimate(Slates(REWARD)), "sips needs given"),
        (lambda: IIPS().estimate(Slates(REWARD, given=TWO)), "iips needs at_rank"),
        (lambda: CascadeDR().estimate(Slates(REWARD, given=TWO)), "cascade-dr needs a model of the rewards"),
        (lambda: SIPS().estimate(Slates(REWARD, given=Chances(TWO.target, 0 * TWO.target))), "shown nothing"),
        (lambda: SIPS().estimate(Slates(REWARD, given=Chances(TWO.target * np.nan, TWO.target))), "no impression"),
    ],
)
def test_what_cannot_be_estimated_is_refused(make: Callable[[], object], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        make()
