"""Logs as click models see them: counts and pages that an engine made, beside those of plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cranfield.core import CranfieldError
from cranfield.data import read_log
from cranfield.online import CLICK_MODELS, Pages, read_cells, read_for, read_pages
from tests.support.simulations import search_logs


@pytest.fixture(scope="module")
def rows() -> list[search_logs.Row]:
    """Rows that stay, of pages with all their ranks."""
    stays, _ = search_logs.cleaned(search_logs.made_up(300, 7))
    depth = Counter(row["impression"] for row in stays if row["rank"])
    deepest = {one: max(row["rank"] for row in stays if row["impression"] == one) for one in depth}
    return [row for row in stays if depth.get(row["impression"]) == deepest.get(row["impression"])]


def log_of(rows: list[search_logs.Row]) -> Any:
    return read_log(search_logs.as_arrow(rows))


def column(rows: list[search_logs.Row], name: str) -> list[Any]:
    return [row[name] for row in rows if row["rank"] is not None]


@pytest.mark.parametrize("after_click", [False, True])
def test_counts_are_those_of_plain_python(rows: list[search_logs.Row], after_click: bool) -> None:
    clicks = {(row["impression"], row["rank"]) for row in rows if row["clicked"]}
    shown, clicked = Counter[Any](), Counter[Any]()
    for row in rows:
        if row["rank"] is None:
            continue
        above = [rank for rank in range(1, row["rank"]) if (row["impression"], rank) in clicks]
        key = row["topic"], row["document"], row["rank"], above[-1] if above and after_click else 0
        shown[key] += 1
        clicked[key] += row["clicked"]
    cells = read_cells(log_of(rows), after_click=after_click)
    names = [
        (cells.pairs.topics[cells.pairs.topic[pair]], cells.pairs.documents[cells.pairs.document[pair]])
        for pair in cells.pair.tolist()
    ]
    found = list(zip(names, cells.rank.tolist(), cells.previous.tolist(), cells.shown, cells.clicked, strict=True))
    assert {(*name, rank, last): many for name, rank, last, many, _ in found} == shown
    assert {(*name, rank, last): many for name, rank, last, _, many in found if many} == +clicked


def test_pages_are_those_of_the_rows(rows: list[search_logs.Row]) -> None:
    mine = read_pages(log_of(rows))
    names = ("impression", "topic", "rank", "document", "clicked")
    other = Pages.from_rows(*(column(rows, name) for name in names))
    assert told(mine) == told(other)
    assert mine.impressions == len(set(column(rows, "impression")))


def told(pages: Pages) -> Counter[Any]:
    """How often each page with its clicks was seen, in names."""
    names = pages.pairs.names()
    made = Counter[Any]()
    for pair, clicked, count in zip(pages.pair.tolist(), pages.clicked.tolist(), pages.count, strict=True):
        shown = tuple(names[one] for one in pair if one >= 0)
        made[shown, tuple(clicked[: len(shown)])] += count
    return made


@pytest.mark.parametrize("cls", list(CLICK_MODELS), ids=lambda cls: cls.name)
def test_every_model_learns_the_same_from_a_log_as_from_its_rows(rows: list[search_logs.Row], cls: Any) -> None:
    model = cls()
    names = ("impression", "topic", "rank", "document", "clicked")
    pages = Pages.from_rows(*(column(rows, name) for name in names))
    mine, other = model.fit(read_for(model, log_of(rows))), model.fit(pages)
    assert mine.log_likelihood(pages) == pytest.approx(other.log_likelihood(pages), rel=1e-9)


def test_pages_with_a_gap_are_left_out() -> None:
    given = {"impression": ["a", "a", "b", "b"], "topic": ["q"] * 4, "document": list("xyxy"), "clicked": [1, 0, 1, 0]}
    pages = read_pages(read_log(given | {"rank": [1, 2, 2, 3]}))
    assert pages.impressions == 1
    np.testing.assert_array_equal(pages.clicked, [[True, False]])
    with pytest.raises(CranfieldError, match="no page of log is whole"):
        read_pages(read_log(given | {"rank": [2, 3, 2, 3]}))
