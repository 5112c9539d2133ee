"""Preferences from clicks, by hand; pairs in either order take the advantage of ranks away, by enumeration."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, generator
from cranfield.data import read_votes
from cranfield.online import FairPairs, fair_pairs, preferences_table, skip_above

Vote = tuple[Any, ...]


def log_of(*impressions: tuple[str, str, str], **more: list[Any]) -> dict[str, list[Any]]:
    """A log from (topic, documents, clicked documents), one letter each."""
    rows = [
        (number, topic, rank, document, document in clicked)
        for number, (topic, documents, clicked) in enumerate(impressions)
        for rank, document in enumerate(documents, start=1)
    ]
    names = ("impression", "topic", "rank", "document", "clicked")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)} | more


def votes(log: dict[str, list[Any]]) -> list[Vote]:
    """The votes of a log as tuples."""
    return [tuple(row.values()) for row in skip_above(log).rows()]


def test_clicked_beats_skipped_above() -> None:
    """Of x y z w, y and w are clicked: y over x, w over x, w over z; nothing is said of what stands below."""
    assert votes(log_of(("301", "xyzw", "yw"))) == [
        ("301", "w", "x", 0, "a"),
        ("301", "w", "z", 0, "a"),
        ("301", "x", "y", 0, "b"),
    ]


def test_the_order_of_rows_does_not_matter_and_users_vote() -> None:
    log = log_of(("1", "xyz", "z"), ("2", "zx", "x"), ("1", "yx", ""), user=["u"] * 3 + ["v"] * 2 + ["u"] * 2)
    mixed = {name: [column[place] for place in (6, 2, 4, 0, 3, 5, 1)] for name, column in log.items()}
    assert votes(mixed) == votes(log)
    assert votes(log) == [("1", "x", "z", "u", "b"), ("1", "y", "z", "u", "b"), ("2", "x", "z", "v", "a")]


@given(pages=st.lists(st.tuples(st.permutations("pqrs"), st.sets(st.sampled_from("pqrs"))), min_size=1, max_size=5))
def test_votes_are_those_of_a_literal_loop(pages: list[tuple[list[str], set[str]]]) -> None:
    expected: list[Vote] = []
    for number, (page, clicked) in enumerate(pages):
        for lower, winner in enumerate(page):
            for loser in page[:lower]:
                if winner in clicked and loser not in clicked:
                    first, second = sorted((winner, loser))
                    expected.append(("t", first, second, number, "a" if winner == first else "b"))
    found = votes(log_of(*(("t", "".join(page), "".join(clicked)) for page, clicked in pages)))
    assert sorted(found) == sorted(expected)


def test_votes_are_read_as_votes() -> None:
    table = skip_above(log_of(("1", "xyz", "z"), ("1", "zyx", "x"), user=["u", "u", "u", "v", "v", "v"]))
    read = read_votes(table.to_polars())
    assert len(read.topic) == 3  # x z by both, y z by u, x y by v
    assert set(read.workers) == {"u", "v"}


def test_preferences_are_counted() -> None:
    """Three for y, one for x: the sign test is 2 · (1 + 4) / 16."""
    table = preferences_table(skip_above(log_of(*[("1", "xy", "y")] * 3, ("1", "yx", "x"))))
    (row,) = table.rows()
    assert row == {"topic": "1", "a": "x", "b": "y", "wins_a": 1, "wins_b": 3, "share": 0.25, "p": 10 / 16}


def every_fair_page(documents: str) -> list[FairPairs]:
    """All pages that the coins can make, each as likely for its first coin: pairs from rank 1, or from rank 2."""
    found = []
    for start in (0, 1):
        uppers = range(start, len(documents) - 1, 2)
        for turned in product((False, True), repeat=len(uppers)):
            page: list[str] = list(documents)
            pair: list[int | None] = [None] * len(page)
            for number, (upper, turn) in enumerate(zip(uppers, turned, strict=True), start=1):
                pair[upper] = pair[upper + 1] = number
                if turn:
                    page[upper], page[upper + 1] = page[upper + 1], page[upper]
            found.append(FairPairs(tuple(page), tuple(pair)))
    return found


def test_pages_of_pairs_are_those_of_the_definition() -> None:
    """Five documents: two coins for two pairs after the first coin, so eight pages of an eighth each."""
    rng, draws = generator(2), 4000
    seen = Counter(fair_pairs("pqrst", rng) for _ in range(draws))
    assert set(seen) == set(every_fair_page("pqrst"))
    assert len(seen) == 8
    assert all(abs(times / draws - 1 / 8) < 5 * np.sqrt(1 / 8 * 7 / 8 / draws) for times in seen.values())


def test_within_pairs_clicks_that_see_no_relevance_favour_nobody() -> None:
    """Whatever ranks are clicked, over all pages: each document of a pair wins as often. Without pairs it does not."""
    for clicked in product((False, True), repeat=4):
        rows = [
            row | {"topic": "t", "clicked": clicked[row["rank"] - 1]}
            for number, page in enumerate(every_fair_page("pqrs"))
            for row in page.rows(str(number))
        ]
        log = {name: [row[name] for row in rows] for name in rows[0]}
        counted = preferences_table(skip_above(log))
        assert counted.cells("wins_a") == counted.cells("wins_b")
    assert votes(log_of(("t", "pq", "q"))) == [("t", "p", "q", 0, "b")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rank": None}, "no column 'rank'"),
        ({"rank": [1, 1]}, "two documents at one rank"),
        ({"rank": [0, 1]}, "whole number from 1"),
        ({"rank": [1, 2.5]}, "whole number from 1"),
        ({"topic": ["s", "t"]}, "two topics"),
        ({"clicked": [True]}, "differ in length"),
    ],
)
def test_logs_that_are_none_are_refused(change: dict[str, Any], says: str) -> None:
    log = {name: column for name, column in (log_of(("t", "pq", "q")) | change).items() if column is not None}
    with pytest.raises(ParameterError, match=says):
        skip_above(log)


def test_a_list_for_pairs_holds_each_document_once() -> None:
    for documents in ([], ["x", "x"]):
        with pytest.raises(ParameterError, match="empty, or holds a document twice"):
            fair_pairs(documents, generator(0))
    assert fair_pairs(["x"], generator(0)) == FairPairs(("x",), (None,))


def test_a_log_without_a_vote_has_no_row() -> None:
    assert len(skip_above(log_of(("t", "pq", "p")))) == 0
    assert skip_above(log_of(("t", "pq", "p"))).columns == ("topic", "a", "b", "worker", "vote")
