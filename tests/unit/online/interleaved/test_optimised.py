"""The linear programme: the published mix, every vertex beside its answer, and what happens where nothing is fair."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from cranfield.core import generator
from cranfield.online import Interleaved, Optimised, multileave
from tests.support.reference.interleaving_enumeration import best_left, some_lists

UNFAIR = [list("abc"), list("acb"), list("abd")]


def programme(method: Optimised, lists: list[list[str]], pages: list[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """(page,): how much credit varies between lists; (constraint, page): differences of credit over the first k."""

    def credit(own: list[str], document: str) -> Fraction:
        rank = own.index(document) + 1 if document in own else len(own) + 1
        return Fraction(1, rank) if method.by == "inverse-rank" else Fraction(-rank)

    spread, apart = [], []
    for page in pages:
        gets = [sum(credit(own, d) / rank for rank, d in enumerate(page, start=1)) for own in lists]
        spread.append(float(sum((one - sum(gets) / len(gets)) ** 2 for one in gets)))
        apart.append(
            [
                float(sum(credit(one, d) - credit(other, d) for d in page[:k]))
                for one, other in combinations(lists, 2)
                for k in range(1, len(page) + 1)
            ]
        )
    return np.array(spread), np.array(apart).T


def test_the_reference_mix() -> None:
    """Lists 1 2 and 2 3. k = 1: 2/3 p₁₂ = 1/2 (p₂₁ + p₂₃); k = 2: 1/6 (p₁₂ + p₂₁) = 2/3 p₂₃; their sum is 1."""
    plan = Optimised().plan([["1", "2"], ["2", "3"]])
    chance = {"".join(page): one for page, one in zip(plan.pages, plan.chance.tolist(), strict=True)}
    assert chance == pytest.approx({"12": 3 / 7, "21": 13 / 35, "23": 1 / 5})
    assert plan.bias == 0
    assert plan.note == ""


@given(lists=some_lists(most=3, longest=4))
def test_pages_are_all_those_that_keep_the_order_of_some_list(lists: list[list[str]]) -> None:
    length = min(map(len, lists))
    expected: set[tuple[str, ...]] = {()}
    for _ in range(length):
        expected = {(*page, best_left(own, page)) for page in expected for own in lists}
    plan = Optimised().plan(lists)
    assert set(plan.pages) == expected
    assert plan.chance.sum() == pytest.approx(1)
    assert (plan.chance >= 0).all()
    _, apart = programme(Optimised(), lists, list(plan.pages))
    assert np.abs(apart @ plan.chance).max() == pytest.approx(plan.bias, abs=1e-8)
    if len(lists) == 2:
        assert plan.bias == 0  # two lists can always be served fairly


@pytest.mark.parametrize("by", ["inverse-rank", "negative-rank"])
def test_no_fair_mix_varies_less(by: str) -> None:
    """A linear programme has its best answer at a vertex: all vertices are looked at."""
    method, lists = Optimised(by=by), [list("abcd"), list("cadb")]  # type: ignore[arg-type]  # one of two words
    plan = method.plan(lists, 3)
    spread, apart = programme(method, lists, list(plan.pages))
    sides = np.vstack([np.ones(len(spread)), apart])
    wanted = np.eye(len(sides))[0]
    rank = int(np.linalg.matrix_rank(sides))
    assert rank < len(spread)  # there is a choice
    vertices = []
    for basis in combinations(range(len(spread)), rank):
        part = sides[:, basis]
        found = np.linalg.lstsq(part, wanted, rcond=None)[0]
        if np.abs(part @ found - wanted).max() < 1e-9 and found.min() > -1e-9:
            vertices.append(float(spread[list(basis)] @ found))
    assert len(set(np.round(vertices, 9))) > 1
    assert float(spread @ plan.chance) == pytest.approx(min(vertices), abs=1e-9)


def test_where_no_mix_is_fair_the_bias_is_kept_small_and_told() -> None:
    """Lists a b c, a c b, a b d: of all mixes on a fine grid none costs less than the one that is chosen."""
    plan = Optimised().plan(UNFAIR)
    spread, apart = programme(Optimised(), UNFAIR, list(plan.pages))

    def cost(chance: np.ndarray) -> float:
        differences = np.abs(apart @ chance).reshape(3, 3)  # (pair, k)
        return float(spread @ chance + differences.max(axis=0).sum())

    steps = 60
    grid = [np.array([i, j, steps - i - j]) / steps for i in range(steps + 1) for j in range(steps + 1 - i)]
    assert len(plan.pages) == 3
    assert min(np.abs(apart @ one).max() for one in grid) > 0.01  # nothing is fair
    assert cost(plan.chance) <= min(map(cost, grid)) + 1e-9
    assert plan.bias == pytest.approx(np.abs(apart @ plan.chance).max())
    assert "no choice of pages is fair" in plan.note


def test_too_many_pages_are_sampled_always_alike() -> None:
    lists = [[f"{letter}{number}" for number in range(6)] for letter in "xyz"]
    method = Optimised(most=50)
    plan = method.plan(lists)
    assert len(plan.pages) == len(set(plan.pages)) == 50
    assert "a sample of 50" in plan.note
    for page in plan.pages:
        assert all(page[k] in {best_left(own, page[:k]) for own in lists} for k in range(6))
    shown = multileave(lists, generator(3), method=method)
    assert shown.documents in plan.pages
    assert method.plan([list(own) for own in lists]) is plan  # made once


@pytest.mark.parametrize("depth", [4, 100])
def test_lists_that_share_nothing_leave_two_pages_which_tell_less_than_a_draft(depth: int) -> None:
    """Blind clicks of chance 1/r give lists a credit of 1 and 1/2 + 1/6 + 1/12 = 3/4 on a1 b1 b2 b3.

    Beside it, on a1 b1 b2 a2, 1 + 1/8 and 1/2 + 1/6 = 2/3 are further apart, and all others even more.

    The only relevant documents are a2 and b3: the first list is better. A user who clicks the first of them on the
    page prefers by coin which page she sees, though nothing is sampled and nothing unfair. In a draft a2 is always
    there before b3.
    """
    a, b = ([f"{letter}{number}" for number in range(1, depth + 1)] for letter in "ab")
    plan = Optimised().plan([a, b], 4)
    assert (plan.bias, plan.sampled, len(plan.pages)) == (0, False, 2**4)
    shown = {page: chance for page, chance in zip(plan.pages, plan.chance.tolist(), strict=True) if chance > 1e-9}
    assert shown == pytest.approx({("a1", "b1", "b2", "b3"): 0.5, ("b1", "a1", "a2", "a3"): 0.5})

    def ahead(page: Interleaved) -> float:
        clicked = next(document for document in page.documents if document in ("a2", "b3"))
        one, other = page.credit([clicked])
        return float(np.sign(one - other))

    wins = [chance * ahead(Optimised().made([a, b], page, [-1] * 4)) for page, chance in shown.items()]
    assert sum(wins) == pytest.approx(0)
    drafted = [multileave([a, b], generator(seed), method="team-draft", length=4) for seed in range(20)]
    assert {ahead(page) for page in drafted} == {1.0}


def test_a_click_is_worth_its_rank() -> None:
    """Document x is first of the first list; the second, of two documents, would have it third."""
    lists = [["x", "y"], ["y", "z"]]
    assert Optimised().made(lists, ["x"], [-1]).credit([1]) == (1, 1 / 3)
    assert Optimised(by="negative-rank").made(lists, ["y"], [-1]).credit([1]) == (-2, -1)
