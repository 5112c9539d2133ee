"""Preferences between documents as votes for lists: worked examples, and the chance that a pair counts."""

from itertools import combinations
from math import prod

import pytest
from hypothesis import given

from cranfield.online import PairwisePreference
from cranfield.online.interleaved.preference_multileaving import preferred
from tests.support.reference.interleaving_enumeration import ppm_pages, some_lists

LISTS = [list("01234"), list("01243"), list("21403")]
PAGE = PairwisePreference().made(LISTS, list("01234"), [-1] * 5, ("a", "b", "c"))


@pytest.mark.parametrize(
    ("places", "pairs"),
    [
        ([], set()),
        ([0], {(0, 1)}),
        ([2], {(2, 0), (2, 1), (2, 3)}),
        ([1, 3], {(1, 0), (1, 2), (3, 0), (3, 2), (3, 4)}),
        ([4], {(4, 0), (4, 1), (4, 2), (4, 3)}),
    ],
)
def test_clicked_is_preferred_to_skipped_above_and_to_the_next(places: list[int], pairs: set[tuple[int, int]]) -> None:
    assert set(preferred(places, 5)) == pairs


def test_one_click_by_hand() -> None:
    """A click on 1 prefers it to 0 and to 2.

    1 can stand from rank 2 on, and 0 stood at rank 1: that pair does not count. 2 can stand from rank 1 on; that it did
    not stand there has chance 1/2 (0 or 2): the pair 1 over 2 weighs 2, and only the third list has 2 above 1.
    """
    assert PAGE.chance[0] == 1 / 2
    assert PAGE.credit([2]) == (2, 2, -2)


def test_several_clicks_by_hand() -> None:
    """Clicks on 1 and 2: 1 over 0 does not count; 2 over 0 weighs 1, both can stand at rank 1.

    2 over 3: 3 can stand from rank 4 on, and 2 stood at rank 3.
    """
    assert PAGE.credit([2, 3]) == (-1, -1, 1)
    assert PAGE.credit([1]) == (0, 0, 0)  # 0 over 1: 1 could not stand at rank 1
    # a click on 2: over 0 with weight 1, over 1 with weight 2; 3 below does not count
    assert PAGE.credit([3]) == (-3, -3, 3)


def test_a_list_without_both_documents_has_no_say() -> None:
    page = PairwisePreference().made([["x", "y"], ["y", "x"], ["p", "q"]], ["x", "y"], [-1, -1], ("a", "b", "c"))
    # y can stand first, x too: weight 1
    assert page.credit(["y"]) == (-1, 1, 0)


@given(lists=some_lists(most=3, longest=4))
def test_a_pair_weighs_one_over_the_chance_that_it_counts(lists: list[list[str]]) -> None:
    """Over all pages: the chance that neither of a pair is shown before both can be."""
    length = min(map(len, lists))
    pages = ppm_pages(lists, length)
    (documents, teams), _ = next(iter(pages.items()))
    chance = PairwisePreference().made(lists, documents, teams, tuple("abc"[: len(lists)])).chance
    best = {d: min(own.index(d) + 1 for own in lists if d in own) for own in lists for d in own[:length]}
    for pair in combinations(best, 2):
        first, both = sorted(best[d] for d in pair)
        counts = sum(one for (other, _), one in pages.items() if not set(pair) & set(other[: both - 1]))
        assert prod(1 - chance[rank - 1] for rank in range(first, both)) == pytest.approx(float(counts))
