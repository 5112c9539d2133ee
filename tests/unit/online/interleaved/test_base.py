"""Pages of every method: what they hold, how likely each is, what clicks on them are worth, what a log keeps."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, UnknownName, generator
from cranfield.online import (
    INTERLEAVINGS,
    Balanced,
    Interleaved,
    Interleaving,
    Optimised,
    PairwisePreference,
    Probabilistic,
    TeamDraft,
    multileave,
    parse_interleaving,
)
from tests.support.reference.interleaving_enumeration import (
    Pages,
    balanced_pages,
    best_left,
    ppm_pages,
    probabilistic_pages,
    some_lists,
    team_draft_pages,
)

A, B, C = list("abcde"), list("dcebf"), list("gbafc")
METHODS = [cls() for cls in INTERLEAVINGS]
SEVERAL = [method for method in METHODS if method.several]
DRAWS = 3000


def pages(method: Interleaving, lists: list[list[str]], length: int) -> Pages:
    """All pages of a method, by its definition; those of a linear programme by its own answer."""
    if isinstance(method, Probabilistic):
        return probabilistic_pages(lists, length, tau=int(method.tau), rounds=method.taking_turns(len(lists)))
    if isinstance(method, Optimised):
        plan = method.plan(lists, length)
        chances = zip(plan.pages, plan.chance.tolist(), strict=True)
        return {(page, (-1,) * length): Fraction(chance) for page, chance in chances if chance}
    if isinstance(method, Balanced):
        return balanced_pages(*lists)
    return (team_draft_pages if isinstance(method, TeamDraft) else ppm_pages)(lists, length)


@pytest.mark.parametrize("method", METHODS, ids=str)
@given(lists=some_lists(), seed=st.integers(0, 99), length=st.integers(1, 6))
def test_a_page_holds_documents_of_the_lists_each_once(
    method: Interleaving, lists: list[list[str]], seed: int, length: int
) -> None:
    page = multileave(lists, generator(seed), method=method, length=length)
    assert set(page.documents) <= {document for own in lists for document in own}
    assert len(set(page.documents)) == len(page.documents) == len(page.teams)
    assert min(length, *map(len, lists)) <= len(page.documents) <= length
    for own, ranks in zip(lists, page.ranks, strict=True):
        assert [own[rank - 1] if rank else None for rank in ranks] == [
            document if document in own else None for document in page.documents
        ]


@pytest.mark.parametrize("method", SEVERAL, ids=str)
@given(lists=some_lists(least=3, most=4), seed=st.integers(0, 99))
def test_a_log_gives_the_page_back(method: Interleaving, lists: list[list[str]], seed: int) -> None:
    page = multileave(lists, generator(seed), method=method)
    rows = json.loads(json.dumps(page.rows("i7", user="u1", topic="301")))
    assert {(row["impression"], row["user"], row["topic"]) for row in rows} == {("i7", "u1", "301")}
    assert Interleaved.from_rows(rows[::-1]) == page
    clicks = list(page.documents[::2])
    assert Interleaved.from_rows(rows).credit(clicks) == page.credit(clicks)


def test_a_log_row_says_whose_the_document_is() -> None:
    page = TeamDraft().made([["x", "y"], ["y", "z"]], ["y", "x"], [1, 0], ("old", "new"))
    assert page.rows("1")[0] == {
        "impression": "1",
        "method": "team-draft",
        "rank": 1,
        "document": "y",
        "team": "new",
        "chance": None,
        "rank_old": 2,
        "rank_new": 1,
        "worth_old": 0.0,
        "worth_new": 1.0,
    }


@given(lists=some_lists(), seed=st.integers(0, 99))
def test_balanced_pages_hold_the_top_of_both_lists(lists: list[list[str]], seed: int) -> None:
    page = multileave(lists, generator(seed), method="balanced")
    for k in range(1, len(page.documents) + 1):
        shown = set(page.documents[:k])
        tops = [{n for n in range(len(own) + 1) if set(own[:n]) <= shown} for own in lists]
        fits = [(a, b) for a in tops[0] for b in tops[1] if abs(a - b) <= 1 and shown == {*lists[0][:a], *lists[1][:b]}]
        assert fits


@given(lists=some_lists(most=4), seed=st.integers(0, 99))
def test_teams_take_turns_and_put_their_best(lists: list[list[str]], seed: int) -> None:
    page = multileave(lists, generator(seed))
    for place, (document, team) in enumerate(zip(page.documents, page.teams, strict=True)):
        assert document == best_left(lists[team], page.documents[:place])
    for start in range(0, len(page.teams), len(lists)):
        one_round = page.teams[start : start + len(lists)]
        assert len(set(one_round)) == len(one_round)


@given(lists=some_lists(most=3, longest=4), seed=st.integers(0, 99))
def test_optimised_and_pairwise_pages_keep_to_the_tops_of_lists(lists: list[list[str]], seed: int) -> None:
    page = multileave(lists, generator(seed), method="optimised").documents
    assert all(page[k] in {best_left(own, page[:k]) for own in lists} for k in range(len(page)))
    page = multileave(lists, generator(seed), method="ppm").documents
    assert all(page[k] in {document for own in lists for document in own[: k + 1]} for k in range(len(page)))


@pytest.mark.parametrize(
    ("method", "lists"),
    [(method, [A[:4], B[:4]]) for method in METHODS] + [(method, [A[:3], B[:3], C[:3]]) for method in SEVERAL],
    ids=str,
)
def test_pages_are_as_likely_as_the_definition_says(method: Interleaving, lists: list[list[str]]) -> None:
    length = None if isinstance(method, Balanced) else 3
    rng = generator(5, str(method))
    drawn = [multileave(lists, rng, method=method, length=length) for _ in range(DRAWS)]
    seen = Counter((page.documents, page.teams) for page in drawn)
    expected = pages(method, lists, 3)
    assert float(sum(expected.values())) == pytest.approx(1)
    assert set(seen) <= set(expected)
    for page, exact in expected.items():
        chance = float(exact)
        assert abs(seen[page] / DRAWS - chance) <= 5 * sqrt(chance * (1 - chance) / DRAWS) + 1 / DRAWS


def test_team_draft_makes_four_lists_of_a_quarter_each() -> None:
    """The reference: 1 2 3 4 5 beside 4 3 5 1 2; the second round decides, and the fifth document is 5 for both."""
    lists = [list("12345"), list("43512")]
    for length, ends in ((3, ("2", "3")), (4, ("23", "32")), (5, ("235", "325"))):
        chance: Counter[str] = Counter()
        for (documents, _), one in team_draft_pages(lists, length).items():
            chance["".join(documents)] += one  # type: ignore[assignment]  # fractions add as numbers do
        assert chance == {start + end: Fraction(1, 4) for start in ("14", "41") for end in ends}
        rng = generator(1)
        assert {"".join(multileave(lists, rng, length=length).documents) for _ in range(100)} == set(chance)


BLIND = [
    *((method, [A[:4], B[:4]]) for method in SEVERAL),
    *((method, [A[:3], B[:3], C[:3]]) for method in SEVERAL),
    (TeamDraft(common="none"), [["a", "b", "c", "d"], ["a", "d", "c", "b"]]),
    (Probabilistic(tau=1, rounds=True), [A[:4], B[:4]]),
    (Probabilistic(tau=0, rounds=False), [A[:3], B[:3], C[:3]]),
    (Optimised(by="negative-rank"), [A[:4], B[:4]]),
]


@pytest.mark.parametrize(("method", "lists"), BLIND, ids=str)
def test_clicks_that_see_no_relevance_favour_no_list(method: Interleaving, lists: list[list[str]]) -> None:
    """Whatever ranks are clicked: the expected credit, over all pages, is the same for every list."""
    length = 3
    names = tuple("abc"[: len(lists)])
    made = [(method.made(lists, *page, names), float(chance)) for page, chance in pages(method, lists, length).items()]
    for number in range(1, length + 1):
        for ranks in combinations(range(1, length + 1), number):
            credit = np.sum([np.array(page.credit(ranks)) * chance for page, chance in made], axis=0)
            np.testing.assert_allclose(credit - credit[0], 0, atol=1e-9)


def test_balanced_interleaving_is_biased() -> None:
    """With a, b, c and b, c, a one random click prefers the second list by a third, whoever leads."""
    lists = [list("abc"), list("bca")]
    expected = balanced_pages(*lists)
    assert {"".join(documents) for documents, _ in expected} == {"abc", "bac"}
    net = Fraction(0)
    for page, chance in expected.items():
        made = Balanced().made(lists, *page)
        assert made.credit(["a"]) == (1, 0)  # first of a
        assert made.credit(["b"]) == (0, 1)  # first of b
        assert made.credit(["c"]) == (0, 1)  # second of b, third of a
        wins = [int(np.sign(one - other)) for one, other in (made.credit([rank]) for rank in (1, 2, 3))]
        net += chance * Fraction(sum(wins), 3)
    assert net == Fraction(-1, 3)


def test_balanced_credit_counts_down_to_the_lowest_click() -> None:
    """Page a d b c of a b c and d b c: clicks on a and b: b is second in both, so a b are counted against d b."""
    page = Balanced().made([list("abc"), list("dbc")], list("adbc"), [0, 1, 0, 0])
    assert page.credit(["a", "b"]) == (2, 1)
    assert page.credit([2, 4]) == (1, 2)  # d and c: third in both, so c counts for both and d for the second
    assert page.credit([]) == (0, 0)


def test_clicks_on_a_common_beginning_may_count_for_nobody() -> None:
    lists = [list("abcd"), list("abdc")]
    page = TeamDraft(common="none").made(lists, list("abcd"), [1, 0, 0, 1])
    assert page.credit([1, 2]) == (0, 0)
    assert page.credit([1, 2, 3]) == (1, 0)
    assert TeamDraft().made(lists, list("abcd"), [1, 0, 0, 1]).credit([1, 2, 3]) == (2, 1)


def test_a_click_counts_once_and_is_a_rank_or_a_document() -> None:
    page = TeamDraft().made([["x", "y"], ["y", "z"]], ["x", "y"], [0, 1])
    assert page.credit([1, 1, "x"]) == (1, 0)
    assert page.credit(np.array([2, 1])) == (1, 1)


@pytest.mark.parametrize(
    ("click", "says"),
    [(0, "no rank 0"), (3, "no rank 3"), (True, "no rank True"), (1.5, "no rank 1.5"), ("w", "'w' was clicked")],
)
def test_clicks_on_what_was_not_shown_are_refused(click: int | str, says: str) -> None:
    page = TeamDraft().made([["x", "y"], ["y", "z"]], ["x", "y"], [0, 1])
    with pytest.raises(ParameterError, match=says):
        page.credit([click])


@pytest.mark.parametrize(
    ("lists", "options", "says"),
    [
        ([["x"], []], {}, "the list of b is empty"),
        ([["x", "x"], ["y"]], {}, "'x' is twice in the list of a"),
        ([["x"]], {}, "not of 1"),
        ([["x"], ["y"], ["z"]], {"method": "balanced"}, "two lists, not of 3"),
        ([["x"], ["y"]], {"length": 0}, "length 0"),
        ([["x"], ["y"]], {"runs": ("m", "m")}, "1 different names for 2 lists"),
    ],
)
def test_what_makes_no_page_is_refused(lists: list[list[str]], options: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        multileave(lists, generator(0), **options)  # type: ignore[arg-type]  # each option has its own type


def test_rows_that_are_no_page_are_refused() -> None:
    rows = TeamDraft().made([["x", "y"], ["y", "z"]], ["x", "y"], [0, 1]).rows("1")
    wrong = [
        ([], "no row"),
        (rows[:1] * 2, "ranks of impression 1"),
        ([rows[0], rows[1] | {"impression": "2"}], "more than one impression"),
        ([{name: cell for name, cell in row.items() if name != "team"} for row in rows], "lack the column 'team'"),
        ([{name: cell for name, cell in row.items() if name != "rank_a"} for row in rows], "columns rank_"),
    ]
    for given_rows, says in wrong:
        with pytest.raises(ParameterError, match=says):
            Interleaved.from_rows(given_rows)
    with pytest.raises(ParameterError, match="'team' has a meaning"):
        TeamDraft().made([["x"], ["y"]], ["x"], [0]).rows("1", team="red")


def test_methods_are_written_and_read() -> None:
    for method in (*METHODS, Probabilistic(tau=1, rounds=True), Optimised(by="negative-rank"), PairwisePreference()):
        assert parse_interleaving(str(method)) == method
    assert parse_interleaving("tdi") == parse_interleaving("Team-Draft") == TeamDraft()
    with pytest.raises(UnknownName):
        parse_interleaving("teamdraught")
    with pytest.raises(ParameterError, match="tau"):
        parse_interleaving("probabilistic(tau=-1)")
