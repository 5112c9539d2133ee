"""Exact credit: against sums over every way in which a page could have been drawn."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, generator
from cranfield.online import Probabilistic, interleave, multileave, poisson_binomial, reused_table, winning_chances
from cranfield.online.interleaved.base import Interleaved
from tests.support.reference.interleaving_enumeration import Pages, probabilistic_pages

CASES = [
    (Probabilistic(), [list("abcd"), list("dcbe")], 3),
    (Probabilistic(tau=1), [list("abc"), list("abc")], 3),
    (Probabilistic(tau=1), [list("abcde"), list("fga")], 3),
    (Probabilistic(tau=2, rounds=True), [list("abcd"), list("dcbe")], 4),
    (Probabilistic(tau=1), [list("abc"), list("bca"), list("dab")], 3),
    (Probabilistic(tau=1), [list("abcd"), list("bcad"), list("dabc")], 4),
    (Probabilistic(tau=1), [list("abc"), list("bca"), list("dab"), list("efg")], 2),
    (Probabilistic(tau=1, rounds=False), [list("abc"), list("bca"), list("dab")], 3),
]


def every(method: Probabilistic, lists: list[list[str]], length: int) -> dict[tuple[str, ...], Pages]:
    """The ways in which each page can be drawn, by page."""
    drawn = probabilistic_pages(lists, length, tau=int(method.tau), rounds=method.taking_turns(len(lists)))
    found: dict[tuple[str, ...], Pages] = defaultdict(dict)
    for (documents, teams), chance in drawn.items():
        found[documents][documents, teams] = chance
    return found


@pytest.mark.parametrize(("method", "lists", "length"), CASES, ids=str)
def test_a_click_is_worth_the_chance_of_each_list(method: Probabilistic, lists: list[list[str]], length: int) -> None:
    runs = tuple("abcd"[: len(lists)])
    for documents, ways in every(method, lists, length).items():
        page = method.made(lists, documents, (0,) * length, runs)
        total = sum(ways.values(), Fraction(0))
        assert prod(page.chance) == pytest.approx(float(total), rel=1e-12)
        for place in range(length):
            share = [
                sum((chance for (_, teams), chance in ways.items() if teams[place] == team), Fraction(0)) / total
                for team in range(len(lists))
            ]
            assert [worth[place] for worth in page.worth] == pytest.approx([float(one) for one in share], rel=1e-12)


def test_long_lists_lose_nothing_to_rounding() -> None:
    """The last of a thousand, when all others are shown, is drawn for certain: 1000^−3 of 1000^−3."""
    names = [f"d{number}" for number in range(1000)]
    page = Probabilistic().made([names, names], names, [0] * 1000)
    assert page.chance[-1] == 1
    assert page.chance[-2] == pytest.approx(1000**3 / (999**3 + 1000**3), rel=1e-12)  # 999^-3/(999^-3 + 1000^-3)


@given(chances=st.lists(st.floats(0, 1), max_size=6))
def test_the_poisson_binomial_sums_over_all_outcomes(chances: list[float]) -> None:
    expected = np.zeros(len(chances) + 1)
    for outcome in product((0, 1), repeat=len(chances)):
        expected[sum(outcome)] += prod(
            one if happens else 1 - one for one, happens in zip(chances, outcome, strict=True)
        )
    np.testing.assert_allclose(poisson_binomial(chances), expected, atol=1e-12)


def test_the_chance_of_winning_sums_over_all_draws() -> None:
    method, lists, length = CASES[0]
    for documents, ways in every(method, lists, length).items():
        page = method.made(lists, documents, (0,) * length)
        for clicks in ([1], [1, 3], [1, 2, 3], []):
            won = np.zeros(3)
            for (_, teams), chance in ways.items():
                ahead = sum(1 - 2 * teams[rank - 1] for rank in clicks)
                won[1 - np.sign(ahead)] += chance
            np.testing.assert_allclose(winning_chances(page, clicks), won / won.sum(), atol=1e-12)


def test_only_independent_draws_have_a_chance_of_winning() -> None:
    page = interleave(["x"], ["y"], generator(0), method=Probabilistic(rounds=True))
    with pytest.raises(ParameterError, match="no chance of winning"):
        winning_chances(page, [1])


def test_too_many_lists_for_rounds_are_refused_with_a_way_out() -> None:
    names = [f"d{number:02}" for number in range(20)]
    lists = [names[number:] + names[:number] for number in range(20)]
    runs = [f"r{number}" for number in range(20)]
    with pytest.raises(ParameterError, match="20 lists are too many") as caught:
        multileave(lists, generator(0), method="probabilistic", runs=runs)
    assert "rounds=False" in caught.value.hint
    page = multileave(lists, generator(0), method="probabilistic(rounds=False)", runs=runs)
    assert sum(worth[0] for worth in page.worth) == pytest.approx(1)


def attracted(page: Interleaved) -> list[str]:
    """Clicks that depend on what is shown, and on nothing else: c, and e where c is shown too."""
    return [document for document in page.documents if document in {"c", "e"} and "c" in page.documents]


def test_old_pages_tell_of_new_lists_what_new_pages_would() -> None:
    """Weights move the expectation exactly: over all old pages, weighted, and over all new pages."""
    method, old, new = Probabilistic(tau=1), [list("abce"), list("cbea")], [list("ecba"), list("aecb")]
    direct = 0.0
    for documents, ways in every(method, new, 3).items():
        page = method.made(new, documents, (0,) * 3)
        credit = page.credit(attracted(page))
        direct += float(sum(ways.values())) * (credit[0] - credit[1])
    shown = [method.made(old, documents, (0,) * 3) for documents in every(method, old, 3)]
    copies = [round(2_000 * prod(page.chance)) for page in shown]  # a log in which pages are as frequent as expected
    log = [page for page, times in zip(shown, copies, strict=True) for _ in range(times)]
    table = reused_table(log, [attracted(page) for page in log], [new] * len(log))
    weight, difference = (np.array(table.cells(name), dtype=float) for name in ("weight", "difference"))
    assert weight[0] == pytest.approx(1, abs=0.01)  # what rounding to whole copies leaves
    assert difference[0] == pytest.approx(direct, abs=0.01)
    assert difference[1] == pytest.approx(difference[0] / weight[0], rel=1e-12)
    assert direct > 0.1  # the first list has both higher


def test_weights_and_effective_impressions_by_hand() -> None:
    """One document of lists x y and y x, tau 0: every page is as likely for all, so nothing is lost."""
    method = Probabilistic(tau=0)
    log = [method.made([["x", "y"], ["y", "x"]], [first], [0]) for first in ("x", "y", "y")]
    table = reused_table(log, [[1], [], [1]], [[["y", "x"], ["y", "x"]]] * 3)
    assert table["ess"][0] == pytest.approx(3)
    assert table["largest"][0] == pytest.approx(1)
    assert table["difference"][0] == pytest.approx(0)  # both new lists are the same
    # tau 1, one place: old chances of x: (2/3 + 1/3)/2 = 1/2; new lists x y twice: 2/3. Weights 4/3, 2/3, 2/3.
    method = Probabilistic(tau=1)
    log = [method.made([["x", "y"], ["y", "x"]], [first], [0]) for first in ("x", "y", "y")]
    table = reused_table(log, [[1], [], [1]], [[["x", "y"], ["x", "y"]]] * 3)
    assert table["weight"][0] == pytest.approx(8 / 9)
    assert table["ess"][0] == pytest.approx((8 / 3) ** 2 / (16 / 9 + 4 / 9 + 4 / 9))


def test_pages_that_cannot_be_used_again_are_refused() -> None:
    page = interleave(["x", "y"], ["y", "x"], generator(0), method="probabilistic")
    other = interleave(["x", "y"], ["y", "x"], generator(0))
    new = [["x", "y"], ["x", "y"]]
    for shown, lists, says in [
        ([page], [new], "no spread"),
        ([page, page], [new], "2 pages"),
        ([page, other], [new, new], "team-draft does not say"),
        ([page, page], [new, [["x"], ["y"]]], "not two lists as long"),
        ([page, page], [[["p", "q"], ["q", "p"]]] * 2, "none of the pages"),
    ]:
        with pytest.raises(ParameterError, match=says):
            reused_table(shown, [[1]] * len(shown), lists)
